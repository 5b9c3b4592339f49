/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pool.c - every way in which a piece of work can end, and what the others see of it. */
#include "sweep/pool.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

#define PIECES_MAX 64
#define MIB        (INT64_C(1) << 20)

/* What piece number i does: a letter each. */
struct bench {
    /* d done, e error, c crash, x exit, s sleep, m memory, l later first; w: all is computed, and
     * it waits until a later piece begins */
    const char *plan;
    int later[2]; /* pipe with a byte for each piece but the first that has begun */
    int64_t next;
    int64_t asked_later;
    int running, running_max, ticks;
    struct pool_result results[PIECES_MAX];
    bool has_ended[PIECES_MAX];
    pid_t processes[PIECES_MAX];
    volatile sig_atomic_t stop;
    int stop_after; /* ends; 0: never */
    int stop_to;
    int refuse_after; /* ends; 0: never */
    int ended;
};

static void nap(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};

    while (nanosleep(&time, &time) != 0 && errno == EINTR) {
    }
}

static int64_t next(void *context)
{
    struct bench *bench = context;

    if (!bench->plan[bench->next]) {
        return POOL_NONE;
    }
    if (bench->plan[bench->next] == 'l' && bench->asked_later++ < 3) {
        return POOL_LATER;
    }
    return bench->next++;
}

static enum hs_err work(void *context, int64_t piece, struct pool_child *child, double *work_s,
                        struct hs_error *error)
{
    const struct bench *bench = context;
    size_t size = (size_t)(300 * MIB);
    char *memory;
    char byte;

    switch (bench->plan[piece]) {
    case 'e':
        return hs_error_set(error, HS_ERR_POLICY, "piece %lld does not like it", (long long)piece);
    case 'c':
        (void)signal(SIGABRT, SIG_DFL);
        (void)raise(SIGABRT);
        break;
    case 'x':
        _exit(0);
    case 's':
        nap(60);
        break;
    case 'w':
        pool_child_waits(child);
        if (poll(&(struct pollfd){.fd = bench->later[0], .events = POLLIN}, 1, 20000) != 1 ||
            read(bench->later[0], &byte, 1) != 1) {
            return hs_error_set(error, HS_ERR_SYSTEM, "no other piece has begun");
        }
        break;
    case 'm':
        memory = malloc(size);
        for (size_t i = 0; memory && i < size; i += 512) {
            ((volatile char *)memory)[i] = 1; /* else a compiler leaves all of it out */
        }
        nap(60);
        free(memory);
        break;
    default:
        break;
    }
    *work_s = 0.25 + (double)piece;
    return HS_OK;
}

static void unbegun(void *context, int64_t piece)
{
    (void)context;
    (void)piece;
    CU_FAIL("no process could be made");
}

static void began(void *context, int64_t piece, pid_t process)
{
    struct bench *bench = context;

    bench->processes[piece] = process;
    if (piece > 0 && bench->later[1] > 0) {
        CU_ASSERT_EQUAL(write(bench->later[1], "", 1), 1);
    }
    bench->running++;
    bench->running_max = bench->running > bench->running_max ? bench->running : bench->running_max;
}

static bool ended(void *context, int64_t piece, const struct pool_result *result)
{
    struct bench *bench = context;

    bench->running--;
    bench->ended++;
    CU_ASSERT_FALSE(bench->has_ended[piece]);
    bench->has_ended[piece] = true;
    bench->results[piece] = *result;
    if (bench->stop_after && bench->ended == bench->stop_after) {
        bench->stop = bench->stop_to;
    }
    return !bench->refuse_after || bench->ended < bench->refuse_after;
}

static void tick(void *context)
{
    struct bench *bench = context;

    bench->ticks++;
}

