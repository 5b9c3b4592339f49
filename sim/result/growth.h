/* SPDX-License-Identifier: GPL-3.0-or-later */
/* growth.h - how the backlog goes through the window of arrivals, from the first to the last
 * submission within the measured window.
 *
 * Nobody knows the end of the window before it is there, so the time since its begin is cut into
 * pieces of equal length, a power of two of ns, which doubles whenever GROWTH_PIECES of them are
 * used up. What comes behind the last submission is kept apart, since it belongs to the window only
 * if another one follows: so a long end of a run makes the pieces no coarser. What is told at the
 * end is over whole pieces; a rest of less than one at the end of the window is left out. All sums
 * are integers. Internal to sim/result. */
#ifndef HSIM_RESULT_GROWTH_H
#define HSIM_RESULT_GROWTH_H

#include "result/result.h"

#define GROWTH_PIECES 1024

struct growth_piece {
    hs_int128 backlog, held; /* processors x ns, core/1000 x ns */
    int64_t least;           /* backlog; -1: nothing was told of the piece */
};

/* Pieces one behind the other; number i begins at i << shift in the window. */
struct growth_track {
    unsigned shift;
    uint64_t first; /* number of pieces[0] */
    size_t used;
    struct growth_piece pieces[GROWTH_PIECES];
};

struct growth {
    hs_time from_ns, to_ns;   /* the measured window */
    hs_time begin_ns, end_ns; /* that of arrivals within it */
    hs_time now_ns;           /* since when the levels hold */
    int64_t backlog, held_milli;
    struct growth_track *tracks; /* until the last submission, and since then; NULL: none was yet */
};

/* In processors, or cores; NaN: there is no window. */
struct growth_levels {
    double early; /* backlog, mean over the first half */
    double least; /* smallest backlog in the last quarter */
    double held;  /* cores held, mean over the last quarter */
};

/* growth_fini in any case. */
void growth_init(struct growth *growth, hs_time from_ns, hs_time to_ns);
void growth_fini(struct growth *growth);

/* Submissions and levels, in the order of time. False: no memory. */
bool growth_submitted(struct growth *growth, hs_time time_ns);
void growth_point(struct growth *growth, hs_time time_ns, int64_t backlog, int64_t held_milli);

struct growth_levels growth_levels(const struct growth *growth);

#endif
