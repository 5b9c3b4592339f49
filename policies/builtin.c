/* SPDX-License-Identifier: MIT */
/* builtin.c - the table of all plug-ins in the tree; a new policy is one line here. */
#include "builtin.h"

/* clang-format off */
#define POLICIES(X)                                                                         \
    X(fcfs) X(las) X(recorded) X(olb) X(met) X(mct) X(min_min) X(max_min) X(duplex)         \
    X(sufferage_iter) X(sufferage_pass) X(min_standard_deviation) X(match) X(balance)
#define ORDERS(X)                                                                            \
    X(fcfs) X(lcfs) X(sjf) X(ljf) X(saf) X(laf) X(smallest) X(largest) X(priority) X(random) \
    X(wfp3) X(unicep) X(unicef) X(expansion_factor) X(f1) X(f2) X(f3) X(f4)
#define RESERVES(X)                                                            \
    X(none) X(first_fit) X(easy) X(easy_noextra) X(easy_hosts) X(easy_sjbf) X(conservative) \
    X(conservative_rebuilt) X(depth) X(drop)
#define PLACES(X)                                                                             \
    X(left_most) X(first_fit) X(best_fit) X(worst_fit) X(packing) X(clustering) X(dot_product) \
    X(fgd) X(affinity) X(topology) X(random)
#define PREDICTORS(X) X(request) X(oracle) X(factor) X(last_two) X(rls)
/* clang-format on */

#define DECLARE_POLICY(id)    extern const struct hs_policy hs_policy_##id;
#define DECLARE_ORDER(id)     extern const struct hs_order hs_order_##id;
#define DECLARE_RESERVE(id)   extern const struct hs_reserve hs_reserve_##id;
#define DECLARE_PLACE(id)     extern const struct hs_place hs_place_##id;
#define DECLARE_PREDICTOR(id) extern const struct hs_predictor hs_predictor_##id;
POLICIES(DECLARE_POLICY)
ORDERS(DECLARE_ORDER)
RESERVES(DECLARE_RESERVE)
PLACES(DECLARE_PLACE)
PREDICTORS(DECLARE_PREDICTOR)

#define LIST_POLICY(id)    &hs_policy_##id,
#define LIST_ORDER(id)     &hs_order_##id,
#define LIST_RESERVE(id)   &hs_reserve_##id,
#define LIST_PLACE(id)     &hs_place_##id,
#define LIST_PREDICTOR(id) &hs_predictor_##id,
static const struct hs_policy *const policies[] = {POLICIES(LIST_POLICY) NULL};
static const struct hs_order *const orders[] = {ORDERS(LIST_ORDER) NULL};
static const struct hs_reserve *const reserves[] = {RESERVES(LIST_RESERVE) NULL};
static const struct hs_place *const places[] = {PLACES(LIST_PLACE) NULL};
static const struct hs_predictor *const predictors[] = {PREDICTORS(LIST_PREDICTOR) NULL};

const struct hs_plugin hp_builtin = {
    .abi = HS_ABI,
    .size = sizeof(struct hs_plugin),
    .policies = policies,
    .orders = orders,
    .reserves = reserves,
    .places = places,
    .predictors = predictors,
};
