/* SPDX-License-Identifier: MIT */
/* start_head.h - the beginning of every rule: start the head of the queue while it fits. */
#ifndef HP_START_HEAD_H
#define HP_START_HEAD_H

#include "hs/policy.h"

/* Returns the first job that does not fit, or NULL if all have started. */
const struct hs_job *hp_start_head(const struct hs_view *view, struct hs_plan *plan);

#endif
