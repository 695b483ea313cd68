#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the alternatives cost on traces of real networks, as Markdown.

    alternatives.py MEMPLAN FOLDER [--batch B] [--brief | --swap | --budget]

FOLDER has one folder a network with NAME.io_info.json and, for the batch, its
companions, as HeuristicAllocator publishes them. A table of networks and
allocators, in bytes; with --brief fewer of them, in MiB. With --swap: of networks
and copy modes. With --budget: of networks, budgets of 80, 60 and 50 % of the
theoretical minimum, and ways to meet them. Every figure is asked of MEMPLAN, none
is stored here.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ALLOCATORS = ("no reuse", "BFC", "BFC, one region", "MindSpore pool", "pool64",
              "GE two-level", "SOMAS", "memplan", "minimum")
BRIEF = ("no reuse", "BFC", "MindSpore pool", "GE two-level", "SOMAS", "memplan",
         "minimum")
# Published code of HeuristicAllocator: 100 GiB in 275106.1875 ms.
RATES = [("390.3 MB/s", 390300808), ("23.4 MB/s", 23381507)]
MODES = ["sync", "semi", "async", "async-late"]
SHARES = [80, 60, 50]
# Ways to meet a budget, and the simulated mode that copies every feature map.
WAYS = [("sync", ["--copy-mode", "sync"], "sync"),
        ("semi", ["--copy-mode", "semi"], "semi"),
        ("async", ["--copy-mode", "async"], "async-late"),
        ("recompute", ["--copy-mode", "none", "--recompute"], None),
        ("sync, recompute", ["--copy-mode", "sync", "--recompute"], "sync"),
        ("async, recompute", ["--copy-mode", "async", "--recompute"],
         "async-late")]
# First backward steps as that code has them; others are found.
FORWARD_END = {"Squeezenet": 119, "Googlenet": 218, "MobilenetV2": 1438}


def ask(program, *arguments):
    answer = subprocess.run([program, *map(str, arguments), "--json", "--quiet"],
                            capture_output=True, text=True, check=False)
    if answer.returncode:
        sys.exit(answer.stderr)
    return json.loads(answer.stdout)


def networks(folder, batch):
    for trace in sorted(pathlib.Path(folder).glob("*/*.io_info.json")):
        name = trace.name.split(".")[0]
        if trace.with_name(f"{name}.{batch}.tensor_size.json").exists():
            yield name, trace


def allocators(program, trace, batch):
    simulated = ask(program, "simulate", trace, "--batch", batch)
    reserved = {s["name"]: s["reserved"] for s in simulated["simulations"]}
    arena = {
        planner: ask(program, "plan", trace, "--batch", batch,
                     "--planner", planner)["arena_size"]
        for planner in ("two-level", "somas")}
    return dict(zip(ALLOCATORS, (
        simulated["total_size"], reserved["bfc"], reserved["bfc-one"],
        reserved["mindspore-one"], reserved["pool64"], arena["two-level"],
        arena["somas"], simulated["arena_size"],
        simulated["theoretical_min"]), strict=True))


def print_row(cells):
    print("| " + " | ".join(cells) + " |")


def print_allocators(program, folder, batch, names=ALLOCATORS,
                     spell="{:,}".format):
    print_row([f"batch {batch}", *names])
    print_row(["---", *["---:"] * len(names)])
    for network, trace in networks(folder, batch):
        sizes = allocators(program, trace, batch)
        print_row([network] + [spell(sizes[name]) for name in names])


def print_brief(program, folder, batch):
    print_allocators(program, folder, batch, BRIEF,
                     lambda size: f"{size / 2**20:,.1f}")


def print_swap(program, folder, batch):
    for title, rate in RATES:
        print_row([f"batch {batch}, {title}", "", "no swap"] + MODES)
        print_row(["---"] * (len(MODES) + 3))
        for name, trace in networks(folder, batch):
            swap = simulate_swap(program, name, trace, batch, rate)
            runs = [swap] + swap["modes"]
            print_row([name, "ms"] +
                      [f"{r['nanoseconds'] / 1e6:.1f}" for r in runs])
            print_row(["", "pool64"] +
                      [f"{r['reserved']['pool64']:,}" for r in runs])
            print_row(["", "memplan"] +
                      [f"{r['arena_size']:,}" for r in runs])
        print()


def passes(name):
    return ["--forward-end", FORWARD_END[name]] if name in FORWARD_END else []


def simulate_swap(program, name, trace, batch, rate):
    return ask(program, "simulate", trace, "--batch", batch, "--swap",
               "--write-rate", rate, "--read-rate", rate, *passes(name))


def plan_budget(program, name, trace, batch, rate, budget, *options):
    """The plan as JSON; where none was found, the program's message."""
    answer = subprocess.run(
        [program, "plan", trace, "--json", "--quiet", "--batch", batch,
         "--budget", str(budget), "--write-rate", str(rate), "--read-rate",
         str(rate), *map(str, passes(name)), *options],
        capture_output=True, text=True, check=False)
    if answer.returncode in (1, 4):
        return answer.stderr.strip().splitlines()[-1]
    if answer.returncode:
        sys.exit(answer.stderr)
    return json.loads(answer.stdout)


def milliseconds(nanoseconds):
    return f"{nanoseconds / 1e6:.0f}"


def budget_cells(program, name, trace, batch, rate, budget):
    plans = [plan_budget(program, name, trace, batch, rate, budget, *options)
             for _, options, _ in WAYS]
    if isinstance(plans[0], str):
        return ["no: " + plans[0].partition(": ")[2]]
    return ["none" if isinstance(p, str) else
            f"{p['arena_size']:,} +"
            + milliseconds(p["run_nanoseconds"] - p["run_nanoseconds_before"])
            for p in plans]


def print_budgets(program, folder, batch):
    title, rate = RATES[0]
    print_row([f"batch {batch}, {title}", "budget"] +
              [way for way, _, _ in WAYS])
    print_row(["---"] * (len(WAYS) + 2))
    for name, trace in networks(folder, batch):
        swap = simulate_swap(program, name, trace, batch, rate)
        maps = {mode["name"]: mode for mode in swap["modes"]}
        every = [maps[mode] if mode else None for _, _, mode in WAYS]
        print_row([name, "every map"] +
                  ["" if not mode else f"{mode['arena_size']:,} +"
                   + milliseconds(mode["nanoseconds"] - swap["nanoseconds"])
                   for mode in every])
        for share in SHARES:
            budget = swap["theoretical_min"] * share // 100
            print_row(["", f"{share} %: {budget:,}"] + budget_cells(
                program, name, trace, batch, rate, budget))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--batch", default="4")
    for option, show in (("--brief", print_brief), ("--swap", print_swap),
                         ("--budget", print_budgets)):
        parser.add_argument(option, dest="show", action="store_const",
                            const=show, default=print_allocators)
    given = parser.parse_args()
    given.show(given.program, given.folder, given.batch)


if __name__ == "__main__":
    main()
