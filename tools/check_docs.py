#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The indexes are whole: docs/README.md, and tools/README.md.

    check_docs.py MEMPLAN SOURCE_ROOT

Every page below docs is linked there, and once; so is every manual page named.
So is every tool that is started by hand; those that build first say with --help how
they are called, and do nothing else. Pages name the rows of a table that they
are about. That links lead somewhere is for check_words.py.
"""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import make_man

INDEX = "README.md"
TABLES = (("planners", "planners.md"), ("orders", "ordering.md"))

BUILD_FIRST = "demo", "setup", "test"


def faults(program, docs):
    text = (docs / INDEX).read_text("utf-8")
    linked = collections.Counter(re.findall(r"\]\(([^)#]+\.md)\)", text))
    pages = {str(path.relative_to(docs)) for path in docs.rglob("*.md")}
    for page in sorted(pages - {INDEX}):
        if linked[page] != 1:
            yield f"docs/{INDEX} links {page} {linked[page]} times"
    manuals = {path.stem for path in (docs / "man").glob("*.[1-9]")}
    manuals |= {f"memplan-{name}" for name, _, _ in make_man.commands_of(program)}
    named = set(re.findall(r"`(?:man )?([a-z-]+)`", text))
    for manual in sorted(manuals - named):
        yield f"docs/{INDEX} does not name the manual page {manual}"


def nameless(program, docs):
    """Rows that the page of their table does not name."""
    for table, page in TABLES:
        listed = subprocess.run([program, "list", table], check=True, text=True,
                                capture_output=True).stdout
        names = set(re.findall(r"`([^`\n]+)`", (docs / page).read_text("utf-8")))
        for row in re.findall(r"^(\S+)  ", listed, re.M):
            if row not in names:
                yield f"docs/{page} does not name {row}, one of the {table}"


def unlisted(tools):
    """Programs in kebab-case; a name in backquotes is of one, or of a pattern."""
    text = (tools / INDEX).read_text("utf-8")
    named = collections.Counter(re.findall(r"`([^`*\s]+)`", text))
    for path in sorted(tools.iterdir()):
        if path.is_file() and not path.suffix and named[path.name] != 1:
            yield f"tools/{INDEX} names {path.name} {named[path.name]} times"


def silent(tools):
    """Tools that do not say how they are called: without a PATH to build with."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("dirname", "sed", "tail"):
            os.symlink(shutil.which(name), pathlib.Path(folder, name))
        for name in BUILD_FIRST:
            done = subprocess.run([tools / name, "--help"], capture_output=True,
                                  text=True, check=False, cwd="/",
                                  env={"PATH": folder})
            if done.returncode or f"tools/{name} [" not in done.stdout:
                yield f"tools/{name} --help says {done.stdout + done.stderr!r}"


def main():
    program, root = (pathlib.Path(p).resolve() for p in sys.argv[1:])
    docs = root / "docs"
    found = [*faults(program, docs), *nameless(program, docs),
             *unlisted(root / "tools"), *silent(root / "tools")]
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
