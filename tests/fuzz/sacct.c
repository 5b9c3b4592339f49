/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sacct.c - Slurm's accounting, as sacct prints it and as jobcomp/filetxt writes it: any bytes
 * yield jobs in order and in range, or a sentence; what is written of them reads back to the same
 * jobs.
 *
 * The first byte chooses; the rest is the file. */
#include "jobs_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct workload_options options;

    if (size < 1) {
        return 0;
    }
    workload_options_defaults(&options);
    options.is_strict = data[0] & 1u;
    options.overrun = (enum workload_overrun)(data[0] / 2 % 3);
    options.format = data[0] & 8u ? WORKLOAD_FORMAT_JOBCOMP : WORKLOAD_FORMAT_SACCT;
    options.zone = data[0] & 16u ? "+02:00" : NULL;
    options.procs = (enum workload_procs)(data[0] / 32 % 3);
    check_file(&options, data + 1, size - 1);
    return 0;
}
