/* SPDX-License-Identifier: GPL-3.0-or-later */
/* drive.c - an event loop of its own around the scheduling core. */
#include "drive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* What ends, or wakes the policy: a heap by time, then what was put in first. */
struct alarm {
    hs_time time_ns;
    uint64_t order;
    uint32_t job; /* UINT32_MAX: a timer */
};

struct loop {
    struct drive *drive;
    struct hs_sched *sched;
    struct alarm *heap;
    uint32_t count, room;
    uint64_t order;
    struct hs_error error;
};

uint32_t drive_draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % below);
}

struct hs_cluster *drive_cluster(uint32_t count, uint32_t cores)
{
    struct hs_cluster *cluster = hs_cluster_create();
    char name[32];

    CU_ASSERT_PTR_NOT_NULL_FATAL(cluster);
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(name, sizeof name, "n%" PRIu32, i);
        CU_ASSERT_EQUAL_FATAL(
            hs_cluster_add_node(cluster, name, cores * INT64_C(1000), HS_MEM_UNLIMITED, NULL),
            HS_OK);
    }
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(cluster, NULL), HS_OK);
    return cluster;
}

static bool is_sooner(const struct alarm *left, const struct alarm *right)
{
    return left->time_ns != right->time_ns ? left->time_ns < right->time_ns
                                           : left->order < right->order;
}

