#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes each call of memplan to the system fail, one run after the other.

    test_faults.py MEMPLAN TESTDATA SHIM CALL_LIBRARY

The n-th allocation, read, write, flush, rename, link, process, thread, open or
temporary file fails, once or from then on, and a signal comes in front of the n-th such
call: over a plan with five outputs, one with threads, plans of several graphs, within a budget, near
another one and of least cost, a gate with --update, a comparison, checks, an
explanation, a replay, and the merge of a sweep. Each run ends
with a documented status and a sentence, and its outputs are all old or all new;
no temporary file stays. Sweeps and races of seeds add to a store, one answer
after the other: what a fault leaves there is right, and the next run adds the
rest. The library's calls, one after the other, fail with a sentence and work again
once there is memory. Tries some of many calls, and all if MEMPLAN_PROBLEMS is set, as the nightly
tests do. Prints TAP.
"""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile

import harness
import problem_families
import test_files

USUAL = 6  # runs of a kind and a command
STATUSES = {"memory": {0, 5}, "read": {0, 5, 6}, "write": {0, 6},
            "sync": {6}, "rename": {6}, "create": {6}, "open": {0, 5, 6},
            "link": {0, 6}, "process": {6}, "thread": {0},
            "signal": {0, -signal.SIGTERM}}
OUTPUTS = ("p.json", "p.h", "p.csv", "p.bin", "p.svg")
BUDGET = ('{"format":"memplan.budget","version":1,"budgets":['
          '{"graph":"net.json","baseline":"base.json"},'
          '{"graph":"two.json","baseline":"two.base.json"}]}')

COMMANDS = {
    "plan": ["plan", "net.json", *(w for o in OUTPUTS for w in ("-o", o)),
             "--depfile", "p.d"],
    "threads": ["plan", "boxes.csv", "--threads", "3", "--steps", "300000",
                "-o", "p.csv"],
    "together": ["plan", "pre.json", "dec.json", "--together", "serial",
                 "--same-offsets", "cache,logits", "-o", "p.json", "-o", "p.proof"],
    "buckets": ["plan", "net.onnx", "--dim", "batch=1,2", "--dim", "length=4",
                "--together", "buckets", "-o", "p.json", "-o", "p.bin"],
    "budget": ["plan", "swap.json", "--budget", "3200", "--copy-mode", "async",
               "--write-rate", "1MB", "--read-rate", "1MB", "-o", "p.json", "-o", "p.copies.csv", "-o", "p.reuse.json"],
    "near": ["plan", "net.json", "--near", "old.json", "--order", "auto",
             "-o", "p.json", "-o", "p.trace.json"],
    "costs": ["plan", "costs.json", "--minimise-reuse", "-o", "p.json"],
    "banks": ["plan", "banks.json", "--minimise-banks", "--tight",
              "-o", "p.json"],
    "replan": ["plan", "old.json", "--replan", "-o", "p.json", "-o", "p.html"],
    "check-all": ["check", "both.json", "pre.json", "dec.json"],
    "gate": ["gate", "b.json", "--update", "-o", "g.xml"],
    "compare": ["compare", "old.json", "new.json"],
    "check": ["check", "new.json", "net.json", "--proof", "new.proof"],
    "explain": ["explain", "net.json"],
    "replay": ["replay", "new.json"],
    "merge": ["batch", "t.jsonl", "--store", "whole", "--merge",
              "-o", "m.csv", "-o", "m.json", "-o", "m.md", "-o", "m.html"],
}
FILES = {
    "net.json": "graphs/worked.json", "two.json": "graphs/figure10.json",
    "pre.json": "cli/same-offsets/prefill.json",
    "dec.json": "cli/same-offsets/decode.json",
    "net.onnx": "models/attention.onnx", "swap.json": "cli/swap/net.json",
    "costs.json": "cli/reuse-cost/costs.json", "banks.json": "cli/banks/banks.json",
}
# Commands that add to a store, and what puts its answers together.
ADDING = {
    "batch": (["batch", "t.jsonl", "--store", "s"],
              ["batch", "t.jsonl", "--store", "s", "--merge", "-o", "m.json"]),
    "seeds": (["plan", "net.json", "--seeds", "1-3", "--planner", "climb",
               "--steps", "1000", "--store", "s", "--quiet"],
              ["plan", "net.json", "--seeds", "1-3", "--planner", "climb",
               "--steps", "1000", "--store", "s", "--quiet", "--merge",
               "--json"]),
}
TASKS = """\
{"input": "net.json", "outputs": ["p.json", "p.html"]}
{"input": "two.json", "options": {"capacity": 1}}
{"input": "old\u002ejson"}
{"input": "bad.csv"}
"""
OLD = b"old\n"
WRITES = {"plan": (*OUTPUTS, "p.d"), "threads": ("p.csv",),
          "together": ("p.json", "p.proof"), "buckets": ("p.json", "p.bin"),
          "budget": ("p.json", "p.copies.csv", "p.reuse.json"),
          "near": ("p.json", "p.trace.json"), "replan": ("p.json", "p.html"),
          "costs": ("p.json",), "banks": ("p.json",),
          "gate": ("base.json", "two.base.json", "g.xml", "b.json"),
          "merge": ("m.csv", "m.json", "m.md", "m.html")}


class Fault:
    def __init__(self, memplan, testdata, shim, name):
        self.memplan, self.shim, self.name = memplan, shim, name
        self.home = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.home.name)
        for short, at in FILES.items():
            shutil.copy(testdata / at, self.folder / short)
        (self.folder / "bad.csv").write_text("id,lower\n")
        (self.folder / "t.jsonl").write_text(TASKS)
        (self.folder / "boxes.csv").write_text("".join(
            problem_families.lines("cuts", 500, random.Random(1))))
        for out in ("old.json", "new.json"):
            self.run(None, ["plan", "net.json", "-o", out, "-o", "new.proof"])
        self.run(None, ["plan", "pre.json", "dec.json", "--together", "serial",
                        "-o", "both.json"])
        if name == "merge":
            self.run(None, ["batch", "t.jsonl", "--store", "whole"])

    def run(self, fault, command=None, count=None):
        environment = dict(os.environ)
        if fault or count:
            environment["LD_PRELOAD"] = str(self.shim)
        if fault:
            environment["MEMPLAN_FAULT"] = fault
        if count:
            environment["MEMPLAN_FAULT_COUNT"] = str(count)
        return subprocess.run(
            [self.memplan, *(command or COMMANDS[self.name])], cwd=self.folder,
            env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=600, check=False)

    def reset(self):
        """Every output is there, and old."""
        for name in WRITES.get(self.name, ()):
            (self.folder / name).write_bytes(OLD)
        if self.name == "gate":
            (self.folder / "b.json").write_text(BUDGET)

    def contents(self):
        return {name: (self.folder / name).read_bytes()
                for name in WRITES.get(self.name, ())}

    def merged(self, command):
        """What a store says in all."""
        (self.folder / "m.json").unlink(missing_ok=True)
        done = self.run(None, command)
        assert done.returncode == 0, done.stderr
        if "--json" in command:
            return done.stdout
        return (self.folder / "m.json").read_bytes()

    def counts(self, command=None):
        """Calls of each kind, and what a run without a fault writes."""
        self.reset()
        before = self.contents()
        place = self.folder / "counts"
        done = self.run(None, command, count=place)
        assert done.returncode == 0, done.stderr
        lines = (line.split() for line in place.read_text().splitlines())
        place.unlink()
        return ({kind: int(n) for kind, n in lines}, before, self.contents())


def chosen(n, usual=USUAL):
    """Numbers of calls to try: all, or some from first to last."""
    if n <= usual or os.environ.get("MEMPLAN_PROBLEMS"):
        return range(1, n + 1)
    return sorted({1 + k * (n - 1) // (usual - 1) for k in range(usual)})


def statuses(name, kind):
    """A graph of a list that cannot be read has no answer. The memory of a device
    is not memplan's, not even that of the host."""
    unread = name == "merge" and kind in ("read", "open")
    device = name == "replay" and kind == "memory"
    return STATUSES[kind] | ({1} if unread else set()) | ({6} if device else set())


