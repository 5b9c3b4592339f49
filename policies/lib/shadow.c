/* SPDX-License-Identifier: MIT */
/* shadow.c - the reservation of the blocked head, by counting or by placing. */
#include "lib/shadow.h"

#include "lib/seconds.h"

static hs_time expected_end(const struct hs_view *view, const struct hs_job *job)
{
    hs_time now = hs_view_now(view);

    return job->expected_end_ns > now ? job->expected_end_ns : now;
}

static void find_counted(struct hp_shadow *shadow, const struct hs_view *view,
                         const struct hs_job *head)
{
    uint32_t count;
    const struct hs_job *const *running = hs_view_running(view, &count);
    int64_t free_units = hs_view_free_units(view);
    bool is_whole = !hs_free_away_count(hs_view_free(view)); /* no node is away */

    shadow->time_ns = HS_TIME_NEVER;
    for (uint32_t i = 0; i < count; i++) {
        hs_time end = expected_end(view, running[i]);

        free_units += is_whole ? running[i]->units : hs_view_units_back(view, running[i]);
        if (i + 1 < count && expected_end(view, running[i + 1]) == end) {
            continue; /* all that end at one instant are free together */
        }
        if (end != HS_TIME_NEVER && free_units >= head->units) {
            shadow->time_ns = end;
            break;
        }
    }
    shadow->extra = free_units - head->units;
}

/* On the nodes of an allocation, `both` becomes what is free now and at the shadow time. Elsewhere
 * no more is free now than then: only the head takes something in between. */
static void look_beside(struct hp_shadow *shadow, const struct hs_alloc *alloc)
{
    for (uint32_t s = 0; s < alloc->span_count; s++) {
        const struct hs_span *span = &alloc->spans[s];

        for (uint32_t i = span->first_node; i < span->first_node + span->node_count; i++) {
            hs_free_copy_node(shadow->both, hs_view_free(shadow->view), i);
            hs_free_intersect_node(shadow->both, shadow->later, i);
        }
    }
}

static bool create_states(struct hp_shadow *shadow, const struct hs_view *view,
                          const struct hs_job *head)
{
    if (!shadow->later) {
        shadow->later = hs_free_create(hs_view_cluster(view));
        shadow->both = hs_free_create(hs_view_cluster(view));
        if (!shadow->later || !shadow->both) {
            return false;
        }
        (void)hs_free_track(shadow->later,
                            hs_view_placement(view)); /* without memory they are slower */
        (void)hs_free_track(shadow->both, hs_view_placement(view));
    }
    return hs_alloc_buffer_reserve(&shadow->buffer, hs_view_cluster(view), head->demand);
}

static bool find_placed(struct hp_shadow *shadow, const struct hs_view *view,
                        const struct hs_job *head)
{
    uint32_t count;
    const struct hs_job *const *running = hs_view_running(view, &count);

    if (!create_states(shadow, view, head)) {
        return false;
    }
    shadow->time_ns = HS_TIME_NEVER;
    shadow->buffer.alloc = (struct hs_alloc){0};
    hs_free_follow(shadow->later, hs_view_free(view));
    for (uint32_t i = 0; i < count; i++) {
        hs_time end = expected_end(view, running[i]);

        if (end == HS_TIME_NEVER) {
            break;
        }
        hs_free_release(shadow->later, running[i]->demand, running[i]->alloc);
        if (i + 1 < count && expected_end(view, running[i + 1]) == end) {
            continue; /* all that end at one instant are free together */
        }
        if (hs_free_fits(shadow->later, head->demand) &&
            hs_free_place(shadow->later, head->demand, hs_view_placement(view), &shadow->buffer)) {
            hs_free_take(shadow->later, head->demand, &shadow->buffer.alloc);
            shadow->time_ns = end;
            break;
        }
    }
    hs_free_follow(shadow->both, hs_view_free(view));
    if (shadow->time_ns != HS_TIME_NEVER) {
        look_beside(shadow, &shadow->buffer.alloc);
    }
    shadow->is_kept = true;
    return true;
}

