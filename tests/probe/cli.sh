#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# cli.sh HSIM FAKES - `hsim platform probe` on this machine, on machines that hwloc makes up, and
# with libraries in place of the drivers'.
set -eu
hsim=$1
fakes=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failures=0
unset HWLOC_XMLFILE HWLOC_SYNTHETIC HWLOC_COMPONENTS HSIM_FAKE
export HSIM_NVML_LIBRARY=$fakes/fake-nvml.so HSIM_OPENCL_LIBRARY=$fakes/fake-opencl.so
export HSIM_FAKE_OPENCL=all

problem()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# refused CODE PATTERN ARGUMENT...: exit code, nothing on standard output, one line of error.
refused()
{
    local wanted=$1 pattern=$2 code=0
    shift 2
    "$hsim" platform probe "$@" >out 2>err || code=$?
    if [ "$code" != "$wanted" ] || [ -s out ] || ! grep -Eqx "hsim: error: $pattern" err; then
        problem "probe $*: exit code $code instead of $wanted, or another sentence: $(cat out err)"
    fi
}

# holds PYTHON: an expression over `p`, the probe in JSON, and `y`, the catalogue.
holds()
{
    python3 -c '
import json, os, sys, yaml
p = json.load(open("probe.json"))
y = yaml.safe_load(open("here.yaml")) if os.path.exists("here.yaml") else None
sys.exit(not eval(sys.argv[1]))' "$1" || problem "$1: $(cat probe.json)"
}

# This machine, measured; what is written loads again and says the same.
"$hsim" platform probe -o here.xml --catalogue here.yaml --name n0 --json >probe.json 2>notes
holds 'p["node"] == "n0" and p["cores"] > 0 and p["threads"] >= p["cores"] and p["mem_bytes"] > 0'
holds 'p["measured"]["threads"] == p["cores"] and p["measured"]["triad_bytes_per_s"] > 0'
holds 'p["measured"]["fp64_flops"] > 0 and p["measured"]["fp32_flops"] > 0'
holds '[d["id"] for d in p["devices"]] == ["gpu0", "gpu1", "gpu2", "fpga0"]'
holds 'p["devices"][0]["group"] == "nvlink0" and p["devices"][2]["group"] is None'
holds 'p["devices"][0]["busy_w"] == 400 and p["devices"][2]["busy_w"] is None'
[ "$(grep -c '^hsim: note: ' notes)" = "$(wc -l <notes)" ] || problem "notes: $(cat notes)"
grep -q 'OpenCL tells neither peak rates nor power' notes || problem "no note on OpenCL"
# The catalogue needs power, which OpenCL does not tell; a person fills it in.
refused_show=0
"$hsim" platform show here.xml --catalogue here.yaml >out 2>err || refused_show=$?
[ "$refused_show" = 5 ] && grep -q "here.yaml:[0-9]*:[0-9]*: The entry 'pro-w6800' lacks 'power.idle'" err ||
    problem "a catalogue without power: $(cat out err)"
sed 's/# \(power: {idle: \)? W, busy: ? W}/\120 W, busy: 200 W}/' here.yaml >full.yaml
"$hsim" platform show here.xml --catalogue full.yaml --hosts --json >show.json
python3 - <<'END' || problem "the platform differs from the probe: $(cat here.xml)"
import json
probe = json.load(open("probe.json"))
hosts = {h["name"]: h for h in json.load(open("show.json"))["hosts"]}
assert len(hosts) == 5
node = hosts["n0"]
assert node["cores"] == probe["cores"] and node["mem_bytes"] == probe["mem_bytes"]
rate = probe["measured"]["fp64_flops"] / probe["cores"]
assert abs(node["speed_flops"] / rate - 1) < 1e-3
assert node["properties"]["numa"] == str(probe["numa_nodes"])
for device in probe["devices"]:
    host = hosts["n0:" + device["id"]]
    assert host["role"] == "device" and host["kind"] == device["kind"]
    assert host["mem_bytes"] == device["mem_bytes"]
    assert host["properties"]["model"] == device["model"]
    assert host["properties"].get("group") == device["group"]
gpu = hosts["n0:gpu0"]
assert gpu["properties"]["wattage_per_state"] == "55.5:55.5:400"
assert abs(gpu["speed_flops"] / 19.492e12 - 1) < 1e-3
assert "wattage_per_state" not in hosts["n0:gpu2"]["properties"]
END

