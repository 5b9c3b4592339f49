#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# rounds.sh HSIM ROOT - Gavel's policies in rounds as a user meets them: starts and stops worked out
# by hand, the experiment that is shipped, and what cannot be.
set -euo pipefail

hsim=$(realpath "$1")
root=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'rounds: %s\n' "$*"
    exit 1
}

# One processor, rounds of 100 s, a restart takes 10 s. Both jobs have half of it. Job 1 has 50 s
# left at 100 s, job 2 has 60 s left at 200 s: 200 + 10 + 50 = 260; job 2 waits for the round at
# 300 s, and ends at 300 + 10 + 60 = 370.
printf '%s\n' '1 0 -1 150 1 -1 -1 1 200 -1 1 1 1 1 1 1 -1 -1' \
    '2 20 -1 160 1 -1 -1 1 200 -1 1 1 1 1 1 1 -1 -1' >hand.swf
cat >hand.yaml <<'END'
hsim: 1
platform: {nodes: 1, cores: 1}
workload: hand.swf
policy: {name: gavel-max-min, round: 100}
scheduler: {preempt_cost: 10s}
END
"$hsim" run hand.yaml -q -o hand.h5
"$hsim" export hand.h5 --to csv --table allocations --columns trace_id,start,end,attempt >held.csv
diff held.csv - <<'END' || die 'the schedule (<) is not what was worked out (>)'
trace_id,start,end,attempt
1,0,100,1
1,200,260,2
2,100,200,1
2,300,370,2
END

# Restarts that take longer than a round: two jobs that come together take turns for ever, and get
# no work done.
sed 's/^2 20/2 0/' hand.swf >turns.swf
status=0
timeout 60 "$hsim" run hand.yaml -q -o never.h5 --set workload=turns.swf --set scheduler.preempt_cost=100s >out.txt 2>&1 || status=$?
[ "$status" -eq 4 ] && grep -q "Policy 'gavel-max-min' at time .*A restart takes 100 s (.scheduler.preempt_cost.)" out.txt ||
    die "an endless run: $status, $(cat out.txt)"
[ ! -e never.h5 ] || die 'a run that was stopped has left a result'
"$hsim" run hand.yaml -q -o slow.h5 --set workload=turns.swf --set scheduler.preempt_cost=99s ||
    die 'a run with a second of work in a round is stopped'

# The experiment that is shipped, smaller: files agree with themselves, come out the same again,
# and knowing the speeds pays.
for run in one two; do
    "$hsim" run "$root/experiments/gavel-rounds.yaml" -q -o $run --set workload.generate.jobs=150
done
for name in agnostic gavel-max-min gavel-max-min-eager gavel-makespan gavel-throughput; do
    "$hsim" inspect --check one/$name.h5 >check.txt || die "$name: $(grep -v ' holds ' check.txt)"
    ! grep -q ' skipped ' check.txt || die "$name: $(grep ' skipped ' check.txt)"
    "$hsim" run --verify one/$name.h5 >out.txt || die "$name is not verified: $(cat out.txt)"
    for table in jobs allocations device_allocations series summary; do
        cmp <("$hsim" export one/$name.h5 --to csv --table $table) \
            <("$hsim" export two/$name.h5 --to csv --table $table) || die "$name: $table differ"
    done
done
mean()
{
    "$hsim" export "one/$1.h5" --to csv --columns turnaround | awk 'NR > 1 { sum += $1 } END { print sum / (NR - 1) }'
}
awk -v with="$(mean gavel-max-min)" -v without="$(mean agnostic)" -v eager="$(mean gavel-max-min-eager)" 'BEGIN {
    printf "rounds: mean turnaround %.0f s, without speeds %.0f s, eager %.0f s\n", with, without, eager
    exit !(with * 1.1 < without && eager < with)
}' || die 'the speeds do not help'

# Who asks for more than any one type has is told so.
"$hsim" run "$root/experiments/gavel-rounds.yaml" -q --force -o wide.h5 --set policies=gavel-max-min --set workload.generate.jobs=30 \
    --set 'workload.generate.classes=[{name: a, class: gavel-lm, weight: 5, demand: gpu=1, run: {distribution: exponential, mean: 1h}}, {name: b, class: gavel-lm, weight: 1, demand: 40x gpu=1, run: {distribution: exponential, mean: 1h}}]' >out.txt 2>&1 ||
    die "wide jobs: $(cat out.txt)"
"$hsim" inspect wide.h5 | grep -qE '[1-9][0-9]* rejected' || die "nothing is rejected: $("$hsim" inspect wide.h5)"
status=0
"$hsim" validate hand.yaml --set policy.rund=5 >out.txt 2>&1 || status=$?
[ "$status" -eq 2 ] && grep -q "round" out.txt || die "a wrong word: $status, $(cat out.txt)"
status=0
"$hsim" validate hand.yaml --set 'policy={name: gavel-maxmin}' >out.txt 2>&1 || status=$?
[ "$status" -eq 2 ] && grep -q "gavel-max-min" out.txt || die "a wrong name: $status, $(cat out.txt)"
