/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows_trace.h - the rows of the block `workload` for lists of other systems: the map of columns
 * and what goes with it; a piece of the list in rows_workload.h. */
/* Rows without the braces of their list are no code to the formatter. */
/* clang-format off */
#define COLUMN(key_name, field, sample, text)                                                      \
    {                                                                                              \
        .path = "workload.columns." key_name, STRING(workload.columns.field), .example = sample,   \
        .doc = text                                                                                \
    }
#define STATE(key_name, field, sample, text)                                                       \
    {                                                                                              \
        .path = "workload.columns.states." key_name, STRING(workload.columns.states.field),        \
        .example = sample, .doc = text                                                             \
    }

    {.path = "workload.columns",
     .type = KEY_MAP,
     FIELD(workload.columns.is_given, _Bool),
     .excludes = "generate",
     .example = "{submit: submit_time, start: start_time, end: end_time, gpus: num_gpus}",
     .doc = "Which column of a CSV file of jobs is what: a name of the header, perhaps with a "
            "unit behind (limit min, plan_gpu %, mem GiB), or = and a value for all jobs. With a "
            "format such as helios, what is given goes before its map."},
    COLUMN("id", id, "job_id", "Column of the job's number; without it, or if the first is no "
           "number, jobs are numbered by rows."),
    COLUMN("submit", submit, "submit_time", "Column of the time of submission."),
    COLUMN("eligible", eligible, "eligible_time", "Column of the time at which a job was "
           "released; where it is later than the submission, the job is submitted then."),
    COLUMN("start", start, "start_time", "Column of the recorded start."),
    COLUMN("end", end, "end_time", "Column of the recorded end."),
    COLUMN("duration", duration, "run_s", "Column of the run time: seconds, a number in the unit "
           "given, or [days-]hours:minutes:seconds."),
    COLUMN("wait", wait, "queue_s", "Column of the wait, where no start is known."),
    COLUMN("walltime", walltime, "timelimit min", "Column of the requested time."),
    COLUMN("state", state, "state", "Column of how the job ended."),
    COLUMN("user", user, "user", "Column of the user: a number, or a name."),
    COLUMN("group", group, "account", "Column of the group."),
    COLUMN("queue", queue, "vc", "Column of the queue or virtual cluster."),
    COLUMN("class", job_class, "type", "Column of the class of the job."),
    COLUMN("priority", priority, "prio", "Column of the priority."),
    COLUMN("cpus", cpus, "cpu_num", "Column of the processors, of the whole job or with `tasks` "
           "of each task; % and milli are units."),
    COLUMN("gpus", gpus, "gpu_num", "Column of the GPUs, counted as the processors; a share of "
           "one or whole ones."),
    COLUMN("memory", memory, "mem_mib MiB", "Column of the memory, counted as the processors; "
           "bytes, or the unit given."),
    COLUMN("nodes", nodes, "node_num", "Column of the nodes over which a job's processors and "
           "GPUs are spread evenly."),
    COLUMN("tasks", tasks, "inst_num", "Column of the number of equal tasks."),
    COLUMN("model", model, "gpu_type", "Column of the models of the GPUs that will do, A|B."),
    COLUMN("separator", separator, "\";\"", "What stands between fields: one character, or tab. "
           "Without it: a comma."),
    {.path = "workload.columns.headless",
     BOOL(workload.columns.is_headless),
     .fallback = "false",
     .example = "true",
     .doc = "The file has no header; columns are called #1, #2, ..."},
    {.path = "workload.columns.times",
     CHOICE(workload.columns.times),
     .choices = column_times,
     .fallback = "auto",
     .example = "unix",
     .doc = "Submit, start and end are dates (2020-04-01 00:00:05, perhaps with a zone), seconds "
            "of the trace's own clock, or seconds since 1970. auto: dates or seconds, as in the "
            "first row."},
    {.path = "workload.columns.states",
     .type = KEY_MAP,
     .example = "{completed: Terminated|Done, failed: Crashed}",
     .doc = "Words of the column `state` beside the usual ones, with | between."},
    STATE("completed", completed, "Terminated", "Words for a success."),
    STATE("failed", failed, "Crashed", "Words for a failure."),
    STATE("cancelled", cancelled, "Revoked", "Words for a cancellation."),
    STATE("timeout", timeout, "Overrun", "Words for a job that was killed at its request."),
    STATE("node_fail", node_fail, "HostDown", "Words for a job whose node failed."),
    {.path = "workload.zone",
     STRING(workload.zone),
     .excludes = "generate",
     .example = "\"+08:00\"",
     .doc = "What dates of the trace that name no zone are ahead of UTC. Without it: nothing."},
    {.path = "workload.duration",
     CHOICE(workload.duration),
     .excludes = "generate",
     .choices = durations,
     .fallback = "times",
     .example = "column",
     .doc = "Run time of a job of another system's list that gives a duration and also start and "
            "end, which disagree: end - start, or the duration. Such jobs are counted."},
    {.path = "workload.models",
     CHOICE(workload.models),
     .excludes = "generate",
     .choices = gpu_models,
     .fallback = "trace",
     .example = "any",
     .doc = "Models of GPUs that a list of another system names: asked for, or any GPU will do."},
