# SPDX-License-Identifier: MIT
"""A graph that is built in code."""

import json
import typing

Key = typing.Union[str, int]
Row = typing.Dict[str, typing.Any]


def compact(row: Row) -> str:
    return json.dumps(row, separators=(",", ":"))


class Graph:
    """A graph of ops and tensors: docs/formats/graph.md in code.

        g = memplan.Graph("net", alignment=64)
        x = g.tensor("x", 4096, kind="input")
        y = g.tensor("y", 4096, kind="output")
        g.op("relu", [x], [y], inplace=[[y, x]])
        plan = memplan.plan(g)

    Every key of the format may be given as an argument: of the graph here, of a
    tensor or an op to the method that adds it. The library checks them when the
    graph is planned.
    """

    def __init__(self, name: str = "graph", **keys: typing.Any) -> None:
        self.keys: Row = {"format": "memplan.graph", "version": 1,
                          "name": name, **keys}
        self.tensors: typing.List[Row] = []
        self.ops: typing.List[Row] = []

    def tensor(self, name: typing.Optional[str], size: int, *,
               id: typing.Optional[Key] = None, **keys: typing.Any) -> Key:
        """Adds a tensor of so many bytes; returns what ops call it: its id, or
        without one its name."""
        row: Row = {} if id is None else {"id": id}
        if name is not None:
            row["name"] = name
        self.tensors.append({**row, "size": size, **keys})
        key = name if id is None else id
        if key is None:
            raise ValueError("a tensor needs a name or an id")
        return key

    def op(self, name: str, inputs: typing.Iterable[Key] = (),
           outputs: typing.Iterable[Key] = (), *,
           type: typing.Optional[str] = None, **keys: typing.Any) -> str:
        """Adds an op; returns its name, which `after` of others takes."""
        row: Row = {"name": name} if type is None else {
            "name": name, "type": type}
        self.ops.append({**row, "inputs": list(inputs),
                         "outputs": list(outputs), **keys})
        return name

    def text(self) -> str:
        """Graph JSON, a line for each tensor and each op."""
        tensors, ops = (",\n".join(map(compact, rows))
                        for rows in (self.tensors, self.ops))
        return (f'{compact(self.keys)[:-1]},\n"tensors":[\n{tensors}],\n'
                f'"ops":[\n{ops}]}}\n')
