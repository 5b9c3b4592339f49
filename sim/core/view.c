/* SPDX-License-Identifier: MIT */
/* view.c - what policies see. */
#include "sched_internal.h"

#include "random.h"

hs_time hs_view_now(const struct hs_view *view)
{
    return view->sched->now;
}

const struct hs_cluster *hs_view_cluster(const struct hs_view *view)
{
    return view->sched->cluster;
}

/* From `job` on, the first that still waits in the plan under construction. */
static const struct hs_job *skip_taken(struct hs_sched *sched, struct hsi_job *job)
{
    while (job && (job->pub.state != HS_JOB_PENDING || job->is_rejected)) {
        job = hsi_queue_next(sched, job);
    }
    if (!job) {
        return NULL;
    }
    sched->stats.examined++;
    return &job->pub;
}

const struct hs_job *hs_view_first(const struct hs_view *view)
{
    return skip_taken(view->sched, hsi_queue_first(view->sched));
}

const struct hs_job *hs_view_next(const struct hs_view *view, const struct hs_job *job)
{
    struct hs_sched *sched = view->sched;

    return skip_taken(sched, hsi_queue_next(sched, hsi_job_from(sched, job)));
}

uint32_t hs_view_pending_count(const struct hs_view *view)
{
    return view->sched->queue.count;
}

int hs_view_compare(const struct hs_view *view, const struct hs_job *left,
                    const struct hs_job *right)
{
    struct hs_sched *sched = view->sched;
    const struct hsi_job *a = hsi_job_from(sched, left);
    const struct hsi_job *b = hsi_job_from(sched, right);
    const struct hs_order *order = hsi_order(sched);
    double a_key = 0;
    double b_key = 0;

    if (order && !order->is_arrival) {
        a_key = hsi_queue_key(sched, a);
        b_key = hsi_queue_key(sched, b);
    }
    if (a_key != b_key) {
        return a_key < b_key ? -1 : 1;
    }
    return hsi_arrives_before(a, b) ? -1 : hsi_arrives_before(b, a);
}

const struct hs_job *const *hs_view_running(const struct hs_view *view, uint32_t *count)
{
    *count = view->sched->running_count;
    return view->sched->running;
}

const struct hs_free *hs_view_free(const struct hs_view *view)
{
    return view->sched->free;
}

void hs_view_scan_begin(const struct hs_view *view, hs_scan_limit limit, const void *context)
{
    hsi_scan_begin(view->sched, limit, context);
}

const struct hs_job *hs_view_scan_next(const struct hs_view *view)
{
    struct hsi_job *job = hsi_scan_next(view->sched);

    return job ? &job->pub : NULL;
}

bool hs_view_any_fits(const struct hs_view *view)
{
    return hsi_index_any(view->sched);
}

bool hs_view_fits(const struct hs_view *view, const struct hs_demand *demand)
{
    if (!view->sched->is_plain) {
        (void)hs_free_track(view->sched->free,
                            hs_view_placement(view)); /* without memory it takes longer */
    }
    return hs_free_fits(view->sched->free, demand);
}

bool hs_view_is_counted(const struct hs_view *view)
{
    const struct hsi_shapes *shapes = &view->sched->shapes;

    return shapes->uncounted_jobs == 0 && shapes->live_units <= 1;
}

int64_t hs_view_total_units(const struct hs_view *view)
{
    return view->sched->shapes.live_capacity;
}

int64_t hs_view_free_units(const struct hs_view *view)
{
    return hs_view_total_units(view) - view->sched->used_units + view->sched->away_units;
}

int64_t hs_view_units_back(const struct hs_view *view, const struct hs_job *job)
{
    return job->units - hsi_running_away_units(view->sched, job);
}

const struct hs_placement *hs_view_placement(const struct hs_view *view)
{
    const struct hs_placement *placement = &view->sched->stack->placement;
    bool is_plain = !placement->score && !placement->rank && !placement->flags &&
                    placement->local == HS_LOCAL_TIGHT;

    return is_plain ? NULL : placement;
}

const struct hs_mix *hs_view_mix(const struct hs_view *view)
{
    return view->sched->mix;
}

hs_time hs_view_recorded_start(const struct hs_view *view, const struct hs_job *job)
{
    const struct hs_history *history = view->sched->history;

    return history ? history->start(history->context, job) : HS_TIME_NEVER;
}

double hs_view_random(const struct hs_view *view, const char *stream, uint64_t id)
{
    return hsi_random_keyed(view->sched->seed, stream, id);
}

uint32_t hs_view_slot_room(const struct hs_view *view)
{
    return view->sched->jobs.slot_room;
}

void hs_view_count_examined(const struct hs_view *view, uint32_t jobs)
{
    view->sched->stats.examined += jobs;
}
