#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# outputs.sh - what a run reads is never overwritten, and output paths that cannot be are told so.
#
# usage: outputs.sh HSIM
set -euo pipefail

hsim=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'outputs: %s\n' "$*"
    exit 1
}

# refused CODE PATTERN ARGUMENTS...: the run fails with the code and a sentence.
refused()
{
    local code=$1 pattern=$2 status=0
    shift 2
    timeout 20 "$hsim" run "$@" >out.txt 2>err.txt || status=$?
    [ "$status" -eq "$code" ] || die "run $*: exit code $status, not $code: $(cat err.txt)"
    grep -q -e "$pattern" err.txt || die "run $*: no '$pattern' in: $(cat err.txt)"
}

experiment()
{
    printf 'hsim: 1\nplatform: {nodes: 4, cores: 1}\nworkload: {file: "%s"}\npolicy: easy\n' "$1"
}

job='1 0 -1 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1'
echo "$job" >trace.swf
experiment trace.swf >good.yaml

# The trace, a link to it, the experiment itself, and a trace in the place of the partial file.
cp trace.swf trace.h5
ln -s trace.h5 link.h5
experiment trace.h5 >own.yaml
cp good.yaml itself.h5
cp trace.swf new.h5.part
experiment new.h5.part >part.yaml
refused 2 "trace.h5: writing this result would destroy '.*trace.h5'" own.yaml -o trace.h5 --force
refused 2 'would destroy' own.yaml -o link.h5 --force
refused 2 'would destroy' itself.h5 -o itself.h5 --force
refused 2 'would destroy' part.yaml -o new.h5
cmp trace.swf trace.h5 && cmp trace.swf new.h5.part && cmp good.yaml itself.h5 ||
    die 'an input was changed'

# Paths that are no place for a result.
mkdir folder.h5
refused 2 'output path is empty' good.yaml -o ''
refused 2 'this is a folder' good.yaml -o folder.h5
refused 1 "'trace.swf' is no folder" good.yaml -o trace.swf
refused 1 "'trace.swf' is no folder" good.yaml -o trace.swf/result.h5
refused 1 "'/dev/null' is no folder" good.yaml -o /dev/null

# Inputs that can be read only once, or never end.
mkfifo pipe
experiment "$folder/pipe" >pipe.yaml
experiment /dev/zero >device.yaml
experiment "$folder" >folder.yaml
experiment missing.swf >missing.yaml
refused 5 'pipe: this is no regular file' pipe.yaml -o x.h5
refused 5 '/dev/zero: this is no regular file' device.yaml -o x.h5
refused 5 'this is a folder. Name the file inside it' folder.yaml -o x.h5
refused 5 'missing.swf: the file cannot be read: .* Check the path' missing.yaml -o x.h5

# Full-width jobs whose ends lie beyond 64-bit nanoseconds: an error, not a shorter schedule.
for id in 1 2 3 4 5; do
    echo "$id 0 -1 3000000000 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1"
done >far.swf
experiment far.swf >far.yaml
refused 5 'Job 4, started at 9000000000 s, would take 3000000000 s more' far.yaml -o far.h5
[ ! -e far.h5 ] && [ ! -e far.h5.part ] || die 'a schedule that breaks off was kept'
head -3 far.swf >near.swf
echo '4 5 -1 1 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1' >>near.swf
experiment near.swf >near.yaml
"$hsim" run near.yaml -o near.h5 -q || die 'times up to the limit are refused'
refused 5 'next lies after 9223372036 s' near.yaml -o tick.h5 --set scheduler.interval=2900000000s
refused 2 "pipe' is no regular file" good.yaml -o x.h5 --set "plugins=[$folder/pipe]"
# More processors than can be counted: the keys and their place.
printf 'hsim: 1\nplatform:\n  nodes: 10000000\n  cores: 1000000\nworkload: trace.swf\npolicy: easy\n' >vast.yaml
refused 2 "vast.yaml:4:.*: 'platform.nodes' x 'platform.cores' is 10000000 x 1000000" vast.yaml -o v.h5
refused 2 "'platform.nodes' x 'platform.cores' is 50000 x 50000" good.yaml -o v.h5 \
    --set 'platform={nodes: 50000, cores: 50000}'

# Intervals of the series that would fill every disk: refused at the first gap, and nothing is kept.
refused 2 'intervals of 1e-09 s (output.series), so it would have more than 100000000 rows' good.yaml \
    -o s.h5 --set output.series=1ns
[ ! -e s.h5 ] && [ ! -e s.h5.part ] || die 'a series that breaks off was kept'

# Bytes of a file that are no text never reach the terminal.
printf '\033[31m\377\001caf\303\251,x\n' >bytes.csv
experiment bytes.csv >bytes.yaml
refused 5 "the first line is '.x1b.31m.xff.x01café,x'" bytes.yaml -o x.h5
! LC_ALL=C grep -q $'[\033\377\001]' err.txt || die 'control characters went out as they are'

# A window that is longer than the workload: all that must be known to shorten it.
{ echo "$job" && echo '2 500 -1 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1'; } >two.swf
experiment two.swf >two.yaml
refused 2 'measure.warmup (400 s) and measure.cooldown (101 s) leave nothing to measure: .* span 500 s' \
    two.yaml -o w.h5 --set measure.warmup=400s --set measure.cooldown=101s
"$hsim" run two.yaml -q -o w.h5 --set measure.warmup=400s --set measure.cooldown=100s

# Which load was scaled, and that of the jobs which `head` keeps: 2 x 10 s x 1 of 4 in 500 s is 0.01,
# scaled to 0.05 in 100 s; behind head there are two of the three jobs.
{ cat two.swf && echo '3 1000 -1 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1'; } >three.swf
experiment three.swf >three.yaml
"$hsim" run three.yaml -o l.h5 --set workload.load=0.075 --set workload.head=2 >table
grep -qxF 'offered load scaled from 0.0075 to 0.0750 (of all jobs, before head); that of the jobs replayed is 0.1000' \
    table || die "$(cat table)"

# Descriptors that do not suffice are no matter of the path.
for count in 4 5 6; do
    status=0
    (exec 3>&- 4>&- 5>&- 6>&- && ulimit -n "$count" && exec "$hsim" run good.yaml -o n.h5 --force) >out.txt 2>err.txt || status=$?
    [ "$status" -le 1 ] || die "ulimit -n $count: exit code $status: $(cat err.txt)"
    ! grep -q 'Check the path' err.txt || die "ulimit -n $count: $(cat err.txt)"
done

# What did not start has no events to tell of.
"$hsim" run good.yaml -v -o verbose.h5 >/dev/null 2>err.txt
grep -q '^easy: [0-9]* events' err.txt || die "-v: $(cat err.txt)"

"$hsim" inspect --check near.h5 >check || die "$(cat check)"
echo 'outputs: inputs are safe, and bad places are named'
