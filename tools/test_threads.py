#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Large problems with any number of threads.

    test_threads.py MEMPLAN

Each plan is the same in every byte, and so is each error, wherever in the file its
line is. The files are so large that they are read in parts, and their dives go in
halves. Prints TAP.
"""

import pathlib
import random
import sys
import tempfile

import harness
import problem_families

THREADS = (1, 2, 3, 6)
ROWS = 60000
STEPS = "1200000"  # for one dive and a little more

# What a row of the file becomes, and what is said of it: nothing, if it is read.
ROWS_AS = {
    "a row with blanks": (lambda cells: ", ".join(cells), None),
    "a row with a return": (lambda cells: ",".join(cells) + "\r", None),
    "a size that is no number": (lambda cells: ",".join(cells) + "x", "must be an integer"),
    "a cell too many": (lambda cells: ",".join(cells) + ",1", "5 cells"),
    "an empty line": (lambda cells: "", "an empty line between rows"),
    "an id that is taken": (lambda cells: ",".join(["7", *cells[1:]]),
                            "id '7' is taken by line 9"),
}


def plans_of(program, problem, folder, status=(0,), options=("--steps", STEPS)):
    """What each number of threads answers, and the plan."""
    for threads in THREADS:
        plan = pathlib.Path(folder, f"{threads}.plan.csv")
        answer = harness.run(program, "plan", problem, *options, "--quiet",
                             "--threads", str(threads), "-o", plan, status=status)
        yield answer.stderr, plan.read_bytes() if answer.returncode == 0 else None


def check_same(program, problem, folder, *more):
    answers = list(plans_of(program, problem, folder, *more))
    assert all(answer == answers[0] for answer in answers), problem
    return answers[0]


def rows_of(family, n=ROWS):
    lines = problem_families.lines(family, n, random.Random(1))
    return "".join(lines).splitlines()


def check_family(program, family, folder):
    problem = pathlib.Path(folder, f"{family}.csv")
    problem.write_text("\n".join(rows_of(family)) + "\n", encoding="ascii")
    check_same(program, problem, folder)


def check_attempts(program, folder):
    """Budgets with which an attempt of pad that was run ahead would have been
    another one."""
    problem = pathlib.Path(folder, "worn.csv")
    problem.write_text("\n".join(rows_of("worn", 1500)) + "\n", encoding="ascii")
    for steps in range(1000000, 1300000, 50000):
        check_same(program, problem, folder, (0,),
                   ("--planner", "pad", "--steps", str(steps)))


def check_row(program, as_read, said, folder):
    rows = rows_of("uniform")
    problem = pathlib.Path(folder, "row.csv")
    for at in (2000, len(rows) // 3, len(rows) - 2)[not said:2 + bool(said)]:
        changed = [*rows[:at], as_read(rows[at].split(",")), *rows[at + 1:]]
        problem.write_text("\n".join(changed), encoding="ascii", newline="\n")
        error, _ = check_same(program, problem, folder, (3 if said else 0,))
        if said:
            assert f":{at + 1}: " in error and said in error, error


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        harness.tap(
            [(family, check_family, program, family, folder)
             for family in ("trace", "uniform", "waves")] +
            [("attempts of pad", check_attempts, program, folder)] +
            [(name, check_row, program, *row, folder) for name, row in ROWS_AS.items()])


if __name__ == "__main__":
    main()
