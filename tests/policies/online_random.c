/* SPDX-License-Identifier: GPL-3.0-or-later */
/* online_random.c - mapping policies on random clusters with devices, memory, gangs and
 * constraints: nothing stalls, nobody is rejected but who has no class to run on, and the plain
 * core decides alike. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "drive.h"

#define NODES_MAX   9u
#define CLASSES_MAX 3u
#define JOBS        80u
#define OUTAGES     12u

/* Kinds of nodes; one kind is one class of the cluster. */
struct kind {
    uint32_t cores, devices, group_size;
    int64_t mem_bytes;
};

static const struct kind kinds[] = {{4, 0, 1, 64}, {8, 2, 1, 32}, {6, 4, 2, HS_MEM_UNLIMITED}};

struct scene {
    uint32_t node_count, class_count;
    uint32_t kind_of_node[NODES_MAX];
    uint32_t class_of_node[NODES_MAX];
    struct hs_demand alternatives[JOBS];
    hs_time times_ns[JOBS][CLASSES_MAX];
    struct drive_job jobs[JOBS];
    struct drive_job others[JOBS]; /* the same for the second run */
    struct drive_outage outages[OUTAGES];
    uint32_t outage_count;
    struct hs_choice_param params[4];
    struct hs_choice choice;
};

static void add_node(struct hs_cluster *cluster, uint32_t index, const struct kind *kind)
{
    char name[16];

    (void)snprintf(name, sizeof name, "n%" PRIu32, index);
    CU_ASSERT_EQUAL_FATAL(
        hs_cluster_add_node(cluster, name, kind->cores * INT64_C(1000), kind->mem_bytes, NULL),
        HS_OK);
    for (uint32_t i = 0; i < kind->devices; i++) {
        CU_ASSERT_EQUAL_FATAL(
            hs_cluster_add_device(cluster, "gpu", "a100", i / kind->group_size, 40, NULL), HS_OK);
    }
}

/* The cluster, or of it the nodes of one kind and speed. */
static struct hs_cluster *build(const struct scene *scene, uint32_t like)
{
    struct hs_cluster *cluster = hs_cluster_create();

    CU_ASSERT_PTR_NOT_NULL_FATAL(cluster);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (like == UINT32_MAX || (scene->kind_of_node[i] == scene->kind_of_node[like] &&
                                   scene->class_of_node[i] == scene->class_of_node[like])) {
            add_node(cluster, i, &kinds[scene->kind_of_node[i]]);
        }
    }
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(cluster, NULL), HS_OK);
    return cluster;
}

static struct hs_demand draw_demand(uint64_t *state)
{
    static const uint32_t flags[] = {HS_DEMAND_EXCLUSIVE, HS_DEMAND_SPREAD, HS_DEMAND_SAME_NODE,
                                     HS_DEMAND_SAME_ISLAND};
    struct hs_demand demand = {.tasks = 1 + drive_draw(state, drive_draw(state, 4) ? 3 : 9),
                               .cores_milli = 500 + 500 * (int64_t)drive_draw(state, 6)};

    if (!drive_draw(state, 3)) {
        demand.mem_bytes = 1 + drive_draw(state, 40);
    }
    if (!drive_draw(state, 3)) {
        demand.flags = flags[drive_draw(state, 4)];
    }
    if (drive_draw(state, 2)) {
        demand.device_kind = HS_ANY_KIND;
        demand.device_count = 1 + drive_draw(state, 3);
        demand.device_share = demand.device_count > 1 || drive_draw(state, 2)
                                  ? 1000
                                  : 100 + 100 * drive_draw(state, 9);
        demand.device_mem = drive_draw(state, 2) ? 10 : 0;
    }
    if (!drive_draw(state, 8)) {
        demand.tasks_per_node = 1 + drive_draw(state, 3);
    }
    return demand;
}

static void draw_jobs(struct scene *scene, uint64_t *state)
{
    hs_time now = 0;

    for (uint32_t i = 0; i < JOBS; i++) {
        now += drive_draw(state, 9) * HS_NS_PER_S;
        for (uint32_t class = 0; class < scene->class_count; class ++) {
            scene->times_ns[i][class] = (1 + drive_draw(state, 60)) * HS_NS_PER_S;
        }
        if (!drive_draw(state, 10) && scene->class_count > 1) {
            scene->times_ns[i][0] = HS_TIME_NEVER;
        }
        scene->jobs[i] = (struct drive_job){.submit_ns = now,
                                            .demand = draw_demand(state),
                                            .times_ns = scene->times_ns[i],
                                            .part = (1 + drive_draw(state, 10)) / 10.0};
        if (!drive_draw(state, 6)) {
            scene->alternatives[i] = draw_demand(state);
            scene->jobs[i].demand.alternatives = &scene->alternatives[i];
            scene->jobs[i].demand.alternative_count = 1;
        }
    }
    memcpy(scene->others, scene->jobs, sizeof scene->others);
}

