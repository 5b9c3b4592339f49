/* SPDX-License-Identifier: GPL-3.0-or-later */
/* policy.h - Gavel's policies as plug-ins; they need GLPK, so they are not among policies/. */
#ifndef HSIM_ALLOT_POLICY_H
#define HSIM_ALLOT_POLICY_H

#include "hs/policy.h"

extern const struct hs_plugin allot_policies;

#endif
