# SPDX-License-Identifier: MIT
"""What can be said of several plans: a comparison, and a gate."""

import ctypes
import json
import os
import typing

from . import library
from .errors import Error, OutOfMemory, Status, failure
from .handle import bytes_of, locked, place_of, row_of, text_of
from .plans import Plan, planned, run_plan
from .sources import TAIL, Input, Source


def compare(before: typing.Union[Source, Plan],
            after: typing.Union[Source, Plan], report: str = "text") -> str:
    """What grew from one plan to another, as a row of `memplan list
    comparisons`: "text", "json", "markdown" or "html". A plan file keeps its
    offsets; a graph is planned."""
    old, new = planned(before)._handle, planned(after)._handle
    with locked(old, new):
        status, content = bytes_of(new.library.memplan_compare, old.pointer,
                                   new.pointer, library.given(report))
        if status:
            raise new.error(status)
    return content.decode()


class Gate:
    """The verdicts on the graphs of a budget file. gate() makes it."""

    def __init__(self, path: str, content: bytes) -> None:
        self.pointer: typing.Optional[int] = None
        self.path, self.status = path, Status.OK
        self.library = library.load()
        # The library points to both.
        self.kept = library.given(path), content
        self.pointer = self.library.memplan_gate_new()
        if not self.pointer:
            raise OutOfMemory(Status.ENOMEM, "out of memory")
        self.demand(self.library.memplan_gate_read(
            self.pointer, *self.kept, len(content)))
        self.judge_all()

    def __del__(self) -> None:
        if self.pointer:
            self.library.memplan_gate_free(self.pointer)

    def demand(self, status: int) -> None:
        if status:
            raise failure(
                status, text_of(self.library.memplan_gate_error(self.pointer)),
                place_of(self.library.memplan_gate_error_place,
                         self.pointer or 0))

    def beside(self, name: str) -> str:
        """File names in a budget are relative to its folder."""
        return os.path.join(os.path.dirname(self.path), name)

    def judge_all(self) -> None:
        row, i = library.Budget(), 0
        while self.library.memplan_gate_row(
                self.pointer, i, ctypes.byref(row), ctypes.sizeof(row)):
            try:
                status = self.judge(i, row_of(row))
            except Error as error:
                status = error.status
                self.miss(i, error.sentence)
            except OSError:
                status = Status.EIO
                self.miss(i, "its files cannot be read")
            self.status = max(self.status, Status(status))
            i += 1

    def miss(self, i: int, why: str) -> None:
        self.library.memplan_gate_miss(self.pointer, i, library.given(why))

    def judge(self, i: int, row: typing.Dict[str, typing.Any]) -> typing.Any:
        """Plans the graph of a row and judges it. For an io_info trace a batch
        names files; otherwise it only tells rows apart."""
        path = self.beside(row["graph"])
        options = {"batch": row["batch"]} if path.endswith(TAIL) else {}
        handle = Input(path, options).open()
        if self.library.memplan_gate_set(self.pointer, i, handle.pointer):
            raise handle.error(Status.EUSAGE)
        run_plan(handle, None, None)
        baseline = row["baseline"] and self.beside(row["baseline"])
        if not baseline or not os.path.exists(baseline):
            return self.library.memplan_gate_judge(
                self.pointer, i, handle.pointer, None)
        try:
            old = planned(baseline)
        except Error as error:
            self.miss(i, "its baseline is no plan")
            return error.status
        return self.library.memplan_gate_judge(
            self.pointer, i, handle.pointer, old._handle.pointer)

    @property
    def passed(self) -> bool:
        """Is every graph within its limits?"""
        return self.status == Status.OK

    @property
    def verdicts(self) -> typing.Dict[str, typing.Any]:
        """Every number, as docs/formats/budget.md says."""
        found: typing.Dict[str, typing.Any] = json.loads(self.report("json"))
        return found

    def report(self, report: str = "human") -> str:
        """The verdicts as a row of `memplan list gate-reports`: "human", "json",
        "markdown", "junit", "sarif", "github"."""
        status, content = bytes_of(self.library.memplan_gate_write,
                                   self.pointer, library.given(report))
        self.demand(status)
        return content.decode()

    def __str__(self) -> str:
        return self.report()

    def __repr__(self) -> str:
        return (f"<memplan.Gate {self.path!r}: "
                f"{'passed' if self.passed else self.status.name}>")


def gate(path: typing.Union[str, "os.PathLike[str]"]) -> Gate:
    """Plans the graphs of a budget file and judges them by its limits. What is
    wrong with a graph is in the verdicts; raises InputError for a budget that
    cannot be read."""
    name = os.fspath(path)
    with open(name, "rb") as file:
        return Gate(name, file.read())
