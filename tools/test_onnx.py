#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What memplan makes of small ONNX models that are written here.

    test_onnx.py MEMPLAN

Shapes of outputs by the rules of single ops, contents that are folded, views and
in-place pairs, and graphs in graphs. Prints TAP.
"""

import json
import math
import re
import sys
import tempfile

import harness
import onnx_model as onnx
from onnx_model import BOOL, FLOAT, INT64, Tensor, graph, integers, \
    model, node, tensor, value

MEMPLAN = sys.argv[1]
X = [2, 6, 10, 14]


def planned(data, *options):
    """The plan of a model."""
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(data)
        file.flush()
        return json.loads(harness.run(MEMPLAN, "plan", file.name, "--quiet",
                                      *options, "-o", "-").stdout)


def sizes(plan):
    return {t["name"]: t["size"] for t in plan["tensors"]}


# ---------------------------------------------------------------- shapes

def shape_is(kind, inputs, attributes, want, width=4, domain=None):
    """Inputs are dims, a list of integers as a constant, or None. Each dimension
    of the output must be the one wanted: each is asked for alone."""
    names, given, constants = [], [], []
    for i, each in enumerate(inputs):
        names.append("" if each is None else f"i{i}")
        if isinstance(each, tuple):
            constants.append(integers(f"i{i}", each))
        elif isinstance(each, bytes):
            constants.append(each)
        elif each is not None:
            given.append(value(f"i{i}", each))
    op = node(kind, names, ["y"], "op", domain, **attributes)
    # The shape's entry k, as the length of an axis of 1-byte elements.
    picks = [step for k in range(len(want)) for step in (
        node("Gather", ["s", f"k{k}"], [f"d{k}"]),
        node("ConstantOfShape", [f"d{k}"], [f"o{k}"], value=Tensor(
            tensor("", [1], onnx.BOOL, b"\1"))))]
    constants += [integers(f"k{k}", [k]) for k in range(len(want))]
    body = graph([op, node("Shape", ["y"], ["s"]), *picks], given,
                 [value("y")] + [value(f"o{k}") for k in range(len(want))],
                 constants)
    have = sizes(planned(model(body)))
    if have["y"] != math.prod(want) * width:
        yield f"{have['y']} bytes, not {math.prod(want) * width} of {want}"
    dims = [have[f"o{k}"] for k in range(len(want))]
    if dims != want:
        yield f"{dims}, not {want}"


SHAPES = (
    ("Relu", [X], {}, X),
    ("Add", [X, [14]], {}, X),
    ("Mul", [[6, 1, 14], [2, 1, 10, 1]], {}, X),
    ("Where", [[6, 1, 1], X, [1]], {}, X),
    ("Conv", [X, [5, 6, 3, 3]], {}, [2, 5, 8, 12]),
    ("Conv", [X, [5, 6, 3, 3]], {"strides": [2, 2], "pads": [1, 1, 1, 1]},
     [2, 5, 5, 7]),
    ("Conv", [X, [5, 6, 3, 3]], {"dilations": [2, 3]}, [2, 5, 6, 8]),
    ("Conv", [X, [5, 6, 3, 3]], {"auto_pad": "SAME_UPPER", "strides": [3, 3]},
     [2, 5, 4, 5]),
    ("Conv", [X, [5, 6, 3, 3]], {"auto_pad": "VALID"}, [2, 5, 8, 12]),
    ("ConvTranspose", [X, [6, 5, 3, 3]], {"strides": [2, 2]}, [2, 5, 21, 29]),
    ("ConvTranspose", [X, [6, 5, 3, 3]],
     {"strides": [2, 2], "output_padding": [1, 1], "pads": [1, 1, 1, 1],
      "group": 2}, [2, 10, 20, 28]),
    ("ConvTranspose", [X, [6, 5, 3, 3]], {"output_shape": [30, 40]},
     [2, 5, 30, 40]),
    ("MaxPool", [X], {"kernel_shape": [3, 3], "strides": [2, 2]},
     [2, 6, 4, 6]),
    ("MaxPool", [X], {"kernel_shape": [3, 3], "strides": [2, 2],
                      "ceil_mode": 1}, [2, 6, 5, 7]),
    ("AveragePool", [[1, 1, 4]], {"kernel_shape": [1], "strides": [3],
                                  "ceil_mode": 1, "pads": [0, 1]}, [1, 1, 2]),
    ("GlobalAveragePool", [X], {}, [2, 6, 1, 1]),
    ("RoiAlign", [X, [7, 4]], {"output_height": 3}, [7, 6, 3, 1]),
    ("Gemm", [[4, 3], [5, 4]], {"transA": 1, "transB": 1}, [3, 5]),
    ("MatMul", [[7, 1, 3, 4], [2, 4, 5]], {}, [7, 2, 3, 5]),
    ("MatMul", [[4], [2, 4, 5]], {}, [2, 5]),
    ("MatMul", [[2, 5, 4], [4]], {}, [2, 5]),
    ("Concat", [[2, 3], [2, 4]], {"axis": -1}, [2, 7]),
    ("Slice", [X, (1, -3), (99, -1), (1, 3), (2, 1)], {}, [2, 3, 10, 2]),
    ("Slice", [X, (-1,), (-99,), (2,), (-3,)], {}, [2, 6, 4, 14]),
    ("Slice", [X, (5,), (2,), (2,)], {}, [2, 6, 0, 14]),
    ("Transpose", [X], {"perm": [0, 2, 3, 1]}, [2, 10, 14, 6]),
    ("Transpose", [X], {}, [14, 10, 6, 2]),
    ("Reshape", [X, (0, -1, 7)], {}, [2, 120, 7]),
    ("Flatten", [X], {"axis": 2}, [12, 140]),
    ("Flatten", [X], {"axis": 0}, [1, 1680]),
    ("Squeeze", [[1, 3, 1], (0,)], {}, [3, 1]),
    ("Squeeze", [[1, 3, 1]], {}, [3]),
    ("Unsqueeze", [[3, 4], (0, -1)], {}, [1, 3, 4, 1]),
    ("Expand", [[3, 1], (2, 1, 5)], {}, [2, 3, 5]),
    ("Tile", [[3, 4], (2, 5)], {}, [6, 20]),
    ("Gather", [X, (1, 2, 3)], {"axis": 1}, [2, 3, 10, 14]),
    ("GatherND", [X, [7, 2]], {}, [7, 10, 14]),
    ("Pad", [X, (0, 0, 1, 2, 0, 0, 3, 4)], {}, [2, 6, 14, 20]),
    ("Pad", [X, (1, 2), None, (3,)], {}, [2, 6, 10, 17]),
    ("ReduceMean", [X], {"axes": [1, -1]}, [2, 1, 10, 1]),
    ("ReduceSum", [X, (1, 2)], {"keepdims": 0}, [2, 14]),
    ("TopK", [X, (3,)], {}, [2, 6, 10, 3]),
    ("DepthToSpace", [[1, 8, 3, 5]], {"blocksize": 2}, [1, 2, 6, 10]),
    ("SpaceToDepth", [[1, 2, 6, 10]], {"blocksize": 2}, [1, 8, 3, 5]),
    ("Einsum", [[3, 4], [4, 5]], {"equation": "ij, jk -> ki"}, [5, 3]),
    ("Einsum", [[7, 3, 4], [7, 4, 5]], {"equation": "...ij,...jk"},
     [7, 3, 5]),
    ("GridSample", [X, [2, 5, 7, 2]], {}, [2, 6, 5, 7]),
    ("LSTM", [[5, 2, 3], [1, 32, 3], [1, 32, 8]], {"hidden_size": 8},
     [5, 1, 2, 8]),
    ("GRU", [[5, 2, 3], [2, 24, 3], [2, 24, 8]],
     {"hidden_size": 8, "direction": "bidirectional"}, [5, 2, 2, 8]),
    ("Resize", [X, None, None, (2, 6, 5, 7)], {}, [2, 6, 5, 7]),
    ("Resize", [X, None, tensor("i2", [4], FLOAT, b"\0\0\x80\x3f" * 2 +
                                b"\0\0\x00\x40" * 2)], {}, [2, 6, 20, 28]),
    ("Col2Im", [[1, 10, 3], (5, 5), (1, 5)], {}, [1, 2, 5, 5]),
    ("MatMulNBits", [[2, 3, 8], [4]], {"N": 16}, [2, 3, 16], 4,
     "com.microsoft"),
    ("Attention", [[2, 4, 5, 8], [2, 2, 7, 8], [2, 2, 7, 6]], {},
     [2, 4, 5, 6]),
    ("QuantizeLinear", [[3, 4], []], {}, [3, 4], 1),
    ("Cast", [[3, 4]], {"to": 11}, [3, 4], 8),
    ("Equal", [[3, 4], [4]], {}, [3, 4], 1),
    ("ArgMax", [[3, 4]], {"axis": 1}, [3, 1], 8),
)


MS = "com.microsoft"
UINT8, INT32 = 2, 6
CACHE = [2, 2, 5, 4]

# Ops with several outputs, of types that are not those of input 0, or of the
# domain of ONNX Runtime. An input may be (dims, type).
SEVERAL = (
    ("Split", [[20, 3]], {"axis": 0}, "", [12] * 20),
    ("BatchNormalization", [X, [6], [6], [6], ([6], 11)], {}, "",
     [4 * math.prod(X), 24, 24]),
    ("DequantizeLinear", [([3, 4], UINT8), []], {"output_dtype": 10}, "",
     [24]),
    ("NonZero", [integers("i0", [0, 7, 0, 7])], {}, "", [16]),
    ("Compress", [X, tensor("i1", [6], BOOL, b"\0\1\0\1\1\0")], {"axis": 1},
     "", [4 * 3 * 2 * 140]),
    ("TfIdfVectorizer", [([5], INT32)], {"ngram_indexes": [3, 0, 4]}, "",
     [20]),
    ("OptionalGetElement", [[3]], {}, "", [12]),
    ("SimplifiedLayerNormalization", [[2, 3, 8], [8]], {}, "", [192, 24]),
    ("Attention", [[2, 4, 8], [8, 24], [24]], {"num_heads": 2}, MS,
     [256, 512]),
    ("Attention", [[2, 4, 8], [8, 22], None, None, [2, 2, 2, 3, 3]],
     {"num_heads": 2, "qkv_hidden_sizes": [8, 8, 6]}, MS, [192, 672]),
    ("Attention", [[2, 4, 8], [8, 24], None, None, [2, 2, 2, 99, 4]],
     {"num_heads": 2, "past_present_share_buffer": 1}, MS, [256, 12672]),
    ("QAttention", [([2, 4, 8], UINT8), ([8, 24], 3), [24], [], []],
     {"num_heads": 2}, MS, [256]),
    ("MultiHeadAttention", [[2, 4, 8], [2, 6, 8], [2, 6, 10], None, None, None,
                            [2, 2, 3, 4], [2, 2, 3, 5]], {"num_heads": 2}, MS,
     [320, 576, 720]),
    ("MultiHeadAttention", [[2, 4, 2, 3, 4]], {"num_heads": 2}, MS, [256]),
    ("MultiHeadAttention", [[2, 4, 8], [2, 6, 2, 2, 4]], {"num_heads": 2}, MS,
     [256]),
    ("MultiHeadAttention", [[2, 4, 8], [2, 2, 6, 4], [2, 2, 6, 4]],
     {"num_heads": 2}, MS, [256, 384]),
    ("DecoderMaskedMultiHeadAttention",
     [[2, 1, 8], [2, 1, 8], [2, 1, 8], None, None, CACHE, CACHE],
     {"num_heads": 2}, MS, [64, 320, 320]),
    ("GroupQueryAttention",
     [[2, 4, 16], [2, 4, 8], [2, 4, 8], CACHE, CACHE, ([2], INT32),
      tensor("i6", [], INT32, b"\11\0\0\0")],
     {"num_heads": 4, "kv_num_heads": 2}, MS, [512, 576, 576]),
    ("GroupQueryAttention",
     [[2, 4, 32], None, None, CACHE, CACHE, ([2], INT32),
      tensor("i6", [], INT32, b"\1\0\0\0")],
     {"num_heads": 4, "kv_num_heads": 2}, MS, [512, 320, 320]),
    ("EmbedLayerNormalization", [([2, 5], INT32), None, [30, 8], [30, 8], None,
                                 [8], [8]], {}, MS, [320, 8, 320]),
    ("SkipLayerNormalization", [[2, 4, 8], [2, 4, 8], [8]], {}, MS,
     [256, 32, 32, 256]),
    ("BiasSplitGelu", [[2, 8], [8]], {}, MS, [32]),
    ("FusedMatMul", [[2, 3, 4, 5], [3, 4, 5, 7]], {"transBatchA": 1}, MS,
     [4 * 3 * 4 * 2 * 7]),
    ("FusedMatMul", [[2, 3, 4], [2, 5, 4]], {"transB": 1}, MS, [120]),
    ("MatMulIntegerToFloat", [([2, 3], UINT8), ([3, 4], UINT8), [], []], {},
     MS, [32]),
    ("QGemm", [([2, 3], UINT8), [], ([], UINT8), ([3, 4], UINT8), [],
               ([], UINT8)], {}, MS, [32]),
    ("QLinearAdd", [([2, 3], UINT8), [], ([], UINT8), ([3], UINT8), [],
                    ([], UINT8), [], ([], UINT8)], {}, MS, [6]),
    ("QLinearConcat", [[], ([], UINT8), ([2, 3], UINT8), [], ([], UINT8),
                       ([2, 4], UINT8), [], ([], UINT8)], {"axis": 1}, MS,
     [14]),
    ("GatherBlockQuantized", [([9, 16], UINT8), ([2, 3], INT64), ([9, 1], 10)],
     {}, MS, [2 * 2 * 3 * 32]),
    ("DynamicQuantizeLSTM", [[5, 2, 3], ([1, 3, 32], UINT8),
                             ([1, 8, 32], UINT8)], {"hidden_size": 8}, MS,
     [320, 64, 64]),
    ("RelativePositionBias", [[32, 4], integers("i1", [5])[2:],
                              integers("i2", [7])[2:]], {}, MS, [560]),
)


def bytes_are(kind, inputs, attributes, domain, want):
    names, given, constants = [], [], []
    for i, each in enumerate(inputs):
        names.append("" if each is None else f"i{i}")
        if isinstance(each, bytes):
            constants.append(each)
        elif isinstance(each, tuple):
            given.append(value(f"i{i}", *each))
        elif each is not None:
            given.append(value(f"i{i}", each))
    outputs = [f"y{k}" for k in range(len(want))]
    op = node(kind, names, outputs, "op", domain, **attributes)
    plan = sizes(planned(model(graph([op], given, map(value, outputs),
                                     constants), opset=25)))
    have = [plan[name] for name in outputs]
    if have != want:
        yield f"{have}, not {want}"


# ---------------------------------------------------------------- folding

def folds_to(numbers, nodes, **constants):
    """The nodes make `n` from constants and from x, which is 2x6x10x14: it is the
    shape of an output of bytes."""
    body = graph([*nodes, node("ConstantOfShape", ["n"], ["y"], value=Tensor(
        tensor("", [1], BOOL, b"\1")))], [value("x", X)],
        [value("y")], [integers(*each) for each in constants.items()])
    have = sizes(planned(model(body)))["y"]
    if have != math.prod(numbers):
        yield f"{have}, not {math.prod(numbers)}"


SHAPE = node("Shape", ["x"], ["s"])
FOLDS = (
    ("Shape", X, [node("Shape", ["x"], ["n"])], {}),
    ("Shape, start and end", [6, 10],
     [node("Shape", ["x"], ["n"], start=1, end=-1)], {}),
    ("Gather, Concat", [14, 2], [
        SHAPE, node("Gather", ["s", "a"], ["p"]),
        node("Gather", ["s", "b"], ["q"]),
        node("Concat", ["p", "q"], ["n"], axis=0)], {"a": [-1], "b": [0]}),
    ("Slice, Mul, Div", [15, 35], [
        SHAPE, node("Slice", ["s", "a", "b"], ["p"]),
        node("Mul", ["p", "c"], ["q"]), node("Div", ["q", "d"], ["n"])],
     {"a": [2], "b": [99], "c": [3, 5], "d": [2]}),
    ("ReduceProd", [1680], [
        SHAPE, node("ReduceProd", ["s"], ["n"], keepdims=1)], {}),
    ("Equal, Where", [7, 6, 10, 14], [
        SHAPE, node("Equal", ["s", "a"], ["p"]),
        node("Where", ["p", "b", "s"], ["n"])], {"a": [2], "b": [7]}),
    ("Cast, Sqrt, Ceil", [2, 3, 4, 4], [
        SHAPE, node("Cast", ["s"], ["p"], to=1), node("Sqrt", ["p"], ["q"]),
        node("Ceil", ["q"], ["r"]), node("Cast", ["r"], ["n"], to=7)], {}),
    ("Range, ReduceSum", [10], [
        node("Squeeze", ["a"], ["p"]), node("Squeeze", ["b"], ["q"]),
        node("Squeeze", ["c"], ["r"]), node("Range", ["p", "q", "r"], ["t"]),
        node("ReduceSum", ["t"], ["n"])], {"a": [1], "b": [5], "c": [1]}),
    ("Mod, Sub, Neg, Abs", [1, 3, 3, 5], [
        SHAPE, node("Mod", ["s", "a"], ["p"]), node("Sub", ["p", "b"], ["q"]),
        node("Neg", ["q"], ["r"]), node("Sub", ["r", "c"], ["t"]),
        node("Abs", ["t"], ["n"])],
     {"a": [4], "b": [3, 3, 5, 7], "c": [0, -2, 0, 0]}),
    ("Tile, Transpose, Reshape", [2, 4, 2, 4, 3, 5, 3, 5], [
        node("Reshape", ["a", "b"], ["p"]),
        node("Transpose", ["p"], ["q"], perm=[1, 0]),
        node("Tile", ["q", "c"], ["r"]), node("Reshape", ["r", "d"], ["n"])],
     {"a": [2, 3, 4, 5], "b": [2, 2], "c": [1, 2], "d": [-1]}),
    ("NonZero", [1, 2], [
        SHAPE, node("Equal", ["s", "a"], ["p"]), node("Not", ["p"], ["q"]),
        node("Reshape", ["q", "b"], ["r"]), node("NonZero", ["r"], ["t"]),
        node("ReduceSum", ["t", "c"], ["n"], keepdims=0)],
     {"a": [2, 6, 0, 0], "b": [2, 2], "c": [0]}),
    ("Clip, Reciprocal, Log, Exp", [4, 6, 8, 8], [
        SHAPE, node("Squeeze", ["a"], ["o"]), node("Squeeze", ["b"], ["p"]),
        node("Clip", ["s", "o", "p"], ["q"]), node("Cast", ["q"], ["r"], to=1),
        node("Reciprocal", ["r"], ["t"]), node("Log", ["t"], ["u"]),
        node("Neg", ["u"], ["v"]), node("Exp", ["v"], ["w"]),
        node("Clip", ["w"], ["z"], min=1.0), node("Round", ["z"], ["m"]),
        node("Cast", ["m"], ["n"], to=7)], {"a": [4], "b": [8]}),
    ("Split, Max, Min", [10, 14], [
        SHAPE, node("Split", ["s"], ["p", "q"], axis=0),
        node("Max", ["p", "q"], ["r"]), node("Min", ["r", "a"], ["n"])],
     {"a": [99, 99]}),
)


# ------------------------------------------------------------- relations

def chain(*nodes, constants=(), outputs=("y",)):
    return model(graph(nodes, [value("x", X)],
                       [value(name) for name in outputs], constants))


def views_are(views, aliases, arena):
    data = chain(node("Concat", ["x", "x"], ["a"], axis=0),
                 node("Reshape", ["a", "n"], ["b"]),
                 node("Split", ["b"], ["c", "d"], axis=0),
                 node("Add", ["c", "d"], ["y"]),
                 constants=[integers("n", [2, -1])])
    plan = planned(data, "--views", views)
    names = {t["id"]: t["name"] for t in plan["tensors"]}
    have = {t["name"]: (names[t["alias"]["of"]], t["alias"].get("offset", 0))
            for t in plan["tensors"] if "alias" in t}
    if have != aliases:
        yield f"{have}, not {aliases}"
    if plan["arena_size"] != arena * 4 * math.prod(X):
        yield f"an arena of {plan['arena_size']}"


def in_place():
    """One tensor of two sizes of x goes through a chain of elementwise ops."""
    data = chain(node("Concat", ["x", "x"], ["a"], axis=0),
                 node("Add", ["a", "w"], ["b"]), node("Softmax", ["b"], ["c"]),
                 node("Mul", ["c", "c"], ["y"]), constants=[tensor("w", [14])])
    size = 4 * math.prod(X)
    if planned(data)["arena_size"] != 3 * size:
        yield "not one tensor"
    if planned(data, "--inplace", "off")["arena_size"] != 4 * size:
        yield "not two tensors"


def in_place_elements():
    """One int64 has as many bytes as eight bools, and is needed for each; and
    updates that are the data change under a Scatter's hands."""
    data = model(graph([node("Add", ["a", "a"], ["b"]),
                        node("Add", ["c", "c"], ["d"]),
                        node("Equal", ["b", "d"], ["y"]),
                        node("ScatterElements", ["d", "c", "d"], ["z"])],
                       [value("a", [1], INT64), value("c", [8], INT64)],
                       [value("y"), value("z")]))
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(data)
        file.flush()
        have = harness.result(MEMPLAN, "show", file.name)["inplace"]["pairs"]
    if have != 2:
        yield f"{have} pairs, not 2"


