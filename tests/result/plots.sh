#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# plots.sh - the figures are drawn in all formats, and errors are told.
#
# usage: plots.sh HSIM ROOT
set -eu
export HSIM=$1
plots=$2/scripts/plot
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

if ! command -v gnuplot >/dev/null; then
    printf 'skipped: gnuplot is not installed\n'
    exit 0
fi

die()
{
    printf 'plots.sh: %s\n' "$*" >&2
    exit 1
}

for i in $(seq 1 60); do
    printf '%d %d -1 %d 3 -1 -1 3 100 -1 1 1 1 1 1 -1 -1 -1\n' "$i" $((i * 10)) $((i % 7 * 10 + 1))
done >trace.swf
printf 'hsim: 1\nplatform: {nodes: 4, cores: 1}\nworkload: trace.swf\npolicies: [fcfs, sjf]\n' >e.yaml
"$HSIM" run e.yaml -q -o r/
"$HSIM" run "$2/experiments/fgd.yaml" -q -o filled/

# files FIGURE: results that the figure is of; the last one's policy is in the legend.
files()
{
    case $1 in
    inflation | fragmentation) echo filled/packing.h5 filled/fgd.h5 ;;
    *) echo r/fcfs.h5 r/sjf.h5 ;;
    esac
}

for figure in cdf_bsld timeline inflation fragmentation; do
    mapfile -d " " -t results < <(files "$figure" | tr -d "\n")
    last=$(basename "${results[-1]}" .h5)
    for ending in png pdf svg; do
        "$plots/$figure.sh" -o "$figure.$ending" "${results[@]}"
    done
    head -c 4 "$figure.png" | grep -q PNG || die "$figure.png is no PNG"
    head -c 4 "$figure.pdf" | grep -q %PDF || die "$figure.pdf is no PDF"
    grep -q "$last" "$figure.svg" || die "$figure.svg has no legend"
    for bad in "-o x.gif ${results[0]}" "${results[0]}" '-o x.png' "-o no/x.png ${results[0]}" '-o x.png trace.swf'; do
        # shellcheck disable=SC2086 # the options are words
        if "$plots/$figure.sh" $bad 2>err; then
            die "$figure.sh $bad must fail"
        fi
        grep -q 'error:' err || die "$figure.sh $bad must say why"
    done
    [ ! -e x.png ] || die "$figure.sh left a broken figure behind"
done

if "$plots/fragmentation.sh" -o x.png r/fcfs.h5 2>err || ! grep -q 'has no accelerators' err; then
    die "fragmentation.sh of a run without accelerators: $(cat err)"
fi
