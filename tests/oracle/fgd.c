/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fgd.c - the placements of Weng et al. (USENIX ATC 2023), pod by pod, against independent results.
 *
 * Usage: fgd FOLDER, which holds small_nodes_perm.csv, small_pods.csv and expected_*.csv. The core
 * is driven directly: 61 nodes, 492 pods in fixed order, none of which ends. After every pod the
 * node, the used thousandths of devices and the fragmentation are compared. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "hs/sched.h"

#define PODS_MAX  1000
#define LINE_MAX_ 512

struct study {
    struct hs_cluster *cluster;
    struct hs_demand pods[PODS_MAX];
    size_t pod_count;
    struct hs_demand mix_demands[PODS_MAX];
    double mix_weights[PODS_MAX];
    struct hs_mix mix;
};

static _Noreturn void die(const char *what, const char *more)
{
    fprintf(stderr, "%s %s\n", what, more);
    exit(1);
}

static FILE *open_file(const char *folder, const char *name)
{
    char path[1024];
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "r");
    if (!file) {
        die("cannot read", path);
    }
    return file;
}

static void read_nodes(struct study *study, const char *folder)
{
    FILE *file = open_file(folder, "small_nodes_perm.csv");
    char line[LINE_MAX_];
    struct hs_error error = {0};

    study->cluster = hs_cluster_create();
    while (fgets(line, sizeof line, file)) {
        char name[64];
        char model[64];
        long long cores;
        long long mem;
        int devices;

        if (sscanf(line, "%63[^,],%lld,%lld,%d,%63s", name, &cores, &mem, &devices, model) != 5) {
            continue; /* the header */
        }
        if (hs_cluster_add_node(study->cluster, name, cores, mem << 20, &error) != HS_OK) {
            die("node", error.text);
        }
        for (int d = 0; d < devices; d++) {
            if (hs_cluster_add_device(study->cluster, "gpu", model, HS_NO_GROUP, HS_MEM_UNLIMITED,
                                      &error) != HS_OK) {
                die("device", error.text);
            }
        }
    }
    fclose(file);
    if (hs_cluster_seal(study->cluster, &error) != HS_OK) {
        die("cluster", error.text);
    }
}

static void read_pods(struct study *study, const char *folder)
{
    FILE *file = open_file(folder, "small_pods.csv");
    char line[LINE_MAX_];

    while (fgets(line, sizeof line, file) && study->pod_count < PODS_MAX) {
        long long cores;
        long long mem;
        unsigned devices;
        unsigned share;

        if (sscanf(line, "%*[^,],%lld,%lld,%u,%u,", &cores, &mem, &devices, &share) != 4) {
            continue;
        }
        study->pods[study->pod_count++] = (struct hs_demand){
            .tasks = 1,
            .cores_milli = cores,
            .mem_bytes = mem << 20,
            .device_count = devices,
            .device_share = devices ? share : 0,
            .device_kind = HS_ANY_KIND,
        };
    }
    fclose(file);
}

/* Descending by count, then cores, devices, share. */
struct spec {
    struct hs_demand demand;
    int count;
};

static int compare_specs(const void *left, const void *right)
{
    const struct spec *a = left;
    const struct spec *b = right;

    if (a->count != b->count) {
        return b->count - a->count;
    }
    if (a->demand.cores_milli != b->demand.cores_milli) {
        return a->demand.cores_milli > b->demand.cores_milli ? -1 : 1;
    }
    if (a->demand.device_count != b->demand.device_count) {
        return a->demand.device_count > b->demand.device_count ? -1 : 1;
    }
    return (int)b->demand.device_share - (int)a->demand.device_share;
}

static void make_mix(struct study *study)
{
    static struct spec specs[PODS_MAX];
    size_t count = 0;
    int covered = 0;

    for (size_t i = 0; i < study->pod_count; i++) {
        const struct hs_demand *pod = &study->pods[i];
        size_t k = 0;

        while (k < count && (specs[k].demand.cores_milli != pod->cores_milli ||
                             specs[k].demand.device_count != pod->device_count ||
                             specs[k].demand.device_share != pod->device_share)) {
            k++;
        }
        if (k == count) {
            specs[count++] = (struct spec){*pod, 0};
        }
        specs[k].count++;
    }
    qsort(specs, count, sizeof *specs, compare_specs);
    while (covered < 0.95 * (double)study->pod_count) {
        covered += specs[study->mix.count].count;
        study->mix_demands[study->mix.count] = specs[study->mix.count].demand;
        study->mix.count++;
    }
    for (size_t i = 0; i < study->mix.count; i++) {
        study->mix_weights[i] = (double)specs[i].count / covered;
    }
    study->mix.demands = study->mix_demands;
    study->mix.weights = study->mix_weights;
}

