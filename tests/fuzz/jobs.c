/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jobs.c - jobs as CSV: any bytes yield jobs in order and in range, or a sentence; what is written
 * of them reads back to as many jobs with the same times.
 *
 * The first byte chooses the rules; the rest is the file. */
#include "jobs_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct workload_options options;

    if (size < 1) {
        return 0;
    }
    workload_options_defaults(&options);
    options.format = WORKLOAD_FORMAT_JOBS;
    options.is_strict = data[0] & 1u;
    options.overrun = (enum workload_overrun)(data[0] / 2 % 3);
    options.machine_procs = data[0] & 64u ? 8 : 0;
    check_file(&options, data + 1, size - 1);
    return 0;
}
