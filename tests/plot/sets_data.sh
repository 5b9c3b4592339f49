#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sets_data.sh - the numbers of figures of many runs are those of the runs, computed anew by sets_data.py.
#
# usage: sets_data.sh HSIM ROOT
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=sets.sh
. "$(dirname "$0")/sets.sh"

command -v python3 >/dev/null || skip 'python3 is not installed'
sets

# plot NAME ARGUMENT...: draws NAME.svg.
plot()
{
    local name=$1

    shift
    "$hsim" plot "$@" -o "$name.svg" >/dev/null 2>"$name.notes" || die "hsim plot $* fails: $(cat "$name.notes")"
}

# Each run of a sweep by itself: policy, axes and seed as `hsim inspect --json` and the rows of the sweep tell.
for name in loads map sizes; do
    "$hsim" inspect --json "$name/sweep.h5" >"$name.json"
done
for seed in 1 2 3 4 5; do
    for policy in fcfs easy sjf-easy conservative; do
        "$hsim" inspect --json "study/$seed/$policy.h5" >"study-$seed-$policy.json"
    done
done
plot load load loads
plot offered load loads --against offered_load
plot few load map --policy easy --where scheduler.interval=30s
plot box box loads --where workload.load=0.8
plot bars bars study --baseline easy --metric wait_mean_s,bsld_mean,util_alloc
plot forest forest study --baseline easy --metric bsld_mean
plot pareto pareto study --metric wait_mean_s,util_alloc
plot heatmap heatmap map --policy sjf-easy --against workload.load,scheduler.interval
plot ratio heatmap map --policy easy,sjf-easy --against workload.load,scheduler.interval
plot scaling scaling sizes --metric makespan_s
plot time scaling sizes
"$hsim" compare study --baseline easy --metric bsld_mean --format csv >compare.csv 2>/dev/null
grep -q 'are unstable: the backlog grows' load.notes || die "unstable runs must be told: $(cat load.notes)"
grep -q 'makespan_s grows as workload.generate.jobs to the power of' scaling.notes ||
    die "the power must be told: $(cat scaling.notes)"
python3 "$root/tests/plot/sets_data.py"
