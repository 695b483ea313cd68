# SPDX-License-Identifier: MIT
"""ExecuTorch's memory planning, by memplan:

    from executorch.exir.memory_planning import MemoryPlanningAlgorithmSuite, greedy
    from executorch.exir.passes import MemoryPlanningPass

    suite = MemoryPlanningAlgorithmSuite([greedy, memplan.executorch.algorithm])
    MemoryPlanningPass(memory_planning_algo=suite)

Nothing of ExecuTorch is imported if it is not there: what algorithm() returns has
its names then.
"""

import typing

from .graphs import Graph
from .plans import plan


class SpecAllocResult(typing.NamedTuple):
    """Where a tensor lies, as ExecuTorch's class of that name says it."""

    mem_id: int
    mem_obj_id: int
    mem_offset: int


class MemoryAlgoResult(typing.NamedTuple):
    """Where all tensors lie, and the bytes of each memory."""

    spec_dict: typing.Dict[typing.Any, typing.Any]
    bufsizes: typing.List[int]


def classes() -> typing.Tuple[typing.Any, typing.Any]:
    """ExecuTorch's own classes, or these."""
    try:
        from executorch.exir import memory_planning as theirs
        return theirs.SpecAllocResult, theirs.MemoryAlgoResult
    except (ImportError, AttributeError):
        return SpecAllocResult, MemoryAlgoResult


def specs_of(node: typing.Any) -> typing.List[typing.Any]:
    spec = node.meta.get("spec")
    return list(spec) if isinstance(spec, (list, tuple)) else [spec]


def sequence(specs: typing.Any, graph_module: typing.Any
             ) -> typing.List[typing.Any]:
    """The set of specs in the order of the graph, so that the plan is the same
    every time; then those that no node has."""
    seen = dict.fromkeys(
        id(spec) for node in graph_module.graph.nodes
        for spec in specs_of(node))
    places = {number: place for place, number in enumerate(seen)}
    return sorted(specs, key=lambda s: (
        places.get(id(s), len(places)), s.lifetime[0], s.lifetime[1],
        s.allocated_memory))


def graph_of(specs: typing.Sequence[typing.Any], alignment: int, name: str
             ) -> Graph:
    """A graph without ops: a tensor for each spec, by its index. Lifetimes of
    ExecuTorch include their last step."""
    graph = Graph(name, alignment=alignment)
    index = {id(spec): i for i, spec in enumerate(specs)}
    for i, spec in enumerate(specs):
        keys: typing.Dict[str, typing.Any] = {}
        base = getattr(spec, "inplace_base", None)
        if base is not None and id(base) in index:
            keys["alias"] = {"of": index[id(base)], "offset": 0}
        graph.tensor(None, spec.allocated_memory, id=i, lifetime=[
            spec.lifetime[0], spec.lifetime[1] + 1], **keys)
    return graph


def algorithm(alignment: int, specs: typing.Any, graph_module: typing.Any,
              graph_signature: typing.Any = None, extra_padding: int = 0
              ) -> typing.Any:
    """A memory planning algorithm as ExecuTorch's MemoryPlanningAlgorithmSuite
    takes it. Each memory (mem_id) is planned for itself, above what enclosing
    graphs have taken of it."""
    spec_result, result = classes()
    memories: typing.Dict[int, typing.List[typing.Any]] = {}
    for spec in sequence(specs, graph_module):
        spec.realign(alignment)
        memories.setdefault(
            1 if spec.mem_id is None else spec.mem_id, []).append(spec)
    taken = list(getattr(graph_module, "input_mem_buffer_sizes", None) or [])
    sizes = [0] * max(2, len(taken), *(m + 1 for m in memories))
    sizes[:len(taken)] = taken
    places: typing.Dict[typing.Any, typing.Any] = {}
    for memory, members in sorted(memories.items()):
        made = plan(graph_of(members, alignment, f"memory {memory}"))
        below = -(-sizes[memory] // alignment) * alignment
        for number, (spec, tensor) in enumerate(zip(members, made.tensors)):
            places[spec] = spec_result(memory, number, below + tensor.offset)
        sizes[memory] = below + made.arena_size + extra_padding
    return result(places, sizes)
