#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Real inputs, where they lie beside the repository.

    check_data.py MEMPLAN DATA

Reads every graph, CSV problem and trace below DATA, writes a plan of each with
the cheapest planner, and reads and writes that again: the bytes must be the same.
A CSV problem written as CSV must keep its rows. The traces must have the
theoretical minima that are known for them. Prints TAP.
"""

import json
import pathlib
import sys
import tempfile

import harness

# At alignment 512; a temporary that is never freed lives to the end.
KNOWN = {("Squeezenet", 4): 234443264, ("Googlenet", 4): 181847040,
         ("MobilenetV1", 4): 452276224, ("MobilenetV2", 4): 584812544}


def check(memplan, folder, source, *options):
    first, again, rows = (folder / name for name in ("p.json", "q.json", "r.csv"))
    plan = memplan, "plan", "--planner", "linear", "--quiet", source, *options
    harness.run(*plan, "-o", first)
    written = first.read_bytes()
    harness.run(memplan, "plan", "--quiet", first, "-o", again)
    if again.read_bytes() != written:
        return "a plan of its plan differs"
    if source.suffix == ".csv":
        harness.run(*plan, "-o", rows)
        kept = [line.rpartition(",")[0]
                for line in rows.read_text().splitlines()]
        if kept != source.read_text().splitlines():
            return "rows were not kept"
    key = (source.name.split(".")[0], int(options[1])) if options else None
    least = json.loads(written)["theoretical_min"]
    if KNOWN.get(key, least) != least:
        return f"theoretical minimum {least}, not {KNOWN[key]}"
    return None


def inputs(data):
    for path in sorted(data.glob("graphs/*.json")):
        yield (path,)
    for path in sorted(data.glob("*/*.csv")):
        if path.name != "INDEX.csv":
            yield (path,)
    for path in sorted(data.glob("mnn/*/*.tensor_size.json")):
        name, batch = path.name.split(".")[:2]
        yield path.parent / f"{name}.io_info.json", "--batch", batch


def main():
    memplan, data = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        harness.tap((" ".join([source.name, *options]), check, memplan,
                     pathlib.Path(folder), source, *options)
                    for source, *options in inputs(data))


if __name__ == "__main__":
    main()
