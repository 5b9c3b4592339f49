#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sweep.sh - a sweep to which the system refuses one call, then the same command without refusal:
# the same bytes as if nothing had happened.
#
# usage: sweep.sh HSIM FAULT.so
set -euo pipefail
hsim=$(realpath "$1")
fault=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0
refused=0

complain()
{
    printf '%s\n' "$*"
    failures=$((failures + 1))
}

printf '%s\n' 'hsim: 1' 'platform: {nodes: 8, cores: 1}' 'workload: {generate: {jobs: 20}}' \
    'policies: [easy, fcfs]' >study.yaml
"$hsim" sweep study.yaml -o ref -q -j 1

# refuse CALL NUMBER: a child goes on counting where its parent was at the fork.
refuse()
{
    local status=0

    rm -rf dir
    env HSIM_FAULT_CALL="$1" HSIM_FAULT_AT="$2" HSIM_FAULT_SPARE=libhdf5:libc.:ld-linux \
        LD_PRELOAD="$fault" "$hsim" sweep study.yaml -o dir -q -j 1 >out 2>err || status=$?
    if [ "$status" -ge 126 ]; then
        complain "$1 $2: ended with status $status: $(head -c 300 err)"
    elif [ "$status" -ne 0 ]; then
        refused=$((refused + 1))
        grep -qE '^hsim: (error|failed): .*[.]$' err || complain "$1 $2: no sentence: $(head -c 300 err)"
    fi
    "$hsim" sweep study.yaml -o dir -q -j 1 --retry-failed 2>err ||
        complain "$1 $2: it cannot be repeated: $(cat err)"
    cmp ref/sweep.h5 dir/sweep.h5 || complain "$1 $2: other bytes"
    [ -z "$(find dir -name '*.part')" ] || complain "$1 $2: left: $(find dir -name '*.part')"
}

# each CALL FROM TO STEP
each()
{
    local number

    for ((number = $2; number <= $3; number += $4)); do
        refuse "$1" "$number"
    done
}

each write 1 8 1
each pwrite 1 2 1
each rename 1 8 1
each fsync 1 3 1
each fork 1 2 1
each open 1 30 5
each close 1 25 5
each alloc 11 800 71

(cat study.yaml && echo 'sweep: {replications: 2}') >two.yaml
"$hsim" sweep two.yaml -o ref2 -q -j 1

# plan CALL FROM TO STEP: the same while the scripts for Slurm are written, without its commands.
plan()
{
    local number status

    for ((number = $2; number <= $3; number += $4)); do
        status=0
        rm -rf dir
        env HSIM_FAULT_CALL="$1" HSIM_FAULT_AT="$number" HSIM_FAULT_SPARE=libhdf5:libc.:ld-linux \
            LD_PRELOAD="$fault" PATH=/nowhere "$hsim" sweep two.yaml -o dir -q --engine slurm --dry-run \
            >out 2>err || status=$?
        if [ "$status" -ge 126 ]; then
            complain "plan, $1 $number: ended with status $status: $(head -c 300 err)"
        elif [ "$status" -ne 0 ]; then
            refused=$((refused + 1))
            grep -qE '^hsim: (error|failed): .*[.]$' err ||
                complain "plan, $1 $number: no sentence: $(head -c 300 err)"
        fi
        "$hsim" sweep two.yaml -o dir -q -j 1 --retry-failed 2>err ||
            complain "plan, $1 $number: the sweep cannot go on: $(cat err)"
        cmp ref2/sweep.h5 dir/sweep.h5 || complain "plan, $1 $number: other bytes"
    done
}
plan alloc 1 520 13
plan open 1 28 3
plan write 1 11 1
plan rename 1 9 1
printf '%d refusals were told\n' "$refused"
[ "$refused" -ge 20 ] || complain 'too few refusals were met'
[ "$failures" -eq 0 ]
