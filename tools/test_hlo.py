#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""XLA's HloProto against the text dumps of the same module.

    test_hlo.py MEMPLAN DUMPS

DUMPS has pairs of text dumps. Of these, and of random ones, make_hlo.py makes
protos: tensors, offsets, peaks and new plans have to be the same. Beside some of
them is what XLA itself wrote. What XLA may write otherwise, what is refused, and
a proto with one byte changed or cut short: never a crash. Lengths, numbers and
fields are changed one by one: each proto is refused with a byte, or its plan is
what another reading of it says. Prints TAP.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

import harness
import make_hlo
from onnx_model import field, fields, lengths, read_varint

RANDOM = 60
CHANGED = 400
NO, INPUT = 1, 3
MEMPLAN = pathlib.Path(sys.argv[1]).resolve()
DUMPS = pathlib.Path(sys.argv[2])


# The messages in messages that are read.
BUFFER, ALLOCATION, TRACE = {3: {}}, {9: {}}, {1: {}}
PROTO = {3: {1: BUFFER, 3: ALLOCATION, 4: TRACE}}
WILD = (0, 1, 2, 63, 1 << 31, 1 << 32, 1 << 62, (1 << 63) - 1, 1 << 63,
        (1 << 64) - 1)
FREE = 1
# What is said where no byte can be named; the last two of what is no HloProto
# any more.
PLACES = ("at byte", "it has no trace of", "neither JSON nor", "nothing in it",
          "m.hlo.pb:1: ")


def tree_of(data, known):
    """Fields of a message: [number, integer, bytes or fields]."""
    at, found = 0, []
    while at < len(data):
        key, at = read_varint(data, at)
        value, at = read_varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
            if key >> 3 in known:
                value = tree_of(value, known[key >> 3])
        found.append([key >> 3, value])
    return found


def bytes_of(tree):
    return b"".join(field(number, bytes_of(value) if isinstance(value, list)
                          else value) for number, value in tree)


def nodes_of(tree):
    """Each field with the list that it is in."""
    for node in tree:
        yield tree, node
        if isinstance(node[1], list):
            yield from nodes_of(node[1])


def change(tree, rng):
    """One field has another value, is dropped, doubled, moved or unknown."""
    around, node = rng.choice(list(nodes_of(tree)))
    kind = rng.randrange(6)
    if kind == 0 and isinstance(node[1], int):
        node[1] = rng.choice(WILD)
    elif kind == 1 and isinstance(node[1], int):
        node[1] = rng.choice([other[1] for _, other in nodes_of(tree)
                              if isinstance(other[1], int)])
    elif kind == 2:
        around.remove(node)
    elif kind == 3:
        around.append([node[0], node[1]])
    elif kind == 4:
        other = rng.choice(around)
        node[:], other[:] = other[:], node[:]
    else:
        node[0] = rng.randint(1, 14)


def last(tree, number, default=0):
    """Of a field that occurs several times the last one counts."""
    found = [value for n, value in tree if n == number]
    return found[-1] if found else default


def overlaps(tree):
    """Do two buffers share bytes while both are alive, at different offsets?
    As XLA's messages are described, not as memplan reads them: steps are the
    places of events."""
    parts = last(tree, 3, [])
    traced = {last(event, 2) for number, trace in parts if number == 4
              for n, event in trace if n == 1}
    places, lives = {}, {}
    for number, allocation in parts:
        if number == 3 and not any(last(allocation, n) for n in
                                   make_hlo.KINDS.values()):
            given = {last(buffer, 1): (last(allocation, 1), last(buffer, 2),
                                       last(buffer, 3))
                     for n, buffer in allocation if n == 9}
            if traced & given.keys():
                places |= given
                lives |= {b: [-1, 1 << 64] for b in given.keys() - traced}
    for time, event in enumerate(
            event for number, trace in parts if number == 4
            for n, event in trace if n == 1):
        kind, buffer = last(event, 1), last(event, 2)
        if kind == FREE and buffer in lives:
            lives[buffer][1] = time
        elif kind != FREE and buffer in places:
            lives[buffer] = [time, 1 << 64]
    for a, (start, end) in lives.items():
        for b, (begin, stop) in lives.items():
            one, two = places[a], places[b]
            if a < b and start < stop and begin < end and \
                    one[0] == two[0] and one[1] != two[1] and \
                    one[1] < two[1] + two[2] and two[1] < one[1] + one[2]:
                return True
    return False


