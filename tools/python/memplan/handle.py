# SPDX-License-Identifier: MIT
"""A handle of the library that takes care of itself: of its memory, of threads,
of Ctrl-C."""

import contextlib
import ctypes
import threading
import typing

from . import library
from .errors import OutOfMemory, Place, Status, failure

# Bytes that a TFLite model has, and the library reads again to write it.
TFLITE = b"TFL3"

Report = typing.Callable[[typing.Dict[str, typing.Any]], None]


def text_of(raw: typing.Optional[bytes]) -> str:
    """Text of the library; names in files may be any bytes."""
    return (raw or b"").decode("utf-8", "replace")


def bytes_of(write: typing.Callable[..., int], *arguments: typing.Any
             ) -> typing.Tuple[int, bytes]:
    """Status and a copy of the bytes that a function gives out."""
    start, length = ctypes.c_void_p(), ctypes.c_size_t()
    status = write(*arguments, ctypes.byref(start), ctypes.byref(length))
    if status or not length.value:
        return status, b""
    return status, ctypes.string_at(start.value or 0, length.value)


def place_of(tell: typing.Callable[..., None], pointer: int
             ) -> typing.Optional[Place]:
    """Where an error is, as a function of the library tells."""
    line, column = ctypes.c_uint32(), ctypes.c_uint32()
    tell(pointer, ctypes.byref(line), ctypes.byref(column))
    return Place(line.value, column.value) if line.value else None


class Handle:
    """One handle. Each call waits until the one before is done, so that several
    threads may share it."""

    def __init__(self) -> None:
        self.pointer: typing.Optional[int] = None
        self.library = library.load()
        self.lock = threading.RLock()
        self.kept: typing.List[typing.Any] = []  # what the library points to
        self.watcher: typing.Any = None  # what a run calls
        self.stopped: typing.Optional[BaseException] = None  # what that raised
        self.pointer = self.library.memplan_new()
        if not self.pointer:
            raise OutOfMemory(Status.ENOMEM, "out of memory")

    def __del__(self) -> None:
        if self.pointer:
            self.library.memplan_free(self.pointer)

    def __reduce__(self) -> typing.Any:
        """The library's memory is one process's, and is freed once."""
        raise TypeError("a plan cannot be copied or pickled: "
                        "keep its json(), or save it")

    def error(self, status: int) -> Exception:
        """The exception of what the last call said."""
        sentence = text_of(self.library.memplan_error(self.pointer))
        place = place_of(self.library.memplan_error_place, self.pointer or 0)
        return failure(status, sentence, place)

    def call(self, name: str, *arguments: typing.Any) -> None:
        """Calls a function that returns a status."""
        with self.lock:
            status = getattr(self.library, name)(self.pointer, *arguments)
            if status:
                raise self.error(status)

    def set(self, option: str, value: str) -> None:
        self.call("memplan_set", library.given(option),
                  library.given(value))

    def give(self, role: str, name: str, content: bytes) -> None:
        """Hands in the content of a file."""
        self.kept.append(content)
        self.call("memplan_input", library.given(role), library.given(name),
                  content, len(content))

    def release(self) -> None:
        """Drops the inputs that the library has read for good."""
        self.kept = [k for k in self.kept
                     if not isinstance(k, bytes) or k[4:8] == TFLITE]

    def run(self, name: str, *arguments: typing.Any) -> None:
        """Calls a function that may take long. Python delivers Ctrl-C between
        its own instructions only: so the main thread waits for another."""
        if threading.current_thread() is not threading.main_thread():
            return self.call(name, *arguments)
        raised: typing.List[BaseException] = []

        def work() -> None:
            try:
                self.call(name, *arguments)
            except BaseException as error:  # the other thread's to see
                raised.append(error)

        worker = threading.Thread(target=work)
        worker.start()
        try:
            worker.join()
        except BaseException:
            self.library.memplan_interrupt(self.pointer)
            while worker.is_alive():  # soon done, however often one presses
                with contextlib.suppress(KeyboardInterrupt):
                    worker.join()
            raise
        if raised:
            raise raised[0]
        return None

    def watch(self, report: Report) -> None:
        """Has a function called with what a run does, about once a
        millisecond. What it raises ends the run, and is raised there."""
        def call(_context: typing.Any, progress: typing.Any,
                 _size: int) -> None:
            if self.stopped is None:
                try:
                    report(row_of(progress.contents))
                except BaseException as error:
                    self.stopped = error
                    self.library.memplan_interrupt(self.pointer)

        self.stopped = None
        self.watcher = library.ON_PROGRESS(call)
        self.library.memplan_on_progress(self.pointer, self.watcher, None)

    def unwatch(self) -> None:
        """No more calls; raises what the function raised."""
        with self.lock:
            self.library.memplan_on_progress(
                self.pointer, library.NO_PROGRESS, None)
        self.watcher = None  # it refers to the handle
        if self.stopped is not None:
            raise self.stopped

    def write(self, output: str) -> bytes:
        with self.lock:
            status, content = bytes_of(
                self.library.memplan_write, self.pointer,
                library.given(output))
            if status:
                raise self.error(status)
            return content

    def number(self, name: str) -> typing.Optional[int]:
        value = ctypes.c_uint64()
        with self.lock:
            there = self.library.memplan_number(
                self.pointer, library.given(name), ctypes.byref(value))
        return value.value if there else None

    def text(self, name: str) -> typing.Optional[str]:
        with self.lock:
            raw = self.library.memplan_text(self.pointer,
                                            library.given(name))
            return None if raw is None else text_of(raw)

    def rows(self, name: str, struct: typing.Any
             ) -> typing.Iterator[typing.Dict[str, typing.Any]]:
        """What a function tells of row 0, 1, ... until there is none."""
        function, row, i = getattr(self.library, name), struct(), 0
        while True:
            with self.lock:
                if not function(self.pointer, i, ctypes.byref(row),
                                ctypes.sizeof(row)):
                    return
                found = row_of(row)
            yield found
            i += 1

    def warnings(self) -> typing.List[str]:
        found: typing.List[str] = []
        with self.lock:
            while True:
                raw = self.library.memplan_warning(self.pointer, len(found))
                if raw is None:
                    return found
                found.append(text_of(raw))


@contextlib.contextmanager
def locked(*handles: Handle) -> typing.Iterator[None]:
    """No other thread uses these handles meanwhile. Locked by address, so that
    two threads cannot wait for each other."""
    with contextlib.ExitStack() as stack:
        for handle in sorted(handles, key=id):
            stack.enter_context(handle.lock)
        yield


def row_of(struct: typing.Any) -> typing.Dict[str, typing.Any]:
    """The members of a struct, as Python has them; counts of lists vanish."""
    row: typing.Dict[str, typing.Any] = {}
    for name, *_ in struct._fields_:
        value = getattr(struct, name)
        if isinstance(value, bytes):
            row[name] = text_of(value)
        elif hasattr(struct, "n_" + name):
            count = getattr(struct, "n_" + name)
            row[name] = tuple(value[:count]) if count else ()
        elif not name.startswith("n_"):
            row[name] = value
    return row
