#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# interrupt.sh - a signal in the middle of a run: what is done is kept under a name of its own, whole;
# limits and a second run in the same place lose nothing.
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
# interrupted SIGNAL: runs, sends the signal, and looks at what is there.
interrupted()
{
    local pid status=0

    rm -rf out
    # env: a shell's background jobs ignore SIGINT, and what is ignored stays so.
    env --default-signal=INT "$hsim" run long.yaml -o out >table 2>messages &
    pid=$!
    for _ in $(seq 1000); do
        [ -s out/easy.h5.part ] && break
        sleep 0.01
    done
    sleep 0.1
    kill -"$1" "$pid"
    wait "$pid" || status=$?
    [ "$status" -eq 130 ] || die "$1: exit code $status, not 130"
    grep -q "out/easy.interrupted.h5 keeps the [0-9]* jobs that were done" messages ||
        die "$1: no word of what was kept: $(cat messages)"
    [ "$(ls out)" = easy.interrupted.h5 ] || die "$1: left in the folder: $(ls out)"
    "$hsim" inspect out/easy.interrupted.h5 --check >check || die "$1: $(cat check)"
    "$hsim" inspect out/easy.interrupted.h5 | grep -q interrupted || die "$1: inspect does not say it"
}

for name in INT TERM HUP XCPU; do
    interrupted "$name"
done

# A second interrupted run does not take the place of the first; with --force it does.
# again NUMBER NAME ARGUMENTS...: run, interrupt, and NAME is what is kept; NUMBER results are there.
again()
{
    local number=$1 name=$2 pid status=0

    shift 2
    "$hsim" run long.yaml -o out --set 'policies=[easy]' "$@" >table 2>messages &
    pid=$!
    for _ in $(seq 1000); do
        [ -s out/easy.h5.part ] && break
        sleep 0.01
    done
    sleep 0.1
    kill -TERM "$pid"
    wait "$pid" || status=$?
    [ "$status" -eq 130 ] || die "again: exit code $status, not 130"
    grep -q "out/$name keeps the" messages || die "again: $(cat messages)"
    "$hsim" inspect "out/$name" --check >check || die "again: $(cat check)"
    [ "$(ls out | wc -l)" -eq "$number" ] || die "again: $(ls out)"
}
first=$(sha256sum <out/easy.interrupted.h5)
again 2 easy.interrupted-2.h5
again 3 easy.interrupted-3.h5
[ "$first" = "$(sha256sum <out/easy.interrupted.h5)" ] || die 'the first interrupted result was replaced'
again 3 easy.interrupted.h5 --force
[ "$first" != "$(sha256sum <out/easy.interrupted.h5)" ] || die '--force did not replace the first'
rm -r out

# Before the first event: the digest of the trace, the scan for the measured window, the scan of load
# scaling. The first signal ends the run soon, and nothing is left.
# early PATTERN SET...: interrupts 0.2 s after the start.
early()
{
    local pattern=$1 pid status=0 begin

    shift
    "$hsim" run early.yaml -o early "$@" >table 2>messages &
    pid=$!
    sleep 0.2
    begin=$(date +%s%N)
    kill -TERM "$pid"
    wait "$pid" || status=$?
    [ "$status" -eq 130 ] || die "early $*: exit code $status, not 130: $(cat messages)"
    [ $(($(date +%s%N) - begin)) -lt 1500000000 ] || die "early $*: it took longer than 1.5 s"
    grep -q "$pattern" messages || die "early $*: $(cat messages)"
    [ ! -e early ] || [ -z "$(ls early)" ] || die "early $*: left in the folder: $(ls early)"
}
printf '%s\n' 'hsim: 1' 'platform: {nodes: 64, cores: 1}' 'policy: easy' 'workload: {generate: {jobs: 30000000}}' >early.yaml
early 'interrupted while the workload was measured' --set measure.warmup=1d
early 'interrupted while the workload was measured' --set workload.load=0.5
truncate -s 60G sparse.swf
early 'sparse.swf: interrupted while the file was read for its digest' --set workload=sparse.swf

# A second run into a file that is being written is refused, and spoils nothing.
"$hsim" run long.yaml -o out --set policies=[easy] -q &
pid=$!
for _ in $(seq 1000); do
    [ -s out/easy.h5.part ] && break
    sleep 0.01
done
status=0
"$hsim" run long.yaml -o out --force --set seed=2 --set policies=[easy] 2>messages || status=$?
[ "$status" -eq 1 ] || die "second run: exit code $status, not 1"
grep -q 'out/easy.h5: another run is writing this file' messages || die "$(cat messages)"
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
[ "$status" -eq 130 ] || die "first run of two: exit code $status, not 130"
"$hsim" inspect out/easy.interrupted.h5 --check >check || die "first run of two: $(cat check)"

# A partial file that a killed run has left is taken over.
echo left >out/fcfs.h5.part
"$hsim" run long.yaml -o out -q --set policies=[fcfs] --set workload.generate.jobs=10
[ ! -e out/fcfs.h5.part ] || die 'the old partial file is still there'
"$hsim" inspect out/fcfs.h5 --check >check || die "$(cat check)"

# A limit of the file size is a full disk, not a death.
status=0
(ulimit -f 40 && "$hsim" run long.yaml -o limit 2>messages >table) || status=$?
[ "$status" -eq 1 ] || die "file size limit: exit code $status, not 1"
grep -q 'limit/easy.h5: .*File too large' messages || die "$(cat messages)"
[ -z "$(ls limit)" ] || die "file size limit: left in the folder: $(ls limit)"
echo 'interrupt: what was done is kept, and holds'
