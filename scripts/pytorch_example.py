#!/usr/bin/env python3
"""Rebuilds an Outflank network in PyTorch from its own file, and checks that it agrees.

    pip install torch safetensors numpy
    outflank export runs/quick --safetensors model.safetensors --check-data check.safetensors
    python scripts/pytorch_example.py model.safetensors check.safetensors
"""

import sys
import tomllib

import torch
from safetensors import safe_open
from safetensors.torch import load_file
from torch import nn


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return torch.relu(self.conv2(torch.relu(self.conv1(x))) + x)


class Head(nn.Module):
    """A 1x1 convolution and a dense layer; the value's head has two outputs behind them."""

    def __init__(self, channels, head_channels, area, width, is_value):
        super().__init__()
        self.conv = nn.Conv2d(channels, head_channels, 1)
        self.dense = nn.Linear(head_channels * area, width)
        if is_value:
            self.outcome, self.margin = nn.Linear(width, 3), nn.Linear(width, 1)

    def forward(self, x):
        return self.dense(torch.relu(self.conv(x)).flatten(1))


class Network(nn.Module):
    def __init__(self, a):
        super().__init__()
        channels, self.area = a["channels"], a["size"] ** 2
        self.stem = nn.Conv2d(len(a["features"]), channels, 3, padding=1)
        self.tower = nn.Sequential(*(Block(channels) for _ in range(a["blocks"])))
        self.policy = Head(channels, a["policy_channels"], self.area, self.area, False)
        self.value = Head(channels, a["value_channels"], self.area, a["value_hidden"], True)
        self.ownership = nn.Conv2d(channels, 1, 1)

    def forward(self, planes):
        """Everything is seen by the player to move; see the model card beside the file."""
        x = self.tower(torch.relu(self.stem(planes)))
        hidden = torch.relu(self.value(x))
        return {
            "policy": self.policy(x),
            "outcome": self.value.outcome(hidden).softmax(1),
            "margin": self.value.margin(hidden).squeeze(1) * (self.area // 2),
            "ownership": self.ownership(x).squeeze(1).tanh(),
        }


model_file, check_file = sys.argv[1:]
with safe_open(model_file, framework="pt") as file:
    description = tomllib.loads(file.metadata()["outflank"])
network = Network(description["architecture"])
network.load_state_dict(load_file(model_file))
expected = load_file(check_file)
with torch.no_grad():
    found = network(expected["planes"])
for name, values in found.items():
    difference = (values - expected[name]).abs().max().item()
    largest = expected[name].abs().max().item()
    print(f"{name:10} differs by at most {difference:.2e}, its largest value is {largest:.3g}")
    if not difference < 1e-4 * max(1, largest):
        sys.exit(f"{name} does not agree")
