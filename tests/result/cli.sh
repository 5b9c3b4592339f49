#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# cli.sh - hsim inspect and hsim export on a run of seven jobs that is worked out by hand.
#
# usage: cli.sh HSIM
set -eu
export LC_ALL=C
hsim=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'cli.sh: %s\n' "$*" >&2
    exit 1
}

# expect CODE COMMAND...: the exit code; output in out and err.
expect()
{
    local code=$1 found=0

    shift
    "$@" >out 2>err || found=$?
    [ "$found" -eq "$code" ] || { cat out err >&2 && die "exit code $found, not $code: $*"; }
}

# says FILE TEXT...: all texts are in the file.
says()
{
    local file=$1 text

    shift
    for text in "$@"; do
        grep -qF -- "$text" "$file" || { cat "$file" >&2 && die "$file does not say: $text"; }
    done
}

# Four processors. Job 2 is killed at its request, 3 comes back with the number 1 and is too
# large, 4 overtakes 3, 5 is cancelled while it waits, 6 has a length of 0.5 s.
cat >trace.swf <<'END'
; UnixStartTime: 1000
1 0 -1 10 4 -1 -1 4 20 -1 1 3 1 7 1 -1 -1 -1
2 1 -1 9 2 -1 -1 2 5 -1 1 4 1 7 1 -1 -1 -1
1 2 -1 9 9 -1 -1 9 9 -1 1 3 1 7 1 -1 -1 -1
3 3 -1 20 4 -1 -1 4 30 -1 1 3 1 7 1 -1 -1 -1
4 4 -1 5 2 -1 -1 2 5 -1 1 4 1 7 1 -1 -1 -1
5 5 2 -1 1 -1 -1 1 5 -1 5 4 1 7 1 -1 -1 -1
6 40 -1 0.5 1 -1 -1 1 1 -1 1 -1 1 7 1 -1 -1 -1
END
cat >e.yaml <<'END'
hsim: 1
platform: {nodes: 4, cores: 1}
workload: trace.swf
policy: easy
END
"$hsim" run e.yaml -q -o r.h5

expect 0 "$hsim" export r.h5 --to csv
diff - out <<'END'
trace_id,user,procs,submit,start,end,runtime,req_time,state,wait,turnaround,bsld
1,3,4,0,0,10,10,20,finished,0,10,1
2,4,2,1,10,15,5,5,killed,9,14,1.4
1,3,9,2,-1,-1,9,9,rejected,nan,nan,nan
3,3,4,3,15,35,20,30,finished,12,32,1.6
4,4,2,4,10,15,5,5,finished,6,11,1.1
5,4,1,5,-1,7,-1,5,cancelled,nan,nan,nan
6,-1,1,40,40,40.5,0.5,1,finished,0,0.5,1
END
expect 0 "$hsim" export r.h5 --to csv --columns id,hosts,measured,slowdown
diff - out <<'END'
id,hosts,measured,slowdown
0,0-3,1,1
1,0-1,1,2.8
2,,0,nan
3,0-3,1,1.6
4,2-3,1,2.2
5,,0,nan
6,0,1,1
END
expect 0 "$hsim" export r.h5 --to csv --table allocations --columns job,first_node,node_count,end
diff - out <<'END'
job,first_node,node_count,end
0,0,4,10
1,0,2,15
4,2,2,15
3,0,4,35
6,0,1,40.5
END
expect 0 "$hsim" export r.h5 --to csv --table allocations
diff - out <<'END'
job,trace_id,first_node,node_count,tasks_per_node,cores_milli,start,end
0,1,0,4,1,1000,0,10
1,2,0,2,1,1000,10,15
4,4,2,2,1,1000,10,15
3,3,0,4,1,1000,15,35
6,6,0,1,1,1000,40,40.5
END
expect 0 "$hsim" export r.h5 --to csv --table allocations --columns trace_id,start
diff - out <<'END'
trace_id,start
1,0
2,10
4,10
3,15
6,40
END
expect 2 "$hsim" export r.h5 --to csv --table allocations --columns trac_id
says err "did you mean 'trace_id'?"
expect 0 "$hsim" export r.h5 --to csv --table series --columns time,alloc_milli,util_cores,queue,backlog
diff - out <<'END'
time,alloc_milli,util_cores,queue,backlog
0,4000,1,0,0
1,4000,1,1,2
3,4000,1,2,6
4,4000,1,3,8
5,4000,1,4,9
7,4000,1,3,8
10,4000,1,1,4
15,4000,1,0,0
35,0,0,0,0
40,1000,0.25,0,0
40.5,0,0,0,0
END
expect 0 "$hsim" export r.h5 --to csv --table summary
says out 'name,value,unit,n' 'jobs,7,jobs,7' 'finished,4,jobs,7' 'wait_mean_s,5.4000000000000004,s,5' \
    'makespan_s,40.5,s,7'

