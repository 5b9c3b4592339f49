/* SPDX-License-Identifier: GPL-3.0-or-later */
/* measure.c - a crew of bound threads, and what it does. */
#include "probe/measure.h"

#include "probe/kernels.h"
#include "probe/words.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PASSES            5      /* of the triad; the first also brings the pages */
#define TRIALS            3      /* of multiply-adds, per precision */
#define TRIAL_S           0.08   /* length of one */
#define BLOCK_ROUNDS      20000u /* between two looks at the clock */
#define ARRAY_BYTES_MIN   (INT64_C(64) << 20)
#define ARRAY_BYTES_MAX   (INT64_C(512) << 20)
#define ARRAYS_PER_CACHE  12
#define MEMORY_PART       4 /* arrays take at most this part of the memory */
#define BYTES_PER_ELEMENT 24
#define LINE_ELEMENTS     8
#define TRIAD_FACTOR      3.0

struct worker;
typedef void crew_work(struct worker *worker);

/* Threads wait at the gate until all that can be had are there. */
struct crew {
    pthread_mutex_t lock;
    pthread_cond_t is_opened;
    pthread_barrier_t barrier;
    bool is_open;
    crew_work *work;
    struct worker *workers;
    size_t count;
};

struct worker {
    struct crew *crew;
    pthread_t thread;
    int processor; /* -1: not bound */
    size_t elements;
    bool is_short; /* of memory */
    double begin[PASSES], end[PASSES];
    double fp64_flops[TRIALS], fp32_flops[TRIALS];
    double useless; /* results that must be kept */
};

