#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Enforces who may include what: the architecture, as a test.

Each rule names the files it governs and the headers of ours that they may
include; the first rule that matches a file counts. System headers are free but
for a few that belong to one place. docs/ARCHITECTURE.md must name every file of
src. Prints every violation; exit 1 if any.
"""

import fnmatch
import pathlib
import re
import sys

BASE = ["arena.h", "error.h", "num.h", "names.h", "memory-pool.h", "target.h", "bundle.h",
        "inplace.h",
        "policy.h", "ties.h", "watch.h", "memplan/status.h"]
PLANNING = BASE + ["problem.h", "plan.h"]
LIFETIME = ["graph.h", "problem.h", "streams.h", "rectangle.h", "sharing.h"]
LOADER = ["memplan/loader.h", "memplan/canary.h", "memplan/host.h", "memplan/device.h"]
REPLAY = ["memplan/replay.h", "memplan/memplan.h"]

# (files, headers of ours beside those of their own folder)
RULES = [
    ("src/*/test-*", ["*"]),
    ("src/*/testing.h", ["*"]),
    ("src/test-*", ["*"]),
    ("planners/test-*", ["*"]),
    ("src/by-hand.h", ["lifetime.h"]),
    ("src/crowd.[ch]", LIFETIME + ["lifetime.h", "crowd.h", "order/order.h"]),
    ("src/play*", BASE + ["graph.h", "play*.h", "prng.h"]),
    ("src/loader/example/*", ["*"]),
    ("src/loader/firmware/*", ["memplan/loader.h", "plan.h"]),
    ("src/loader/stand-in/*", ["../cuda-kernels.cu", "../example/network-kernels.cu"]),
    ("include/memplan/*", ["memplan/*"]),
    ("src/arena.[ch]", BASE),
    ("src/error.[ch]", BASE),
    ("src/num.h", BASE),
    ("src/ties.h", ["memory-pool.h"]),
    ("src/policy.[ch]", BASE + ["graph.h"]),
    ("src/watch.h", BASE),
    ("src/memory-pool.h", BASE),
    ("src/inplace.h", []),
    ("src/names.[ch]", BASE),
    ("src/target.[ch]", BASE),
    ("src/bundle.h", BASE),
    ("src/bundle.c", ["*"]),
    ("src/bundle/*", PLANNING + ["graph.h", "bundle/*"]),
    ("src/graph.[ch]", BASE + ["graph.h", "cycle.h", "writes.h"]),
    ("src/forget.c", BASE + ["graph.h"]),
    ("src/writes.[ch]", BASE + ["graph.h", "forest.h", "writes.h"]),
    ("src/forest.[ch]", BASE + ["graph.h", "forest.h"]),
    ("src/cycle.[ch]", BASE + ["graph.h", "cycle.h"]),
    ("src/constrain.c", BASE + ["graph.h"]),
    ("src/problem.[ch]", BASE + ["problem.h", "choices.h"]),
    ("src/choices.[ch]", BASE + ["problem.h", "choices.h"]),
    ("src/plan.[ch]", PLANNING),
    ("src/overwrites.[ch]", BASE + ["bits.h", "problem.h", "overwrites.h", "ways.h"]),
    ("src/bits.h", BASE),
    ("src/ways.[ch]", BASE + ["problem.h", "ways.h"]),
    ("src/witness.[ch]", BASE + ["problem.h", "witness.h"]),
    ("src/bound.[ch]", PLANNING + ["bound.h"]),
    ("src/flow.[ch]", BASE + ["flow.h"]),
    ("src/antichain.[ch]", BASE + ["problem.h", "flow.h", "antichain.h"]),
    ("src/streams.[ch]", BASE + ["graph.h", "problem.h", "streams.h"]),
    ("src/rectangle.[ch]", BASE + ["covered.h", "rectangle.h"]),
    ("src/covered.[ch]", BASE + ["covered.h"]),
    ("src/lifetime.[ch]", BASE + LIFETIME + ["antichain.h", "candidates.h",
                                             "lifetime.h"]),
    ("src/sharing.h", BASE + LIFETIME),
    ("src/spans.c", LIFETIME),
    ("src/inplace.c", LIFETIME),
    ("src/unite.c", LIFETIME),
    ("src/parts.c", LIFETIME),
    ("src/relations.c", LIFETIME),
    ("src/adopt.[ch]", BASE + ["graph.h", "adopt.h"]),
    ("src/model.[ch]", BASE + ["problem.h", "model.h"]),
    ("src/verify.[ch]", PLANNING + ["verify.h", "verify-check.h", "verify-skyline.h"]),
    ("src/verify-check.h", PLANNING),
    ("src/verify-pools.c", PLANNING + ["verify.h", "verify-check.h"]),
    ("src/verify-skyline.[ch]", BASE + ["problem.h", "verify-skyline.h"]),
    ("src/candidates.[ch]", BASE + ["graph.h", "problem.h", "candidates.h"]),
    ("src/assign.[ch]", PLANNING + ["planner.h", "assign.h"]),
    ("src/fill.c", PLANNING + ["planner.h", "assign.h", "bound.h", "gap.h",
                               "subproblem.h"]),
    ("src/exhaust.c", PLANNING + ["planner.h", "assign.h", "choices.h", "subproblem.h"]),
    ("src/sweep.c", PLANNING + ["planner.h", "assign.h", "choices.h"]),
    ("src/gap.[ch]", PLANNING + ["planner.h", "assign.h", "gap.h", "subproblem.h"]),
    ("src/misfit.c", PLANNING + ["planner.h", "assign.h", "choices.h", "subproblem.h", "witness.h"]),
    ("src/fits.c", ["*"]),
    ("src/pools.c", ["*"]),
    ("src/pool-option.[ch]", BASE + ["graph.h", "options.h", "pool-option.h"]),
    ("src/subproblem.[ch]", BASE + ["problem.h", "antichain.h", "choices.h",
                                    "subproblem.h"]),
    ("src/detour.c", ["*"]),
    ("src/options.[ch]", BASE + ["options.h", "copies.h", "order/order.h", "planner.h"]),
    ("src/memplan.c", ["*"]),
    ("src/apply.c", ["handle.h", "policy.h"]),
    ("src/progress.c", ["handle.h"]),
    ("src/answers.c", ["*"]),
    ("src/handle.[ch]", ["*"]),
    ("src/check.c", ["*"]),
    ("src/explain.c", ["*"]),
    ("src/reuse.c", ["*"]),
    ("src/survey.c", ["*"]),
    ("src/simulation.c", ["*"]),
    ("src/input/*", BASE + ["graph.h", "input/*"]),
    ("src/order/*", BASE + ["graph.h", "flow.h", "order/*"]),
    ("src/rewrite/*", BASE + ["copies.h", "graph.h", "rewrite/*"]),
    ("src/emit/lane.[ch]", PLANNING + ["subproblem.h", "emit/lane.h"]),
    ("src/emit/*", PLANNING + ["model.h", "overwrites.h", "emit/*"]),
    ("src/advise/*", PLANNING + ["graph.h", "lifetime.h", "advise/*"]),
    ("src/compare/*", PLANNING + ["emit/*", "compare/*"]),
    ("src/gate/*", PLANNING + ["options.h", "emit/*", "gate/*", "input/json.h"]),
    ("src/gate.c", ["memplan/memplan.h", "target.h", "gate/gate.h"]),
    ("src/cli/*", ["memplan/*", "cli/*"]),
    ("src/copies.[ch]", BASE + ["copies.h"]),
    ("src/simulate/*", PLANNING + ["copies.h", "simulate/*"]),
    ("src/loader/*", LOADER + ["loader/*"]),
    ("src/replay/*", LOADER + REPLAY + ["replay/*"]),
    ("planners/ilp.c", PLANNING + ["model.h", "rows.h"]),
    ("planners/*", PLANNING + ["overwrites.h", "planners/*"]),
]

# System headers that belong to one place.
OWNED = {
    "cJSON.h": ["src/input/json.c", "src/input/json_value.c"],
    "cjson/cJSON.h": ["src/input/json.c", "src/input/json_value.c"],
    "glpk.h": ["planners/ilp.c"],
    "cuda.h": [],
    "acl/acl.h": [],
    "dlfcn.h": ["src/loader/library.c", "src/loader/example/gpu.c"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)


def rule_of(path):
    for pattern, allowed in RULES:
        if fnmatch.fnmatch(path, pattern):
            return allowed
    return None


def is_own_folder(root, path, header):
    """A header of the same folder, named without its folder."""
    return "/" not in header and (root / path).parent.joinpath(header).exists()


def violations(root, path):
    text = (root / path).read_text(encoding="utf-8")
    allowed = rule_of(path)
    if allowed is None:
        yield f"{path}: no rule governs this file"
        return
    flat = path.startswith(("planners/", "src/loader/", "src/replay/"))
    for quote, header in INCLUDE.findall(text):
        if quote == "<":
            owners = OWNED.get(header)
            if owners is not None and path not in owners:
                yield f"{path}: <{header}> belongs to {owners or 'no file'}"
            continue
        if any(fnmatch.fnmatch(header, a) for a in allowed):
            continue
        if flat and is_own_folder(root, path, header):
            continue
        yield f'{path}: may not include "{header}"'


def unnamed(root, files):
    """Files and folders of src that docs/ARCHITECTURE.md does not name. A file
    `play-cells.c` may go with `play`."""
    text = (root / "docs/ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(?:src/)?([^`]+)`", text))
    for path in files:
        name = path.split("/")[1]
        stem = name.split(".")[0]
        if not (path.startswith("src/") and not name.startswith("test-")):
            continue
        if path.count("/") > 1:
            stem = name = name + "/"
        if not {name, stem, stem.rstrip("/"), stem.split("-")[0]} & named:
            yield f"{path}: docs/ARCHITECTURE.md does not name it"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    files = sorted(
        p.relative_to(root).as_posix()
        for folder in ("src", "planners", "include")
        for p in (root / folder).rglob("*.[ch]")
    )
    found = [v for path in files for v in violations(root, path)]
    found += unnamed(root, files)
    for violation in found:
        print(violation)
    print(f"{len(files)} files, {len(found)} violations")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
