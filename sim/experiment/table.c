/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table.c - the rows of all keys. To add a key, add a row: nothing else knows the keys. Those of
 * the longest block stand in rows_workload.h. */
#include "experiment/row.h"
#include "experiment/words_workload.h"

static const struct key_choice allocations[] = {
    {"cores", EXPERIMENT_ALLOCATION_CORES}, {"nodes", EXPERIMENT_ALLOCATION_NODES}, {NULL, 0}};
static const struct key_choice compressions[] = {
    {"none", 0},      {"deflate-1", 1}, {"deflate-2", 2}, {"deflate-3", 3},
    {"deflate-4", 4}, {"deflate-5", 5}, {"deflate-6", 6}, {"deflate-7", 7},
    {"deflate-8", 8}, {"deflate-9", 9}, {NULL, 0}};
static const struct key_choice walltimes[] = {{"scaled", false}, {"fixed", true}, {NULL, 0}};
static const struct key_choice class_sources[] = {{"class", EXPERIMENT_CLASS_OF_CLASS},
                                                  {"executable", EXPERIMENT_CLASS_OF_EXECUTABLE},
                                                  {"queue", EXPERIMENT_CLASS_OF_QUEUE},
                                                  {"user", EXPERIMENT_CLASS_OF_USER},
                                                  {"group", EXPERIMENT_CLASS_OF_GROUP},
                                                  {"partition", EXPERIMENT_CLASS_OF_PARTITION},
                                                  {NULL, 0}};
static const struct key_choice energies[] = {{"auto", EXPERIMENT_ENERGY_AUTO},
                                             {"always", EXPERIMENT_ENERGY_ALWAYS},
                                             {"never", EXPERIMENT_ENERGY_NEVER},
                                             {NULL, 0}};
static const struct key_choice attributions[] = {
    {"exclusive", EXPERIMENT_ATTRIBUTION_EXCLUSIVE},
    {"proportional", EXPERIMENT_ATTRIBUTION_PROPORTIONAL},
    {"dynamic", EXPERIMENT_ATTRIBUTION_DYNAMIC},
    {NULL, 0}};
static const struct key_choice series[] = {
    {"events", EXPERIMENT_SERIES_EVENTS}, {"none", EXPERIMENT_SERIES_NONE}, {NULL, 0}};

