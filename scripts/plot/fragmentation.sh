#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# fragmentation.sh - what is free of the accelerators and of no use to the jobs, over time: their number, and
# below it the share of what is free; means over 240 intervals, one curve for each result file.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

plot_arguments 'usage: scripts/plot/fragmentation.sh -o FIGURE.{pdf,png,svg} RESULT.h5...' "$@"

# kinds FILE: the kinds of accelerators whose fragmentation the file has; each has a metric of hours.
kinds()
{
    plot_export "$1" --table summary | sed -n '/^alloc_core_h,/!s/^alloc_\(.*\)_h,.*/\1/p'
}

for i in "${!FILES[@]}"; do
    columns=time
    for kind in $(kinds "${FILES[i]}"); do
        columns+=,frag_$kind,free_$kind
    done
    [ "$columns" != time ] || fail "${FILES[i]} has no accelerators"
    plot_export "${FILES[i]}" --table series --columns "$columns" |
        awk -F, -v OFS=, '{
            lost = free = 0
            for (i = 2; i < NF; i += 2) { lost += $i; free += $(i + 1) }
            print $1, lost / 1000, free / 1000
        }' >"$SCRATCH/$i.csv" ||
        fail "${FILES[i]} has no fragmentation: run the experiment with output: {fragmentation: true}"
    [ -s "$SCRATCH/$i.csv" ] || fail "${FILES[i]} has an empty series"
done
plot_span

upper=()
lower=()
for i in "${!FILES[@]}"; do
    plot_means <"$SCRATCH/$i.csv" | awk '{ print $1, $2, ($3 > 0 ? 100 * $2 / $3 : "nan") }' >"$SCRATCH/$i.dat"
    upper+=("\"$SCRATCH/$i.dat\" using 1:2 with lines ls $((i + 1)) notitle")
    lower+=("\"$SCRATCH/$i.dat\" using 1:3 with lines ls $((i + 1)) title \"$(plot_label "${FILES[i]}")\"")
done

{
    plot_terminal 16 11
    cat <<EOF
set multiplot
set lmargin at screen 0.11
set rmargin at screen 0.97
set xrange [0:$LENGTH] noextend
set format x ""
set yrange [0:*]
set ylabel "accelerators of no use" offset 0.5
set tmargin at screen 0.97
set bmargin at screen 0.58
set key off
EOF
    (
        IFS=,
        printf 'plot %s\n' "${upper[*]}"
    )
    cat <<EOF
set key top right Left reverse samplen 3.2 spacing 1.2 width 1 opaque box lc rgb "#dddddd"
set format x "%g"
set yrange [0:100]
set ytics 25
set ylabel "% of what is free" offset 0.5
set xlabel "time since the first submission ($UNIT)"
set tmargin at screen 0.53
set bmargin at screen 0.14
EOF
    (
        IFS=,
        printf 'plot %s\n' "${lower[*]}"
    )
    printf 'unset multiplot\n'
} >"$SCRATCH/figure.gp"
plot_draw "$SCRATCH/figure.gp"
