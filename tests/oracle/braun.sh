#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# braun.sh - the eight 512 x 16 instances of Braun et al. 2001: makespans and bounds against independent
# public tables, to every digit those print, and the search within 2 % of the bound.
#
# usage: braun.sh HSIM SHARED. Skipped (77) without the instances in SHARED/data/braun.
set -euo pipefail

hsim=$1
data=${HSIM_SHARED:-$2}/data/braun
if [ ! -r "$data/u_c_hihi.0.gz" ]; then
    printf 'skipped: no instances in %s; set HSIM_SHARED\n' "$data"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/expected" <<'END'
u_c_hihi 14376662.176 47472299.430 11422624.494 8460675.003 12385671.828 10249172.885 10908697.837 7346524.183
u_c_hilo 221051.824 1185092.969 185887.404 161805.434 204054.589 168982.602 167377.929 152700.371
u_c_lohi 477357.020 1453098.004 378303.625 275837.356 392566.686 337121.461 351382.002 238138.120
u_c_lolo 7306.596 39582.297 6360.055 5441.428 6945.362 5658.538 5703.229 5132.829
u_i_hihi 26102017.618 4508506.792 4413582.982 3513919.281 8018378.072 3306818.943 3391758.359 2909326.595
u_i_hilo 272785.201 96610.481 94855.913 80755.679 151923.835 77589.104 78828.279 73057.943
u_i_lohi 833605.655 185694.594 143816.094 120517.709 251528.848 114578.915 125688.604 101063.388
u_i_lolo 8938.027 3399.285 3137.350 2785.645 5177.709 2639.318 2673.829 2529.026
END
while read -r name _; do
    "$hsim" map "$data/$name.0.gz" --search --steps 20000000 \
        -p olb,met,mct,min-min,max-min,sufferage-iter,sufferage-pass >"$folder/out"
    awk -v name="$name" '
        NR == 1 && $2 " " $5 != "512 16" { exit 1 }
        $1 == "bound" { bound = $2 }
        $1 ~ /^(olb|met|mct|min-min|max-min|sufferage-iter|sufferage-pass)$/ { line = line " " $2 }
        $1 == "search" { if ($2 > 1.02 * bound || $2 < bound) bad = 1 }
        END { print name line " " bound; exit bad }' "$folder/out" >>"$folder/got" || {
        printf '%s: the search is not within 2 %% of the bound:\n' "$name"
        cat "$folder/out"
        exit 1
    }
done <"$folder/expected"
diff "$folder/expected" "$folder/got"
printf '%s instances: all makespans and bounds agree, the search is within 2 %%\n' \
    "$(wc -l <"$folder/got")"
