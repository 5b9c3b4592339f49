#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# batsim.sh HSIM SHARED - starts, ends and hosts of every job as Batsim 4.2.1 with batsched has them.
# `exact`: the walltime is the run time; `over`: it is run (1 + id mod 5) + 1.
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

check exact fcfs
check exact easy-hosts
check over easy-hosts
echo "oracle: 3 schedules equal Batsim's, hosts included"
