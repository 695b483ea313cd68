#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The index of the documentation is whole: docs/README.md.

    check_docs.py MEMPLAN SOURCE_ROOT

Every page below docs is linked there, and once; so is every manual page named.
Pages name the rows of a table that they are about. That links lead somewhere is
for check_words.py.
"""

import collections
import pathlib
import re
import subprocess
import sys

import make_man

INDEX = "README.md"
TABLES = (("planners", "planners.md"), ("orders", "ordering.md"))


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


def main():
    program, root = (pathlib.Path(p).resolve() for p in sys.argv[1:])
    docs = root / "docs"
    found = [*faults(program, docs), *nameless(program, docs)]
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
