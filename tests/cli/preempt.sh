#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# preempt.sh - preemption as a user meets it: a schedule worked out by hand, checks of runs with
# devices, energy and latency, an interrupted run, and files without it that know nothing of it.
#
# usage: preempt.sh HSIM ROOT
set -euo pipefail

hsim=$(realpath "$1")
root=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'preempt: %s\n' "$*"
    exit 1
}

# same FILE TEXT: the file is the text.
same()
{
    diff "$1" - <<<"$2" || die "$1 (<) is not what is expected (>)"
}

# One processor. Job 1 leaves the first queue at 100 s. Job 2 comes at 120 s and preempts it; 180 s
# are left, and its restart takes 10 s: 170 + 10 + 180 = 360. Job 3 comes at 355 s and preempts it
# again, with 5 s left: 365 + 10 + 5 = 380. Job 4 asked for too little, and is cut after 20 s.
printf '%s\n' '1 0 -1 300 1 -1 -1 1 400 -1 1 1 1 1 1 1 -1 -1' \
    '2 120 -1 50 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1' \
    '3 355 -1 10 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1' \
    '4 400 -1 50 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1' >hand.swf
cat >hand.yaml <<'END'
hsim: 1
platform: {nodes: 1, cores: 1}
workload: hand.swf
policy: {name: las, threshold: 100}
scheduler: {preempt_cost: 10s}
END
"$hsim" run hand.yaml -q -o hand.h5
"$hsim" export hand.h5 --to csv \
    --columns trace_id,start,end,preemptions,executed,overhead,queued,wait,bsld,state >hand.csv
same hand.csv 'trace_id,start,end,preemptions,executed,overhead,queued,wait,bsld,state
1,0,380,2,320,20,60,0,1.26666666667,finished
2,120,170,0,50,0,0,0,1,finished
3,355,365,0,10,0,0,0,1,finished
4,400,420,0,20,0,0,0,1,killed'
"$hsim" export hand.h5 --to csv --table allocations --columns trace_id,start,end,attempt >held.csv
same held.csv 'trace_id,start,end,attempt
2,120,170,1
3,355,365,1
1,0,120,1
1,170,355,2
1,365,380,3
4,400,420,1'
"$hsim" inspect hand.h5 --job 1 | tail -n 2 >life.txt
same life.txt 'It was preempted 2 times; its restarts took 20 s; after its first start it waited for 60 s (1 min).
It ended at 380 s after a run of 320 s (5.333 min): finished.'
"$hsim" inspect hand.h5 | grep -q '^preempted    2 preemptions of 1 jobs; restarts took 0.005556 core hours$' ||
    die "inspect: $("$hsim" inspect hand.h5)"
"$hsim" export hand.h5 --to swf | grep -v '^;' | cut -d ' ' -f 1-4 >hand.out
same hand.out '1 0 0 320
2 120 0 50
3 355 0 10
4 400 0 20'
"$hsim" run hand.yaml -q --json --force -o hand.h5 >hand.json
grep -q '"preemptions": 2,' hand.json || die "--json: $(cat hand.json)"
grep -q '"util_alloc_useful": 0.9047619' hand.json || die "--json: $(grep util hand.json)" # 380 / 420

# Jobs with devices and alternatives, with all that there is: each file agrees with itself, and a
# second run gives the same bytes.
cat >mixed.yaml <<END
hsim: 1
platform: $root/platforms/mixed-8.xml
workload:
  generate:
    model: mix
    jobs: 600
    load: 1.2
    classes:
      - {name: a, weight: 8, demand: cores=2 mem=8GiB gpu=0.25, run: {distribution: exponential, mean: 20m}, estimate: 2}
      - {name: b, weight: 4, demand: cores=4 mem=16GiB gpu=2 or cores=16 gpu=1, run: {distribution: lognormal, mean: 2h, cv: 1.5}, estimate: 2}
      - {name: c, weight: 2, demand: 2x cores=16 exclusive spread, run: {distribution: lognormal, mean: 1h, cv: 1.5}, estimate: 3}
policies:
  - {name: las, threshold: 600, queues: 4, label: las4}
  - {name: las, threshold: 600, place: best-fit, label: las}
scheduler: {preempt_cost: 30s, latency: 2s}
energy: always
output: {fragmentation: true}
END
"$hsim" run mixed.yaml -q -o mixed
"$hsim" run mixed.yaml -q -o again
for name in las4 las; do
    "$hsim" inspect --check "mixed/$name.h5" >check.txt || die "$name: $(grep -v ' holds ' check.txt)"
    ! grep -q ' skipped ' check.txt || die "$name: $(grep ' skipped ' check.txt)"
    [ "$(wc -l <check.txt)" -ge 17 ] || die "$name: only $(wc -l <check.txt) checks"
    "$hsim" inspect "mixed/$name.h5" | grep -qE '^preempted    [0-9]{2,} preemptions' ||
        die "$name: few preemptions: $("$hsim" inspect "mixed/$name.h5" | grep preempted)"
    "$hsim" run --verify "mixed/$name.h5" >/dev/null || die "$name is not verified"
    for table in jobs allocations device_allocations series summary; do
        "$hsim" export "mixed/$name.h5" --to csv --table $table >first.csv || die "$name: $table"
        "$hsim" export "again/$name.h5" --to csv --table $table >second.csv || die "$name: $table"
        cmp first.csv second.csv || die "$name: $table differ"
        [ "$(head -n 1 first.csv | tr ',' '\n' | sort | uniq -d | wc -l)" -eq 0 ] ||
            die "$name: $table has columns of one name: $(head -n 1 first.csv)"
    done
done

# Without allocations the sums that need them are left out, and the others hold.
"$hsim" run mixed.yaml -q --force -o mixed --set output.allocations=false
"$hsim" inspect --check mixed/las.h5 >check.txt || die "$(grep -v ' holds ' check.txt)"
grep -q '^held cores *skipped' check.txt || die "$(cat check.txt)"

# The interrupted run: jobs that run, wait and were preempted are not done.
sed -e 's/jobs: 600/jobs: 3000000/' mixed.yaml >long.yaml
env --default-signal=INT "$hsim" run long.yaml -q -o long >/dev/null 2>&1 &
pid=$!
for _ in $(seq 1000); do
    [ -s long/las4.h5.part ] && break
    sleep 0.01
done
sleep 0.5
kill -INT "$pid"
status=0
wait "$pid" || status=$?
[ "$status" -eq 130 ] || die "the interrupted run ended with $status"
"$hsim" inspect --check long/las4.interrupted.h5 >check.txt || die "interrupted: $(grep -v ' holds ' check.txt)"
"$hsim" inspect long/las4.interrupted.h5 | grep -qE ' [1-9][0-9]* unfinished' || die 'nothing is unfinished'

# Who does not preempt writes what it always did.
"$hsim" run hand.yaml -q -o plain.h5 --set policy=easy
! "$hsim" export plain.h5 --to csv --columns preemptions >out.txt 2>err.txt || die 'easy has a column preemptions'
grep -q "no column 'preemptions'" err.txt || die "$(cat err.txt)"
status=0
"$hsim" validate hand.yaml --set scheduler.preempt_cost=-1s >out.txt 2>&1 || status=$?
[ "$status" -eq 2 ] && grep -q 'preempt_cost' out.txt || die "a negative cost: $status, $(cat out.txt)"
printf 'preempt: as worked out by hand; %s\n' "$("$hsim" inspect mixed/las.h5 | sed -n 's/^preempted *//p' | head -n 1)"