bool hp_shadow_find(struct hp_shadow *shadow, const struct hs_view *view, const struct hs_job *head,
                    bool is_placed)
{
    bool is_counted = !is_placed && hs_view_is_counted(view);
    bool is_same = shadow->is_kept && !is_counted && !shadow->is_counted &&
                   shadow->head == head->sequence && shadow->time_ns > hs_view_now(view);

    shadow->view = view;
    shadow->now_ns = hs_view_now(view);
    shadow->is_counted = is_counted;
    shadow->head = head->sequence;
    if (is_same) {
        return true;
    }
    shadow->is_kept = false;
    if (is_counted) {
        find_counted(shadow, view, head);
        return true;
    }
    return find_placed(shadow, view, head);
}

void hp_shadow_forget(struct hp_shadow *shadow)
{
    shadow->is_kept = false;
}

void hp_shadow_notify(struct hp_shadow *shadow, const struct hs_event *event)
{
    switch (event->kind) {
    case HS_EVENT_SUBMITTED:
        if (shadow->later) {
            hs_free_expect(shadow->later, event->job->demand);
            hs_free_expect(shadow->both, event->job->demand);
        }
        break;
    case HS_EVENT_TIMER:
        break;
    case HS_EVENT_STARTED: /* after its pass: it ends later than was assumed */
        shadow->is_kept &= event->job->start_ns == shadow->now_ns;
        break;
    case HS_EVENT_EXPECTED:
    case HS_EVENT_START_FAILED:
    case HS_EVENT_FINISHED:
    case HS_EVENT_CANCELLED:
    case HS_EVENT_NODE:
        shadow->is_kept = false;
        break;
    }
}

static hs_time until_shadow(const struct hp_shadow *shadow)
{
    return shadow->time_ns == HS_TIME_NEVER ? HS_TIME_NEVER : shadow->time_ns - shadow->now_ns;
}

hs_time hp_shadow_limit_noextra(const void *context, int64_t units, const struct hs_demand *demand)
{
    const struct hp_shadow *shadow = context;

    (void)units;
    return shadow->is_counted || hs_view_fits(shadow->view, demand) ? until_shadow(shadow) : -1;
}

hs_time hp_shadow_limit(const void *context, int64_t units, const struct hs_demand *demand)
{
    const struct hp_shadow *shadow = context;

    if (shadow->is_counted ? units <= shadow->extra : hs_free_fits(shadow->both, demand)) {
        return HS_TIME_NEVER;
    }
    return hp_shadow_limit_noextra(context, units, demand);
}

static bool start_counted(struct hp_shadow *shadow, struct hs_plan *plan, const struct hs_job *job,
                          bool ends_in_time, bool is_extra)
{
    if ((!ends_in_time && (!is_extra || job->units > shadow->extra)) || !hs_plan_start(plan, job)) {
        return false;
    }
    if (!ends_in_time) {
        shadow->extra -= job->units;
    }
    return true;
}

bool hp_shadow_start(struct hp_shadow *shadow, const struct hs_view *view, struct hs_plan *plan,
                     const struct hs_job *job, bool is_extra)
{
    bool ends_in_time = hp_time_add(hs_view_now(view), job->walltime_ns) <= shadow->time_ns;

    if (shadow->is_counted) {
        return start_counted(shadow, plan, job, ends_in_time, is_extra);
    }
    if (ends_in_time) {
        if (!hs_plan_start(plan, job)) {
            return false;
        }
    } else {
        /* It runs past the shadow time: it needs nodes that are free now and then. */
        if (!is_extra ||
            !hs_free_place(shadow->both, job->demand, hs_view_placement(view), &shadow->buffer) ||
            !hs_plan_start_on(plan, job, &shadow->buffer.alloc)) {
            return false;
        }
        hs_free_take(shadow->later, job->demand, job->alloc);
    }
    look_beside(shadow, job->alloc);
    return true;
}

void hp_shadow_fini(struct hp_shadow *shadow)
{
    hs_free_destroy(shadow->later);
    hs_free_destroy(shadow->both);
    hs_alloc_buffer_fini(&shadow->buffer);
}
