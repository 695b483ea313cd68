#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The lint notices what it is for: violations planted in a scratch tree.

Each case writes files and names words that a check must print; the tree without
them passes. Prints TAP.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

import check_includes
import harness

TOOLS = pathlib.Path(__file__).resolve().parent
HEADER = """/* SPDX-License-Identifier: MIT */
#ifndef MP_GRAPH_GRAPH_H
#define MP_GRAPH_GRAPH_H

int mp_graph_link(int a);

#endif
"""
SOURCE = """/* SPDX-License-Identifier: MIT */
#include "graph/graph.h"

#include <stdio.h>
#include <stdlib.h>

static const int sizes[] = {1, 2};

int mp_graph_link(int a)
{
	return a + sizes[0];
}
"""
FILE, HEAD = "src/graph/graph.c", "src/graph/graph.h"
PAGE = "docs/ARCHITECTURE.md"
ROOMS = "".join(f"| `{room}` | {rows} | what it does |\n"
                for room, rows in check_includes.ROOMS.items())
STREET = """/*
 *	handle.c  handles
 *	walk.c    runs
 *
 * SPDX-License-Identifier: MIT
 */
int mp_street_walk(int a);
"""
CALLER = """#include "street/street.h"

int memplan_new(int a)
{
	return mp_street_walk(a);
}
"""
WALK = """#include "street/street.h"

int mp_street_walk(int a)
{
	return a;
}
"""
CLEAN = {FILE: SOURCE, HEAD: HEADER, PAGE: ROOMS}


def swap(text, old, new):
    assert old in text, old
    return text.replace(old, new)


def more(text):
    return {FILE: SOURCE + text}