def constants_vanish():
    data = chain(node("Neg", ["w"], ["v"], "neg"), node("Add", ["x", "v"],
                                                        ["y"], "add"),
                 constants=[tensor("w", [14])])
    if [op["name"] for op in planned(data)["ops"]] != ["add"]:
        yield "an op of constants stays"
    names = [op["name"] for op in planned(data, "--constants", "keep")["ops"]]
    if names != ["neg", "add"]:
        yield f"kept: {names}"


def outputs_of_inputs():
    """An output that is an input, and one that is a constant, are copied."""
    data = chain(node("Relu", ["x"], ["y"]), outputs=["x", "y", "w"],
                 constants=[tensor("w", [3])])
    kinds = {t["name"]: t.get("kind") for t in planned(data)["tensors"]}
    if kinds != {"x": "input", "y": "output",
                 "x/output": "output", "w/output": "output"}:
        yield str(kinds)


# ----------------------------------------------------------------- flow

BRANCHES = {
    "then_branch": graph([node("Relu", ["x"], ["p"]),
                          node("Concat", ["p", "p"], ["q"], axis=0),
                          node("Neg", ["q"], ["r"])],
                         outputs=[value("r")]),
    "else_branch": graph([node("Neg", ["x"], ["p"])], outputs=[value("p")])}
