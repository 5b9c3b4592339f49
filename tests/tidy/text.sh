#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# text.sh - every source and script states its licence first; nothing is left unfinished or dead.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

folders=(.ci sim policies platforms workloads experiments scripts tests)
mapfile -t sources < <(files "${folders[@]}" -- '*.c' '*.h' '*.sh' '*.awk' '*.gp' '*.gnuplot' \
    '*.py' '*.cmake' CMakeLists.txt run test quickstart study coverage format fuzz)
[ ! -f CMakeLists.txt ] || sources+=(CMakeLists.txt)
licences=$([ "${#sources[@]}" -eq 0 ] || awk '
    function judge(file) {
        if (licence == "") {
            printf "%s:1: no SPDX-License-Identifier in the first two lines\n", file
        } else if (file ~ /^sim\/core\/.*[.][ch]$/ && licence != "MIT") {
            printf "%s:1: the core is under the MIT licence, not %s\n", file, licence
        } else if (file ~ /^policies\/lib\/.*[.][ch]$/ && licence != "MIT") {
            printf "%s:1: policies/lib is under the MIT licence, not %s\n", file, licence
        } else if (licence != "MIT" && licence != "GPL-3.0-or-later") {
            printf "%s:1: %s is not a licence of this project\n", file, licence
        } else if (licence == "MIT" && file !~ /^(sim\/core|policies)\//) {
            printf "%s:1: GPL-3.0-or-later is the licence outside sim/core and policies\n", file
        }
    }
    FNR == 1 { if (file != "") judge(file); file = FILENAME; licence = "" }
    FNR <= 2 && /SPDX-License-Identifier: / {
        licence = $0
        sub(/.*SPDX-License-Identifier: /, "", licence)
        sub(/[ \t].*/, "", licence)
    }
    END { if (file != "") judge(file) }
' "${sources[@]}")
mapfile -t sources < <(files "${folders[@]}" -- '*' | grep -v '^tests/tidy/')
unfinished=$([ "${#sources[@]}" -eq 0 ] || grep -nHIwE 'TODO|FIXME|XXX|HACK' "${sources[@]}" |
    sed -E 's/^([^:]*:[0-9]+):.*/\1: a note about unfinished work; finish it or open an issue/' || true)
mapfile -t sources < <(files "${folders[@]}" -- '*.c' '*.h')
dead=$([ "${#sources[@]}" -eq 0 ] || grep -nHE '^[ \t]*#[ \t]*if[ \t]+0([^-9]|$)' "${sources[@]}" |
    sed -E 's/^([^:]*:[0-9]+):.*/\1: dead code; remove it, git remembers/' || true)
stray=$(files "${folders[@]}" -- '*.old' '*.orig' '*.bak' '*.rej' '*~' |
    sed 's/$/:1: a left-over file; remove it, git remembers/')
finish "$(printf '%s\n' "$licences" "$unfinished" "$dead" "$stray" | sed '/^$/d')"
