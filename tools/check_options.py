#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that help and manual name the same commands and options.

    check_options.py MEMPLAN MANUAL
"""

import re
import subprocess
import sys


def text_of(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True,
                          text=True, check=True).stdout


def main():
    program, manual = sys.argv[1:]
    with open(manual, encoding="utf-8") as file:
        page = file.read()
    commands = re.findall(r"^  ([a-z]+) +\S", text_of(program, "--help"), re.M)
    commands = [c for c in commands if c != "memplan"]
    in_help, problems = set(), []
    for command in commands:
        text = text_of(program, command, "--help")
        in_help |= set(re.findall(r"^  --?([a-z-]+)", text, re.M))
        if not re.search(rf"^\.It Cm {command}\b", page, re.M):
            problems.append(f"the manual lacks the command {command}")
    in_manual = set()
    for line in re.findall(r"^\.It (Fl .*)$", page, re.M):
        in_manual |= set(re.findall(r"Fl -?([a-z][a-z-]*)", line))
    for name in sorted(in_help - in_manual):
        problems.append(f"the manual lacks the option {name}")
    for name in sorted(in_manual - in_help):
        problems.append(f"the help lacks the option {name}")
    for problem in problems:
        print(problem)
    print(f"{len(commands)} commands, {len(in_help)} options")
    return 1 if problems or not in_help or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
