/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jobs.c - live jobs are found by their key, and no key is there twice, whatever the ids look like.
 */
#include "fixture.h"

#define JOBS 3000

/* Ids that the table of keys meets well, badly, and at the edges of 64 bits. */
static int64_t one_after_another(int64_t i)
{
    return i;
}

static int64_t all_the_same(int64_t i)
{
    (void)i;
    return -1;
}

static int64_t in_steps(int64_t i)
{
    return i * 4096;
}

static int64_t with_one_lower_half(int64_t i)
{
    return (int64_t)((uint64_t)(i - JOBS / 2) << 32 | UINT32_MAX);
}

static int64_t downwards(int64_t i)
{
    return INT64_MIN + JOBS - i;
}

static int64_t some_the_same(int64_t i)
{
    return i % 3 ? i : 5;
}

static struct hs_job_spec job_of(int64_t (*id)(int64_t), int64_t i)
{
    return fixture_job(id(i), i, 1, 10);
}

/* How many of the jobs are where they should be: found exactly if alive. */
static int count_right(const struct fixture *f, int64_t (*id)(int64_t), const bool *is_alive)
{
    int count = 0;

    for (int64_t i = 0; i < JOBS; i++) {
        struct hs_job_spec spec = job_of(id, i);
        const struct hs_job *job = hs_sched_find(f->sched, spec.key);

        count += is_alive[i]
                     ? job && job->key.id == spec.key.id && job->key.submit_ns == spec.key.submit_ns
                     : !job;
    }
    return count;
}

static int count_refused(struct fixture *f, int64_t (*id)(int64_t), hs_time now)
{
    int count = 0;

    for (int64_t i = 0; i < JOBS; i++) {
        struct hs_job_spec spec = job_of(id, i);
        struct hs_event event = {.kind = HS_EVENT_SUBMITTED, .spec = &spec};

        count += hs_sched_event(f->sched, now, &event, &f->error) == HS_ERR_STATE;
    }
    return count;
}

static void comes_and_goes(int64_t (*id)(int64_t))
{
    static bool is_alive[JOBS];
    const hs_time end = (hs_time)JOBS * HS_NS_PER_S;
    struct fixture f;
    int done = 0;

    fixture_init(&f, 1, 1, HS_MEM_UNLIMITED, NULL, "fcfs");
    for (int64_t i = 0; i < JOBS; i++) {
        struct hs_job_spec spec = job_of(id, i);

        is_alive[i] = fixture_submit(&f, &spec) == HS_OK;
        done += is_alive[i];
    }
    CU_ASSERT_EQUAL(done, JOBS);
    CU_ASSERT_EQUAL(count_right(&f, id, is_alive), JOBS);
    CU_ASSERT_EQUAL(count_refused(&f, id, end), JOBS);
    /* Steps of a prime reach all; each third comes back, and in the end all go. */
    for (int64_t k = 0; k < JOBS; k++) {
        struct hs_job_spec spec = job_of(id, k * 1009 % JOBS);

        done -= fixture_event(&f, JOBS, HS_EVENT_CANCELLED, &spec) == HS_OK;
        is_alive[k * 1009 % JOBS] = false;
        if (k % 3 == 0) {
            struct hs_event event = {.kind = HS_EVENT_SUBMITTED, .spec = &spec};

            done += hs_sched_event(f.sched, end, &event, &f.error) == HS_OK;
            is_alive[k * 1009 % JOBS] = true;
        }
        if (k % 500 == 0) {
            CU_ASSERT_EQUAL(count_right(&f, id, is_alive), JOBS);
        }
    }
    CU_ASSERT_EQUAL(done, JOBS / 3);
    CU_ASSERT_EQUAL(count_right(&f, id, is_alive), JOBS);
    for (int64_t i = JOBS; i-- > 0;) {
        struct hs_job_spec spec = job_of(id, i);

        done -= fixture_event(&f, JOBS, HS_EVENT_CANCELLED, &spec) == HS_OK;
        is_alive[i] = false;
    }
    CU_ASSERT_EQUAL(done, 0);
    CU_ASSERT_EQUAL(count_right(&f, id, is_alive), JOBS);
    fixture_fini(&f);
}

static void ids_one_after_another(void)
{
    comes_and_goes(one_after_another);
    comes_and_goes(downwards);
}

static void ids_that_crowd(void)
{
    comes_and_goes(all_the_same);
    comes_and_goes(in_steps);
    comes_and_goes(with_one_lower_half);
}

static void ids_of_both_kinds(void)
{
    comes_and_goes(some_the_same);
}

static const struct unit_test tests[] = {
    {"ids one after another", ids_one_after_another},
    {"ids that crowd", ids_that_crowd},
    {"ids of both kinds", ids_of_both_kinds},
};

UNIT_MAIN("core: jobs by key", tests)
