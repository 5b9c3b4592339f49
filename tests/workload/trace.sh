#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# trace.sh - `hsim trace`: info, validate, convert, generate, and what they say of bad input.
set -euo pipefail

hsim=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail()
{
    echo "FAILED: $*" >&2
    echo "--- standard output" >&2
    cat out >&2
    echo "--- standard error" >&2
    cat err >&2
    exit 1
}

# run CODE COMMAND...: the exit code must be CODE; output in the files out and err.
run()
{
    local expected=$1 code=0
    shift
    "$@" >out 2>err || code=$?
    [ "$code" = "$expected" ] || fail "exit code $code, not $expected: $*"
}

# says FILE TEXT: the file has a line with this text.
says()
{
    grep -qF -- "$2" "$1" || fail "no '$2' in $1"
}

same()
{
    cmp -s "$1" "$2" || fail "$1 and $2 differ"
}

row()
{
    echo "$1 $2 -1 ${3:-10} 2 -1 -1 2 ${4:-20} -1 1 3 4 5 6 7 8 9"
}

# --- a good trace
{
    echo '; MaxProcs: 4'
    echo '; UnixStartTime: 86400'
    row 1 100
    row 2 200 20
    row 3 300 30 40
} >good.swf
run 0 "$hsim" trace info good.swf
says out 'jobs             3'
says out 'first submit     100 s (1970-01-02 00:01:40 UTC)'
says out 'span             200 s = 0.00 days'
says out 'machine          4 processors (of the header)'
says out 'offered load     0.1500'
says out 'run time         min 10  p25 10  p50 20  p75 30  p90 30  p99 30  max 30  mean 20 s'
says out 'users            1: 3 (100.0 %)'
says out 'missing fields   wait time 100.0 %, average CPU time 100.0 %'
run 0 "$hsim" trace info --machine 8 good.swf
says out 'offered load     0.0750'
run 0 "$hsim" trace validate good.swf
[ "$(cat out)" = 'good.swf: 3 records, 3 jobs: 0 errors, 0 warnings' ] || fail 'a clean trace'
[ ! -s err ] || fail 'errors of a clean trace'

# --- convert: what is written, packings, standard output, refusals
run 0 "$hsim" trace convert good.swf -o a.swf
says err '3 jobs written to a.swf'
says a.swf '; UnixStartTime: 86400'
says a.swf '; MaxProcs: 4'
says a.swf '2 200 -1 20 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9'
run 0 "$hsim" trace convert -q good.swf -o a.swf.gz
[ ! -s err ] || fail 'not quiet'
run 0 "$hsim" trace convert -q good.swf -o a.swf.zst
gzip -dc a.swf.gz >b.swf
same a.swf b.swf
run 0 "$hsim" trace convert -q a.swf.zst -o - --to swf
grep -v '^; Note' out >c.swf
grep -v '^; Note' a.swf >d.swf
same c.swf d.swf
run 2 "$hsim" trace convert good.swf -o a.swf
says err 'a.swf: exists already and is left as it is'
says err '--force'
same a.swf b.swf
run 0 "$hsim" trace convert good.swf -o a.swf --force --head 1
[ "$(grep -vc '^;' a.swf)" = 1 ] || fail 'head'
run 1 "$hsim" trace convert good.swf -o no/such/folder.swf
says err 'no/such/folder.swf.part: cannot be written: No such file or directory'
run 2 "$hsim" trace convert good.swf -o "$work"
says err 'is a folder. Name a file to be written.'
if [ -w /dev/full ]; then
    run 1 "$hsim" trace convert good.swf -o /dev/full
    says err '/dev/full: writing failed: No space left on device'
    "$hsim" trace convert -q good.swf -o - >/dev/full 2>err && fail 'a full disk'
    says err 'No space left on device'
fi
[ -z "$(find . -name '*.part')" ] || fail 'an unfinished file is left'

# --- transforms from the command line
run 0 "$hsim" trace convert -q good.swf -o - --window-from 150 --window-to 5m --shift zero
[ "$(grep -v '^;' out)" = '2 0 -1 20 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9' ] || fail 'window'
if grep -q UnixStartTime out; then fail 'a moved trace keeps its epoch'; fi
run 0 "$hsim" trace convert good.swf -o - --load 0.3 --machine 4
says err 'offered load 0.3000, was 0.1500'
[ "$(grep -v '^;' out | cut -d' ' -f2 | paste -sd' ')" = '100 150 200' ] || fail 'load'
run 0 "$hsim" trace convert -q good.swf -o - --shift -1m --estimate 1.5 --estimate-round 7s
[ "$(grep -v '^;' out | cut -d' ' -f2,9 | paste -sd' ')" = '40 21 140 35 240 49' ] || fail 'shift'
run 0 "$hsim" trace convert -q good.swf -o - --users 3,9 --min-run 15 --estimate exact
[ "$(grep -v '^;' out | cut -d' ' -f1,9 | paste -sd' ')" = '2 20 3 30' ] || fail 'filter'
run 2 "$hsim" trace convert -q good.swf -o - --users 9
says err 'none of the 3 records lies within the filter and the window'
run 2 "$hsim" trace convert -q good.swf -o - --load 0.5
says err 'give the number of its processors'
run 0 "$hsim" trace convert -q good.swf -o one --shake 30 --seed 5
run 0 "$hsim" trace convert -q good.swf -o two --shake 30 --seed 5
same one two

