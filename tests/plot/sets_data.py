# SPDX-License-Identifier: GPL-3.0-or-later
"""sets_data.py - computes what the figures of sets_figures.sh show from the runs, and compares."""
import csv
import json
import math
import statistics
import sys

# Quantiles 0.975 of Student's t for 1 to 9 degrees of freedom.
STUDENT = [12.706204736432095, 4.302652729696142, 3.182446305284263, 2.7764451051977987, 2.5705818356363146,
           2.4469118511449692, 2.364624251010299, 2.3060041350333704, 2.2621571628540993]
FEW = 5  # below it there is no interval


def check(condition, *words):
    if not condition:
        print("sets_data.py:", *words)
        sys.exit(1)


def near(a, b, tolerance=1e-7):
    return (math.isnan(a) and math.isnan(b)) or abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def same(found, expected, *words):
    check(len(found) == len(expected) and all(near(a, b) for a, b in zip(found, expected)), *words, found, "not",
          expected)


def blocks(name):
    """The blocks of NAME.dat by their titles: rows of numbers."""
    found = {}
    for line in open(name + ".dat", encoding="utf-8"):
        if line.startswith("# block "):
            rows = found[line.split(": ", 1)[1].strip()] = []
        elif line.strip() and not line.startswith("#"):
            rows.append([float(word) for word in line.split()])
    return found


def interval(values):
    """Mean, and the bounds of its interval."""
    mean = statistics.fmean(values)
    if len(values) < FEW:
        return mean, math.nan, math.nan
    half = STUDENT[len(values) - 2] * statistics.stdev(values) / math.sqrt(len(values))
    return mean, mean - half, mean + half


def sweep(name):
    """Runs of a sweep: (policy, axes, stability, metrics)."""
    return [(run["policy"], run["params"], run["stability"], run["metrics"])
            for run in json.load(open(name + ".json", encoding="utf-8"))["runs"]]


def study(seed, policy):
    run = json.load(open(f"study-{seed}-{policy}.json", encoding="utf-8"))["metrics"]
    return run


loads, map_runs, sizes = sweep("loads"), sweep("map"), sweep("sizes")


def stable(runs, metric):
    return [metrics[metric] for _, _, stability, metrics in runs if stability != "unstable"]


def unstable(runs, metric):
    return [metrics[metric] for _, _, stability, metrics in runs if stability == "unstable"]


def check_load():
    found, offered = blocks("load"), blocks("offered")
    unstable_seen = few_seen = 0
    for policy in ("fcfs", "easy", "sjf-easy"):
        means, points, rows, few = [], [], [], []
        for load in (0.5, 0.8, 1.4):
            runs = [run for run in loads if run[0] == policy and run[1]["workload.load"] == load]
            check(len(runs) == 6, policy, load, "has", len(runs), "runs")
            values = stable(runs, "wait_mean_s")
            rows += sorted([load, value] for value in unstable(runs, "wait_mean_s"))
            if values:
                means.append([load, *interval(values), len(values), 6 - len(values)])
                points.append(statistics.fmean(stable(runs, "offered_load")))
            if 1 < len(values) < FEW:
                few += sorted([load, value] for value in values)
        same(sum(found[policy + ", means"], []), sum(means, []), "load", policy)
        same(sorted(sum(found.get(policy + ", unstable runs", []), [])), sorted(sum(rows, [])), policy, "unstable")
        same(sorted(sum(found.get(policy + ", runs of means without an interval", []), [])), sorted(sum(few, [])), policy,
             "few")
        same([row[0] for row in offered[policy + ", means"]], sorted(points), "offered load of", policy)
        unstable_seen += len(rows)
        few_seen += len(few)
    check(unstable_seen > 0 and few_seen > 0, "the data hold no unstable runs, or no few ones")
    # Two seeds: means without intervals.
    for row in blocks("few")["easy, means"]:
        runs = [run for run in map_runs if run[0] == "easy" and run[1]["workload.load"] == row[0] and
                run[1]["scheduler.interval"] == 30]
        values = stable(runs, "wait_mean_s")
        same(row, [row[0], *interval(values), len(values), 2 - len(values)], "few")
        check(math.isnan(row[2]), "an interval of two")


def quantile(values, p):
    values = sorted(values)
    place = (len(values) - 1) * p
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


def check_box():
    found = blocks("box")
    boxes = 0
    for row, policy in enumerate(("fcfs", "easy", "sjf-easy")):
        values = stable([run for run in loads if run[0] == policy and run[1]["workload.load"] == 0.8], "wait_mean_s")
        if len(values) < FEW:
            check(policy not in found, policy, "has a box of", len(values))
            same([value for _, value in found[policy + ", single runs"]], sorted(values), policy)
            continue
        low, middle, high = (quantile(values, p) for p in (0.25, 0.5, 0.75))
        reach = 1.5 * (high - low)
        inside = [value for value in values if low - reach <= value <= high + reach]
        same(found[policy][0], [row, min(inside), low, middle, high, max(inside), len(values)], "box of", policy)
        beyond = sorted(value for value in values if value not in inside)
        same([value for _, value in found.get(policy + ", single runs", [])], beyond, "beyond the box of", policy)
        boxes += 1
    check(boxes > 0, "no box")


def compare_with_easy(policy, metric, function):
    pairs = [(study(seed, policy)[metric], study(seed, "easy")[metric]) for seed in range(1, 6)]
    return [function(own, base) for own, base in pairs]


