#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random ONNX models with Ifs, Loops and Scans in each other, run on their plans.

    test_onnx_flow.py MEMPLAN [MODELS]

A model is run as ONNX defines it, on the places of the plan: each value is
written to its bytes when it is computed, and each reader must find it there.
Of the plan only names, offsets and sizes are used. Every plan is run several
times, with other branches and other numbers of iterations. Prints TAP.
"""

import itertools
import json
import pathlib
import random
import sys
import tempfile

import harness
from onnx_model import BOOL, INT64, graph, model, node, value

MEMPLAN = sys.argv[1]
MODELS = int(sys.argv[2]) if len(sys.argv) > 2 else 60
RUNS = 6
DEEPEST = 3
N = 16  # elements of a value: a unit of the alignment


class Body:
    """A graph: its inputs, nodes and outputs, by their names."""

    def __init__(self, prefix=""):
        self.prefix = prefix
        self.inputs, self.steps, self.outputs = [], [], []


class Maker:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.seed, self.names = seed, itertools.count()
        self.rows, self.go, self.trips = (self.name() for _ in range(3))

    def name(self):
        return f"m{self.seed}v{next(self.names)}"

    def pick(self, seen):
        """A value that can be seen, of late ones rather."""
        return seen[-1 - int(len(seen) * self.rng.random() ** 2)]

    def fill(self, body, seen, depth):
        """Nodes for a body that sees the values in front of it."""
        seen = seen + body.inputs
        for _ in range(self.rng.randint(1, 4)):
            kind = self.rng.choice(("Neg", "Neg", "Add", "Identity", "If",
                                    "Loop", "Scan"))
            if kind in ("If", "Loop", "Scan") and depth < DEEPEST:
                step = getattr(self, "make_" + kind.lower())(seen, depth)
            else:
                kind = kind if kind in ("Neg", "Add") else "Identity"
                step = {"kind": kind, "outputs": [self.name()], "inputs": [
                    self.pick(seen) for _ in range(1 + (kind == "Add"))]}
            step["name"] = f"n{next(self.names)}"
            body.steps.append(step)
            seen = seen + [name for name in step["outputs"] if name]
        return seen

    def body(self, seen, depth, n_inputs, n_outputs):
        body = Body(self.name())
        body.inputs = [self.name() for _ in range(n_inputs)]
        inner = self.fill(body, seen, depth + 1)
        body.outputs = [self.pick(inner) for _ in range(n_outputs)]
        return body

    def make_if(self, seen, depth):
        n = self.rng.randint(1, 2)
        return {"kind": "If", "inputs": [self.go],
                "outputs": [self.name() for _ in range(n)],
                "bodies": [self.body(seen, depth, 0, n) for _ in range(2)]}

    def make_loop(self, seen, depth):
        n = self.rng.randint(1, 3)
        return {"kind": "Loop", "inputs": [self.pick(seen) for _ in range(n)],
                "outputs": [self.name() if self.rng.random() < 0.8 else ""
                            for _ in range(n)],
                "trips": self.trips, "bodies": [self.body(seen, depth, n, n)]}

    def make_scan(self, seen, depth):
        step = self.make_loop(seen, depth)
        step["kind"], step["rows"] = "Scan", self.rows
        step["all"] = self.name()  # what is collected
        body = step["bodies"][0]
        body.entry = self.name()
        body.steps.insert(0, {"kind": "Neg", "inputs": [body.entry],
                              "outputs": [self.name()], "name": self.name()})
        body.outputs.append(body.steps[0]["outputs"][0])
        return step


# ---------------------------------------------------------------- writing


def written(step):
    kind, name = step["kind"], step["name"]
    if kind == "If":
        return node(kind, step["inputs"], step["outputs"], name,
                    then_branch=as_graph(step["bodies"][0]),
                    else_branch=as_graph(step["bodies"][1]))
    if kind == "Loop":
        return node(kind, [step["trips"], "", *step["inputs"]], step["outputs"],
                    name, body=as_graph(step["bodies"][0], ["i", "c"], ["c"]))
    if kind == "Scan":
        return node(kind, [*step["inputs"], step["rows"]],
                    [*step["outputs"], step["all"]], name, num_scan_inputs=1,
                    body=as_graph(step["bodies"][0], [], [],
                                  [step["bodies"][0].entry]))
    return node(kind, step["inputs"], step["outputs"], name)


def as_graph(body, before=(), handed=(), entries=()):
    kinds = {"i": INT64, "c": BOOL}
    return graph([written(step) for step in body.steps],
                 [value(body.prefix + name, [], kinds[name]) for name in before] +
                 [value(name, [N]) for name in [*body.inputs, *entries]],
                 [value(body.prefix + name) for name in handed] +
                 [value(name) for name in body.outputs])


# ---------------------------------------------------------------- running

class Run:
    """The arena: of each byte the content that was written last."""

    def __init__(self, plan, rng):
        self.place = {t["name"].rpartition("/")[2]: (t["offset"], t["size"])
                      for t in plan["tensors"]}
        self.arena, self.content, self.rng = {}, {}, rng
        self.fresh, self.going = itertools.count(), {}
        self.trips = rng.randint(0, 3)

    def cells(self, name):
        offset, size = self.place[name]
        return range(offset // 64, (offset + size + 63) // 64)

    def write(self, name, content):
        self.content[name] = content
        for cell in self.cells(name):
            self.arena[cell] = content

    def read(self, name):
        for cell in self.cells(name):
            assert self.arena.get(cell) == self.content[name], \
                f"{name}: byte {64 * cell} is overwritten"
        return self.content[name]

    def go(self, steps):
        for step in steps:
            getattr(self, "run_" + step["kind"].lower(), self.compute)(step)

    def compute(self, step):
        name, = step["outputs"]
        kind, inputs = step["kind"], step["inputs"]
        contents = [self.read(each) for each in inputs]
        out = self.cells(name)
        for each in inputs:
            assert out == self.cells(each) or \
                not set(out) & set(self.cells(each)), \
                f"{name} takes some of the bytes of {each}"
        self.write(name, contents[0] if kind == "Identity"
                   else (kind, *contents))

    def hand(self, sources, targets):
        """Values are copied, each target is then there. No target has bytes of
        another source, unless that is a target too: two that swap."""
        contents = [self.read(name) for name in sources]
        there = [pair for pair in zip(targets, contents) if pair[0]]
        places = [self.cells(name) for name, _ in there]
        for i, name in enumerate(sources):
            if self.cells(name) in places:
                continue
            for k, target in enumerate(targets):
                assert k == i or not target or not set(self.cells(name)) \
                    & set(self.cells(target)), f"{target} is {name}'s"
        for name, content in there:
            self.write(name, content)
        for name, _ in there:
            self.read(name)

    def run_if(self, step):
        self.read(*step["inputs"])
        body = self.rng.choice(step["bodies"])
        self.go(body.steps)
        for source, target in zip(body.outputs, step["outputs"]):
            self.hand([source], [target])

    def run_loop(self, step):
        body = step["bodies"][0]
        self.hand(step["inputs"], body.inputs)
        for _ in range(self.trips):
            self.iterate(step, body)
        self.hand(body.inputs, step["outputs"])

    def iterate(self, step, body):
        self.go(body.steps)
        self.hand(body.outputs[:len(step["inputs"])], body.inputs)

    def run_scan(self, step):
        body = step["bodies"][0]
        self.hand(step["inputs"], body.inputs)
        self.write(step["all"], ("room", next(self.fresh)))
        for i in range(3):
            self.read(step["rows"])
            self.write(body.entry, ("row", i))
            self.go(body.steps)
            self.read(body.outputs[-1])
            self.read(step["all"])
            self.hand(body.outputs[:len(step["inputs"])], body.inputs)
        self.hand(body.inputs, step["outputs"])


def random_model(seed):
    maker = Maker(seed)
    top = Body()
    top.inputs = [maker.name() for _ in range(2)]
    top.outputs = maker.fill(top, [], 0)[-2:]
    top.outputs += [step["all"] for step in top.steps if "all" in step]
    top.given = [*top.inputs, maker.rows, maker.go, maker.trips]
    return top, model(graph(
        [written(step) for step in top.steps],
        [value(name, [N]) for name in top.inputs] +
        [value(maker.rows, [3, N]), value(maker.go, [], BOOL),
         value(maker.trips, [], INT64)],
        [value(name) for name in top.outputs]))


def play(top, plan, rng):
    run = Run(plan, rng)
    for name in top.given:
        if name in run.place:
            run.write(name, name)
    run.go(top.steps)
    for name in top.outputs:
        if name in run.place:
            run.read(name)


def holds(seeds, options):
    models = [random_model(seed) for seed in seeds]
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/m{seed}.onnx" for seed in seeds]
        for file, (_, data) in zip(files, models):
            pathlib.Path(file).write_bytes(data)
        plan = json.loads(harness.run(
            MEMPLAN, "plan", *files, "--quiet", "--align", "64", *options,
            "-o", "-").stdout)
    for top, _ in models:
        for k in range(RUNS):
            play(top, plan, random.Random(RUNS * seeds[0] + k))


def cases():
    for n, row in ((1, []), (1, ["--inplace", "off"]), (1, ["--views", "copy"]),
                   (2, ["--together", "serial"]),
                   (2, ["--together", "concurrent"])):
        yield (f"{MODELS} times {n}: {' '.join(row)}",
               lambda n=n, row=row: [
                   f"seed {seed}: {fault}" for seed in range(MODELS)
                   for fault in harness.faults_of(
                       holds, (range(seed, seed + n), row))])


if __name__ == "__main__":
    harness.tap(cases())
