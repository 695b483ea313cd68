#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the example network for CUDA, on the stand-in for the driver.

    test_network.py PROGRAM

LD_LIBRARY_PATH leads to the stand-in, which runs the program's own kernels as
plain C, late and in an unfriendly order. Prints TAP.
"""

import os
import subprocess
import sys

# name, arguments, mood of the stand-in, exit status, what must be said
CASES = [
    ("right plan", [], "", 0,
     ["equal to the last bit", "in one block instead of", "saved"]),
    ("right plan, first stream first", [], "first-stream-first", 0,
     ["equal to the last bit"]),
    ("wrong plan", ["--wrong"], "", 1, ["they differ"]),
    ("no GPU", [], "no-device", 6,
     ["needs a GPU", "CUDA_ERROR_NO_DEVICE"]),
    ("no memory", [], "out-of-memory", 6,
     ["the GPU failed", "CUDA_ERROR_OUT_OF_MEMORY"]),
    ("bad use", ["--nothing"], "", 2, []),
]


def check(program, arguments, mood, status, texts):
    result = subprocess.run(
        [program, *arguments], capture_output=True, text=True, timeout=600,
        check=False, env={**os.environ, "MEMPLAN_STAND_IN": mood})
    said = result.stdout + result.stderr
    good = result.returncode == status and all(t in said for t in texts)
    if not good:
        print("#", result.returncode, said.replace("\n", "\n# "))
    return good


def main():
    print(f"1..{len(CASES)}")
    failed = 0
    for number, (name, *case) in enumerate(CASES, 1):
        good = check(sys.argv[1], *case)
        failed += not good
        print("ok" if good else "not ok", number, "-", name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
