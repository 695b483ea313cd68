#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes XLA's HloProto of the text dumps of the same module.

    make_hlo.py NAME-buffer-assignment.txt NAME-live-range.txt [-o NAME.hlo.pb]

For tests: XLA writes such files with --xla_dump_hlo_as_proto. A value that has
the place of one that is alive too shares it.
"""

import argparse
import pathlib
import re

from onnx_model import field, fields

ALLOCATION = re.compile(r"^allocation (\d+): size (\d+), (.*):$")
VALUE = re.compile(r"^ value: <(\d+) (\S+)(?: \(phi\))? @\d+> "
                   r"\(size=(\d+),offset=(\d+)\)")
LIFE = re.compile(r"^    (\S+):(\d+)-(\d+)$")
STEP = re.compile(r"^    (\d+):(\S+)$")
KINDS = {"parameter": 5, "maybe-live-out": 7, "constant": 12,
         "thread-local": 3}
ALLOC, FREE, SHARE = 0, 1, 2


def read_assignment(text):
    """Allocations (index, size, kind, values), values (id, name, size,
    offset)."""
    allocations = []
    for line in text.splitlines():
        if found := ALLOCATION.match(line):
            allocations.append((int(found[1]), int(found[2]), found[3], []))
        elif found := VALUE.match(line):
            allocations[-1][3].append((int(found[1]), found[2], int(found[3]),
                                       int(found[4])))
    return allocations


def read_lives(text):
    """Of a value with its braces: first and last step. Names of steps."""
    lives = {found[1]: (int(found[2]), int(found[3]))
             for found in map(LIFE.match, text.splitlines()) if found}
    return lives, [found[2] for found in map(STEP.match, text.splitlines())
                   if found]


def split(name):
    """An instruction, and the index of a value in its tuple."""
    base, _, index = name.partition("{")
    return base, [int(i) for i in index.strip("}").split(",") if i]


def event(kind, value, shares=None):
    return (field(1, kind) + field(2, value[0]) +
            field(4, split(value[1])[0]) + field(5, shares))


def events(values, lives, n_steps):
    """What a simulation does step by step: allocates, then frees."""
    def life(value):
        name = value[1]
        first, last = lives[name if name.endswith("}") else f"{name}{{}}"]
        return first, min(last, n_steps - 1)

    there = []
    for step in range(n_steps):
        for value in values:
            if life(value)[0] == step:
                same = [v for v in there if v[3] == value[3]]
                yield event(SHARE if same else ALLOC, value,
                            same[0][0] if same else None)
                there.append(value)
        for value in [v for v in there if life(v)[1] == step]:
            yield event(FREE, value)
            there.remove(value)


def buffer(value):
    base, index = split(value[1])
    return field(1, value[0]) + field(2, value[2]) + field(
        3, field(2, base) + fields(3, index))


def allocation(given):
    index, size, kind, values = given
    return (field(1, index) + field(2, size) +
            b"".join(field(number, 1) for word, number in KINDS.items()
                     if word in kind) +
            fields(9, (field(1, v[0]) + field(2, v[3]) + field(3, v[2])
                       for v in values)))


def proto_of(assignment, ranges):
    allocations = read_assignment(assignment)
    lives, steps = read_lives(ranges)
    traces = [field(2, 1) + field(3, given[0]) +
              fields(1, events(given[3], lives, len(steps)))
              for given in allocations if "preallocated-temp" in given[2]]
    return field(1, field(1, "module")) + field(3, (
        fields(1, (buffer(v) for given in allocations for v in given[3])) +
        fields(3, map(allocation, allocations)) + fields(4, traces)))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("assignment", type=pathlib.Path)
    parser.add_argument("ranges", type=pathlib.Path)
    parser.add_argument("-o", dest="out", type=pathlib.Path)
    given = parser.parse_args()
    out = given.out or given.assignment.with_suffix(".hlo.pb")
    out.write_bytes(proto_of(given.assignment.read_text("utf-8"),
                             given.ranges.read_text("utf-8")))


if __name__ == "__main__":
    main()
