#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# timeline.sh - utilisation and queue over time: means over 240 intervals, one curve for each
# result file.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

plot_arguments 'usage: scripts/plot/timeline.sh -o FIGURE.{pdf,png,svg} RESULT.h5...' "$@"

for i in "${!FILES[@]}"; do
    plot_export "${FILES[i]}" --table series --columns time,util_cores,queue |
        awk -F, -v OFS=, '{ print $1, 100 * $2, $3 }' >"$SCRATCH/$i.csv"
    [ -s "$SCRATCH/$i.csv" ] || fail "${FILES[i]} has an empty series"
done
plot_span

upper=()
lower=()
for i in "${!FILES[@]}"; do
    plot_means <"$SCRATCH/$i.csv" >"$SCRATCH/$i.dat"
    upper+=("\"$SCRATCH/$i.dat\" using 1:2 with lines ls $((i + 1)) notitle")
    lower+=("\"$SCRATCH/$i.dat\" using 1:3 with lines ls $((i + 1)) title \"$(plot_label "${FILES[i]}")\"")
done

{
    plot_terminal 16 10
    cat <<EOF
set multiplot
set lmargin at screen 0.11
set rmargin at screen 0.97
set xrange [0:$LENGTH] noextend
set format x ""
set yrange [0:100]
set ytics 25
set ylabel "cores in use (%)" offset 0.5
set tmargin at screen 0.97
set bmargin at screen 0.60
EOF
    (
        IFS=,
        printf 'plot %s\n' "${upper[*]}"
    )
    cat <<EOF
set format x "%g"
set yrange [0:*]
set ytics autofreq
set ylabel "waiting jobs" offset 0.5
set xlabel "time since the first submission ($UNIT)"
set tmargin at screen 0.55
set bmargin at screen 0.14
set key top right Left reverse samplen 3.2 spacing 1.2 width 1 opaque box lc rgb "#dddddd"
EOF
    (
        IFS=,
        printf 'plot %s\n' "${lower[*]}"
    )
    printf 'unset multiplot\n'
} >"$SCRATCH/figure.gp"
plot_draw "$SCRATCH/figure.gp"
