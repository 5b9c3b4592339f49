#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# globals.sh - no mutable variable outlives its function: neither at file scope nor `static`.
#
# Declarations at brace depth 0 are put together across lines; the insides of braces become {}.
# The one exception is `volatile sig_atomic_t` in sim/cli, for signal handlers.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

mapfile -t sources < <(files sim policies -- '*.c' '*.h')
finish "$(code "${sources[@]}" | awk -F '\t' '
# The declarator is constant: `const` after the last `*`, or anywhere if there is no `*`.
function is_constant(declaration,    tail) {
    tail = declaration
    gsub(/\[[^\]]*\]/, "", tail)
    sub(/^.*\*/, "", tail)
    return tail ~ /(^|[^A-Za-z_0-9])const([^A-Za-z_0-9]|$)/
}
function check(statement, file, line,    declaration) {
    gsub(/^[ \t]+|[ \t]+$/, "", statement)
    if (statement == "" || statement ~ /^(typedef|__extension__ typedef|_Static_assert|static_assert)/) return
    if (statement ~ /^(struct|union|enum)[ \t]*[A-Za-z_0-9]*[ \t]*([{][}])?$/) return
    declaration = statement
    sub(/=.*/, "", declaration)
    if (declaration ~ /\(/ && declaration !~ /\([ \t]*\*/) return  # a prototype, or a macro with (
    if (declaration ~ /\([ \t]*\*/ && declaration !~ /\([ \t]*\*[ \t]*[A-Za-z_0-9]+[ \t]*(\[[^\]]*\])?[ \t]*\)[ \t]*\(/ &&
        declaration !~ /\([ \t]*\*[ \t]*const/) return             # a prototype that takes a pointer
    if (declaration ~ /^[^(]*[A-Za-z_0-9][ \t]*\([^)]*\([ \t]*\*/) return # takes a function pointer
    if (declaration ~ /volatile sig_atomic_t/ && file ~ /^sim\/cli\//) return
    if (declaration ~ /\([ \t]*\*[ \t]*const/) return
    if (is_constant(declaration)) return
    printf "%s:%d: a variable that can change outlives its function: %s\n", file, line, declaration
}
$1 != file { file = $1; depth = 0; statement = ""; continued = 0 }
{
    text = $3
    if (continued || text ~ /^[ \t]*#/) {
        continued = text ~ /\\[ \t]*$/
        next
    }
    if (depth > 0 && text ~ /^[ \t]+static[ \t]/) {
        inner = text
        sub(/[;=].*/, "", inner)
        check(inner, file, $2)
    }
    n = length(text)
    for (i = 1; i <= n; i++) {
        c = substr(text, i, 1)
        if (c == "{") {
            if (depth == 0) {
                if (statement ~ /^[ \t]*extern[ \t]*""[ \t]*$/) { statement = ""; continue }
                statement = statement "{}"
            }
            depth++
        } else if (c == "}") {
            if (depth > 0) depth--
            # The end of a function body, unless it is an initialiser or a struct.
            if (depth == 0 && statement !~ /=/ && statement ~ /\).*[{][}]$/) statement = ""
        } else if (depth == 0 && c == ";") {
            check(statement, file, start)
            statement = ""
        } else if (depth == 0) {
            if (statement ~ /^[ \t]*$/ && c !~ /[ \t]/) start = $2
            statement = statement c
        }
    }
    if (depth == 0) statement = statement " "
}')"
