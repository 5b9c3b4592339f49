/* SPDX-License-Identifier: GPL-3.0-or-later */
/* complaint.h - from the way in which the loader's child ended to a sentence with a remedy. */
#ifndef HSIM_PLATFORM_COMPLAINT_H
#define HSIM_PLATFORM_COMPLAINT_H

#include "platform/loader.h"
#include "platform/source.h"

/* For a child that did not end well, or (`line` 0) ended well without a whole answer. `line` is
 * where SimGrid stopped reading, 0 if unknown. Returns the error that it sets. */
enum hs_err complaint_set(const struct source *source, const struct loader_output *output,
                          uint32_t line, struct hs_error *error) HS_MUST_USE;

#endif
