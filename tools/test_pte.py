#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs of ExecuTorch that are written here: their plans as they are.

    test_pte.py MEMPLAN

Lifetimes, aliases and memories of small programs; overlaps that check must find;
and each program with one byte changed, or cut short: never a crash. Prints TAP.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import harness
import make_pte

NO, INPUT = 1, 3


def tensor(offset, memory=1, sizes=(16,), **more):
    return {"tensor": list(sizes), "at": [memory, offset], **more}


def program(values, code, outputs, inputs=(0,), memories=(1024,),
            name="forward"):
    return {"name": name, "values": values, "code": code,
            "inputs": list(inputs), "outputs": list(outputs),
            "memories": list(memories)}


# x -> add(x, weight) -> view -> cat([view, x]) -> y; the view has its base's
# place.
CHAIN = program(
    [tensor(0), {"tensor": [16]}, tensor(64), tensor(64, sizes=[4, 4]),
     tensor(128, sizes=[32]), {"list": [3, 0]}, {}],
    [["aten::add.out", 0, 1, 6, 2, 2], ["aten::view", 2, 3],
     ["aten::cat.out", 5, 6, 4, 4]], [4])
# The same place in turn, and a jump back over it.
LOOP = program(
    [tensor(0), tensor(64), tensor(128), tensor(64), {}],
    [["aten::a", 0, 1], ["aten::b", 1, 2], ["aten::c", 2, 3], ["move", 3, 3],
     ["free", 3]], [2])
MEMORIES = program(
    [tensor(0), tensor(0, 2), tensor(64, 1), {}],
    [["aten::a", 0, 1], ["delegate", 1, 2]], [2], memories=(128, 64))


class Runs:
    def __init__(self, memplan, folder):
        self.memplan, self.folder = memplan, folder

    def file(self, methods):
        path = self.folder / "p.pte"
        path.write_bytes(make_pte.program_of(methods))
        return path

    def plan(self, methods, *options):
        return json.loads(harness.run(
            self.memplan, "plan", self.file(methods), "--quiet", *options,
            "-o", "-").stdout)

    def lives(self, methods):
        return {t["id"]: (t["start"], t["end"], t["offset"])
                for t in self.plan(methods)["tensors"]}

    def chain(self):
        want = {0: (0, 3, 0), 2: (0, 2, 64), 3: (1, 3, 64), 4: (2, 3, 128)}
        have = self.lives([CHAIN])
        if have != want:
            yield str(have)
        plan = self.plan([CHAIN])
        if [op["name"] for op in plan["ops"]] != [
                "0:aten::add.out", "1:aten::view", "2:aten::cat.out"]:
            yield str(plan["ops"])
        said = harness.run(self.memplan, "check", self.file([CHAIN]))
        if "1 tensor has the place" not in said.stderr:
            yield said.stderr

    def jumps(self):
        """Two tensors have one place in turn; not if a jump leads over both."""
        for i, to, together in ((5, 5, False), (2, 0, False), (3, 0, True),
                                (0, 3, True)):
            code = [*LOOP["code"]]
            code.insert(i, ["jump", 4, to])
            path = self.file([{**LOOP, "code": code}])
            said = harness.run(self.memplan, "check", path).stderr
            if ("has the place of another" in said) != together:
                yield f"{i} {to}: {said}"

    def memories(self):
        plan = self.plan([MEMORIES])
        have = [(t["pool"], t["offset"]) for t in plan["tensors"]]
        if have != [("mem1", 0), ("mem2", 0), ("mem1", 64)]:
            yield str(have)

    def methods(self):
        two = [CHAIN, {**MEMORIES, "name": "encode"}]
        if len(self.plan(two, "--graph", "encode")["tensors"]) != 3:
            yield "not the second"
        harness.run(self.memplan, "plan", self.file(two), "--graph", "x",
                    status=(INPUT,))

    def better(self):
        """A wasteful plan beside memplan's own."""
        values = [tensor(0), tensor(512), tensor(256)]
        path = self.file([program(values, [["aten::a", 0, 1],
                                           ["aten::b", 1, 2]], [2])])
        found = harness.result(self.memplan, "compare", path)
        if (found["old"]["arena_size"], found["new"]["arena_size"]) != (
                576, 128):
            yield str(found)

    def overlaps(self):
        """Bytes of two tensors that are alive together."""
        values = [tensor(0), tensor(32), tensor(128)]
        path = self.file([program(values, [["aten::a", 0, 1],
                                           ["aten::b", 1, 2]], [2])])
        said = harness.run(self.memplan, "check", path, status=(NO,))
        if "overlap" not in said.stdout + said.stderr:
            yield said.stdout

    def refused(self):
        for change, words in (
                ({"inputs": [99]}, "no value 99"),
                ({"memories": [64]}, "reaches beyond"),
                ({"code": []}, "no instruction"),
                ({"code": [["jump", 6, 7]]}, "a jump to instruction 7"),
                ({"values": [tensor(0, type=77)] * 7}, "type 77"),
                ({"values": [tensor(0, sizes=[-1])] * 7}, "below 0"),
                ({"values": [{}] * 7}, "places no tensor")):
            path = self.file([{**CHAIN, **change}])
            said = harness.run(self.memplan, "show", path, status=(INPUT,))
            if words not in said.stderr:
                yield said.stderr

    def broken(self):
        whole = make_pte.program_of([CHAIN, MEMORIES])
        path = self.folder / "broken.pte"
        for i in range(8, len(whole), 3):
            for bad in (whole[:i], whole[:i] + b"\xff" + whole[i + 1:]):
                path.write_bytes(bad)
                done = subprocess.run([self.memplan, "show", path],
                                      capture_output=True, check=False)
                if done.returncode not in (0, INPUT):
                    yield f"{i}: {done.returncode} {done.stderr}"

    def cases(self):
        for case in (self.chain, self.jumps, self.memories, self.methods,
                     self.better, self.overlaps, self.refused, self.broken):
            yield case.__name__, case


def main():
    with tempfile.TemporaryDirectory() as folder:
        harness.tap(Runs(pathlib.Path(sys.argv[1]).resolve(),
                         pathlib.Path(folder)).cases())


if __name__ == "__main__":
    main()
