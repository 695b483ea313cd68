#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums up a test run, counting each TAP line of a test as a test of its own.

    count_tests.py build-test/meson-logs/testlog.json

Says why tests were skipped. Exits with 1 if a test failed or none ran.
"""

import collections
import json
import re
import sys

TAP_LINE = re.compile(r"^(ok|not ok)\b.*?(# SKIP\b.*)?$", re.M | re.I)
GOOD = ("OK", "EXPECTEDFAIL")


def count(run):
    """The passed, failed and skipped tests of one program."""
    lines = TAP_LINE.findall(run.get("stdout", ""))
    skipped = sum(1 for _, skip in lines if skip)
    passed = sum(1 for verdict, skip in lines if verdict == "ok" and not skip)
    failed = len(lines) - skipped - passed
    if run["result"] == "SKIP":
        return 0, 0, max(skipped, 1)
    if run["result"] not in GOOD:
        return passed, max(failed, 1), skipped
    return (passed, failed, skipped) if lines else (1, 0, 0)


def why_skipped(run):
    """Reasons, and how many tests each keeps from running."""
    text = run.get("stdout", "")
    reasons = collections.Counter(
        re.findall(r"# SKIP\b:? *(.*)$", text, re.M | re.I))
    if run["result"] == "SKIP" and not reasons:  # no TAP: the last line says it
        reasons[(text.strip().splitlines() or ["it gives no reason"])[-1]] = 1
    return reasons


def print_skipped(runs):
    for run in runs:
        for reason, n in why_skipped(run).items():
            name = run["name"].rpartition(" / ")[2] or run["name"]
            print(f"skipped {n} of {name}: {reason}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        runs = [json.loads(line) for line in file]
    counts = [count(run) for run in runs]
    passed, failed, skipped = (sum(c) for c in zip(*counts)) if counts else (
        0, 0, 0)
    print_skipped(runs)
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
