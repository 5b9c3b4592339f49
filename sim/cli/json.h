/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json.h - values of JSON, as the commands print them. */
#ifndef HSIM_CLI_JSON_H
#define HSIM_CLI_JSON_H

#include <stdio.h>

/* A string with its quotes; null for NULL. */
void cli_json_string(FILE *file, const char *text);
/* A number that reads back to the same double; null if it is not finite. */
void cli_json_number(FILE *file, double value);

#endif
