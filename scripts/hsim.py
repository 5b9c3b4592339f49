#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of hsim in Python: runs and sweeps as pandas tables.

    import hsim
    run = hsim.read("results/first.h5")
    run.jobs[run.jobs.measured].wait.mean()     # any table: run.series, run.allocations, run.nodes, ...
    run.summary.value["wait_mean_s"]
    run.jobs.attrs["units"]["wait"]             # "s"
    sweep = hsim.read_sweep("results/study/sweep.h5")
    sweep[sweep.status == "complete"].groupby("policy").wait_mean_s.mean()

As a command, `python3 hsim.py FILE` prints what is in a file. One file, to be copied beside your own;
it needs h5py, and pandas for the tables. results/README.md describes what is in the files.
"""
import os
import sys

SCHEMA = 1  # of the files that this reads

# Columns of /jobs that are rows of a table of names.
DICTIONARIES = ("class", "model")


class HsimError(Exception):
    """A file that cannot be read, or a table that is not in it; the text says what to do."""


class NoTable(HsimError, AttributeError):
    """A table that is not in the file."""


def _need(name, package):
    try:
        return __import__(name)
    except ImportError:
        raise HsimError(f"{name} is not installed; install it ({package} of Debian, or pip install "
                        f"{name}).") from None


def _plain(value):
    """A value of HDF5 as Python's own: str, int, float."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value.item() if hasattr(value, "item") else value


def _open(path):
    h5py = _need("h5py", "python3-h5py")
    path = os.fspath(path)
    if path.endswith(".part"):
        raise HsimError(f"{path}: this is the unfinished file of a run. Wait for its end.")
    if not os.path.exists(path):
        raise HsimError(f"{path}: there is no such file. Give one that `hsim run` or `hsim sweep` wrote.")
    if os.path.isdir(path):
        raise HsimError(f"{path}: this is a folder. Name a file in it.")
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise HsimError(f"{path}: this is no HDF5 file, or a truncated one ({error}).") from None
    if "hsim_schema" not in file.attrs:
        file.close()
        raise HsimError(f"{path}: this HDF5 file is not of hsim (it has no attribute hsim_schema).")
    schema = int(file.attrs["hsim_schema"])
    if not 1 <= schema <= SCHEMA:
        file.close()
        raise HsimError(f"{path}: the file has schema {schema}, and this hsim.py reads 1 to {SCHEMA}. "
                        "Take the hsim.py that came with the hsim that wrote it.")
    return file


def _is_sweep(file):
    return _plain(file.attrs.get("hsim_kind", b"run")) == "sweep"


def _datasets(group):
    """The columns of a group: its datasets of one dimension. Links to other files are passed over."""
    h5py = _need("h5py", "python3-h5py")
    for name in group:
        if isinstance(group.get(name, getlink=True), h5py.HardLink):
            item = group[name]
            if isinstance(item, h5py.Dataset) and item.ndim == 1:
                yield name, item


def _values(dataset):
    """A column in its best type for pandas: words of enumerations, str, numbers as they are."""
    h5py = _need("h5py", "python3-h5py")
    values = dataset[:]
    words = h5py.check_enum_dtype(dataset.dtype)
    if words:
        pandas = _need("pandas", "python3-pandas")
        names = sorted(words, key=words.get)
        return pandas.Categorical.from_codes(values, names)
    if values.dtype.kind == "S":
        return [value.decode("utf-8", "replace") for value in values]
    if "missing" in dataset.attrs:  # an integer that stands for none
        pandas = _need("pandas", "python3-pandas")
        return pandas.array([None if value == dataset.attrs["missing"] else int(value)
                             for value in values], dtype="Int64")
    return values


