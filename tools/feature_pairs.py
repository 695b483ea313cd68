#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/features.md: which two features go together, and why others do not.

    feature_pairs.py MEMPLAN SOURCE [--check]

A small graph is planned for each pair of the rows below, and the plan is
checked. A row says what it adds to the graph or to the command line. --check
writes nothing; exit 1 if the page is not what it would be, or if more than one
pair in twenty is refused.
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile


PAGE = "docs/features.md"
MOST_REFUSED = 0.05
HEAD = """\
# Feature by feature

`tools/feature_pairs.py` writes this page: it plans a small graph for each pair of the
features below, and checks the plan. A test holds the page. Of {pairs} pairs {works} work,
and {refused} are refused ({share:.1f} %).

A dot is a pair that works. A letter is a pair that is refused, and says why below. Two
outputs, two commands and two ways of one option are no pair. A command takes the graph,
or the plan that the option made.

```
{table}
```
"""
REASON = """
## What is refused

| | pairs | exit status | what is said |
|---|---:|---:|---|
"""


# ------------------------------------------------------------------- the graph

def base():
    """`rest` is not needed while the others are largest, so it could leave, and
    `x` is there to make it again."""
    return {
        "format": "memplan.graph", "version": 1, "name": "net", "alignment": 64,
        "tensors": [
            {"name": "x", "size": 1024, "kind": "input"},
            {"name": "rest", "size": 8192},
            {"name": "a", "size": 8192},
            {"name": "b", "size": 8192},
            {"name": "c", "size": 4096},
            {"name": "y", "size": 1024, "kind": "output"},
        ],
        "ops": [
            {"name": "stem", "inputs": ["x"], "outputs": ["rest"], "cost_ms": 1},
            {"name": "up", "inputs": ["rest"], "outputs": ["a"], "cost_ms": 1},
            {"name": "mid", "inputs": ["a"], "outputs": ["b"], "cost_ms": 1},
            {"name": "down", "inputs": ["b"], "outputs": ["c"], "cost_ms": 1},
            {"name": "join", "inputs": ["c", "rest", "x"], "outputs": ["y"],
             "cost_ms": 1},
        ],
    }


def tensor(graph, name):
    return next(t for t in graph["tensors"] if t["name"] == name)


def op(graph, name):
    return next(o for o in graph["ops"] if o["name"] == name)


def add(graph, *names, size=512, **more):
    graph["tensors"] += [{"name": n, "size": size, **more} for n in names]


def in_place(graph):
    op(graph, "down")["inplace"] = [["c", "b"]]


def view(graph):
    add(graph, "head", alias={"of": "b", "offset": 0})
    op(graph, "down")["inputs"].append("head")


def alias_that_writes(graph):
    add(graph, "scaled", size=4096, alias={"of": "c", "writes": True})
    graph["ops"].insert(4, {"name": "scale", "inputs": ["c"],
                            "outputs": ["scaled"], "cost_ms": 1})
    op(graph, "join")["inputs"][0] = "scaled"


def group(graph):
    add(graph, "left", "right")
    op(graph, "down")["outputs"] += ["left", "right"]
    op(graph, "join")["inputs"] += ["left", "right"]
    graph["groups"] = [{"members": ["left", "right"], "after": 64}]


def fixed_offset(graph):
    add(graph, "port", offset=1024)
    op(graph, "join")["outputs"].append("port")


def fixed_lifetime(graph):
    add(graph, "line", lifetime=[1, 3])


def gaps(graph):
    add(graph, "cache", lifetime=[0, 5], gaps=[[2, 3]])


def reserved(graph):
    graph.setdefault("reserved", []).append({"offset": 0, "size": 512})


def apart(graph):
    graph["apart"] = [["b", "y"]]


def reuse_cost(graph):
    graph["reuse_cost"] = [["a", "c", 3]]


def exclusive(graph):
    add(graph, "then", "else")
    op(graph, "down")["outputs"] += ["then", "else"]
    op(graph, "join")["inputs"] += ["then", "else"]
    graph["exclusive"] = [[["then"], ["else"]]]


def loop(graph):
    graph["loops"] = [{"first": "mid", "last": "down"}]


def state(graph):
    add(graph, "mean", kind="state")
    op(graph, "join")["inputs"].append("mean")


def lifelong(graph):
    add(graph, "log", lifelong="all")
    op(graph, "join")["outputs"].append("log")


def streams(graph):
    add(graph, "side")
    graph["ops"].insert(3, {"name": "beside", "inputs": ["a"], "outputs": ["side"],
                            "stream": 1, "cost_ms": 1})
    op(graph, "join")["inputs"].append("side")


def temporaries(graph):
    op(graph, "join")["temporaries"] = [256, {"size": 100, "align": 128}]


