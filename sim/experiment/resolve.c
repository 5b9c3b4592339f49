/* SPDX-License-Identifier: GPL-3.0-or-later */
/* resolve.c - an experiment as YAML with every key, in the order of the table. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/fill.h"
#include "text/units.h"

/* What is written: the fields of the experiment, or those of an element of a list of maps. */
struct subject {
    const struct experiment *experiment;
    const void *base;
    size_t policy;
    bool is_identity; /* names, policy, seed and the words of paths do not count */
};

static const void *field(const struct subject *subject, size_t offset)
{
    return (const char *)subject->base + offset;
}

static const char *field_text(const struct subject *subject, const struct key *key)
{
    const char *text;

    memcpy(&text, field(subject, key->offset), sizeof text);
    return text;
}

static size_t list_count(const struct subject *subject, const struct key *key)
{
    size_t count;

    memcpy(&count, field(subject, key->offset_more), sizeof count);
    return count;
}

static int64_t field_int(const struct subject *subject, const struct key *key)
{
    int64_t wide = 0;
    int32_t narrow = 0;
    bool truth = false;

    switch (key->size) {
    case sizeof truth:
        memcpy(&truth, field(subject, key->offset), sizeof truth);
        return truth;
    case sizeof narrow:
        memcpy(&narrow, field(subject, key->offset), sizeof narrow);
        return narrow;
    default:
        memcpy(&wide, field(subject, key->offset), sizeof wide);
        return wide;
    }
}

/* Would YAML take the word for something else than text? */
static bool is_special(const char *text, bool is_text)
{
    static const char *const words[] = {"null", "true", "false", "yes",  "no",   "on",
                                        "off",  "y",    "n",     ".inf", ".nan", "~"};
    double number;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcasecmp(text, words[i]) == 0) {
            return i == 0 || is_text;
        }
    }
    return is_text && text_units_parse_double(text, &number);
}

/* Does the text stand for itself without quotes? */
static bool is_plain(const char *text, bool is_text)
{
    static const char inside[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "_/.+-";
    size_t length = strlen(text);
    bool is_signed = (*text == '-' || *text == '+') && text[1] >= '0' && text[1] <= '9';

    return length > 0 && strspn(text, inside) == length &&
           (is_signed || (*text != '-' && *text != '+')) &&
           !(length >= 3 && strncmp(text, "...", 3) == 0) && !is_special(text, is_text);
}

/* Decodes one character of valid UTF-8 and moves on. */
static uint32_t next_character(const char **text)
{
    const unsigned char *bytes = (const unsigned char *)*text;
    size_t length = bytes[0] < 0x80 ? 1 : bytes[0] < 0xe0 ? 2 : bytes[0] < 0xf0 ? 3 : 4;
    uint32_t value = length == 1 ? bytes[0] : bytes[0] & (0x7fu >> length);

    for (size_t i = 1; i < length; i++) {
        value = value << 6 | (bytes[i] & 0x3fu);
    }
    *text += length;
    return value;
}

static void write_quoted(FILE *stream, const char *text)
{
    fputc('"', stream);
    while (*text) {
        const char *start = text;
        uint32_t value = next_character(&text);

        if (value == '"' || value == '\\') {
            fprintf(stream, "\\%c", (int)value);
        } else if (value > 0xffff) {
            fprintf(stream, "\\U%08" PRIX32, value);
        } else if (value < 0x20 || (value >= 0x7f && value <= 0xa0) || value == 0x2028 ||
                   value == 0x2029 || value >= 0xe000) {
            fprintf(stream, "\\u%04" PRIX32, value);
        } else {
            (void)fwrite(start, 1, (size_t)(text - start), stream);
        }
    }
    fputc('"', stream);
}

static void write_text(FILE *stream, const char *text, bool is_text)
{
    if (!text) {
        fputs("null", stream);
    } else if (is_plain(text, is_text)) {
        fputs(text, stream);
    } else {
        write_quoted(stream, text);
    }
}

static void write_choice(FILE *stream, const struct subject *subject, const struct key *key)
{
    int64_t value = field_int(subject, key);
    char text[UNITS_TEXT_MAX];

    if (key->type == KEY_CHOICE_TIME && value == key->duration_choice) {
        hs_time duration;

        memcpy(&duration, field(subject, key->offset_more), sizeof duration);
        text_units_format(UNITS_TIME, duration, text);
        fputs(text, stream);
        return;
    }
    for (const struct key_choice *choice = key->choices; choice->name; choice++) {
        if (choice->value == value) {
            fputs(choice->name, stream);
        }
    }
}

static void write_list(FILE *stream, const struct subject *subject, const struct key *key)
{
    const struct experiment_storage *storage = subject->experiment->storage;
    const char *const *written = storage->written_lists[key - experiment_keys];
    const int32_t *numbers = NULL;
    size_t count;

    memcpy(&count, field(subject, key->offset_more), sizeof count);
    if (key->type == KEY_INT_LIST) {
        memcpy(&numbers, field(subject, key->offset), sizeof numbers);
    }
    fputc('[', stream);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", stream);
        if (!numbers && subject->is_identity) {
            fputs("file", stream);
        } else if (numbers) {
            fprintf(stream, "%" PRId32, numbers[i]);
        } else {
            write_text(stream, written[i], true);
        }
    }
    fputc(']', stream);
}

