/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parse.c - times and sizes as experiments write them, for options of the command line. */
#include "experiment/experiment.h"

#include "text/units.h"

bool experiment_parse_time(const char *text, hs_time *time_ns)
{
    return text_units_parse(UNITS_TIME, text, time_ns, NULL) == UNITS_OK;
}

bool experiment_parse_bytes(const char *text, int64_t *bytes)
{
    return text_units_parse(UNITS_BYTES, text, bytes, NULL) == UNITS_OK;
}
