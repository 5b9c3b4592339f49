#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# schema.sh HSIM ROOT - the JSON Schema is JSON, names every key, and (where Python has the
# jsonschema and yaml modules) accepts the experiments of the repository and refuses bad ones.
set -eu
hsim=$1
root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! command -v python3 >/dev/null; then
    echo 'skipped: python3 is not installed'
    exit 0
fi
"$hsim" schema >"$work/schema.json"
"$hsim" explain | awk '{ print $1 }' >"$work/keys"
for file in "$root"/experiments/*.yaml; do
    "$hsim" validate --set 'policy=easy' --resolved "$file" 2>/dev/null \
        >"$work/resolved-$(basename "$file")"
done
python3 - "$work" "$root" <<'PYTHON'
import glob
import json
import sys

work, root = sys.argv[1:]
schema = json.load(open(work + "/schema.json"))


def properties(node):
    """The properties of a map, which may be one of several forms."""
    for form in [node, node.get("items", {})] + node.get("anyOf", []):
        if "properties" in form:
            return form["properties"]
    return {}


for path in open(work + "/keys").read().split():
    node = schema
    for name in path.split("."):
        node = properties(node)[name]
    assert node["description"], path
assert schema["additionalProperties"] is False

try:
    import jsonschema
    import yaml
except ImportError:
    print("schema is JSON and complete; skipped the rest: no jsonschema or yaml module")
    sys.exit(0)

jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
files = sorted(glob.glob(root + "/experiments/*.yaml") + glob.glob(work + "/resolved-*.yaml"))
assert len(files) >= 6, files
for name in files:
    validator.validate(yaml.safe_load(open(name)))


def mix(**keys):
    """A workload with one class."""
    return {"generate": {"model": "mix", "load": 0.8, "classes": [keys]}}


base = {"hsim": 1, "platform": {"nodes": 4}, "workload": "w.swf", "policy": "easy"}
validator.validate(base)
bad = [
    {"hsim": 2}, {"sed": 1}, {"seed": -1}, {"seed": "x"}, {"seed": [1]},
    {"platform": {"nodes": 4, "file": "x"}}, {"platform": {"file": "x", "cores": 2}},
    {"platform": {}}, {"platform": None}, {"workload": {"head": 1}},
    {"workload": {"file": "w", "generate": {}}}, {"workload": {"file": "w", "load": 1000}},
    {"workload": {"file": "w", "lod": 1}}, {"workload": {"generate": {"a1": 0}}},
    {"workload": {"file": "w", "overrun": "klil"}}, {"workload": {"file": "w", "shake": "5 parsec"}},
    {"workload": {"file": "w", "estimate": {"missing": "never"}}},
    {"policies": ["a"]}, {"policy": {"order": "sjf"}}, {"policy": {"name": "a", "k": [1]}},
    {"workload": mix()}, {"workload": mix(name="a", demand="1x")},
    {"workload": mix(name="a", demand="1x", run={"mean": "5m"}, wait=1)},
    {"workload": mix(name="a", demand="1x", run={"distribution": "normal", "mean": "5m"})},
    {"metrics": {"tau": "-5s"}}, {"metrics": 5}, {"name": "a/b"}, {"plugins": [1]},
]
for change in bad:
    assert not validator.is_valid({**base, **change}), change
good = [
    {"platform": "p.xml"}, {"workload": {"file": "w", "shift": "-5m"}}, {"output": None},
    {"workload": {"file": "w", "shift": "zero", "filter": {"users": 3}}},
    {"workload": {"generate": None}}, {"policy": {"name": "a", "k": 1, "b": True}},
    {"workload": mix(name="a", demand="gpu=1", run="5m")},
    {"workload": mix(name="a", demand="gpu=1", run=300, weight=2, estimate=2)},
    {"workload": mix(name="a", demand="1x", run={"distribution": "lognormal", "mean": "5m"})},
    {"metrics": {"tau": 5.5}}, {"output": {"path": None, "series": "1h"}},
    {"platform": {"nodes": 1, "memory": "40 GB"}}, {"plugins": "x.so"},
]
for change in good:
    validator.validate({**base, **change})
print("schema accepts %d files and refuses %d bad changes" % (len(files), len(bad)))
PYTHON
