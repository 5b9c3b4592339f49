#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# faults.sh - what the system can refuse, it refuses: each allocation, write, rename, ... of small
# runs fails once.
#
# usage: faults.sh HSIM FAULT.so PLATFORM.xml [STRIDE]
# hsim then either succeeds with the right result, or ends with a sentence and a code; it never
# crashes, and whatever has its final name is whole. STRIDE 1 tries every call of hsim's own.
set -euo pipefail
hsim=$1
fault=$2
platform=$3
stride=${4:-${HSIM_FAULT_STRIDE:-1}}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0
tried=0

complain()
{
    printf '%s\n' "$*"
    failures=$((failures + 1))
}

# digest FILE: of the schedule, if the file agrees with itself; else nothing.
digest()
{
    local checks

    checks=$("$hsim" inspect --check "$1" 2>&1) || return 0
    sed -n 's/^schedule digest  holds *\([0-9a-f]*\) .*/\1/p' <<<"$checks"
}

# inject CALL NUMBER SPARE COMMAND...: the status; output goes to out and err, counts to log.
inject()
{
    local -a settings=(HSIM_FAULT_CALL="$1" HSIM_FAULT_AT="$2" HSIM_FAULT_LOG="$work/log")

    [ -z "$3" ] || settings+=(HSIM_FAULT_SPARE="$3")
    shift 3
    rm -f log out err
    env "${settings[@]}" LD_PRELOAD="$fault" "$@" >out 2>err || return $?
}

# judge WHAT STATUS: no signal, and a sentence with each failure.
judge()
{
    if [ "$2" -ge 126 ]; then
        complain "$1: ended with status $2: $(head -c 300 err)"
    elif [ "$2" -ne 0 ] && ! grep -qE '^(hsim: error|[a-z]+\.[a-z0-9]+(:[0-9]+)*): .*[.]$' err; then
        complain "$1: status $2 without a sentence: $(head -c 300 err)"
    fi
}

# count CALL SPARE COMMAND...: how many calls there are without a failure.
count()
{
    local calls

    inject "$1" 0 "${@:2}" || { complain "$*: fails without a fault: $(cat err)" && exit 1; }
    read -r calls _ <log
    printf '%s' "$calls"
}

# runs NAME EXPERIMENT CALL SPARE STEP: fails every STEP-th call of a run.
runs()
{
    local total status final right

    rm -f result.h5 result.h5.part
    "$hsim" run "$2" -q -o result.h5
    right=$(digest result.h5)
    [ -n "$right" ] || complain "$1: the result of a sound run does not hold"
    rm -f result.h5
    total=$(count "$3" "$4" "$hsim" run "$2" -q -o result.h5)
    for ((n = 1; n <= total; n += $5)); do
        rm -f result.h5 result.h5.part
        status=0
        inject "$3" "$n" "$4" "$hsim" run "$2" -q -o result.h5 || status=$?
        tried=$((tried + 1))
        judge "$1: $3 $n of $total" "$status"
        final=none
        [ ! -e result.h5 ] || final=$(digest result.h5)
        if [ "$final" != none ] && [ "$final" != "$right" ]; then
            complain "$1: $3 $n of $total: result.h5 is there and is not whole"
        elif [ "$final" = none ] && [ "$status" -eq 0 ]; then
            complain "$1: $3 $n of $total: success without a result"
        fi
    done
    printf '%s: %s: %d calls\n' "$1" "$3" "$total"
}

# HDF5 itself does not survive some failed allocations; what it leaves must not pass for a result.
library_allocations()
{
    local total status right broken=0

    "$hsim" run small.yaml -q --force -o result.h5
    right=$(digest result.h5)
    rm -f result.h5
    total=$(count alloc libc. "$hsim" run small.yaml -q -o result.h5)
    for ((n = 1; n <= total; n += 131 * stride)); do
        rm -f result.h5 result.h5.part
        status=0
        # The shell's own words about the end of a process are not wanted.
        { inject alloc "$n" libc. "$hsim" run small.yaml -q -o result.h5 || status=$?; } 2>/dev/null
        tried=$((tried + 1))
        [ "$status" -lt 126 ] || broken=$((broken + 1))
        if [ -e result.h5 ] && [ "$(digest result.h5)" != "$right" ]; then
            complain "libraries: alloc $n of $total: result.h5 is there and is not whole"
        fi
    done
    printf 'libraries: alloc: %d calls; HDF5 broke down at %d of those tried\n' "$total" "$broken"
}

