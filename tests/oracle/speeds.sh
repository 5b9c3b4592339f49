#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# speeds.sh HSIM EXPERIMENTS - jobs at different speeds, computed again by speeds.py from the class library and the
# device catalogue: the experiment that we ship, then with other rules, requests and references.
set -eu
hsim=$1
experiment=$2/speeds.yaml
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v python3 >/dev/null; then
    echo "skipped: python3 is not installed"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
recompute() { # NAME OPTION...
    mkdir "$work/$1"
    python3 "$here/speeds.py" "$hsim" "$experiment" "$work/$1" "${@:2}"
}
recompute shipped
recompute conservative --set workload.generate.jobs=400 --set 'policies=[conservative, first-fit]'
# Requests that do not grow with the run time: CloverLeaf is killed on processors.
recompute fixed --set speeds.walltime=fixed --set workload.generate.jobs=800 --set 'policies=[easy]'
# Decisions take a while, and passes come in cycles.
recompute late --set scheduler.latency=7s --set scheduler.interval=60 --set workload.generate.jobs=500 \
    --set 'policies=[easy, fcfs]'