# What is wrong, the check, the files, what it must say.
CASES = (
    ("a name without its room", "check_names.py",
     {FILE: swap(SOURCE, "mp_graph_link", "mp_link"),
      HEAD: swap(HEADER, "mp_graph_link", "mp_link")}, "lacks the prefix"),
    ("a name of another room", "check_names.py",
     {FILE: swap(SOURCE, "mp_graph_link", "mp_graphic_link"),
      HEAD: swap(HEADER, "mp_graph_link", "mp_graphic_link")},
     "lacks the prefix"),
    ("a function that no header declares", "check_names.py",
     more("\nint mp_graph_cut(int a)\n{\n\treturn a;\n}\n"),
     "mp_graph_cut() is not in the header"),
    ("a function in another file's header", "check_names.py",
     {"src/graph/cycle.c": "\nint mp_graph_turn(int a)\n{\n\treturn a;\n}\n",
      "src/graph/other.h": "int mp_graph_turn(int a);\n"},
     "mp_graph_turn() is not in the header"),
    ("a public function that is not public", "check_names.py",
     {"src/street/handle.c": "\nint memplan_cut(int a)\n{\n\treturn a;\n}\n"},
     "memplan_cut() is in no public header"),
    ("a function of base under another name", "check_names.py",
     {"src/base/arena.c": "\nint mp_sink_cut(int a)\n{\n\treturn a;\n}\n",
      "src/base/arena.h": "int mp_sink_cut(int a);\n"}, "lacks the prefix"),
    ("a name that occurs twice", "check_names.py",
     {"src/order/graph.c": SOURCE}, "graph.c occurs twice"),
    ("an arrow upward", "check_includes.py",
     {FILE: swap(SOURCE, '#include "graph/graph.h"',
                 '#include "order/order.h"')}, "graph may not include"),
    ("a room that is not on the list", "check_includes.py",
     {"src/attic/attic.c": "\n"}, "no row for its room"),
    ("another list on the page", "check_includes.py",
     {PAGE: swap(ROOMS, "base json graph |", "base graph |")},
     "has another list: ['input']"),
    ("a room that the page leaves out", "check_includes.py",
     {PAGE: swap(ROOMS, "| `cli` |", "| cli |")}, "has another list: ['cli']"),
    ("GLPK outside its file", "check_includes.py",
     {FILE: swap(SOURCE, "stdlib.h", "glpk.h")}, "belongs to"),
    ("two files that include each other", "check_includes.py",
     {HEAD: swap(HEADER, "int mp", '#include "graph/cycle.h"\n\nint mp'),
      "src/graph/cycle.h": '#include "graph/graph.h"\n'}, "a circle"),
    ("a file of the street that calls one behind it", "check_includes.py",
     {"src/street/street.h": STREET, "src/street/handle.c": CALLER,
      "src/street/walk.c": WALK}, "lists src/street/walk.c, which it calls"),
    ("a file of the street that its header leaves out", "check_includes.py",
     {"src/street/street.h": swap(STREET, "walk.c  ", "walks.c "),
      "src/street/walk.c": WALK}, "does not list it"),
    ("system headers out of order", "lint",
     {FILE: swap(SOURCE, "stdio.h", "string.h")}, "not sorted"),
    ("a mixed block of includes", "lint",
     {FILE: swap(SOURCE, "<stdio.h>\n", '<stdio.h>\n#include "graph/a.h"\n')},
     "mixes"),
    ("ours before the system's", "lint",
     {FILE: swap(SOURCE, "graph.h", "a.h").replace(
         "#include <stdio.h>\n#include <stdlib.h>",
         '#include "graph/b.h"\n\n#include <stdio.h>')}, "blocks of includes"),
    ("the own header below", "lint",
     {FILE: swap(SOURCE, '"graph/graph.h"\n\n', '"base/num.h"\n\n').replace(
         "<stdlib.h>\n", '<stdlib.h>\n\n#include "graph/graph.h"\n')},
     "own header does not come first"),
    ("another guard", "lint",
     {HEAD: swap(HEADER, "MP_GRAPH_GRAPH_H", "MP_GRAPH_H")}, "the guard"),
    ("a conflict in a page", "lint",
     {PAGE: ROOMS + "<<<<<<< HEAD\n"}, "a merge left a conflict"),
    ("a conflict in a header", "lint",
     {HEAD: swap(HEADER, "int mp", "/*\n>>>>>>> 1\n */\nint mp")},
     "a merge left a conflict"),
    ("a file that is not there, in a page", "lint",
     {PAGE: ROOMS + "`src/graph/no.h` has it.\n"}, "src/graph/no.h is not"),
    ("a file that is not there, in a comment", "lint",
     more("\n/* See src/graph/no.c. */\n"), "src/graph/no.c is not there"),
    ("81 columns", "lint", more("/* " + "x" * 75 + " */\n"), "80 columns"),
    ("a torn ruler", "lint", more("\n/* ------------- pairs\n */\n"), "ruler"),
    ("a torn comment", "lint", more("\n/*\n * It is\n *not.\n */\n"), "torn"),
    ("a variable", "lint", more("\nstatic int count;\n"),
     "count is a global"),
    ("a table of constant texts that can change", "lint",
     more('\nstatic const char *names[] = {"a"};\n'), "names is a global"),
    ("no licence", "lint", {FILE: swap(SOURCE, "SPDX", "SPD")}, "no licence"),
    ("a blank at the end of a line", "lint", more("/* a */ \n"), "blanks"),
    ("snake case", "lint", {"src/graph/a_b.h": HEADER}, "not kebab-case"),
    ("a name of Python that nothing defines", "lint",
     {"tools/a.py": "# SPDX-License-Identifier: MIT\nprint(harness.tap)\n"},
     "harness is used and not defined"),
    ("an import that nothing uses", "lint",
     {"tools/a.py": "# SPDX-License-Identifier: MIT\nimport os\n"},
     "os is imported and not used"),
)
FORMAT = ("a brace out of place", "lint",
          {FILE: swap(SOURCE, "int a)\n{", "int a) {")}, "clang-format")


def run(check, files):
    """What a check prints of a scratch tree, and its exit status."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in (CLEAN | files).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, "utf-8")
        (root / "tools").mkdir(exist_ok=True)
        (root / ".clang-format").write_bytes(
            (TOOLS.parent / ".clang-format").read_bytes())
        done = subprocess.run([sys.executable, TOOLS / check, root],
                              capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def check_clean(check):
    status, text = run(check, {})
    return text if status else None


def check_planted(check, files, words):
    status, text = run(check, files)
    return None if status == 1 and words in text else text or "nothing"


def cases():
    for check in "check_includes.py", "check_names.py", "lint":
        yield f"{check} passes a clean tree", check_clean, check
    formatted = (FORMAT,) if shutil.which("clang-format") else ()
    for what, check, files, words in CASES + formatted:
        yield f"{check} notices {what}", check_planted, check, files, words


if __name__ == "__main__":
    harness.tap(cases())
