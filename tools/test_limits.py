#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tries every limit of the source: one below, at, and one above.

    test_limits.py MEMPLAN SOURCE [--list]

The list of limits is made from the source: constants called MOST_, LARGEST and
LONGEST, and those of docs/limits.md. Each has a row here: an input of any length
and what is said above the limit, or why it has none. A limit without a row is a
failure, and so is a row without a limit. --list prints them. Prints TAP.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import harness
import limits_page
import onnx_model as onnx
import source_tree
import test_bad_inputs as bad

OK, USAGE, INPUT = 0, 2, 3
LIMIT = re.compile(r"^\s*(?:#define\s+)?((?:MOST|LARGEST|LONGEST)(?:_[A-Z]+)*)"
                   r"(?: = |\s+[(U])", re.M)
WORK = "how much work is done: beyond it less is looked at"
TEXT = "how much of a text is shown: beyond it an ellipsis stands"
READER = "of a reader that has its tests beside it"


# ---------------------------------------------------------------------- inputs

def reserved(n):
    ranges = ",".join('{"offset":%d,"size":1}' % (2 * i) for i in range(n))
    return bad.graph('{"name":"a","size":8,"lifetime":[0,1]}', "",
                     f',"reserved":[{ranges}]')


def choices(n):
    """As many choices, each in a branch of the one before."""
    inner = ",".join(f'{{"in":[{i},0],"branches":[[],[]]}}'
                     for i in range(n - 1))
    return bad.graph('{"name":"a","size":8,"lifetime":[0,1]}', "",
                     f',"exclusive":[[[],[]],{inner}]')


def loops(n):
    """As many loops, each in the one before."""
    ops = ",".join('{"outputs":["a"]}' if i == n else "{}"
                   for i in range(2 * n + 1))
    nest = ",".join(f'{{"first":{i},"last":{2 * n - i}}}' for i in range(n))
    return bad.graph('{"name":"a","size":8}', ops, f',"loops":[{nest}]')


def pools(n):
    named = ",".join(f'{{"name":"p{i}"}}' for i in range(n))
    return bad.graph('{"name":"a","size":8,"lifetime":[0,1]}', "",
                     f',"pools":[{named}]')


def banked(n):
    """An op that reads so many tensors of a pool with banks."""
    tensors = ",".join(f'{{"name":"t{i}","size":1,"kind":"input"}}'
                       for i in range(n))
    names = ",".join(f'"t{i}"' for i in range(n))
    return bad.graph(tensors, f'{{"name":"sum","inputs":[{names}],"outputs":[]}}',
                     ',"pools":[{"name":"ub","banks":{"size":4,"count":8}}]')


def pool_lists(n):
    """As many different lists of pools, each of up to three of 64."""
    lists, i = [], 0
    names = [f"p{i}" for i in range(64)]
    for a in range(64):
        for b in range(64):
            for c in range(64):
                if len({a, b, c}) == 3 and i < n:
                    lists.append([names[a], names[b], names[c]])
                    i += 1
    tensors = ",".join(
        '{"id":%d,"size":8,"lifetime":[%d,%d],"pools":%s}'
        % (i, i, i + 1, json.dumps(each)) for i, each in enumerate(lists))
    named = ",".join(f'{{"name":"{name}"}}' for name in names)
    return bad.graph(tensors, "", f',"pools":[{named}]')


def stream(n):
    return bad.graph(bad.A, '{"outputs":["a"],"stream":%d}' % (n - 1))


def alignment(n):
    return bad.ONE.replace('"alignment":64', f'"alignment":{n}')


def padding(n):
    return bad.plan(("a", 0, 8, 0, 2), arena=0).replace(
        '"alignment":1', f'"alignment":1,"padding":{n}')


