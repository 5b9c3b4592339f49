#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# inflation.sh - a machine that fills up: curve and fragments by hand, ends, errors.
#
# usage: inflation.sh HSIM ROOT
set -eu
hsim=$1
root=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'inflation.sh: %s\n' "$*" >&2
    exit 1
}

# equal FILE: its content is that of standard input.
equal()
{
    diff -u - "$1" || die "$1 is not as expected"
}

# refused CODE PATTERN ARGUMENT...: hsim ends with the code and says so.
refused()
{
    local wanted=$1 pattern=$2 code=0

    shift 2
    "$hsim" "$@" >out 2>err || code=$?
    [ "$code" -eq "$wanted" ] || die "hsim $*: exit code $code, not $wanted: $(cat err)"
    grep -q "$pattern" err || die "hsim $*: says '$(cat err)' and not '$pattern'"
}

cat >nodes.csv <<'END'
sn,cpu_milli,memory_mib,gpu,model
a,4000,1024,2,T4
b,4000,1024,2,V100
END
cat >pods.csv <<'END'
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec
p0,1000,1,1,500,
p1,1000,1,1,600,
p2,1000,1,2,1000,
p3,1000,1,1,500,V100
p4,1000,1,0,0,
p5,1000,1,1,400,
END
cat >e.yaml <<'END'
hsim: 1
platform: nodes.csv
workload: {file: pods.csv, inflation: {load: 0, shuffle: false}}
policy: drop
END

# 0.5 + 0.6 on node a, two GPUs on b; then b has no GPU for p3, and p5 goes where it fits exactly.
# Each demand weighs a sixth. After p0: on a, 500 are of no use to p1 and all 1500 to p2, p3 and p4;
# on b, all 2000 to p4. After p5, a has no core left and its 500 are of no use to anybody.
"$hsim" run e.yaml -o r.h5 >out 2>&1
grep -q 'job 3 (it did not fit when it came)' out || die "p3: $(cat out)"
"$hsim" export r.h5 --to csv --table arrivals >arrivals
equal arrivals <<'END'
job,requested_milli,used_milli,fragment_milli
0,500,500,1166.66666667
1,1100,1100,1000
2,3100,3100,666.666666667
3,3600,3100,666.666666667
4,3600,3100,666.666666667
5,4000,3500,500
END
# 12.5 % rounds up.
"$hsim" export r.h5 --to csv --table inflation >inflation
equal inflation <<'END'
percent,alloc,fragment,events
13,0.125,0.291666666667,1
28,0.275,0.25,1
78,0.775,0.166666666667,1
90,0.775,0.166666666667,2
100,0.875,0.125,1
END
"$hsim" export r.h5 --to csv --table summary >summary
grep -qx 'inflation_alloc,0.875,1,1' summary || die 'inflation_alloc'
grep -Eqx 'inflation_fragment,0.12(5|4999.*),1,1' summary || die 'inflation_fragment'
grep -qx 'rejected,1,jobs,6' summary || die 'rejected'
grep -qx 'unfinished,5,jobs,6' summary || die 'unfinished'
"$hsim" inspect r.h5 >inspected
grep -qx '    100 %        87.50 %     12.50 %          1' inspected || die "inspect: $(cat inspected)"
"$hsim" inspect --check r.h5 >/dev/null || die 'inspect --check'
"$hsim" run --verify r.h5 >/dev/null || die 'run --verify'
"$hsim" run e.yaml --force -o r.h5 >table
grep -q 'held fragmented' table || die "the table has no column: $(cat table)"

# Whoever waits when the last has come is unfinished, which is no error; nor is a late start.
"$hsim" run e.yaml -q -o f.h5 --set policy=fcfs --set scheduler.latency=10s --set scheduler.interval=3s
"$hsim" export f.h5 --to csv --columns trace_id,start,state >jobs
equal jobs <<'END'
trace_id,start,state
0,10,unfinished
1,13,unfinished
2,13,unfinished
3,-1,unfinished
4,-1,unfinished
5,-1,unfinished
END

# The same seed gives the same arrivals to every policy, another seed others.
"$hsim" run "$root/experiments/fgd.yaml" -q -o one/ 2>/dev/null
"$hsim" run "$root/experiments/fgd.yaml" -q -o two/ --set seed=2 2>/dev/null
ids()
{
    "$hsim" export "$1" --to csv --columns trace_id | md5sum
}
# Which jobs found no room depends on the placement: told for each. Said once where all agree.
"$hsim" run "$root/experiments/fgd.yaml" --force -o one/ >told
for name in random fgd; do
    count=$("$hsim" export "one/$name.h5" --to csv --columns state | grep -c rejected)
    grep -q "^$name: $count jobs were rejected: job" told || die "rejected by $name: $(cat told)"
done
"$hsim" run "$root/experiments/fgd.yaml" -o same/ >told --set 'policies=[drop, {name: drop, label: twice}]'
[ "$(grep -c 'jobs were rejected' told)" -eq 1 ] || die "rejected twice: $(cat told)"
grep -q 'openb-demo.csv: .* jobs were rejected' told || die "rejected by all: $(cat told)"
id=$("$hsim" export one/fgd.h5 --to csv --columns trace_id,state | grep -m1 rejected)
"$hsim" inspect --job "${id%,*}" one/fgd.h5 >life
grep -q 'the policy would not let it wait' life || die "life: $(cat life)"
[ "$(ids one/fgd.h5)" = "$(ids one/packing.h5)" ] || die 'policies meet other arrivals'
[ "$(ids one/fgd.h5)" != "$(ids two/fgd.h5)" ] || die 'another seed, the same arrivals'

# A run without an inflation has no such table, column or metric.
cat >plain.yaml <<'END'
hsim: 1
platform: {nodes: 4}
workload: {generate: {jobs: 10}}
policy: fcfs
END
"$hsim" run plain.yaml -o plain.h5 >table
! grep -q 'held' table || die 'a column without an inflation'
refused 2 'has no table inflation. Run the experiment with workload: {inflation: {...}}' \
    export plain.h5 --to csv --table inflation
refused 2 "Did you mean 'inflation'" export plain.h5 --to csv --table inflations

# What cannot be.
refused 2 'the platform has none' run e.yaml -o x.h5 --set 'platform={nodes: 4}' --set workload.inflation.load=1
refused 2 "'workload.load' has no meaning beside 'inflation'" validate e.yaml --set workload.load=0.5
refused 5 'pods.csv:1: the list of pods has no times' run e.yaml -o x.h5 --set workload=pods.csv
refused 5 'nodes.csv:1: the header has no column' run e.yaml -o x.h5 --set workload.file=nodes.csv \
    --set workload.format=openb
refused 5 'pods.csv:1: the header has no column' run e.yaml -o x.h5 --set platform=pods.csv
refused 5 'no-nodes.csv: cannot be opened' run e.yaml -o x.h5 --set platform=no-nodes.csv
sed -i 's/V100$/V1000/; s/500,$/1500,/' pods.csv
"$hsim" run e.yaml -o y.h5 >out 2>&1
grep -q "pods.csv: 1 .*line 2.*gpu_milli is '1500'; 0 to 1000 is due" out || die "a share over 1000: $(cat out)"
cp out out.model
refused 5 "pods.csv:2: gpu_milli is '1500'" run e.yaml -o x.h5 --set workload.strict=true
grep -q "no node has a device of model 'V1000' (did you mean 'V100'?)" out.model ||
    die "a model that is not there: $(cat out.model)"
[ ! -e x.h5 ] || die 'a refused run left a file'
