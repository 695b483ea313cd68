# SPDX-License-Identifier: MIT
"""Counts bytes that stay: for the test and for tools/measure-python."""

import ctypes
import gc
import tracemalloc


class Info(ctypes.Structure):
    """struct mallinfo2 of the GNU C library"""

    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks",
        "fsmblks", "uordblks", "fordblks", "keepcost")]


def held():
    """Bytes that malloc() has given out, and that Python has."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = Info
    gc.collect()
    info = mallinfo()
    return info.uordblks + info.hblkhd, tracemalloc.get_traced_memory()[0]


def bytes_left(work, few, many):
    """What is held after many calls more than after few. Raises AttributeError
    if the C library does not count."""
    tracemalloc.start()
    try:
        for _ in range(few):
            work()
        before = held()
        for _ in range(many):
            work()
        return tuple(b - a for a, b in zip(before, held()))
    finally:
        tracemalloc.stop()
