"""An enemy's hour: what a run of `outflank train` has to bear. It is killed and told to stop at random instants,
its files are flipped by a bit, cut and deleted, while it runs and while it does not, the clock is set, two
trainers start at once, the disk is slow, fails, is full, is read-only.

Usage: torture.py PATH_TO_OUTFLANK [--kills N] [--seed S]

After each of these the run is audited, goes on, and must end as an undisturbed run of its seed has ended: the
same games in the same chunks, the same models, bit for bit; what was published is never touched again; and a
damaged file is named, with exit code 2, by the next command that reads it. N is the number of kills (100), and
all other numbers go with it. Needs root, strace and libfaketime (in Debian packages of these names).
"""

import argparse
import collections
import glob
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

GENERATIONS = 4
TINY = pathlib.Path(__file__).parent.parent / "tests/common/tiny.toml"
CONFIG = TINY.read_text().replace('"tiny"', '"torture"').replace("share = 0.0", "share = 0.05\npositions = 8")
assert f"generations = {GENERATIONS}\n" in CONFIG
PATIENCE = 120  # seconds for anything that must end by itself
PROMPT = 10  # seconds for a process that was told to stop
SEEDS = 3


def say(line):
    print(f"-- {line}", flush=True)


class Torturer:
    """Runs below a folder, and what they would have become undisturbed."""

    def __init__(self, outflank, scratch, seed):
        self.outflank, self.scratch, self.chance = outflank, scratch, random.Random(seed)
        self.config = scratch / "torture.toml"
        self.config.write_text(CONFIG)
        self.undisturbed, self.seconds, self.runs = {}, 0.0, 0
        for seed in range(1, SEEDS + 1):
            run = self.new_run()
            begin = time.monotonic()
            self.succeed(self.train(run, seed))
            self.seconds = max(self.seconds, time.monotonic() - begin)
            self.undisturbed[seed] = committed(run)

    def new_run(self):
        self.runs += 1
        return self.scratch / f"run-{self.runs}"

    def start(self, *arguments, before=(), **environment):
        """A process whose output comes from `end`."""
        output = tempfile.TemporaryFile()
        environment = {**os.environ, **environment}
        command = [*before, self.outflank, *map(str, arguments)]
        process = subprocess.Popen(
            command, stdout=output, stderr=output, stdin=subprocess.DEVNULL, env=environment, start_new_session=True
        )
        process.output = output
        return process

    def train(self, run, seed, **options):
        return self.start(*self.training(run, seed), **options)

    def training(self, run, seed):
        return ["train", "--config", self.config, "--seed", seed, "--run", run, "--no-rating", "--threads", "2"]

    def end(self, process, patience=PATIENCE):
        """Exit code and output of a process that must end, and never in a panic."""
        try:
            code = process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            raise SystemExit(f"{process.args} did not end within {patience} seconds")
        process.output.seek(0)
        text = process.output.read().decode()
        assert "panicked" not in text and code in (0, 2, 143, -signal.SIGINT, -signal.SIGTERM, -signal.SIGKILL), (code, text)
        return code, text

    def succeed(self, process):
        code, text = self.end(process)
        assert code == 0, f"{process.args}: exit code {code}: {text}"
        return text

    def audit(self, run):
        return self.end(self.start("inspect", run, "--audit"))

    def finish(self, run, seed):
        """The run goes on to its end, which must be that of an undisturbed one."""
        self.succeed(self.train(run, seed))
        self.expect_undisturbed(run, seed)

    def expect_undisturbed(self, run, seed):
        assert committed(run) == self.undisturbed[seed], f"{run} did not become what it would have been"
        code, text = self.audit(run)
        assert code == 0 and "; 0 games repeat another, 0 chunks came too late" in text, text


def entries_of(run):
    return sorted((run / "log").glob("*.json"))


def committed(run):
    """What the log says that was made, without the names of trainers, which are new at each start."""
    entries = [json.loads(path.read_text()) for path in entries_of(run)]
    return [{key: entry[key] for key in ("seq", "model", "chunks", "totals")} for entry in entries]