expect 0 "$hsim" export r.h5 --to batsim
diff - out <<'END'
job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,metadata
1,w0,delay,0.000000,4,20.000000,1,COMPLETED_SUCCESSFULLY,0.000000,10.000000,10.000000,0.000000,10.000000,1.000000,0-3,-1.000000,""
2,w0,delay,1.000000,2,5.000000,0,COMPLETED_WALLTIME_REACHED,10.000000,5.000000,15.000000,9.000000,14.000000,2.800000,0-1,-1.000000,""
1,w0,delay,2.000000,9,9.000000,0,REJECTED,-1.000000,-1.000000,-1.000000,-1.000000,-1.000000,-1.000000,,-1.000000,""
3,w0,delay,3.000000,4,30.000000,1,COMPLETED_SUCCESSFULLY,15.000000,20.000000,35.000000,12.000000,32.000000,1.600000,0-3,-1.000000,""
4,w0,delay,4.000000,2,5.000000,1,COMPLETED_SUCCESSFULLY,10.000000,5.000000,15.000000,6.000000,11.000000,2.200000,2-3,-1.000000,""
5,w0,delay,5.000000,1,5.000000,0,COMPLETED_KILLED,-1.000000,-1.000000,7.000000,-1.000000,-1.000000,-1.000000,,-1.000000,""
6,w0,delay,40.000000,1,1.000000,1,COMPLETED_SUCCESSFULLY,40.000000,0.500000,40.500000,0.000000,0.500000,1.000000,0,-1.000000,""
END

# The schedule as a trace: its replay starts every job when it started.
expect 0 "$hsim" export r.h5 --to swf -o s.swf
says s.swf '; UnixStartTime: 1000' '; MaxProcs: 4' '2 1 9 5 2 -1 -1 2 5 -1 0 4 1 7 1 -1 -1 -1' \
    '5 5 2 -1 -1 -1 -1 1 5 -1 5 4 1 7 1 -1 -1 -1' '6 40 0 0.5 1 -1 -1 1 1 -1 1 -1 1 7 1 -1 -1 -1'
"$hsim" run e.yaml -q -o s.h5 --set workload=s.swf
"$hsim" export r.h5 --to csv --columns trace_id,start,end | grep -v ',-1,-1$' >a
"$hsim" export s.h5 --to csv --columns trace_id,start,end | grep -v ',-1,-1$' >b
diff a b

expect 0 "$hsim" inspect r.h5
says out 'policy easy, complete' 'trace.swf (swf, 7 records)' '4 nodes, 4 cores' \
    '7: 4 finished, 1 killed, 1 cancelled, 1 rejected, 0 unfinished; 5 measured' \
    'makespan     40.5 s, 444.4 jobs per hour' 'wait              5.4 s'
expect 0 "$hsim" inspect r.h5 --json
says out '"policy": "easy"' '"cores": 4' '"wait_mean_s": 5.4,' '"makespan_s": 40.5,' '"seed": 1'
expect 0 "$hsim" inspect r.h5 --check
says out "Little's law     holds" 'residual 0' 'nodes            holds'
if grep -E 'FAILS|skipped' out; then die 'a check does not hold'; fi

