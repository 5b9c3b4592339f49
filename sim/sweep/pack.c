/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pack.c - the least length of a task that needs no more tasks, found by halving. */
#include "sweep/pack.h"

#include <math.h>

#include "hs/base.h"

#define HALVINGS 40 /* to 1e-12 of the target */

/* Fills each task up to the limit. `first` may be NULL. */
static size_t fill(const double *wall_s, size_t count, double target_s, double limit_s,
                   size_t *first)
{
    size_t tasks = 0;
    double sum_s = INFINITY; /* the first run begins a task */

    for (size_t i = 0; i < count; i++) {
        bool is_alone = !(wall_s[i] < target_s);

        if (is_alone || !(sum_s + wall_s[i] <= limit_s)) {
            if (first) {
                first[tasks] = i;
            }
            tasks++;
            sum_s = 0.0;
        }
        sum_s += is_alone ? INFINITY : wall_s[i];
    }
    return tasks;
}

size_t sweep_pack(const double *wall_s, size_t count, double target_s, size_t *first)
{
    size_t tasks = fill(wall_s, count, target_s, target_s, NULL);
    double low_s = 0.0; /* too short, and `high_s` long enough */
    double high_s = target_s;

    HS_ASSERT(count > 0);
    HS_ASSERT(target_s > 0);
    for (int i = 0; i < HALVINGS; i++) {
        double middle_s = 0.5 * (low_s + high_s);

        if (fill(wall_s, count, target_s, middle_s, NULL) <= tasks) {
            high_s = middle_s;
        } else {
            low_s = middle_s;
        }
    }
    (void)fill(wall_s, count, target_s, high_s, first);
    first[tasks] = count;
    return tasks;
}
