#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# energy.sh - energy from the platform file to the table, the log and the checks, by hand.
#
# usage: energy.sh HSIM SOURCE
set -euo pipefail
export LC_ALL=C

hsim=$(realpath "$1")
platforms=$(realpath "$2")/platforms
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die()
{
    printf 'energy: %s\n' "$*"
    exit 1
}

# metric NAME: its value in r.h5.
metric()
{
    "$hsim" export r.h5 --to csv --table summary | awk -F, -v name="$1" '$1 == name { print $2 }'
}

expect()
{
    local found

    found=$(metric "$1")
    [ "$found" = "$2" ] || die "$1 is '$found', not $2"
}

# platform POWERS-OF-B: node a of four cores with a GPU, node b of one core.
platform()
{
    cat <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="site" routing="Full">
    <host id="a" speed="1Gf" core="4">
      <prop id="wattage_per_state" value="100:110:190"/> <prop id="wattage_off" value="10"/>
    </host>
    <host id="a:gpu0" speed="1Tf">
      <prop id="kind" value="gpu"/>
      <prop id="wattage_per_state" value="30:50:250"/> <prop id="wattage_off" value="5"/>
    </host>
    <host id="b" speed="1Gf" core="1"> $1 </host>
    <link id="pcie" bandwidth="32GBps" latency="500ns"/>
    <link id="net" bandwidth="1GBps" latency="1us"/>
    <route src="a" dst="a:gpu0"> <link_ctn id="pcie"/> </route>
    <route src="a" dst="b"> <link_ctn id="net"/> </route>
  </zone>
</platform>
END
}

experiment()
{
    printf 'hsim: 1\nplatform: p.xml\nworkload: t.swf\npolicy: fcfs\n%s\n' "$*" >e.yaml
}

run()
{
    "$hsim" run e.yaml --force -o r.h5 >table.txt || die "run: $?"
    "$hsim" inspect r.h5 --check >checks.txt || die "checks: $(cat checks.txt)"
}

platform '<prop id="wattage_per_state" value="40:90"/> <prop id="wattage_off" value="1"/>' >p.xml
# Job 1: 2 cores of a from 0 to 10 s; job 2: 3 cores from 5 s to 25 s: two of a, one of b.
printf '%d %d -1 %d %d -1 -1 %d 100 -1 1 1 1 1 1 1 -1 -1\n' 1 0 10 2 2  2 5 20 3 3 >t.swf

