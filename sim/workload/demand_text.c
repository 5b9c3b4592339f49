/* SPDX-License-Identifier: GPL-3.0-or-later */
/* demand_text.c - reads demands, a word at a time. */
#include "workload/demand_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload/demand_words.h"
#include "workload/swf.h"

#define TOKEN_MAX    256
#define TOTAL_MAX    (INT64_MAX / 4) /* of a resource over all tasks, as in the core */
#define DEVICES_MAX  (UINT32_MAX / 2)
#define MODELS_TRIED 64

/* Where parsing stands. */
struct parser {
    const char *text;
    size_t length;
    size_t at;
    struct workload_names *names;
    struct hs_error *error;
    struct hs_demand *demand; /* the part that is read */
    char token[TOKEN_MAX];
    size_t column;    /* of the token, from 1 */
    uint32_t seen;    /* bits of words */
    char absent[160]; /* what the names lack; "": nothing */
};

static enum hs_err wrong(struct parser *parser, const char *what)
{
    return hs_error_set(parser->error, HS_ERR_INPUT, "column %zu: '%.60s'%s%s", parser->column,
                        parser->token, *what == ';' ? "" : " ", what);
}

static bool is_blank(char character)
{
    return character == ' ' || character == '\t' || character == '\r' || character == '\n';
}

/* Takes the next word into parser->token; it is empty at the end of the text. */
static enum hs_err token_next(struct parser *parser)
{
    size_t used = 0;

    while (parser->at < parser->length && is_blank(parser->text[parser->at])) {
        parser->at++;
    }
    parser->column = parser->at + 1;
    while (parser->at < parser->length && !is_blank(parser->text[parser->at])) {
        if (used + 1 == sizeof parser->token || parser->text[parser->at] == '\0') {
            parser->token[used] = '\0';
            return wrong(parser, used + 1 == sizeof parser->token
                                     ? "... is longer than 255 characters"
                                     : "is followed by a zero byte");
        }
        parser->token[used++] = parser->text[parser->at++];
    }
    parser->token[used] = '\0';
    return HS_OK;
}

/* A whole number and nothing behind it. */
static bool whole(const char *text, int64_t *value)
{
    bool is_exact, is_huge;

    return *text >= '0' && *text <= '9' && swf_number(&text, 0, value, &is_exact, &is_huge) &&
           is_exact && !*text;
}

/* "8", "0.5", "250m": in thousandths. */
static bool thousandths(const char *text, int64_t *value)
{
    size_t length = strlen(text);
    bool is_milli = length > 1 && text[length - 1] == 'm';
    bool is_exact, is_huge;

    return ((*text >= '0' && *text <= '9') || *text == '.') &&
           swf_number(&text, is_milli ? 0 : 3, value, &is_exact, &is_huge) && is_exact &&
           strcmp(text, is_milli ? "m" : "") == 0;
}

/* "32GiB", "1.5GB", "1024": bytes. */
static bool bytes(const char *text, int64_t *value)
{
    bool is_exact, is_huge;
    const char *end = text;
    hs_int128 product;
    int64_t number;
    int scale = strchr(text, '.') ? 6 : 0;

    if (*text < '0' || *text > '9' || !swf_number(&end, scale, &number, &is_exact, &is_huge) ||
        !is_exact) {
        return false;
    }
    for (const struct demand_unit *unit = demand_units; unit->name; unit++) {
        if (!strcmp(end, unit->name)) {
            product = (hs_int128)number * unit->bytes;
            if (scale && product % 1000000 != 0) {
                return false;
            }
            product = scale ? product / 1000000 : product;
            *value = product <= TOTAL_MAX ? (int64_t)product : INT64_MAX;
            return true;
        }
    }
    return false;
}

static enum hs_err read_count(struct parser *parser, const char *value, uint32_t *field)
{
    int64_t number;

    if (!whole(value, &number) || number < 1 || number > INT32_MAX) {
        return wrong(parser, "; a whole number from 1 to 2147483647 is due");
    }
    *field = (uint32_t)number;
    return HS_OK;
}

static enum hs_err read_bytes(struct parser *parser, const char *value, int64_t *field)
{
    if (!bytes(value, field)) {
        return wrong(parser,
                     "; a size is due, as in 512MiB, 40GB or 1.5TiB (units are B, kB, MB, GB, TB, "
                     "KiB, MiB, GiB, TiB)");
    }
    return *field > TOTAL_MAX ? wrong(parser, "is more than any machine has") : HS_OK;
}

