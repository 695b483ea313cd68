# SPDX-License-Identifier: MIT
"""libmemplan as ctypes sees it: where it is, and what the package uses of it.

The headers in include/memplan own these facts; tests/test_declarations.py
compares.
"""

import ctypes
import functools
import pathlib
import typing

# The version of the headers that stands below. A library of another minor
# version may have other functions and structs.
VERSION = "0.1"

HANDLE = ctypes.c_void_p
STATUS = ctypes.c_int
TEXT = ctypes.c_char_p
SIZE = ctypes.c_size_t
U32 = ctypes.c_uint32
U64 = ctypes.c_uint64
INT = ctypes.c_int
ADDRESS = ctypes.c_void_p
TEXT_OUT = ctypes.POINTER(TEXT)
SIZE_OUT = ctypes.POINTER(SIZE)
U32_OUT = ctypes.POINTER(U32)
U64_OUT = ctypes.POINTER(U64)
ADDRESS_OUT = ctypes.POINTER(ADDRESS)
NUMBERS = ctypes.POINTER(U32)


def given(text: str) -> bytes:
    """A text, or the name of a file, as C takes it. It would end at a NUL, so
    that is refused."""
    if "\0" in text:
        raise ValueError("embedded null byte")
    return text.encode("utf-8", "surrogateescape")


class Option(ctypes.Structure):
    """struct memplan_option"""

    _fields_ = [("name", TEXT), ("argument", TEXT), ("summary", TEXT),
                ("values", TEXT), ("initial", TEXT), ("table", TEXT),
                ("uses", U32)]


class Progress(ctypes.Structure):
    """struct memplan_progress"""

    _fields_ = [("phase", TEXT), ("arena_size", U64),
                ("theoretical_min", U64), ("lower_bound", U64),
                ("steps_left", U64), ("row", TEXT)]


class Tensor(ctypes.Structure):
    """struct memplan_tensor"""

    _fields_ = [("id", TEXT), ("name", TEXT), ("offset", U64), ("size", U64),
                ("start", U32), ("end", U32), ("external", INT),
                ("kind", U32), ("is_alias", INT), ("writes", INT),
                ("alias_of", U32), ("alias_offset", U64), ("choice", U32),
                ("branch", U32), ("pool", U32)]


class Op(ctypes.Structure):
    """struct memplan_op"""

    _fields_ = [("name", TEXT), ("inputs", NUMBERS), ("outputs", NUMBERS),
                ("temporaries", NUMBERS), ("n_inputs", U32),
                ("n_outputs", U32), ("n_temporaries", U32), ("index", U32),
                ("after", NUMBERS), ("n_after", U32), ("stream", U32)]


class Memory(ctypes.Structure):
    """struct memplan_memory"""

    _fields_ = [("name", TEXT), ("size", U64), ("align", U64),
                ("capacity", U64), ("theoretical_min", U64)]


class Budget(ctypes.Structure):
    """struct memplan_budget"""

    _fields_ = [("graph", TEXT), ("batch", TEXT), ("target", TEXT),
                ("baseline", TEXT)]


# What an option serves: of enum memplan_use.
USE_CHECK = 1 << 1
USE_EXPLAIN = 1 << 4

STRUCTS = {"option": Option, "progress": Progress, "tensor": Tensor,
           "op": Op, "memory": Memory, "budget": Budget}

ON_PROGRESS = ctypes.CFUNCTYPE(
    None, ADDRESS, ctypes.POINTER(Progress), SIZE)
NO_PROGRESS = ON_PROGRESS()  # type: ignore  # NULL