expect 0 "$hsim" inspect r.h5 --job 4
diff - out <<'END'
Job 4 (number 4 of the workload, user 4) asked for 2 processors and 5 s.
It was submitted at 4 s. Then 2 jobs waited before it, for 6 processors, and 1 ran.
It started at 10 s, after a wait of 6 s on nodes 2-3.
It ended at 15 s after a run of 5 s: finished.
END
expect 0 "$hsim" inspect r.h5 --job 3
says out 'It started at 15 s, after a wait of 12 s on nodes 0-3; 1 job that came later had started before it.'
expect 0 "$hsim" inspect r.h5 --job 2
says out 'It ended at 15 s after a run of 5 s: killed, because its requested time was over.'
expect 0 "$hsim" inspect r.h5 --job 5
says out 'It was cancelled at 7 s while it waited, after 2 s.'
expect 0 "$hsim" inspect r.h5 --job 6
says out 'It started at once on node 0.'
expect 0 "$hsim" inspect r.h5 --job 1
says out 'Job 1 (number 0 of the workload, user 3) asked for 4 processors' 'It started at once' \
    'Job 1 (number 2 of the workload, user 3) asked for 9 processors' 'and rejected'

# Wrong use: exit code 2 and a remedy.
expect 2 "$hsim" inspect r.h5 --job 99
says err 'no job 99' '--columns trace_id'
expect 2 "$hsim" inspect r.h5 --job x
expect 2 "$hsim" inspect
expect 2 "$hsim" export r.h5
says err '--to is missing'
expect 2 "$hsim" export r.h5 --to csw
says err 'csv, json, sqlite, perfetto, swf or batsim' "Did you mean 'csv'?"
expect 2 "$hsim" export r.h5 --to csv --columns trace_id,strat
says err "no column 'strat'; did you mean 'start'?" 'It has: id, trace_id, user' 'hosts'
expect 2 "$hsim" export r.h5 --to csv --table sereis
says err "Did you mean 'series'?"
expect 2 "$hsim" export r.h5 --to swf --columns id
expect 2 "$hsim" export r.h5 --to csv -o s.swf
says err 's.swf: the file exists already' '--force'
expect 0 "$hsim" export r.h5 --to csv -o s.swf --force
expect 1 "$hsim" export r.h5 --to csv -o no/such/x.csv
says err 'no/such" does not exist' 'Create it'
[ ! -e s.swf.part ] || die 's.swf.part was left behind'

# Files that are no results: exit code 5.
for command in inspect 'export --to csv'; do
    # shellcheck disable=SC2086 # the options are words
    for file in none.h5 trace.swf cut.h5 r.h5.part .; do
        [ $file != cut.h5 ] || head -c 5000 r.h5 >cut.h5
        [ $file != r.h5.part ] || cp r.h5 r.h5.part
        expect 5 "$hsim" $command $file
        says err "hsim: error: $file: "
    done
done

# What is no regular file is not waited for.
mkfifo pipe
for file in pipe /dev/zero; do
    for command in inspect 'export --to csv' 'run --verify'; do
        # shellcheck disable=SC2086 # the options are words
        expect 5 timeout 20 "$hsim" $command $file
        says err "hsim: error: $file: this is no regular file"
    done
done

