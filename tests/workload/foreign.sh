#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# foreign.sh HSIM SHARED - lists of jobs of other systems on the command line: which format a file
# has, what it holds, conversion, and a run by a map of columns. With the shared samples, numbers are
# compared with what awk, sort and date make of the same files; without them that part is skipped.
set -euo pipefail

hsim=$1
shared=${HSIM_SHARED:-$2}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export TZ=UTC0

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

# same FILE FILE: equal bytes.
same()
{
    diff "$1" "$2" >err || fail "$1 and $2 differ"
}

# --- formats by the header, whatever is packed around it
cat >helios.csv <<'END'
job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
7,ua,vcA,16,32,2,COMPLETED,2020-04-01 00:00:05,2020-04-01 00:01:05,2020-04-01 00:01:15,10,60
8,ub,vcB,0,24,1,TIMEOUT,2020-04-01 00:00:06,2020-04-01 00:00:06,2020-04-01 00:00:16,10,0
9,uc,vcA,8,8,1,CANCELLED,2020-04-01 00:00:08,,2020-04-01 00:00:58,0,50
10,uc,vcA,1,4,1,FAILED,2020-04-01 00:00:09,2020-04-01 00:00:19,2020-04-01 00:00:29,30,10
END
gzip -k helios.csv
run 0 "$hsim" trace info helios.csv.gz
says out 'format           jobs of the Helios traces'
says out 'first submit     1585699205 s (2020-04-01 00:00:05 UTC)'
says out 'status           failed (0) 25.0 %, completed (1) 25.0 %, cancelled (5) 25.0 %, timeout (6) 25.0 %'
says out 'cancelled        1 (25.0 %), first in line 4: cancelled after waiting 50 s'
says out 'two run times    1 (25.0 %), first in line 5: duration 30 s, end - start 10 s: end - start counts'
says out 'recorded         3 jobs; at the most 32 processors and 16 devices at once'
says out 'machine          32 processors, 16 devices (the most that its own schedule held at once)'
says out 'recorded wait    min 0  p25 0  p50 10'
says out 'devices of a job min 1'
says out 'users            3: 2 = uc (50.0 %), 0 = ua (25.0 %), 1 = ub (25.0 %)'
says out 'queues           2: 0 = vcA (75.0 %), 1 = vcB (25.0 %)'
run 0 "$hsim" trace info helios.csv --zone +08:00 --duration column
says out 'first submit     1585670405 s (2020-03-31 16:00:05 UTC)'
says out 'end - start 10 s: duration counts'
run 2 "$hsim" trace info helios.csv --zone Beijing
says err "workload.zone is 'Beijing'"
run 0 "$hsim" trace info helios.csv --json
python3 -m json.tool out >pretty || fail 'no JSON'
says pretty '"peak_devices": 16,'
says pretty '"cancelled (5)": 1,'

# --- conversion keeps times, states, waits and demands
run 0 "$hsim" trace convert -q helios.csv -o jobs.csv
cat >expected <<'END'
id,submit,wait,run,walltime,demand,user,group,queue,partition,class,priority,status
7,1585699205,60,10,10,2x cores=16 gpu=8,0,,0,,,,1
8,1585699206,0,10,10,cores=24,1,,1,,,,6
9,1585699208,50,,,cores=8 gpu=8,2,,0,,,,5
10,1585699209,10,10,10,cores=4 gpu=1,2,,0,,,,0
END
same expected jobs.csv
run 5 "$hsim" trace convert -q helios.csv -o jobs.swf
says err 'job 7 asks for more than whole processors and memory'
run 0 "$hsim" trace convert -q jobs.csv -o again.csv
same expected again.csv

