#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# same_bytes.sh - equal experiments give equal bytes in every dataset, run after run and build
# after build.
#
# usage: same_bytes.sh HSIM...; each binary runs the experiment twice, and the datasets of all
# results, read by h5dump, are compared with those of the first.
set -euo pipefail

command -v h5dump >/dev/null || { printf 'skipped: h5dump (hdf5-tools) is not installed\n' && exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/same.yaml" <<'END'
hsim: 1
platform: {nodes: 64, cores: 1}
workload: {generate: {model: lublin, jobs: 600}}
policies: [fcfs, easy, easy-hosts, conservative, conservative-rebuilt, first-fit, wfp3-easy, unicep, f1-easy, random]
END

# datasets FILE: all datasets as text, without the line that names the file.
datasets()
{
    local name
    local -a arguments=()

    while read -r name; do
        arguments+=(-d "$name")
    done < <(h5ls -r "$1" | awk '$2 == "Dataset" { print $1 }')
    [ "${#arguments[@]}" -gt 20 ] || { printf '%s has fewer datasets than expected\n' "$1" >&2 && exit 1; }
    h5dump "${arguments[@]}" "$1" | sed 1d
}

count=0
for hsim in "$@"; do
    for attempt in 1 2; do
        count=$((count + 1))
        out=$folder/run
        rm -rf "$out"
        mkdir "$out"
        (cd "$folder" && "$hsim" run -q same.yaml -o "$out/" >/dev/null)
        for file in "$out"/*.h5; do
            datasets "$file" >"$folder/$(basename "$file").$count"
        done
        [ "$(find "$out" -name '*.h5' | wc -l)" -eq 10 ] ||
            { printf '%s did not write 10 result files\n' "$hsim" && exit 1; }
        for first in "$folder"/*.h5.1; do
            cmp "$first" "${first%.1}.$count" ||
                { printf '%s, attempt %d: other datasets\n' "$hsim" "$attempt" && exit 1; }
        done
    done
done
printf 'equal datasets in %d runs\n' "$count"
