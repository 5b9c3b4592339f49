/* SPDX-License-Identifier: MIT */
/* recorded.c - the schedule that the trace records: every job starts when it started then.
 *
 * Which nodes it had is not known, so it goes where the placement puts it. If there is no room at
 * the recorded instant (the platform is smaller than the site was, or the trace contradicts
 * itself), it starts as soon as it fits: who was to start first is asked first, and those behind do
 * not wait for it. Jobs without a recorded start come after all that are due, by arrival, and start
 * as soon as they fit. */
#include <stdlib.h>

#include "hs/policy.h"

/* A waiting job, by (start, sequence). */
struct wish {
    hs_time start_ns; /* HS_TIME_NEVER: none is recorded */
    uint64_t sequence;
    const struct hs_job *job; /* means something while its slot has this sequence number */
    uint32_t slot;
};

/* An array that grows. */
struct wishes {
    struct wish *list;
    size_t count;
    size_t room;
};

struct recorded {
    bool rejects_unknown;
    struct wishes fresh;  /* since the last pass; their starts are not known yet */
    struct wishes future; /* a heap: the earliest first */
    struct wishes due;    /* in order */
    uint64_t *waits;      /* by slot: sequence number of the waiting job + 1; 0: nobody waits */
    uint32_t slot_room;
    hs_time wake_ns; /* asked for */
    bool is_out_of_memory;
};

static bool comes_before(const struct wish *left, const struct wish *right)
{
    return left->start_ns != right->start_ns ? left->start_ns < right->start_ns
                                             : left->sequence < right->sequence;
}

static bool reserve(struct wishes *wishes)
{
    size_t room = wishes->room ? 2 * wishes->room : 64;
    struct wish *moved;

    if (wishes->count < wishes->room) {
        return true;
    }
    moved = realloc(wishes->list, room * sizeof *moved);
    if (!moved) {
        return false;
    }
    wishes->list = moved;
    wishes->room = room;
    return true;
}

static bool reserve_slots(struct recorded *self, const struct hs_view *view)
{
    uint32_t room = hs_view_slot_room(view);
    uint64_t *moved;

    if (room <= self->slot_room) {
        return true;
    }
    moved = realloc(self->waits, room * sizeof *moved);
    if (!moved) {
        return false;
    }
    for (uint32_t i = self->slot_room; i < room; i++) {
        moved[i] = 0;
    }
    self->waits = moved;
    self->slot_room = room;
    return true;
}

static bool still_waits(const struct recorded *self, const struct wish *wish)
{
    return self->waits[wish->slot] == wish->sequence + 1;
}

static bool heap_push(struct wishes *heap, struct wish wish)
{
    size_t at = heap->count;

    if (!reserve(heap)) {
        return false;
    }
    heap->count++;
    for (; at > 0 && comes_before(&wish, &heap->list[(at - 1) / 2]); at = (at - 1) / 2) {
        heap->list[at] = heap->list[(at - 1) / 2];
    }
    heap->list[at] = wish;
    return true;
}

/* The earliest, which must exist. */
static struct wish heap_pop(struct wishes *heap)
{
    struct wish top = heap->list[0];
    struct wish last = heap->list[--heap->count];
    size_t at = 0;

    for (size_t child = 1; child < heap->count; child = 2 * at + 1) {
        if (child + 1 < heap->count && comes_before(&heap->list[child + 1], &heap->list[child])) {
            child++;
        }
        if (!comes_before(&heap->list[child], &last)) {
            break;
        }
        heap->list[at] = heap->list[child];
        at = child;
    }
    heap->list[at] = last;
    return top;
}

/* Most come in order, to the end. */
static bool add_due(struct wishes *due, struct wish wish)
{
    size_t at = due->count;

    if (!reserve(due)) {
        return false;
    }
    for (; at > 0 && comes_before(&wish, &due->list[at - 1]); at--) {
        due->list[at] = due->list[at - 1];
    }
    due->list[at] = wish;
    due->count++;
    return true;
}

