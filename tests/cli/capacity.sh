#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# capacity.sh - nodes that leave and come back, by hand; and replays of recorded starts.
#
# usage: capacity.sh HSIM SOURCE
set -euo pipefail
export LC_ALL=C

hsim=$(realpath "$1")
source=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'capacity: %s\n' "$*"
    exit 1
}

# metric FILE NAME
metric()
{
    "$hsim" export "$1" --to csv --table summary | awk -F, -v name="$2" '$1 == name { print $2 }'
}

# schedule FILE: trace_id, start and end of each job, by id.
schedule()
{
    "$hsim" export "$1" --to csv --columns trace_id,start,end | tail -n +2 | sort -t, -n
}

# sound FILE: the checks hold and the run can be repeated.
sound()
{
    "$hsim" inspect --check "$1" >check.txt || die "$1: a check fails: $(grep -v holds check.txt)"
    "$hsim" run --verify "$1" >/dev/null || die "$1 cannot be verified"
}

# job ID SUBMIT RUN PROCS: a line of SWF; requests are run times.
job()
{
    printf '%s %s -1 %s %s -1 -1 %s %s -1 1 1 1 1 1 1 -1 -1\n' "$1" "$2" "$3" "$4" "$4" "$3"
}

# Four nodes. 0: two are away. 5: one of them comes. 10: node 0, on which job 1 runs, leaves. 40: all.
by_hand()
{
    { job 1 0 20 2; job 2 1 10 2; job 3 2 5 1; job 4 30 10 3; } >hand.swf
    printf 'time,nodes,state\n-7,2-3,down\n5,n2,up\n10,0,down\n40,all,up\n100,all,down\n' >hand.csv
    cat >hand.yaml <<'END'
hsim: 1
platform: {nodes: 4, cores: 1, availability: hand.csv}
workload: hand.swf
policies: [fcfs, first-fit, easy, conservative]
END
    "$hsim" run hand.yaml -o hand/ --quiet >/dev/null
    # 1 on 0 and 1. 2 waits for two nodes: 2 is there at 5, 1 at 20. 4 needs three: at 40. 3 overtakes
    # 2, but under fcfs.
    for rule in first-fit easy conservative; do
        schedule hand/$rule.h5 | sed 's/000000000//g' >found
        printf '1,0,20\n2,20,30\n3,5,10\n4,40,50\n' | diff - found || die "$rule decides otherwise"
        sound hand/$rule.h5
    done
    schedule hand/fcfs.h5 | sed 's/000000000//g' >found
    printf '1,0,20\n2,20,30\n3,30,35\n4,40,50\n' | diff - found || die "fcfs decides otherwise"
    sound hand/fcfs.h5
    # Available, in core seconds: 2 x 5, 3 x 5, 3 x 10 (one has left and is still held), 2 x 20,
    # 4 x 10: 135. Held: 40, 20, 5, 30: 95.
    [ "$(printf '%.9f' "$(metric hand/fcfs.h5 avail_core_h)")" = 0.037500000 ] ||
        die "$(metric hand/fcfs.h5 avail_core_h) core hours are available, not 135 core seconds"
    [ "$(printf '%.9f' "$(metric hand/fcfs.h5 util_avail)")" = 0.703703704 ] ||
        die "util_avail is $(metric hand/fcfs.h5 util_avail), not 95 / 135"
    # Jobs that nobody can start any more.
    { job 1 0 20 2; job 2 1 10 4; } >stall.swf
    printf 'time,nodes,state\n5,3,down\n' >stall.csv
    if "$hsim" run hand.yaml -o stall.h5 --set workload=stall.swf --set platform.availability=stall.csv \
        --set 'policies=[easy]' >out 2>&1; then
        die "a run without an end ends well"
    fi
    grep -q '1 of 4 nodes are away' out || die "the stall is not explained: $(cat out)"
}

# A schedule, exported with its starts and replayed, is the same job by job.
replayed()
{
    "$hsim" trace generate --jobs 2000 --nodes 64 --seed 5 -o made.swf >/dev/null
    cat >made.yaml <<'END'
hsim: 1
platform: {nodes: 64, cores: 1}
workload: made.swf
policy: wfp3-easy
END
    "$hsim" run made.yaml -o made.h5 --quiet >/dev/null
    "$hsim" export made.h5 --to swf >history.swf
    "$hsim" run made.yaml -o again.h5 --set workload=history.swf --set policy=recorded \
        >notes 2>&1
    diff <(schedule made.h5) <(schedule again.h5) >/dev/null || die "a replayed schedule differs"
    ! grep -q later notes || die "$(cat notes)"
    sound again.h5
    # On fewer nodes some are late, and the counts say so.
    less=(--set workload=history.swf --set policy=recorded --set platform.nodes=60
        --set workload.oversized=clamp)
    "$hsim" run made.yaml -o less.h5 "${less[@]}" --json >less.json
    "$hsim" run made.yaml -o less.h5 "${less[@]}" --force >notes 2>&1
    late=$(grep -o '"late_starts": [0-9]*' less.json | grep -o '[0-9]*')
    counted=$(join -t, <(schedule made.h5 | sort -t, -k1,1) <(schedule less.h5 | sort -t, -k1,1) |
        awk -F, '$4 > $2 { n++ } END { print n + 0 }')
    [ "$late" -gt 0 ] && [ "$late" = "$counted" ] || die "$late late starts, but $counted jobs are late"
    grep -q "^recorded: $late jobs started later than recorded: job" notes || die "no late start is told"
    # Without starts: first come, first fit; or rejected.
    "$hsim" run made.yaml -o none.h5 --set policy=recorded >notes 2>&1
    grep -q '^recorded: 2000 jobs have no recorded start' notes || die "missing starts are not told"
    "$hsim" run made.yaml -o fit.h5 --set policy=first-fit --quiet >/dev/null
    diff <(schedule none.h5) <(schedule fit.h5) >/dev/null || die "unrecorded jobs are no first fit"
    "$hsim" run made.yaml -o no.h5 --set 'policy={name: recorded, rejects_unknown: true}' --quiet \
        >/dev/null 2>&1
    [ "$(metric no.h5 rejected)" = 2000 ] || die "unrecorded jobs are not rejected"
}

# A published trace: the mean wait is its own, where there was room; one start of it contradicts.
published()
{
    local trace=${HSIM_SHARED:-$source/../shared}/data/swf

    if [ ! -r "$trace/sdsc_sp2.swf.gz" ] || [ ! -r "$trace/hpc2n.swf.gz" ]; then
        printf 'skipped: no traces in %s (set HSIM_SHARED)\n' "$trace"
        return
    fi
    for case in sdsc_sp2:128:6 hpc2n:240:0; do
        IFS=: read -r name nodes late <<<"$case"
        own=$(zcat "$trace/$name.swf.gz" | awk -v late="$late" '!/^;/ { s += $3; n++ }
            END { printf "%.6f", (s + late) / n }')
        "$hsim" run made.yaml -o "$name.h5" --set workload="$trace/$name.swf.gz" \
            --set policy=recorded --set platform.nodes="$nodes" --quiet >/dev/null 2>&1
        found=$(printf '%.6f' "$(metric "$name.h5" wait_mean_s)")
        [ "$own" = "$found" ] || die "$name waits $own s on average, replayed $found s"
    done
}

by_hand
replayed
published
printf 'capacity: all is well\n'
