#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# data.sh - the numbers of figures are those of the results, computed anew by data.py.
#
# usage: data.sh HSIM ROOT
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip 'python3 is not installed'
runs
run_filled

# plot NAME ARGUMENT...: draws NAME.svg.
plot()
{
    local name=$1

    shift
    "$hsim" plot "$@" -o "$name.svg" >/dev/null 2>notes || die "hsim plot $* fails: $(cat notes)"
}

# table FILE NAME: the table as NAME.csv.
table()
{
    "$hsim" export "$1" --to csv --table "$2" >"$3.csv"
}

"$hsim" export large/easy.h5 --to csv --columns trace_id,wait,bsld,measured,state,procs,start,end >jobs.csv
table large/easy.h5 series series
table small/easy.h5 series small-series
table small/easy.h5 allocations allocations
table large/easy.h5 allocations large-allocations
table shared/fcfs.h5 device_allocations device-allocations
table shared/fcfs.h5 series shared-series
table filled/fgd.h5 inflation inflation
plot wait cdf large/easy.h5
grep -q 'Jobs with a wait below 1 s' notes || die "zero waits must be told: $(cat notes)"
plot bsld ccdf large/easy.h5 --metric bsld
plot exact timeline small/easy.h5 --metric util_cores,queue
plot window timeline small/easy.h5 --metric queue --from 2m --to 250s
plot means timeline large/easy.h5 --metric util_cores,queue
plot gantt gantt small/easy.h5
plot devices gantt shared/fcfs.h5
plot whole gantt large/easy.h5 --width 120 --height 100 --style two-column
plot merged gantt large/easy.h5 --width 6 --height 4
grep -q 'boxes are more than the picture can show' notes || die "merging must be told: $(cat notes)"
plot fragments fragmentation shared/fcfs.h5 --against time
plot filled fragmentation filled/fgd.h5
python3 "$root/tests/plot/data.py"
