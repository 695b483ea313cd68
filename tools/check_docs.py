#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The index of the documentation is whole: docs/README.md.

    check_docs.py MEMPLAN SOURCE_ROOT

Every page below docs is linked there, and once; so is every manual page named.
That links lead somewhere is for check_words.py.
"""

import collections
import pathlib
import re
import sys

import make_man

INDEX = "README.md"


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


def main():
    program, root = (pathlib.Path(p).resolve() for p in sys.argv[1:])
    found = list(faults(program, root / "docs"))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
