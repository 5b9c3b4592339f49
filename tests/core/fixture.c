/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fixture.c - a small cluster with a scheduler on it. */
#include "fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void fixture_init(struct fixture *fixture, uint32_t nodes, uint32_t cores, int64_t mem_bytes,
                  const struct hs_plugin *plugin, const char *policy)
{
    struct hs_choice choice = {.name = policy};
    struct hs_sched_options options = {.seed = 1};
    char name[32];

    memset(fixture, 0, sizeof *fixture);
    fixture->cluster = hs_cluster_create();
    for (uint32_t i = 0; i < nodes; i++) {
        (void)snprintf(name, sizeof name, "n%" PRIu32, i);
        CU_ASSERT_EQUAL_FATAL(hs_cluster_add_node(fixture->cluster, name, cores * INT64_C(1000),
                                                  mem_bytes, &fixture->error),
                              HS_OK);
    }
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(fixture->cluster, &fixture->error), HS_OK);
    fixture->registry = hs_registry_create();
    CU_ASSERT_EQUAL_FATAL(
        hs_registry_add(fixture->registry, &hp_builtin, "built-in", &fixture->error), HS_OK);
    if (plugin) {
        CU_ASSERT_EQUAL_FATAL(hs_registry_add(fixture->registry, plugin, "test", &fixture->error),
                              HS_OK);
    }
    CU_ASSERT_EQUAL_FATAL(
        hs_stack_create(fixture->registry, &choice, &fixture->stack, &fixture->error), HS_OK);
    options.cluster = fixture->cluster;
    options.stack = fixture->stack;
    CU_ASSERT_EQUAL_FATAL(hs_sched_create(&options, &fixture->sched, &fixture->error), HS_OK);
}

void fixture_fini(struct fixture *fixture)
{
    hs_sched_destroy(fixture->sched);
    hs_stack_destroy(fixture->stack);
    hs_registry_destroy(fixture->registry);
    hs_cluster_destroy(fixture->cluster);
}

struct hs_job_spec fixture_job(int64_t id, int64_t submit_s, uint32_t procs, int64_t walltime_s)
{
    return (struct hs_job_spec){
        .key = {id, submit_s * HS_NS_PER_S},
        .walltime_ns = walltime_s * HS_NS_PER_S,
        .demand = {.tasks = procs, .cores_milli = 1000},
        .user = -1,
        .group = -1,
        .queue = -1,
        .job_class = -1,
    };
}

enum hs_err fixture_submit(struct fixture *fixture, const struct hs_job_spec *spec)
{
    struct hs_event event = {.kind = HS_EVENT_SUBMITTED, .spec = spec};

    return hs_sched_event(fixture->sched, spec->key.submit_ns, &event, &fixture->error);
}

enum hs_err fixture_event(struct fixture *fixture, int64_t time_s, enum hs_event_kind kind,
                          const struct hs_job_spec *spec)
{
    struct hs_event event = {.kind = kind};

    if (spec) {
        event.key = spec->key;
    }
    return hs_sched_event(fixture->sched, time_s * HS_NS_PER_S, &event, &fixture->error);
}

enum hs_err fixture_decide(struct fixture *fixture, int64_t time_s, bool is_confirmed)
{
    enum hs_err err = hs_sched_decide(fixture->sched, time_s * HS_NS_PER_S, &fixture->decisions,
                                      &fixture->decision_count, &fixture->error);

    for (size_t i = 0; err == HS_OK && is_confirmed && i < fixture->decision_count; i++) {
        if (fixture->decisions[i].kind == HS_DECISION_START) {
            struct hs_event event = {.kind = HS_EVENT_STARTED, .key = fixture->decisions[i].key};

            err = hs_sched_event(fixture->sched, time_s * HS_NS_PER_S, &event, &fixture->error);
        }
    }
    return err;
}

const char *fixture_starts(const struct fixture *fixture, char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < fixture->decision_count && length < size; i++) {
        if (fixture->decisions[i].kind == HS_DECISION_START) {
            length += (size_t)snprintf(text + length, size - length, "%s%" PRId64,
                                       length ? " " : "", fixture->decisions[i].key.id);
        }
    }
    return text;
}

const char *fixture_nodes(const struct fixture *fixture, const struct hs_job_spec *spec, char *text,
                          size_t size)
{
    const struct hs_job *job = hs_sched_find(fixture->sched, spec->key);
    size_t length = 0;

    text[0] = '\0';
    for (uint32_t i = 0; job && job->alloc && i < job->alloc->span_count && length < size; i++) {
        const struct hs_span *span = &job->alloc->spans[i];

        length += (size_t)snprintf(text + length, size - length, "%s%" PRIu32, i ? " " : "",
                                   span->first_node);
        if (span->node_count > 1) {
            length += (size_t)snprintf(text + length, size - length, "-%" PRIu32,
                                       span->first_node + span->node_count - 1);
        }
        if (span->tasks > 1) {
            length += (size_t)snprintf(text + length, size - length, "x%" PRIu32, span->tasks);
        }
    }
    return text;
}
