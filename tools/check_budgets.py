#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Budgets on traces of real networks.

    check_budgets.py MEMPLAN FOLDER

At batch 16 and 80, 60 and 50 % of the theoretical minimum, with every mode: a
plan fits and is valid, or the command exits 1 and names a least budget, which can
be had and below which nothing can. No plan is slower than copying every feature
map by the same mode where that fits, none than a mode before. FOLDER is that of
alternatives.py. Prints TAP.
"""

import pathlib
import re
import sys
import tempfile

import alternatives
import harness

BATCH = "16"
RATE = alternatives.RATES[0][1]
QUICK = ["--effort", "0"]


def verify(program, network, budget, options, folder):
    plan = pathlib.Path(folder) / "plan.json"
    found = alternatives.plan_budget(program, *network, BATCH, RATE, budget,
                                     *options, *QUICK, "-o", plan)
    if isinstance(found, str):
        return found
    assert found["arena_size"] <= budget, found
    harness.run(program, "check", plan)
    return found


def check_least(program, network, budget, message, options, folder):
    least = int(re.search(r" needs (\d+) ", message)[1])
    assert least > budget, message
    assert not isinstance(verify(program, network, least, options,
                                 folder), str)
    below = verify(program, network, least - 1, options, folder)
    assert isinstance(below, str) and f" needs {least} " in below, below


def check_budget(program, network, swap, budget, folder):
    maps = {mode["name"]: mode for mode in swap["modes"]}
    before = {}
    for way, options, mode in alternatives.WAYS:
        found = verify(program, network, budget, options, folder)
        if isinstance(found, str):
            if mode:
                check_least(program, network, budget, found, options, folder)
            continue
        time = found["run_nanoseconds"]
        if mode and maps[mode]["theoretical_min"] <= budget:
            assert time <= maps[mode]["nanoseconds"], (network, budget, way)
        if mode:
            key = "--recompute" in options
            assert time <= before.get(key, time), (network, budget, way)
            before[key] = time


def cases(program, folder, scratch):
    for network in alternatives.networks(folder, BATCH):
        swap = alternatives.simulate_swap(program, *network, BATCH, RATE)
        for share in alternatives.SHARES:
            yield (f"{network[0]}, {share} %", check_budget, program, network,
                   swap, swap["theoretical_min"] * share // 100, scratch)


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        harness.tap(cases(program, folder, scratch))


if __name__ == "__main__":
    main()
