#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# listed.sh - no C file lies about that nothing builds, and no fuzz harness that nothing runs.
#
# usage: listed.sh ROOT COMPILE_COMMANDS. A file counts as built if the build's own list of
# commands names it, or if a CMakeLists.txt or a test script of its folder does. A harness has a corpus, a
# number of inputs in scripts/fuzz and a row in the table of tests/fuzz/README.md.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ -r "${2-}" ] || { printf 'usage: %s ROOT COMPILE_COMMANDS\n' "$0" >&2 && exit 2; }
root=$(pwd -P)
built=$(grep -o '"file": *"[^"]*"' "$2" | sed 's/.*"file": *"//; s/"$//')
finish "$(files sim policies tests -- '*.c' | while read -r file; do
    grep -qxF -- "$root/$file" <<<"$built" && continue
    folder=$(dirname "$file")
    grep -qwF -- "$(basename "$file")" /dev/null "$folder"/CMakeLists.txt "$folder"/*.sh \
        2>/dev/null && continue
    printf '%s:1: nothing builds this file; list it in a CMakeLists.txt or remove it\n' "$file"
done
[ ! -r tests/fuzz/CMakeLists.txt ] ||
    sed -n 's/^hsim_fuzz(\([a-z_]*\) .*/\1/p' tests/fuzz/CMakeLists.txt | while read -r name; do
        [ -d "tests/fuzz/corpus/$name" ] ||
            printf 'tests/fuzz/CMakeLists.txt:1: the harness %s has no corpus\n' "$name"
        grep -qF -- "[$name]=" scripts/fuzz 2>/dev/null ||
            printf 'scripts/fuzz:1: the harness %s has no number of inputs\n' "$name"
        grep -qF -- "| \`$name\` |" tests/fuzz/README.md 2>/dev/null ||
            printf 'tests/fuzz/README.md:1: the harness %s is not in the table\n' "$name"
    done)"
