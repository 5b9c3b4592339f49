/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run.c - sessions: from an experiment to simulations and result files. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "run/run_internal.h"

#define PARAM_MAX 32

/* Did the run read it? What comes with hsim counts as an input of a result only if it was used. */
static bool is_used(const struct run_session *session, const struct run_input *input)
{
    switch (input->role) {
    case RUN_INPUT_PLUGIN:
        return false;
    case RUN_INPUT_CATALOGUE:
        return session->platform.catalogue || session->speeds.own_catalogue;
    case RUN_INPUT_LIBRARY:
    case RUN_INPUT_NAMED:
        break;
    }
    return true;
}

static enum hs_err add_inputs(struct run_session *session, struct hs_error *error)
{
    const struct experiment *experiment = session->experiment;
    enum hs_err err = run_inputs_init(&session->files_read, experiment, error);

    for (size_t i = 0; err == HS_OK && i < session->files_read.count; i++) {
        const struct run_input *input = &session->files_read.list[i];
        struct result_input *added = &session->inputs[session->input_count];

        if (!is_used(session, input)) {
            continue;
        }
        HS_ASSERT(session->input_count < RUN_INPUT_MAX);
        err = run_input_format(experiment, input, &added->format, error);
        if (err == HS_OK) {
            err = run_digests_file(session->digests, input->path, added, error);
        }
        added->path = input->as_written;
        session->input_count += err == HS_OK;
    }
    return err;
}

static enum hs_err fail_window(const struct experiment *experiment,
                               const struct workload_extent *extent, struct hs_error *error)
{
    char warmup[HS_TIME_TEXT_MAX];
    char cooldown[HS_TIME_TEXT_MAX];
    char span[HS_TIME_TEXT_MAX];

    (void)hs_time_format(experiment->warmup_ns, warmup);
    (void)hs_time_format(experiment->cooldown_ns, cooldown);
    (void)hs_time_format(extent->last_submit_ns - extent->first_submit_ns, span);
    return hs_error_set(error, HS_ERR_CONFIG,
                        "%s: measure.warmup (%s s) and measure.cooldown (%s s) leave nothing to "
                        "measure: the submissions of the workload span %s s. Make them shorter.",
                        experiment->path, warmup, cooldown, span);
}

/* The measure window needs the first and last submission: a pass over the workload of its own. */
static enum hs_err find_window(struct run_session *session, struct hs_error *error)
{
    const struct experiment *experiment = session->experiment;
    struct workload_extent extent;
    enum hs_err err;

    session->measure_from_ns = INT64_MIN;
    session->measure_to_ns = HS_TIME_NEVER;
    if (!experiment->warmup_ns && !experiment->cooldown_ns) {
        return HS_OK;
    }
    err = workload_scan(&session->workload, &extent, error);
    if (err == HS_OK) {
        session->measure_from_ns = extent.first_submit_ns + experiment->warmup_ns;
        session->measure_to_ns = extent.last_submit_ns - experiment->cooldown_ns;
        if (session->measure_from_ns > session->measure_to_ns) {
            err = fail_window(experiment, &extent, error);
        }
    }
    return err;
}

static enum hs_err load_availability(struct run_session *session, struct hs_error *error)
{
    const struct experiment *experiment = session->experiment;

    return experiment->availability
               ? availability_load(experiment->availability, experiment->availability_column,
                                   session->platform.cluster, &session->availability, error)
               : HS_OK;
}

static bool has_fragments(const struct experiment *experiment)
{
    return experiment->has_fragments || experiment->workload.inflation.is_on;
}

/* The mix of demands needs a pass over the workload of its own. */
static enum hs_err find_mix(struct run_session *session, struct hs_error *error)
{
    bool is_needed = has_fragments(session->experiment);

    for (size_t i = 0; i < session->experiment->policy_count; i++) {
        is_needed = is_needed || hs_stack_needs_mix(session->stacks[i]);
    }
    return is_needed ? workload_mix_create(&session->workload, &session->mix, error) : HS_OK;
}

static enum hs_err open_inputs(struct run_session *session, struct hs_error *error)
{
    const struct experiment *experiment = session->experiment;
    enum hs_err err = HS_OK;

    if (!session->request->warm ||
        !run_warm_take(session->request->warm, &experiment->platform, &session->platform)) {
        err = platform_load(&experiment->platform, &session->platform, error);
    }

