#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# init.sh - what `hsim init` writes runs at once, and each idea in it can be uncommented.
#
# usage: init.sh HSIM ROOT. An idea is a run of lines that begin with # and no blank behind it.
set -euo pipefail

hsim=$(realpath "$1")
root=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'init: %s\n' "$*"
    exit 1
}

# refuses STATUS PATTERN ARGUMENT...: ends with the status and a sentence, and writes nothing.
refuses()
{
    local status=0 before
    before=$(find . -type f ! -name refused -exec cksum {} + | sort)
    "$hsim" "${@:3}" >refused 2>&1 || status=$?
    [ "$status" -eq "$1" ] || die "hsim ${*:3}: status $status: $(cat refused)"
    grep -qE -- "$2" refused || die "hsim ${*:3}: '$2' is not in: $(cat refused)"
    [ "$before" = "$(find . -type f ! -name refused -exec cksum {} + | sort)" ] || die "hsim ${*:3}: a file changed"
}

# ideas FILE: uncomments the ideas one by one; each gives a valid experiment that is another one.
ideas()
{
    local file=$1 count number
    count=$(awk '/^ *#[^ ]/ { if (!in_idea) n++; in_idea = 1; next } { in_idea = 0 } END { print n + 0 }' "$file")
    [ "$count" -ge 2 ] || die "$file has $count ideas"
    "$hsim" validate --resolved "$file" >plain.txt
    for ((number = 1; number <= count; number++)); do
        awk -v wanted="$number" '
            /^ *#[^ ]/ { if (!in_idea) n++; in_idea = 1; if (n == wanted) sub(/#/, ""); print; next }
            { in_idea = 0; print }' "$file" >"$(dirname "$file")/idea.yaml"
        "$hsim" validate --resolved "$(dirname "$file")/idea.yaml" >idea.txt 2>&1 ||
            die "idea $number of $file: $(cat idea.txt)"
        ! diff -q plain.txt idea.txt >/dev/null || die "idea $number of $file changes nothing"
    done
    printf '%s: %d ideas\n' "$file" "$count"
}

for kind in first trace devices; do
    "$hsim" init --kind "$kind" "$kind" >init.txt
    grep -qF "hsim run $kind/experiment.yaml" init.txt || die "$kind: $(cat init.txt)"
    (cd "$kind" && "$hsim" run -q experiment.yaml -o results/ >../run.txt 2>&1) || die "$kind: $(cat run.txt)"
    [ "$(find "$kind/results" -name '*.h5' | wc -l)" -ge 3 ] || die "$kind: $(cat run.txt)"
    # Each block at the top is explained: a line of comment stands over it.
    awk '/^[a-z]/ && previous !~ /^#/ && previous !~ /^[a-z]/ && !/ # / { print FILENAME ": not explained: " $0; bad = 1 }
        { previous = $0 } END { exit bad }' "$kind/experiment.yaml"
    ideas "$kind/experiment.yaml"
done

# A sweep: the list of its runs follows from the blocks; where there is `hsim sweep`, it runs.
"$hsim" init --kind sweep sweep >init.txt
grep -qF 'hsim sweep sweep/experiment.yaml' init.txt || die "sweep: $(cat init.txt)"
"$hsim" validate sweep/experiment.yaml | grep -q 'a sweep of 60 runs over workload.load' || die 'sweep: not 4 x 3 x 5 runs'
ideas sweep/experiment.yaml
if "$hsim" help | grep -q '^  sweep '; then
    "$hsim" sweep sweep/experiment.yaml -o sweep/study --set sweep.replications=2 \
        >run.txt 2>&1 || die "sweep: $(cat run.txt)"
    [ "$(find sweep/study/runs -name '*.h5' | wc -l)" -eq 24 ] || die "sweep: $(cat run.txt)"
fi

# Without a name, and as a file.
mkdir here && (cd here && "$hsim" init >/dev/null && "$hsim" validate experiment.yaml >/dev/null)
"$hsim" init my.yaml >/dev/null && cmp my.yaml first/experiment.yaml
"$hsim" init deep.d/ >/dev/null && [ -s deep.d/experiment.yaml ]
refuses 2 'my.yaml is there already' init my.yaml
printf 'mine\n' >first/trace.swf
refuses 2 'experiment.yaml is there already' init first
mkdir other && printf 'mine\n' >other/trace.swf
refuses 2 'trace.swf is there already' init --kind trace other
[ ! -e other/experiment.yaml ] || die 'half of a kind was written'
refuses 2 "no kind 'device'; did you mean 'devices'" init --kind device x
refuses 2 'one too many' init a b
refuses 2 'empty' init ''
refuses 1 'cannot be made|Not a directory' init my.yaml/x

# Names of plug-ins.
"$hsim" policies new good-1 -o plug >/dev/null
[ -s plug/good-1.c ] && [ -x plug/test.sh ] && [ -s plug/.gitignore ] || die 'files are missing'
grep -q 'hs_policy_good_1' plug/good-1.c || die 'the identifier is not that of the name'
refuses 2 'good-1.c is there already' policies new good-1 -o plug
refuses 2 "built-in reservation rule; did you mean another, for instance 'my-easy'" policies new easy
refuses 2 'built-in order with a reservation rule' policies new sjf-easy
refuses 2 "did you mean 'my-policy'" policies new My_Policy
refuses 2 'at most 48' policies new ''
refuses 2 'at most 48' policies new ../x
refuses 2 "did you mean 'reserve'" policies new x --kind reserv
[ "$(find "$root/policies/templates" -type f | wc -l)" -eq 10 ] || die 'a template is not tested'
printf 'experiments and plug-ins to begin with hold\n'
