#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a terminal sees: progress that comes, keeps its pace and goes; colour.

    test_terminal.py MEMPLAN

Prints TAP; skips where the machine has no pseudo-terminals to give.
"""

import json
import os
import pty
import random
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
ERASE = b"\r\x1b[K"
RATE = 10
# Two seconds on any machine, as this planner needs more for so many steps.
LASTING = ("--planner", "vela", "--steps", "1000000000", "--time-limit", "2")


def problem():
    """Enough buffers for a planner that climbs to be at it for minutes."""
    chance = random.Random(7)
    rows = []
    for name in range(2000):
        start = chance.randrange(0, 1000)
        rows.append((name, start, start + chance.randrange(1, 300),
                     chance.randrange(1, 10 ** 6)))
    return "id,lower,upper,size\n" + "".join(
        ",".join(map(str, row)) + "\n" for row in rows)


def graph():
    """Enough ops for an order row that searches to be at it for a while."""
    chance = random.Random(7)
    count = 3000
    tensors = [{"id": i, "size": chance.randrange(1, 10 ** 6)}
               for i in range(count)]
    ops = [{"name": f"op{i}", "outputs": [i],
            "inputs": sorted({chance.randrange(max(0, i - 400), i)
                              for _ in range(3)} if i else [])}
           for i in range(count)]
    return json.dumps({"format": "memplan.graph", "version": 1,
                       "tensors": tensors, "ops": ops})


def on_terminal(*arguments, **variables):
    """What is written to a terminal on stderr, and stdout."""
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", **variables}
    if "NO_COLOR" not in variables:
        environment.pop("NO_COLOR", None)
    with subprocess.Popen([PROGRAM, *arguments], stderr=slave,
                          stdout=subprocess.PIPE, env=environment) as process:
        os.close(slave)
        seen = b""
        try:
            while chunk := os.read(master, 4096):
                seen += chunk
        except OSError:
            pass  # the other end is closed
        out = process.stdout.read()
    os.close(master)
    return seen, out


def piped(*arguments):
    result = subprocess.run([PROGRAM, *arguments], capture_output=True,
                            check=False)
    return result.stderr, result.stdout


def arena(out):
    return json.loads(out)["arena_size"]


def check_commands(problem_name, graph_name):
    """Every command that may take long says what it is at."""
    slow = (*LASTING, "--quiet", "--progress")
    for command, words in (
            (("simulate", problem_name, *slow), b"planning: "),
            (("explain", problem_name, *slow), b"planning: "),
            (("show", graph_name, "--quiet", "--progress"), b"ordering: ")):
        seen, _ = on_terminal(*command)
        yield f"{command[0]} has progress", (
            words in seen and seen.endswith(ERASE))


def check(name):
    lasting = ("plan", name, *LASTING, "--json")
    seen, shown = on_terminal(*lasting, "--quiet", "--progress")
    seconds = json.loads(shown)["seconds"]
    yield "progress is drawn over itself and erased", (
        seen.count(b"\r") > 1 and seen.endswith(ERASE) and b"\n" not in seen
        and b"of the minimum" in seen)
    yield "it is drawn ten times a second at most", (
        seen.count(b"\r") <= RATE * seconds + 3)
    quiet, _ = on_terminal(*lasting, "--quiet")
    yield "--quiet draws nothing", quiet == b""
    asked, _ = piped(*lasting, "--progress")
    yield "--progress without a terminal is lines", (
        b"planning: " in asked and asked.endswith(b"\n")
        and b"\r" not in asked and b"\x1b" not in asked)
    whole = ("plan", name, "--planner", "vela", "--steps", "1000000", "--json")
    _, shown = on_terminal(*whole)
    silent, out = piped(*whole)
    yield "no terminal, no progress", silent == b""
    yield "progress changes no plan", arena(out) == arena(shown)
    bad = ("plan", name + ".txt")
    with open(bad[1], "w", encoding="utf-8") as file:
        file.write("{")
    plain, _ = on_terminal(*bad, NO_COLOR="1")
    coloured, _ = on_terminal(*bad)
    forced, _ = piped(*bad, "--color=always")
    never, _ = on_terminal(*bad, "--color", "never")
    yield "errors have colour on a terminal", (
        b"\x1b[1;31merror\x1b[0m" in coloured)
    yield "NO_COLOR and --color=never take it away", (
        b"\x1b" not in plain and b"\x1b" not in never)
    yield "--color=always gives it to a pipe", b"\x1b[1;31m" in forced


def has_terminals():
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:
        return False
    return True


def main():
    if not has_terminals():
        print("1..0 # SKIP no pseudo-terminals")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "net.csv")
        with open(name, "w", encoding="utf-8") as file:
            file.write(problem())
        net = os.path.join(folder, "net.json")
        with open(net, "w", encoding="utf-8") as file:
            file.write(graph())
        results = [*check(name), *check_commands(name, net)]
    for number, (name, fine) in enumerate(results, 1):
        print(f"{'ok' if fine else 'not ok'} {number} - {name}")
    print(f"1..{len(results)}")
    return not all(fine for _, fine in results)


if __name__ == "__main__":
    sys.exit(main())