def bound_ops(n):
    """A bound on all orders that names as many ops."""
    bound = json.dumps({"bytes": 1, "kind": "set", "inplace": True,
                        "first": False, "ops": [0] * n})
    return bad.plan(*bad.PAIR, more=',"order":{"name":"keep","ops":[],'
                    f'"bound":{bound}}}')


def clocks(n):
    """One op on a stream of a high number, and as many others."""
    streams = 1 << 12
    ops = n // streams
    more = ",{}" if n % streams else ""
    return bad.graph(bad.A, '{"outputs":["a"],"stream":%d}' % (streams - 1) +
                     ",{}" * (ops - 1) + more)


def name(n):
    return bad.graph('{"name":"%s","size":8,"lifetime":[0,1]}' % ("n" * n))


def cells(n):
    return {"in.csv": bad.csv(
        ",".join(["a", "0", "1", "8"] + ["0"] * (n - 4)), head=bad.HEAD +
        "".join(f",c{i}" for i in range(n - 4)))}


def somas(n):
    lines = [f"T {i} 512 0" for i in range(n)]
    return {"in.ir": "\n".join(lines + ["C 0 1"]) + "\n"}


def sums(n):
    """Tensors of as many bytes in all."""
    sizes = [1 << 53] * (n >> 53) + [n & (1 << 53) - 1]
    return bad.graph(",".join('{"name":"t%d","size":%d,"lifetime":[0,1]}' % row
                              for row in enumerate(sizes))).replace(
        '"alignment":64', '"alignment":1')


def written(n, name="p.json"):
    """An arena of as many bytes, to be written as a plan."""
    return {"in.json": sums(n), "arguments": ["-o", name]}


def proof(n):
    return written(n, "p.proof")


def depth(n):
    return '{"a":' * n + "1" + "}" * n


def digits(n):
    return bad.size("1" * n)


def rank(n):
    return {"in.onnx": onnx.model(onnx.graph(
        [onnx.node("ConstantOfShape", ["shape"], ["y"])],
        [onnx.value("x", [1])], [onnx.value("y")],
        [onnx.integers("shape", [1] * n)]))}


def nested(n):
    """As many graphs, each in the one before."""
    inner = onnx.graph([onnx.node("Relu", ["x"], ["y"])],
                       outputs=[onnx.value("y")])
    other = inner
    for i in range(n - 1):
        node = onnx.node("If", ["c"], ["y"], name=f"if{i}", then_branch=inner,
                         else_branch=other)
        inner = onnx.graph([node], outputs=[onnx.value("y")])
    return {"in.onnx": onnx.model(onnx.graph(
        [node], [onnx.value("x", [1]), onnx.value("c", [], onnx.BOOL)],
        [onnx.value("y")]))}


# ------------------------------------------------------------------------ rows
# File and limit: input, value, what is said above it. Or why there is none.

