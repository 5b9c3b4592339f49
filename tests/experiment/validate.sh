#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# validate.sh HSIM ROOT - hsim validate and explain: exit codes, streams, and the sentences for
# every kind of bad file.
set -eu
hsim=$1
root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    printf 'FAILED: %s\n' "$1" >&2
    exit 1
}

# refuse NAME TEXT: `hsim validate NAME` ends with 2, prints nothing on standard output, and its
# standard error holds TEXT.
refuse() {
    status=0
    "$hsim" validate "$1" >out 2>err || status=$?
    [ "$status" -eq 2 ] || fail "$1: exit code $status"
    [ ! -s out ] || fail "$1: wrote to standard output"
    grep -qF -- "$2" err || { cat err >&2 && fail "$1: no '$2'"; }
}

printf 'hsim: 1\nplatform:\n\tnodes: 4\n' >tab.yaml
refuse tab.yaml 'tab.yaml:3:1: A tab indents this line'
printf 'hsim: 1\nplatform: {nodes: 4}\nworkload: w\npolcy: easy\nsed: 1\n' >unknown.yaml
refuse unknown.yaml "unknown.yaml:4:1: Unknown key 'polcy'. Did you mean 'policy'?"
refuse unknown.yaml "unknown.yaml:5:1: Unknown key 'sed'. Did you mean 'seed'?"
printf 'hsim: 1\nhsim: 1\n' >twice.yaml
refuse twice.yaml "twice.yaml:2:1: The key 'hsim' is given twice; the first time is at line 1"
printf 'hsim: 1\nmetrics: {tau: 5 parsec}\n' >unit.yaml
refuse unit.yaml "unit.yaml:2:16: 'metrics.tau' is '5 parsec', and 'parsec' is no unit"
printf 'hsim: 1\nseed: [1, 2]\n' >list.yaml
refuse list.yaml "list.yaml:2:7: 'seed' takes a single value (an integer), not a list."
head -c 100000 /dev/zero | tr '\0' '[' >deep.yaml
refuse deep.yaml 'deep.yaml:1:65: Lists and maps are nested more than 64 deep here.'
printf 'a: &x [*x]\n' >alias.yaml
refuse alias.yaml "alias.yaml:1:8: The alias '*x' stands inside its own anchor"
head -c 5000000 /dev/urandom >binary.yaml
refuse binary.yaml 'binary.yaml:'
head -c 17000000 /dev/zero >huge.yaml
refuse huge.yaml 'huge.yaml: The file is larger than 16 MiB'
: >empty.yaml
refuse empty.yaml 'empty.yaml: The file is empty.'
refuse missing.yaml 'missing.yaml: The experiment cannot be opened: No such file or directory.'
printf 'hsim: 1\nplatform: {nodes: 4}\nworkload: {generate: {}}\npolicies:\n- easyy\n- fcfs\n- {name: depth, kk: 3}\n' >policy.yaml
refuse policy.yaml "policy.yaml:5:3: There is no policy 'easyy'; did you mean 'easy'?"
refuse policy.yaml "policy.yaml:7:3: Policy 'depth' has no parameter 'kk'; did you mean 'k'?"
mkdir folder
refuse folder 'folder: This is a folder.'

# Several files: all are checked, one bad one decides the code.
printf 'hsim: 1\nplatform: {nodes: 4}\nworkload: {generate: {}}\npolicy: easy\n' >good.yaml
status=0
"$hsim" validate tab.yaml good.yaml >out 2>err || status=$?
[ "$status" -eq 2 ] || fail "two files: exit code $status"
grep -qx 'good.yaml: ok' out || fail 'two files: the good one is not reported'

"$hsim" validate good.yaml >out 2>err
[ ! -s err ] || fail 'a valid file: wrote to standard error'
files=("$root"/experiments/*.yaml)
"$hsim" validate "${files[@]}" >out 2>err
[ "$(grep -c ': ok$' out)" -eq "${#files[@]}" ] || fail 'experiments/'

# --set and --resolved; the resolved text is valid and resolves to itself.
"$hsim" validate --set 'policies=[fcfs, easy]' --set seed=9 --resolved good.yaml >both.yaml
[ "$(grep -c '^---$' both.yaml)" -eq 1 ] || fail '--resolved: not two documents'
sed '/^---$/,$d' both.yaml >first.yaml
grep -qx 'seed: 9' first.yaml || fail '--set seed=9'
grep -qx '  name: fcfs' first.yaml || fail '--set policies'
"$hsim" validate --resolved first.yaml >again.yaml
cmp first.yaml again.yaml || fail 'the resolved text does not resolve to itself'
status=0
"$hsim" validate --set polcy=x good.yaml >out 2>err || status=$?
[ "$status" -eq 2 ] || fail "--set polcy: exit code $status"
grep -qF -- "--set 'polcy=x': Unknown key 'polcy'. Did you mean 'policy'?" err || fail '--set polcy'

status=0
"$hsim" validate >out 2>err || status=$?
[ "$status" -eq 2 ] || fail "no file: exit code $status"
grep -qF 'validate needs an experiment.' err || fail 'no file'

"$hsim" explain workload.load | grep -qx '  example   workload: {load: 0.8}' || fail 'explain'
"$hsim" explain | grep -q '^  policy.order ' || fail 'explain without a key'
status=0
"$hsim" explain workload.lod >out 2>err || status=$?
[ "$status" -eq 2 ] || fail "explain lod: exit code $status"
grep -qF "There is no key 'workload.lod'. Did you mean 'workload.load'?" err || fail 'explain lod'
status=0
"$hsim" schema extra >out 2>err || status=$?
[ "$status" -eq 2 ] || fail "schema extra: exit code $status"

echo 'all cases as expected'
