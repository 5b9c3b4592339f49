#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# fragmentation.sh - what is free and of no use to the workload, by kind and model: by hand, in all series,
# with whole nodes, beside an inflation.
#
# usage: fragmentation.sh HSIM ROOT
set -eu
hsim=$1
root=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'fragmentation.sh: %s\n' "$*" >&2
    exit 1
}

# equal FILE: its content is that of standard input.
equal()
{
    diff -u - "$1" || die "$1 is not as expected"
}

# series FILE COLUMNS: these columns of the series.
series()
{
    "$hsim" export "$1" --to csv --table series --columns "$2"
}

cat >nodes.csv <<'END'
sn,cpu_milli,memory_mib,gpu,model
a,4000,1024,2,T4
b,4000,1024,2,V100
END
cat >jobs.csv <<'END'
id,submit,run,walltime,demand
0,0,40,40,cores=1 gpu=0.5
1,10,20,20,cores=3 gpu=2
2,20,30,30,cores=1 gpu:V100=0.6
3,20,10,10,cores=4
END
cat >e.yaml <<'END'
hsim: 1
platform: nodes.csv
workload: jobs.csv
policy: {name: fcfs, place: first-fit}
output: {fragmentation: true}
END

# Each of the four weighs a quarter. At 0, half a GPU of a is taken: its 1500 are of no use to jobs 1
# (one whole GPU), 2 (no V100) and 3 (no GPU); the 2000 of b are to job 3. At 10, b is full. At 30, job 2 has
# taken 600 of b: 400 are too little for jobs 0 and 2; 1, with one whole GPU, and 3 cannot use the 1400. At
# 40, a has no core left. At 50, a is idle: of no use to jobs 2 and 3. At 60, all is.
"$hsim" run e.yaml -q -o r.h5
series r.h5 time,free_gpu,frag_gpu,frag_gpu_T4,frag_gpu_V100 >rows
equal rows <<'END'
time,free_gpu,frag_gpu,frag_gpu_T4,frag_gpu_V100
0,3500,1625,1125,500
10,1500,1125,1125,0
20,1500,1125,1125,0
30,2900,2025,1125,900
40,3400,2900,2000,900
50,3400,1900,1000,900
60,4000,1500,1000,500
END
series r.h5 time,shares_gpu_V100,util_gpu_V100,free_gpu_V100 >rows
equal rows <<'END'
time,shares_gpu_V100,util_gpu_V100,free_gpu_V100
0,0,0,2000
10,2000,1,0
20,2000,1,0
30,600,0.3,1400
40,600,0.3,1400
50,600,0.3,1400
60,0,0,2000
END
# 107000 thousandths x s of no use, of 162000 free and 240000 installed.
cat >wanted <<'END'
fragmented   44.58 % of gpu, 66.05 % of what is free
             62.50 % of gpu_T4, 75.00 % of what is free
             26.67 % of gpu_V100, 51.61 % of what is free
END
"$hsim" inspect r.h5 | grep -A2 '^fragmented' >inspected
equal inspected <wanted
"$hsim" inspect r.h5 --json | grep -q '"frag_gpu_V100": 0.26666' || die 'inspect --json'
"$hsim" inspect --check r.h5 | grep -q '^fragmentation *holds.*in every row' || die 'inspect --check'
"$hsim" run --verify r.h5 >/dev/null || die 'run --verify'

# Means over 20 s, no series, no file: the same figures.
"$hsim" run e.yaml -q -o i.h5 --set output.series=20s
series i.h5 time,frag_gpu >rows
equal rows <<'END'
time,frag_gpu
0,1375
20,1575
40,2400
END
"$hsim" run e.yaml -q -o n.h5 --set output.series=none
for file in i.h5 n.h5; do
    "$hsim" inspect "$file" | grep -A2 '^fragmented' >inspected
    equal inspected <wanted
    "$hsim" inspect --check "$file" | grep -q '^fragmentation *holds.*in the integrals' || die "check of $file"
done

# What a job with whole nodes withholds is not free, nor lost.
"$hsim" run e.yaml -q -o w.h5 --set scheduler.allocation=nodes
series w.h5 time,shares_gpu,free_gpu,frag_gpu >rows
equal rows <<'END'
time,shares_gpu,free_gpu,frag_gpu
0,500,2000,500
10,2500,0,0
20,2500,0,0
30,1100,0,0
40,600,0,0
50,600,2000,1000
60,0,4000,1500
END
"$hsim" inspect --check w.h5 >/dev/null || die 'check of whole nodes'

# Decisions that take effect later: nothing is held before.
"$hsim" run e.yaml -q -o l.h5 --set scheduler.latency=5s
series l.h5 time,free_gpu,frag_gpu | head -3 >rows
equal rows <<'END'
time,free_gpu,frag_gpu
0,4000,1500
5,3500,1625
END

# Without the key, nothing of it; the schedule is the same.
"$hsim" run e.yaml -q -o p.h5 --set output.fragmentation=false
! "$hsim" export p.h5 --to csv --table series | grep -q 'frag\|free\|T4' || die 'columns without the key'
! "$hsim" export p.h5 --to csv --table summary | grep -q frag || die 'metrics without the key'
"$hsim" export r.h5 --to csv >r.csv
"$hsim" export p.h5 --to csv | cmp -s r.csv - || die 'another schedule'

# No accelerators, no jobs.
"$hsim" run e.yaml -q -o c.h5 --set 'platform={nodes: 2, cores: 4}' 2>/dev/null
! "$hsim" export c.h5 --to csv --table series | grep -q frag || die 'columns without devices'
head -n 1 jobs.csv >none.csv
if "$hsim" run e.yaml -q -o z.h5 --set workload=none.csv 2>/dev/null; then
    "$hsim" inspect --check z.h5 >/dev/null || die 'check of no jobs'
fi

# With an inflation it is on, and after each arrival the kinds together are what /arrivals has.
"$hsim" run "$root/experiments/fgd.yaml" -q -o filled/
for file in filled/*.h5; do
    "$hsim" inspect --check "$file" >checks || die "$file: $(cat checks)"
    grep -q '^fragmentation *holds' checks || die "$file has no fragmentation"
    grep -q '^inflation *holds' checks || die "$file has no check of its inflation"
    series "$file" time,frag_gpu >rows
    "$hsim" export "$file" --to csv --table arrivals --columns job,fragment_milli |
        awk -F, 'NR > 1 { print $1 "," $2 }' >arrivals
    # One arrival a second; a point only where something has changed.
    awk -F, -v OFS=, 'FNR == NR { if (FNR > 1) level[$1] = $2; next }
        { if ($1 in level) last = level[$1]; if (last != $2) bad++ }
        END { exit bad > 0 || FNR < 10 }' rows arrivals || die "$file: series and arrivals differ"
done
