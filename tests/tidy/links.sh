#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# links.sh - what the documentation points to exists.
#
# Links [text](path) are relative to the page. Names in `back quotes` that begin with a folder of
# the tree are relative to the top; names with *, <, $, upper-case placeholders or under results/
# and build/ are made by the user. Code blocks between ``` lines are not read.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

mapfile -t pages < <({ find . -maxdepth 1 -name '*.md' | sed 's,^\./,,'
    files sim policies platforms workloads experiments scripts results tests -- '*.md'; } | LC_ALL=C sort)
[ "${#pages[@]}" -gt 0 ] || finish 'README.md:1: there is no page of documentation'
finish "$(awk '
    FNR == 1 { in_block = 0 }
    /^[ \t]*```/ { in_block = !in_block; next }
    in_block { next }
    {
        text = $0
        while (match(text, /\]\([^)]*\)/)) {
            printf "%s\t%d\tlink\t%s\n", FILENAME, FNR, substr(text, RSTART + 2, RLENGTH - 3)
            text = substr(text, RSTART + RLENGTH)
        }
        text = $0
        while (match(text, /`[^`]*`/)) {
            printf "%s\t%d\tname\t%s\n", FILENAME, FNR, substr(text, RSTART + 1, RLENGTH - 2)
            text = substr(text, RSTART + RLENGTH)
        }
    }' "${pages[@]}" | while IFS=$'\t' read -r page line kind target; do
    case "$kind" in
    link)
        case "$target" in
        *://* | mailto:* | '#'*) continue ;;
        esac
        target=$(dirname "$page")/${target%%#*}
        ;;
    name)
        [[ $target =~ ^(sim|policies|platforms|workloads|experiments|scripts|tests)/[A-Za-z0-9_./-]*$ ]] || continue
        [[ ! $target =~ [A-Z]{3} || $target == *README.md || $target == *CMakeLists.txt ]] || continue
        ;;
    esac
    [ -e "$target" ] || printf '%s:%d: %s does not exist\n' "$page" "$line" "${target#./}"
done)"
