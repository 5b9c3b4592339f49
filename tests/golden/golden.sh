#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# golden.sh HSIM - schedules worked out by hand, compared to the byte. See README.md.
set -eu
hsim=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() { # NAME PLATFORM POLICY [KEY=VALUE]
    printf 'hsim: 1\nplatform: %s\nworkload: %s/jobs.swf\npolicy: %s\n' "$2" "$here" "$3" \
        > "$work/$1.yaml"
    compare "$1" "${4-}"
}

check_speeds() { # NAME POLICY
    printf 'hsim: 1\nplatform: %s/nodes.csv\nworkload: %s/jobs.csv\nspeeds: {classes: [%s/classes.yaml]}\npolicy: %s\n' \
        "$here/speeds" "$here/speeds" "$here/speeds" "$2" > "$work/$1.yaml"
    compare "$1"
}

check_matrix() { # NAME POLICY
    printf 'hsim: 1\nplatform: {nodes: 3}\nworkload: %s/tasks.csv\nspeeds: {etc: %s/times.etc}\npolicy: %s\n' \
        "$here/speeds" "$here/speeds" "$2" > "$work/$1.yaml"
    compare "$1"
}

compare() { # NAME [KEY=VALUE]
    "$hsim" run "$work/$1.yaml" -q -o "$work/$1.h5" ${2:+--set "$2"}
    "$hsim" export "$work/$1.h5" --to csv --columns trace_id,start,end,state,hosts > "$work/$1.csv"
    diff -u "$here/expected/$1.csv" "$work/$1.csv"
    "$hsim" inspect "$work/$1.h5" --check > "$work/$1.check" || { cat "$work/$1.check"; exit 1; }
    "$hsim" run --verify "$work/$1.h5" > /dev/null
}

check easy '{nodes: 4, cores: 1}' easy
check fcfs '{nodes: 4, cores: 1}' fcfs
check min-min '{nodes: 4, cores: 1}' min-min
check interval '{nodes: 4, cores: 1}' fcfs scheduler.interval=10
check latency '{nodes: 4, cores: 1}' fcfs scheduler.latency=2
check nodes '{nodes: 2, cores: 2}' fcfs scheduler.allocation=nodes
check_speeds speeds-fcfs fcfs
check_speeds speeds-easy easy
check_speeds speeds-mct mct
check_matrix speeds-etc fcfs
echo "golden: 10 schedules equal"
