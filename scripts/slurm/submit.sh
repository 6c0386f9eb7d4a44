#!/usr/bin/env bash
# Submits a run to Slurm: a trainer, an array of workers, and evaluators that play its ladder when it is done.
# Usage: scripts/slurm/submit.sh RUN CONFIG [WORKERS [EVALUATORS]]
#   RUN     a bucket, or a folder on a file system that all nodes share
#   CONFIG  a preset, or a configuration file that all nodes see
# OUTFLANK is the program (default: from the PATH), OUTFLANK_ENV a file of credentials, see process.sbatch.
# WORKER_OPTIONS, TRAINER_OPTIONS and EVALUATOR_OPTIONS are further options of sbatch, such as
# TRAINER_OPTIONS='--partition=gpu --gres=gpu:1'; LEARN_OPTIONS, such as '--device cuda', go to the trainer.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,3s/^# //p' "$0"; exit 2; }
run=$1 config=$2 workers=${3:-8} evaluators=${4:-2}
folder=$(cd "$(dirname "$0")" && pwd)
OUTFLANK=$(command -v "${OUTFLANK:-outflank}")
export OUTFLANK

# submit NAME SBATCH_OPTIONS... -- ARGUMENTS...: prints the job's number
submit() {
    local name=$1 options=()
    shift
    while [ "$1" != -- ]; do options+=("$1") && shift; done
    shift
    # Only what the jobs need is handed over: an environment with credentials would be kept by Slurm.
    sbatch --parsable --job-name="$name" --output="$name-%A-%a.log" --export=PATH,HOME,OUTFLANK,OUTFLANK_ENV,OUTFLANK_STARTS \
        "${options[@]}" "$folder/process.sbatch" "$@"
}

threads='--cpus-per-task=2'
# shellcheck disable=SC2086 # options are words
trainer=$(submit trainer $threads ${TRAINER_OPTIONS:-} -- learn --run "$run" --config "$config" ${LEARN_OPTIONS:-})
array=--array=0-$((workers - 1))
submit worker "$array" $threads ${WORKER_OPTIONS:-} -- selfplay --run "$run" --config "$config" --worker 'slurm{}' >/dev/null
after=(--array=0-$((evaluators - 1)) --dependency=afterok:"$trainer")
submit evaluator "${after[@]}" $threads ${EVALUATOR_OPTIONS:-} -- ladder "$run" --shared --games 400 >/dev/null
echo "submitted: trainer $trainer, $workers workers, $evaluators evaluators; see squeue, and: outflank status $run --watch"
