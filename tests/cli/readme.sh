#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# readme.sh - does what README.md and policies/README.md tell the reader to do, word for word.
#
# usage: readme.sh HSIM ROOT. Blocks ```LANGUAGE NAME are written to the file NAME; blocks ```sh
# are run in order in one shell, in a folder that looks like the top of the tree; ```python blocks
# run where h5py and pandas are installed; the ```text block is the table that experiments/compare-backfilling.yaml
# prints, ```text gpus.txt that of gpus.yaml. Blocks that call scripts/quickstart or scripts/test are left out,
# since those run this test.
# shellcheck disable=SC2016 # the back quotes are Markdown
set -euo pipefail

hsim=$(realpath "$1")
root=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/build/release/bin" "$folder/results"
ln -s "$hsim" "$folder/build/release/bin/hsim"
for name in sim policies platforms experiments workloads scripts; do
    ln -s "$root/$name" "$folder/$name"
done
cd "$folder"
unset CDPATH HSIM

awk '
    /^```/ && !in_block {
        in_block = 1
        language = substr($1, 4)
        file = NF > 1 ? $2 : ""
        text = ""
        next
    }
    /^```/ {
        in_block = 0
        if (file != "") {
            printf "%s", text > file
            close(file)
            files++
        } else if (language == "sh" && text !~ /scripts\/(quickstart|test)/) {
            printf "%s", text > "commands.sh"
            commands++
        } else if (language == "python") {
            printf "%s", text > "reading.py"
        } else if (language == "text") {
            printf "%s", text > "table.txt"
        }
        next
    }
    in_block { text = text $0 "\n" }
    END {
        if (in_block || files < 6 || commands < 8) {
            printf "README.md, policies/README.md: %d files and %d blocks of commands; more are expected\n", files, commands
            exit 1
        }
    }' "$root/README.md" "$root/policies/README.md"

# Each command is shown before it runs, so that a failure tells which one it was.
if ! bash -euxo pipefail commands.sh >output.txt 2>&1 </dev/null; then
    cat output.txt
    printf 'README.md: a command failed; the last line that begins with + names it\n'
    exit 1
fi
if /usr/bin/python3 -c 'import h5py, pandas' 2>/dev/null; then
    /usr/bin/python3 reading.py || { printf 'README.md: the lines in Python failed\n' && exit 1; }
else
    printf 'python3-h5py or python3-pandas is not installed: the lines in Python are not run\n'
fi

# same_table EXPERIMENT TABLE: the table is what the experiment prints, but for the CPU time at the
# end of each row.
same_table()
{
    "$hsim" run "$1" -o results/compare --force >printed.txt
    if ! grep -vE '[.]h5$|^offered load' printed.txt | sed 's/ *[0-9.]*$//' | diff <(sed 's/ *[0-9.]*$//' "$2") -; then
        printf 'README.md: the table (<) is not what %s prints (>)\n' "$1"
        exit 1
    fi
}
same_table experiments/compare-backfilling.yaml table.txt
same_table gpus.yaml gpus.txt

# Every policy that the table names exists, and every placement that exists is named.
"$hsim" policies list >policies.txt
named=$(awk '/^\| *(order|reservation rule|placement|predictor|policy) *\|/' "$root/README.md" |
    grep -o '`[a-z0-9-]*`' | tr -d '`' | LC_ALL=C sort -u)
for name in $named; do
    grep -qwE -- "^ *$name" policies.txt || { printf 'README.md names %s, which hsim policies does not list\n' "$name" && exit 1; }
done
while read -r name; do
    grep -qxF "$name" <<<"$named" || { printf 'README.md does not name the placement %s\n' "$name" && exit 1; }
done < <(awk '/^Placements/ { in_list = 1; next } /^$/ { in_list = 0 } in_list { print $1 }' policies.txt)
[ "$(wc -w <<<"$named")" -ge 35 ] || { printf 'README.md: the table of policies is too short\n' && exit 1; }
printf 'the README holds: %d commands\n' "$(grep -c '^+' output.txt)"