def outputs_outside(graph):
    graph["outputs"] = "external"


def constraints(graph):
    graph["first"], graph["barriers"] = ["stem"], ["mid"]


POOLS = [{"name": "sram", "capacity": 16384}, {"name": "dram", "alignment": 128}]


def pools(graph):
    graph["pools"] = copy.deepcopy(POOLS)


def name_pool(graph):
    """What a graph with pools must say: where bytes are."""
    for each in graph.get("reserved", []):
        each["pool"] = graph["pools"][0]["name"]
    for each in graph["tensors"]:
        if "offset" in each:
            each["pools"] = [graph["pools"][0]["name"]]


def chunks(graph):
    graph["pools"] = [{"name": "near", "capacity": 4096},
                      {"name": "far", "chunk": 16384}]


def banks(graph):
    graph["pools"] = copy.deepcopy(POOLS)
    graph["pools"][0]["banks"] = {"size": 512, "count": 16}


# ------------------------------------------------------------------------- rows

class Row:
    """A feature: what it does to a graph, or says on a command line."""

    def __init__(self, name, *, graph=None, option=None, of=None, output=None,
                 command=None, takes=(), sized=False):
        self.name, self.graph, self.option = name, graph, option
        self.takes = takes  # of this option, commands that need it too
        self.sized = sized or of == "budget"  # it depends on the arena's size
        self.output, self.command = output, command
        self.kind = of or output and "output" or command and "command" or name


