#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The sum of a test run: what passed, failed and was skipped, and why. Prints TAP."""

import json
import pathlib
import subprocess
import sys
import tempfile

import harness

TOOL = pathlib.Path(__file__).with_name("count_tests.py")
RUNS = {
    "plain": ("OK", ""),
    "tap": ("OK", "ok 1 - a\nok 2 - b # SKIP too large\n"
            "ok 3 - c # SKIP too large\n1..3\n"),
    "whole": ("SKIP", "1..0 # SKIP no mandoc\n"),
    "silent": ("SKIP", ""),
    "told": ("SKIP", "looking\nno Chromium here\n"),
}
SAID = """skipped 2 of tap: too large
skipped 1 of whole: no mandoc
skipped 1 of silent: it gives no reason
skipped 1 of told: no Chromium here
5 skipped
2 passed, 0 failed
"""


def count(runs):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as log:
        for name, (result, text) in runs.items():
            print(json.dumps({"name": f"memplan:unit / {name}",
                              "result": result, "stdout": text}), file=log)
        log.flush()
        return subprocess.run([sys.executable, TOOL, log.name],
                              capture_output=True, text=True, check=False)


def check_skipped():
    done = count(RUNS)
    if done.stdout != SAID or done.returncode:
        yield done.stdout + done.stderr


def check_failed():
    for bad in ("FAIL", "not ok 1 - a\n"), ("TIMEOUT", ""), ("ERROR", "ok 1\n"):
        done = count(RUNS | {"bad": bad})
        if not done.stdout.endswith(", 1 failed\n") or not done.returncode:
            yield done.stdout


def check_nothing():
    if not count({}).returncode:
        yield "nothing ran, and that passes"


if __name__ == "__main__":
    harness.tap((check.__name__, check) for check in
                (check_skipped, check_failed, check_nothing))
