/* SPDX-License-Identifier: GPL-3.0-or-later */
/* growth.c - sums of the backlog by pieces of time. */
#include "result/growth.h"

#include <math.h>
#include <stdlib.h>

enum { TRACK_WINDOW, TRACK_TAIL, TRACK_COUNT };

void growth_init(struct growth *growth, hs_time from_ns, hs_time to_ns)
{
    *growth = (struct growth){.from_ns = from_ns, .to_ns = to_ns};
}

void growth_fini(struct growth *growth)
{
    free(growth->tracks);
    growth->tracks = NULL;
}

static void add(struct growth_piece *to, const struct growth_piece *more)
{
    to->backlog += more->backlog;
    to->held += more->held;
    if (to->least < 0 || (more->least >= 0 && more->least < to->least)) {
        to->least = more->least;
    }
}

/* The piece of this number; those before it are there, too. */
static struct growth_piece *piece_at(struct growth_track *track, uint64_t number)
{
    while (track->first + track->used <= number) {
        track->pieces[track->used++] = (struct growth_piece){.least = -1};
    }
    return &track->pieces[number - track->first];
}

/* Pieces become twice as long. */
static void fold(struct growth_track *track)
{
    uint64_t first = track->first;
    size_t used = track->used;

    track->first = first / 2;
    track->used = 0;
    track->shift++;
    for (size_t i = 0; i < used; i++) {
        struct growth_piece piece = track->pieces[i]; /* not behind the one that it goes to */

        add(piece_at(track, (first + i) / 2), &piece);
    }
}

static void fold_until(struct growth_track *track, uint64_t offset_ns)
{
    while ((offset_ns >> track->shift) - track->first >= GROWTH_PIECES) {
        fold(track);
    }
}

/* The levels hold until then, as far as the window goes. */
static void advance(struct growth *growth, hs_time time_ns)
{
    struct growth_track *track = &growth->tracks[TRACK_TAIL];
    hs_time from_ns = growth->now_ns > growth->begin_ns ? growth->now_ns : growth->begin_ns;
    hs_time to_ns = time_ns < growth->to_ns ? time_ns : growth->to_ns;
    uint64_t from = (uint64_t)from_ns - (uint64_t)growth->begin_ns;
    uint64_t to = (uint64_t)to_ns - (uint64_t)growth->begin_ns;

    growth->now_ns = time_ns;
    if (from_ns >= to_ns) {
        return;
    }
    fold_until(track, to - 1);
    while (from < to) {
        uint64_t number = from >> track->shift;
        uint64_t end = (number + 1) << track->shift;
        uint64_t step = (end < to ? end : to) - from;

        add(piece_at(track, number),
            &(struct growth_piece){(hs_int128)growth->backlog * step,
                                   (hs_int128)growth->held_milli * step, growth->backlog});
        from += step;
    }
}

/* What has passed since the last submission belongs to the window. */
static void take_tail(struct growth *growth)
{
    struct growth_track *window = &growth->tracks[TRACK_WINDOW];
    struct growth_track *tail = &growth->tracks[TRACK_TAIL];
    uint64_t end = (uint64_t)growth->end_ns - (uint64_t)growth->begin_ns;

    fold_until(window, end);
    while (window->shift < tail->shift) {
        fold(window);
    }
    while (tail->shift < window->shift) {
        fold(tail);
    }
    for (size_t i = 0; i < tail->used; i++) {
        add(piece_at(window, tail->first + i), &tail->pieces[i]);
    }
    tail->first = end >> tail->shift;
    tail->used = 0;
}

bool growth_submitted(struct growth *growth, hs_time time_ns)
{
    if (time_ns < growth->from_ns || time_ns > growth->to_ns) {
        return true;
    }
    if (!growth->tracks) {
        growth->tracks = calloc(TRACK_COUNT, sizeof *growth->tracks);
        if (!growth->tracks) {
            return false;
        }
        growth->begin_ns = growth->end_ns = time_ns;
    }
    if (time_ns > growth->end_ns) {
        advance(growth, time_ns);
        growth->end_ns = time_ns;
        take_tail(growth);
    }
    return true;
}

void growth_point(struct growth *growth, hs_time time_ns, int64_t backlog, int64_t held_milli)
{
    if (backlog == growth->backlog && held_milli == growth->held_milli) {
        return;
    }
    if (growth->tracks) {
        advance(growth, time_ns);
    }
    growth->now_ns = time_ns;
    growth->backlog = backlog;
    growth->held_milli = held_milli;
}

struct growth_levels growth_levels(const struct growth *growth)
{
    const struct growth_track *window = growth->tracks ? &growth->tracks[TRACK_WINDOW] : NULL;
    uint64_t span = (uint64_t)growth->end_ns - (uint64_t)growth->begin_ns;
    size_t count = window ? (size_t)(span >> window->shift) : 0;
    struct growth_piece early = {.least = -1};
    struct growth_piece late = {.least = -1};

    if (count < 4) {
        return (struct growth_levels){NAN, NAN, NAN};
    }
    for (size_t i = 0; i < count; i++) {
        if (i < count / 2) {
            add(&early, &window->pieces[i]);
        } else if (i >= count - count / 4) {
            add(&late, &window->pieces[i]);
        }
    }
    return (struct growth_levels){
        .early = (double)early.backlog / ldexp((double)(count / 2), (int)window->shift),
        .least = (double)late.least,
        .held = (double)late.held / ldexp((double)(count / 4), (int)window->shift) / 1000,
    };
}
