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

void workload_jobs_write_job(FILE *file, const struct workload_job *job,
                             const struct workload_names *names, hs_time wait_ns, int status)
{
    char demand[DEMAND_TEXT_MAX];
    bool is_quoted;

    (void)demand_text_format(&job->demand, names, demand);
    is_quoted = strpbrk(demand, ",\"") != NULL;
    (void)fprintf(file, "%" PRId64 ",", job->trace_id);
    put_time(file, job->submit_ns);
    put_time(file, wait_ns);
    put_time(file, job->run_ns);
    put_time(file, job->walltime_ns);
    (void)fputs(is_quoted ? "\"" : "", file);
    for (const char *at = demand; *at; at++) {
        if (*at == '"') {
            (void)fputc('"', file); /* doubled inside quotes */
        }
        (void)fputc(*at, file);
    }
    (void)fputs(is_quoted ? "\"," : ",", file);
    put_number(file, job->user);
    put_number(file, job->group);
    put_number(file, job->queue);
    put_number(file, job->partition);
    put_number(file, job->job_class);
    put_priority(file, job->priority);
    if (status >= 0) {
        (void)fprintf(file, "%d", status);
    }
    (void)fputc('\n', file);
}
