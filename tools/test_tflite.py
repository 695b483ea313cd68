#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""TFLite models: planned, written back, judged by an own idea of TFLM.

    test_tflite.py MEMPLAN FOLDER...

A folder has models; those with a description beside them must be what
make_tflite.py makes of it. Of each model: TFLM's planner takes what the row
tflm-greedy takes, and compare says so; the file that memplan writes is the old one behind a front
that adds a buffer and a metadata entry and nothing else; its offsets are those
of the plan JSON, overlap nowhere in TFLM's lifetimes, and are read back. Prints
TAP.
"""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import harness
import make_tflite
import tflm_model

OUT_OF_MEMORY = 5
N_FIELDS, BUFFERS, METADATA = 10, 4, 6


def plan(memplan, model, folder, *options):
    """The model with offsets, the offsets alone, and the plan JSON."""
    names = [folder / f"out{end}" for end in (".tflite", ".tflm.bin", ".json")]
    outputs = [word for name in names for word in ("-o", name)]
    harness.run(memplan, "plan", model, "--quiet", "--replan", "--target",
                "tflm", *options, *outputs)
    return (names[0].read_bytes(), names[1].read_bytes(),
            json.loads(names[2].read_text("utf-8")))


def as_described(path):
    given = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert make_tflite.model_of(given) == path.read_bytes(), \
        f"tools/make_tflite.py {path.with_suffix('.json')} makes other bytes"


def greedy(memplan, path, _):
    model = tflm_model.Model(path.read_bytes())
    if model.has_npu():
        return
    found = harness.result(memplan, "plan", path, "--planner", "tflm-greedy",
                           "--inplace", "off", "--replan", "--target",
                           "tflm")["arena_size"]
    assert model.greedy() == found, f"TFLM {model.greedy()}, row {found}"


def compared(memplan, path, _):
    """A model without offsets is set against what TFLM makes of it."""
    model = tflm_model.Model(path.read_bytes())
    if model.has_npu() or model.offsets():
        return
    found = harness.result(memplan, "compare", path, "--target", "tflm")
    assert model.greedy() == found["old"]["arena_size"], found["old"]
    told = harness.run(memplan, "compare", path, "--target", "tflm")
    assert "placed as TFLM does" in told.stderr, told.stderr
    assert "tflm-greedy         memplan" in told.stdout, told.stdout


def parts(table, front):
    """What the fields of a model lead to in the old file."""
    return {i: table.target(i) - front if i else table.number(i)
            for i in range(N_FIELDS)
            if i not in (BUFFERS, METADATA) and table.place(i)}


def entries(table, field, front):
    return [entry.at - front for entry in table.tables(field)] \
        if table.place(field) else []


def only_added(old, new):
    """The old file behind a front; all parts but two lists are the old."""
    front = len(new) - len(old)
    assert front % 64 == 0 and new[front:] == old, "the old file has changed"
    before, after = (tflm_model.Model(data).root for data in (old, new))
    assert parts(before, 0) == parts(after, front), "a part of the model"
    *kept, own = entries(after, BUFFERS, front)
    assert kept == entries(before, BUFFERS, 0) and own < 0, "the buffers"
    *kept, own = entries(after, METADATA, front)
    expected = [entry.at for entry in before.tables(METADATA)
                if entry.bytes(0) != tflm_model.PLAN] \
        if before.place(METADATA) else []
    assert kept == expected and own < 0, "the metadata"


def written(memplan, path, folder):
    old = path.read_bytes()
    new, blob, planned = plan(memplan, path, folder)
    only_added(old, new)
    model = tflm_model.Model(new)
    offsets = model.offsets()
    assert blob == struct.pack(f"<3I{len(offsets)}i", 1, len(model.subgraphs),
                               len(offsets), *offsets), "the offsets alone"
    of_plan = {one["id"]: one["offset"] for one in planned["tensors"]}
    for t, offset in enumerate(offsets):
        tensor = model.tensors[t]
        expected = of_plan.get(t, -1) if tensor.planned else -1
        assert offset == expected, f"'{tensor.name}': {offset}, not {expected}"
    if not model.has_npu():
        assert not list(model.overlaps(offsets)), list(model.overlaps(offsets))


def read_back(memplan, path, folder):
    new, blob, planned = plan(memplan, path, folder)
    model = folder / "again.tflite"
    model.write_bytes(new)
    harness.run(memplan, "check", model)
    harness.run(memplan, "plan", model, "--quiet", "--target", "tflm", "-o",
                folder / "x.tflm.bin", "-o", folder / "x.json", "-o",
                folder / "x.tflite")
    assert (folder / "x.tflm.bin").read_bytes() == blob, "other offsets"
    again = json.loads((folder / "x.json").read_text("utf-8"))
    assert again["tensors"] == planned["tensors"], "another plan"
    once_more = tflm_model.Model((folder / "x.tflite").read_bytes())
    names = [entry.bytes(0) for entry in once_more.root.tables(METADATA)]
    assert names.count(tflm_model.PLAN) == 1, "two plans"


def through_a_pipe(memplan, path, folder):
    """The same bytes where there is no file to map, or to read again."""
    plan(memplan, path, folder)
    done = subprocess.run([memplan, "plan", "-", "--replan", "--target",
                           "tflm", "-o", "-.tflite"],
                          input=path.read_bytes(), capture_output=True,
                          cwd=folder, check=False)
    assert done.returncode == 0, done.stderr
    assert (folder / "-.tflite").read_bytes() == \
        (folder / "out.tflite").read_bytes(), "another file"


def untouched_weights(memplan, path, folder):
    """A model with 1.9 GiB of weights is planned in little memory."""
    large = folder / "large.tflite"
    make_tflite.write(path.read_bytes(), large, 1900 << 20)
    with subprocess.Popen([memplan, "plan", large, "--quiet", "-o",
                           folder / "large.tflm.bin"]) as run:
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
    large.unlink()
    assert run.returncode == 0, f"status {run.returncode}"
    plan(memplan, path, folder)
    assert (folder / "large.tflm.bin").read_bytes() == \
        (folder / "out.tflm.bin").read_bytes(), "another plan"
    # Sanitizers take memory of their own.
    if b"__asan_init" not in memplan.read_bytes():
        assert used.ru_maxrss < 64 << 10, f"{used.ru_maxrss} KiB"


def little_memory(memplan, path, folder):
    """Each allocation fails once as the limit rises: a clean end each time."""
    limit, ends = 1, []
    while not ends or ends[-1]:
        done = harness.run(memplan, "plan", path, "--quiet", "--target", "tflm",
                           "--max-memory", str(limit), "-o",
                           folder / "x.tflite", status=(0, OUT_OF_MEMORY))
        ends.append(done.returncode)
        limit += limit // 8 + 64
    assert ends.count(OUT_OF_MEMORY) > 20, ends


def cases(memplan, folders, scratch):
    yield ("little memory", little_memory, memplan,
           pathlib.Path(folders[0], "speech.tflite"), scratch)
    yield ("1.9 GiB of weights", untouched_weights, memplan,
           pathlib.Path(folders[0], "vision.tflite"), scratch)
    for path in sorted(path for folder in folders
                       for path in pathlib.Path(folder).glob("*.tflite")):
        if path.with_suffix(".json").exists():
            yield f"{path.stem}: as described", as_described, path
        for work in (greedy, compared, written, read_back, through_a_pipe):
            name = work.__name__.replace("_", " ")
            yield f"{path.stem}: {name}", work, memplan, path, scratch


def main():
    memplan, *folders = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        harness.tap(cases(pathlib.Path(memplan).resolve(), folders,
                          pathlib.Path(scratch)))


if __name__ == "__main__":
    main()
