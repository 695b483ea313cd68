#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/limits.md: each limit of an input, its number, why, what is said.

    limits_page.py SOURCE [--check]

The numbers come from the constants of the source, and the words of each message
must stand in the file that the row names. --check writes nothing; exit 1 if the
page is not what it would be.
"""

import pathlib
import re
import sys

PAGE = "docs/limits.md"
HEAD = """\
# Limits

`tools/limits_page.py` writes this page from the source, and the lint holds it.
`tools/test_limits.py` tries most of them: one below, at, and one above. What exceeds
a limit is refused with exit status 3; 6 for files, 2 for an output.

| limit | at most | why | what is said |
|---|---|---|---|
"""
TAIL = """
Other limits refuse nothing. Searches, bounds and reports look at less of an input that
is beyond them: a plan may be larger than it could be, a bound lower, a list shorter.
`tools/test_limits.py MEMPLAN . --list` names all constants.
"""

# What, file and constant (and what is added to it), why, words of the message, in that file or another.
IDS = "ids are numbers of 32 bits, with room for sums"
FORGED = "a forged number must not ask for memory"
ROWS = (
    ("sizes and offsets, each sum of them", "src/base/num.h NUM_MAX_BYTES",
     "differences of two have a sign", "sizes sum to more than 2^62 bytes",
     "src/graph/graph-link.c"),
    ("integers in JSON", "src/base/num.h NUM_MAX_EXACT",
     "a double holds integers exactly up to it", "must be %s",
     "src/json/value.c"),
    ("arena and times of a plan in JSON", "src/base/num.h NUM_MAX_EXACT",
     "a plan is read again", "cannot be written as JSON",
     "src/street/answers.c"),
    ("arena and times of a proof", "src/proof/proof.h PROOF_END -1",
     "checkers add a few of them", "cannot be written as a proof",
     "src/street/answers.c"),
    ("depth of JSON", "src/json/json.h JSON_DEPTH",
     "a stack of that size", "nested more than %d deep", "src/json/scan.c"),
    ("bytes of a number in JSON", "src/json/scan.h JSON_NUMBER_TEXT",
     "cJSON reads 63", "a number of more than %d characters",
     "src/json/scan-token.c"),
    ("bytes of a name in JSON", "src/json/json.h JSON_TEXT",
     "names are copied and shown", "must not be longer than %d bytes",
     "src/json/value.c"),
    ("values of a JSON document", "src/input/document/build.c MOST_TENSORS",
     IDS, "is too large", "src/input/document/build.c"),
    ("alignment, a power of two",
     "src/input/document/build-alignment.c MOST_ALIGNMENT",
     "sizes are rounded up to it",
     "must be a power of two from 1 to %d",
     "src/input/document/build-alignment.c"),
    ("padding of a plan's tensors",
     "src/input/document/build-plan.c MOST_PADDING",
     "it is added to every size", "must be %s", "src/json/value.c"),
    ("number of a stream", "src/input/document/build-ops.c MOST_STREAMS -1",
     FORGED, "must be %s", "src/json/value.c"),
    ("streams × the greater of streams and ops",
     "src/graph/graph-link.c MOST_CLOCKS",
     "a table that says which op waits for which: 64 MiB",
     "too many streams", "src/graph/graph-link.c"),
    ("ops that a bound on all orders names", "src/graph/graph.h MOST_BOUND_OPS",
     "each of them is a flow of the whole graph",
     "must name at most %u ops", "src/input/document/build-plan.c"),
    ("pools", "src/graph/pool.h MOST_POOLS", "a set of pools is one number",
     "must name from 1 to %u pools", "src/input/document/build-pools.c"),
    ("pairs of tensors that are used together and may lie in pools with banks",
     "src/lifetime/bank-costs.c MOST_BANK_PAIRS",
     "each pair is looked at, before planning and in each plan: a second",
     "more than %d pairs of tensors", "src/lifetime/bank-costs.c"),
    ("different lists of pools", "src/input/document/build-pools.c MOST_LISTS -1",
     "a tensor has the number of its list in 16 bits",
     "different lists of pools", "src/input/document/build-pools.c"),
    ("tensors × blocks of a pool in chunks", "src/pools/assign.c MOST_LOOKED_AT",
     "each block is filled on its own: seconds",
     "tensors times chunks may be at most %d", "src/pools/assign.c"),
    ("pairs in conflict of a linear program",
     "src/problem/linear-program.c MOST_PAIRS",
     "each takes 300 bytes: 2 GiB, and no solver takes so many",
     "more than %d pairs conflict", "src/problem/linear-program.c"),
    ("reserved ranges", "src/input/document/build-relations.c MOST_RANGES",
     "every buffer is held against each", "at most %d ranges",
     "src/input/document/build-relations.c"),
    ("choices of graph JSON, each in a branch of the one before",
     "src/input/document/build-relations.c MOST_NESTED",
     "each pair of tensors goes up all of them",
     "choices are nested deeper than %d",
     "src/input/document/build-relations.c"),
    ("loops, each in the one before", "src/graph/loops.c MOST_LOOPS_DEEP",
     "a tensor that a loop reads goes up all of them",
     "loops are nested deeper than %d", "src/graph/loops.c"),
    ("cells of a row of CSV", "src/input/csv/csv.h MOST_CELLS",
     "a table of that size", "more than 64 cells",
     "src/input/csv/csv-cells.c"),
    ("tensors of a SOMAS solver's input",
     "src/input/somas/somas-input.c MOST_TENSORS",
     "conflicts are pairs, and come one by one", "more than %d tensors",
     "src/input/somas/somas-input.c"),
    ("nodes of an ONNX model", "src/input/onnx/inside.h ONNX_NODES", IDS,
     "there are more than %d nodes", "src/input/onnx/onnx-walk.c"),
    ("dimensions of a shape of ONNX", "src/input/onnx/inside.h ONNX_RANK",
     "a shape is a table of that size", "its output has more than %d dimensions",
     "src/input/onnx/onnx-call.c"),
    ("graphs in graphs of ONNX", "src/input/onnx/inside.h ONNX_DEPTH",
     "no recursion without end", "graphs are nested deeper than %d",
     "src/input/onnx/onnx-flow.c"),
    ("ops, and tensors, of a TFLite model", "src/input/tflite/tflite.h TFLITE_MOST",
     FORGED, "more than %d ops", "src/input/tflite/tflite-flow.c"),
    ("subgraphs in subgraphs of TFLite",
     "src/input/tflite/tflite-flow.c MOST_DEPTH",
     "no recursion without end", "subgraphs are nested deeper than %d",
     "src/input/tflite/tflite-flow.c"),
    ("bytes of an input that is no regular file", "src/cli/files.c LARGEST",
     "a pipe may never end", "cannot read", "src/cli/files.c"),
    ("bytes of a regular file", "src/cli/files.c LARGEST_MAPPED",
     "offsets in it are shown and compared", "cannot read", "src/cli/files.c"),
)


def value_of(text, name):
    """The number of a constant, from an enum or a #define."""
    found = re.search(rf"(?:#define {name}\s+|^\s*{name} = )"
                      r"((?:\([^\n/]*\)|[^,\n/])+)", text, re.M)
    if not found:
        return None
    plain = re.sub(r"UINT64_C|\(off_t\)|[UL]+\b", "",
                   found[1].replace("UINT16_MAX", "65535"))
    if not re.fullmatch(r"[\d\s<()*+-]+", plain):
        return None
    return eval(plain)  # numbers and << only, as was just seen


