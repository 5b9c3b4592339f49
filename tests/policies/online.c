/* SPDX-License-Identifier: GPL-3.0-or-later */
/* online.c - mapping policies: plans of static mapping, lists on equal machines, modes and gangs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "drive.h"
#include "lib/mapping.h"

#define TASKS    60u
#define MACHINES 7u

/* Tasks and machines with times of whole seconds, all ready at 0. */
struct matrix {
    double times_s[TASKS * MACHINES];
    hs_time times_ns[TASKS * MACHINES];
    struct drive_job jobs[TASKS];
    uint32_t class_of_node[MACHINES];
};

static void make_matrix(struct matrix *matrix, uint64_t seed)
{
    for (uint32_t task = 0; task < TASKS; task++) {
        for (uint32_t machine = 0; machine < MACHINES; machine++) {
            uint32_t time_s = 1 + drive_draw(&seed, 40);

            matrix->times_s[task * MACHINES + machine] = time_s;
            matrix->times_ns[task * MACHINES + machine] = time_s * HS_NS_PER_S;
        }
        matrix->jobs[task] = (struct drive_job){.demand = {.tasks = 1, .cores_milli = 1000},
                                                .times_ns = &matrix->times_ns[task * MACHINES],
                                                .part = 1.0};
    }
    for (uint32_t machine = 0; machine < MACHINES; machine++) {
        matrix->class_of_node[machine] = machine;
    }
}

/* Does the policy run each task where and when the heuristic, which sees all at once, has it? */
static bool is_static(const char *name, const char *remap, uint64_t seed)
{
    static struct matrix matrix;
    struct hs_choice_param params[] = {{"batch", "0"}, {"remap", remap}};
    struct drive drive = {
        .jobs = matrix.jobs,
        .job_count = TASKS,
        .speeds = {.class_count = MACHINES, .class_of_node = matrix.class_of_node},
        .choice = {.name = name, .params = params, .param_count = 2},
    };
    struct hp_mapping_problem problem = {
        .task_count = TASKS, .machine_count = MACHINES, .times_s = matrix.times_s};
    struct hs_cluster *cluster = drive_cluster(MACHINES, 1);
    struct hp_mapper *mapper = hp_mapper_create();
    struct hp_mapping mapping;
    bool is_same;

    make_matrix(&matrix, seed);
    drive.cluster = cluster;
    drive_run(&drive);
    CU_ASSERT_EQUAL_FATAL(hp_mapper_map(mapper, hp_heuristic_find(name), &problem, &mapping, NULL),
                          HS_OK);
    is_same = drive.makespan_ns == (hs_time)mapping.makespan_s * HS_NS_PER_S;
    for (uint32_t task = 0; task < TASKS; task++) {
        is_same = is_same && matrix.jobs[task].first_node == mapping.machine_of_task[task] &&
                  matrix.jobs[task].end_ns == (hs_time)mapping.completion_s[task] * HS_NS_PER_S;
    }
    hp_mapper_destroy(mapper);
    hs_cluster_destroy(cluster);
    return is_same;
}

static void static_plans_are_carried_out(void)
{
    for (size_t i = 0; i < hp_heuristic_count; i++) {
        for (uint64_t seed = 1; seed <= 20; seed++) {
            CU_ASSERT(is_static(hp_heuristics[i].name, "false", seed));
        }
    }
}

/* olb, met, mct and min-min come to the same plan again at each completion: what has started since
 * only makes other machines less attractive. The others choose by what is latest or suffers most
 * among those that are left, which is another choice later on. */
static void mapping_anew_changes_some_plans(void)
{
    for (size_t i = 0; i < hp_heuristic_count; i++) {
        const char *name = hp_heuristics[i].name;
        bool is_kept = strcmp(name, "olb") == 0 || strcmp(name, "met") == 0 ||
                       strcmp(name, "mct") == 0 || strcmp(name, "min-min") == 0;
        uint32_t same = 0;

        for (uint64_t seed = 1; seed <= 20; seed++) {
            same += is_static(name, "true", seed);
        }
        if (is_kept ? same != 20 : same == 20) {
            printf("%s: %" PRIu32 " of 20 plans are the same\n", name, same);
        }
        CU_ASSERT(is_kept ? same == 20 : same < 20);
    }
}

