#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# golden.sh - SVG figures of small runs are the same bytes as tests/golden/plots, which were looked at.
#
# usage: golden.sh HSIM ROOT [renew|once]
#
# Another gnuplot draws other bytes: then the test is skipped. `renew` writes the files; look at each
# before you commit it. `once` does not draw the same again.
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
golden=$root/tests/golden/plots

# figure NAME KIND ARGUMENT...: draws NAME.svg and compares it.
figure()
{
    local name=$1

    shift
    "$hsim" plot "$@" -o "$name.svg" >/dev/null 2>&1 || die "hsim plot $* fails"
    if [ "$way" = renew ]; then
        cp "$name.svg" "$golden/"
        return
    fi
    cmp "$name.svg" "$golden/$name.svg" ||
        die "$name.svg (hsim plot $*) is not the same; golden.sh HSIM ROOT renew writes it anew"
    [ "$way" != once ] || return 0
    "$hsim" plot "$@" -o "$name.svg" >/dev/null 2>&1 && cmp "$name.svg" "$golden/$name.svg" ||
        die "$name.svg differs when it is drawn again"
    # The script draws the same by itself, elsewhere.
    mkdir -p "alone/$name"
    mv "$name.gp" "$name.dat" "alone/$name"
    (cd "alone/$name" && gnuplot -d "$name.gp" && cmp "$name.svg" "$golden/$name.svg") ||
        die "gnuplot $name.gp alone does not draw the same"
}

way=${3-}
version=$(gnuplot --version)
made_with=$(sed -n 's/.*<desc>Produced by GNUPLOT \(.*\) <\/desc>.*/gnuplot \1/p' "$golden/cdf.svg" 2>/dev/null || true)
[ "$way" = renew ] || [ "$version" = "$made_with" ] || skip "the files were made with $made_with, and this is $version"
runs
run_power
run_filled
"$hsim" run "$root/experiments/compare-backfilling.yaml" -q -o quickstart/
# README.md shows these two, which scripts/quickstart draws.
figure quickstart-bounded-slowdown cdf quickstart/{fcfs,easy,conservative,sjf,sjf-easy,wfp3-easy}.h5 --metric bsld
figure quickstart-timeline timeline quickstart/{fcfs,easy}.h5
figure cdf cdf large/{fcfs,easy}.h5 --metric bsld
figure cdf-two-column cdf small/{fcfs,easy}.h5 --style two-column --label 'fcfs=First come, first served' --log none
figure ccdf ccdf large/{fcfs,easy}.h5
figure timeline timeline small/{fcfs,easy}.h5
figure timeline-means timeline large/{fcfs,easy}.h5 --metric util_cores,queue
figure timeline-area timeline large/easy.h5
figure timeline-slide timeline power/easy.h5 --style slide
figure fragmentation fragmentation filled/{random,fgd}.h5
figure fragmentation-time fragmentation shared/fcfs.h5 --against time
figure gantt gantt small/easy.h5
figure gantt-state gantt small/{fcfs,easy}.h5 --color state --from 2m --to 6m
figure gantt-devices gantt shared/fcfs.h5
figure gantt-merged gantt large/easy.h5 --width 6 --height 4 --rows node
