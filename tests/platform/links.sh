#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# links.sh HSIM PLATFORMS MODULE - hsim starts without SimGrid, which costs 20 ms; only the module
# that the loader's child opens is linked to it, and it is found where it is installed.
set -eu
hsim=$1
platforms=$2
module=$3

if ldd "$hsim" | grep -i simgrid; then
    echo "FAILED: $hsim is linked to SimGrid"
    exit 1
fi
if ! ldd "$module" | grep -q libsimgrid; then
    echo "FAILED: $module is not linked to SimGrid"
    exit 1
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/prefix/bin" "$folder/prefix/lib/hsim"
cp "$hsim" "$folder/prefix/bin/hsim"

# Without the module a platform file is refused with a sentence, and an inline platform works.
code=0
"$folder/prefix/bin/hsim" platform show "$platforms/cluster-128.xml" 2>"$folder/err" || code=$?
if [ "$code" != 1 ] || ! grep -q 'need the module hsim-simgrid.so.*HSIM_MODULE_PATH' "$folder/err"; then
    echo "FAILED: exit code $code without a module, and:"
    cat "$folder/err"
    exit 1
fi
"$folder/prefix/bin/hsim" platform show --nodes 2 | grep -qx '2 nodes, 2 cores; memory is not modelled'

cp "$module" "$folder/prefix/lib/hsim/hsim-simgrid.so"
"$folder/prefix/bin/hsim" platform show "$platforms/cluster-128.xml" |
    grep -qx '128 nodes, 4096 cores, 16 TiB of memory'

mkdir "$folder/elsewhere"
mv "$folder/prefix/lib/hsim/hsim-simgrid.so" "$folder/elsewhere/"
HSIM_MODULE_PATH="$folder/elsewhere" "$folder/prefix/bin/hsim" platform show "$platforms/cluster-128.xml" |
    grep -qx '128 nodes, 4096 cores, 16 TiB of memory'
