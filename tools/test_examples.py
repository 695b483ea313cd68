#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the documentation shows of a run is what memplan prints.

    test_examples.py MEMPLAN SOURCE_ROOT [BUILD]

An example is an indented line `$ COMMAND` in README.md or docs, and the indented
lines below it. The examples of a page run in turn, in a folder with the graphs of
testdata/graphs, the folders of a checkout, and the files that the page shows in
fences with a name ("```c program.c"). Times are masked; a line `...` stands for any
lines. A question, which is a row `| Words? | `COMMAND` |` of a table, is answered on
one screen. MEMPLAN_BLESS=1 writes the examples anew, but those with `...`.

A reader does not see comments: `<!-- run COMMAND -->` prepares what the next
example needs, `<!-- needs NAME... -->` skips it where a command, a package of Python,
one of pkg-config (pkg-config:NAME) or a library (library:NAME) is missing. The
libraries are those of BUILD, or the installed ones; packages that are nowhere are stubs
of tools/stubs.

On the pages that take by the hand a fence "```sh" is a script, which has to end
well, and there is no block that is not run, but for those of ELSEWHERE. Prints TAP.
"""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import test_cli

# A comment; a file in a fence; a script; or a command, and what it prints, which
# may have empty lines.
EXAMPLE = re.compile(
    r"^<!-- (?P<hint>run|needs) (?P<rest>.*) -->$"
    r"|^```[\w+]+ (?P<file>[\w.-]+\.\w+)\n(?P<text>(?:.*\n)*?)```$"
    r"|^```sh\n(?P<script>(?:.*\n)*?)```$"
    r"|^    \$ (?P<line>.*)\n"
    r"(?P<shown>(?:    (?!\$ ).*\n|\n(?=    (?!\$ )))*)", re.M)
QUESTION = re.compile(r"^\| ([^|]*\?) \| `(.*)` \|$", re.M)
SCREEN = 50  # lines
# A fence, or indented lines behind an empty one.
BLOCK = re.compile(r"^```(.*)\n(?:.*\n)*?```$"
                   r"|(?<=\n\n)    (\S.*)\n(?:    .*\n|\n(?=    ))*",
                   re.M)

HANDS = re.compile(r"README\.md|docs/(README|tutorial|first-minutes|questions)\.md"
                   r"|docs/howto/.*\.md")
# The first lines of blocks that another test runs: page, line, test.
ELSEWHERE = {
    ("README.md", "tools/demo"): "tools/check-root, in a clean Debian",
    ("README.md", "tools/test"): "tools/check-root, in a clean Debian",
    ("README.md", "meson setup build && ninja -C build"):
        "tools/check-root, in a clean Debian",
    ("docs/first-minutes.md", "tools/setup"):
        "tools/check-root, in a clean Debian",
    ("docs/howto/ci-gate.md", "yaml action"): "tools/test_ci.py",
    ("docs/howto/ci-gate.md", "yaml github"): "tools/test_ci.py",
    ("docs/howto/ci-gate.md", "yaml gitlab"): "tools/test_ci.py",
}


def mask(text):
    for pattern, masked in test_cli.MASKS:
        text = pattern.sub(masked, text)
    return text


def matches(shown, printed):
    parts = [re.escape(mask(part)) for part in shown.split("...\n")]
    return re.fullmatch("(?:.*\n)*".join(parts), mask(printed)) is not None


def indent(text):
    return re.sub("^(?=.)", "    ", text, flags=re.M)


class Checkout:
    """Where examples run: memplan in the path, and what a build made."""

    def __init__(self, memplan, root, build=None):
        self.root = root
        more = {"PATH": [memplan.parent]}
        if build:
            more["PKG_CONFIG_PATH"] = [build / "meson-uninstalled"]
            more["LD_LIBRARY_PATH"] = [build / "src",
                                       build / "src/loader/stand-in"]
        self.environment = dict(os.environ, LC_ALL="C", NO_COLOR="1")
        for name, folders in more.items():
            self.environment[name] = ":".join(
                [*map(str, folders), *filter(None, [os.environ.get(name)])])
        if not all(self.has(f"pkg-config:{stub.stem}") for stub in
                   (root / "tools/stubs").glob("*.pc")):
            self.environment["PKG_CONFIG_PATH"] = ":".join(filter(None, [
                self.environment.get("PKG_CONFIG_PATH"),
                str(root / "tools/stubs")]))

    def has(self, name):
        kind, _, name = name.rpartition(":")
        if kind == "pkg-config":
            return shutil.which("pkg-config") and subprocess.run(
                ["pkg-config", "--exists", name], env=self.environment,
                check=False).returncode == 0
        if kind == "library":
            return subprocess.run(
                [sys.executable, "-c", f"import ctypes; ctypes.CDLL('{name}')"],
                env=self.environment, stderr=subprocess.DEVNULL,
                check=False).returncode == 0
        return shutil.which(name) or importlib.util.find_spec(name)

    def fill(self, folder):
        names = [self.root / name for name in
                 ("testdata", "src", "include", "tools", "docs")]
        for file in [*names, *(self.root / "testdata/graphs").iterdir()]:
            (folder / file.name).symlink_to(file)

    def run(self, folder, line, options="-c"):
        """What it prints, and its exit status unless that is 0."""
        done = subprocess.run(
            ["sh", options, line], cwd=folder, env=self.environment, timeout=600,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False)
        return done.stdout + (
            f"exit status {done.returncode}\n" if done.returncode else "")


class Page:
    """Runs a page, and keeps what it should show."""

    def __init__(self, checkout, path, folder):
        self.checkout, self.path, self.folder = checkout, path, folder
        self.name = str(path.relative_to(checkout.root))
        self.missing = ""
        self.results = []  # title, fine, output

    def note(self, title, fine, printed):
        self.results.append((f"{self.name}: {title}", fine, printed))

    def run_script(self, script):
        """Its output is not shown. Scripts of other pages are not run."""
        if HANDS.fullmatch(self.name):
            printed = self.checkout.run(self.folder, script, "-ec")
            self.note(script.partition("\n")[0].partition("  ")[0],
                      "exit status" not in printed, printed)

    def step(self, found):
        if found["hint"] == "needs":
            self.missing = " ".join(name for name in found["rest"].split()
                                    if not self.checkout.has(name))
        elif found["file"]:
            (self.folder / found["file"]).write_text(found["text"])
        elif self.missing:
            title = found["line"] or found["rest"] or found["script"]
            self.note(f"{title.splitlines()[0]} # SKIP no {self.missing}", True,
                      "")
            self.missing = ""
        elif found["line"]:
            return self.compare(found)
        else:
            self.run_script(found["rest"] or found["script"])
        return found[0]

    def compare(self, found):
        shown = re.sub("^    ", "", found["shown"], flags=re.M)
        printed = self.checkout.run(self.folder, found["line"])
        fine = matches(shown, printed)
        self.note(found["line"], fine, printed)
        if fine or "...\n" in shown:
            return found[0]
        return f"    $ {found['line']}\n{indent(printed)}"

    def ask(self, question, line):
        printed = self.checkout.run(self.folder, line)
        fine = 0 < printed.count("\n") <= SCREEN and \
            "exit status" not in printed
        self.note(f"{question} {line}", fine, printed)

    def count(self, text):
        """Of a page that takes by the hand: blocks that run, and the others."""
        rest = EXAMPLE.sub("\n", text)
        files = [found["file"] for found in EXAMPLE.finditer(text)
                 if found["file"]]
        idle = [name for name in files if text.count(name) < 2]
        left = [(found[1] or found[2]).strip() for found in BLOCK.finditer(rest)]
        for line in left:
            reason = ELSEWHERE.get((self.name, line))
            self.note(f"the block '{line}' is run by {reason}"
                      if reason else f"the block '{line}'", bool(reason),
                      "neither run here nor in ELSEWHERE\n")
        for page, line in ELSEWHERE:
            if page == self.name and line not in left:
                self.note(f"ELSEWHERE, '{line}'", False, "no such block\n")
        all_blocks = len(BLOCK.findall(text))
        self.note(f"{all_blocks} blocks, {len(left)} run elsewhere", not idle,
                  f"never used: {' '.join(idle)}\n")

    def run(self):
        text = self.path.read_text("utf-8")
        anew = EXAMPLE.sub(self.step, text)
        for question, line in QUESTION.findall(text):
            self.ask(question, line.replace(r"\|", "|"))
        if HANDS.fullmatch(self.name):
            self.count(text)
        if os.environ.get("MEMPLAN_BLESS") == "1" and anew != text:
            self.path.write_text(anew, "utf-8")
        return self.results


def results_of(checkout):
    root = checkout.root
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            checkout.fill(folder)
            yield from Page(checkout, path, folder).run()


def main():
    checkout = Checkout(*(pathlib.Path(name).resolve() for name in sys.argv[1:]))
    failed = number = 0
    for number, (title, fine, printed) in enumerate(
            results_of(checkout), 1):
        failed += not fine
        print(f"{'ok' if fine else 'not ok'} {number} - {title}")
        if not fine:
            print("".join(f"# {row}\n" for row in printed.splitlines()), end="")
    print(f"1..{number}")
    return failed > 0 or not number


if __name__ == "__main__":
    sys.exit(main())
