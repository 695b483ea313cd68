#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the alternatives cost on traces of real networks, as Markdown.

    alternatives.py MEMPLAN FOLDER [--batch B] [--swap]

FOLDER has one folder a network with NAME.io_info.json and, for the batch, its
companions, as HeuristicAllocator publishes them. Without --swap: a table of
networks and allocators; with it: of networks and copy modes. Every figure is
asked of MEMPLAN, none is stored here.
"""

import argparse
import json
import pathlib
import subprocess
import sys

# Published code of HeuristicAllocator: 100 GiB in 275106.1875 ms.
RATES = [("390.3 MB/s", 390300808), ("23.4 MB/s", 23381507)]
MODES = ["sync", "semi", "async", "async-late"]
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
    return [simulated["total_size"], reserved["bfc"], reserved["bfc-one"],
            reserved["mindspore-one"], reserved["pool64"], arena["two-level"],
            arena["somas"], simulated["arena_size"],
            simulated["theoretical_min"]]


def print_row(cells):
    print("| " + " | ".join(cells) + " |")


def print_allocators(program, folder, batch):
    heads = ["no reuse", "BFC", "BFC, one region", "MindSpore pool", "pool64",
             "GE two-level", "SOMAS", "memplan", "minimum"]
    print_row([f"batch {batch}"] + heads)
    print_row(["---"] * (len(heads) + 1))
    for name, trace in networks(folder, batch):
        sizes = allocators(program, trace, batch)
        print_row([name] + [f"{size:,}" for size in sizes])


def print_swap(program, folder, batch):
    for title, rate in RATES:
        print_row([f"batch {batch}, {title}", "", "no swap"] + MODES)
        print_row(["---"] * (len(MODES) + 3))
        for name, trace in networks(folder, batch):
            end = FORWARD_END.get(name)
            options = ["--forward-end", end] if end else []
            swap = ask(program, "simulate", trace, "--batch", batch, "--swap",
                       "--write-rate", rate, "--read-rate", rate, *options)
            runs = [swap] + swap["modes"]
            print_row([name, "ms"] +
                      [f"{r['nanoseconds'] / 1e6:.1f}" for r in runs])
            print_row(["", "pool64"] +
                      [f"{r['reserved']['pool64']:,}" for r in runs])
            print_row(["", "memplan"] +
                      [f"{r['arena_size']:,}" for r in runs])
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--batch", default="4")
    parser.add_argument("--swap", action="store_true")
    given = parser.parse_args()
    show = print_swap if given.swap else print_allocators
    show(given.program, given.folder, given.batch)


if __name__ == "__main__":
    main()
