#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# errors.sh - what cannot be drawn is told, with exit code and remedy; nothing is lost or left half done.
#
# usage: errors.sh HSIM ROOT
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# refuse CODE WORDS ARGUMENT...: `hsim plot ARGUMENT...` ends with CODE, says WORDS, and makes no file.
refuse()
{
    local code=$1 words=$2 status=0

    shift 2
    "$hsim" plot "$@" >out 2>err || status=$?
    [ "$status" -eq "$code" ] || die "hsim plot $*: exit code $status, not $code: $(cat err)"
    grep -qF -- "$words" err || die "hsim plot $* does not say '$words': $(cat err)"
    ! ls x.* >/dev/null 2>&1 || die "hsim plot $* left $(ls x.*)"
}

# allow ARGUMENT...: `hsim plot ARGUMENT...` draws.
allow()
{
    "$hsim" plot "$@" >out 2>err || die "hsim plot $*: $(cat err)"
}

# begins FILE TEXT
begins()
{
    head -c ${#2} "$1" | grep -qF -- "$2" || die "$1 does not begin with $2"
}

runs
trace 3 | sed 's/ 1 1 1 -1 -1 -1$/ 1 1 1 -1 -1 -1/' >few.swf
printf 'hsim: 1\nplatform: {nodes: 16, cores: 1}\nworkload: few.swf\npolicy: fcfs\noutput: {series: none, allocations: false}\n' >e.yaml
"$hsim" run e.yaml -q -o bare/
printf 'hsim: 1\nplatform: {nodes: 1, cores: 1}\nworkload: {file: few.swf, oversized: reject}\npolicy: fcfs\n' >e.yaml
"$hsim" run e.yaml -q -o rejected/
head -c 20000 small/easy.h5 >cut.h5

# The command line.
refuse 2 'Which kind of figure?'
refuse 2 'did you mean cdf?' cdff small/easy.h5 -o x.pdf
refuse 2 'Which results?' cdf -o x.pdf
refuse 2 '-o is missing' cdf small/easy.h5
refuse 2 'ends in .pdf, .svg or .png' cdf small/easy.h5 -o x.gif
refuse 2 'did you mean wait?' cdf small/easy.h5 --metric wiat -o x.pdf
refuse 2 'one-column, two-column or slide is due' cdf small/easy.h5 --style poster -o x.pdf
refuse 2 'a number of cm from 3 to 120' cdf small/easy.h5 --width 0 -o x.pdf
refuse 2 'x, y, xy or none is due' cdf small/easy.h5 --log z -o x.pdf
refuse 2 '--from does not go with' cdf small/easy.h5 --from 1m -o x.pdf
refuse 2 'a time since the first submission is due' gantt small/easy.h5 --from soon -o x.pdf
refuse 2 '--from is not before --to' gantt small/easy.h5 --from 5m --to 1m -o x.pdf
refuse 2 'Nothing happens in the time' timeline small/easy.h5 --from 5d -o x.pdf
refuse 2 "did you mean 'easy'?" cdf small/easy.h5 --label eesy=EASY -o x.pdf
refuse 2 'NAME=TEXT is due' cdf small/easy.h5 --label EASY -o x.pdf
refuse 2 'user, class or state is due' gantt small/easy.h5 --color size -o x.pdf
refuse 2 'at most 8 runs' cdf small/{easy,fcfs}.h5 large/{easy,fcfs}.h5 small/{easy,fcfs}.h5 large/{easy,fcfs}.h5 small/easy.h5 -o x.pdf

# What was not recorded.
refuse 2 'no energy was accounted' cdf small/easy.h5 --metric energy -o x.pdf
refuse 2 'the power was not recorded' timeline small/easy.h5 --metric power -o x.pdf
refuse 2 'has no such column' timeline small/easy.h5 --metric queues -o x.pdf
refuse 2 'output: {series: events}' timeline bare/fcfs.h5 -o x.pdf
refuse 2 'output: {allocations: true}' gantt bare/fcfs.h5 -o x.pdf
refuse 2 'have no classes' gantt small/easy.h5 --color class -o x.pdf
refuse 2 'has no devices' gantt small/easy.h5 --rows device -o x.pdf
refuse 2 'has no accelerators' fragmentation small/easy.h5 -o x.pdf
refuse 2 'is not inflated' fragmentation shared/fcfs.h5 --against arrived -o x.pdf
refuse 2 'no measured job has the metric' cdf rejected/fcfs.h5 -o x.pdf
refuse 2 'Nothing happens' gantt rejected/fcfs.h5 -o x.pdf

# Files that are no results.
refuse 5 'cannot be opened' cdf none.h5 -o x.pdf
refuse 5 'no HDF5 file' cdf few.swf -o x.pdf
refuse 5 'truncated or damaged' cdf cut.h5 -o x.pdf
refuse 5 'this is a folder' cdf small -o x.pdf
if python3 -c 'import h5py' 2>/dev/null; then
    python3 - <<'END'
import h5py, shutil
for name, attribute, value in (("newer", "hsim_schema", 99), ("sweep", "hsim_kind", "sweep")):
    shutil.copy("small/easy.h5", name + ".h5")
    with h5py.File(name + ".h5", "r+") as file:
        file.attrs[attribute] = value
shutil.copy("small/easy.h5", "nan.h5")
with h5py.File("nan.h5", "r+") as file:
    file["jobs/wait"][:5] = float("nan")
END
    refuse 5 'Use a newer hsim' cdf newer.h5 -o x.pdf
    refuse 5 'merged file of a sweep' cdf sweep.h5 -o x.pdf
    allow cdf nan.h5 -o nan.pdf
    grep -q '5 of 25 measured jobs have no wait' err || die "NaN is not told: $(cat err)"
fi

# Places that cannot be written, and files that are not hsim's.
refuse 1 'does not exist' cdf small/easy.h5 -o no/x.pdf
echo mine >paper.pdf
refuse 2 'hsim has not made it' cdf small/easy.h5 -o paper.pdf
[ "$(cat paper.pdf)" = mine ] && [ ! -e paper.gp ] || die 'a foreign file was touched'
allow cdf small/easy.h5 -o paper.pdf --force
begins paper.pdf %PDF
! grep -aq /Subtype/Type3 paper.pdf && grep -aq /FontFile paper.pdf || die 'fonts are not embedded as outlines'

# Figures of hsim are replaced, a script that was changed is not.
allow cdf small/easy.h5 -o fig.svg
allow ccdf small/easy.h5 -o fig.svg
allow ccdf small/easy.h5 -o fig.png
begins fig.png "$(printf '\211PNG')"
allow ccdf small/easy.h5 -o fig.svg
cp fig.svg before.svg
sed -i "s/^plot/set ylabel 'mine'\nplot/" fig.gp
refuse 2 'Give --keep' cdf small/easy.h5 -o fig.svg
cmp fig.svg before.svg || die 'a figure was touched'
allow ccdf small/easy.h5 -o fig.svg --keep
grep -q mine fig.svg || die '--keep did not draw with the script that is there'
refuse 2 'draws another format' ccdf small/easy.h5 -o fig.png --keep
sed -i 's/^plot/plod/' fig.gp
cp fig.svg before.svg
refuse 1 'invalid command' ccdf small/easy.h5 -o fig.svg --keep
cmp fig.svg before.svg || die 'a failed gnuplot destroyed the picture'
allow ccdf small/easy.h5 -o fig.svg --force

# Text is drawn as it is.
allow cdf small/{easy,fcfs}.h5 --label "easy=It's a_b^{c} \"&\" <d> \\n%s" -o text.svg
grep -qF "It's a_b^{c} \"&amp;\" &lt;d> \\n%s" text.svg || die "a label is not drawn as it is: $(grep "It's" text.svg)"

# Two runs of one label are told apart by their files.
allow cdf {small,large}/easy.h5 -o text.svg
grep -q 'easy (small/easy)' text.svg && grep -q 'easy (large/easy)' text.svg || die 'labels are not told apart'

printf 'hsim: 1\nplatform: {nodes: 4, cores: 4}\nworkload: small.swf\npolicy: fcfs\n' >small.yaml

# No text and no name of a file is a command or a variable of gnuplot, or of the shell that it calls.
# shellcheck disable=SC2016
for label in '`touch run`' '$(touch run)' "'.system('touch run').'" '".system("touch run")."' '@data' "it's \"x\" \\y" '\140x\'; do
    allow cdf small/{easy,fcfs}.h5 --label "easy=$label" --label 'fcfs=`touch run` too' -o text.svg
    python3 - "$label" <<'END' || die "a label is not drawn as it is: $label"
import sys, xml.etree.ElementTree as tree
sys.exit(sys.argv[1] not in [text.text for text in tree.parse("text.svg").iter() if text.text])
END
    allow box small/{easy,fcfs}.h5 --label "wait_mean_s=$label" --metric wait_mean_s -o text.svg
    [ ! -e run ] || die "a label is run: $label"
    # Names beside an axis.
    quoted=$(printf '%s' "$label" | sed "s/'/''/g")
    "$hsim" run small.yaml -q --set "policies=[{name: fcfs, label: '$quoted'}]" -o named/
    allow box named/*.h5 --metric wait_mean_s -o text.svg
    [ ! -e run ] || die "a policy is run: $label"
    rm -r named
done
# shellcheck disable=SC2016
for name in '|touch run #' '<touch run #' '$data' '@data' '~' '-' '+' '`touch run`' "'quoted'"; do
    allow cdf small/easy.h5 -o "$name.svg"
    begins "./$name.svg" '<?xml' && grep -q '<path' "./$name.svg" && [ ! -e run ] && [ ! -e 'run #.svg' ] || die "a name is run: $name"
done
refuse 2 'control character' cdf small/easy.h5 -o $'x\nx.svg'

# No gnuplot, one that fails, and one that writes half a picture.
mkdir tools broken
ln -s "$(command -v grep)" "$(command -v ls)" "$(command -v cat)" tools/
PATH=$PWD/tools refuse 1 'apt-get install gnuplot-nox' cdf small/easy.h5 -o late.svg
[ -s late.gp ] && [ -s late.dat ] && [ ! -e late.svg ] || die 'data and script must be there, the picture must not'
printf '#!/bin/sh\nkill -9 $$\n' >broken/gnuplot
chmod +x broken/gnuplot
PATH=$PWD/broken:$PATH refuse 1 'signal 9' cdf small/easy.h5 -o late.svg
printf '#!/bin/sh\nprintf "<?xml version and half of a picture" >late.svg.part\n' >broken/gnuplot
PATH=$PWD/broken:$PATH refuse 1 'is not complete' cdf small/easy.h5 -o late.svg
[ ! -e late.svg ] && [ ! -e late.svg.part ] || die 'half a picture was left'

# Help comes from the table of kinds.
for kind in cdf ccdf timeline gantt fragmentation; do
    "$hsim" plot --help | grep -q "^  $kind " || die "hsim plot --help lacks $kind"
    "$hsim" plot "$kind" --help | grep -q -- --label || die "hsim plot $kind --help lacks its options"
done
! "$hsim" plot cdf --help | grep -q -- --rows || die 'the help of cdf has an option of gantt'
