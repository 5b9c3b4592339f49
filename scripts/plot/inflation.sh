#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# inflation.sh - how full a machine becomes as jobs that never end arrive: for each result file of an
# inflated workload the share of the accelerators that is held, and below it the one that is of no use.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

plot_arguments 'usage: scripts/plot/inflation.sh -o FIGURE.{pdf,png,svg} RESULT.h5...' "$@"

held=()
wasted=()
for i in "${!FILES[@]}"; do
    data=$SCRATCH/$i.dat
    plot_export "${FILES[i]}" --table inflation --columns percent,alloc,fragment |
        awk -F, '{ print $1, 100 * $2, $3 == "nan" ? "nan" : 100 * $3 }' >"$data"
    [ -s "$data" ] || fail "${FILES[i]} has no arrivals"
    held+=("\"$data\" using 1:2 with lines ls $((i + 1)) title \"$(plot_label "${FILES[i]}")\"")
    wasted+=("\"$data\" using 1:3 with lines ls $((i + 1)) notitle")
done

{
    plot_terminal 14 14
    cat <<'EOF'
set multiplot layout 2,1
set lmargin 9
set xrange [0:*]
set yrange [0:100]
set ylabel "held, % of all accelerators"
set key bottom right Left reverse samplen 3.2 spacing 1.2 width 1 opaque box lc rgb "#dddddd"
EOF
    (
        IFS=,
        printf 'plot %s\n' "${held[*]}"
    )
    cat <<'EOF'
set key off
set yrange [0:*]
set ylabel "free and of no use, %"
set xlabel "asked for by all that have arrived, % of all accelerators"
EOF
    (
        IFS=,
        printf 'plot %s\n' "${wasted[*]}"
    )
    echo 'unset multiplot'
} >"$SCRATCH/figure.gp"
plot_draw "$SCRATCH/figure.gp"
