#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sweep.sh - a sweep on a real Slurm of three nodes: the merged file equals that of a local sweep,
# although a node dies and a task is cancelled; nothing is submitted twice.
#
# usage: sweep.sh HSIM CC CORE, where CORE has the headers of plug-ins
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=cluster.sh
. "$(dirname "$0")/cluster.sh"

hsim=$(realpath "$1")
compiler=$2
core=$(realpath "$3")
folder=$(mktemp -d)
trap 'slurm_stop; rm -rf "$folder"' EXIT

die()
{
    printf 'slurm sweep: %s\n' "$*"
    exit 1
}

# says FILE TEXT: the file must have the text.
says()
{
    grep -qF -- "$2" "$1" || die "no \"$2\" in: $(cat "$1")"
}

# finished: how many results there are.
finished()
{
    find on-slurm/runs -name '*.h5' 2>/dev/null | wc -l
}

is_queue_empty()
{
    [ -z "$(squeue --noheader)" ]
}

# The names have blanks and quotes; the trace and the plug-in lie beside the experiment.
mkdir "$folder/it's a study"
cd "$folder/it's a study"
cat >mine.c <<'END'
#include "hs/policy.h"
static double mine_key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    (void)self;
    (void)view;
    return -(double)job->key.submit_ns;
}
HS_ORDER_DEFINE(mine) = {HS_ORDER_HEADER, .name = "mine", .summary = "last come", .key = mine_key};
HS_PLUGIN(.orders = (const struct hs_order *const[]){&hs_order_mine, NULL});
END
"$compiler" -std=c17 -shared -fPIC -I "$core" -o mine.so mine.c
awk 'BEGIN {
    for (i = 1; i <= 30000; i++) {
        procs = 1 + i * 7919 % 16
        print i, i * 300, -1, 60 + i * 104729 % 3600, procs, -1, -1, procs, 7200, -1, 1, 1, 1, -1, 1, -1, -1, -1
    }
}' >trace.swf
cat >"two loads.yaml" <<'END'
hsim: 1
platform: {nodes: 64, cores: 1}
workload: trace.swf
plugins: [mine.so]
policies: [easy, {name: easy, order: mine}]
sweep:
  axes:
    workload.load: {from: 0.5, to: 0.9, count: 5}
    scheduler.interval: [0s, 30s, 1m, 2m]
END

SLURM_MAX_ARRAY_SIZE=5
slurm_start
"$hsim" sweep "two loads.yaml" -o ../local -q --set metrics.tau=20s

# Each run is said to have taken a second, so that five are a task, however busy this machine is.
mkdir on-slurm
awk -F, -v OFS=, 'NR > 1 { $3 = 1 } { print }' ../local/timings.csv >on-slurm/timings.csv
[ "$(wc -l <on-slurm/timings.csv)" -eq 41 ] || die "timings: $(cat on-slurm/timings.csv)"

# sweep ARGUMENT...: the engine.
sweep()
{
    "$hsim" sweep "two loads.yaml" -o on-slurm --engine slurm --task-time 5s \
        --set metrics.tau=20s "$@" >table 2>messages
}

# What sbatch refuses is told in its words, and nothing is lost.
status=0
sweep --slurm-option=--partition=nowhere || status=$?
[ "$status" -eq 1 ] || die "a refused submission: exit code $status, not 1"
says messages 'invalid partition specified: nowhere'
says messages 'Nothing was submitted'
is_queue_empty || die 'a refused submission left jobs'

sweep || die "$(cat messages)"
says table '40 runs in 8 tasks of about 5 s: array '
[ "$(cat on-slurm/slurm/2/tasks/* | sort -u | wc -l)" -eq 40 ] || die 'the tasks do not have 40 runs'
[ "$(wc -l <on-slurm/slurm/2/tasks/7)" -eq 5 ] || die "the last task: $(cat on-slurm/slurm/2/tasks/7)"
# An array takes five of them.
grep -c '^array' on-slurm/slurm/2/submit.sh | grep -qx 2 || die "$(cat on-slurm/slurm/2/submit.sh)"

# While they wait and run nothing is submitted again.
squeue --noheader --format=%F | sort -u >before
SQUEUE_STATES=COMPLETED SQUEUE_PARTITION=none sweep || die "$(cat messages)"
says table 'nothing was submitted'
squeue --noheader --format=%F | sort -u >after
[ -z "$(comm -13 before after)" ] || die "a repeated call submitted jobs: $(comm -13 before after)"
"$hsim" sweep status on-slurm >status
says status 'slurm    array'
says status 'which merges: PENDING (Dependency)'
"$hsim" sweep status on-slurm --json | python3 -c '
import json, sys
jobs = json.load(sys.stdin)["slurm"]
assert [job["kind"] for job in jobs].count("merge") == 1, jobs
assert sum(job["tasks"] for job in jobs if job["kind"] == "array") >= 1, jobs'

# On a node a task is cancelled; another dies with all that runs on it, and comes back.
is_busy()
{
    [ -n "$(squeue --noheader --states=RUNNING --nodelist=n1)" ] && [ -n "$(slurm_processes n2)" ]
}
slurm_wait 30 is_busy || die "the nodes are not busy: $(squeue)"
scancel "$(squeue --noheader --array --states=RUNNING --nodelist=n1 --format=%i | head -n 1)"
slurm_kill n2
[ "$(finished)" -lt 38 ] || die 'the node died too late'
slurm_revive n2

# Where there is no Slurm, the scripts can be written, and do what the engine would have done.
mkdir -p dry/runs
cp ../local/runs/*.h5 dry/runs
find dry/runs -name '*.h5' | sort | head -n 3 | xargs rm
status=0
PATH=/nowhere "$hsim" sweep "two loads.yaml" -o dry --engine slurm 2>messages || status=$?
[ "$status" -eq 1 ] || die "without squeue: exit code $status, not 1"
says messages 'no `squeue` on the PATH'
PATH=/nowhere "$hsim" sweep "two loads.yaml" -o dry --engine slurm --dry-run --set metrics.tau=20s >table 2>messages ||
    die "$(cat messages)"
says table 'nothing was submitted; this does it'
sh dry/slurm/1/submit.sh >/dev/null

slurm_wait 120 is_queue_empty || die "jobs are left: $(squeue)"
says "$slurm_folder/slurmctld.log" 'due to node failure'

# Slurm runs the tasks of the node again, but not the one that was cancelled. The merge says so.
left=$((40 - $(finished)))
[ "$left" -ge 1 ] || die 'the cancelled task has left nothing'
cat on-slurm/slurm/2/merge-*.log >log
says log "$left of 40 runs are missing"
[ ! -e on-slurm/sweep.h5 ] || die 'there is a merged file of an unfinished sweep'
sweep || die "$(cat messages)"
says table "$left runs in"
slurm_wait 120 is_queue_empty || die "jobs are left: $(squeue)"
cmp ../local/sweep.h5 on-slurm/sweep.h5 || die "$(cat on-slurm/slurm/3/*.log)"

# All is there: nothing to submit, and nothing to write.
sweep || die "$(cat messages)"
says table 'nothing was left to do'
is_queue_empty || die 'a finished sweep was submitted again'
[ "$(find on-slurm/slurm -mindepth 1 -maxdepth 1 -type d | wc -l)" -eq 3 ] || die "$(ls on-slurm/slurm)"
"$hsim" sweep status on-slurm >status
says status 'slurm    no jobs in the queue'

cmp ../local/sweep.h5 dry/sweep.h5 || die "$(cat dry/slurm/1/*.log)"
echo 'slurm sweep: equal to the local one'