const struct key experiment_keys[] = {
    {.path = "",
     .type = KEY_MAP,
     .is_required = true,
     .one_of = "policy policies",
     .doc = "An experiment of hsim: a platform, a workload, and the policies to run on them."},
    {.path = "hsim",
     .type = KEY_INT,
     .is_required = true,
     RANGE(1, 1),
     .example = "1",
     .doc = "Version of the format of this file."},
    {.path = "name",
     STRING(name),
     .part = KEY_PART_NAME,
     .is_file_name = true,
     .example = "backfilling-study",
     .doc = "Name of the experiment in tables and result files. Without it: the name of the YAML "
            "file without its ending."},
    {.path = "seed",
     .type = KEY_INT,
     .offset = OFFSET(seed, uint64_t),
     .size = sizeof MEMBER(seed),
     .part = KEY_PART_SEED,
     AT_LEAST(0),
     .fallback = "1",
     .example = "42",
     .doc = "Seed of all random numbers. The same seed gives every policy the same jobs."},
    {.path = "clairvoyant",
     BOOL(is_clairvoyant),
     .fallback = "false",
     .example = "true",
     .doc = "Policies are given the true run time as the estimate, where it is known. The log says "
            "so. For single policies: `predictor: oracle`."},

    {.path = "platform",
     .type = KEY_MAP,
     .is_required = true,
     .one_of = "file nodes",
     .short_form = "file",
     .example = "{nodes: 256, cores: 1}",
     .doc = "The machine: a SimGrid platform file or a list of nodes, or so many equal nodes. A "
            "single value is the path of the file."},
    {.path = "platform.file",
     PATH(platform.file),
     .example = "../platforms/cluster512.xml",
     .doc = "SimGrid platform file (XML), or list of nodes with cpu_milli, memory_mib, gpu and "
            "model (CSV, plain or compressed). A relative path starts at the folder of the YAML "
            "file."},
    {.path = "platform.catalogue",
     PATH(platform.catalogue),
     .excludes = "nodes",
     .example = "my-devices.yaml",
     .doc = "YAML file that adds models to the device catalogue, or changes fields of known ones; "
            "see `hsim platform devices --help`."},
    {.path = "platform.nodes",
     INT(platform.nodes),
     RANGE(1, 10000000),
     .example = "256",
     .doc = "Number of equal nodes, instead of a file."},
    {.path = "platform.cores",
     INT(platform.cores),
     .excludes = "file",
     RANGE(1, 1000000),
     .fallback = "1",
     .example = "16",
     .doc = "Cores of each node."},
    {.path = "platform.memory",
     BYTES(platform.mem_bytes),
     .excludes = "file",
     AT_LEAST(0),
     .fallback = "0",
     .example = "64GiB",
     .doc = "Memory of each node. 0: memory is not modelled."},
    {.path = "platform.availability",
     PATH(availability),
     .example = "nodes.csv",
     .doc =
         "CSV that says when nodes leave and come back: time,nodes,state with state up or down, "
         "or date,...,total with the number of accelerators (the left-most nodes stay). What runs "
         "on a node that leaves runs on; nothing starts on it. See experiments/README.md."},
    {.path = "platform.availability_column",
     STRING(availability_column),
     .fallback = "total",
     .example = "vc6YE",
     .doc = "Column of that CSV with the number of accelerators, if it goes by date."},

#include "experiment/rows_workload.h"
    {.path = "policy",
     .part = KEY_PART_POLICY,
     .type = KEY_POLICY,
     .short_form = "name",
     .example = "easy",
     .doc = "The policy to run: a name such as `easy` or `sjf-easy`, or a map with a name, an "
            "order, a placement and the parameters that `hsim policies show NAME` lists."},
    {.path = "policy.name",
     .part = KEY_PART_POLICY,
     .type = KEY_STRING,
     .is_required = true,
     .example = "easy",
     .doc = "Name of the policy."},
    {.path = "policy.order",
     .part = KEY_PART_POLICY,
     .type = KEY_STRING,
     .example = "sjf",
     .doc = "Order of the queue, for policies that take one."},
    {.path = "policy.place",
     .part = KEY_PART_POLICY,
     .type = KEY_STRING,
     .example = "best-fit",
     .doc = "Placement on the nodes; `hsim policies list` shows what there is. Without it: the "
            "left-most nodes with room."},
    {.path = "policy.local",
     .part = KEY_PART_POLICY,
     .type = KEY_STRING,
     .example = "island",
     .doc = "Which devices of a node a task gets: `tight` (the fullest that suffice; the default), "
            "`island` (of one NVLink island or NUMA domain if one suffices), or `first`."},
    {.path = "policy.tie",
     .part = KEY_PART_POLICY,
     .type = KEY_STRING,
     .example = "random",
     .doc = "Which of the nodes that the placement finds equal comes first: `index` (the default), "
            "or `random` (one order of the nodes for the whole run, by the seed)."},
    {.path = "policy.predictor",
     .part = KEY_PART_POLICY,
     .type = KEY_STRING,
     .example = "last-two",
     .doc = "The predictor of run times by which this policy goes, instead of "
            "`scheduler.predictor`. Its parameters stand beside those of the policy."},
    {.path = "policy.label",
     .part = KEY_PART_NAME,
     .type = KEY_STRING,
     .is_file_name = true,
     .example = "my-easy",
     .doc = "Name in tables and result files. Without it, it is made from the parts."},
    {.path = "policies",
     .part = KEY_PART_POLICY,
     .type = KEY_POLICY_LIST,
     .example = "[fcfs, easy, {name: easy, order: sjf}]",
     .doc = "Several policies, run on the same jobs and printed side by side."},
    {.path = "plugins",
     .part = KEY_PART_POLICY,
     PATH_LIST(plugins, plugin_count),
     .fallback = "[]",
     .example = "[./my_policy.so]",
     .doc = "Shared objects with more policies, orders or placements."},

    {.path = "scheduler",
     .type = KEY_MAP,
     .example = "{interval: 30s}",
     .doc = "How the scheduler works, whatever the policy."},
    {.path = "scheduler.interval",
     TIME(interval_ns),
     DURATION,
     .fallback = "0s",
     .example = "30s",
     .doc = "Scheduling passes only at multiples of this. 0: at every event."},
    {.path = "scheduler.latency",
     TIME(latency_ns),
     DURATION,
     .fallback = "0s",
     .example = "1s",
     .doc = "Time from a decision to the start of the job."},
    {.path = "scheduler.preempt_cost",
     TIME(preempt_cost_ns),
     DURATION,
     .fallback = "0s",
     .example = "30s",
     .doc =
         "Time that each restart of a preempted job takes (checkpoint and restore); the job holds "
         "its resources and makes no progress."},
    {.path = "scheduler.allocation",
     CHOICE(allocation),
     .choices = allocations,
     .fallback = "cores",
     .example = "nodes",
     .doc = "Jobs get single cores, or whole nodes that nobody else uses."},
    {.path = "scheduler.predictor",
     STRING(predictor),
     .fallback = "request",
     .example = "last-two",
     .doc = "What policies take for the run time of a job: what the user requests, or what a "
            "predictor says (`hsim policies list`). The request stays the limit at which a job is "
            "killed."},

    {.path = "speeds",
     .type = KEY_MAP,
     .offset = OFFSET(speeds.is_on, _Bool),
     .size = sizeof MEMBER(speeds.is_on),
     .example = "{reference: a100-sxm4-80, default: mlperf-3.0-resnet}",
     .doc = "Jobs run at different speeds on different devices, by their class: a run time of the "
            "workload is that on the reference device. Without this block all devices are equally "
            "fast. `speeds: {}` takes the class library that comes with hsim."},
    {.path = "speeds.classes",
     PATH_LIST(speeds.classes, speeds.class_count),
     .fallback = "[]",
     .example = "[my-classes.yaml]",
     .doc = "Class libraries (YAML) that add classes to the one that comes with hsim, or replace "
            "some of it; see `hsim classes --help`."},
    {.path = "speeds.throughputs",
     PATH(speeds.throughputs),
     .example = "throughputs.csv",
     .doc = "Table of steps a second (CSV with job_type, batch_size, scale_factor and a column for "
            "each type of worker, which is a model of the device catalogue or an alias). Its job "
            "types are classes, and come before those of the libraries. Without it: that of the "
            "workload (`workload.throughputs`), if it has one."},
    {.path = "speeds.etc",
     PATH(speeds.etc),
     .example = "times.etc",
     .doc = "Matrix of expected times to compute, in seconds, as `hsim map` reads and writes it: a "
            "row a job in the order of the workload, a column a node of the platform. Jobs take "
            "these times, of several nodes the longest; classes and run times do not count."},
    {.path = "speeds.reference",
     STRING(speeds.reference),
     .example = "v100-sxm2-32",
     .doc = "Model of the device catalogue on which the run times of the workload were measured. "
            "Without it: that of the workload (`workload.reference`), else the reference of each "
            "class, of a throughput table its first worker."},
    {.path = "speeds.default",
     STRING(speeds.fallback),
     .example = "mlperf-3.0-resnet",
     .doc =
         "Class of the jobs that have none, or one that is not known. Without it: jobs without a "
         "class run equally fast everywhere, and an unknown class is an error."},
    {.path = "speeds.walltime",
     CHOICE(speeds.is_walltime_fixed),
     .choices = walltimes,
     .fallback = "scaled",
     .example = "fixed",
     .doc =
         "scaled: the requested time, too, is one on the reference device, and grows and shrinks "
         "with the run time; fixed: it is what it is, and a job on a slow device is killed at "
         "it (`workload.overrun`)."},
    {.path = "speeds.class_of",
     CHOICE(speeds.class_of),
     .choices = class_sources,
     .fallback = "class",
     .example = "executable",
     .doc = "Where the class of a job comes from: the workload's own word for it (column `class`, "
            "classes of `model: mix`), or one of its numbers, by `class_map`."},
    {.path = "speeds.class_map",
     .type = KEY_MAP_LIST,
     FIELD(speeds.rows, const struct experiment_class_row *),
     .offset_more = OFFSET(speeds.row_count, size_t),
     .item_size = sizeof(struct experiment_class_row),
     .fallback = "[]",
     .example = "[{number: 3, class: hpl}]",
     .doc = "Which number of `class_of` means which class."},
    {.path = "speeds.class_map.number",
     .type = KEY_INT,
     ROW_FIELD(number, int64_t),
     .is_required = true,
     SWF_INT,
     .example = "3",
     .doc = "Number of the executable, queue, user, group or partition."},
    {.path = "speeds.class_map.class",
     .type = KEY_STRING,
     ROW_FIELD(class, const char *),
     .is_required = true,
     .example = "hpl",
     .doc = "Class of its jobs."},

    {.path = "energy",
     .type = KEY_MAP,
     .short_form = "account",
     .example = "{load: 0.7, attribution: proportional}",
     .doc = "Energy of the platform and of the jobs. A single value is `account`."},
    {.path = "energy.account",
     CHOICE(energy),
     .choices = energies,
     .fallback = "auto",
     .example = "always",
     .doc = "Whether energy is accounted; `auto`: if the platform says what all nodes and devices "
            "draw; `always`: if it does not, that is an error."},
    {.path = "energy.load",
     DOUBLE(energy_load),
     PROBABILITY,
     .fallback = "1",
     .example = "0.7",
     .doc = "Mean load of the cores and devices that jobs hold: 1: they work all the time, 0: they "
            "wait, and draw what the platform says of devices in use without load."},
    {.path = "energy.attribution",
     CHOICE(attribution),
     .choices = attributions,
     .fallback = "exclusive",
     .example = "proportional",
     .doc = "What a job pays of a node or device: `exclusive`: all that it draws, shared with "
            "others by what they hold; `proportional`: of the power that does not depend on load "
            "only its part of the capacity; `dynamic`: only what is drawn above idle."},

    {.path = "metrics",
     .type = KEY_MAP,
     .example = "{tau: 10s}",
     .doc = "Parameters of the metrics."},
    {.path = "metrics.tau",
     TIME(tau_ns),
     RANGE(1, KEY_TIME_MAX),
     .fallback = "10s",
     .example = "1m",
     .doc = "Bound of the bounded slowdown: shorter jobs count as if they ran this long."},

    {.path = "measure",
     .type = KEY_MAP,
     .example = "{warmup: 1w, cooldown: 1w}",
     .doc = "The jobs that the metrics count; all jobs are simulated."},
    {.path = "measure.warmup",
     TIME(warmup_ns),
     DURATION,
     .fallback = "0s",
     .example = "1w",
     .doc = "Jobs submitted in this time after the first submission are not measured."},
    {.path = "measure.cooldown",
     TIME(cooldown_ns),
     DURATION,
     .fallback = "0s",
     .example = "1w",
     .doc = "Jobs submitted in this time before the last submission are not measured. The window "
            "ends with the last submission if this is 0."},

    {.path = "output",
     .type = KEY_MAP,
     .example = "{path: results/study, series: 1h}",
     .doc = "What is written, and where."},
    {.path = "output.path",
     .part = KEY_PART_NAME,
     PATH(output),
     .example = "results/study",
     .doc = "File or folder of the results. Without it: results/NAME in the current folder."},
    {.path = "output.compression",
     .part = KEY_PART_NAME,
     CHOICE(compression),
     .choices = compressions,
     .fallback = "deflate-1",
     .example = "none",
     .doc = "Compression of the result file; `none` writes fastest."},
    {.path = "output.series",
     CHOICE_TIME(series, series_interval_ns, EXPERIMENT_SERIES_INTERVAL),
     .choices = series,
     RANGE(1, KEY_TIME_MAX),
     .fallback = "events",
     .example = "1h",
     .doc = "Time series of utilisation and queue: exact at every event, none, or means over "
            "intervals of this duration."},
    {.path = "output.allocations",
     BOOL(has_allocations),
     .fallback = "true",
     .example = "false",
     .doc = "Writes which nodes each job ran on."},
    {.path = "output.fragmentation",
     BOOL(has_fragments),
     .fallback = "false",
     .example = "true",
     .doc = "Tells over time what is free of the accelerators, and what of that is of no use to "
            "the mix of the workload, by kind and model: columns of the series and metrics. Reads "
            "the workload once more, before the first run, and costs a look at each demand of the "
            "mix for each node of a job that starts or ends. On in any case with "
            "`workload.inflation`."},

    {.path = "sweep",
     .type = KEY_MAP,
     .part = KEY_PART_SWEEP,
     .example = "{axes: {workload.load: [0.5, 0.7, 0.9]}, replications: 5}",
     .doc = "Many runs of this experiment, for `hsim sweep`: one for each combination of the "
            "values of the axes, the first axis outermost, then the policies, then the "
            "replications."},
    {.path = "sweep.axes",
     .type = KEY_AXES,
     .part = KEY_PART_SWEEP,
     .example = "{workload.load: {from: 0.5, to: 0.95, count: 10}}",
     .doc = "Keys of the experiment, each with a list of its values, or with {from, to, count, "
            "scale}: so many values from the first to the last, in equal steps (`scale: lin`, the "
            "default) or equal ratios (`log`). A key below `policy` changes every policy."},
    {.path = "sweep.zip",
     .type = KEY_AXES_LIST,
     .part = KEY_PART_SWEEP,
     .example = "[{workload.generate.jobs: [1000, 5000], platform.nodes: [64, 128]}]",
     .doc = "Axes of several keys whose values go together: the first of each, the second of "
            "each, and so on. Their lists are equally long."},
    {.path = "sweep.exclude",
     .type = KEY_CASES,
     .part = KEY_PART_SWEEP,
     .example = "[{workload.load: 0.95, policy: fcfs}]",
     .doc = "Runs that are left out: those with these values of axes and, for `policy`, this "
            "policy."},
    {.path = "sweep.include",
     .type = KEY_CASES,
     .part = KEY_PART_SWEEP,
     .example = "[{workload.load: 1.2, policy: easy}]",
     .doc = "Runs besides those of the axes: with these values of axes, and the experiment's own "
            "of all others; with `policy` only for this policy. They come last."},
    {.path = "sweep.replications",
     .type = KEY_INT,
     .part = KEY_PART_SWEEP,
     RANGE(1, 1000000),
     .fallback = "1",
     .example = "10",
     .doc =
         "Runs that differ in their seed alone: `seed`, `seed` + 1, and so on, so that every "
         "policy meets the same jobs. Of a trace the jobs stay the same: there a seed changes only "
         "what is drawn at random, and replications are no samples."},
};

const size_t experiment_key_count = sizeof experiment_keys / sizeof experiment_keys[0];

_Static_assert(sizeof experiment_keys / sizeof experiment_keys[0] <= KEY_COUNT_MAX,
               "KEY_COUNT_MAX is too small");
