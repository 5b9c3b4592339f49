#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# generate.sh HSIM PLATFORMS MODULE BUILT - `hsim platform generate`: the shipped examples, and what is refused.
#
# BUILT is the folder of the example that the build writes.
set -eu
hsim=$1
platforms=$2
built=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# refused CODE PATTERN ARGUMENT...: exit code, no output, no file, and the first line of standard error.
refused() {
    local wanted=$1 pattern=$2 code=0
    shift 2
    rm -f bad.xml
    "$hsim" platform generate -o bad.xml "$@" >out 2>err || code=$?
    if [ "$code" != "$wanted" ] || [ -s out ] || [ -e bad.xml ] || [ -e bad.xml.part ] ||
        ! head -n 1 err | grep -Eqx "hsim: error: $pattern"; then
        fail "generate $*: exit code $code instead of $wanted, or another sentence:"
        cat out err
    fi
}

# shown FILE TEXT...: each text is in what `hsim platform show` prints.
shown() {
    local file=$1 text
    shift
    "$hsim" platform show "$file" >shown 2>&1 || fail "$file does not load"
    for text; do
        grep -Eq "$text" shown || { fail "$file: no line '$text' in"; cat shown; }
    done
}

# The commands of the manual write the examples, to the byte.
awk '/^```/ { in_block = 0 } in_block { print } /^```sh/ { in_block = 1 }' "$platforms/README.md" |
    awk '/^hsim platform generate -o mixed/ { wanted = 1 } wanted { print } !/\\$/ { wanted = 0 }' >commands
[ "$(grep -c '^hsim platform generate' commands)" = 4 ] || fail "the manual has not four commands"
hsim() { "$hsim" "$@" --no-check --quiet; }
. ./commands
unset -f hsim
for name in mixed-8 mixed-128 mixed-1200; do
    cmp "$name.xml" "$platforms/$name.xml" || fail "$name.xml is not what its command writes"
done
cmp mixed-10000.xml "$built/mixed-10000.xml" || fail "mixed-10000.xml is not what its command writes"
[ "$(stat -c %s mixed-1200.xml)" -lt 300000 ] || fail "mixed-1200.xml is large"

# So do the commands at their heads.
for file in "$platforms"/mixed-*.xml "$built/mixed-10000.xml"; do
    sed -n '/^ *hsim platform generate/,/-->/ { s/ *-->$//; p }' "$file" >command
    sed -i "1s|hsim platform generate|& -q --no-check -o again.xml --force|" command
    (hsim() { "$hsim" "$@"; } && . ./command)
    cmp again.xml "$file" || fail "$file is not what the command at its head writes"
done

shown mixed-8.xml '^8 nodes in 5 racks, 1040 cores, 22 devices, ' '^gpu +a100-sxm4-40 +8 +2 +4 ' \
    '^gpu +v100-sxm2-32 +4 +1 +1 ' '^fpga +alveo-u280 +2 +1 +- ' '^npu +ascend-910 +8 +1 +2 ' '^power: 2520 W idle'
shown mixed-128.xml '^128 nodes in 8 racks, .* 328 devices' '^gpu +h100-sxm5 +96 +12 +12 ' '^port .* 8 .*switch:0-switch:7$'
shown mixed-1200.xml '^1200 nodes in 37 racks, .* 3552 devices' '^gpu +a100-sxm4-80 +2304 +288 +576 '
shown mixed-10000.xml '^10000 nodes in 245 racks, .* 80000 devices' '^gpu +a100-sxm4-80 +48000 +6000 +12000 ' \
    '^npu +ascend-910 +6400 +800 +1600 ' '^power: '
grep -q 'topology="FAT_TREE"' mixed-128.xml || fail "mixed-128.xml has no fat tree"
grep -q 'topology="DRAGONFLY"' mixed-1200.xml || fail "mixed-1200.xml has no dragonfly"

# Each layout gives the same nodes and devices; each topology loads, whatever the number of racks.
keys=(--nodes 12 --cores 4 --memory 64GiB --device a100-sxm4-40:4 --device alveo-u280:2 --island 2)
for layout in zones flat; do
    "$hsim" platform generate -q -o "$layout.xml" -l "$layout" "${keys[@]}"
    "$hsim" platform show "$layout.xml" | grep -v '^port\|take no jobs\|(SimGrid' >"$layout.shown"
done
diff zones.shown flat.shown || fail "the layouts differ in nodes or devices"
for topology in star fat-tree dragonfly; do
    for racks in 1 2 5 12; do
        "$hsim" platform generate -q --force -o t.xml -t "$topology" --racks "$racks" "${keys[@]}" ||
            fail "$topology of $racks racks"
        shown t.xml "^12 nodes in $racks racks?, 48 cores, 72 devices"
    done
done

# Defaults, and keys of a class before those of all.
"$hsim" platform generate -q -o - --cores 8 --memory 1GiB -c a:nodes=2 -c b:nodes=1,memory=2GiB,cores=16 >c.xml
shown c.xml '^compute .* 8 +1 GiB .*a0-a1$' '^compute .* 16 +2 GiB .*b0$'
"$hsim" platform generate -o told.xml --nodes 1 --cores 1 2>err
grep -Eqx 'told.xml: 1 node, 0 devices, 1 rack; 1 host in [0-9]+ bytes' err || fail "what was done is not told"

