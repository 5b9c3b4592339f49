# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# sets.sh - many runs for the tests of their figures; sourced after lib.sh.

# sweep NAME JOBS POLICIES AXES REPLICATIONS: NAME/sweep.h5.
sweep()
{
    printf 'hsim: 1\nplatform: {nodes: 16, cores: 1}\nworkload: {generate: {jobs: %s}, load: 0.7}\npolicies: [%s]\n' \
        "$2" "$3" >"$1.yaml"
    printf 'sweep:\n  axes: {%s}\n  replications: %s\n' "$4" "$5" >>"$1.yaml"
    "$hsim" sweep "$1.yaml" -o "$1" >/dev/null 2>&1 || die "hsim sweep $1.yaml fails"
}

# sets: loads (three policies, three loads up to 1.4, six seeds: some runs are unstable), map (two seeds: too few
# for intervals), sizes, and the folder study of `hsim run` (five seeds).
sets()
{
    sweep loads 120 'fcfs, easy, sjf-easy' 'workload.load: [0.5, 0.8, 1.4]' 6
    sweep map 80 'easy, sjf-easy' 'workload.load: [0.5, 1.4], scheduler.interval: [0s, 30s, 4h]' 2
    sweep sizes 100 'fcfs, easy' 'workload.generate.jobs: [50, 100, 200]' 5
    printf 'hsim: 1\nplatform: {nodes: 16, cores: 1}\nworkload: {generate: {jobs: 60}, load: 0.6}\n' >study.yaml
    printf 'policies: [fcfs, easy, sjf-easy, conservative]\n' >>study.yaml
    for seed in 1 2 3 4 5; do
        "$hsim" run study.yaml -q --set seed=$seed -o study/$seed/
    done
}
