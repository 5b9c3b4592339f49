#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sweep.sh - sweeps that are cut short in every way come to the same bytes as one that is not.
#
# usage: sweep.sh HSIM ROOT CC
# HSIM_SWEEP_KILLS: at how many moments a sweep is killed (default 8).
set -euo pipefail

hsim=$(realpath "$1")
root=$(realpath "$2")
cc=$3
kills=${HSIM_SWEEP_KILLS:-8}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'sweep: %s\n' "$*"
    exit 1
}

# expect CODE COMMAND...: its output goes to out, its messages to err.
expect()
{
    local wanted=$1 status=0

    shift
    timeout 300 "$@" >out 2>err || status=$?
    [ "$status" -eq "$wanted" ] || die "$*: exit code $status, not $wanted: $(cat out err)"
}

# says FILE PATTERN...
says()
{
    local pattern

    for pattern in "${@:2}"; do
        grep -qE -- "$pattern" "$1" || die "'$pattern' is not in: $(cat "$1")"
    done
}

# computed DIR: how many runs its sweeps have computed; none of them twice.
computed()
{
    local twice

    twice=$(grep -h ,complete, "$1/timings.csv" | cut -d , -f 1 | sort | uniq -d | wc -l)
    [ "$twice" -eq 0 ] || die "$1: $twice runs were computed twice"
    grep -c ,complete, "$1/timings.csv" || true
}

# whole DIR: the sweep came to the bytes of the reference, and nothing half is left.
whole()
{
    cmp ref/sweep.h5 "$1/sweep.h5" || die "$1: other bytes than without an interruption"
    [ -z "$(find "$1" -name '*.part')" ] || die "$1: left half written: $(find "$1" -name '*.part')"
}

cat >study.yaml <<'END'
hsim: 1
platform: {nodes: 64, cores: 1}
workload: {generate: {jobs: 600}}
policies: [easy, sjf-easy]
output: {series: none}
sweep:
  axes: {workload.load: {from: 0.5, to: 0.9, count: 3}}
  replications: 2
END

# ---- the same bytes for any number of processes; nothing is computed or merged twice

expect 0 "$hsim" sweep study.yaml -o ref -j 1
says out '^ref: 12 runs, 12 finished, 0 failed, 0 left$' '^ref/sweep.h5$'
[ "$(computed ref)" -eq 12 ] || die "-j 1 computed $(computed ref) of 12 runs"
begin=$(date +%s%N)
expect 0 "$hsim" sweep study.yaml -o many -j 4
wall_ms=$((($(date +%s%N) - begin) / 1000000 + 1))
whole many
before=$(stat -c '%i %y' ref/sweep.h5)
expect 0 "$hsim" sweep study.yaml -o ref
says out 'nothing was left to do'
[ "$before" = "$(stat -c '%i %y' ref/sweep.h5)" ] || die 'sweep.h5 was written again'
[ "$(computed ref)" -eq 12 ] || die 'runs were computed again'
rm ref/merged
expect 0 "$hsim" sweep study.yaml -o ref
cmp ref/sweep.h5 many/sweep.h5 || die 'merging again made other bytes'
expect 0 "$hsim" sweep status ref
says out '^ref: complete$' '^12 runs: 12 finished, 0 failed, 0 running, 0 left$'
expect 2 "$hsim" sweep status .
says err 'there is no sweep in this folder'

# ---- killed at any moment

RANDOM=20240229
killed=0
for ((i = 0; i < kills; i++)); do
    rm -rf cut
    for ((again = 0; again < 2; again++)); do
        "$hsim" sweep study.yaml -o cut -j 2 >/dev/null 2>&1 &
        child=$!
        sleep "$(printf '%d.%03d' $((RANDOM * wall_ms / 32768 / 1000)) $((RANDOM * wall_ms / 32768 % 1000)))"
        kill -KILL "$child" 2>/dev/null || true
        status=0
        wait "$child" 2>/dev/null || status=$?
        [ "$status" -ne 137 ] || killed=$((killed + 1))
    done
    expect 0 "$hsim" sweep study.yaml -o cut -j 2
    whole cut
    [ "$(computed cut)" -le 12 ] || die 'more runs were computed than there are'
done
printf 'killed %d times in %d sweeps\n' "$killed" "$kills"
[ "$killed" -ge "$((kills / 2))" ] || die 'too few sweeps were killed before their end'

# ---- one signal lets runs finish, two end them

