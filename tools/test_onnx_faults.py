#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Damaged and hostile ONNX models: each is refused, and the reason has a place.

    test_onnx_faults.py MEMPLAN FOLDER

Every length of every message in the models of FOLDER is made too long, in turn,
and the models are cut short at many places. Others are written here. Each run
ends with status 3 and a sentence with a byte of the file, or the name of a node
or value. Prints TAP.
"""

import pathlib
import re
import sys
import tempfile

import harness
import onnx_model as onnx
from onnx_model import graph, integers, model, node, simple, tensor, value

MEMPLAN, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
PLACE = re.compile(r"at byte [0-9]+|node '|dimension '|output '|input '|"
                   r"no ONNX model|graph '|name '")
RELU = node("Relu", ["x"], ["y"], "relu")
WIDE = 1 << 62

# The messages of a field of a message; others are not read further.
DIM = {2: {}}
TYPE = {1: {2: {1: DIM}}}
VALUE = {1: {}, 2: TYPE}
TENSOR = {8: {}, 9: {}, 13: {1: {}, 2: {}}}
ATTRIBUTE = {1: {}, 4: {}, 5: TENSOR}
NODE = {1: {}, 2: {}, 3: {}, 4: {}, 5: ATTRIBUTE}
GRAPH = {1: NODE, 2: {}, 5: TENSOR, 11: VALUE, 12: VALUE, 13: VALUE}
ATTRIBUTE[6] = GRAPH
MODEL = {7: GRAPH, 8: {1: {}}}


# ---------------------------------------------------------------- damage

def damaged(path, most):
    """Copies of a model, each with one fault, at most so many of a kind."""
    data = path.read_bytes()
    places = list(onnx.lengths(data, 0, len(data), MODEL))
    for place, behind in places[::max(1, len(places) // most)]:
        for length in 99999, (1 << 64) - 1:
            yield (f"{path.stem}: a length of {length} at byte {place}",
                   data[:place] + onnx.varint(length) + data[behind:])
    for length in range(4, len(data), max(1, len(data) // most)):
        yield f"{path.stem}: {length} bytes of {len(data)}", data[:length]


# --------------------------------------------------------------- hostile

def nested(depth, kind="If"):
    """Graphs in graphs."""
    body = graph([node("Relu", ["x"], ["z"])], outputs=[value("z", [1])])
    for _ in range(depth):
        inner = node(kind, ["c"], ["z"], then_branch=body, else_branch=body)
        body = graph([inner], outputs=[value("z", [1])])
        if len(body) > 1 << 22:
            break
    return body


def deep(depth):
    """A message in a message in a message: the innermost is empty."""
    body = b""
    for _ in range(depth):
        attribute = onnx.field(1, "then_branch") + onnx.field(6, body)
        inner = (onnx.field(1, "c") + onnx.field(2, "z") +
                 onnx.field(4, "If") + onnx.field(5, attribute))
        body = onnx.field(1, inner)
    return model(onnx.Graph(body + onnx.field(11, value("c", [],
                                                        onnx.BOOL))))


def calls(depth, width):
    """Functions that each call the next one several times."""
    functions = [onnx.function(
        f"f{i}", ["a"], ["b"],
        [node(f"f{i + 1}", ["a"], ["b" if k == 0 else f"b{k}"], domain="own")
         for k in range(width)]) for i in range(depth)]
    functions.append(onnx.function(f"f{depth}", ["a"], ["b"],
                                   [node("Relu", ["a"], ["b"])]))
    return model(graph([node("f0", ["x"], ["y"], domain="own")],
                       [value("x", [2])], [value("y", [2])]), functions)


def hostile():
    yield "a dimension of -1 has no value", model(graph(
        [RELU], [value("x", [-1, 3])], [value("y")]))
    for dim in WIDE, -2, 1 << 41, -WIDE:
        yield f"a dimension of {dim}", model(graph(
            [RELU], [value("x", [2, dim])], [value("y")]))
        yield f"a weight with a dimension of {dim}", simple(
            node("Add", ["x", "w"], ["y"]),
            initializers=[tensor("w", [dim])])
    yield "too many bytes", model(graph(
        [RELU], [value("x", [1 << 39, 1 << 39])], [value("y")]))
    yield "too many bytes in a weight", simple(
        node("Add", ["x", "w"], ["y"]),
        initializers=[tensor("w", [1 << 30, 1 << 30])])
    yield "40 dimensions", model(graph(
        [RELU], [value("x", [1] * 40)], [value("y")]))
    yield "a name of 10 MB", simple(node("Relu", ["x"], ["y"], "n" * 10**7))
    yield "a value's name of 10 MB", simple(
        node("Relu", ["x"], ["z" * 10**7]), RELU)
    yield "a name that is no UTF-8", simple(
        node("Relu", ["x"], ["y"]) + onnx.field(3, b"\xff\xfe"))
    yield "a name with a control character", simple(
        node("Relu", ["x"], ["y"], "a\nb"))
    yield "a node that reads its output", simple(node("Add", ["x", "y"], ["y"]))
    yield "nodes that read each other", simple(
        node("Add", ["x", "b"], ["a"]), node("Add", ["x", "a"], ["b"]),
        node("Relu", ["a"], ["y"]))
    yield "a value that is made twice", simple(RELU, RELU)
    yield "a value that is made and given", simple(
        node("Relu", ["x"], ["x"]), RELU)
    yield "a weight that is there twice", simple(
        node("Add", ["x", "w"], ["y"]), initializers=[tensor("w", [1])] * 2)
    yield "an input that is there twice", model(graph(
        [RELU], [value("x", [2])] * 2, [value("y")]))
    yield "an output that no node makes", simple(RELU, outputs=["z"])
    yield "no graph", onnx.field(1, 8) + onnx.field(2, "torch")
    yield "two graphs", simple(RELU) + onnx.field(7, b"")
    yield "an empty graph", model(graph([]))
    yield "no shape", model(graph([RELU], [value("x")], [value("y")]))
    yield "a type that is none", model(graph(
        [RELU], [value("x", [2], 99)], [value("y")]))
    yield "strings", model(graph(
        [RELU], [value("x", [2], onnx.STRING)], [value("y")]))
    yield "an op that is not known", simple(node("Rleu", ["x"], ["y"], "r"))
    yield "an op of another domain", simple(
        node("Relu", ["x"], ["y"], "r", "com.acme"))
    yield "a shape that depends on data", simple(node("NonZero", ["x"], ["y"]))
    yield "a content that is not known", model(graph(
        [node("Reshape", ["x", "s"], ["y"], "r")],
        [value("x", [4]), value("s", [2], onnx.INT64)], [value("y")]))
    yield "a missing input", simple(node("Concat", ["x", ""], ["y"], axis=0))
    yield "an axis that is none", simple(
        node("Concat", ["x", "x"], ["y"], axis=7))
    yield "the least axis of all", simple(
        node("Concat", ["x", "x"], ["y"], axis=-1 << 63))
    yield "20,000 graphs in graphs", deep(20000)
    yield "40 graphs in graphs", deep(40)
    yield "a function that calls itself", model(
        graph([node("f", ["x"], ["y"], domain="own")], [value("x", [2])],
              [value("y")]),
        [onnx.function("f", ["a"], ["b"],
                       [node("f", ["a"], ["b"], domain="own")])])
    yield "a function of no domain that can be read", model(
        graph([RELU], [value("x", [2])], [value("y")]),
        [onnx.function("f", ["a"], ["b"], [node("Relu", ["a"], ["b"])]) +
         onnx.field(10, b"\xff")])
    yield "functions that call functions", calls(30, 2)
    yield "functions that call functions often", calls(6, 30)
    yield "40 functions deep", calls(40, 1)
    yield from wrong_ops()


def wrong_ops():
    """Ops that contradict their inputs or attributes."""
    weight = tensor("w", [4, 3, 3, 3])
    for name, kind, attributes in (
            ("a stride of 0", "Conv", {"strides": [0, 1]}),
            ("a negative stride", "Conv", {"strides": [-1, 1]}),
            ("a stride of 2^62", "Conv", {"strides": [WIDE, 1]}),
            ("a dilation of 2^62", "Conv", {"dilations": [WIDE, WIDE]}),
            ("pads of -2^62", "Conv", {"pads": [-WIDE] * 4}),
            ("too few pads", "Conv", {"pads": [1]}),
            ("a window that does not fit", "Conv", {"dilations": [9, 9]}),
            ("a kernel of 3 axes", "Conv", {"kernel_shape": [3, 3, 3]}),
            ("a kernel of -1", "Conv", {"kernel_shape": [-1, 3]}),
            ("an output below nothing", "ConvTranspose", {"pads": [99] * 4}),
            ("a group of -1", "ConvTranspose", {"group": -1})):
        yield name, simple(node(kind, ["x", "w"], ["y"], "op", **attributes),
                           initializers=[weight])
    yield "pads in eight bytes that are eight numbers", simple(
        node("Conv", ["x", "w"], ["y"], "op") + onnx.field(
            5, onnx.field(1, "pads") + onnx.varint(8 << 3 | 1) + b"\1" * 8),
        initializers=[weight])
    for name, kind, attributes in (
            ("a pool without a kernel", "MaxPool", {}),
            ("a permutation that is none", "Transpose", {"perm": [0, 0, 1, 2]}),
            ("a short permutation", "Transpose", {"perm": [0, 1]}),
            ("a permutation of 2^62", "Transpose", {"perm": [0, 1, 2, WIDE]}),
            ("a block size of 0", "DepthToSpace", {"blocksize": 0}),
            ("a block size of 2^40", "SpaceToDepth", {"blocksize": 1 << 40}),
            ("an axis to flatten of 9", "Flatten", {"axis": 9}),
            ("an equation without a letter", "Einsum", {"equation": "->i"}),
            ("an equation with dots", "Einsum", {"equation": "..ab->ab"}),
            ("no equation", "Einsum", {}),
            ("a reduction of axis 9", "ReduceMax", {"axes": [9]}),
            ("a reduction of an axis twice", "ReduceMax", {"axes": [1, 1]}),
            ("a scale of infinity", "Upsample", {"scales": [1.0, 1.0, 3e38,
                                                            1.0]}),
            ("too few scales", "Upsample", {"scales": [1.0]})):
        yield name, simple(node(kind, ["x"], ["y"], "op", **attributes))
    for name, kind, numbers in (
            ("a new shape of other size", "Reshape", [5, 5]),
            ("a new shape with two -1", "Reshape", [-1, -1]),
            ("a new shape of -7", "Reshape", [-7]),
            ("a new shape of 2^62", "Reshape", [WIDE, 4]),
            ("a new shape of 40 dimensions", "Reshape", [1] * 40),
            ("an expansion that does not go", "Expand", [7, 7]),
            ("an expansion to 2^62", "Expand", [WIDE, 2, 3, 8, 8]),
            ("repeats of 2^62", "Tile", [WIDE, 1, 1, 1]),
            ("too few repeats", "Tile", [2]),
            ("negative repeats", "Tile", [-2, 1, 1, 1]),
            ("too few pads", "Pad", [1]),
            ("pads of 2^62", "Pad", [WIDE] * 8),
            ("pads below nothing", "Pad", [-9] * 8),
            ("axes to squeeze that are none", "Squeeze", [9]),
            ("an axis to squeeze of 8", "Squeeze", [3]),
            ("axes to add twice", "Unsqueeze", [1, 1]),
            ("40 axes to add", "Unsqueeze", list(range(40))),
            ("parts larger than the axis", "Split", [9]),
            ("more than there is", "TopK", [99])):
        yield name, simple(node(kind, ["x", "n"], ["y"], "op"),
                           initializers=[integers("n", numbers)])
    yield "shapes that do not broadcast", simple(
        node("Add", ["x", "w"], ["y"]), initializers=[tensor("w", [7])])
    yield "matrices that do not go together", simple(
        node("MatMul", ["x", "w"], ["y"]), initializers=[tensor("w", [7, 7])])
    yield "a split into nothing", simple(node("Split", ["x"], [], "op"), RELU)
    yield "a step of 0", simple(
        node("Slice", ["x", "a", "b", "c", "d"], ["y"]),
        initializers=[integers("a", [0]), integers("b", [1]),
                      integers("c", [0]), integers("d", [0])])
    yield "a list of 100,000 numbers", simple(
        node("Transpose", ["x"], ["y"], perm=[1] * 100000))
    yield "2,000 attributes", simple(node(
        "Relu", ["x"], ["y"], **{f"a{i}": 1 for i in range(2000)}))
    yield "a range without end", model(graph(
        [node("Range", ["a", "b", "c"], ["y"], "op")],
        outputs=[value("y")],
        initializers=[integers("a", [0])[2:], integers("b", [WIDE])[2:],
                      integers("c", [0])[2:]]))
    for name, nodes in (
            ("an If without a branch", node("If", ["c"], ["y"], "op")),
            ("a Loop without a body", node("Loop", ["c"], ["y"], "op")),
            ("a Scan without a count", node("Scan", ["x"], ["y"], "op")),
            ("a Loop with too few inputs",
             node("Loop", ["", "", "x"], ["y"], "op", body=graph(
                 [], [value("i", [])], [value("i", [])]))),
            ("a Loop with too few outputs",
             node("Loop", ["", "", "x"], ["y", "z"], "op", body=graph(
                 [], [value("i", []), value("c", []), value("v", [])],
                 [value("c", [])]))),
            ("a Scan over axis 9", node(
                "Scan", ["x"], ["y"], "op", num_scan_inputs=1,
                scan_input_axes=[9], body=graph(
                    [], [value("i", [3])], [value("i", [3])])))):
        yield name, model(graph(
            [nodes], [value("x", [2, 3]), value("c", [], onnx.BOOL)],
            [value("y")]))


# ----------------------------------------------------------------- cases

def refused(data, why=""):
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(data)
        file.flush()
        done = harness.run(MEMPLAN, "plan", file.name, "--dim", "batch=1",
                           status=range(-99, 256)) \
            if b"\x05batch" in data else harness.run(
                MEMPLAN, "plan", file.name, status=range(-99, 256))
    if done.returncode != 3:
        yield f"status {done.returncode}: {done.stdout} {done.stderr}"
    error = [line for line in done.stderr.splitlines() if "error: " in line]
    if len(error) != 1 or not PLACE.search(error[0]) or why not in error[0]:
        yield f"no place: {done.stderr[:400]}"


def batched_scan():
    """Opset 8: lengths, then states and inputs with a batch in front."""
    body = graph([node("Add", ["s", "e"], ["t"])],
                 [value("s", [6]), value("e", [6])],
                 [value("t"), value("t")])
    return model(graph(
        [node("Scan", ["", "s0", "x"], ["z", "all"], "op", num_scan_inputs=1,
              body=body)],
        [value("s0", [2, 6]), value("x", [2, 9, 6])],
        [value("z", [2, 6]), value("all", [2, 9, 6])]), opset=8)


def cases():
    for path in sorted(FOLDER.glob("*.onnx")):
        for name, data in damaged(path, 8):
            yield name, refused, data
    for name, data in hostile():
        yield name, refused, data
    yield ("a Scan of opset 8", refused, batched_scan(),
           "opset 8 runs its body for each item of a batch")


if __name__ == "__main__":
    harness.tap(cases())