# --- a map of columns, in a file for `trace` and within an experiment
printf 'When;Ran;N;GPUs\n2024-01-01 10:00:00;1.5;2;1\n2024-01-01 09:00:00;1;1;0\n' >mine.csv
cat >map.yaml <<'END'
submit: When
duration: Ran h
cpus: N
gpus: GPUs
separator: ";"
END
run 0 "$hsim" trace info mine.csv --columns map.yaml
says out 'out of order     1 (50.0 %)'
says out 'work             4 processor-hours'
sed 's/Ran h/Run h/' map.yaml >wrong.yaml
run 5 "$hsim" trace info mine.csv --columns wrong.yaml
says err "mine.csv:1: the header has no column 'Run' (but 'Ran')."
echo 'submitt: When' >wrong.yaml
run 2 "$hsim" trace info mine.csv --columns wrong.yaml
says err "wrong.yaml:1:1: Unknown key 'submitt' in 'workload.columns'. Did you mean 'submit'?"
run 5 "$hsim" trace info mine.csv
says err 'the nearest is jobs (jobs as CSV), and lacks submit. If each row is a job, say which column'
{
    printf 'hsim: 1\nplatform: {nodes: 2, cores: 2}\npolicy: easy\noutput: {path: r.h5}\n'
    printf 'workload:\n  file: mine.csv\n  zone: "+01:00"\n  columns:\n'
    sed 's/^/    /' map.yaml
} >e.yaml
run 0 "$hsim" run e.yaml
says out "1 job asks for what the platform has not: line 2 job 1 (no node has a device of kind 'gpu')"
run 0 "$hsim" run --verify r.h5
run 0 "$hsim" export r.h5 --to csv -o -
says out ',1704096000,'

# --- PAI: the tables of tasks and of jobs, joined
printf 'b,ps,1.0,Terminated,110.0,160.0,600.0,1.5,0.0,\na,worker,2.0,Terminated,105.0,115.0,600.0,29.25,50.0,T4\n' >task.csv
printf 'a,i1,ua,Terminated,100.0,115.0\nb,i2,ub,Terminated,101.0,160.0\n' >job.csv
run 0 "$hsim" trace info --format pai task.csv
says out 'recorded wait    min 0'
LC_ALL=C sort -t, -k1,1 task.csv >task.sorted
LC_ALL=C sort -t, -k1,1 job.csv >job.sorted
LC_ALL=C join -t, task.sorted job.sorted | LC_ALL=C sort -s -t, -g -k14,14 >joined.csv
printf '{submit: "#14", user: "#12"}\n' >pai.yaml
run 0 "$hsim" trace convert -q --format pai --columns pai.yaml joined.csv --to jobs -o -
cat >expected <<'END'
id,submit,wait,run,walltime,demand,user,group,queue,partition,class,priority,status
1,100,5,10,10,2x cores=6 mem=29250MB gpu:T4=0.5,0,,,,0,,1
2,101,9,50,50,cores=6 mem=1500MB,1,,,,1,,1
END
same expected out

# --- Slurm is known by its first line
printf 'JobID|Submit|Start|End|NCPUS\n1|2024-01-01T00:00:00|2024-01-01T00:00:01|2024-01-01T00:00:02|4\n' >slurm.out
run 0 "$hsim" trace info slurm.out
says out 'format           accounting of Slurm (sacct -P)'

printf 'JobID|Submit|End|Start|End|NCPUS\n1|2|3|4|5|6\n' >slurm.out
run 5 "$hsim" trace info slurm.out
says err "slurm.out:1: the header has the column 'End' twice. Remove one of them."
{
    printf 'JobID|Submit'
    printf '|column%s' {a..z}{a..j}
    printf '\n'
} >slurm.out
run 5 "$hsim" trace info slurm.out
says err 'slurm.out:1: the header has more than 256 columns. Name those that are needed'

# --- a line that never ends is none of a list
run 5 "$hsim" trace info --format jobcomp /dev/zero
says err '/dev/zero:1: the line is longer than 1073741824 bytes.'

# --- out of order beyond the window: refused with a remedy, sorted with a larger window
{
    echo submit,run,cpus
    for i in 9 8 7 6 5 4 3 2 1; do echo "$i,1,1"; done
} >late.csv
printf '{submit: submit, duration: run, cpus: cpus}\n' >late.yaml
run 5 "$hsim" trace convert -q --columns late.yaml --sort-window 3 late.csv --to jobs -o -
says err 'Sort the rows by their submit times, or raise sort_window above 3.'
run 0 "$hsim" trace convert -q --columns late.yaml --sort-window 9 late.csv --to jobs -o -
[ "$(cut -d, -f2 out | tr '\n' ' ')" = 'submit 1 2 3 4 5 6 7 8 9 ' ] || fail 'not sorted'

