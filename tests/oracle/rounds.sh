#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# rounds.sh HSIM SHARED - Gavel's policies in rounds, on two of its traces and its table of throughputs.
# A second program, in Python, adds up the steps of each job over its attempts from the table itself, and
# checks that a job keeps to one type at a time and begins and stops at rounds only. The makespan must lie
# between the optimum of the linear program, which no schedule can beat, and a tenth above it. Fair shares
# that know the throughputs must shorten the mean turnaround against those that do not, and against least
# attained service. (How much is a matter of the load: experiments/README.md.)
set -eu
hsim=$1
shared=${HSIM_SHARED:-$2}
data=$shared/data/gavel
if [ ! -d "$data" ]; then
    echo "skipped: no data of Gavel in '$shared' (set HSIM_SHARED)"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
table=$data/gavel_physical_cluster_throughputs_solo.csv

# Nodes are numbered by name: the fastest come first, where fcfs and las look first.
for each in 4 12 36; do
    "$hsim" platform generate -q -o "$work/p$each.xml" --cores 2 -c "a-v100-:nodes=$each,device=v100-sxm2-16:1" \
        -c "b-p100-:nodes=$each,device=p100-pcie:1" -c "c-k80-:nodes=$each,device=k80-half:1"
    for trace in static60 cont60m; do
        cat >"$work/run.yaml" <<END
hsim: 1
platform: p$each.xml
workload: {file: $data/$trace.trace, format: gavel, throughputs: $table, reference: v100}
speeds: {throughputs: $table}
policies:
  - fcfs
  - las
  - {name: gavel-max-min, aware: false, label: agnostic}
  - gavel-max-min
  - gavel-makespan
  - gavel-throughput
END
        out=$work/$each-$trace
        "$hsim" run "$work/run.yaml" -q -o "$out" 2>"$work/notes"
        for name in fcfs las agnostic gavel-max-min gavel-makespan gavel-throughput; do
            "$hsim" inspect --check "$out/$name.h5" >"$work/check" || { grep -v ' holds ' "$work/check"; exit 1; }
            "$hsim" export "$out/$name.h5" --to csv --table jobs --columns trace_id,submit,start,end >"$out/$name.jobs"
            "$hsim" export "$out/$name.h5" --to csv --table allocations >"$out/$name.held"
        done
        "$hsim" allot "$data/$trace.trace" --throughputs "$table" --workers "v100=$each,p100=$each,k80=$each" \
            -p makespan --json >"$out/bound.json"
    done
done

python3 - "$data" "$table" "$work" <<'END'
import collections, csv, json, re, sys

data, table, work = sys.argv[1:]
types = ["v100", "p100", "k80"]
speed = {}
for row in csv.DictReader(open(table)):
    batch = f" (batch size {row['batch_size']})" if row["batch_size"] else ""
    speed[row["job_type"] + batch, int(row["scale_factor"])] = [float(row[t]) for t in types]

worst_steps = 0
for each in (4, 12, 36):
    for trace in ("static60", "cont60m"):
        rows = [line.rstrip("\n").split("\t") for line in open(f"{data}/{trace}.trace")]
        mean, makespan = {}, {}
        for name in ("fcfs", "las", "agnostic", "gavel-max-min", "gavel-makespan", "gavel-throughput"):
            out = f"{work}/{each}-{trace}/{name}"
            jobs = {int(j["trace_id"]): j for j in csv.DictReader(open(out + ".jobs"))}
            assert len(jobs) == len(rows)
            attempts = collections.defaultdict(lambda: collections.defaultdict(set))
            for a in csv.DictReader(open(out + ".held")):
                first, count = int(a["first_node"]), int(a["node_count"])
                span = float(a["start"]), float(a["end"])
                attempts[int(a["trace_id"])][span] |= set(range(first, first + count))
            for index, row in enumerate(rows):
                scale, steps, rates = int(row[6]), 0, speed[row[0], int(row[6])]
                for (start, end), nodes in attempts[index].items():
                    assert len(nodes) == scale
                    held = {node // each for node in nodes}
                    assert len(held) == 1 or not name.startswith(("gavel", "agnostic"))
                    steps += (end - start) * min(rates[t] for t in held)
                # times are printed to 12 digits, so an attempt is known to a millionth of a second
                difference = abs(steps / int(row[5]) - 1)
                worst_steps = max(worst_steps, difference)
                assert difference < 1e-6, (out, index, steps, row[5])
            if name.startswith(("gavel", "agnostic")) and trace == "static60":
                # all jobs are there at 0, so rounds are multiples of 360 s
                ends = {float(j["end"]) for j in jobs.values()}
                for spans in attempts.values():
                    for start, end in spans:
                        assert start % 360 == 0 and (end % 360 == 0 or end in ends), (out, start, end)
            mean[name] = sum(float(j["end"]) - float(j["submit"]) for j in jobs.values()) / len(jobs)
            makespan[name] = max(float(j["end"]) for j in jobs.values())
        bound = json.load(open(f"{work}/{each}-{trace}/bound.json"))
        bound = [r["optimum"] for r in (bound[0] if isinstance(bound, list) else bound)["results"]][0]
        print(f"{each:2} of each, {trace}: mean turnaround s", {k: round(v) for k, v in mean.items()})
        if trace == "static60":
            print(f"    makespan s, optimum {bound:.0f}", {k: round(v) for k, v in makespan.items()})
            assert all(bound * (1 - 1e-9) <= value for value in makespan.values())
            assert makespan["gavel-makespan"] <= 1.1 * bound
            assert makespan["gavel-makespan"] == min(makespan.values())
        fair = mean["gavel-max-min"]
        print(f"    max-min: x {mean['agnostic'] / fair:.2f} against the agnostic one, x {mean['las'] / fair:.2f} against las")
        assert mean["agnostic"] > fair and mean["las"] > 0.99 * fair  # las does not wait for a round
print(f"oracle: steps of all jobs within {worst_steps:.1e}")
END
