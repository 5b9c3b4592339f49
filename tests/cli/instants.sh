#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# instants.sh HSIM - what happens between the cycles of a scheduler, and at ends that differ from the
# trace's: small schedules worked out by hand.
set -euo pipefail

hsim=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'instants: %s\n' "$*"
    exit 1
}

# job ID SUBMIT WAIT RUN PROCS REQUEST STATUS: one record.
job()
{
    echo "$1 $2 $3 $4 $5 -1 -1 $5 $6 -1 $7 -1 -1 -1 -1 -1 -1 -1"
}

# expect NAME POLICY KEYS ROW...: the trace NAME.swf on one processor gives these rows, the result
# proves itself, and a second run gives the same.
expect()
{
    local name=$1 policy=$2 keys=$3

    printf '%s\n' 'hsim: 1' 'platform: {nodes: 1, cores: 1}' "policy: $policy" "$keys" >"$name.yaml"
    timeout 20 "$hsim" run -q --force "$name.yaml" -o "$name.h5" >/dev/null ||
        die "$name, $policy: no result in 20 s"
    "$hsim" export "$name.h5" --to csv --columns trace_id,start,end,state >"$name.csv"
    printf '%s\n' trace_id,start,end,state "${@:4}" | diff - "$name.csv" ||
        die "$name, $policy: another schedule than the one computed by hand"
    "$hsim" inspect --check "$name.h5" >"$name.check" || die "$name: $(cat "$name.check")"
    (cd / && "$hsim" run --verify "$folder/$name.h5") >/dev/null || die "$name: not the same again"
}

# The only job that waits is cancelled before the tick at 10; at 10 there is nothing to do.
{ job 1 5 2 -1 1 60 5 && job 2 30 -1 5 1 60 1; } >tick.swf
for policy in fcfs easy conservative depth; do
    expect tick "$policy" $'workload: tick.swf\nscheduler: {interval: 10s}' 1,-1,7,cancelled 2,30,35,finished
done

# Job 2 was promised 15, between two ticks, and job 3 the time behind it. Both promises pass; at 20
# the order still counts.
{ job 1 0 -1 15 1 15 1 && job 2 1 -1 10 1 10 1 && job 3 2 -1 10 1 10 1; } >promise.swf
for policy in fcfs easy conservative conservative-rebuilt depth; do
    expect promise "$policy" $'workload: promise.swf\nscheduler: {interval: 10s}' \
        1,0,15,finished 2,20,30,finished 3,30,40,finished
done

# In the trace the user lost patience after 5000 s of waiting. Here the job starts at once: it runs
# until then, or until its request where that is a limit.
{ job 1 0 5000 -1 1 60 5 && job 2 1 -1 10 1 10 1; } >early.swf
expect early easy 'workload: early.swf' 1,0,60,killed 2,60,70,finished
expect early easy 'workload: {file: early.swf, overrun: run}' 1,0,5000,cancelled 2,5000,5010,finished

# A job cut at its request of 10 s, where policies see another number than the request.
{ job 1 0 -1 20 1 10 1 && job 2 1 -1 10 1 10 1; } >cut.swf
for estimate in '{model: exact}' '{model: factor, factor: 3}' '{round: 15m}' '{missing: run}'; do
    expect cut easy "workload: {file: cut.swf, estimate: $estimate}" 1,0,10,killed 2,10,20,finished
done
