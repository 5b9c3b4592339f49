/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schema.c - the table of keys as JSON Schema draft-07, for editors. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "experiment/fill.h"
#include "text/units.h"

static void write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', file);
        }
        fputc(*text, file);
    }
    fputc('"', file);
}

/* `"member": ` on a line of its own; every member but the first follows a comma. */
static void open_member(FILE *file, int indent, const char *name)
{
    fprintf(file, ",\n%*s\"%s\": ", indent, "", name);
}

static void write_choices(FILE *file, const struct key *key)
{
    fputs("\"enum\": [", file);
    for (const struct key_choice *choice = key->choices; choice->name; choice++) {
        fprintf(file, "%s\"%s\"", choice == key->choices ? "" : ", ", choice->name);
    }
    fputc(']', file);
}

/* A number with a unit, as text, or a bare number in the base unit. */
static void write_unit_type(FILE *file, const struct key *key, enum units_kind kind)
{
    char low[HS_TIME_TEXT_MAX];

    fprintf(file, "\"type\": [\"%s\", \"string\"], ", kind == UNITS_TIME ? "number" : "integer");
    fprintf(file, "\"pattern\": \"^%s[0-9]+(\\\\.[0-9]+)? *(%s)?$\"", key->min < 0 ? "[+-]?" : "",
            text_units_pattern(kind));
    if (key->min >= 0 && kind == UNITS_TIME) {
        (void)hs_time_format(key->min, low);
        fprintf(file, ", \"minimum\": %s", low);
    } else if (key->min >= 0) {
        fprintf(file, ", \"minimum\": %" PRId64, key->min);
    }
}

static void write_double_type(FILE *file, const struct key *key)
{
    char low[UNITS_TEXT_MAX], high[UNITS_TEXT_MAX];

    text_units_format_double(key->min_real, low);
    text_units_format_double(key->max_real, high);
    fprintf(file, "\"type\": \"number\", \"%s\": %s, \"maximum\": %s",
            key->is_min_open ? "exclusiveMinimum" : "minimum", low, high);
}

static void write_int_type(FILE *file, const struct key *key)
{
    fprintf(file, "\"type\": \"integer\", \"minimum\": %" PRId64, key->min);
    if (key->max != INT64_MAX) {
        fprintf(file, ", \"maximum\": %" PRId64, key->max);
    }
}

static void write_list_type(FILE *file, const struct key *key)
{
    fputs("\"anyOf\": [{", file);
    for (int i = 0; i < 2; i++) {
        if (i == 1) {
            fputs("}, {\"type\": \"array\", \"items\": {", file);
        }
        if (key->type == KEY_INT_LIST) {
            write_int_type(file, key);
        } else {
            fputs("\"type\": \"string\", \"minLength\": 1", file);
        }
    }
    fputs("}}]", file);
}

