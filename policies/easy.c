/* SPDX-License-Identifier: MIT */
/* easy.c - EASY backfilling, in its four meanings.
 *
 * The blocked head of the queue gets a reservation at its shadow time; the others start in queue
 * order if they do not delay it. Recomputed in each pass.
 *   easy          a job may end by the shadow time, or fit into what is left beside the head then
 *   easy-noextra  it must end by the shadow time
 *   easy-hosts    the head reserves concrete left-most nodes even where counting would do, as
 *                 Batsim's easy_bf does
 *   easy-sjbf     as easy, but the others are tried by their walltime, the shortest first, equal
 *                 ones in order of arrival; the head is that of the queue's order
 * Source: Lifka, JSSPP 1995; Mu'alem and Feitelson, IEEE TPDS 12(6), 2001, section 2.1; shortest
 * job backfilled first: Tsafrir, Etsion and Feitelson, IEEE TPDS 18(6), 2007. */
#include <stdlib.h>

#include "lib/shadow.h"
#include "lib/start_head.h"

struct easy {
    struct hp_shadow shadow;
};

/* Starts from the head what fits, and finds the reservation of the first job that does not. False:
 * nobody is to be backfilled. */
static bool reserve_head(struct easy *self, const struct hs_view *view, struct hs_plan *plan,
                         bool is_placed)
{
    const struct hs_job *head = hp_start_head(view, plan);

    if (hs_plan_mark(plan) || (head && head->sequence != self->shadow.head)) {
        hp_shadow_forget(&self->shadow); /* it is not of this head, or does not know who started */
    }
    /* The head does not fit; while nobody else would, its reservation does not matter. */
    if (!head || !hs_view_any_fits(view)) {
        return false;
    }
    if (!hp_shadow_find(&self->shadow, view, head, is_placed)) {
        hs_plan_fail(plan, "out of memory");
        return false;
    }
    return true;
}

static bool is_full(const struct hs_view *view)
{
    return hs_view_is_counted(view) && hs_view_free_units(view) <= 0;
}

static void backfill(struct easy *self, const struct hs_view *view, struct hs_plan *plan,
                     bool is_placed, bool is_extra)
{
    const struct hs_job *job;

    if (!reserve_head(self, view, plan, is_placed)) {
        return;
    }
    hs_view_scan_begin(view, is_extra ? hp_shadow_limit : hp_shadow_limit_noextra, &self->shadow);
    while (!is_full(view) && (job = hs_view_scan_next(view))) {
        (void)hp_shadow_start(&self->shadow, view, plan, job, is_extra);
    }
}

static void easy_notify(void *self, const struct hs_view *view, const struct hs_event *event)
{
    (void)view;
    hp_shadow_notify(&((struct easy *)self)->shadow, event);
}

static void easy_schedule(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    backfill(self, view, plan, false, true);
}

static void easy_noextra_schedule(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    backfill(self, view, plan, false, false);
}

static void easy_hosts_schedule(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    backfill(self, view, plan, true, true);
}

/* The others, as a heap by walltime, then by arrival. */
struct sjbf {
    struct easy easy; /* first: it is read as an easy */
    const struct hs_job **heap;
    uint32_t room;
};

static bool is_shorter(const struct hs_job *left, const struct hs_job *right)
{
    if (left->walltime_ns != right->walltime_ns) {
        return left->walltime_ns < right->walltime_ns;
    }
    return left->key.submit_ns != right->key.submit_ns ? left->key.submit_ns < right->key.submit_ns
                                                       : left->sequence < right->sequence;
}

/* The job at `at` moves down to its place. */
static void sift(const struct hs_job **heap, uint32_t count, uint32_t at)
{
    const struct hs_job *job = heap[at];

    while (2 * at + 1 < count) {
        uint32_t child = 2 * at + 1;

        child += child + 1 < count && is_shorter(heap[child + 1], heap[child]);
        if (!is_shorter(heap[child], job)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = job;
}

/* What could start beside the head alone; it only gets less while jobs start. Cost: all of them. */
static void easy_sjbf_schedule(void *state, const struct hs_view *view, struct hs_plan *plan)
{
    struct sjbf *self = state;
    struct hp_shadow *shadow = &self->easy.shadow;
    const struct hs_job *job;
    uint32_t count = 0;

    if (self->room < hs_view_slot_room(view)) {
        hs_plan_fail(plan, "out of memory");
        return;
    }
    if (!reserve_head(&self->easy, view, plan, false)) {
        return;
    }
    hs_view_scan_begin(view, hp_shadow_limit, shadow);
    while ((job = hs_view_scan_next(view))) {
        self->heap[count++] = job;
    }
    for (uint32_t i = count / 2; i-- > 0;) {
        sift(self->heap, count, i);
    }
    while (count && !is_full(view)) {
        (void)hp_shadow_start(shadow, view, plan, self->heap[0], true);
        self->heap[0] = self->heap[--count];
        sift(self->heap, count, 0);
    }
}

/* Room for all live jobs, made when they come and not in a pass. */
static void easy_sjbf_notify(void *state, const struct hs_view *view, const struct hs_event *event)
{
    struct sjbf *self = state;
    uint32_t room = hs_view_slot_room(view);
    const struct hs_job **moved;

    easy_notify(state, view, event);
    if (room > self->room) {
        moved = realloc(self->heap, room * sizeof(const struct hs_job *));
        if (moved) {
            self->heap = moved;
            self->room = room;
        }
    }
}

static void easy_sjbf_fini(void *state)
{
    struct sjbf *self = state;

    hp_shadow_fini(&self->easy.shadow);
    free(self->heap);
}

static void easy_fini(void *self)
{
    hp_shadow_fini(&((struct easy *)self)->shadow);
}

HS_RESERVE_DEFINE(easy) = {
    HS_RESERVE_HEADER,
    .name = "easy",
    .summary = "EASY: a job may overtake if the head is not delayed; head reserved by counting",
    .state_size = sizeof(struct easy),
    .fini = easy_fini,
    .notify = easy_notify,
    .schedule = easy_schedule,
};

HS_RESERVE_DEFINE(easy_noextra) = {
    HS_RESERVE_HEADER,
    .name = "easy-noextra",
    .summary = "EASY without the extra rule: who overtakes must end by the head's shadow time",
    .state_size = sizeof(struct easy),
    .fini = easy_fini,
    .notify = easy_notify,
    .schedule = easy_noextra_schedule,
};

HS_RESERVE_DEFINE(easy_hosts) = {
    HS_RESERVE_HEADER,
    .name = "easy-hosts",
    .summary = "EASY with the head on concrete left-most nodes (Batsim's easy_bf)",
    .state_size = sizeof(struct easy),
    .fini = easy_fini,
    .notify = easy_notify,
    .schedule = easy_hosts_schedule,
};

HS_RESERVE_DEFINE(easy_sjbf) = {
    HS_RESERVE_HEADER,
    .name = "easy-sjbf",
    .summary = "EASY that backfills the shortest jobs first; the head is that of the order",
    .state_size = sizeof(struct sjbf),
    .fini = easy_sjbf_fini,
    .notify = easy_sjbf_notify,
    .schedule = easy_sjbf_schedule,
};