/* Notes what the cluster lacks; the first of a part is what counts. */
static enum hs_err absent(struct parser *parser, enum hs_err err, struct hs_error *found)
{
    if (err == HS_ERR_CONFIG) {
        if (!*parser->absent) {
            (void)snprintf(parser->absent, sizeof parser->absent, "%.159s", found->text);
        }
        return HS_OK;
    }
    if (err && parser->error) {
        *parser->error = *found;
    }
    return err;
}

/* "wmma,nvlink": bits. */
static enum hs_err read_features(struct parser *parser, char *value, uint64_t *field)
{
    char *rest = value;

    for (char *name = strsep(&rest, ","); name; name = strsep(&rest, ",")) {
        struct hs_error found = {0};
        uint16_t number = 0;
        enum hs_err err;

        if (!*name) {
            return wrong(parser, "names no feature between two commas");
        }
        err = workload_names_number(parser->names, WORKLOAD_FEATURE, name, &number, &found);
        if (!err) {
            *field |= UINT64_C(1) << number;
        }
        err = absent(parser, err, &found);
        if (err) {
            return err;
        }
    }
    return HS_OK;
}

/* Ascending and without repetition. False: too many. */
static bool model_insert(struct hs_demand *demand, uint16_t model)
{
    uint16_t at = 0;

    while (at < demand->model_count && demand->models[at] < model) {
        at++;
    }
    if (at < demand->model_count && demand->models[at] == model) {
        return true;
    }
    if (demand->model_count == HS_MODEL_MAX) {
        return false;
    }
    memmove(&demand->models[at + 1], &demand->models[at],
            (size_t)(demand->model_count - at) * sizeof demand->models[0]);
    demand->models[at] = model;
    demand->model_count++;
    return true;
}

/* "a100|h100": any of them; those that the cluster lacks are no choice. */
static enum hs_err read_models(struct parser *parser, char *value)
{
    struct hs_error first = {0};
    enum hs_err first_err = HS_OK;
    char *rest = value;

    for (char *name = strsep(&rest, "|"); name; name = strsep(&rest, "|")) {
        struct hs_error found = {0};
        uint16_t model = 0;
        enum hs_err err;

        if (!*name) {
            return wrong(parser, "lacks the name of a model, as in gpu:a100|h100=2 (* is any)");
        }
        err = workload_names_number(parser->names, WORKLOAD_MODEL, name, &model, &found);
        if (!err && !model_insert(parser->demand, model)) {
            return wrong(parser, "names more than 8 models");
        }
        if (err && !first_err) {
            first_err = err;
            first = found;
        }
    }
    return parser->demand->model_count ? HS_OK : absent(parser, first_err, &first);
}

/* "2", "0.25", "250m", "2*0.5", "0". */
static bool read_amount(const char *value, struct hs_demand *demand)
{
    char number[TOKEN_MAX];
    const char *star = strchr(value, '*');
    int64_t count = 1, share;

    if (star) {
        (void)snprintf(number, sizeof number, "%.*s", (int)(star - value), value);
        if (!whole(number, &count) || count < 1 || !thousandths(star + 1, &share) || share < 1 ||
            share > HS_SHARES_PER_UNIT) {
            return false;
        }
    } else if (!thousandths(value, &share)) {
        return false;
    } else if (share % HS_SHARES_PER_UNIT == 0) {
        count = share / HS_SHARES_PER_UNIT;
        share = HS_SHARES_PER_UNIT;
    }
    demand->device_count = (uint32_t)count;
    demand->device_share = (uint32_t)share;
    return count <= HS_NODE_DEVICES_MAX && share <= HS_SHARES_PER_UNIT;
}

static enum hs_err unknown(struct parser *parser, const char *name)
{
    const char *words[DEMAND_WORD_MAX + 256];
    size_t count = demand_text_words(words);
    uint16_t kinds = workload_names_count(parser->names, WORKLOAD_KIND);
    const char *nearest;
    char list[256] = "";
    size_t used = 0;

    for (size_t i = 0; i < count && used < sizeof list; i++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", words[i]);
    }
    for (uint16_t i = 0; i < kinds && i < 256; i++) {
        words[count++] = workload_names_text(parser->names, WORKLOAD_KIND, i);
    }
    nearest = hs_nearest(name, words, count);
    if (nearest) {
        return hs_error_set(parser->error, HS_ERR_INPUT,
                            "column %zu: '%.40s' is no word of a demand (did you mean '%s'?)",
                            parser->column, name, nearest);
    }
    return hs_error_set(parser->error, HS_ERR_INPUT,
                        "column %zu: '%.40s' is no word of a demand; these are Nx (tasks), %s; a "
                        "device of another kind is written KIND:*=1",
                        parser->column, name, list);
}

