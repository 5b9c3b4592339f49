#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# links.sh HSIM PLATFORMS MODULE - hsim starts without SimGrid, which costs 20 ms; only the module
# that the loader's child opens is linked to it.
set -eu
hsim=$1
module=$3

if ldd "$hsim" | grep -i simgrid; then
    echo "FAILED: $hsim is linked to SimGrid"
    exit 1
fi
if ! ldd "$module" | grep -q libsimgrid; then
    echo "FAILED: $module is not linked to SimGrid"
    exit 1
fi
