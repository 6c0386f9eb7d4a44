#!/usr/bin/env python3
"""Rebuilds an Outflank network in PyTorch from its own file, and checks that it agrees.

    pip install torch safetensors numpy
    outflank export runs/quick --safetensors model.safetensors --check-data check.safetensors
    python scripts/pytorch_example.py model.safetensors check.safetensors
"""

import argparse
import sys
import tomllib

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("model", help="the file of outflank export --safetensors")
parser.add_argument("check_data", help="the file of outflank export --check-data")
arguments = parser.parse_args()  # before the packages, which --help does not need

try:
    from safetensors import safe_open
    from safetensors.torch import load_file
    from torch import nn
except ImportError as error:
    sys.exit(f"{error.name} is missing; expected: pip install torch safetensors numpy")


class Network(nn.Module):
    def __init__(self, a):
        super().__init__()
        c, area, hidden = a["channels"], a["size"] ** 2, a["value_hidden"]
        conv = lambda inputs, outputs, side: nn.Conv2d(inputs, outputs, side, padding="same")
        head = lambda k, width: {"conv": conv(c, k, 1), "dense": nn.Linear(k * area, width)}
        block = lambda: nn.ModuleDict({"conv1": conv(c, c, 3), "conv2": conv(c, c, 3)})
        results = {"outcome": nn.Linear(hidden, 3), "margin": nn.Linear(hidden, 1)}
        self.stem = conv(len(a["features"]), c, 3)
        self.tower = nn.ModuleList(block() for _ in range(a["blocks"]))
        policy = head(a["policy_channels"], area)
        # Layers that only help in training may be in the file too; nothing asks them.
        for name, key in ("reply", "reply_head"), ("soft", "soft_policy_head"):
            if a.get(key):
                policy[name] = nn.Linear(a["policy_channels"] * area, area)
        self.policy = nn.ModuleDict(policy)
        self.value = nn.ModuleDict(head(a["value_channels"], hidden) | results)
        self.ownership = conv(c, 1, 1)

    def forward(self, planes):
        """Everything is seen by the player to move; see the model card beside the file."""
        x = self.stem(planes).relu()
        for block in self.tower:
            x = (block["conv2"](block["conv1"](x).relu()) + x).relu()
        run = lambda head: head["dense"](head["conv"](x).relu().flatten(1))
        value = run(self.value).relu()
        return {
            "policy": run(self.policy),
            "outcome": self.value["outcome"](value).softmax(1),
            "margin": self.value["margin"](value).squeeze(1) * (planes[0, 0].numel() // 2),
            "ownership": self.ownership(x).squeeze(1).tanh(),
        }


with safe_open(arguments.model, framework="pt") as file:
    network = Network(tomllib.loads(file.metadata()["outflank"])["architecture"])
network.load_state_dict(load_file(arguments.model))
expected = load_file(arguments.check_data)
for name, values in network(expected["planes"]).items():
    difference, largest = (values - expected[name]).abs().max(), expected[name].abs().max()
    print(f"{name:10} differs by at most {difference:.2e}, its largest value is {largest:.3g}")
    if not difference < 1e-4 * max(1, largest):
        sys.exit(f"{name} does not agree")
