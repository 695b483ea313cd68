# SPDX-License-Identifier: MIT
"""What can be planned, and the options that go with it."""

import collections.abc
import json
import os
import typing

from . import library
from .errors import Status, UsageError
from .graphs import Graph
from .handle import Handle

TAIL = ".io_info.json"
# The files that belong to an io_info trace: role, and what a batch needs.
COMPANIONS = (("tensor-size", True), ("resize-info", True),
              ("cost-info", False))
# Files of a graph of any format: role, and is it of use only to plan?
OTHERS = (("live-range", False), ("solution", True), ("near", True))
OF_ONE = [role.replace("-", "_") for role, _ in OTHERS]

Source = typing.Union[str, "os.PathLike[str]", bytes,
                      typing.Mapping[str, typing.Any], Graph]


def batch_files(path: str, batch: object) -> typing.Dict[str, str]:
    """The files of a batch beside NAME.io_info.json."""
    if not path.endswith(TAIL):
        raise UsageError(Status.EUSAGE, "batch needs an input called "
                         f"NAME{TAIL}, not '{path}'")
    stem = path[:-len(TAIL)]
    files = {role: f"{stem}.{batch}.{role.replace('-', '_')}.json"
             for role, _ in COMPANIONS}
    return {role: files[role] for role, needed in COMPANIONS
            if needed or os.path.exists(files[role])}


def listed(value: object) -> str:
    """The content of an input, as the option value has it."""
    many = isinstance(value, collections.abc.Iterable) and not isinstance(
        value, str)
    return ",".join(map(str, value)) if many else str(value)  # type: ignore


def shape(value: object) -> str:
    """2x64 of (2, 64)."""
    return value if isinstance(value, str) else "x".join(
        map(str, value))  # type: ignore


def setting(value: object) -> str:
    """A value as the library reads it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


class Input:
    """An input that handles can be made of, again and again."""

    def __init__(self, source: Source, options: typing.Mapping[
            str, typing.Any]) -> None:
        options = dict(options)
        self.options: typing.List[typing.Tuple[str, str]] = []
        for name, form in ("dim", listed), ("value", listed), ("shape", shape):
            rows = options.pop(name + "s", None) or {}
            self.options += [(name, f"{key}={form(value)}")
                             for key, value in rows.items()]
        batch = options.pop("batch", None)
        files = {role: options.pop(role.replace("-", "_"), None)
                 for role, _ in COMPANIONS + OTHERS}
        self.options += [(name.replace("_", "-"), setting(value))
                         for name, value in options.items()
                         if value is not None]
        self.files: typing.List[typing.Tuple[str, str]] = []
        self.content: typing.Optional[bytes] = None
        self.stamps: typing.Dict[str, typing.Tuple[int, int]] = {}
        if isinstance(source, (str, os.PathLike)):
            path = os.fspath(source)
            self.files.append(("graph", path))
            if batch is not None:
                files = {**batch_files(path, batch), **{
                    role: name for role, name in files.items() if name}}
        elif isinstance(source, (bytes, bytearray, memoryview)):
            self.content = bytes(source)
        elif isinstance(source, Graph):
            self.content = source.text().encode()
        elif isinstance(source, (collections.abc.Mapping, list, tuple)):
            self.content = json.dumps(source).encode()
        else:
            raise TypeError("plan a path, bytes, a dict or a Graph, not "
                            f"{type(source).__name__}")
        self.files += [(role, os.fspath(name))
                       for role, name in files.items() if name]

    def read(self, path: str) -> bytes:
        """A file, which must not change while plans of it are there."""
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            stamp = status.st_size, status.st_mtime_ns
            if self.stamps.setdefault(path, stamp) != stamp:
                raise UsageError(Status.EUSAGE, f"{path}: has changed since "
                                 "it was planned; plan it again")
            return file.read()

    def open(self, use: int = 0) -> Handle:
        """A handle with the options and the input, not read yet. For a use
        other than to plan, without the options and files that do not serve
        it."""
        handle = Handle()
        for name, value in self.options:
            if not use or library.uses().get(name, use) & use:
                handle.set(name, value)
        if self.content is not None:
            handle.give("graph", "graph", self.content)
        for role, path in self.files:
            if use and (role, True) in OTHERS:
                continue
            handle.give(role, path, self.read(path))
        return handle
