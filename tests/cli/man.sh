#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# man.sh - the manual pages: every command, option and key is in them, and no reader complains.
#
# Usage: man.sh HSIM
set -euo pipefail

hsim=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

die()
{
    printf 'man.sh: %s\n' "$*" >&2
    exit 1
}

"$hsim" man hsim.1 >hsim.1
"$hsim" man hsim-experiment.5 >hsim-experiment.5
code=0
"$hsim" man hsim.5 2>err || code=$?
[ "$code" -eq 2 ] && grep -q "Did you mean 'hsim.1'" err || die "a wrong page: $code, $(cat err)"

# What a reader sees, as one line of words; without any, what the source says.
words()
{
    tr -d '\\' <"$1" | sed 's/(aq/'"'"'/g; s/(ga/`/g; s/f[BIR]//g; s/^\.\(br\|PP\)$//' |
        tr -s ' \n' ' '
}
for page in hsim.1 hsim-experiment.5; do
    if command -v mandoc >/dev/null; then
        mandoc -Tlint "$page" >lint.txt 2>&1 || true
        [ ! -s lint.txt ] || die "mandoc: $(head -5 lint.txt)"
    fi
    if command -v man >/dev/null; then
        LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" \
            >/dev/null 2>lint.txt
        [ ! -s lint.txt ] || die "man: $(head -5 lint.txt)"
    fi
    words "$page" >"$page.txt"
done

# ---- commands and options, from what the commands say of themselves
count=0
check_command()
{
    local path=$* option

    grep -q "^\.SS hsim $path$" hsim.1 || die "'hsim $path' is not in hsim.1"
    sed -n "/^\.SS hsim $path$/,/^\.S[SH] /p" hsim.1 | tr -d '\\' >section.txt
    "$hsim" "$@" --help >help.txt
    while read -r option; do
        grep -q -e "^fB$option" -e " fB$option" section.txt ||
            [ "$option" = --help ] || [ "$option" = --usage ] ||
            die "'hsim $path $option' is not in hsim.1"
        count=$((count + 1))
    done < <(sed -n 's/^  \(-[a-zA-Z?], \|    \)\(--[a-z-]*\).*/\2/p' help.txt)
}
for command in $("$hsim" help | sed -n 's/^  \([a-z]*\) .*/\1/p' | grep -v '^help$'); do
    "$hsim" "$command" --help >help.txt
    if grep -q "^Usage: hsim $command COMMAND" help.txt; then
        for sub in $(sed -n '/^$/,$s/^  \([a-z]*\) .*/\1/p' help.txt); do
            check_command "$command" "$sub"
        done
    else
        check_command "$command"
    fi
done
[ "$count" -ge 150 ] || die "only $count options were found in the help"

# ---- keys, with all that `hsim explain` tells
"$hsim" explain | awk '{print $1}' >keys.txt
[ "$(wc -l <keys.txt)" -ge 100 ] || die 'few keys'
[ "$(grep -c '^\.B [a-z]' hsim-experiment.5)" -eq "$(wc -l <keys.txt)" ] || die 'number of keys'
while read -r key; do
    grep -qx "\.B $key" <(tr -d '\\' <hsim-experiment.5) || die "$key is not in hsim-experiment.5"
done <keys.txt
for key in workload.load scheduler.interval platform.memory workload.overrun policy.order; do
    while read -r label text; do
        [ "$label" != only ] || continue
        grep -qF "fI${label}fR: $text" <(tr -s ' \n' ' ' <hsim-experiment.5 | tr -d '\\') ||
            grep -qF "$label: $text" hsim-experiment.5.txt ||
            die "$key: '$label $text' is not in hsim-experiment.5"
    done < <("$hsim" explain "$key" | sed -n '/^  [a-z]*  /p')
done
for code in 0 1 2 4 5 130; do
    grep -qx "\.B $code" hsim.1 || die "exit code $code"
done