# commands STEP COMMAND...: other commands, with every allocation and open; `made` is what they write.
commands()
{
    local step=$1 call total status

    shift
    "$hsim" "$@" >right.out 2>/dev/null
    for call in alloc open read close rename fork; do
        rm -f made.swf.gz
        total=$(count $call libhdf5:libc. "$hsim" "$@")
        for ((n = 1; n <= total; n += step)); do
            rm -f made.swf.gz
            status=0
            inject $call "$n" libhdf5:libc. "$hsim" "$@" || status=$?
            tried=$((tried + 1))
            judge "$*: $call $n of $total" "$status"
            if [ "$status" -eq 0 ] && ! cmp -s out right.out; then
                complain "$*: $call $n of $total: success with another output"
            fi
            if [ -e made.swf.gz ] && ! cmp -s made.swf.gz sound.swf.gz; then
                complain "$*: $call $n of $total: made.swf.gz is there and is not whole"
            fi
        done
    done
    printf '%s\n' "$*"
}

cat >small.yaml <<'END'
hsim: 1
platform: {nodes: 16, cores: 2, memory: 4GiB}
workload: {generate: {jobs: 20}}
policy: easy
END
# Jobs of one to four processors with memory cannot be counted: they are placed. Their run times are
# predicted, some of them too short.
awk 'BEGIN { for (i = 1; i <= 20; i++) printf "%d %d -1 %d %d -1 -1 %d %d %d 1 1 1 1 1 1 -1 -1\n",
    i, 7 * i, 60 + i % 7 * 30, 1 + i % 4, 1 + i % 4, 300, 1048576 * (1 + i % 3) }' >mixed.swf
cat >mixed.yaml <<'END'
hsim: 1
platform: {nodes: 6, cores: 2, memory: 4GiB}
workload: {file: mixed.swf, memory: requested}
policy: {name: conservative, predictor: last-two}
END
# Every second job preempts another one.
cat >preempt.yaml <<'END'
hsim: 1
platform: {nodes: 6, cores: 2}
workload: mixed.swf
policy: {name: las, threshold: 60, queues: 3}
scheduler: {preempt_cost: 5s}
END
"$hsim" trace generate --jobs 20 --nodes 32 --seed 1 -q -o trace.swf.gz
cp trace.swf.gz sound.swf.gz
cp "$platform" platform.xml
cat >files.yaml <<'END'
hsim: 1
platform: platform.xml
workload: trace.swf.gz
policies: [{name: conservative, order: sjf}]
output: {compression: none}
END

# The first with all calls of hsim's own, the second with files and another process.
for call in write pwrite fsync rename open ftruncate close read; do
    runs small small.yaml $call '' 1
    runs files files.yaml $call libhdf5 "$stride"
done
runs small small.yaml alloc libhdf5:libc. "$stride"
runs mixed mixed.yaml alloc libhdf5:libc. $((3 * stride))
runs preempt preempt.yaml alloc libhdf5:libc. $((3 * stride))
runs files files.yaml alloc libhdf5:libc. $((9 * stride))
runs files files.yaml fork '' 1
library_allocations
"$hsim" run files.yaml -q --force -o kept.h5
commands "$stride" inspect --check kept.h5
commands "$stride" export kept.h5 --to csv
commands $((5 * stride)) export kept.h5 --to json
commands $((3 * stride)) export kept.h5 --to perfetto
commands $((20 * stride)) export kept.h5 --to sqlite --force -o made.db
commands $((9 * stride)) completion bash
commands $((9 * stride)) man hsim.1
mkdir pairs
cp kept.h5 pairs/one.h5
"$hsim" run files.yaml -q --set policies='[fcfs]' -o pairs/two.h5
commands $((3 * stride)) compare pairs
commands $((7 * stride)) compare pairs/one.h5 pairs/two.h5 --median -f json
! command -v gnuplot >/dev/null || commands $((15 * stride)) plot bars pairs --metric makespan_s -o made.svg
commands $((20 * stride)) run --verify kept.h5
commands "$stride" trace info trace.swf.gz
commands "$stride" trace generate --jobs 20 --nodes 32 --seed 1 -q -o made.swf.gz
commands $((2 * stride)) validate files.yaml
commands $((3 * stride)) platform show platform.xml

printf '%d faults, %d failures\n' "$tried" "$failures"
[ "$failures" -eq 0 ]