static void run(struct bench *bench, unsigned jobs, double time_limit_s, int64_t memory_limit_bytes)
{
    struct pool_options options = {
        .jobs = jobs,
        .time_limit_s = time_limit_s,
        .memory_limit_bytes = memory_limit_bytes,
        .stop = &bench->stop,
        .next = next,
        .work = work,
        .unbegun = unbegun,
        .began = began,
        .ended = ended,
        .tick = tick,
        .context = bench,
    };
    struct hs_error error = {0};

    CU_ASSERT_EQUAL(pool_run(&options, &error), HS_OK);
    CU_ASSERT_EQUAL(bench->running, 0);
    CU_ASSERT_EQUAL(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    CU_ASSERT_EQUAL(errno, ECHILD);
}

static void each_end_is_told(void)
{
    struct bench bench = {.plan = "decxd"};

    run(&bench, 3, 0, 0);
    CU_ASSERT_EQUAL(bench.ended, 5);
    CU_ASSERT_EQUAL(bench.results[0].end, POOL_DONE);
    CU_ASSERT_EQUAL(bench.results[0].work_s, 0.25);
    CU_ASSERT_EQUAL(bench.results[1].end, POOL_ERROR);
    CU_ASSERT_EQUAL(bench.results[1].error.code, HS_ERR_POLICY);
    CU_ASSERT_STRING_EQUAL(bench.results[1].error.text, "piece 1 does not like it");
    CU_ASSERT_EQUAL(bench.results[2].end, POOL_SIGNAL);
    CU_ASSERT_EQUAL(bench.results[2].signal, SIGABRT);
    CU_ASSERT_EQUAL(bench.results[3].end, POOL_SIGNAL);
    CU_ASSERT_EQUAL(bench.results[3].signal, 0);
    CU_ASSERT_EQUAL(bench.results[4].end, POOL_DONE);
    CU_ASSERT_EQUAL(bench.results[4].work_s, 4.25);
    CU_ASSERT(bench.results[4].rss_bytes > 0);
}

static void never_more_than_jobs(void)
{
    struct bench bench = {.plan = "dddddddddddddddddddddddddddddd"};

    run(&bench, 4, 0, 0);
    CU_ASSERT_EQUAL(bench.ended, 30);
    CU_ASSERT_EQUAL(bench.running_max, 4);
    memset(&bench, 0, sizeof bench);
    bench.plan = "ddd";
    run(&bench, 1, 0, 0);
    CU_ASSERT_EQUAL(bench.running_max, 1);
}

/* Of one that only waits, the processor is free for the next; but not for any number. */
static void who_waits_lets_others_begin(void)
{
    struct bench bench = {.plan = "wwwwd"};

    CU_ASSERT_EQUAL(pipe(bench.later), 0);
    run(&bench, 1, 0, 0);
    CU_ASSERT_EQUAL(bench.ended, 5);
    CU_ASSERT_EQUAL(bench.running_max, (int)pool_places(1));
    for (int i = 0; i < 5; i++) {
        CU_ASSERT_EQUAL(bench.results[i].end, POOL_DONE);
        CU_ASSERT_EQUAL(bench.results[i].work_s, 0.25 + i);
    }
    (void)close(bench.later[0]);
    (void)close(bench.later[1]);
}

static void limits_end_one_piece(void)
{
    struct bench bench = {.plan = "smd"};

    run(&bench, 3, 0.4, 0);
    CU_ASSERT_EQUAL(bench.results[0].end, POOL_TIME);
    CU_ASSERT(bench.results[0].wall_s >= 0.4);
    CU_ASSERT(bench.results[0].wall_s < 30);
    CU_ASSERT_EQUAL(bench.results[2].end, POOL_DONE);
    memset(&bench, 0, sizeof bench);
    bench.plan = "dmd";
    run(&bench, 2, 50, 250 * MIB);
    CU_ASSERT_EQUAL(bench.results[0].end, POOL_DONE);
    CU_ASSERT_EQUAL(bench.results[1].end, POOL_MEMORY);
    CU_ASSERT_EQUAL(bench.results[2].end, POOL_DONE);
}

static void one_signal_lets_them_finish(void)
{
    struct bench bench = {.plan = "dddddddddd", .stop_after = 3, .stop_to = 1};

    run(&bench, 2, 0, 0);
    CU_ASSERT(bench.ended >= 3);
    CU_ASSERT(bench.ended <= 4); /* and the one that ran meanwhile */
    for (int i = 0; i < bench.ended; i++) {
        CU_ASSERT_EQUAL(bench.results[i].end, POOL_DONE);
    }
}

static void two_signals_kill_them(void)
{
    struct bench bench = {.plan = "sdsdd", .stop_after = 1, .stop_to = 2};

    run(&bench, 3, 0, 0);
    CU_ASSERT_EQUAL(bench.results[0].end, POOL_KILLED);
    CU_ASSERT_EQUAL(bench.results[1].end, POOL_DONE);
    CU_ASSERT_EQUAL(bench.results[2].end, POOL_KILLED);
    CU_ASSERT_EQUAL(bench.ended, 3);
}

static void a_refusal_begins_nothing_more(void)
{
    struct bench bench = {.plan = "dedddd", .refuse_after = 2};

    run(&bench, 1, 0, 0);
    CU_ASSERT_EQUAL(bench.ended, 2);
}

static void later_is_asked_again(void)
{
    struct bench bench = {.plan = "dld"};

    run(&bench, 2, 0, 0);
    CU_ASSERT_EQUAL(bench.ended, 3);
    CU_ASSERT(bench.asked_later >= 4);
    CU_ASSERT(bench.ticks >= 3);
}

/* Writes the child's number into the pipe, and waits to be killed. */
struct orphan {
    int pipe_end;
};

static int64_t next_orphan(void *context)
{
    (void)context;
    return 0;
}

static enum hs_err wait_for_death(void *context, int64_t piece, struct pool_child *child,
                                  double *work_s, struct hs_error *error)
{
    const struct orphan *orphan = context;
    pid_t own = getpid();

    (void)child;
    (void)piece;
    (void)work_s;
    (void)error;
    (void)!write(orphan->pipe_end, &own, sizeof own);
    nap(60);
    return HS_OK;
}

static void ignore_begin(void *context, int64_t piece, pid_t process)
{
    (void)context;
    (void)piece;
    (void)process;
}

/* The end of the pipe comes when nobody can write into it any more: parent and child are dead. */
static void children_die_with_the_parent(void)
{
    int ends[2];
    pid_t parent;
    pid_t child = 0;
    char more;

    CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
    (void)fflush(NULL);
    parent = fork();
    if (parent == 0) {
        volatile sig_atomic_t stop = 0;
        struct orphan orphan = {ends[1]};
        struct pool_options options = {.jobs = 1,
                                       .stop = &stop,
                                       .next = next_orphan,
                                       .work = wait_for_death,
                                       .began = ignore_begin,
                                       .context = &orphan};
        struct hs_error error = {0};

        _exit((int)pool_run(&options, &error));
    }
    (void)close(ends[1]);
    CU_ASSERT_EQUAL(read(ends[0], &child, sizeof child), (ssize_t)sizeof child);
    CU_ASSERT_EQUAL(kill(child, 0), 0);
    (void)kill(child, SIGINT); /* which it ignores */
    (void)kill(child, SIGTERM);
    nap(0.05);
    CU_ASSERT_EQUAL(kill(child, 0), 0);
    (void)kill(parent, SIGKILL);
    CU_ASSERT_EQUAL(waitpid(parent, NULL, 0), parent);
    CU_ASSERT_EQUAL(read(ends[0], &more, 1), 0);
    (void)close(ends[0]);
}

static const struct unit_test tests[] = {
    {"each end is told", each_end_is_told},
    {"never more than -j", never_more_than_jobs},
    {"who waits lets others begin", who_waits_lets_others_begin},
    {"limits end one piece", limits_end_one_piece},
    {"one signal lets them finish", one_signal_lets_them_finish},
    {"two signals kill them", two_signals_kill_them},
    {"a refusal begins nothing more", a_refusal_begins_nothing_more},
    {"later is asked again", later_is_asked_again},
    {"children die with the parent", children_die_with_the_parent},
};

UNIT_MAIN("sweep pool", tests)
