#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random TFLite models with IFs, WHILEs and CALL_ONCEs in each other, run as TFLM
runs them on the offsets that memplan writes into them.

    test_tflite_flow.py MEMPLAN [MODELS]

Subgraphs see their own tensors only: an op that calls one copies its tensors in
and out, one after the other. Each reader must find what was written last. Of
what memplan writes only the offsets are used. Every plan is run several times,
with other branches and other numbers of iterations. Prints TAP.
"""

import itertools
import json
import pathlib
import random
import sys
import tempfile

import harness
import make_tflite
import tflm_model

MEMPLAN = sys.argv[1]
MODELS = int(sys.argv[2]) if len(sys.argv) > 2 else 30
RUNS = 8
DEEPEST = 4
UNIT = 16  # bytes that TFLM aligns to
SIZES = (4, 8, 12, 32)  # elements of a tensor


class Maker:
    """A description for make_tflite.py."""

    def __init__(self, seed):
        self.rng, self.names = random.Random(seed), itertools.count()
        self.parts = []
        self.subgraph(0, self.sizes(), self.sizes())

    def sizes(self):
        return [self.rng.choice(SIZES) for _ in range(self.rng.randint(1, 3))]

    def tensor(self, part, size, **keys):
        name = f"t{next(self.names)}"
        part["tensors"].append({"name": name, "shape": [size], **keys})
        return name

    def size(self, part, name):
        return next(one["shape"][0] for one in part["tensors"]
                    if one["name"] == name)

    def pick(self, part, size=None):
        """A tensor that is written, of late ones rather, or a constant."""
        seen = [name for name in part["seen"]
                if size in (None, self.size(part, name))]
        if not seen or self.rng.random() < 0.1:
            size = size or self.rng.choice(SIZES)
            return self.tensor(part, size, data=4 * size)
        return seen[-1 - int(len(seen) * self.rng.random() ** 2)]

    def op(self, part, name, inputs, sizes, calls=()):
        outputs = [self.tensor(part, size) for size in sizes]
        part["ops"].append({"op": name, "inputs": inputs, "outputs": outputs,
                            **({"calls": list(calls)} if calls else {})})
        part["seen"] += outputs
        return outputs

    def subgraph(self, depth, inputs, outputs, condition=False):
        part = {"tensors": [], "ops": [], "seen": []}
        number = len(self.parts)
        self.parts.append(part)
        part["inputs"] = [self.tensor(part, size) for size in inputs]
        part["seen"] += part["inputs"]
        if depth == 0:
            self.op(part, "CONCATENATION", part["inputs"], [sum(inputs)])
        for _ in range(self.rng.randint(0 if depth else 2, 3)):
            self.fill(part, depth)
        if condition:
            go = self.tensor(part, 1, type="BOOL")
            part["ops"].append({"op": "LESS", "inputs": [self.pick(part)],
                                "outputs": [go]})
            part["outputs"] = [go]
        else:
            part["outputs"] = [self.result(part, size) for size in outputs]
        return number

    def result(self, part, size):
        """An output of a subgraph; it may be an input of it."""
        if self.rng.random() < 0.4:
            return self.pick(part, size)
        return self.op(part, "FULLY_CONNECTED", [self.pick(part)], [size])[0]

    def fill(self, part, depth):
        kind = self.rng.choice(("plain", "plain", "if", "while", "once"))
        if depth == DEEPEST or kind == "plain":
            self.plain(part)
        else:
            getattr(self, kind + "_op")(part, depth + 1)

    def plain(self, part):
        first = self.pick(part)
        kind = self.rng.choice(("RESHAPE", "ADD", "SOFTMAX"))
        inputs = [first, self.pick(part)] if kind == "ADD" else [first]
        size = self.size(part, first) if kind == "RESHAPE" \
            else self.rng.choice(SIZES)
        self.op(part, kind, inputs, [size])

    def if_op(self, part, depth):
        inputs = [self.pick(part) for _ in range(self.rng.randint(0, 2))]
        sizes, outputs = [self.size(part, name) for name in inputs], self.sizes()
        go = self.op(part, "LESS", [self.pick(part)], [1])[0]
        part["tensors"][-1]["type"] = "BOOL"
        part["seen"].remove(go)
        self.op(part, "IF", [go, *inputs], outputs,
                [self.subgraph(depth, sizes, outputs) for _ in range(2)])

    def while_op(self, part, depth):
        inputs = [self.pick(part) for _ in range(self.rng.randint(1, 3))]
        sizes = [self.size(part, name) for name in inputs]
        self.op(part, "WHILE", inputs, sizes,
                [self.subgraph(depth, sizes, [], True),
                 self.subgraph(depth, sizes, sizes)])

    def once_op(self, part, depth):
        self.op(part, "CALL_ONCE", [], [], [self.subgraph(depth, [], [])])


class Run:
    """The arena: what was written last, in each unit of it."""

    def __init__(self, parts, place, rng):
        self.parts, self.place, self.rng = parts, place, rng
        self.arena, self.content, self.fresh = {}, {}, itertools.count()

    def units(self, name):
        offset, size = self.place[name]
        assert offset % UNIT == 0, f"{name} is at {offset}"
        return range(offset // UNIT, -(-(offset + size) // UNIT))

    def write(self, name, content):
        self.content[name] = content
        if name in self.place:
            for unit in self.units(name):
                self.arena[unit] = content

    def read(self, name):
        if name not in self.place:
            return name  # a constant
        for unit in self.units(name):
            assert self.arena.get(unit) == self.content[name], \
                f"{name}: byte {UNIT * unit} is overwritten"
        return self.content[name]

    def copy(self, sources, targets):
        for source, target in zip(sources, targets):
            self.write(target, self.read(source))

    def call(self, number):
        part = self.parts[number]
        for op in part["ops"]:
            getattr(self, "run_" + op["op"].lower(), self.compute)(op)
        return part["outputs"]

    def compute(self, op):
        for name in op["inputs"]:
            self.read(name)
        for name in op["outputs"]:
            self.write(name, next(self.fresh))
        if op["op"] != "RESHAPE":
            for name in op["inputs"]:
                self.read(name)  # kernels may read to their end

    def run_if(self, op):
        """Older kernels write the op's inputs again at the end."""
        self.read(op["inputs"][0])
        number, inputs = self.rng.choice(op["calls"]), op["inputs"][1:]
        self.copy(inputs, self.parts[number]["inputs"])
        self.copy(self.call(number), op["outputs"])
        if self.rng.random() < 0.5:
            self.copy(inputs, inputs)
        for name in op["outputs"]:
            self.read(name)

    def run_while(self, op):
        """Older kernels fill the op's outputs behind the first condition."""
        condition, body = op["calls"]
        early = self.rng.random() < 0.5
        self.copy(op["inputs"], self.parts[condition]["inputs"])
        if early:
            self.copy(op["inputs"], op["outputs"])
        self.read(*self.call(condition))
        if not early:
            self.copy(op["inputs"], op["outputs"])
        for _ in range(self.rng.randint(0, 3)):
            self.copy(op["outputs"], self.parts[body]["inputs"])
            self.copy(self.call(body), op["outputs"])
            self.copy(op["outputs"], self.parts[condition]["inputs"])
            self.read(*self.call(condition))
        for name in op["outputs"]:
            self.read(name)

    def run_call_once(self, op):
        if self.rng.random() < 0.5:
            self.call(*op["calls"])


