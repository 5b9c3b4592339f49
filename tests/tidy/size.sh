#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# size.sh - functions of at most 70 lines (signature and braces included), files of at most 800.
#
# A function body is what stands between `{` and `}` alone in column 0, as clang-format lays it out.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

mapfile -t sources < <(files sim policies tests scripts -- '*.c' '*.h' '*.sh' '*.awk')
long_files=$([ "${#sources[@]}" -eq 0 ] || awk '
    FNR == 801 { printf "%s:801: the file has more than 800 lines; split it by purpose\n", FILENAME }
' "${sources[@]}")
mapfile -t sources < <(files sim policies tests -- '*.c' '*.h')
long_functions=$(code "${sources[@]}" | awk -F '\t' '
    $1 != file { file = $1; start = 0; in_body = 0 }
    in_body {
        if ($3 ~ /^[}][ \t]*$/) {
            if ($2 - start + 1 > 70) {
                printf "%s:%d: the function has %d lines; 70 are allowed\n", file, start, $2 - start + 1
            }
            in_body = 0
            start = 0
        }
        next
    }
    $3 ~ /^[{][ \t]*$/ { in_body = 1; if (!start) { start = $2 }; next }
    # A signature starts at the first line in column 0 after the end of something else.
    $3 ~ /^[A-Za-z_]/ { if (!start) { start = $2 } }
    $3 ~ /^[ \t]*$/ || $3 ~ /^#/ || $3 ~ /[;}][ \t]*$/ { start = 0 }
')
finish "$long_files${long_files:+${long_functions:+$'\n'}}$long_functions"
