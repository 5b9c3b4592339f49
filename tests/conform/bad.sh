#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bad.sh - each way in which a plug-in can be bad is found by `hsim policies test`, with a sentence.
#
# usage: bad.sh HSIM ROOT CC [SANITIZERS]. Under sanitizers there is no count of the memory in use, so
# that lost memory is not looked for.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Under sanitizers fewer cases have to do, and a crash need not tell its lines.
cases=30
if [ -n "${4-}" ]; then
    cases=10
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}symbolize=0
fi

# test_it NAME STATUS [OPTION...]: runs the tests of NAME.so; what they print is in NAME.out.
test_it()
{
    local status=0
    timeout 100 "$hsim" policies test "./$1.so" --cases "$cases" "${@:3}" >"$1.out" 2>&1 || status=$?
    [ "$status" -eq "$2" ] || die "$1: status $status instead of $2: $(cat "$1.out")"
}

# fails NAME PROPERTY PATTERN...: exactly this property fails, the sentence matches the patterns, and
# the command that is printed repeats the failure.
fails()
{
    local pattern again failed
    test_it "$1" 4
    failed=$(awk '$3 == "FAILED" { print $1 }' "$1.out" | xargs)
    [ "$failed" = "$2" ] || die "$1: '$failed' fails instead of $2: $(cat "$1.out")"
    for pattern in "${@:3}"; do
        grep -E "^  $2 " "$1.out" | grep -qE -- "$pattern" || die "$1: '$pattern' is not in: $(cat "$1.out")"
    done
    again=$(sed -n 's/^ *again:  hsim //p' "$1.out")
    [ "$2" != pure ] || return 0
    [ "$(wc -l <<<"$again")" -eq 1 ] || die "$1: no command, or several: $(cat "$1.out")"
    # shellcheck disable=SC2086 # words of the command
    if "$hsim" $again >"$1.again" 2>&1; then
        die "$1: the command does not repeat the failure: hsim $again"
    fi
    grep -E "^  $2 " "$1.again" | grep -q FAILED || die "$1: another failure: $(cat "$1.again")"
}

policy good ';'
test_it good 0
[ "$(grep -c passed good.out)" -ge 6 ] || die "good: not all is tested: $(cat good.out)"

# What breaks rules.
policy too_large 'static const struct hs_span spans[] = {{0, 1, 1000}};
    const struct hs_alloc alloc = {.spans = spans, .span_count = 1};
    if (hs_view_first(view)) { (void)hs_plan_start_on(plan, hs_view_first(view), &alloc); return; }'
fails too_large rules 'job [0-9]+' 'node|core|tasks'
policy twice 'const struct hs_job *job = hs_view_first(view);
    if (job && hs_plan_start(plan, job)) { (void)hs_plan_start(plan, job); }'
fails twice rules 'job [0-9]+'

# Who starts nothing, or not all.
policy idle 'return;'
fails idle ends 'wait' 'starts? nothing|nothing runs|started none'
policy wakes 'if (hs_view_first(view)) { hs_plan_wake(plan, hs_view_now(view) + 1); } return;'
fails wakes ends 'started none of them|it has started nothing'
policy narrow 'for (const struct hs_job *job = hs_view_first(view); job; job = hs_view_next(view, job)) {
        if (job->procs < 3) { (void)hs_plan_start(plan, job); }
    } return;'
fails narrow ends 'wait'
grep -qE -- '--jobs ([1-9]|1[0-9])$' narrow.out || die "narrow: the case was not made smaller: $(cat narrow.out)"

# The case in words: as many jobs as the command says, and what the policy is part of.
# shellcheck disable=SC2046 # words of the command
"$hsim" $(sed -n 's/^ *again:  hsim //p' narrow.out) --show >narrow.show 2>&1 || true
jobs=$(sed -n 's/.*--jobs //p' narrow.out)
[ "$(grep -cE '^  job [0-9]+: [0-9]+x cores=.* submitted at .* requests .* runs ' narrow.show)" -eq "$jobs" ] ||
    die "narrow: not $jobs jobs: $(cat narrow.show)"
grep -qE '^  node n0: cores=' narrow.show && grep -qE '^  composed:  [{]name: narrow' narrow.show ||
    die "narrow: $(cat narrow.show)"
test_it good 2 --show --json

# Who keeps something outside of the state.
policy counts 'calls++; if (calls > 40 && calls % 2) { return; }' 'static unsigned calls;'
sed -i 's/return;/{ hs_plan_wake(plan, hs_view_now(view) + 1000000000); return; }/' counts.c
"$cc" -std=c17 -O1 -shared -fPIC -I "$root/sim/core" -o counts.so counts.c
fails counts repeats 'decision [0-9]+ of the case was' 'job [0-9]+ starts at'
policy shares 'if (owner && owner != self) { hs_plan_wake(plan, hs_view_now(view) + 1000000000); return; }' \
    'static void *owner;
static enum hs_err init(void *self, const struct hs_view *view, struct hs_error *error)
{ (void)view; (void)error; owner = self; return HS_OK; }
static void fini(void *self) { owner = owner == self ? NULL : owner; }' '.init = init, .fini = fini'
fails shares isolated 'second instance'
policy random 'if (rand() % 3 == 0) { hs_plan_wake(plan, hs_view_now(view) + 1000000000); return; }'
test_it random 4
grep -qE '^  repeats .*FAILED' random.out || die "random: not found: $(cat random.out)"
grep -qE '^  pure .*FAILED.*imports rand.*hs_view_random' random.out || die "random: $(cat random.out)"
policy prints 'if (hs_view_first(view) == NULL) { (void)printf("%s", "nobody"); }' '#include <stdio.h>'
fails prints pure 'imports (printf|puts|putchar|fwrite|fputs)' 'hs_plan_fail'