def play(parts, place, rng):
    run = Run(parts, place, rng)
    for name in parts[0]["inputs"]:
        run.write(name, next(run.fresh))
    for name in run.call(0):
        run.read(name)


def holds(seed, options, folder):
    parts = Maker(seed).parts
    model, out = folder / "m.tflite", folder / "out.tflite"
    model.write_bytes(make_tflite.model_of({"subgraphs": parts}))
    harness.run(MEMPLAN, "plan", model, "--quiet", "--target", "tflm", *options,
                "-o", out, "-o", folder / "plan.json")
    harness.run(MEMPLAN, "check", out)
    harness.run(MEMPLAN, "check", folder / "plan.json", model)
    seen = tflm_model.Model(out.read_bytes())
    place = {tensor.name: (offset, tensor.size)
             for tensor, offset in zip(seen.tensors, seen.offsets())
             if offset >= 0}
    for k in range(RUNS):
        play(parts, place, random.Random(RUNS * seed + k))
    plan = json.loads((folder / "plan.json").read_text("utf-8"))
    codes = [op["op"] for part in parts for op in part["ops"]]
    assert len(plan.get("loops", [])) == codes.count("WHILE"), "loops"
    found = harness.result(MEMPLAN, "plan", model, "--planner", "tflm-greedy",
                           "--inplace", "off", "--target",
                           "tflm")["arena_size"]
    assert seen.greedy() == found, f"TFLM {seen.greedy()}, row {found}"


def faults(options):
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(MODELS):
            for fault in harness.faults_of(
                    holds, (seed, options, pathlib.Path(folder))):
                yield f"seed {seed}: {fault}"


def cases():
    for options in ([], ["--inplace", "off"], ["--planner", "climb"]):
        yield (" ".join([f"{MODELS} models", *options]), faults, options)


if __name__ == "__main__":
    harness.tap(cases())
