/* SPDX-License-Identifier: GPL-3.0-or-later */
/* csv.c - jobs of other systems as CSV: any bytes and any map of columns yield jobs in order and in
 * range, or a sentence; what is written of them reads back to the same jobs.
 *
 * Two bytes of options; then, up to a zero byte, the map, a line for each field; the rest is the
 * file. */
#include "jobs_stream.h"

#define HEAD_BYTES 2
#define LINE_COUNT 20

/* The lines of the map, in the order of the struct. */
static void map_read(struct workload_columns *columns, char *text)
{
    const char **const lines[LINE_COUNT] = {
        &columns->submit, &columns->start, &columns->end,       &columns->duration,
        &columns->cpus,   &columns->gpus,  &columns->nodes,     &columns->tasks,
        &columns->memory, &columns->model, &columns->state,     &columns->user,
        &columns->queue,  &columns->group, &columns->job_class, &columns->walltime,
        &columns->wait,   &columns->id,    &columns->eligible,  &columns->priority,
    };

    for (size_t i = 0; i < LINE_COUNT && text; i++) {
        char *end = strchr(text, '\n');

        *lines[i] = *text && *text != '\n' ? text : NULL;
        if (end) {
            *end++ = '\0';
        }
        text = end;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum workload_format_id formats[] = {WORKLOAD_FORMAT_CSV,    WORKLOAD_FORMAT_CSV,
                                                      WORKLOAD_FORMAT_HELIOS, WORKLOAD_FORMAT_ACME,
                                                      WORKLOAD_FORMAT_PHILLY, WORKLOAD_FORMAT_PAI};
    static const char *const separators[] = {NULL, ";", "tab", "|"};
    static const char *const zones[] = {NULL, "+08:00", "-03:30", "+99"};
    struct workload_options options;
    char *map;
    size_t length;

    if (size < HEAD_BYTES) {
        return 0;
    }
    workload_options_defaults(&options);
    options.is_strict = data[0] & 1u;
    options.overrun = (enum workload_overrun)(data[0] / 2 % 3);
    options.duration = data[0] & 8u ? WORKLOAD_DURATION_COLUMN : WORKLOAD_DURATION_TIMES;
    options.zone = zones[data[0] / 16 % 4];
    options.machine_procs = data[0] & 64u ? 8 : 0;
    options.format = formats[(data[1] & 7u) % (sizeof formats / sizeof formats[0])];
    options.columns.separator = separators[data[1] / 8 % 4];
    options.columns.is_headless = data[1] & 32u;
    options.columns.times = (enum workload_times)(data[1] / 64);
    data += HEAD_BYTES;
    size -= HEAD_BYTES;
    length = strnlen((const char *)data, size);
    map = calloc(1, length + 1);
    FUZZ_CHECK(map);
    memcpy(map, data, length);
    options.columns.is_given = length > 0;
    map_read(&options.columns, map);
    length += length < size;
    check_file(&options, data + length, size - length);
    free(map);
    return 0;
}
