# SPDX-License-Identifier: MIT
"""Graphs of PyTorch's modules and exported programs.

    graph = memplan.torch.graph(module, (example,), train="adam")
    plan = memplan.plan(graph, order="auto", target="cuda")

docs/export-torch.md says what becomes what.
"""

import typing

from .graphs import Graph
from .traces import graph_of_program


def graph(source: typing.Any, inputs: typing.Sequence[typing.Any] = (), *,
          train: typing.Optional[str] = None, name: typing.Optional[str] = None,
          external_io: bool = False, drop_dead: bool = False,
          **keys: typing.Any) -> Graph:
    """The graph of one run.

    source       a torch.nn.Module, which is traced on fake tensors and stays as
                 it is; or what torch.export.export() returned
    inputs       of the module: example tensors; only their shapes count
    train        "sgd", "sgdm" or "adam": a whole training step of the module;
                 without it, inference
    name         of the graph; else that of the module's class
    external_io  inputs and outputs are the caller's memory
    drop_dead    leave out ops without effect, weights without reader
    keys         others of the graph, such as alignment=64

    Modules are traced with PyTorch 1.13 or 2; programs of torch.export come
    from PyTorch 2.
    """
    if hasattr(source, "graph_signature"):
        return graph_of_program(source, name or "program", external_io,
                                drop_dead, **keys)
    from .steps import graph_of_module
    return graph_of_module(source, tuple(inputs), train,
                           name or type(source).__name__, external_io,
                           drop_dead, **keys)
