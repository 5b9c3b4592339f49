/* SPDX-License-Identifier: GPL-3.0-or-later */
/* output.h - a file that is there completely or not at all.
 *
 * Written to PATH.part and renamed when complete; packed with gzip or zstd if the name ends in
 * .gz or .zst. The path "-" is the stream `standard`, plain; it stays open. The same content gives
 * the same bytes. */
#ifndef HSIM_WORKLOAD_OUTPUT_H
#define HSIM_WORKLOAD_OUTPUT_H

#include <stdio.h>

#include "hs/base.h"

struct workload_output;

/* An existing file is refused (HS_ERR_CONFIG) unless `is_forced`. */
enum hs_err workload_output_open(const char *path, bool is_forced, FILE *standard,
                                 struct workload_output **output,
                                 struct hs_error *error) HS_MUST_USE;

/* Where to write; belongs to the output. */
FILE *workload_output_file(const struct workload_output *output);

/* Flushes, checks for write errors, renames; frees the output, also when it fails. The stream
 * `standard` is left to its owner to flush and check. */
enum hs_err workload_output_finish(struct workload_output *output,
                                   struct hs_error *error) HS_MUST_USE;

/* Gives up: removes the unfinished file. Takes NULL. */
void workload_output_discard(struct workload_output *output);

#endif
