/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shape.h - clusters that SimGrid must not be asked to build. */
#ifndef HSIM_PLATFORM_SHAPE_H
#define HSIM_PLATFORM_SHAPE_H

#include "platform/source.h"

/* Hosts that one file may describe. SimGrid takes 3 to 4 KB for each. */
#define SHAPE_HOSTS_MAX 1000000

/* Refuses a dragonfly with more groups than routers in a group, for which SimGrid writes beyond
 * its memory, negative numbers in shapes, which it takes for huge ones, and files with more than
 * SHAPE_HOSTS_MAX hosts. HS_ERR_INPUT. */
enum hs_err shape_check(const struct source *source, struct hs_error *error) HS_MUST_USE;

#endif