# begin_long NAME: a sweep whose runs take long, when its first result is being written.
begin_long()
{
    rm -rf "$1"
    # env: a shell's background jobs ignore SIGINT, and what is ignored stays so.
    env --default-signal=INT "$hsim" sweep study.yaml -o "$1" -j 2 "${@:2}" >out 2>err &
    child=$!
    for _ in $(seq 1000); do
        [ -z "$(find "$1/runs" -name '*.part' 2>/dev/null)" ] || break
        sleep 0.01
    done
}

long=(--set workload.generate.jobs=40000)
begin_long stop "${long[@]}"
expect_status=$("$hsim" sweep status stop)
grep -q '^stop: running (process [0-9]*)$' <<<"$expect_status" || die "status: $expect_status"
cp out sweep.out
expect 2 "$hsim" sweep study.yaml -o stop
says err 'stop: another sweep works in this folder at this moment \(process [0-9]+ on .*Wait for its end'
kill -INT "$child"
status=0
wait "$child" || status=$?
[ "$status" -eq 130 ] || die "SIGINT: exit code $status"
finished=$(find stop/runs -name '*.h5' | wc -l)
[ "$finished" -ge 1 ] && [ "$finished" -lt 12 ] || die "SIGINT: $finished runs are finished"
[ -z "$(find stop -name '*.part')" ] || die 'SIGINT: something half is left'
[ ! -e stop/sweep.h5 ] || die 'SIGINT: an incomplete sweep was merged'
expect 0 "$hsim" sweep status stop
says out '^stop: incomplete$' "$finished finished, 0 failed, 0 running, $((12 - finished)) left"
expect 1 "$hsim" sweep study.yaml -o stop "${long[@]}" --merge
says err "$((12 - finished)) of 12 runs are missing, so that nothing was merged"

begin_long stop2 --set workload.generate.jobs=3000000
kill -TERM "$child"
sleep 0.3
kill -TERM "$child"
status=0
wait "$child" || status=$?
[ "$status" -eq 130 ] || die "two SIGTERM: exit code $status"
[ -z "$(find stop2/runs -type f)" ] || die "two SIGTERM: left: $(find stop2/runs -type f)"
[ -z "$(find stop2/failed -type f)" ] || die 'two SIGTERM: runs count as failed'

# ---- a result that cannot be read is computed again

key=$(sed -n '5s/,.*//p' ref/runs.csv)
truncate -s 3000 "many/runs/$key.h5"
expect 0 "$hsim" sweep study.yaml -o many
says err "warning: many/runs/$key.h5.*The run is computed again"
whole many
[ "$(grep -c "^$key,complete" many/timings.csv)" -eq 2 ] || die 'the damaged run was not computed again'

# ---- nor are the metrics of one run taken for those of another

cp "many/runs/$(sed -n '6s/,.*//p' ref/runs.csv).h5" "many/runs/$key.h5"
expect 0 "$hsim" sweep study.yaml -o many
says err "warning: many/runs/$key.h5.*the result of another run.*The run is computed again"
whole many

# ---- a folder in the place of the merged file is told before anything is computed

mkdir -p taken/sweep.h5
expect 2 "$hsim" sweep study.yaml -o taken
says err 'taken/sweep.h5: this is a folder'
[ ! -e taken/runs ] || die 'runs were computed'

# ---- single runs, by the first digits of their keys

mkdir -p one/failed
expect 0 "$hsim" sweep study.yaml -o one --run "${key:0:8}" --run "$(sed -n '7s/,.*//p' ref/runs.csv)"
[ "$(find one/runs -name '*.h5' | wc -l)" -eq 2 ] || die '--run: other than two results'
[ ! -e one/sweep.h5 ] || die '--run has merged'
expect 2 "$hsim" sweep study.yaml -o one --run 0000000000
says err 'no run of this sweep has that key'
expect 2 "$hsim" sweep study.yaml -o one --run easy
expect 0 "$hsim" sweep study.yaml -o one
whole one
[ "$(computed one)" -eq 12 ] || die '--run: runs were computed again'

# ---- sweeps that share their runs

expect 0 "$hsim" sweep study.yaml -o small --runs shared --set 'policies=[easy]'
[ "$(computed small)" -eq 6 ] || die 'half the sweep has another number of runs'
# The list of a sweep that has no folder yet knows them.
"$hsim" sweep study.yaml -o right --runs shared --set 'policies=[easy]' --list >list.out
grep -qE ' [1-9][0-9]* finished, 0 missing$' list.out || die "the list does not look into the folder of --runs: $(tail -n 1 list.out)"
[ ! -e right ] || die 'the list has made a folder'
"$hsim" sweep study.yaml -o left --runs shared >left.out 2>&1 &
child=$!
expect 0 "$hsim" sweep study.yaml -o right --runs shared
wait "$child" || die "left: $(cat left.out)"
whole left
whole right
both=$(($(computed left) + $(computed right)))
[ "$both" -eq 6 ] || die "two sweeps together have computed $both runs, not 6"
expect 0 "$hsim" sweep study.yaml -o left # which remembers where its runs are
says out 'nothing was left to do'
expect 2 "$hsim" sweep study.yaml -o left --runs elsewhere
says err 'left/runs: the finished runs of this sweep lie here already, not in "elsewhere"'

