#!/usr/bin/env python3
"""Licences of everything that the program is built from, against the list in `.deny.toml`, for machines
without `cargo deny`, which reads the same list and more. Run it in the repository.
"""

import re
import subprocess
import tomllib


def is_allowed(expression, allowed):
    """Whether an SPDX expression can be met from a list: alternatives, of which each part joined by AND
    has some. The old form `MIT/Apache-2.0` is one of alternatives, too."""
    parts = re.split(r"\s+AND\s+", expression)
    return all(any(term in allowed for term in re.split(r"\s+OR\s+|\s*/\s*", part.strip("()"))) for part in parts)


def main():
    with open(".deny.toml", "rb") as file:
        rules = tomllib.load(file)
    allowed = set(rules["licenses"]["allow"])
    exceptions = {entry["crate"]: set(entry["allow"]) for entry in rules["licenses"]["exceptions"]}
    features = ",".join(rules["graph"]["features"])
    bad, seen = [], set()
    for target in rules["graph"]["targets"]:
        command = ["cargo", "tree", "--workspace", "--locked", "--features", features, "--target", target]
        command += ["--edges", "normal,build", "--prefix", "none", "--format", "{p}\t{l}"]
        tree = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        seen |= {line.removesuffix(" (*)") for line in tree.splitlines() if line}
    for line in sorted(seen):
        package, licence = line.split("\t")
        name = package.split()[0]
        if not is_allowed(licence or "none stated", allowed | exceptions.get(name, set())):
            bad.append(f"{package}: {licence or 'none stated'}")
    if bad:
        raise SystemExit("licences that .deny.toml does not allow:\n" + "\n".join(bad))
    print(f"{len(seen)} packages, all under licences that .deny.toml allows")


if __name__ == "__main__":
    main()
