# SPDX-License-Identifier: GPL-3.0-or-later
"""data.py - computes what the figures of data.sh show from exported tables, and compares."""
import csv
import math
import sys


def blocks(name):
    """The blocks of NAME.dat: (title, columns, rows)."""
    found = []
    for line in open(name + ".dat", encoding="utf-8"):
        if line.startswith("# block "):
            found.append([line.split(": ", 1)[1].strip(), None, []])
        elif line.startswith("# ") and found and found[-1][1] is None:
            found[-1][1] = line[2:].split()
        elif line.strip() and not line.startswith("#"):
            found[-1][2].append([float(word) for word in line.split()])
    return found


def table(name):
    with open(name + ".csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check(condition, *words):
    if not condition:
        print("data.py:", *words)
        sys.exit(1)


def near(a, b, scale=1.0):
    return abs(a - b) <= 1e-8 * max(scale, abs(a), abs(b))


def check_distribution(name, metric, low, is_above):
    values = sorted(float(job[metric]) for job in table("jobs") if job["measured"] == "1")
    ((_, columns, rows),) = blocks(name)
    check(columns[0].startswith(metric + "["), columns)
    check(rows[0][0] == low, "the curve begins at", rows[0])
    share = {}  # of jobs up to each value, or above
    for count, value in enumerate(values, 1):
        share[value] = (len(values) - count if is_above else count) / len(values)
    zero = sum(value <= low for value in values) / len(values)
    check(near(rows[0][1], 1 - zero if is_above else zero), name, "begins with", rows[0], zero)
    for x, y in rows[1:-1]:
        at = min(share, key=lambda value: abs(value - x))  # the data have ten digits
        check(abs(at - x) <= 1e-9 * x and near(share[at], y), name, x, y, share[at])
    check(near(rows[-1][0], values[-1]), name, "ends at", rows[-1])
    # Between the steps that are drawn the curve is nowhere off by more than one of them.
    drawn = 0
    for value in values:
        while drawn + 1 < len(rows) and rows[drawn + 1][0] <= value * (1 + 1e-9):
            drawn += 1
        if value >= low and drawn + 1 < len(rows):
            check(abs(rows[drawn][1] - share[value]) < 0.001, name, value, rows[drawn], share[value])


def levels(series, column, factor):
    """The column as (time since the first, value), and the end."""
    begin = float(series[0]["time"])
    return [(float(row["time"]) - begin, factor * float(row[column])) for row in series]


def check_exact(rows, changes, begin=0.0, end=math.inf):
    """Each value at its beginning, and the last once more at the end."""
    end = min(end, changes[-1][0])
    wanted = []
    for (time, value), (until, _) in zip(changes, changes[1:]):
        if max(time, begin) < min(until, end) and (not wanted or wanted[-1][1] != value):
            wanted.append([max(time, begin), value])
    wanted.append([end, wanted[-1][1]])
    check(len(rows) == len(wanted), rows, wanted)
    for row, want in zip(rows, wanted):
        check(near(row[0], want[0]) and near(row[1], want[1]), row, want)


def stretches(changes, count):
    """Of `count` equal stretches: centre, mean, least, greatest."""
    end = changes[-1][0]
    width = end / count
    for i in range(count):
        low, high = i * width, (i + 1) * width
        parts = []
        for (time, value), (until, _) in zip(changes, changes[1:]):
            held = min(until, high) - max(time, low)
            if held > 1e-9 * width:
                parts.append((held, value))
        mean = sum(held * value for held, value in parts) / sum(held for held, _ in parts)
        values = [value for _, value in parts]
        yield (low + high) / 2, mean, min(values), max(values)


def check_means(rows, changes):
    for row, want in zip(rows, stretches(changes, len(rows)), strict=True):
        check(all(abs(a - b) <= 1e-6 * max(1, abs(b)) for a, b in zip(row, want)), row, want)


def boxes(name):
    return [row for title, _, rows in blocks(name) if "numbers" not in title for row in rows]


def check_boxes(found, holds, capacity):
    """Boxes do not meet, and those of a job cover what it holds for as long as it does."""
    for i, (x0, x1, y0, y1, _) in enumerate(found):
        for other in found[:i]:
            apart = x1 <= other[0] or other[1] <= x0 or y1 <= other[2] + 1e-9 or other[3] <= y0 + 1e-9
            check(apart, "boxes meet:", found[i], other)
    for job, start, end, unit, height in holds:
        inside = 0
        for x0, x1, y0, y1, number in found:
            if number == job and near(x0, start) and near(x1, end):
                inside += max(0, min(y1, (unit + 1) * capacity) - max(y0, unit * capacity))
        check(near(inside, height), "job", job, "has", inside, "rows of", unit, "and holds", height)
    area = sum((end - start) * height for _, start, end, _, height in holds)
    check(near(area, sum((x1 - x0) * (y1 - y0) for x0, x1, y0, y1, _ in found), area), "areas differ")


def node_holds(name, first):
    for row in table(name):
        start, end = float(row["start"]) - first, float(row["end"]) - first
        for node in range(int(row["first_node"]), int(row["first_node"]) + int(row["node_count"])):
            yield int(row["trace_id"]), start, end, node, int(row["cores_milli"]) / 1000


def check_merged():
    """The cells of the merged boxes against the single boxes."""
    columns = int(6 * 72 / 2.54 / 0.8 * 0.85)
    rows = 16
    titles = {title: number for number, (title, _, _) in enumerate(blocks("whole"))}
    parts = [[[0.0] * len(titles) for _ in range(columns)] for _ in range(rows)]
    singles = [(titles[title], row) for title, _, found in blocks("whole") for row in found]
    end = max(row[1] for _, row in singles)
    for color, (x0, x1, y0, y1, _) in singles:
        x0, x1 = x0 / end * columns, x1 / end * columns
        for row in range(int(y0), min(rows, math.ceil(y1))):
            for column in range(int(x0), min(columns, math.ceil(x1))):
                part = min(x1, column + 1) - max(x0, column)
                parts[row][column][color] += part * (min(y1, row + 1) - max(y0, row))
    shown = [[-1] * columns for _ in range(rows)]
    for title, _, found in blocks("merged"):
        for x0, x1, y0, y1 in found:
            for row in range(round(y0), round(y1)):
                for column in range(round(x0 / end * columns), round(x1 / end * columns)):
                    check(shown[row][column] == -1, "merged boxes meet at", row, column)
                    shown[row][column] = titles[title]
    for row in range(rows):
        for column in range(columns):
            cell = parts[row][column]
            most = sorted(cell)
            if abs(sum(cell) - 0.5) > 1e-4 and most[-1] - most[-2] > 1e-4:
                want = cell.index(most[-1]) if sum(cell) > 0.5 else -1
                check(shown[row][column] == want, "cell", row, column, cell, shown[row][column])


check_distribution("wait", "wait", 1, False)
check_distribution("bsld", "bsld", 1, True)
small = table("small-series")
for block, (column, factor) in zip(blocks("exact"), [("util_cores", 100), ("queue", 1)], strict=True):
    check_exact(block[2], levels(small, column, factor))
check_exact(blocks("window")[0][2], levels(small, "queue", 1), 120, 250)
large = table("series")
for block, (column, factor) in zip(blocks("means"), [("util_cores", 100), ("queue", 1)], strict=True):
    check_means(block[2], levels(large, column, factor))
check_boxes(boxes("gantt"), list(node_holds("allocations", 20)), 4)
check_boxes(
    boxes("devices"),
    [(int(row["trace_id"]), float(row["start"]), float(row["end"]), int(row["device"]), int(row["share"]) / 1000)
     for row in table("device-allocations")],
    1,
)
check_merged()
shared = table("shared-series")
lost, unused = (levels(shared, column, 0.001) for column in ("frag_gpu", "free_gpu"))
((_, _, found),) = blocks("fragments")
for row, a, b in zip(found, stretches(lost, len(found)), stretches(unused, len(found)), strict=True):
    wanted = [a[0], a[1], b[1], 100 * a[1] / b[1]]
    check(all(near(x, y, 100) for x, y in zip(row, wanted)), row, wanted)
((_, _, found),) = blocks("filled")
for row, want in zip(found, table("inflation"), strict=True):
    wanted = [float(want["percent"]), 100 * float(want["alloc"]), 100 * float(want["fragment"])]
    check(all(near(x, y, 100) for x, y in zip(row, wanted)), row, wanted)
