/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swf_write.c - jobs and records as SWF text: 18 fields, exact decimals. */
#include <stdio.h>

#include "workload/swf.h"

#define KB       1024
#define ROW_MAX  (18 * (HS_TIME_TEXT_MAX + 1))
#define TEXT_MAX 200

/* Writes free text on one line: control characters would end the comment. */
static void text_write(FILE *file, const char *key, const char *text)
{
    char line[TEXT_MAX];
    size_t length = 0;

    for (; text[length] && length + 1 < sizeof line; length++) {
        unsigned char character = (unsigned char)text[length];

        line[length] = (char)(character < 0x20 || character == 0x7F ? ' ' : character);
    }
    line[length] = '\0';
    (void)fprintf(file, "; %s: %s\n", key, line);
}

void workload_swf_write_header(FILE *file, const struct workload_swf_header *header)
{
    (void)fprintf(file, "; Version: 2.2\n");
    if (header->computer) {
        text_write(file, "Computer", header->computer);
    }
    if (header->jobs >= 0) {
        (void)fprintf(file, "; MaxJobs: %lld\n; MaxRecords: %lld\n", (long long)header->jobs,
                      (long long)header->jobs);
    }
    if (header->epoch_unix >= 0) {
        (void)fprintf(file, "; UnixStartTime: %lld\n", (long long)header->epoch_unix);
    }
    if (header->procs > 0) {
        (void)fprintf(file, "; MaxNodes: %lld\n; MaxProcs: %lld\n", (long long)header->procs,
                      (long long)header->procs);
    }
    if (header->note) {
        text_write(file, "Note", header->note);
    }
}

/* Appends a number and a blank. */
static char *number_put(char *at, int64_t value)
{
    uint64_t rest = value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value;
    char digits[20];
    int count = 0;

    if (value < 0) {
        *at++ = '-';
    }
    do {
        digits[count++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    while (count > 0) {
        *at++ = digits[--count];
    }
    *at++ = ' ';
    return at;
}

/* Appends a time and a blank; what is missing or unknown is -1. */
static char *time_put(char *at, hs_time time)
{
    if (time < 0 || time == HS_TIME_NEVER) {
        return number_put(at, -1);
    }
    if (time % HS_NS_PER_S == 0) {
        return number_put(at, time / HS_NS_PER_S);
    }
    at += hs_time_format(time, at);
    *at++ = ' ';
    return at;
}

/* SWF counts memory by processors, a demand by tasks. */
static int64_t mem_per_processor(const struct hs_demand *demand)
{
    int64_t cores = demand->cores_milli / 1000;

    return cores > 1 ? demand->mem_bytes / cores + (demand->mem_bytes % cores != 0)
                     : demand->mem_bytes;
}

bool workload_swf_can_say(const struct workload_job *job)
{
    const struct hs_demand *demand = &job->demand;

    return demand->device_count == 0 && demand->alternative_count == 0 && demand->flags == 0 &&
           demand->node_features == 0 && demand->tasks_per_node == 0 &&
           demand->cores_milli >= 1000 && demand->cores_milli % 1000 == 0;
}

void workload_swf_write_job(FILE *file, const struct workload_job *job, hs_time wait_ns, int status)
{
    bool has_run = job->run_ns >= 0 && job->run_ns != HS_TIME_NEVER;
    int64_t procs = workload_job_procs(job);
    int64_t mem_bytes = mem_per_processor(&job->demand);
    char row[ROW_MAX];
    char *at = row;

    at = number_put(at, job->trace_id);
    at = time_put(at, job->submit_ns);
    at = time_put(at, wait_ns);
    at = time_put(at, has_run ? job->run_ns : -1);
    at = number_put(at, has_run ? procs : -1);
    at = number_put(at, -1); /* average CPU time */
    at = number_put(at, -1); /* used memory */
    at = number_put(at, procs);
    at = time_put(at, job->walltime_ns);
    at = number_put(at, mem_bytes > 0 ? mem_bytes / KB + (mem_bytes % KB != 0) : -1);
    at = number_put(at, status == WORKLOAD_STATUS_TIMEOUT || status == WORKLOAD_STATUS_NODE_FAIL
                            ? 0 /* failed; SWF knows no more */
                            : status);
    at = number_put(at, job->user);
    at = number_put(at, job->group);
    at = number_put(at, job->executable);
    at = number_put(at, job->queue);
    at = number_put(at, job->partition);
    at = number_put(at, job->preceding);
    at = time_put(at, job->think_ns);
    at[-1] = '\n';
    (void)fwrite(row, 1, (size_t)(at - row), file); /* errors stay in ferror */
}

void swf_record_write(FILE *file, const struct swf_record *record)
{
    char row[ROW_MAX];
    char *at = row;

    for (int field = 0; field < SWF_FIELD_COUNT; field++) {
        switch (field) {
        case SWF_SUBMIT:
        case SWF_WAIT:
        case SWF_RUN:
        case SWF_CPU_TIME:
        case SWF_WALLTIME:
        case SWF_THINK:
            at = time_put(at, record->value[field]);
            break;
        default:
            at = number_put(at, record->value[field]);
        }
    }
    at[-1] = '\n';
    (void)fwrite(row, 1, (size_t)(at - row), file);
}
