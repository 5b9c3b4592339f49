/* SPDX-License-Identifier: GPL-3.0-or-later */
/* facts.c - what a run was run on: its experiment without the policy, and its inputs.
 *
 * Two runs belong together if all of this is equal. Names of files do not count but the digests of
 * their bytes, so that results from two folders or machines can be compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/runs.h"
#include "text/tree.h"

/* Keys at the top that say who and where, but not on what. */
static const char *const passed_over[] = {"hsim",     "name",    "policy",
                                          "policies", "plugins", "output"};

#define KEY_MAX 256

struct facts {
    struct arena *arena;
    struct compare_fact *list;
    size_t count, room;
    bool has_failed;             /* memory */
    const char *paths, *digests; /* of the inputs, each with its end */
    size_t input_count;
    bool is_used[64]; /* the input is the value of a key */
};

static const char *copy(struct facts *facts, const char *text)
{
    return text_arena_copy(facts->arena, text, strlen(text));
}

static void add_fact(struct facts *facts, const char *key, const char *text, const char *value)
{
    struct compare_fact *fact;

    if (facts->count == facts->room) {
        size_t room = facts->room ? 2 * facts->room : 128;
        struct compare_fact *moved = realloc(facts->list, room * sizeof *moved);

        if (!moved) {
            facts->has_failed = true;
            return;
        }
        facts->list = moved;
        facts->room = room;
    }
    fact = &facts->list[facts->count++];
    fact->key = copy(facts, key);
    fact->text = copy(facts, text);
    fact->value = value == text ? fact->text : copy(facts, value);
}

/* The digest of the input that the experiment calls by this name, else the text itself. */
static const char *identity(struct facts *facts, const char *text)
{
    const char *path = facts->paths;
    const char *digest = facts->digests;

    for (size_t i = 0; i < facts->input_count; i++) {
        if (strcmp(path, text) == 0) {
            if (i < sizeof facts->is_used) {
                facts->is_used[i] = true;
            }
            return digest;
        }
        path += strlen(path) + 1;
        digest += strlen(digest) + 1;
    }
    return text;
}

/* Lists by their places: "policies[1]". */
static void flatten(struct facts *facts, const struct tree_node *node, const char *key)
{
    char below[KEY_MAX];
    size_t place = 0;

    if (node->kind == TREE_SCALAR) {
        add_fact(facts, key, node->text, identity(facts, node->text));
        return;
    }
    if (node->count == 0) {
        add_fact(facts, key, "[]", "[]");
    }
    for (const struct tree_entry *entry = node->first; entry; entry = entry->next) {
        if (entry->key) {
            (void)snprintf(below, sizeof below, "%s%s%s", key, *key ? "." : "", entry->key);
        } else {
            (void)snprintf(below, sizeof below, "%s[%zu]", key, place++);
        }
        flatten(facts, entry->value, below);
    }
}

static bool is_passed_over(const char *key)
{
    for (size_t i = 0; i < sizeof passed_over / sizeof passed_over[0]; i++) {
        if (strcmp(key, passed_over[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Inputs that no key names: the catalogue, the library of classes. */
static void add_inputs(struct facts *facts)
{
    const char *path = facts->paths;
    const char *digest = facts->digests;

    for (size_t i = 0; i < facts->input_count; i++) {
        if (i >= sizeof facts->is_used || !facts->is_used[i]) {
            char key[KEY_MAX];

            (void)snprintf(key, sizeof key, "input %s", path);
            add_fact(facts, key, digest, digest);
        }
        path += strlen(path) + 1;
        digest += strlen(digest) + 1;
    }
}

static enum hs_err parse_config(struct result_reader *reader, struct facts *facts,
                                const char *config, struct hs_error *error)
{
    struct report report = {.path = "provenance/config"};
    bool is_empty;
    const struct tree_node *root =
        text_tree_parse(facts->arena, &report, 0, config, strlen(config), &is_empty);
    enum hs_err code = HS_OK;

    if (!root || root->kind != TREE_MAP) {
        code = facts->arena->has_failed
                   ? hs_error_memory(error)
                   : hs_error_set(error, HS_ERR_INPUT,
                                  "%s: the experiment inside the file cannot be read, so it is not "
                                  "known on what it was run. The file is damaged: run the "
                                  "experiment again.",
                                  result_reader_path(reader));
    }
    for (const struct tree_entry *entry = code == HS_OK ? root->first : NULL; entry;
         entry = entry->next) {
        if (!is_passed_over(entry->key)) {
            flatten(facts, entry->value, entry->key);
        }
    }
    text_report_fini(&report);
    return code;
}

enum hs_err compare_read_facts(struct result_reader *reader, struct arena *arena,
                               struct compare_run *run, struct hs_error *error)
{
    struct facts facts = {.arena = arena};
    char *config = NULL;
    char *paths = NULL;
    char *digests = NULL;
    size_t count = 0;
    enum hs_err code = result_reader_texts(reader, "provenance/config", &config, &count, error);

    if (code == HS_OK) {
        code = result_reader_texts(reader, "provenance/inputs/path", &paths, &facts.input_count,
                                   error);
    }
    if (code == HS_OK) {
        code = result_reader_texts(reader, "provenance/inputs/xxh128", &digests, &count, error);
        facts.input_count = count < facts.input_count ? count : facts.input_count;
    }
    if (code == HS_OK) {
        facts.paths = paths;
        facts.digests = digests;
        code = parse_config(reader, &facts, config, error);
    }
    if (code == HS_OK) {
        add_inputs(&facts);
        run->fact_count = facts.count;
        run->facts = text_arena_alloc(arena, (facts.count + 1) * sizeof *run->facts);
        code = arena->has_failed || facts.has_failed ? hs_error_memory(error) : HS_OK;
    }
    if (code == HS_OK && facts.count > 0) {
        memcpy(run->facts, facts.list, facts.count * sizeof *facts.list);
    }
    free(facts.list);
    free(digests);
    free(paths);
    free(config);
    return code;
}
