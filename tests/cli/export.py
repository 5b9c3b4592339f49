#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports against what h5py reads from the same files.

`export.py sweep FILE` writes the merged file of a small sweep; `export.py check` compares, in the
folder with the files of export.sh.
"""
import bisect
import collections
import csv
import json
import math
import sqlite3
import sys

import h5py
import numpy


def write_sweep(path):
    """As sim/result/sweep_file.h describes it, but by another hand."""
    status = h5py.enum_dtype({"complete": 0, "failed": 1}, basetype="i1")
    nan = math.nan
    least = -2**63
    with h5py.File(path, "w", track_order=True) as file:
        file.attrs.update(hsim_schema=1, hsim_kind=numpy.bytes_("sweep"),
                          hsim_version=numpy.bytes_("0.1.0"), name=numpy.bytes_("study"))
        file["provenance/config"] = numpy.bytes_("hsim: 1\nsweep: {}\n")

        def column(name, values, dtype=None, **attributes):
            file.create_dataset(name, data=numpy.array(values, dtype=dtype))
            file[name].attrs.update(units=numpy.bytes_(attributes.pop("unit", "1")),
                                    long_name=numpy.bytes_("about " + name), **attributes)
        column("runs/key", [b"%032x" % i for i in range(4)], "S32")
        column("runs/policy", ["easy", "fcfs", "easy", "fcfs, \"all\""], "S16")
        column("runs/seed", [7, 7, 8, 8], "i8")
        column("runs/status", [0, 0, 0, 1], status)
        column("runs/error", [b"", b"", b"", "é cannot be read".encode()], "S20")
        column("params/workload.load", [0.1, 0.1, 0.95, nan], "f8")
        column("params/scheduler.interval", [30, least, 60, 60], "i8", unit="s", missing=least)
        column("params/seed", [7, 7, 8, 8], "i8")
        column("metrics/wait_mean_s", [1.5, 0.1 + 0.2, 3, nan], "f8", unit="s")
        file["raw/00"] = h5py.ExternalLink("runs/00.h5", "/")


def plain(value):
    if isinstance(value, bytes):
        return value.decode()
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def tables_of(path):
    """{table: {column: values}} of a file, enumerations and numbers of names as words."""
    tables = collections.defaultdict(dict)
    with h5py.File(path) as file:
        def visit(name, item):
            if not isinstance(item, h5py.Dataset) or item.ndim != 1:
                return
            table, column = name.rsplit("/", 1)
            values = [plain(value) for value in item[:]]
            words = h5py.check_enum_dtype(item.dtype)
            if words:
                words = {value: word for word, value in words.items()}
                values = [words[value] for value in values]
                values = [v == "TRUE" if v in ("TRUE", "FALSE") else v for v in values]
            if item.dtype == bool:
                values = [bool(value) for value in values]
            if "missing" in item.attrs:
                values = [None if v == item.attrs["missing"] else v for v in values]
            if table == "jobs" and f"dict/{column}" in file:
                names = [plain(text) for text in file[f"dict/{column}/name"][:]]
                values = [None if v < 0 else names[v] for v in values]
            tables[table][column] = (values, plain(item.attrs["units"]),
                                     plain(item.attrs["long_name"]))
        file.visititems(visit)
    if "runs" in tables:
        for table in ("params", "metrics"):
            for column, values in tables.pop(table).items():
                tables["runs"][f"{table}/{column}" if column in tables["runs"] else column] = values
    return tables


def expect(what, got, want):
    if got != want or type(got) is not type(want):
        sys.exit(f"{what}: {str(got)[:300]!r}, not {str(want)[:300]!r}")


def check_json(name):
    with open(f"{name}.json", encoding="utf-8") as text:
        got = json.load(text)
    want = tables_of(f"{name}.h5")
    expect(f"{name}: tables of JSON", sorted(got["tables"]), sorted(want))
    for table, columns in want.items():
        found = got["tables"][table]["columns"]
        expect(f"{name}: {table}", sorted(found), sorted(columns))
        for column, (values, unit, doc) in columns.items():
            expect(f"{name}: {table}/{column}", found[column],
                   {"unit": unit, "doc": doc, "values": values})
            expect(f"{name}: types of {table}/{column}", [type(v) for v in found[column]["values"]],
                   [type(v) for v in values])
            expect(f"{name}: rows", got["tables"][table]["rows"], len(values))
    with h5py.File(f"{name}.h5") as file:
        expect(f"{name}: attributes", got["attributes"]["/"],
               {key: plain(value) for key, value in file.attrs.items()})
        expect(f"{name}: kind", got["kind"], "sweep" if "runs" in file else "run")
        expect(f"{name}: config", got["texts"]["provenance/config"],
               plain(file["provenance/config"][()]))
        if "series" in file:
            expect(f"{name}: attributes of series", got["attributes"]["series"],
                   {key: plain(value) for key, value in file["series"].attrs.items()})


def check_sqlite(name):
    base = sqlite3.connect(f"file:{name}.db?mode=ro", uri=True)
    expect(f"{name}: integrity", base.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
    for table, columns in tables_of(f"{name}.h5").items():
        table = table.removeprefix("platform/").replace("/", "_")
        about = {row[0]: row[1:] for row in base.execute(
            "SELECT column_name, unit, long_name FROM columns WHERE table_name = ?", (table,))}
        expect(f"{name}: columns of {table}", sorted(about), sorted(columns))
        order = {"jobs": "id", "nodes": "id", "devices": "id"}.get(table)
        rank = sorted(range(len(columns[order][0])), key=columns[order][0].__getitem__) if order else None
        for column, (values, unit, doc) in columns.items():
            got = [row[0] for row in base.execute(f'SELECT "{column}" FROM "{table}" ORDER BY rowid')]
            values = [int(v) if isinstance(v, bool) else v for v in values]
            expect(f"{name}: {table}.{column}", got, [values[i] for i in rank] if rank else values)
            expect(f"{name}: about {table}.{column}", about[column], (unit, doc))
    indices = {row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'index'")}
    wanted = {"runs_key"} if name == "sweep" else {"jobs_trace_id", "jobs_start"}
    expect(f"{name}: indices", wanted <= indices, True)
    with h5py.File(f"{name}.h5") as file:
        for key, value in file.attrs.items():
            got = base.execute("SELECT value FROM attributes WHERE object = '/' AND name = ?", (key,))
            expect(f"{name}: attribute {key}", got.fetchone()[0], plain(value))


def slices_of(name):
    """(job, node, device or -1, start, end, amount) of all that jobs held, from the HDF5 file."""
    with h5py.File(f"{name}.h5") as file:
        a = {key: value[:].tolist() for key, value in file["allocations"].items()}
        for i, job in enumerate(a["job"]):
            for node in range(a["first_node"][i], a["first_node"][i] + a["node_count"][i]):
                yield job, node, -1, a["start"][i], a["end"][i], a["cores_milli"][i]
        if "device_allocations" in file:
            node_of = file["platform/devices/node"][:].tolist()
            a = {key: value[:].tolist() for key, value in file["device_allocations"].items()}
            for i, job in enumerate(a["job"]):
                device = a["device"][i]
                yield job, node_of[device], device, a["start"][i], a["end"][i], a["share"][i]


def check_events(name, events):
    """What the UI of Perfetto asks of trace events."""
    names, lanes = {}, collections.defaultdict(list)
    for event in events:
        if event["ph"] == "M" and event["name"].endswith("_name"):
            names[event["pid"], event.get("tid")] = event["args"]["name"]
    threads = [key[1] for key in names if key[1]]
    expect(f"{name}: threads are numbered once", len(threads), len(set(threads)))
    for event in events:
        for key in ("ts", "dur", "pid", "tid"):
            if key in event and type(event[key]) is not int or event.get("dur", 0) < 0:
                sys.exit(f"{name}: {key} of {event}")
        if event["ph"] == "X":
            lanes[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
            expect(f"{name}: the thread has a name", (event["pid"], event["tid"]) in names, True)
    for lane, spans in lanes.items():
        spans.sort()
        for before, after in zip(spans, spans[1:]):
            if after[0] < before[1]:
                sys.exit(f"{name}: {before} and {after} overlap in lane {lane}")
    return names


def check_perfetto(name):
    with open(f"{name}.trace.json", encoding="utf-8") as text:
        events = json.load(text)["traceEvents"]
    names = check_events(name, events)
    got = []
    for event in events:
        if event["ph"] == "X":
            lane, args = names[event["pid"], event["tid"]], event["args"]
            device = -1 if lane.startswith("cores") else int(lane.split(":")[0].split()[-1])
            got.append((args["id"], event["pid"] - 2, device, args["start_ns"], args["end_ns"],
                        args["cores_milli" if device < 0 else "share_milli"]))
            expect(f"{name}: ts", event["ts"], args["start_ns"] // 1000)
            expect(f"{name}: dur", event["dur"], args["end_ns"] // 1000 - args["start_ns"] // 1000)
    expect(f"{name}: slices", sorted(got), sorted(slices_of(name)))
    with h5py.File(f"{name}.h5") as file:
        jobs = {key: file["jobs"][key][:].tolist() for key in ("id", "trace_id", "submit", "start")}
        row_of = {job: row for row, job in enumerate(jobs["id"])}
        for event in events:
            if event["ph"] == "X":
                row = row_of[event["args"]["id"]]
                expect(f"{name}: name", event["name"], f"job {jobs['trace_id'][row]}")
                expect(f"{name}: wait", event["args"]["wait_ns"], jobs["start"][row] - jobs["submit"][row])
        for i, node in enumerate(file["platform/nodes/name"][:]):
            expect(f"{name}: node {i}", names[i + 2, None], node.decode())
        counters = collections.defaultdict(list)
        for event in events:
            if event["ph"] == "C":
                counters[event["name"]].append((event["ts"], *event["args"].values()))
        expect(f"{name}: counters", {"queue", "running", "util_cores"} <= set(counters), True)
        expect(f"{name}: power", "power" in counters, "power" in file["series"])
        times = [time // 1000 for time in file["series/time"][:].tolist()]
        for counter, points in counters.items():
            at = [point[0] for point in points]
            last = {}
            for time, value in zip(times, file["series"][counter][:].tolist()):
                last[time] = value
            for time, value in last.items():
                index = bisect.bisect_right(at, time) - 1
                expect(f"{name}: {counter} begins", index >= 0, True)
                expect(f"{name}: {counter} at {time}", points[index][1] == value, True)


def check_csv():
    with open("sweep.csv", encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    for column, (values, _, _) in tables_of("sweep.h5")["runs"].items():
        for row, value in zip(rows, values):
            got = row[column]
            if value is None:
                expect(f"sweep: {column}", got in ("", "nan"), True)
            else:
                expect(f"sweep: {column}", type(value)(got), value)


def check_module():
    """scripts/hsim.py, with pandas where it is installed."""
    import hsim
    for path, words in (("cut.json", "no such file"), (".", "folder"), ("sweep.csv", "no HDF5 file"),
                        ("sweep.h5", "read_sweep")):
        try:
            hsim.read(path)
            sys.exit(f"hsim.read({path!r}) took it")
        except hsim.HsimError as error:
            expect(f"hsim.read({path!r})", words in str(error), True)
    try:
        import pandas
    except ImportError:
        print("python3-pandas is not installed")
        return
    for name in ("devices", "preempt", "plain"):
        run = hsim.read(f"{name}.h5")
        for table, columns in tables_of(f"{name}.h5").items():
            if table == "summary":
                continue
            frame = run.table(table.removeprefix("platform/").replace("/", "_"))
            for column, (values, unit, doc) in columns.items():
                got = [None if pandas.isna(v) else v for v in frame[column].tolist()]
                expect(f"hsim.py: {name}, {table}.{column}", got, values)
                expect(f"hsim.py: unit of {column}", frame.attrs["units"][column], unit)
        with h5py.File(f"{name}.h5") as file:
            expect("hsim.py: metric", float(run.summary.value["wait_mean_s"]),
                   dict(zip(file["summary/name"][:].tolist(), file["summary/value"][:].tolist()))[b"wait_mean_s"])
            expect("hsim.py: policy", run.policy, plain(file.attrs["policy"]))
    expect("hsim.py: hasattr", [hasattr(run, "jobs"), hasattr(run, "series")], [True, False])
    late = hsim.read("plain.h5", seconds=True)
    expect("hsim.py: seconds", late.jobs.start.tolist(), [v / 1e9 for v in run.jobs.start.tolist()])
    expect("hsim.py: their unit", late.jobs.attrs["units"]["start"], "s")
    held = hsim.read("devices.h5").device_allocations
    with h5py.File("devices.h5") as file:
        node = file["platform/devices/node"][held.device[0]]
        expect("hsim.py: node of a device", held.node[0], plain(file["platform/nodes/name"][node]))
    sweep = hsim.read_sweep("sweep.h5")
    for column, (values, unit, _) in tables_of("sweep.h5")["runs"].items():
        column = column.replace("/", ".")
        got = [None if pandas.isna(v) else v for v in sweep[column].tolist()]
        expect(f"hsim.py: sweep, {column}", got, values)
        expect(f"hsim.py: sweep, unit of {column}", sweep.attrs["units"][column], unit)


if sys.argv[1] == "sweep":
    write_sweep(sys.argv[2])
else:
    for run in ("devices", "preempt", "plain"):
        check_json(run)
        check_sqlite(run)
    for run in ("devices", "preempt"):
        check_perfetto(run)
    check_sqlite("sweep")
    check_csv()
    check_json("sweep")
    check_module()
