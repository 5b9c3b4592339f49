/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inline.h - a platform from three numbers. */
#ifndef HSIM_PLATFORM_INLINE_H
#define HSIM_PLATFORM_INLINE_H

#include "platform/platform.h"

/* Builds equal nodes n0, n1, ... HS_ERR_CONFIG for numbers out of range. */
enum hs_err inline_build(const struct platform_options *options, struct platform *platform,
                         struct hs_error *error) HS_MUST_USE;

#endif