if [ ! -d "$shared/data/slurm" ]; then
    echo "skipped: no samples in '$shared' (set HSIM_SHARED)"
    exit 77
fi
data=$shared/data

# --- Philly: every row, and the device time that the list itself has
philly=$data/philly/philly_sia_2000rows.csv
run 0 "$hsim" trace convert -q "$philly" -o philly.csv
tail -n +2 "$philly" | LC_ALL=C awk -F, '{
    cmd = $1; gsub(/[-:]/, " ", cmd)
    printf "%d,%d,%s\n", mktime(cmd), $2, $3 }' | LC_ALL=C sort -s -t, -n -k1,1 >expected
awk -F, 'NR > 1 {
    tasks = match($6, /^[0-9]+x /) ? $6 + 0 : 1
    printf "%d,%d,%s\n", $2, $4, tasks }' philly.csv >found
[ "$(wc -l <expected)" = 2000 ] || fail 'not 2000 rows'
same expected found
run 0 "$hsim" trace info --json "$philly"
hours=$(awk -F, 'NR > 1 { sum += $4 } END { printf "%.6f", sum / 3600 }' "$philly")
found=$(awk -F'[:,]' '/"device_hours"/ && !seen++ { printf "%.6f", $2 }' out)
[ "$hours" = "$found" ] || fail "$found device-hours, not $hours"

# --- Slurm: each job once, with start and end of the list, in both formats
for sample in sacct_sample sacct_all_sample; do
    run 0 "$hsim" trace convert -q "$data/slurm/$sample.txt" -o "$sample.csv"
    awk -F'|' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["JobID"] !~ /[.]/ {
            start = $at["Start"]; end = $at["End"]
            gsub(/[-T:]/, " ", start); gsub(/[-T:]/, " ", end)
            print $at["JobIDRaw"] "," mktime(start) "," mktime(end) }' \
        "$data/slurm/$sample.txt" | sort >expected
    awk -F, 'NR > 1 { print $1 "," $2 + $3 "," $2 + $3 + $4 }' "$sample.csv" | sort >found
    same expected found
done
same sacct_sample.csv sacct_all_sample.csv
jobcomp=$data/slurm/jobcomp_filetxt_sample.txt
run 0 "$hsim" trace info "$jobcomp"
says out "records          $(grep -c . "$jobcomp") in"
says out 'format           finished jobs of Slurm (jobcomp/filetxt)'
run 0 "$hsim" trace convert -q "$jobcomp" -o jobcomp.swf
sed -n 's/.*JobState=COMPLETED.* StartTime=\([^ ]*\) EndTime=\([^ ]*\) .*/\1 \2/p' "$jobcomp" |
    while read -r start end; do
        echo "$(date -u -d "${start/T/ }" +%s) $(date -u -d "${end/T/ }" +%s)"
    done | sort >expected
awk '!/^;/ && $11 == 1 { print $2 + $3, $2 + $3 + $4 }' jobcomp.swf | sort >found
same expected found

# --- what lists no jobs says what it lacks
for file in helios/Earth_gpu_number helios/helios_cluster_summary acme/cluster_summary acme/acme_power_util_quantiles; do
    run 5 "$hsim" trace info "$data/$file.csv"
    says err 'which is the header of no list of jobs that hsim knows; the nearest is'
done
run 5 "$hsim" trace info "$data/helios/helios_cluster_summary.csv"
says err 'helios (jobs of the Helios traces), and lacks job_id, vc, submit_time, duration.'

# --- a trace's own schedule: the most processors at once, by sorting starts and ends
hpc2n=$data/swf/HPC2N-2002-2.2-cln.swf.gz
run 0 "$hsim" trace info "$hpc2n"
peak=$(zcat "$hpc2n" | awk '!/^;/ && $3 >= 0 && $4 > 0 {
    run = $9 > 0 && $4 > $9 ? $9 : $4; procs = $8 > 0 ? $8 : $5
    print $2 + $3, 1, procs; print $2 + $3 + run, 0, -procs }' | LC_ALL=C sort -n -k1,1 -k2,2 |
    awk '{ now += $3; if (now > peak) peak = now } END { print peak }')
says out "at the most $peak processors at once"
