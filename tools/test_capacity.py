#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A capacity that a plan is known for is met, and one below the bound refused.

    test_capacity.py MEMPLAN VARY_GRAPH GRAPH...

Each graph is varied in every way that VARY_GRAPH has, so that the problems are
not plain and few plans are proved. Prints TAP.
"""

import json
import pathlib
import sys
import tempfile

import harness

KINDS = ("groups", "aligned", "streams")


def plan(memplan, graph, *options, status=0):
    """Result of a run that has to end with a status."""
    done = harness.run(memplan, "plan", graph, "--json", *options,
                       status=(status,))
    return json.loads(done.stdout or "{}")


def check(memplan, vary, kind, graph, varied):
    varied.write_text(harness.run(sys.executable, vary, kind, graph).stdout,
                      "utf-8")
    found = plan(memplan, varied)
    arena, bound = found["arena_size"], found["lower_bound"]
    again = plan(memplan, varied, "--capacity", str(arena))["arena_size"]
    assert again <= arena, f"known to fit in {arena}, with --capacity: {again}"
    plan(memplan, varied, "--capacity", str(bound - 1), status=1)


def main():
    memplan, vary, *graphs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        harness.tap((f"{pathlib.Path(graph).stem} {kind}", check, memplan, vary,
                     kind, graph, pathlib.Path(folder, "varied.json"))
                    for graph in graphs for kind in KINDS)


if __name__ == "__main__":
    main()