ROWS = {
    "src/base/num.h NUM_MAX_BYTES": (sums, 1 << 62, "sum to more than 2^62"),
    "src/base/num.h NUM_MAX_EXACT": (
        lambda n: bad.size(str(n)), 1 << 53, "from 0 to 9007199254740992"),
    "src/proof/proof.h PROOF_END": (
        proof, (1 << 60) - 1, "cannot be written as a proof", USAGE),
    "src/problem/linear-program.c MOST_PAIRS":
        "writes 1 GB: testdata/cli/lp has one that is above it",
    "src/json/json.h JSON_DEPTH": (depth, 64, "nested more than 64 deep"),
    "src/json/json.h JSON_TEXT": (name, 4096, "4096 bytes"),
    "src/json/scan.h JSON_NUMBER_TEXT": (
        digits, 60, "more than 60 characters"),
    "src/input/onnx/inside.h ONNX_RANK": (
        rank, 32, "more than 32 dimensions"),
    "src/input/onnx/inside.h ONNX_DEPTH": (
        nested, 32, "nested deeper than 32"),
    "src/input/onnx/inside.h ONNX_NODES": "takes a model of 16 MB",
    "src/input/tflite/tflite.h TFLITE_MOST": "takes a model of 1 GB",
    "src/graph/pool.h MOST_POOLS": (pools, 64, "from 1 to 64 pools"),
    "src/input/document/build-pools.c MOST_LISTS": (
        pool_lists, 65534, "different lists of pools"),
    "src/input/document/build-relations.c MOST_RANGES": (
        reserved, 1000, "at most 1000 ranges"),
    "src/input/document/build-relations.c MOST_NESTED": (
        choices, 64, "nested deeper than 64"),
    "src/graph/loops.c MOST_LOOPS_DEEP": (loops, 64, "nested deeper than 64"),
    "src/input/document/build-ops.c MOST_STREAMS": (
        stream, 65536, "/ops/0/stream"),
    "src/input/document/build-alignment.c MOST_ALIGNMENT": (
        alignment, 1 << 30, "power of two"),
    "src/input/document/build-plan.c MOST_PADDING": (
        padding, 1 << 30, "/padding"),
    "src/lifetime/bank-costs.c MOST_BANK_PAIRS": (
        banked, 2000, "2000000 pairs of tensors"),
    "src/graph/graph.h MOST_BOUND_OPS": (bound_ops, 512, "at most 512 ops"),
    "src/graph/graph-link.c MOST_CLOCKS": (clocks, 1 << 24, "too many streams"),
    "src/input/csv/csv.h MOST_CELLS": (cells, 64, "more than 64 cells"),
    "src/input/somas/somas-input.c MOST_TENSORS": (
        somas, 20000, "more than 20000 tensors"),
    "src/pools/assign.c MOST_LOOKED_AT":
        "takes seconds to reach: tools/attack has an input above it",
    "src/input/document/build.c MOST_TENSORS": "takes 4 GB of text",
    "src/cli/files.c LARGEST": "1 GiB: test_bad_inputs.py reads /dev/zero",
    "src/cli/files.c LARGEST_MAPPED": "64 GiB: test_mapping.py",
    "src/cli/paths.c MOST_LINKS": "as the system's: test_bad_inputs.py",
    "src/cli/say.c LONGEST": TEXT,
    "src/cli/merge.c MOST_TOLD": TEXT,
    "src/cli/job-run.c MOST_ROUNDS": WORK,
    "src/cli/system-windows.c MOST_TRIES": WORK,
    "src/base/keys.c MOST_CROWD": "test-keys.c",
    "src/base/names.c MOST_LOOKS": "test-names.c",
    "src/base/numbers.c MOST_LOOKS": "test-numbers.c",
    "src/problem/clique.c MOST_PARTS": WORK,
    "src/problem/clique.c MOST_WORK": WORK,
    "src/verify/verify-sharing.c MOST_WORK": WORK,
    "src/cli/crew.c MOST_SAID": TEXT,
    "src/cli/command-plan-seeds.c MOST_SEEDS": "an option's value",
    "src/batch/tasks.c MOST_SHARDS": "an option's value: test-batch.c",
    "src/batch/matrix.c MOST_AXES": "of the command line",
    "src/cli/arguments.h MOST_OPTIONS": "the tables are constants",
    "src/input/lines.c MOST_SHOWN": TEXT,
    "src/input/ge-log/ge-log-warn.c MOST_NAMED": TEXT,
    "src/input/ge-log/ge-log-choose.c MOST_LISTED": TEXT,
    "src/emit/explain/explain-pools.c LARGEST": TEXT,
    "src/pools/misfit.c LARGEST": TEXT,
    "src/bundle/join-fixed.c MOST_RANGES": "test-join.c",
    "src/bundle/join.c MOST_STREAMS": "test-join.c",
    "src/bundle/bundle-pools.c MOST_LISTS": "test-bundle-pools.c",
    "src/street/same-plan.c MOST_DEPTH": "of files that memplan writes",
    "src/input/solution.c MOST_NUMBER": READER,
    **{f"src/input/{file}": READER for file in (
        "dsa/dsa-buffers.c MOST_ALIGNMENT", "dsa/dsa-buffers.c MOST_LISTS",
        "onnx/onnx-walk.c MOST_KEPT",
        "onnx/onnx-fold-compute.c MOST_OPERANDS",
        "onnx/onnx-bind.c MOST_VALUES", "onnx/onnx-bind.c MOST_DIM",
        "wire/flat.c MOST_TEXT", "wire/proto.c MOST_NUMBER",
        "xla/hlo-traces.c LONGEST_NAME", "xla/hlo-traces.c MOST_INDICES",
        "tflite/tflite-flow.c MOST_DEPTH", "tflite/tflite-flow.c MOST_CALLED")},
}
# Rooms that have limits of work only, and those of devices.
OTHERS = {"src/order/": WORK, "planners/": WORK, "src/problem/": WORK,
          "src/pools/": WORK, "src/emit/": WORK, "src/street/": WORK,
          "src/graph/": WORK, "src/proof/": WORK, "src/verify/": WORK,
          "src/replay/": "test-replay.c and its neighbours",
          "src/loader/": "test-device.c and its neighbours"}


