/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_books.c - an independent count of what the core's allocations hold. */
#include <inttypes.h>
#include <string.h>

#include "model_books.h"

static bool is_ever_exclusive(const struct hs_demand *demand)
{
    bool is_exclusive = (demand->flags & HS_DEMAND_EXCLUSIVE) != 0;

    for (uint32_t a = 0; a < demand->alternative_count; a++) {
        is_exclusive |= (demand->alternatives[a].flags & HS_DEMAND_EXCLUSIVE) != 0;
    }
    return is_exclusive;
}

void books_open(struct drive *drive)
{
    const struct model_case *model = drive->model;

    for (uint32_t node = 0; node < model->node_count; node++) {
        drive->books.free_milli[node] = model->cores_milli[node];
        drive->books.free_bytes[node] = model->mem_bytes[node];
    }
    if (model->vector) {
        vector_open(model->vector, &drive->books.vector);
    }
    drive->empty = drive->books;
    for (uint32_t job = 0; job < model->job_count; job++) {
        drive->outcome->first_ns[job] = MODEL_NO_TIME;
        drive->outcome->start_ns[job] = MODEL_NO_TIME;
        drive->outcome->end_ns[job] = MODEL_NO_TIME;
        drive->outcome->is_exclusive |= is_ever_exclusive(&model->jobs[job].demand);
    }
}

/* How many tasks of the job a node takes. */
static uint32_t node_tasks(const struct model_case *model, const struct books *books, uint32_t job,
                           uint32_t node)
{
    const struct hs_demand *demand = &model->jobs[job].demand;
    int64_t free_milli = books->free_milli[node];
    int64_t free_bytes = books->free_bytes[node];
    uint32_t tasks = 0;

    if (books->is_whole[node] || books->is_away[node] ||
        ((demand->flags & HS_DEMAND_EXCLUSIVE) && books->holders[node] > 0)) {
        return 0;
    }
    while (tasks < demand->tasks && free_milli >= demand->cores_milli &&
           (model->mem_bytes[node] == HS_MEM_UNLIMITED || free_bytes >= demand->mem_bytes)) {
        free_milli -= demand->cores_milli;
        free_bytes -= demand->mem_bytes;
        tasks++;
    }
    if (demand->tasks_per_node > 0 && tasks > demand->tasks_per_node) {
        tasks = demand->tasks_per_node;
    }
    if ((demand->flags & HS_DEMAND_SPREAD) && tasks > 1) {
        tasks = 1;
    }
    return tasks;
}

bool books_fit(const struct model_case *model, const struct books *books, uint32_t job)
{
    const struct hs_demand *demand = &model->jobs[job].demand;
    uint32_t sum = 0;

    if (model->vector) {
        return vector_fits(model->vector, &books->vector, demand);
    }
    for (uint32_t node = 0; node < model->node_count; node++) {
        uint32_t tasks = node_tasks(model, books, job, node);

        if ((demand->flags & HS_DEMAND_SAME_NODE) ||
            ((demand->flags & HS_DEMAND_CONTIGUOUS) && tasks == 0)) {
            sum = 0;
        }
        sum += tasks;
        if (sum >= demand->tasks) {
            return true;
        }
    }
    return false;
}

/* Spreads the spans over outcome->tasks; are they well formed? */
static bool read_spans(struct drive *drive, uint32_t job, const struct hs_alloc *alloc)
{
    const struct hs_demand *demand = &drive->model->jobs[job].demand;
    uint32_t *tasks = drive->outcome->tasks[job];
    bool is_exclusive = (demand->flags & HS_DEMAND_EXCLUSIVE) != 0;
    uint32_t beyond = 0;
    uint32_t total = 0;
    uint32_t nodes = 0;

    memset(tasks, 0, sizeof(drive->outcome->tasks[job]));
    if (!alloc || alloc->alternative != 0 || alloc->device_count != 0 ||
        alloc->is_exclusive != is_exclusive) {
        return drive_complain(drive, "a strange allocation for job %" PRIu32, job);
    }
    for (uint32_t i = 0; i < alloc->span_count; i++) {
        const struct hs_span *span = &alloc->spans[i];

        if (span->first_node < beyond || span->node_count == 0 || span->tasks == 0 ||
            span->first_node + span->node_count > drive->model->node_count) {
            return drive_complain(drive, "spans of job %" PRIu32 " out of order", job);
        }
        beyond = span->first_node + span->node_count;
        for (uint32_t node = span->first_node; node < beyond; node++) {
            tasks[node] = span->tasks;
            total += span->tasks;
            nodes++;
        }
    }
    if (total != demand->tasks) {
        return drive_complain(drive, "job %" PRIu32 " gets %" PRIu32 " tasks, not %" PRIu32, job,
                              total, demand->tasks);
    }
    if ((demand->flags & HS_DEMAND_SAME_NODE) && nodes != 1) {
        return drive_complain(drive, "job %" PRIu32 " is not on one node", job);
    }
    if ((demand->flags & HS_DEMAND_CONTIGUOUS) && beyond - alloc->spans[0].first_node != nodes) {
        return drive_complain(drive, "job %" PRIu32 " is not on neighbouring nodes", job);
    }
    return true;
}

