/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options.h - are the options of a workload possible? */
#ifndef HSIM_WORKLOAD_OPTIONS_H
#define HSIM_WORKLOAD_OPTIONS_H

#include "workload/workload.h"

/* HS_ERR_CONFIG with what is allowed. */
enum hs_err workload_options_check(const struct workload_options *options,
                                   struct hs_error *error) HS_MUST_USE;

#endif
