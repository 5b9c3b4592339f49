/* SPDX-License-Identifier: MIT */
/* place_left_most.c - the nodes of lowest index that have room: the placement without a score.
 *
 * First fit over a linear order of the nodes, as batch schedulers select nodes without a topology;
 * what Batsim's and most simulators' selectors do. */
#include "hs/policy.h"

HS_PLACE_DEFINE(left_most) = {
    HS_PLACE_HEADER,
    .name = "left-most",
    .summary = "nodes of lowest index first",
};

HS_PLACE_DEFINE(first_fit) = {
    HS_PLACE_HEADER,
    .name = "first-fit",
    .summary = "left-most under its name in bin packing",
};
