#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# allot.sh HSIM ROOT - `hsim allot` from the command line, and a trace of Gavel that is run.
set -euo pipefail

hsim=$(realpath "$1")
root=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
trace=$root/workloads/gavel-demo.trace
table=$root/workloads/gavel-demo-throughputs.csv

die()
{
    printf 'allot: %s\n' "$*"
    cat out err
    exit 1
}

# run CODE ARGUMENT... : the exit code is CODE; what was printed lies in out and err.
run()
{
    local expected=$1 status=0
    shift
    "$hsim" "$@" >out 2>err || status=$?
    [ "$status" -eq "$expected" ] || die "hsim $*: exit code $status, not $expected"
}

says() # FILE TEXT
{
    grep -qF -- "$2" "$1" || die "'$2' is not in $1"
}

# --- two jobs whose shares are known, as YAML
cat >two.yaml <<'END'
name: two jobs
worker_types: [slow, fast]
num_workers: [1, 1]
throughput: [[1, 4], [2, 3]]
jobs: [first, [second, 1]]
steps_remaining: [4, 2]
END
run 0 allot two.yaml
diff - out <<'END' || die 'two jobs'
two jobs: 2 jobs, workers slow=1 fast=1

max-min-fairness: 1
  job     workers      slow      fast  steps/s
  first         1  0.500000  0.500000      2.5
  second        1  0.500000  0.500000      2.5

makespan: 1 s
  job     workers      slow      fast  steps/s
  first         1  0.000000  1.000000        4
  second        1  1.000000  0.000000        2

total-throughput: 6 steps/s
  job     workers      slow      fast  steps/s
  first         1  0.000000  1.000000        4
  second        1  1.000000  0.000000        2
END
run 0 allot two.yaml --policy total-throughput --json
python3 - <<'END'
import json
[instance] = json.load(open("out"))
assert instance["name"] == "two jobs" and instance["num_workers"] == [1, 1]
[result] = instance["results"]
assert result["policy"] == "total-throughput" and result["unit"] == "steps/s"
assert abs(result["optimum"] - 6) < 1e-9 and result["jobs"][0]["job"] == "first"
END

# --- what is wrong is told with its place, all of it
cat >bad.yaml <<'END'
- worker_types: [a, b]
  num_worker: [1, 2]
  throughput: [[1, 2]]
- {worker_types: [a, b], num_workers: [1], throughput: [[1, x], [1, -2]], scale_factor: [0, 1]}
- {worker_types: [a], num_workers: [1], throughput: [[1, 2]]}
- 5
END
run 5 allot bad.yaml
says err "bad.yaml:1:3: 'num_workers' is missing"
says err "bad.yaml:2:3: 'num_worker' is no key of an instance; did you mean 'num_workers'?"
says err "bad.yaml:4:39: 'num_workers' has 1 elements; 2 are due, one for each type of worker."
says err "bad.yaml:4:61: 'throughput' holds 'x'; a number from 0 is due."
says err "bad.yaml:4:69: 'throughput' holds '-2'; a number from 0 is due."
says err "bad.yaml:4:90: 'scale_factor' holds '0'; a number above 0 is due."
says err "bad.yaml:5:54: A row of 'throughput' is a list of 1 numbers"
says err 'bad.yaml:6:3: An instance is a map'
cat >range.yaml <<'END'
- {worker_types: [a], num_workers: [1e31], throughput: [[1e308], [1e-308], [2]], weight: [1, 1, 1e-300]}
- {worker_types: [a, b, a], num_workers: [1, 1, 1], throughput: [[1, 2, 3]], name: [x]}
- {worker_types: [a, b], num_workers: [1, 1], throughput: [[1, 2], [0, 0.0]]}
END
run 5 allot range.yaml
says err "range.yaml:1:37: 'num_workers' holds 1e31; a number from 1e-30 to 1e+30 is due, or 0."
says err "range.yaml:1:58: 'throughput' holds 1e308; a number from 1e-30 to 1e+30 is due, or 0."
says err "range.yaml:1:67: 'throughput' holds 1e-308; a number"
says err "range.yaml:1:97: 'weight' holds 1e-300; a number from 1e-30 to 1e+30 is due."
says err "range.yaml:2:25: 'worker_types' has 'a' twice"
says err "range.yaml:2:84: 'name' is a text"
says err 'range.yaml:3:68: Job 1 has throughput 0 on every type of worker'
printf '%s\n' '{worker_types: [a, b], num_workers: [2, 1], throughput: [[1e30, 1e-30], [1e-30, 1e30]],' \
    'steps_remaining: [1e30, 1e-30], weight: [1e-30, 1e30]}' >wide.yaml
run 0 allot wide.yaml -p makespan
says out 'makespan: 1 s'