/* Nodes leave one after the other, each for a while, the last one too; or none. */
static void draw_outages(struct scene *scene, uint64_t *state)
{
    hs_time now = 0;

    for (uint32_t i = 0; i < OUTAGES; i += 2) {
        uint32_t node = drive_draw(state, scene->node_count);

        now += (1 + drive_draw(state, 60)) * HS_NS_PER_S;
        scene->outages[i] = (struct drive_outage){now, node, false};
        now += (1 + drive_draw(state, 90)) * HS_NS_PER_S;
        scene->outages[i + 1] = (struct drive_outage){now, node, true};
    }
    scene->outage_count = drive_draw(state, 2) ? OUTAGES : 0;
}

static void draw_scene(struct scene *scene, uint64_t *state)
{
    static const char *const policies[] = {"olb",
                                           "met",
                                           "mct",
                                           "min-min",
                                           "max-min",
                                           "duplex",
                                           "sufferage-iter",
                                           "sufferage-pass",
                                           "min-standard-deviation",
                                           "match",
                                           "balance"};
    static const char *const places[] = {NULL,     "best-fit",   "worst-fit", "packing",
                                         "random", "clustering", "affinity",  "topology"};
    static const char *const batches[] = {"0", "1", "5", "256"};

    memset(scene, 0, sizeof *scene);
    scene->node_count = 1 + drive_draw(state, NODES_MAX);
    scene->class_count = 1 + drive_draw(state, CLASSES_MAX);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        scene->kind_of_node[i] = drive_draw(state, 3);
        scene->class_of_node[i] = drive_draw(state, scene->class_count);
    }
    draw_jobs(scene, state);
    draw_outages(scene, state);
    scene->params[0] = (struct hs_choice_param){"interval", drive_draw(state, 2) ? "0" : "7"};
    scene->params[1] = (struct hs_choice_param){"batch", batches[drive_draw(state, 4)]};
    scene->params[2] = (struct hs_choice_param){"remap", drive_draw(state, 2) ? "true" : "false"};
    scene->params[3] = (struct hs_choice_param){"backfill", drive_draw(state, 3) ? "64" : "0"};
    scene->choice = (struct hs_choice){
        .name = policies[drive_draw(state, sizeof policies / sizeof policies[0])],
        .place = places[drive_draw(state, sizeof places / sizeof places[0])],
        .local = drive_draw(state, 2) ? "island" : NULL,
        .params = scene->params,
        .param_count = 4,
    };
}

/* Could the job run on the nodes of one kind and speed alone, which are a cluster of their own
 * here?
 */
static bool has_class(const struct scene *scene, const struct drive_job *job)
{
    bool can_run = false;

    for (uint32_t node = 0; node < scene->node_count && !can_run; node++) {
        struct hs_cluster *cluster;
        struct hs_free *free;

        if (job->times_ns[scene->class_of_node[node]] == HS_TIME_NEVER) {
            continue;
        }
        cluster = build(scene, node);
        free = hs_free_create(cluster);
        CU_ASSERT_PTR_NOT_NULL_FATAL(free);
        can_run = hs_free_fits(free, &job->demand);
        hs_free_destroy(free);
        hs_cluster_destroy(cluster);
    }
    return can_run;
}

static void check_scene(uint64_t seed)
{
    static struct scene scene;
    uint64_t state = seed;
    struct hs_cluster *cluster;
    struct drive drive;

    draw_scene(&scene, &state);
    cluster = build(&scene, UINT32_MAX);
    drive = (struct drive){
        .cluster = cluster,
        .jobs = scene.jobs,
        .job_count = JOBS,
        .speeds = {.class_count = scene.class_count, .class_of_node = scene.class_of_node},
        .choice = scene.choice,
        .outages = scene.outages,
        .outage_count = scene.outage_count,
        .is_prompt = strcmp(scene.params[0].value, "0") == 0 && !scene.outage_count,
    };
    drive_run(&drive);
    drive.jobs = scene.others;
    drive.is_plain = true;
    drive_run(&drive);
    for (uint32_t i = 0; i < JOBS; i++) {
        const struct drive_job *job = &scene.jobs[i];
        const struct drive_job *other = &scene.others[i];
        bool is_good = job->start_ns == other->start_ns && job->first_node == other->first_node &&
                       job->end_ns != -2 && (job->start_ns >= 0) == has_class(&scene, job);

        if (!is_good) {
            printf("seed %" PRIu64 ", %s %s i%s b%s r%s, job %" PRIu32 ": start %" PRId64
                   " and %" PRId64 "\n",
                   seed, scene.choice.name, scene.choice.place ? scene.choice.place : "",
                   scene.params[0].value, scene.params[1].value, scene.params[2].value, i,
                   job->start_ns, other->start_ns);
        }
        CU_ASSERT_FATAL(is_good);
    }
    hs_cluster_destroy(cluster);
}

static void random_clusters(void)
{
    for (uint64_t seed = 1; seed <= 600; seed++) {
        check_scene(seed);
    }
}

static const struct unit_test tests[] = {
    {"random clusters", random_clusters},
};

UNIT_MAIN("on-line mapping on random clusters", tests)
