#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# batsim.sh HSIM SHARED - starts, ends and hosts of every job as Batsim 4.2.1 with batsched has them.
# `exact`: the walltime is the run time; `over`: it is run (1 + id mod 5) + 1. And the energy of each
# job of a workload on a platform that says what its hosts draw.
set -eu
hsim=$1
shared=${HSIM_SHARED:-$2}
if [ ! -d "$shared/oracles/batsim" ]; then
    echo "skipped: no results of Batsim in '$shared' (set HSIM_SHARED)"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() { # WALLTIME POLICY
    zcat "$shared/data/swf/lublin_256.raw.swf.gz" | awk -v kind="$1" '
        /^;/ || NF < 9 { print; next }
        { $9 = kind == "exact" ? $4 : $4 * (1 + $1 % 5) + 1; print }' > "$work/$1.swf"
    printf 'hsim: 1\nplatform: {nodes: 256, cores: 1}\nworkload: %s.swf\npolicy: %s\n' "$1" "$2" \
        > "$work/$1.yaml"
    "$hsim" run "$work/$1.yaml" -q --force -o "$work/$1.h5"
    "$hsim" export "$work/$1.h5" --to csv --columns trace_id,start,end,hosts | tail -n +2 |
        tr -d '"' > "$work/got.csv"
    zcat "$shared/oracles/batsim/lublin_256.$1.$2.csv.gz" | tail -n +2 | tr -d '"\r' \
        > "$work/want.csv"
    if ! cmp -s "$work/got.csv" "$work/want.csv"; then
        echo "$1 $2 differs from Batsim (want on the left, got on the right):"
        diff "$work/want.csv" "$work/got.csv" | head -20
        exit 1
    fi
}

# Two jobs of 2 hosts and 10 s each (profile ptask_prof: 1e9 flop on a host of 1e8 flop/s).
check_energy() {
    local name=test_energy_minimal_load100

    printf '%d %d -1 10 2 -1 -1 2 1000 -1 1 1 1 1 1 1 -1 -1\n' 0 0 1 100 > "$work/energy.swf"
    printf 'hsim: 1\nplatform: "%s"\nworkload: energy.swf\npolicy: fcfs\nenergy: always\n' \
        "$shared/data/batsim/energy_platform_homogeneous_no_net_128.xml" > "$work/energy.yaml"
    "$hsim" run "$work/energy.yaml" -q -o "$work/energy.h5"
    "$hsim" inspect "$work/energy.h5" --check
    "$hsim" export "$work/energy.h5" --to batsim | tail -n +2 | cut -d, -f1,4,9-12,15,16 > "$work/got.csv"
    tail -n +2 "$shared/oracles/batsim/$name.jobs.csv" | tr -d '"\r' | cut -d, -f1,4,9-12,15,16 > "$work/want.csv"
    cmp "$work/got.csv" "$work/want.csv" || {
        echo "$name differs from Batsim (want on the left, got on the right):"
        diff "$work/want.csv" "$work/got.csv"
        exit 1
    }
}

check_energy
check exact fcfs
check exact easy-hosts
check over easy-hosts
echo "oracle: 3 schedules equal Batsim's, hosts included, and the energy of 2 jobs"
