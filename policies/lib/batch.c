/* SPDX-License-Identifier: MIT */
/* batch.c - the matrix of a batch of jobs, and when the pools are ready for them. */
#include "lib/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/seconds.h"

#define UNKNOWN_S 1e12 /* of a job that nobody can predict: longer than any other */

bool hp_batch_init(struct hp_batch *batch, const struct hs_view *view,
                   const struct hp_node_pools *pools)
{
    batch->mapper = hp_mapper_create();
    batch->slots_begin = calloc(pools->count + (size_t)2, sizeof *batch->slots_begin);
    batch->class_times_s = calloc(hs_view_speed_class_count(view), sizeof *batch->class_times_s);
    return batch->mapper && batch->slots_begin && batch->class_times_s;
}

void hp_batch_fini(struct hp_batch *batch)
{
    hp_mapper_destroy(batch->mapper);
    free(batch->jobs);
    free(batch->row_of_job);
    free(batch->urgency);
    free(batch->times_s);
    free(batch->widths);
    free(batch->first);
    free(batch->table);
    free(batch->bookings);
    free(batch->slots);
    free(batch->pool_of_running);
    free(batch->slots_begin);
    free(batch->class_times_s);
    *batch = (struct hp_batch){0};
}

/* Room for `room` items in the array, which may move; false: no memory, and it is as it was.
 * `moved` is a void pointer. */
#define GROW(array, moved, room, size)                                                             \
    ((moved = realloc(array, (room) * (size))) ? ((array) = moved, true) : false)

static uint32_t twice(uint32_t count)
{
    return count < 16 ? 32 : 2 * count;
}

void hp_batch_begin(struct hp_batch *batch)
{
    batch->job_count = batch->row_count = batch->booking_count = 0;
    batch->is_wide = false;
    if (batch->table) {
        memset(batch->table, 0, batch->table_size * sizeof *batch->table);
    }
}

/* Room for one more row behind those that are there. */
static bool reserve_row(struct hp_batch *batch, const struct hp_node_pools *pools)
{
    void *moved;
    uint32_t room = twice(batch->row_count);

    if (batch->row_count < batch->row_room) {
        return true;
    }
    if (!GROW(batch->times_s, moved, room, pools->count * sizeof *batch->times_s) ||
        !GROW(batch->widths, moved, room, pools->count * sizeof *batch->widths) ||
        !GROW(batch->first, moved, room, sizeof *batch->first)) {
        return false;
    }
    batch->row_room = room;
    return true;
}

/* What the host predicts, each speed class being asked once. */
static double predict_s(struct hp_batch *batch, const struct hs_view *view,
                        const struct hs_job *job, uint32_t speed_class)
{
    double *time_s = &batch->class_times_s[speed_class];

    if (*time_s < 0.0) {
        hs_time time = hs_view_predict(view, job, speed_class);

        *time_s = time == HS_TIME_NEVER ? (double)INFINITY : hp_seconds(time);
    }
    return *time_s;
}

/* Does the host predict it on any class, also on those that have no room for it? */
static bool is_known(struct hp_batch *batch, const struct hs_view *view, const struct hs_job *job)
{
    for (uint32_t i = 0; i < hs_view_speed_class_count(view); i++) {
        if (predict_s(batch, view, job, i) < (double)INFINITY) {
            return true;
        }
    }
    return false;
}

/* The row of the job behind those that are there. False: it can run nowhere. */
static bool fill_row(struct hp_batch *batch, const struct hs_view *view,
                     const struct hp_node_pools *pools, const struct hs_job *job)
{
    double *times_s = &batch->times_s[(size_t)batch->row_count * pools->count];
    uint32_t *widths = &batch->widths[(size_t)batch->row_count * pools->count];
    uint32_t class_count = hs_view_speed_class_count(view);
    bool is_like_last =
        batch->row_count > 0 && batch->first[batch->row_count - 1]->shape == job->shape;
    bool has_room = false;
    bool can_run = false;
    bool is_wide = false;

    for (uint32_t i = 0; i < class_count; i++) {
        batch->class_times_s[i] = -1.0;
    }
    for (uint32_t pool = 0; pool < pools->count; pool++) {
        widths[pool] = is_like_last ? widths[(ptrdiff_t)pool - (ptrdiff_t)pools->count]
                                    : hp_pools_width(pools, job, pool);
        times_s[pool] =
            widths[pool] ? predict_s(batch, view, job, pools->speed_class[pool]) : (double)INFINITY;
        has_room = has_room || widths[pool];
        can_run = can_run || times_s[pool] < (double)INFINITY;
        is_wide = is_wide || widths[pool] > 1;
    }
    if (!can_run && has_room && !is_known(batch, view, job)) {
        for (uint32_t pool = 0; pool < pools->count; pool++) {
            times_s[pool] = widths[pool] ? UNKNOWN_S : (double)INFINITY;
        }
        can_run = true;
    }
    batch->is_wide = batch->is_wide || (can_run && is_wide);
    return can_run;
}

