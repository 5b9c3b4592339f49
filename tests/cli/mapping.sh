#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mapping.sh - a run of a matrix of times (speeds.etc) with all jobs at 0, a node of one core for each machine and
# plans that are kept ends when `hsim map` says, with each job on its machine.
#
# usage: mapping.sh HSIM [SHARED]. With SHARED for the instances in SHARED/data/braun (Braun et al., JPDC 61(6), 2001);
# skipped (77) without them. Else for matrices that are drawn here.
set -euo pipefail
export LC_ALL=C

hsim=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ $# -gt 1 ]; then
    data=${HSIM_SHARED:-$2}/data/braun
    if [ ! -r "$data/u_c_hihi.0.gz" ]; then
        printf 'skipped: no instances in %s; set HSIM_SHARED\n' "$data"
        exit 77
    fi
    matrices=("$data"/u_?_????.0.gz)
    policies='min-min, mct, met, sufferage-iter, sufferage-pass'
    cd "$folder"
else
    cd "$folder"
    "$hsim" map --generate 'range tasks=90 machines=7 consistency=semi' --write semi.etc >/dev/null
    printf '5 3\n4 - 9\n- - 2.5\n3 3 3\n8 1 -\n0.25 7 1\n' >holes.etc
    matrices=(semi.etc holes.etc)
    policies='olb, met, mct, min-min, max-min, duplex, sufferage-iter, sufferage-pass, min-standard-deviation'
fi

# check MATRIX: every policy on it.
check()
{
    local matrix=$1 tasks machines policy
    "$hsim" map "$matrix" -p met >met.out
    read -r tasks machines < <(awk 'NR == 1 { print $2, $5 }' met.out)
    [ "${tasks:-0}" -gt 1 ] && [ "${machines:-0}" -gt 1 ]
    {
        echo sn,cpu_milli,memory_mib,gpu,model
        for ((i = 0; i < machines; i++)); do echo "m$i,1000,1024,0,"; done
    } >nodes.csv
    {
        echo id,submit,run,walltime,demand
        for ((i = 1; i <= tasks; i++)); do echo "$i,0,100,100,cores=1"; done
    } >jobs.csv
    cat >e.yaml <<END
hsim: 1
platform: nodes.csv
workload: jobs.csv
speeds: {etc: '$matrix'}
policies: [$(sed -E 's/([a-z-]+)/{name: \1, batch: 0, remap: false}/g' <<<"$policies")]
END
    "$hsim" run e.yaml -q --force -o runs
    for policy in ${policies//,/}; do
        "$hsim" map "$matrix" -p "$policy" --force -o planned.csv >/dev/null
        "$hsim" export "runs/$policy.h5" --to csv --force --columns trace_id,start,end,hosts -o run.csv
        # Each time of a run is rounded to ns; the digits of a double bound the rest.
        awk -F, -v policy="$policy" -v matrix="${matrix##*/}" '
            function off(a, b) { return a - b > 1e-6 + 1e-12 * a || b - a > 1e-6 + 1e-12 * a }
            NR == FNR { if (FNR > 1) { machine[$1] = $2; ends[$1] = $4; planned++ } next }
            FNR > 1 {
                task = $1 - 1
                if ($4 != machine[task] || off($3, ends[task])) { print policy ", " matrix ", job " $1 ": " $0 "; planned: " machine[task] ", " ends[task]; bad = 1; exit }
                count++
            }
            END { exit bad || !planned || count != planned }' planned.csv run.csv
        checked=$((checked + 1))
    done
}

checked=0
for matrix in "${matrices[@]}"; do check "$matrix"; done
echo "mapping: $checked plans of hsim map are carried out"
