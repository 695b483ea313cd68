#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that documentation names the options and tables that there are.

    check_options.py [--write] MEMPLAN SOURCE_ROOT

The options in memplan.h are a block that is made from memplan list options;
--write makes it anew. memplan(1) names every command as --help does
and every exit status as status.h does, memplan-formats(5) the formats that list
prints.
Completions are parsed by the shells that are at hand; each must complete.
"""

import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import make_man

# It would take itself for the program, and start itself without end.
if len(sys.argv) < 3:
    sys.exit(__doc__)
WRITE = "--write" in sys.argv
PROGRAM, ROOT = (pathlib.Path(p).resolve() for p in sys.argv[-2:])
HEADER = ROOT / "include/memplan/memplan.h"
SCRIPTS = {"bash": "memplan.bash", "zsh": "_memplan", "fish": "memplan.fish"}


def text_of(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True,
                          text=True, check=True).stdout


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def rows_of(table):
    return {line.split()[0] for line in text_of("list", table).splitlines()}


def differences(what, have, want):
    for name in sorted(want - have):
        yield f"{what} lacks {name}"
    for name in sorted(have - want):
        yield f"{what} has {name}, which is not there"


# ---------------------------------------------------------------- header

def block_of(line):
    """The lines of one option: its name and argument, and what it does."""
    left, right = re.fullmatch(r"(.{34}\S*) (.*)", line).groups()
    left, rest = left.strip(), textwrap.wrap(right, 46)
    lines = [f"{left:26} {rest.pop(0)}"] if len(left) <= 26 else [left]
    return [" *   " + text for text in
            lines + [" " * 27 + text for text in rest]]


def check_header():
    want = sum(map(block_of, text_of("list", "options").splitlines()), [])
    text = HEADER.read_text(encoding="utf-8")
    place = re.search(r"tells them to programs:\n \*\n((?: \*   .*\n)*)", text)
    want = "\n".join(want) + "\n"
    if WRITE:
        HEADER.write_text(text[:place.start(1)] + want + text[place.end(1):],
                          encoding="utf-8")
    elif place[1] != want:
        yield "memplan.h has other options: run check_options.py --write"


# ---------------------------------------------------------------- manual

def check_manual(commands):
    """The pages of the commands are made; this one names them."""
    page = read("docs/man/memplan.1")
    named = dict(re.findall(r"^\.It Xr memplan-(\w+) 1\n(.*)$", page, re.M))
    yield from differences("memplan(1)", set(named), set(commands))
    for name, summary in commands.items():
        if named.get(name) != summary:
            yield f"memplan(1) does not say of {name}: {summary}"


def check_statuses():
    """An exit status is a status of the library, and means the same."""
    header = read("include/memplan/status.h")
    meant = {number: " ".join(words.split()) for number, words in
             re.findall(r" = (\d),?\s+/\* (.*?) \*/", header, re.S)}
    said = dict(re.findall(r"^\.It (\d)\n(.*)$", read("docs/man/memplan.1"), re.M))
    if len(meant) < 8 or said != meant:
        yield f"memplan(1) has not the statuses of status.h: {meant}"


def check_formats():
    """All inputs, and all outputs that are files; of reports some."""
    inputs, outputs = read("docs/man/memplan-formats.5").split(".Sh OUTPUTS")
    named = set(re.findall(r"^\.It Cm (\S+)$", inputs, re.M)) - {"budget"}
    yield from differences("memplan-formats(5)", named, rows_of("inputs"))
    files = dict(re.findall(r"^(\S+) +(\.\S+):", text_of("list", "outputs"),
                            re.M))
    for suffixes, names in re.findall(
            r"^\.It (?:Pa (.*) Pq )?Cm (.*)$", outputs, re.M):
        names, suffixes = names.split(" , "), suffixes.split(" , ")
        for name, suffix in itertools.zip_longest(names, suffixes):
            if name not in rows_of("outputs"):
                yield f"memplan-formats(5) has {name}, which is not there"
            elif suffix and files.pop(name, None) != suffix:
                yield f"memplan-formats(5) has {name} with {suffix}"
    for name in files:
        yield f"memplan-formats(5) lacks {name}"


# ----------------------------------------------------------- completions

def check_scripts():
    for shell, script in SCRIPTS.items():
        if not shutil.which(shell):
            continue
        result = subprocess.run(
            [shell, "-n", ROOT / "src/cli/completions" / script],
            text=True, capture_output=True, check=False)
        if result.returncode or result.stderr:
            yield f"{shell} does not parse its completions: {result.stderr}"


def complete(*words):
    """What bash offers for the last word. The shell splits words at "="."""
    script = read("src/cli/completions/memplan.bash") + (
        '\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _memplan\n'
        'printf "%s\\n" "${COMPREPLY[@]}"\n')
    words = re.findall(r"\S+?(?==)|=|[^=\s]+", " ".join(words)) + (
        [""] if words[-1] == "" else [])
    return subprocess.run(
        ["bash", "-c", script, "bash", PROGRAM, *words], cwd=ROOT,
        env=dict(os.environ, LC_ALL="C"), capture_output=True, text=True,
        check=True).stdout.split()


def check_bash():
    cases = [(["pl"], ["plan"]), (["plan", "--capa"], ["--capacity"]),
             (["plan", "--planner", "dive"], ["dive"]),
             (["plan", "--planner", "xl"], ["xla"]),
             (["plan", "--planner=two"], ["two-level"]),
             (["plan", "--replan", "READ"], ["README.md"]),
             (["gate", "--format", "sa"], ["sarif"]),
             (["show", "--inplace", "of"], ["off"]),
             (["plan", "--copy-mode", ""], ["none", "sync", "semi", "async"]),
             (["replay", "--device=c"], ["cuda"]),
             (["plan", "--emit-lp", "READ"], ["README.md"]),
             (["plan", "READ"], ["README.md"]),
             (["list", "pla"], ["planners"]), (["plan", "--update"], []),
             (["plan", "--align", "4"], [])]
    for words, wanted in cases:
        offered = complete(*words)
        if not set(wanted) <= set(offered) or (not wanted and offered):
            yield f"bash completes {words} to {offered}"


def check_fish():
    """fish itself completes a line."""
    script = ROOT / "src/cli/completions/memplan.fish"
    for line, wanted in (("plan --planner=two", "--planner=two-level"),
                         ("plan --copy-mode s", "semi"),
                         ("plan --emit-lp=READ", "--emit-lp=README.md"),
                         ("plan --capa", "--capacity"), ("li", "list")):
        offered = subprocess.run(
            ["fish", "--no-config", "-c", f"source {script}\n"
             f"set PATH {PROGRAM.parent} $PATH\ncomplete -C 'memplan {line}'"],
            cwd=ROOT, text=True, capture_output=True, check=True).stdout
        if wanted not in re.split(r"[\t\n]", offered):
            yield f"fish completes '{line}' to {offered}"


def check_zsh():
    """The descriptions of options that zsh completes by."""
    functions = read("src/cli/completions/_memplan").rpartition("_memplan ")[0]
    done = subprocess.run(
        ["zsh", "-f", "-c", f"{functions}\nprogram=$1\n_memplan_options plan",
         "zsh", PROGRAM], text=True, capture_output=True, check=True)
    offered = done.stdout.splitlines()
    for wanted in (r"--copy-mode=\[.+\]:value:\(none sync semi async\)",
                   r"--planner=\[.*\]:row:_memplan_rows planners peers",
                   r"-o\[.*\]:file:_files", r"--quiet\[.*\]"):
        if done.stderr or not any(re.fullmatch(wanted, o) for o in offered):
            yield f"zsh has no {wanted}: {done.stderr}"


def main():
    commands = {name: make_man.sentence(summary) for name, _, summary in
                make_man.commands_of(PROGRAM)}
    problems = [*check_header(), *check_manual(commands),
                *check_statuses(), *check_formats(), *check_scripts()]
    for shell, check in (("bash", check_bash), ("fish", check_fish),
                         ("zsh", check_zsh)):
        if shutil.which(shell):
            problems += check()
        else:
            print(f"completions not tried: {shell} is not installed")
    for problem in problems:
        print(problem)
    print(f"{len(commands)} commands")
    return 1 if problems or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
