#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# merged.sh HSIM - `hsim compare` and `hsim inspect` on the merged file of a sweep: the same figures as from its
# runs, what failed or was left out, files that are none; and `hsim compare --resample` against the
# same intervals computed in Python.
set -euo pipefail

hsim=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'merged: %s\n' "$*"
    head -n 40 out err
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

# rows FILE: the rows of a comparison in JSON, in any order
rows()
{
    grep '"metric"' "$1" | sed 's/,$//' | sort
}

cat >study.yaml <<'END'
hsim: 1
name: study
platform: {nodes: 128, cores: 1}
workload: {generate: {model: lublin, jobs: 600}, load: 0.3}
policies: [easy, fcfs]
sweep:
  axes:
    workload.load: [0.3, 6]
    scheduler.interval: [0s, 1m]
  exclude: [{workload.load: 6, scheduler.interval: 1m, policy: fcfs}]
  replications: 5
END
run 0 sweep study.yaml -o s

# --- the merged file alone, its folder, and the files of the runs: one setting has the same figures
run 0 compare s/sweep.h5 -f json --where workload.load=0.30,scheduler.interval=60s
cp out merged.json
run 0 compare s -f json --where workload.load=0.3,scheduler.interval=1m
cmp out merged.json || die 'the folder of a sweep is not its merged file'
run 0 compare s/runs -f json --baseline easy --where workload.load=0.3,scheduler.interval=1m
[ "$(rows out)" = "$(rows merged.json)" ] || die 'the runs have other figures than the merged file'
[ "$(rows out | wc -l)" -eq 10 ] || die 'other metrics'
mkdir alone
cp s/sweep.h5 alone/
run 0 compare alone -f json --where workload.load=0.3,scheduler.interval=1m
[ "$(rows out)" = "$(rows merged.json)" ] || die 'without its runs a merged file has other figures'

# --- settings, and what is said about them
run 0 compare s -m wait_mean_s
says out '35 runs, 2 policies, in 20 situations; baseline easy'
says out 'The 20 situations replay 5 workloads'
says out "5 runs lack a counterpart under 'easy' (or, being of it, under another policy), since the sweep leaves it out"
says out 'Left out, since the backlog grows through the window'
says out 'easy workload.load=6 scheduler.interval=0s seed=1'
run 0 compare s -m wait_mean_s --where workload.load=0.3 --by scheduler.interval
says out 'in 5 situations; baseline easy scheduler.interval=0s'
grep -q '^fcfs scheduler.interval=1m  *5 ' out || die 'no label of a setting'
run 2 compare s --where workload.laod=1
says err "--where names 'workload.laod', and no run has such a key; did you mean 'workload.load'?"
run 2 compare s --where workload.load=7
says err '--where asks for workload.load=7, and no run has that value; there are 0.3, 6.'
run 2 compare s --where workload.load
says err 'it takes KEY=VALUE'
run 2 compare s -m wait_maen_s
says err "s/sweep.h5: no metric 'wait_maen_s' was recorded; did you mean 'wait_mean_s'?"
run 2 compare s -m energy_total_j
says err "no metric 'energy_total_j' was recorded."

# --- beside other runs: by all keys
sed '/^sweep:/,$d' study.yaml >plain.yaml
for policy in easy fcfs; do
    "$hsim" run plain.yaml -q --set seed=9 --set policy=$policy -o more/
done
run 0 compare s more -m wait_mean_s --where workload.load=0.3
says out '22 runs, 2 policies, in 11 situations'
run 0 compare more s -m wait_mean_s --where workload.load=0.3
says out '22 runs, 2 policies, in 11 situations'
run 2 compare s s/runs -m wait_mean_s --where workload.load=0.3
says err 'are both runs of'
run 5 compare more alone -m wait_mean_s
says err 'alone/runs/'
says err 'they must lie in the folder `runs` beside the merged file'

# --- one trace is one sample, whatever the seeds
"$hsim" trace generate --jobs 150 --nodes 16 --seed 3 -o trace.swf >/dev/null
cat >trace.yaml <<'END'
hsim: 1
platform: {nodes: 16, cores: 1}
workload: {file: trace.swf, estimate: {missing: run}}
policies: [easy, sjf-easy, {name: easy, order: random, label: drawn}]
sweep: {axes: {scheduler.interval: [0s, 1m]}, replications: 6}
END
run 0 sweep trace.yaml -o t
for source in t t/runs; do
    run 0 compare $source -m wait_mean_s --baseline easy
    says out 'All runs replay the same window of one trace, which is one sample'
    says out '20 runs have the very schedule of another run of the same policy'
    says out 'The 12 situations replay 1 workload (by file and window)'