#define LIST_JOBS 300u

/* Jobs that come one by one to 5 equal nodes of two cores. */
struct stream {
    struct drive_job jobs[LIST_JOBS];
    hs_time times_ns[LIST_JOBS];
    uint32_t class_of_node[5];
};

static void make_stream(struct stream *stream, uint64_t seed, uint32_t cores)
{
    hs_time now = 0;

    memset(stream, 0, sizeof *stream);
    for (uint32_t i = 0; i < LIST_JOBS; i++) {
        now += drive_draw(&seed, 8) * HS_NS_PER_S;
        stream->times_ns[i] = (1 + drive_draw(&seed, 60)) * HS_NS_PER_S;
        stream->jobs[i] = (struct drive_job){
            .submit_ns = now,
            .demand = {.tasks = 1 + drive_draw(&seed, cores), .cores_milli = 1000},
            .times_ns = &stream->times_ns[i],
            .part = (1 + drive_draw(&seed, 10)) / 10.0,
        };
    }
}

static void list_equals(const char *name, const char *list, uint32_t cores, const char *backfill)
{
    static struct stream left;
    static struct stream right;
    struct hs_choice_param params[] = {{"batch", "0"}, {"backfill", backfill}};
    struct hs_cluster *cluster = drive_cluster(5, 2);

    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct drive drive = {.cluster = cluster,
                              .jobs = left.jobs,
                              .job_count = LIST_JOBS,
                              .speeds = {.class_count = 1, .class_of_node = left.class_of_node},
                              .choice = {.name = name, .params = params, .param_count = 2}};

        make_stream(&left, seed, cores);
        make_stream(&right, seed, cores);
        drive_run(&drive);
        drive.jobs = right.jobs;
        drive.choice = (struct hs_choice){.name = list};
        drive_run(&drive);
        for (uint32_t i = 0; i < LIST_JOBS; i++) {
            if (left.jobs[i].start_ns != right.jobs[i].start_ns) {
                printf("%s is not %s: seed %" PRIu64 ", job %" PRIu32 "\n", name, list, seed, i);
            }
            CU_ASSERT_EQUAL_FATAL(left.jobs[i].start_ns, right.jobs[i].start_ns);
        }
    }
    hs_cluster_destroy(cluster);
}

/* On equal machines min-min and max-min are the lists of the shortest and of the longest job, and
 * rules that map in turn are first come, first served, for gangs too, and with backfilling EASY.
 * Estimates are up to ten times too long here. */
static void equal_machines_make_lists(void)
{
    static const char *const in_turn[] = {"olb", "met", "mct", "match", "balance"};

    list_equals("min-min", "sjf-none", 1, "64");
    list_equals("max-min", "ljf-none", 1, "64");
    for (size_t i = 0; i < sizeof in_turn / sizeof in_turn[0]; i++) {
        list_equals(in_turn[i], "fcfs", 1, "64");
        list_equals(in_turn[i], "fcfs", 7, "0");
        list_equals(in_turn[i], "easy", 7, "1000");
    }
}

/* Two fast nodes and two slow ones of two cores, and jobs with times on each. */
struct small {
    struct drive drive;
    struct drive_job jobs[8];
    hs_time times_ns[8][2];
    struct hs_choice_param params[3];
};

static void add_job(struct small *small, hs_time submit_s, uint32_t tasks, hs_time fast_s,
                    hs_time slow_s)
{
    uint32_t i = small->drive.job_count++;

    small->times_ns[i][0] = fast_s * HS_NS_PER_S;
    small->times_ns[i][1] = slow_s * HS_NS_PER_S;
    small->jobs[i] = (struct drive_job){
        .submit_ns = submit_s * HS_NS_PER_S,
        .demand = {.tasks = tasks, .cores_milli = 1000},
        .times_ns = small->times_ns[i],
        .part = 1.0,
    };
}

