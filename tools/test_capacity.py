#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A capacity that a plan is known for is met, and one below the bound refused.

    test_capacity.py MEMPLAN VARY_GRAPH GRAPH...

Each graph is varied in every way that VARY_GRAPH has, so that the problems are
not plain and few plans are proved. Prints TAP.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

KINDS = ("groups", "aligned", "streams")


def plan(memplan, graph, *options):
    """Exit status and result of a run."""
    done = subprocess.run([memplan, "plan", graph, "--json", *options],
                          capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout or "{}")


def fault(memplan, graph):
    """What is wrong with the answers for a graph, or an empty string."""
    status, result = plan(memplan, graph)
    if status != 0:
        return f"no plan: {status}"
    arena, bound = result["arena_size"], result["lower_bound"]
    status, result = plan(memplan, graph, "--capacity", str(arena))
    if status != 0 or result["arena_size"] > arena:
        return f"known to fit in {arena}, with --capacity: {status}"
    status, _ = plan(memplan, graph, "--capacity", str(bound - 1))
    return "" if status == 1 else f"below the bound {bound}: {status}"


def main():
    memplan, vary, *graphs = sys.argv[1:]
    cases = [(kind, graph) for graph in graphs for kind in KINDS]
    faults = 0
    print(f"1..{len(cases)}")
    with tempfile.TemporaryDirectory() as folder:
        varied = pathlib.Path(folder, "varied.json")
        for number, (kind, graph) in enumerate(cases, 1):
            with open(varied, "w", encoding="utf-8") as file:
                subprocess.run([sys.executable, vary, kind, graph],
                               stdout=file, check=True)
            found = fault(memplan, str(varied))
            faults += bool(found)
            print(f"{'not ' if found else ''}ok {number} - "
                  f"{pathlib.Path(graph).stem} {kind}")
            if found:
                print(f"# {found}")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
