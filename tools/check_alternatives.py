#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""README's tables of alternatives are what alternatives.py prints.

    check_alternatives.py MEMPLAN ROOT TRACES

Every line that it prints for batches 4 and 16 must stand in ROOT/README.md, in
its order. TRACES is HeuristicAllocator's folder. Prints TAP.
"""

import pathlib
import sys

import harness

BATCHES = "4", "16"


def check(memplan, root, traces, batch):
    table = harness.run(sys.executable, root / "tools" / "alternatives.py",
                        memplan, traces, "--batch", batch).stdout
    readme = (root / "README.md").read_text("utf-8")
    if table.count("\n") < 3 or table not in readme:
        return f"README.md has another table than:\n{table}"
    return None


def main():
    memplan, root, traces = map(pathlib.Path, sys.argv[1:4])
    harness.tap((f"batch {batch}", check, memplan, root, traces, batch)
                for batch in BATCHES)


if __name__ == "__main__":
    main()