def faults_of(fault, what, kind, before, after):
    """What is wrong with one run."""
    fault.reset()
    done = fault.run(what)
    text = done.stderr.decode(errors="replace")
    have = fault.contents()
    if done.returncode not in statuses(fault.name, kind):
        yield f"{what}: status {done.returncode}: {text[:300]}"
    if done.returncode > 0 and not text and kind != "write":
        yield f"{what}: status {done.returncode} and not a word"
    # A search that a signal ended has another plan, which says so, and one that
    # memory was out for a valid one.
    new = [name for name in have if have[name] != before[name]]
    starved = kind == "memory" and "out of memory for" in text
    if have not in (before, after) and not ((kind == "signal" or starved) and
                                            len(new) == len(have)):
        yield f"{what}: status {done.returncode}, only {new} are new"
    if done.returncode > 0 and before != after and have == after and \
            kind not in ("write", "sync"):
        yield f"{what}: status {done.returncode}, and all is new"
    if starved and done.returncode == 0 and "p.json" in new and \
            fault.run(None, ["check", "p.json"]).returncode:
        yield f"{what}: the plan is not valid"
    left = [f.name for f in fault.folder.iterdir() if ".memplan-" in f.name]
    for name in left:
        yield f"{what}: status {done.returncode}, {name} is left"
        (fault.folder / name).unlink()


