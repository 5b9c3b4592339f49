#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# selftest.sh - proves the checks: each must accept a good tree and name what is wrong in a bad one.
#
# usage: selftest.sh [CC]
# shellcheck disable=SC2016 # the back quotes are Markdown
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cc=${1:-cc}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# A small tree in which everything is right.
reset()
{
    find "$tree" -mindepth 1 -delete
    mkdir -p "$tree"/{sim/{core/hs,run,cli,result},policies/lib,scripts,tests}
    cat >"$tree/sim/core/good.c" <<'END'
/* SPDX-License-Identifier: MIT */
/* good.c - calls exit("no") and printf only in a comment. */
#include "hs/good.h"

#include <string.h>

static const char *const words[] = {"printf(", "/* not a comment", "it's"};
static const struct good table[] = {
    {1, "one"},
    {2, "two"},
};
const struct good *const good_first = &table[0];

struct state {
    int count;
    int (*visit)(void *self, int value);
};

static int call(const struct state *state, int (*visit)(void *, int))
{
    static const int step = 1;

    return visit(NULL, state->count + step) + (int)strlen(words[0]);
}

int good_call(struct state *state)
{
    return call(state, state->visit);
}
END
    cat >"$tree/sim/core/hs/good.h" <<'END'
/* SPDX-License-Identifier: MIT */
struct good {
    int number;
    const char *name;
};
struct state;
enum colour { RED, GREEN };
typedef int (*good_function)(const char *text);
extern const struct good *const good_first;
int good_call(struct state *state);
void good_visit(void (*visit)(int value), int value);
END
    printf '%s\n' '/* SPDX-License-Identifier: MIT */' '#include "hs/good.h"' \
        'GOOD_DEFINE(fcfs) = {' '    .name = "fcfs",' '};' >"$tree/policies/lib/order.h"
    printf '%s\n' '/* SPDX-License-Identifier: GPL-3.0-or-later */' '#include <signal.h>' \
        '#include <stdio.h>' 'static volatile sig_atomic_t is_stopped;' 'int cli(void);' 'int cli(void)' '{' \
        '    is_stopped = 1;' '    return printf("%d", is_stopped);' '}' >"$tree/sim/cli/main.c"
    printf '%s\n' '#!/bin/sh' '# SPDX-License-Identifier: GPL-3.0-or-later' >"$tree/scripts/test"
    printf '%s\n' 'See [the core](sim/core/good.c) and `sim/core/hs/good.h`.' >"$tree/README.md"
    printf '%s\n' '# SPDX-License-Identifier: GPL-3.0-or-later' >"$tree/CMakeLists.txt"
    printf '[{"file": "%s/sim/core/good.c"}, {"file": "%s/sim/cli/main.c"}]\n' \
        "$(cd "$tree" && pwd -P)" "$(cd "$tree" && pwd -P)" >"$tree/commands.json"
}

# check NAME: runs a check on the tree; its output.
check()
{
    case "$1" in
    listed) bash "$here/listed.sh" "$tree" "$tree/commands.json" 2>&1 ;;
    symbols) bash "$here/symbols.sh" "$tree" "$cc" 2>&1 ;;
    *) bash "$here/$1.sh" "$tree" 2>&1 ;;
    esac
}

problem()
{
    printf 'selftest: %s\n' "$1"
    failures=$((failures + 1))
}

# accepts NAME: the check finds nothing.
accepts()
{
    local output

    output=$(check "$1") || problem "$1 refuses what is right: $output"
}

# refuses NAME PATTERN: the check fails and says something that matches; then the tree is reset.
refuses()
{
    local output

    if output=$(check "$1"); then
        problem "$1 accepts what is wrong; expected: $2"
    elif ! grep -qE -- "$2" <<<"$output"; then
        problem "$1 should say '$2', but says: $output"
    fi
    reset
}

# add FILE LINE...: appends lines to a file; a new C file gets its licence line.
add()
{
    local file=$tree/$1

    mkdir -p "$(dirname "$file")"
    if [ ! -e "$file" ]; then
        case "$1" in
        sim/core/*.[ch] | policies/*.[ch]) printf '/* SPDX-License-Identifier: MIT */\n' ;;
        *.[ch]) printf '/* SPDX-License-Identifier: GPL-3.0-or-later */\n' ;;
        esac >"$file"
    fi
    printf '%s\n' "${@:2}" >>"$file"
}

lines() # lines COUNT TEXT
{
    awk -v count="$1" -v text="$2" 'BEGIN { for (i = 0; i < count; i++) print text }'
}

