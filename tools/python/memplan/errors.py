# SPDX-License-Identifier: MIT
"""What can go wrong: an exception for each status of memplan/status.h."""

import enum
import typing


class Status(enum.IntEnum):
    """How a call ended; the program's exit status is the same number."""

    OK = 0
    NO = 1
    EUSAGE = 2
    EINPUT = 3
    EBUDGET = 4
    ENOMEM = 5
    EIO = 6
    EINTERNAL = 7


class Place(typing.NamedTuple):
    """Where in a file something is wrong; both count from 1."""

    line: int
    column: int


class Error(Exception):
    """A call of memplan that failed.

    status    why: a Status
    sentence  what is wrong, as the program prints it
    place     where in the file, if that is known beside what the sentence says
    plan      the best plan that there is, where one misses its capacity
    """

    def __init__(self, status: Status, sentence: str,
                 place: typing.Optional[Place] = None,
                 plan: typing.Any = None) -> None:
        super().__init__(sentence)
        self.status = Status(status)
        self.sentence = sentence
        self.place = place
        self.plan = plan

    def __str__(self) -> str:
        if self.place is None:
            return self.sentence
        return (f"{self.sentence} (line {self.place.line}, "
                f"column {self.place.column})")


class Refusal(Error):
    """The answer is no: nothing fits, or a plan is not valid."""


class UsageError(Error, ValueError):
    """No such option, name or value."""


class InputError(Error, ValueError):
    """The input is malformed or contradicts itself."""


class BudgetSpent(Error):
    """No plan was found that fits, and none was ruled out."""


class OutOfMemory(Error, MemoryError):
    """Memory is out, or more than the option max_memory was needed."""


class InternalError(Error):
    """A bug of memplan's."""


CLASSES: typing.Dict[Status, typing.Type[Error]] = {
    Status.NO: Refusal,
    Status.EUSAGE: UsageError,
    Status.EINPUT: InputError,
    Status.EBUDGET: BudgetSpent,
    Status.ENOMEM: OutOfMemory,
    Status.EINTERNAL: InternalError,
}


def failure(status: int, sentence: str, place: typing.Optional[Place] = None
            ) -> Error:
    """The exception of a status."""
    return CLASSES.get(Status(status), Error)(Status(status), sentence, place)