    if (err != HS_OK) {
        return err;
    }
    err = run_speeds_init(&session->speeds, experiment, &session->platform, error);
    if (err == HS_OK) {
        err = run_power_init(&session->power, experiment, &session->platform, error);
    }
    if (err != HS_OK) {
        return err;
    }
    session->workload = experiment->workload;
    session->workload.seed = experiment->seed;
    if (session->speeds.model && experiment->speeds.is_walltime_fixed &&
        session->workload.overrun == WORKLOAD_OVERRUN_KILL) {
        session->workload.overrun = WORKLOAD_OVERRUN_RUN; /* only the start tells who is killed */
        session->speeds.is_killing = true;
    }
    session->workload.machine_procs = hs_cluster_cores_milli(session->platform.cluster) / 1000;
    session->workload.cluster = session->platform.cluster;
    session->workload.stop = session->request->stop;
    if (session->workload.machine_procs > INT32_MAX) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: the platform '%s' has %" PRId64 " processors; at most 2147483647 "
                            "are allowed. Give it fewer hosts, or hosts with fewer cores.",
                            experiment->path, experiment->platform_as_written,
                            session->workload.machine_procs);
    }
    err = load_availability(session, error);
    if (err == HS_OK) {
        err = add_inputs(session, error);
    }
    if (err == HS_OK) {
        err = run_basis_init(&session->basis, experiment, session->digests, error);
    }
    if (err == HS_OK) {
        err = find_mix(session, error);
    }
    return err == HS_OK ? find_window(session, error) : err;
}

/* A session with its policies composed, but without inputs and outputs. */
static enum hs_err session_create(const struct experiment *experiment,
                                  const struct run_request *request, struct run_session **session,
                                  struct hs_error *error)
{
    struct run_session *made = calloc(1, sizeof *made);
    enum hs_err err = HS_OK;

    *session = NULL;
    if (!made) {
        return hs_error_memory(error);
    }
    made->experiment = experiment;
    made->request = request;
    made->stacks = calloc(experiment->policy_count, sizeof(struct hs_stack *));
    made->labels = calloc(experiment->policy_count, sizeof *made->labels);
    made->files = calloc(experiment->policy_count, sizeof(char *));
    made->digests = run_digests_create(request ? request->stop : NULL);
    if (!made->stacks || !made->labels || !made->files || !made->digests) {
        err = hs_error_memory(error);
    }
    if (err == HS_OK) {
        err = run_registry_create(experiment->plugins, experiment->plugin_count, &made->registry,
                                  error);
    }
    if (err == HS_OK) {
        err = session_compose(made, error);
    }
    if (err != HS_OK) {
        run_close(made);
        return err;
    }
    *session = made;
    return HS_OK;
}

enum hs_err run_check(const struct experiment *experiment, struct hs_error *error)
{
    struct run_session *session;
    enum hs_err err = session_create(experiment, NULL, &session, error);

    run_close(session);
    return err;
}

enum hs_err run_open(const struct experiment *experiment, const struct run_request *request,
                     struct run_session **session, struct hs_error *error)
{
    enum hs_err err = session_create(experiment, request, session, error);

    if (err == HS_OK) {
        err = open_inputs(*session, error);
    }
    if (err == HS_OK) {
        err = session_plan_files(*session, error);
    }
    if (err != HS_OK) {
        run_close(*session);
        *session = NULL;
    }
    return err;
}

void run_close(struct run_session *session)
{
    if (!session) {
        return;
    }
    for (size_t i = 0; i < session->experiment->policy_count; i++) {
        if (session->stacks) {
            hs_stack_destroy(session->stacks[i]);
        }
        if (session->files) {
            free(session->files[i]);
        }
    }
    free(session->stacks);
    free(session->labels);
    free(session->files);
    hs_registry_destroy(session->registry);
    run_power_fini(&session->power);
    run_speeds_fini(&session->speeds);
    availability_fini(&session->availability);
    run_inputs_fini(&session->files_read);
    run_digests_destroy(session->digests);
    workload_mix_fini(&session->mix);
    platform_fini(&session->platform);
    free(session);
}

const char *run_label(const struct run_session *session, size_t policy)
{
    return session->labels[policy];
}

/* Resolved parameters of the composition, for the log. */
static size_t list_params(const struct hs_stack *stack, struct result_param *params)
{
    static const char *const parts[HS_KIND_COUNT] = {
        [HS_KIND_POLICY] = "policy", [HS_KIND_ORDER] = "order",       [HS_KIND_RESERVE] = "reserve",
        [HS_KIND_PLACE] = "place",   [HS_KIND_PREDICT] = "predictor",
    };
    const struct hs_param *row;
    enum hs_kind kind;
    size_t count = 0;

    while (count < PARAM_MAX && hs_stack_param(stack, count, &kind, &row, params[count].value,
                                               sizeof params[count].value)) {
        params[count].part = parts[kind];
        params[count].name = row->name;
        count++;
    }
    return count;
}