def limits(root):
    """File and name of every limit of the source."""
    for path in source_tree.files(root, ["src", "planners"]):
        if re.search(r"testing|/test-|example|stand-in|firmware|/bench-", path):
            continue
        for limit in LIMIT.findall((root / path).read_text("utf-8")):
            yield f"{path} {limit}"
    for _, limit, *_ in limits_page.ROWS:
        yield " ".join(limit.split()[:2])


def row_of(limit):
    if limit in ROWS:
        return ROWS[limit]
    return next((why for room, why in OTHERS.items()
                 if limit.startswith(room)), None)


def attempt(memplan, content):
    files = dict(content) if isinstance(content, dict) else {"in.json": content}
    arguments = files.pop("arguments", [])
    with tempfile.TemporaryDirectory() as folder:
        for file, text in files.items():
            (pathlib.Path(folder) / file).write_bytes(
                text if isinstance(text, bytes) else text.encode())
        command = "plan" if arguments else \
            "check" if '"memplan.plan"' in str(content)[:60] else "show"
        return subprocess.run(
            [memplan, command, next(iter(files)), "--quiet", *arguments],
            cwd=folder, capture_output=True, text=True, timeout=600,
            check=False)


def try_limit(memplan, make, value, words, status=INPUT):
    below = value // 2 if make is alignment else value - 1
    above = value * 2 if make is alignment else value + 1
    for n in (below, value):
        done = attempt(memplan, make(n))
        assert done.returncode not in (2, 7) and done.returncode >= 0 and \
            words not in done.stderr, f"{n}: {done.returncode} {done.stderr}"
    done = attempt(memplan, make(above))
    assert done.returncode == status and words in done.stderr, \
        f"{above}: {done.returncode} {done.stderr}"


def has_rows(found):
    missing = [limit for limit in found if row_of(limit) is None]
    gone = [limit for limit in ROWS if limit not in found]
    return [f"no row: {limit}" for limit in missing] + \
        [f"no such limit: {limit}" for limit in gone]


def main():
    memplan, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    found = sorted(set(limits(root)))
    if "--list" in sys.argv:
        for limit in found:
            row = row_of(limit)
            print(f"{limit}: {row if isinstance(row, str) else row[1]}")
        return
    tried = [(limit, row_of(limit)) for limit in found
             if isinstance(row_of(limit), tuple)]
    harness.tap([("every limit has a row", has_rows, found)] +
                [(limit, try_limit, memplan.resolve(), *row)
                 for limit, row in tried] +
                [("an arena in JSON", try_limit, memplan.resolve(), written,
                  1 << 53, "cannot be written as JSON", USAGE)])


if __name__ == "__main__":
    main()
