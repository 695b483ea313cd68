#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual pages are sound mdoc, and examples in them are printed as meant.

    check_man.py PAGE...

Lint is that of mandoc, but for pages that are not installed here, and that of
groff, where they are at hand. An example is a line `.Dl` or what stands in a
`.Bd -literal`: macros in it that were meant as words would be gone from what a
reader sees. The page of a command has all sections, in their sequence. Prints TAP.
"""

import pathlib
import re
import shutil
import subprocess
import sys

import harness

ELSEWHERE = "referenced manual not found", "outdated mandoc.db"
LITERAL = re.compile(r"^\.Dl (.*)$|^\.Bd -literal.*\n((?:(?!\.Ed).*\n)*)", re.M)
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS",
            "EXAMPLES", "SEE ALSO"]
# What each prints of a page, plain and wide.
FORMATTERS = {
    "mandoc": ["mandoc", "-T", "ascii", "-O", "width=200"],
    "groff": ["groff", "-mdoc", "-T", "ascii", "-P", "-c", "-rLL=200n"],
}
LINT = {
    "mandoc": ["mandoc", "-T", "lint", "-W", "warning"],
    "groff": ["groff", "-mdoc", "-ww", "-z"],
}


def output_of(command, page):
    done = subprocess.run([*command, page], capture_output=True, text=True,
                          check=False)
    return done.stdout + done.stderr


def check_lint(page, tool):
    for line in output_of(LINT[tool], page).splitlines():
        if not any(words in line for words in ELSEWHERE):
            yield line


def check_examples(page, tool):
    printed = re.sub(".\b", "", output_of(FORMATTERS[tool], page))
    for one, block in LITERAL.findall(page.read_text("utf-8")):
        for words in (one or block).splitlines():
            for escape, meant in ((r"\&", ""), (r"\-", "-"), (r"\e", "\\")):
                words = words.replace(escape, meant)
            if words.strip() not in printed:
                yield f"not printed as it stands: {words}"


def check_sections(page):
    found = re.findall(r"^\.Sh (.*)$", page.read_text("utf-8"), re.M)
    if found != SECTIONS:
        yield f"its sections are {found}"


def cases(pages):
    for page in pages:
        if page.name.startswith("memplan-") and page.suffix == ".1":
            yield f"{page.name}: sections", check_sections, page
        for tool in LINT:
            if shutil.which(tool):
                yield f"{page.name}: {tool}", check_lint, page, tool
                yield (f"{page.name}: examples by {tool}", check_examples,
                       page, tool)


def main():
    pages = [pathlib.Path(name) for name in sys.argv[1:]]
    for tool in LINT:
        if not shutil.which(tool):
            print(f"# {tool} is not installed")
    harness.tap(cases(pages))


if __name__ == "__main__":
    main()
