/* SPDX-License-Identifier: GPL-3.0-or-later */
/* work.c - what a pass costs, counted: no allocations after the warm-up, and few jobs looked at in
 * a deep queue. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"

/* The linker sends all allocations of the program here (--wrap). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static int64_t allocation_count;

void *__wrap_malloc(size_t size)
{
    allocation_count++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    allocation_count++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    allocation_count++;
    return __real_realloc(memory, size);
}

#define PROCS 64

/* A stream of jobs that keeps the queue at one depth: whenever one ends, the next is submitted. */
struct stream {
    struct fixture fixture;
    struct hs_job_spec *specs; /* by id */
    int64_t submitted;
    int64_t now_s;
    uint32_t state;
};

static uint32_t draw(struct stream *stream, uint32_t below)
{
    stream->state = stream->state * 1664525u + 1013904223u;
    return (stream->state >> 8) % below;
}

static void submit_next(struct stream *stream)
{
    struct hs_job_spec spec =
        fixture_job(stream->submitted, stream->now_s, 1 + draw(stream, draw(stream, 4) ? 8 : PROCS),
                    10 + draw(stream, 1000));

    spec.priority = draw(stream, 10);
    CU_ASSERT_EQUAL_FATAL(fixture_submit(&stream->fixture, &spec), HS_OK);
    stream->specs[stream->submitted++] = spec;
}

/* The running job that ends first ends, and a pass follows. The allocations of the pass. */
static int64_t step(struct stream *stream)
{
    struct fixture *fixture = &stream->fixture;
    const struct hs_job *first = NULL;
    int64_t before;

    for (int64_t id = 0; id < stream->submitted; id++) {
        const struct hs_job *job = hs_sched_find(fixture->sched, stream->specs[id].key);

        if (job && job->state == HS_JOB_RUNNING &&
            (!first || job->expected_end_ns < first->expected_end_ns)) {
            first = job;
        }
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(first);
    stream->now_s = first->expected_end_ns / HS_NS_PER_S;
    CU_ASSERT_EQUAL_FATAL(
        fixture_event(fixture, stream->now_s, HS_EVENT_FINISHED, &stream->specs[first->key.id]),
        HS_OK);
    submit_next(stream);
    before = allocation_count;
    CU_ASSERT_EQUAL_FATAL(fixture_decide(fixture, stream->now_s, false), HS_OK);
    before = allocation_count - before;
    for (size_t i = 0; i < fixture->decision_count; i++) {
        CU_ASSERT_EQUAL_FATAL(fixture_event(fixture, stream->now_s, HS_EVENT_STARTED,
                                            &stream->specs[fixture->decisions[i].key.id]),
                              HS_OK);
    }
    return before;
}

static void begin(struct stream *stream, const char *policy, int64_t depth, int64_t steps)
{
    *stream = (struct stream){.state = 7};
    fixture_init(&stream->fixture, PROCS, 1, HS_MEM_UNLIMITED, NULL, policy);
    stream->specs = calloc((size_t)(depth + steps), sizeof *stream->specs);
    CU_ASSERT_PTR_NOT_NULL_FATAL(stream->specs);
    for (int64_t i = 0; i < depth; i++) {
        submit_next(stream);
    }
    CU_ASSERT_EQUAL_FATAL(fixture_decide(&stream->fixture, 0, true), HS_OK);
}

static void end(struct stream *stream)
{
    fixture_fini(&stream->fixture);
    free(stream->specs);
}

static void a_pass_allocates_nothing(void)
{
    static const char *const orders[] = {"fcfs", "sjf", "wfp3", "unicep", "random"};
    static const char *const rules[] = {"none",
                                        "first-fit",
                                        "easy",
                                        "easy-noextra",
                                        "easy-hosts",
                                        "depth",
                                        "conservative-rebuilt",
                                        "conservative"};
    const int64_t warm_up = 2500;
    const int64_t counted = 500;

    for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++) {
        for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++) {
            struct stream stream;
            char policy[64];
            int64_t allocations = 0;

            (void)snprintf(policy, sizeof policy, "%s-%s", orders[o], rules[r]);
            begin(&stream, policy, 120, warm_up + counted);
            for (int64_t i = 0; i < warm_up; i++) {
                (void)step(&stream);
            }
            for (int64_t i = 0; i < counted; i++) {
                allocations += step(&stream);
            }
            if (allocations) {
                printf("%s: %lld allocations in %lld passes\n", policy, (long long)allocations,
                       (long long)counted);
            }
            CU_ASSERT_EQUAL(allocations, 0);
            end(&stream);
        }
    }
}

/* Jobs examined in 200 passes over a queue of the given depth. */
static int64_t examined(const char *policy, int64_t depth)
{
    struct stream stream;
    int64_t before;
    int64_t after;

    begin(&stream, policy, depth, 200);
    before = hs_sched_stats(stream.fixture.sched).examined;
    for (int i = 0; i < 200; i++) {
        (void)step(&stream);
    }
    after = hs_sched_stats(stream.fixture.sched).examined;
    end(&stream);
    return after - before;
}

/* A queue 16 times as deep costs little more: at most 4 + log2(16) = 8 times, where a walk would
 * cost 16 times; and far less than a look at every job. */
static void deep_queues_are_not_walked(void)
{
    static const char *const policies[] = {
        "fcfs",        "easy",   "sjf-easy",      "f1-easy",      "wfp3-easy",
        "unicep-easy", "unicef", "saf-first-fit", "random-depth", "expansion-factor-easy-noextra"};

    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        int64_t shallow = examined(policies[i], 500);
        int64_t deep = examined(policies[i], 8000);

        if (deep > 200 * 200 || deep > 8 * shallow + 2000) {
            printf("%s: %lld jobs examined in a queue of 500, %lld in one of 8000\n", policies[i],
                   (long long)shallow, (long long)deep);
        }
        CU_ASSERT(deep <= 200 * 200); /* 200 a pass, of 8,000 */
        CU_ASSERT(deep <= 8 * shallow + 2000);
    }
}

static const struct unit_test tests[] = {
    {"a pass allocates nothing", a_pass_allocates_nothing},
    {"deep queues are not walked", deep_queues_are_not_walked},
};

UNIT_MAIN("core: work", tests)
