#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# compare.sh HSIM - `hsim compare` against the same figures computed in Python, what is a pair and what
# is not, runs that are left out, bad input; and `hsim inspect --warmup`.
set -euo pipefail

hsim=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'compare: %s\n' "$*"
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

cat >study.yaml <<'END'
hsim: 1
platform: {nodes: 128, cores: 1}
workload: {generate: {model: lublin, jobs: 600}, load: 0.3}
policies: [easy, sjf-easy, smallest-easy]
END
for seed in 1 2 3 4 5 6; do
    "$hsim" run study.yaml -q --set seed=$seed -o "study/$seed/"
done

# --- the figures, computed again from the metrics of the files
run 0 compare study -f json -m wait_mean_s,util_alloc
cp out study.json
for file in study/*/*.h5; do
    "$hsim" inspect --json "$file"
done >inspected.json
cat >again.py <<'END'
import itertools, json, math
decoder, text, runs = json.JSONDecoder(), open("inspected.json").read().strip(), {}
while text:
    run, end = decoder.raw_decode(text)
    text = text[end:].strip()
    metrics = run.get("summary") or run["metrics"]
    if isinstance(metrics, dict):
        values = {k: v["value"] if isinstance(v, dict) else v for k, v in metrics.items()}
    else:
        values = {m["name"]: m["value"] for m in metrics}
    runs[run["attributes"]["policy"], run["attributes"]["seed"]] = values
T5 = 2.570581835636314  # t of 5 degrees of freedom at 0.975, from tables: 2.571

def near(got, want, what):
    assert abs(got - want) <= 1e-9 * max(1, abs(want)), (what, got, want)

def interval(values):
    n, mean = len(values), math.fsum(values) / len(values)
    half = T5 * math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1) / n)
    return mean, mean - half, mean + half

def signed_rank(d):
    d = [x for x in d if x]
    rank = [sum(abs(y) < abs(x) for y in d) + (sum(abs(y) == abs(x) for y in d) + 1) / 2 for x in d]
    low = min(sum(r for r, x in zip(rank, d) if x > 0), sum(r for r, x in zip(rank, d) if x < 0))
    hits = sum(sum(r for r, s in zip(rank, signs) if s) <= low
               for signs in itertools.product((0, 1), repeat=len(d)))
    return min(1, 2 * hits / 2 ** len(d))

report = json.load(open("study.json"))
assert report["baseline"] == "easy" and report["runs"] == 18 and report["situations"] == 6
assert report["paired"] is True and report["level"] == 0.95
assert len(report["notes"]) == 1 and report["notes"][0].startswith("p of 6 pairs is at least 0.031,")
assert len(report["rows"]) == 6
for metric in ("wait_mean_s", "util_alloc"):
    rows = {r["policy"]: r for r in report["rows"] if r["metric"] == metric}
    base = [runs["easy", s][metric] for s in range(1, 7)]
    near(rows["easy"]["center"], math.fsum(base) / 6, "mean")
    assert rows["easy"]["difference"] is None and rows["easy"]["p"] is None
    p = {}
    for policy in ("sjf-easy", "smallest-easy"):
        row, own = rows[policy], [runs[policy, s][metric] for s in range(1, 7)]
        d = [a - b for a, b in zip(own, base)]
        assert row["n"] == row["pairs"] == 6 and row["unstable"] == 0
        for name, want in zip(("difference", "difference_low", "difference_high"), interval(d)):
            near(row[name], want, name)
        logs = interval([math.log(a / b) for a, b in zip(own, base)])
        for name, want in zip(("ratio", "ratio_low", "ratio_high"), logs):
            near(row[name], math.exp(want), name)
        p[policy] = signed_rank(d)
        near(row["p"], p[policy], "p")
        wins = sum(x < 0 for x in d) if metric == "wait_mean_s" else sum(x > 0 for x in d)
        assert row["wins"] == wins and row["equal"] == sum(x == 0 for x in d), (policy, row)
        assert row["wins"] + row["losses"] + row["equal"] == 6
    first, second = sorted(p, key=p.get)
    near(rows[first]["p_holm"], min(1, 2 * p[first]), "holm")
    near(rows[second]["p_holm"], max(min(1, 2 * p[first]), p[second]), "holm")
END
python3 again.py >out 2>err || die 'the figures'

# --- the same again, from files named one by one; and the other formats say the same
run 0 compare study -f json -m wait_mean_s,util_alloc
cmp out study.json || die 'another time, other bytes'
run 0 compare study/*/*.h5 -f json -m wait_mean_s,util_alloc
cmp out study.json || die 'files instead of the folder'
run 0 compare study -f csv -m wait_mean_s,util_alloc
python3 - <<'END' || die 'CSV'
import csv, json
rows = list(csv.DictReader(open("out")))
for row, want in zip(rows, json.load(open("study.json"))["rows"], strict=True):
    assert row["baseline"] == "easy" and row["statistic"] == "mean" and row["level"] == "0.95"
    for name, value in want.items():
        assert row[name] == ("" if value is None else row[name])
        assert isinstance(value, str) or value is None or float(row[name]) == value, (name, row)
