#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sets_figures.sh - the numbers of figures of many runs are those of the runs, computed anew by sets_data.py; and
# their SVG are the same bytes as tests/golden/plots, which were looked at.
#
# usage: sets_figures.sh HSIM ROOT [renew]
#
# Another gnuplot draws other bytes, which are then not compared. `renew` writes the files; look at each before
# you commit it.
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=sets.sh
. "$root/tests/plot/sets.sh"

command -v python3 >/dev/null || skip 'python3 is not installed'
renew=${3-}
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

golden=$root/tests/golden/plots

# figure NAME KIND ARGUMENT...: draws NAME.svg and compares it.
figure()
{
    local name=$1

    shift
    "$hsim" plot "$@" -o "$name.svg" >/dev/null 2>err || die "hsim plot $* fails: $(cat err)"
    ! grep 'gnuplot says' err || die "gnuplot warns of hsim plot $*"
    if [ "$renew" ]; then
        cp "$name.svg" "$golden/"
        return
    fi
    cmp "$name.svg" "$golden/$name.svg" ||
        die "$name.svg (hsim plot $*) is not the same; sets_golden.sh HSIM ROOT renew writes it anew"
}

version=$(gnuplot --version)
made_with=$(sed -n 's/.*<desc>Produced by GNUPLOT \(.*\) <\/desc>.*/gnuplot \1/p' "$golden/load.svg" 2>/dev/null || true)
if [ -z "$renew" ] && [ "$version" != "$made_with" ]; then
    printf 'not compared: the files were made with %s, and this is %s\n' "$made_with" "$version"
    exit 0
fi
figure load load loads
figure load-few load map --by scheduler.interval --where scheduler.interval=30s
figure load-offered load loads --against offered_load --metric util_alloc --style two-column
figure bars bars loads --where workload.load=0.8 --baseline easy
figure bars-few bars map --where workload.load=0.5,scheduler.interval=0s --metric wait_mean_s,makespan_s --log none
figure box box loads --where workload.load=0.8
figure box-folder box study --label sjf-easy=SJF --metric bsld_mean
figure forest forest study --baseline easy
figure forest-few forest loads --baseline easy --where workload.load=0.8
figure pareto pareto study --metric wait_mean_s,util_alloc
figure pareto-many pareto loads --metric wait_mean_s,bsld_mean
figure heatmap heatmap map --policy easy --against workload.load,scheduler.interval
figure heatmap-ratio heatmap map --against scheduler.interval,workload.load --style slide
figure scaling scaling sizes --metric makespan_s
