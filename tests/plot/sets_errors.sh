#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sets_errors.sh - figures of many runs: what cannot be drawn is told, with exit code and remedy.
#
# usage: sets_errors.sh HSIM ROOT
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=sets.sh
. "$root/tests/plot/sets.sh"

# refuse CODE WORDS ARGUMENT...: `hsim plot ARGUMENT... -o x.svg` ends with CODE, says WORDS, makes no file.
refuse()
{
    local code=$1 words=$2 status=0

    shift 2
    "$hsim" plot "$@" -o x.svg >out 2>err || status=$?
    [ "$status" -eq "$code" ] || die "hsim plot $*: exit code $status, not $code: $(cat err)"
    grep -qF -- "$words" err || die "hsim plot $* does not say '$words': $(cat err)"
    ! ls x.* >/dev/null 2>&1 || die "hsim plot $* left $(ls x.*)"
}

# tell WORDS ARGUMENT...: it draws, and says WORDS.
tell()
{
    local words=$1

    shift
    "$hsim" plot "$@" -o y.svg >out 2>err || die "hsim plot $*: $(cat err)"
    grep -qF -- "$words" err || die "hsim plot $* does not say '$words': $(cat err)"
}

sweep map 60 'easy, sjf-easy' 'workload.load: [0.5, 0.7], scheduler.interval: [0s, 30s]' 2
sweep over 200 'fcfs' 'workload.load: [4, 5]' 5
sweep single 60 'fcfs, easy, sjf-easy' 'workload.load: [0.5, 0.7]' 1
printf 'hsim: 1\nplatform: {nodes: 16, cores: 1}\nworkload: {generate: {jobs: 60}}\n' >study.yaml
printf 'policies: [fcfs, easy, sjf-easy]\n' >>study.yaml
"$hsim" run study.yaml -q -o study/
"$hsim" run study.yaml -q --set 'policies=[easy]' --set seed=2 -o lone/

# Axes.
refuse 2 "did you mean 'workload.load'?" load map --against workload.laod
refuse 2 'no run has such a key' load map --against platform.color --policy easy
refuse 2 'Runs differ in' load map --against scheduler.intervall
refuse 2 "differ in scheduler.interval, too" load map --against workload.load
refuse 2 '--by scheduler.interval' load map
refuse 2 '--against is missing' load study/
refuse 2 'its values are words' load study/ --against workload.generate.model
refuse 2 'two keys are due' heatmap map --policy easy
refuse 2 'two keys are due' heatmap map --policy easy --against workload.load
refuse 2 'twice' heatmap map --policy easy --against workload.load,workload.load
refuse 2 '--against does not go with' bars map --against workload.load

# Metrics.
refuse 2 "did you mean 'wait_mean_s'?" load map --metric wait_men_s
refuse 2 "did you mean 'offered_load'?" load single --against ofered_load
refuse 2 'no metric' bars study/ --metric energy_total_j
refuse 2 'a picture of lines shows one metric' load map --metric wait_mean_s,bsld_mean
refuse 2 'two are due' pareto study/ --metric wait_mean_s
refuse 2 'neither less nor more' pareto study/ --metric wait_mean_s,offered_load
refuse 2 'no metric' pareto study/
refuse 2 'a forest plot shows one' forest study/ --metric wait_mean_s,bsld_mean

# Policies and choices.
refuse 2 "did you mean 'easy'?" bars map --baseline eazy
refuse 2 "did you mean 'easy'?" load map --policy eazy
refuse 2 'twice' box study/ --policy easy,easy
refuse 2 'there is nothing to compare it with' forest lone/
refuse 2 'Choose with --policy' heatmap single --against workload.load,seed
refuse 2 "did you mean 'easy'?" box study/ --label esay=EASY
refuse 2 'NAME=TEXT is due' box study/ --label EASY
# A label is text wherever it stands; gnuplot takes that of a tick for a format.
for kind in box forest bars; do
    "$hsim" plot $kind study/ --metric wait_mean_s --label "sjf-easy=5%d'%" -o percent.svg >out 2>err ||
        die "$kind: $(cat err)"
    grep -qF "5%d'%" percent.svg || die "$kind: a label is not drawn as it is"
    rm percent.*
done
refuse 2 'no run has' load map --where workload.load=3
refuse 2 "did you mean 'workload.load'?" load map --where workload.laod=0.5
refuse 2 'did you mean' load map --by scheduler.intervals
refuse 2 'from 50 to 99.9999' load map --level 3
refuse 2 'has no counterpart' bars study/ lone/

# Runs.
refuse 5 'cannot be opened' load none.h5
refuse 5 'no HDF5 file' load study.yaml
mkdir empty
refuse 5 'holds no complete result' load empty
head -c 4000 map/sweep.h5 >cut.h5
refuse 5 'truncated or damaged' load cut.h5
refuse 5 'merged file of a sweep' cdf map/sweep.h5
refuse 2 'a key of the experiment' load study/easy.h5
mv single/timings.csv timings.csv
refuse 2 'which `hsim sweep` writes beside it' scaling single --against workload.load
mv timings.csv single/timings.csv

# What is drawn all the same, with a note. All runs unstable: points alone; one replication: no band.
tell '10 runs are unstable' load over
grep -q 'fcfs, unstable runs' y.dat && ! grep -q 'fcfs, means' y.dat || die 'means of unstable runs'
"$hsim" plot load single -o one.svg >/dev/null 2>err || die "one replication: $(cat err)"
[ "$(grep -c ' NaN NaN 1 0$' one.dat)" -eq 6 ] || die "one replication has intervals: $(cat one.dat)"
! grep -q filledcurves one.gp || die 'a band of one replication'
tell 'Fewer than 5 pairs' forest study/ --baseline easy
tell 'differ in workload.load' box single
tell 'are no independent samples' bars single
tell 'no power is fitted' scaling single --metric makespan_s --against workload.load --where workload.load=0.5
# A run that fails (its trace has no job) is left out.
trace 20 >few.swf
trace 25 >more.swf
echo '; no job' >bad.swf
printf 'hsim: 1\nplatform: {nodes: 16, cores: 1}\nworkload: {file: few.swf}\npolicies: [fcfs]\n' >part.yaml
printf 'sweep:\n  zip:\n    - {platform.nodes: [16, 32, 64], workload.file: [few.swf, bad.swf, more.swf]}\n' >>part.yaml
"$hsim" sweep part.yaml -o part >/dev/null 2>&1 || true
tell '1 run of the sweep failed and is left out' load part --against platform.nodes --metric makespan_s
grep -q '^64 ' y.dat && ! grep -q '^32 ' y.dat || die "a failed run is drawn: $(cat y.dat)"
