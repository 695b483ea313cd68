# SPDX-License-Identifier: MIT
"""Plans: how they are made, and what they say."""

import base64
import html
import os
import threading
import typing

from . import library
from .errors import BudgetSpent, Refusal, Status, UsageError
from .handle import Handle, Report, locked
from .sources import OF_ONE, Input, Source

KINDS = ("activation", "input", "output", "weight", "state", "temporary")
# With more tensors a picture has megabytes: too much to put into a notebook.
MOST_SHOWN = 2000


class Tensor(typing.NamedTuple):
    """A tensor of a plan. Offsets and sizes are bytes."""

    id: typing.Optional[str]    # as the input spells it
    name: typing.Optional[str]
    offset: int                 # from the base of its memory
    size: int                   # as the input says, not rounded
    start: int                  # alive in steps [start, end) of the order
    end: int
    kind: str
    external: bool              # in the caller's memory: no offset
    pool: int                   # its memory, an index of Plan.memories
    alias_of: typing.Optional[int]  # its bytes are those of that tensor

    @property
    def key(self) -> typing.Optional[str]:
        """Its name, or without one its id."""
        return self.name if self.name is not None else self.id


class Op(typing.NamedTuple):
    """An op at its step; tensors are indices of Plan.tensors."""

    name: str
    position: int               # in the input
    inputs: typing.Tuple[int, ...]
    outputs: typing.Tuple[int, ...]
    temporaries: typing.Tuple[int, ...]
    stream: int


class Memory(typing.NamedTuple):
    """A memory that the plan takes: the arena, or a pool."""

    name: typing.Optional[str]
    size: int
    align: int
    capacity: typing.Optional[int]


def tensor_of(row: typing.Dict[str, typing.Any]) -> Tensor:
    return Tensor(row["id"], row["name"], row["offset"], row["size"],
                  row["start"], row["end"], KINDS[row["kind"]],
                  bool(row["external"]), row["pool"],
                  row["alias_of"] if row["is_alias"] else None)


def op_of(row: typing.Dict[str, typing.Any]) -> Op:
    return Op(row["name"], row["index"], row["inputs"], row["outputs"],
              row["temporaries"], row["stream"])


def memory_of(row: typing.Dict[str, typing.Any]) -> Memory:
    limited = row["capacity"] < 2**64 - 1
    return Memory(row["name"], row["size"], row["align"],
                  row["capacity"] if limited else None)