# --- a trace of Gavel whose first row is none is not taken for another format
printf 'x\ty\n' >odd.trace
run 5 trace info odd.trace --throughputs "$table" --reference a100
says err 'odd.trace:1: 2 fields; 10 are due'
printf '{worker_types: [a, b], num_workers: [1, 0], throughput: [[1, 1], [0, 2]], jobs: [x, y]}' >lone.yaml
run 5 allot lone.yaml --json
says err 'lone.yaml: instance 1, max-min-fairness: Job 1 (y): it fits only on types of which there is no worker'
[ ! -s out ] || die 'half an answer'
run 5 allot two.yaml.missing
says err 'two.yaml.missing: The list of instances cannot be opened'
printf '[]' >none.yaml
run 5 allot none.yaml
says err 'none.yaml:1:1: The list holds no instance.'
grep -v steps_remaining two.yaml >stepless.yaml
run 0 allot stepless.yaml
[ "$(grep -c ':' out)" -eq 3 ] || die 'without steps there is no makespan'
run 5 allot stepless.yaml --policy makespan
says err 'stepless.yaml: two jobs, makespan: Job 0 (first): for the makespan the steps'
run 2 allot two.yaml --policy makespam
says err "--policy is 'makespam'; max-min-fairness, makespan or total-throughput is due (did you mean makespan?)."
run 2 allot two.yaml --workers a=1
says err '--workers goes with a trace'
run 2 allot
run 2 allot "$trace" --throughputs "$table"
says err 'How many workers are there of each type?'
run 2 allot "$trace" --throughputs "$table" --workers a100=x
says err "'a100=x' is no TYPE=NUMBER"
run 2 allot "$trace" --throughputs "$table" --workers a100=1,a100=2
says err "--workers names 'a100' twice"
run 2 allot "$trace" --throughputs "$table" --workers a10=2
says err "has no type of worker 'a10' (did you mean 'a100'?). It has a100, t4."

# --- a trace: a row that fits on no worker is passed over and told, or an error
run 0 allot "$trace" --throughputs "$table" --workers a100=2,t4=4 -p max-min-fairness
says out 'max-min-fairness: 0.642857142857'
[ "$(grep -c '^  [dtp]' out)" -eq 6 ] || die 'six jobs'
run 0 allot "$trace" --throughputs "$table" --workers t4=4 --head 2
[ "$(grep -c '^  [dtp]' out)" -eq 6 ] || die 'two jobs, three times'
run 0 allot "$trace" --throughputs "$table" --workers t4=4
says err ":5: 'translator (batch size 64)' with scale factor 1 fits on none of the workers; the row is passed over."
run 5 allot "$trace" --throughputs "$table" --workers t4=4 --strict
printf 'no trace\n' >none.trace
run 5 allot none.trace --throughputs "$table" --workers t4=4
says err 'none.trace:1: 1 field; 10 are due; the row is passed over.'
says err 'none.trace: no row is a job with a throughput on these workers.'

# --- the same trace as a workload: found out by its ending and its tabs, run, and verified
cat >nodes.csv <<'END'
sn,cpu_milli,memory_mib,gpu,model
n0,16000,65536,4,a100
n1,16000,65536,2,a100
END
cat >demo.yaml <<END
hsim: 1
platform: nodes.csv
workload: {file: "$trace", throughputs: table.csv, reference: a100}
policy: easy
END
cp "$table" table.csv
run 0 validate demo.yaml
run 0 run demo.yaml -q -o demo.h5
run 0 export demo.h5 --to csv --columns trace_id,submit,end
diff - <(tail -n +2 out | sort -n) <<'END' || die 'a schedule'
0,0,3600
1,0,7200
2,600,7800
3,1800,10800
4,3600,14400
5,5400.5,18000
END
run 0 inspect demo.h5
says out 'table.csv (throughputs'
run 0 run --verify demo.h5
sed -i 's/,24,5,24,5/,25,5,24,5/' table.csv
run 5 run --verify demo.h5
says err 'table.csv: the file has changed since the run'
rm table.csv
run 0 validate demo.yaml
says err "warning: demo.yaml: The table of throughputs"
run 5 run demo.yaml -q -o other.h5
run 2 run demo.yaml -q -o other.h5 --set workload.throughputs=null
says err 'give a table of throughputs, too'
cp "$table" table.csv
run 2 run demo.yaml -q -o other.h5 --set workload.reference=null
says err 'Give `reference`, for instance a100.'
run 2 run demo.yaml -q -o other.h5 --set workload.reference=h100
says err "has no type of worker 'h100' (did you mean 'a100'?)"
cp "$table" table.h5
run 2 run demo.yaml -q --force -o table.h5 --set workload.throughputs=table.h5
says err "writing this result would destroy"
run 0 trace convert -q "$trace" --throughputs "$table" --reference a100 --to jobs -o -
says out '4,3600,,7200,7200,cores=1 gpu=1,,,,,translator (batch size 64),1,'