# --- generate
run 0 "$hsim" trace generate -o g1.swf --model lublin --jobs 500 --nodes 64 --seed 9 --load 0.7
says err '500 jobs written to g1.swf'
says err 'offered load 0.7'
run 0 "$hsim" trace generate -q -o g2.swf --jobs 500 --nodes 64 --seed 9 --load 0.7
same g1.swf g2.swf
run 0 "$hsim" trace generate -q -o g3.swf --jobs 500 --nodes 64 --seed 10 --load 0.7
if cmp -s g1.swf g3.swf; then fail 'another seed, the same trace'; fi
run 0 "$hsim" trace info g1.swf
says out 'jobs             500'
says out 'machine          64 processors (of the header)'
grep -q '^offered load     0\.[67]' out || fail 'load of the generated trace'
run 0 "$hsim" trace validate g1.swf
run 2 "$hsim" trace generate -o g4.swf --jobs 10
says err 'Give --jobs N and --nodes N'
run 2 "$hsim" trace generate -o g4.swf --jobs 10 --nodes 4 --model poisson
says err 'lublin is the only model'

# --- stopped: nothing is left behind
"$hsim" trace generate -o long.swf --jobs 9000000 --nodes 64 >out 2>err &
pid=$!
until [ -s long.swf.part ]; do
    sleep 0.05
done
kill -TERM "$pid"
code=0
wait "$pid" || code=$?
[ "$code" = 130 ] || fail "exit code $code after a signal"
says err 'the unfinished file is removed'
[ ! -e long.swf ] && [ ! -e long.swf.part ] || fail 'a stopped command left a file'

# The first pass of load scaling ends soon, too.
"$hsim" trace generate -q -o big.swf --jobs 2000000 --nodes 64
"$hsim" trace convert big.swf -o scaled.swf --load 0.5 --machine 64 >out 2>err &
pid=$!
until [ -e scaled.swf.part ]; do
    sleep 0.01
done
sleep 0.1
kill -TERM "$pid"
code=0
wait "$pid" || code=$?
[ "$code" = 130 ] || fail "exit code $code after a signal while the load is measured"
says err 'interrupted while the workload was measured'
[ ! -e scaled.swf ] && [ ! -e scaled.swf.part ] || fail 'a stopped command left a file'
rm big.swf

# --- options are named as the keys of an experiment; the seed is 1 where none is given
run 2 "$hsim" trace info good.swf --size max
says err "hsim: error: unrecognized option '--size'"
run 2 "$hsim" trace info good.swf --procs 8
says err "hsim: error: --procs is '8'; one of requested, allocated, max is due."
run 0 "$hsim" trace convert -q good.swf -o - --procs max
run 2 "$hsim" trace info good.swf --machine 3000000000
says err 'a machine has at most 2147483647 processors'
run 0 "$hsim" trace generate -q -o s0.swf --jobs 50 --nodes 8
run 0 "$hsim" trace generate -q -o s1.swf --jobs 50 --nodes 8 --seed 1
same s0.swf s1.swf

# --- usage
run 0 "$hsim" trace --help
says out 'validate'
run 2 "$hsim" trace
run 2 "$hsim" trace valdate good.swf
says err 'did you mean validate?'
run 2 "$hsim" trace info
says err 'Which trace?'
run 2 "$hsim" trace info good.swf good.swf
run 2 "$hsim" trace convert good.swf
says err 'Where to?'
run 2 "$hsim" trace convert good.swf -o x --head -3
says err "--head is '-3'; a whole number, 0 or more, is due."
run 2 "$hsim" trace convert good.swf -o x --window-from tomorrow
says err "--window-from is 'tomorrow'; a time is due"
run 2 "$hsim" trace convert good.swf -o x --zero kep
says err 'did you mean keep?'
run 0 "$hsim" trace convert --help
says out '--window-from'