class Plan:
    """A verified plan. plan() makes it."""

    def __init__(self, handle: Handle, source: typing.Optional[Input]) -> None:
        self._handle, self._input = handle, source
        self._tensors: typing.Optional[typing.List[Tensor]] = None

    def number(self, name: str) -> typing.Optional[int]:
        """A number that memplan_number() of memplan/memplan.h tells; None if
        there is none."""
        return self._handle.number(name)

    def text(self, name: str) -> typing.Optional[str]:
        """A text that memplan_text() of memplan/memplan.h tells."""
        return self._handle.text(name)

    @property
    def name(self) -> str:
        return self.text("name") or ""

    @property
    def order(self) -> str:
        """The row that chose the order of the ops."""
        return self.text("order") or ""

    @property
    def planner(self) -> str:
        """The row that found the offsets."""
        return self.text("planner") or ""

    @property
    def arena_size(self) -> int:
        """Bytes to allocate."""
        return self.number("arena_size") or 0

    @property
    def alignment(self) -> int:
        """What offsets and sizes are multiples of."""
        return self.number("alignment") or 1

    @property
    def base_alignment(self) -> int:
        """What the address of the arena must be a multiple of."""
        return self.number("base_alignment") or 1

    @property
    def theoretical_min(self) -> int:
        """Most bytes alive at once: no plan for this order is smaller."""
        return self.number("theoretical_min") or 0

    @property
    def lower_bound(self) -> int:
        """Below this no plan for this order gets; proved."""
        return self.number("lower_bound") or 0

    @property
    def optimal(self) -> bool:
        """Is the arena of the size of the lower bound?"""
        return bool(self.number("optimal"))

    @property
    def total_size(self) -> int:
        """Bytes of all tensors: the arena without reuse."""
        return self.number("total_size") or 0

    @property
    def ratio(self) -> float:
        """Arena size / theoretical minimum."""
        least = self.theoretical_min
        return self.arena_size / least if least else 1.0

    @property
    def tensors(self) -> typing.List[Tensor]:
        """All tensors, in the order of the input."""
        if self._tensors is None:
            self._tensors = [tensor_of(row) for row in self._handle.rows(
                "memplan_tensor_at", library.Tensor)]
        return self._tensors

    @property
    def ops(self) -> typing.List[Op]:
        """All ops, in the planned order."""
        return [op_of(row) for row in self._handle.rows(
            "memplan_op_at", library.Op)]

    @property
    def memories(self) -> typing.List[Memory]:
        """What is to be allocated: one arena, or several pools."""
        return [memory_of(row) for row in self._handle.rows(
            "memplan_memory_at", library.Memory)]

    @property
    def offsets(self) -> typing.Dict[str, int]:
        """The offset of each planned tensor, by its name, or by its id if it
        has no name. Refuses names that two tensors have."""
        found: typing.Dict[str, int] = {}
        for tensor in self.tensors:
            if tensor.external or tensor.key is None:
                continue
            if tensor.key in found:
                raise UsageError(Status.EUSAGE, f"{self.name}: two tensors "
                                 f"are called '{tensor.key}': see tensors")
            found[tensor.key] = tensor.offset
        return found

    @property
    def warnings(self) -> typing.List[str]:
        """What was odd in the input, but no error."""
        return self._handle.warnings()

    def write(self, output: str) -> bytes:
        """The bytes of a format: a row of `memplan list outputs`, or a file name
        with the suffix of one."""
        return self._handle.write(output)

    def save(self, *paths: typing.Union[str, "os.PathLike[str]"]) -> None:
        """Writes files; their suffixes say the formats. A file appears whole or
        not at all."""
        contents = [(os.fspath(p), self.write(os.fspath(p))) for p in paths]
        for path, content in contents:
            replace(path, content)

    def header(self) -> str:
        """A C header with the arena's size and a table of all tensors."""
        return self.write("header").decode()

    def json(self) -> str:
        """The plan as a file that memplan reads."""
        return self.write("plan").decode()

    def svg(self) -> str:
        """A picture of steps and addresses."""
        return self.write("svg").decode()

    def html(self) -> str:
        """A page to look at, zoom and search."""
        return self.write("html").decode()

    def check(self) -> None:
        """Verifies the plan from scratch, and that it is a plan of its input.
        Raises Refusal if it is not."""
        check(self.write("plan"))
        if self._input is None:
            return
        given = Handle()
        given.give("graph", "plan", self.write("plan"))
        self._input.open(library.USE_CHECK).run(
            "memplan_check_against", given.pointer)

    def explain(self, tensor: typing.Optional[str] = None,
                other: typing.Optional[str] = None) -> str:
        """What binds the peak and what would lower it; or why two tensors can
        or cannot share bytes."""
        if self._input is None:
            raise UsageError(Status.EUSAGE, "explain one of the graphs")
        if (tensor is None) != (other is None):
            raise UsageError(Status.EUSAGE, "a pair is two tensors")
        handle = self._input.open(library.USE_EXPLAIN)
        handle.run("memplan_explain", *(
            name and library.given(name) for name in (tensor, other)))
        return handle.write("explain").decode()

    def __str__(self) -> str:
        return self.write("summary").decode()

    def __repr__(self) -> str:
        return (f"<memplan.Plan {self.name!r}: {self.arena_size} bytes"
                f"{', optimal' if self.optimal else ''}>")

    def _repr_html_(self) -> str:
        """What a notebook shows. The picture is an image, so that its style
        stays its own."""
        shown = f"<pre>{html.escape(str(self))}</pre>"
        if len(self.tensors) > MOST_SHOWN:
            return shown
        picture = base64.b64encode(self.write("svg")).decode()
        return (f'{shown}<img alt="{html.escape(self.name)}: offsets over '
                f'steps" src="data:image/svg+xml;base64,{picture}">')