CONDITION = value("c", [], BOOL)


def known_branch(condition, ops):
    data = model(graph([node("If", ["c"], ["y"], "if", **BRANCHES)],
                       [value("x", X), CONDITION], [value("y")]))
    plan = planned(data, "--value", f"c={condition}")
    if [op["type"] for op in plan["ops"]] != ops:
        yield str(plan["ops"])
    if sizes(plan)["y"] != 4 * math.prod(X) * (2 if condition else 1):
        yield str(sizes(plan))


def both_branches():
    inner = graph([node("If", ["c"], ["i"], "inner", **BRANCHES)],
                  outputs=[value("i")])
    data = model(graph(
        [node("If", ["c"], ["m"], "outer", then_branch=inner,
              else_branch=BRANCHES["else_branch"]),
         node("Relu", ["m"], ["y"])], [value("x", X), CONDITION],
        [value("y")]))
    plan = planned(data)
    names = {t["id"]: t["name"] for t in plan["tensors"]}
    outer, inner = plan["exclusive"]
    have = [[[names[t] for t in branch] for branch in choice]
            for choice in (outer, inner["branches"])]
    want = [[["outer/i"], ["outer/p"]],
            [["outer/inner/p", "outer/inner/q", "outer/inner/r"],
             ["outer/inner/p"]]]
    if have != want or inner["in"] != [0, 0]:
        yield f"{have} in {inner['in']}, not {want}"
    if sizes(plan)["m"] != 8 * math.prod(X):
        yield "the larger branch does not count"