def quarter_less(size):
    return str(size * 3 // 4)


def budget(*more):
    return lambda size: ["--budget", quarter_less(size), *more]


ROWS = [
    Row("in-place pairs", graph=in_place),
    Row("views", graph=view),
    Row("aliases that write", graph=alias_that_writes),
    Row("groups", graph=group),
    Row("fixed offsets", graph=fixed_offset),
    Row("fixed lifetimes", graph=fixed_lifetime),
    Row("gaps", graph=gaps),
    Row("reserved ranges", graph=reserved),
    Row("tensors apart", graph=apart),
    Row("reuse cost", graph=reuse_cost),
    Row("exclusive branches", graph=exclusive),
    Row("loops", graph=loop),
    Row("states", graph=state),
    Row("lifelong tensors", graph=lifelong),
    Row("temporaries", graph=temporaries),
    Row("outputs outside", graph=outputs_outside),
    Row("several streams", graph=streams),
    Row("constraints on orders", graph=constraints),
    Row("pools", graph=pools, of="pools"),
    Row("pools in chunks", graph=chunks, of="pools"),
    Row("pools with banks", graph=banks, of="pools"),
    Row("--pools", option=lambda size: ["--pools", "sram=16KiB,dram"], of="pools",
        takes=["check"]),
    Row("--capacity", option=lambda size: ["--capacity", str(size)], sized=True),
    Row("--tight", option=lambda size: ["--tight"]),
    Row("--budget, sync", option=budget(), of="budget"),
    Row("--budget, semi", option=budget("--copy-mode", "semi"), of="budget"),
    Row("--budget, async", option=budget("--copy-mode", "async"), of="budget"),
    Row("--budget, recompute", option=budget("--recompute", "--copy-mode", "none"),
        of="budget"),
    Row("--minimise-reuse", option=lambda size: ["--minimise-reuse"]),
    Row("--minimise-banks", option=lambda size: ["--minimise-banks"]),
    Row("--order auto", option=lambda size: ["--order", "auto"]),
    Row("--align", option=lambda size: ["--align", "256"], takes=["check"]),
    Row("--target cuda", option=lambda size: ["--target", "cuda"], takes=["check"]),
    Row("--inputs throughout", option=lambda size: ["--inputs", "throughout"],
        takes=["check"]),
    Row("--replan", option=lambda size: ["--replan"]),
    Row("--seeds", option=lambda size: ["--seeds", "1-2", "--store", "store"]),
    Row("--together serial", option=lambda size: ["--together", "serial"],
        of="together"),
    Row("--together concurrent", option=lambda size: ["--together", "concurrent"],
        of="together"),
    Row("--same-offsets", option=lambda size: [
        "--together", "serial", "--same-offsets", "x,y"], of="together"),
    Row("--together buckets", option=lambda size: ["--together", "buckets"],
        of="together"),
] + [Row(f"-o .{suffix}", output=suffix) for suffix in (
    "csv", "h", "bin", "svg", "html", "trace.json", "copies.csv", "reuse.json",
    "dot", "proof", "lp", "mps")] + [
    Row("check", command=["check", "{plan}", "{graph}"]),
    Row("show", command=["show", "{input}"]),
    Row("explain", command=["explain", "{input}"]),
    Row("compare", command=["compare", "{plan}", "{plan}"]),
    Row("replay", command=["replay", "{plan}"]),
    Row("simulate", command=["simulate", "{input}"]),
    Row("simulate --swap", command=["simulate", "--swap", "{input}"]),
]


# ------------------------------------------------------------------------ pairs

class Trial:
    """A graph with the features of some rows, in a folder of its own."""

    def __init__(self, program, folder, rows):
        self.program, self.rows = program, rows
        self.folder = pathlib.Path(folder)
        self.inputs = [self.folder / "net.json"]
        self.plan = self.folder / "net.plan.json"
        graph = base()
        for row in rows:
            if row.graph:
                row.graph(graph)
        if "pools" in graph:
            name_pool(graph)
        self.inputs[0].write_text(json.dumps(graph))
        if any(row.kind == "together" for row in rows):
            graph["name"] = "other"
            self.inputs.append(self.folder / "other.json")
            self.inputs[1].write_text(json.dumps(graph))

    def run(self, *arguments):
        """(exit status, what stderr says first)"""
        done = subprocess.run(
            [self.program, *map(str, arguments)], capture_output=True, text=True,
            timeout=100, check=False, cwd=self.folder)
        said = [line.replace(f"{self.folder}/", "")
                for line in done.stderr.splitlines() if " warning: " not in line]
        return done.returncode, (said or [""])[0]

    def size(self):
        """Of the arena without the options that depend on it; 0: none does."""
        if not any(row.sized for row in self.rows):
            return 0
        options = [word for row in self.rows
                   if row.option and not row.sized and row.kind != "--seeds"
                   for word in row.option(0)]
        done = subprocess.run(
            [self.program, "plan", *self.inputs, *options, "--json", "--quiet"],
            capture_output=True, text=True, check=False)
        return json.loads(done.stdout)["arena_size"]

    def outcome(self):
        size = self.size()
        options = [o for row in self.rows if row.option for o in row.option(size)]
        outputs = [word for row in self.rows if row.output
                   for word in ("-o", self.folder / f"out.{row.output}")]
        status = self.run("plan", *self.inputs, *options, *outputs, "-o", self.plan,
                          "--quiet")
        if status[0] == 0:
            status = self.run("check", self.plan, "--quiet")
        for row in self.rows:
            if row.command and status[0] == 0:
                status = self.run(*self.arguments(row.command, size))
        return status

    def arguments(self, command, size):
        options = [row for row in self.rows if row.option]
        taken = self.plan if options else self.inputs[0]
        for word in command:
            if word == "{graph}":
                yield from self.inputs
            else:
                yield word.format(plan=self.plan, input=taken)
        for row in options:
            if command[0] in row.takes:
                yield from row.option(size)


def is_pair(a, b):
    return a.kind != b.kind


def measure(program):
    """The outcome of each pair, by the numbers of its rows."""
    found = {}
    for i, a in enumerate(ROWS):
        for k, b in enumerate(ROWS[:i + 1]):
            if i != k and not is_pair(a, b):
                continue
            with tempfile.TemporaryDirectory() as folder:
                found[i, k] = Trial(program, folder,
                                    [b, a] if i != k else [a]).outcome()
    return found


# ------------------------------------------------------------------------- page

def page(found):
    pairs = {at: outcome for at, outcome in found.items() if at[0] != at[1]}
    refused = {at: outcome for at, outcome in pairs.items() if outcome[0]}
    kinds = {}
    for outcome in refused.values():
        kinds.setdefault(outcome, chr(ord("a") + len(kinds)))
    lines = []
    for i, row in enumerate(ROWS):
        cells = [" " if (i, k) not in pairs else kinds.get(pairs[i, k], ".")
                 for k in range(i)]
        lines.append(f"{i + 1:3} {row.name:22} {''.join(cells)}".rstrip())
    text = HEAD.format(pairs=len(pairs), refused=len(refused),
                       works=len(pairs) - len(refused), table="\n".join(lines),
                       share=100 * len(refused) / len(pairs))
    if kinds:
        text += REASON
    for outcome, letter in kinds.items():
        n = sum(o == outcome for o in refused.values())
        text += f"| {letter} | {n} | {outcome[0]} | {outcome[1]} |\n"
    return text, len(refused) / len(pairs)


def main():
    program, source = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    found = measure(program)
    text, share = page(found)
    path = pathlib.Path(source) / PAGE
    if "--list" in sys.argv:
        for (i, k), outcome in found.items():
            if outcome[0]:
                print(f"{ROWS[k].name} x {ROWS[i].name}: {outcome}")
        return 0
    if "--check" not in sys.argv:
        path.write_text(text)
        return 0
    if path.read_text() != text:
        print(f"{PAGE} is not what {sys.argv[0]} writes")
        return 1
    return share > MOST_REFUSED


if __name__ == "__main__":
    sys.exit(main())
