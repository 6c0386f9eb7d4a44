#!/usr/bin/env python3
"""Checks that an exported ONNX model says what Outflank's own network says.

    pip install onnx onnxruntime safetensors numpy
    outflank export runs/quick --onnx model.onnx --check-data check.safetensors
    python scripts/check_onnx.py model.onnx check.safetensors

check.safetensors holds positions with Outflank's own evaluations. The model is validated, run by
ONNX Runtime at several batch sizes, and compared; a difference of 1e-4 or more is a failure.
"""

import argparse
import sys

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("model", help="the ONNX file")
parser.add_argument("check_data", help="the file of outflank export --check-data")
arguments = parser.parse_args()  # before the packages, which --help does not need

try:
    import numpy as np
    import onnx
    import onnxruntime
    from safetensors.numpy import load_file
except ImportError as error:
    sys.exit(f"{error.name} is missing; expected: pip install onnx onnxruntime safetensors numpy")

TOLERANCE = 1e-4


def run(session, planes, batch):
    """All outputs by name, computed so many positions at a time."""
    names = [output.name for output in session.get_outputs()]
    parts = [
        session.run(names, {"planes": planes[first : first + batch]})
        for first in range(0, len(planes), batch)
    ]
    return {name: np.concatenate(values) for name, values in zip(names, zip(*parts))}


def probabilities(logits, legal):
    """The softmax over the legal squares."""
    logits = np.where(legal > 0, logits, -np.inf)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def main():
    model = onnx.load(arguments.model)
    onnx.checker.check_model(model, full_check=True)
    opset = model.opset_import[0].version
    print(f"{arguments.model}: valid, opset {opset}, made by {model.producer_name}")

    expected = load_file(arguments.check_data)
    planes = expected["planes"]
    session = onnxruntime.InferenceSession(
        arguments.model, providers=["CPUExecutionProvider"]
    )
    half_board = expected["policy"].shape[1] // 2
    worst = 0.0
    for batch in (1, 7, 256):
        found = run(session, planes, batch)
        legal = expected["legal"]
        differences = {
            "policy logits": found["policy"] - expected["policy"],
            "policy": probabilities(found["policy"], legal)
            - probabilities(expected["policy"], legal),
            "outcome": found["outcome"] - expected["outcome"],
            "value": found["outcome"][:, 0] - found["outcome"][:, 2] - expected["value"],
            "margin / half": (found["margin"] - expected["margin"]) / half_board,
            "ownership": found["ownership"] - expected["ownership"],
        }
        print(f"{len(planes)} positions in batches of {batch}, largest difference:")
        for name, difference in differences.items():
            largest = float(np.abs(difference).max())
            worst = max(worst, largest)
            print(f"  {name:16} {largest:.2e}")
    # Not a number is a failure as well.
    if not worst < TOLERANCE:
        sys.exit(f"{arguments.model} differs by {worst:.2e}; at most {TOLERANCE:.0e} is expected")
    print("they agree")


if __name__ == "__main__":
    main()