def replace(path: str, content: bytes) -> None:
    """Writes a file beside its place, then renames it. What is no file, such as
    a pipe, is written as it is."""
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as file:
            file.write(content)
        return
    draft = f"{target}.{os.getpid()}-{threading.get_ident()}"
    try:
        with open(draft, "xb") as file:
            try:
                file.write(content)
                file.close()
                os.replace(draft, target)
            except BaseException:
                os.unlink(draft)
                raise
    except OSError as error:  # names the draft
        raise OSError(error.errno, error.strerror, path) from None


def run_plan(handle: Handle, source: typing.Optional[Input],
             progress: typing.Optional[Report]) -> Plan:
    """Plans what a handle holds."""
    if progress is not None:
        handle.watch(progress)
    try:
        handle.run("memplan_plan")
    except (Refusal, BudgetSpent) as error:
        if handle.number("arena_size") is not None:
            error.plan = Plan(handle, source)
        raise
    finally:
        if progress is not None:
            handle.unwatch()
        handle.release()
    return Plan(handle, source)


def plan(source: Source, *, order: typing.Optional[str] = None,
         capacity: typing.Union[int, str, None] = None,
         dims: typing.Optional[typing.Mapping[str, int]] = None,
         values: typing.Optional[typing.Mapping[str, typing.Any]] = None,
         shapes: typing.Optional[typing.Mapping[str, typing.Any]] = None,
         progress: typing.Optional[Report] = None,
         **options: typing.Any) -> Plan:
    """Plans a graph.

    source    the path of a file of any format that memplan reads, its bytes, a
              Graph, or a dict like the JSON of a graph
    order     row that chooses the order of the ops; "auto" searches
    capacity  stop at the first plan of so many bytes: 4096, "512KiB"
    dims      ONNX: lengths of dimensions, as {"batch": 4}
    values    ONNX: contents of inputs, as {"sr": 16000}
    shapes    ONNX: shapes of values, as {"y": (2, 64)}
    progress  called about once a millisecond with a dict of what the run does;
              what it raises ends the run
    options   all others of `memplan plan` that change the plan, with
              underscores: target="cuda", time_limit=10, inplace=False. Files
              are near, solution and live_range. Those of an io_info trace are
              tensor_size, resize_info and cost_info, or batch

    Raises Refusal if the capacity is proved too small and BudgetSpent if no plan
    was found; both have the best plan, if any, as `plan`. Raises InputError,
    UsageError or OSError for what is wrong with the arguments.
    """
    graph = Input(source, {**options, "order": order, "capacity": capacity,
                           "dims": dims, "values": values, "shapes": shapes})
    return run_plan(graph.open(), graph, progress)


def together(graphs: typing.Mapping[str, typing.Union[Source, Plan]], *,
             concurrent: bool = False,
             progress: typing.Optional[Report] = None,
             **options: typing.Any) -> Plan:
    """Plans several graphs, by name, in one arena. They share its bytes, unless
    they run at the same time (concurrent). The tensors of graph NAME are called
    NAME/TENSOR; options serve each of the graphs that has no plan yet. A file
    of one graph serves none."""
    for name in OF_ONE:
        if options.get(name) is not None:
            raise UsageError(Status.EUSAGE, f"{name} goes with one graph")
    bundle = Handle()
    bundle.set("together", "concurrent" if concurrent else "serial")
    members = {name: source._handle if isinstance(source, Plan)
               else Input(source, options).open()
               for name, source in graphs.items()}
    bundle.kept += members.values()
    with locked(*members.values()):
        for name, source in graphs.items():
            if not isinstance(source, Plan):
                members[name].call("memplan_read")
            bundle.call("memplan_join", members[name].pointer,
                        library.given(name))
        return run_plan(bundle, None, progress)


def check(plan_file: Source, graph: typing.Optional[Source] = None,
          **options: typing.Any) -> None:
    """Verifies the offsets of a plan file from scratch, and what it says of
    itself; with a graph, also that it is a plan of that. Options are those of the
    graph. Raises Refusal if that is not so."""
    if graph is None:
        Input(plan_file, options).open().run("memplan_check")
        return
    given = Input(plan_file, {}).open()
    Input(graph, options).open().run("memplan_check_against", given.pointer)


def planned(source: typing.Union[Source, Plan]) -> Plan:
    return source if isinstance(source, Plan) else plan(source)
