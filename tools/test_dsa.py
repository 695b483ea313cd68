#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Problems of dsa-solver: planned, judged by an own idea of its rules.

    test_dsa.py MEMPLAN FOLDER

The problems of the folder and random ones with all that a problem may have are
planned; dsa_judge.py judges each solution, and memplan takes it back. What is
wrong is refused. Prints TAP.
"""

import json
import pathlib
import random
import sys
import tempfile

import dsa_judge
import harness

NO, INPUT = 1, 3


def solve(memplan, problem, folder, status=(0,), options=()):
    """The solution, its file and that of the problem; None: it does not fit."""
    path, out = folder / "p.json", folder / "s.dsa.json"
    path.write_text(json.dumps(problem), "utf-8")
    done = harness.run(memplan, "plan", path, "--json", "-o", out, *options,
                       status=status)
    if done.returncode == NO:
        return None
    solution = json.loads(out.read_text("utf-8"))
    judge, result = dsa_judge.Judge(problem, solution), json.loads(done.stdout)
    assert result.get("reuse_cost", 0) == judge.cost()
    assert result.get("bank_cost", 0) == judge.bank_cost()
    return solution, out, path


def accepted(memplan, problem, folder, status=(0,)):
    found = solve(memplan, problem, folder, status)
    if not found:
        return
    solution, out, path = found
    yield from dsa_judge.Judge(problem, solution).faults()
    harness.run(memplan, "check", path, "--solution", out)
    again = folder / "again.dsa.json"
    harness.run(memplan, "plan", path, "--quiet", "--solution", out, "-o",
                again)
    if again.read_bytes() != out.read_bytes():
        yield "another solution when read back"
    yield from cheaper(memplan, problem, folder, solution)


def cheaper(memplan, problem, folder, solution):
    first = dsa_judge.Judge(problem, solution)
    reuse = yield from judged(memplan, problem, folder, "--minimise-reuse")
    if reuse.cost() > first.cost():
        yield "--minimise-reuse made it more expensive"
    banks = yield from judged(memplan, problem, folder, "--minimise-banks")
    if banks.bank_cost() > first.bank_cost():
        yield "--minimise-banks made it more expensive"
    both = yield from judged(memplan, problem, folder, "--minimise-reuse",
                             "--minimise-banks")
    if both.cost() > reuse.cost():
        yield "--minimise-banks made reuse more expensive"


def judged(memplan, problem, folder, *options):
    solution, _, _ = solve(memplan, problem, folder, options=options)
    judge = dsa_judge.Judge(problem, solution)
    yield from judge.faults()
    return judge


def sample(memplan, path, folder):
    yield from accepted(memplan, json.loads(path.read_text("utf-8")), folder)


# ---------------------------------------------------------------- random

def pairs(rng, ids, most):
    return [dict(zip(("first", "second"), rng.sample(ids, 2)))
            for _ in range(rng.randint(0, most))]


def intervals(rng):
    cuts = sorted(rng.sample(range(-9, 40), 2 * rng.randint(1, 3)))
    spans = [{"lower": a, "upper": b} for a, b in zip(cuts[::2], cuts[1::2])]
    rng.shuffle(spans)
    return spans


def branches(rng, ids):
    """All pairs of two branches, of some buffers that nothing else joins."""
    parts = [[] for _ in range(rng.randint(2, 3))]
    for each in ids:
        rng.choice(parts).append(each)
    return [{"first": a, "second": b}
            for i, left in enumerate(parts) for right in parts[i + 1:]
            for a in left for b in right]


def made(rng):
    pools = [{"id": i * 3 + 1, "name": f"p{i}",
              "capacity": rng.choice((None, 400, 1000)),
              "reserved_ranges": [{"begin": 32, "end": 48}]
              if rng.random() < .3 else []} for i in range(rng.randint(1, 3))]
    for each in pools:
        if rng.random() < .5:
            each["bank_geometry"] = {"bank_size": rng.choice((1, 16, 24, 64)),
                                     "num_banks": rng.randint(1, 9)}
    known = [p["id"] for p in pools]
    ids = rng.sample(range(99), rng.randint(4, 12))
    buffers = [{"id": i, "name": rng.choice(("", f"t{i}")),
                "size": rng.randint(1, 90),
                "alignment": rng.choice((1, 8, 32)),
                "live_intervals": intervals(rng),
                "allowed_pools": rng.sample(known, rng.randint(1, len(known)))}
               for i in ids]
    joined, excluded, rest = ids[:2], ids[2:2 + rng.choice((0, 2))], ids[4:]
    for each in buffers:  # what lies at one place has a pool for it
        if each["id"] in joined:
            each["allowed_pools"] = known[:1]
    pins = []
    if rest and rng.random() < .5:
        pinned = next(b for b in buffers if b["id"] == rest[0])
        pins = [{"buffer": rest[0], "pool": pinned["allowed_pools"][0],
                 "offset": 64, "exclusive_for_all_time": rng.random() < .5}]
    return {"schema_version": 1, "profile": "pypto_research_v1",
            "instance": "randöm \"1\"", "metadata": {"b": "\n", "a": "é"},
            "problem": {
                "pools": pools, "buffers": buffers,
                "constraints": {
                    "colocations": [{"first": joined[0], "second": joined[1]}]
                    if rng.random() < .5 else [],
                    "separations": [p for p in pairs(rng, ids, 4)
                                    if set(p.values()) != set(joined)],
                    "temporal_exclusions": branches(rng, excluded),
                    "pinned_allocations": pins},
                "cost_model": {"reuse_penalties": [
                    {**p, "cost": 2, "reason": "generic"}
                    for p in pairs(rng, ids, 3)]},
                "objective": {"aggregation": "lexicographic",
                              "terms": ["total_peak"]}}}


def random_ones(memplan, folder):
    rng, planned = random.Random(19), 0
    for i in range(60):
        problem = made(rng)
        found = solve(memplan, problem, folder, (0, NO))
        planned += found is not None
        for fault in accepted(memplan, problem, folder, (0, NO)):
            yield f"{i}: {fault}"
    if planned < 20:
        yield f"only {planned} fit"


# --------------------------------------------------------------- refused

def base():
    return made(random.Random(1))


def changed(path, value):
    problem = base()
    at = problem
    for key in path[:-1]:
        at = at[key]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return problem


REFUSED = (
    (("schema_version",), 2, "must be 1"),
    (("profile",), "dsa", "unknown profile"),
    (("problem", "constraints", "colocations"), None, "colocations"),
    (("problem", "buffers", 0, "alignment"), 3, "powers of two"),
    (("problem", "buffers", 0, "size"), 0, "0 bytes"),
    (("problem", "buffers", 1, "live_intervals"), [], "never alive"),
    (("problem", "buffers", 1, "allowed_pools"), [77], "no pool has the id"),
    (("problem", "buffers", 1, "color"), 1, "color"),
    (("problem", "constraints", "separations"),
     [{"first": 1000, "second": 2}], "no buffer has the id"),
    (("problem", "pools", 0, "bank_geometry"), {"bank_size": 0, "num_banks": 4},
     "a bank of 0 bytes"),
    (("problem", "pools", 0, "bank_geometry"), {"bank_size": 8, "num_banks": 0},
     "at least one bank"),
    (("problem", "pools", 0, "bank_geometry"), {"bank_size": 8},
     "num_banks"),
    (("problem", "pools", 0, "reserved_ranges"), [{"begin": 9, "end": 9}],
     "begin before it ends"),
)


def refused(memplan, folder, path, value, words):
    file = folder / "bad.json"
    file.write_text(json.dumps(changed(path, value)), "utf-8")
    said = harness.run(memplan, "plan", file, status=(INPUT,)).stderr
    if words not in said:
        yield said


def path_of_three(memplan, folder):
    """a - b - c: a and c are alive together, and no branch of a choice."""
    problem = base()
    ids = [b["id"] for b in problem["problem"]["buffers"]]
    problem["problem"]["constraints"].update(
        colocations=[], pinned_allocations=[], temporal_exclusions=[
            {"first": a, "second": b} for a, b in zip(ids[:3], ids[1:4])])
    file = folder / "bad.json"
    file.write_text(json.dumps(problem), "utf-8")
    said = harness.run(memplan, "plan", file, status=(INPUT,)).stderr
    if "not branches" not in said:
        yield said


def other_solutions(memplan, folder):
    """Of another problem; with a buffer moved onto another one, or left out."""
    problem = json.loads(json.dumps(base()))
    problem["problem"]["constraints"]["pinned_allocations"] = []
    for pool in problem["problem"]["pools"]:
        pool["capacity"] = None
    solution, out, path = solve(memplan, problem, folder)
    for change, status, words in (
            (lambda s: s.update(problem_fingerprint="0" * 16), INPUT,
             "another problem"),
            (lambda s: s["placements"].pop(), INPUT, "has no place"),
            (lambda s: s["placements"].append(s["placements"][0]), INPUT,
             "placed twice"),
            (lambda s: s["placements"][0].update(pool=1000), INPUT,
             "may not lie"),
            (lambda s: [p.update(offset=64) for p in s["placements"]], NO,
             "overlap")):
        worse = json.loads(json.dumps(solution))
        change(worse)
        out.write_text(json.dumps(worse), "utf-8")
        done = harness.run(memplan, "check", path, "--solution", out,
                           status=(status,))
        if words not in done.stderr + done.stdout:
            yield done.stderr + done.stdout


def other_formats(memplan, folder):
    """Only a problem of dsa-solver has such solutions."""
    file = folder / "x.csv"
    file.write_text("id,lower,upper,size\na,0,1,4\n", "utf-8")
    said = harness.run(memplan, "plan", file, "--quiet", "-o",
                       folder / "x.dsa.json", status=(2,)).stderr
    if "dsa-solver" not in said:
        yield said


def cases(memplan, samples, folder):
    for path in sorted(pathlib.Path(samples).glob("*.json")):
        yield path.stem, sample, memplan, path, folder
    yield "random problems", random_ones, memplan, folder
    for path, value, words in REFUSED:
        yield f"refused: {words}", refused, memplan, folder, path, value, words
    yield "refused: no branches", path_of_three, memplan, folder
    yield "other solutions", other_solutions, memplan, folder
    yield "other formats", other_formats, memplan, folder


def main():
    memplan, samples = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        harness.tap(cases(pathlib.Path(memplan).resolve(), samples,
                          pathlib.Path(folder)))


if __name__ == "__main__":
    main()
