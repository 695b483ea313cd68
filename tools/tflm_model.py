# SPDX-License-Identifier: MIT
"""TFLite models as TFLM sees them, for tests: shares no code with memplan.

Reads a model's FlatBuffer without checks, computes when TFLM has each tensor
alive (its scopes, of micro_allocation_info.cc), and places the tensors as its
greedy planner does (greedy_memory_planner.cc).
"""

import dataclasses
import struct

BYTES = [4, 2, 4, 1, 8, 0, 1, 2, 8, 1, 8, 16, 8, 4, 0, 4, 2, 1, 2, 1, 1, 1, 1]
CALLS = {118: 2, 119: 2, 129: 1, 31: 1}  # subgraphs that these operators call
IN_PLACE = {22, 151}  # RESHAPE and DYNAMIC_UPDATE_SLICE copy nothing in place
PLAN = b"OfflineMemoryAllocation"


class Table:
    """A table of a FlatBuffer; fields have numbers."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        self.list = at - struct.unpack_from("<i", data, at)[0]
        self.size = struct.unpack_from("<H", data, self.list)[0]

    def place(self, field):
        """Position of a field; 0: it is absent."""
        slot = 4 + 2 * field
        if slot + 2 > self.size:
            return 0
        offset = struct.unpack_from("<H", self.data, self.list + slot)[0]
        return self.at + offset if offset else 0

    def number(self, field, form="<i", default=0):
        at = self.place(field)
        return struct.unpack_from(form, self.data, at)[0] if at else default

    def target(self, field):
        """Position of what a field refers to; 0: it is absent."""
        at = self.place(field)
        return at and at + struct.unpack_from("<I", self.data, at)[0]

    def numbers(self, field, form="i"):
        at = self.target(field)
        n = struct.unpack_from("<I", self.data, at)[0] if at else 0
        return list(struct.unpack_from(f"<{n}{form}", self.data, at + 4))

    def tables(self, field):
        at = self.target(field) + 4
        return [Table(self.data, at + 4 * i + step)
                for i, step in enumerate(self.numbers(field, "I"))]

    def bytes(self, field):
        at = self.target(field)
        n = struct.unpack_from("<I", self.data, at)[0] if at else 0
        return self.data[at + 4:at + 4 + n]


@dataclasses.dataclass
class Tensor:
    name: str
    size: int
    planned: bool  # takes bytes of what TFLM plans
    variable: bool
    first: int = -1  # scopes, both ends count
    last: int = -1


class Model:
    """A model and the scopes of its tensors, which have numbers in all."""

    def __init__(self, data):
        self.root = Table(data, struct.unpack_from("<I", data)[0])
        self.subgraphs = self.root.tables(2)
        self.codes = [max(code.number(0, "b"), code.number(3))
                      for code in self.root.tables(1)]
        self.constant = [len(part.bytes(0)) > 0 or part.number(1, "<Q") > 1
                         for part in self.root.tables(4)]
        self.tensors, self.first = [], []
        for subgraph in self.subgraphs:
            self.first.append(len(self.tensors))
            self.tensors += map(self.tensor, subgraph.tables(0))
        self.pairs = set()  # output and input that may share bytes
        self.scope = 0
        for t in self.of(0, self.subgraphs[0].numbers(1)):
            self.born(t)
        self.walk(0)
        for t in self.of(0, self.subgraphs[0].numbers(2)):
            self.used(t)

    def tensor(self, table):
        size = BYTES[table.number(1, "b")]
        for dim in table.numbers(0):
            size *= dim
        constant = self.constant[table.number(2, "<I")]
        variable = bool(table.number(5, "b")) and not constant
        return Tensor(table.bytes(3).decode(errors="replace"), size,
                      size > 0 and not constant and not variable, variable)

    def of(self, subgraph, numbers):
        return [self.first[subgraph] + i for i in numbers if i >= 0]

    def born(self, t):
        if self.tensors[t].first < 0:
            self.tensors[t].first = self.scope

    def used(self, t):
        self.tensors[t].last = max(self.tensors[t].last, self.scope)

    def walk(self, number):
        for op in self.subgraphs[number].tables(3):
            inputs = self.of(number, op.numbers(1))
            outputs = self.of(number, op.numbers(2))
            code = self.codes[op.number(0)]
            self.scope += 1
            for t in outputs:
                self.born(t)
            options = Table(op.data, op.target(4)) if code in CALLS else None
            for i in range(CALLS.get(code, 0)):
                self.call(options.number(i))
            for t in inputs + (outputs if code in CALLS else []):
                self.used(t)
            if code in IN_PLACE:
                self.pairs.add((outputs[0], inputs[0]))

    def call(self, number):
        self.scope += 1
        for t in self.of(number, self.subgraphs[number].numbers(1)):
            self.born(t)
        self.walk(number)
        for t in self.of(number, self.subgraphs[number].numbers(2)):
            self.used(t)

    def has_npu(self):
        """Has it an op of Ethos-U? Vela has placed that one's tensors in a
        tensor that it works in, of which TFLM knows nothing."""
        return any(code.bytes(1) == b"ethos-u" for code in self.root.tables(1))

    def lives(self):
        """Of each planned tensor: number, first and last scope, bytes."""
        for t, tensor in enumerate(self.tensors):
            if tensor.planned and max(tensor.first, tensor.last) >= 0:
                yield (t, tensor.first, max(tensor.first, tensor.last),
                       -(-tensor.size // 16) * 16)

    def greedy(self):
        """The arena that TFLM's planner takes."""
        placed, top = [], 0
        for _, first, last, size in sorted(
                self.lives(), key=lambda life: (-life[3], -life[0])):
            offset = 0
            for at, end, other_first, other_last in placed:
                if other_first <= last and first <= other_last:
                    if at - offset >= size:
                        break
                    offset = max(offset, end)
            placed.append((offset, offset + size, first, last))
            placed.sort(key=lambda one: one[0])
            top = max(top, offset + size)
        return top

    def offsets(self):
        """The plan in the model, a list; None: it has none."""
        for entry in self.root.tables(6):
            if entry.bytes(0) == PLAN:
                data = self.root.tables(4)[entry.number(1, "<I")].bytes(0)
                _, _, n = struct.unpack_from("<3I", data)
                return list(struct.unpack_from(f"<{n}i", data, 12))
        return None

    def overlaps(self, offsets):
        """Names of two planned tensors that share a byte while both live."""
        lives = [life for life in self.lives() if offsets[life[0]] >= 0]
        for i, (a, first, last, size) in enumerate(lives):
            for b, other_first, other_last, other in lives[:i]:
                apart = (offsets[a] + size <= offsets[b] or
                         offsets[b] + other <= offsets[a])
                passed = (a, b) in self.pairs and last_of(self, b) == first
                taken = (b, a) in self.pairs and last_of(self, a) == other_first
                if not (apart or last < other_first or other_last < first or
                        passed or taken):
                    yield self.tensors[a].name, self.tensors[b].name


def last_of(model, t):
    return model.tensors[t].last