/* New jobs to where they belong. */
static bool sort_fresh(struct recorded *self, const struct hs_view *view, struct hs_plan *plan)
{
    for (size_t i = 0; i < self->fresh.count; i++) {
        struct wish wish = self->fresh.list[i];
        bool is_done = true;

        if (!still_waits(self, &wish)) {
            continue;
        }
        wish.start_ns = hs_view_recorded_start(view, wish.job);
        if (wish.start_ns == HS_TIME_NEVER && self->rejects_unknown) {
            self->waits[wish.slot] = 0;
            (void)hs_plan_reject(plan, wish.job, "the trace has no start of it");
        } else if (wish.start_ns == HS_TIME_NEVER || wish.start_ns <= hs_view_now(view)) {
            is_done = add_due(&self->due, wish);
        } else {
            is_done = heap_push(&self->future, wish);
        }
        if (!is_done) {
            return false;
        }
    }
    self->fresh.count = 0;
    return true;
}

/* What has become due; the next one to come stands at the top of the heap. */
static bool take_due(struct recorded *self, hs_time now)
{
    struct wishes *future = &self->future;

    while (future->count && (future->list[0].start_ns <= now || !still_waits(self, future->list))) {
        struct wish wish = heap_pop(future);

        if (still_waits(self, &wish) && !add_due(&self->due, wish)) {
            return false;
        }
    }
    return true;
}

static void start_due(struct recorded *self, struct hs_plan *plan)
{
    size_t kept = 0;

    for (size_t i = 0; i < self->due.count; i++) {
        struct wish wish = self->due.list[i];

        if (!still_waits(self, &wish)) {
            continue;
        }
        if (hs_plan_start(plan, wish.job)) {
            self->waits[wish.slot] = 0;
        } else {
            self->due.list[kept++] = wish;
        }
    }
    self->due.count = kept;
}

static void recorded_schedule(void *state, const struct hs_view *view, struct hs_plan *plan)
{
    struct recorded *self = state;
    hs_time now = hs_view_now(view);

    if (self->is_out_of_memory || !sort_fresh(self, view, plan) || !take_due(self, now)) {
        hs_plan_fail(plan, "out of memory");
        return;
    }
    start_due(self, plan);
    if (self->future.count &&
        (self->wake_ns <= now || self->future.list[0].start_ns < self->wake_ns)) {
        self->wake_ns = self->future.list[0].start_ns;
        hs_plan_wake(plan, self->wake_ns);
    }
}

static void recorded_notify(void *state, const struct hs_view *view, const struct hs_event *event)
{
    struct recorded *self = state;
    const struct hs_job *job = event->job;

    if (!reserve_slots(self, view)) {
        self->is_out_of_memory = true;
        return;
    }
    switch (event->kind) {
    case HS_EVENT_SUBMITTED:
    case HS_EVENT_START_FAILED:
        if (!reserve(&self->fresh)) {
            self->is_out_of_memory = true;
            return;
        }
        self->fresh.list[self->fresh.count++] =
            (struct wish){.sequence = job->sequence, .job = job, .slot = job->slot};
        self->waits[job->slot] = job->sequence + 1;
        break;
    case HS_EVENT_CANCELLED:
        self->waits[job->slot] = 0;
        break;
    case HS_EVENT_STARTED:
    case HS_EVENT_FINISHED:
    case HS_EVENT_TIMER:
    case HS_EVENT_EXPECTED:
    case HS_EVENT_NODE:
        break;
    }
}

static enum hs_err recorded_init(void *state, const struct hs_view *view, struct hs_error *error)
{
    struct recorded *self = state;

    (void)view;
    (void)error;
    self->wake_ns = INT64_MIN;
    return HS_OK;
}

static void recorded_fini(void *state)
{
    struct recorded *self = state;

    free(self->fresh.list);
    free(self->future.list);
    free(self->due.list);
    free(self->waits);
}

static const struct hs_param recorded_params[] = {
    HS_PARAM_BOOL(struct recorded, rejects_unknown, "false",
                  "reject jobs without a recorded start, instead of starting them when they fit"),
    HS_PARAM_END,
};

HS_POLICY_DEFINE(recorded) = {
    HS_POLICY_HEADER,
    .name = "recorded",
    .summary = "the trace's own starts; later where there is no room then",
    .params = recorded_params,
    .state_size = sizeof(struct recorded),
    .init = recorded_init,
    .fini = recorded_fini,
    .notify = recorded_notify,
    .schedule = recorded_schedule,
    .flags = HS_POLICY_REPLAYS,
};
