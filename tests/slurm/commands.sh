#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# commands.sh - a sweep whose runs are command lines, computed in any order and two at a time, gives
# the bytes of a local sweep; and what the options of engines refuse.
#
# usage: commands.sh HSIM
# shellcheck disable=SC2016 # a name with a dollar is what is tested
set -euo pipefail

hsim=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

die()
{
    printf 'commands: %s\n' "$*"
    exit 1
}

says()
{
    grep -qF -- "$2" "$1" || die "no \"$2\" in: $(cat "$1")"
}

mkdir "$folder/it's a study"
cd "$folder/it's a study"
awk 'BEGIN { for (i = 1; i <= 300; i++) print i, i * 60, -1, 100 + i % 7 * 50, 1 + i % 5, -1, -1, 1 + i % 5, 900, -1, 1, 1, 1, -1, 1, -1, -1, -1 }' >trace.swf
cat >'a $study.yaml' <<'END'
hsim: 1
name: commands
platform: {nodes: 8, cores: 1}
workload: trace.swf
policies: [easy, fcfs]
sweep:
  axes:
    workload.load: [0.5, 0.9]
    scheduler.interval: [0s, 1m]
END

"$hsim" sweep 'a $study.yaml' -o local -q --set 'metrics.tau=20 s'
engine=("$hsim" sweep 'a $study.yaml' -o elsewhere --engine commands --set 'metrics.tau=20 s')
"${engine[@]}" --time-limit 5m --memory-limit 1GiB >lines 2>messages
[ "$(wc -l <lines)" -eq 8 ] || die "lines: $(cat lines)"
[ "$(sort -u lines | wc -l)" -eq 8 ] || die 'two lines are equal'
says messages '8 commands'
says messages ' --merge'
says lines ' --time-limit=300s --memory-limit=1073741824 '
"$hsim" sweep status elsewhere >status
says status '0 finished, 0 failed, 0 running, 8 left'

# Each line is a command for a shell, in whatever folder and order.
(cd / && tac "$OLDPWD/lines" | head -n 3 | xargs -d '\n' -n 1 sh -c >/dev/null)
"${engine[@]}" 2>/dev/null >left
[ "$(wc -l <left)" -eq 5 ] || die "left are: $(cat left)"
merge=$(tail -n 1 messages)
status=0
sh -c "$merge" >table 2>unfinished || status=$?
[ "$status" -eq 1 ] || die "a merge of three runs: exit code $status, not 1"
says unfinished '5 of 8 runs are missing'
[ ! -e elsewhere/sweep.h5 ] || die 'three runs were merged'
# All of them once more: what is there is not computed again.
(cd / && xargs -d '\n' -n 1 -P 2 sh -c <"$OLDPWD/lines" >/dev/null)
[ "$(grep -c complete elsewhere/timings.csv)" -eq 8 ] || die "$(cat elsewhere/timings.csv)"
(cd / && sh -c "$merge" >/dev/null)
cmp local/sweep.h5 elsewhere/sweep.h5
"${engine[@]}" >left 2>messages
[ ! -s left ] || die "nothing is missing, but: $(cat left)"
says messages 'all runs are there'

# Without a merge by hand the last call does it.
"$hsim" sweep 'a $study.yaml' -o third --engine commands --set 'metrics.tau=20 s' 2>/dev/null |
    xargs -d '\n' -n 1 -P 2 sh -c >/dev/null
"$hsim" sweep 'a $study.yaml' -o third --engine commands --set 'metrics.tau=20 s' 2>/dev/null
cmp local/sweep.h5 third/sweep.h5

# While a single run is computed others may look, and merge; a whole sweep of the folder may not begin.
printf '%s\n' 'hsim: 1' 'platform: {nodes: 64, cores: 1}' 'policies: [easy, fcfs]' \
    'workload: {generate: {jobs: 30000000}}' >long.yaml
"$hsim" sweep long.yaml -o busy --engine commands >lines 2>/dev/null
"$hsim" sweep long.yaml -o busy -q --run "$(sed -n '1s/.*--run //p' lines)" &
worker=$!
for _ in $(seq 200); do
    [ -z "$(find busy/runs -name '*.part')" ] || break
    sleep 0.05
done
status=0
"$hsim" sweep long.yaml -o busy --merge >/dev/null 2>messages || status=$?
[ "$status" -eq 1 ] || die "a merge beside a run: exit code $status, not 1"
says messages '2 of 2 runs are missing'
"$hsim" sweep long.yaml -o busy --engine commands 2>messages | cmp - lines || die "$(cat messages)"
status=0
"$hsim" sweep long.yaml -o busy -q 2>messages || status=$?
[ "$status" -eq 2 ] || die "a sweep beside a run: exit code $status, not 2"
says messages 'single runs of this sweep are being computed'
kill -KILL "$worker"
wait "$worker" 2>/dev/null && die 'the run was over'

# refuse TEXT ARGUMENT...: a usage error with this text.
refuse()
{
    local text=$1 status=0

    shift
    "$hsim" sweep 'a $study.yaml' -o refused "$@" >/dev/null 2>messages || status=$?
    [ "$status" -eq 2 ] || die "$*: exit code $status, not 2"
    says messages "$text"
    [ ! -e refused ] || die "$*: the folder was made"
}
refuse 'did you mean slurm?' --engine slrum
refuse 'there are local, commands and slurm' --engine x
refuse '--slurm-option, --task-time and --dry-run are for --engine slurm' --dry-run
refuse '--slurm-option, --task-time and --dry-run are for --engine slurm' --engine commands --task-time 1h
refuse "an option of sbatch begins with '-'" --engine slurm --slurm-option account=x
refuse 'hsim itself decides that' --engine slurm --slurm-option=--array=1-4
refuse '--task-time 0' --engine slurm --task-time 0
refuse '--run, --merge and --fail-fast are for the engine local' --engine slurm --merge
mkdir 'a
line'
cp trace.swf 'a $study.yaml' 'a
line'
status=0
"$hsim" sweep 'a
line/a $study.yaml' -o elsewhere --engine commands >left 2>messages || status=$?
[ "$status" -eq 2 ] || die "a line break: exit code $status, not 2"
says messages 'holds a line break'
[ ! -s left ] || die "a line break: $(cat left)"
echo 'commands: the bytes of the local sweep'
