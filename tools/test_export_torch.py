#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of export_torch.py, where PyTorch is installed. Prints TAP.

    test_export_torch.py SOURCE_FOLDER
"""

import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import traceback

try:
    import torch
except ImportError:
    torch = None
if not torch or not importlib.util.find_spec("torchvision"):
    print("1..0 # SKIP PyTorch or torchvision is missing")
    sys.exit(0)

import export_torch
from memplan.steps import LAYERS

OTHER_VERSION = "" if torch.__version__.startswith("1.13.") else (
    "other versions of PyTorch trace otherwise")


class Case(torch.nn.Module):
    def __init__(self, batch):
        super().__init__()


class Inplace(Case):
    """Writes to a part of x, through a view, between two readers of x."""

    def forward(self, x):
        y = x * 2
        before = y.exp()
        y[0].add_(1)
        return before, y.t().contiguous()


class Layouts(Case):
    def forward(self, x):
        y = x * 2
        return (y + y.t()) * 3


class Counter(Case):
    """Reads and writes a buffer by turns; a weight is named like an op."""

    def __init__(self, batch):
        super().__init__(batch)
        self.register_buffer("count", torch.zeros(4))
        self.mul = torch.nn.Parameter(torch.zeros(4))

    def forward(self, x):
        first = x * self.count
        second = x - self.count
        self.count.add_(1)
        third = second * self.count
        self.count.mul_(2)
        return first + third + self.mul


class Tied(Case):
    def __init__(self, batch):
        super().__init__(batch)
        self.a = torch.nn.Linear(4, 4, bias=False)
        self.b = torch.nn.Linear(4, 4, bias=False)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(self.a(x)).sum()


class TiedToValues(Tied):
    """Cannot be made of fake tensors, which have no values."""

    def __init__(self, batch):
        super().__init__(batch)
        self.scale = torch.ones(1).item()


class Same(Case):
    def forward(self, x):
        return x.view(-1), x + 1


class Encoder(Case):
    """PyTorch has a whole layer as one op, where nothing needs a gradient."""

    def __init__(self, batch):
        super().__init__(batch)
        self.layers = torch.nn.TransformerEncoder(
            torch.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), 2)

    def forward(self, x):
        return self.layers(x.unsqueeze(0))


class Narrow(Case):
    def forward(self, x):
        return x @ torch.zeros(3, 3)


def export(model, *arguments):
    options = export_torch.parser().parse_args(
        ["--model", f"{__file__}:{model}", "--name", model,
         "--batch", "4", "--input-size", "4", *arguments])
    return json.loads(export_torch.export(options))


def named(graph, name):
    return next(i for i, row in enumerate(graph) if row["name"] == name)


def readers(graph, tensor):
    return [i for i, op in enumerate(graph["ops"]) if tensor in op["inputs"]]


def test_write_through_a_view():
    graph = export("Inplace")
    ops, tensors = graph["ops"], graph["tensors"]
    assert [op["type"] for op in ops] == ["mul", "exp", "add_", "clone"]
    write = ops[2]
    old, new = write["inputs"][0], write["outputs"][0]
    assert tensors[old]["name"] == "mul" and tensors[new]["size"] == 64
    assert write["inplace"] == [[new, old]] and "after" not in write
    assert readers(graph, old) == [1, 2] and readers(graph, new) == [3]


def test_overwrite_in_the_same_layout_only():
    ops = export("Layouts")["ops"]
    assert [op["type"] for op in ops] == ["mul", "add", "mul"]
    assert "inplace" not in ops[1]
    assert ops[2]["inplace"] == [[ops[2]["outputs"][0], ops[1]["outputs"][0]]]


def test_write_to_a_buffer_waits_for_readers():
    graph = export("Counter")
    ops, tensors = graph["ops"], graph["tensors"]
    write = ops[named(ops, "add_")]
    version = write["outputs"][0]
    assert tensors[version] == {
        "id": version, "name": "count@1", "size": 0}
    assert [ops[i]["type"] for i in write["after"]] == ["mul", "sub"]
    assert "inplace" not in write
    assert len({t["name"] for t in tensors}) == len(tensors)
    later = ops[named(ops, "mul_")]
    assert later["inputs"] == [version]
    assert later["after"] == [named(ops, "mul_1")]


def check_shared_weight(model):
    graph = export(model, "--train", "sgd")
    weights = [t for t in graph["tensors"] if t.get("kind") == "weight"]
    assert [t["name"] for t in weights] == ["a.weight"]
    update = graph["ops"][-1]
    assert update["type"] == "add_"
    old = readers(graph, weights[0]["id"])[:-1]
    assert len(old) == 3 and update["after"] == old


def test_shared_weight_is_one_weight():
    check_shared_weight("Tied")


def test_module_made_of_true_tensors():
    check_shared_weight("TiedToValues")


def test_input_that_is_an_output():
    tensors = export("Same")["tensors"]
    assert [t["kind"] for t in tensors] == ["state", "output"]
    outside = export("Same", "--external-io")["tensors"]
    assert all(t["external"] for t in outside)


def test_layers_are_made_of_their_ops():
    graph = export("Encoder")
    types = [op["type"] for op in graph["ops"]]
    assert not LAYERS & set(types), types
    assert types.count("_softmax") == 2, types


def sentence(*arguments):
    """What the program says, which is one line, of a run that fails."""
    done = subprocess.run(
        [sys.executable, export_torch.__file__, *arguments],
        capture_output=True, text=True, check=False)
    assert done.returncode and "Traceback" not in done.stderr, done.stderr
    return done.stderr.strip().splitlines()[-1]


def test_mistakes_are_sentences():
    for model, words in (
            ("torchvision:resnt18", "did you mean 'resnet18'?"),
            (f"{__file__}:Narow", "did you mean 'Narrow'?"),
            (f"{__file__}:Narrow", "does not run with batch 1: "),
            (f"{__file__}:export", "does not run with batch 1: "),
            ("nowhere.py:Net", "nowhere.py: FileNotFoundError: "),
            ("resnet18", "torchvision:NAME or FILE.py:FUNCTION")):
        text = sentence("--model", model, "--input-size", "4")
        assert words in text, text
    assert "'4,x' is not numbers" in sentence("--input-size", "4,x")


def ancestors(graph):
    """For each op, all ops that must come before it."""
    maker = {t: i for i, op in enumerate(graph["ops"]) for t in op["outputs"]}
    result = []
    for op in graph["ops"]:
        near = {maker[t] for t in op["inputs"] if t in maker}
        near.update(op.get("after", []))
        assert all(i < len(result) for i in near), op
        result.append(near.union(*(result[i] for i in near)))
    return result


def check_graph(graph):
    """What holds of every graph: one maker a tensor, every op behind what it
    reads, every update of a weight behind all readers of the old weight."""
    ops, tensors = graph["ops"], graph["tensors"]
    assert [t["id"] for t in tensors] == list(range(len(tensors)))
    assert len({t["name"] for t in tensors}) == len(tensors)
    made = [t for op in ops for t in op["outputs"]]
    assert len(set(made)) == len(made)
    before = ancestors(graph)
    for i, op in enumerate(ops):
        for new, old in op.get("inplace", []):
            assert new in op["outputs"] and old in op["inputs"]
            assert tensors[new]["size"] == tensors[old]["size"] > 0
        for t in op["outputs"]:
            name, version, _ = tensors[t]["name"].partition("@")
            if version:
                old = [u["id"] for u in tensors
                       if u["name"].partition("@")[0] == name and u["id"] < t]
                assert set(readers(graph, old[-1])) - {i} <= before[i], op


def block(text, language):
    return text.partition(f"```{language}\n")[2].partition("```")[0]


def test_documented_example(source):
    if OTHER_VERSION:
        return OTHER_VERSION
    text = (source / "docs" / "export-torch.md").read_text()
    with tempfile.TemporaryDirectory() as scratch:
        net = pathlib.Path(scratch, "net.py")
        net.write_text(block(text, "python"))
        options = export_torch.parser().parse_args(
            ["--model", f"{net}:classifier", "--batch", "8", "--input-size",
             "64", "--train", "sgd", "--drop-dead"])
        options.name = export_torch.default_name(options)
        assert export_torch.export(options) == block(text, "json")


def test_all_graphs_again(source):
    """The one documented command gives the files of the repository."""
    if OTHER_VERSION:
        return OTHER_VERSION
    folder = source / "testdata" / "graphs"
    with tempfile.TemporaryDirectory() as scratch:
        export_torch.write_all(scratch)
        made = sorted(pathlib.Path(scratch).iterdir())
        assert len(made) >= 8
        for file in made:
            text = file.read_bytes()
            assert text == (folder / file.name).read_bytes(), file.name
            check_graph(json.loads(text))


def main():
    source = pathlib.Path(sys.argv[1])
    tests = [n for n in globals() if n.startswith("test_")]
    print(f"1..{len(tests)}")
    for i, name in enumerate(tests, 1):
        test = globals()[name]
        try:
            skip = test(*[source][:test.__code__.co_argcount])
            print(f"ok {i} - {name}" + (f" # SKIP {skip}" if skip else ""))
        except Exception:  # whatever it was, the next test still runs
            print(f"not ok {i} - {name}")
            traceback.print_exc()


if __name__ == "__main__":
    main()
