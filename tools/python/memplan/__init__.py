# SPDX-License-Identifier: MIT
"""Offline static memory planning for neural-network graphs.

    import memplan

    plan = memplan.plan("net.onnx", dims={"batch": 1}, order="auto")
    print(plan.arena_size, plan.optimal, plan.offsets["conv1"])
    plan.save("net_plan.h", "net_plan.bin", "net_plan.svg")

plan() makes a Plan of a file, a dict or a Graph; together() makes one of several
graphs. check() verifies a plan file, compare() says what grew, gate() judges many
graphs by a budget file. memplan.torch makes graphs of PyTorch's modules,
memplan.executorch plans the memory of ExecuTorch's programs; onnx(), tflite() and
numpy_arena() are for those libraries. What fails raises an Error.

Plans may be made and used by several threads at once. docs/python.md has
examples of all this.
"""

import ctypes
import importlib
import typing

from . import library
from .adapters import Arena, numpy_arena, onnx, tflite
from .errors import (BudgetSpent, Error, InputError, InternalError,
                     OutOfMemory, Place, Refusal, Status, UsageError)
from .graphs import Graph
from .handle import text_of
from .plans import Memory, Op, Plan, Tensor, check, plan, together
from .reports import Gate, compare, gate

__all__ = [
    "Arena", "BudgetSpent", "Error", "Gate", "Graph", "InputError",
    "InternalError", "Memory", "Op", "OutOfMemory", "Place", "Plan", "Refusal",
    "Status", "Tensor", "UsageError", "check", "compare", "gate",
    "numpy_arena", "onnx", "plan", "rows", "tflite", "together", "version",
]


def version() -> str:
    """The version of the library."""
    return text_of(library.load().memplan_version())


def rows(table: str = "tables") -> typing.Dict[str, str]:
    """The rows of a table and what they are, as `memplan list` prints them: of
    "orders", "planners", "outputs", "targets", ... "tables" lists the tables."""
    function, summary = library.load().memplan_row, ctypes.c_char_p()
    found: typing.Dict[str, str] = {}
    while True:
        name = function(library.given(table), len(found), ctypes.byref(summary))
        if name is None:
            return found
        found[text_of(name)] = text_of(summary.value)


def __getattr__(name: str) -> typing.Any:
    """memplan.torch and memplan.executorch are there without an import of their
    own. Only then is PyTorch loaded."""
    if name in ("executorch", "torch"):
        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
