#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/ARCHITECTURE.md says where to add what: here it is done as it says.

    test_rows.py ROOT

In a copy of the source a planner, a reader, an emitter and an order are added,
each by one file, its line in meson.build and one row, in the folders and lists
that the page's table names; reader and emitter with their items in the manual,
planner and order with sections of their pages. The copy is built, and each row
does its work; the checks of the house find nothing wrong.
Prints TAP.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import harness

COPIED = ("src", "planners", "include", "tools", "schemas", "docs", "meson.build",
          "meson_options.txt", ".clang-format", "README.md")
HEAD = "/* {what}: a row for a test.\n *\n * SPDX-License-Identifier: MIT\n */\n"

# What is added: name of its function, row, and file.
PLANNER = ('ROW("behind", "one buffer behind the other", mp_planner_behind_run, '
           "0, false)\n", """#include "planners/rows.h"

enum outcome mp_planner_behind_run(struct job *job, int variant)
{
	return mp_planner_linear_run(job, variant);
}
""")
READER = ('ROW("marked", "CSV behind a line that says so", '
          "mp_input_marked_recognise,\n\tmp_input_marked_read)\n",
          """#include <string.h>

#include "input/rows.h"

static const char mark[] = "marked\\n";

bool mp_input_marked_recognise(const struct input_file *file)
{
	return file->length >= strlen(mark) &&
	       memcmp(file->bytes, mark, strlen(mark)) == 0;
}

bool mp_input_marked_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	struct input rest = *input;

	rest.files[ROLE_MAIN].bytes += strlen(mark);
	rest.files[ROLE_MAIN].length -= strlen(mark);
	return mp_input_csv_read(&rest, graph, arena, e);
}
""")
EMITTER = ('FILE_ROW("twice", ".twice", "the CSV two times", mp_emit_twice,\n'
           "\tTAKES_PLAN)\n",
           """#include "emit/rows.h"

{head}
{
	mp_emit_csv({names});
	mp_emit_csv({names});
}
""")
ORDER = ('ROW("listed", "as the input lists the ops", mp_order_listed, 0, '
         "false)\n", """#include "order/rows.h"

bool mp_order_listed(struct order_job *job, int variant)
{
	return mp_order_keep(job, variant);
}
""")
ADDED = {"a planner": ("behind", PLANNER), "a reader": ("marked", READER),
         "an emitter": ("twice", EMITTER), "an order": ("listed", ORDER)}
CSV = "id,lower,upper,size\na,0,2,64\nb,1,3,64\nc,2,4,64\n"


def places(root):
    """What the page's table says: of each thing the folder and the list."""
    page = (root / "docs/ARCHITECTURE.md").read_text("utf-8")
    return {what: (folder, rows) for what, folder, rows in re.findall(
        r"^\| (an? \w+) \| `([\w/]+)` \| `([\w/.]+\.def)` \|$", page, re.M)}


def emitter_of(root, text):
    """An emitter takes what emit.h says it takes."""
    header = " ".join((root / "src/emit/emit.h").read_text("utf-8").split())
    arguments = re.search(r"typedef void emit_run\((.*?)\);", header)[1]
    head = f"void mp_emit_twice(\n\t{arguments})"
    names = ", ".join(re.findall(r"(\w+)(?:,|$)", arguments))
    return text.replace("{head}", head).replace("{names}", names)


def add(root, what, folder, rows):
    """One file, one line in meson.build, one row."""
    name, (row, text) = ADDED[what]
    if what == "an emitter":
        text = emitter_of(root, text)
    (root / folder / f"{name}.c").write_text(
        HEAD.format(what=name) + text, "utf-8")
    build = root / folder / "meson.build"
    before, files, after = re.split(r"(core_sources \+= files\(\n)",
                                    build.read_text("utf-8"), maxsplit=1)
    build.write_text(before + files + f"  '{name}.c',\n" + after, "utf-8")
    table = (root / rows).read_text("utf-8")
    first = table.index("ROW(") if what == "a reader" else len(table)
    (root / rows).write_text(table[:first] + row + table[first:], "utf-8")
    section = {"a planner": "planners.md", "an order": "ordering.md"}
    if what in section:
        with open(root / "docs" / section[what], "a", encoding="utf-8") as page:
            page.write(f"\n## A row of a test\n\n`{name}` is for a test.\n")
    item = {"a reader": ".It Cm csv\n", "an emitter": ".It Pa .csv Pq Cm csv\n"}
    if what in item:
        page = root / "docs/man/memplan-formats.5"
        page.write_text(page.read_text("utf-8").replace(
            item[what], f"{item[what].replace('csv', name)}Of a test.\n"
            f"{item[what]}"), "utf-8")


def run(*command, cwd=None):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True,
                          env=os.environ | {"CCACHE_DISABLE": "1"}, check=False)
    assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"
    return done.stdout


def build(root):
    """The program, as quickly as it builds."""
    run("meson", "setup", "build", "--buildtype=plain", "-Dtests=disabled",
        "-Ddefault_library=static", "-Dilp=disabled", "-Dcompletions=disabled",
        "-Dwerror=true", cwd=root)
    run("ninja", "-C", "build", "src/cli/memplan", cwd=root)
    return root / "build/src/cli/memplan"


def is_listed(memplan, table, name):
    rows = [line.split()[0] for line in run(memplan, "list", table).split("\n")
            if line.strip()]
    assert name in rows, rows


def try_planner(memplan, root):
    is_listed(memplan, "planners", "behind")
    assert '"arena_size": 192' in run(memplan, "plan", "in.csv", "--planner",
                                      "behind", "--json", "--align", "1",
                                      cwd=root)


def try_reader(memplan, root):
    is_listed(memplan, "inputs", "marked")
    (root / "in.marked").write_text("marked\n" + CSV, "utf-8")
    run(memplan, "plan", "in.marked", "-o", "a.csv", cwd=root)
    run(memplan, "plan", "in.csv", "-o", "b.csv", cwd=root)
    assert (root / "a.csv").read_text() == (root / "b.csv").read_text()


def try_emitter(memplan, root):
    is_listed(memplan, "outputs", "twice")
    run(memplan, "plan", "in.csv", "-o", "c.csv", "-o", "c.twice", cwd=root)
    once = (root / "c.csv").read_text("utf-8")
    assert once and (root / "c.twice").read_text("utf-8") == once + once


def try_order(memplan, root):
    is_listed(memplan, "orders", "listed")
    text = run(memplan, "plan", "testdata/graphs/worked.json", "--order",
               "listed", "--json", cwd=root)
    assert '"order": "listed"' in text, text


def try_house(memplan, root):
    for check in "check_includes.py", "check_names.py", "lint":
        run(sys.executable, root / "tools" / check, root)
    for check in "check_options.py", "check_docs.py":
        run(sys.executable, root / "tools" / check, memplan, root)


CASES = (("a planner", try_planner), ("a reader", try_reader),
         ("an emitter", try_emitter), ("an order", try_order),
         ("the house", try_house))


def copy(source, root):
    for name in COPIED:
        if (source / name).is_dir():
            shutil.copytree(source / name, root / name)
        else:
            shutil.copy(source / name, root / name)
    (root / "testdata").symlink_to(source / "testdata")
    (root / "in.csv").write_text(CSV, "utf-8")


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        copy(source, root)
        found = places(root)
        assert found.keys() == ADDED.keys(), found
        for what, (where, rows) in found.items():
            add(root, what, where, rows)
        memplan = build(root)
        harness.tap((what, work, memplan, root) for what, work in CASES)


if __name__ == "__main__":
    main()
