#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A graph with what real deployments have and its exporter does not say.

    vary_graph.py groups|aligned|streams GRAPH [--seed S] > VARIED

groups: a third of the activations are tied into contiguous groups of four, in the
sequence of the list, as collectives ask for; aligned: a fifth of them are aligned
to 4,096 bytes; streams: runs of up to 20 ops go to one of four streams. All by
chance, the same for the same seed.
"""

import argparse
import json
import random
import sys

GROUP = 4


def is_activation(tensor):
    return (tensor.get("kind", "activation") == "activation"
            and tensor.get("size", 0) > 0 and not tensor.get("external"))


def add_groups(graph, chance):
    tied = {end for op in graph["ops"] for pair in op.get("inplace", [])
            for end in pair}
    produced = {out for op in graph["ops"] for out in op.get("outputs", [])}
    free = [tensor["id"] for tensor in graph["tensors"]
            if is_activation(tensor)
            and tensor["id"] in produced and tensor["id"] not in tied]
    groups = []
    while len(free) >= GROUP:
        if chance.random() < 0.3:
            groups.append({"members": free[:GROUP]})
            free = free[GROUP:]
        else:
            free = free[1:]
    graph["groups"] = groups


def add_alignments(graph, chance):
    for tensor in graph["tensors"]:
        if is_activation(tensor) and chance.random() < 0.2:
            tensor["align"] = 4096


def add_streams(graph, chance):
    left = 0
    for op in graph["ops"]:
        if left == 0:
            stream, left = chance.randrange(4), chance.randint(1, 20)
        op["stream"] = stream
        left -= 1


KINDS = {"groups": add_groups, "aligned": add_alignments,
         "streams": add_streams}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("graph")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with open(arguments.graph, encoding="utf-8") as file:
        graph = json.load(file)
    KINDS[arguments.kind](graph, random.Random(arguments.seed))
    json.dump(graph, sys.stdout)
    print()


if __name__ == "__main__":
    main()