static enum hs_err open_writer(const struct run_session *session, size_t index, const char *config,
                               const char *run_key, struct result_writer **writer,
                               struct hs_error *error)
{
    const struct experiment *experiment = session->experiment;
    static const enum result_series series[] = {
        [EXPERIMENT_SERIES_EVENTS] = RESULT_SERIES_EVENTS,
        [EXPERIMENT_SERIES_INTERVAL] = RESULT_SERIES_INTERVAL,
        [EXPERIMENT_SERIES_NONE] = RESULT_SERIES_NONE,
    };
    struct result_param params[PARAM_MAX];
    struct result_options options = {
        .path = session->files[index],
        .is_forced = session->request->is_forced,
        .compression = experiment->compression,
        .series = series[experiment->series],
        .series_interval_ns = experiment->series_interval_ns,
        .has_allocations = experiment->has_allocations,
        .has_arrivals = experiment->workload.inflation.is_on,
    };
    /* Absolute, so that --verify finds the inputs from everywhere. */
    char *base_dir = realpath(*experiment->base_dir ? experiment->base_dir : ".", NULL);
    struct result_meta meta = {
        .policy = session->labels[index],
        .run_key = run_key,
        .config = config,
        .config_source = experiment->source,
        .base_dir = base_dir ? base_dir : experiment->base_dir,
        .command_line = session->request->command_line,
        .simgrid_version = session->platform.simgrid_version,
        .cluster = session->platform.cluster,
        .inputs = session->inputs,
        .input_count = session->input_count,
        .params = params,
        .param_count = list_params(session->stacks[index], params),
        .seed = experiment->seed,
        .epoch_unix = -1,
        .tau_ns = experiment->tau_ns,
        .measure_from_ns = session->measure_from_ns,
        .measure_to_ns = session->measure_to_ns,
        .is_clairvoyant =
            experiment->is_clairvoyant || hs_stack_knows_truth(session->stacks[index]),
        .has_predictions = hs_stack_predicts(session->stacks[index]),
        .has_energy = session->power.has_energy,
        .has_attempts = hs_stack_preempts(session->stacks[index]),
        .has_speeds = session->speeds.model != NULL,
        .has_fragments = has_fragments(experiment),
        .has_avail = experiment->availability != NULL,
        .mix_jobs = session->mix.covered,
        .node_power = session->power.nodes,
        .device_power = session->power.devices,
    };

    enum hs_err err = result_writer_create(&options, &meta, writer, error);

    free(base_dir);
    return err;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double cpu_seconds(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) != 0) {
        return 0;
    }
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

static double wall_seconds(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        return 0;
    }
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int64_t peak_rss_bytes(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? (int64_t)usage.ru_maxrss * 1024 : 0;
}

/* Where the result is kept: an interrupted run never takes the name of a complete one, nor without
 * --force that of another interrupted one. "a.h5" becomes "a.interrupted.h5", then
 * "a.interrupted-2.h5". Nobody else takes the name in the meantime: this run holds "a.h5.part". */
static enum hs_err name_result(const struct run_session *session, size_t index,
                               struct run_outcome *outcome, struct hs_error *error)
{
    const char *file = session->files[index];
    size_t stem;

    if (!file) {
        return HS_OK;
    }
    stem = run_ends_with(file, ".h5") ? strlen(file) - 3 : strlen(file);
    if (!outcome->report.is_interrupted) {
        outcome->file = strdup(file);
    } else if (asprintf(&outcome->file, "%.*s.interrupted.h5", (int)stem, file) < 0) {
        outcome->file = NULL;
    }
    for (int number = 2; outcome->file && outcome->report.is_interrupted &&
                         !session->request->is_forced && access(outcome->file, F_OK) == 0;
         number++) {
        free(outcome->file);
        if (asprintf(&outcome->file, "%.*s.interrupted-%d.h5", (int)stem, file, number) < 0) {
            outcome->file = NULL;
        }
    }
    return outcome->file ? HS_OK : hs_error_memory(error);
}

/* Completes the file; takes the writer in every case. */
static enum hs_err finish(struct run_session *session, size_t index, struct result_writer *writer,
                          const struct energy *energy, struct run_outcome *outcome,
                          struct hs_error *error)
{
    struct run_energy collected = {0};
    const struct simulation_report *report = &outcome->report;
    struct result_final final = {
        .status = report->is_interrupted ? "interrupted" : "complete",
        .wall_s = wall_seconds() - outcome->wall_s,
        .cpu_s = cpu_seconds() - outcome->cpu_s,
        .rss_bytes = peak_rss_bytes(),
        .events = report->events,
        .passes = report->passes,
        .decisions = report->decisions,
        .jobs_examined = report->jobs_examined,
        .records_bad = report->workload.bad.count,
        .records_dropped = report->workload.dropped.count,
        .records_overrun = report->workload.overrun.count,
        .records_missing = report->workload.missing.count,
        .epoch_unix = report->workload.epoch_unix,
        .is_clairvoyant = session->experiment->is_clairvoyant || report->workload.is_clairvoyant,
        .inputs = session->inputs,
        .input_count = session->input_count,
    };
    enum hs_err err;