/* "gpu", "gpu=2", "gpu:a100|h100=0.5", "device=1"; the token is taken apart. */
static enum hs_err read_device(struct parser *parser, char *kind, char *models, const char *amount)
{
    struct hs_demand *demand = parser->demand;
    struct hs_error found = {0};
    enum hs_err err = HS_OK;

    if (!models && !demand_words_is_kind(kind) &&
        !workload_names_has(parser->names, WORKLOAD_KIND, kind)) {
        return unknown(parser, kind);
    }
    if (parser->seen & DEMAND_SEEN_DEVICE) {
        return wrong(parser, "; a task asks for one kind of devices, and here is a second one");
    }
    parser->seen |= DEMAND_SEEN_DEVICE;
    if (!read_amount(amount ? amount : "1", demand)) {
        return hs_error_set(parser->error, HS_ERR_INPUT,
                            "column %zu: '%.40s' is no number of devices; 0 to 64, a share as "
                            "0.25 or 250m (at most 1 or 1000m), or shares of several as 2*0.5 is "
                            "due",
                            parser->column, amount ? amount : "");
    }
    if (!*kind || (models && !*models)) {
        return wrong(parser, "lacks a name, as in gpu:a100=2 or gpu:*=2");
    }
    if (demand->device_count == 0) {
        return HS_OK;
    }
    if (strcmp(kind, "device") != 0) {
        err =
            workload_names_number(parser->names, WORKLOAD_KIND, kind, &demand->device_kind, &found);
        err = absent(parser, err, &found);
    }
    return !err && models && strcmp(models, "*") != 0 ? read_models(parser, models) : err;
}

static enum hs_err read_flag(struct parser *parser, const struct demand_word *word,
                             const char *value)
{
    bool is_off = value && (!strcasecmp(value, "false") || !strcmp(value, "0"));

    if (value && !is_off && strcasecmp(value, "true") != 0 && strcmp(value, "1") != 0) {
        return wrong(parser, "; true or false is due");
    }
    parser->demand->flags |= is_off ? 0 : word->flag;
    return HS_OK;
}

static enum hs_err read_value(struct parser *parser, const struct demand_word *word, char *value)
{
    struct hs_demand *demand = parser->demand;

    switch (word->type) {
    case DEMAND_TASKS:
        return read_count(parser, value, &demand->tasks);
    case DEMAND_TASKS_PER_NODE:
        return read_count(parser, value, &demand->tasks_per_node);
    case DEMAND_CORES:
        if (!thousandths(value, &demand->cores_milli)) {
            return wrong(parser, "; a number of cores is due, as in 8, 0.5 or 500m");
        }
        return HS_OK;
    case DEMAND_MEM:
        return read_bytes(parser, value, &demand->mem_bytes);
    case DEMAND_DEVICE_MEM:
        return read_bytes(parser, value, &demand->device_mem);
    case DEMAND_FEATURES:
        return read_features(parser, value, &demand->features);
    case DEMAND_NODE_FEATURES:
        return read_features(parser, value, &demand->node_features);
    case DEMAND_FLAG:
        break;
    }
    return read_flag(parser, word, value);
}

/* "4x": so many tasks. */
static bool is_multiple(const char *token)
{
    size_t digits = strspn(token, "0123456789");

    return digits > 0 && token[digits] == 'x' && !token[digits + 1];
}

static enum hs_err read_word(struct parser *parser)
{
    char copy[TOKEN_MAX];
    const struct demand_word *word;
    char *value, *models;

    memcpy(copy, parser->token, sizeof copy);
    if (is_multiple(copy)) {
        copy[strlen(copy) - 1] = '\0';
        word = demand_words_find("tasks");
        value = copy;
    } else {
        value = strchr(copy, '=');
        if (value) {
            *value++ = '\0';
        }
        word = demand_words_find(copy);
    }
    if (!word) {
        models = strchr(copy, ':');
        if (models) {
            *models++ = '\0';
        }
        return read_device(parser, copy, models, value);
    }
    if (parser->seen & (1u << (word - demand_words))) {
        return wrong(parser, "is said twice");
    }
    parser->seen |= 1u << (word - demand_words);
    if (!value && word->type != DEMAND_FLAG) {
        return hs_error_set(parser->error, HS_ERR_INPUT,
                            "column %zu: '%s' has no value; write for instance %s", parser->column,
                            word->name, word->example);
    }
    return read_value(parser, word, value);
}

