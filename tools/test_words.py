#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that check_words.py finds words in prose and comments, and only there.

Prints TAP.
"""

import pathlib
import sys
import tempfile

import check_words as words

PATTERN = words.pattern_of(["shelf", "life span", *words.PRONOUNS])

# name of a file, its text, the lines on which a word stands
CASES = [
    ("a.c", "/* a shelf */\nint shelf; // who\n", [1, 2]),
    ("a.c", 'char *s = "/* who */ // who"; /* none */\n', []),
    ("a.c", 'char *s = "\\"/* who"; /* who */\n', [1]),
    ("a.c", "char c = '\"'; /* who */\nchar *s = \"who\";\n", [1]),
    ("a.c", "char c = '\\''; /* who */\n", [1]),
    ("a.c", "int a = b / c; int d = *p / *q; /* life\n * span */\n", [1]),
    ("a.h", "/* one\n *\n * two: whose\n */\n", [3]),
    ("a.h", "// goes on \\\nwho\nint who;\n", [2]),
    ("a.h", "/* not closed: who", [1]),
    ("a.py", '"""Doc: who."""\nx = "who"  # whom\n', [1, 2]),
    ("a.py", 'def f():\n    """One.\n\n    whose\n    """\n', [4]),
    ("a.py", 'f("""\nwho\n""")\n', []),
    ("tool", "#!/usr/bin/env python3\n# who\nx = 'who'\n", [2]),
    ("tool", "#!/bin/sh\necho 'who # who' \"# who\" # who\n", [2]),
    ("tool", "#!/bin/sh\necho $#who ${x#who}\n# who\n", [3]),
    ("meson.build", "# who\nx = 'who'\n", [1]),
    ("a.md", "A shelf.\n\n    who\n\n    who\n\n```c\nwho\n```\nwho\n",
     [1, 10]),
    ("a.md", "Life\nspans, shelfs and shelfss\n", [1, 2]),
    ("a.md", "* An item\n    who\n", [2]),
    ("a.md", "`who` and ``who ` who`` and [whose](who.md)\n", [1]),
    ("a.md", "People who, people whom, users who\n", [1]),
    ("a.md", "whoso, shelf-life, who_is, Who\n", [1]),
    ("a.svg", "who\n", []),
]

GLOSSARY = """
| word | meaning | where | not |
|---|---|---|---|
| **pool** | a memory; `x` is no word | `b`, `.` | `shelf`, space, `lane of memory` |
"""

PAGE = """# A page: [the](x) first
[good](b.md), [good](#a-page-the-first), [good](https://example.org/x),
[good](b.md#second-one), [bad](c.md), [bad](b.md#third), ![bad](d.svg)
"""


def cases():
    for name, text, wanted in CASES:
        prose = words.prose_of(pathlib.PurePath(name), text)
        found = [line for line, _ in words.find(prose, PATTERN)]
        yield found == wanted, f"{name}: {text!r}", found


def glossary():
    found = words.words_of(GLOSSARY)
    yield (found == {"shelf": "pool", "lane of memory": "pool"},
           "words of a glossary", found)
    with tempfile.TemporaryDirectory() as folder:
        found = list(words.lost_places(pathlib.Path(folder), GLOSSARY))
    yield found == ["b"], "places of a glossary", found
    left = words.without_last_column(GLOSSARY)
    yield "shelf" not in left and "`x`" in left, "its own columns", left


def links():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "a.md").write_text(PAGE, encoding="utf-8")
        (root / "b.md").write_text("## Second one\n", encoding="utf-8")
        found = list(words.broken_links(root, pathlib.PurePath("a.md"), PAGE))
    yield found == ["x", "c.md", "b.md#third", "d.svg"], "links", found


def main():
    results = [*cases(), *glossary(), *links()]
    print(f"1..{len(results)}")
    for number, (good, name, found) in enumerate(results, 1):
        print(f"{'ok' if good else 'not ok'} {number} - {name}")
        if not good:
            print(f"# {found!r}")
    return not all(good for good, _, _ in results)


if __name__ == "__main__":
    sys.exit(main())
