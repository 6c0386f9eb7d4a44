#!/usr/bin/env bash
# A small run to its end on a real scheduler on this machine, with a worker that is killed and comes back.
# Usage: scripts/check_schedulers.sh ray|slurm PATH_TO_OUTFLANK
#   ray    needs the Python package ray, for the `python3` and `ray` of the PATH
#   slurm  needs root and the Debian packages slurm-wlm and munge; starts daemons of its own
set -euo pipefail
scheduler=${1:?usage: scripts/check_schedulers.sh ray|slurm PATH_TO_OUTFLANK}
outflank=$(realpath "${2:?usage: scripts/check_schedulers.sh ray|slurm PATH_TO_OUTFLANK}")
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
run=$scratch/run config=$scratch/tiny.toml
sed -e 's/^generations = .*/generations = 12/' -e 's/^simulations = .*/simulations = 64/' "$here/../configs/4x4.toml" > "$config"

start_ray() {
    # On a machine with other work, Ray's usual niceness starves its tasks.
    export RAY_worker_niceness=0
    ray start --head --num-cpus=6 --include-dashboard=false --temp-dir="$scratch/ray" --disable-usage-stats > "$scratch/ray.log"
    python3 "$here/ray_launch.py" --run "$run" --config "$config" --outflank "$outflank" \
        --workers 2-3 --cpus 1 --trainer-cpus 1 --look 2 > "$scratch/launch.log" 2>&1 &
    launcher=$!
}
finish_ray() { wait "$launcher" || { tail -n 40 "$scratch/launch.log"; return 1; }; tail -n 5 "$scratch/launch.log"; }
stop_ray() {
    kill "$launcher" 2>/dev/null || true
    ray stop --force || true
}

start_slurm() {
    export SLURM_CONF=$scratch/slurm.conf OUTFLANK=$outflank
    local host
    host=$(hostname -s)
    mkdir "$scratch/state" "$scratch/spool"
    chmod 755 "$scratch"
    dd if=/dev/urandom of="$scratch/munge.key" bs=1024 count=1 status=none
    chmod 600 "$scratch/munge.key"
    munged --force --key-file="$scratch/munge.key" --socket="$scratch/munge.socket" --pid-file="$scratch/munged.pid" \
        --log-file="$scratch/munged.log" --seed-file="$scratch/munge.seed"
    cat > "$SLURM_CONF" <<CONF
ClusterName=check
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$scratch/munge.socket,cred_expire=5
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
    echo 'CgroupPlugin=cgroup/v1' > "$scratch/cgroup.conf"
    slurmctld -i
    slurmd || { tail -n 5 "$scratch"/slurmd.log; return 1; }
    for _ in $(seq 60); do sinfo --noheader --format=%t 2>/dev/null | grep -q idle && break; sleep 1; done
    sinfo
    (cd "$scratch" && WORKER_OPTIONS=--cpus-per-task=1 EVALUATOR_OPTIONS=--cpus-per-task=1 \
        "$here/slurm/submit.sh" "$run" "$config" 2 2)
}
finish_slurm() {
    for _ in $(seq 300); do
        [ -z "$(squeue --noheader)" ] && break
        sleep 1
    done
    squeue
    [ -z "$(squeue --noheader)" ] || { tail -n 20 "$scratch"/*.log; return 1; }
    grep -h 'at start' "$scratch"/worker-*.log
    tail -n 3 "$scratch"/evaluator-*.log
}
stop_slurm() {
    scancel --quiet --user=root 2>/dev/null || true
    for daemon in slurmd slurmctld munged; do
        [ -f "$scratch/$daemon.pid" ] && kill "$(cat "$scratch/$daemon.pid")" 2>/dev/null || true
    done
}

cleanup() {
    "stop_$scheduler" >/dev/null 2>&1
    rm -rf "$scratch" 2>/dev/null || { sleep 2; rm -rf "$scratch"; }
}
trap cleanup EXIT

# Waits for so many models.
models() {
    for _ in $(seq 1200); do
        [ "$(ls "$run/log" 2>/dev/null | grep -vc '#')" -ge "$1" ] && return
        sleep 0.1
    done
    tail -n 20 "$scratch"/*.log >&2
    echo "model $(($1 - 1)) was not made within two minutes" >&2
    return 1
}

"start_$scheduler"
models 3
worker=$(pgrep -f "^$outflank selfplay .*$run" | head -n 1)
name=$(tr '\0' ' ' < "/proc/$worker/cmdline" | sed 's/.*--worker \([^ ]*\).*/\1/')
kill -9 "$worker"
echo "-- killed worker $name, process $worker"
for _ in $(seq 600); do
    again=$(pgrep -f "^$outflank selfplay .*--worker $name( |$)" | head -n 1 || true)
    [ -n "$again" ] && [ "$again" != "$worker" ] && break
    sleep 0.1
done
[ -n "$again" ] || { echo "worker $name did not come back" >&2; exit 1; }
echo "-- worker $name is back as process $again"
"finish_$scheduler"
models 13
"$outflank" inspect "$run" --audit | tail -n 5
