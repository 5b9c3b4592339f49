#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# devices.sh HSIM PLATFORMS - `hsim platform devices`, and models in platforms and experiments.
set -eu
hsim=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
unset HSIM_CATALOGUE
failures=0

failed() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# has FILE PATTERN: a line of the file is described by the extended regular expression.
has() {
    grep -Eq -- "$2" "$1" || { failed "no line is '$2':" && cat "$1"; }
}

# refused CODE PATTERN ARGUMENT...: exit code, nothing on standard output, and standard error has
# a line that the extended regular expression describes.
refused() {
    local wanted=$1 pattern=$2 code=0
    shift 2
    "$hsim" "$@" >out 2>err || code=$?
    if [ "$code" != "$wanted" ] || [ -s out ] || ! grep -Eqx "hsim: error: $pattern" err; then
        failed "hsim $*: exit code $code instead of $wanted, or another sentence:"
        cat out err
    fi
}

cat >mine.yaml <<'END'
devices:
  - {model: my-npu, aliases: [Mine], kind: npu, name: My NPU, memory: {size: 8 GB},
     power: {idle: 10 W, busy: 60 W}, features: [toy], sources: {all: "measured, at home"}}
  - {model: t4, power: {idle: 9.5 W}}
END
cat >mixed.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="z" routing="Full">
    <host id="a" speed="1Gf" core="64"> <prop id="model" value="epyc-7742"/> <prop id="rack" value="r1"/> </host>
    <host id="b" speed="1Gf" core="64"> <prop id="model" value="epyc-7742"/> <prop id="rack" value="r2"/> </host>
    <host id="a:gpu0" speed="8Tf"> <prop id="kind" value="gpu"/> <prop id="model" value="T4"/> <prop id="group" value="0"/> </host>
    <host id="a:gpu1" speed="8Tf"> <prop id="kind" value="gpu"/> <prop id="model" value="t4"/> <prop id="group" value="1"/> </host>
    <host id="a:npu0" speed="1Tf"> <prop id="kind" value="npu"/> <prop id="model" value="mine"/> </host>
  </zone>
</platform>
END

"$hsim" platform devices >list
"$hsim" platform devices list >again
cmp list again || failed "list is what is done without a word"
has list '^model +kind +memory +bandwidth +fp64 +fp32 +16-bit +idle +busy$'
has list '^a100-sxm4-40 +gpu +40 GiB +1\.555 TB/s +9\.7 Tf +19\.5 Tf +312 Tf +55 W\? +400 W$'
has list "^[3-9][0-9] models; '\\?': no source confirms the figure\$"
"$hsim" platform devices list --json >list.json
[ "$(grep -c '"model": ' list.json)" = "$(sed -n 's/ models;.*//p' list)" ] || failed "JSON has as many models"
if command -v python3 >/dev/null; then
    python3 -c 'import json; json.load(open("list.json"))' || failed "the list is no JSON"
fi
"$hsim" platform devices show tesla\ t4 --catalogue mine.yaml >t4
has t4 '^t4: NVIDIA T4$'
has t4 '^  described in  mine.yaml:4$'
has t4 '^  power.idle +9.5 W +\? +no source is given$'
has t4 '^  power.busy +70 W +sysrqmts'
"$hsim" platform devices show MINE -C mine.yaml --json >mine.json
has mine.json '"figures": \{"memory.size": \{"value": 8000000000, "confirmed": true, "source": "measured, at home"\}'
"$hsim" platform devices --help >help
has help '^  power.idle +watts +On, but nothing is allocated; required$'
HSIM_CATALOGUE=mine.yaml "$hsim" platform devices list >out 2>err && failed "t4 alone lacks fields"
has err "mine.yaml:4:5: The entry 't4' lacks 'kind'"

refused 2 "There is no model 'a10o' in the device catalogue; did you mean '[aA]10'\?.*" platform devices show a10o
refused 2 "Say .hsim platform devices list. or .*" platform devices show
refused 2 "Say .hsim platform devices list. or .*" platform devices all
refused 2 "One model at a time; 'b' is one too many." platform devices show a b
refused 5 "none.yaml: The device catalogue cannot be opened: .*" platform devices list -C none.yaml
refused 5 ".: This is a folder.*" platform devices list -C .
echo 'devices: [{model: a, kind: gpu, name: A}]' >bad.yaml
refused 5 "bad.yaml:1:11: The entry 'a' lacks 'power.idle'.*" platform devices list -C bad.yaml
refused 5 "mixed.xml:9: Host 'a:npu0' has the property model=\"mine\".*" platform show mixed.xml
refused 2 "--catalogue goes with a platform file.*" platform show --nodes 1 --catalogue mine.yaml

"$hsim" platform show mixed.xml --catalogue mine.yaml >shown
has shown '^device +gpu +t4 +2 +1 +16 GiB +8 Tf +a:gpu0-a:gpu1$'
has shown '^devices +model +count +nodes +islands +memory +idle +busy$'
has shown '^gpu +t4 +2 +1 +2 +16 GiB +9.5 W +70 W$'
has shown '^npu +my-npu +1 +1 +- +8 GB +10 W +60 W$'
has shown '^2 nodes in 2 racks, 128 cores, 3 devices; memory is not modelled$'
has shown '^power: 169 W idle, 650 W busy$'
"$hsim" platform show mixed.xml -C mine.yaml --hosts --json >shown
has shown '"racks": 2,'
has shown '\{"kind": "gpu", "model": "t4", "count": 2, "nodes": 1, "islands": 2, "mem_bytes": 17179869184, "power": \{"off_w": 0, "idle_w": 9.5, '
has shown '"name": "a:gpu1", .*"node": 0, "device": 1, "rack": null, "group": "1", "power": \{'

# An experiment that names the catalogue; its log knows the catalogues, and tells if one changed.
cat >e.yaml <<'END'
hsim: 1
platform: {file: mixed.xml, catalogue: mine.yaml}
workload: {generate: {jobs: 50}}
policy: easy
output: {path: e.h5}
END
"$hsim" run e.yaml >out 2>&1 || { failed "the experiment" && cat out; }
"$hsim" inspect e.h5 >inspected
has inspected 'mine.yaml'
has inspected 'devices.yaml'
"$hsim" run --verify e.h5 >out 2>&1 || { failed "--verify" && cat out; }
sed -i 's/60 W/61 W/' mine.yaml
refused 5 ".*/mine.yaml: the file has changed since the run.*" run --verify e.h5
ln mine.yaml same.h5
refused 2 "same.h5: writing this result would destroy '.*mine.yaml'.*" run e.yaml --force -o same.h5
"$hsim" validate e.yaml --set platform.catalogue=gone.yaml >out 2>err || failed "a missing catalogue is a warning"
has err "The catalogue '.*gone.yaml' cannot be read"

[ "$failures" = 0 ]
