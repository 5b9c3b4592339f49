#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# show.sh HSIM PLATFORMS - `hsim platform show`: exact output, exit codes, sentences of errors.
set -eu
hsim=$1
platforms=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failures=0

# same NAME: the files `expected` and `actual` are equal.
same() {
    if ! diff -u expected actual; then
        echo "FAILED: $1"
        failures=$((failures + 1))
    fi
}

# refused CODE PATTERN ARGUMENT...: exit code, nothing on standard output, and all of standard
# error is one line that the extended regular expression describes.
refused() {
    local wanted=$1 pattern=$2 code=0
    shift 2
    "$hsim" platform "$@" >out 2>err || code=$?
    if [ "$code" != "$wanted" ] || [ -s out ] || [ "$(wc -l <err)" != 1 ] ||
        ! grep -Eqx "hsim: error: $pattern" err; then
        echo "FAILED: hsim platform $*: exit code $code instead of $wanted, or another sentence:"
        cat out err
        failures=$((failures + 1))
    fi
}

cp "$platforms"/*.xml .
"$hsim" platform show heterogeneous.xml >actual
version=$(sed -n '1s/.*(SimGrid \(.*\))/\1/p' actual)
cat >expected <<END
heterogeneous.xml (SimGrid $version)

role     kind  model         hosts  cores   memory    speed  names
compute  cpu   epyc-7601         2     32  256 GiB    12 Gf  acc0-acc1
compute  cpu   epyc-7742         4     64    2 TiB     9 Gf  fat0-fat3
compute  cpu   epyc-7601        16     32   96 GiB    12 Gf  thin0-thin15
device   gpu   a100-sxm4-40      2      1   40 GiB  19.5 Tf  acc0:gpu0-acc0:gpu1
device   fpga  alveo-u250        2      1   16 GiB     1 Tf  acc1:fpga0-acc1:fpga1

devices  model         count  nodes  islands  memory  idle   busy
gpu      a100-sxm4-40      2      1        -  40 GiB  55 W  400 W
fpga     alveo-u250        2      1        -  16 GiB  35 W  225 W

22 nodes, 832 cores, 4 devices, 10 TiB of memory
power: 1540 W idle, 5390 W busy
END
same "a heterogeneous platform"

"$hsim" platform show batsim-roles.xml --json >actual
cat >expected <<END
{
  "file": "batsim-roles.xml",
  "simgrid": "$version",
  "nodes": 32,
  "racks": 0,
  "cores": 32,
  "devices": 0,
  "mem_bytes": null,
  "idle_w": 3040,
  "busy_w": 6080,
  "groups": [
    {"hosts": 32, "role": "compute", "kind": "cpu", "model": null, "cores": 1, "mem_bytes": null, "speed_flops": 1000000000, "names": [["node0", "node31"]]},
    {"hosts": 1, "role": "master", "kind": "cpu", "model": null, "cores": 1, "mem_bytes": null, "speed_flops": 1000000000, "names": [["master_host0", "master_host0"]]},
    {"hosts": 1, "role": "storage", "kind": "cpu", "model": null, "cores": 1, "mem_bytes": null, "speed_flops": 1000000000, "names": [["service0", "service0"]]}
  ]
}
END
same "roles as JSON"

"$hsim" platform show --nodes 3 --cores 2 --memory 40GB --hosts >actual
cat >expected <<END
inline platform

host  role     kind  cores  memory  speed  node
n0    compute  cpu       2   40 GB      -  0
n1    compute  cpu       2   40 GB      -  1
n2    compute  cpu       2   40 GB      -  2

3 nodes, 6 cores, 120 GB of memory
END
same "an inline platform"

"$hsim" platform show --nodes 1 --json --hosts >actual
cat >expected <<END
{
  "file": null,
  "simgrid": null,
  "nodes": 1,
  "racks": 0,
  "cores": 1,
  "devices": 0,
  "mem_bytes": null,
  "idle_w": null,
  "busy_w": null,
  "groups": [
    {"hosts": 1, "role": "compute", "kind": "cpu", "model": null, "cores": 1, "mem_bytes": null, "speed_flops": null, "names": [["n0", "n0"]]}
  ],
  "hosts": [
    {"name": "n0", "role": "compute", "kind": "cpu", "model": null, "cores": 1, "mem_bytes": null, "speed_flops": null, "node": 0, "device": null, "rack": null, "group": null, "power": null, "pstate_flops": [], "properties": {}}
  ]
}
END
same "an inline platform as JSON"

# Ranges count in one place of the name only; zeros in front and gaps end a range.
{
    printf '%s\n' "<?xml version='1.0'?>" \
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">' \
        '<platform version="4.1"><zone id="z" routing="Full">'
    for name in a a1b1 a1b2 a2b3 r8 r9 r10 r12 s08 s09 s10 t9 t010 'q"\'; do
        echo "<host id='$name' speed='1Mf'><prop id='kind' value='cpu'/></host>"
    done
    echo '</zone></platform>'
} >ranges.xml
"$hsim" platform show ranges.xml | sed -n '4s/.*Mf  //p' >actual
echo 'a,a1b1-a1b2,a2b3,q"\,r8-r10,r12,s08-s10,t9,t010' >expected
same "ranges of names"
"$hsim" platform show ranges.xml --json --hosts | grep -o '"name": "q[^,]*' >actual
echo '"name": "q\"\\"' >expected
same "a name in JSON"

"$hsim" platform help >expected
"$hsim" platform --help >actual
same "help"
grep -q '^  show ' actual || failures=$((failures + 1))
code=0
"$hsim" platform >out 2>actual || code=$?
same "no command prints the help"
[ "$code" = 2 ] && [ ! -s out ] || failures=$((failures + 1))

refused 2 '`hsim platform shwo` does not exist; did you mean show\? .*' shwo
refused 2 '`hsim platform nothing` does not exist\. `hsim platform --help` .*' nothing
refused 2 'No platform is named\. Write .*' show
refused 2 ".* is a file \('cluster-128.xml'\) or --nodes.* not both.*" show cluster-128.xml --nodes 2
refused 2 '--nodes many: a whole number is due.*' show --nodes many
refused 2 '--nodes 3x: a whole number is due.*' show --nodes 3x
refused 2 'The platform has nodes = 0; allowed are 1 to .*' show --nodes 0
refused 2 'The platform has cores = -1; allowed are 1 to .*' show --nodes 1 --cores -1
refused 2 '--memory 4 gigs: a size with a unit is due.*' show --nodes 1 --memory '4 gigs'

# A bad file each of the kinds that people meet: exit code 5, place, remedy.
refused 5 'missing\.xml: The platform file cannot be opened: No such file.* Check the path.*' show missing.xml
refused 5 '\.: This is a folder.*Name a SimGrid platform file.*' show .
: >empty.xml
refused 5 'empty\.xml:1: The platform file is empty\. A platform needs .*' show empty.xml
head -c 3000 /dev/zero >zeros.xml
refused 5 'zeros\.xml:1: This is no XML.* starts with <\?xml .*' show zeros.xml
gzip -c cluster-128.xml >packed.xml.gz
refused 5 'packed\.xml\.gz:1: The platform file is compressed\. Decompress it with gunzip.*' show packed.xml.gz
head -n 8 cluster-128.xml >cut.xml
refused 5 'cut\.xml:9: SimGrid refuses the file: .*EOF.*The file ends too early.*' show cut.xml
sed 's/10Gf/10Gx/' cluster-128.xml >unit.xml
refused 5 'unit\.xml:7: SimGrid refuses the file: unknown unit: Gx\. Speeds take f, kf.*' show unit.xml
sed 's/fat3/x/; s/id="acc1" speed/id="acc0" speed/' heterogeneous.xml >twice.xml
refused 5 "twice\.xml:20: SimGrid refuses .* second host named 'acc0'\. Give each host .*" show twice.xml
sed 's/0-127/1-0/' cluster-128.xml >none.xml
refused 5 'none\.xml:1: The platform has no host\. A platform needs.*' show none.xml
sed 's/value="storage"/value="strage"/' batsim-roles.xml >role.xml
refused 5 "role\.xml:12: Host 'service0' has the property role=\"strage\"\. Roles are compute_node.*" show role.xml
sed 's/128GiB/128 gigs/' cluster-128.xml >memory.xml
refused 5 "memory\.xml:9: Host 'n0' has the property memory=\"128 gigs\"\. A memory size is.*" show memory.xml
# Nested so deeply that SimGrid dies of it: whatever its last words are, they are not shown.
{
    echo "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\"><platform version=\"4.1\">"
    for level in $(seq 3000); do
        echo "<zone id=\"z$level\" routing=\"Full\">"
    done
    echo '<host id="h" speed="1Gf"/>'
    yes '</zone>' | head -n 3000
    echo '</platform>'
} >deep.xml
# With sanitizers it lives longer, and is stopped by the limit of its processor time.
ulimit -St 10
refused 5 'deep\.xml:.* SimGrid (crashed \(.*\) on this file \(nested too deep\?\)|used up its processor time).*' show deep.xml

[ "$failures" = 0 ]
