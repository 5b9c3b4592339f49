#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sweep_list.sh - hsim sweep --list, and what hsim validate and hsim run say of a sweep.
#
# usage: sweep_list.sh HSIM
set -euo pipefail

hsim=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'sweep_list: %s\n' "$*"
    exit 1
}

cat >e.yaml <<'END'
hsim: 1
platform: {nodes: 16}
workload: {generate: {jobs: 30}}
policies: [easy, {name: sjf-easy, label: short}]
sweep:
  axes: {workload.load: [0.5, 0.70], scheduler.interval: [0s, 1m]}
  exclude: [{workload.load: 0.5, scheduler.interval: 1m}]
  include: [{workload.load: 0.7, scheduler.interval: 0s, policy: easy}, {policy: fcfs}]
END

# Without the keys, which are digests: the last row but one is a run that is there already.
list()
{
    "$hsim" sweep e.yaml -o out --list >listed 2>err || die "--list failed: $(cat err)"
    sed -E 's/ *[0-9a-f]{32}$/ KEY/; s/ with [0-9]+ at a time//; s/about .*/about/' listed
}
list >found
diff found - <<'END' || die 'the list of a new sweep differs'
row  workload.load  scheduler.interval  policy  seed  state    key
  1  0.5            0s                  easy    1     missing KEY
  2  0.5            0s                  short   1     missing KEY
  3  0.70           0s                  easy    1     missing KEY
  4  0.70           0s                  short   1     missing KEY
  5  0.70           1m                  easy    1     missing KEY
  6  0.70           1m                  short   1     missing KEY
  7  0.7            0s                  easy    1     missing KEY
  8  -              -                   fcfs    1     missing KEY
8 rows of 7 runs; 0 finished, 7 missing
END
[ ! -e out ] || die '--list made the folder'
[ "$(sed -n 4p listed | grep -oE '[0-9a-f]{32}')" = "$(sed -n 8p listed | grep -oE '[0-9a-f]{32}')" ] ||
    die 'equal runs have different keys'

# Some are there: those of another sweep in the same folder.
"$hsim" sweep e.yaml -o out -q --set 'sweep={axes: {workload.load: [0.5, 0.7]}}' || die 'the sweep failed'
list >found
diff found - <<'END' || die 'the list of a sweep that has begun differs'
row  workload.load  scheduler.interval  policy  seed  state     key
  1  0.5            0s                  easy    1     finished KEY
  2  0.5            0s                  short   1     finished KEY
  3  0.70           0s                  easy    1     finished KEY
  4  0.70           0s                  short   1     finished KEY
  5  0.70           1m                  easy    1     missing KEY
  6  0.70           1m                  short   1     missing KEY
  7  0.7            0s                  easy    1     finished KEY
  8  -              -                   fcfs    1     missing KEY
8 rows of 7 runs; 4 finished, 3 missing: about
END
"$hsim" sweep e.yaml -o out --list=json >list.json
/usr/bin/python3 - <<'END' || die 'the list as JSON differs'
import json

found = json.load(open("list.json"))
assert (found["rows"], found["runs"], found["finished"], found["failed"]) == (8, 7, 4, 0), found
assert found["missing"] == 3 and found["left_s"] > 0 and found["name"] == "e"
assert found["axes"] == [{"key": "workload.load", "unit": ""}, {"key": "scheduler.interval", "unit": "s"}]
rows = found["list"]
assert rows[5]["axes"] == {"workload.load": 0.7, "scheduler.interval": 60}
assert rows[7]["axes"] == {"workload.load": None, "scheduler.interval": None}
assert [row["policy"] for row in rows] == ["easy", "short"] * 3 + ["easy", "fcfs"]
assert rows[0]["situation"] == rows[1]["situation"] != rows[2]["situation"]
assert rows[2]["key"] == rows[6]["key"] and len({row["key"] for row in rows}) == 7
keys = [row["key"] for row in rows if row["state"] == "finished"]
import os
assert all(os.path.exists(f"out/runs/{key}.h5") for key in keys)
END

# What two rows share is computed, and estimated, once: 4 runs of 2 s.
rm "out/runs/$(sed -n 4p listed | grep -oE '[0-9a-f]{32}').h5"
printf '%s\n' key,status,wall_s,cpu_s,rss_bytes 0123456789abcdef0123456789abcdef,complete,2.000,2.000,1 >out/timings.csv
"$hsim" sweep e.yaml -o out --list=json -j 1 >list.json
grep -qF '"missing": 4, "left_s": 8,' list.json || die "the estimate counts rows: $(head -n 1 list.json)"

# A run by itself has the key of the row.
"$hsim" run e.yaml --set sweep=null --set workload.load=0.7 --set policy=sjf-easy -q -o one.h5 >run.out
key=$(sed -n 5p listed | grep -oE '[0-9a-f]{32}')
"$hsim" inspect one.h5 --json | grep -qF "$key" || die 'hsim run gives another key'

"$hsim" validate e.yaml >valid
grep -qxF '  e: a sweep of 8 runs over workload.load, scheduler.interval; `hsim sweep e.yaml --list` lists them' valid ||
    die "validate says: $(cat valid)"
[ "$("$hsim" validate --resolved e.yaml | grep -c '^hsim: 1$')" -eq 8 ] || die 'validate --resolved does not have 8 runs'
"$hsim" validate --resolved e.yaml | grep -q '^sweep' && die 'a resolved experiment has a sweep'
status=0
"$hsim" run e.yaml >out.txt 2>err || status=$?
[ "$status" -eq 2 ] && [ ! -s out.txt ] || die "run of a sweep: exit code $status"
grep -qF "e.yaml:5:1: 'sweep' makes many runs of this experiment" err || die "run of a sweep says: $(cat err)"
printf 'ok\n'
