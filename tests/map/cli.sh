#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# cli.sh - `hsim map` from outside: what it prints and writes agrees, the same bytes come twice, and what
# does not go together is told.
set -euo pipefail

hsim=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'map: %s\n' "$*"
    exit 1
}

# bad CODE PART ARGUMENT...: fails with the code and a sentence that holds the part.
bad()
{
    local status=0

    "$hsim" map "${@:3}" >out.txt 2>err.txt || status=$?
    [ "$status" -eq "$1" ] || die "hsim map ${*:3}: exit code $status, not $1: $(cat err.txt)"
    grep -qF -- "$2" err.txt || die "hsim map ${*:3}: $(cat err.txt)"
    [ ! -s out.txt ] || die "hsim map ${*:3}: printed $(cat out.txt)"
}

# A matrix written, packed or not, reads back to the same results.
"$hsim" map -g 'range tasks=60 machines=5' -w a.etc >out.txt
[ ! -s out.txt ] || die "only writing printed $(cat out.txt)"
"$hsim" map -g 'range tasks=60 machines=5' -w a.etc.gz
"$hsim" map -g 'range tasks=60 machines=5' -w a.etc.zst
gunzip -c a.etc.gz | cmp - a.etc
for form in a.etc a.etc.gz a.etc.zst; do
    "$hsim" map "$form" -p all --bound --search --steps 100000 |
        sed -e 1d -e 's/ (.*//' -e 's/ *[0-9.]*$//' >"$form.txt"
    diff a.etc.txt "$form.txt" || die "$form differs"
done
grep -c . a.etc.txt | grep -qx 13 || die "13 lines are due: $(cat a.etc.txt)"

# The mapping file replayed by awk gives the makespan of the table, each task once.
for policy in $("$hsim" map --list | awk '{ print $1 }'); do
    "$hsim" map a.etc -p "$policy" -o "$policy.csv" >"$policy.txt"
    awk -F '[, ]' -v makespan="$(awk -v policy="$policy" '$1 == policy { print $2 }' "$policy.txt")" '
        NR == FNR { if (FNR > 1) time[int((FNR - 2) / 5), (FNR - 2) % 5] = $1; next }
        FNR == 1 { if ($0 != "task,machine,start,end") exit 1; next }
        {
            if (seen[$1]++ || $3 != ready[$2] + 0) exit 1
            ready[$2] = $4
            if ($4 - $3 - time[$1, $2] > 1e-6 || time[$1, $2] - $4 + $3 > 1e-6) exit 1
            if ($4 > last) last = $4
            count++
        }
        END { exit !(count == 60 && sprintf("%.3f", last) == makespan) }' CONVFMT=%.17g a.etc "$policy.csv" ||
        die "$policy: the file and the table differ"
done

# Equal runs give equal bytes; -o takes the best of several.
"$hsim" map a.etc -s --steps 100000 -o s1.csv >/dev/null
"$hsim" map a.etc -s --steps 100000 -o - >s2.csv
cmp s1.csv s2.csv
"$hsim" map a.etc -p all -o best.csv >/dev/null
"$hsim" map a.etc -p all --json >all.json
python3 - <<'END' || die 'the best mapping'
import csv, json
rows = json.load(open("all.json"))["mappings"]
assert len(rows) == 9
ends = [float(row["end"]) for row in csv.DictReader(open("best.csv"))]
assert max(ends) == min(row["makespan_s"] for row in rows)
END

# On-line: drawn rows and rows of the written matrix give the same.
"$hsim" map -g 'range tasks=60 machines=5' --batch 7 --rate 0.001 -o b1.csv >/dev/null
"$hsim" map a.etc --batch 7 --rate 0.001 -o b2.csv >/dev/null
cmp b1.csv b2.csv
"$hsim" map a.etc --interval 10000 --rate 0.001 --json | grep -q '"mapped_tasks": 60' || die 'interval'

# Another seed is another mapping, but only where random numbers take part.
"$hsim" map a.etc --batch 7 --rate 0.001 --seed 2 -o b3.csv >/dev/null
if cmp -s b1.csv b3.csv; then die 'the seed of arrivals'; fi

bad 2 "did you mean 'min-min'?" a.etc -p minmin
bad 2 "names 'mct' twice" a.etc -p mct,mct
bad 2 'write it alone' a.etc -p mct,all
bad 2 '--steps says when a search ends' a.etc --steps 5
bad 2 '--time says when a search ends' a.etc --time 5
bad 2 "both name 'x.csv'" a.etc -o x.csv -w x.csv
bad 2 '--json and' a.etc -o - --json
bad 2 'at most 10000 machines, not for 10001' -g 'cvb tasks=1 machines=10001' --bound
bad 2 'at most 10000 machines, not for 10001' -g 'cvb tasks=1 machines=10001' --search
bad 2 'There is no heuristic' a.etc -p mct,
bad 2 'Which matrix?'
bad 2 'not both' a.etc -g cvb
bad 2 'did you mean' -g 'cvb machnes=3'
bad 2 'name one' a.etc --batch 3 --interval 5
bad 2 'all tasks at once' a.etc --batch 3 --search
bad 2 '--batch or --interval' a.etc --rate 3
bad 2 '--rate is' a.etc --batch 3 --rate 0
bad 2 'longer than nothing' a.etc -s --time 0
bad 2 '--batch is' a.etc --batch 0
bad 2 'name one --policy' a.etc --batch 3 -p mct,olb -o x.csv
bad 2 'in batches' -g 'cvb tasks=1000000 machines=10000'
bad 2 'best.csv' a.etc -o best.csv
bad 5 'cannot be opened' none.etc
printf '2 2\n1 2\n3\n' >short.etc
bad 5 'short.etc:4:1: the file ends behind 3 times' short.etc

# A search that is interrupted prints and writes what it has found.
status=0
"$hsim" map a.etc -s --steps 100000000000 -o found.csv >out.txt 2>err.txt &
pid=$!
sleep 1
kill -TERM "$pid"
wait "$pid" || status=$?
[ "$status" -eq 130 ] || die "interrupted: exit code $status, not 130: $(cat err.txt)"
grep -qF 'interrupted' err.txt || die "interrupted: $(cat err.txt)"
grep -q '^search: [0-9]* steps, cut short$' out.txt || die "interrupted: $(cat out.txt)"
[ "$(wc -l <found.csv)" -eq 61 ] || die "interrupted: $(wc -l <found.csv) lines of the mapping"

# Batches that are interrupted leave no file.
status=0
"$hsim" map -g 'cvb tasks=100000000 machines=20' --batch 10 -o batches.csv >out.txt 2>err.txt &
pid=$!
sleep 1
kill -TERM "$pid"
wait "$pid" || status=$?
[ "$status" -eq 130 ] || die "batches: exit code $status, not 130: $(cat err.txt)"
grep -q 'Stopped after [1-9][0-9]* tasks; the unfinished file is removed' err.txt || die "batches: $(cat err.txt)"
compgen -G 'batches.csv*' >/dev/null && die "batches: $(ls batches.csv*)"
[ ! -s out.txt ] || die "batches: printed $(cat out.txt)"
