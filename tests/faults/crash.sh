#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# crash.sh - runs that are killed, and disks that are full, leave nothing that claims to be complete.
#
# usage: crash.sh HSIM. The full disk is a small tmpfs, which only root can mount.
set -euo pipefail
hsim=$1
work=$(mktemp -d)
mounted=
trap '[ -z "$mounted" ] || umount "$mounted"; rm -rf "$work"' EXIT
cd "$work"
failures=0

complain()
{
    printf '%s\n' "$*"
    failures=$((failures + 1))
}

cat >big.yaml <<'END'
hsim: 1
platform: {nodes: 64, cores: 1}
workload: {generate: {jobs: 20000}}
policies: [easy, sjf]
output: {compression: none}
END

# whole FILE...: each file that is there agrees with itself and is complete.
whole()
{
    local file

    for file in "$@"; do
        [ -e "$file" ] || continue
        if ! "$hsim" inspect --check "$file" >/dev/null 2>check.err; then
            complain "$file is there and is not whole: $(head -n 1 check.err)"
        elif ! "$hsim" inspect "$file" | grep -qw complete; then
            complain "$file is there and does not say that it is complete"
        fi
    done
}

# The seed makes the moments the same in each run of the test, as far as the machine allows.
RANDOM=20240229
begin=$(date +%s%N)
"$hsim" run big.yaml -q -o out
wall_ms=$((($(date +%s%N) - begin) / 1000000 + 1))
whole out/easy.h5 out/sjf.h5
[ -e out/easy.h5 ] && [ -e out/sjf.h5 ] || complain 'a sound run leaves two results'
killed=0
for ((i = 0; i < 30; i++)); do
    rm -rf out
    "$hsim" run big.yaml -q -o out &
    child=$!
    sleep "$(printf '0.%03d' $((RANDOM * wall_ms / 32768 % 1000)))"
    kill -KILL "$child" 2>/dev/null || true
    status=0
    wait "$child" 2>/dev/null || status=$?
    [ "$status" -ne 137 ] || killed=$((killed + 1))
    whole out/easy.h5 out/sjf.h5
done
printf 'killed at %d of 30 moments of %d ms\n' "$killed" "$wall_ms"
[ "$killed" -ge 10 ] || complain 'too few runs were killed before their end'
# What a killed run has left does not keep the next one from running.
"$hsim" run big.yaml -q --force -o out
whole out/easy.h5 out/sjf.h5

"$hsim" trace generate --jobs 20000 --nodes 64 -q -o sound.swf
"$hsim" trace convert sound.swf -q -o right.swf
mkdir disk
if [ "$(id -u)" -ne 0 ] || ! mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
    printf 'no small disk without root: skipped\n'
else
    mounted=$work/disk
    for size in 64k 256k 1m 2m 4m 8m 16m; do
        mount -o remount,size=$size disk
        for command in "run big.yaml -q -o disk/out" "trace convert sound.swf -q -o disk/made.swf"; do
            status=0
            # shellcheck disable=SC2086 # words of a command
            "$hsim" $command >/dev/null 2>err || status=$?
            if [ "$status" -ne 0 ] && [ "$status" -ne 1 ]; then
                complain "$size: $command: status $status: $(cat err)"
            elif [ "$status" -eq 1 ] && ! grep -qE '^hsim: error: disk/.*No space left on device|full' err; then
                complain "$size: $command: $(cat err)"
            elif [ "$status" -eq 1 ] && [ -n "$(find disk -name '*.part')" ]; then
                complain "$size: $command: leaves an unfinished file on the full disk"
            fi
            whole disk/out/easy.h5 disk/out/sjf.h5
            if [ -e disk/made.swf ] && ! cmp -s disk/made.swf right.swf; then
                complain "$size: made.swf is there and is not whole"
            fi
            printf '%s: %s: %d %s\n' "$size" "${command%% *}" "$status" "$(head -n 1 err)"
            rm -rf disk/*
        done
    done
    umount disk
    mounted=
fi
printf '%d failures\n' "$failures"
[ "$failures" -eq 0 ]