/* What the cluster is like after a pod. */
struct outcome {
    int node; /* -1: dropped */
    long long used;
    double fragment;
};

static struct outcome look(const struct study *study, const struct hs_free *free, int node)
{
    struct outcome outcome = {.node = node};

    for (uint32_t d = 0; d < hs_cluster_device_count(study->cluster); d++) {
        outcome.used += HS_SHARES_PER_UNIT - hs_free_device_share(free, d);
    }
    for (uint32_t i = 0; i < hs_cluster_node_count(study->cluster); i++) {
        outcome.fragment += hs_mix_fragment(&study->mix, free, i, HS_ANY_KIND);
    }
    return outcome;
}

static int differs(const char *name, int event, struct outcome expected, struct outcome got)
{
    if (expected.node == got.node && expected.used == got.used &&
        fabs(expected.fragment - got.fragment) < 0.00501) {
        return 0;
    }
    printf("%s, pod %d: node %d, used %lld, fragmentation %.2f; expected %d, %lld, %.2f\n", name,
           event, got.node, got.used, got.fragment, expected.node, expected.used,
           expected.fragment);
    return 1;
}

/* Places every pod under one placement. Returns the number of differences, at most one. */
static int replay(const struct study *study, const char *folder, const char *place,
                  const char *expected_name)
{
    static const struct hs_choice_param params[] = {
        {"whole", "true"}, {"cores", "128"}, {"devices", "8"}};
    bool is_fit = strcmp(place, "best-fit") == 0 || strcmp(place, "dot-product") == 0;
    struct hs_choice choice = {
        .name = "drop", .place = place, .params = params, .param_count = is_fit ? 3 : 0};
    struct hs_registry *registry = hs_registry_create();
    struct hs_stack *stack = NULL;
    struct hs_free *free = hs_free_create(study->cluster);
    struct hs_sched *sched = NULL;
    struct hs_error error = {0};
    struct hs_sched_options options = {.cluster = study->cluster, .mix = &study->mix};
    FILE *file = open_file(folder, expected_name);
    char line[LINE_MAX_];
    int differences = 0;
    size_t compared = 0;

    if (!free || hs_registry_add(registry, &hp_builtin, "built-in", &error) != HS_OK ||
        hs_stack_create(registry, &choice, &stack, &error) != HS_OK) {
        die(place, error.text);
    }
    options.stack = stack;
    if (hs_sched_create(&options, &sched, &error) != HS_OK) {
        die(place, error.text);
    }
    while (!differences && fgets(line, sizeof line, file)) {
        const struct hs_decision *decisions;
        struct outcome expected;
        struct hs_job_spec spec = {.walltime_ns = HS_TIME_NEVER};
        struct hs_event event = {.kind = HS_EVENT_SUBMITTED, .spec = &spec};
        size_t count;
        int index;
        int node = -1;

        if (sscanf(line, "%d,%d,%lld,%lf", &index, &expected.node, &expected.used,
                   &expected.fragment) != 4) {
            continue;
        }
        spec.key = (struct hs_job_key){index, index};
        spec.demand = study->pods[index];
        if (hs_sched_event(sched, index, &event, &error) != HS_OK || event.refusal ||
            hs_sched_decide(sched, index, &decisions, &count, &error) != HS_OK || count != 1) {
            die(place, event.refusal ? event.refusal : error.text);
        }
        if (decisions[0].kind == HS_DECISION_START) {
            node = (int)decisions[0].job->alloc->spans[0].first_node;
            hs_free_take(free, decisions[0].job->demand, decisions[0].job->alloc);
        }
        differences = differs(place, index, expected, look(study, free, node));
        compared++;
    }
    fclose(file);
    printf("%s: %zu pods, %s\n", place, compared, differences ? "differs" : "equal");
    hs_sched_destroy(sched);
    hs_free_destroy(free);
    hs_stack_destroy(stack);
    hs_registry_destroy(registry);
    return differences + (compared == 0);
}

int main(int argc, char **argv)
{
    static struct study study;
    int differences = 0;

    if (argc != 2) {
        die("usage: fgd", "FOLDER");
    }
    read_nodes(&study, argv[1]);
    read_pods(&study, argv[1]);
    make_mix(&study);
    differences += replay(&study, argv[1], "best-fit", "expected_BestFitScore.csv");
    differences += replay(&study, argv[1], "dot-product", "expected_DotProductScore.csv");
    differences += replay(&study, argv[1], "packing", "expected_GpuPackingScore.csv");
    differences += replay(&study, argv[1], "clustering", "expected_GpuClusteringScore.csv");
    differences += replay(&study, argv[1], "fgd", "expected_FGDScore.csv");
    hs_cluster_destroy(study.cluster);
    return differences != 0;
}