END
run 0 compare study -m util_alloc
says out '18 runs, 3 policies, in 6 situations; baseline easy'
says out 'higher is better'
run 0 compare study -m util_alloc -f markdown
[ "$(grep '^|' out | tr -cd '|\n' | sort -u)" = '||||||||||' ] || die 'cells of Markdown'
run 0 compare study -m util_alloc -f latex
[ "$(grep -c ' & .* & .* & .* & .* & .* & .* & .* & .*\\\\$' out)" -eq 4 ] || die 'rows of LaTeX'
says out '95 \% interval'
run 0 compare study -m wait_mean_s --baseline sjf-easy --level 99 --median
says out 'baseline sjf-easy'
says out 'median'
says out '99 % interval'
run 0 compare study
says out 'bsld_mean (1)'
! grep -q energy out || die 'energy of runs without energy'

# --- few pairs, one run, no pairs
run 0 compare study/[1234] -m wait_mean_s
says out 'Fewer than 5 pairs'
[ "$(grep -c '^values of .*: [0-9.]* [0-9.]* [0-9.]* [0-9.]*$' out)" -eq 3 ] || die 'single values'
! grep -q '\[' out || die 'an interval of four pairs'
run 0 compare study/1 -m wait_mean_s
says out 'One run per policy: one trace is one sample'
run 2 compare study/1/easy.h5 study/2/sjf-easy.h5
says err "study/1/easy.h5 (easy) has no counterpart under 'sjf-easy'; the nearest, study/2/sjf-easy.h5, differs in seed (1, there 2)."
says err '2 runs without a counterpart: nothing is compared.'
run 0 compare study/[12345]/easy.h5 study/[23456]/sjf-easy.h5 -m wait_mean_s --unpaired
says out 'not paired, at most 5 runs a policy'
says out 'Not paired: the workloads themselves differ'
grep -qE '^sjf-easy +5 .*\[.*\] .*\[.*\] +- +-$' out || die 'Welch'

# --- a key that is itself compared
"$hsim" run study.yaml -q --set scheduler.interval=10m -o slow/
run 2 compare study/1/easy.h5 slow/sjf-easy.h5 -m wait_mean_s
says err 'differs in scheduler.interval (0s, there 10m).'
run 0 compare study/1/easy.h5 slow/easy.h5 -m wait_mean_s --by scheduler.interval
says out 'easy scheduler.interval=10m'
says out '2 policies, in 1 situation'
run 2 compare study/1 --by scheduler.intervall
says err "did you mean 'scheduler.interval'?"

# --- workload files count by their bytes, not their names
for i in $(seq 60); do
    echo "$i $((i * 40)) -1 100 $((i % 7 + 1)) -1 -1 $((i % 7 + 1)) 200 -1 1 1 1 1 1 1 -1 -1"
done >one.swf
mkdir other
cp one.swf other/two.swf
sed 's/ 100 / 101 /' one.swf >third.swf
printf 'hsim: 1\nplatform: {nodes: 8, cores: 1}\nworkload: one.swf\npolicy: fcfs\n' >trace.yaml
"$hsim" run trace.yaml -q -o one.h5
"$hsim" run trace.yaml -q --set workload=other/two.swf --set policy=easy -o two.h5
"$hsim" run trace.yaml -q --set workload=third.swf --set policy=easy -o three.h5
run 0 compare one.h5 two.h5 -m wait_mean_s
says out '2 policies, in 1 situation'
run 2 compare one.h5 three.h5
says err 'differs in workload.file (one.swf, there third.swf)'
cp third.swf one.swf
"$hsim" run trace.yaml -q --set policy=easy -o changed.h5
run 2 compare one.h5 changed.h5
says err 'differs in workload.file (one.swf, there one.swf, with other content)'
for seed in 1 2 3 4 5; do
    "$hsim" run trace.yaml -q --set seed=$seed --set policy=easy -o "t$seed.h5"
    "$hsim" run trace.yaml -q --set seed=$seed -o "f$seed.h5"