done
run 0 compare t -m wait_mean_s --where scheduler.interval=0s
says out 'more traces or windows are needed'
run 0 plot forest t --baseline easy --where scheduler.interval=0s -o forest.svg
says err '10 runs have the very schedule of another run of the same policy'
run 0 plot box t --policy drawn --where scheduler.interval=0s -o box.svg
says err 'All runs replay the same window of one trace'
cat >windows.yaml <<'END'
hsim: 1
platform: {nodes: 16, cores: 1}
workload: trace.swf
policies: [easy, sjf-easy]
sweep: {axes: {workload: [{file: trace.swf}, {file: trace.swf, window: {to: 2d}}, {generate: {jobs: 50}}]}}
END
run 0 sweep windows.yaml -o w
run 0 compare w -m wait_mean_s
if grep -qE 'one trace|very schedule' out; then
    die 'other windows are taken for one sample'
fi
run 0 compare s -m wait_mean_s --where workload.load=0.3
if grep -qE 'one trace|very schedule' out; then
    die 'generated workloads are taken for one trace'
fi

# --- a run that two sweeps share, under another label in each
sed 's/label: drawn/label: dice/' trace.yaml >dice.yaml
run 0 sweep trace.yaml -o one --runs shared
run 0 sweep dice.yaml -o two --runs shared --progress json
[ "$(find shared -name '*.h5' | wc -l)" -eq 36 ] || die 'runs were computed twice'
run 0 inspect --check two/sweep.h5
[ "$(grep -c ' holds ' out)" -eq 6 ] || die 'a label counts'

# --- `include` need not name an axis whose value the experiment has; a seed axis beside replications
cat >include.yaml <<'END'
hsim: 1
platform: {nodes: 64, cores: 1}
workload: {generate: {jobs: 100}, load: 0.3}
policies: [easy, sjf-easy]
sweep:
  axes: {seed: [1, 3], scheduler.interval: [0s, 1m]}
  include: [{policy: fcfs}, {policy: sjf, seed: 3, scheduler.interval: 1m}, {policy: sjf, seed: 9}]
  replications: 4
END
run 0 sweep include.yaml -o i
says out 'i: 36 runs, 36 finished'
run 0 compare i -m wait_mean_s
says out '36 runs, 4 policies, in 16 situations; baseline easy'
grep -qE '^sjf-easy +12 ' out || die 'rows that are one run count twice, or runs of one seed are taken for another'
grep -qE '^fcfs +4 ' out || die 'a value that the experiment has is not the value of the axis'
grep -qE '^sjf +8, 4 pairs ' out || die 'other pairs'
says out "16 runs lack a counterpart under 'easy'"
if grep -qE 'very schedule' out; then
    die 'rows that are one run are taken for copies'
fi
run 0 compare i -m wait_mean_s --where scheduler.interval=0s,seed=2
grep -qE '^fcfs +1 ' out || die 'no fcfs with the seed 2'

# --- what a merged file holds, and that its runs are those
run 0 inspect s/sweep.h5
says out 'runs         35: 35 complete, 15 of them unstable; 0 failed'
says out 'policies     easy, fcfs'
says out 'axes         workload.load: 0.3, 6'
grep -qE '^fcfs +0/10 +5/5$' out || die 'no counts of stability'
grep -qE '^wait_mean_s +s +20 ' out || die 'no row of the wait'
run 0 inspect --json s/sweep.h5
python3 - out <<'END'
import json, sys
sweep = json.load(open(sys.argv[1]))
assert sweep["complete"] == 35 and sweep["failed"] == 0 and sweep["unstable"] == 15
assert [a["key"] for a in sweep["axes"]] == ["workload.load", "scheduler.interval"]
first, last = sweep["runs"][0], sweep["runs"][-1]
assert first["params"] == {"workload.load": 0.3, "scheduler.interval": 0}, first["params"]
assert last["params"] == {"workload.load": 6, "scheduler.interval": 60}, last["params"]
assert (first["policy"], first["seed"], first["replicate"]) == ("easy", 1, 0)
assert first["stability"] == "stable" and last["stability"] == "unstable"
assert first["metrics"]["offered_load"] > 0.29 and first["metrics"]["jobs"] == 600
assert first["situation"] == sweep["runs"][5]["situation"], "the same but for the policy"
assert first["situation"] != sweep["runs"][1]["situation"]
END
run 0 inspect --check s/sweep.h5
[ "$(grep -c ' holds ' out)" -eq 6 ] || die 'not all checks hold'
cp -r s moved
key=$("$hsim" inspect --json s/sweep.h5 | grep -oE '[0-9a-f]{32}' | head -n 1)
other=$("$hsim" inspect --json s/sweep.h5 | grep -E '"key": "[0-9a-f]{32}"' | sed -n '2s/.*"key": "\([0-9a-f]*\)".*/\1/p')
cp "s/runs/$other.h5" "moved/runs/$key.h5"
run 5 inspect --check moved/sweep.h5
grep -qE "^rows +FAILS +1 of 35 runs do not: run $key:" out || die 'a run in the place of another'
grep -qE '^schedules +FAILS +1 of 35 ' out || die 'a schedule in the place of another'
grep -qE '^metrics +FAILS +1 of 35 ' out || die 'metrics in the place of others'
rm "moved/runs/$key.h5"
run 5 inspect --check moved/sweep.h5
grep -qE "^runs +FAILS +1 of 35 runs do not: run $key: .*cannot be opened" out || die 'a run that is gone'
run 5 inspect --check alone/sweep.h5
says err 'Bring them back into the folder'
run 5 inspect --job 1 s/sweep.h5
says err 'this is the merged file of a sweep, and the result of one run is due'

