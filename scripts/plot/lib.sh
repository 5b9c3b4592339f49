# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# lib.sh - what the figures share: arguments, the hsim program, the terminal, colours and dashes.
#
# Sourced, not run. Everything that is drawn comes out of `hsim export` and `hsim inspect`.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

export LC_ALL=C
SCRATCH=
trap '[ -z "$SCRATCH" ] || rm -rf "$SCRATCH"' EXIT

# plot_arguments USAGE ARGUMENT...: sets OUTPUT and the array FILES.
plot_arguments()
{
    local usage=$1

    shift
    OUTPUT=
    FILES=()
    while [ $# -gt 0 ]; do
        case $1 in
        -h | --help) printf '%s\n' "$usage" && exit 0 ;;
        -o)
            [ $# -ge 2 ] || fail "-o needs a file name; $usage"
            OUTPUT=$2
            shift
            ;;
        -*) fail "unknown option '$1'; $usage" ;;
        *) FILES+=("$1") ;;
        esac
        shift
    done
    [ -n "$OUTPUT" ] || fail "-o FILE is missing; $usage"
    [ ${#FILES[@]} -gt 0 ] || fail "name at least one result file; $usage"
    [ ${#FILES[@]} -le 8 ] || fail "at most 8 result files can be told apart in one figure"
    case $OUTPUT in
    *.pdf | *.png | *.svg) ;;
    *) fail "the name of a figure ends in .pdf, .png or .svg, unlike '$OUTPUT'" ;;
    esac
    command -v gnuplot >/dev/null || fail 'gnuplot is missing: apt-get install gnuplot-nox'
    plot_find_hsim
    SCRATCH=$(mktemp -d)
}

# Sets HSIM: from the environment, the builds of this tree, or the PATH.
plot_find_hsim()
{
    local place

    if [ -n "${HSIM-}" ]; then
        [ -x "$HSIM" ] || fail "HSIM names '$HSIM', which is no program"
        return
    fi
    for place in "$HSIM_ROOT"/build/{release,dev}/bin/hsim "$(command -v hsim)"; do
        if [ -x "$place" ]; then
            HSIM=$place
            return
        fi
    done
    fail 'hsim is not built: run scripts/quickstart, or set HSIM to the program'
}

# plot_terminal WIDTH_CM HEIGHT_CM: the gnuplot commands for OUTPUT, by its ending.
plot_terminal()
{
    local font='Helvetica,11'

    case $OUTPUT in
    *.pdf) printf 'set terminal pdfcairo noenhanced color size %scm,%scm font "%s" lw 1.6\n' "$1" "$2" "$font" ;;
    *.svg) printf 'set terminal svg noenhanced size %s,%s font "%s" lw 1.6\n' $(($1 * 50)) $(($2 * 50)) 'Helvetica,15' ;;
    *.png) printf 'set terminal pngcairo noenhanced color size %s,%s font "%s" lw 2.6 fontscale 1.9\n' $(($1 * 100)) $(($2 * 100)) "$font" ;;
    esac
    printf 'set output "%s"\n' "$SCRATCH/figure"
    # Colours after Okabe and Ito, which all eyes tell apart, and dashes for print in grey.
    printf 'set style line %s\n' \
        '1 lc rgb "#0072B2" dt solid lw 1.4' '2 lc rgb "#D55E00" dt (14,4) lw 1.4' \
        '3 lc rgb "#009E73" dt (4,3) lw 1.4' '4 lc rgb "#CC79A7" dt (14,4,3,4) lw 1.4' \
        '5 lc rgb "#E69F00" dt (24,4) lw 1.4' '6 lc rgb "#56B4E9" dt (8,3,2,3,2,3) lw 1.4' \
        '7 lc rgb "#000000" dt (2,3) lw 1.4' '8 lc rgb "#888888" dt (20,4,8,4) lw 1.4'
    printf '%s\n' 'set border 3 lc rgb "#404040"' 'set tics nomirror out textcolor rgb "#000000"' \
        'set grid lc rgb "#dddddd" lt 1 lw 0.5'
}

# plot_export FILE ARGUMENT...: a table of a result file, without its header.
plot_export()
{
    local file=$1

    shift
    "$HSIM" export "$file" --to csv "$@" | tail -n +2
}

# plot_label FILE: the policy, as the file tells it; safe between double quotes of gnuplot.
plot_label()
{
    "$HSIM" inspect "$1" --json | sed -n 's/.*"policy": "\([^"\\]*\).*/\1/p' | head -n 1
}

# plot_span: of the series in $SCRATCH/N.csv, which begin with the time, sets BEGIN, END and, such that the
# numbers of the axis are short, its UNIT with DIVISOR seconds, and the LENGTH in it.
plot_span()
{
    local i

    for i in "${!FILES[@]}"; do
        { head -n 1 "$SCRATCH/$i.csv" && tail -n 1 "$SCRATCH/$i.csv"; } | cut -d, -f1
    done | sort -g >"$SCRATCH/times"
    BEGIN=$(head -n 1 "$SCRATCH/times")
    END=$(tail -n 1 "$SCRATCH/times")
    read -r UNIT DIVISOR LENGTH <<<"$(awk -v span="$BEGIN $END" 'BEGIN {
        split(span, ends, " ")
        seconds = ends[2] - ends[1]
        split("days hours minutes seconds", names, " ")
        split("86400 3600 60 1", sizes, " ")
        unit = 1
        while (unit < 4 && seconds <= 4 * sizes[unit]) { unit++ }
        printf "%s %d %.9g\n", names[unit], sizes[unit], (seconds > 0 ? seconds : 1) / sizes[unit]
    }')"
}

# plot_means: rows "time,a,b" of two levels that hold until the next row, to their means over 240 equal
# intervals: "centre a b". After plot_span.
plot_means()
{
    awk -F, -v begin="$BEGIN" -v end="$END" -v bins=240 -v divisor="$DIVISOR" '
        function hold(until,    bin, edge, step) {
            while (now < until) {
                bin = int((now - begin) / width)
                edge = begin + (bin + 1) * width
                if (edge <= now) { bin++; edge += width }
                step = (until < edge ? until : edge) - now
                if (step <= 0) { break }
                first[bin] += step * first_level
                second[bin] += step * second_level
                now += step
            }
        }
        BEGIN { width = (end - begin) / bins; if (width <= 0) { width = 1 } }
        NR == 1 { now = $1 }
        { hold($1); now = $1; first_level = $2; second_level = $3 }
        END {
            hold(end)
            for (bin = 0; bin < bins; bin++) {
                printf "%.9g %.9g %.9g\n", (bin + 0.5) * width / divisor,
                    first[bin] / width, second[bin] / width
            }
        }'
}

# plot_draw SCRIPT: runs gnuplot and puts the figure in its place.
plot_draw()
{
    gnuplot "$1" >&2 || fail 'gnuplot could not draw the figure; its words stand above'
    cp "$SCRATCH/figure" "$OUTPUT" 2>/dev/null || fail "cannot write '$OUTPUT'"
}