class Run:
    """The result of one run. Each table is an attribute, read when it is first asked for."""

    def __init__(self, path, seconds=False):
        self.path = os.fspath(path)
        self.seconds = seconds
        self._tables = {}
        with _open(path) as file:
            if _is_sweep(file):
                raise HsimError(f"{self.path}: this is the merged file of a sweep; use hsim.read_sweep.")
            self.attributes = {name: _plain(value) for name, value in file.attrs.items()}
            self.config = _plain(file["provenance/config"][()])
            self.policy = self.attributes["policy"]
            self._groups = {}
            file.visititems(self._note)

    def _note(self, path, item):
        if path != "summary" and hasattr(item, "keys") and any(True for _ in _datasets(item)):
            name = path[len("platform/"):] if path.startswith("platform/") else path.replace("/", "_")
            self._groups[name] = path

    @property
    def tables(self):
        """Names of the tables that the file has."""
        return sorted(self._groups)

    def __dir__(self):
        return [*super().__dir__(), *self._groups]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self.table(name)

    def table(self, name):
        """A table by its name, as a DataFrame; units and docs are in its attrs."""
        if name not in self._groups:
            raise NoTable(f"{self.path}: the file has no table {name}. It has: "
                          f"{', '.join(self.tables)}.")
        if name not in self._tables:
            with _open(self.path) as file:
                self._tables[name] = self._read(file, name)
        return self._tables[name]

    def _read(self, file, name):
        pandas = _need("pandas", "python3-pandas")
        columns, units, docs = {}, {}, {}
        for column, dataset in _datasets(file[self._groups[name]]):
            columns[column] = _values(dataset)
            units[column] = _plain(dataset.attrs.get("units", b""))
            docs[column] = _plain(dataset.attrs.get("long_name", b""))
        if name == "jobs":
            for column in DICTIONARIES:
                if column in columns:
                    names = [_plain(text) for text in file[f"dict/{column}/name"][:]]
                    columns[column] = pandas.Categorical.from_codes(columns[column], names)
            columns["measured"] = file["jobs/measured"][:].astype(bool)
        self._add_names(file, columns)
        frame = pandas.DataFrame(columns)
        if self.seconds:
            self._to_seconds(frame, units)
        if name == "jobs":
            first = ["id", "trace_id", "submit", "start", "end", "state"]
            frame = frame[first + [column for column in frame if column not in first]]
        frame.attrs.update(units=units, docs=docs)
        return frame

    @staticmethod
    def _add_names(file, columns):
        """Names beside the numbers of nodes and devices."""
        nodes = [_plain(name) for name in file["platform/nodes/name"][:]]
        if "first_node" in columns:
            columns["node"] = [nodes[index] for index in columns["first_node"]]
        if "device" in columns and "platform/devices" in file:
            devices = file["platform/devices"]
            node, kind, model = devices["node"][:], devices["kind"][:], devices["model"][:]
            columns["node"] = [nodes[node[index]] for index in columns["device"]]
            columns["kind"] = [_plain(kind[index]) for index in columns["device"]]
            columns["model"] = [_plain(model[index]) for index in columns["device"]]

    @staticmethod
    def _to_seconds(frame, units):
        for column, unit in units.items():
            if unit == "ns":
                values = frame[column]
                frame[column] = (values / 1e9).where(values != -1)
                units[column] = "s"

    @property
    def summary(self):
        """The metrics: value, unit, n and doc by name."""
        pandas = _need("pandas", "python3-pandas")
        with _open(self.path) as file:
            group = file["summary"]
            columns = {name: _values(group[name]) for name in ("name", "value", "unit", "n", "doc")}
        return pandas.DataFrame(columns).set_index("name")

    def __repr__(self):
        return f"<hsim run {self.path}: {self.policy}, {self.attributes.get('status')}>"


def read(path, seconds=False):
    """The result of a run. Times are exact integers in ns, -1: does not apply; with `seconds` they
    are floats in s, and NaN."""
    return Run(path, seconds)


def read_sweep(path):
    """A row for each run of a sweep: what the run is, its axes, its metrics. A column whose name is
    taken is called by its group: params.seed."""
    pandas = _need("pandas", "python3-pandas")
    with _open(path) as file:
        if not _is_sweep(file):
            raise HsimError(f"{os.fspath(path)}: this is the result of a run; use hsim.read.")
        columns, units, docs = {}, {}, {}
        for group in ("runs", "params", "metrics"):
            for name, dataset in _datasets(file[group]) if group in file else ():
                column = f"{group}.{name}" if name in columns else name
                columns[column] = _values(dataset)
                units[column] = _plain(dataset.attrs.get("units", b""))
                docs[column] = _plain(dataset.attrs.get("long_name", b""))
        frame = pandas.DataFrame(columns)
        frame.attrs.update(units=units, docs=docs, name=_plain(file.attrs.get("name", b"")),
                           config=_plain(file["provenance/config"][()]))
    return frame


def _print_table(path, group):
    columns = list(_datasets(group))
    if columns:
        print(f"\n{path}: {columns[0][1].shape[0]} rows")
        for name, dataset in columns:
            unit = _plain(dataset.attrs.get("units", b""))
            print(f"  {name:<22} {'' if unit == '1' else unit:<10} "
                  f"{_plain(dataset.attrs.get('long_name', b''))}")


def describe(path):
    """Prints what is in a file; needs no pandas."""
    with _open(path) as file:
        kind = "sweep" if _is_sweep(file) else "run"
        print(f"{os.fspath(path)}: a {kind} of hsim {_plain(file.attrs.get('hsim_version', b'?'))}")
        for name, value in file.attrs.items():
            print(f"  {name:<22} {_plain(value)}")
        file.visititems(lambda name, item: _print_table(name, item) if hasattr(item, "keys") else None)
        if kind == "run":
            print("\nmetrics")
            group = file["summary"]
            for name, value, unit in zip(group["name"][:], group["value"][:], group["unit"][:]):
                print(f"  {_plain(name):<32} {value:<22.12g} {'' if unit == b'1' else _plain(unit)}")


def main(arguments):
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print("Usage: hsim.py FILE.h5\nPrints what is in a result of hsim, or in the merged file of a "
              "sweep.", file=sys.stdout if arguments and arguments[0].startswith("-") else sys.stderr)
        return 0 if arguments and arguments[0].startswith("-") else 2
    try:
        describe(arguments[0])
    except HsimError as error:
        print(f"hsim.py: error: {error}", file=sys.stderr)
        return 5
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
