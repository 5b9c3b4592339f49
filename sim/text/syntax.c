/* SPDX-License-Identifier: GPL-3.0-or-later */
/* syntax.c - bytes that are no text, tabs, and libyaml's complaints with a remedy. */
#include "text/syntax.h"

#include <stdint.h>
#include <string.h>

/* Length of the UTF-8 character at `text`, or 0 if it is none (overlong forms, surrogates and
 * values above U+10FFFF are none). *value becomes its number. */
static size_t decode(const unsigned char *text, size_t left, uint32_t *value)
{
    size_t length = text[0] < 0x80    ? 1
                    : text[0] < 0xc2  ? 0
                    : text[0] < 0xe0  ? 2
                    : text[0] < 0xf0  ? 3
                    : text[0] <= 0xf4 ? 4
                                      : 0;

    *value = text[0];
    if (length <= 1) {
        return length;
    }
    if (length > left) {
        return 0;
    }
    *value &= 0x7fu >> length;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
        *value = *value << 6 | (text[i] & 0x3fu);
    }
    if ((length == 3 && (*value < 0x800 || (*value >= 0xd800 && *value < 0xe000))) ||
        (length == 4 && (*value < 0x10000 || *value > 0x10ffff))) {
        return 0;
    }
    return length;
}

/* Characters that YAML does not allow, though they are valid UTF-8. */
static bool is_forbidden(uint32_t value)
{
    return (value < 0x20 && value != '\t' && value != '\n' && value != '\r') ||
           (value >= 0x7f && value < 0xa0 && value != 0x85) || value == 0xfeff || value == 0xfffe ||
           value == 0xffff;
}

size_t text_syntax_printable(const char *text, size_t left)
{
    uint32_t value;
    size_t length = decode((const unsigned char *)text, left, &value);

    return value < 0x20 || value == 0x85 || is_forbidden(value) ? 0 : length;
}

bool text_syntax_check_bytes(struct report *report, int source, const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    struct tree_place place = {source, 1, 1};

    if (length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
        text_report_add(report, place, "The text is UTF-16. Save it as UTF-8.");
        return false;
    }
    for (size_t i = 0; i < length;) {
        uint32_t value;
        size_t step = decode(bytes + i, length - i, &value);

        if (step == 0) {
            text_report_add(report, place,
                            "The byte 0x%02x is no UTF-8 text. Save the file as UTF-8, or "
                            "name a YAML file here if this is another kind of file.",
                            bytes[i]);
            return false;
        }
        if (is_forbidden(value)) {
            text_report_add(report, place,
                            "The control character U+%04X does not belong into YAML. Remove "
                            "it, or name a YAML file here if this is another kind of file.",
                            (unsigned)value);
            return false;
        }
        place.column++;
        if (value == '\n') {
            place.line++;
            place.column = 1;
        }
        i += step;
    }
    return true;
}

/* Reports each line that a tab indents; false if there is none. */
static bool report_tabs(struct report *report, int source, const char *text, size_t length)
{
    struct tree_place place = {source, 1, 1};
    bool is_indentation = true, has_tab = false;

    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n') {
            place.line++;
            place.column = 0;
            is_indentation = true;
        } else if (is_indentation && text[i] == '\t') {
            text_report_add(report, place,
                            "A tab indents this line, and YAML takes only spaces for that. "
                            "Replace the tab by spaces.");
            has_tab = true;
            is_indentation = false;
        } else if (text[i] != ' ') {
            is_indentation = false;
        }
        place.column++;
    }
    return has_tab;
}

/* The byte at a line and column (both from 0), or NUL. */
static char byte_at(const char *text, size_t length, size_t line, size_t column)
{
    size_t i = 0;

    while (line > 0 && i < length) {
        if (text[i++] == '\n') {
            line--;
        }
    }
    while (column > 0 && i < length && text[i] != '\n') {
        i++;
        while (i < length && ((unsigned char)text[i] & 0xc0) == 0x80) {
            i++;
        }
        column--;
    }
    return i < length ? text[i] : '\0';
}

