#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Enforces which room may include which: the architecture, as a test.

A room is a folder of src, or planners. The list below is ordered: a room
includes its own headers and those that its row names, all of which stand above
it. So there is no circle between rooms; nor is there one of headers. Headers are
named with their folder. Some system headers belong to one file. The page
docs/ARCHITECTURE.md shows the same list. In the room that sees all others, street,
files call those only that its header lists before them. Prints every violation;
exit 1 if any.
"""

import pathlib
import re
import sys

import source_tree
from source_tree import room_of

# room: the rooms that it may include
ROOMS = {
    "base": "",
    "json": "base",
    "graph": "base",
    "problem": "base graph",
    "input": "base json graph",
    "order": "base graph",
    "lifetime": "base graph problem",
    "verify": "base graph problem",
    "proof": "base graph problem order verify",
    "planners": "base problem",
    "pools": "base problem planners",
    "budget": "base graph problem",
    "simulate": "base problem",
    "bundle": "base graph problem",
    "advise": "base graph problem lifetime budget",
    "emit": "base graph problem proof",
    "compare": "base problem emit",
    "gate": "base json emit",
    "street": "base json graph problem input order lifetime verify proof "
              "planners "
              "pools budget simulate bundle advise emit compare gate",
    "loader": "",
    "replay": "loader",
    "batch": "base json emit",
    "store": "base",
    "cli": "base batch store",
}

# Public headers, include/memplan, that a room may see; others see the status
# codes and the version only.
PUBLIC = {
    "street": None,  # all
    "cli": None,
    "loader": {"loader.h", "canary.h", "host.h", "device.h", "status.h"},
    "replay": None,
}

# Files that serve tests, and programs that are no part of memplan: free.
FREE = re.compile(r"(^|/)(test-[^/]*|testing\.h)$|^src/testing/"
                  r"|^src/loader/(example|firmware|stand-in)/")

# Files that alone may call a system's own functions.
POSIX = {"src/cli/system-posix.c", "src/loader/device-posix.c",
         "src/cli/crew.c", "src/store/store.c"}
WINDOWS = {"src/cli/system-windows.c", "src/loader/device-windows.c"}

# System headers that belong to one place.
OWNED = {
    "cJSON.h": {"src/json/test-json.c", "src/json/value.c"},
    "cjson/cJSON.h": {"src/json/test-json.c", "src/json/value.c"},
    "glpk.h": {"planners/any/ilp.c"},
    "cuda.h": set(),
    "acl/acl.h": set(),
    "dlfcn.h": {"src/loader/device-posix.c", "src/loader/test-device-cuda.c",
                "src/loader/example/network-cuda.c"},
    "pthread.h": {"src/base/threads.c", "src/base/threads.h",
                  "src/loader/test-device-cuda.c",
                  "src/loader/test-device-acl.c"},
    "fcntl.h": POSIX | WINDOWS,
    "sys/stat.h": POSIX | {"src/testing/fuzz/fuzz-replay.c"},
    "sys/mman.h": POSIX | {"src/base/pages-posix.c"},
    "unistd.h": POSIX,
    **dict.fromkeys(("io.h", "windows.h"), WINDOWS),
}


def own_violations():
    """The list itself: rows name rooms that stand above."""
    above = set()
    for room, allowed in ROOMS.items():
        for other in allowed.split():
            if other not in above:
                yield f"{room}: {other} does not stand above it"
        above.add(room)


def page_violations(root):
    """docs/ARCHITECTURE.md shows the list as it is."""
    page = (root / "docs" / "ARCHITECTURE.md").read_text("utf-8")
    shown = dict(re.findall(r"^\| `(\w+)` \| ?([\w ]*?) ?\| \S.* \|$", page,
                            re.M))
    if list(shown.items()) != list(ROOMS.items()):
        wrong = [room for room in {*ROOMS, *shown}
                 if ROOMS.get(room) != shown.get(room)]
        yield f"docs/ARCHITECTURE.md has another list: {wrong or 'its order'}"


def street_violations(root, files, edges):
    """The street's header lists its files, callers last."""
    header = "src/street/street.h"
    if header not in files:
        return
    read = [path for path in files if path.endswith(".h") or
            (room_of(path) == "street" and not source_tree.is_test(path))]
    head = (root / header).read_text("utf-8").split("*/")[0]
    place = {f"src/street/{name}": number
             for number, line in enumerate(head.split("\n"))
             for name in re.findall(r"[\w-]+\.c", line)}
    for path, others in source_tree.call_edges(root, read, edges).items():
        if path not in place:
            yield f"{path}: {header} does not list it"
        for other in sorted(others & place.keys()):
            if place[other] > place.get(path, len(head)):
                yield f"{path}: {header} lists {other}, which it calls, behind"


def violation(path, header):
    """What is wrong with including the header, or None."""
    room, other = room_of(path), room_of(header)
    if header.startswith("memplan/"):
        allowed = PUBLIC.get(room, {"status.h", "version.h"})
        if allowed is None or header.removeprefix("memplan/") in allowed:
            return None
        return f'"{header}" is not for {room}'
    if "/" not in header and not path.startswith("src/loader/core/"):
        return f'"{header}" lacks its folder'
    if other == room or path.startswith("src/loader/core/"):
        return None
    if other in ROOMS.get(room, "").split():
        return None
    return f'{room} may not include "{header}"'


def violations(root, path):
    if room_of(path) not in ROOMS and not FREE.search(path):
        yield f"{path}: no row for its room"
        return
    for quote, header in source_tree.includes(
            (root / path).read_text("utf-8")):
        if quote == "<":
            if path not in OWNED.get(header, {path}):
                yield f"{path}: <{header}> belongs to {OWNED[header] or 'none'}"
        elif not FREE.search(path):
            wrong = violation(path, header)
            if wrong:
                yield f"{path}: {wrong}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    files = source_tree.files(root)
    found = [*own_violations(), *page_violations(root)]
    edges = source_tree.header_edges(root, files)
    found += [f"a circle of headers: {' '.join(circle)}" for circle in
              source_tree.circles(edges)]
    found += street_violations(root, files, edges)
    for path in files:
        found += violations(root, path)
    for line in found:
        print(line)
    print(f"{len(files)} files, {len(found)} violations")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
