#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# cdf_bsld.sh - distribution of the bounded slowdown: one curve for each result file.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

plot_arguments 'usage: scripts/plot/cdf_bsld.sh -o FIGURE.{pdf,png,svg} RESULT.h5...' "$@"

# cdf: sorted values to steps of the distribution. Of many only those that move the curve by the
# width of a line are kept, and the last of equal ones.
cdf()
{
    awk '{ value[NR] = $1 }
         END {
             step = NR / 2000
             for (i = 1; i <= NR; i++) {
                 if ((i - kept >= step || i == NR || i == 1) && value[i] != value[i + 1]) {
                     printf "%s %.6f\n", value[i], i / NR
                     kept = i
                 }
             }
         }'
}

curves=()
for i in "${!FILES[@]}"; do
    data=$SCRATCH/$i.dat
    plot_export "${FILES[i]}" --columns bsld,measured,state |
        awk -F, '$2 == 1 && ($3 == "finished" || $3 == "killed") && $1 != "nan" { print $1 }' |
        sort -g | cdf >"$data"
    [ -s "$data" ] || fail "${FILES[i]} has no measured job that ran to its end"
    # The curve begins on the axis, where all bounded slowdowns begin.
    sed -i '1i 1 0' "$data"
    curves+=("\"$data\" using 1:2 with steps ls $((i + 1)) title \"$(plot_label "${FILES[i]}")\"")
done

{
    plot_terminal 14 9
    cat <<'EOF'
set logscale x 10
set format x "%.0f"
set xrange [1:*]
set yrange [0:1]
set xlabel "bounded slowdown"
set ylabel "share of jobs"
set mxtics 10
set key bottom right Left reverse samplen 3.2 spacing 1.2 width 1 opaque box lc rgb "#dddddd"
EOF
    (
        IFS=,
        printf 'plot %s\n' "${curves[*]}"
    )
} >"$SCRATCH/figure.gp"
plot_draw "$SCRATCH/figure.gp"
