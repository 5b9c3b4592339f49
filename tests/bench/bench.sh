#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bench.sh - hsim bench: what it prints holds together, nothing stays behind, mistakes are told.
#
# usage: bench.sh HSIM. No time is judged: sanitizers and busy machines are slow.
set -euo pipefail

hsim=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir tmp
export TMPDIR=$folder/tmp

die()
{
    printf 'bench: %s\n' "$*"
    exit 1
}

nothing_stays()
{
    [ -z "$(ls tmp)" ] || die "left in TMPDIR: $(ls -R tmp)"
}

# fails CODE PART...: the rest of the last command; exit code and parts of the message.
fails()
{
    local due=$1 code=0 part

    shift
    "$hsim" bench "${command[@]}" >out 2>err || code=$?
    [ "$code" -eq "$due" ] || die "bench ${command[*]}: exit code $code, not $due: $(cat err)"
    for part in "$@"; do
        grep -qF -- "$part" err || die "bench ${command[*]}: no '$part' in: $(cat err)"
    done
    nothing_stays
}

# JSON of cheap cases, beside the same program.
"$hsim" bench --quick --json --runs 2 --against "$hsim" startup kernel 'easy-flat-1*k' easy-flat-1m \
    >bench.json 2>err || die "$(cat err)"
nothing_stays
python3 - <<'END' || die "JSON: $(cat bench.json)"
import json

bench = json.load(open("bench.json"))
assert bench["quick"] is True and bench["runs"] == 2 and bench["compression"] == 0
cases = {case["name"]: case for case in bench["cases"]}
jobs = {"startup": 100, "easy-flat-10k": 500, "easy-flat-100k": 5000, "easy-flat-1m": 50000, "kernel": 50000}
assert list(cases) == list(jobs), list(cases)
for name, case in cases.items():
    this, other = case["this"], case["other"]
    assert this["jobs"] == other["jobs"] == jobs[name], name
    assert this["events"] == 3 * jobs[name], name
    assert 0 < this["passes"] <= this["events"], name
    assert this["jobs_examined"] >= jobs[name], name
    assert this["cpu_s"] > 0 and this["rss_bytes"] > 1e6, name
    assert abs(this["jobs_per_s"] * this["cpu_s"] - jobs[name]) < 1e-6 * jobs[name], name
    assert case["same_schedule"] is True and len(this["schedule_digest"]) == 32, name
    assert abs(case["cpu_ratio"] - this["cpu_s"] / other["cpu_s"]) < 1e-9, name
    for key in "events", "passes", "jobs_examined", "schedule_digest", "queue_max_jobs":
        assert this[key] == other[key], (name, key)
    if name != "startup":
        assert case["target_cpu_s"] is None, name  # targets are for full sizes
assert cases["startup"]["target_cpu_s"] == 0.05
reference = cases["kernel"]["reference"]
parts = reference["parse_s"] + reference["heap_s"] + reference["log_s"]
assert abs(reference["cpu_s"] - parts) < 1e-9 and min(reference["parse_s"], reference["log_s"]) > 0
assert abs(reference["ratio"] - cases["kernel"]["this"]["cpu_s"] / parts) < 1e-9
marginal = bench["marginal"]
assert [(row["from_jobs"], row["to_jobs"]) for row in marginal] == [(500, 5000), (5000, 50000)]
low, high = cases["easy-flat-100k"]["this"]["cpu_s"], cases["easy-flat-1m"]["this"]["cpu_s"]
assert abs(marginal[1]["cpu_s_per_job"] - (high - low) / 45000) < 1e-12
END

# The table, compressed, with a trace of one's own; ids and times of the repetitions do not collide.
"$hsim" trace generate -q --jobs 300 --nodes 64 --seed 3 -o own.swf.gz
"$hsim" bench --quick --compression --trace own.swf.gz conservative-10k startup >out 2>err || die "$(cat err)"
grep -q 'output deflate-1' out || die "no word of the compression: $(cat out)"
grep -qE '^conservative-10k +500 +[0-9.]+ ' out || die "no line of the case: $(cat out)"
nothing_stays

"$hsim" bench --list >list
for case in startup conservative-10k {fcfs,easy,sjf-easy,wfp3-easy,easy-deep,easy-flat}-1m kernel easy-10m; do
    grep -qE "^$case +[0-9]+ " list || die "--list does not name $case"
done

# Another program that behaves in another way.
printf '#!/bin/sh\necho "no such thing" >&2\nexit 3\n' >bad
chmod +x bad
command=(--quick --against ./bad startup)
fails 1 './bad failed with exit code 3: no such thing'
command=(--quick --against /bin/true startup)
fails 1 'printed no metrics' 'Is it hsim?'
printf 'text\n' >text
command=(--against text startup)
fails 2 "'text' cannot be executed" 'another build'
command=(--against "$folder" startup)
fails 2 'is no program' 'another build'

command=(fcfs-1n)
fails 2 "there is no case 'fcfs-1n'; did you mean 'fcfs-1m'?"
command=(quite-another)
fails 2 "there is no case 'quite-another'; --list"
command=(--runs 0 startup)
fails 2 "the number of runs is '0'; 1 to 100"
command=(--runs many startup)
fails 2 "the number of runs is 'many'; 1 to 100"
command=(--compression=10 startup)
fails 2 "the level of compression is '10'; 1 to 9"
command=(--trace no.swf fcfs-1m)
fails 5 'no.swf: cannot be opened' 'Check the path'
command=(--trace text conservative-10k)
fails 5 'text: holds no job'
command=(--trace own.swf.gz startup)
fails 2 '--trace: none of the chosen cases'
export TMPDIR=$folder/no/such
command=(startup)
fails 1 "in '$folder/no/such'" 'Set TMPDIR'
export TMPDIR=$folder/tmp

# SIGINT in the middle: nothing stays, and the exit code tells.
"$hsim" bench --quick easy-10m >out 2>err &
pid=$!
for _ in $(seq 1000); do
    ls tmp/*/result.h5.part >/dev/null 2>&1 && break
    sleep 0.01
done
kill -INT "$pid"
code=0
wait "$pid" || code=$?
[ "$code" -eq 130 ] || die "SIGINT: exit code $code, not 130: $(cat err)"
grep -q 'temporary files are removed' err || die "SIGINT: $(cat err)"
nothing_stays
printf 'bench: measures, compares, and leaves nothing behind\n'
