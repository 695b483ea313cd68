#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the public headers: documented, and exactly what is exported.

    check_api.py SOURCE_ROOT [SHARED_LIBRARY]

Every function of memplan.h, report.h and gate.h has a comment of its own that
says what it does, and what it returns if it returns something; one that gives
out a pointer says how long that stays, one that takes a struct says its size.
The library exports these functions and no other symbol, and tools/debian lists
them. libmemplan(3) names only functions that there are.
"""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
HEADERS = ("memplan.h", "report.h", "gate.h")
DECLARATION = re.compile(
    r"(?:/\*((?:(?!\*/).)*)\*/\n)?MEMPLAN_API ([\w \*]+?)(memplan_\w+)\(([^;]*)\);",
    re.S)


def functions():
    """Name, comment, return type and parameters of every function."""
    for header in HEADERS:
        text = (ROOT / "include/memplan" / header).read_text(encoding="utf-8")
        found = DECLARATION.findall(text)
        if len(found) != text.count("MEMPLAN_API ") - text.count(
                "#define MEMPLAN_API "):
            raise SystemExit(f"{header}: declarations that are not understood")
        for comment, result, name, parameters in found:
            yield name, comment, result.strip(), parameters


def missing(name, comment, result, parameters):
    """What the comment of a function lacks."""
    if not re.match(r"\n \* [A-Z]", comment):
        yield f"{name} has no comment of its own"
    if result != "void" and "\n * Returns: " not in comment:
        yield f"{name} does not say what it returns"
    if result == "enum memplan_status" and \
            not re.search(r"\n \* Errors: |MEMPLAN_NO", comment):
        yield f"{name} does not say its errors"
    if re.search(r"\*(?!/)", result) and "_error" not in name and \
            "memplan_text" != name and "memplan_warning" != name and \
            "\n * Lifetime: " not in comment:
        yield f"{name} does not say how long its result stays"
    if "const void **" in parameters and "\n * Lifetime: " not in comment:
        yield f"{name} does not say how long its bytes stay"
    if re.search(r"(?<!const )struct memplan_\w+ \*", parameters) and \
            "size_t size" not in parameters:
        yield f"{name} takes a struct without its size"


def exported(library):
    listing = subprocess.run(
        ["nm", "--dynamic", "--defined-only", library],
        capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].partition("@")[0]
            for line in listing.splitlines()}


def main():
    known, problems = set(), []
    for name, *rest in functions():
        known.add(name)
        problems += missing(name, *rest)
    page = (ROOT / "docs/man/libmemplan.3").read_text(encoding="utf-8")
    for name in re.findall(r"^\.Fn (\w+)", page, re.M):
        if name not in known:
            problems.append(f"libmemplan(3) has {name}, which is not there")
    listed = set(re.findall(r"^ (\w+)@Base ", next((ROOT / "tools/debian").glob(
        "libmemplan*.symbols")).read_text(encoding="utf-8"), re.M))
    problems += [f"{n} is not in tools/debian/libmemplan*.symbols, or there for "
                 "nothing" for n in sorted(known ^ listed)]
    if len(sys.argv) > 2 and shutil.which("nm"):
        symbols = exported(sys.argv[2])
        problems += [f"{n} is not exported" for n in sorted(known - symbols)]
        problems += [f"{n} is exported and in no header"
                     for n in sorted(symbols - known)]
    for problem in problems:
        print(problem)
    print(f"{len(known)} functions")
    return 1 if problems or not known else 0


if __name__ == "__main__":
    sys.exit(main())