static uint64_t hash_row(const struct hs_job *job, const double *times_s, uint32_t count)
{
    uint64_t hash = job->shape;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t bits;

        memcpy(&bits, &times_s[i], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

/* Where the row behind the others stands in the table, or its equal. */
static uint32_t *find_row(struct hp_batch *batch, const struct hp_node_pools *pools,
                          const struct hs_job *job)
{
    const double *times_s = &batch->times_s[(size_t)batch->row_count * pools->count];
    uint32_t mask = batch->table_size - 1;
    uint32_t place = (uint32_t)hash_row(job, times_s, pools->count) & mask;

    while (batch->table[place]) {
        uint32_t row = batch->table[place] - 1;

        if (batch->first[row]->shape == job->shape &&
            memcmp(&batch->times_s[(size_t)row * pools->count], times_s,
                   pools->count * sizeof *times_s) == 0) {
            break;
        }
        place = (place + 1) & mask;
    }
    return &batch->table[place];
}

/* A table that is at most half full with one more row. */
static bool reserve_table(struct hp_batch *batch, const struct hp_node_pools *pools)
{
    void *moved;
    uint32_t rows = batch->row_count;

    if (batch->table_size > 2 * rows + 2) {
        return true;
    }
    batch->table_size = batch->table_size ? 4 * batch->table_size : 64;
    if (!GROW(batch->table, moved, batch->table_size, sizeof *batch->table)) {
        return false;
    }
    memset(batch->table, 0, batch->table_size * sizeof *batch->table);
    for (batch->row_count = 0; batch->row_count < rows; batch->row_count++) {
        *find_row(batch, pools, batch->first[batch->row_count]) = batch->row_count + 1;
    }
    return true;
}

bool hp_batch_add(struct hp_batch *batch, const struct hs_view *view,
                  const struct hp_node_pools *pools, const struct hs_job *job, bool *can_run)
{
    uint32_t *place;
    void *moved;

    if (batch->job_count == batch->job_room) {
        uint32_t room = twice(batch->job_count);

        if (!GROW(batch->jobs, moved, room, sizeof *batch->jobs) ||
            !GROW(batch->row_of_job, moved, room, sizeof *batch->row_of_job) ||
            !GROW(batch->urgency, moved, room, sizeof *batch->urgency)) {
            return false;
        }
        batch->job_room = room;
    }
    if (!reserve_row(batch, pools) || !reserve_table(batch, pools)) {
        return false;
    }
    *can_run = fill_row(batch, view, pools, job);
    if (!*can_run) {
        return true;
    }
    place = find_row(batch, pools, job);
    if (!*place) {
        batch->first[batch->row_count] = job;
        *place = ++batch->row_count;
    }
    batch->jobs[batch->job_count] = job;
    batch->urgency[batch->job_count] =
        batch->aging_ns > 0
            ? 1.0 + hp_seconds(hs_view_now(view) - job->key.submit_ns) / hp_seconds(batch->aging_ns)
            : 1.0;
    batch->row_of_job[batch->job_count++] = *place - 1;
    return true;
}

bool hp_batch_book(struct hp_batch *batch, struct hp_booking booking)
{
    if (batch->booking_count == batch->booking_room) {
        void *moved;
        uint32_t room = twice(batch->booking_count);

        if (!GROW(batch->bookings, moved, room, sizeof *batch->bookings)) {
            return false;
        }
        batch->booking_room = room;
    }
    batch->bookings[batch->booking_count++] = booking;
    return true;
}

/* How long until the job's slots are ready. */
static double left_s(const struct hs_job *job, hs_time now)
{
    if (job->expected_end_ns == HS_TIME_NEVER) {
        return UNKNOWN_S;
    }
    return job->expected_end_ns > now ? hp_seconds(job->expected_end_ns - now) : 0.0;
}

/* The slots of all pools by when they are ready: those that are free, then the running jobs in the
 * order of their ends, which are counted first. */
static bool list_slots(struct hp_batch *batch, const struct hs_view *view,
                       const struct hp_node_pools *pools)
{
    void *moved;
    uint32_t running_count;
    const struct hs_job *const *running = hs_view_running(view, &running_count);
    uint32_t *begin = batch->slots_begin;
    uint32_t wanted = running_count + pools->count;

    if (wanted > batch->slot_room) {
        if (!GROW(batch->slots, moved, twice(wanted), sizeof *batch->slots) ||
            !GROW(batch->pool_of_running, moved, twice(wanted), sizeof *batch->pool_of_running)) {
            return false;
        }
        batch->slot_room = twice(wanted);
    }
    /* begin[pool + 2] counts; then begin[pool + 1] is where the pool's next slots go. */
    memset(begin, 0, (pools->count + (size_t)2) * sizeof *begin);
    for (uint32_t i = 0; i < running_count; i++) {
        batch->pool_of_running[i] = hp_pools_of(pools, running[i]);
        begin[batch->pool_of_running[i] + 2]++;
    }
    for (uint32_t pool = 0; pool < pools->count; pool++) {
        begin[pool + 2] += begin[pool + 1] + 1;
        batch->slots[begin[pool + 1]++] = (struct hp_slots){0.0, hp_pools_slots(pools, pool)};
    }
    for (uint32_t i = 0; i < running_count; i++) {
        uint32_t pool = batch->pool_of_running[i];

        batch->slots[begin[pool + 1]++] = (struct hp_slots){
            left_s(running[i], hs_view_now(view)), hp_pools_held(pools, view, running[i], pool)};
    }
    for (uint32_t pool = 0; pool < pools->count; pool++) {
        struct hp_slots *free = &batch->slots[begin[pool]];

        for (uint32_t i = begin[pool] + 1; i < begin[pool + 1]; i++) {
            struct hp_slots *slots = &batch->slots[i];

            slots->count = slots->count < free->count ? slots->count : free->count;
            free->count -= slots->count;
        }
    }
    return true;
}

/* A booking takes no more slots than are there while nodes are away. */
static void clip_bookings(struct hp_batch *batch, const struct hp_node_pools *pools)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < batch->booking_count; i++) {
        struct hp_booking booking = batch->bookings[i];
        uint32_t slots = hp_pools_slots(pools, booking.column);

        booking.width = booking.width < slots ? booking.width : slots;
        batch->bookings[kept] = booking;
        kept += booking.width > 0;
    }
    batch->booking_count = kept;
}