reset
for name in size arrows calls globals text links listed symbols; do
    accepts "$name"
done

add sim/core/long.c 'int f(void)' '{' "$(lines 68 '    ;')" '}'
refuses size 'long.c:2: the function has 71 lines'
add sim/core/long.c 'int f(void)' '{' "$(lines 67 '    ;')" '}'
accepts size
reset
add sim/core/long.c '' 'static int' 'f(int a,' '  int b)' '{' "$(lines 66 '    ;')" '}'
refuses size 'long.c:3: the function has 71 lines'
add sim/core/long.h "$(lines 800 'int x(void);')"
refuses size 'long.h:801: .*more than 800'

add sim/core/bad.c '#include <unistd.h>'
refuses arrows 'bad.c:2: <unistd.h>'
add sim/core/bad.c '#include "result/result.h"'
refuses arrows 'bad.c:2: "result/result.h": sim/core may only'
add sim/core/bad.c '#include "missing.h"'
refuses arrows 'missing.h" does not lie beside'
add sim/run/good.c '#include "commit.h"'
printf 'configure_file(commit.h.in commit.h)\n' >"$tree/sim/run/CMakeLists.txt"
accepts arrows
reset
add sim/core/bad.c '#include "../run/run.h"'
refuses arrows 'do not climb'
add policies/bad.c '#  include <gsl/gsl_rng.h> /* random */'
refuses arrows 'policies/bad.c:2: <gsl/gsl_rng.h>'
add policies/bad.c '#include <dlfcn.h>'
refuses arrows 'policies/bad.c:2: <dlfcn.h>'
add sim/core/a.c '#include <dlfcn.h>'
add sim/core/b.c '#include <dlfcn.h>'
refuses arrows 'b.c:2: <dlfcn.h> is used in sim/core/a.c already'
add policies/lib/bad.h '#include "cli/cli.h"'
refuses arrows 'policies/lib may only'
add sim/run/bad.c '#include <hdf5.h>'
refuses arrows '<hdf5.h> may be used only'
add sim/run/bad.c '#include <yaml.h>'
refuses arrows '<yaml.h> may be used only'
add sim/platform/platform.c '#include <simgrid/host.h>'
refuses arrows '<simgrid/host.h> may be used only'
add sim/result/bad.c '#include <argp.h>'
refuses arrows '<argp.h> may be used only'
add sim/result/bad.c '#include <pthread.h>'
refuses arrows '<pthread.h> may be used only'
add sim/result/bad.c '#include "experiment/experiment.h"'
refuses arrows 'sim/result may only include from'
add sim/other/bad.c '#include <stdio.h>'
refuses arrows 'no rule says'

for name in strcpy sprintf strcat gets rand system popen time clock getenv printf exit abort; do
    add sim/run/bad.c 'int f(void);' "int f(void) { return (int)$name(0); }"
    if [ "$name" = time ] || [ "$name" = clock ]; then
        mv "$tree/sim/run/bad.c" "$tree/sim/result/bad.c"
    fi
    refuses calls "bad.c:3: $name\(\) is banned"
done
add sim/run/good.c 'int f(void) { return my_time(self->exit(0), x.rand (1)) + "printf(1)"[0]; }'
accepts calls
reset
add sim/core/bad.c 'int f(void) { return clock_gettime(0, 0); }'
refuses calls 'clock_gettime\(\) is banned'
add sim/run/bad.c 'int f(void) { return fprintf(stderr, "x"); }'
refuses calls 'stdout and stderr belong'
add policies/bad.c 'int f(void) { return fopen("x", "r") != 0; }'
refuses calls 'fopen\(\) is banned'

for declaration in 'static int counter;' 'int counter = 3;' 'static const char *names[] = {"a", "b"};' \
    'static struct good table[2];' 'static int (*handler)(int);' 'struct good { int x; } instance;' \
    'static const char *name = "x";' 'static volatile sig_atomic_t flag;' 'char buffer[16];'; do
    add sim/run/bad.c 'int f(void);' '' "$declaration"
    refuses globals 'bad.c:4: a variable that can change'
done
add sim/run/bad.c 'static struct good' '    table[] = {' '    {1, "one"},' '};'
refuses globals 'bad.c:2: a variable that can change'
add sim/run/bad.c 'int f(void)' '{' '    static int calls;' '    return calls++;' '}'
refuses globals 'bad.c:4: a variable that can change'

