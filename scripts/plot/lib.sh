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

# plot_draw SCRIPT: runs gnuplot and puts the figure in its place.
plot_draw()
{
    gnuplot "$1" >&2 || fail 'gnuplot could not draw the figure; its words stand above'
    cp "$SCRATCH/figure" "$OUTPUT" 2>/dev/null || fail "cannot write '$OUTPUT'"
}
