#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a program of ExecuTorch of a description.

    make_pte.py DESCRIPTION.json [-o PROGRAM.pte]

For tests. A description is a list of methods, each an object:

    name        a text
    values      a list of {tensor: sizes, at: [memory, offset], type},
                {list: values}, {} for what is no tensor
    inputs      a list of indices of values; and so outputs
    memories    bytes of memories 1, 2, ...
    code        a list of instructions: [operator, value, ...], or
                ["delegate", value, ...], ["move", from, to],
                ["jump", condition, instruction], ["free", value]

A tensor without `at` is a constant; the type is 6, FLOAT, unless it says another.
"""

import argparse
import json
import pathlib
import struct

from make_tflite import Numbers, Table, Tables, flatbuffer, pad, text

TENSOR, TENSOR_LIST, NONE = 5, 10, 1
KINDS = {"delegate": 2, "move": 3, "jump": 4, "free": 5}


class Longs:
    """A vector of 64-bit numbers."""

    def __init__(self, values):
        self.values = values

    def put(self, out, _):
        pad(out, 8, 4)
        out += struct.pack(f"<I{len(self.values)}q", len(self.values),
                           *self.values)
        return len(out) - 4 - 8 * len(self.values)


def value(given):
    if "list" in given:
        return Table(f0=(1, TENSOR_LIST), f1=Table(f0=Numbers(given["list"])))
    if "tensor" not in given:
        return Table(f0=(1, NONE), f1=Table())
    memory, offset = given.get("at", (0, 0))
    place = Table(f0=(4, memory), f1=(4, offset % 2**32),
                  f2=(4, offset >> 32)) if "at" in given else None
    return Table(f0=(1, TENSOR), f1=Table(
        f0=(1, given.get("type", 6)), f2=Numbers(given["tensor"]),
        f5=None if place else (4, 1), f6=place,
        f8=(1, given.get("dynamism", 0))))


def instruction(names, given):
    kind, *values = given
    if kind == "delegate":
        call = Table(f0=(4, 0), f1=Numbers(values))
    elif kind in KINDS:
        call = Table(**{f"f{i}": (4, v) for i, v in enumerate(values)})
    else:
        call = Table(f0=(4, names.index(kind)), f1=Numbers(values))
    return Table(f0=(1, KINDS.get(kind, 1)), f1=call)


def operator(name):
    base, _, overload = name.partition(".")
    return Table(f0=text(base), f1=text(overload or None))


def method(given):
    names = sorted({each[0] for each in given["code"]} - set(KINDS))
    return Table(
        f0=text(given["name"]),
        f2=Tables([value(each) for each in given["values"]]),
        f3=Numbers(given["inputs"]), f4=Numbers(given["outputs"]),
        f5=Tables([Table(f2=Tables([instruction(names, each)
                                    for each in given["code"]]))]),
        f6=Tables([operator(name) for name in names]),
        f8=Longs([0, *given["memories"]]))


def program_of(given):
    return flatbuffer(Table(f1=Tables([method(each) for each in given])),
                      b"ET12")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("description", type=pathlib.Path)
    parser.add_argument("-o", dest="program", type=pathlib.Path)
    given = parser.parse_args()
    out = given.program or given.description.with_suffix(".pte")
    out.write_bytes(program_of(json.loads(
        given.description.read_text("utf-8"))))


if __name__ == "__main__":
    main()
