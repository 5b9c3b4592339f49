#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# plugins.sh - plug-ins from outside the tree: good ones of all kinds, and policies that break rules.
#
# usage: plugins.sh HSIM ROOT CC
set -euo pipefail

hsim=$(realpath "$1")
root=$(realpath "$2")
cc=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'plugins: %s\n' "$*"
    exit 1
}

# plugin NAME: compiles standard input to NAME.so.
plugin()
{
    { printf '#include "hs/policy.h"\n' && cat; } >"$1.c"
    "$cc" -std=c17 -Wall -Wextra -Werror -shared -fPIC -I "$root/sim/core" -o "$1.so" "$1.c"
}

# policy NAME BODY [MORE]: a plug-in whose one policy has this body of schedule().
policy()
{
    plugin "$1" <<END
${3-}
static void run(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    (void)self;
    (void)view;
    (void)plan;
    $2
}
HS_POLICY_DEFINE(bad) = {HS_POLICY_HEADER, .name = "bad", .summary = "breaks a rule", .schedule = run};
HS_PLUGIN(.policies = (const struct hs_policy *const[]){&hs_policy_bad, NULL});
END
}

# refuses NAME CODE PATTERN...: running the policy `bad` of NAME.so ends with CODE and sentences that
# match all patterns, and leaves no result behind.
refuses()
{
    local name=$1 code=$2 status=0 pattern

    printf '%s\n' 'hsim: 1' 'platform: {nodes: 4, cores: 1}' 'workload: four.swf' 'policy: bad' \
        "plugins: [$name.so]" >"$name.yaml"
    timeout 60 "$hsim" run "$name.yaml" -o "$name.h5" >"$name.out" 2>"$name.err" || status=$?
    [ "$status" -eq "$code" ] || die "$name: status $status instead of $code: $(cat "$name.err")"
    for pattern in "${@:3}"; do
        grep -qE -- "$pattern" "$name.err" || die "$name: '$pattern' is not in: $(cat "$name.err")"
    done
    if [ -e "$name.h5" ] || [ -e "$name.h5.part" ]; then
        die "$name: a result was left behind"
    fi
}

# Job 1 of the trace holds the machine from 5 s to 15 s; 2 and 3 wait. Messages about policies number
# jobs from 0, as the core does.
cat >four.swf <<'END'
1 5 -1 10 4 -1 -1 4 10 -1 1 -1 -1 -1 -1 -1 -1 -1
2 6 -1 10 3 -1 -1 3 10 -1 1 -1 -1 -1 -1 -1 -1 -1
3 7 -1 20 1 -1 -1 1 20 -1 1 -1 -1 -1 -1 -1 -1 -1
END

# An order, a reservation rule and a placement: the narrowest job first, on the right-most nodes.
plugin parts <<'END'
static double narrow(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    (void)self;
    (void)view;
    return (double)job->procs;
}
static void greedy(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    (void)self;
    for (const struct hs_job *job = hs_view_first(view); job; job = hs_view_next(view, job)) {
        (void)hs_plan_start(plan, job);
    }
}
static double right(const void *self, const struct hs_free *free, uint32_t node, const struct hs_demand *demand)
{
    (void)self;
    (void)free;
    (void)demand;
    return (double)node;
}
HS_ORDER_DEFINE(narrow) = {HS_ORDER_HEADER, .name = "narrow", .summary = "n", .key = narrow};
HS_RESERVE_DEFINE(greedy) = {HS_RESERVE_HEADER, .name = "greedy", .summary = "all", .schedule = greedy};
HS_PLACE_DEFINE(right) = {HS_PLACE_HEADER, .name = "right", .summary = "right-most", .score = right};
HS_PLUGIN(.orders = (const struct hs_order *const[]){&hs_order_narrow, NULL},
          .reserves = (const struct hs_reserve *const[]){&hs_reserve_greedy, NULL},
          .places = (const struct hs_place *const[]){&hs_place_right, NULL});
END
cat >parts.yaml <<'END'
hsim: 1
platform: {nodes: 4, cores: 1}
workload: four.swf
plugins: [parts.so]
policy: {name: greedy, order: narrow, place: right, label: parts}
END
"$hsim" run -q parts.yaml -o parts.h5 >/dev/null
"$hsim" export parts.h5 --to csv --columns trace_id,start,end,hosts >parts.csv
# Job 3, the narrowest, takes the right-most node, 3; job 2 the others.
printf '%s\n' trace_id,start,end,hosts 1,5,15,0-3 2,15,25,0-2 3,15,35,3 | diff - parts.csv ||
    die 'parts: another schedule than the one computed by hand'

policy idle ';'
refuses idle 4 "'?bad'?" 'time 7 s' 'job 1 and 2 others wait'

policy twice 'const struct hs_job *job = hs_view_first(view);
    if (job && hs_plan_start(plan, job)) { (void)hs_plan_start(plan, job); }'
refuses twice 4 "'?bad'?" 'time 5 s' 'job 1'

policy mark 'hs_plan_undo(plan, hs_plan_mark(plan) + 3);'
refuses mark 4 'a mark that its plan does not have'