/* Keys of the experiment with the values that they take in a sweep. */
static void write_axes_type(FILE *file)
{
    fputs("\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": {\"anyOf\": ["
          "{\"type\": \"array\", \"minItems\": 1}, {\"type\": \"object\", "
          "\"additionalProperties\": false, \"required\": [\"from\", \"to\", \"count\"], "
          "\"properties\": {\"from\": {\"type\": [\"number\", \"string\"]}, "
          "\"to\": {\"type\": [\"number\", \"string\"]}, "
          "\"count\": {\"type\": \"integer\", \"minimum\": 2}, "
          "\"scale\": {\"enum\": [\"lin\", \"log\"]}}}]}",
          file);
}

/* Members that restrict a value which is no map. */
static void write_type(FILE *file, const struct key *key)
{
    switch (key->type) {
    case KEY_BOOL:
        fputs("\"type\": \"boolean\"", file);
        break;
    case KEY_INT:
        write_int_type(file, key);
        break;
    case KEY_DOUBLE:
        write_double_type(file, key);
        break;
    case KEY_TIME:
        write_unit_type(file, key, UNITS_TIME);
        break;
    case KEY_BYTES:
        write_unit_type(file, key, UNITS_BYTES);
        break;
    case KEY_CHOICE:
        write_choices(file, key);
        break;
    case KEY_CHOICE_TIME:
        fputs("\"anyOf\": [{", file);
        write_choices(file, key);
        fputs("}, {", file);
        write_unit_type(file, key, UNITS_TIME);
        fputs("}]", file);
        break;
    case KEY_INT_LIST:
    case KEY_PATH_LIST:
        write_list_type(file, key);
        break;
    case KEY_POLICY_LIST:
        fputs("\"anyOf\": [{\"$ref\": \"#/properties/policy\"}, {\"type\": \"array\", "
              "\"minItems\": 1, \"items\": {\"$ref\": \"#/properties/policy\"}}]",
              file);
        break;
    case KEY_AXES:
        write_axes_type(file);
        break;
    case KEY_AXES_LIST:
        fputs("\"type\": \"array\", \"items\": {", file);
        write_axes_type(file);
        fputc('}', file);
        break;
    case KEY_CASES:
        fputs("\"type\": \"array\", \"items\": {\"type\": \"object\", \"minProperties\": 1}", file);
        break;
    default:
        fprintf(file, "\"type\": %s, \"minLength\": 1",
                experiment_key_is_nullable(key) ? "[\"string\", \"null\"]" : "\"string\"");
        if (key->is_file_name) {
            fputs(", \"maxLength\": 100, \"pattern\": \"^[^/.][^/]*$\"", file);
        }
        break;
    }
}

/* Is the text of such a value JSON as it stands? */
static bool is_json(const struct key *key)
{
    return key->type == KEY_BOOL || key->type == KEY_INT || key->type == KEY_DOUBLE;
}

static void write_default(FILE *file, const struct key *key, int indent)
{
    if (!key->fallback) {
        return;
    }
    open_member(file, indent, "default");
    if (is_json(key) || key->type == KEY_INT_LIST || key->type == KEY_PATH_LIST ||
        key->type == KEY_MAP_LIST) {
        fputs(key->fallback, file);
    } else {
        write_string(file, key->fallback);
    }
}

/* Examples of single values; those of lists and maps are YAML, not JSON. */
static void write_example(FILE *file, const struct key *key, int indent)
{
    if (*key->example == '[' || *key->example == '{') {
        return;
    }
    open_member(file, indent, "examples");
    fputc('[', file);
    if (is_json(key)) {
        fputs(key->example, file);
    } else {
        write_string(file, key->example);
    }
    fputc(']', file);
}

static void write_key(FILE *file, const struct key *key, int indent);

static void write_properties(FILE *file, const struct key *parent, int indent)
{
    const char *separator = "";

    fprintf(file, ",\n%*s\"additionalProperties\": ", indent, "");
    fputs(parent->type == KEY_POLICY ? "{\"type\": [\"string\", \"number\", \"boolean\"]}"
                                     : "false",
          file);
    open_member(file, indent, "properties");
    fputc('{', file);
    for (size_t i = 1; i < experiment_key_count; i++) {
        const struct key *key = &experiment_keys[i];

        if (experiment_key_is_child(parent, key)) {
            fprintf(file, "%s\n%*s\"%s\": ", separator, indent + 2, "", experiment_key_name(key));
            write_key(file, key, indent + 2);
            separator = ",";
        }
    }
    fprintf(file, "\n%*s}", indent, "");
}

/* Which keys must be there, and which must not stand together. */
static void write_conditions(FILE *file, const struct key *parent, int indent)
{
    const char *separator = "";
    bool is_first = true;

    open_member(file, indent, "required");
    fputc('[', file);
    for (size_t i = 1; i < experiment_key_count; i++) {
        const struct key *key = &experiment_keys[i];

        if (experiment_key_is_child(parent, key) && key->is_required) {
            fprintf(file, "%s\"%s\"", separator, experiment_key_name(key));
            separator = ", ";
        }
    }
    fputc(']', file);
    if (parent->one_of) {
        int first = (int)strcspn(parent->one_of, " ");

        open_member(file, indent, "oneOf");
        fprintf(file, "[{\"required\": [\"%.*s\"]}, {\"required\": [\"%s\"]}]", first,
                parent->one_of, parent->one_of + first + 1);
    }
    for (size_t i = 1; i < experiment_key_count; i++) {
        const struct key *key = &experiment_keys[i];

        if (experiment_key_is_child(parent, key) && key->excludes) {
            if (is_first) {
                open_member(file, indent, "allOf");
            }
            fprintf(file, "%s{\"not\": {\"required\": [\"%s\", \"%s\"]}}", is_first ? "[" : ", ",
                    experiment_key_name(key), key->excludes);
            is_first = false;
        }
    }
    fputs(is_first ? "" : "]", file);
}

static void write_object(FILE *file, const struct key *key, int indent)
{
    bool may_be_empty = key->type == KEY_MAP && !key->one_of && !key->is_required;

    fprintf(file, "\"type\": %s", may_be_empty ? "[\"object\", \"null\"]" : "\"object\"");
    write_properties(file, key, indent);
    write_conditions(file, key, indent);
}

static void write_key(FILE *file, const struct key *key, int indent)
{
    bool is_map = key->type == KEY_MAP || key->type == KEY_POLICY;

    fprintf(file, "{\n%*s\"description\": ", indent + 2, "");
    write_string(file, key->doc);
    write_default(file, key, indent + 2);
    write_example(file, key, indent + 2);
    fprintf(file, ",\n%*s", indent + 2, "");
    if (is_map && key->short_form) {
        fputs("\"anyOf\": [{", file);
        write_type(file, experiment_key_child(key, key->short_form));
        fputs("}, {", file);
        write_object(file, key, indent + 2);
        fputs("}]", file);
    } else if (is_map) {
        write_object(file, key, indent + 2);
    } else if (key->type == KEY_MAP_LIST) {
        fputs("\"type\": \"array\", \"items\": {", file);
        write_object(file, key, indent + 2);
        fputc('}', file);
    } else {
        write_type(file, key);
    }
    fprintf(file, "\n%*s}", indent, "");
}

void experiment_write_schema(FILE *file)
{
    const struct key *root = &experiment_keys[0];

    fputs("{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
          "  \"title\": \"hsim experiment\",\n  \"description\": ",
          file);
    write_string(file, root->doc);
    fputs(",\n  \"type\": \"object\"", file);
    write_properties(file, root, 2);
    write_conditions(file, root, 2);
    fputs("\n}\n", file);
}
