/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inspect.h - the parts of `hsim inspect`. */
#ifndef HSIM_CLI_INSPECT_H
#define HSIM_CLI_INSPECT_H

#include "result/reader.h"
#include "result/sweep_file.h"

/* The run and its metrics, as a table for people or as JSON. */
enum hs_err inspect_summary(struct result_reader *reader, bool is_json,
                            struct hs_error *error) HS_MUST_USE;
/* The life of every job with this id of the trace. */
enum hs_err inspect_job(struct result_reader *reader, int64_t trace_id,
                        struct hs_error *error) HS_MUST_USE;

/* A duration in the unit that suits it: "4.33 h". `text` holds 32 bytes. */
void inspect_duration(double seconds, char *text);

/* The curve of an inflated workload, every ten percent, as text; the file has the table. */
enum hs_err inspect_inflation(struct result_reader *reader, struct hs_error *error) HS_MUST_USE;

/* The merged file of a sweep, as a table for people or as JSON. */
enum hs_err inspect_sweep(const struct sweep_file *file, bool is_json,
                          struct hs_error *error) HS_MUST_USE;

/* Suggests a warm-up. HS_ERR_INPUT: too few jobs ran. */
enum hs_err inspect_warmup(struct result_reader *reader, struct hs_error *error) HS_MUST_USE;

#endif
