/* SPDX-License-Identifier: GPL-3.0-or-later */
/* free.c - placement on free nodes, and the small things of the base. */
#include <math.h>
#include <string.h>

#include "fixture.h"

#define TEXT_SIZE 128

/* Places the demand on `state`, takes it, and writes where: "0-1x2 3". "-": no room. */
static const char *place(struct hs_free *state, const struct hs_demand *demand,
                         const struct hs_placement *placement, struct hs_alloc_buffer *buffer,
                         char *text)
{
    size_t end = 0;

    if (!hs_free_place(state, demand, placement, buffer)) {
        return "-";
    }
    CU_ASSERT_TRUE(hs_free_holds(state, demand, &buffer->alloc, NULL, 0));
    hs_free_take(state, demand, &buffer->alloc);
    for (uint32_t i = 0; i < buffer->alloc.span_count; i++) {
        const struct hs_span *span = &buffer->spans[i];

        end +=
            (size_t)snprintf(text + end, TEXT_SIZE - end, "%s%u", i ? " " : "", span->first_node);
        if (span->node_count > 1) {
            end += (size_t)snprintf(text + end, TEXT_SIZE - end, "-%u",
                                    span->first_node + span->node_count - 1);
        }
        if (span->tasks > 1) {
            end += (size_t)snprintf(text + end, TEXT_SIZE - end, "x%u", span->tasks);
        }
    }
    return text;
}

/* Six nodes: four of 2 cores and 100 bytes, two of 8 cores and 400 bytes. */
static struct hs_cluster *mixed_cluster(void)
{
    struct hs_cluster *cluster = hs_cluster_create();
    struct hs_error error = {0};
    char name[16];

    for (int i = 0; i < 6; i++) {
        (void)snprintf(name, sizeof name, "n%d", i);
        CU_ASSERT_EQUAL_FATAL(
            hs_cluster_add_node(cluster, name, i < 4 ? 2000 : 8000, i < 4 ? 100 : 400, &error),
            HS_OK);
    }
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(cluster, &error), HS_OK);
    CU_ASSERT_EQUAL(hs_cluster_class_count(cluster), 2);
    CU_ASSERT_EQUAL(hs_cluster_cores_milli(cluster), 24000);
    return cluster;
}

static void places_as_the_demand_wants(void)
{
    static const struct {
        struct hs_demand demand;
        const char *nodes;
    } cases[] = {
        {{.tasks = 5, .cores_milli = 1000}, "0-1x2 2"},
        {{.tasks = 2, .cores_milli = 3000}, "4x2"},
        {{.tasks = 5, .cores_milli = 3000}, "-"},
        {{.tasks = 2, .cores_milli = 500, .mem_bytes = 60}, "0-1"},
        {{.tasks = 2, .cores_milli = 1000, .mem_bytes = 101}, "4x2"},
        {{.tasks = 3, .cores_milli = 1000, .flags = HS_DEMAND_SPREAD}, "0-2"},
        {{.tasks = 7, .cores_milli = 1000, .flags = HS_DEMAND_SPREAD}, "-"},
        {{.tasks = 6, .cores_milli = 1000, .tasks_per_node = 1}, "0-5"},
        {{.tasks = 3, .cores_milli = 1000, .flags = HS_DEMAND_SAME_NODE}, "4x3"},
        {{.tasks = 3, .cores_milli = 1000, .flags = HS_DEMAND_EXCLUSIVE}, "0x2 1"},
        {{.tasks = 1, .mem_bytes = 350}, "4"},
        {{.tasks = 24, .cores_milli = 1000}, "0-3x2 4-5x8"},
        {{.tasks = 25, .cores_milli = 1000}, "-"},
    };
    struct hs_cluster *cluster = mixed_cluster();
    struct hs_alloc_buffer buffer = {0};
    char text[TEXT_SIZE];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hs_free *state = hs_free_create(cluster);

        CU_ASSERT_STRING_EQUAL(place(state, &cases[i].demand, NULL, &buffer, text), cases[i].nodes);
        if (strcmp(cases[i].nodes, "-") != 0) {
            hs_free_release(state, &cases[i].demand, &buffer.alloc);
        }
        CU_ASSERT_EQUAL(hs_free_total_cores_milli(state), 24000);
        CU_ASSERT_EQUAL(hs_free_mem_bytes(state, 4), 400);
        hs_free_destroy(state);
    }
    hs_alloc_buffer_fini(&buffer);
    hs_cluster_destroy(cluster);
}

static void passes_over_what_is_taken(void)
{
    struct hs_cluster *cluster = mixed_cluster();
    struct hs_free *state = hs_free_create(cluster);
    struct hs_free *copy = hs_free_create(cluster);
    struct hs_alloc_buffer buffer = {0};
    struct hs_demand one = {.tasks = 1, .cores_milli = 2000};
    struct hs_demand whole = {.tasks = 2, .cores_milli = 1000, .flags = HS_DEMAND_EXCLUSIVE};
    struct hs_demand row = {.tasks = 6, .cores_milli = 1000, .flags = HS_DEMAND_CONTIGUOUS};
    struct hs_demand any = {.tasks = 1, .cores_milli = 1000};
    char text[TEXT_SIZE];
    char reason[128];

    CU_ASSERT_STRING_EQUAL(place(state, &one, NULL, &buffer, text), "0");
    hs_free_copy(copy, state);
    CU_ASSERT_STRING_EQUAL(place(state, &whole, NULL, &buffer, text), "1x2");
    CU_ASSERT_EQUAL(hs_free_node_jobs(state, 1), 1);
    CU_ASSERT_STRING_EQUAL(place(state, &one, NULL, &buffer, text), "2");
    CU_ASSERT_STRING_EQUAL(place(state, &row, NULL, &buffer, text), "3x2 4x4");
    CU_ASSERT_FALSE(hs_free_holds(state, &whole, &buffer.alloc, reason, sizeof reason));
    CU_ASSERT_PTR_NOT_NULL(strstr(reason, "node n3"));
    /* What is free both now and in the copy: node 0 is taken in both, node 5 free in both. */
    hs_free_intersect(copy, state);
    CU_ASSERT_EQUAL(hs_free_total_cores_milli(copy), hs_free_total_cores_milli(state));
    CU_ASSERT_STRING_EQUAL(place(copy, &any, NULL, &buffer, text), "4");
    hs_alloc_buffer_fini(&buffer);
    hs_free_destroy(state);
    hs_free_destroy(copy);
    hs_cluster_destroy(cluster);
}

