# SPDX-License-Identifier: MIT
"""A PyTorch tensor as the block of a plan.

    torch_block.py net_plan.bin LIBRARY

LIBRARY is the loader as a shared library:

    cc -shared -o libloader.so -Wl,--whole-archive libmemplan-loader.a

PyTorch's allocator holds the block, so it counts in torch.cuda's statistics and
is freed with the last tensor that is a view of it.
"""

import ctypes
import sys

import torch


class Pool(ctypes.Structure):
    """struct memplan_pool"""
    _fields_ = [("size", ctypes.c_uint64), ("align", ctypes.c_uint64)]


class Entry(ctypes.Structure):
    """struct memplan_entry"""
    _fields_ = [("offset", ctypes.c_uint64), ("size", ctypes.c_uint64),
                *((name, ctypes.c_uint32)
                  for name in ("start", "end", "pool", "kind"))]


class Table(ctypes.Structure):
    """struct memplan_table"""
    _fields_ = [(name, ctypes.c_void_p)
                for name in ("pools", "entries", "index", "names")] + [
        ("names_size", ctypes.c_uint64),
        *((name, ctypes.c_uint32) for name in
          ("n_pools", "pool_size", "n_entries", "entry_size", "n_steps"))]


def expect(status):
    if status:
        raise ValueError(loader.memplan_table_text(status).decode())


def take_block(pool, device):
    """Bytes on the device that memplan_block_check() accepts."""
    room = torch.empty(pool.size + pool.align, dtype=torch.uint8,
                       device=device)
    skip = -room.data_ptr() % pool.align
    block = room[skip:skip + pool.size]
    expect(loader.memplan_block_check(
        ctypes.byref(pool), ctypes.c_void_p(block.data_ptr()),
        ctypes.c_uint64(block.numel())))
    return block


loader = ctypes.CDLL(sys.argv[2])
loader.memplan_table_text.restype = ctypes.c_char_p
with open(sys.argv[1], "rb") as file:
    data = file.read()
table, pool, entry = Table(), Pool(), Entry()
expect(loader.memplan_table_open(ctypes.byref(table), data,
                                 ctypes.c_size_t(len(data))))
expect(loader.memplan_table_pool(ctypes.byref(table), 0, ctypes.byref(pool)))
block = take_block(pool, "cuda" if torch.cuda.is_available() else "cpu")
for i in range(table.n_entries):
    expect(loader.memplan_table_entry(ctypes.byref(table), i,
                                      ctypes.byref(entry)))
    view = block[entry.offset:entry.offset + entry.size]
    if entry.size % 4 == 0:
        view.view(torch.float32).fill_(float(i))  # a kernel's output
print(table.n_entries, "tensors in one block of", pool.size, "bytes on",
      block.device)