def random_dumps(seed):
    """Temporaries of up to three allocations, packed somehow."""
    rng = random.Random(seed)
    n_steps = rng.randint(1, 12)
    text, ranges, number = ["BufferAssignment:"], [], 0
    for index in range(rng.randint(1, 3)):
        values = []
        for step in range(n_steps):
            for _ in range(rng.randint(0, 2)):
                values.append((number, step, min(
                    n_steps, step + rng.randint(0, 4)),
                    64 * rng.randint(1, 8)))
                number += 1
        rng.shuffle(values)
        values = values or [(number, 0, 0, 64)]
        number += 1
        ends = sum(size for *_, size in values)
        text += [f"allocation {index}: size {ends}, preallocated-temp:"]
        top = 0
        for name, first, last, size in values:
            offset, top = top, top + size
            tuple_index = "{0,1}" if name % 3 == 0 else ""
            text += [f" value: <{name} v{name}{tuple_index} @0> "
                     f"(size={size},offset={offset}): f32[1]"]
            ranges += [f"    v{name}{tuple_index or '{}'}:{first}-{last}"]
    steps = [f"    {i}:s{i}" for i in range(n_steps)]
    return "\n".join(text) + "\n", "\n".join(
        ["HloLiveRange (max 1):", "  InstructionSequence:", *steps,
         "  BufferLiveRange:", *ranges]) + "\n"


