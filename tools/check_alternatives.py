#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""README's tables of alternatives are what alternatives.py prints.

    check_alternatives.py MEMPLAN ROOT TRACES

Every line that it prints for batches 4 and 16 must stand in ROOT/README.md, in
its order. Skipped (77) where TRACES, HeuristicAllocator's folder, is missing.
"""

import pathlib
import subprocess
import sys

BATCHES = "4", "16"


def printed(memplan, root, traces, batch):
    result = subprocess.run(
        [sys.executable, root / "tools" / "alternatives.py", memplan, traces,
         "--batch", batch],
        timeout=1000, capture_output=True, text=True, check=True)
    return result.stdout


def main():
    memplan, root, traces = map(pathlib.Path, sys.argv[1:4])
    if not traces.is_dir():
        return 77
    readme = (root / "README.md").read_text(encoding="utf-8")
    failures = 0
    for batch in BATCHES:
        table = printed(memplan, root, traces, batch)
        if table.count("\n") < 3 or table not in readme:
            print(f"README.md has another table for batch {batch} than:")
            print(table)
            failures += 1
    print(f"{len(BATCHES)} tables, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
