#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sets_golden.sh - SVG figures of many small runs are the same bytes as tests/golden/plots, which were looked at.
#
# usage: sets_golden.sh HSIM ROOT [renew]
#
# Another gnuplot draws other bytes: then the test is skipped. `renew` writes the files; look at each
# before you commit it.
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=sets.sh
. "$(dirname "$0")/sets.sh"
golden=$root/tests/golden/plots

# figure NAME KIND ARGUMENT...: draws NAME.svg and compares it.
figure()
{
    local name=$1

    shift
    "$hsim" plot "$@" -o "$name.svg" >/dev/null 2>err || die "hsim plot $* fails: $(cat err)"
    ! grep 'gnuplot says' err || die "gnuplot warns of hsim plot $*"
    if [ "$renew" ]; then
        cp "$name.svg" "$golden/"
        return
    fi
    cmp "$name.svg" "$golden/$name.svg" ||
        die "$name.svg (hsim plot $*) is not the same; sets_golden.sh HSIM ROOT renew writes it anew"
}

renew=${3-}
version=$(gnuplot --version)
made_with=$(sed -n 's/.*<desc>Produced by GNUPLOT \(.*\) <\/desc>.*/gnuplot \1/p' "$golden/load.svg" 2>/dev/null || true)
[ "$renew" ] || [ "$version" = "$made_with" ] || skip "the files were made with $made_with, and this is $version"
mkdir -p "$golden"
sets
figure load load loads
figure load-few load map --by scheduler.interval --where scheduler.interval=30s
figure load-offered load loads --against offered_load --metric util_alloc --style two-column
figure bars bars loads --where workload.load=0.8 --baseline easy
figure bars-few bars map --where workload.load=0.5,scheduler.interval=0s --metric wait_mean_s,makespan_s --log none
figure box box loads --where workload.load=0.8
figure box-folder box study --label sjf-easy=SJF --metric bsld_mean
figure forest forest study --baseline easy
figure forest-few forest loads --baseline easy --where workload.load=0.8
figure pareto pareto study --metric wait_mean_s,util_alloc
figure pareto-many pareto loads --metric wait_mean_s,bsld_mean
figure heatmap heatmap map --policy easy --against workload.load,scheduler.interval
figure heatmap-ratio heatmap map --against scheduler.interval,workload.load --style slide
figure scaling scaling sizes --metric makespan_s
