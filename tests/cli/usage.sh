#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# usage.sh HSIM ROOT - help of commands and of their commands, wrong policies told all at once, and
# results that are verified from another folder.
set -euo pipefail

hsim=$(realpath "$1")
root=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'usage: %s\n' "$*"
    exit 1
}

# same COMMAND... : `hsim help COMMAND...` prints what `hsim COMMAND... --help` prints.
same()
{
    "$hsim" help "$@" >help.txt 2>&1 || die "hsim help $*: exit code $?"
    "$hsim" "$@" --help 2>&1 | diff help.txt - || die "hsim help $* is not hsim $* --help"
}

for command in run inspect compare plot export trace platform policies validate explain schema allot map version; do
    same "$command"
done
for command in info validate convert generate; do
    same trace "$command"
done
same platform show
"$hsim" help >help.txt
"$hsim" help --help | diff help.txt - || die 'hsim help --help'
"$hsim" --help | diff help.txt - || die 'hsim --help'
status=0
"$hsim" help nothing 2>/dev/null || status=$?
[ "$status" -eq 2 ] || die "hsim help nothing: exit code $status"

# Every wrong policy is told before the first run, with its place.
printf 'hsim: 1\nplatform: {nodes: 4}\nworkload: {generate: {jobs: 9}}\npolicies:\n- easyy\n- {name: depth, kk: 3}\n' >bad.yaml
status=0
"$hsim" run bad.yaml 2>err.txt || status=$?
[ "$status" -eq 2 ] || die "wrong policies: exit code $status"
grep -q "error: bad.yaml:5:3: There is no policy 'easyy'" err.txt || die 'easyy is not told'
grep -q "error: bad.yaml:6:3: Policy 'depth' has no parameter 'kk'" err.txt || die 'kk is not told'
status=0
"$hsim" run "$root/experiments/four-key.yaml" --set policy=easyy 2>err.txt || status=$?
[ "$status" -eq 2 ] || die "--set policy=easyy: exit code $status"
grep -q "error: --set: There is no policy 'easyy'" err.txt || die '--set is not named'

# A parameter that is a time shows its unit once.
cat >patience.c <<'END'
#include "hs/policy.h"
struct state { hs_time patience; };
static void run(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    (void)self; (void)view; (void)plan;
}
static const struct hs_param params[] = {
    HS_PARAM_TIME(struct state, patience, "1h", 0, 1e9, "how long"), HS_PARAM_END};
HS_POLICY_DEFINE(idle) = {HS_POLICY_HEADER, .name = "idle", .summary = "does nothing",
    .params = params, .state_size = sizeof(struct state), .schedule = run};
HS_PLUGIN(.policies = (const struct hs_policy *const[]){&hs_policy_idle, NULL});
END
"${CC:-cc}" -std=c17 -shared -fPIC -I "$root/sim/core" -o idle.so patience.c
"$hsim" policies show idle -p idle.so >shown.txt
grep -qxF '  parameter patience = 1h (0 to 1e+09 s): how long' shown.txt || die "$(cat shown.txt)"

# Whatever a policy may name is listed, and shown.
"$hsim" policies list >list.txt
for name in easy sjf best-fit tight island first index random; do
    grep -q "^  $name  " list.txt || die "policies list lacks $name"
    "$hsim" policies show "$name" >shown.txt || die "policies show $name: exit code $?"
    grep -q "^$name: " shown.txt || die "policies show $name: $(cat shown.txt)"
done
grep -qxF '  in a policy: {name: easy, tie: random}' shown.txt || die "$(cat shown.txt)"

# Verified from another folder than the one of the run; a lost input is named with a remedy.
"$hsim" trace generate --jobs 20 --nodes 4 -q -o a.swf
printf 'hsim: 1\nplatform: {nodes: 4}\nworkload: a.swf\npolicy: easy\n' >a.yaml
"$hsim" run a.yaml -q -o a.h5
(cd / && "$hsim" run --verify "$folder/a.h5") >out.txt || die 'not verified from another folder'
status=0
"$hsim" run a.yaml -o a.yaml 2>err.txt || status=$?
[ "$status" -eq 1 ] || die "a file as the folder: exit code $status"
grep -q "error: 'a.yaml' is no folder" err.txt || die "$(cat err.txt)"

# Where nothing runs there is no mean: no "nan" for people to read.
printf '1 0 -1 5 9 -1 -1 9 5 -1 1 -1 -1 -1 -1 -1 -1 -1\n' >large.swf
"$hsim" run a.yaml -q -o large.h5 --set workload=large.swf 2>/dev/null
"$hsim" inspect large.h5 >out.txt
! grep -wi 'nan' out.txt || die 'hsim inspect prints nan'
grep -q '^makespan     -, - jobs per hour$' out.txt || die "$(cat out.txt)"

rm a.swf
status=0
"$hsim" run --verify a.h5 2>err.txt || status=$?
[ "$status" -eq 5 ] || die "a lost trace: exit code $status"
grep -q 'a.swf: the file cannot be read: No such file or directory. Check' err.txt || die "$(cat err.txt)"
printf 'usage: help, policies and verify as expected\n'
