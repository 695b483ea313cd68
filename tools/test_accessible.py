#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Asks axe-core whether people with a keyboard or a screen reader can use the
HTML report.

    test_accessible.py MEMPLAN TESTDATA

axe-core is a package of npm: "npm install --global axe-core" is all that it
needs. Exit 77, which is "skipped", where it or Chromium is not there.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

import chromium

# The states of a page: as it opens, a tensor chosen, a search, other colours.
STATES = (
    "0", "choose(memplan.views[0], 0)",
    "document.getElementById('search').focus(); find('conv')",
    "document.getElementById('colour').value = 'layer'; "
    "document.getElementById('colour').dispatchEvent(new Event('change'))",
)
RUN = """axe.run().then(result => result.violations.map(v =>
	`${v.id}: ${v.help}: ${v.nodes[0].html}`))"""


def axe():
    """The script, or None."""
    npm = shutil.which("npm")
    if not npm:
        return None
    root = subprocess.run([npm, "root", "--global"], capture_output=True,
                          text=True, check=False).stdout.strip()
    script = pathlib.Path(root, "axe-core", "axe.min.js")
    return script.read_text(encoding="utf-8") if script.exists() else None


def violations(page, script, dark):
    with chromium.Browser(dark=dark) as browser:
        browser.open(page)
        browser.run(script + "; 0")
        for state in STATES:
            browser.run(state)
            yield from browser.run(RUN)


def main():
    program, data = sys.argv[1], pathlib.Path(sys.argv[2])
    if not chromium.program():
        print("no Chromium here")
        return 77
    script = axe()
    if not script:
        print("no axe-core here: npm install --global axe-core")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder, "plan.html")
        subprocess.run([program, "plan", "--quiet", "--steps", "200000",
                        data / "graphs" / "cnn_b32_sgd.json", "--budget",
                        "16MiB", "-o", page], check=True)
        found = {line for dark in (False, True)
                 for line in violations(page, script, dark)}
    print("\n".join(sorted(found)) or "no violations")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
