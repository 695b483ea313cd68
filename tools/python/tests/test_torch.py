# SPDX-License-Identifier: MIT
"""memplan.torch: modules where PyTorch 1.13 is, and what looks like a program of
PyTorch 2's torch.export everywhere."""

import operator
import types
import unittest

import memplan

try:
    import torch
except ImportError:
    torch = None


class Storage:
    count = 0

    def __init__(self, size):
        Storage.count += 1
        self._cdata, self.size = Storage.count, size

    def nbytes(self):
        return self.size


class Value:
    """A fake tensor of float32 with a storage of its own, as a program that was
    loaded from a file has even for views."""

    def __init__(self, *shape):
        self.shape, size = shape, 4
        for length in shape:
            size *= length
        self.storage = Storage(size)

    def untyped_storage(self):
        return self.storage

    def element_size(self):
        return 4

    def stride(self):
        return ()

    def storage_offset(self):
        return 0


def alias(write):
    return types.SimpleNamespace(is_write=write)


def op(name, arguments="x", view=False, write=False):
    """An ATen op: names of its arguments; the first one may be viewed or
    written."""
    mark = alias(write) if view or write else None
    return types.SimpleNamespace(_schema=types.SimpleNamespace(
        name=f"aten::{name}", returns=[types.SimpleNamespace(alias_info=mark)],
        arguments=[types.SimpleNamespace(
            name=a, alias_info=None if i else mark)
            for i, a in enumerate(arguments)]))


class Node:
    def __init__(self, kind, name, value=None, target=None, args=()):
        self.op, self.name, self.target, self.args = kind, name, target, args
        self.kwargs, self.users = {}, []
        self.meta = {} if value is None else {"val": value}
        self.all_input_nodes = [a for a in args if isinstance(a, Node)]
        for node in self.all_input_nodes:
            node.users.append(self)


def program(nodes, *inputs):
    """An ExportedProgram: kind, name and target of each placeholder."""
    return types.SimpleNamespace(
        graph_module=types.SimpleNamespace(
            graph=types.SimpleNamespace(nodes=nodes)),
        graph_signature=types.SimpleNamespace(input_specs=[
            types.SimpleNamespace(kind=types.SimpleNamespace(name=kind),
                                  arg=types.SimpleNamespace(name=name),
                                  target=target)
            for kind, name, target in inputs]))


def named(graph):
    return {t["name"]: t for t in graph.tensors}


