/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parts.h - jobs by class and by model, as tables and as JSON. */
#ifndef HSIM_CLI_PARTS_H
#define HSIM_CLI_PARTS_H

#include "result/reader.h"

/* Prints a table on standard output, `title` above the names; rows without jobs are left out.
 * False: no memory. */
bool cli_parts_table(const char *title, const struct result_part *list, size_t count);

/* Prints a JSON list of objects on standard output. */
void cli_parts_json(const struct result_part *list, size_t count);

/* Both groups of a file, if it has them: as tables, or as `, "classes": [...], "models": [...]`. */
enum hs_err cli_parts_show(struct result_reader *reader, bool is_json,
                           struct hs_error *error) HS_MUST_USE;

#endif