printf 'int f(void);\n' >"$tree/sim/run/bad.c"
refuses text 'bad.c:1: no SPDX'
printf '#!/bin/sh\n' >"$tree/scripts/bad.sh"
refuses text 'bad.sh:1: no SPDX'
printf '/* SPDX-License-Identifier: GPL-3.0-or-later */\n' >"$tree/sim/core/bad.c"
refuses text 'the core is under the MIT licence'
printf '/* SPDX-License-Identifier: GPL-3.0-or-later */\n' >"$tree/policies/lib/bad.c"
refuses text 'policies/lib is under the MIT licence'
printf '/* SPDX-License-Identifier: MIT */\n' >"$tree/sim/run/bad.c"
refuses text 'GPL-3.0-or-later is the licence outside'
printf '/* SPDX-License-Identifier: BSD-2-Clause */\n' >"$tree/sim/run/bad.c"
refuses text 'is not a licence of this project'
add sim/run/bad.c "/* TO""DO: write it */"
refuses text 'bad.c:2: a note about unfinished work'
add sim/run/bad.c '#if 0' '#endif'
refuses text 'bad.c:2: dead code'
add sim/run/bad.c.orig ''
refuses text 'left-over file'

printf '[x](sim/none.c)\n' >"$tree/README.md"
refuses links 'README.md:1: sim/none.c does not exist'
printf '\nSee `scripts/none`.\n' >"$tree/README.md"
refuses links 'README.md:2: scripts/none does not exist'
printf '[x](README.md)\n' >"$tree/sim/README.md"
printf '[x](none.md)\n' >"$tree/policies/README.md"
refuses links 'policies/README.md:1: policies/none.md does not exist'
rm "$tree/README.md"
refuses links 'no page of documentation'

add sim/run/forgotten.c 'int f(void);'
refuses listed 'forgotten.c:1: nothing builds this file'
add sim/run/named.c 'int f(void);'
printf 'add_library(x named.c)\n' >"$tree/sim/run/CMakeLists.txt"
accepts listed
reset
# harness LACKING: a fuzz harness without the corpus, the number or the row; none: it has them all.
harness()
{
    mkdir -p "$tree/tests/fuzz/corpus"
    printf 'hsim_fuzz(words hsim_text)\n' >"$tree/tests/fuzz/CMakeLists.txt"
    [ "$1" = corpus ] || mkdir "$tree/tests/fuzz/corpus/words"
    [ "$1" = number ] || printf 'runs=([words]=5)\n' >"$tree/scripts/fuzz"
    [ "$1" = row ] || printf '| `words` | words | a sentence |\n' >"$tree/tests/fuzz/README.md"
}

harness corpus
refuses listed 'tests/fuzz/CMakeLists.txt:1: the harness words has no corpus'
harness number
refuses listed 'scripts/fuzz:1: the harness words has no number of inputs'
harness row
refuses listed 'tests/fuzz/README.md:1: the harness words is not in the table'
harness none
accepts listed
reset

for call in 'time(0)' 'clock_gettime(0, (void *)0)' 'rand()' 'getenv("x") != 0' 'open("x", 0)' \
    'printf("%d", 1)' 'fopen("x", "r") != 0' 'pthread_self() != 0' 'exit(1), 0' 'write(1, "x", 1)'; do
    add sim/core/bad.c '#include <fcntl.h>' '#include <pthread.h>' '#include <stdio.h>' '#include <stdlib.h>' \
        '#include <time.h>' '#include <unistd.h>' "int f(void) { return (int)($call); }"
    refuses symbols "bad.c:1: calls ${call%%(*}"
done
add policies/bad.c 'static int counter;' 'int f(void) { return counter++; }'
refuses symbols 'policies/bad.c:1: counter is data that can change'
add sim/core/a.c '#include <dlfcn.h>' 'int f(void) { return dlclose(0); }'
accepts symbols
add sim/core/b.c '#include <dlfcn.h>' 'int g(void) { return dlclose(0); }'
refuses symbols 'b.c:1: one file of the core loads libraries, not 2'
add policies/bad.c '#include <dlfcn.h>' 'int g(void) { return dlclose(0); }'
refuses symbols 'policies/bad.c:1: calls dlclose'
add sim/core/bad.c 'int f(void) { return }'
refuses symbols 'does not compile by itself'
add sim/core/bad.c 'int elsewhere(void);' 'int f(void) { return elsewhere(); }'
refuses symbols 'bad.c:1: calls elsewhere'

[ "$failures" -eq 0 ] || { printf '%d checks of the checks failed\n' "$failures" && exit 1; }
printf 'all checks hold what they promise\n'