# --- parameters of the policy are part of its label, once
cat >depth.yaml <<'END'
hsim: 1
platform: {nodes: 64, cores: 1}
workload: {generate: {model: lublin, jobs: 100}, load: 0.5}
policies: [{name: depth, k: 1}, {name: depth, k: 1, label: mine}]
sweep: {axes: {policy.k: [1, 4]}, replications: 2}
END
run 0 sweep depth.yaml -o depth
run 0 compare depth -m wait_mean_s
says out '8 runs, 4 policies, in 2 situations; baseline depth:k=1'
for label in depth:k=4 mine:k=1 mine:k=4; do
    grep -q "^$label  *2 " out || die "no policy '$label'"
done
run 0 inspect depth/sweep.h5
says out 'policy.k (of the policy): 1, 4'

# --- runs that failed hold their place and are said
cat >bad.swf <<'END'
this is no trace
END
awk 'BEGIN { for (i = 1; i <= 40; i++) print i, i * 50, -1, 200, 64, -1, -1, 64, 300, -1, 1, 1, 1, -1, -1, -1, -1, -1 }' >good.swf
cat >fail.yaml <<'END'
hsim: 1
platform: {nodes: 64, cores: 1}
workload: {file: good.swf}
policies: [easy, fcfs]
sweep: {axes: {workload.file: [good.swf, bad.swf]}}
END
run 1 sweep fail.yaml -o failed
run 0 inspect failed/sweep.h5
says out '2 failed'
says out 'failed: easy workload.file=bad.swf seed=1'
says out 'bad.swf'
run 0 inspect --check failed/sweep.h5
run 0 compare failed -m wait_mean_s
says out '2 runs of the sweep failed and are left out'
# another sweep beside it, with as many runs as failed here
cat >beside.yaml <<'END'
hsim: 1
name: beside
platform: {nodes: 64, cores: 1}
workload: {file: good.swf}
policies: [easy, fcfs]
END
run 0 sweep beside.yaml -o beside --set seed=7
run 0 compare failed beside -m wait_mean_s
says out '4 runs, 2 policies, in 2 situations'
run 0 compare beside failed -m wait_mean_s
says out '4 runs, 2 policies, in 2 situations'

# --- no merged file
printf 'nonsense\n' >text.h5
head -c 3000 s/sweep.h5 >cut.h5
: >empty.h5
for command in compare inspect; do
    run 5 $command text.h5
    says err 'text.h5: this is no HDF5 file.'
    run 5 $command cut.h5
    says err 'cut.h5: the HDF5 file is truncated or damaged'
    run 5 $command empty.h5
    says err 'empty.h5: the file is empty.'
done

# --- one trace: resampled by users, by weeks
awk 'BEGIN { srand(3); for (i = 1; i <= 700; i++) { t += int(rand() * 18000); n = 1 + int(rand() * 40)
    r = 60 + int(rand() * rand() * 40000)
    print i, t, -1, r, n, -1, -1, n, 2 * r, -1, 1, 1 + int(rand() * rand() * 23), 1, -1, -1, -1, -1, -1 } }' >trace.swf