def loop():
    """The body is a loop of the plan, and its state is carried."""
    body = graph([node("Add", ["s", "w"], ["t"]), node("Neg", ["t"], ["u"])],
                 [value("i", [], INT64), value("k", [], BOOL), value("s", X)],
                 [value("k"), value("u"), value("t")])
    data = model(graph(
        [node("Relu", ["x"], ["w"]), node("Relu", ["x"], ["v"]),
         node("Loop", ["n", "", "v"], ["z", "all"], "loop", body=body)],
        [value("x", X)], [value("z"), value("all")],
        [integers("n", [3])[2:]]))
    plan = planned(data)
    names = {t["id"]: t["name"] for t in plan["tensors"]}
    (found,) = plan["loops"]
    ends = [plan["ops"][found[end]]["name"] for end in ("first", "last")]
    carried = [[names[t] for t in pair] for pair in found["carried"]]
    if ends != ["loop/iterate", "loop/next"] or \
            carried != [["loop/s", "loop/u"]]:
        yield f"{ends}, {carried}"
    ends = {t["name"]: t["end"] for t in plan["tensors"]}
    if not ends["w"] == ends["loop/u"] == ends["loop/s"]:
        yield f"{ends}"
    if sizes(plan)["all"] != 3 * 4 * math.prod(X):
        yield f"collected: {sizes(plan)['all']}"


