#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the documentation shows of a run is what memplan prints.

    test_examples.py MEMPLAN SOURCE_ROOT

An example is an indented line `$ memplan ...` in README.md or docs, and the lines
below it up to an empty one. It runs in a folder with `testdata` and the graphs of
testdata/graphs. Times are masked; a line `...` stands for any lines. Prints TAP.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import test_cli

EXAMPLE = re.compile(r"^    \$ (memplan .*)\n((?:    .*\n)*)", re.M)


def mask(text):
    for pattern, masked in test_cli.MASKS:
        text = pattern.sub(masked, text)
    return text


def run(memplan, root, line):
    environment = dict(os.environ, LC_ALL="C", NO_COLOR="1",
                       PATH=f"{memplan.parent}:{os.environ['PATH']}")
    with tempfile.TemporaryDirectory() as folder:
        for path in [root / "testdata", *(root / "testdata/graphs").iterdir()]:
            (pathlib.Path(folder) / path.name).symlink_to(path)
        return subprocess.run(
            ["sh", "-c", line], cwd=folder, env=environment, timeout=600,
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=True).stdout


def matches(shown, printed):
    parts = [re.escape(part) for part in shown.split("...\n")]
    return re.fullmatch("(?:.*\n)*".join(parts), printed) is not None


def main():
    memplan, root = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    examples = [(page, *found) for page in pages
                for found in EXAMPLE.findall(page.read_text())]
    failed = 0
    print(f"1..{len(examples)}")
    for number, (page, line, text) in enumerate(examples, 1):
        shown = mask(re.sub("^    ", "", text, flags=re.M))
        printed = mask(run(memplan, root, line))
        good = matches(shown, printed)
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {page.name}: {line}")
        if not good:
            print("".join(f"# {row}\n" for row in printed.splitlines()), end="")
    return failed > 0 or not examples


if __name__ == "__main__":
    sys.exit(main())