# The catalogue: one entry a model; figures that are not known are absent, and said to be.
holds '[e["model"] for e in y["devices"]] == [p["model"], "a100-sxm4-40", "pro-w6800", "u250"]'
holds 'y["devices"][1] == {"model": "a100-sxm4-40"}'
holds 'y["devices"][0].get("features", p["features"]) == p["features"]'
holds 'y["devices"][2]["name"] == "AMD Radeon \"Pro\" <W6800>" and "power" not in y["devices"][2]'
grep -q '# power: {idle: ? W, busy: ? W}' here.yaml || problem "no comment on power"
HSIM_FAKE_NAME='NVIDIA Z9 Ultra' "$hsim" platform probe --no-measure --catalogue here.yaml --force >/dev/null 2>&1
holds 'y["devices"][1]["model"] == "z9-ultra" and y["devices"][1]["aliases"] == ["NVIDIA Z9 Ultra"]'
holds 'y["devices"][1]["power"] == {"idle": "55.5 W", "busy": "400 W"}'
holds 'y["devices"][1]["memory"] == {"size": "42949672960 B", "bandwidth": "1555 GB/s"}'
holds 'y["devices"][1]["unconfirmed"] == ["memory.bandwidth", "peak.fp32"]'
sed 's/# \(power: {idle: \)? W, busy: ? W}/\120 W, busy: 200 W}/' here.yaml >full.yaml
"$hsim" platform devices --catalogue full.yaml show z9-ultra >actual || problem "z9-ultra is not understood"
rm here.yaml

# Without a catalogue the platform names only models that are known without it.
"$hsim" platform probe --no-measure -o - --name n1 >stdout.xml 2>notes
grep -q 'id="model" value="a100-sxm4-40"' stdout.xml || problem "a known model is not named"
grep -q 'id="model" value="pro-w6800"' stdout.xml && problem "a model without a catalogue"
grep -q 'Nothing was measured' notes || problem "no note on the measurement"
"$hsim" platform show stdout.xml | grep -Eq '^device +gpu +(a100-sxm4-40 +)?2 +1 +40 GiB ' || problem "not a platform: $(cat stdout.xml)"

# Files: refused if they are there, replaced whole with --force, nothing is left behind.
cp here.xml before.xml
refused 2 'here\.xml: exists already .*--force.*' --no-measure -o here.xml
cmp -s here.xml before.xml || problem "a refused file was changed"
"$hsim" platform probe --no-measure -o here.xml --force >table 2>/dev/null
cmp -s here.xml before.xml && problem "--force replaced nothing"
grep -Eq '^gpu0 +NVIDIA A100-SXM4-40GB, 40 GiB at 1555 GB/s' table || problem "table: $(cat table)"
refused 1 'none/a\.xml\.part: cannot be written: No such file.*' --no-measure -o none/a.xml
refused 1 'none/a\.yaml\.part: cannot be written: .*' --no-measure -o new.xml --catalogue none/a.yaml
refused 2 '.*: is a folder\. .*' --no-measure -o .
refused 2 'Standard output takes one of .*' --no-measure -o - --json
refused 2 'Standard output takes one of .*' --no-measure -o - --catalogue -
refused 2 'a: platform and catalogue cannot be one file.*' -o a --catalogue a
refused 2 "The node cannot be named 'n0:gpu0': a name has .*" --no-measure --name n0:gpu0
if [ -e /dev/full ]; then
    refused 1 '/dev/full: writing failed: No space left on device.*' --no-measure -o /dev/full
fi
code=0
"$hsim" platform probe here.xml >out 2>err || code=$?
[ "$code" = 2 ] && [ ! -s out ] || problem "an argument is taken"
[ ! -e new.xml ] && [ -z "$(find . -name '*.part')" ] || problem "left behind: $(ls)"

# Machines that hwloc makes up: nothing of this one is mixed in.
HWLOC_SYNTHETIC='pack:2 numa:2(memory=17179869184) core:8 pu:2' \
    "$hsim" platform probe --json >probe.json 2>notes
holds '(p["sockets"], p["numa_nodes"], p["cores"], p["threads"]) == (2, 4, 32, 64)'
holds 'p["mem_bytes"] == 64 * 2**30 and p["devices"] == [] and p["measured"]["threads"] == 0'
grep -q 'hwloc describes another machine' notes || problem "no note on another machine"

HWLOC_XMLFILE=$folder/none.xml "$hsim" platform probe --no-measure >/dev/null 2>notes
grep -q 'HWLOC_XMLFILE names .*/none.xml., so this machine is described' notes ||
    problem "no note on HWLOC_XMLFILE: $(cat notes)"

# hwloc fails: the kernel's word.
HWLOC_COMPONENTS=-all,stop "$hsim" platform probe --no-measure --json >probe.json 2>notes
holds 'p["cores"] > 0 and p["sockets"] == 0 and p["mem_bytes"] > 0'
grep -q 'hwloc cannot describe this machine' notes || problem "no note on hwloc"

# A binding to one processor: one core, and a note if there are more.
processor=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
if [ "$(nproc)" -gt 1 ] && command -v taskset >/dev/null; then
    taskset -c "$processor" "$hsim" platform probe --json >probe.json 2>notes
    holds 'p["cores"] == 1 and p["measured"]["threads"] == 1 and p["idle_w"] is None'
    grep -q 'This process may use 1 of ' notes || problem "no note on the binding: $(cat notes)"
else
    echo 'no second processor: the binding is not tested'
fi

# No drivers at all is no error, and libraries that are named but not there are told.
HSIM_NVML_LIBRARY='' HSIM_OPENCL_LIBRARY=$folder/none.so \
    "$hsim" platform probe --no-measure --json >probe.json 2>notes
grep -q 'none.so: the library cannot be opened' notes || problem "no note on a library"

[ "$failures" = 0 ]