def scan():
    body = graph([node("Add", ["s", "e"], ["t"])],
                 [value("s", [6]), value("e", [6])],
                 [value("t"), value("t")])
    data = model(graph(
        [node("Scan", ["s0", "x"], ["z", "all"], "scan", num_scan_inputs=1,
              scan_input_axes=[1], scan_output_axes=[1], body=body)],
        [value("s0", [6]), value("x", [6, 9])],
        [value("z"), value("all")]))
    have = sizes(planned(data))
    if (have["z"], have["all"], have["scan/e"]) != (24, 216, 24):
        yield str(have)


def functions():
    """A function is written out; its attribute is the call's, or a default."""
    def reference(name, of, kind):
        return onnx.field(1, name) + onnx.field(21, of) + onnx.field(20, kind)

    body = [node("Cast", ["a"], ["c"]) + onnx.field(5, reference("to", "t", 2)),
            node("Relu", ["c"], ["b"])]
    whole = onnx.function("f", ["a"], ["b"], body) + onnx.field(
        11, onnx.attribute("t", 11))
    data = model(graph(
        [node("f", ["x"], ["m"], "one", "own", t=1),
         node("f", ["m"], ["y"], "two", "own")], [value("x", X)],
        [value("y")]), [whole])
    plan = planned(data, "--views", "copy")
    have = sizes(plan)
    if (have["one/c"], have["two/c"], have["y"]) != tuple(
            n * math.prod(X) for n in (4, 8, 8)):
        yield str(have)
    if [op["name"] for op in plan["ops"]] != ["one/c", "one/b", "two/c",
                                              "two/b"]:
        yield str(plan["ops"])