static void write_value(FILE *stream, const struct subject *subject, const struct key *key)
{
    const struct experiment_storage *storage = subject->experiment->storage;
    char text[UNITS_TEXT_MAX];
    double number;

    if (key->size == 0) {
        fputs(key->fallback ? key->fallback : key->example, stream);
        return;
    }
    switch (key->type) {
    case KEY_BOOL:
        fputs(field_int(subject, key) ? "true" : "false", stream);
        break;
    case KEY_INT:
        fprintf(stream, "%" PRId64, field_int(subject, key));
        break;
    case KEY_DOUBLE:
        memcpy(&number, field(subject, key->offset), sizeof number);
        text_units_format_double(number, text);
        fputs(text, stream);
        break;
    case KEY_TIME:
    case KEY_BYTES:
        text_units_format(key->type == KEY_TIME ? UNITS_TIME : UNITS_BYTES, field_int(subject, key),
                          text);
        fputs(text, stream);
        break;
    case KEY_STRING:
        write_text(stream, field_text(subject, key), true);
        break;
    case KEY_PATH:
        write_text(stream,
                   subject->is_identity && field_text(subject, key)
                       ? "file"
                       : storage->written[key - experiment_keys],
                   true);
        break;
    case KEY_CHOICE:
    case KEY_CHOICE_TIME:
        write_choice(stream, subject, key);
        break;
    default:
        write_list(stream, subject, key);
        break;
    }
}

/* Of keys that exclude each other: is this the one that was given? */
static bool is_chosen(const struct subject *subject, const struct key *key)
{
    return key->type == KEY_PATH ? field_text(subject, key) != NULL : field_int(subject, key) != 0;
}

static bool is_left_out(const struct subject *subject, const struct key *parent,
                        const struct key *key)
{
    if (key->part == KEY_PART_SWEEP || (subject->is_identity && key->part != KEY_PART_RUN)) {
        return true;
    }
    if (key->type == KEY_POLICY || key->type == KEY_POLICY_LIST) {
        return key->type == KEY_POLICY_LIST;
    }
    if (experiment_key_has_word(parent->one_of, experiment_key_name(key))) {
        return !is_chosen(subject, key);
    }
    if (key->only_with &&
        field_int(subject, experiment_key_child(parent, key->only_with)) != key->only_value) {
        return true;
    }
    if (key->type == KEY_MAP_LIST && !list_count(subject, key)) {
        return true; /* an empty list cannot be given */
    }
    if (key->type == KEY_STRING && !field_text(subject, key)) {
        return true; /* a text for which there is no default */
    }
    if (key->type == KEY_MAP && key->size && !is_chosen(subject, key)) {
        return true; /* a block that only counts when it is given */
    }
    return key->excludes && is_chosen(subject, experiment_key_child(parent, key->excludes));
}

