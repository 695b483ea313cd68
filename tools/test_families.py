#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generated families of problems, and their table against a baseline.

    test_families.py MEMPLAN SOURCE_ROOT

Every family repeats, is planned and checked, and no plan is below a least arena that
the family knows, which is the theoretical minimum. tools/bench --families ends with 1
exactly if an arena is larger than the baseline's, tools/bench --threads if a plan is
another one with more threads. It takes models as it takes graphs. Prints TAP.
"""

import json
import pathlib
import random
import sys
import tempfile

import harness
import problem_families
from problem_families import FAMILIES

BUFFERS = 120


def check_family(program, name, folder):
    texts = {"".join(problem_families.lines(name, BUFFERS, random.Random(7)))
             for _ in range(2)}
    assert len(texts) == 1, "another text from the same seed"
    problem, plan = pathlib.Path(folder, "problem.csv"), pathlib.Path(folder, "p.json")
    problem.write_text(texts.pop(), encoding="ascii")
    found = harness.result(program, "plan", problem, "--effort", "0", "-o", plan)
    assert BUFFERS / 2 <= found["buffers"] <= 50 * BUFFERS, found["buffers"]
    harness.run(program, "check", plan, "--quiet")
    least = FAMILIES[name].least
    if least:
        assert found["theoretical_min"] == least <= found["arena_size"], found


def bench(program, root, folder, excess):
    baseline = pathlib.Path(folder, "baseline.json")
    baseline.write_text(json.dumps({"families": [
        {"instance": "equal-50-1", "row": "auto", "excess_%": excess,
         "cpu_s": "0.1"}]}), encoding="ascii")
    return harness.run(root / "tools/bench", "--families", "equal", "--sizes", "50",
                       "--memplan", program, "--baseline", baseline, status=(0, 1))


def check_baseline(program, root, folder):
    same = bench(program, root, folder, "0.0000")
    assert same.returncode == 0 and "equal-50-1" in same.stdout, same.stderr
    worse = bench(program, root, folder, "-1.0000")
    assert worse.returncode == 1, worse.stdout


# A program with a plan that depends on the number of threads.
DEPENDS = """#!/bin/sh
case " $* " in
*" --threads 2 "*) exec {program} "$@" --planner linear ;;
esac
exec {program} "$@"
"""


def bench_threads(program, root):
    return harness.run(root / "tools/bench", "--threads", "2", "--pairs", "1",
                       "--families", "--sizes", "50", "--memplan", program, "waves",
                       status=(0, 1))


def check_threads(program, root, folder):
    same = bench_threads(program, root)
    assert same.returncode == 0 and " same " in same.stdout, same.stderr
    wrong = pathlib.Path(folder, "wrong")
    wrong.write_text(DEPENDS.format(program=pathlib.Path(program).resolve()),
                     encoding="ascii")
    wrong.chmod(0o755)
    other = bench_threads(wrong, root)
    assert other.returncode == 1 and "DIFFER" in other.stdout, other.stdout


def check_models(program, root):
    """A model and its graph have one stem, so a model keeps its suffix."""
    models = root / "testdata/models"
    table = harness.run(root / "tools/bench", "--memplan", program, "--rows",
                        "greedy-size", models / "flow.tflite",
                        root / "testdata/graphs/tiny.json").stdout
    assert "flow.tflite " in table and "tiny " in table, table
    assert "2 of 2 planned" in table, table


def main():
    program, root = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        harness.tap(
            [(name, check_family, program, name, folder) for name in FAMILIES] +
            [("a table against a baseline", check_baseline, program, root,
              folder),
             ("a table of threads", check_threads, program, root, folder),
             ("a table of models", check_models, program, root)])


if __name__ == "__main__":
    main()