refused 2 'How many nodes are there\? .*' --cores 4
refused 2 "Class 'n': how many cores has a node\? .*" --nodes 4
refused 2 "Class 'n' has nodes=0; a whole number from 1 to 1000000 is due\." --nodes 0 --cores 1
refused 2 "Class 'n' has nodes=-4; a whole number .*" --nodes=-4 --cores 1
refused 2 "Class 'n' has nodes=4x; a whole number .*" --nodes 4x --cores 1
refused 2 "Class 'n' has memory=4 gigs; a size with a unit.*" --nodes 1 --cores 1 --memory '4 gigs'
refused 2 "Class 'n' has bandwidth=25; a rate with a unit.*" --nodes 1 --cores 1 --bandwidth 25
refused 2 "Class 'n' has latency=-1us; a time up to 1s.*" --nodes 1 --cores 1 --latency=-1us
refused 2 "Class 'n' has speed=fast; a speed with a unit.*" --nodes 1 --cores 1 --speed fast
refused 2 "--taper is '0.5'; a number from 1 to 1000 is due\." --nodes 1 --cores 1 --taper 0.5
refused 2 "Class 'n' has device=a100-sxm4-4:8, but no device model 'a100-sxm4-4' .*did you mean a100-sxm4-40\? .*" \
    --nodes 1 --cores 1 --device a100-sxm4-4:8
refused 2 "Class 'n' has device=t4:0; MODEL:N with N from 1 to 64 is due\." --nodes 1 --cores 1 --device t4:0
refused 2 "Class 'n' has device=epyc-7742, but .* is of the kind cpu\..*" --nodes 1 --cores 1 --device epyc-7742
refused 2 "Class 'n' has cpu=t4, but .* is of the kind gpu\..*" --nodes 1 --cpu t4
refused 2 "Class 'n' has device=t4:6 in islands of 4, but 4 does not divide 6\. .*" --nodes 1 --cores 1 --device t4:6 --island 4
refused 2 "Class 'n' has island=4 but no device\. .*" --nodes 1 --cores 1 --island 4
refused 2 "Class 'n' has 66 devices in a node; at most 64 are allowed\." --nodes 1 --cores 1 --device t4:64 --device a10:2
refused 2 "Class 'n' has 5 racks for 4 nodes; .*" --nodes 4 --cores 1 --racks 5
refused 2 'The platform has 1100 racks in all; at most 1000 are allowed.*' --cores 1 -c a:nodes=600,racks=600 -c b:nodes=500,racks=500
refused 2 'The platform has 1000001 hosts .*; at most 1000000 are read\..*' --cores 1 -c a:nodes=1000000 -c b:nodes=1
refused 2 'The layout zones needs [0-9]+ zones .*; at most 1024 .*--layout flat\.' --nodes 2000 --cores 1 --device t4 -l zones
refused 2 "--topology is 'fattree'; star, fat-tree or dragonfly is due; did you mean fat-tree\?" --nodes 4 --cores 1 -t fattree
refused 2 "--layout is 'x'; auto, zones or flat is due\." --nodes 4 --cores 1 -l x
refused 2 '--shape 4 is for --topology fat-tree or dragonfly.*' --nodes 4 --cores 1 -s 4
refused 2 "--shape is '4,2'; 1 to 4 numbers .* are due for a fat tree.*" --nodes 4 --cores 1 -t fat-tree -s 4,2
refused 2 '--shape 2x2 is too small: this fat tree has room for 4 racks, and there are 8\..*' --nodes 8 --racks 8 --cores 1 -t fat-tree -s 2x2
refused 2 '--shape 2x1x2 is too small: this dragonfly has room for 4 racks.*' --nodes 8 --racks 8 --cores 1 -t dragonfly -s 2x1x2
refused 2 '--shape 4x2x2 is impossible: 4 groups but 2 blades.*crashes.*' --nodes 8 --cores 1 -t dragonfly -s 4x2x2
refused 2 '--shape 99x99x9 is a dragonfly for 88209 racks; at most 4096.*' --nodes 8 --cores 1 -t dragonfly -s 99x99x9
refused 2 "--class is 'gpu'; NAME:KEY=VALUE.*" -c gpu
refused 2 "'gpu0' cannot be the name of a class: .*" -c gpu0:nodes=1,cores=1
refused 2 "There are two classes 'a'\. .*" -c a:nodes=1,cores=1 -c a:nodes=2,cores=1
refused 2 "Class 'a': there is no key 'node'; did you mean nodes\? .*" -c a:node=1
refused 2 "Class 'a': 'cores' is no KEY=VALUE; .*" -c a:nodes=1,cores
refused 2 "Class 'a' has the key nodes twice: '1' and '2'\." -c a:nodes=1,nodes=2
refused 2 "Class 'a': topology is a key of the whole platform; write --topology .*" -c a:nodes=1,topology=star
refused 2 "'file\.xml' is not understood; .*" file.xml
refused 5 'nowhere\.yaml.*' --nodes 1 --cores 1 -C nowhere.yaml

# Where it cannot be written; a file that is there stays.
code=0
"$hsim" platform generate -o missing/a.xml --nodes 1 --cores 1 2>err || code=$?
[ "$code" = 1 ] && grep -q 'missing/a.xml' err || { fail "a folder that is missing: exit code $code"; cat err; }
code=0
"$hsim" platform generate -o told.xml --nodes 2 --cores 1 2>err || code=$?
[ "$code" = 2 ] && grep -q -e --force err && ! grep -q 'nodes=2' told.xml || { fail "overwritten"; cat err; }
code=0
"$hsim" platform generate --nodes 1 --cores 1 >out 2>err || code=$?
[ "$code" = 2 ] && grep -q 'Name the file with -o' err || fail "no -o"
code=0
TMPDIR=$folder/missing "$hsim" platform generate -o a.xml --nodes 1 --cores 1 >out 2>err || code=$?
[ "$code" = 1 ] && grep -q 'TMPDIR' err && [ ! -e a.xml ] || fail "no folder for the check"
[ "$failures" = 0 ]
