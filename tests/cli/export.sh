#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# export.sh - results as JSON, SQLite and traces for Perfetto, and scripts/hsim.py: all values
# against those that h5py reads; and what is refused.
#
# Usage: export.sh HSIM SOURCE
set -euo pipefail

hsim=$1
root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

die()
{
    printf 'export.sh: %s\n' "$*" >&2
    exit 1
}

# refused CODE WORDS ARGUMENT...: the exit code, and words of the sentence.
refused()
{
    local code=0 want=$1 words=$2

    shift 2
    "$hsim" export "$@" >out 2>err || code=$?
    [ "$code" -eq "$want" ] || die "export $*: exit code $code, not $want: $(cat err)"
    grep -qF -- "$words" err || die "export $*: no '$words' in: $(cat err)"
}

/usr/bin/python3 -c 'import h5py' 2>/dev/null || { echo 'python3-h5py is not installed' && exit 77; }
"$hsim" run "$root/experiments/speeds.yaml" -q -o devices.h5 --set policy=easy \
    --set workload.generate.jobs=300
cat >preempt.yaml <<'END'
hsim: 1
name: "with \"quotes\" and é"
platform: {nodes: 8, cores: 4}
workload: {generate: {jobs: 120}, load: 1.2}
scheduler: {preempt_cost: 1.5s}
policy: {name: las, threshold: 1800}
END
"$hsim" run preempt.yaml -q -o preempt.h5
"$hsim" run preempt.yaml -q -o plain.h5 --set policy=fcfs --set output.allocations=false \
    --set output.series=none --set workload.generate.jobs=3
/usr/bin/python3 "$root/tests/cli/export.py" sweep sweep.h5

for run in devices preempt plain; do
    "$hsim" export $run.h5 --to json >$run.json
    "$hsim" export $run.h5 --to sqlite -o $run.db
done
for run in devices preempt; do
    "$hsim" export $run.h5 --to perfetto -o $run.trace.json
done
for to in csv json; do
    "$hsim" export sweep.h5 --to $to -o sweep.$to
done
"$hsim" export sweep.h5 --to sqlite -o sweep.db
"$hsim" export sweep.h5 --to csv --columns policy,workload.load,params/seed >some.csv
[ "$(head -2 some.csv | tail -1)" = easy,0.1,7 ] || die "columns of a sweep: $(cat some.csv)"
PYTHONPATH=$root/scripts PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$root/tests/cli/export.py" check ||
    die 'values differ'
# The same file, the same bytes.
"$hsim" export devices.h5 --to sqlite -o again.db
cmp devices.db again.db || die 'two databases of one file differ'

# ---- what is refused
[ ! -e devices.db.part ] || die 'devices.db.part is left'
refused 2 'name its file with -o' devices.h5 --to sqlite
refused 2 'exists already' devices.h5 --to sqlite -o devices.db
cp devices.h5 precious.h5
refused 2 'is the result itself' precious.h5 --to json --force -o ./precious.h5
cmp precious.h5 devices.h5 || die 'a result was replaced by its export'
refused 2 'name of the file to write is empty' devices.h5 --to json -o ''
refused 2 "Did you mean 'sqlite'" devices.h5 --to sqlit
refused 2 'output: {allocations: true}' plain.h5 --to perfetto
refused 2 'go with --to csv' devices.h5 --to json --table jobs
refused 2 'merged file of a sweep' sweep.h5 --to perfetto
refused 2 'leave out --table' sweep.h5 --to csv --table jobs
refused 2 "did you mean 'workload.load'" sweep.h5 --to csv --columns workload.lod
refused 1 'does not exist' devices.h5 --to sqlite -o nowhere/x.db
/usr/bin/python3 - <<'END'
import h5py, numpy, shutil
shutil.copy("sweep.h5", "many-units.h5")
shutil.copy("sweep.h5", "no-runs.h5")
with h5py.File("many-units.h5", "r+") as file:
    file["metrics/wait_mean_s"].attrs["units"] = numpy.array([b"seconds."] * 4096)
del h5py.File("no-runs.h5", "r+")["runs"]
END
refused 5 '"metrics/wait_mean_s" cannot be read (an attribute of it is no single text)' many-units.h5 --to csv
refused 5 '"runs" cannot be read (it is not there as it should be, or memory is short)' no-runs.h5 --to csv
head -c 20000 devices.h5 >cut.h5
refused 5 'cut.h5' cut.h5 --to json
if [ -w /dev/full ]; then
    code=0
    "$hsim" export devices.h5 --to json >/dev/full 2>err || code=$?
    [ "$code" -eq 1 ] && grep -q 'No space left' err || die "a full disk: $code, $(cat err)"
fi
code=0
(ulimit -f 64 && "$hsim" export devices.h5 --to sqlite -o large.db 2>err) || code=$?
[ "$code" -eq 1 ] && grep -q 'writing the database failed' err || die "a limit: $code, $(cat err)"
[ ! -e large.db ] && [ ! -e large.db.part ] || die 'a part of a database is left'

# ---- hsim.py without pandas, and as a command, which needs none
mkdir none
echo 'raise ImportError' >none/pandas.py
export PYTHONPATH=$PWD/none:$root/scripts PYTHONDONTWRITEBYTECODE=1
/usr/bin/python3 -c 'import hsim; print(hsim.read("devices.h5").policy)' | grep -qx easy ||
    die 'hsim.py without pandas'
! /usr/bin/python3 -c 'import hsim; hsim.read("devices.h5").jobs' 2>err &&
    grep -q 'HsimError: pandas is not installed; install it (python3-pandas' err ||
    die "hsim.py without pandas: $(cat err)"
/usr/bin/python3 "$root/scripts/hsim.py" devices.h5 >out
grep -q '^jobs: 300 rows$' out || die "hsim.py: $(head -40 out)"
grep -q '^  wait  *s  *start - submit$' out || die 'hsim.py: the column wait'
grep -q '^  wait_mean_s ' out || die 'hsim.py: the metrics'
/usr/bin/python3 "$root/scripts/hsim.py" sweep.h5 | grep -q '^params: 4 rows$' || die 'hsim.py: sweep'
code=0
/usr/bin/python3 "$root/scripts/hsim.py" cut.h5 2>err || code=$?
[ "$code" -eq 5 ] && grep -q 'truncated' err || die "hsim.py, a truncated file: $code, $(cat err)"
