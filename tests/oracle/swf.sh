#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# swf.sh HSIM SHARED - start and end of every job of three real and synthetic traces under fourteen
# policies, against an independent reference (see sim/README.md, "Checked against").
set -eu
hsim=$1
shared=${HSIM_SHARED:-$2}
if [ ! -d "$shared/oracles/swf" ]; then
    echo "skipped: no independent results in '$shared' (set HSIM_SHARED)"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compared=0
policies=fcfs,sjf,ljf,wfp3,unicep,f1,easy,sjf-easy,ljf-easy,wfp3-easy,unicep-easy,f1-easy
policies=$policies,conservative,conservative-rebuilt

for trace in sdsc_sp2:128 hpc2n:240 lublin_256:256; do
    name=${trace%:*}
    printf 'hsim: 1\nplatform: {nodes: %s, cores: 1}\nworkload: %s\npolicies: [%s]\n' \
        "${trace#*:}" "$shared/data/swf/$name.swf.gz" "$policies" > "$work/$name.yaml"
    "$hsim" run "$work/$name.yaml" -q -o "$work/$name"
    for policy in ${policies//,/ }; do
        case $policy in
        easy) oracle=fcfs-easy ;;
        conservative) oracle=fcfs-cons ;;
        conservative-rebuilt) oracle=fcfs-consre ;;
        *) oracle=$policy ;;
        esac
        "$hsim" export "$work/$name/$policy.h5" --to csv --columns trace_id,start,end |
            tail -n +2 > "$work/got.csv"
        zcat "$shared/oracles/swf/$name.$oracle.csv.gz" | tail -n +2 > "$work/want.csv"
        if ! cmp -s "$work/got.csv" "$work/want.csv"; then
            echo "$name $policy differs (want on the left, got on the right):"
            diff "$work/want.csv" "$work/got.csv" | head -20
            exit 1
        fi
        "$hsim" inspect "$work/$name/$policy.h5" --check > "$work/check.txt" || {
            echo "$name $policy does not hold:"
            cat "$work/check.txt"
            exit 1
        }
        compared=$((compared + 1))
    done
done
[ "$compared" -eq 42 ]
echo "oracle: $compared schedules equal, job by job"
