# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# lib.sh - what the scripts share: where the tree is, and which Debian packages must be there.
#
# Sourced, not run. Sets HSIM_ROOT, the top folder of the tree.

HSIM_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Prints an error and ends the script.
fail()
{
    printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Headline of a step on standard error, so that standard output carries results only.
step()
{
    printf '\n== %s\n' "$*" >&2
}

# packages_of GROUP...: names of the packages of these groups, in the order of the list.
packages_of()
{
    awk -v groups=" $* " '!/^#/ && NF && index(groups, " " $2 " ") { print $1 }' \
        "$HSIM_ROOT/scripts/packages.txt"
}

# packages_missing GROUP...: those that are not installed.
packages_missing()
{
    local installed package

    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p')
    for package in $(packages_of "$@"); do
        grep -qxF -- "$package" <<<"$installed" || printf '%s\n' "$package"
    done
}

# packages_require GROUP...: installs what is missing, as root or through sudo; says nothing
# when nothing is. Without either it prints the command to run and ends the script.
packages_require()
{
    local missing log
    local -a names as_root=()

    if ! command -v dpkg-query >/dev/null; then
        printf 'This is not Debian: please install what %s lists.\n' scripts/packages.txt >&2
        return 0
    fi
    missing=$(packages_missing "$@")
    [ -n "$missing" ] || return 0
    mapfile -t names <<<"$missing"
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null || { [ ! -t 0 ] && ! sudo -n true 2>/dev/null; }; then
            printf 'Some Debian packages are missing. As root, please run:\n\n    apt-get install --no-install-recommends %s\n\n' \
                "${names[*]}" >&2
            exit 1
        fi
        as_root=(sudo)
    fi
    as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
    step "installing ${#names[@]} Debian packages: ${names[*]}"
    log=$(mktemp)
    # The lists of packages are fetched only when they do not suffice as they are.
    if ! "${as_root[@]}" install -y --no-install-recommends "${names[@]}" >"$log" 2>&1 </dev/null; then
        if ! { "${as_root[@]}" update && "${as_root[@]}" install -y --no-install-recommends \
            "${names[@]}"; } >"$log" 2>&1 </dev/null; then
            cat "$log" >&2
            rm -f "$log"
            fail "apt-get could not install ${names[*]}; its own words stand above"
        fi
    fi
    rm -f "$log"
}

# source_files PATTERN...: files of the tree whose names match, without build and result files.
source_files()
{
    local -a expression=()
    local pattern

    for pattern in "$@"; do
        expression+=(-o -name "$pattern")
    done
    find "$HSIM_ROOT" \( -name build -o -name .git -o -path "$HSIM_ROOT/results" \) -prune -o \
        -type f \( "${expression[@]:1}" \) -print | LC_ALL=C sort
}