static double by_free_cores(const void *self, const struct hs_free *state, uint32_t node,
                            const struct hs_demand *demand)
{
    (void)self;
    (void)demand;
    return (double)hs_free_cores_milli(state, node);
}

static void scores_decide_and_ties_go_left(void)
{
    struct hs_cluster *cluster = mixed_cluster();
    struct hs_free *state = hs_free_create(cluster);
    struct hs_alloc_buffer buffer = {0};
    struct hs_placement most = {.score = by_free_cores};
    struct hs_demand four = {.tasks = 4, .cores_milli = 1000};
    struct hs_demand ten = {.tasks = 10, .cores_milli = 1000};
    char text[TEXT_SIZE];

    CU_ASSERT_STRING_EQUAL(place(state, &four, &most, &buffer, text), "4x4");
    CU_ASSERT_STRING_EQUAL(place(state, &four, &most, &buffer, text), "5x4");
    CU_ASSERT_STRING_EQUAL(place(state, &ten, &most, &buffer, text), "0x2 4-5x4");
    CU_ASSERT_STRING_EQUAL(place(state, &ten, &most, &buffer, text), "-");
    hs_alloc_buffer_fini(&buffer);
    hs_free_destroy(state);
    hs_cluster_destroy(cluster);
}

static void clusters_are_checked(void)
{
    struct hs_cluster *cluster = hs_cluster_create();
    struct hs_error error = {0};

    CU_ASSERT_EQUAL(hs_cluster_seal(cluster, &error), HS_ERR_INPUT);
    CU_ASSERT_EQUAL(hs_cluster_add_node(cluster, "a", 0, 1, &error), HS_ERR_INPUT);
    CU_ASSERT_EQUAL(hs_cluster_add_node(cluster, "a", 1000, HS_MEM_UNLIMITED, &error), HS_OK);
    CU_ASSERT_EQUAL(
        hs_cluster_add_device(cluster, "gpu", "a100", HS_NO_GROUP, HS_MEM_UNLIMITED, &error),
        HS_OK);
    CU_ASSERT_EQUAL(hs_cluster_add_node(cluster, "a", 1000, HS_MEM_UNLIMITED, &error), HS_OK);
    CU_ASSERT_EQUAL(hs_cluster_seal(cluster, &error), HS_ERR_INPUT);
    CU_ASSERT_STRING_EQUAL(error.text, "Two nodes are named 'a'; rename one.");
    CU_ASSERT_EQUAL(hs_cluster_device(cluster, 0)->node, 0);
    CU_ASSERT_STRING_EQUAL(hs_cluster_kind_name(cluster, 0), "gpu");
    CU_ASSERT_STRING_EQUAL(hs_cluster_model_name(cluster, 0), "a100");
    CU_ASSERT_EQUAL(hs_cluster_device_count(cluster), 1);
    hs_cluster_destroy(cluster);
}

static void times_are_exact(void)
{
    static const struct {
        hs_time time;
        const char *text;
    } cases[] = {
        {0, "0"},
        {12 * HS_NS_PER_S, "12"},
        {12500000000, "12.5"},
        {1, "0.000000001"},
        {-250000000, "-0.25"},
        {INT64_MAX, "9223372036.854775807"},
        {INT64_MIN, "-9223372036.854775808"},
    };
    char text[HS_TIME_TEXT_MAX];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CU_ASSERT_EQUAL(hs_time_format(cases[i].time, text), (int)strlen(cases[i].text));
        CU_ASSERT_STRING_EQUAL(text, cases[i].text);
    }
}

static void finds_the_nearest_name(void)
{
    static const char *const names[] = {"easy", "fcfs", "conservative", "f1"};

    CU_ASSERT_STRING_EQUAL(hs_nearest("eazy", names, 4), "easy");
    CU_ASSERT_STRING_EQUAL(hs_nearest("konservativ", names, 4), "conservative");
    CU_ASSERT_STRING_EQUAL(hs_nearest("FCFS", names, 4), "fcfs");
    CU_ASSERT_STRING_EQUAL(hs_nearest("EYSA", names, 4), "easy");
    CU_ASSERT_PTR_NULL(hs_nearest("backfill", names, 4));
    CU_ASSERT_PTR_NULL(hs_nearest("x", names, 4));
    CU_ASSERT_STRING_EQUAL(hs_nearest("Conserv", names, 4), "conservative");
    CU_ASSERT_STRING_EQUAL(hs_nearest("serva", names, 4), "conservative");
    CU_ASSERT_PTR_NULL(hs_nearest("co", names, 4));
}

static const struct unit_test tests[] = {
    {"places as the demand wants", places_as_the_demand_wants},
    {"passes over what is taken", passes_over_what_is_taken},
    {"scores decide and ties go left", scores_decide_and_ties_go_left},
    {"clusters are checked", clusters_are_checked},
    {"times are exact", times_are_exact},
    {"finds the nearest name", finds_the_nearest_name},
};

UNIT_MAIN("core: free nodes", tests)