/* Is the part possible? What says nothing without devices is made equal. */
static enum hs_err part_finish(struct parser *parser, size_t column)
{
    struct hs_demand *demand = parser->demand;
    const char *problem = NULL;
    bool has_wish =
        demand->device_mem || demand->features || (demand->flags & HS_DEMAND_SAME_ISLAND) != 0;

    if (demand->device_count == 0) {
        demand->device_share = HS_SHARES_PER_UNIT;
        demand->device_mem = 0;
        demand->features = 0;
        demand->flags &= ~(uint32_t)HS_DEMAND_SAME_ISLAND;
    }
    if (has_wish && !(parser->seen & DEMAND_SEEN_DEVICE)) {
        problem = "device-mem, features and same-island are of devices; add one, as in gpu=1";
    } else if (demand->cores_milli == 0 && demand->mem_bytes == 0 && demand->device_count == 0) {
        problem = "it asks for nothing: neither cores nor memory nor devices";
    } else if (demand->cores_milli > INT64_C(1000) * INT32_MAX / demand->tasks) {
        problem = "it asks for more than 2147483647 cores in all";
    } else if (demand->mem_bytes > TOTAL_MAX / demand->tasks ||
               (uint64_t)demand->tasks * demand->device_count >= DEVICES_MAX) {
        problem = "it asks for more memory or devices in all than can be counted";
    } else if (demand->tasks > 1 && (demand->flags & HS_DEMAND_SAME_NODE) &&
               (demand->flags & HS_DEMAND_SPREAD)) {
        problem = "same-node and spread exclude each other";
    }
    return problem ? hs_error_set(parser->error, HS_ERR_INPUT, "column %zu: %s", column, problem)
                   : HS_OK;
}

static void part_begin(struct parser *parser, struct hs_demand *demand)
{
    memset(demand, 0, sizeof *demand);
    demand->tasks = 1;
    demand->cores_milli = 1000;
    demand->device_share = HS_SHARES_PER_UNIT;
    demand->device_kind = HS_ANY_KIND;
    parser->demand = demand;
    parser->seen = 0;
    parser->absent[0] = '\0';
}

/* Up to the next `or`, or the end. */
static enum hs_err part_read(struct parser *parser, bool *is_last)
{
    size_t words = 0, column;
    enum hs_err err = token_next(parser);

    column = parser->column;
    for (; !err && *parser->token && strcmp(parser->token, "or") != 0; words++) {
        err = read_word(parser);
        err = err ? err : token_next(parser);
    }
    *is_last = !*parser->token;
    if (!err && words == 0) {
        return hs_error_set(parser->error, HS_ERR_INPUT,
                            "column %zu: a demand is due%s; write for instance 4x cores=8 gpu=1",
                            parser->column, *is_last ? "" : " before 'or'");
    }
    return err ? err : part_finish(parser, column);
}

/* A part that nothing can serve: what it asks for that has no number is taken out. */
static void part_strip(struct hs_demand *demand)
{
    demand->device_kind = HS_ANY_KIND;
}

enum hs_err demand_text_parse(const char *text, size_t length, struct workload_names *names,
                              struct demand_options *options, struct hs_error *error)
{
    struct parser parser = {.text = text, .length = length, .names = names, .error = error};
    struct hs_demand scratch, first = {0};
    char refusal[sizeof options->refusal] = "";
    bool is_last = false;

    memset(options, 0, sizeof *options);
    for (uint32_t parts = 0; !is_last; parts++) {
        enum hs_err err;

        part_begin(&parser, &scratch);
        err = parts == DEMAND_OPTION_MAX
                  ? hs_error_set(error, HS_ERR_INPUT, "column %zu: more than 16 alternatives",
                                 parser.column)
                  : part_read(&parser, &is_last);
        if (err) {
            return err;
        }
        if (!*parser.absent) {
            options->list[options->count++] = scratch;
        } else if (!*refusal) {
            part_strip(&scratch);
            first = scratch;
            memcpy(refusal, parser.absent, sizeof refusal);
        }
    }
    if (options->count == 0) {
        options->list[options->count++] = first;
        memcpy(options->refusal, refusal, sizeof refusal);
    }
    return HS_OK;
}
