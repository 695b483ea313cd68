# SPDX-License-Identifier: MIT
"""Traces a PyTorch module, in inference or as a whole training step.

make_fx records every ATen call of one run on fake tensors: no weight is
allocated and nothing is computed, so that large models trace in seconds.
traces.py makes the graph of that record.
"""

import contextlib
import warnings

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.utils.stateless import functional_call
from torch.utils._pytree import tree_flatten

from .errors import Status, UsageError
from .traces import graph_of, name_of

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


class LayerWarning(UserWarning):
    """A whole layer was traced as one op."""


def loss_of(result, target):
    """A module that returns a scalar computes its own loss; of anything else
    the second dimension counts classes."""
    if target is None:
        return result
    return torch.nn.functional.cross_entropy(result, target)


def target_for(module, inputs):
    result = module(*inputs)
    if not isinstance(result, torch.Tensor):
        raise UsageError(
            Status.EUSAGE, "to train, a module must return one tensor")
    if result.dim() == 0:
        return None
    shape = (result.shape[0],) + tuple(result.shape[2:])
    return torch.zeros(shape, dtype=torch.long)


class Step:
    """One run of a module, as a function of a flat list of tensors."""

    def __init__(self, module, inputs, optimiser):
        self.module, self.inputs = module, inputs
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


@contextlib.contextmanager
def faked(module, inputs, mode, training):
    """Inputs, while the module has fake tensors for its own and trains or not;
    then it has its own again."""
    def fake(value):
        if not isinstance(value, torch.Tensor) or isinstance(value, FakeTensor):
            return value
        return mode.from_tensor(value)

    parts = list(module.modules())
    kept = [(held, dict(held)) for part in parts
            for held in (part._parameters, part._buffers)]
    modes = [part.training for part in parts]
    try:
        for held, own in kept:
            held.update((name, fake(value)) for name, value in own.items())
        module.train(training)
        yield tuple(fake(value) for value in inputs)
    finally:
        for held, own in kept:
            held.update(own)
        for part, was in zip(parts, modes):
            part.training = was


def graph_of_module(module, inputs, train, name, external_io, drop_dead,
                    mode=None, **keys):
    """The graph of a run of a module. A mode is that of the fake tensors that
    it has already."""
    if train is not None and train not in OPTIMISERS:
        names = ", ".join(f"'{name}'" for name in OPTIMISERS)
        raise UsageError(Status.EUSAGE, f"train is one of {names}, not "
                         f"'{train}'")
    mode = mode or FakeTensorMode()
    with warnings.catch_warnings(), \
            faked(module, inputs, mode, bool(train)) as inputs:
        warnings.simplefilter("ignore")  # PyTorch's own
        with mode:
            step = Step(module, inputs, train)
            trace = step.trace()
    for layer in layers_in(trace):
        warnings.warn(f"'{layer}' is a whole layer as one op: what it needs "
                      "inside is not in the graph", LayerWarning, stacklevel=3)
    return graph_of(trace, iter(step.arguments()), name, external_io,
                    drop_dead, **keys)
