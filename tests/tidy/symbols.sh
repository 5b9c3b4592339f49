#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# symbols.sh - what the core and the policies call, seen in their object files.
#
# usage: symbols.sh ROOT [CC]. The files are compiled here, plainly, so that sanitizers and
# link-time optimisation of the build do not hide anything. Whatever is neither defined in these
# objects nor in the list below is a violation; so is data that can change; so is a second object
# that loads libraries.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

cc=${2:-cc}
# The C library's part that neither prints nor reads, knows no clock and keeps no state.
allowed='abort|malloc|calloc|realloc|reallocarray|free|qsort|bsearch|snprintf|vsnprintf'
allowed+='|mem(cpy|move|set|cmp|chr)|bcmp|str(len|nlen|cmp|ncmp|chr|rchr|str|spn|cspn|dup|ndup|casecmp|ncasecmp|pbrk)'
allowed+='|(__isoc[0-9]+_)?strto(l|ll|ul|ull|imax|umax|d)|__ctype_b_loc|__ctype_tolower_loc|__ctype_toupper_loc|tolower|toupper'
allowed+='|is(alnum|alpha|digit|lower|upper|space|print|xdigit|nan|inf)|__errno_location'
allowed+='|(log|log2|log10|log1p|exp|exp2|expm1|pow|sqrt|cbrt|floor|ceil|round|trunc|fabs|fmod|fmin|fmax|hypot|ldexp|frexp|scalbn|nearbyint|rint|lrint|llrint|lround|llround|tanh|nextafter)'
allowed+='|__(u?divti3|u?modti3|u?divmodti4|muloti4|multi3|float(un)?ti[dsx]f|fix(uns)?[dsx]fti|popcountdi2|clzdi2|ctzdi2)|_GLOBAL_OFFSET_TABLE_'
# The assertion that stays on says what broke before it ends the process: base.o alone.
allowed_base='fprintf|fputs|fwrite|fflush|stderr'
allowed_loader='dlopen|dlsym|dlclose|dlerror'

objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
mapfile -t sources < <(files sim/core policies -- '*.c' | xargs -r grep -LE 'include *<(gsl|cblas)')
[ "${#sources[@]}" -gt 0 ] || finish 'sim/core:1: no C file in sim/core and policies'
# shellcheck disable=SC2016 # the inner shell expands them
for file in "${sources[@]}"; do
    printf '%s\0%s\0' "$file" "$objects/$(tr / + <<<"${file%.c}").o"
done | xargs -0 -n 2 -P "$(nproc)" "$BASH" -c '"$0" -std=c17 -D_GNU_SOURCE -U_FORTIFY_SOURCE -w -O1 \
    -ffp-contract=off -fno-stack-protector -fno-pic -fno-pie -Isim/core -Ipolicies -Isim -c "$1" -o "$2"' "$cc" ||
    finish 'sim/core:1: a file of the core or of the policies does not compile by itself; see above'
cd "$objects"
finish "$(nm ./*.o | awk -v allowed="^($allowed)\$" -v allowed_base="^($allowed_base)\$" \
    -v allowed_loader="^($allowed_loader)\$" '
    /^\.\/.*:$/ {
        object = substr($0, 3, length($0) - 3)
        source = object
        gsub(/\+/, "/", source)
        sub(/o$/, "c", source)
        next
    }
    NF == 0 { next }
    {
        kind = $(NF - 1)
        name = $NF
    }
    kind == "U" || kind == "w" { used[name "\t" source] = 1; next }
    kind ~ /^[A-Z]$/ { defined[name] = 1 }
    kind ~ /^[bBdDCsSgG]$/ { printf "%s:1: %s is data that can change\n", source, name }
    END {
        for (key in used) {
            split(key, part, "\t")
            name = part[1]
            source = part[2]
            if (name in defined || name ~ allowed) continue
            if (name ~ allowed_base && source == "sim/core/base.c") continue
            if (name ~ allowed_loader && source ~ /^sim\/core\//) {
                loaders[source] = 1
                continue
            }
            printf "%s:1: calls %s, which is not in the list of tests/tidy/symbols.sh\n", source, name
        }
        for (source in loaders) loader_count++
        if (loader_count > 1) {
            for (source in loaders) printf "%s:1: one file of the core loads libraries, not %d\n", source, loader_count
        }
    }' | LC_ALL=C sort)"
