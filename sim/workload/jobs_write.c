/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jobs_write.c - jobs as CSV, as jobs_read.c reads them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload/demand_text.h"
#include "workload/workload.h"

void workload_jobs_write_header(FILE *file)
{
    (void)fputs("id,submit,wait,run,walltime,demand,user,group,queue,partition,class,priority,"
                "status\n",
                file);
}

static void put_time(FILE *file, hs_time time)
{
    char text[HS_TIME_TEXT_MAX];

    if (time >= 0 && time != HS_TIME_NEVER) {
        (void)hs_time_format(time, text);
        (void)fputs(text, file);
    }
    (void)fputc(',', file);
}

/* What is missing is an empty field. */
static void put_number(FILE *file, int64_t number)
{
    if (number >= 0) {
        (void)fprintf(file, "%" PRId64, number);
    }
    (void)fputc(',', file);
}

static void put_priority(FILE *file, double priority)
{
    char text[32];

    if (priority != 0) {
        (void)snprintf(text, sizeof text, "%.15g", priority);
        if (strtod(text, NULL) < priority || strtod(text, NULL) > priority) {
            (void)snprintf(text, sizeof text, "%.17g", priority);
        }
        (void)fputs(text, file);
    }
    (void)fputc(',', file);
}

/* A text as a field: in quotes where it needs them, which are doubled inside. */
static void put_text(FILE *file, const char *text)
{
    bool is_quoted = strpbrk(text, ",\"") != NULL;

    (void)fputs(is_quoted ? "\"" : "", file);
    for (const char *at = text; *at; at++) {
        if (*at == '"') {
            (void)fputc('"', file);
        }
        (void)fputc(*at, file);
    }
    (void)fputs(is_quoted ? "\"," : ",", file);
}

/* By its name, if it has one; `names` may be NULL. */
static void put_class(FILE *file, int32_t job_class, const struct workload_names *names)
{
    if (names && job_class >= 0 && job_class < workload_names_count(names, WORKLOAD_CLASS)) {
        put_text(file, workload_names_text(names, WORKLOAD_CLASS, (uint16_t)job_class));
    } else {
        put_number(file, job_class);
    }
}

void workload_jobs_write_job(FILE *file, const struct workload_job *job,
                             const struct workload_names *names, hs_time wait_ns, int status)
{
    char demand[DEMAND_TEXT_MAX];

    (void)demand_text_format(&job->demand, names, demand);
    (void)fprintf(file, "%" PRId64 ",", job->trace_id);
    put_time(file, job->submit_ns);
    put_time(file, wait_ns);
    put_time(file, job->run_ns);
    put_time(file, job->walltime_ns);
    put_text(file, demand);
    put_number(file, job->user);
    put_number(file, job->group);
    put_number(file, job->queue);
    put_number(file, job->partition);
    put_class(file, job->job_class, names);
    put_priority(file, job->priority);
    if (status >= 0) {
        (void)fprintf(file, "%d", status);
    }
    (void)fputc('\n', file);
}