def said():
    """An op of another domain has the shape that is declared, or given."""
    op = node("Own", ["x"], ["y"], "own", "com.acme")
    declared = model(graph([op], [value("x", X)], [value("y", ["n", 5])]))
    if sizes(planned(declared, "--dim", "n=7"))["y"] != 4 * 35:
        yield "declared"
    given = model(graph([op], [value("x", X)], [value("y")]))
    if sizes(planned(given, "--shape", "y=3x4:double"))["y"] != 8 * 12:
        yield "given"
    for kind, size in (("NonMaxSuppression", 8), ("NonZero", 8),
                       ("Unique", 4), ("ImageDecoder", 1)):
        given = model(graph([node(kind, ["x"], ["y"])], [value("x", X)],
                            [value("y")]))
        if sizes(planned(given, "--shape", "y=3x4"))["y"] != size * 12:
            yield f"a type of {kind}"


def said_inside():
    """A value of a graph in a graph is said by its whole name."""
    inner = graph([node("NonZero", ["x"], ["p"]), node("Neg", ["p"], ["q"])],
                  outputs=[value("q")])
    data = model(graph([node("If", ["c"], ["y"], "if", then_branch=inner,
                             else_branch=inner)],
                       [value("x", X), CONDITION], [value("y")]))
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(data)
        file.flush()
        said = harness.run(MEMPLAN, "plan", file.name, status=(3,)).stderr
    if "give --shape if/p=" not in said:
        yield said
    if sizes(planned(data, "--shape", "if/p=4x7"))["y"] != 8 * 28:
        yield "not taken"


