"""Reads the curves that `outflank report RUN --tensorboard DIR` writes with TensorBoard's own reader.

    python check_tensorboard.py DIR

Needs tensorboard.
"""

import argparse
import sys

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("folder", help="where outflank report --tensorboard wrote")
arguments = parser.parse_args()  # before the package, which --help does not need

try:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
except ImportError as error:
    sys.exit(f"{error.name} is missing; expected: pip install tensorboard")

events = EventAccumulator(arguments.folder, size_guidance={"tensors": 0, "scalars": 0})
events.Reload()
curves = {tag: events.Scalars(tag) for tag in events.Tags()["scalars"]}
for tag in sorted(curves):
    values = curves[tag]
    print(f"{tag:36} {len(values):4} values, the last {values[-1].value:.4f} at step {values[-1].step}")
    steps = [value.step for value in values]
    assert steps == sorted(set(steps)), f"{tag}: steps {steps}"
for tag in ["loss/policy", "loss/outcome", "games/policy_entropy", "time/learning"]:
    assert tag in curves, f"{tag} is missing; there are {sorted(curves)}"
print(f"{len(curves)} curves")
