#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the documentation shows of a run is what memplan prints.

    test_examples.py MEMPLAN SOURCE_ROOT

An example is an indented line `$ COMMAND` in README.md or docs, and the indented
lines below it. The examples of a page run in turn, in a folder with `testdata`, the
graphs of testdata/graphs, and the files that the page shows in fences with a name
("```c program.c"). Times are masked; a line `...` stands for any lines. A question,
which is a row `| Words? | `COMMAND` |` of a table, is answered on one screen.
MEMPLAN_BLESS=1 writes the examples anew, but those with `...`. Prints TAP.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import test_cli

# A file in a fence; or a command, and what it prints, which may have empty lines.
EXAMPLE = re.compile(
    r"^```\w+ (?P<file>[\w.-]+\.\w+)\n(?P<text>(?:.*\n)*?)```$"
    r"|^    \$ (?P<line>.*)\n"
    r"(?P<shown>(?:    (?!\$ ).*\n|\n(?=    (?!\$ )))*)", re.M)
QUESTION = re.compile(r"^\| ([^|]*\?) \| `(.*)` \|$", re.M)
SCREEN = 50  # lines


def mask(text):
    for pattern, masked in test_cli.MASKS:
        text = pattern.sub(masked, text)
    return text


def run(memplan, folder, line):
    environment = dict(os.environ, LC_ALL="C", NO_COLOR="1",
                       PATH=f"{memplan.parent}:{os.environ['PATH']}")
    done = subprocess.run(
        ["sh", "-c", line], cwd=folder, env=environment, timeout=600,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout + (
        f"exit status {done.returncode}\n" if done.returncode else "")


def matches(shown, printed):
    parts = [re.escape(mask(part)) for part in shown.split("...\n")]
    return re.fullmatch("(?:.*\n)*".join(parts), mask(printed)) is not None


def indent(text):
    return re.sub("^(?=.)", "    ", text, flags=re.M)


class Page:
    """Runs a page, and keeps what it should show."""

    def __init__(self, memplan, path, folder):
        self.memplan, self.path, self.folder = memplan, path, folder
        self.results = []  # title, fine, output

    def step(self, found):
        if found["file"]:
            (self.folder / found["file"]).write_text(found["text"])
            return found[0]
        shown = re.sub("^    ", "", found["shown"], flags=re.M)
        printed = run(self.memplan, self.folder, found["line"])
        fine = matches(shown, printed)
        self.results.append((found["line"], fine, printed))
        if fine or "...\n" in shown:
            return found[0]
        return f"    $ {found['line']}\n{indent(printed)}"

    def ask(self, question, line):
        printed = run(self.memplan, self.folder, line)
        fine = 0 < printed.count("\n") <= SCREEN and \
            "exit status" not in printed
        self.results.append((f"{question} {line}", fine, printed))

    def run(self):
        text = self.path.read_text("utf-8")
        anew = EXAMPLE.sub(self.step, text)
        for question, line in QUESTION.findall(text):
            self.ask(question, line.replace(r"\|", "|"))
        if os.environ.get("MEMPLAN_BLESS") == "1" and anew != text:
            self.path.write_text(anew, "utf-8")
        return self.results


def results_of(memplan, root):
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file in [root / "testdata",
                         *(root / "testdata/graphs").iterdir()]:
                (folder / file.name).symlink_to(file)
            for title, fine, printed in Page(memplan, path, folder).run():
                yield f"{path.name}: {title}", fine, printed


def main():
    memplan, root = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
    failed = number = 0
    for number, (title, fine, printed) in enumerate(
            results_of(memplan, root), 1):
        failed += not fine
        print(f"{'ok' if fine else 'not ok'} {number} - {title}")
        if not fine:
            print("".join(f"# {row}\n" for row in printed.splitlines()), end="")
    print(f"1..{number}")
    return failed > 0 or not number


if __name__ == "__main__":
    sys.exit(main())
