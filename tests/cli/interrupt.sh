#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# interrupt.sh - SIGINT in the middle of a run: what is done is kept under a name of its own, whole.
#
# usage: interrupt.sh HSIM
set -euo pipefail

hsim=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'interrupt: %s\n' "$*"
    exit 1
}

cat >long.yaml <<'END'
hsim: 1
platform: {nodes: 64, cores: 1}
workload: {generate: {jobs: 3000000}}
policies: [easy, fcfs]
output: {compression: none}
END
"$hsim" run long.yaml -o out >table 2>messages &
pid=$!
for _ in $(seq 1000); do
    [ -s out/easy.h5.part ] && break
    sleep 0.01
done
sleep 0.1
kill -INT "$pid"
status=0
wait "$pid" || status=$?
[ "$status" -eq 130 ] || die "exit code $status, not 130"
grep -q "out/easy.interrupted.h5 keeps the [0-9]* jobs that were done" messages ||
    die "no word of what was kept: $(cat messages)"
[ "$(ls out)" = easy.interrupted.h5 ] || die "left in the folder: $(ls out)"
"$hsim" inspect out/easy.interrupted.h5 --check >check || die "$(cat check)"
"$hsim" inspect out/easy.interrupted.h5 | grep -q interrupted || die 'inspect does not say it'
echo 'interrupt: what was done is kept, and holds'