/* What libyaml says (a part of it), and what to tell the person. */
static const struct syntax_case {
    const char *problem, *sentence;
} syntax_cases[] = {
    {"cannot start any token",
     "A value cannot begin with this character. Put the value in double quotes."},
    {"mapping values are not allowed",
     "A ':' cannot stand here. Either the line is indented differently from its neighbours, or a "
     "value that contains ': ' needs quotes."},
    {"could not find expected ':'", "A ':' is missing. Every line of a map is `key: value`."},
    {"found unexpected ':'", "A ':' inside braces needs a blank behind it: `{key: value}`."},
    {"did not find expected key",
     "No key can stand here. Indent the keys of one map equally, and write each as `key: value`."},
    {"did not find expected '-'",
     "A list goes on with '- ' at the same indentation. Align this line or begin it with '- '."},
    {"did not find expected ',' or '}'",
     "A '{' is not closed. Separate its entries by commas and end it with '}'."},
    {"did not find expected ',' or ']'",
     "A '[' is not closed. Separate its entries by commas and end it with ']'."},
    {"found unexpected end of stream", "A quotation is not closed. Add the missing quote."},
    {"found unexpected document indicator",
     "A quotation is not closed before the document ends. Add the missing quote."},
    {"found unknown escape character",
     "This escape is unknown in double quotes. Write a backslash as \\\\, or use single quotes."},
    {"block sequence entries are not allowed",
     "A list entry '- ' cannot stand here. Begin the list on a line of its own."},
    {"mapping keys are not allowed", "A '?' cannot stand here. Quote the value."},
    {"did not find expected <document start>",
     "The text goes on after its end. Indent the keys of one map equally, one key a line."},
    {"while scanning an anchor", "An anchor '&' or alias '*' needs a name of letters and digits."},
    {"while scanning an alias", "An anchor '&' or alias '*' needs a name of letters and digits. "
                                "Quote the value if the '*' is part of it."},
    {"did not find expected node content",
     "A value is missing before this character. Write the value, or remove the character."},
    {"while scanning a block scalar",
     "The block of text after '|' or '>' is not well formed. Indent all its lines equally by "
     "spaces, or put the value in quotes."},
    {"hexdecimal number", "This escape needs hexadecimal digits. Write a backslash as \\\\, or use "
                          "single quotes."},
    {"invalid Unicode", "This escape names no character. Write a backslash as \\\\, or use single "
                        "quotes."},
    {"while parsing a tag", "Tags ('!') have no meaning here. Remove it or quote the value."},
    {"while scanning a tag", "Tags ('!') have no meaning here. Remove it or quote the value."},
    {"directive", "This '%' line is no directive of YAML 1.1 or 1.2. Remove it."},
    {"incompatible YAML document", "Only YAML 1.1 and 1.2 are read. Remove the '%YAML' line."},
    {"undefined tag handle", "Tags ('!') have no meaning here. Remove it or quote the value."},
};

void text_syntax_explain(struct report *report, int source, const yaml_parser_t *parser,
                         const char *text, size_t length)
{
    const char *problem = parser->problem ? parser->problem : "unreadable";
    const char *context = parser->context ? parser->context : "";
    struct tree_place place = {source, (int)parser->problem_mark.line + 1,
                               (int)parser->problem_mark.column + 1};
    char found = byte_at(text, length, parser->problem_mark.line, parser->problem_mark.column);

    if ((found == '\t' || strstr(problem, "tab character")) &&
        report_tabs(report, source, text, length)) {
        return;
    }
    for (size_t i = 0; i < sizeof syntax_cases / sizeof syntax_cases[0]; i++) {
        if (strstr(problem, syntax_cases[i].problem) || strstr(context, syntax_cases[i].problem)) {
            if (parser->context && parser->context_mark.line != parser->problem_mark.line) {
                text_report_add(report, place, "%s What it belongs to begins at line %zu.",
                                syntax_cases[i].sentence, parser->context_mark.line + 1);
            } else {
                text_report_add(report, place, "%s", syntax_cases[i].sentence);
            }
            return;
        }
    }
    text_report_add(report, place,
                    "This is no valid YAML (%s%s%s). Check indentation, quotes and brackets.",
                    context, *context ? ": " : "", problem);
}
