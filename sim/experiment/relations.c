/* SPDX-License-Identifier: GPL-3.0-or-later */
/* relations.c - conditions between keys that no single row can state. */
#include "experiment/fill.h"

#include <string.h>

#define ROWS_COMPARED_MAX 4096 /* of a list in which something may be there twice */

/* Where a key was given, or nowhere in the file. */
static struct tree_place place_of(const struct filler *filler, const char *path)
{
    return filler->storage->places[experiment_key_find(path) - experiment_keys];
}

static bool is_given(const struct filler *filler, const char *path)
{
    return filler->seen[experiment_key_find(path) - experiment_keys] != NULL;
}

/* low and high are a range; high 0 is no limit. */
static void check_order(struct filler *filler, const char *low_path, int64_t low,
                        const char *high_path, int64_t high, bool is_equal_allowed)
{
    if (high == 0 || low < high || (is_equal_allowed && low == high)) {
        return;
    }
    text_report_add(filler->report,
                    place_of(filler, is_given(filler, high_path) ? high_path : low_path),
                    "'%s' is not above '%s', so no job would be left. Raise it, or remove "
                    "it for no limit.",
                    high_path, low_path);
}

/* Sizes of jobs and counts of processors are 31-bit numbers. */
static void check_processors(struct filler *filler)
{
    const struct platform_options *platform = &filler->experiment->platform;
    const char *path = is_given(filler, "platform.cores") ? "platform.cores" : "platform.nodes";

    if (platform->file || platform->nodes < 1 || platform->cores < 1 ||
        platform->nodes <= INT32_MAX / platform->cores) {
        return;
    }
    text_report_add(filler->report, place_of(filler, path),
                    "'platform.nodes' x 'platform.cores' is %lld x %lld; at most 2147483647 "
                    "processors are allowed. Lower one of them.",
                    (long long)platform->nodes, (long long)platform->cores);
}

/* Numbers of the trace mean classes by a map, in which each is there once. */
static void check_class_map(struct filler *filler)
{
    const struct experiment_speeds *speeds = &filler->experiment->speeds;

    if (speeds->class_of != EXPERIMENT_CLASS_OF_CLASS && speeds->row_count == 0) {
        text_report_add(
            filler->report, place_of(filler, "speeds.class_of"),
            "'speeds.class_of' has no effect without 'speeds.class_map', which says what "
            "a number means. Write for instance `class_map: %s`.",
            experiment_key_find("speeds.class_map")->example);
    }
    for (size_t i = 1; i < speeds->row_count && i < ROWS_COMPARED_MAX; i++) {
        size_t before = 0;

        while (speeds->rows[before].number != speeds->rows[i].number) {
            before++;
        }
        if (before < i) {
            text_report_add(filler->report, place_of(filler, "speeds.class_map"),
                            "'speeds.class_map' has the number %lld twice, for the classes '%s' "
                            "and '%s'. Remove one of the two.",
                            (long long)speeds->rows[i].number, speeds->rows[before].class,
                            speeds->rows[i].class);
        }
    }
}

/* A matrix of times leaves nothing to a table of throughputs. */
static void check_speeds(struct filler *filler)
{
    const struct experiment_speeds *speeds = &filler->experiment->speeds;

    check_class_map(filler);
    if (speeds->etc && speeds->throughputs) {
        text_report_add(filler->report, place_of(filler, "speeds.etc"),
                        "'speeds.etc' has no meaning beside 'speeds.throughputs'. Remove one of "
                        "them.");
    }
}

/* The model `mix` needs its classes, and one of two ways to say how many jobs arrive. */
static void check_mix(struct filler *filler)
{
    const struct workload_options *workload = &filler->experiment->workload;
    const struct workload_classes *classes = &workload->classes;
    bool has_load = classes->load > 0, has_rate = classes->rate > 0;

    if (!workload->is_generated || workload->model != WORKLOAD_MODEL_MIX) {
        return;
    }
    if (!is_given(filler, "workload.generate.classes")) {
        text_report_add(filler->report, place_of(filler, "workload.generate.model"),
                        "`model: mix` needs 'workload.generate.classes'. Write for instance "
                        "`classes: %s`.",
                        experiment_key_find("workload.generate.classes")->example);
    }
    if (has_load == has_rate) {
        text_report_add(
            filler->report,
            place_of(filler, has_load ? "workload.generate.rate" : "workload.generate.model"),
            "`model: mix` needs one of 'workload.generate.load' and "
            "'workload.generate.rate'%s.",
            has_load ? ", not both" : "; write for instance `load: 0.8`");
    }
}

void experiment_fill_relations(struct filler *filler)
{
    const struct workload_options *workload = &filler->experiment->workload;

    check_processors(filler);
    check_order(filler, "workload.filter.min_procs", workload->filter.min_procs,
                "workload.filter.max_procs", workload->filter.max_procs, true);
    check_order(filler, "workload.filter.min_runtime", workload->filter.min_run_ns,
                "workload.filter.max_runtime", workload->filter.max_run_ns, true);
    check_order(filler, "workload.window.from", workload->window_from_ns, "workload.window.to",
                workload->window_to_ns, false);
    if (workload->lublin.serial_probability + workload->lublin.power2_probability > 1) {
        const char *path = "workload.generate.power2_probability";

        text_report_add(
            filler->report,
            place_of(filler,
                     is_given(filler, path) ? path : "workload.generate.serial_probability"),
            "'serial_probability' and 'power2_probability' together are above 1. Both are shares "
            "of all jobs: lower one of them.");
    }
    check_mix(filler);
    check_speeds(filler);
    if (workload->estimate != WORKLOAD_ESTIMATE_FACTOR && workload->estimate_factor > 1) {
        text_report_add(filler->report, place_of(filler, "workload.estimate.factor"),
                        "'workload.estimate.factor' has no effect without `model: factor`. "
                        "Add that, or remove the factor.");
    }
}
