"""Runs the processes of one run on a Ray cluster: one trainer, and as many workers as it has use for.

Ray only starts processes of `outflank` and starts them again when they or their machines die; everything
that has to survive is in the run. While the trainer waits for games another worker is added, and while the
workers wait for the trainer one is taken away; with Ray's autoscaler, machines come and go with them.

Usage: ray_launch.py --run s3://bucket/runs/mine --config standard --outflank /opt/outflank --env-file /etc/outflank.env

The program and the file of credentials (lines NAME=VALUE, for buckets) are at these places on every machine:
credentials do not pass through Ray, which would show them.
"""

import argparse
import ctypes
import json
import os
import signal
import subprocess
import sys
import time


class Died(Exception):
    """A process ended that should not have; Ray runs its task again."""


def environment(path):
    lines = open(path).read().splitlines() if path else []
    pairs = (line.split("=", 1) for line in lines if line.strip() and not line.startswith("#"))
    return {**os.environ, **{name.strip(): value.strip() for name, value in pairs}}


def end_with_parent():
    """Lets Linux kill this process when the one that started it dies, even by SIGKILL."""
    set_death_signal = 1
    ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


def run_process(command, env_file):
    """Runs a command to its end; whatever ends this task ends the command too."""
    process = subprocess.Popen(command, env=environment(env_file), preexec_fn=end_with_parent)
    try:
        code = process.wait()
    finally:
        process.terminate()
        process.wait()
    # A worker that this script took away was told to stop.
    if code not in (0, -signal.SIGTERM, 128 + signal.SIGTERM):
        raise Died(f"{' '.join(command)} ended with code {code}")


def status(options):
    command = [options.outflank, "status", options.run, "--json"]
    answer = subprocess.run(command, env=environment(options.env_file), capture_output=True, text=True)
    return json.loads(answer.stdout) if answer.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", required=True, help="where the run is, for all machines: a bucket, or a shared folder")
    parser.add_argument("--config", required=True, help="a preset, or a file that every machine has")
    parser.add_argument("--outflank", default="outflank", help="the program, on every machine")
    parser.add_argument("--env-file", help="a file of credentials, on every machine")
    parser.add_argument("--workers", default="1-8", metavar="LEAST-MOST", help="how many workers (default 1-8)")
    parser.add_argument("--cpus", type=int, default=2, help="cores of a worker (default 2)")
    parser.add_argument("--trainer-cpus", type=int, default=2, help="cores of the trainer (default 2)")
    parser.add_argument("--gpu", action="store_true", help="train on a GPU, in a program built with cuda")
    parser.add_argument("--restarts", type=int, default=1000, help="how often a process is started again")
    parser.add_argument("--look", type=float, default=15, help="seconds between two looks at the run")
    options = parser.parse_args()
    try:
        import ray  # after the arguments: --help does not need it
    except ImportError as error:
        sys.exit(f"{error.name} is missing; expected: pip install ray")
    least, most = map(int, options.workers.split("-"))
    ray.init(address="auto")

    def submit(command, name, **resources):
        task = ray.remote(run_process).options(
            name=name, max_retries=options.restarts, retry_exceptions=[Died], **resources
        )
        common = ["--run", options.run, "--config", options.config]
        return task.remote([options.outflank, *command, *common], options.env_file)

    device = ["--device", "cuda"] if options.gpu else []
    learn = ["learn", "--threads", str(options.trainer_cpus), *device]
    trainer = submit(learn, "trainer", num_cpus=options.trainer_cpus, num_gpus=int(options.gpu))
    workers = {}

    def add_worker():
        number = next(n for n in range(most) if n not in workers)
        command = ["selfplay", "--threads", str(options.cpus), "--worker", f"ray{number}"]
        workers[number] = submit(command, f"worker {number}", num_cpus=options.cpus)

    for _ in range(least):
        add_worker()
    before = None
    while not ray.wait([trainer], timeout=options.look)[0]:
        look = status(options)
        if look is None or look["model"] is None:
            continue
        waiting = "workers" if look["chunks"] >= look["chunks_wanted"] else "trainer"
        print(f"model {look['model']}, {len(workers)} workers, waiting: {waiting}", flush=True)
        # Twice in a row: one look may meet any moment.
        if waiting == before == "trainer" and len(workers) < most:
            add_worker()
        elif waiting == before == "workers" and len(workers) > least:
            ray.cancel(workers.popitem()[1])
        before = waiting
    ray.get(trainer)
    # The run is over: workers end by themselves.
    ended, left = ray.wait(list(workers.values()), num_returns=len(workers), timeout=60)
    for worker in left:
        ray.cancel(worker)
    print(f"the run at {options.run} is finished; {len(ended)} workers ended", flush=True)


if __name__ == "__main__":
    main()