class Runs:
    def __init__(self, folder):
        self.folder = folder

    def file(self, data):
        path = self.folder / "m.hlo.pb"
        path.write_bytes(data)
        return path

    def plan(self, *arguments):
        return json.loads(harness.run(MEMPLAN, "plan", *arguments, "--quiet",
                                      "-o", "-").stdout)

    def show(self, data, status=(0,)):
        return harness.run(MEMPLAN, "show", self.file(data), status=status)

    def same(self, assignment, ranges):
        first = self.folder / "m-buffer-assignment.txt"
        second = self.folder / "m-live-range.txt"
        first.write_text(assignment, "utf-8")
        second.write_text(ranges, "utf-8")
        path = self.file(make_hlo.proto_of(assignment, ranges))
        for options in (["--planner", "given"], ["--replan"]):
            plans = [self.plan(each, *options) for each in (first, path)]
            for plan in plans:
                if "pools" in plan:  # no common time in traces: see xla.md
                    del plan["theoretical_min"]
            for key in ("arena_size", "theoretical_min", "lower_bound",
                        "alignment", "pools"):
                if plans[0].get(key) != plans[1].get(key):
                    yield f"{key}: {plans[0][key]}, {plans[1][key]}"
            given = [sorted((t["name"].removesuffix("{}"), t["size"],
                             t.get("pool"), *(
                (t["offset"],) if options[0] == "--planner" else ()))
                for t in plan["tensors"]) for plan in plans]
            if given[0] != given[1]:
                yield f"{given[0]}, not {given[1]}"

    def samples(self):
        for path in sorted(DUMPS.glob("*-buffer-assignment.txt")):
            other = str(path).replace("buffer-assignment", "live-range")
            yield from self.same(path.read_text("utf-8"), pathlib.Path(
                other).read_text("utf-8"))

    def real(self):
        """What XLA wrote in both forms. A buffer without a trace has no name,
        and its life is longer."""
        found = 0
        for path in sorted(DUMPS.glob("*.hlo.pb")):
            text = str(path).replace(".hlo.pb", "-buffer-assignment.txt")
            plans = [self.plan(each, "--planner", "given")
                     for each in (text, path)]
            names = [[t["name"].removesuffix("{}") for t in plan["tensors"]]
                     for plan in plans]
            places = [sorted((t["offset"], t["size"])
                             for t in plan["tensors"]) for plan in plans]
            known = [n for n in names[1] if not n.startswith("buffer")]
            if plans[0]["arena_size"] != plans[1]["arena_size"] or \
                    places[0] != places[1] or not set(known) <= set(names[0]) \
                    or len(known) < len(names[0]) / 2:
                yield f"{path.name}: {places}, {names}"
            harness.run(MEMPLAN, "check", path)
            found += 1
        if not found:
            yield "there is none"

    def random(self):
        for seed in range(RANDOM):
            for fault in self.same(*random_dumps(seed)):
                yield f"seed {seed}: {fault}"

    def proto(self, events, buffers=(7, 8), index=0, more=b"", names=(),
              beside=b""):
        """Two buffers of an allocation of 256 bytes. Some have names."""
        names = [field(3, field(2, name)) for name in names]
        names += [b""] * (len(buffers) - len(names))
        assigned = fields(9, (field(1, 7 + i) + field(2, 128 * i) +
                              field(3, 128) for i in range(2)))
        return field(3, fields(1, (field(1, i) + name for i, name in
                                   zip(buffers, names))) +
                     field(3, field(2, 256) + assigned + more) + beside +
                     field(4, fields(1, events) + field(3, index)))

    def event(self, kind, buffer, shares=None, name="add"):
        return field(1, kind) + field(2, buffer) + field(4, name) + field(
            5, shares)

    def forms(self):
        """Names are those of events if buffers have none, and stay different.
        What is not freed lives to the end. A place may be shared by a buffer
        that has none."""
        plan = self.plan(self.file(self.proto(
            [self.event(0, 7), self.event(1, 7), self.event(0, 8)])))
        have = [(t["name"], t["start"], t["end"]) for t in plan["tensors"]]
        if have != [("add", 0, 1), ("add@8", 1, 2)]:
            yield f"{have}"
        plan = self.plan(self.file(self.proto(
            [self.event(0, 7, name="a"), self.event(2, 9, 7, "b"),
             self.event(1, 7), self.event(0, 8, name="c"), self.event(1, 9),
             self.event(1, 8)], buffers=(9, 8, 7))))
        have = [(t["name"], t["start"], t["end"]) for t in plan["tensors"]]
        if have != [("a", 0, 3), ("c", 2, 3)]:
            yield f"{have}"

    def untraced(self):
        """A buffer that no trace names is alive all the time, if its allocation
        has one that a trace names; else the allocation is left out. The number
        of the allocation in the trace is an old one. Fields may be new."""
        events = [self.event(0, 7), self.event(1, 7)]
        for index, new in ((0, b""), (3, b""), (0, field(5, b"new"))):
            path = self.file(self.proto(events, index=index, beside=new) +
                             (new and field(4, b"new")))
            plan = self.plan(path)
            have = [(t["name"], t["start"], t["end"]) for t in plan["tensors"]]
            if have != [("add", 0, 1), ("buffer", 0, 1)]:
                yield f"{have}"
            said = self.show(path.read_bytes()).stderr
            if "1 buffer taken to be alive" not in said:
                yield said
        other = field(3, field(1, 1) + field(2, 64) + field(
            9, field(1, 9) + field(3, 64)))
        said = self.show(self.proto(
            events, (7, 8, 9), beside=other)).stderr
        if "1 allocation of temporaries left out" not in said:
            yield said

    def unfreed(self):
        """A buffer in the place of another one, and never freed, lives to the
        end, whether the other one was freed before it or after it."""
        other = [self.event(0, 8, name="c"), self.event(1, 8)]
        for events in (
                [self.event(2, 9, 7, "b"), self.event(1, 7)],
                [self.event(1, 7), self.event(2, 9, 7, "b")]):
            plan = self.plan(self.file(self.proto(
                [self.event(0, 7, name="a"), *events, *other],
                buffers=(7, 8, 9))))
            have = [(t["name"], t["start"], t["end"]) for t in plan["tensors"]]
            if have != [("a", 0, 3), ("c", 2, 3)]:
                yield f"{have}"

    def names(self):
        """A name that is made is that of no other tensor: the plan is read."""
        for names in (("x", "x", "x@8"), ("x@8", "x", "x")):
            buffers = (7, 8, 9) if names[0] == "x" else (9, 7, 8)
            path = self.file(self.proto(
                [self.event(0, i) for i in buffers], buffers, names=names,
                more=field(9, field(1, 9) + field(3, 64))))
            plan = self.folder / "m.json"
            harness.run(MEMPLAN, "plan", path, "--quiet", "-o", plan)
            harness.run(MEMPLAN, "check", plan, path)
            have = {t["name"] for t in json.loads(plan.read_text())["tensors"]}
            if have not in ({"x", "x@8", "x@8@9"}, {"x", "x@8", "x@8@8"}):
                yield f"{have}"

    def refused(self):
        fine = [self.event(0, 7), self.event(0, 8)]
        for data, words in (
                (self.proto([]), "it has no trace of"),
                (self.proto(fine + fine), "buffer 7 is allocated twice"),
                (self.proto([self.event(1, 7)]), "freed before it is"),
                (self.proto([self.event(0, 5)]), "buffer 5 is none"),
                (self.proto([self.event(3, 7)]), "an event of kind 3"),
                (self.proto(fine, (7, 8, 7)), "there are two buffers 7"),
                (self.proto(fine, (7,)), "there is no buffer 8"),
                (self.proto(fine, (7, 8, 9), more=field(
                    9, field(1, 9) + field(2, 200) + field(3, 100))),
                 "buffer 9 reaches beyond allocation 0"),
                (self.proto(fine, more=field(9, field(1, 7))),
                 "buffer 7 has a second place"),
                (self.proto([self.event(2, 9, 5)], (7, 8, 9)),
                 "buffer 9 shares the place of none"),
                (self.proto(fine, more=field(7, 1)), "it has no trace of"),
                (self.proto(fine) * 2, "a second buffer assignment"),
                (field(3, field(3, field(2, 1))), "it has no trace of")):
            said = self.show(data, (INPUT,)).stderr
            if words not in said:
                yield f"{words}: {said}"

    def broken(self):
        whole = make_hlo.proto_of(*random_dumps(3))
        for i in range(0, len(whole), 1 + len(whole) // 400):
            for bad in (whole[:i], whole[:i] + b"\xff" + whole[i + 1:],
                        whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1:]):
                done = subprocess.run([MEMPLAN, "show", self.file(bad)],
                                      capture_output=True, check=False)
                if done.returncode not in (0, INPUT):
                    yield f"{i}: {done.returncode} {done.stderr}"

    def too_long(self):
        """Every length of every message, in turn."""
        whole = make_hlo.proto_of(*random_dumps(3))
        for place, behind in lengths(whole, 0, len(whole), PROTO):
            for wrong in (b"\xff\xff\x03", b"\xff" * 9 + b"\x01"):
                said = self.show(whole[:place] + wrong + whole[behind:],
                                 (INPUT,)).stderr
                if not any(words in said for words in PLACES):
                    yield f"{place}: {said}"

    def second_place(self):
        """A place that is one too many is not kept: there is room for as many
        as there are buffers."""
        for n in 1, 2, 1000:
            places = fields(9, (field(1, i) + field(3, 1)
                                for i in [*range(n), 0]))
            buffers = fields(1, (field(1, i) for i in range(n)))
            said = self.show(field(3, buffers + field(3, field(2, n) + places) +
                                   field(4, field(1, self.event(0, 0)))),
                             (INPUT,)).stderr
            if "second place" not in said:
                yield f"{n}: {said}"

    def changed(self):
        accepted = 0
        for seed in range(CHANGED):
            rng = random.Random(seed)
            tree = tree_of(make_hlo.proto_of(*random_dumps(seed % 50)), PROTO)
            for _ in range(rng.randint(1, 3)):
                change(tree, rng)
            done = subprocess.run(
                [MEMPLAN, "check", self.file(bytes_of(tree))],
                capture_output=True, text=True, check=False)
            if done.returncode == INPUT:
                if not any(words in done.stderr for words in PLACES):
                    yield f"seed {seed}: no place: {done.stderr}"
                continue
            accepted += 1
            if (done.returncode == NO) != overlaps(tree):
                yield f"seed {seed}: {done.returncode} {done.stderr}"
        if accepted < CHANGED / 4:
            yield f"only {accepted} of {CHANGED} are read"

    def cases(self):
        for case in (self.samples, self.real, self.random, self.forms,
                     self.untraced, self.unfreed,
                     self.names, self.refused, self.broken, self.too_long,
                     self.second_place, self.changed):
            yield case.__name__, case


def main():
    with tempfile.TemporaryDirectory() as folder:
        harness.tap(Runs(pathlib.Path(folder)).cases())


if __name__ == "__main__":
    main()
