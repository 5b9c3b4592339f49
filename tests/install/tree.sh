#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# tree.sh - an installed tree works, also after it was moved: the program finds its files, and plug-ins
# and hosts are built against headers and library through pkg-config.
#
# usage: tree.sh BUILD CMAKE CC
set -euo pipefail

build=$(realpath "$1")
cmake=$2
cc=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
unset HSIM_MODULE_PATH HSIM_CATALOGUE HSIM_CLASSES

die()
{
    printf 'install: %s\n' "$*"
    exit 1
}

"$cmake" --install "$build" --prefix "$folder/first" >install.log || die "$(cat install.log)"
mkdir moved
mv first moved/hsim
prefix=$folder/moved/hsim
hsim=$prefix/bin/hsim
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig

# Nothing knows where it was installed or built.
if grep -rlF -e "$folder/first" -e "$build" "$prefix" >paths.txt; then
    die "these files hold a path of the build or of the first prefix: $(cat paths.txt)"
fi
for file in bin/hsim lib/libhsched.a lib/hsim/hsim-simgrid.so include/hs/policy.h share/hsim/devices.yaml \
    share/hsim/classes.yaml share/hsim/scripts/hsim.py share/doc/hsim/LICENSE share/doc/hsim/LICENSE.MIT share/doc/hsim/README.md; do
    [ -s "$prefix/$file" ] || die "$file is not installed"
done
[ "$(find "$prefix/include/hs" -name '*.h' | wc -l)" -ge 17 ] || die 'headers are missing'

# Catalogue, class library, SimGrid module, templates; experiments find their platforms and workloads.
"$hsim" platform devices show a100-sxm4-80 >/dev/null
"$hsim" classes show mlperf-3.0-bert >/dev/null
for name in energy speeds fgd gavel-rounds; do
    "$hsim" validate "$prefix/share/hsim/experiments/$name.yaml" >/dev/null
done
"$hsim" run -q "$prefix/share/hsim/experiments/energy.yaml" --set workload.generate.jobs=100 -o results/
"$hsim" inspect --check results/easy.h5 >/dev/null
"$hsim" init study
"$hsim" validate study/experiment.yaml >/dev/null

# Manual pages and completion are those that the program prints.
for row in 'man hsim.1=man/man1/hsim.1.gz' 'man hsim-experiment.5=man/man5/hsim-experiment.5.gz' \
    'completion bash=bash-completion/completions/hsim' 'completion zsh=zsh/vendor-completions/_hsim' \
    'completion fish=fish/vendor_completions.d/hsim.fish'; do
    read -r -a words <<<"${row%=*}"
    "$hsim" "${words[@]}" >printed && [ -s printed ] || die "hsim ${words[*]} prints nothing"
    zcat -f "$prefix/share/${row#*=}" | cmp printed - || die "share/${row#*=} is not what hsim ${words[*]} prints"
done
zgrep -q 'policies test' "$prefix/share/man/man1/hsim.1.gz" || die 'the manual lacks a command'

# Every header can be included alone, with the flags of pkg-config.
read -r -a flags <<<"$(pkg-config --cflags hsched)"
[ "$(realpath "${flags[0]#-I}")" = "$prefix/include" ] || die "pkg-config says ${flags[*]}"
for header in "$prefix"/include/hs/*.h; do
    printf '#include "hs/%s"\n' "$(basename "$header")" |
        "$cc" -std=c11 -Wall -Wextra -Werror -fsyntax-only "${flags[@]}" -x c - || die "$header needs others"
done

# A host of its own: the core without the simulator.
cat >host.c <<'END'
#include <stdio.h>
#include "hs/sched.h"
int main(void)
{
    struct hs_cluster *cluster = hs_cluster_create();
    struct hs_error error = {0};

    if (!cluster || hs_cluster_add_node(cluster, "n0", 4000, HS_MEM_UNLIMITED, &error) != HS_OK ||
        hs_cluster_seal(cluster, &error) != HS_OK) {
        return 1;
    }
    printf("%lld\n", (long long)hs_cluster_cores_milli(cluster));
    hs_cluster_destroy(cluster);
    return 0;
}
END
read -r -a libs <<<"$(pkg-config --libs hsched)"
"$cc" -std=c11 "${flags[@]}" -o host host.c "${libs[@]}"
[ "$(./host)" = 4000 ] || die 'a host that is linked to libhsched does not work'

# `policies new`: one kind as a user builds it, with its tests; the others are compiled and tested.
"$hsim" policies new my-policy >/dev/null
CC=$cc "$cmake" -S my-policy -B my-policy/build >cmake.log 2>&1 || die "$(cat cmake.log)"
"$cmake" --build my-policy/build >cmake.log 2>&1 || die "$(cat cmake.log)"
if grep -i warning cmake.log; then
    die 'a template compiles with warnings'
fi
ctest --test-dir my-policy/build --output-on-failure >ctest.log 2>&1 || die "$(cat ctest.log)"
grep -q '100% tests passed, 0 tests failed out of 2' ctest.log || die "$(cat ctest.log)"
(cd my-policy && "$hsim" validate experiment.yaml >/dev/null)
for kind in order reserve place predictor; do
    "$hsim" policies new "my-$kind" --kind "$kind" -o "$kind" >/dev/null
    mkdir "$kind/build"
    "$cc" -std=c17 -O1 -Wall -Wextra -Wpedantic -Wshadow -Werror -shared -fPIC "${flags[@]}" -o "$kind/build/my-$kind.so" \
        "$kind/my-$kind.c" || die "the template $kind does not compile without warnings"
    "$hsim" policies test "$kind/build/my-$kind.so" --cases 25 >test.log 2>&1 || die "$(cat test.log)"
    sh "$kind/test.sh" "$hsim" "$folder/$kind/build/my-$kind.so" >test.log 2>&1 || die "$kind: $(cat test.log)"
    ! grep -rn '@[A-Z]*@' "$kind" --include='*.[a-z]*' || die "a word of the template $kind was not replaced"
done
printf 'the installed tree works after it was moved\n'
