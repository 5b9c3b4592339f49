/* SPDX-License-Identifier: GPL-3.0-or-later */
/* policy_labels.c - composes policies, remembers what came of it, and tells them apart by name. */
#include "sweep/policy_labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Room for one more element behind `count`, a power of two at a time. */
static void *make_room(void *list, size_t count, size_t size)
{
    return count & (count - 1) ? list : realloc(list, (count ? 2 * count : 1) * size);
}

static bool has_plugins(const struct experiment *experiment)
{
    for (size_t i = 0; i < experiment->plugin_count; i++) {
        if (access(experiment->plugins[i], R_OK) != 0) {
            return false;
        }
    }
    return true;
}

/* The plug-ins' names, an end after each. Caller frees; NULL: no memory. */
static char *plugin_text(const struct experiment *experiment)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);

    for (size_t i = 0; stream && i < experiment->plugin_count; i++) {
        fprintf(stream, "%s\n", experiment->plugins[i]);
    }
    if (!stream || fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static enum hs_err find_registry(struct policy_labels *labels, const struct experiment *experiment,
                                 const char *plugins, struct hs_registry **registry,
                                 struct hs_error *error)
{
    struct hs_registry **moved;
    size_t number;
    enum hs_err err;

    if (text_map_find(&labels->registries, plugins, &number)) {
        *registry = labels->registry[number];
        return HS_OK;
    }
    moved = make_room(labels->registry, labels->registries.count, sizeof *moved);
    labels->registry = moved ? moved : labels->registry;
    if (!moved) {
        return hs_error_memory(error);
    }
    err = run_registry_create(experiment->plugins, experiment->plugin_count, registry, error);
    if (err != HS_OK) {
        return err;
    }
    if (!text_map_add(&labels->registries, plugins, &number)) {
        hs_registry_destroy(*registry);
        return hs_error_memory(error);
    }
    labels->registry[number] = *registry;
    return HS_OK;
}

static enum hs_err compose(struct policy_labels *labels, const struct experiment *experiment,
                           size_t policy, const char *plugins, bool is_lenient,
                           struct label_composition *made, struct hs_error *error)
{
    const struct experiment_policy *words = &experiment->policies[policy];
    const char *name = words->label ? words->label : words->name;
    char label[RUN_LABEL_SIZE];
    struct hs_registry *registry;
    struct hs_stack *stack = NULL;
    struct hs_error found = {0};
    enum hs_err err;

    *made = (struct label_composition){.base = text_arena_copy(&labels->arena, name, strlen(name))};
    if (is_lenient && !has_plugins(experiment)) {
        return made->base ? HS_OK : hs_error_memory(error);
    }
    err = find_registry(labels, experiment, plugins, &registry, error);
    if (err != HS_OK) {
        return err;
    }
    made->err = run_compose(registry, experiment, policy, &stack, &found);
    if (made->err == HS_OK) {
        run_label_make(words, stack, label);
        made->base = text_arena_copy(&labels->arena, label, strlen(label));
    } else if (made->err == HS_ERR_CONFIG) {
        made->error = text_arena_copy(&labels->arena, found.text, strlen(found.text));
    } else {
        err = hs_error_set(error, made->err, "%.1900s", found.text);
    }
    hs_stack_destroy(stack);
    return err == HS_OK && labels->arena.has_failed ? hs_error_memory(error) : err;
}

enum hs_err policy_labels_compose(struct policy_labels *labels, const struct experiment *experiment,
                                  size_t policy, bool is_lenient,
                                  const struct label_composition **composition,
                                  struct hs_error *error)
{
    const struct experiment_policy *words = &experiment->policies[policy];
    char *identity = experiment_policy_identity(experiment, policy);
    char *plugins = plugin_text(experiment);
    struct label_composition made, *moved;
    char *key = NULL;
    size_t number;
    enum hs_err err = HS_OK;

    if (!identity || !plugins ||
        asprintf(&key, "%d %s\n%s\n%s%s", experiment->is_clairvoyant, experiment->predictor,
                 words->label ? words->label : "", plugins, identity) < 0) {
        key = NULL;
        err = hs_error_memory(error);
    }
    if (err == HS_OK && !text_map_find(&labels->compositions, key, &number)) {
        moved = make_room(labels->composition, labels->compositions.count, sizeof *moved);
        labels->composition = moved ? moved : labels->composition;
        err = moved ? compose(labels, experiment, policy, plugins, is_lenient, &made, error)
                    : hs_error_memory(error);
        if (err == HS_OK && !text_map_add(&labels->compositions, key, &number)) {
            err = hs_error_memory(error);
        }
        if (err == HS_OK) {
            labels->composition[number] = made;
        }
    }
    if (err == HS_OK) {
        *composition = &labels->composition[number];
    }
    free(key);
    free(plugins);
    free(identity);
    return err;
}

enum hs_err policy_labels_add(struct policy_labels *labels, const struct experiment *experiment,
                              size_t policy, const char *base, const char *more, uint32_t *number,
                              struct hs_error *error)
{
    char *identity = experiment_policy_identity(experiment, policy);
    struct label_policy *moved;
    size_t count = labels->policies.count, found = 0;
    char *key = NULL;
    bool is_ok = identity && asprintf(&key, "%s\n%s", base, identity) >= 0;

    key = is_ok ? key : NULL;
    if (is_ok) {
        moved = make_room(labels->policy, count, sizeof *moved);
        labels->policy = moved ? moved : labels->policy;
        is_ok = moved && text_map_add(&labels->policies, key, &found);
    }
    if (is_ok && found == count) {
        labels->policy[found] = (struct label_policy){
            .base = text_arena_copy(&labels->arena, base, strlen(base)),
            .more = text_arena_copy(&labels->arena, more, strlen(more)),
        };
        is_ok = !labels->arena.has_failed;
    }
    free(key);
    free(identity);
    *number = (uint32_t)found;
    return is_ok ? HS_OK : hs_error_memory(error);
}

/* "depth" if no other policy is called so, else "depth:depth=2", and a number if need be. */
static bool name_policy(struct policy_labels *labels, struct label_policy *policy, bool is_shared,
                        struct text_map *taken)
{
    char label[RUN_LABEL_SIZE + 64];
    size_t count = taken->count, number;

    (void)snprintf(label, RUN_LABEL_SIZE, "%s%s%s", policy->base,
                   is_shared && *policy->more ? ":" : "", is_shared ? policy->more : "");
    for (char *c = label; *c; c++) {
        *c = *c == '/' ? '_' : *c; /* labels become file names */
    }
    if (!text_map_add(taken, label, &number)) {
        return false;
    }
    for (size_t next = 2, length = strlen(label); number < count; next++) {
        (void)snprintf(label + length, sizeof label - length, "-%zu", next);
        if (!text_map_add(taken, label, &number)) {
            return false;
        }
    }
    policy->label = text_arena_copy(&labels->arena, label, strlen(label));
    return policy->label != NULL;
}

enum hs_err policy_labels_settle(struct policy_labels *labels, struct hs_error *error)
{
    struct text_map bases = {0}, taken = {0};
    size_t count = labels->policies.count, number;
    size_t *uses = calloc(count + 1, sizeof *uses);
    bool is_ok = uses != NULL;

    for (size_t i = 0; is_ok && i < count; i++) {
        is_ok = text_map_add(&bases, labels->policy[i].base, &number);
        if (is_ok) {
            uses[number]++;
        }
    }
    for (size_t i = 0; is_ok && i < count; i++) {
        struct label_policy *policy = &labels->policy[i];

        is_ok = text_map_find(&bases, policy->base, &number) &&
                name_policy(labels, policy, uses[number] > 1, &taken);
    }
    text_map_fini(&bases);
    text_map_fini(&taken);
    free(uses);
    return is_ok ? HS_OK : hs_error_memory(error);
}

void policy_labels_fini(struct policy_labels *labels)
{
    for (size_t i = 0; i < labels->registries.count; i++) {
        hs_registry_destroy(labels->registry[i]);
    }
    free(labels->registry);
    free(labels->composition);
    free(labels->policy);
    text_map_fini(&labels->registries);
    text_map_fini(&labels->compositions);
    text_map_fini(&labels->policies);
    text_arena_fini(&labels->arena);
    *labels = (struct policy_labels){0};
}
