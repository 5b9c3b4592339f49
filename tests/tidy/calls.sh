#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# calls.sh - functions that are banned, and where the exceptions are.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

mapfile -t sources < <(files sim policies tests -- '*.c' '*.h')
finish "$(code "${sources[@]}" | awk -F '\t' '
# ban(NAMES, SCOPE, EXCEPT, WHY): words are banned in files that match SCOPE and not EXCEPT.
function ban(names, scope, except, why,    list, n, i) {
    n = split(names, list, " ")
    for (i = 1; i <= n; i++) {
        rule_count++
        word[rule_count] = list[i]
        scopes[rule_count] = scope
        exceptions[rule_count] = except
        reasons[rule_count] = why
    }
}
BEGIN {
    none = "^nowhere$"
    ban("strcpy strcat sprintf vsprintf gets alloca", ".", none, "it cannot know the size of its target")
    ban("atoi atol atoll atof", ".", none, "it cannot report errors; use the strto functions")
    ban("tmpnam mktemp tempnam", ".", none, "another process may take the name first")
    ban("strtok", "^(sim|policies)/", none, "it keeps state between calls")
    ban("rand srand random srandom drand48 lrand48 erand48 rand_r arc4random getrandom", ".", none, "all random numbers come from the seed")
    ban("system popen", ".", none, "no shells; start programs from scripts")
    ban("setjmp longjmp sigsetjmp siglongjmp", "^(sim|policies)/", none, "errors are returned")
    ban("time clock localtime gmtime gettimeofday timespec_get", "^(sim|policies)/", "^sim/(cli|run)/", "libraries do not know the wall clock")
    ban("clock_gettime getrusage", "^(sim|policies)/", "^sim/(cli|run|platform|probe)/|^sim/sweep/pool[.]c$", "libraries do not know the wall clock")
    ban("getenv secure_getenv setenv putenv", "^(sim|policies)/", "^sim/(cli|platform)/", "libraries do not read the environment")
    ban("printf vprintf puts putchar perror psignal", "^(sim|policies)/", "^sim/cli/", "only sim/cli prints")
    ban("exit quick_exit", "^(sim|policies)/", "^sim/cli/", "only sim/cli ends the process")
    ban("_exit _Exit", "^(sim|policies)/", "^sim/(cli|conform|platform|plot|probe|sweep)/", "only sim/cli ends the process; a forked child may")
    ban("abort assert", "^(sim|policies)/", "^sim/core/base[.]c$", "use HS_ASSERT")
    ban("pthread_create thrd_create", ".", "^sim/probe/measure[.]c$", "one simulation is one thread")
    ban("fopen open creat fdopen popen socket fork", "^(sim/core|policies)/", none, "the core and the policies are pure")
    ban("qsort_r", "^(sim|policies)/", none, "it is not in the C standard")
}
# The words of a line that are followed by "(" and are no members of a struct.
{
    text = $3
    while (match(text, /[A-Za-z_][A-Za-z_0-9]*[ \t]*\(/)) {
        before = RSTART > 1 ? substr(text, RSTART - 1, 1) : ""
        before2 = RSTART > 2 ? substr(text, RSTART - 2, 2) : ""
        name = substr(text, RSTART, RLENGTH)
        sub(/[ \t]*\($/, "", name)
        is_member = before == "." || before2 == "->"
        if (!is_member && before !~ /[A-Za-z_0-9]/) {
            for (i = 1; i <= rule_count; i++) {
                if (name == word[i] && $1 ~ scopes[i] && $1 !~ exceptions[i]) {
                    printf "%s:%d: %s() is banned here: %s\n", $1, $2, name, reasons[i]
                }
            }
        }
        text = substr(text, RSTART + RLENGTH)
    }
    if ($3 ~ /(^|[^A-Za-z_0-9])(stdout|stderr)([^A-Za-z_0-9]|$)/ && $1 ~ /^(sim|policies)\// &&
        $1 !~ /^sim\/cli\// && $1 != "sim/core/base.c" && $3 !~ /__fpurge[(]/) {
        printf "%s:%d: stdout and stderr belong to sim/cli; take a FILE or return a sentence\n", $1, $2
    }
}')"