def files(run):
    """The digests of a run's files, without those that a killed writer has left half done."""
    found = [path for path in run.rglob("*") if path.is_file() and "#" not in path.name]
    return {str(path.relative_to(run)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


class Reader(threading.Thread):
    """Audits, rates and watches a run all the time: whatever a killed trainer leaves can be read."""

    COMMANDS = (["inspect", "--audit"], ["status"], ["arena", "random", "--games", "2", "--simulations", "2"])

    def __init__(self, torturer, run):
        super().__init__(daemon=True)
        self.torturer, self.run_folder, self.over, self.failure, self.reads = torturer, run, threading.Event(), None, 0

    def run(self):
        while not self.over.is_set():
            for command, *options in self.COMMANDS:
                begun = (self.run_folder / "log/000000.json").exists()
                code, text = self.torturer.end(self.torturer.start(command, self.run_folder, *options))
                if code and begun:
                    self.failure = f"{command}: {text}"
                    return
                self.reads += begun

    def stop(self):
        self.over.set()
        self.join()
        assert self.failure is None, self.failure
        return self.reads


def interrupt(torturer, count, strike):
    """Strikes runs at so many random instants, and starts them again each time."""
    struck = reads = 0
    runs = 0
    while struck < count:
        seed = 1 + runs % SEEDS
        run, published, runs = torturer.new_run(), {}, runs + 1
        reader = Reader(torturer, run)
        reader.start()
        while struck < count:
            process = torturer.train(run, seed)
            time.sleep(torturer.chance.uniform(0, torturer.seconds / 3))
            if process.poll() is not None:
                break
            strike(process)
            struck += 1
            now = files(run)
            assert published.items() <= now.items(), f"{run}: {published.keys() - now.keys()} lost or changed"
            published = now
        torturer.finish(run, seed)
        assert published.items() <= files(run).items(), f"{run}: a published file was lost or changed"
        reads += reader.stop()
    return f"{struck} times in {runs} runs, which were read {reads} times meanwhile"


def kills(torturer, count):
    def strike(process):
        process.kill()
        torturer.end(process)

    say(f"killed: {interrupt(torturer, count, strike)}; nothing lost, nothing twice, every run as if undisturbed")


def storms(torturer, count):
    codes, slowest = collections.Counter(), 0.0

    def strike(process):
        nonlocal slowest
        begin = time.monotonic()
        for _ in range(torturer.chance.randint(1, 20)):
            process.send_signal(torturer.chance.choice([signal.SIGTERM, signal.SIGTERM, signal.SIGINT]))
            time.sleep(torturer.chance.choice([0, 0, 0.001, 0.01]))
        code, text = torturer.end(process, PROMPT)
        slowest = max(slowest, time.monotonic() - begin)
        # Before anything is done the signals still do what they do to any process.
        assert code in (143, -signal.SIGTERM, -signal.SIGINT) or code == 0 and "holds model" in text, (code, text)
        codes[code] += 1

    said = interrupt(torturer, count, strike)
    say(f"1 to 20 SIGTERM and SIGINT in a row: {said}; exit codes {dict(codes)}, at most {slowest:.2f} s; every run as if undisturbed")


def half_way(torturer, seed):
    """A run with some generations, and games that wait for the next one."""
    for _ in range(50):
        run = torturer.new_run()
        process = torturer.train(run, seed)
        last = run / f"log/{GENERATIONS - 2:06}.json"
        waiting = run / f"games/{GENERATIONS - 2:06}"
        while process.poll() is None and not (last.exists() and list(waiting.glob("*.rec"))):
            time.sleep(0.001)
        process.kill()
        torturer.end(process)
        if not (run / f"log/{GENERATIONS - 1:06}.json").exists():
            return run
    raise SystemExit("a run was never caught half-way")


def kind(name, run):
    """What kind of file this is of a run, newest and older ones apart."""
    newest = len(committed(run)) - 1
    number = re.search(r"\d{6}", name)
    folder = name.split("/")[0]
    if folder == "models":
        return f"{name.split('/')[-1]}, {'newest' if int(number[0]) == newest else 'older'}"
    if folder == "log":
        return f"log, {'newest' if int(number[0]) == newest else 'older'}"
    if folder == "games":
        return f"games, {'waiting' if int(number[0]) == newest else 'taken'}"
    return re.sub(r"\d{6}(-train)?-", "", name.removesuffix(".json")) if folder == "metrics" else folder


def flip(path, chance):
    content = bytearray(path.read_bytes())
    bit = chance.randrange(8 * len(content))
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def cut(path, chance):
    content = path.read_bytes()
    path.write_bytes(content[: chance.randrange(len(content))])


def delete(path, _chance):
    path.unlink()


# Kinds of files that are made again, or done without, once they or the log's newest entry are deleted.
MENDABLE = ("newest", "waiting", "matches", "learning", "positions", "selfplay", "tracking")
DAMAGES = {"flipped": flip, "cut": cut, "deleted": delete}


def damages(torturer, each):
    """Damages every kind of file of a run that nobody works on."""
    seed, kinds, found = 1, collections.defaultdict(list), collections.defaultdict(collections.Counter)
    whole = half_way(torturer, seed)
    for name in files(whole):
        kinds[kind(name, whole)].append(name)
    for what, names in sorted(kinds.items()):
        for how in DAMAGES:
            for _ in range(each if how != "deleted" else 1):
                run, name = torturer.new_run(), torturer.chance.choice(names)
                shutil.copytree(whole, run)
                DAMAGES[how](run / name, torturer.chance)
                found[what][f"{how}, {consequence(torturer, run, seed, name, what)}"] += 1
                shutil.rmtree(run)
    for what, outcomes in found.items():
        say(f"{what}: " + ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))


def consequence(torturer, run, seed, name, what):
    """What comes of a damaged file: it is named, and then mended where that can be done, or does no harm."""
    *_, newest = entries_of(run)
    code, text = torturer.audit(run)
    assert code == 0 or code == 2 and name in text, f"{run / name}: {text}"
    trained = training_bears(torturer, run, seed, name)
    assert code == 2 or trained, f"{run / name}: the audit says nothing, training stops"
    if trained:
        torturer.end(torturer.start("report", run))
    remedy = newest if what.endswith("newest") else run / name
    if what.endswith(MENDABLE) and code == 2 and remedy.exists():
        remedy.unlink()
        torturer.finish(run, seed)
    return "named" if code else "made good"


def training_bears(torturer, run, seed, name):
    """Training with a damaged file ends as it would have without, or stops and names the file."""
    code, text = torturer.end(torturer.train(run, seed))
    if code == 0:
        assert committed(run) == torturer.undisturbed[seed], f"{run / name}: silently another run"
        return True
    assert code == 2 and name in text, f"{run / name}: exit code {code}: {text}"
    return False


def damages_meanwhile(torturer, count):
    """Damages a file while its run is trained. With the file as it was before, the run becomes what it would have."""
    found = collections.Counter()
    done = 0
    while done < count:
        seed, run = torturer.chance.randint(1, SEEDS), torturer.new_run()
        process = torturer.train(run, seed)
        time.sleep(torturer.chance.uniform(0.05, torturer.seconds))
        names = [path for path in run.rglob("*") if path.is_file() and "#" not in path.name]
        if not names or process.poll() is not None:
            torturer.finish(run, seed)
            continue
        path = torturer.chance.choice(names)
        before, how = path.read_bytes(), torturer.chance.choice(list(DAMAGES))
        DAMAGES[how](path, torturer.chance)
        name = str(path.relative_to(run))
        code, text = torturer.end(process)
        assert code == 0 or code == 2 and name in text, f"{path}, {how}: exit code {code}: {text}"
        # A file that the process has read before is named by whoever reads it next.
        named = code == 2 or name in torturer.audit(run)[1]
        if not named:
            training_bears(torturer, run, seed, name)
        found["named" if named else "made good"] += 1
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(before)
        torturer.finish(run, seed)
        done += 1
    say(f"{done} files damaged under a running process: {dict(found)}; with the file restored every run as if undisturbed")


def clocks(torturer, count):
    """The time of day jumps back and forth by years under a running process, which is killed once."""
    (library,) = glob.glob("/usr/lib/*/faketime/libfaketime.so.1") or [None]
    assert library, "libfaketime is missing"
    clock, jumps = torturer.scratch / "clock", 0
    options = {"FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    for number in range(count):
        seed, run = 1 + number % SEEDS, torturer.new_run()
        for patience in (torturer.seconds / 3, PATIENCE):
            clock.write_text("+0d")
            process = torturer.train(run, seed, LD_PRELOAD=library, **options)
            end = time.monotonic() + patience
            while process.poll() is None and time.monotonic() < end:
                later = clock.with_suffix(".new")
                later.write_text(f"{torturer.chance.randint(-9999, 9999):+}d")
                later.rename(clock)
                jumps += 1
                time.sleep(0.02)
            process.kill()
            code, text = torturer.end(process)
        assert code == 0, text
        torturer.expect_undisturbed(run, seed)
    say(f"time of day set {jumps} times by up to 27 years, in {count} runs: every run as if undisturbed")


def rivals(torturer, count):
    """Two trainers that start at the same instant: one wins, the other one says who did."""
    for number in range(count):
        seed, run = 1 + number % SEEDS, torturer.new_run()
        ends = [torturer.end(process) for process in [torturer.train(run, seed) for _ in range(2)]]
        (_, won), (code, lost) = sorted(ends)
        assert [code for code, _ in ends].count(0) == 1 and code == 2, ends
        assert re.search("another trainer, trainer-[0-9a-f]+, made model", lost), lost
        assert "holds model" in won, won
        torturer.expect_undisturbed(run, seed)
    say(f"two trainers at the same instant, {count} times: one stops and says why, every run as if undisturbed")


def disks(torturer, count):
    """Disks that are slow, and killed so; disks that fail."""
    strace = ["strace", "-f", "-qq", "-o", os.devnull, "-e", "trace=fsync,link,linkat,unlink", "-e"]
    for number in range(count):
        seed, run = 1 + number % SEEDS, torturer.new_run()
        slow = [*strace, "inject=fsync,link,linkat:delay_enter=30000"]  # microseconds
        process = torturer.train(run, seed, before=slow)
        time.sleep(torturer.chance.uniform(0, 3 * torturer.seconds))
        os.killpg(process.pid, signal.SIGKILL)  # strace and its child
        process.wait()
        torturer.succeed(torturer.train(run, seed, before=slow))
        torturer.expect_undisturbed(run, seed)
    say(f"a disk that takes 30 ms for each flush and each name, {count} runs, killed: every run as if undisturbed")
    stops = 0
    for number in range(count):
        seed, run = 1 + number % SEEDS, torturer.new_run()
        for call in ("fsync", "linkat"):
            when = torturer.chance.randint(1, 15)
            process = torturer.train(run, seed, before=[*strace, f"inject={call}:error=EIO:when={when}+"])
            code, text = torturer.end(process)
            assert code == 0 or code == 2 and f"{run}/" in text and "Input/output error" in text, f"{call}: {code}: {text}"
            stops += code == 2
        torturer.finish(run, seed)
    say(f"a disk that fails from some call on, {2 * count} times: {stops} stopped with one line; every run as if undisturbed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("outflank")
    parser.add_argument("--kills", type=int, default=100, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of all random choices here")
    options = parser.parse_args()
    outflank, count = os.path.realpath(options.outflank), options.kills
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="torture-"))
    begin = time.monotonic()
    torturer = Torturer(outflank, scratch, options.seed)
    say(f"undisturbed, a run takes {torturer.seconds:.1f} s")
    kills(torturer, count)
    storms(torturer, count // 2)
    rivals(torturer, max(2, count // 10))
    damages(torturer, max(1, count // 20))
    damages_meanwhile(torturer, count)
    clocks(torturer, max(1, count // 20))
    disks(torturer, max(1, count // 20))
    full = pathlib.Path(__file__).with_name("check_full_disk.sh")
    ended = subprocess.run([full, outflank], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    say("a disk that is full, then read-only: one line and exit code 2, and with room again the run goes on")
    shutil.rmtree(scratch)
    print(f"1 passed, 0 failed, in {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
