#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests memplan replay on plans of real graphs, right ones and wrong ones.

    test_replay.py MEMPLAN GRAPHS [DEVICE...]

A plan as memplan makes it must run clean three times. Then tensors are moved by
one unit of alignment, as a bug in a planner would do it; replay must find an
overwritten byte exactly if two tensors that are alive together share one, which
is computed here from sizes and lifetimes alone, and must name one of such a
pair. Devices default to the host. Prints TAP.
"""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

MUTANTS = 4
MOST_BYTES = 64 << 20  # larger arenas are not mutated: time
MOST_BYTES_ELSEWHERE = 8 << 20  # larger ones run on the host only
NAMED = re.compile(r"(?:input|tensor) '([^']*)' is overwritten")


def run(*arguments, mood=None):
    """The mood is that of the stand-ins, src/loader/stand-in."""
    env = {**os.environ, "MEMPLAN_STAND_IN": mood} if mood else None
    return subprocess.run([str(a) for a in arguments], capture_output=True,
                          text=True, timeout=120, check=False, env=env)


def overlaps(tensors):
    """Names of tensors that share a byte while both are alive."""
    names = set()
    for i, a in enumerate(tensors):
        for b in tensors[:i]:
            if (a["start"] < b["end"] and b["start"] < a["end"]
                    and a["offset"] < b["offset"] + b["size"]
                    and b["offset"] < a["offset"] + a["size"]):
                names |= {a["name"], b["name"]}
    return names


def neighbours(tensors):
    """Pairs alive together of which one begins right behind the other."""
    return [(a, b) for a in tensors for b in tensors
            if a["size"] and b["size"] and a["start"] < b["end"]
            and b["start"] < a["end"] and a["offset"] < b["offset"]
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


def check_graph(memplan, graph, folder, device):
    path = folder / "plan.json"
    if run(memplan, "plan", graph, "--quiet", "-o", path).returncode:
        return "cannot be planned"
    if (device != "host" and json.loads(path.read_text())["arena_size"]
            > MOST_BYTES_ELSEWHERE):
        return None
    for extra in ([], ["--poison", "--seed", "7"]):
        result = run(memplan, "replay", path, "--device", device, "--quiet",
                     "--repeat", "3", *extra)
        if result.returncode:
            return result.stderr
    text = path.read_text()
    rng = random.Random(graph.name)
    if json.loads(text)["arena_size"] > MOST_BYTES:
        return None
    caught = 0
    for _ in range(MUTANTS):
        good, bad = check_mutant(memplan, json.loads(text), path, rng, device)
        if not good:
            return "a wrong plan"
        caught += bad
    return None if caught else "no mutant was wrong"


def random_streams(rng):
    """A graph of ops on three streams, each reading what some others wrote."""
    ops, tensors = [], []
    for i in range(24):
        tensors.append({"id": i, "size": 512 * rng.randrange(1, 9)})
        op = {"name": f"op{i}", "stream": rng.randrange(3), "outputs": [i],
              "inputs": rng.sample(range(i), min(i, rng.randrange(3)))}
        if i and rng.random() < 0.2:
            op["after"] = [rng.randrange(i)]
        ops.append(op)
    return {"format": "memplan.graph", "version": 1, "name": "streams",
            "alignment": 512, "tensors": tensors, "ops": ops}


def replay_all_ways(memplan, path, device):
    """Exit statuses with and without poison, with streams in either order."""
    codes, text = [], ""
    for mood in (None, "first-stream-first"):
        for extra in ([], ["--poison"]):
            result = run(memplan, "replay", path, "--quiet", "--device",
                         device, "--repeat", "3", *extra, mood=mood)
            codes.append(result.returncode)
            text += result.stderr
    return codes, text


def make_plan(memplan, net, folder):
    graph, path = folder / "graph.json", folder / "plan.json"
    graph.write_text(json.dumps(net))
    if run(memplan, "plan", graph, "--quiet", "-o", path).returncode:
        raise RuntimeError("cannot be planned")
    return json.loads(path.read_text())


def wrong_plan(memplan, net, right, folder):
    """As if all ops were in one stream: bytes are reused too early."""
    one = {**net, "ops": [{**op, "stream": 0} for op in net["ops"]]}
    return {**make_plan(memplan, one, folder), "ops": right["ops"]}


def short_lives(plan):
    """Each tensor ends when it is written. Offsets stay, so that only poison
    shows it: whoever reads finds what is not there any more."""
    for tensor in plan["tensors"]:
        tensor["end"] = tensor["start"] + 1
    return plan


def check_streams(memplan, folder, device):
    """Right plans run clean. Plans that take the streams for one reuse bytes
    too early; where streams run beside each other, some of them show it, with
    poison and without. Lives that are too short show by poison everywhere."""
    rng, caught, path = random.Random(3), [0] * 4, folder / "wrong.json"
    for _ in range(12):
        net = random_streams(rng)
        right = make_plan(memplan, net, folder)
        codes, text = replay_all_ways(memplan, folder / "plan.json", device)
        if any(codes):
            return text
        path.write_text(json.dumps(wrong_plan(memplan, net, right, folder)))
        codes = replay_all_ways(memplan, path, device)[0]
        caught = [n + (code == 1) for n, code in zip(caught, codes)]
        path.write_text(json.dumps(short_lives(right)))
        codes = replay_all_ways(memplan, path, device)[0]
        if codes[1::2] != [1, 1]:
            return "lives that are too short were not noticed"
    print("# of 12 plans for one stream, caught:", *caught)
    if device == "cuda" and not all(caught):
        return "no hazard was noticed"
    return None if device == "cuda" or not any(caught) else "a false alarm"


def main():
    memplan, graphs = sys.argv[1], sorted(pathlib.Path(sys.argv[2]).glob(
        "*.json"))
    devices, failed, count = sys.argv[3:] or ["host"], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for device in devices:
            for graph in graphs:
                problem = check_graph(
                    memplan, graph, pathlib.Path(folder), device)
                count += 1
                failed += problem is not None
                print("not ok" if problem else "ok", count, "-", device,
                      graph.stem)
                if problem:
                    print("#", problem)
            problem = check_streams(memplan, pathlib.Path(folder), device)
            count += 1
            failed += problem is not None
            print("not ok" if problem else "ok", count, "-", device, "streams")
            if problem:
                print("#", problem)
    print(f"1..{count}")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
