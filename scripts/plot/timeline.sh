#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# timeline.sh - utilisation and queue over time: means over 240 intervals, one curve for each
# result file.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

plot_arguments 'usage: scripts/plot/timeline.sh -o FIGURE.{pdf,png,svg} RESULT.h5...' "$@"
bins=240

for i in "${!FILES[@]}"; do
    plot_export "${FILES[i]}" --table series --columns time,util_cores,queue >"$SCRATCH/$i.csv"
    [ -s "$SCRATCH/$i.csv" ] || fail "${FILES[i]} has an empty series"
    { head -n 1 "$SCRATCH/$i.csv" && tail -n 1 "$SCRATCH/$i.csv"; } | cut -d, -f1
done | sort -g >"$SCRATCH/times"
begin=$(head -n 1 "$SCRATCH/times")
end=$(tail -n 1 "$SCRATCH/times")

# The unit of the axis: such that its numbers are short.
read -r unit divisor length <<<"$(awk -v span="$begin $end" 'BEGIN {
    split(span, ends, " ")
    seconds = ends[2] - ends[1]
    split("days hours minutes seconds", names, " ")
    split("86400 3600 60 1", sizes, " ")
    unit = 1
    while (unit < 4 && seconds <= 4 * sizes[unit]) { unit++ }
    printf "%s %d %.9g\n", names[unit], sizes[unit], (seconds > 0 ? seconds : 1) / sizes[unit]
}')"

# means: levels that hold until the next row, to their means over equal intervals. Each row is
# "centre utilisation queue".
means()
{
    awk -F, -v begin="$begin" -v end="$end" -v bins="$bins" -v divisor="$divisor" '
        function hold(until,    bin, edge, step) {
            while (now < until) {
                bin = int((now - begin) / width)
                edge = begin + (bin + 1) * width
                if (edge <= now) { bin++; edge += width }
                step = (until < edge ? until : edge) - now
                if (step <= 0) { break }
                util[bin] += step * util_level
                queue[bin] += step * queue_level
                now += step
            }
        }
        BEGIN { width = (end - begin) / bins; if (width <= 0) { width = 1 } }
        NR == 1 { now = $1 }
        { hold($1); now = $1; util_level = $2; queue_level = $3 }
        END {
            hold(end)
            for (bin = 0; bin < bins; bin++) {
                printf "%.9g %.9g %.9g\n", (bin + 0.5) * width / divisor,
                    100 * util[bin] / width, queue[bin] / width
            }
        }'
}

upper=()
lower=()
for i in "${!FILES[@]}"; do
    means <"$SCRATCH/$i.csv" >"$SCRATCH/$i.dat"
    upper+=("\"$SCRATCH/$i.dat\" using 1:2 with lines ls $((i + 1)) notitle")
    lower+=("\"$SCRATCH/$i.dat\" using 1:3 with lines ls $((i + 1)) title \"$(plot_label "${FILES[i]}")\"")
done

{
    plot_terminal 16 10
    cat <<EOF
set multiplot
set lmargin at screen 0.11
set rmargin at screen 0.97
set xrange [0:$length] noextend
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
set xlabel "time since the first submission ($unit)"
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
