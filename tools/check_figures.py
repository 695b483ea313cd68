#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Comparison rows against figures that were measured without memplan.

    check_figures.py MEMPLAN DATA [--table]

Runs rows on MiniMalloc's problems and on the io_info networks at batch 4 and
compares arena sizes with those of other implementations: exactly, but for 0.1 %
on the networks, where a temporary that is never freed lives to the end here and
not there. On every batch of the networks, auto is no larger than any of SOMAS's
rows. Prints TAP. --table prints the networks at batch 4 instead, each row's bytes
beside the figure, and all rows of SOMAS; it exits 1 if a row is more than 0.1 %
off or auto is larger than one of SOMAS's.
"""

import pathlib
import sys

import harness

# Per cent above the theoretical minimum on A, D, G, J and K.
PROBLEMS = "ADGJK"
EXCESS = """
tflm-greedy      29.0  32.0  36.7  31.3  27.7
openvino         29.0  30.9  33.2  31.8  29.0
tflite-greedy    31.1  33.4  33.2  34.8  32.7
tflite-breadth   55.9  46.1  34.7  37.9  48.2
xla-spatial      31.1  32.3  36.2  34.8  33.3
xla-temporal     45.6  48.4  40.2  61.1  78.4
tvm-size         70.5  86.1  87.5 150.7 119.0
tvm-conflicts   105.8 117.5 212.5 270.1 168.4
executorch       96.4  64.5  42.5 101.1 163.4
mlir-best        67.0  43.1  25.1  72.2  95.0
greedy-size      29.0  30.9  33.2  31.8  29.0
greedy-area      66.9  53.4  40.5  69.4 132.9
greedy-lifetime  45.6  46.9  42.9  58.4  78.4
greedy-conflicts 50.4  43.7  48.2  65.8  95.6
greedy-urgency   47.4  37.0  39.4  32.3  78.4
"""

# Bytes at batch 4, alignment 512.
NETWORKS = "Squeezenet", "Googlenet", "MobilenetV1", "MobilenetV2"
BYTES = """
max-block           615880704 411552768 781336576 1048875008
binary-block        599941632 293587968 498106880  641092608
exact-block         728606208 499478016 544248320  704355840
two-level           268108800 188872704 452956160  585696768
somas-shared-best   268161024 185860608 452956160  585672704
somas-shared-lowest 268161024 185859584 452956160  585037824
somas-single-best   242908672 185661952 456159232  585836544
somas-single-lowest 237818880 185859584 452956160  584930304
somas               268161024 185859584 452956160  585037824
online-best         306204672 220728320 452707328  585017856
"""


def check_problem(memplan, data, row, name, expected):
    plan = harness.result(memplan, "plan", "--planner", row,
                          data / f"minimalloc/{name}.1048576.csv")
    excess = 100 * (plan["arena_size"] / plan["theoretical_min"] - 1)
    return f"{excess:.2f} %" if abs(excess - expected) > 0.0501 else None


def network_bytes(memplan, data, row, name, batch):
    plan = harness.result(memplan, "plan", "--planner", row, "--batch", batch,
                          data / f"mnn/{name}/{name}.io_info.json")
    return plan["arena_size"]


def check_network(memplan, data, row, name, expected):
    size = network_bytes(memplan, data, row, name, "4")
    return f"{size} bytes" if abs(size - expected) > expected / 1000 else None


def figures(memplan, data):
    for table, names, check in ((EXCESS, PROBLEMS, check_problem),
                                (BYTES, NETWORKS, check_network)):
        for row, *values in map(str.split, table.strip().split("\n")):
            for name, value in zip(names, values):
                yield (f"{name}, {row}: {value}", check, memplan, data, row,
                       name, float(value))


def batches(data, name):
    for path in sorted((data / "mnn" / name).glob("*.tensor_size.json")):
        batch = path.name.split(".")[1]
        if path.with_name(f"{name}.{batch}.resize_info.json").exists():
            yield batch


def somas_rows(memplan):
    listed = harness.run(memplan, "list", "peers").stdout
    return [name for name in (line.split()[0] for line in listed.split("\n")
                              if line.strip()) if name.startswith("somas")]


def check_auto(memplan, data, name, batch):
    """auto takes no more than any row of SOMAS's."""
    least = min(network_bytes(memplan, data, row, name, batch)
                for row in somas_rows(memplan))
    size = network_bytes(memplan, data, "auto", name, batch)
    return f"auto {size}, SOMAS {least}" if size > least else None


def cases(memplan, data):
    yield from figures(memplan, data)
    for name in NETWORKS:
        for batch in batches(data, name):
            yield (f"{name}, batch {batch}: auto", check_auto, memplan, data,
                   name, batch)


def print_table(memplan, data):
    """Rows and networks at batch 4: bytes, and how far off the figure."""
    figures_of = {line.split()[0]: [int(word) for word in line.split()[1:]]
                  for line in BYTES.strip().split("\n")}
    least = [sys.maxsize] * len(NETWORKS)
    wrong = False
    print(f"{'row':26}" + "".join(f"{name:>24}" for name in NETWORKS))
    rows = [*figures_of, *(row for row in somas_rows(memplan)
                           if row not in figures_of), "auto"]
    for row in rows:
        cells = []
        for i, name in enumerate(NETWORKS):
            size = network_bytes(memplan, data, row, name, "4")
            note = ""
            if row in figures_of:
                off = size / figures_of[row][i] - 1
                wrong |= abs(off) > 0.001
                note = f" ({100 * off:+.4f} %)"
            if row.startswith("somas"):
                least[i] = min(least[i], size)
            wrong |= row == "auto" and size > least[i]
            cells.append(f"{str(size) + note:>24}")
        print(f"{row:26}" + "".join(cells))
    return wrong


def main():
    memplan, data = sys.argv[1], pathlib.Path(sys.argv[2])
    if sys.argv[3:] == ["--table"]:
        sys.exit(print_table(memplan, data))
    harness.tap(cases(memplan, data))


if __name__ == "__main__":
    main()
