/* SPDX-License-Identifier: GPL-3.0-or-later */
/* names.c - the names of a cluster, or a table that grows. */
#include "workload/names.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CLASSES_MAX 4096
#define NEAR_MAX    256 /* names among which a misspelling is looked for */

struct name_list {
    char **names;
    uint16_t count;
    uint16_t room;
};

struct workload_names {
    const struct hs_cluster *cluster;
    struct name_list lists[WORKLOAD_NOUN_COUNT]; /* of what no cluster has */
};

/* What a noun is called, how many an own table holds, and where a cluster keeps it (NULL: no
 * cluster has any). */
static const struct {
    const char *lacking; /* "no node has a device of model" */
    const char *plural;
    uint16_t max;
    uint16_t (*count)(const struct hs_cluster *cluster);
    const char *(*text)(const struct hs_cluster *cluster, uint16_t number);
    bool (*find)(const struct hs_cluster *cluster, const char *name, uint16_t *number);
} nouns[WORKLOAD_NOUN_COUNT] = {
    [WORKLOAD_KIND] = {"no node has a device of kind", "kinds of devices", UINT16_MAX,
                       hs_cluster_kind_count, hs_cluster_kind_name, hs_cluster_find_kind},
    [WORKLOAD_MODEL] = {"no node has a device of model", "models of devices", UINT16_MAX,
                        hs_cluster_model_count, hs_cluster_model_name, hs_cluster_find_model},
    [WORKLOAD_FEATURE] = {"no node has the feature", "features", HS_FEATURE_MAX,
                          hs_cluster_feature_count, hs_cluster_feature_name,
                          hs_cluster_find_feature},
    [WORKLOAD_CLASS] = {NULL, "classes of jobs", CLASSES_MAX, NULL, NULL, NULL},
    [WORKLOAD_USER] = {NULL, "users", CLASSES_MAX, NULL, NULL, NULL},
    [WORKLOAD_GROUP] = {NULL, "groups", CLASSES_MAX, NULL, NULL, NULL},
    [WORKLOAD_QUEUE] = {NULL, "queues", CLASSES_MAX, NULL, NULL, NULL},
};

struct workload_names *workload_names_create(const struct hs_cluster *cluster)
{
    struct workload_names *names = calloc(1, sizeof *names);

    if (names) {
        names->cluster = cluster;
    }
    return names;
}

void workload_names_destroy(struct workload_names *names)
{
    if (!names) {
        return;
    }
    for (size_t noun = 0; noun < WORKLOAD_NOUN_COUNT; noun++) {
        for (uint16_t i = 0; i < names->lists[noun].count; i++) {
            free(names->lists[noun].names[i]);
        }
        free(names->lists[noun].names);
    }
    free(names);
}

static bool is_of_cluster(const struct workload_names *names, enum workload_noun noun)
{
    return names->cluster && nouns[noun].find;
}

uint16_t workload_names_count(const struct workload_names *names, enum workload_noun noun)
{
    return is_of_cluster(names, noun) ? nouns[noun].count(names->cluster)
                                      : names->lists[noun].count;
}

const char *workload_names_text(const struct workload_names *names, enum workload_noun noun,
                                uint16_t number)
{
    return is_of_cluster(names, noun) ? nouns[noun].text(names->cluster, number)
                                      : names->lists[noun].names[number];
}

static bool find(const struct workload_names *names, enum workload_noun noun, const char *name,
                 uint16_t *number)
{
    const struct name_list *list = &names->lists[noun];

    if (is_of_cluster(names, noun)) {
        return nouns[noun].find(names->cluster, name, number);
    }
    for (uint16_t i = 0; i < list->count; i++) {
        if (!strcmp(list->names[i], name)) {
            *number = i;
            return true;
        }
    }
    return false;
}

bool workload_names_has(const struct workload_names *names, enum workload_noun noun,
                        const char *name)
{
    uint16_t number;

    return find(names, noun, name, &number);
}

static enum hs_err append(struct name_list *list, enum workload_noun noun, const char *name,
                          uint16_t *number, struct hs_error *error)
{
    if (list->count == nouns[noun].max) {
        return hs_error_set(error, HS_ERR_CONFIG, "there are more than %u %s",
                            (unsigned)nouns[noun].max, nouns[noun].plural);
    }
    if (list->count == list->room) {
        uint32_t room = list->room ? list->room * 2u : 16u;
        char **moved;

        room = room > nouns[noun].max ? nouns[noun].max : room;
        moved = realloc(list->names, room * sizeof *moved);
        if (!moved) {
            return hs_error_memory(error);
        }
        list->names = moved;
        list->room = (uint16_t)room;
    }
    list->names[list->count] = strdup(name);
    if (!list->names[list->count]) {
        return hs_error_memory(error);
    }
    *number = list->count++;
    return HS_OK;
}

/* People say a100 of an a100-sxm4-80: the first name that goes on behind the word with a dash. */
static const char *longer_form(const char *word, const char *const *known, size_t count)
{
    size_t length = strlen(word);

    for (size_t i = 0; length > 0 && i < count; i++) {
        if (strncasecmp(known[i], word, length) == 0 && known[i][length] == '-') {
            return known[i];
        }
    }
    return NULL;
}

enum hs_err workload_names_number(struct workload_names *names, enum workload_noun noun,
                                  const char *name, uint16_t *number, struct hs_error *error)
{
    const char *known[NEAR_MAX];
    const char *nearest;
    uint16_t count;

    if (find(names, noun, name, number)) {
        return HS_OK;
    }
    if (!is_of_cluster(names, noun)) {
        return append(&names->lists[noun], noun, name, number, error);
    }
    count = workload_names_count(names, noun);
    count = count < NEAR_MAX ? count : NEAR_MAX;
    for (uint16_t i = 0; i < count; i++) {
        known[i] = workload_names_text(names, noun, i);
    }
    nearest = longer_form(name, known, count);
    nearest = nearest ? nearest : hs_nearest(name, known, count);
    return hs_error_set(error, HS_ERR_CONFIG, "%s '%s'%s%s%s", nouns[noun].lacking, name,
                        nearest ? " (did you mean '" : "", nearest ? nearest : "",
                        nearest ? "'?)" : "");
}
