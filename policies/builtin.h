/* SPDX-License-Identifier: MIT */
/* builtin.h - the table of all plug-ins in the tree. */
#ifndef HP_BUILTIN_H
#define HP_BUILTIN_H

#include "hs/registry.h"

extern const struct hs_plugin hp_builtin;

#endif
