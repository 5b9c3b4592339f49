/* SPDX-License-Identifier: MIT */
/* running.c - the jobs that hold resources, in order of expected end. */
#include <stdlib.h>
#include <string.h>

#include "free_internal.h"
#include "sched_internal.h"

static bool comes_before(const struct hs_job *left, const struct hs_job *right)
{
    if (left->expected_end_ns != right->expected_end_ns) {
        return left->expected_end_ns < right->expected_end_ns;
    }
    return left->sequence < right->sequence;
}

/* Index of the first entry that does not come before `job`. */
static uint32_t lower_bound(const struct hs_sched *sched, const struct hs_job *job)
{
    uint32_t low = 0;
    uint32_t high = sched->running_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (comes_before(sched->running[middle], job)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool hsi_running_reserve(struct hs_sched *sched, uint32_t more)
{
    uint32_t room = sched->running_room ? sched->running_room : 64;
    const struct hs_job **moved;

    if (sched->running_count + more <= sched->running_room) {
        return true;
    }
    while (room < sched->running_count + more) {
        room *= 2;
    }
    moved = realloc(sched->running, room * sizeof *moved);
    if (!moved) {
        return false;
    }
    sched->running = moved;
    sched->running_room = room;
    return true;
}

void hsi_running_insert(struct hs_sched *sched, struct hsi_job *job)
{
    uint32_t index = lower_bound(sched, &job->pub);

    HS_ASSERT(sched->running_count < sched->running_room);
    memmove(&sched->running[index + 1], &sched->running[index],
            (sched->running_count - index) * sizeof *sched->running);
    sched->running[index] = &job->pub;
    sched->running_count++;
}

void hsi_running_remove(struct hs_sched *sched, struct hsi_job *job)
{
    uint32_t index = lower_bound(sched, &job->pub);

    HS_ASSERT(index < sched->running_count && sched->running[index] == &job->pub);
    sched->running_count--;
    memmove(&sched->running[index], &sched->running[index + 1],
            (sched->running_count - index) * sizeof *sched->running);
}

/* Room for `wanted` elements in *array; it may move. */
static bool grow(void **array, uint32_t *room, uint32_t wanted, size_t size)
{
    void *moved;

    if (*room >= wanted) {
        return true;
    }
    moved = realloc(*array, wanted * size);
    if (!moved) {
        return false;
    }
    *array = moved;
    *room = wanted;
    return true;
}

/* Room for as many spans and devices as any allocation has had. */
static bool reserve_block(struct hs_sched *sched, struct hsi_block *block)
{
    void *spans = block->spans;
    void *devices = block->devices;
    bool is_done = grow(&spans, &block->span_room, sched->span_room, sizeof *block->spans) &&
                   grow(&devices, &block->device_room, sched->device_room, sizeof *block->devices);

    block->spans = spans;
    block->devices = devices;
    block->alloc.spans = spans; /* it may still be read: see end_job */
    block->alloc.devices = devices;
    return is_done;
}

struct hsi_block *hsi_block_get(struct hs_sched *sched, const struct hs_alloc *alloc)
{
    struct hsi_block *block = sched->free_blocks;

    while (sched->span_room < alloc->span_count) {
        sched->span_room = sched->span_room ? sched->span_room * 2 : 4;
    }
    while (sched->device_room < alloc->device_count) {
        sched->device_room = sched->device_room ? sched->device_room * 2 : 4;
    }
    if (block) {
        sched->free_blocks = block->next_free;
        sched->free_block_count--;
    } else {
        block = calloc(1, sizeof *block);
        if (!block) {
            return NULL;
        }
    }
    if (!reserve_block(sched, block)) {
        hsi_block_put(sched, block);
        return NULL;
    }
    block->alloc = *alloc;
    block->alloc.spans = block->spans;
    block->alloc.devices = block->devices;
    if (alloc->span_count) {
        memcpy(block->spans, alloc->spans, alloc->span_count * sizeof *block->spans);
    }
    if (alloc->device_count) {
        memcpy(block->devices, alloc->devices, alloc->device_count * sizeof *block->devices);
    }
    return block;
}

/* Grown here, at an event, a block need not grow in a pass. Without memory for that it grows later.
 */
void hsi_block_put(struct hs_sched *sched, struct hsi_block *block)
{
    (void)reserve_block(sched, block);
    block->next_free = sched->free_blocks;
    sched->free_blocks = block;
    sched->free_block_count++;
}

void hsi_block_spare(struct hs_sched *sched)
{
    struct hsi_block *block;

    (void)hsi_running_reserve(sched, sched->running_count); /* without memory: in the pass */
    if (sched->free_block_count < sched->running_count) {
        block = calloc(1, sizeof *block);
        if (block) {
            hsi_block_put(sched, block);
        }
    }
}

bool hsi_running_start(struct hs_sched *sched, struct hsi_job *job, const struct hs_alloc *alloc)
{
    struct hsi_block *block;

    if (!hsi_running_reserve(sched, 1)) {
        return false;
    }
    block = hsi_block_get(sched, alloc);
    if (!block) {
        return false;
    }
    job->pub.alloc = &block->alloc;
    job->pub.state = HS_JOB_STARTING;
    job->pub.start_ns = sched->now;
    job->pub.expected_end_ns = hsi_expected_end(sched->now, hsi_expected_time(sched, &job->pub));
    block->cores_milli = hs_free_total_cores_milli(sched->free);
    hs_free_take(sched->free, job->pub.demand, job->pub.alloc);
    block->cores_milli -= hs_free_total_cores_milli(sched->free);
    sched->starting_milli += block->cores_milli;
    sched->stats.starting_jobs++;
    sched->stats.starting_procs += job->pub.procs;
    sched->used_units += job->pub.units;
    hsi_running_insert(sched, job);
    return true;
}

void hsi_running_confirm(struct hs_sched *sched, struct hsi_job *job)
{
    job->pub.state = HS_JOB_RUNNING;
    sched->starting_milli -= hsi_block_of(job)->cores_milli;
    sched->stats.starting_jobs--;
    sched->stats.starting_procs -= job->pub.procs;
}

/* So that what is left of the walltime after a preemption is what is left until the new end. */
void hsi_running_expect(struct hs_sched *sched, struct hsi_job *job, hs_time end)
{
    hs_time before = job->pub.expected_end_ns == HS_TIME_NEVER
                         ? 0
                         : job->pub.expected_end_ns - job->pub.start_ns;
    hs_time whole = end == HS_TIME_NEVER ? HS_TIME_NEVER : end - job->pub.start_ns;
    hs_int128 walltime = whole;

    if (before > 0 && whole != HS_TIME_NEVER && job->pub.walltime_ns != HS_TIME_NEVER) {
        walltime = (hs_int128)job->pub.walltime_ns * whole / before;
    }
    hsi_running_remove(sched, job);
    job->pub.walltime_ns = walltime < 1               ? 1
                           : walltime < HS_TIME_NEVER ? (hs_time)walltime
                                                      : HS_TIME_NEVER;
    job->pub.expected_end_ns = end;
    hsi_running_insert(sched, job);
}

/* All but the block, which is the caller's. */
static struct hsi_block *leave(struct hs_sched *sched, struct hsi_job *job)
{
    struct hsi_block *block = hsi_block_of(job);

    hsi_running_remove(sched, job);
    sched->used_units -= job->pub.units;
    if (sched->free->away_count) {
        sched->away_units -= hsi_running_away_units(sched, &job->pub);
    }
    hs_free_release(sched->free, job->pub.demand, job->pub.alloc);
    job->pub.alloc = NULL;
    job->pub.state = HS_JOB_PENDING;
    job->pub.start_ns = -1;
    job->pub.expected_end_ns = HS_TIME_NEVER;
    return block;
}

void hsi_running_stop(struct hs_sched *sched, struct hsi_job *job)
{
    if (job->pub.state == HS_JOB_STARTING) {
        hsi_running_confirm(sched, job);
    }
    hsi_block_put(sched, leave(sched, job));
}

/* part x elapsed / total, rounded down; all that there is once the time is over. */
static int64_t share_of(int64_t part, hs_time elapsed, hs_time total)
{
    return elapsed < total ? (int64_t)((hs_int128)part * elapsed / total) : part;
}

/* The job's walltime and `done`, if it stops now. */
static void keep_progress(const struct hs_sched *sched, struct hsi_job *job)
{
    const int64_t whole = INT64_C(1) << 32;
    int64_t left = whole - job->pub.done;
    hs_time restart = job->was_preempted ? sched->restart_ns : 0; /* of this attempt */
    hs_time elapsed = sched->now - job->pub.start_ns - restart;
    hs_time total = job->pub.expected_end_ns == HS_TIME_NEVER
                        ? HS_TIME_NEVER
                        : job->pub.expected_end_ns - job->pub.start_ns - restart;

    if (elapsed > 0 && total != HS_TIME_NEVER) {
        left -= share_of(left, elapsed, total);
        job->pub.done = (uint32_t)(whole - (left > 0 ? left : 1));
    }
    if (job->pub.walltime_ns != HS_TIME_NEVER) {
        hs_time walltime = job->pub.walltime_ns - restart;

        if (elapsed > 0) {
            walltime -= share_of(walltime, elapsed, total != HS_TIME_NEVER ? total : walltime);
        }
        walltime = walltime > 0 ? walltime : 1;
        /* With the time of the next restart. */
        job->pub.walltime_ns = walltime < HS_TIME_NEVER - sched->restart_ns
                                   ? walltime + sched->restart_ns
                                   : HS_TIME_NEVER;
    }
    job->was_preempted = true;
}

void hsi_running_preempt(struct hs_sched *sched, struct hsi_job *job, struct hsi_stop *stop)
{
    *stop = (struct hsi_stop){
        .walltime_ns = job->pub.walltime_ns,
        .start_ns = job->pub.start_ns,
        .expected_end_ns = job->pub.expected_end_ns,
        .done = job->pub.done,
        .was_preempted = job->was_preempted,
    };
    keep_progress(sched, job);
    stop->block = leave(sched, job);
    stop->block->next_free = sched->left_blocks;
    sched->left_blocks = stop->block;
}

void hsi_running_resume(struct hs_sched *sched, struct hsi_job *job, const struct hsi_stop *stop)
{
    HS_ASSERT(sched->left_blocks == stop->block);
    sched->left_blocks = stop->block->next_free;
    job->pub.walltime_ns = stop->walltime_ns;
    job->pub.start_ns = stop->start_ns;
    job->pub.expected_end_ns = stop->expected_end_ns;
    job->pub.done = stop->done;
    job->was_preempted = stop->was_preempted;
    job->pub.alloc = &stop->block->alloc;
    job->pub.state = HS_JOB_RUNNING;
    sched->used_units += job->pub.units;
    sched->away_units += hsi_running_away_units(sched, &job->pub);
    hs_free_take(sched->free, job->pub.demand, job->pub.alloc);
    hsi_running_insert(sched, job);
}

void hsi_running_forget(struct hs_sched *sched)
{
    while (sched->left_blocks) {
        struct hsi_block *block = sched->left_blocks;

        sched->left_blocks = block->next_free;
        hsi_block_put(sched, block);
    }
}

/* Units of the job on each node of a span: whole nodes, or tasks. */
static int64_t units_on_node(const struct hs_sched *sched, const struct hs_job *job,
                             const struct hs_span *span)
{
    const struct hsi_shapes *shapes = &sched->shapes;
    uint32_t unit = shapes->list[job->shape]->unit;

    return unit != HSI_NONE && shapes->units[unit].cores_milli < 0 ? 1 : span->tasks;
}

int64_t hsi_running_away_units(const struct hs_sched *sched, const struct hs_job *job)
{
    int64_t units = 0;

    if (!sched->free->away_count || !job->alloc) {
        return 0;
    }
    for (uint32_t s = 0; s < job->alloc->span_count; s++) {
        const struct hs_span *span = &job->alloc->spans[s];
        int64_t here = units_on_node(sched, job, span);

        for (uint32_t i = 0; i < span->node_count; i++) {
            units += hsi_is_away(sched->free, span->first_node + i) ? here : 0;
        }
    }
    return units;
}

void hsi_running_change_node(struct hs_sched *sched, uint32_t node, bool is_available)
{
    for (uint32_t r = 0; r < sched->running_count; r++) {
        const struct hs_job *job = sched->running[r];

        for (uint32_t s = 0; s < job->alloc->span_count; s++) {
            const struct hs_span *span = &job->alloc->spans[s];

            if (node >= span->first_node && node - span->first_node < span->node_count) {
                int64_t units = units_on_node(sched, job, span);

                sched->away_units += is_available ? -units : units;
            }
        }
    }
}
