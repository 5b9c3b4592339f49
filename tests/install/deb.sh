#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# deb.sh - the Debian package: what it says of itself, and that it runs in a root that holds nothing but
# its files and the libraries that it depends on.
#
# usage: deb.sh BUILD CPACK. Ends with 77 where a package cannot be made, or no root be changed. The
# root is made of this machine's files, so that no network is needed: of each package in Depends (and of
# those that they depend on in turn) the shared libraries, nothing else.
set -euo pipefail

build=$(realpath "$1")
cpack=$2
for tool in dpkg-deb dpkg-shlibdeps dpkg-query; do
    command -v "$tool" >/dev/null || { printf '%s is not installed\n' "$tool" && exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'deb: %s\n' "$*"
    exit 1
}

"$cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$folder/out" >cpack.log 2>&1 || die "$(cat cpack.log)"
package=$(echo out/*.deb)
[ -s "$package" ] || die "no package: $(cat cpack.log)"

# What it says.
dpkg-deb -f "$package" >control
for pattern in '^Package: hsim$' '^Version: [0-9]+[.][0-9]+' '^Section: science$' '^Description: [a-z]' \
    '^Depends: .*libc6 \(' '^Depends: .*libhdf5' '^Depends: .*libsimgrid' '^Depends: .*libyaml'; do
    grep -qE -- "$pattern" control || die "'$pattern' is not in the control file: $(cat control)"
done
if dpkg-deb -c "$package" | awk '$2 != "root/root" || $1 ~ /^.....w|^........w/' | grep .; then
    die 'these files have an owner or a mode that no package should have'
fi

# The root: dependencies, followed to the end, then the libraries of these packages.
root=$folder/root
mkdir -p "$root"
dependencies() # dependencies: names in a list of dependencies; of alternatives the first
{
    tr ',' '\n' | sed 's/[|].*//; s/(.*//; s/:any//; s/ //g' | grep . || true
}
sed -n 's/^Depends: //p' control | dependencies | sort -u >needed
while true; do
    xargs dpkg-query -W -f='${Depends},${Pre-Depends},' <needed 2>/dev/null | dependencies | sort -u - needed >more
    [ "$(wc -l <more)" -gt "$(wc -l <needed)" ] || break
    mv more needed
done
xargs dpkg-query -L <needed 2>/dev/null | grep -E '/lib.*[.]so([.]|$)|/ld-linux' | grep -vE '/(gconv|perl|python)' |
    sort -u >libraries
[ "$(wc -l <libraries)" -ge 20 ] || die "only these libraries: $(cat libraries)"
mkdir -p "$root/usr/lib" "$root/usr/lib64" "$root/usr/bin" "$root/tmp"
for link in lib lib64; do
    ln -s "usr/$link" "$root/$link"
done
while read -r file; do
    [ -e "$file" ] || continue
    mkdir -p "$root$(dirname "$file")"
    cp -n -d --preserve=mode "$file" "$root$file"
done <libraries
for file in /lib64/ld-linux-*.so.*; do
    [ -e "$root$file" ] || cp -L "$file" "$root$file"
done
dpkg-deb -x "$package" "$root"
[ -s "$root/usr/share/doc/hsim/copyright" ] || die 'there is no copyright file'

# It runs there, as root or as one who may be root in a namespace of his own.
enter=(chroot "$root")
if [ "$(id -u)" -ne 0 ]; then
    enter=(unshare --user --map-root-user chroot "$root")
fi
"${enter[@]}" /usr/bin/hsim --version >version 2>&1 || {
    [ "$(id -u)" -eq 0 ] && die "it does not start: $(cat version)"
    printf 'no root can be changed here: %s\n' "$(cat version)"
    exit 77
}
in_root()
{
    "${enter[@]}" /usr/bin/hsim "$@" >output 2>&1 || die "hsim $*: $(cat output)"
}
# /proc is not there: the program finds its files without it.
in_root init /tmp/study
in_root run -q /tmp/study/experiment.yaml --set workload.generate.jobs=200 -o /tmp/results/
in_root inspect --check /tmp/results/easy.h5
in_root run -q /usr/share/hsim/experiments/energy.yaml --set workload.generate.jobs=100 -o /tmp/energy/
in_root inspect --check /tmp/energy/easy.h5
in_root run --verify /tmp/energy/easy.h5
cmp -s "$root/usr/bin/hsim" "$build/bin/hsim" && die 'the program in the package is not stripped'
printf 'the package runs with %s packages beside it\n' "$(wc -l <needed)"
