# SPDX-License-Identifier: MIT
"""memplan.executorch on what looks like ExecuTorch's classes."""

import types
import unittest

from memplan import executorch


class Spec:
    """exir.tensor.TensorSpec, as far as memory planning sees it."""

    def __init__(self, size, first, last, mem_id=None, base=None):
        self.size, self.lifetime, self.mem_id = size, [first, last], mem_id
        self.inplace_base = base
        self.allocated_memory = None

    def realign(self, alignment):
        self.allocated_memory = -(-self.size // alignment) * alignment


def module(*specs, **more):
    nodes = [types.SimpleNamespace(meta={"spec": s}) for s in specs]
    nodes.append(types.SimpleNamespace(meta={"spec": list(specs)[:1]}))
    nodes.append(types.SimpleNamespace(meta={}))
    return types.SimpleNamespace(
        graph=types.SimpleNamespace(nodes=nodes), **more)


def overlap(a, b):
    return a[0] <= b[1] and b[0] <= a[1]


class ExecuTorch(unittest.TestCase):
    def offsets(self, specs, found):
        for a in specs:
            for b in specs:
                if a is b or not overlap(a.lifetime, b.lifetime):
                    continue
                x, y = found.spec_dict[a], found.spec_dict[b]
                if x.mem_id == y.mem_id and b.inplace_base is not a and \
                        a.inplace_base is not b:
                    self.assertTrue(
                        x.mem_offset + a.allocated_memory <= y.mem_offset or
                        y.mem_offset + b.allocated_memory <= x.mem_offset)
        return [found.spec_dict[s].mem_offset for s in specs]

    def test_chain(self):
        """The lifetimes [0, 1], [1, 2], [2, 3] include their last step."""
        specs = [Spec(60, 0, 1), Spec(100, 1, 2), Spec(64, 2, 3)]
        found = executorch.algorithm(16, set(specs), module(*specs), None, 0)
        offsets = self.offsets(specs, found)
        self.assertEqual(found.bufsizes, [0, 64 + 112])
        self.assertTrue(all(offset % 16 == 0 for offset in offsets))
        self.assertEqual({p.mem_id for p in found.spec_dict.values()}, {1})

    def test_memories_and_padding(self):
        specs = [Spec(64, 0, 1), Spec(64, 0, 1, 3), Spec(64, 2, 2, 3)]
        found = executorch.algorithm(16, set(specs), module(*specs), None, 64)
        self.offsets(specs, found)
        self.assertEqual(found.bufsizes, [0, 128, 0, 128])

    def test_in_place(self):
        base = Spec(64, 0, 2)
        specs = [base, Spec(64, 1, 3, base=base), Spec(64, 0, 3)]
        found = executorch.algorithm(16, set(specs), module(*specs))
        first, second, _ = self.offsets(specs, found)
        self.assertEqual(first, second)
        self.assertEqual(found.bufsizes, [0, 128])

    def test_below_an_enclosing_graph(self):
        specs = [Spec(64, 0, 1)]
        found = executorch.algorithm(16, set(specs), module(
            *specs, input_mem_buffer_sizes=[0, 100, 5]))
        self.assertEqual(self.offsets(specs, found), [112])
        self.assertEqual(found.bufsizes, [0, 176, 5])

    def test_nothing(self):
        found = executorch.algorithm(16, set(), module())
        self.assertEqual((found.spec_dict, found.bufsizes), ({}, [0, 0]))

    def test_same_plan_every_time(self):
        specs = [Spec(64, i % 3, i % 3 + 1) for i in range(12)]
        found = [self.offsets(specs, executorch.algorithm(
            16, set(order), module(*specs)))
            for order in (specs, specs[::-1])]
        self.assertEqual(found[0], found[1])

    def test_their_classes(self):
        """Where ExecuTorch is, its classes are returned."""
        import sys
        from unittest import mock
        theirs = types.SimpleNamespace(
            SpecAllocResult=lambda a, b, c: ("theirs", a, b, c),
            MemoryAlgoResult=lambda d, s: ("result", d, s))
        exir = types.SimpleNamespace(memory_planning=theirs)
        with mock.patch.dict(sys.modules, {
                "executorch": types.SimpleNamespace(exir=exir),
                "executorch.exir": exir}):
            spec = Spec(64, 0, 1)
            found = executorch.algorithm(16, {spec}, module(spec))
        self.assertEqual(found, ("result", {spec: ("theirs", 1, 0, 0)},
                                 [0, 64]))


if __name__ == "__main__":
    unittest.main()
