#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual pages are sound mdoc, and examples in them are printed as meant.

    check_man.py PAGE...

Lint is that of mandoc, but for pages that are not installed here. An example is a
line `.Dl`: macros in it that were meant as words would be gone from what a reader
sees. Prints TAP, skips without mandoc.
"""

import pathlib
import re
import shutil
import subprocess
import sys

import harness

ELSEWHERE = "referenced manual not found", "outdated mandoc.db"


def mandoc(*arguments):
    return subprocess.run(["mandoc", *arguments], capture_output=True, text=True,
                          check=False).stdout


def check_lint(page):
    for line in mandoc("-T", "lint", "-W", "warning", page).splitlines():
        if not any(words in line for words in ELSEWHERE):
            yield line


def check_examples(page):
    printed = re.sub(".\b", "", mandoc("-T", "ascii", "-O", "width=200", page))
    examples = re.findall(r"^\.Dl (.*)$", page.read_text("utf-8"), re.M)
    for example in examples:
        words = example.replace(r"\&", "")
        if words not in printed:
            yield f"not printed as it stands: {words}"


def main():
    if not shutil.which("mandoc"):
        print("1..0 # SKIP mandoc is not installed")
        return
    pages = [pathlib.Path(name) for name in sys.argv[1:]]
    harness.tap((f"{page.name}: {title}", check, page) for page in pages
                for title, check in (("lint", check_lint),
                                     ("examples", check_examples)))


if __name__ == "__main__":
    main()
