#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that a program is built as programs that take hostile input should be.

    check_hardening.py PROGRAM

Wants functions that check lengths (FORTIFY), a canary of the stack, relocations
that are read only, no stack that can run, and an address of its own each time.
Needs readelf; without it says so. Exit 77 tells Meson that it was skipped.
"""

import shutil
import subprocess
import sys

WANTED = (
    ("--dyn-syms", "_chk@", "calls that check lengths"),
    ("--dyn-syms", "__stack_chk_fail", "a canary of the stack"),
    ("--program-headers", "GNU_RELRO", "read-only relocations"),
    ("--dynamic", "BIND_NOW", "symbols bound at the start"),
    ("--file-header", "DYN", "an address of its own"),
)


def main():
    if not shutil.which("readelf"):
        print("readelf is not installed")
        return 77
    missing = []
    for option, word, what in WANTED:
        told = subprocess.run(["readelf", "--wide", option, sys.argv[1]],
                              capture_output=True, text=True, check=True).stdout
        if word not in told:
            missing.append(what)
    stack = [line for line in subprocess.run(
        ["readelf", "--wide", "--program-headers", sys.argv[1]],
        capture_output=True, text=True, check=True).stdout.splitlines()
        if "GNU_STACK" in line]
    if not stack or "RWE" in stack[0]:
        missing.append("a stack that cannot run")
    print(f"{len(WANTED) + 1} wanted, missing: {', '.join(missing) or 'none'}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