def most():
    """Shapes that depend on data, at their largest."""
    for kind, inputs, more, want in (
            ("NonZero", ["x"], {}, 8 * 2 * 12), ("Unique", ["x"], {}, 4 * 12),
            ("Unique", ["x"], {"axis": 1}, 4 * 12),
            ("Compress", ["x", "b"], {"axis": 1}, 4 * 12),
            ("Compress", ["x", "b"], {}, 4 * 4),
            ("Slice", ["x", "o", "o"], {}, 4 * 12),
            ("NonMaxSuppression", ["boxes", "s"], {}, 0),
            ("NonMaxSuppression", ["boxes", "s", "n"], {}, 8 * 3 * 2 * 3 * 5),
            ("NonMaxSuppression", ["boxes", "s", "o"], {}, 8 * 3 * 2 * 3 * 7)):
        data = model(graph(
            [node(kind, inputs, ["y"], **more)],
            [value("x", [3, 4]), value("b", [4], BOOL),
             value("boxes", [2, 7, 4]), value("s", [2, 3, 7]),
             value("o", [1], INT64)], [value("y")], [integers("n", [5])]))
        with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
            file.write(data)
            file.flush()
            said = harness.run(MEMPLAN, "plan", file.name, status=(3,)).stderr
        have = sizes(planned(data, "--shape", "*=most"))["y"]
        if have != want or "'*=most'" not in said:
            yield f"{kind}: {have}, not {want}; {said}"


def formulas():
    """Dimensions that follow from others need no option."""
    def bound(dim, *options):
        data = model(graph([node("Relu", ["x"], ["y"])],
                           [value("x", [dim]), value("z", ["p", "s"])],
                           [value("y")]))
        return sizes(planned(data, "--dim", "p=7", "--dim", "s=2",
                             *options))["y"] // 4

    for dim, want in (("p + 1", 8), ("2*p//3", 4), ("2 * (p // 3)", 4),
                      ("floor((p+s)/2) - s", 2), ("p-s-s", 3), ("s%p%2", 0),
                      ("((p))+0", 7), ("(s-p)//2 + p", 4)):
        if bound(dim) != want:
            yield f"{dim}: {bound(dim)}, not {want}"
    for dim in ("-1+p", "p +", "f(p)+1", "p/0", "p 1", "batch-size", "s-p",
                "p*p*p*p*p*p*p*p*p*p*p*p", "(" * 40 + "p+1", ")", "p)+1"):
        if bound(dim, "--dim", f"{dim}=5") != 5:
            yield f"{dim}: no plain name"
    if bound("p + 1", "--dim", "p + 1=3") != 3:
        yield "an option does not win"


def formulas_want_names():
    """A formula is not asked for if its names are."""
    data = model(graph([node("Concat", ["x", "z", "w"], ["y"], axis=1)],
                       [value("x", ["b", "p + s"]), value("z", ["b", "s"]),
                        value("w", ["b", "b * s"])], [value("y")]))
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(data)
        file.flush()
        said = harness.run(MEMPLAN, "plan", file.name, status=(3,)).stderr
    for name, asked in (("b", True), ("s", True), ("p + s", True),
                        ("b * s", False)):
        if (f"dimension '{name}'" in said) != asked:
            yield f"{name}: {said}"


def beyond_dims():
    """What no dimension mends is told before what is open."""
    data = model(graph([node("SequenceConstruct", ["x"], ["s"]),
                        node("SequenceLength", ["s"], ["y"])],
                       [value("x", ["n"])], [value("y", [])]))
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(data)
        file.flush()
        said = harness.run(MEMPLAN, "show", file.name, status=(3,)).stderr
    if not re.search(r"a sequence.*; dimension 'n' of input 'x'", said):
        yield said


