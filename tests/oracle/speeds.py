# SPDX-License-Identifier: GPL-3.0-or-later
# speeds.py HSIM EXPERIMENT WORK - runs an experiment with speeds and computes every duration, model, bounded
# slowdown and the tables of classes and models again from the class library, the device catalogue and
# what the jobs held. Shares no code with hsim; all times are integers of nanoseconds.
import csv
import io
import json
import math
import subprocess
import sys
from decimal import Decimal

hsim, experiment, work = sys.argv[1:4]
ONE = 1 << 40
is_fixed = "speeds.walltime=fixed" in sys.argv
problems = []


def run(*words):
    return subprocess.run([hsim, *words], check=True, capture_output=True, text=True).stdout


def table(path, name, *columns):
    more = ["--columns", ",".join(columns)] if columns else []
    return list(csv.DictReader(io.StringIO(run("export", path, "--to", "csv", "--table", name, *more))))


def ns(text):
    return int(Decimal(text) * 10**9)


def complain(text):
    problems.append(text)


classes = {c["name"]: c for c in json.loads(run("classes", "list", "--json"))}
catalogue = {d["model"]: d for d in json.loads(run("platform", "devices", "list", "--json"))}


def figure(model, name):
    return catalogue[model]["figures"].get(name, {}).get("value", 0)


def figures(kind, model):
    """The peak that a fallback means, and the measured fraction of it."""
    if kind == "bandwidth":
        return figure(model, "memory.bandwidth"), figure(model, "efficiency.stream")
    if kind == "fp64":
        return max(figure(model, "peak.fp64"), figure(model, "peak.fp64-matrix")), 0
    if kind == "fp32":
        return figure(model, "peak.fp32"), 0
    if kind == "half":
        names = ("peak.fp16-matrix", "peak.bf16-matrix", "peak.fp16")
        return max(figure(model, n) for n in names), figure(model, "efficiency.matmul")
    return 0, 0


def measured(c, model, scale):
    """Time on the model over that on the reference; None: not measured."""
    if model == c["reference"]:
        return 1.0
    values = {(e["model"], e["scale"]): e["value"] for e in c["entries"]}
    common = [s for (m, s) in values if m == model and values.get((c["reference"], s), 0) > 0]
    if not common:
        return None
    below = [s for s in common if s <= scale]
    s = max(below) if below else min(common)
    value, base = values[model, s], values[c["reference"], s]
    if value == 0:
        return 0.0
    return base / value if c["values"] == "rates" else value / base


def ratio(kind, model, other, has_fractions):
    (a, fa), (b, fb) = figures(kind, model), figures(kind, other)
    if a <= 0 or b <= 0:
        return None
    if has_fractions and fa > 0 and fb > 0:
        return (a * fa) / (b * fb)
    return a / b


def factor(c, model, scale):
    found = measured(c, model, scale)
    if found is not None:
        return found
    if c["fallback"] == "none" or model not in catalogue:
        return 0.0
    best = None
    for other in sorted({e["model"] for e in c["entries"]}):
        known = measured(c, other, scale)
        peaks = ratio(c["fallback"], model, other, False)
        if catalogue[other]["kind"] != catalogue[model]["kind"] or not known or peaks is None:
            continue
        distance = 1 / peaks if peaks < 1 else peaks
        key = (distance, other != c["reference"], other)
        if best is None or key < best[0]:
            best = (key, known / ratio(c["fallback"], model, other, True))
    if best:
        return best[1]
    if "cpu" in (catalogue[model]["kind"], catalogue[c["reference"]]["kind"]):
        return 0.0
    found = ratio(c["fallback"], model, c["reference"], True)
    return 1 / found if found else 0.0


def fixed(value):
    return math.floor(value * ONE + 0.5)