uint64_t books_hash(const struct vector_alloc *alloc)
{
    uint64_t hash = alloc->alternative + UINT64_C(1);

    for (uint32_t i = 0; i < alloc->given_count; i++) {
        hash = (hash ^ alloc->given[i].device) * UINT64_C(0x100000001b3);
        hash = (hash ^ alloc->given[i].share) * UINT64_C(0x100000001b3);
    }
    for (uint32_t i = 0; i < VECTOR_NODES_MAX; i++) {
        hash = (hash ^ alloc->tasks[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* On nodes with devices. */
static bool take_vector(struct drive *drive, uint32_t job, const struct hs_alloc *alloc)
{
    const struct hs_demand *demand = &drive->model->jobs[job].demand;
    const struct vector_cluster *cluster = drive->model->vector;
    struct vector_alloc *held = &drive->held[job];
    const char *why = "its spans are out of order";

    if (!vector_read(cluster, alloc, held) ||
        !vector_holds(cluster, &drive->books.vector, demand, held, &why)) {
        return drive_complain(drive, "job %" PRIu32 " is given %s", job, why);
    }
    vector_take(cluster, &drive->books.vector, demand, held);
    memcpy(drive->outcome->tasks[job], held->tasks, sizeof(held->tasks));
    drive->outcome->given[job] = books_hash(held);
    return true;
}

bool books_take(struct drive *drive, uint32_t job, const struct hs_alloc *alloc)
{
    const struct hs_demand *demand = &drive->model->jobs[job].demand;

    if (drive->model->vector) {
        return take_vector(drive, job, alloc);
    }
    if (!read_spans(drive, job, alloc)) {
        return false;
    }
    for (uint32_t node = 0; node < drive->model->node_count; node++) {
        uint32_t tasks = drive->outcome->tasks[job][node];

        if (tasks == 0) {
            continue;
        }
        if (tasks > node_tasks(drive->model, &drive->books, job, node)) {
            return drive_complain(drive, "job %" PRIu32 " overcommits node %" PRIu32, job, node);
        }
        drive->books.free_milli[node] -= demand->cores_milli * tasks;
        if (drive->model->mem_bytes[node] != HS_MEM_UNLIMITED) {
            drive->books.free_bytes[node] -= demand->mem_bytes * tasks;
        }
        drive->books.holders[node]++;
        drive->books.is_whole[node] = alloc->is_exclusive;
    }
    return true;
}

void books_return(const struct drive *drive, struct books *books, uint32_t job)
{
    const struct hs_demand *demand = &drive->model->jobs[job].demand;

    if (drive->model->vector) {
        vector_release(drive->model->vector, &books->vector, demand, &drive->held[job]);
        return;
    }
    for (uint32_t node = 0; node < drive->model->node_count; node++) {
        uint32_t tasks = drive->outcome->tasks[job][node];

        if (tasks == 0) {
            continue;
        }
        books->free_milli[node] += demand->cores_milli * tasks;
        if (drive->model->mem_bytes[node] != HS_MEM_UNLIMITED) {
            books->free_bytes[node] += demand->mem_bytes * tasks;
        }
        books->holders[node]--;
        books->is_whole[node] = false;
    }
}

void books_release(struct drive *drive, uint32_t job)
{
    books_return(drive, &drive->books, job);
}

/* Cores without what is free on nodes that are away. */
static int64_t available_milli(const struct drive *drive)
{
    const struct model_case *model = drive->model;
    int64_t milli = 0;

    for (uint32_t node = 0; node < model->node_count; node++) {
        int64_t all =
            model->vector ? model->vector->nodes[node].cores_milli : model->cores_milli[node];
        int64_t free_milli =
            model->vector ? drive->books.vector.cores_milli[node] : drive->books.free_milli[node];

        milli += all - (drive->books.is_away[node] ? free_milli : 0);
    }
    return milli;
}

bool books_agree(struct drive *drive)
{
    struct hs_sched_stats stats = hs_sched_stats(drive->sched);
    struct hs_sched_stats own = {0};

    for (uint32_t job = 0; job < drive->model->job_count; job++) {
        const struct model_job *it = &drive->model->jobs[job];

        if (drive->state[job] == DRIVE_WAITING) {
            own.pending_jobs++;
            own.pending_procs += it->procs;
        } else if (drive->state[job] == DRIVE_HOLDING && !drive->is_confirmed[job]) {
            own.starting_jobs++;
            own.starting_procs += it->procs;
        } else if (drive->state[job] == DRIVE_HOLDING) {
            uint32_t alternative = drive->held ? drive->held[job].alternative : 0;
            const struct hs_demand *demand =
                alternative > 0 ? &it->demand.alternatives[alternative - 1] : &it->demand;

            own.running_jobs++;
            own.alloc_milli += demand->cores_milli * demand->tasks;
        }
    }
    if (own.pending_jobs != stats.pending_jobs || own.pending_procs != stats.pending_procs ||
        own.starting_jobs != stats.starting_jobs || own.starting_procs != stats.starting_procs ||
        own.running_jobs != stats.running_jobs ||
        (!drive->outcome->is_exclusive &&
         (own.alloc_milli != stats.alloc_milli || available_milli(drive) != stats.avail_milli))) {
        return drive_complain(drive,
                              "the core counts %" PRId64 " pending (%" PRId64
                              " processors), %" PRId64 " starting (%" PRId64 "), %" PRId64
                              " running, %" PRId64 " thousandths of cores; it is %" PRId64
                              " (%" PRId64 "), %" PRId64 " (%" PRId64 "), %" PRId64 ", %" PRId64,
                              stats.pending_jobs, stats.pending_procs, stats.starting_jobs,
                              stats.starting_procs, stats.running_jobs, stats.alloc_milli,
                              own.pending_jobs, own.pending_procs, own.starting_jobs,
                              own.starting_procs, own.running_jobs, own.alloc_milli);
    }
    return true;
}
