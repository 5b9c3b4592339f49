/* SPDX-License-Identifier: MIT */
/* easy.c - EASY backfilling, in its three meanings.
 *
 * The blocked head of the queue gets a reservation at its shadow time; the others start in queue
 * order if they do not delay it. Recomputed in each pass.
 *   easy          a job may end by the shadow time, or fit into what is left beside the head then
 *   easy-noextra  it must end by the shadow time
 *   easy-hosts    the head reserves concrete left-most nodes even where counting would do, as
 *                 Batsim's easy_bf does
 * Source: Lifka, JSSPP 1995; Mu'alem and Feitelson, IEEE TPDS 12(6), 2001, section 2.1. */
#include "lib/shadow.h"
#include "lib/start_head.h"

struct easy {
    struct hp_shadow shadow;
};

static void backfill(struct easy *self, const struct hs_view *view, struct hs_plan *plan,
                     bool is_placed, bool is_extra)
{
    const struct hs_job *head = hp_start_head(view, plan);
    const struct hs_job *job;

    if (hs_plan_mark(plan) || (head && head->sequence != self->shadow.head)) {
        hp_shadow_forget(&self->shadow); /* it is not of this head, or does not know who started */
    }
    /* The head does not fit; while nobody else would, its reservation does not matter. */
    if (!head || !hs_view_any_fits(view)) {
        return;
    }
    if (!hp_shadow_find(&self->shadow, view, head, is_placed)) {
        hs_plan_fail(plan, "out of memory");
        return;
    }
    hs_view_scan_begin(view, is_extra ? hp_shadow_limit : hp_shadow_limit_noextra, &self->shadow);
    while ((!hs_view_is_counted(view) || hs_view_free_units(view) > 0) &&
           (job = hs_view_scan_next(view))) {
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
