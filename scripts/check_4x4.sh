#!/usr/bin/env bash
# Trains the 4x4 preset in a temporary folder and checks it against the solved board: Black, who begins,
# loses by 10 discs (3 to 11, two squares empty). Usage: scripts/check_4x4.sh PATH_TO_OUTFLANK
set -euo pipefail
outflank=$(realpath "${1:?usage: scripts/check_4x4.sh PATH_TO_OUTFLANK}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$outflank" train --config 4x4 --run agent --no-rating

# The network's own value of the start, without any search, must be a loss for Black.
"$outflank" analyze agent start --simulations 0 --json > start.json
# Both colours from the start against a perfect player. White must win by exactly ten discs, and as
# Black the agent must lose by no more.
"$outflank" arena agent,solve=0 perfect:12:random --games 2 --opening-plies 0 --simulations 32 --json match.json

python3 - <<'PYTHON'
import json

start = json.load(open("start.json"))
assert start["outcome"] < -0.5, f"the start's value for Black is {start['outcome']}, expected a loss"
games = json.load(open("match.json"))[0]["games"]
assert len(games) == 2 and {game["black"] for game in games} == {0, 1}
for game in games:
    assert game["margin"] == -10, f"Black's margin is {game['margin']}, expected -10: {game['moves']}"
print(f"4x4: the start is worth {start['outcome']:+.3f} to Black; both games ended with the solved score")
PYTHON
