"""Compares a ladder with the same model fitted by statsmodels.

    outflank ladder runs/quick --games 0 --json > ladder.json
    python check_ladder.py ladder.json

A Bradley-Terry ladder is a logistic regression: one row for two players that have met, +1 and -1 in
their columns, the first one's score as the share of its games. Ratings and the ends of their
intervals must agree within an Elo point. Needs numpy and statsmodels.
"""

import argparse
import json
import math
import sys

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("ladder", help="what outflank ladder --json printed")
arguments = parser.parse_args()  # before the packages, which --help does not need

try:
    import numpy as np
    import statsmodels.api as sm
except ImportError as error:
    sys.exit(f"{error.name} is missing; expected: pip install numpy statsmodels")

ELO = 400 / math.log(10)
TOLERANCE = 1.0

ladder = json.load(open(arguments.ladder))
if len(ladder["groups"]) != 1:
    sys.exit("not all players are connected by games; expected one group")
rated = {player["name"]: player for player in ladder["players"]}
fixed = {name: player["rating"]["elo"] for name, player in rated.items() if player["fixed"]}
free = [name for name in rated if name not in fixed]

rows, shares, games, offsets = [], [], [], []


def meet(first, second, points, number):
    row = np.zeros(len(free))
    offset = 0.0
    for name, sign in [(first, 1), (second, -1)]:
        if name in fixed:
            offset += sign * fixed[name] / ELO
        else:
            row[free.index(name)] = sign
    rows.append(row)
    shares.append(points / number)
    games.append(number)
    offsets.append(offset)


for meeting in ladder["meetings"]:
    number = meeting["wins"] + meeting["draws"] + meeting["losses"]
    meet(*meeting["players"], meeting["wins"] + meeting["draws"] / 2, number)
# Where one side has never lost a point, the ladder says which drawn games keep it finite.
for first, second in ladder["held"]:
    meet(first, second, 0.5, 1)

model = sm.GLM(
    np.array(shares),
    np.array(rows),
    family=sm.families.Binomial(),
    var_weights=np.array(games, dtype=float),
    offset=np.array(offsets),
)
fit = model.fit(maxiter=200, tol=1e-12)

worst = 0.0
for name, value, error in zip(free, fit.params, fit.bse):
    elo, around = ELO * value, 1.959964 * ELO * error
    rating = rated[name]["rating"]
    differences = [rating["elo"] - elo, rating["low"] - (elo - around), rating["high"] - (elo + around)]
    difference = max(map(abs, differences))
    worst = max(worst, difference)
    print(f"{name:40} {rating['elo']:9.2f}  statsmodels {elo:9.2f}  +- {around:6.2f}  difference {difference:.4f}")
print(f"{len(free)} ratings from {sum(games):.0f} games: the largest difference is {worst:.4f} Elo points")
if worst > TOLERANCE:
    sys.exit(f"expected at most {TOLERANCE}")
