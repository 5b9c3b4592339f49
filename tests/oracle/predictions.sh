#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# predictions.sh HSIM ROOT - EASY by predicted run times, corrected while jobs run: starts, ends and
# predictions of every job, and the metrics, as a second simulator has them (predictions.py).
set -eu
hsim=$1
python=$2/tests/oracle/predictions.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
procs=32
checked=0

die()
{
    printf 'predictions.sh: %s\n' "$*" >&2
    exit 1
}

check() # SEED RULE PREDICTOR
{
    printf 'hsim: 1\nplatform: {nodes: %d, cores: 1}\nworkload: %s.swf\npolicy: {name: %s, predictor: %s}\n' \
        "$procs" "$1" "$2" "$3" >"$work/e.yaml"
    "$hsim" run "$work/e.yaml" -q --force -o "$work/r.h5"
    "$hsim" inspect "$work/r.h5" --check >"$work/check" || die "$*: $(cat "$work/check")"
    "$hsim" run --verify "$work/r.h5" >"$work/check" || die "$*: $(cat "$work/check")"
    python3 "$python" simulate "$work/$1.swf" "$procs" "$2" "$3" >"$work/want.csv"
    "$hsim" export "$work/r.h5" --to csv --columns "trace_id,start,end${4-,predicted}" | tail -n +2 >"$work/got.csv"
    python3 - "$work/got.csv" "$work/want.csv" "${4-,predicted}" <<'END' || die "$* differs"
import sys
from decimal import Decimal
got = [line.strip().split(',') for line in open(sys.argv[1])]
want = [line.strip().split(',') for line in open(sys.argv[2])][:-1]
assert len(got) == len(want), (len(got), len(want))
for mine, other in zip(got, want):
    mine = [int(mine[0])] + [int(Decimal(text) * 10**9) for text in mine[1:]]
    other = [int(text) for text in other][:len(mine)]
    assert mine == other, (mine, other)
END
    checked=$((checked + 1))
}

metrics() # the metrics of the run before
{
    "$hsim" export "$work/r.h5" --to csv --table summary >"$work/summary.csv"
    python3 - "$work/summary.csv" "$work/want.csv" <<'END' || die 'the metrics differ'
import csv
import sys
rows = {row['name']: float(row['value']) for row in csv.DictReader(open(sys.argv[1]))}
want = [float(text) for text in open(sys.argv[2]).read().splitlines()[-1].split(',')]
names = ['predict_error_mean_s', 'predict_error_relative_mean', 'predict_accuracy_mean',
         'predict_under_share', 'predict_corrections']
for name, value in zip(names, want):
    assert abs(rows[name] - value) <= 1e-9 * abs(value), (name, rows[name], value)
assert rows['predict_corrections'] > 0 or rows['predict_under_share'] == 0
END
}

for seed in 1 2 3; do
    python3 "$python" trace "$seed" 1500 "$procs" >"$work/$seed.swf"
    for rule in easy easy-sjbf; do
        check "$seed" "$rule" request ''
        check "$seed" "$rule" oracle
        metrics
        check "$seed" "$rule" last-two
        metrics
    done
done

# The predictor of all policies, and what `clairvoyant: true` is.
printf 'hsim: 1\nplatform: {nodes: %d, cores: 1}\nworkload: 1.swf\npolicies: [easy, {name: easy, predictor: request}, {name: easy, predictor: oracle}]\nscheduler: {predictor: last-two}\n' \
    "$procs" >"$work/all.yaml"
"$hsim" run "$work/all.yaml" -q -o "$work/all"
printf 'hsim: 1\nplatform: {nodes: %d, cores: 1}\nworkload: 1.swf\npolicy: easy\nclairvoyant: true\n' "$procs" \
    >"$work/knows.yaml"
"$hsim" run "$work/knows.yaml" -q -o "$work/knows.h5"
schedule()
{
    "$hsim" export "$1" --to csv --columns trace_id,start,end,hosts
}
[ "$(schedule "$work/all/easy+oracle.h5")" = "$(schedule "$work/knows.h5")" ] ||
    die 'oracle and clairvoyant differ'
[ "$(schedule "$work/all/easy.h5")" != "$(schedule "$work/all/easy+last-two.h5")" ] ||
    die 'last-two changes nothing'

# Passes only now and then, and starts that take a while: corrections still come when due.
for more in 'interval: 30s' 'latency: 7s'; do
    printf 'hsim: 1\nplatform: {nodes: %d, cores: 1}\nworkload: 1.swf\npolicies: [easy, conservative, depth, {name: easy, predictor: rls}, {name: conservative, predictor: factor, factor: 0.3}, {name: las, predictor: last-two}]\nscheduler: {predictor: last-two, %s}\n' \
        "$procs" "$more" >"$work/more.yaml"
    "$hsim" run "$work/more.yaml" -q --force -o "$work/more"
    for file in "$work"/more/*.h5; do
        "$hsim" inspect "$file" --check >/dev/null || die "$file fails its checks"
    done
done

# Where devices differ in speed a prediction is scaled to what the job gets, and so is the limit up to which
# it is corrected: perfect ones stay perfect.
for walltime in scaled fixed; do
    timeout 300 "$hsim" run "$2/experiments/speeds.yaml" -q --force --set workload.generate.jobs=300 \
        --set "speeds.walltime=$walltime" -o "$work/speeds" \
        --set 'policies=[{name: easy, predictor: oracle}, {name: easy, predictor: rls}, {name: conservative, predictor: factor, factor: 0.3}]' ||
        die "speeds, $walltime: ended with $?"
    for file in "$work"/speeds/*.h5; do
        "$hsim" inspect "$file" --check >/dev/null || die "$file fails its checks"
    done
done
"$hsim" run "$2/experiments/speeds.yaml" -q --set workload.generate.jobs=300 --set 'policies=[{name: easy, predictor: oracle}]' \
    -o "$work/perfect.h5"
"$hsim" export "$work/perfect.h5" --to csv --table summary | grep -q '^predict_corrections,0,' ||
    die 'perfect predictions on other devices are corrected'

# refused PATTERN KEYS: the experiment with these policies is refused, with place and reason.
refused()
{
    local code=0

    printf 'hsim: 1\nplatform: {nodes: %d, cores: 1}\nworkload: 1.swf\n%b\n' "$procs" "$2" >"$work/bad.yaml"
    "$hsim" run "$work/bad.yaml" -o "$work/bad.h5" >"$work/out" 2>"$work/err" || code=$?
    [ "$code" -eq 2 ] || die "$2: exit code $code: $(cat "$work/err")"
    grep -qF -- "$1" "$work/err" || die "$2: says '$(cat "$work/err")' and not '$1'"
}
refused "bad.yaml:5:24: There is no predictor 'last-tow'; did you mean 'last-two'?" \
    'policy: easy\nscheduler: {predictor: last-tow}'
refused "bad.yaml:4:9: There is no predictor 'orcle'; did you mean 'oracle'?" 'policy: {name: easy, predictor: orcle}'
refused "bad.yaml:4:9: Parameter 'factor' is '-3'; it must be a number from 0.001" \
    'policy: {name: easy, predictor: factor, factor: -3}'
refused "bad.yaml:4:9: Policy 'easy' has no parameter 'factor'" 'policy: {name: easy, predictor: last-two, factor: 2}'
refused "bad.yaml:4:9: With \`clairvoyant: true\` every policy has the true run time" \
    'policy: {name: easy, predictor: last-two}\nclairvoyant: true'
echo "oracle: $checked schedules by predictions equal a second simulator's, metrics included"