def wide_windows():
    """What 'show' guesses is wide enough for a window of 200."""
    data = model(graph([node("Conv", ["x", "w"], ["y"])],
                       [value("x", ["n", 1, "length"])], [value("y")],
                       [tensor("w", [2, 1, 200])]))
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(data)
        file.flush()
        said = harness.run(MEMPLAN, "show", file.name).stdout
    if "dimension 'length' of input 'x'" not in said:
        yield said


def many_open():
    """A hundred thousand open dimensions of as many names are listed at once."""
    n = 100_000
    data = model(graph([node("Relu", ["x0"], ["y"])],
                       [value(f"x{i}", [f"n{i}"]) for i in range(n)],
                       [value("y")]))
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(data)
        file.flush()
        said = harness.run(MEMPLAN, "plan", file.name, status=(3,)).stderr
    listed, more = said.count("dimension 'n"), re.search(r"and (\d+) more", said)
    if not more or listed + int(more[1]) != n:
        yield said


def long_chain():
    """Fifty thousand views of views, and as many ops that read the last."""
    n = 50_000
    last = f"v{n - 1}"
    data = model(graph(
        [node("Identity", [f"v{i - 1}" if i else "x"], [f"v{i}"])
         for i in range(n)]
        + [node("Clip", [last, "low", "high"], [f"y{i}"]) for i in range(n)],
        [value("x", [4]), value("low", []), value("high", [])],
        [value(f"y{n - 1}")]))
    plan = planned(data)
    if plan["arena_size"] != 4 * 64:  # x, low, high and one of the others
        yield f"{plan['arena_size']}"


def batch():
    """Half a batch is advised where the first dimension of all inputs is open."""
    for firsts, wanted in ((("n", "n"), True), ((4, 4), False),
                           (("n", 4), False), (("n", "m"), False)):
        data = model(graph([node("Concat", ["a", "b"], ["c"], axis=1),
                            node("Relu", ["c"], ["y"])],
                           [value("a", [firsts[0], 8]),
                            value("b", [firsts[1], 8]), value("s", [])],
                           [value("y")]))
        with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
            file.write(data)
            file.flush()
            said = harness.run(MEMPLAN, "explain", file.name, *[
                word for name in sorted({n for n in firsts
                                         if isinstance(n, str)})
                for word in ("--dim", f"{name}=4")]).stdout
        if ("batch: run it in two halves" in said) != wanted:
            yield f"{firsts}: {said}"


def unread():
    """What no plan needs is not checked, and changes none: the attributes of a
    Relu, the declared type of an input that is a weight, a weight's bytes."""
    broken = onnx.field(1, b"\xff")
    plans = [planned(model(graph(
        [node("Relu", ["x"], ["a"]) + attributes,
         node("Add", ["a", "w"], ["y"])],
        [value("x", [2]), onnx.field(1, "w") + kind], [value("y")],
        [tensor("w", [2], FLOAT, raw)]))) | {"name": ""}
        for attributes, kind, raw in (
            (b"", b"", bytes(8)), (onnx.field(5, broken), b"", bytes(8)),
            (onnx.field(5, onnx.field(1, "t") + onnx.field(5, broken)), b"",
             bytes(8)), (b"", onnx.field(2, b"\xff"), bytes(8)),
            (b"", b"", bytes(3)))]
    if any(plan != plans[0] for plan in plans):
        yield f"{plans}"


def cases():
    for i, (kind, inputs, attributes, *rest) in enumerate(SHAPES):
        yield f"shape {i}: {kind}", shape_is, kind, inputs, attributes, *rest
    for i, (kind, *rest) in enumerate(SEVERAL):
        yield f"outputs {i}: {kind}", bytes_are, kind, *rest
    for name, numbers, nodes, constants in FOLDS:
        yield (f"content: {name}", lambda n=numbers, d=nodes, c=constants:
               folds_to(n, d, **c))
    parts = {"c": ("b", 0), "d": ("b", 4 * math.prod(X))}
    for views, aliases, arena in (
            ("alias", {"b": ("a", 0)}, 4),
            ("alias-slices", {"b": ("a", 0), **parts}, 3),
            ("inplace", {}, 4), ("copy", {}, 4)):
        yield f"views: {views}", views_are, views, aliases, arena
    for case in (in_place, in_place_elements, constants_vanish,
                 outputs_of_inputs, both_branches, loop, scan, functions, said,
                 said_inside, most, formulas, formulas_want_names,
                 beyond_dims, wide_windows, many_open, long_chain,
                 batch, unread):
        yield case.__name__, case
    yield "known branch", known_branch, 1, ["Relu", "Concat", "Neg"]
    yield "other branch", known_branch, 0, ["Neg"]


if __name__ == "__main__":
    harness.tap(cases())