# What each function returns and takes.
FUNCTIONS: typing.Dict[str, typing.Tuple[typing.Any, ...]] = {
    "memplan_new": (HANDLE,),
    "memplan_free": (None, HANDLE),
    "memplan_set": (STATUS, HANDLE, TEXT, TEXT),
    "memplan_option_at": (INT, U32, ctypes.POINTER(Option), SIZE),
    "memplan_input": (STATUS, HANDLE, TEXT, TEXT, ADDRESS, SIZE),
    "memplan_read": (STATUS, HANDLE),
    "memplan_plan": (STATUS, HANDLE),
    "memplan_join": (STATUS, HANDLE, HANDLE, TEXT),
    "memplan_check": (STATUS, HANDLE),
    "memplan_check_against": (STATUS, HANDLE, HANDLE),
    "memplan_interrupt": (None, HANDLE),
    "memplan_on_progress": (None, HANDLE, ON_PROGRESS, ADDRESS),
    "memplan_write": (STATUS, HANDLE, TEXT, ADDRESS_OUT, SIZE_OUT),
    "memplan_number": (INT, HANDLE, TEXT, U64_OUT),
    "memplan_text": (TEXT, HANDLE, TEXT),
    "memplan_tensor_at": (INT, HANDLE, U32, ctypes.POINTER(Tensor), SIZE),
    "memplan_op_at": (INT, HANDLE, U32, ctypes.POINTER(Op), SIZE),
    "memplan_memory_at": (INT, HANDLE, U32, ctypes.POINTER(Memory), SIZE),
    "memplan_error": (TEXT, HANDLE),
    "memplan_error_place": (None, HANDLE, U32_OUT, U32_OUT),
    "memplan_warning": (TEXT, HANDLE, U32),
    "memplan_row": (TEXT, TEXT, U32, TEXT_OUT),
    "memplan_version": (TEXT,),
    "memplan_explain": (STATUS, HANDLE, TEXT, TEXT),
    "memplan_compare": (STATUS, HANDLE, HANDLE, TEXT, ADDRESS_OUT, SIZE_OUT),
    "memplan_gate_new": (HANDLE,),
    "memplan_gate_free": (None, HANDLE),
    "memplan_gate_read": (STATUS, HANDLE, TEXT, ADDRESS, SIZE),
    "memplan_gate_row": (INT, HANDLE, U32, ctypes.POINTER(Budget), SIZE),
    "memplan_gate_set": (STATUS, HANDLE, U32, HANDLE),
    "memplan_gate_judge": (STATUS, HANDLE, U32, HANDLE, HANDLE),
    "memplan_gate_miss": (None, HANDLE, U32, TEXT),
    "memplan_gate_write": (STATUS, HANDLE, TEXT, ADDRESS_OUT, SIZE_OUT),
    "memplan_gate_error": (TEXT, HANDLE),
    "memplan_gate_error_place": (None, HANDLE, U32_OUT, U32_OUT),
}


def find() -> str:
    """The library inside the package, as a wheel has it, or the system's."""
    inside = pathlib.Path(__file__).with_name("libmemplan.so")
    return str(inside) if inside.exists() else f"libmemplan.so.{VERSION}"


def same_minor(version: str) -> bool:
    """Is a library of this version the one that is declared here?"""
    return version.split(".")[:2] == VERSION.split(".")


@functools.lru_cache(maxsize=None)
def load() -> typing.Any:
    """The library, with its functions declared."""
    name = find()
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(f"memplan: {error}: install libmemplan "
                          f"{VERSION}, or the wheel that has it inside"
                          ) from None
    library.memplan_version.restype = TEXT
    version = library.memplan_version().decode()
    if not same_minor(version):
        raise ImportError(f"memplan: {name} is of version {version}; this "
                          f"package is for {VERSION}")
    for function, (result, *arguments) in FUNCTIONS.items():
        declared = getattr(library, function)
        declared.restype, declared.argtypes = result, arguments
    return library


@functools.lru_cache(maxsize=None)
def uses() -> typing.Dict[str, int]:
    """The options, and what each of them serves."""
    option = Option()
    found: typing.Dict[str, int] = {}
    while load().memplan_option_at(len(found), ctypes.byref(option),
                                   ctypes.sizeof(option)):
        found[option.name.decode()] = option.uses
    return found
