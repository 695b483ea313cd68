#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests memplan replay on plans of real graphs, right ones and wrong ones.

    test_replay.py [--real] [--quick] MEMPLAN GRAPHS [DEVICE...]

A plan as memplan makes it must run clean three times. Then tensors are moved by
one unit of alignment, as a bug in a planner would do it; replay must find an
overwritten byte exactly if two tensors that are alive together share one, which
is computed here from sizes and lifetimes alone, and must name one of such a
pair. Devices default to the host. Prints TAP.

--real is for a device that is there, and no stand-in: it takes arenas of any
size, but runs less often, because each run opens the device anew. --quick takes
small arenas only.
"""

import argparse
import functools
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

SKIPPED = "# SKIP too large for here"
MOST_BYTES = 64 << 20  # larger arenas are not mutated: time
NAMED = re.compile(
    r"(?:input|tensor) '([^']*)'(?: in pool '[^']*')? is overwritten")


def run(*arguments, mood=None):
    """The mood is that of the stand-ins, src/loader/stand-in."""
    env = {**os.environ, "MEMPLAN_STAND_IN": mood} if mood else None
    return subprocess.run([str(a) for a in arguments], capture_output=True,
                          text=True, timeout=1200, check=False, env=env)


def overlaps(tensors):
    """Names of tensors that share a byte while both are alive."""
    names = set()
    for i, a in enumerate(tensors):
        for b in tensors[:i]:
            if (a["start"] < b["end"] and b["start"] < a["end"]
                    and a.get("pool") == b.get("pool")
                    and a["offset"] < b["offset"] + b["size"]
                    and b["offset"] < a["offset"] + a["size"]):
                names |= {a["name"], b["name"]}
    return names


def neighbours(tensors):
    """Pairs alive together of which one begins right behind the other."""
    return [(a, b) for a in tensors for b in tensors
            if a["size"] and b["size"] and a["start"] < b["end"]
            and b["start"] < a["end"] and a.get("pool") == b.get("pool")
            and a["offset"] < b["offset"]
            and b["offset"] - a["offset"] - a["size"] < 4096]


def mutate(plan, rng):
    """One unit closer: the upper one of two live neighbours moves down."""
    unit = plan["alignment"]
    pairs = neighbours(plan["tensors"])
    if pairs:
        rng.choice(pairs)[1]["offset"] -= unit
    else:
        tensor = rng.choice(plan["tensors"])
        tensor["offset"] = max(0, tensor["offset"] - unit)


def check_mutant(memplan, plan, path, rng, device):
    mutate(plan, rng)
    path.write_text(json.dumps(plan))
    bad = overlaps(plan["tensors"])
    result = run(memplan, "replay", path, "--device", device, "--quiet",
                 "--seed", rng.randrange(1000))
    named = set(NAMED.findall(result.stderr))
    good = (result.returncode == 1 and named and named <= bad) if bad \
        else (result.returncode == 0 and not named)
    if not good:
        print("#", sorted(bad), result.returncode, result.stderr,
              result.stdout)
    return good, bool(bad)


class Scope:
    """How much is tried, and what is demanded."""

    def __init__(self, real, quick):
        self.mutants = 2 if real or quick else 4
        self.most_bytes = 8 << 20  # larger ones run on the host only
        self.networks = 2 if quick else 6 if real else 12
        self.unit = 512
        self.moods = (None,)
        if not real:
            self.moods += ("first-stream-first", "seed=5")
        if quick:
            self.most_bytes = 1 << 20
        elif real:
            self.most_bytes = 1 << 40
            self.unit = 1 << 20  # long enough to run beside each other


@functools.cache
def plan_graph(memplan, graph):
    """Its plan as text, or None. With little effort: any plan will do."""
    made = run(memplan, "plan", graph, "--quiet", "--effort", "0", "-o", "-")
    return None if made.returncode else made.stdout


def check_graph(memplan, graph, folder, device, scope):
    path, text = folder / "plan.json", plan_graph(memplan, graph)
    if text is None:
        return "cannot be planned"
    path.write_text(text)
    if (device != "host" and json.loads(text)["arena_size"]
            > scope.most_bytes):
        return SKIPPED
    for extra in ([], ["--poison", "--seed", "7"]):
        result = run(memplan, "replay", path, "--device", device, "--quiet",
                     "--repeat", "3", *extra)
        if result.returncode:
            return result.stderr
    rng = random.Random(graph.name)
    if json.loads(text)["arena_size"] > MOST_BYTES:
        return None
    caught = 0
    for _ in range(scope.mutants):
        good, bad = check_mutant(memplan, json.loads(text), path, rng, device)
        if not good:
            return "a wrong plan"
        caught += bad
    return None if caught else "no mutant was wrong"


def split(graph, plan, path):
    """Half of a graph's arena is one pool; the rest lies in chunks, of which
    each has room for any tensor."""
    net, arena = json.loads(graph.read_text()), plan["arena_size"]
    largest = max(t["size"] for t in plan["tensors"])
    net["pools"] = [
        {"name": "fast", "alignment": 512,
         "capacity": arena // 2 // 512 * 512},
        {"name": "slow", "alignment": 512,
         "chunk": -(-max(largest, arena // 4) // 512) * 512}]
    path.write_text(json.dumps(net))


def check_pools(memplan, graphs, folder, device, scope):
    """Moved tensors clash within their pool only."""
    rng, path, caught, count = random.Random(9), folder / "plan.json", 0, 0
    pooled, blocks = folder / "pooled.json", 0
    for graph in sorted(graphs.glob("*.json")):
        plan = json.loads(plan_graph(memplan, graph))
        if not 1024 <= plan["arena_size"] <= min(scope.most_bytes,
                                                 MOST_BYTES):
            continue
        split(graph, plan, pooled)
        made = run(memplan, "plan", pooled, "--quiet", "--effort", "0", "-o",
                   path)
        if made.returncode:
            return f"{graph.stem} cannot be planned: {made.stderr}"
        plan = json.loads(path.read_text())
        blocks += len(plan["pools"])
        result = run(memplan, "replay", path, "--device", device, "--quiet",
                     "--repeat", "2", "--poison")
        if result.returncode:
            return graph.stem + ": " + result.stderr
        good, bad = check_mutant(memplan, plan, path, rng, device)
        if not good:
            return "a wrong plan"
        caught, count = caught + bad, count + 1
    print("# of", count, "plans of", blocks, "pools and chunks in which "
          "something moved, caught:", caught)
    return None if caught else "no mutant was wrong"


def random_streams(rng, unit, pools, streams=3):
    """A graph of ops on some streams, each reading what some others wrote or
    the caller did. Not all that is there is read."""
    def tensor(kind="activation"):
        tensors.append({"id": len(tensors), "kind": kind,
                        "size": unit * rng.randrange(1, 9)})
        if pools:
            tensors[-1]["pools"] = [rng.choice(pools)]
        return len(tensors) - 1

    ops, tensors = [], []
    for _ in range(3):
        tensor(rng.choice(["input", "state"]))
    for i in range(24):
        n = len(tensors)
        op = {"name": f"op{i}", "stream": rng.randrange(streams),
              "inputs": rng.sample(range(n), rng.randrange(3)),
              "outputs": [tensor()], "temporaries": [unit] * (i % 3 == 0)}
        if i and rng.random() < 0.2:
            op["after"] = [rng.randrange(i)]
        ops.append(op)
    net = {"format": "memplan.graph", "version": 1, "name": "streams",
           "alignment": 512, "tensors": tensors, "ops": ops}
    return {**net, "pools": [{"name": name} for name in pools]} if pools \
        else net


def moods_of(device, scope):
    """Those that make a difference: only CUDA has streams."""
    return scope.moods if device == "cuda" else (None,)


def replay_all_ways(memplan, path, device, scope):
    """Exit statuses without and with poison, in each mood."""
    codes, text = [], ""
    for mood in moods_of(device, scope):
        for extra in ([], ["--poison"]):
            result = run(memplan, "replay", path, "--quiet", "--device",
                         device, "--repeat", "3", *extra, mood=mood)
            codes.append(result.returncode)
            text += result.stderr
    return codes, text


def make_plan(memplan, net, folder):
    graph, path = folder / "graph.json", folder / "plan.json"
    graph.write_text(json.dumps(net))
    if run(memplan, "plan", graph, "--quiet", "--effort", "0", "-o",
           path).returncode:
        raise RuntimeError("cannot be planned")
    return json.loads(path.read_text())


def wrong_plan(memplan, net, right, folder):
    """As if all ops were in one stream: bytes are reused too early."""
    one = {**net, "ops": [{**op, "stream": 0} for op in net["ops"]]}
    return {**make_plan(memplan, one, folder), "ops": right["ops"]}


def short_lives(plan):
    """Each tensor ends when it is written. Offsets stay, so that only poison
    shows it: a reader finds bytes that are not there any more."""
    for tensor in plan["tensors"]:
        tensor["end"] = tensor["start"] + 1
    return plan


def check_streams(memplan, folder, device, scope):
    """Right plans run clean. Plans that take the streams for one reuse bytes
    too early: all of them show it on every device, with poison and without,
    because other orders of the ops run too. Lives that are too short show by
    poison."""
    rng, path = random.Random(3), folder / "wrong.json"
    caught = [0] * 2 * len(moods_of(device, scope))
    for number in range(scope.networks):
        net = random_streams(rng, scope.unit,
                             ["near", "far"] if number % 3 == 2 else [])
        right = make_plan(memplan, net, folder)
        codes, text = replay_all_ways(
            memplan, folder / "plan.json", device, scope)
        if any(codes):
            return text
        path.write_text(json.dumps(wrong_plan(memplan, net, right, folder)))
        codes = replay_all_ways(memplan, path, device, scope)[0]
        caught = [n + (code == 1) for n, code in zip(caught, codes)]
        path.write_text(json.dumps(short_lives(right)))
        codes = replay_all_ways(memplan, path, device, scope)[0]
        if set(codes[1::2]) != {1}:
            return "lives that are too short were not noticed"
    print("# of", scope.networks, "plans for one stream, caught:", *caught)
    return None if set(caught) == {scope.networks} else \
        "a hazard was not noticed"


class Family:
    """A tensor and its aliases, of which some are spoiled as others write."""

    def __init__(self, tensor):
        self.readable = [(tensor["id"], 0, tensor["size"])]

    def alias(self, rng, writes):
        of, base, size = rng.choice(self.readable)
        length = rng.randrange(1, size + 1)
        at = rng.randrange(size - length + 1)
        if rng.random() < 0.3:
            at, length = 0, size
        return of, at, base + at, length, writes

    def add(self, name, base, size, writes):
        if writes:
            self.readable = [r for r in self.readable
                             if r[1] + r[2] <= base or base + size <= r[1]]
        self.readable.append((name, base, size))


def random_ties(rng, streams):
    """Views of views at any byte, some of them written, states that change,
    groups with guards, and groups of which only one is there in a run."""
    alignment = rng.choice([1, 4, 64])
    tensors, ops, families, plain = [], [], [], []

    def new(**keys):
        tensors.append({"id": len(tensors), **keys})
        return tensors[-1]

    for _ in range(2):
        families.append(Family(new(size=rng.randrange(1, 400), kind="state")))
    for i in range(30):
        op = {"name": f"op{i}", "stream": rng.randrange(streams),
              "inputs": [], "outputs": []}
        for family in rng.sample(families, min(len(families), 3)):
            op["inputs"].append(rng.choice(family.readable)[0])
        if rng.random() < 0.4:
            made = new(size=rng.randrange(1, 400))
            families.append(Family(made))
        elif rng.random() < 0.5:
            made = new(size=rng.randrange(1, 400),
                       align=rng.choice([1, 16, 128]))
            plain.append(made["id"])
        else:
            family = rng.choice(families)
            of, at, base, size, writes = family.alias(rng, rng.random() < 0.5)
            made = new(size=size,
                       alias={"of": of, "offset": at, "writes": writes})
            family.add(made["id"], base, size, writes)
            if of not in op["inputs"]:
                op["inputs"].append(of)
        op["outputs"].append(made["id"])
        ops.append(op)
    ops.append({"name": "last", "inputs": [], "outputs": []})
    for tensor in plain:
        made = next(i for i, op in enumerate(ops) if tensor in op["outputs"])
        rng.choice(ops[made + 1:])["inputs"].append(tensor)
    rng.shuffle(plain)
    groups = [{"members": plain[i:i + 3], "before": rng.randrange(99),
               "after": rng.randrange(99)} for i in range(0, len(plain), 3)]
    sides = [group["members"] for group in groups]
    choices = [sides[:3], sides[3:]] if len(sides) > 4 else [sides]
    return {"format": "memplan.graph", "version": 1, "name": "ties",
            "alignment": alignment, "tensors": tensors, "ops": ops,
            "groups": groups,
            "exclusive": [c for c in choices if len(c) > 1]}


def tied_overlaps(plan):
    """As overlaps(), but tensors that share bytes are no clash, nor are those
    of two branches of a choice."""
    of = {t["id"]: t["alias"]["of"] for t in plan["tensors"] if "alias" in t}
    side = {tensor: (choice, branch)
            for choice, branches in enumerate(plan.get("exclusive", []))
            for branch, members in enumerate(branches) for tensor in members}

    def exclude(a, b):
        return (a in side and b in side and side[a][0] == side[b][0] and
                side[a][1] != side[b][1])

    def root(name):
        while name in of:
            name = of[name]
        return name

    tensors, names = plan["tensors"], set()
    for i, a in enumerate(tensors):
        for b in tensors[:i]:
            if root(a["id"]) != root(b["id"]) and not exclude(a["id"],
                                                              b["id"]):
                names |= overlaps([a, b])
    return names


def move(plan, rng):
    """All aliases of a tensor and itself, or a group, move down."""
    family = {t["id"]: t["alias"]["of"] for t in plan["tensors"]
              if "alias" in t}
    for group in plan.get("groups", []):
        family.update((m, group["members"][0]) for m in group["members"][1:])

    def root(name):
        while name in family:
            name = family[name]
        return name

    chosen = root(rng.choice([t for t in plan["tensors"]
                              if t["offset"] > 0])["id"])
    moved = [t for t in plan["tensors"] if root(t["id"]) == chosen]
    by = min([plan["alignment"] * 16] + [t["offset"] for t in moved])
    by -= by % plan["alignment"]
    for tensor in moved:
        tensor["offset"] -= by


def check_ties(memplan, folder, device, scope):
    """Right plans run clean, also where what is tied is on two streams. Of
    wrong ones the host notices all."""
    rng, path, caught = random.Random(5), folder / "wrong.json", 0
    for number in range(2 * scope.networks):
        streams = 1 if device == "host" else 1 + number % 2
        net = random_ties(rng, streams)
        plan = make_plan(memplan, net, folder)
        codes, text = replay_all_ways(memplan, folder / "plan.json", device,
                                      scope)
        if any(codes):
            return text
        move(plan, rng)
        path.write_text(json.dumps(plan))
        bad = tied_overlaps(plan)
        result = run(memplan, "replay", path, "--quiet", "--device", device)
        named = set(NAMED.findall(result.stderr))
        caught += result.returncode == 1
        # Steps do not say what two streams do at the same time.
        if streams == 1 and named - {str(name) for name in bad}:
            return f"a false alarm: {sorted(named)}"
        if device == "host" and bad and result.returncode != 1:
            return f"not noticed: {bad}"
    print("# of", 2 * scope.networks,
          "tied plans in which something moved, caught:", caught)
    return None if caught else "no wrong plan was noticed"


def report(number, device, name, problem):
    """True if it failed."""
    if problem == SKIPPED:
        print("ok", number, "-", device, name, SKIPPED)
        return False
    print("not ok" if problem else "ok", number, "-", device, name, flush=True)
    if problem:
        print("#", problem)
    return problem is not None


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("memplan")
    parser.add_argument("graphs", type=pathlib.Path)
    parser.add_argument("devices", nargs="*", default=["host"])
    return parser.parse_args()


def main():
    args = arguments()
    scope, failed, count = Scope(args.real, args.quick), 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for device in args.devices:
            for graph in sorted(args.graphs.glob("*.json")):
                count += 1
                failed += report(count, device, graph.stem, check_graph(
                    args.memplan, graph, folder, device, scope))
            count += 1
            failed += report(count, device, "streams", check_streams(
                args.memplan, folder, device, scope))
            count += 1
            failed += report(count, device, "ties", check_ties(
                args.memplan, folder, device, scope))
            count += 1
            failed += report(count, device, "pools", check_pools(
                args.memplan, args.graphs, folder, device, scope))
    print(f"1..{count}")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
