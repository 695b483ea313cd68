#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces a PyTorch module, in inference or as a whole training step, into a
graph JSON that memplan reads. docs/export-torch.md says how to use it.

make_fx records every ATen call of one run on fake tensors: no weight is
allocated and nothing is computed, so that large models trace in seconds.
torch_graph.py makes the graph of that record.
"""

import argparse
import difflib
import importlib.util
import operator
import os
import sys
import warnings

try:
    import torch
except ImportError:
    sys.exit("export_torch: PyTorch is not installed; on Debian it is the "
             "package python3-torch, for /usr/bin/python3")
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.utils.stateless import functional_call
from torch.utils._pytree import tree_flatten

from torch_graph import graph_of, name_of

# Layers that PyTorch runs as one op where nothing needs a gradient.
LAYERS = frozenset("""
    _transformer_encoder_layer_fwd _transformer_decoder_only_layer_fwd
    _native_multi_head_attention _native_decoder_only_multi_head_attention
    mkldnn_rnn_layer _cudnn_rnn miopen_rnn
""".split())

RATE, MOMENTUM, BETA1, BETA2, EPSILON = 0.1, 0.9, 0.9, 0.999, 1e-8


def update_sgd(weight, gradient):
    weight.add_(gradient, alpha=-RATE)


def update_sgdm(weight, gradient, momentum):
    momentum.mul_(MOMENTUM).add_(gradient)
    weight.add_(momentum, alpha=-RATE)


def update_adam(weight, gradient, mean, square):
    mean.mul_(BETA1).add_(gradient, alpha=1 - BETA1)
    square.mul_(BETA2).addcmul_(gradient, gradient, value=1 - BETA2)
    root = (square.sqrt() / (1 - BETA2) ** 0.5).add_(EPSILON)
    weight.addcdiv_(mean, root, value=-RATE / (1 - BETA1))


OPTIMISERS = {  # how a weight is updated, and what is kept beside each weight
    "sgd": (update_sgd, ()),
    "sgdm": (update_sgdm, ("momentum",)),
    "adam": (update_adam, ("exp_avg", "exp_avg_sq")),
}


def fail(sentence):
    sys.exit(f"export_torch: {sentence}")


def first_line(error):
    return (str(error).strip().splitlines() or [""])[0] or type(error).__name__


def loss_of(result, target):
    """A module that returns a scalar computes its own loss; of anything else
    the second dimension counts classes."""
    if target is None:
        return result
    return torch.nn.functional.cross_entropy(result, target)


def target_for(module, inputs):
    result = module(*inputs)
    if not isinstance(result, torch.Tensor):
        fail("to train, a module must return one tensor")
    if result.dim() == 0:
        return None
    shape = (result.shape[0],) + tuple(result.shape[2:])
    return torch.zeros(shape, dtype=torch.long)


class Step:
    """One run of a module, as a function of a flat list of tensors."""

    def __init__(self, module, inputs, optimiser):
        self.module, self.inputs = module.train(bool(optimiser)), inputs
        self.weights = dict(module.named_parameters())
        self.buffers = dict(module.named_buffers())
        self.update, self.kept = OPTIMISERS.get(optimiser, (None, ()))
        self.state = {f"{name}.{k}": torch.zeros_like(w)
                      for name, w in self.weights.items() for k in self.kept}
        self.target = target_for(module, inputs) if optimiser else None

    def values(self):
        target = [] if self.target is None else [self.target]
        return [*self.weights.values(), *self.buffers.values(),
                *self.state.values(), *self.inputs, *target]

    def arguments(self):
        names = [f"input.{i}" if i else "input"
                 for i in range(len(self.inputs))]
        if self.target is not None:
            names.append("target")
        kept = [*self.weights, *self.buffers, *self.state]
        return [(n, "weight") for n in kept] + [(n, "input") for n in names]

    def run(self, *values):
        weights = take(values, 0, self.weights)
        buffers = take(values, len(weights), self.buffers)
        state = take(values, len(weights) + len(buffers), self.state)
        rest = values[len(weights) + len(buffers) + len(state):]
        inputs = rest[:len(self.inputs)]
        result = functional_call(self.module, {**weights, **buffers}, inputs)
        if not self.update:
            return tree_flatten(result)[0]
        target = None if self.target is None else rest[-1]
        return [self.train(loss_of(result, target), weights, state)]

    def train(self, loss, weights, state):
        gradients = torch.autograd.grad(
            loss, list(weights.values()), allow_unused=True)
        with torch.no_grad():
            for (name, weight), gradient in zip(weights.items(), gradients):
                if gradient is not None:
                    kept = [state[f"{name}.{k}"] for k in self.kept]
                    self.update(weight, gradient, *kept)
        return loss

    def trace(self):
        if self.update:
            return make_fx(self.run)(*self.values())
        with torch.no_grad():
            trace = make_fx(self.run)(*self.values())
        if not layers_in(trace):
            return trace
        with torch.enable_grad():  # then such a layer is made of its ops
            return make_fx(self.run)(*self.values())


def layers_in(trace):
    """Whole layers that are one op."""
    return sorted({name_of(node) for node in trace.graph.nodes
                   if hasattr(node.target, "_schema")} & LAYERS)


def take(values, start, names):
    return dict(zip(names, values[start:start + len(names)]))


def source_of(path):
    """The Python module in a file."""
    spec = importlib.util.spec_from_file_location("models", path)
    source = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(source)
    return source


def nearest(name, names):
    close = difflib.get_close_matches(name, names, 1)
    return f"; did you mean '{close[0]}'?" if close else ""


def constructor_of(model):
    """The function of torchvision:NAME or FILE.py:FUNCTION that makes the module,
    and its arguments if they are not the batch."""
    place, colon, name = model.rpartition(":")
    if not colon:
        fail(f"--model is torchvision:NAME or FILE.py:FUNCTION, not '{model}'")
    if place == "torchvision":
        try:
            import torchvision
        except ImportError:
            fail("torchvision is not installed; on Debian it is the package "
                 "python3-torchvision")
        source, arguments = torchvision.models, {"weights": None}
    else:
        try:
            source = source_of(place)
        except Exception as error:  # whatever the file does
            fail(f"{place}: {type(error).__name__}: {first_line(error)}")
        arguments = {}
    try:
        function = operator.attrgetter(name)(source)
    except AttributeError:
        names = [n for n in dir(source) if callable(getattr(source, n))]
        fail(f"{place} has no '{name}'" + nearest(name, names))
    return function, arguments


def make(options, function, arguments):
    """A module, in training or not, and its inputs."""
    module = function(**arguments) if arguments else function(options.batch)
    inputs = (torch.zeros(options.batch, *options.input_size),)
    if isinstance(module, tuple):
        module, inputs = module
    if not isinstance(module, torch.nn.Module):
        fail(f"'{options.model}' makes no torch.nn.Module, but a "
             f"{type(module).__name__}")
    return module.train(bool(options.train)), inputs


def fail_to_run(options, error):
    fail(f"{options.model} does not run with batch {options.batch}: "
         f"{first_line(error)}")


def load_fake(mode, options):
    """A module that has run once, and its inputs. Made in fake mode, it allocates
    no weights. One that computes with values while it is made needs true tensors,
    and so does one that copies weights, as copies of fake ones are "meta"; the true
    ones turn fake afterwards."""
    constructor = constructor_of(options.model)
    try:
        with mode:
            module, inputs = make(options, *constructor)
    except Exception:  # then what it says of true tensors counts
        module = None
    try:
        if module:
            with mode:
                module(*inputs)
            return module, inputs
    except Exception as error:
        if "meta" not in str(error):
            fail_to_run(options, error)
    try:
        module, inputs = make(options, *constructor)
        module(*inputs)
    except Exception as error:
        fail_to_run(options, error)
    for part in module.modules():
        for kept in part._parameters, part._buffers:
            kept.update((name, mode.from_tensor(value))
                        for name, value in kept.items() if value is not None)
    return module, tuple(mode.from_tensor(i) for i in inputs)


def export(options):
    """The text of the graph that the options describe."""
    mode = FakeTensorMode()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module, inputs = load_fake(mode, options)
        with mode:
            step = Step(module, inputs, options.train)
            trace = step.trace()
    for name in layers_in(trace):
        print(f"export_torch: warning: '{name}' is a whole layer as one op: "
              "what it needs inside is not in the graph", file=sys.stderr)
    return graph_of(trace, step.arguments(), options).text()


def default_name(options):
    model = options.model.rpartition(":")[2]
    return f"{model}_b{options.batch}" + (
        f"_{options.train}" if options.train else "")


def sizes(text):
    """C,H,W as numbers."""
    try:
        return tuple(int(n) for n in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not numbers with commas, as 3,224,224") from None


def parser():
    p = argparse.ArgumentParser(
        description="Trace a PyTorch module into a memplan graph.")
    p.add_argument("--model", metavar="torchvision:NAME|FILE.py:FUNCTION")
    p.add_argument("--batch", type=int, default=1, metavar="N")
    p.add_argument("--input-size", default=(3, 224, 224), metavar="C,H,W",
                   type=sizes,
                   help="of one item, where the model brings no inputs")
    p.add_argument("--train", choices=sorted(OPTIMISERS),
                   help="trace a training step; without it, inference")
    p.add_argument("--name", help="of the graph")
    p.add_argument("--external-io", action="store_true",
                   help="inputs and outputs are the caller's memory")
    p.add_argument("--drop-dead", action="store_true",
                   help="leave out ops without effect, weights without reader")
    p.add_argument("-o", "--output", default="-", metavar="FILE")
    p.add_argument("--all", metavar="FOLDER",
                   help="write the graphs of export_models.py's list instead")
    return p


def write(path, text):
    if path == "-":
        sys.stdout.write(text)
        return
    try:
        with open(path, "w", encoding="ascii", newline="\n") as file:
            file.write(text)
    except OSError as error:
        fail(f"{path}: {error.strerror}")


def write_all(folder):
    models = os.path.join(os.path.dirname(__file__), "export_models.py")
    for name, arguments in source_of(models).GRAPHS:
        options = parser().parse_args(
            arguments.replace("own:", models + ":").split())
        options.name, options.drop_dead = name, True
        write(os.path.join(folder, name + ".json"), export(options))


def main():
    options = parser().parse_args()
    if options.all:
        return write_all(options.all)
    if not options.model:
        parser().error("--model is missing")
    options.name = options.name or default_name(options)
    write(options.output, export(options))


if __name__ == "__main__":
    main()