bool hp_batch_map(struct hp_batch *batch, const struct hs_view *view,
                  const struct hp_node_pools *pools, const struct hp_heuristic *heuristic,
                  double patience, struct hp_mapping *mapping)
{
    struct hp_pools slots;
    struct hp_mapping_problem problem;

    if (!list_slots(batch, view, pools)) {
        return false;
    }
    clip_bookings(batch, pools);
    slots = (struct hp_pools){
        .slots = batch->slots,
        .slots_begin = batch->slots_begin,
        .widths = batch->is_wide ? batch->widths : NULL,
        .bookings = batch->bookings,
        .booking_count = batch->booking_count,
        .patience = patience,
    };
    problem = (struct hp_mapping_problem){
        .task_count = batch->job_count,
        .machine_count = pools->count,
        .row_count = batch->row_count,
        .times_s = batch->times_s,
        .row_of_task = batch->row_of_job,
        .urgency = batch->aging_ns > 0 ? batch->urgency : NULL,
        .pools = &slots,
    };
    return hp_mapper_map(batch->mapper, heuristic, &problem, mapping, NULL) == HS_OK;
}

double hp_batch_time(const struct hp_batch *batch, const struct hp_node_pools *pools, uint32_t i,
                     uint32_t pool)
{
    return batch->times_s[(size_t)batch->row_of_job[i] * pools->count + pool];
}

uint32_t hp_batch_fastest(const struct hp_batch *batch, const struct hp_node_pools *pools,
                          uint32_t i)
{
    uint32_t best = 0;

    for (uint32_t pool = 1; pool < pools->count; pool++) {
        if (hp_batch_time(batch, pools, i, pool) < hp_batch_time(batch, pools, i, best)) {
            best = pool;
        }
    }
    return best;
}