def try_kind(arguments, name, kind):
    fault = Fault(*arguments, name)
    counts, before, after = fault.counts()
    assert counts["thread"] or name != "threads"
    for n in chosen(counts[kind]):
        yield from faults_of(fault, f"{kind}:{n}", kind, before, after)
        if kind not in ("signal", "rename"):
            yield from faults_of(fault, f"{kind}:{n}+", kind, before, after)


def faults_of_adding(fault, what, kind, merged):
    """What is wrong with one run that adds to a store, and with the next."""
    add, merge = ADDING[fault.name]
    shutil.rmtree(fault.folder / "s", ignore_errors=True)
    done = fault.run(what, add)
    text = done.stderr.decode(errors="replace")
    # A signal ends the process of a task too: SIGPIPE where nothing reads of it.
    more = {"signal": {7}, "read": {7}, "memory": set()}
    if done.returncode not in STATUSES[kind] | more.get(kind, {0, 5, 6}):
        yield f"{what}: status {done.returncode}: {text[:300]}"
    if done.returncode > 0 and not text and kind != "write":
        yield f"{what}: status {done.returncode} and not a word"
    # A race that is decided kills the others, perhaps while they write: what they
    # leave is removed once it is old.
    decided = fault.name == "seeds" and done.returncode == 0
    if kind != "signal" and not decided and \
            list((fault.folder / "s").rglob(".new-*")):
        yield f"{what}: status {done.returncode}, half a file is left"
    again = fault.run(None, add)
    if again.returncode:
        yield f"{what}: the next run: {again.returncode} {again.stderr}"
    if fault.merged(merge) != merged:
        yield f"{what}: status {done.returncode}, merges to others"


def try_adding(arguments, name, kind):
    fault = Fault(*arguments, name)
    add, merge = ADDING[name]
    counts = fault.counts(add)[0]
    merged = fault.merged(merge)
    for n in chosen(counts[kind]):
        yield from faults_of_adding(fault, f"{kind}:{n}", kind, merged)
        if kind not in ("signal", "rename"):
            yield from faults_of_adding(fault, f"{kind}:{n}+", kind, merged)


def reading(arguments):
    """A sixth of the calls come before there is a search to interrupt: a signal
    there ends the run at once."""
    fault = Fault(*arguments, "plan")
    counts, before, _ = fault.counts()
    for n in chosen(counts["signal"] // 6):
        fault.reset()
        done = fault.run(f"signal:{n}")
        if done.returncode != -signal.SIGTERM or fault.contents() != before:
            yield f"signal:{n}: status {done.returncode}, or new outputs"


def interrupted(memplan, testdata, shim, clock):
    """A search is interrupted, and then all time of a clock passes: that of the
    wall, as on a loaded machine, and the plan is written still; that of the
    processor, and the program ends without one."""
    place = test_files.Place(memplan, testdata)
    status = test_files.interrupt(place, signal.SIGTERM, dict(
        os.environ, LD_PRELOAD=str(shim), MEMPLAN_FAULT_TIME=clock))
    if status != -signal.SIGTERM:
        yield f"status {status}"
    for name in ("hard.json", "hard.h"):
        if place[name].exists() != (clock == "wall"):
            yield f"{name} is {'not ' * (clock == 'wall')}there"
    yield from place.temporaries()


def calling(program, testdata, shim):
    """Two rounds of calls: the one without the fault is as if there were none."""
    with tempfile.TemporaryDirectory() as folder:
        def run(**faults):
            return subprocess.run(
                [program, testdata / FILES["net.json"]], capture_output=True,
                env=dict(os.environ, LD_PRELOAD=str(shim), **faults),
                timeout=600, check=False)

        place = pathlib.Path(folder, "counts")
        assert run(MEMPLAN_FAULT_COUNT=str(place)).returncode == 0
        calls = dict(line.split() for line in place.read_text().splitlines())
        for n in chosen(int(calls["memory"]), 8 * USUAL):
            done = run(MEMPLAN_FAULT=f"memory:{n}")
            if done.returncode:
                yield f"memory:{n}: status {done.returncode}: {done.stderr}"


def main():
    *arguments, library = [pathlib.Path(a).resolve() for a in sys.argv[1:5]]
    harness.tap([(f"{name}, {kind}", try_kind, arguments, name, kind)
                 for name in COMMANDS for kind in STATUSES] +
                [(f"{name}, {kind}", try_adding, arguments, name, kind)
                 for name in ADDING for kind in STATUSES] +
                [("plan, a signal while it reads", reading, arguments),
                 ("calls of the library, memory", calling, library,
                  *arguments[1:])] +
                [(f"plan, a signal, then no time of the {clock}", interrupted,
                  *arguments, clock) for clock in ("wall", "processor")])


if __name__ == "__main__":
    main()
