#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# gavel.sh HSIM SHARED - the optima of Gavel's linear programs on 20 instances, and its traces.
# The optima are those of another solver; the shares printed beside each must keep the constraints
# and yield it. The jobs of two traces are compared with a second reader, in Python.
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

"$hsim" allot "$data/lp_oracle_20_instances.json" --json > "$work/got.json"
python3 - "$data/lp_oracle_20_instances.json" "$work/got.json" << 'END'
import json, sys

want, got = (json.load(open(name)) for name in sys.argv[1:])
oracle = {"max-min-fairness": ("opt_max_min_normalised", 1e-5),
          "makespan": ("opt_makespan_lp_seconds", 1e-4),
          "total-throughput": ("opt_sum_throughput", 1e-5)}
assert len(want) == len(got) == 20
worst = dict.fromkeys(oracle, 0.0)
for index, (instance, solved) in enumerate(zip(want, got)):
    jobs, scale = instance["throughput"], instance["scale_factor"]
    workers = instance["num_workers"]
    assert [result["policy"] for result in solved["results"]] == list(oracle)
    for result in solved["results"]:
        name, tolerance = oracle[result["policy"]]
        shares = [job["shares"] for job in result["jobs"]]
        assert len(shares) == len(jobs)
        assert all(x >= 0 for row in shares for x in row)
        assert all(sum(row) <= 1 + 1e-12 for row in shares)
        for w, count in enumerate(workers):
            assert sum(s * row[w] for s, row in zip(scale, shares)) <= count * (1 + 1e-12)
        reached = [sum(t * x for t, x in zip(*pair)) for pair in zip(jobs, shares)]
        value = {"max-min-fairness": lambda: min(s * r / p for s, r, p in zip(
                     scale, reached, instance["proportional_throughput"])),
                 "makespan": lambda: max(n / r for n, r in zip(instance["steps_remaining"], reached)),
                 "total-throughput": lambda: sum(reached)}[result["policy"]]()
        assert abs(value / result["optimum"] - 1) < 1e-9, (index, name, value)
        difference = abs(result["optimum"] / instance[name] - 1)
        worst[result["policy"]] = max(worst[result["policy"]], difference)
        assert difference <= tolerance, (index, name, result["optimum"], instance[name])
print("oracle: 60 optima, largest relative differences",
      ", ".join(f"{name} {value:.1e}" for name, value in worst.items()))
END

table=$data/gavel_physical_cluster_throughputs_solo.csv
for trace in static60 cont60m; do
    "$hsim" trace convert -q "$data/$trace.trace" --throughputs "$table" --reference v100 --strict \
        --to jobs -o - > "$work/$trace.csv"
    python3 - "$data/$trace.trace" "$table" "$work/$trace.csv" << 'END'
import csv, re, sys

rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[1])]
speed = {}
for row in csv.DictReader(open(sys.argv[2])):
    batch = f" (batch size {row['batch_size']})" if row["batch_size"] else ""
    speed[row["job_type"] + batch, int(row["scale_factor"])] = float(row["v100"])
jobs = list(csv.DictReader(open(sys.argv[3])))
assert len(rows) == len(jobs) == 60
for index, (row, job) in enumerate(zip(rows, jobs)):
    run = int(row[5]) / speed[row[0], int(row[6])]
    assert int(job["id"]) == index and job["class"] == row[0], job
    assert float(job["submit"]) == float(row[9])
    assert abs(float(job["run"]) - run) < 1e-8, (job, run)
    assert re.fullmatch(rf"({row[6]}x )?gpu=1", job["demand"].replace(" cores=1", "").replace("cores=1 ", "")), job
END
done
echo "oracle: 120 jobs of 2 traces, with their run times on V100"
