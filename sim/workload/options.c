/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options.c - defaults and checks of the options of a workload. */
#include "workload/options.h"

#include <math.h>

#include "workload/swf.h"

#define SORT_WINDOW_DEFAULT 4096
#define SORT_WINDOW_MAX     10000000
#define FACTOR_MAX          1e6
#define LOAD_MIN            1e-6
#define LOAD_MAX            1e6
#define RATE_MAX            1e9
#define WEIGHT_MAX          1e9
#define CV_MAX              100
#define INFLATION_MAX       100

void workload_lublin_defaults(struct workload_lublin *lublin)
{
    *lublin = (struct workload_lublin){
        .serial_probability = 0.244,
        .power2_probability = 0.576,
        .u_low = 0.8,
        .u_med_offset = 2.5,
        .u_probability = 0.86,
        .a1 = 4.2,
        .b1 = 0.94,
        .a2 = 312,
        .b2 = 0.03,
        .pa = -0.0054,
        .pb = 0.78,
        .a_arrival = 10.2303,
        .b_arrival = 0.4871,
        .a_num = 8.1737,
        .b_num = 3.9631,
        .arrival_ratio = 1.0225,
    };
}

void workload_options_defaults(struct workload_options *options)
{
    *options = (struct workload_options){
        .sort_window = SORT_WINDOW_DEFAULT,
        .estimate_factor = 1,
        .inflation = {.is_shuffled = true, .load = 1.3, .interval_ns = HS_NS_PER_S},
    };
    workload_lublin_defaults(&options->lublin);
}

static enum hs_err wrong(struct hs_error *error, const char *option, double value,
                         const char *allowed)
{
    return hs_error_set(error, HS_ERR_CONFIG, "Option workload.%s is %.10g; %s.", option, value,
                        allowed);
}

static bool is_probability(double value)
{
    return value >= 0 && value <= 1;
}

static enum hs_err lublin_check(const struct workload_options *options, struct hs_error *error)
{
    const struct workload_lublin *lublin = &options->lublin;
    int64_t nodes = lublin->nodes ? lublin->nodes : options->machine_procs;
    const struct {
        const char *name;
        double value;
    } positive[] = {{"a1", lublin->a1},
                    {"b1", lublin->b1},
                    {"a2", lublin->a2},
                    {"b2", lublin->b2},
                    {"a_arrival", lublin->a_arrival},
                    {"b_arrival", lublin->b_arrival},
                    {"a_num", lublin->a_num},
                    {"b_num", lublin->b_num},
                    {"arrival_ratio", lublin->arrival_ratio}};

    if (lublin->jobs < 1) {
        return wrong(error, "generate.jobs", (double)lublin->jobs, "at least 1 job is due");
    }
    if (nodes < 1 || nodes > INT32_MAX) {
        return wrong(error, "generate.nodes", (double)nodes,
                     "1 to 2147483647 is allowed (0: the processors of the platform)");
    }
    if (!is_probability(lublin->serial_probability) ||
        !is_probability(lublin->power2_probability) ||
        !is_probability(lublin->serial_probability + lublin->power2_probability)) {
        return wrong(error, "generate.serial_probability + generate.power2_probability",
                     lublin->serial_probability + lublin->power2_probability,
                     "each and their sum lie in 0 to 1");
    }
    if (!is_probability(lublin->u_probability)) {
        return wrong(error, "generate.u_probability", lublin->u_probability, "0 to 1 is allowed");
    }
    for (size_t i = 0; i < sizeof positive / sizeof positive[0]; i++) {
        if (!(positive[i].value > 0) || !isfinite(positive[i].value)) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "Option workload.generate.%s is %.10g; a number above 0 is due.",
                                positive[i].name, positive[i].value);
        }
    }
    if (!(lublin->u_low >= 0 && lublin->u_med_offset >= 0 && lublin->u_high >= 0) ||
        lublin->u_low > 31 || lublin->u_high > 31 || !isfinite(lublin->u_med_offset) ||
        !isfinite(lublin->pa) || !isfinite(lublin->pb)) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "Options workload.generate.u_low, u_med_offset and u_high are log2 of "
                            "sizes, 0 to 31; pa and pb are finite numbers.");
    }
    if (lublin->start_ns < 0 || lublin->start_ns > SWF_TIME_MAX_NS) {
        return wrong(error, "generate.start", (double)lublin->start_ns / (double)HS_NS_PER_S,
                     "0 to 3000000000 s is allowed");
    }
    return HS_OK;
}

static enum hs_err class_check(const struct workload_class *class, struct hs_error *error)
{
    bool is_uniform = class->run.distribution == WORKLOAD_RUN_UNIFORM;
    const char *problem = NULL;

    if (!(class->weight > 0 && class->weight <= WEIGHT_MAX)) {
        problem = "weight is above 0, at most 1000000000";
    } else if (!(class->estimate >= 1 && class->estimate <= FACTOR_MAX)) {
        problem = "estimate is 1 to 1000000 (below 1 every job would be killed)";
    } else if (class->run.mean_ns < 0 || class->run.mean_ns > SWF_TIME_MAX_NS ||
               class->run.min_ns < 0 || class->run.min_ns > SWF_TIME_MAX_NS ||
               class->run.max_ns < 0 || class->run.max_ns > SWF_TIME_MAX_NS) {
        problem = "run.mean, run.min and run.max are 0 to 3000000000 s";
    } else if (class->run.max_ns > 0 && class->run.max_ns < class->run.min_ns) {
        problem = "run.max is below run.min";
    } else if (is_uniform && (class->run.max_ns == 0 || class->run.mean_ns != 0)) {
        problem = "a uniform run time has run.min and run.max, and no run.mean";
    } else if (!is_uniform && class->run.mean_ns == 0) {
        problem = "run.mean is missing: the mean run time, above 0";
    } else if (!(class->run.cv >= 0 && class->run.cv <= CV_MAX)) {
        problem = "run.cv is 0 to 100";
    }
    return problem
               ? hs_error_set(error, HS_ERR_CONFIG, "workload.generate.classes, class '%s': %s.",
                              class->name, problem)
               : HS_OK;
}

