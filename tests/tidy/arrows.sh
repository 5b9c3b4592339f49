#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# arrows.sh - includes point inward only: who may include which header.
#
# The first table says which folders of the project a folder may use; the second in which places a
# library may be used at all. A quoted header without a folder lies beside the file, or the build writes it.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

mapfile -t sources < <(files sim policies -- '*.c' '*.h')
finish "$(code "${sources[@]}" | awk -F '\t' '
function allow(part, folders) { may[part] = " " folders " " }
function library(pattern, places) { libraries[++library_count] = pattern; homes[library_count] = places }
function say(text) { printf "%s:%d: %s\n", $1, $2, text }
function is_there(file,    line, status) {
    status = (getline line < file)
    close(file)
    return status >= 0
}
# The build writes the header: the CMakeLists.txt of the folder names it.
function is_generated(beside, header,    list, line, is_named) {
    list = beside
    sub(/[^\/]*$/, "CMakeLists.txt", list)
    while ((getline line < list) > 0) {
        if (index(line, header)) is_named = 1
    }
    close(list)
    return is_named
}
function part_of(file) {
    if (file ~ /^policies\/lib\//) return "policies/lib"
    if (file ~ /^policies\//) return "policies"
    if (file ~ /^sim\/[^\/]*\//) { split(file, piece, "/"); return "sim/" piece[2] }
    return "unknown"
}
BEGIN {
    allow("sim/core", "hs")
    allow("policies/lib", "hs lib")
    allow("policies", "hs lib")
    allow("sim/learn", "hs lib learn engine")
    allow("sim/text", "hs text")
    allow("sim/input", "hs input")
    allow("sim/platform", "hs input platform text")
    allow("sim/map", "hs lib input map text workload")
    allow("sim/probe", "hs probe")
    allow("sim/speed", "hs input platform speed text")
    allow("sim/workload", "hs input speed workload")
    allow("sim/allot", "hs allot")
    allow("sim/engine", "hs engine")
    allow("sim/result", "hs result")
    allow("sim/stats", "hs stats")
    allow("sim/compare", "hs compare result stats text")
    allow("sim/plot", "hs compare plot result stats text")
    allow("sim/experiment", "hs experiment platform speed text workload")
    allow("sim/run", "hs lib policies allot map engine experiment platform result run speed stats text workload")
    allow("sim/sweep", "hs experiment input result run sweep text")
    allow("sim/conform", "hs conform run")
    allow("sim/bench", "hs bench engine result workload")
    allow("sim/cli", "hs lib policies allot bench cli conform compare engine experiment map platform plot probe result run speed stats sweep text workload learn")
    libc = "^(assert|ctype|errno|float|inttypes|limits|math|stdalign|stdarg|stdbool|stddef|stdint|stdio|stdlib|string)[.]h$"
    # The SimGrid headers cost 20 ms of start-up and can abort: one module, loaded where needed.
    library("^(simgrid|xbt|smpi)(/|[.]h)", "^sim/platform/simgrid_module[.]c$|^sim/engine/simgrid[.]c$")
    library("^(hdf5|H5[A-Za-z]*)[.]h$", "^sim/(bench|result)/")
    library("^yaml[.]h$", "^sim/text/")
    library("^zlib[.]h$", "^sim/(input|workload|result)/")
    library("^zstd[.]h$", "^sim/(input|workload)/")
    library("^gsl/", "^sim/(map|workload|stats|learn|cli)/")
    library("^(jansson[.]h|yajl/)", "^sim/workload/")
    library("^glpk[.]h$", "^sim/allot/")
    library("^xxhash[.]h$", "^sim/(result|workload|run|sweep)/")
    library("^argp[.]h$", "^sim/cli/")
    library("^sqlite3[.]h$", "^sim/cli/export_sqlite[.]c$")
    # A simulation is one thread; the probe keeps all cores busy to measure them.
    library("^(pthread|threads|stdatomic)[.]h$", "^sim/probe/measure[.]c$")
    library("^dlfcn[.]h$", "^sim/(core|platform|probe)/")
    library("^hwloc([.]h|/)", "^sim/probe/")
}
$3 !~ /^[ \t]*#[ \t]*include/ { next }
{
    header = $3
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", header)
    is_quoted = header ~ /^"/
    gsub(/[<>"]/, "", header)
    part = part_of($1)
    if (part == "unknown" || !(part in may)) {
        say("no rule says what " $1 " may include; add its folder to the table of tests/tidy/arrows.sh")
        next
    }
    if (is_quoted) {
        if (header ~ /\.\./) {
            say("\"" header "\": includes do not climb; name the folder")
        } else if (header ~ /\//) {
            folder = header
            sub(/\/.*/, "", folder)
            if (index(may[part], " " folder " ") == 0) {
                say("\"" header "\": " part " may only include from:" may[part])
            }
        } else {
            beside = $1
            sub(/[^\/]*$/, header, beside)
            if (!is_there(beside) && !is_generated(beside, header) &&
                !(index(may[part], " policies ") && is_there("policies/" header))) {
                say("\"" header "\" does not lie beside the file")
            }
        }
        next
    }
    if ((part == "sim/core" || part ~ /^policies/) && header !~ libc) {
        if (part != "sim/core" || header != "dlfcn.h") {
            say("<" header ">: the core and the policies use the C library only")
        } else if (dlfcn_home != "" && dlfcn_home != $1) {
            say("<dlfcn.h> is used in " dlfcn_home " already; the core loads libraries in one file")
        } else {
            dlfcn_home = $1
        }
    }
    for (i = 1; i <= library_count; i++) {
        if (header ~ libraries[i] && $1 !~ homes[i]) {
            say("<" header "> may be used only in " homes[i])
        }
    }
}')"
