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

    shadow->time_ns = HS_TIME_NEVER;
    for (uint32_t i = 0; i < count; i++) {
        hs_time end = expected_end(view, running[i]);

        free_units += running[i]->units;
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

/* What is free now and at the shadow time. While jobs can be counted, its cores bound the units of
 * a job that runs past the shadow time. */
static void look_beside(struct hp_shadow *shadow, const struct hs_view *view,
                        const struct hs_demand *demand)
{
    bool is_bounded = hs_view_is_counted(view) && demand->cores_milli > 0 &&
                      !(demand->flags & HS_DEMAND_EXCLUSIVE);

    hs_free_copy(shadow->both, hs_view_free(view));
    hs_free_intersect(shadow->both, shadow->later);
    shadow->extra =
        is_bounded ? hs_free_total_cores_milli(shadow->both) / demand->cores_milli : INT64_MAX;
}

static bool find_placed(struct hp_shadow *shadow, const struct hs_view *view,
                        const struct hs_job *head)
{
    uint32_t count;
    const struct hs_job *const *running = hs_view_running(view, &count);

    if (!shadow->later) {
        shadow->later = hs_free_create(hs_view_cluster(view));
        shadow->both = hs_free_create(hs_view_cluster(view));
        if (!shadow->later || !shadow->both ||
            !hs_alloc_buffer_reserve(&shadow->buffer, hs_view_cluster(view), NULL)) {
            return false;
        }
    }
    shadow->time_ns = HS_TIME_NEVER;
    hs_free_copy(shadow->later, hs_view_free(view));
    for (uint32_t i = 0; i < count; i++) {
        hs_time end = expected_end(view, running[i]);

        hs_free_release(shadow->later, running[i]->demand, running[i]->alloc);
        if (end == HS_TIME_NEVER || (i + 1 < count && expected_end(view, running[i + 1]) == end)) {
            continue;
        }
        if (hs_free_place(shadow->later, head->demand, hs_view_placement(view), &shadow->buffer)) {
            hs_free_take(shadow->later, head->demand, &shadow->buffer.alloc);
            shadow->time_ns = end;
            break;
        }
    }
    look_beside(shadow, view, head->demand);
    return true;
}

bool hp_shadow_find(struct hp_shadow *shadow, const struct hs_view *view, const struct hs_job *head,
                    bool is_placed)
{
    shadow->now_ns = hs_view_now(view);
    shadow->is_counted = !is_placed && hs_view_is_counted(view);
    if (shadow->is_counted) {
        find_counted(shadow, view, head);
        return true;
    }
    return find_placed(shadow, view, head);
}

hs_time hp_shadow_limit_noextra(const void *context, int64_t units)
{
    const struct hp_shadow *shadow = context;

    (void)units;
    return shadow->time_ns == HS_TIME_NEVER ? HS_TIME_NEVER : shadow->time_ns - shadow->now_ns;
}

hs_time hp_shadow_limit(const void *context, int64_t units)
{
    const struct hp_shadow *shadow = context;

    if (units <= shadow->extra) {
        return HS_TIME_NEVER;
    }
    return hp_shadow_limit_noextra(context, units);
}

/* Placed: a job that runs past the shadow time needs nodes that are free now and then. */
static bool start_beside(struct hp_shadow *shadow, const struct hs_view *view, struct hs_plan *plan,
                         const struct hs_job *job)
{
    if (!hs_free_place(shadow->both, job->demand, hs_view_placement(view), &shadow->buffer) ||
        !hs_plan_start_on(plan, job, &shadow->buffer.alloc)) {
        return false;
    }
    hs_free_take(shadow->later, job->demand, job->alloc);
    look_beside(shadow, view, job->demand);
    return true;
}

bool hp_shadow_start(struct hp_shadow *shadow, const struct hs_view *view, struct hs_plan *plan,
                     const struct hs_job *job, bool is_extra)
{
    bool ends_in_time = hp_time_add(hs_view_now(view), job->walltime_ns) <= shadow->time_ns;

    if (shadow->is_counted) {
        if (!ends_in_time && (!is_extra || job->units > shadow->extra)) {
            return false;
        }
        if (!hs_plan_start(plan, job)) {
            return false;
        }
        if (!ends_in_time) {
            shadow->extra -= job->units;
        }
        return true;
    }
    if (ends_in_time) {
        if (!hs_plan_start(plan, job)) {
            return false;
        }
        look_beside(shadow, view, job->demand);
        return true;
    }
    return is_extra && start_beside(shadow, view, plan, job);
}

void hp_shadow_fini(struct hp_shadow *shadow)
{
    hs_free_destroy(shadow->later);
    hs_free_destroy(shadow->both);
    hs_alloc_buffer_fini(&shadow->buffer);
}
