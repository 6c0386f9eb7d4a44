#!/usr/bin/env python3
"""Speed of Outflank's network beside ONNX Runtime, OpenVINO and PyTorch, in one go.

    pip install numpy safetensors onnxruntime openvino torch
    python scripts/bench_peers.py target/release/outflank runs/quick [--threads 2]

The model must be of 4 blocks and 32 channels on 8x8, which `outflank bench` measures. A runtime
that is not installed is left out. Ratios are Outflank's rate over the peer's.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
import tomllib

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("outflank", help="the program")
parser.add_argument("model", help="a run's folder or a model file")
parser.add_argument("--threads", type=int, default=1)
args = parser.parse_args()  # before the packages, which --help does not need

try:
    import numpy as np
    import safetensors
except ImportError as error:
    sys.exit(f"{error.name} is missing; expected: pip install numpy safetensors, and what is to be compared")

BATCH = 128  # of inference, as in `outflank bench`
TRAINING_BATCH = 256
SECONDS = 3.0


def rate(work, items):
    """Items a second of the better of two runs."""
    work()
    best = 0.0
    for _ in range(2):
        begin, done = time.perf_counter(), 0
        while time.perf_counter() - begin < SECONDS / 2:
            work()
            done += items
        best = max(best, done / (time.perf_counter() - begin))
    return best


def ours(outflank, threads):
    """Rates by name, from the rows of `outflank bench`."""
    command = [outflank, "bench", "--threads", str(threads)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    print(text)

    def row(pattern):
        found = re.search(pattern + r"\D*?\s([\d,']+)\s+\w+/s", text)
        return float(re.sub(r"\D", "", found.group(1))) if found else None

    inference = rf"4x32 inference, {{}}, batch {BATCH}, {threads} thread\(s\)"
    rates = {name: row(inference.format(name)) for name in ["f32", "int16", "int8"]}
    rates["training"] = row(f"4x32 training, batch {TRAINING_BATCH}")
    return rates


def onnx_runtime(model, planes, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
    yield "ONNX Runtime f32", rate(lambda: session.run(None, {"planes": planes}), len(planes))


def openvino(model, planes, threads):
    import openvino as ov

    core = ov.Core()
    capable = core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    for precision in ["f32", "bf16"]:
        if precision == "bf16" and "BF16" not in capable:
            continue
        settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": precision}
        compiled = core.compile_model(model, "CPU", settings)
        request = compiled.create_infer_request()
        yield f"OpenVINO {precision}", rate(lambda: request.infer({0: planes}), len(planes))


def pytorch(architecture, planes, threads):
    import torch
    from torch import nn

    torch.set_num_threads(threads)
    channels, area = architecture["channels"], architecture["size"] ** 2

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
            self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

        def forward(self, x):
            return torch.relu(self.conv2(torch.relu(self.conv1(x))) + x)

    def head(head_channels, width):
        dense = nn.Linear(head_channels * area, width)
        return nn.Sequential(nn.Conv2d(channels, head_channels, 1), nn.ReLU(), nn.Flatten(), dense)

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            stem = nn.Conv2d(planes.shape[1], channels, 3, padding=1)
            blocks = [Block() for _ in range(architecture["blocks"])]
            self.tower = nn.Sequential(stem, nn.ReLU(), *blocks)
            self.policy = head(architecture["policy_channels"], area)
            self.value = head(architecture["value_channels"], architecture["value_hidden"])
            self.outputs = nn.Linear(architecture["value_hidden"], 4)
            self.ownership = nn.Conv2d(channels, 1, 1)

        def forward(self, x):
            x = self.tower(x)
            return self.policy(x), self.outputs(torch.relu(self.value(x))), self.ownership(x)

    network = Network().to(memory_format=torch.channels_last)
    x = torch.from_numpy(planes).to(memory_format=torch.channels_last)
    with torch.inference_mode():
        yield "PyTorch f32", rate(lambda: network(x), len(x))

    many = np.concatenate([planes] * (TRAINING_BATCH // len(planes)))
    x = torch.from_numpy(many).to(memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(network.parameters())

    def step():
        policy, value, ownership = network(x)
        loss = -policy.log_softmax(1).mean() - value[:, :3].log_softmax(1).mean()
        loss = loss + value[:, 3].square().mean() + ownership.tanh().square().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()

    yield "PyTorch training", rate(step, len(x))


def main():
    with tempfile.TemporaryDirectory() as folder:
        onnx, tensors = f"{folder}/model.onnx", f"{folder}/model.safetensors"
        command = [args.outflank, "export", args.model, "--onnx", onnx, "--safetensors", tensors]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with safetensors.safe_open(tensors, framework="np") as file:
            description = tomllib.loads(file.metadata()["outflank"])
        architecture = description["architecture"]
        side = architecture["size"]
        shape = (BATCH, len(architecture["features"]), side, side)
        planes = np.random.default_rng(1).integers(0, 2, shape).astype(np.float32)

        peers = {}
        runs = [
            (onnx_runtime, onnx, planes),
            (openvino, onnx, planes),
            (pytorch, architecture, planes),
        ]
        mine = ours(args.outflank, args.threads)
        for run, *arguments in runs:
            try:
                peers.update(run(*arguments, args.threads))
            except ImportError as error:
                print(f"left out: {error}")

    print(f"{args.threads} thread(s), batch {BATCH}, training {TRAINING_BATCH}")
    print(f"{'':22}{'a second':>10}" + "".join(f"{'ours ' + name:>16}" for name in mine))
    for name, peer in peers.items():
        training = name.endswith("training")
        cells = [
            f"{mine[key] / peer:16.2f}" if mine[key] and training == (key == "training") else " " * 16
            for key in mine
        ]
        print(f"{name:22}{peer:10.0f}" + "".join(cells))
    print(f"{'Outflank':33}" + "".join(f"{value or 0:16.0f}" for value in mine.values()))


if __name__ == "__main__":
    main()
