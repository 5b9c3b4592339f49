#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# cases.sh - the built-in plug-ins, under other names, pass the tests of plug-ins; the report as JSON.
#
# usage: cases.sh HSIM ROOT CC
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# The policies as they are, in a shared object that lists each kind under names of its own.
"$cc" -std=c17 -O1 -fPIC -shared -ffp-contract=off -D_GNU_SOURCE -I "$root/sim/core" -I "$root/policies" \
    -o all.so -x c - "$root"/policies/*.c "$root"/policies/lib/*.c <<'END'
#include <string.h>
#include "builtin.h"

/* Copies with other names, made when the object is loaded. */
#define COPIES(kind, type, list)                                                                   \
    static type kind##_copies[64];                                                                 \
    static const type *kind##_list[65];                                                            \
    static char kind##_names[64][40];                                                              \
    static void kind##_copy(void)                                                                  \
    {                                                                                              \
        for (size_t i = 0; hp_builtin.list[i]; i++) {                                              \
            kind##_copies[i] = *hp_builtin.list[i];                                                \
            kind##_names[i][0] = 'x';                                                              \
            strcpy(kind##_names[i] + 1, hp_builtin.list[i]->name);                                 \
            kind##_copies[i].name = kind##_names[i];                                               \
            kind##_list[i] = &kind##_copies[i];                                                    \
        }                                                                                          \
    }
COPIES(policy, struct hs_policy, policies)
COPIES(order, struct hs_order, orders)
COPIES(reserve, struct hs_reserve, reserves)
COPIES(place, struct hs_place, places)
COPIES(predict, struct hs_predictor, predictors)
__attribute__((constructor)) static void copy(void)
{
    policy_copy(); order_copy(); reserve_copy(); place_copy(); predict_copy();
}
HS_PLUGIN(.policies = policy_list, .orders = order_list, .reserves = reserve_list, .places = place_list,
          .predictors = predict_list);
END
"$hsim" policies test ./all.so --cases 3 --seed 100 --json >all.json || die "a built-in plug-in fails: $(cat all.json)"
"$hsim" policies test ./all.so --cases 3 --seed 100 --json | cmp - all.json || die 'the report is not the same again'
/usr/bin/python3 - all.json <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
kinds = {}
for member in report["members"]:
    kinds.setdefault(member["kind"], []).append(member["name"])
    assert member["cases"] == 3, member
    for row in member["properties"]:
        assert row["failures"] == 0, (member["name"], row)
counts = {kind: len(names) for kind, names in kinds.items()}
assert counts["order"] >= 18 and counts["reservation rule"] >= 10 and counts["placement"] >= 11, counts
assert counts["policy"] >= 12 and counts["predictor"] >= 5, counts
print("built-in plug-ins pass:", counts)
END