# Damage in a dataset: the numbers contradict each other, the packed bytes cannot be unpacked, the
# experiment inside is none. Never a crash, never another exit code.
"$hsim" run e.yaml -q -o d.h5 --set output.compression=none
# damage FILE PATTERN BYTES: the bytes take the place of those that begin with the pattern.
damage()
{
    local at

    at=$(LC_ALL=C grep -aboP -m 1 -- "$2" "$1" | head -n 1 | cut -d: -f1)
    [ -n "$at" ] || die "$1 has no bytes $2"
    printf '%b' "$3" | dd of="$1" bs=1 seek="$at" conv=notrunc status=none
}
# The end of job 6, 40.5 s, as 64-bit nanoseconds becomes another.
cp d.h5 numbers.h5
damage numbers.h5 '\x00\xf5\xfc\x6d\x09\x00\x00\x00' '\001'
expect 5 "$hsim" inspect numbers.h5 --check
says err 'numbers.h5: ' 'not hold. The file was changed or damaged'
cp d.h5 config.h5
damage config.h5 'hsim: 1' 'h\001im'
expect 5 "$hsim" run --verify config.h5
says err 'config.h5: the experiment inside cannot be read' 'run the experiment again'
found=0
size=$(stat -c %s r.h5)
for at in $(seq 40 $((size / 60)) "$size"); do
    cp r.h5 packed.h5
    printf '\125\252\125\252\125\252\125\252' | dd of=packed.h5 bs=1 seek="$at" conv=notrunc status=none
    for command in inspect 'inspect --check' 'export --to csv' 'export --to csv --table allocations' 'run --verify'; do
        code=0
        # HDF5 loses memory of its own when a checksum is wrong; that is no leak of hsim.
        # shellcheck disable=SC2086 # the options are words
        ASAN_OPTIONS=detect_leaks=0 "$hsim" $command packed.h5 >out 2>err || code=$?
        [ "$code" -eq 0 ] || [ "$code" -eq 5 ] || die "byte $at, $command: exit code $code: $(cat err)"
        [ "$code" -eq 0 ] || found=$((found + 1))
    done
done
[ "$found" -ge 20 ] || die "damage was seen only $found times"

# Help that cannot be written is a failure of every command; wrong use has one style.
for command in run inspect export 'trace info' 'trace validate' 'trace convert' 'trace generate' 'platform show' \
    'policies list' 'policies show' 'policies new' 'policies test' init sweep compare plot completion man \
    validate explain schema version; do
    # shellcheck disable=SC2016,SC2086 # the inner shell expands them; the command is words
    {
        expect 1 sh -c '"$@" >/dev/full' sh "$hsim" $command --help
        says err 'hsim: error: Standard output cannot be written: No space left on device'
        expect 1 sh -c '"$@" >/dev/full' sh "$hsim" $command --usage
        expect 0 "$hsim" $command --usage
        says out "Usage: hsim $command"
        expect 2 "$hsim" $command --no-such-option
        says err "hsim: error: unrecognized option '--no-such-option'" "Try \`hsim $command --help'"
    }
done
expect 2 "$hsim" run
says err 'hsim: error: Which one? Name an experiment'
expect 2 "$hsim" version more
says err "hsim: error: Too many arguments: 'more'."

# A full disk and a closed pipe.
# shellcheck disable=SC2016 # the inner shell expands them
{
    expect 1 sh -c '"$1" export r.h5 --to csv >/dev/full' sh "$hsim"
    says err 'Standard output cannot be written: No space left on device'
    expect 0 sh -c '"$1" export r.h5 --to csv | head -n 1 >/dev/null' sh "$hsim"
}

# A run without series and allocations says what cannot be told.
"$hsim" run e.yaml -q -o n.h5 --set output.series=none --set output.allocations=false
expect 0 "$hsim" inspect n.h5 --check
says out 'series           skipped' 'allocations      skipped' "Little's law     holds"
expect 2 "$hsim" export n.h5 --to csv --columns id,hosts
says err 'no allocations' 'output: {allocations: true}'
expect 2 "$hsim" export n.h5 --to csv --table series
says err 'no table series' 'output: {series: events}'
expect 0 "$hsim" inspect n.h5 --job 4

# Results of earlier runs are not replaced.
expect 2 "$hsim" run e.yaml -q -o r.h5
says err 'r.h5' '--force'
expect 0 "$hsim" run e.yaml -q -o r.h5 --force