# Node a draws 150, 190, 150 W in 5, 5, 15 s; the GPU 30 W; node b 40 W, then 90 W for 20 s.
experiment
run
expect energy_total_j $((5 * 150 + 5 * 190 + 15 * 150 + 25 * 30 + 5 * 40 + 20 * 90))
expect energy_cpu_j $((5 * 150 + 5 * 190 + 15 * 150 + 5 * 40 + 20 * 90))
expect energy_gpu_j 750
expect energy_idle_j 950
expect energy_jobs_j 5750
expect power_peak_w 310
expect util_gpu 0
[ "$("$hsim" export r.h5 --to csv --columns trace_id,energy)" = "trace_id,energy
1,1225
2,4525" ] || die 'energy of the jobs'
grep -q 'energy .*power' table.txt || die "no energy in the table: $(cat table.txt)"
grep -q 'energy in time  *holds' checks.txt || die "checks: $(cat checks.txt)"
"$hsim" run e.yaml --force -o r.h5 --json >r.json || die 'json'
grep -q '"energy_total_j": 6700,' r.json || die "json: $(cat r.json)"
"$hsim" inspect r.h5 | grep -q 'charged to jobs' || die 'inspect'
"$hsim" export r.h5 --to csv --table series | sed -n 2,4p | cut -d, -f1,7 >series.csv
[ "$(cat series.csv)" = "0,220
5,310
10,270" ] || die "series: $(cat series.csv)"

# The other attributions, and half the load: a draws 130, 150, 130 W.
experiment 'energy: {attribution: proportional}'
run
expect energy_total_j 6700
expect energy_jobs_j $((10 * (55 + 40) + 20 * (55 + 40) + 20 * 90))
experiment 'energy: {load: 0.5, attribution: dynamic}'
run
expect energy_total_j $((5 * 130 + 5 * 150 + 15 * 130 + 750 + 5 * 40 + 20 * 65))
expect energy_jobs_j $((5 * 30 + 5 * 50 + 15 * 30 + 20 * 25))

# A GPU that two jobs share, of which one gets its second alternative: the GPU draws 150, 200, 100 W
# for 5 s each, node a 130, 150, 130 W, node b 40 W.
cat >jobs.csv <<'END'
id,submit,run,walltime,demand
1,0,10,20,cores=1 gpu=0.5
2,5,10,20,cores=9 gpu=1 or cores=1 gpu=0.25
END
printf 'hsim: 1\nplatform: p.xml\nworkload: jobs.csv\npolicy: fcfs\nenergy: {attribution: proportional}\n' >e.yaml
run
expect energy_total_j $((5 * (150 + 200 + 100) + 5 * (130 + 150 + 130) + 15 * 40))
expect energy_gpu_j 2250
expect util_gpu 0.5
[ "$("$hsim" export r.h5 --to csv --columns trace_id,energy,tasks,cores_milli)" = "trace_id,energy,tasks,cores_milli
1,1725,1,1000
2,1100,1,1000" ] || die 'energy of the jobs on a GPU'
[ "$("$hsim" export r.h5 --to csv --table device_allocations)" = "job,trace_id,device,share,start,end
0,1,0,500,0,10
1,2,0,250,5,15" ] || die 'device allocations'
"$hsim" inspect --job 2 r.h5 | grep -qxF 'It held device 0 (gpu of node 0), a share of 0.25.' || die "$("$hsim" inspect --job 2 r.h5)"
"$hsim" inspect r.h5 | grep -qF ' of nodes without their devices, 2.25 kJ of gpu' || die "$("$hsim" inspect r.h5)"

# Nodes, devices and energy as tables; the columns of powers and energies only where they are.
[ "$("$hsim" export r.h5 --to csv --table nodes --columns name,p_idle,energy,id)" = "name,p_idle,energy,id
a,100,2050,0
b,40,600,1" ] || die 'nodes'
[ "$("$hsim" export r.h5 --to csv --table devices --columns id,node,kind,group,p_busy,energy)" = "id,node,kind,group,p_busy,energy
0,0,gpu,-1,250,2250" ] || die "devices: $("$hsim" export r.h5 --to csv --table devices)"
[ "$("$hsim" export r.h5 --to csv --table energy)" = "kind,model,count,energy
cpu,,2,2650
gpu,gpu,1,2250" ] || die "energy: $("$hsim" export r.h5 --to csv --table energy)"
status=0
"$hsim" export r.h5 --to csv --table devices --columns id,modl >out 2>err || status=$?
[ "$status" -eq 2 ] || die "a column that is not there: exit code $status"
grep -qF "the table devices has no column 'modl'; did you mean 'model'? It has: id, node" err || die "$(cat err)"
[ "$("$hsim" export r.h5 --to csv --table series --columns time,power,shares_gpu,util_gpu)" = "time,power,shares_gpu,util_gpu
0,320,500,0.5
5,390,750,0.75
10,270,250,0.25
15,170,0,0" ] || die 'series of the GPU'
for word in 'devices  *holds' 'device shares  *holds' 'schedule digest  *holds'; do
    grep -q "$word" checks.txt || die "no '$word': $(cat checks.txt)"
done

# Every shipped platform says what it draws.
for file in "$platforms"/*.xml; do
    printf 'hsim: 1\nplatform: "%s"\nworkload: {generate: {jobs: 200}}\npolicy: easy\n' "$file" >e.yaml
    echo 'energy: always' >>e.yaml
    run
    for name in energy_total_j energy_jobs_j power_peak_w edp_js; do
        awk -v value="$(metric $name)" 'BEGIN { exit !(value > 0) }' || die "$file: no $name"
    done
done

# Nothing of energy where it is not wanted or not known.
experiment 'energy: never'
run
[ -z "$(metric energy_total_j)" ] || die 'never'
h5ls -r r.h5 2>/dev/null | grep -q '/energy' && die 'a table of energy'
[ "$("$hsim" export r.h5 --to csv --table nodes | head -1)" = id,name,cores_milli,mem,p_off,p_idle,p_context,p_busy ] ||
    die 'nodes without energy'
status=0
"$hsim" export r.h5 --to csv --table energy 2>err || status=$?
[ "$status" -eq 2 ] && grep -q 'no table energy: no energy was accounted' err || die "no energy: $status $(cat err)"
platform '' >p.xml
experiment
run
[ -z "$(metric energy_total_j)" ] || die 'unknown'
experiment 'energy: always'
"$hsim" run e.yaml --force -o r.h5 2>err.txt && die 'unknown power'
grep -q "does not say what node 'b' draws. Give the host" err.txt || die "$(cat err.txt)"
printf 'hsim: 1\nplatform: {nodes: 5}\nworkload: t.swf\npolicy: fcfs\nenergy: always\n' >e.yaml
"$hsim" run e.yaml --force -o r.h5 2>err.txt && die 'an inline platform'
grep -q 'says nothing of power. Name a platform file' err.txt || die "$(cat err.txt)"
printf 'energy: totals, jobs, series and checks are right\n'