static enum hs_err classes_check(const struct workload_options *options, struct hs_error *error)
{
    const struct workload_classes *classes = &options->classes;
    enum hs_err err = HS_OK;

    if (options->lublin.jobs < 1) {
        return wrong(error, "generate.jobs", (double)options->lublin.jobs, "at least 1 job is due");
    }
    if (classes->count == 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "workload.generate: model mix needs classes, for instance classes: "
                            "[{name: small, demand: 1x, run: 10m}].");
    }
    if (!(classes->load >= 0 && classes->load <= LOAD_MAX) ||
        !(classes->rate >= 0 && classes->rate <= RATE_MAX) ||
        (classes->load > 0) == (classes->rate > 0)) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "workload.generate: model mix needs either load (above 0, up to "
                            "1000000) or rate (jobs an hour, above 0, up to 1000000000).");
    }
    for (size_t i = 0; !err && i < classes->count; i++) {
        err = class_check(&classes->list[i], error);
    }
    return err;
}

static enum hs_err transforms_check(const struct workload_options *options, struct hs_error *error)
{
    if (!(options->load == 0 || (options->load >= LOAD_MIN && options->load <= LOAD_MAX))) {
        return wrong(error, "load", options->load, "0 (as it is) or 0.000001 to 1000000");
    }
    if (options->load > 0 && options->machine_procs < 1) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "Load scaling needs to know the machine: give the number of its "
                            "processors.");
    }
    if (options->estimate == WORKLOAD_ESTIMATE_FACTOR &&
        !(options->estimate_factor >= 1 && options->estimate_factor <= FACTOR_MAX)) {
        return wrong(error, "estimate.factor", options->estimate_factor,
                     "1 to 1000000 is allowed (below 1 every job would be killed)");
    }
    if (options->estimate_round_ns < 0 || options->estimate_round_ns > SWF_TIME_MAX_NS) {
        return wrong(error, "estimate.round",
                     (double)options->estimate_round_ns / (double)HS_NS_PER_S,
                     "0 (not) to 3000000000 s is allowed");
    }
    if (options->shake_ns < 0 || options->shake_ns > SWF_TIME_MAX_NS) {
        return wrong(error, "shake", (double)options->shake_ns / (double)HS_NS_PER_S,
                     "0 (not) to 3000000000 s is allowed");
    }
    if (options->head < 0) {
        return wrong(error, "head", (double)options->head, "0 (all) or more is allowed");
    }
    if (options->window_to_ns != 0 && options->window_to_ns <= options->window_from_ns) {
        return wrong(error, "window.to", (double)options->window_to_ns / (double)HS_NS_PER_S,
                     "it must be later than window.from");
    }
    return HS_OK;
}

static enum hs_err inflation_check(const struct workload_options *options, struct hs_error *error)
{
    if (!(options->inflation.load >= 0 && options->inflation.load <= INFLATION_MAX)) {
        return wrong(error, "inflation.load", options->inflation.load,
                     "0 (the jobs once) to 100 times the accelerators are allowed");
    }
    if (options->inflation.interval_ns < 1 || options->inflation.interval_ns > SWF_TIME_MAX_NS) {
        return wrong(error, "inflation.interval",
                     (double)options->inflation.interval_ns / (double)HS_NS_PER_S,
                     "more than 0 and at most 3000000000 s is allowed");
    }
    if (options->window_from_ns != 0 || options->window_to_ns != 0 || options->shift_ns != 0 ||
        options->shift_to_zero || options->load > 0 || options->shake_ns > 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "With workload.inflation the submit times of the trace do not count, "
                            "so window, shift, load and shake have no meaning. Leave them out.");
    }
    return HS_OK;
}

enum hs_err workload_options_check(const struct workload_options *options, struct hs_error *error)
{
    enum hs_err err;

    if (!options->is_generated && !options->file) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "The workload names neither a trace file nor a generator.");
    }
    if (options->sort_window < 0 || options->sort_window > SORT_WINDOW_MAX) {
        return wrong(error, "sort_window", (double)options->sort_window,
                     "0 to 10000000 records are allowed");
    }
    if (options->missing == WORKLOAD_MISSING_WALLTIME &&
        (options->missing_walltime_ns <= 0 || options->missing_walltime_ns > SWF_TIME_MAX_NS)) {
        return wrong(error, "estimate.missing walltime",
                     (double)options->missing_walltime_ns / (double)HS_NS_PER_S,
                     "more than 0 and at most 3000000000 s is allowed");
    }
    if (options->priority_field < 0 || options->priority_field > SWF_FIELD_COUNT) {
        return wrong(error, "priority_field", options->priority_field,
                     "0 (none) or an SWF field, 1 to 18, is allowed");
    }
    if (options->machine_procs < 0 || options->machine_procs > INT32_MAX) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "The machine has %lld processors; 0 (unknown) to 2147483647 are "
                            "allowed. Give it fewer nodes or cores.",
                            (long long)options->machine_procs);
    }
    err = transforms_check(options, error);
    if (!err && options->inflation.is_on) {
        err = inflation_check(options, error);
    }
    if (err || !options->is_generated) {
        return err;
    }
    return options->model == WORKLOAD_MODEL_MIX ? classes_check(options, error)
                                                : lublin_check(options, error);
}