def shown(number):
    for less, words in ((0, ""), (1, " - 1")):
        power = (number + less).bit_length() - 1
        if number + less == 1 << power and power > 16:
            return f"2^{power}{words}"
    return f"{number:,}"


def sentences(text):
    """A source with its strings in one piece."""
    return re.sub(r'"\s*\n\s*"', "", text)


def row_of(root, row):
    what, constant, why, words, file = row
    source, name, *less = constant.split()
    number = value_of((root / source).read_text("utf-8"), name)
    if number is None:
        raise SystemExit(f"no limit {constant}")
    number += sum(map(int, less))
    if words and words not in sentences((root / file).read_text("utf-8")):
        raise SystemExit(f"{file} does not say '{words}'")
    said = re.sub("%[du]", str(number), words)
    if "%s" in said:
        said = said.replace("%s", f"an integer from 0 to {number}")
    return f"| {what} | {shown(number)} | {why} | {said} |\n"


def main():
    root = pathlib.Path(sys.argv[1])
    page = HEAD + "".join(row_of(root, row) for row in ROWS) + TAIL
    place = root / PAGE
    if "--check" not in sys.argv:
        place.write_text(page, "utf-8")
    elif not place.exists() or place.read_text("utf-8") != page:
        raise SystemExit(f"{PAGE} is not current: tools/limits_page.py .")


if __name__ == "__main__":
    main()
