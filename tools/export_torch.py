#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces a PyTorch module, in inference or as a whole training step, into a
graph JSON that memplan reads. docs/export-torch.md says how to use it.

The tracing itself is memplan.torch of the Python package, tools/python. This
makes the module, of fake tensors where it can: then no weight is allocated.
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

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "python"))
import memplan
from memplan.steps import OPTIMISERS, LayerWarning, graph_of_module


def fail(sentence):
    sys.exit(f"export_torch: {sentence}")


def first_line(error):
    return (str(error).strip().splitlines() or [""])[0] or type(error).__name__


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
    and so does one that copies weights, as copies of fake ones are "meta"."""
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
    return module, inputs


def export(options):
    """The text of the graph that the options describe."""
    mode = FakeTensorMode()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", LayerWarning)
        module, inputs = load_fake(mode, options)
        try:
            graph = graph_of_module(
                module, inputs, options.train, options.name,
                options.external_io, options.drop_dead, mode,
                batch=options.batch)
        except memplan.UsageError as error:
            fail(error)
    for warning in said:
        print(f"export_torch: warning: {warning.message}", file=sys.stderr)
    return graph.text()


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
