#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The steps of docs/ci.md, run as plain shell.

    test_ci.py MEMPLAN SOURCE_ROOT

The commands of the first block make a budget; then the steps of each example
must pass, and after a tensor has grown the gate of each must fail. Without
PyYAML there is nothing to run. Prints TAP.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("1..0 # SKIP PyYAML is not installed")
    sys.exit(0)

MEMPLAN = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(sys.argv[2]).resolve()
PAGE = (ROOT / "docs/ci.md").read_text()


def block(kind):
    return re.search(rf"^```{kind}\n(.*?)^```", PAGE, re.M | re.S).group(1)


def shell(command, folder):
    environment = dict(
        os.environ, PATH=f"{MEMPLAN.parent}:{os.environ['PATH']}",
        GITHUB_STEP_SUMMARY=str(folder / "summary.md"))
    result = subprocess.run(["sh", "-ec", command], cwd=folder, timeout=600,
                            env=environment, capture_output=True, check=False)
    return result.returncode, (result.stdout + result.stderr).decode()


def github_steps():
    """Each step and whether it runs even if one before it failed."""
    workflow = yaml.safe_load(block("yaml github"))
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            if "run" in step:
                yield step["run"], step.get("if") == "always()"


def gitlab_steps():
    for job in yaml.safe_load(block("yaml gitlab")).values():
        for line in job["script"]:
            yield line, False
        for line in job["after_script"]:
            yield line, True


def run_job(steps, folder):
    """The exit status of the job as the runner would have it, and its log."""
    status, log = 0, ""
    for command, always in steps:
        if status and not always:
            continue
        code, text = shell(command, folder)
        status, log = status or code, log + text
    return status, log


def graph(size):
    return {"format": "memplan.graph", "version": 1,
            "tensors": [{"name": "a", "size": size}, {"name": "b", "size": 9}],
            "ops": [{"name": "p", "outputs": ["a"]},
                    {"name": "q", "inputs": ["a"], "outputs": ["b"]}]}


def main():
    failed = number = 0
    for name, steps in (("GitHub Actions", github_steps),
                        ("GitLab", gitlab_steps)):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            (folder / "net.json").write_text(json.dumps(graph(1000)))
            start, log = shell(block("sh"), folder)
            good, more = run_job(steps(), folder)
            (folder / "net.json").write_text(json.dumps(graph(5000)))
            bad, last = run_job(steps(), folder)
        fine = (start, good, bad) == (0, 0, 1) and "more than" in last
        number += 1
        failed += not fine
        print(f"{'ok' if fine else 'not ok'} {number} - {name}")
        if not fine:
            print("# " + (log + more + last).replace("\n", "\n# "))
    print(f"1..{number}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