# Who does not give back what it takes. And a signal that the caller ignores, as a shell does for what
# it runs in the background, ends nothing.
if [ -z "${4-}" ]; then
    "$hsim" policies test ./good.so --cases 100 >ignores.out 2>&1 &
    sleep 0.2
    kill -INT $!
    wait $! || die "ignores: $(cat ignores.out)"
    policy leaks ';' 'static enum hs_err init(void *self, const struct hs_view *view, struct hs_error *error)
{ struct state *state = self; (void)view; (void)error;
  state->memory = malloc(1000); return state->memory ? HS_OK : HS_ERR_SYSTEM; }' '.init = init'
    fails leaks memory '10[0-9][0-9] bytes' 'fini'
fi

# Who crashes, loops, or ends the process; where is told.
policy crashes 'if (hs_view_now(view) > 0) { *(volatile int *)state->memory = 1; }'
fails crashes survives 'crashed|ended the process' 'in a scheduling pass' 'at [0-9.]+ s'
policy leaves 'if (hs_view_pending_count(view) > 2) { exit(7); }'
test_it leaves 4
grep -qE '^  survives .*exit code 7.*in a scheduling pass' leaves.out || die "leaves: $(cat leaves.out)"
policy loops 'while (hs_view_pending_count(view) > 1) { state->count++; }'
test_it loops 4 --limit 1
grep -qE '^  survives .*does not return: after 1 s .*in a scheduling pass' loops.out || die "loops: $(cat loops.out)"
grep -q 'cases were not run' loops.out || die "loops: the others were run: $(cat loops.out)"

# Parameters: a range that is wider than what the code can bear.
policy divides 'state->count = 100 / state->count;' 'static const struct hs_param params[] = {
    HS_PARAM_INT(struct state, count, "3", 0, 10, "", "a divisor"), HS_PARAM_END};' '.params = params'
test_it divides 4
grep -qE '^  survives .*with count = 0' divides.out || die "divides: $(cat divides.out)"
policy picky ';' 'static const struct hs_param params[] = {
    HS_PARAM_INT(struct state, count, "3", 0, 10, "", "a number"), HS_PARAM_END};
static enum hs_err init(void *self, const struct hs_view *view, struct hs_error *error)
{ struct state *state = self; (void)view;
  return state->count == 10 ? hs_error_set(error, HS_ERR_CONFIG, "Ten is too much.") : HS_OK; }' \
    '.params = params, .init = init'
fails picky ranges 'count = 10' 'Ten is too much' 'Narrow the range'
policy refuses ';' 'static enum hs_err init(void *self, const struct hs_view *view, struct hs_error *error)
{ (void)self; (void)view; return hs_error_set(error, HS_ERR_CONFIG, "Not here."); }' '.init = init'
test_it refuses 4
grep -q "of $cases cases refused $cases, so that nothing was tested: .*Not here" refuses.out || die "refuses: $(cat refuses.out)"

# Other kinds.
plugin drifts <<'END'
static double key(const void *self, const struct hs_view *view, const struct hs_job *job)
{
    (void)self;
    return (double)((hs_view_now(view) / 1000000000 * 7919 + job->key.id * 104729) % 1009);
}
HS_ORDER_DEFINE(it) = {HS_ORDER_HEADER, .name = "drifts", .summary = "d", .key = key};
HS_PLUGIN(.orders = (const struct hs_order *const[]){&hs_order_it, NULL});
END
test_it drifts 4
grep -qE '^  walks .*FAILED.*is_time_varying' drifts.out || die "drifts: $(cat drifts.out)"
plugin peeks <<'END'
static hs_time predict(void *self, const struct hs_predict_question *question)
{
    (void)self;
    return question->truth_ns > 0 ? question->truth_ns : question->request_ns;
}
HS_PREDICT_DEFINE(it) = {HS_PREDICT_HEADER, .name = "peeks", .summary = "p", .predict = predict};
HS_PLUGIN(.predictors = (const struct hs_predictor *const[]){&hs_predictor_it, NULL});
END
fails peeks blind 'HS_PREDICT_TRUTH'

# What cannot be loaded.
printf 'no library\n' >text.so
test_it text 2
grep -q 'no shared object' text.out || die "text: $(cat text.out)"
printf 'int nothing;\n' | plugin no_symbol
test_it no_symbol 2
grep -q "no symbol 'hs_plugin'" no_symbol.out || die "no_symbol: $(cat no_symbol.out)"
sed 's/HS_POLICY_HEADER/.abi = HS_ABI + 1, .size = sizeof(struct hs_policy)/' good.c >other_abi.c
"$cc" -std=c17 -shared -fPIC -I "$root/sim/core" -o other_abi.so other_abi.c
test_it other_abi 2
grep -q 'plug-in interface' other_abi.out || die "other_abi: $(cat other_abi.out)"
policy explodes ';' '__attribute__((constructor)) static void boom(void) { abort(); }'
test_it explodes 2
grep -q 'cannot be loaded. It crashed (Aborted) while it was loaded' explodes.out || die "explodes: $(cat explodes.out)"
test_it missing 2
test_it good 2 --name god
grep -q "nothing of the name 'god'; it has for instance good" good.out || die "name: $(cat good.out)"
test_it good 2 --cases 0
printf 'bad plug-ins are found, each by its property\n'
