#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# speeds.sh - the class library and the block `speeds` from outside: what is printed, and what is refused.
#
# usage: speeds.sh HSIM SOURCE
set -euo pipefail
export LC_ALL=C

hsim=$(realpath "$1")
golden=$(realpath "$2")/tests/golden/speeds
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'speeds: %s\n' "$*"
    exit 1
}

# says TEXT COMMAND...: the command fails and says so.
says()
{
    local text=$1
    shift
    "$@" >out 2>&1 && die "$* succeeded"
    grep -qF -- "$text" out || die "$* says: $(cat out), not: $text"
}

cat >e.yaml <<END
hsim: 1
platform: $golden/nodes.csv
workload: $golden/jobs.csv
speeds: {classes: [$golden/classes.yaml]}
policy: easy
END

"$hsim" classes | grep -q '^mlperf-3.0-resnet  *a100-sxm4-80 ' || die 'the list of classes'
"$hsim" classes show MLPERF-3.0-resnet | grep -q '  h100-sxm5 .* 108.5 .* 1.994 x .*MLPerf' || die 'a class'
"$hsim" classes show --classes "$golden/classes.yaml" large | grep -q 'v100-sxm2-16 .*cannot run' || die 'a class of a file'
says "did you mean 'mlperf-3.0-resnet'?" "$hsim" classes show mlperf-3-resnet
says 'Say `hsim classes list`' "$hsim" classes lst

run=("$hsim" run e.yaml --force -o r.h5)
"${run[@]}" >/dev/null 2>&1
"$hsim" inspect r.h5 | grep -q '^train  *3  *0  *0 ' || die 'no table of classes'
"$hsim" inspect --json r.h5 | grep -q '"name": "large", "jobs": 2, "killed": 1, "rejected": 1,' || die 'no classes in JSON'
"$hsim" export r.h5 --to csv --table classes --columns name,jobs,killed,rejected | grep -qx 'large,2,1,1' || die 'no classes as CSV'
[ "$("$hsim" export r.h5 --to csv --table models | wc -l)" -gt 1 ] || die 'no models as CSV'
"$hsim" export r.h5 --to csv --columns class,model | grep -q '^train,v100-sxm2-16$' || die 'jobs without names of class and model'
says "speeds.default: The job class 'trainn'" "${run[@]}" --set speeds.default=trainn
says "did you mean 'train'?" "${run[@]}" --set speeds.default=trainn
says "jobs.csv:2: Job 1: The job class 'train'" "${run[@]}" --set 'speeds.classes=[]'
says "no model of the device catalogue; did you mean 'A100'?" "${run[@]}" --set speeds.reference=a1000
says 'it has those of a100-sxm4-40, v100-sxm2-16' "${run[@]}" --set speeds.reference=t4
says "Did you mean 'class'?" "${run[@]}" --set 'speeds.class_map=[{number: 3, clas: hpl}]'
says "did you mean 'hpl'?" "${run[@]}" --set 'speeds.class_map=[{number: 3, class: hpll}]'
says 'x.yaml: The class library cannot be opened' "${run[@]}" --set 'speeds.classes=[x.yaml]'
printf 'classes:\n  - {name: x, reference: a100-sxm4-41, times: {a100-sxm4-40: 1}}\n' >x.yaml
says "x.yaml:2:26: The class 'x' names the model 'a100-sxm4-41'" "${run[@]}" --set 'speeds.classes=[x.yaml]'

"${run[@]}" --set 'speeds={default: mlperf-3.0-resnet}' >out 2>&1
grep -q "6 jobs have classes that are not known, and count as speeds.default: line 2 job 1 (class 'train')" out ||
    die "unknown classes: $(cat out)"
"${run[@]}" --set 'speeds={class_of: user, class_map: [{number: 3, class: hpl}]}' >out 2>&1
grep -q "1 row of speeds.class_map is met by no job: (number 3, class 'hpl')" out || die "unmet rows: $(cat out)"

# Without the block nothing of it is in the file.
printf 'hsim: 1\nplatform: %s/nodes.csv\nworkload: %s/jobs.csv\npolicy: easy\n' "$golden" "$golden" >plain.yaml
"$hsim" run plain.yaml -q -o plain.h5
if "$hsim" export plain.h5 --to csv --columns id,run_ref >out 2>&1 || "$hsim" validate --resolved plain.yaml | grep -q '^speeds:'; then
    die 'a plain run has speeds'
fi
echo 'speeds: the class library and the block speeds'
