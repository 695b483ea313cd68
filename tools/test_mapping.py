#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A large input is mapped: it gives what a pipe gives, and costs what is used.

    test_mapping.py MEMPLAN

Prints TAP.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import harness
import make_tflite

IO = 6
MIB = 1 << 20


def sparse(path, size, head=b""):
    """A file of that size that is all zeros behind its head."""
    with path.open("wb") as file:
        file.write(head)
        file.truncate(size)
    return path


def table(path):
    """A CSV problem that is large enough to be mapped."""
    row = "{0},{0},%d,64,{1}\n"
    rows = ((row % (i + 2)).format(i, "x" * 500) for i in range(4000))
    path.write_text("id,lower,upper,size,note\n" + "".join(rows), "utf-8")
    assert path.stat().st_size > MIB
    return path


def same_as_pipe(memplan, folder):
    path = table(folder / "large.csv")
    found = harness.run(memplan, "plan", path, "-o", "-", "--quiet")
    with path.open("rb") as file:
        told = subprocess.run([memplan, "plan", "-", "-o", "-", "--quiet"],
                              stdin=file, capture_output=True, check=True)
    piped = subprocess.run([memplan, "plan", "-", "-o", "-", "--quiet"],
                           input=path.read_bytes(), capture_output=True,
                           check=True)
    assert piped.stdout == told.stdout, "stdin: file and pipe differ"
    assert found.stdout.replace("large", "stdin") == piped.stdout.decode(), \
        "file and pipe differ"


def half_read(memplan, folder):
    """stdin that is a file, but does not stand at its beginning."""
    path = folder / "behind.csv"
    path.write_bytes(b"#" * MIB + table(folder / "large.csv").read_bytes())
    with path.open("rb") as file:
        os.lseek(file.fileno(), MIB, os.SEEK_SET)
        done = subprocess.run([memplan, "plan", "-", "--quiet"], stdin=file,
                              capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def too_large(memplan, folder):
    path = sparse(folder / "huge", (1 << 36) + 1)
    done = harness.run(memplan, "plan", path, status=(IO,))
    assert "too large" in done.stderr, done.stderr


def weights_behind(memplan, folder):
    """A model of 3 GiB: its tables are in front, its weights are not."""
    model = make_tflite.model_of({"subgraphs": [{
        "tensors": [{"name": "x", "shape": [4]},
                    {"name": "w", "shape": [1 << 28], "data": [4096, 1 << 30]},
                    {"name": "y", "shape": [8]}],
        "inputs": ["x"], "outputs": ["y"],
        "ops": [{"op": "ADD", "inputs": ["x", "w"], "outputs": ["y"]}]}]})
    path = sparse(folder / "large.tflite", 3 << 30, model)
    said = harness.result(memplan, "plan", path, "--quiet")
    assert said["arena_size"] == 16 + 32, said
    done = harness.run(memplan, "plan", path, "--target", "tflm", "-o",
                       folder / "x.tflite", status=(2,))
    assert "at fixed places" in done.stderr, done.stderr


def made_shorter(memplan, folder):
    """The program has the input, and waits for a solution from a pipe."""
    path, pipe = table(folder / "large.csv"), folder / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(
            [memplan, "plan", path, "--solution", pipe],
            stderr=subprocess.PIPE, text=True) as run:
        with pipe.open("w", encoding="utf-8"):
            os.truncate(path, 0)
        said = run.communicate(timeout=100)[1]
    assert run.returncode == IO, f"status {run.returncode}: {said}"
    assert "became shorter" in said, said


def main():
    memplan = sys.argv[1]
    cases = {"the same as through a pipe": same_as_pipe,
             "stdin that was read in part": half_read,
             "more than 64 GiB": too_large,
             "weights behind 2 GiB": weights_behind,
             "an input that becomes shorter": made_shorter}
    with tempfile.TemporaryDirectory() as folder:
        harness.tap((name, work, memplan, pathlib.Path(tempfile.mkdtemp(
            dir=folder))) for name, work in cases.items())


if __name__ == "__main__":
    main()
