#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# openb.sh HSIM SHARED - machines that fill up, from the published lists to the tables of a result.
# 61 nodes, 492 pods in a fixed order: used and fragmented milli-GPUs after every pod are those of the
# authors' simulator. The whole trace: the share that is held at full load is near the published mean of
# ten seeds (Weng et al., USENIX ATC 2023); one seed here, so with some room.
set -eu
hsim=$1
shared=${HSIM_SHARED:-$2}
if [ ! -d "$shared/data/fgd" ] || [ ! -d "$shared/data/openb" ]; then
    echo "skipped: no lists of nodes and pods in '$shared' (set HSIM_SHARED)"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
exact=$shared/data/fgd/exact61
fit='cores: 128, devices: 8, whole: true'
failures=0

cat >"$work/exact.yaml" <<END
hsim: 1
platform: $exact/small_nodes_perm.csv
workload: {file: $exact/small_pods.csv, inflation: {load: 0, shuffle: false}}
policies:
  - {name: drop, place: fgd, label: FGDScore}
  - {name: drop, place: best-fit, $fit, label: BestFitScore}
  - {name: drop, place: dot-product, $fit, label: DotProductScore}
  - {name: drop, place: packing, label: GpuPackingScore}
  - {name: drop, place: clustering, label: GpuClusteringScore}
END
"$hsim" run "$work/exact.yaml" -q -o "$work/exact/"
for result in "$work"/exact/*.h5; do
    name=$(basename "$result" .h5)
    "$hsim" export "$result" --to csv --table arrivals --columns job,used_milli,fragment_milli |
        awk -F, 'NR > 1 { printf "%d %d %.2f\n", $1, $2, $3 }' >"$work/got"
    awk -F, 'NR > 1 { printf "%d %d %.2f\n", $1, $3, $4 }' "$exact/expected_$name.csv" >"$work/want"
    # A hundredth of a milli-GPU may be rounded either way.
    if ! paste "$work/want" "$work/got" | awk -v name="$name" '
        $1 != $4 || $2 != $5 || $3 - $6 > 0.011 || $6 - $3 > 0.011 {
            if (bad++ < 3) printf "%s, pod %s: want %s held %s fragmented, got %s %s\n", name, $1, $2, $3, $5, $6
        }
        END { exit NR != 492 || bad }'; then
        failures=$((failures + 1))
    fi
done

cat >"$work/whole.yaml" <<END
hsim: 1
platform: $shared/data/openb/openb_node_list_gpu_node.csv.gz
workload: {file: $shared/data/openb/openb_pod_list_default.csv.gz, inflation: {}}
policies:
  - {name: drop, place: dot-product, tie: random, $fit, label: "90.62"}
  - {name: drop, place: best-fit, tie: random, $fit, label: "92.86"}
  - {name: drop, place: fgd, tie: random, label: "95.23"}
END
"$hsim" run "$work/whole.yaml" -q -o "$work/whole/"
for result in "$work"/whole/*.h5; do
    want=$(basename "$result" .h5)
    got=$("$hsim" export "$result" --to csv --table summary | awk -F, '$1 == "inflation_alloc" { print 100 * $2 }')
    echo "published $want %, got $got %"
    awk -v want="$want" -v got="$got" 'BEGIN { exit got - want > 0.8 || want - got > 0.8 }' ||
        failures=$((failures + 1))
done
exit "$((failures > 0))"
