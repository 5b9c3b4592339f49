/* SPDX-License-Identifier: GPL-3.0-or-later */
/* work.c - what a pass costs, counted: no allocations after the warm-up, and few jobs looked at in
 * a deep queue. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    void (*submit)(struct stream *stream); /* the next job */
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
    stream->submit(stream);
    before = allocation_count;
    CU_ASSERT_EQUAL_FATAL(fixture_decide(fixture, stream->now_s, false), HS_OK);
    before = allocation_count - before;
    for (size_t i = 0; i < fixture->decision_count; i++) {
        if (fixture->decisions[i].kind != HS_DECISION_START) {
            continue;
        }
        CU_ASSERT_EQUAL_FATAL(fixture_event(fixture, stream->now_s, HS_EVENT_STARTED,
                                            &stream->specs[fixture->decisions[i].key.id]),
                              HS_OK);
    }
    return before;
}

static void begin(struct stream *stream, const char *policy, int64_t depth, int64_t steps)
{
    *stream = (struct stream){.state = 7, .submit = submit_next};
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
    static const char *const rules[] = {"none",        "first-fit", "easy",  "easy-noextra",
                                        "easy-hosts",  "easy-sjbf", "depth", "conservative-rebuilt",
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

#define DEVICES 4u

/* A fixture whose nodes have devices. */
static void begin_devices(struct fixture *fixture, uint32_t nodes, const char *policy,
                          const char *place)
{
    struct hs_choice choice = {.name = policy, .place = place};
    struct hs_sched_options options = {.seed = 1};
    char name[32];

    *fixture = (struct fixture){.cluster = hs_cluster_create()};
    for (uint32_t i = 0; i < nodes; i++) {
        (void)snprintf(name, sizeof name, "n%u", (unsigned)i);
        CU_ASSERT_EQUAL_FATAL(hs_cluster_add_node(fixture->cluster, name, 16000, 64, NULL), HS_OK);
        for (uint32_t d = 0; d < DEVICES; d++) {
            CU_ASSERT_EQUAL_FATAL(
                hs_cluster_add_device(fixture->cluster, "gpu", "a100", d / 2, 40, NULL), HS_OK);
        }
    }
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(fixture->cluster, NULL), HS_OK);
    fixture->registry = hs_registry_create();
    CU_ASSERT_EQUAL_FATAL(hs_registry_add(fixture->registry, &hp_builtin, "built-in", NULL), HS_OK);
    CU_ASSERT_EQUAL_FATAL(hs_stack_create(fixture->registry, &choice, &fixture->stack, NULL),
                          HS_OK);
    options.cluster = fixture->cluster;
    options.stack = fixture->stack;
    CU_ASSERT_EQUAL_FATAL(hs_sched_create(&options, &fixture->sched, NULL), HS_OK);
}

/* Jobs with shares, several devices, islands, whole nodes and alternatives, in turn. */
static struct hs_demand device_demand(uint32_t number)
{
    static const struct hs_demand fewer = {
        .tasks = 1, .cores_milli = 4000, .device_count = 2, .device_share = 1000};
    const struct hs_demand demands[] = {
        {.tasks = 1, .cores_milli = 1000, .device_count = 1, .device_share = 300},
        {.tasks = 2,
         .cores_milli = 2000,
         .device_count = 2,
         .device_share = 1000,
         .flags = HS_DEMAND_SAME_ISLAND},
        {.tasks = 3, .cores_milli = 1000, .device_count = 2, .device_share = 500, .device_mem = 10},
        {.tasks = 4, .cores_milli = 1000, .mem_bytes = 4},
        {.tasks = 1,
         .cores_milli = 1000,
         .device_count = 4,
         .device_share = 1000,
         .flags = HS_DEMAND_EXCLUSIVE},
        {.tasks = 2,
         .cores_milli = 4000,
         .device_count = 3,
         .device_share = 1000,
         .alternatives = &fewer,
         .alternative_count = 1},
    };

    return demands[number % (sizeof demands / sizeof demands[0])];
}

static void submit_next_device(struct stream *stream)
{
    struct hs_job_spec spec =
        fixture_job(stream->submitted, stream->now_s, 1, 10 + draw(stream, 1000));

    spec.demand = device_demand(draw(stream, 60));
    CU_ASSERT_EQUAL_FATAL(fixture_submit(&stream->fixture, &spec), HS_OK);
    stream->specs[stream->submitted++] = spec;
}

static void a_pass_with_devices_allocates_nothing(void)
{
    static const char *const rules[] = {"none", "first-fit", "easy", "depth", "conservative"};
    static const char *const places[] = {NULL, "best-fit", "worst-fit", "topology", "random"};
    const int64_t steps = 700;

    for (size_t i = 0; i < 10; i++) {
        struct stream stream = {.state = 7, .submit = submit_next_device};
        int64_t allocations = 0;

        begin_devices(&stream.fixture, 12, rules[i % 5], places[(i + i / 5) % 5]);
        stream.specs = calloc((size_t)(40 + steps), sizeof *stream.specs);
        CU_ASSERT_PTR_NOT_NULL_FATAL(stream.specs);
        for (int64_t job = 0; job < 40; job++) {
            submit_next_device(&stream);
        }
        CU_ASSERT_EQUAL_FATAL(fixture_decide(&stream.fixture, 0, true), HS_OK);
        for (int64_t job = 0; job < steps; job++) {
            int64_t made = step(&stream);

            allocations += job < 500 ? 0 : made;
        }
        if (allocations) {
            printf("%s, %s: %lld allocations\n", rules[i % 5],
                   places[(i + i / 5) % 5] ? places[(i + i / 5) % 5] : "-", (long long)allocations);
        }
        CU_ASSERT_EQUAL(allocations, 0);
        end(&stream);
    }
}

/* Nor does one of a mapping policy, on counted nodes and on nodes with devices. */
static void a_mapping_pass_allocates_nothing(void)
{
    static const char *const policies[] = {"olb",
                                           "met",
                                           "mct",
                                           "min-min",
                                           "max-min",
                                           "duplex",
                                           "sufferage-iter",
                                           "sufferage-pass",
                                           "min-standard-deviation",
                                           "match",
                                           "balance"};
    const int64_t warm_up = 700;
    const int64_t counted = 200;

    for (size_t p = 0; p < 2 * (sizeof policies / sizeof policies[0]); p++) {
        struct stream stream = {.state = 7, .submit = submit_next_device};
        int64_t allocations = 0;

        if (p % 2 == 0) {
            begin(&stream, policies[p / 2], 120, warm_up + counted);
        } else {
            begin_devices(&stream.fixture, 12, policies[p / 2], NULL);
            stream.specs = calloc((size_t)(40 + warm_up + counted), sizeof *stream.specs);
            CU_ASSERT_PTR_NOT_NULL_FATAL(stream.specs);
            for (int64_t job = 0; job < 40; job++) {
                submit_next_device(&stream);
            }
            CU_ASSERT_EQUAL_FATAL(fixture_decide(&stream.fixture, 0, true), HS_OK);
        }
        for (int64_t i = 0; i < warm_up + counted; i++) {
            int64_t made = step(&stream);

            allocations += i < warm_up ? 0 : made;
        }
        if (allocations) {
            printf("%s: %lld allocations\n", policies[p / 2], (long long)allocations);
        }
        CU_ASSERT_EQUAL(allocations, 0);
        end(&stream);
    }
}

static void submit_next_serial(struct stream *stream)
{
    struct hs_job_spec spec =
        fixture_job(stream->submitted, stream->now_s, 1, 10 + draw(stream, 1000));

    CU_ASSERT_EQUAL_FATAL(fixture_submit(&stream->fixture, &spec), HS_OK);
    stream->specs[stream->submitted++] = spec;
}

/* While nothing is free, a mapping policy looks at no job, however many come. */
static void a_full_machine_is_not_mapped(void)
{
    struct stream stream;
    int64_t before;

    begin(&stream, "min-min", 1, 2000);
    for (int i = 0; i < 1000; i++) {
        submit_next_serial(&stream);
    }
    CU_ASSERT_EQUAL_FATAL(fixture_decide(&stream.fixture, 0, true), HS_OK);
    CU_ASSERT_EQUAL_FATAL(hs_sched_stats(stream.fixture.sched).alloc_milli, PROCS * 1000);
    before = hs_sched_stats(stream.fixture.sched).examined;
    for (int i = 0; i < 100; i++) {
        submit_next_serial(&stream);
        CU_ASSERT_EQUAL_FATAL(fixture_decide(&stream.fixture, 0, false), HS_OK);
        CU_ASSERT_EQUAL(stream.fixture.decision_count, 0);
    }
    CU_ASSERT_EQUAL(hs_sched_stats(stream.fixture.sched).examined, before);
    /* When one ends, at most the batch of 256 and the heads of the queue are looked at. */
    stream.submit = submit_next_serial;
    (void)step(&stream);
    CU_ASSERT_EQUAL(stream.fixture.decision_count, 1);
    CU_ASSERT(hs_sched_stats(stream.fixture.sched).examined <= before + 256 + 2 + 1);
    end(&stream);
}

static int64_t preemptions(const struct stream *stream)
{
    return hs_sched_stats(stream->fixture.sched).preemptions;
}

/* Nor does one that preempts, on counted nodes and on nodes with devices. */
static void a_preemptive_pass_allocates_nothing(void)
{
    static const char *const places[] = {NULL, "best-fit", "topology", "random"};
    const int64_t warm_up = 3000;
    const int64_t counted = 500;

    for (size_t p = 0; p < 1 + sizeof places / sizeof places[0]; p++) {
        struct stream stream = {.state = 7, .submit = submit_next_device};
        int64_t allocations = 0;
        int64_t before = 0;

        if (p == 0) {
            begin(&stream, "las", 120, warm_up + counted);
        } else {
            begin_devices(&stream.fixture, 24, "las", places[p - 1]);
            stream.specs = calloc((size_t)(120 + warm_up + counted), sizeof *stream.specs);
            CU_ASSERT_PTR_NOT_NULL_FATAL(stream.specs);
            for (int64_t i = 0; i < 120; i++) {
                submit_next_device(&stream);
            }
            CU_ASSERT_EQUAL_FATAL(fixture_decide(&stream.fixture, 0, true), HS_OK);
        }
        for (int64_t i = 0; i < warm_up + counted; i++) {
            int64_t count = step(&stream);

            before = i == warm_up ? preemptions(&stream) : before;
            allocations += i < warm_up ? 0 : count;
        }
        CU_ASSERT(preemptions(&stream) - before > (p == 0 ? 20 : 5));
        CU_ASSERT_EQUAL(allocations, 0);
        end(&stream);
    }
}

/* On 10,000 equal idle nodes a placement looks at the nodes that have changed and at the one that
 * it takes, for each of the demands; not at all nodes. */
static void placements_look_at_few_nodes(void)
{
    static const char *const places[] = {NULL,      "best-fit",   "worst-fit", "dot-product",
                                         "packing", "clustering", "affinity"};
    const int64_t warm_up = 12;
    const int64_t counted = 300;

    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        /* Seven demands look at a node or two a job; task by task also after each task. */
        int64_t limit = places[p] && strcmp(places[p], "worst-fit") == 0 ? 40 : 12;
        struct fixture fixture;
        int64_t before = 0;
        int64_t looked;

        begin_devices(&fixture, 10000, "easy", places[p]);
        for (int64_t id = 0; id < warm_up + counted; id++) {
            struct hs_job_spec spec = fixture_job(id, id, 1, 100000);

            spec.demand = device_demand((uint32_t)id);
            CU_ASSERT_EQUAL_FATAL(fixture_submit(&fixture, &spec), HS_OK);
            CU_ASSERT_EQUAL_FATAL(fixture_decide(&fixture, id, true), HS_OK);
            CU_ASSERT_EQUAL(fixture.decision_count, 1);
            if (id == warm_up - 1) {
                before = hs_sched_stats(fixture.sched).nodes_looked;
            }
        }
        looked = hs_sched_stats(fixture.sched).nodes_looked - before;
        if (looked > limit * counted) {
            printf("%s: %lld nodes looked at for %lld jobs\n", places[p] ? places[p] : "left-most",
                   (long long)looked, (long long)counted);
        }
        CU_ASSERT(looked <= limit * counted);
        fixture_fini(&fixture);
    }
}

static const struct unit_test tests[] = {
    {"a pass allocates nothing", a_pass_allocates_nothing},
    {"a pass with devices allocates nothing", a_pass_with_devices_allocates_nothing},
    {"a preemptive pass allocates nothing", a_preemptive_pass_allocates_nothing},
    {"a mapping pass allocates nothing", a_mapping_pass_allocates_nothing},
    {"a full machine is not mapped", a_full_machine_is_not_mapped},
    {"placements look at few nodes", placements_look_at_few_nodes},
    {"deep queues are not walked", deep_queues_are_not_walked},
};

UNIT_MAIN("core: work", tests)
