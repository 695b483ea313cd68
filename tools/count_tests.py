#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums up a test run, counting each TAP line of a test as a test of its own.

    count_tests.py build-test/meson-logs/testlog.json

Exits with 1 if a test failed or none ran.
"""

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


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        counts = [count(json.loads(line)) for line in file]
    passed, failed, skipped = (sum(c) for c in zip(*counts)) if counts else (
        0, 0, 0)
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