# --- files that are no traces: exit code 5 and a sentence, for every command
head -c 40 /dev/zero >zero.swf
: >empty.swf
echo '; nothing but this' >comments.swf
gzip -c good.swf | head -c 60 >cut.swf.gz
{
    gzip -c good.swf | head -c 30
    echo 'this is no gzip data any more, but it is long enough to be seen'
} >broken.swf.gz
echo '{"jobs": []}' >jobs.json
bad_file()
{
    local command
    for command in info validate "convert -o x.swf"; do
        # shellcheck disable=SC2086
        run 5 "$hsim" trace $command "$1"
        says err "$1: $2"
        [ ! -e x.swf ] && [ ! -e x.swf.part ] || fail 'a file was written'
    done
}
bad_file missing.swf 'cannot be opened: No such file or directory. Check the path'
bad_file . 'is a folder. Name the file inside it.'
bad_file zero.swf 'binary data (a zero byte at offset 0)'
bad_file empty.swf 'the file is empty (0 bytes)'
bad_file comments.swf 'holds no job, only 1 comment'
bad_file cut.swf.gz 'the gzip data break off'
bad_file broken.swf.gz 'the gzip data are broken'
# Line ends of old Macintoshes: nothing is lost in one long comment.
printf '; MaxProcs: 4\r1 0 -1 5 1 -1 -1 1 5 -1 1 -1 -1 -1 -1 -1 -1 -1\r' >mac.swf
printf '1 0 -1 5 1 -1 -1 1 5 -1 1 -1 -1 -1 -1 -1 -1 -1\r\n' >windows.swf
for command in info validate 'convert -o x.swf'; do
    # shellcheck disable=SC2086
    run 5 "$hsim" trace $command mac.swf
    says err 'mac.swf:1: the line ends with a carriage return (CR) alone'
    says err "tr '\\r' '\\n'"
done
run 0 "$hsim" trace validate windows.swf
# No descriptor left: the machine's fault, and nothing of the path.
code=0
(exec 3>&- 4>&- 5>&- 6>&- && ulimit -n 4 && exec "$hsim" trace convert good.swf -o y.swf) >out 2>err || code=$?
[ "$code" = 1 ] || fail "exit code $code without descriptors: $(cat err)"
says err 'good.swf: cannot be opened now: Too many open files'
if grep -q 'Check the path' err; then fail 'the path is blamed'; fi
run 5 "$hsim" trace info jobs.json
says err "jobs.json:1: field 1 (job number) is '{\"jobs\":'; a number is due"

# --- bad rows: counted with their lines, or errors if strict
{
    row 1 100
    echo '2 150 -1'
    row 3 160 ten
    row 4 -170
    row 5 1e99
    row 6 nan
    row 7 180
} >rows.swf
run 0 "$hsim" trace convert rows.swf -o rows2.swf
says err '5 unreadable, skipped (first: line 2, job 2: 3 fields; 18 are due)'
[ "$(grep -v '^;' rows2.swf | cut -d' ' -f1 | paste -sd' ')" = '1 7' ] || fail 'rows kept'
run 5 "$hsim" trace convert rows.swf -o x.swf --strict
says err 'rows.swf:2: 3 fields; 18 are due. Correct or remove this row'
run 5 "$hsim" trace validate rows.swf
says err 'rows.swf:2: error: job 2: 3 fields; 18 are due.'
says err "rows.swf:3: error: job 3: field 4 (run time) is 'ten'; a number is due."
says err "rows.swf:4: error: job 4: field 2 (submit time) is '-170'; 0 or more is due."
says err "rows.swf:5: error: job 5: field 2 (submit time) is '1e99'; that is too large."
says err "rows.swf:6: error: job 6: field 2 (submit time) is 'nan'; a number is due."
says err '5 rows that cannot be read'
says out 'rows.swf: 7 records, 2 jobs: 5 errors, 0 warnings'

# One of a kind is singular.
{
    row 1 100 0
    echo '2 150 -1'
} >one.swf
run 5 "$hsim" trace validate one.swf
says err '1 row that cannot be read'
says out '1 job of zero length'

# --- order, duplicate numbers, sizes, times
{
    row 1 100
    row 2 50
    row 2 110 0
    row 4 120 30 20
    row 5 130 10 -1
} >kinds.swf
run 5 "$hsim" trace validate kinds.swf --machine 1
says err 'kinds.swf:3: error: job 2: job number 2 was used in line 2 already.'
says out 'kinds.swf:2: warning: job 2: submit time lies before'
says out 'kinds.swf:3: warning: job 2: run time 0: kept.'
says out 'kinds.swf:4: warning: job 4: run time 30 s, request 20 s: killed at the request.'
says out 'kinds.swf:5: warning: job 5: no requested time (field 9): the run time stands in.'
says out 'kinds.swf:1: warning: job 1: 2 processors, the machine has 1: rejected.'
says out 'kinds.swf: 5 records, 5 jobs: 1 error, 9 warnings'
run 5 "$hsim" trace validate kinds.swf --sort-window 0
says err 'kinds.swf:2: error: job 2: submit time 50 s after jobs submitted at 100 s.'
says err 'sort -s -n -k 2,2'
run 5 "$hsim" trace convert kinds.swf -o x.swf --sort-window 0
says err 'kinds.swf:2: job 2 was submitted at 50 s'
run 0 "$hsim" trace convert -q kinds.swf -o - --overrun extend --zero drop --estimate-missing 1h
[ "$(grep -v '^;' out | cut -d' ' -f1,2,4,9 | paste -sd' ')" = \
    '2 50 10 20 1 100 10 20 4 120 30 30 5 130 10 3600' ] || fail 'rules'
run 0 "$hsim" trace validate good.swf -W
run 5 "$hsim" trace validate g1.swf -W --machine 2

echo 'trace.sh: all as expected'