double measure_now(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Seconds that this thread has run. */
static double run_time(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A thread that cannot be bound runs where it may. */
static void bind(int processor)
{
    size_t count = (size_t)processor + 1;
    cpu_set_t *set = processor >= 0 ? CPU_ALLOC(count) : NULL;

    if (set) {
        CPU_ZERO_S(CPU_ALLOC_SIZE(count), set);
        CPU_SET_S((size_t)processor, CPU_ALLOC_SIZE(count), set);
        (void)pthread_setaffinity_np(pthread_self(), CPU_ALLOC_SIZE(count), set);
        CPU_FREE(set);
    }
}

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    struct crew *crew = worker->crew;

    bind(worker->processor);
    (void)pthread_mutex_lock(&crew->lock);
    while (!crew->is_open) {
        (void)pthread_cond_wait(&crew->is_opened, &crew->lock);
    }
    (void)pthread_mutex_unlock(&crew->lock);
    if (crew->work) {
        crew->work(worker);
    }
    return NULL;
}

/* Starts the threads, lets them work together, and waits for their end. Fewer threads than wanted
 * work too; crew->count says how many did. */
static void crew_run(struct crew *crew, crew_work *work)
{
    size_t wanted = crew->count;
    size_t started = 0;

    crew->is_open = false;
    while (started < wanted && pthread_create(&crew->workers[started].thread, NULL, worker_main,
                                              &crew->workers[started]) == 0) {
        started++;
    }
    crew->count = started;
    crew->work = work;
    if (started && pthread_barrier_init(&crew->barrier, NULL, (unsigned)started) != 0) {
        crew->count = 0;
        crew->work = NULL; /* nothing is done */
    }
    (void)pthread_mutex_lock(&crew->lock);
    crew->is_open = true;
    (void)pthread_cond_broadcast(&crew->is_opened);
    (void)pthread_mutex_unlock(&crew->lock);
    for (size_t i = 0; i < started; i++) {
        (void)pthread_join(crew->workers[i].thread, NULL);
    }
    if (crew->count) {
        (void)pthread_barrier_destroy(&crew->barrier);
    }
}

static bool crew_init(struct crew *crew, const struct measure_plan *plan)
{
    *crew = (struct crew){.count = plan->thread_count};
    crew->workers = calloc(crew->count, sizeof *crew->workers);
    for (size_t i = 0; crew->workers && i < crew->count; i++) {
        crew->workers[i].crew = crew;
        crew->workers[i].processor = i < plan->places->count ? plan->places->processors[i] : -1;
    }
    (void)pthread_mutex_init(&crew->lock, NULL);
    (void)pthread_cond_init(&crew->is_opened, NULL);
    return crew->workers != NULL;
}

static void crew_fini(struct crew *crew)
{
    (void)pthread_cond_destroy(&crew->is_opened);
    (void)pthread_mutex_destroy(&crew->lock);
    free(crew->workers);
}

int64_t measure_array_bytes(int64_t cache_bytes, int64_t mem_bytes)
{
    int64_t bytes = ARRAY_BYTES_MAX;

    if (cache_bytes < ARRAY_BYTES_MAX / ARRAYS_PER_CACHE) {
        bytes = cache_bytes * ARRAYS_PER_CACHE;
    }
    bytes = bytes > ARRAY_BYTES_MIN ? bytes : ARRAY_BYTES_MIN;
    return bytes < mem_bytes / MEMORY_PART ? bytes : mem_bytes / MEMORY_PART;
}

/* Each thread has its part of the arrays, and writes it first, so that it lies near. */
static void triad_work(struct worker *worker)
{
    size_t count = worker->elements;
    double *arrays = aligned_alloc(LINE_ELEMENTS * sizeof(double), 3 * count * sizeof(double));

    worker->is_short = arrays == NULL;
    for (size_t i = 0; arrays && i < 3 * count; i++) {
        arrays[i] = 1;
    }
    for (size_t pass = 0; pass < PASSES; pass++) {
        (void)pthread_barrier_wait(&worker->crew->barrier);
        worker->begin[pass] = measure_now();
        if (arrays) {
            kernels_triad(arrays, arrays + count, arrays + 2 * count, TRIAD_FACTOR, count);
        }
        worker->end[pass] = measure_now();
    }
    worker->useless = arrays ? arrays[0] : 0;
    free(arrays);
}

/* Seconds of the best pass: from the first thread's begin to the last one's end. */
static double best_pass(const struct crew *crew)
{
    double best = 0;

    for (size_t pass = 0; pass < PASSES; pass++) {
        double begin = crew->workers[0].begin[pass];
        double end = crew->workers[0].end[pass];

        for (size_t i = 1; i < crew->count; i++) {
            const struct worker *worker = &crew->workers[i];

            begin = worker->begin[pass] < begin ? worker->begin[pass] : begin;
            end = worker->end[pass] > end ? worker->end[pass] : end;
        }
        if (end > begin && (best == 0 || end - begin < best)) {
            best = end - begin;
        }
    }
    return best;
}

/* False with a note if the crew did not work in full. */
static bool check_crew(const struct crew *crew, const struct measure_plan *plan, const char *what,
                       struct probe_notes *notes)
{
    bool is_short = crew->workers == NULL;

    for (size_t i = 0; !is_short && i < crew->count; i++) {
        is_short = crew->workers[i].is_short;
    }
    if (is_short) {
        words_note(notes, "%s was not measured: out of memory. Run the probe on an idle machine.",
                   what);
    } else if (crew->count < plan->thread_count) {
        words_note(notes,
                   "%s was not measured: only %zu of %" PRIu32
                   " threads could be started. Raise the "
                   "limit with ulimit -u, or measure nothing.",
                   what, crew->count, plan->thread_count);
    }
    return !is_short && crew->count == plan->thread_count;
}

bool measure_triad(const struct measure_plan *plan, struct probe_measured *measured,
                   struct probe_notes *notes)
{
    struct crew crew;
    size_t elements = (size_t)measure_array_bytes(plan->cache_bytes, plan->mem_bytes) /
                      BYTES_PER_ELEMENT / plan->thread_count / LINE_ELEMENTS * LINE_ELEMENTS;
    double seconds = 0;
    bool is_measured;

    elements = elements ? elements : LINE_ELEMENTS;
    if (crew_init(&crew, plan)) {
        for (size_t i = 0; i < crew.count; i++) {
            crew.workers[i].elements = elements;
        }
        crew_run(&crew, triad_work);
    }
    is_measured = check_crew(&crew, plan, "The triad", notes);
    if (is_measured) {
        seconds = best_pass(&crew);
        measured->array_bytes = (int64_t)(elements * crew.count * BYTES_PER_ELEMENT);
        measured->triad_bytes_per_s = seconds > 0 ? (double)measured->array_bytes / seconds : 0;
        if (measured->array_bytes < 2 * plan->cache_bytes) {
            words_note(notes,
                       "The arrays of the triad (%" PRId64 " bytes) are less than twice the last "
                       "cache (%" PRId64 " bytes): the bandwidth may be in part that of the cache.",
                       measured->array_bytes, plan->cache_bytes);
        }
    }
    crew_fini(&crew);
    return is_measured;
}

/* Rate of one thread over one trial, for the time that it ran: other programs take time away but
 * do not make a core slower. */
static double trial(struct worker *worker, double (*run)(size_t), double flops)
{
    double begin, begin_run, ran;
    double blocks = 0;

    (void)pthread_barrier_wait(&worker->crew->barrier);
    begin = measure_now();
    begin_run = run_time();
    do {
        worker->useless += run(BLOCK_ROUNDS);
        blocks++;
    } while (measure_now() - begin < TRIAL_S);
    ran = run_time() - begin_run;
    return ran > 0 ? blocks * BLOCK_ROUNDS * flops / ran : 0;
}

static void flops_work(struct worker *worker)
{
    const struct kernels_flops *kernel = kernels_choose();

    for (size_t i = 0; i < TRIALS; i++) {
        worker->fp64_flops[i] = trial(worker, kernel->run_fp64, kernel->fp64_flops);
        worker->fp32_flops[i] = trial(worker, kernel->run_fp32, kernel->fp32_flops);
    }
}

bool measure_flops(const struct measure_plan *plan, struct probe_measured *measured,
                   struct probe_notes *notes)
{
    struct crew crew;
    bool is_measured;

    if (crew_init(&crew, plan)) {
        crew_run(&crew, flops_work);
    }
    is_measured = check_crew(&crew, plan, "Arithmetic", notes);
    for (size_t i = 0; is_measured && i < TRIALS; i++) {
        double fp64 = 0, fp32 = 0;

        for (size_t j = 0; j < crew.count; j++) {
            fp64 += crew.workers[j].fp64_flops[i];
            fp32 += crew.workers[j].fp32_flops[i];
        }
        measured->fp64_flops = fp64 > measured->fp64_flops ? fp64 : measured->fp64_flops;
        measured->fp32_flops = fp32 > measured->fp32_flops ? fp32 : measured->fp32_flops;
    }
    if (is_measured) {
        measured->thread_count = plan->thread_count;
        (void)snprintf(measured->kernel, sizeof measured->kernel, "%s", kernels_choose()->name);
    }
    crew_fini(&crew);
    return is_measured;
}
