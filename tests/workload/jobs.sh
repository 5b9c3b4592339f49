#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# jobs.sh - jobs as CSV on the command line: info, validate, convert, run; and job classes.
set -euo pipefail

hsim=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail()
{
    echo "FAILED: $*" >&2
    echo "--- standard output" >&2
    cat out >&2
    echo "--- standard error" >&2
    cat err >&2
    exit 1
}

# run CODE COMMAND...: the exit code must be CODE; output in the files out and err.
run()
{
    local expected=$1 code=0
    shift
    "$@" >out 2>err || code=$?
    [ "$code" = "$expected" ] || fail "exit code $code, not $expected: $*"
}

# says FILE TEXT: the file has a line with this text.
says()
{
    grep -qF -- "$2" "$1" || fail "no '$2' in $1"
}

cat >a.csv <<'END'
id,submit,run,walltime,demand,user,queue,class,colour
1,0,10.5,20,4x cores=8 gpu:a100=2,anna,q1,train,red
2,1,10,20,"cores=1 gpu=0.25 features=a,b",bob,q1,infer,
3,2,10,,2x cores=2 or 4x,anna,q2,train,
4,3,10,20,coers=2,anna,q2,train,
5,4,10,20,cores=2 exclusive spread,anna,q2,train,
END

# --- what a file holds
run 0 "$hsim" trace info a.csv
says out 'format           jobs as CSV'
says out 'records          5 in 6 lines'
says out "unreadable       1 (20.0 %), first in line 5: demand, column 1: 'coers' is no word of a demand"
says out 'no request       1 (20.0 %), first in line 4: no requested time: the run time stands in'
says out 'unused columns   colour'
says out 'devices          50.0 % of jobs, 0.0240278 device-hours'
says out '  gpu:a100                           25.0 %   82.8 %   97.1 %'
says out '  shares of a device                 25.0 %    2.5 %    2.9 %'
says out '  alternatives                       25.0 %    9.9 %    0.0 %'
run 5 "$hsim" trace validate a.csv
says err "a.csv:5: error: job 4: demand, column 1: 'coers' is no word of a demand (did you mean 'cores'?)."
says out 'a.csv: note: columns that say nothing to hsim: colour'

# --- conversion: what SWF cannot say is not written to it
run 0 "$hsim" trace convert a.csv -o b.csv.zst
says err '4 jobs written to b.csv.zst'
run 0 "$hsim" trace convert -q b.csv.zst -o - --to jobs
cp out c.csv
[ "$(sed -n 3p c.csv)" = '2,1,,10,20,"cores=1 gpu=0.25 features=a,b",1,,0,,infer,,' ] || fail 'a row'
run 0 "$hsim" trace convert -q c.csv -o d.csv
cmp -s c.csv d.csv || fail 'CSV read and written is not the same'
run 5 "$hsim" trace convert a.csv -o x.swf
says err 'a.csv:2: job 1 asks for more than whole processors and memory, which SWF cannot say.'
[ ! -e x.swf ] || fail 'x.swf was written'
run 2 "$hsim" trace convert a.csv -o x --to swff
says err "did you mean swf?"

# --- the format is found, or given
run 5 "$hsim" trace info a.csv --format swf
says err 'none of the 6 rows can be read'
cp a.csv plain
run 5 "$hsim" trace info plain
run 0 "$hsim" trace info plain --format jobs
printf 'a,b\n1,2\n' >foreign.csv
run 5 "$hsim" trace info foreign.csv
says err "foreign.csv: the first line is 'a,b', which is the header of no list of jobs that hsim knows"
printf 'submit,demand\n1,2x\n' >header.csv
run 5 "$hsim" trace info header.csv
says err "header.csv:1: the header has neither a column 'run' nor 'runtime'"

# --- a trace of SWF and the same as CSV run alike
"$hsim" trace generate -q --jobs 500 --nodes 64 --seed 3 -o s.swf
"$hsim" trace convert -q s.swf -o s.csv
for kind in swf csv; do
    printf 'hsim: 1\nplatform: {nodes: 64}\nworkload: s.%s\npolicy: easy\n' "$kind" >"$kind.yaml"
    run 0 "$hsim" run -o "$kind.h5" "$kind.yaml"
    "$hsim" export "$kind.h5" --to csv >"$kind.out"
done
cut -d, -f1-9 swf.out >one
cut -d, -f1-9 csv.out >two
cmp -s one two || fail 'the runs differ'
run 0 "$hsim" run --verify csv.h5

# --- a device that the platform lacks rejects the job, and says so
printf 'submit,run,demand\n0,5,gpu:a100=1\n1,5,2x\n2,5,npu=1 or 1x\n' >gpu.csv
printf 'hsim: 1\nplatform: {nodes: 4}\nworkload: gpu.csv\npolicy: fcfs\n' >gpu.yaml
run 0 "$hsim" run -o gpu.h5 gpu.yaml
says out "gpu.csv: 1 job asks for what the platform has not"
says out "no node has a device of kind 'gpu'"
[ "$("$hsim" export gpu.h5 --to csv | grep -c finished)" = 2 ] || fail 'two jobs run'

# --- classes of jobs
cat >mix.yaml <<'END'
hsim: 1
platform: {nodes: 8, cores: 16, memory: 64GiB}
workload:
  generate:
    model: mix
    jobs: 3000
    load: 0.7
    classes:
      - {name: small, weight: 3, demand: cores=2 mem=4GiB, run: 10m, estimate: 2}
      - {name: wide, demand: 4x cores=8 spread, run: {distribution: lognormal, mean: 1h}, estimate: 3}
policy: easy
END
run 0 "$hsim" run -o mix.h5 mix.yaml
run 0 "$hsim" run --verify mix.h5
run 0 "$hsim" validate --resolved mix.yaml
cp out resolved.yaml
run 0 "$hsim" validate --resolved resolved.yaml
cmp -s out resolved.yaml || fail 'the resolved experiment does not read back'
run 2 "$hsim" run mix.yaml --set 'workload.generate.classes=[{name: a, demand: gpu=1, run: 5m}]'
says err "class 'a': the demand 'gpu=1' cannot be met: no node has a device of kind 'gpu'."
run 2 "$hsim" validate mix.yaml --set 'workload.generate.classes=[{name: a, demand: gqu=1, run: 5m}]'
says err "'gqu' is no word of a demand (did you mean 'gpu'?)"
run 2 "$hsim" validate mix.yaml --set workload.generate.a1=3
says err "'workload.generate.a1' has no meaning with"

echo 'jobs.sh: all as expected'
