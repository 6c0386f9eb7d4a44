"""Reads the curves that `outflank report RUN --tensorboard DIR` writes with TensorBoard's own reader.

    python check_tensorboard.py DIR

Needs tensorboard.
"""

import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

events = EventAccumulator(sys.argv[1], size_guidance={"tensors": 0, "scalars": 0})
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