# ---- another experiment in the folder: what is there stays, what is new is computed

expect 0 "$hsim" sweep study.yaml -o many --set sweep.replications=1
says out '^many: 6 runs, 6 finished' '^6 finished runs in many/runs belong to no row of this sweep$'
[ "$(grep -c . many/runs.csv)" -eq 7 ] || die 'the table is not that of the smaller sweep'
expect 0 "$hsim" sweep study.yaml -o many
whole many

# ---- a full disk is no failure of runs: here a limit of the size of files

status=0
(ulimit -f 20 && exec "$hsim" sweep study.yaml -o full -j 2 >out 2>err) || status=$?
[ "$status" -eq 1 ] || die "full disk: exit code $status: $(cat err)"
says err 'error: full/runs/[0-9a-f]*.h5: .*File too large.* the same command goes on with the 12 runs that are left'
[ "$(grep -c . err)" -eq 1 ] || die "full disk: more than one line: $(cat err)"
[ -z "$(find full/failed full/runs -type f)" ] || die "full disk: left: $(find full -type f)"
expect 0 "$hsim" sweep study.yaml -o full
whole full
expect 1 "$hsim" sweep study.yaml -o study.yaml
says err "'study.yaml' is no folder"

# ---- inputs that change while the sweep runs stop it

"$hsim" trace generate --jobs 60000 --nodes 64 -q -o jobs.swf
printf '%s\n' 'hsim: 1' 'platform: {nodes: 64, cores: 1}' 'workload: jobs.swf' 'policy: easy' \
    'sweep: {axes: {scheduler.interval: [0s, 1s, 2s, 3s, 4s, 5s]}}' >trace.yaml
"$hsim" sweep trace.yaml -o trace -j 1 >out 2>err &
child=$!
for _ in $(seq 3000); do
    [ -z "$(find trace/runs -name '*.part' 2>/dev/null)" ] || break
    sleep 0.01
done
printf '; changed\n' >>jobs.swf
status=0
wait "$child" || status=$?
[ "$status" -eq 1 ] || die "changed input: exit code $status"
says err 'an input of this run has changed'
[ -z "$(find trace/failed -type f)" ] || die 'changed input: a run counts as failed'

# ---- a platform that the parent has loaded gives the results of one that the run loads itself

printf '%s\n' 'hsim: 1' "platform: $root/platforms/mixed-8.xml" 'workload: {generate: {jobs: 50}}' 'speeds: {}' \
    'policies: [easy, fcfs]' >mixed.yaml
expect 0 "$hsim" sweep mixed.yaml -o mixed
for result in mixed/runs/*.h5; do
    expect 0 "$hsim" run --verify "$result"
    says out 'verified'
done

# ---- runs that fail

cat >bad.c <<'END'
#include <stdlib.h>
#include <string.h>
#include "hs/policy.h"
struct state { int64_t mode; };
static const struct hs_param params[] = {
    HS_PARAM_INT(struct state, mode, "0", 0, 9, "", "what goes wrong"), HS_PARAM_END};
static void run(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    const struct state *state = self;
    const struct hs_job *job = hs_view_first(view);
    volatile int forever = 1;

    if (state->mode == 1) {
        abort();
    }
    if (state->mode == 2) {
        _Exit(0);
    }
    while (state->mode == 3 && forever) {
    }
    while (state->mode == 4 && forever) {
        static size_t size;
        char *memory = size < 700000000 ? malloc(10000000) : NULL;

        if (memory) {
            memset(memory, 1, 10000000);
            size += 10000000;
        }
    }
    if (state->mode == 5) {
        return; /* jobs wait, and nothing runs */
    }
    if (job) {
        (void)hs_plan_start(plan, job);
    }
}
HS_POLICY_DEFINE(bad) = {HS_POLICY_HEADER, .name = "bad", .summary = "fails", .params = params,
    .state_size = sizeof(struct state), .schedule = run};