done
run 0 compare t?.h5 f?.h5 -m wait_mean_s
says out 'All runs replay the same window of one trace, which is one sample'

# --- a backlog that grows: marked, left out and said
for seed in 1 2 3 4 5; do
    "$hsim" run study.yaml -q --set seed=$seed --set workload.load=3 -o "over/$seed/"
done
run 0 compare over -m wait_mean_s
[ "$(grep -c ' 0 (5 unstable) ' out)" -eq 3 ] || die 'overload is not seen'
says out 'Left out, since the backlog grows through the window'
says out 'over/1/easy.h5'
run 0 inspect over/1/easy.h5
says out 'unstable: waiting jobs ask for'
run 0 inspect study/1/easy.h5
! grep -q unstable out || die 'a stable run is called unstable'
"$hsim" run study.yaml -q --set workload.load=3 --set output.series=none -o blind/
run 0 compare blind -m wait_mean_s
[ "$(grep -c ' 0 (1 unstable) ' out)" -eq 3 ] || die 'overload is not seen without a series'
"$hsim" run study.yaml -q --set workload.load=3 --set output.series=10m -o means/
run 0 compare means -m wait_mean_s
[ "$(grep -c ' 0 (1 unstable) ' out)" -eq 3 ] || die 'overload is not seen in means'

# --- bad input
run 2 compare
says err 'Which runs?'
run 5 compare nothing.h5
says err 'nothing.h5: the result file cannot be opened'
run 5 compare study.yaml
says err 'this is no HDF5 file'
head -c 20000 study/1/easy.h5 >cut.h5
run 5 compare study/1/sjf-easy.h5 cut.h5
says err 'cut.h5: '
cp study/1/easy.h5 half.h5.part
run 5 compare half.h5.part
says err 'unfinished file'
mkdir empty
run 5 compare empty
says err 'empty: the folder holds no complete result'
run 2 compare study/1/easy.h5 study/1/../1/easy.h5
says err 'the file is named twice'
cp study/1/easy.h5 copy.h5
run 2 compare study/1 copy.h5
says err "study/1/easy.h5 and copy.h5 are both runs of 'easy'"
run 2 compare study -m wait_meen_s
says err "no metric 'wait_meen_s' was recorded; did you mean 'wait_mean_s'?"
run 2 compare study -m energy_total_j
says err "no metric 'energy_total_j' was recorded"
run 2 compare study -m wait_mean_s,,bsld_mean
says err 'empty name'
run 2 compare study -m bsld_mean,bsld_mean
says err "names 'bsld_mean' twice"
run 2 compare study -b esay
says err "did you mean 'easy'?"
for level in 1 0.95 100 x; do
    run 2 compare study --level $level
    says err "--level is '$level'"
done
run 2 compare study --format tex
says err "--format is 'tex'; text, markdown, latex, csv or json is due (did you mean text?)."
run 2 compare study --median --unpaired
run 2 compare study --seed -1

# --- an interrupted run is refused by name and left out of a folder
env --default-signal=INT "$hsim" run study.yaml -q --set workload.generate.jobs=3000000 \
    --set workload.load=0 -o long/ >out 2>err &
pid=$!
for _ in $(seq 1000); do # some chunks of jobs are in the file
    [ "$(stat -c %s long/easy.h5.part 2>/dev/null || echo 0)" -gt 1000000 ] && break
    sleep 0.01
done
kill -INT "$pid"
status=0
wait "$pid" || status=$?
[ "$status" -eq 130 ] || die "the interrupted run ended with $status"
run 5 compare long/easy.interrupted.h5
says err 'the run was interrupted'
cp study/1/*.h5 long/
run 0 compare long -m wait_mean_s
says out '1 interrupted run of the folders is left out.'

# --- warm-up: what is suggested can be measured with
run 0 inspect --warmup study/1/easy.h5
grep -qE '^wait +[0-9]+ +[0-9.-]+' out || die 'no row of waits'
grep -qE 'MSER-5 suggests measure.warmup: [0-9.]+s\.|No warm-up is suggested' out || die 'no suggestion'
run 0 inspect --warmup over/1/easy.h5
says out 'No warm-up is suggested: the backlog grows through the window'
run 2 inspect --warmup --json study/1/easy.h5
run 0 run study.yaml -q --set workload.generate.jobs=20 -o few/
run 5 inspect --warmup few/easy.h5
says err '20 jobs ran, and MSER-5 needs at least 50.'
printf 'compare: as computed again in Python\n'