class Programs(unittest.TestCase):
    def made(self):
        weight = Node("placeholder", "p_fc_weight", Value(8, 16))
        mean = Node("placeholder", "b_mean", Value(8))
        flag = Node("placeholder", "flag")  # no tensor
        x = Node("placeholder", "x", Value(4, 16))
        view = Node("call_function", "permute", Value(16, 8),
                    op("permute", view=True), (weight, [1, 0]))
        size = Node("call_function", "sym_size", 4, operator.mul, (2, 2))
        mm = Node("call_function", "mm", Value(4, 8), op("mm", "xy"), (x, view))
        relu = Node("call_function", "relu", Value(4, 8), op("relu"), (mm,))
        new = Node("call_function", "add", Value(8), op("add", "xy"),
                   (mean, relu))
        flat = Node("call_function", "view", Value(32),
                    op("view", view=True), (relu, [32]))
        out = Node("output", "output", args=(new, flat))
        return program(
            [weight, mean, flag, x, view, size, mm, relu, new, flat, out],
            ("PARAMETER", "p_fc_weight", "fc.weight"),
            ("BUFFER", "b_mean", "mean"), ("CONSTANT", "flag", None),
            ("USER_INPUT", "x", None))

    def test_program(self):
        graph = memplan.torch.graph(self.made(), name="net", alignment=64)
        tensors = named(graph)
        self.assertEqual([o["name"] for o in graph.ops], ["mm", "relu", "add"])
        self.assertEqual(list(tensors), [
            "fc.weight", "mean", "x", "mm", "relu", "add"])
        self.assertTrue(tensors["fc.weight"]["external"])
        self.assertEqual(tensors["x"], {
            "id": 2, "name": "x", "size": 256, "kind": "input"})
        # The result is a view of relu; the new mean is the caller's to copy.
        self.assertEqual([t["name"] for t in graph.tensors
                          if t.get("kind") == "output"], ["relu", "add"])
        self.assertEqual(graph.ops[0]["inputs"], [2, 0])
        plan = memplan.plan(graph)
        self.assertEqual(plan.alignment, 64)
        self.assertEqual(set(plan.offsets), {"x", "mm", "relu", "add"})

    def test_inplace_and_external(self):
        graph = memplan.torch.graph(self.made(), external_io=True)
        relu = graph.ops[1]
        self.assertNotIn("inplace", relu)  # its result is the caller's
        self.assertTrue(named(graph)["x"]["external"])
        inside = memplan.torch.graph(self.made())
        self.assertEqual(inside.ops[1]["inplace"],
                         [[inside.ops[1]["outputs"][0],
                           inside.ops[0]["outputs"][0]]])

    def test_wrapped_graph(self):
        """Its calls stand in the place of the call, with its operands."""
        x, y = (Node("placeholder", name, Value(4)) for name in "xy")
        a = Node("placeholder", "a", Value(4))
        b = Node("placeholder", "b", Value(4))
        cos = Node("call_function", "cos", Value(4), op("cos"), (a,))
        add = Node("call_function", "add", Value(4), op("add", "xy"), (cos, b))
        inner = types.SimpleNamespace(graph=types.SimpleNamespace(nodes=[
            a, b, cos, add, Node("output", "output", args=((add, a),))]))
        named_in = Node("get_attr", "submod_1", target="submod_1")
        call = Node("call_function", "call", None, types.SimpleNamespace(
            __name__="wrap_with_set_grad_enabled"), (False, named_in, x, y))
        call.meta["val"] = (Value(4), Value(4))
        first, same = (Node("call_function", f"getitem_{i}",
                            call.meta["val"][i], operator.getitem, (call, i))
                       for i in range(2))
        mul = Node("call_function", "mul", Value(4), op("mul", "xy"),
                   (first, same))
        made = program([x, y, named_in, call, first, same, mul,
                        Node("output", "output", args=(mul,))],
                       ("USER_INPUT", "x", None), ("USER_INPUT", "y", None))
        made.graph_module.submod_1 = inner
        graph = memplan.torch.graph(made)
        ids = {t["name"]: t["id"] for t in graph.tensors}
        self.assertEqual(
            [(o["name"], o["inputs"], o["outputs"]) for o in graph.ops],
            [("cos", [ids["x"]], [ids["cos"]]),
             ("add", [ids["cos"], ids["y"]], [ids["add"]]),
             ("mul", [ids["add"], ids["x"]], [ids["mul"]])])

    def test_control_flow(self):
        x = Node("placeholder", "x", Value(4))
        cond = Node("call_function", "cond", Value(4), object(), (x,))
        with self.assertRaisesRegex(memplan.UsageError, "control flow"):
            memplan.torch.graph(program(
                [x, cond], ("USER_INPUT", "x", None)))


@unittest.skipUnless(torch and torch.__version__.startswith("1.13."),
                     "PyTorch 1.13 is not installed")
class Modules(unittest.TestCase):
    def test_module_stays_as_it_is(self):
        module = torch.nn.Sequential(
            torch.nn.Linear(8, 4), torch.nn.BatchNorm1d(4))
        before = {name: (value, value.clone())
                  for name, value in module.state_dict(keep_vars=True).items()}
        module.eval()
        for train in None, "adam":
            graph = memplan.torch.graph(
                module, (torch.ones(2, 8),), train=train)
            self.assertEqual(graph.keys["name"], "Sequential")
            self.assertGreater(memplan.plan(graph).arena_size, 0)
        self.assertFalse(any(part.training for part in module.modules()))
        for name, value in module.state_dict(keep_vars=True).items():
            self.assertIs(value, before[name][0])
            self.assertTrue(torch.equal(value, before[name][1]), name)
        self.assertEqual(module(torch.ones(2, 8)).shape, (2, 4))

    def test_shared_weight_is_one(self):
        module = torch.nn.Sequential(torch.nn.Linear(4, 4, bias=False),
                                     torch.nn.Linear(4, 4, bias=False))
        module[1].weight = module[0].weight
        graph = memplan.torch.graph(module, (torch.ones(4, 4),))
        self.assertEqual([t["name"] for t in graph.tensors
                          if t.get("kind") == "weight"], ["0.weight"])
        self.assertIs(module[1].weight, module[0].weight)

    def test_mistakes(self):
        class Two(torch.nn.Module):
            def forward(self, x):
                return x, x
        with self.assertRaisesRegex(memplan.UsageError, "one tensor"):
            memplan.torch.graph(Two(), (torch.ones(2),), train="sgd")
        with self.assertRaisesRegex(memplan.UsageError, "'sgdm'"):
            memplan.torch.graph(torch.nn.Linear(2, 2), (torch.ones(2, 2),),
                                train="rmsprop")


if __name__ == "__main__":
    unittest.main()
