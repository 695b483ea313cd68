#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a TFLite model of a description.

    make_tflite.py DESCRIPTION.json [-o MODEL.tflite] [--weights BYTES]

For tests, which need models with any structure and little in them. A description
is an object:

    subgraphs    a list of {name, tensors, inputs, outputs, ops}
    description  a text, optional
    metadata     an object of names and texts, optional
    offsets      an object of tensors' names and offsets, optional: a plan

A tensor is {name, shape, type, data, variable, signature}; the type is FLOAT32
unless it says another. data is a number of zero bytes: then it is a constant; as
[place, number] they are at that place of the file, which may be behind 2 GiB. An
op is {op, inputs, outputs, calls}; null stands for an input that is not given,
and calls lists the subgraphs of IF, WHILE, CALL_ONCE. Tensors are named; a name
occurs once in its subgraph, and once in all where there are offsets. With
--weights the first constant gets that many bytes, of a sparse file.
"""

import argparse
import json
import os
import pathlib
import struct

import tflm_model

TYPES = {"FLOAT32": 0, "FLOAT16": 1, "INT32": 2, "UINT8": 3, "STRING": 5,
         "BOOL": 6, "INT8": 9, "RESOURCE": 13}
OPS = {"ADD": 0, "CONCATENATION": 2, "CONV_2D": 3, "DEPTHWISE_CONV_2D": 4,
       "DEQUANTIZE": 6, "FULLY_CONNECTED": 9, "LOGISTIC": 14,
       "MAX_POOL_2D": 17, "MUL": 18, "RESHAPE": 22, "SOFTMAX": 25, "SVDF": 27,
       "CUSTOM": 32, "LESS": 58, "IF": 118, "WHILE": 119, "CALL_ONCE": 129,
       "VAR_HANDLE": 142, "READ_VARIABLE": 143, "ASSIGN_VARIABLE": 144}
OPTIONS = {"IF": 92, "WHILE": 93, "CALL_ONCE": 103}

# ------------------------------------------------------------- FlatBuffers


def pad(out, alignment, ahead=0):
    """Zeros until what follows in `ahead` bytes is aligned."""
    out.extend(bytes(-(len(out) + ahead) % alignment))


class Table:
    """Fields: an object of their numbers and (width, number) or an object."""

    def __init__(self, **fields):
        self.fields = {int(key[1:]): value for key, value in fields.items()
                       if value is not None}

    def put(self, out, later):
        widths = {i: value[0] if isinstance(value, tuple) else 4
                  for i, value in self.fields.items()}
        at, places = 4, {}
        for i in sorted(widths, key=lambda i: (-widths[i], i)):
            at += -at % widths[i]
            places[i] = at
            at += widths[i]
        slots = [places.get(i, 0) for i in range(max(places, default=-1) + 1)]
        # The table begins behind its list, at a multiple of 8.
        pad(out, 8, 4 + 2 * len(slots))
        start = len(out)
        out += struct.pack(f"<{2 + len(slots)}H", 4 + 2 * len(slots), at,
                           *slots)
        base = len(out)
        out += struct.pack("<i", base - start) + bytes(at - 4)
        for i, value in self.fields.items():
            place = base + places[i]
            if isinstance(value, tuple):
                out[place:place + value[0]] = (
                    value[1] % (1 << 8 * value[0])).to_bytes(value[0],
                                                            "little")
            else:
                later.append((place, value))
        return base


class Numbers:
    """A vector of 32-bit numbers."""

    def __init__(self, values):
        self.values = values

    def put(self, out, _):
        pad(out, 4)
        out += struct.pack(f"<I{len(self.values)}i", len(self.values),
                           *self.values)
        return len(out) - 4 - 4 * len(self.values)


class Tables:
    """A vector of tables."""

    def __init__(self, items):
        self.items = items

    def put(self, out, later):
        pad(out, 4)
        at = len(out)
        out += struct.pack("<I", len(self.items)) + bytes(4 * len(self.items))
        later += [(at + 4 + 4 * i, item) for i, item in enumerate(self.items)]
        return at


class Bytes:
    """A vector of bytes; of a text, with a NUL behind."""

    def __init__(self, data, alignment=16):
        self.data, self.alignment = data, alignment

    def put(self, out, _):
        pad(out, max(4, self.alignment), 4)
        at = len(out)
        out += struct.pack("<I", len(self.data)) + self.data
        if self.alignment == 1:
            out.append(0)
        return at


def text(value):
    return None if value is None else Bytes(value.encode(), 1)


def flatbuffer(root, mark):
    """The file: parts in the order in which they are met."""
    out, later, done = bytearray(4) + mark, [(0, root)], 0
    while done < len(later):
        place, part = later[done]
        done += 1
        at = part.put(out, later)
        out[place:place + 4] = struct.pack("<I", at - place)
    return bytes(out)


# ------------------------------------------------------------------- models


class Model:
    """What subgraphs share: buffers and operator codes."""

    def __init__(self):
        self.buffers, self.codes = [Table()], {}

    def buffer(self, data):
        self.buffers.append(Table(f0=Bytes(data)))
        return len(self.buffers) - 1

    def outside(self, place, size):
        self.buffers.append(Table(f1=(8, place), f2=(8, size)))
        return len(self.buffers) - 1

    def code(self, name):
        return self.codes.setdefault(name, len(self.codes))

    def code_tables(self):
        for name in self.codes:
            code = OPS.get(name, OPS["CUSTOM"])
            custom = None if name in OPS else name
            yield Table(f0=(1, min(code, 127)), f1=text(custom), f3=(4, code))


def tensor(model, given):
    data = given.get("data")
    signature = given.get("signature")
    buffer = 0
    if isinstance(data, list):
        buffer = model.outside(*data)
    elif data:
        buffer = model.buffer(bytes(data))
    return Table(
        f0=Numbers(given["shape"]) if "shape" in given else None,
        f1=(1, TYPES[given.get("type", "FLOAT32")]),
        f2=(4, buffer),
        f3=text(given.get("name")),
        f5=(1, 1) if given.get("variable") else None,
        f7=Numbers(signature) if signature else None)


def op(model, given, index):
    calls = given.get("calls", [])
    options = Table(**{f"f{i}": (4, called) for i, called in enumerate(calls)})
    return Table(
        f0=(4, model.code(given["op"])),
        f1=Numbers([-1 if name is None else index[name]
                    for name in given.get("inputs", [])]),
        f2=Numbers([index[name] for name in given.get("outputs", [])]),
        f3=(1, OPTIONS[given["op"]]) if calls else None,
        f4=options if calls else None)


def subgraph(model, given):
    index = {one["name"]: i for i, one in enumerate(given["tensors"])}
    return Table(
        f0=Tables([tensor(model, one) for one in given["tensors"]]),
        f1=Numbers([index[name] for name in given.get("inputs", [])]),
        f2=Numbers([index[name] for name in given.get("outputs", [])]),
        f3=Tables([op(model, one, index) for one in given["ops"]]),
        f4=text(given.get("name")))


def plan(given):
    """The metadata that TFLM looks for."""
    names = [one["name"] for part in given["subgraphs"]
             for one in part["tensors"]]
    entries = [given["offsets"].get(name, -1) for name in names]
    return struct.pack(f"<3I{len(names)}i", 1, len(given["subgraphs"]),
                       len(names), *entries)


def model_of(given):
    """The bytes of a model."""
    model = Model()
    parts = Tables([subgraph(model, part) for part in given["subgraphs"]])
    metadata = {name: value.encode()
                for name, value in given.get("metadata", {}).items()}
    if "offsets" in given:
        metadata["OfflineMemoryAllocation"] = plan(given)
    entries = [Table(f0=text(name), f1=(4, model.buffer(value)))
               for name, value in metadata.items()]
    return flatbuffer(Table(
        f0=(4, 3), f1=Tables(list(model.code_tables())), f2=parts,
        f3=text(given.get("description")), f4=Tables(model.buffers),
        f6=Tables(entries) if entries else None), b"TFL3")


def write(model, path, weights=0):
    """The file; with weights, the first constant has them, at its end."""
    out = bytearray(model)
    if weights:
        pad(out, 16, 4)
        at = reference_of_data(model)
        out[at:at + 4] = struct.pack("<I", len(out) - at)
        out += struct.pack("<I", weights)
    path.write_bytes(out)
    if weights:
        os.truncate(path, len(out) + weights)


def reference_of_data(model):
    """Where buffer 1 refers to its bytes."""
    root = tflm_model.Table(model, struct.unpack_from("<I", model)[0])
    return root.tables(4)[1].place(0)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("description", type=pathlib.Path)
    parser.add_argument("-o", dest="model", type=pathlib.Path)
    parser.add_argument("--weights", type=int, default=0)
    arguments = parser.parse_args()
    given = json.loads(arguments.description.read_text("utf-8"))
    target = arguments.model or arguments.description.with_suffix(".tflite")
    write(model_of(given), target, arguments.weights)


if __name__ == "__main__":
    main()