def check_pairs():
    bars, forest = blocks("bars"), blocks("forest")
    order = [policy for policy in ("conservative", "fcfs", "sjf-easy")]  # that of the files
    for index, policy in enumerate(order):
        rows = bars[f"{policy} / easy"]
        check(len(rows) == 3, rows)
        for place, metric in enumerate(("wait_mean_s", "bsld_mean", "util_alloc")):
            logs = compare_with_easy(policy, metric, lambda own, base: math.log(own / base))
            ratio, low, high = (math.exp(value) for value in interval(logs))
            same(rows[place], [place + 0.8 * ((index + 0.5) / 3 - 0.5), ratio, low, high, 5, 0], "bars", policy, metric)
    rows = forest.get("significant", []) + forest.get("not significant", [])
    compared = {row["policy"]: row for row in csv.DictReader(open("compare.csv", encoding="utf-8"))}
    for index, policy in enumerate(order):
        row = next(row for row in rows if row[1] == index)
        mean, low, high = interval(compare_with_easy(policy, "bsld_mean", lambda own, base: own - base))
        p = float(compared[policy]["p_holm"])
        same(row, [mean, index, low, high, p, 5], "forest", policy)
        check((row in forest.get("significant", [])) == (p < 0.05), policy, "is marked wrongly")


def check_pareto():
    found = blocks("pareto")
    points = {}
    for policy in ("conservative", "easy", "fcfs", "sjf-easy"):
        points[policy] = [interval([study(seed, policy)[metric] for seed in range(1, 6)])
                          for metric in ("wait_mean_s", "util_alloc")]
    front = [p for p, (x, y) in points.items()
             if not any(a[0] <= x[0] and b[0] >= y[0] and (a[0] < x[0] or b[0] > y[0]) for a, b in points.values())]
    expected = {True: [], False: []}
    for policy, (x, y) in points.items():
        expected[policy in front].append([x[0], y[0], x[1], x[2], y[1], y[2], 5, 0])
    for is_front, title in ((True, "points, of the front"), (False, "points, dominated")):
        same(sum(found.get(title, []), []), sum(expected[is_front], []), title)
    # The edge of what the front dominates: down to it, right from it.
    steps = [row for name, rows in found.items() if name.startswith("front") for row in rows]
    corners = sorted((points[policy][0][0], points[policy][1][0]) for policy in front)
    same(sum(steps[1::2], []), sum(map(list, corners), []), "front")


def check_maps():
    for y, wait in enumerate((0, 30, 14400)):
        for x, load in enumerate((0.5, 1.4)):
            place = {}
            for policy in ("easy", "sjf-easy"):
                place[policy] = [run for run in map_runs if run[0] == policy and run[1]["workload.load"] == load and
                                 run[1]["scheduler.interval"] == wait]
            own = place["sjf-easy"]
            rows = [row for part in blocks("heatmap").values() for row in part if row[:2] == [x, y]]
            values = stable(own, "wait_mean_s")
            mean = statistics.fmean(values) if values else math.nan
            check(rows and all(near(row[2], mean) and row[3:5] == [len(values), 2 - len(values)] for row in rows),
                  "map", load, wait, rows, mean)
            logs = [math.log(a[3]["wait_mean_s"] / b[3]["wait_mean_s"]) for a, b in zip(own, place["easy"])
                    if "unstable" not in (a[2], b[2])]
            ratio = math.exp(statistics.fmean(logs)) if logs else math.nan
            rows = [row for part in blocks("ratio").values() for row in part if row[:2] == [x, y]]
            check(rows and all(near(row[2], ratio) and row[3:5] == [len(logs), 2 - len(logs)] for row in rows), "ratio",
                  load, wait, rows, ratio)


def check_scaling():
    found = blocks("scaling")
    for policy in ("fcfs", "easy"):
        x, y = [], []
        for jobs in (50, 100, 200):
            values = stable([run for run in sizes if run[0] == policy and run[1]["workload.generate.jobs"] == jobs],
                            "makespan_s")
            if values:
                x.append(math.log10(jobs))
                y.append(math.log10(statistics.fmean(values)))
        slope, intercept = statistics.linear_regression(x, y)
        title, rows = next((t, r) for t, r in found.items() if t.startswith(policy + ", fit"))
        same(sum(rows, []), [10 ** x[0], 10 ** (intercept + slope * x[0]), 10 ** x[-1],
                             10 ** (intercept + slope * x[-1])], title)
        check(f"{policy}: makespan_s grows as workload.generate.jobs to the power of {slope:.4g} " in
              open("scaling.notes", encoding="utf-8").read(), "the power of", policy, slope)
    # The CPU time of a run is the last that was noted.
    times = {row["key"]: float(row["cpu_s"]) for row in csv.DictReader(open("sizes/timings.csv", encoding="utf-8"))}
    keys = [row for row in csv.DictReader(open("sizes/runs.csv", encoding="utf-8"))]
    states = {run["key"]: run["stability"] for run in json.load(open("sizes.json", encoding="utf-8"))["runs"]}
    for row in blocks("time")["easy, means"]:
        values = [times[run["key"]] for run in keys if run["policy"] == "easy" and
                  float(run["workload.generate.jobs"]) == row[0] and states[run["key"]] != "unstable"]
        same(row[1:2] + row[4:5], [statistics.fmean(values), len(values)], "CPU time")


check_load()
check_box()
check_pairs()
check_pareto()
check_maps()
check_scaling()
