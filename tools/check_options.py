#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that help, manuals and completions name the same things.

    check_options.py MEMPLAN SOURCE_ROOT

memplan(1) and the completions of each shell have the commands and options of
--help, libmemplan(3) the functions of the public header, memplan-formats(5) the
formats that list prints. Completions are parsed by the shells that are at hand;
bash must complete with them.
"""

import pathlib
import re
import shutil
import subprocess
import sys

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
SHELLS = ["bash", "zsh", "fish"]


def text_of(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True,
                          text=True, check=True).stdout


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def help_of():
    """Options of every command, as help names them."""
    commands = re.findall(r"^  ([a-z]+) +\S", text_of("--help"), re.M)
    return {command: set(re.findall(r"^  --?([a-z-]+)",
                                    text_of(command, "--help"), re.M))
            for command in commands if command != "memplan"}


def differences(what, have, want):
    for name in sorted(want - have):
        yield f"{what} lacks {name}"
    for name in sorted(have - want):
        yield f"{what} has {name}, which is not there"


def check_manual(options):
    page = read("docs/man/memplan.1")
    for command in options:
        if not re.search(rf"^\.It Cm {command}\b", page, re.M):
            yield f"memplan(1) lacks the command {command}"
    names = set()
    for line in re.findall(r"^\.It (Fl .*)$", page, re.M):
        names |= set(re.findall(r"Fl -?([a-z][a-z-]*)", line))
    yield from differences("memplan(1)", names, set().union(*options.values()))


def in_bash(text):
    found = re.findall(r'^\t(\w+)\) options="([^"]*)"', text, re.M)
    return {command: {word.lstrip("-") for word in words.split()}
            for command, words in found}


def in_zsh(text):
    found = re.findall(r"^\t(\w+)\)\n\t\t_arguments \\\n(.*?);;", text,
                       re.M | re.S)
    return {command: set(re.findall(r"^\t\t\t'--?([a-z-]+)\[", body, re.M))
            for command, body in found}


def in_fish(text):
    options = {command: set() for command in re.findall(
        r"__fish_use_subcommand -f -a (\w+)", text)}
    for commands, name in re.findall(
            r"subcommand_from ([\w ]+)' -[ls] (\S+)", text):
        for command in commands.split():
            options[command].add(name)
    return options


def check_completions(options):
    readers = {"bash": in_bash, "zsh": in_zsh, "fish": in_fish}
    for shell in SHELLS:
        text = text_of("completions", shell)
        found = readers[shell](text)
        yield from differences(shell, set(found), set(options))
        for command in options:
            yield from differences(f"{shell}: {command}",
                                   found.get(command, set()),
                                   options[command])
        if shutil.which(shell):
            result = subprocess.run([shell, "-n"], input=text, text=True,
                                    capture_output=True, check=False)
            if result.returncode or result.stderr:
                yield f"{shell} does not parse its completions"


def complete(*words):
    """What bash offers for the last word."""
    script = text_of("completions", "bash") + (
        '\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _memplan\n'
        'printf "%s\\n" "${COMPREPLY[@]}"\n')
    return subprocess.run(["bash", "-c", script, "bash", "memplan", *words],
                          capture_output=True, text=True, check=True,
                          ).stdout.split()


def check_bash():
    cases = [(["pl"], ["plan"]), (["plan", "--capa"], ["--capacity"]),
             (["plan", "--planner", "dive"], ["dive"]),
             (["show", "--inplace", "of"], ["off"]),
             (["list", "pla"], ["planners"]), (["plan", "--update"], [])]
    for words, wanted in cases:
        offered = complete(*words)
        if not set(wanted) <= set(offered) or (not wanted and offered):
            yield f"bash completes {words} to {offered}"


def check_library():
    functions = set(re.findall(r"\b(memplan_\w+)\(",
                               re.sub(r"/\*.*?\*/", "",
                                      read("include/memplan/memplan.h"),
                                      flags=re.S)))
    named = set(re.findall(r"^\.(?:Fn|Fo) (memplan_\w+)",
                           read("docs/man/libmemplan.3"), re.M))
    yield from differences("libmemplan(3)", named, functions)


def rows_of(table):
    return {line.split()[0] for line in text_of("list", table).splitlines()}


def check_formats():
    """All inputs; of outputs there are more than the page goes into."""
    inputs, outputs = read("docs/man/memplan-formats.5").split(".Sh OUTPUTS")
    named = set(re.findall(r"^\.It Cm (\S+)$", inputs, re.M)) - {"budget"}
    yield from differences("memplan-formats(5)", named, rows_of("inputs"))
    for names in re.findall(r"^\.It (?:Pa|Cm) (.*)$", outputs, re.M):
        names = names.rpartition("( Cm ")[2].replace(")", "")
        for name in names.replace(",", " ").split():
            if name not in rows_of("outputs"):
                yield f"memplan-formats(5) has {name}, which is not there"


def main():
    options = help_of()
    problems = [*check_manual(options), *check_completions(options),
                *check_library(), *check_formats()]
    if shutil.which("bash"):
        problems += check_bash()
    for problem in problems:
        print(problem)
    names = set().union(*options.values())
    print(f"{len(options)} commands, {len(names)} options")
    return 1 if problems or not names or not options else 0


if __name__ == "__main__":
    sys.exit(main())