static void add_param(struct small *small, const char *name, const char *value)
{
    small->params[small->drive.choice.param_count++] = (struct hs_choice_param){name, value};
    small->drive.choice.params = small->params;
}

static void run_small(struct small *small, const char *name)
{
    static const uint32_t class_of_node[] = {0, 0, 1, 1};
    struct hs_cluster *cluster = drive_cluster(4, 2);

    small->drive.cluster = cluster;
    small->drive.jobs = small->jobs;
    small->drive.choice.name = name;
    small->drive.speeds = (struct hs_speeds){.class_count = 2, .class_of_node = class_of_node};
    drive_run(&small->drive);
    hs_cluster_destroy(cluster);
}

static void expect(const struct small *small, uint32_t job, uint32_t class, hs_time start_s)
{
    CU_ASSERT_EQUAL(small->jobs[job].speed_class, class);
    CU_ASSERT_EQUAL(small->jobs[job].start_ns, start_s < 0 ? -1 : start_s * HS_NS_PER_S);
}

/* A gang of six has no class to itself, though the cluster has the cores. */
static void gangs_stay_in_one_class(void)
{
    struct small small = {0};

    add_job(&small, 0, 3, 10, 40);
    add_job(&small, 0, 6, 10, 40);
    add_job(&small, 0, 2, 10, 40); /* fast: 10 + 10 before slow: 40 */
    add_job(&small, 0, 1, 10, 15); /* fast from 10 on with the last: 20; slow: 15 */
    run_small(&small, "mct");
    expect(&small, 0, 0, 0);
    CU_ASSERT_EQUAL(small.jobs[1].start_ns, -1);
    CU_ASSERT_EQUAL(small.drive.rejected, 1);
    expect(&small, 2, 0, 10);
    expect(&small, 3, 1, 0);
}