def scaled(time, f):
    if time <= 0:
        return time
    return max(1, (time * f + ONE // 2) // ONE)


def close(a, b):
    return (a is None and b is None) or (a is not None and b is not None and abs(a - b) <= 1e-9 * abs(b))


class Part:
    def __init__(self):
        self.jobs = self.killed = self.rejected = 0
        self.wait = self.run = self.ref = self.devices = self.cores = 0
        self.slowdown = self.bsld = 0.0


def mean(total, count):
    return total / count if count else None


def check(path, summary):
    nodes = processors(path)
    devices = {int(d["id"]): d for d in table(path, "devices")}
    held = {}
    for row in table(path, "device_allocations"):
        held.setdefault(int(row["job"]), []).append((int(row["device"]), int(row["share"])))
    spans, tasks = {}, {}
    for row in table(path, "allocations"):
        job = int(row["job"])
        first, count = int(row["first_node"]), int(row["node_count"])
        spans.setdefault(job, []).extend(range(first, first + count))
        tasks[job] = tasks.get(job, 0) + count * int(row["cores_milli"])
    by_class, by_model = {}, {}
    columns = ("id", "class", "model", "submit", "start", "end", "runtime", "run_ref", "req_time",
               "state", "slowdown_ref", "bsld")
    count = 0
    for row in table(path, "jobs", *columns):
        job = int(row["id"])
        name = row["class"] if row["class"] != "-" else None
        if row["state"] == "rejected":
            by_class.setdefault(name, Part()).rejected += 1
            continue
        start, end, ref = ns(row["start"]), ns(row["end"]), ns(row["run_ref"])
        scale = len(held.get(job, [])) or 1
        models = [devices[d]["model"] for d, _ in held[job]] if job in held else [nodes[n] for n in spans[job]]
        factors = [ONE if name is None else fixed(factor(classes[name], m, scale)) for m in models]
        slowest = max(range(len(models)), key=lambda i: (factors[i], -i))
        if min(factors) == 0:
            complain(f"job {job} of class {name} ran on {models}, where it cannot")
        due = scaled(ref, factors[slowest])
        is_killed = is_fixed and due > ns(row["req_time"])
        due = ns(row["req_time"]) if is_killed else due
        if end - start != due or is_killed != (row["state"] == "killed"):
            complain(f"job {job} ({name}, {row['state']}) took {end - start} ns on {models}, not {due}")
        if row["model"] != models[slowest]:
            complain(f"job {job} computed on {models[slowest]}, not {row['model']}")
        turnaround = end - ns(row["submit"])
        bsld = max(1.0, turnaround / max(ref, 10 * 10**9))
        if not close(float(row["bsld"]), bsld) or not close(float(row["slowdown_ref"]), turnaround / ref):
            complain(f"job {job}: bsld {row['bsld']}, slowdown_ref {row['slowdown_ref']}")
        for part in (by_class.setdefault(name, Part()), by_model.setdefault(models[slowest], Part())):
            part.jobs += 1
            part.killed += row["state"] == "killed"
            part.wait += start - ns(row["submit"])
            part.run += end - start
            part.ref += ref
            part.devices += sum(s for _, s in held.get(job, [])) * (end - start)
            part.cores += tasks[job] * (end - start)
            part.slowdown += turnaround / ref
            part.bsld += bsld
        count += 1
    for given, parts in ((summary["classes"], by_class), (summary["models"], by_model)):
        for got in given:
            want = parts.get(None if got["name"] == "-" else got["name"], Part())
            figures_of = {
                "jobs": want.jobs, "killed": want.killed, "rejected": want.rejected,
                "wait_mean_s": mean(want.wait / 1e9, want.jobs), "run_mean_s": mean(want.run / 1e9, want.jobs),
                "run_ref_mean_s": mean(want.ref / 1e9, want.jobs),
                "slowdown_ref_mean": mean(want.slowdown, want.jobs), "bsld_mean": mean(want.bsld, want.jobs),
                "device_time_s": want.devices / 1e12, "core_time_s": want.cores / 1e12,
            }
            for key, value in figures_of.items():
                if not close(got[key], value):
                    complain(f"{path}: {got['name']}: {key} is {got[key]}, not {value}")
    return count


def processors(path):
    """The model of each node's processors, by index."""
    names = [n["name"] for n in table(path, "nodes")]
    shown = json.loads(run("platform", "show", "--json", "--hosts", platform))
    models = {h["name"]: h["model"] for h in shown["hosts"]}
    return [models[n] for n in names]


platform = None
for line in open(experiment):
    if line.startswith("platform:"):
        platform = experiment.rsplit("/", 1)[0] + "/" + line.split()[1]
output = json.loads(run("run", experiment, "--json", "-o", work + "/out/", *sys.argv[4:]))
total = 0
for result in output["runs"]:
    total += check(result["file"], result)
    run("inspect", "--check", result["file"])
    run("run", "--verify", result["file"])
for text in problems[:10]:
    print(text)
if problems:
    sys.exit(f"{len(problems)} differences")
print(f"{total} jobs of {len(output['runs'])} runs: durations, models, slowdowns and tables equal")