policy nowhere 'const struct hs_job *job = hs_view_first(view);
    if (job) { (void)hs_plan_start_on(plan, job, NULL); }'
refuses nowhere 4 'job 1: it is started on no allocation'

policy busy 'static const struct hs_span spans[] = {{0, 3, 1}};
    const struct hs_alloc busy = {.spans = spans, .span_count = 1};
    const struct hs_job *job = hs_view_first(view);
    if (job && job->procs == 3) { (void)hs_plan_start_on(plan, job, &busy); }
    else if (job) { (void)hs_plan_start(plan, job); }'
refuses busy 4 "'?bad'?" 'time 6 s' 'job 2' 'node'

policy outside 'static const struct hs_span spans[] = {{7, 4, 1}};
    const struct hs_alloc outside = {.spans = spans, .span_count = 1};
    const struct hs_job *job = hs_view_first(view);
    if (job) { (void)hs_plan_start_on(plan, job, &outside); }'
refuses outside 4 "'?bad'?" 'job 1'

policy too_few 'static const struct hs_span spans[] = {{0, 1, 1}};
    const struct hs_alloc few = {.spans = spans, .span_count = 1};
    const struct hs_job *job = hs_view_first(view);
    if (job) { (void)hs_plan_start_on(plan, job, &few); }'
refuses too_few 4 "'?bad'?" 'job 1'

policy wakes_on 'hs_plan_wake(plan, hs_view_now(view) + 1);'
refuses wakes_on 4 "'?bad'?" 'jobs wait, nothing runs, and in 10000 passes it has started nothing'

policy wakes_now 'hs_plan_wake(plan, hs_view_now(view));'
refuses wakes_now 4 "'?bad'?"

policy turns_away 'for (const struct hs_job *job = hs_view_first(view); job; job = hs_view_next(view, job)) {
        if (job->procs == 4) { (void)hs_plan_reject(plan, job, "not on a Sunday"); }
        else { (void)hs_plan_start(plan, job); }
    }'
printf 'hsim: 1\nplatform: {nodes: 4, cores: 1}\nworkload: four.swf\nplugins: [turns_away.so]\npolicy: bad\n' \
    >turns_away.yaml
"$hsim" run turns_away.yaml -o turns_away.h5 >table
grep -q 'rejected: job 1 (not on a Sunday)' table || die "no reason for a rejection: $(cat table)"
"$hsim" inspect --check turns_away.h5 >/dev/null || die 'a run with rejections does not hold'

policy gives_up 'hs_plan_fail(plan, "nothing is as it should be");'
refuses gives_up 4 "'?bad'?" 'nothing is as it should be'

sed 's/HS_POLICY_HEADER/.abi = HS_ABI + 1, .size = sizeof(struct hs_policy)/' idle.c >other_abi.c
"$cc" -std=c17 -shared -fPIC -I "$root/sim/core" -o other_abi.so other_abi.c
refuses other_abi 2 'other_abi[.]so' '[Ii]nterface|ABI'

policy no_schedule ';'
sed -i 's/, .schedule = run//' no_schedule.c
"$cc" -std=c17 -shared -fPIC -I "$root/sim/core" -o no_schedule.so no_schedule.c
refuses no_schedule 2 'no_schedule[.]so' 'schedule'

printf 'int nothing;\n' | plugin no_symbol
refuses no_symbol 2 'no_symbol[.]so' 'hs_plugin'
printf 'not a library\n' >text.so
refuses text 2 'text[.]so' 'no shared object'
: >empty.so
refuses empty 2 'empty[.]so' 'no shared object, or cut off'
cp /proc/self/exe program.so
refuses program 2 'program[.]so'

# Cut off at any length, or with another byte in its headers: a sentence and exit code 2, or it can be
# loaded all the same; never a death by a signal. What is behind the last segment nobody needs.
size=$(stat -c %s idle.so)
for part in 1 7 20 40 63 64 100 200 400 600 $((size / 8)) $((size / 4)) $((size / 2)); do
    head -c "$part" idle.so >cut.so
    refuses cut 2 'cut[.]so' 'cut off|damaged|no shared object'
done
code=0
for offset in 0 4 5 16 18 32 54 56 72 96 104 128 152 160 184 208 240 264 296 320; do
    for byte in '\000' '\377' '\177'; do
        cp idle.so damaged.so
        # shellcheck disable=SC2059 # the byte is the format
        printf "$byte" | dd of=damaged.so bs=1 seek=$offset conv=notrunc status=none
        code=0
        timeout 60 "$hsim" policies show bad -p damaged.so >damaged.out 2>damaged.err || code=$?
        [ "$code" -le 2 ] || die "byte $offset as $byte: exit code $code: $(cat damaged.err)"
        [ "$code" -ne 2 ] || grep -q '^hsim: error: ' damaged.err || die "byte $offset: no sentence"
    done
done
refuses missing 2 'missing[.]so'

policy taken ';'
sed -i 's/"bad"/"fcfs"/' taken.c
"$cc" -std=c17 -shared -fPIC -I "$root/sim/core" -o taken.so taken.c
refuses taken 2 "'fcfs'"
printf 'plug-ins of all kinds run; broken ones are named\n'
