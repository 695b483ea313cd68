#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Golden tests of the command line: one folder is one story.

    test_cli.py MEMPLAN TESTDATA/cli [NAME...]

A story is a folder with a file `args`: one command line each line, run by a
POSIX shell inside a fresh empty folder where `memplan` is the program, $DATA is
testdata and $STORY the story's folder. `expect` holds what the lines must print:
each line, then its standard output, its standard error and its exit status.
Times are masked. MEMPLAN_BLESS=1 rewrites `expect`. Prints TAP.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

MASKS = [
    (re.compile(r'("seconds": ?)[0-9.e-]+'), r"\1S"),
    (re.compile(r"\b[0-9]+\.[0-9]+ (ms|s)\b"), r"T \1"),
]


def run_line(line, folder, environment):
    result = subprocess.run(
        ["sh", "-c", line], cwd=folder, env=environment, timeout=600,
        stdin=subprocess.DEVNULL, capture_output=True, check=False)
    text = "$ " + line + "\n"
    text += result.stdout.decode("utf-8", "replace")
    for error in result.stderr.decode("utf-8", "replace").splitlines():
        text += "! " + error + "\n"
    if result.returncode:
        text += f"= {result.returncode}\n"
    return text


def run_story(program, data, story):
    environment = dict(
        os.environ, PATH=f"{program.parent}:{os.environ['PATH']}",
        DATA=str(data), STORY=str(story), LC_ALL="C", NO_COLOR="1")
    text = ""
    with tempfile.TemporaryDirectory() as folder:
        for line in (story / "args").read_text().splitlines():
            if line and not line.startswith("#"):
                text += run_line(line, folder, environment)
    text = text.replace(str(story), "$STORY").replace(str(data), "$DATA")
    for pattern, mask in MASKS:
        text = pattern.sub(mask, text)
    return text


def differences(expected, got):
    want, have = expected.splitlines(), got.splitlines()
    for i in range(max(len(want), len(have))):
        a = want[i] if i < len(want) else "(nothing)"
        b = have[i] if i < len(have) else "(nothing)"
        if a != b:
            yield f"# line {i + 1}: expected: {a}"
            yield f"# line {i + 1}:      got: {b}"


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    root = pathlib.Path(sys.argv[2]).resolve()
    names = sys.argv[3:] or sorted(
        p.parent.name for p in root.glob("*/args"))
    bless = os.environ.get("MEMPLAN_BLESS") == "1"
    failed = 0
    print(f"1..{len(names)}")
    for number, name in enumerate(names, 1):
        story = root / name
        got = run_story(program, root.parent, story)
        if bless:
            (story / "expect").write_text(got)
        expect = story / "expect"
        expected = expect.read_text() if expect.exists() else ""
        fine = got == expected and got != ""
        failed += not fine
        print(f"{'ok' if fine else 'not ok'} {number} - {name}")
        if not fine:
            print("\n".join(list(differences(expected, got))[:40]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