static void push(struct loop *loop, hs_time time_ns, uint32_t job)
{
    struct alarm alarm = {time_ns, loop->order++, job};
    uint32_t place = loop->count++;

    if (loop->count > loop->room) {
        loop->room = 2 * loop->count + 64;
        loop->heap = realloc(loop->heap, loop->room * sizeof *loop->heap);
        CU_ASSERT_PTR_NOT_NULL_FATAL(loop->heap);
    }
    while (place > 0 && is_sooner(&alarm, &loop->heap[(place - 1) / 2])) {
        loop->heap[place] = loop->heap[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    loop->heap[place] = alarm;
}

static struct alarm pop(struct loop *loop)
{
    struct alarm first = loop->heap[0];
    struct alarm last = loop->heap[--loop->count];
    uint32_t place = 0;

    while (2 * place + 1 < loop->count) {
        uint32_t child = 2 * place + 1;

        child += child + 1 < loop->count && is_sooner(&loop->heap[child + 1], &loop->heap[child]);
        if (!is_sooner(&loop->heap[child], &last)) {
            break;
        }
        loop->heap[place] = loop->heap[child];
        place = child;
    }
    loop->heap[place] = last;
    return first;
}

static hs_time predict(const void *context, const struct hs_job *job, uint32_t speed_class)
{
    const struct drive *drive = context;

    return drive->jobs[job->key.id].times_ns[speed_class];
}

static void tell(struct loop *loop, hs_time time, enum hs_event_kind kind, uint32_t number,
                 const struct hs_job_spec *spec)
{
    struct hs_event event = {.kind = kind, .spec = spec};

    if (number != UINT32_MAX) {
        event.key = (struct hs_job_key){number, loop->drive->jobs[number].submit_ns};
    }
    if (hs_sched_event(loop->sched, time, &event, &loop->error) != HS_OK) {
        printf("%s\n", loop->error.text);
        CU_FAIL_FATAL("an event was refused");
    }
    if (event.refusal) {
        loop->drive->jobs[number].start_ns = loop->drive->jobs[number].end_ns = -1;
        loop->drive->rejected++;
    }
}

static void submit(struct loop *loop, uint32_t number)
{
    const struct drive *drive = loop->drive;
    const struct drive_job *job = &drive->jobs[number];
    struct hs_job_spec spec = {
        .key = {number, job->submit_ns},
        .demand = job->demand,
        .user = -1,
        .group = -1,
        .queue = -1,
        .job_class = -1,
    };

    for (uint32_t i = 0; i < drive->speeds.class_count; i++) {
        if (job->times_ns[i] != HS_TIME_NEVER && job->times_ns[i] > spec.walltime_ns) {
            spec.walltime_ns = job->times_ns[i];
        }
    }
    tell(loop, job->submit_ns, HS_EVENT_SUBMITTED, number, &spec);
}

static void start(struct loop *loop, hs_time now, const struct hs_job *core_job)
{
    struct drive *drive = loop->drive;
    uint32_t number = (uint32_t)core_job->key.id;
    struct drive_job *job = &drive->jobs[number];
    const struct hs_alloc *alloc = core_job->alloc;
    hs_time time;

    job->first_node = alloc->spans[0].first_node;
    job->speed_class = drive->speeds.class_of_node[job->first_node];
    for (uint32_t i = 0; i < alloc->span_count; i++) {
        for (uint32_t n = 0; n < alloc->spans[i].node_count; n++) {
            CU_ASSERT_EQUAL_FATAL(drive->speeds.class_of_node[alloc->spans[i].first_node + n],
                                  job->speed_class);
        }
    }
    time = job->times_ns[job->speed_class];
    CU_ASSERT_NOT_EQUAL_FATAL(time, HS_TIME_NEVER);
    CU_ASSERT_FATAL(now >= job->submit_ns);
    job->start_ns = now;
    job->end_ns = now + (job->part < 1.0 ? (hs_time)((double)time * job->part) : time);
    drive->makespan_ns = job->end_ns > drive->makespan_ns ? job->end_ns : drive->makespan_ns;
    tell(loop, now, HS_EVENT_STARTED, number, NULL);
    push(loop, job->end_ns, number);
}

static void pass(struct loop *loop, hs_time now)
{
    const struct hs_decision *decisions;
    size_t count;

    if (!hs_sched_wants_pass(loop->sched)) {
        return;
    }
    if (hs_sched_decide(loop->sched, now, &decisions, &count, &loop->error) != HS_OK) {
        printf("%s\n", loop->error.text);
        CU_FAIL_FATAL("a pass went wrong");
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t number = (uint32_t)decisions[i].key.id;

        switch (decisions[i].kind) {
        case HS_DECISION_START:
            start(loop, now, decisions[i].job);
            break;
        case HS_DECISION_REJECT:
            loop->drive->jobs[number].start_ns = loop->drive->jobs[number].end_ns = -1;
            loop->drive->rejected++;
            break;
        case HS_DECISION_WAKE:
            push(loop, decisions[i].time_ns, UINT32_MAX);
            break;
        case HS_DECISION_PREEMPT:
            CU_FAIL_FATAL("a policy without the flag preempts");
            break;
        }
    }
    if (loop->drive->is_prompt) {
        struct hs_sched_stats stats = hs_sched_stats(loop->sched);

        CU_ASSERT_FATAL(stats.running_jobs > 0 || stats.pending_jobs == 0);
    }
}

static void move_node(struct loop *loop, const struct drive_outage *outage)
{
    struct hs_event event = {
        .kind = HS_EVENT_NODE, .node = outage->node, .is_available = outage->is_available};

    CU_ASSERT_EQUAL_FATAL(hs_sched_event(loop->sched, outage->time_ns, &event, &loop->error),
                          HS_OK);
}

static void run(struct loop *loop)
{
    const struct drive *drive = loop->drive;
    uint32_t next = 0;
    uint32_t outage = 0;

    while (next < drive->job_count || outage < drive->outage_count || loop->count) {
        hs_time now = loop->count ? loop->heap[0].time_ns : HS_TIME_NEVER;
        bool is_timer = false;

        if (outage < drive->outage_count && drive->outages[outage].time_ns < now) {
            now = drive->outages[outage].time_ns;
        }
        if (next < drive->job_count && drive->jobs[next].submit_ns < now) {
            now = drive->jobs[next].submit_ns;
        }
        while (loop->count && loop->heap[0].time_ns == now) {
            struct alarm alarm = pop(loop);

            if (alarm.job == UINT32_MAX) {
                is_timer = true;
            } else {
                tell(loop, now, HS_EVENT_FINISHED, alarm.job, NULL);
            }
        }
        while (outage < drive->outage_count && drive->outages[outage].time_ns == now) {
            move_node(loop, &drive->outages[outage++]);
        }
        while (next < drive->job_count && drive->jobs[next].submit_ns == now) {
            submit(loop, next++);
        }
        if (is_timer) {
            tell(loop, now, HS_EVENT_TIMER, UINT32_MAX, NULL);
        }
        pass(loop, now);
    }
    if (hs_sched_check_stall(loop->sched, &loop->error) != HS_OK) {
        printf("%s: %s\n", drive->choice.name, loop->error.text);
        CU_FAIL_FATAL("jobs wait for ever");
    }
}

void drive_run(struct drive *drive)
{
    struct loop loop = {.drive = drive};
    struct hs_sched_options options = {.seed = 1};
    struct hs_registry *registry = hs_registry_create();
    struct hs_stack *stack;

    drive->speeds.predict = predict;
    drive->speeds.context = drive;
    drive->makespan_ns = 0;
    drive->rejected = 0;
    CU_ASSERT_EQUAL_FATAL(hs_registry_add(registry, &hp_builtin, "built-in", NULL), HS_OK);
    if (hs_stack_create(registry, &drive->choice, &stack, &loop.error) != HS_OK) {
        printf("%s\n", loop.error.text);
        CU_FAIL_FATAL("no such policy");
    }
    options.cluster = drive->cluster;
    options.stack = stack;
    options.speeds = &drive->speeds;
    options.is_plain = drive->is_plain;
    CU_ASSERT_EQUAL_FATAL(hs_sched_create(&options, &loop.sched, NULL), HS_OK);
    for (uint32_t i = 0; i < drive->job_count; i++) {
        drive->jobs[i].start_ns = drive->jobs[i].end_ns = -2;
    }
    run(&loop);
    drive->stats = hs_sched_stats(loop.sched);
    hs_sched_destroy(loop.sched);
    hs_stack_destroy(stack);
    hs_registry_destroy(registry);
    free(loop.heap);
}
