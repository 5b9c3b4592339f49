#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Placements pod by pod against independent results: fgd.sh PROGRAM SHARED
set -eu
folder="${HSIM_SHARED:-$2}/data/fgd/exact61"
if [ ! -d "$folder" ]; then
    echo "skipped: no $folder (set HSIM_SHARED)"
    exit 77
fi
"$1" "$folder"
