#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables of alternatives in the documentation are what alternatives.py prints.

    check_alternatives.py MEMPLAN ROOT TRACES

Every line of a table must stand in its page of ROOT, in its order. TRACES is
HeuristicAllocator's folder. Prints TAP.
"""

import pathlib
import sys

import harness

TABLES = [("README.md", "--batch", "4", "--brief"),
          ("docs/simulate.md", "--batch", "4"),
          ("docs/simulate.md", "--batch", "16")]


def check(memplan, root, traces, page, *options):
    table = harness.run(sys.executable, root / "tools" / "alternatives.py",
                        memplan, traces, *options).stdout
    if table.count("\n") < 3 or table not in (root / page).read_text("utf-8"):
        return f"{page} has another table than:\n{table}"
    return None


def main():
    memplan, root, traces = map(pathlib.Path, sys.argv[1:4])
    harness.tap((" ".join(table), check, memplan, root, traces, *table)
                for table in TABLES)


if __name__ == "__main__":
    main()
