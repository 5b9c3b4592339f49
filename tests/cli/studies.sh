#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# studies.sh - every study of experiments/ can be carried out: the lines of its `commands`, with a
# smaller sweep, leave a merged file without failures and all the figures that they name.
# usage: studies.sh HSIM ROOT
set -euo pipefail

hsim=$1
root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die()
{
    printf 'studies.sh: %s\n' "$*" >&2
    exit 1
}

command -v gnuplot >/dev/null || {
    echo 'skipped: gnuplot is not there'
    exit 77
}
mkdir "$work/scripts"
cp -r "$root"/{experiments,platforms,workloads} "$work"
cp "$root"/scripts/{study,lib.sh,packages.txt} "$work/scripts"
studies=0
for commands in "$work"/experiments/*/commands; do
    name=$(basename "$(dirname "$commands")")
    smaller='--set sweep.replications=2'
    case $name in
    backfilling | estimates) smaller="$smaller --set workload.generate.jobs=1500" ;;
    energy | mapping) smaller="$smaller --set workload.generate.jobs=300" ;;
    esac
    sed -i "s/^hsim sweep .*/& $smaller/" "$commands"
    HSIM=$hsim "$work/scripts/study" "$name" >"$work/out" 2>"$work/err" ||
        die "$name: $(tail -n 3 "$work/err")"
    grep -qE "^results/$name: [1-9][0-9]* runs, [1-9][0-9]* finished, 0 failed, 0 left$" "$work/out" ||
        die "$name: $(head -n 3 "$work/out")"
    figures=0
    for figure in $(grep -o "results/$name/[a-z-]*\.pdf" "$commands"); do
        [ "$(head -c 4 "$work/$figure")" = %PDF ] || die "$name: there is no $figure"
        figures=$((figures + 1))
    done
    [ "$figures" -ge 2 ] || die "$name: $figures figures"
    grep -q "scripts/study $name" "$root/experiments/README.md" || die "$name is not in the README"
    studies=$((studies + 1))
done
[ "$studies" -ge 5 ] || die "only $studies studies"
if HSIM=$hsim "$work/scripts/study" no-such >"$work/out" 2>"$work/err"; then
    die 'a study that is not there was carried out'
fi
grep -q "there is no study 'no-such'" "$work/err" || die "$(cat "$work/err")"
