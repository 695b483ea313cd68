#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Broken TFLite models are refused with a place, and never crash memplan.

    test_broken_tflite.py MEMPLAN DESCRIPTION...

Of each model that make_tflite.py makes of a description: every reference, every length of a
vector, every list of fields and every size of a table gets values that lead out
of the file; and the file is cut at many places. What is surely wrong ends with
status 3 and a sentence with a byte position; no change ends with anything but a
plan, an answer or that. Prints TAP.
"""

import json
import pathlib
import struct
import sys
import tempfile

import harness
import make_tflite

INPUT = 3
LEAST = 20  # odd changes of a model that are refused, at least
BATCH = 200  # files a run
WILD = (0x7fffffff, 0x80000000, 0xffffffff)


class Marks:
    """Where parts of a FlatBuffer are, as make_tflite.py lays them out."""

    def __init__(self, data):
        self.data = data
        self.references, self.lengths, self.lists, self.sizes = [], [], [], []
        self.fields = []

    def word(self, at):
        return struct.unpack_from("<I", self.data, at)[0]

    def half(self, at):
        return struct.unpack_from("<H", self.data, at)[0]


def mark(given):
    """Notes the places while make_tflite.py writes."""
    marks = Marks(b"")

    class Table(make_tflite.Table):
        def put(self, out, later):
            before = len(later)
            at = super().put(out, later)
            marks.references += [place for place, _ in later[before:]]
            start = at - struct.unpack_from("<i", out, at)[0]
            marks.sizes.append(start + 2)
            marks.lists += [start, at]
            slots = struct.unpack_from("<H", out, start)[0] // 2 - 2
            marks.fields += [start + 4 + 2 * i for i in range(slots)
                             if struct.unpack_from("<H", out,
                                                   start + 4 + 2 * i)[0]]
            return at

    def vector(kind):
        class Vector(kind):
            def put(self, out, later):
                before = len(later)
                at = super().put(out, later)
                marks.lengths.append(at)
                marks.references += [place for place, _ in later[before:]]
                return at
        return Vector

    kinds = {"Table": Table, **{name: vector(getattr(make_tflite, name))
                                for name in ("Numbers", "Tables", "Bytes")}}
    kept = {name: getattr(make_tflite, name) for name in kinds}
    vars(make_tflite).update(kinds)
    marks.data = make_tflite.model_of(given)
    vars(make_tflite).update(kept)
    return marks


def put(data, at, form, value):
    changed = bytearray(data)
    struct.pack_into(form, changed, at, value)
    return bytes(changed)


def surely_wrong(marks):
    """Changes after which no reader may go on: what, and the bytes."""
    data = marks.data
    for at in [0, *marks.references]:
        for value in (0, 3, len(data) - at, len(data), *WILD):
            yield f"reference at {at}: {value}", put(data, at, "<I", value)
    for at in marks.lengths:
        for value in (len(data), *WILD):
            yield f"length at {at}: {value}", put(data, at, "<I", value)


def perhaps_wrong(marks):
    """Changes that may leave something to plan."""
    data = marks.data
    for at in marks.lists:
        for value in (0, len(data), *WILD):
            yield f"list at {at}: {value}", put(data, at, "<I", value)
    for at in [*marks.sizes, *marks.fields]:
        for value in (1, 3, 0x7fff, 0xffff):
            yield f"16 bits at {at}: {value}", put(data, at, "<H", value)
    for length in range(0, len(data), 37):
        yield f"cut at {length}", data[:length]


def refusals(memplan, changes, folder):
    """What memplan says of each changed file: a sentence, or "" for a plan."""
    files = [folder / f"{i}.tflite" for i in range(len(changes))]
    for file, (_, data) in zip(files, changes):
        file.write_bytes(data)
    done = harness.run(memplan, "plan", "--quiet", *files, status=(0, 1, INPUT))
    said = dict(line.split(": error: ", 1)
                for line in done.stderr.splitlines() if ": error: " in line)
    return [said.get(str(file), "") for file in files]


def has_place(sentence, data):
    return ("at byte " in sentence or "from 8 bytes to 2 GiB" in sentence or
            data[4:8] != b"TFL3")


def check(memplan, changes, sure, least, folder):
    refused = 0
    for first in range(0, len(changes), BATCH):
        batch = changes[first:first + BATCH]
        for (what, data), said in zip(batch, refusals(memplan, batch, folder)):
            refused += bool(said)
            if said and not has_place(said, data):
                yield f"{what}: {said}"
            if sure and not said:
                yield f"{what}: not refused"
    if refused < least:
        yield f"only {refused} of {len(changes)} changes are refused"


def cases(memplan, descriptions, folder):
    for path in map(pathlib.Path, descriptions):
        marks = mark(json.loads(path.read_text("utf-8")))
        wrong, odd = list(surely_wrong(marks)), list(perhaps_wrong(marks))
        yield (f"{path.stem}: {len(wrong)} wrong numbers", check, memplan,
               wrong, True, len(wrong), folder)
        yield (f"{path.stem}: {len(odd)} odd numbers and cuts", check, memplan,
               odd, False, LEAST, folder)


def main():
    memplan, *descriptions = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        harness.tap(cases(memplan, descriptions, pathlib.Path(folder)))


if __name__ == "__main__":
    main()
