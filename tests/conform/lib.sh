# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# lib.sh - plug-ins for the tests of `hsim policies test`.
#
# Sourced with HSIM ROOT CC as arguments; makes a folder and goes there.

hsim=$(realpath "$1")
root=$(realpath "$2")
cc=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

die()
{
    printf '%s: %s\n' "$(basename "$0")" "$*"
    exit 1
}

# plugin NAME: compiles standard input to NAME.so.
plugin()
{
    { printf '#include <stdlib.h>\n#include "hs/policy.h"\n' && cat; } >"$1.c"
    "$cc" -std=c17 -O1 -Wall -Wextra -Werror -D_GNU_SOURCE -shared -fPIC -I "$root/sim/core" -o "$1.so" "$1.c" ||
        die "$1.c does not compile"
}

# policy NAME BODY [MORE] [FIELDS]: a plug-in with one policy that has this body of schedule().
# `greedy(view, plan)` starts all that fits.
policy()
{
    plugin "$1" <<END
struct state { int64_t count; char *memory; };
static inline void greedy(const struct hs_view *view, struct hs_plan *plan)
{
    for (const struct hs_job *job = hs_view_first(view); job; job = hs_view_next(view, job)) {
        (void)hs_plan_start(plan, job);
    }
}
${3-}
static void run(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    struct state *state = self;
    (void)state;
    $2
    greedy(view, plan);
}
HS_POLICY_DEFINE(it) = {HS_POLICY_HEADER, .name = "${1//_/-}", .summary = "of a test", .schedule = run,
    .state_size = sizeof(struct state), ${4-}};
HS_PLUGIN(.policies = (const struct hs_policy *const[]){&hs_policy_it, NULL});
END
}