cat >trace.yaml <<'END'
hsim: 1
platform: {nodes: 48, cores: 1}
workload: trace.swf
policies: [fcfs, sjf-easy]
END
"$hsim" run trace.yaml -q -o trace/
run 2 compare s --resample users
says err '--resample takes one run of each policy'
run 2 compare trace --resample users -m makespan_s
says err "'makespan_s' is no metric that jobs alone give"
run 2 compare trace --resample users -m wait_p96_s
says err "did you mean 'wait_p90_s'?"
run 2 compare trace --resample days
run 2 compare trace --resample weeks --unpaired
run 2 compare more --resample users
says err 'no job of these runs has a user'
run 0 compare more --resample weeks
says out 'Fewer than 5 weeks: no intervals.'
run 0 compare trace --resample weeks
says out 'One trace is one sample. The intervals are BCa over its'
run 0 compare trace --resample users --seed 5 -f json -m wait_mean_s,wait_p95_s,bsld_mean,turnaround_median_s
cp out users.json
run 0 compare trace --resample users --seed 5 -f json -m wait_mean_s,wait_p95_s,bsld_mean,turnaround_median_s
cmp out users.json || die 'equal seeds give other intervals'
for policy in fcfs sjf-easy; do
    "$hsim" export --to csv --columns user,measured,wait,turnaround,bsld "trace/$policy.h5" >"$policy.csv"
done
if python3 -c 'import numpy' 2>/dev/null || /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    python=python3
    python3 -c 'import numpy' 2>/dev/null || python=/usr/bin/python3
    cat >again.py <<'END'
import csv, json, math, statistics
import numpy

normal = statistics.NormalDist()
jobs = {}
for policy in ("fcfs", "sjf-easy"):
    jobs[policy] = [row for row in csv.DictReader(open(policy + ".csv"))
                    if row["measured"] in ("1", "true", "TRUE")]
users = sorted({int(row["user"]) for rows in jobs.values() for row in rows})
assert len(users) >= 20

# The draws of hsim: the Mersenne twister, and the way in which GSL makes whole numbers of it.
raw = numpy.random.RandomState(5)
def uniform(n):
    scale = 0xffffffff // n
    while True:
        k = int(raw.randint(0, 2**32, dtype=numpy.uint32)) // scale
        if k < n:
            return k
draws = []
for _ in range(2000):
    times = [0] * len(users)
    for _ in users:
        times[uniform(len(users))] += 1
    draws.append(times)
without = [[int(k != i) for k in range(len(users))] for i in range(len(users))]

def ordered(policy, column):
    pairs = sorted((float(row[column]), users.index(int(row["user"]))) for row in jobs[policy])
    return numpy.array([v for v, _ in pairs]), numpy.array([u for _, u in pairs])

def metric(values, owners, percent, times):
    times = numpy.array(times)[owners]
    if not percent:
        return float((values * times).sum() / times.sum())
    rank = -(-int(times.sum()) * percent // 100)
    return float(values[numpy.searchsorted(numpy.cumsum(times), rank)])

def bca(estimate, drawn, left):
    mean = math.fsum(left) / len(left)
    squares = math.fsum((mean - x) ** 2 for x in left)
    skew = math.fsum((mean - x) ** 3 for x in left) / (6 * squares ** 1.5) if squares else 0
    below = sum(1 if x < estimate else 0.5 if x == estimate else 0 for x in drawn)
    shift = normal.inv_cdf(min(max(below, 0.5), len(drawn) - 0.5) / len(drawn))
    drawn = sorted(drawn)
    bounds = []
    for quantile in (normal.inv_cdf(0.025), -normal.inv_cdf(0.025)):
        p = normal.cdf(shift + (shift + quantile) / (1 - skew * (shift + quantile)))
        at = (len(drawn) - 1) * p
        low = int(at)
        high = min(low + 1, len(drawn) - 1)
        bounds.append(drawn[low] + (at - low) * (drawn[high] - drawn[low]))
    return bounds

once = [1] * len(users)
for row in json.load(open("users.json"))["rows"]:
    name = row["metric"].split("_")
    column, percent = name[0], {"mean": 0, "median": 50, "p95": 95}[name[1]]
    both = [[metric(*ordered_jobs, percent, times) for times in [once] + draws + without]
            for ordered_jobs in (ordered("fcfs", column), ordered(row["policy"], column))]
    wanted = {"center": both[1]}
    if row["policy"] != "fcfs":
        wanted["difference"] = [b - a for a, b in zip(*both)]
        wanted["ratio"] = [b / a for a, b in zip(*both)]
    for kind, values in wanted.items():
        bounds = bca(values[0], values[1:2001], values[2001:])
        for key, want in ((kind, values[0]), (kind + "_low", bounds[0]), (kind + "_high", bounds[1])):
            assert abs(row[key] - want) <= 1e-6 * abs(want), (row["metric"], row["policy"], key, row[key], want)
    assert row["n"] == len(users) and row["p"] is None and row["lower"] is None
END
    $python again.py || die 'other intervals than in Python'
    printf 'merged: resampled as computed again in Python\n'
fi
printf 'merged: all well\n'
