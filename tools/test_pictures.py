#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pictures of the documentation are what memplan draws of the graphs beside
them.

    test_pictures.py MEMPLAN DOCS

DOCS/pictures has a graph for each picture, and DOCS/*.md show all of them.
MEMPLAN_BLESS=1 draws them anew. Prints TAP.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile


def draw(memplan, graph):
    with tempfile.TemporaryDirectory() as folder:
        picture = pathlib.Path(folder) / "plan.svg"
        subprocess.run([memplan, "plan", "--quiet", graph, "-o", picture],
                       check=True, timeout=600)
        return picture.read_bytes()


def check(memplan, graph, shown):
    """What is wrong with the picture of a graph, or None."""
    picture = graph.with_suffix(".svg")
    drawn = draw(memplan, graph)
    if os.environ.get("MEMPLAN_BLESS"):
        picture.write_bytes(drawn)
    if not picture.exists() or picture.read_bytes() != drawn:
        return "differs from what memplan draws: MEMPLAN_BLESS=1 draws it anew"
    if picture.name not in shown:
        return "no page shows it"
    return None


def main():
    memplan, docs = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(
        sys.argv[2])
    text = "".join(page.read_text() for page in sorted(docs.glob("*.md")))
    shown = set(re.findall(r"\]\(pictures/([^)]*\.svg)\)", text))
    graphs = sorted((docs / "pictures").glob("*.json"))
    answers = {graph.stem: check(memplan, graph, shown) for graph in graphs}
    for name in shown - {graph.stem + ".svg" for graph in graphs}:
        answers[name] = "is shown, but has no graph"
    print(f"1..{len(answers)}")
    for number, (name, answer) in enumerate(answers.items(), 1):
        print(f"not ok {number} - {name}: {answer}" if answer
              else f"ok {number} - {name}")
    return any(answers.values()) or not graphs


if __name__ == "__main__":
    sys.exit(main())