/* The first parameter by name after one; NULL: the first of all. Names differ. */
static const struct experiment_param *next_by_name(const struct experiment_policy *policy,
                                                   const char *before)
{
    const struct experiment_param *next = NULL;

    for (size_t i = 0; i < policy->param_count; i++) {
        const struct experiment_param *param = &policy->params[i];

        if ((!before || strcmp(param->name, before) > 0) &&
            (!next || strcmp(param->name, next->name) < 0)) {
            next = param;
        }
    }
    return next;
}

static void write_policy(FILE *stream, const struct experiment_policy *policy, bool is_identity)
{
    const struct {
        const char *key, *value;
    } parts[] = {{"name", policy->name},
                 {"order", policy->order},
                 {"place", policy->place},
                 {"local", policy->local},
                 {"tie", policy->tie},
                 {"predictor", policy->predictor},
                 {"label", is_identity ? NULL : policy->label}};
    const char *param_before = NULL;

    fputs("policy:\n", stream);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].value) {
            fprintf(stream, "  %s: ", parts[i].key);
            write_text(stream, parts[i].value, true);
            fputc('\n', stream);
        }
    }
    for (size_t i = 0; i < policy->param_count; i++) {
        const struct experiment_param *param =
            is_identity ? next_by_name(policy, param_before) : &policy->params[i];

        fputs("  ", stream);
        write_text(stream, param->name, true);
        fputs(": ", stream);
        write_text(stream, param->value, false);
        fputc('\n', stream);
        param_before = param->name;
    }
}

static void write_map(FILE *stream, const struct subject *subject, const struct key *parent,
                      int indent);

/* `-` on a line of its own, and the keys of an element below it. */
static void write_maps(FILE *stream, const struct subject *subject, const struct key *key,
                       int indent)
{
    const char *items;
    size_t count;

    memcpy(&items, field(subject, key->offset), sizeof items);
    memcpy(&count, field(subject, key->offset_more), sizeof count);
    fputs(count ? "\n" : " []\n", stream);
    for (size_t i = 0; i < count; i++) {
        struct subject item = *subject;

        item.base = items + i * key->item_size;
        fprintf(stream, "%*s-\n", indent, "");
        write_map(stream, &item, key, indent + 2);
    }
}

static void write_map(FILE *stream, const struct subject *subject, const struct key *parent,
                      int indent)
{
    for (const struct key *key = parent + 1; key < experiment_keys + experiment_key_count; key++) {
        if (!experiment_key_is_child(parent, key) || is_left_out(subject, parent, key)) {
            continue;
        }
        if (key->type == KEY_POLICY) {
            write_policy(stream, &subject->experiment->policies[subject->policy], false);
            continue;
        }
        fprintf(stream, "%*s%s:", indent, "", experiment_key_name(key));
        if (key->type == KEY_MAP) {
            fputc('\n', stream);
            write_map(stream, subject, key, indent + 2);
        } else if (key->type == KEY_MAP_LIST) {
            write_maps(stream, subject, key, indent + 2);
        } else {
            fputc(' ', stream);
            write_value(stream, subject, key);
            fputc('\n', stream);
        }
    }
}

/* The text in *text, once its stream is closed; NULL: no memory. */
static char *finish(FILE *stream, char **text)
{
    bool has_failed = !stream || ferror(stream) != 0;

    if (stream && fclose(stream) != 0) {
        has_failed = true;
    }
    if (has_failed) {
        free(*text);
        return NULL;
    }
    return *text;
}

char *experiment_resolved(const struct experiment *experiment, size_t policy)
{
    struct subject subject = {experiment, experiment, policy, false};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    HS_ASSERT(policy < experiment->policy_count);
    if (stream) {
        write_map(stream, &subject, &experiment_keys[0], 0);
    }
    return finish(stream, &text);
}

char *experiment_identity(const struct experiment *experiment)
{
    struct subject subject = {experiment, experiment, 0, true};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    if (stream) {
        write_map(stream, &subject, &experiment_keys[0], 0);
    }
    return finish(stream, &text);
}

char *experiment_policy_identity(const struct experiment *experiment, size_t policy)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    HS_ASSERT(policy < experiment->policy_count);
    if (stream) {
        write_policy(stream, &experiment->policies[policy], true);
    }
    return finish(stream, &text);
}
