# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# lib.sh - what the tests of figures share; sourced with the arguments HSIM ROOT. They work in a folder
# of their own.
hsim=$1
root=$2
test=$(basename "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf '%s: %s\n' "$test" "$*" >&2
    exit 1
}

skip()
{
    printf 'skipped: %s\n' "$*"
    exit 77
}

command -v gnuplot >/dev/null || skip 'gnuplot is not installed'

# trace JOBS: jobs of five users on up to 11 processors, of which every seventh is killed at its request.
trace()
{
    for i in $(seq 1 "$1"); do
        printf '%d %d -1 %d %d -1 -1 %d %d -1 1 %d 1 1 1 -1 -1 -1\n' "$i" $((i * 20)) $((i * 37 % 90 + 20)) \
            $((i * 7 % 11 + 1)) $((i * 7 % 11 + 1)) $((i % 7 == 0 ? 30 : i * 37 % 90 + 60)) $((i % 5))
    done
}

# runs: small/{fcfs,easy}.h5 of 25 jobs and large/{fcfs,easy}.h5 of 600 on 4 nodes of 4 cores, and
# shared/fcfs.h5 of jobs that share GPUs, with power and fragmentation.
runs()
{
    trace 25 >small.swf
    trace 600 >large.swf
    for size in small large; do
        printf 'hsim: 1\nplatform: {nodes: 4, cores: 4}\nworkload: %s.swf\npolicies: [fcfs, easy]\n' $size >e.yaml
        "$hsim" run e.yaml -q -o $size/
    done
    printf 'sn,cpu_milli,memory_mib,gpu,model\na,4000,1024,2,T4\nb,4000,1024,2,V100\n' >nodes.csv
    printf 'id,submit,run,walltime,demand\n%s\n' '0,0,40,40,cores=1 gpu=0.5' '1,10,20,20,cores=3 gpu=2' \
        '2,20,30,30,cores=1 gpu:V100=0.6' '3,20,10,10,cores=4' '4,30,15,15,cores=1 gpu=0.4' >jobs.csv
    printf 'hsim: 1\nplatform: nodes.csv\nworkload: jobs.csv\npolicy: fcfs\noutput: {fragmentation: true}\n' >e.yaml
    "$hsim" run e.yaml -q -o shared/
}

# run_power: power/easy.h5, with energy.
run_power()
{
    "$hsim" run "$root/experiments/energy.yaml" -q --set workload.generate.jobs=60 --set 'policies=[easy]' -o power/
}

# run_filled: filled/{random,fgd}.h5, an inflated workload.
run_filled()
{
    "$hsim" run "$root/experiments/fgd.yaml" -q -o filled/ --set \
        'policies=[{name: drop, place: random, label: random}, {name: drop, place: fgd, tie: random, label: fgd}]'
}
