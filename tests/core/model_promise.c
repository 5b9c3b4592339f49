/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_promise.c - a watch over the head of the queue: when would it start if nobody else did? */
#include <inttypes.h>

#include "model_books.h"
#include "model_tests.h"

int model_first_waiting(const struct drive *drive)
{
    for (uint32_t job = 0; job < drive->model->job_count; job++) {
        if (drive->state[job] == DRIVE_WAITING) {
            return (int)job;
        }
    }
    return -1;
}

/* The earliest expected end by which the head fits, if nobody else starts. */
static hs_time planned_start(const struct drive *drive, uint32_t head)
{
    struct books books = drive->books;
    bool is_back[MODEL_JOBS_MAX] = {false};

    while (!books_fit(drive->model, &books, head)) {
        int first = -1;

        for (uint32_t job = 0; job < drive->model->job_count; job++) {
            if (drive->state[job] == DRIVE_HOLDING && !is_back[job] &&
                (first < 0 ||
                 drive->outcome->start_ns[job] + drive->model->jobs[job].request_ns <
                     drive->outcome->start_ns[first] + drive->model->jobs[first].request_ns)) {
                first = (int)job;
            }
        }
        if (first < 0) {
            return HS_TIME_NEVER;
        }
        books_return(drive, &books, (uint32_t)first);
        is_back[first] = true;
        if (books_fit(drive->model, &books, head)) {
            return drive->outcome->start_ns[first] + drive->model->jobs[first].request_ns;
        }
    }
    return drive->now;
}

bool model_head_is_kept(void *self, struct drive *drive)
{
    struct model_promise *promise = self;
    int head = model_first_waiting(drive);
    int old = promise->head;

    if (drive->passes == 1) {
        promise->head = old = -1;
    }
    if (old >= 0 && drive->outcome->attempts[old] > 0 &&
        drive->outcome->start_ns[old] > promise->plan_ns) {
        return drive_complain(drive, "job %d started after its planned start", old);
    }
    if (head >= 0) {
        hs_time plan = planned_start(drive, (uint32_t)head);

        if (plan == HS_TIME_NEVER) {
            return drive_complain(drive, "job %d can never start", head);
        }
        if (head == old && plan > promise->plan_ns) {
            return drive_complain(
                drive, "the planned start of job %d moves from %" PRId64 " to %" PRId64 " ns", head,
                promise->plan_ns, plan);
        }
        promise->plan_ns = plan;
    }
    promise->head = head;
    return true;
}

void model_keep_promises(struct model_case *model)
{
    model->fail_permille = 0;
    model->is_confirmed_late = false;
    model->correct_percent = 0;
    for (uint32_t job = 0; job < model->job_count; job++) {
        struct model_job *it = &model->jobs[job];

        it->run_ns = it->run_ns < it->request_ns ? it->run_ns : it->request_ns;
    }
}
