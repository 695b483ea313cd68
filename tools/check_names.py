#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Enforces that a name says where its function lives.

    check_names.py [ROOT]

An external function carries the prefix of its room (in base, of its file), and
is declared where a reader looks for it: in the header of its file (a.h serves
a.c and a-*.c), in its folder's (FOLDER.h, or rows.h, or inside.h), or, if it is
public, in include/memplan. A basename occurs once, but for those that say a
role. Prints every violation; exit 1 if any.
"""

import collections
import pathlib
import sys

import source_tree

# room: prefixes of its external functions, where they are not mp_ROOM_
PREFIXES = {
    "problem": ("mp_problem_", "mp_plan_", "mp_schedule_"),
    "planners": ("mp_planner_",),
    "street": ("mp_street_", "memplan_"),
    "loader": ("mp_device_", "mp_library_", "mp_pattern_", "memplan_"),
    "replay": ("mp_replay_", "memplan_replay"),
    "cli": ("cli_",),
}

# file of base: prefixes of its functions, where they are not mp_FILE_
BASE = {
    "error": ("mp_fail", "mp_warn"),
    "heap": ("mp_heap_", "mp_keyed_"),
    "max-flow": ("mp_flow_",),
    "sink-text": ("mp_text_", "mp_sink_"),
}

# Headers that serve a folder, beside FOLDER.h, rows.h and inside.h.
SHARED = {
    "planners": {"planner.h"},
    "src/cli": {"commands.h", "session.h"},
    "src/testing": {"player.h"},
}

# Roles: files that may be called alike, each in its folder.
ROLES = {"meson.build", "rows.h", "inside.h", "testing.h"}

# Rows of tables that do the same in two rooms.
ALIKE = {"auto.c", "csv.c", "json.c", "markdown.c", "search.c"}

# Programs and stand-ins: their functions are called as others want it.
FREE = "src/loader/example/", "src/loader/firmware/", "src/loader/stand-in/"

# Names that others call: the system, and libFuzzer.
FIXED = {"main", "LLVMFuzzerTestOneInput"}


def prefixes_of(path):
    """Prefixes that an external function of the file may have."""
    room, stem = source_tree.room_of(path), pathlib.PurePath(path).stem
    if room == "base":
        return BASE.get(stem, tuple(f"mp_{name.replace('-', '_')}"
                                    for name in source_tree.stems(path)))
    return PREFIXES.get(room, (f"mp_{room}",))


def has_prefix(name, prefix):
    """mp_advise and mp_advise_x have the prefix mp_advise, not mp_advised."""
    return name.startswith(prefix) and (
        prefix.endswith("_") or name[len(prefix):][:1] in ("", "_"))


def headers_of(path):
    """Headers that may declare the file's functions."""
    folder = pathlib.PurePosixPath(path).parent
    for stem in source_tree.stems(path):
        yield f"{folder}/{stem}.h"
    while folder.name and folder.as_posix() != "src":
        for name in (f"{folder.name}.h", "rows.h", "inside.h",
                     *sorted(SHARED.get(folder.as_posix(), ()))):
            yield f"{folder}/{name}"
        folder = folder.parent


def public_names(root):
    """What the public headers declare."""
    return {name for path in source_tree.files(root, ["include"])
            for name in source_tree.declared((root / path).read_text("utf-8"))}


def declared_at(root, path, cache):
    """What the headers that serve the file declare."""
    found = set()
    for header in headers_of(path):
        if header not in cache:
            there = root / header
            text = there.read_text("utf-8") if there.is_file() else ""
            cache[header] = {*source_tree.declared(text),
                             *source_tree.rows(root, text)}
        found |= cache[header]
    return found


def violations(root, path, public, cache):
    declared = declared_at(root, path, cache)
    text = (root / path).read_text("utf-8")
    for line, name in source_tree.functions(text):
        if name in FIXED:
            continue
        wanted = prefixes_of(path)
        if not any(has_prefix(name, prefix) for prefix in wanted):
            yield (f"{path}:{line}: {name}() lacks the prefix "
                   f"{' or '.join(wanted)}")
        if name.startswith("memplan_"):
            if name not in public:
                yield f"{path}:{line}: {name}() is in no public header"
        elif name not in declared:
            yield (f"{path}:{line}: {name}() is not in the header of its file "
                   "or folder")


def doubles(root):
    """Basenames of two files: a name should say one thing."""
    found = collections.defaultdict(list)
    for path in source_tree.files(root):
        found[pathlib.PurePath(path).name].append(path)
    return {name: paths for name, paths in sorted(found.items())
            if len(paths) > 1 and name not in ROLES}


def check(root):
    """Every violation, one text each, and how many files were read."""
    root, cache = pathlib.Path(root), {}
    public = public_names(root)
    files = [path for path in source_tree.files(root)
             if path.endswith(".c") and not path.startswith(FREE) and not (
                 source_tree.is_test(path) and
                 source_tree.room_of(path) != "testing")]
    found = [line for path in files
             for line in violations(root, path, public, cache)]
    found += [f"{name} occurs twice: {' '.join(paths)}"
              for name, paths in doubles(root).items() if name not in ALIKE]
    return found, len(files)


def main():
    found, files = check(sys.argv[1] if len(sys.argv) > 1 else ".")
    for line in found:
        print(line)
    print(f"{files} files, {len(found)} violations")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