    if (session->experiment->workload.file) {
        session->inputs[0].rows = report->workload.records;
    }
    err = name_result(session, index, outcome, error);
    if (err == HS_OK) {
        err = run_speeds_names(&session->speeds, error);
    }
    if (err == HS_OK) {
        err = run_energy_collect(&collected, energy, session->platform.cluster, error);
    }
    if (err != HS_OK) {
        result_writer_abort(writer);
        run_energy_fini(&collected);
        return err;
    }
    final.energy = energy ? &collected.sums : NULL;
    final.class_names = session->speeds.class_names;
    final.class_count = session->speeds.class_names_count;
    final.model_names = session->speeds.unit_names;
    final.model_count = session->speeds.unit_count;
    final.written = session->request->written;
    final.context = session->request->context;
    final.path = report->is_interrupted ? outcome->file : NULL;
    err = result_writer_finish(writer, &final, &outcome->summary, error);
    if (err == HS_OK) {
        outcome->status = final.status;
    } else {
        free(outcome->file);
        outcome->file = NULL;
    }
    run_energy_fini(&collected);
    return err;
}

/* The key, from inputs as they were read for this run. */
static enum hs_err make_key(const struct run_session *session, size_t policy, struct run_key *key,
                            struct hs_error *error)
{
    const struct experiment *experiment = session->experiment;
    const char *wanted = session->request->key;
    enum hs_err err =
        run_key_make(&session->basis, experiment, policy, experiment->seed, key, error);

    if (err == HS_OK && wanted && strcmp(wanted, key->key) != 0) {
        err = hs_error_set(error, HS_ERR_SYSTEM,
                           "%s: an input of this run has changed since its key was made. Give the "
                           "command again, and change no input while it runs.",
                           session->files[policy]);
    }
    return err;
}

enum hs_err run_policy(struct run_session *session, size_t policy, struct run_outcome *outcome,
                       struct hs_error *error)
{
    const struct experiment *experiment = session->experiment;
    char *config = experiment_resolved(experiment, policy);
    struct result_writer *writer = NULL;
    struct run_key key;
    struct hs_mix mix = {session->mix.demands, session->mix.weights, session->mix.count,
                         session->mix.jobs, session->mix.covered};
    struct simulation_options options = {
        .cluster = session->platform.cluster,
        .stack = session->stacks[policy],
        .workload = &session->workload,
        .mix = mix.count ? &mix : NULL,
        .speeds = session->speeds.model ? &session->speeds : NULL,
        .availability = experiment->availability ? &session->availability : NULL,
        .availability_path = experiment->availability,
        .seed = experiment->seed,
        .interval_ns = experiment->interval_ns,
        .latency_ns = experiment->latency_ns,
        .preempt_cost_ns = experiment->preempt_cost_ns,
        .has_whole_nodes = experiment->allocation == EXPERIMENT_ALLOCATION_NODES,
        .has_fragments = has_fragments(experiment),
        .is_clairvoyant = experiment->is_clairvoyant,
        .stop = session->request->stop,
        .progress = session->request->progress,
        .context = session->request->context,
    };
    enum hs_err err;

    *outcome =
        (struct run_outcome){.status = "failed", .wall_s = wall_seconds(), .cpu_s = cpu_seconds()};
    if (!config) {
        return hs_error_memory(error);
    }
    err = make_key(session, policy, &key, error);
    if (err == HS_OK) {
        err = run_power_open(&session->power, experiment, session->platform.cluster,
                             &options.energy, error);
    }
    if (err == HS_OK) {
        err = open_writer(session, policy, config, key.key, &writer, error);
    }
    if (err == HS_OK) {
        options.writer = writer;
        err = simulation_run(&options, &outcome->report, error);
        run_speeds_unmet(&session->speeds, &outcome->report.unmet_rows);
        if (session->speeds.is_killing) { /* the reader cannot know who is killed */
            outcome->report.workload.overrun = (struct workload_tally){0};
        }
        if (err == HS_OK) {
            err = finish(session, policy, writer, options.energy, outcome, error);
        } else {
            result_writer_abort(writer);
        }
    }
    energy_destroy(options.energy);
    free(config);
    outcome->wall_s = wall_seconds() - outcome->wall_s;
    outcome->cpu_s = cpu_seconds() - outcome->cpu_s;
    return err;
}

void run_outcome_fini(struct run_outcome *outcome)
{
    free(outcome->file);
    result_summary_fini(&outcome->summary);
    *outcome = (struct run_outcome){0};
}