/* The first two jobs fill the fast nodes until 8; the last would take 10 there, 100 elsewhere. */
static void match_waits_as_long_as_it_is_told(void)
{
    static const struct {
        const char *patience;
        uint32_t class;
        hs_time start_s;
    } cases[] = {{"1", 0, 8}, {"0.8", 0, 8}, {"0.79", 1, 0}, {"0", 1, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct small small = {0};

        add_job(&small, 0, 2, 8, 900);
        add_job(&small, 0, 2, 8, 900);
        add_job(&small, 0, 1, 10, 100);
        add_param(&small, "patience", cases[i].patience);
        run_small(&small, "match");
        expect(&small, 0, 0, 0);
        expect(&small, 1, 0, 0);
        expect(&small, 2, cases[i].class, cases[i].start_s);
    }
}

/* Work per slot, of four slots each: 40/4 on the fast nodes; then 40/4 + 20/4 against 60/4. */
static void balance_looks_at_work(void)
{
    struct small small = {0};

    add_job(&small, 0, 4, 10, 11);
    add_job(&small, 0, 2, 10, 30); /* a tie: the first */
    add_job(&small, 0, 2, 10, 30); /* 80/4 against 60/4 */
    run_small(&small, "balance");
    expect(&small, 0, 0, 0);
    expect(&small, 1, 0, 10);
    expect(&small, 2, 1, 0);
}

/* In immediate mode a job keeps its place behind a long one, though a shorter one has come; in
 * batch mode the shorter goes first. */
static void modes_differ(void)
{
    for (int is_batch = 0; is_batch < 2; is_batch++) {
        struct small small = {0};

        add_job(&small, 0, 4, 10, 1000);
        add_job(&small, 1, 4, 50, 1000);
        add_job(&small, 2, 4, 5, 1000);
        add_param(&small, "remap", is_batch ? "true" : "false");
        run_small(&small, "min-min");
        expect(&small, 0, 0, 0);
        expect(&small, 1, 0, is_batch ? 15 : 10);
        expect(&small, 2, 0, is_batch ? 10 : 60);
    }
}

/* While short jobs come again and again, min-min never gets to the long one; with aging it does. */
static void aging_ends_starvation(void)
{
    for (int is_aging = 0; is_aging < 2; is_aging++) {
        struct small small = {0};

        add_job(&small, 0, 4, 10, 1000);
        add_job(&small, 1, 4, 90, 1000);
        for (int i = 1; i <= 5; i++) {
            add_job(&small, 10 * i - 1, 4, 10, 1000);
        }
        if (is_aging) {
            add_param(&small, "aging", "2");
        }
        run_small(&small, "min-min");
        expect(&small, 0, 0, 0);
        /* Against 10 / 1.5 = 6.7 its 90 s are 90 / 10.5 = 8.6 at 20, and 90 / 15.5 = 5.8 at 30. */
        expect(&small, 1, 0, is_aging ? 30 : 60);
    }
}

/* Jobs are mapped at 0, 20, 40 only; in between the queues go on. */
static void an_interval_is_kept(void)
{
    struct small small = {0};

    add_job(&small, 0, 4, 6, 7);    /* fast at 0 */
    add_job(&small, 0, 4, 12, 100); /* fast behind it: at 6 */
    add_job(&small, 3, 4, 5, 5);    /* not before 20 */
    add_job(&small, 21, 1, 5, 5);   /* not before 40 */
    add_param(&small, "interval", "20");
    run_small(&small, "min-min");
    expect(&small, 0, 0, 0);
    expect(&small, 1, 0, 6);
    expect(&small, 2, 0, 20);
    expect(&small, 3, 0, 40);
}

/* A batch of one still fills idle machines in one pass. */
static void small_batches_leave_no_machine_idle(void)
{
    struct small small = {0};

    for (uint32_t i = 0; i < 8; i++) {
        add_job(&small, 0, 1, 10, 10);
    }
    add_param(&small, "batch", "1");
    run_small(&small, "min-min");
    for (uint32_t i = 0; i < 8; i++) {
        CU_ASSERT_EQUAL(small.jobs[i].start_ns, 0);
    }
}

/* One fast node of two is away until 100: two fast slots are left. */
static void nodes_that_are_away_have_no_slots(void)
{
    static const struct drive_outage outages[] = {{0, 1, false}, {100 * HS_NS_PER_S, 1, true}};
    static const char *const names[] = {"mct", "min-min", "min-standard-deviation", "balance"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct small small = {.drive = {.outages = outages, .outage_count = 2}};

        add_job(&small, 0, 4, 10, 50); /* a gang of four goes to the slow nodes */
        add_job(&small, 1, 3, 10, 40);
        add_job(&small, 51, 3, 10, 0); /* has to wait for the node */
        small.times_ns[2][1] = HS_TIME_NEVER;
        add_job(&small, 60, 2, 10, 20); /* and is overtaken */
        run_small(&small, names[i]);
        expect(&small, 0, 1, 0);
        expect(&small, 1, 1, 50);
        expect(&small, 2, 0, 100);
        CU_ASSERT_EQUAL(small.jobs[3].start_ns, 60 * HS_NS_PER_S);
    }
}

static const struct unit_test tests[] = {
    {"static plans are carried out", static_plans_are_carried_out},
    {"mapping anew keeps the plans of olb, met, mct and min-min", mapping_anew_changes_some_plans},
    {"equal machines make lists", equal_machines_make_lists},
    {"gangs stay in one class", gangs_stay_in_one_class},
    {"match waits as long as it is told", match_waits_as_long_as_it_is_told},
    {"balance looks at work", balance_looks_at_work},
    {"immediate and batch mode differ", modes_differ},
    {"nodes that are away have no slots", nodes_that_are_away_have_no_slots},
    {"aging ends starvation", aging_ends_starvation},
    {"an interval is kept", an_interval_is_kept},
    {"small batches leave no machine idle", small_batches_leave_no_machine_idle},
};

UNIT_MAIN("on-line mapping", tests)