HS_PLUGIN(.policies = (const struct hs_policy *const[]){&hs_policy_bad, NULL});
END
"$cc" -std=c17 -shared -fPIC -I "$root/sim/core" -o bad.so bad.c
printf '1 0 0 %d 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n' 5 5 5 >three.swf
# fails NAME MODES: an experiment with one policy for each mode, of which 0 goes well.
fails()
{
    local mode

    printf '%s\n' 'hsim: 1' 'platform: {nodes: 4, cores: 1}' 'workload: three.swf' 'plugins: [bad.so]' \
        'policies:' >"$1.yaml"
    for mode in $2; do
        printf '%s\n' "- {name: bad, mode: $mode, label: mode-$mode}" >>"$1.yaml"
    done
}

fails bad '0 1 2 5'
expect 1 "$hsim" sweep bad.yaml -o bad -j 1
says out '^bad: 4 runs, 1 finished, 3 failed, 0 left$' '^bad/sweep.h5$'
says err 'failed: run [0-9a-f]{32} \(mode-1, seed 1\): .* signal 6 \(Aborted\)' \
    'failed: run [0-9a-f]{32} \(mode-2, seed 1\): .*without a word' \
    'failed: run [0-9a-f]{32} \(mode-5, seed 1\): .*' \
    '^hsim: again: hsim sweep bad.yaml -o bad --run [0-9a-f]{32}$'
cp err first.err
expect 1 "$hsim" sweep bad.yaml -o bad4 -j 4
cmp bad/sweep.h5 bad4/sweep.h5 || die 'failures differ with -j'
if command -v h5dump >/dev/null; then
    h5dump -d /runs/error bad/sweep.h5 >dump
    says dump '\(0\): "\\000' 'signal 6 \(Aborted\)' 'without a word'
fi
expect 1 "$hsim" sweep bad.yaml -o bad
says out '3 failed' 'nothing was left to do'
[ ! -s err ] || die "failures are told again: $(cat err)"
expect 0 "$hsim" sweep status bad --json
says out '"state": "complete"' '"failed": 3,' '"error": "[^"]*signal 6'
again=$(sed -n 's/^hsim: again: hsim //p' first.err | head -n 1)
# shellcheck disable=SC2086 # words of a command
expect 1 "$hsim" $again
says err 'signal 6'
[ "$(grep -c ,failed, bad/timings.csv)" -eq 4 ] || die '--run has not tried again'
expect 1 "$hsim" sweep bad.yaml -o bad --retry-failed
[ "$(grep -c ,failed, bad/timings.csv)" -eq 7 ] || die '--retry-failed has not tried again'
cmp bad/sweep.h5 bad4/sweep.h5 || die 'failures differ when tried again'
# Beside a merge a single run may be tried again, so that its failure is not there any more.
cp -r bad odd
key=$(basename "$(find odd/failed -type f | head -n 1)")
rm "odd/failed/$key"
mkdir -p "odd/failed/$key/folder"
expect 1 "$hsim" sweep bad.yaml -o odd --merge
says err "odd/failed/$key: why the run failed cannot be read any more"
expect 1 "$hsim" sweep bad.yaml -o fast -j 1 --fail-fast
says out '^fast: 4 runs, 1 finished, 1 failed, 2 left$'
[ ! -e fast/sweep.h5 ] || die '--fail-fast has merged'

fails slow '3 0'
expect 1 "$hsim" sweep slow.yaml -o slow -j 2 --time-limit 1.5s
says err 'mode-3.*took longer than the 1.5 s that --time-limit allows'
says out '^slow: 2 runs, 1 finished, 1 failed'
fails huge '4 0'
expect 1 "$hsim" sweep huge.yaml -o huge -j 2 --memory-limit 500MB
says err 'mode-4.*more memory than the 500000000 bytes that --memory-limit allows'
says out '^huge: 2 runs, 1 finished, 1 failed'
[ -z "$(find slow huge bad -name '*.part')" ] || die 'failed runs have left something half'

# ---- lines of JSON, and arguments that make no sense

expect 1 "$hsim" sweep bad.yaml -o json --progress json
[ "$(grep -c '^{"event": "run", .*}$' out)" -eq 4 ] || die "JSON: $(cat out)"
says out '^\{"event": "begin", "runs": 4,' '"status": "failed".*"error": "' '^\{"event": "end", .*"failed": 3,'
for wrong in '-j 0' '-j x' '--time-limit soon' '--memory-limit 0' '--progress loud' '--run XYZ' '--merge --run 1234'; do
    # shellcheck disable=SC2086 # words of a command
    expect 2 "$hsim" sweep study.yaml -o ref $wrong
done
expect 2 "$hsim" sweep
echo 'sweep: whatever happens on the way, the bytes are the same'
