# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cluster.sh - a real Slurm on this machine, for one test: sourced, not run.
#
#   slurm_start           starts munged, slurmctld and three slurmd (n1 to n3, four processors each);
#                         or says why it cannot, and ends the test as skipped (77)
#   slurm_kill NODE       kill -9 of a node's slurmd and of all that it has started
#   slurm_revive NODE     starts the slurmd of a node again, as a machine that comes back
#   slurm_stop            stops all of it
#
# Everything lies in a folder of its own: keys, sockets, pid files, logs. Ports are ones that nobody
# uses, so that several clusters can be up side by side. Neither systemd nor a database is needed. Processes are
# ended by their pid files, never by name. A node that falls silent is down after about 15 s.

SLURM_NODES=(n1 n2 n3)
slurm_folder=

slurm_skip()
{
    printf 'skipped: %s\n' "$*"
    exit 77
}

# slurm_wait SECONDS COMMAND...: until it succeeds, looking ten times a second; false if it does not.
slurm_wait()
{
    local tries=$(($1 * 10))

    shift
    while ! "$@"; do
        [ $((tries -= 1)) -gt 0 ] || return 1
        sleep 0.1
    done
}

# slurm_ports COUNT: that many ports which are free now.
slurm_ports()
{
    python3 - "$1" <<'PYTHON'
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in sockets:
    one.bind(("", 0))
print(*(one.getsockname()[1] for one in sockets))
PYTHON
}

slurm_write_config()
{
    local folder=$1 host index
    local -a ports

    host=$(hostname -s)
    read -ra ports < <(slurm_ports $((${#SLURM_NODES[@]} + 1)))
    echo 'CgroupAutomount=no' >"$folder/cgroup.conf"
    {
        cat <<CONFIG
ClusterName=hsim-test-$$
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket,cred_expire=5
CryptoType=crypto/munge
StateSaveLocation=$folder/state
SlurmctldPidFile=$folder/slurmctld.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdPidFile=$folder/%n.pid
SlurmdSpoolDir=$folder/spool/%n
SlurmdLogFile=$folder/%n.log
SlurmdParameters=config_overrides
SlurmdTimeout=5
ReturnToService=2
KillWait=2
BatchStartTimeout=1
MessageTimeout=2
MinJobAge=10
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=0,sched_interval=1
MaxArraySize=${SLURM_MAX_ARRAY_SIZE-1001}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONFIG
        for index in "${!SLURM_NODES[@]}"; do
            printf 'NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=4 RealMemory=4000\n' \
                "${SLURM_NODES[index]}" "$host" "${ports[index + 1]}"
        done
    } >"$folder/slurm.conf"
}

# slurm_have STATE COUNT: are there that many nodes in that state?
slurm_have()
{
    [ "$(sinfo --noheader --Node --format=%T 2>/dev/null | grep -cx "$1")" -eq "$2" ]
}

# slurm_end FILE: ends the process of a pid file. All that a daemon would still write is thrown away.
slurm_end()
{
    if [ -s "$1" ]; then
        kill -KILL "$(cat "$1")" 2>/dev/null || true
    fi
}

# slurm_processes NODE: ids of all that runs on a node on behalf of jobs of this cluster: what was given
# the cluster's configuration and the node's name, and the slurmstepd above it.
slurm_processes()
{
    python3 - "SLURM_CONF=$slurm_folder/slurm.conf" "SLURMD_NODENAME=$1" <<'PYTHON'
import os, sys
wanted = {word.encode() for word in sys.argv[1:]}
steps, scripts = set(), set()
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        words = set(open(f"/proc/{pid}/environ", "rb").read().split(b"\0"))
        parent = int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1])
        name = open(f"/proc/{parent}/comm").read() if parent > 1 else ""
    except OSError:
        continue  # it has ended, or is none of ours
    if wanted <= words:
        scripts.add(int(pid))
        if name.startswith("slurmstepd"):
            steps.add(parent)
# Those first that would tell of the death of the others.
print(*steps, *(scripts - steps), sep="\n")
PYTHON
}

slurm_start()
{
    local program node

    [ "$(id -u)" -eq 0 ] || slurm_skip 'a private Slurm can be started by root only'
    for program in munged slurmctld slurmd sbatch python3; do
        command -v "$program" >/dev/null || slurm_skip "there is no $program here"
    done
    slurm_folder=$(mktemp -d)
    # munged wants a folder that nobody else can write to and all can reach.
    chmod 755 "$slurm_folder"
    mkdir -p "$slurm_folder"/{munge,state,spool}
    (umask 077 && head -c 128 /dev/urandom >"$slurm_folder/munge/key")
    slurm_write_config "$slurm_folder"
    export SLURM_CONF=$slurm_folder/slurm.conf
    munged --socket="$slurm_folder/munge/socket" --key-file="$slurm_folder/munge/key" \
        --pid-file="$slurm_folder/munge/pid" --log-file="$slurm_folder/munge/log" \
        --seed-file="$slurm_folder/munge/seed" || slurm_fail 'munged does not start'
    slurmctld -c || slurm_fail 'slurmctld does not start'
    for node in "${SLURM_NODES[@]}"; do
        slurmd -N "$node" || slurm_fail "slurmd of $node does not start"
    done
    slurm_wait 20 slurm_have idle "${#SLURM_NODES[@]}" || slurm_fail 'the nodes do not come up'
}

slurm_fail()
{
    printf 'slurm: %s\n' "$*"
    tail -n 20 "$slurm_folder"/*.log "$slurm_folder"/munge/log 2>/dev/null
    exit 1
}

slurm_kill()
{
    local -a steps

    mapfile -t steps < <(slurm_processes "$1")
    kill -KILL "$(cat "$slurm_folder/$1.pid")" "${steps[@]}" 2>/dev/null || true
    rm -f "$slurm_folder/$1.pid"
}

slurm_revive()
{
    slurmd -N "$1" || slurm_fail "slurmd of $1 does not start again"
}

slurm_stop()
{
    local node pid

    [ -n "$slurm_folder" ] || return 0
    for node in "${SLURM_NODES[@]}"; do
        slurm_end "$slurm_folder/$node.pid"
        for pid in $(slurm_processes "$node"); do
            kill -KILL "$pid" 2>/dev/null || true
        done
    done
    slurm_end "$slurm_folder/slurmctld.pid"
    slurm_end "$slurm_folder/munge/pid"
    rm -rf "$slurm_folder"
    slurm_folder=
}
