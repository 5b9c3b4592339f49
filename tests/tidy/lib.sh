# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# lib.sh - what the checks of the tree share.
#
# Each check is a program `NAME.sh ROOT` that prints `file:line: sentence` for every violation and
# ends with status 1 if there is one. ROOT is a parameter so that selftest.sh can hand in trees
# that are wrong on purpose.

# shellcheck disable=SC2034 # used by those who source this file
TIDY=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 1 ] || { printf 'usage: %s ROOT\n' "$0" >&2 && exit 2; }
cd "$1" || exit 2

# files FOLDER... -- PATTERN...: files below the folders (those that exist) whose names match.
files()
{
    local -a folders=() expression=()

    while [ "$1" != -- ]; do
        [ ! -d "$1" ] || folders+=("$1")
        shift
    done
    shift
    [ "${#folders[@]}" -gt 0 ] || return 0
    for pattern in "$@"; do
        expression+=(-o -name "$pattern")
    done
    find "${folders[@]}" -name build -prune -o -type f \( "${expression[@]:1}" \) -print |
        LC_ALL=C sort
}

# code FILE...: the files as lines `name TAB line-number TAB code`; comments are dropped and the
# insides of strings and character constants are blank, except in #include lines.
code()
{
    [ $# -eq 0 ] || awk -f "$TIDY/code.awk" -- "$@"
}

# finish TEXT: prints the violations, if any; the status of the check.
finish()
{
    [ -z "$1" ] || { printf '%s\n' "$1" && exit 1; }
    exit 0
}
