# SPDX-License-Identifier: MIT
"""Writes ONNX models, well formed or not, byte by byte: for tests that need
models which no exporter makes. A message is bytes; functions take the parts of a
message and return it."""

import struct

FLOAT, INT32, INT64, STRING, BOOL = 1, 6, 7, 8, 9


def varint(number):
    number &= (1 << 64) - 1
    parts = []
    while number > 0x7f:
        parts.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes([*parts, number])


def field(number, value):
    """A field of a number, a float, a text or a message; None: no field."""
    if value is None:
        return b""
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def fields(number, values):
    return b"".join(field(number, value) for value in values)


def read_varint(data, at):
    number = shift = 0
    while True:
        number |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return number, at


def lengths(data, begin, end, known):
    """Where the length of each message stands: its first byte, and the first
    one behind it."""
    at = begin
    while at < end:
        key, place = read_varint(data, at)
        if key & 7 == 0:
            _, at = read_varint(data, place)
        elif key & 7 == 2:
            length, behind = read_varint(data, place)
            if key >> 3 in known:
                yield place, behind
                yield from lengths(data, behind, behind + length,
                                   known[key >> 3])
            at = behind + length
        else:
            at = place + (8 if key & 7 == 1 else 4)


class Graph(bytes):
    """A graph as the value of an attribute."""


class Tensor(bytes):
    """A tensor as the value of an attribute."""


def attribute(name, value):
    head = field(1, name)
    if isinstance(value, float):
        return head + field(2, value) + field(20, 1)
    if isinstance(value, int):
        return head + field(3, value) + field(20, 2)
    if isinstance(value, Graph):
        return head + field(6, bytes(value)) + field(20, 5)
    if isinstance(value, Tensor):
        return head + field(5, bytes(value)) + field(20, 4)
    if isinstance(value, (str, bytes)):
        return head + field(4, value) + field(20, 3)
    if value and isinstance(value[0], float):
        return head + fields(7, value) + field(20, 6)
    return head + fields(8, value) + field(20, 7)


def node(kind, inputs, outputs, name=None, domain=None, **attributes):
    return (fields(1, inputs) + fields(2, outputs) + field(3, name) +
            field(4, kind) + field(7, domain) +
            fields(5, (attribute(*each) for each in attributes.items())))


def dimension(dim):
    return field(2 if isinstance(dim, str) else 1, dim)


def value(name, dims=None, kind=FLOAT):
    """A declared value; dims None: of any rank."""
    shape = None if dims is None else fields(1, map(dimension, dims))
    return field(1, name) + field(2, field(1, field(1, kind) +
                                           field(2, shape)))


def tensor(name, dims, kind=FLOAT, raw=None, external=None):
    """The bytes are raw, or, if external, in the file of that name."""
    entry = external and field(1, "location") + field(2, external)
    return (fields(1, dims) + field(2, kind) + field(8, name) +
            field(9, raw) + field(13, entry or None) +
            field(14, 1 if external else None))


def integers(name, numbers):
    return tensor(name, [len(numbers)], INT64,
                  struct.pack(f"<{len(numbers)}q", *numbers))


def graph(nodes, inputs=(), outputs=(), initializers=(), infos=()):
    return Graph(fields(1, nodes) + field(2, "g") + fields(5, initializers) +
                 fields(11, inputs) + fields(12, outputs) + fields(13, infos))


def function(name, inputs, outputs, nodes, domain="own"):
    return (field(1, name) + fields(4, inputs) + fields(5, outputs) +
            fields(7, nodes) + field(10, domain))


def model(body, functions=(), opset=17, version=8):
    return (field(1, version) + field(7, bytes(body)) +
            field(8, field(2, opset)) + fields(25, functions))


def simple(*nodes, outputs=("y",), **more):
    """A model of nodes that read `x`, which is 2x3x8x8."""
    return model(graph(nodes, [value("x", [2, 3, 8, 8])],
                       [value(name) for name in outputs], **more))
