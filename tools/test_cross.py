#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds memplan for another system and runs its golden stories there.

    test_cross.py musl|windows|node SOURCE_ROOT MEMPLAN

musl: one static file. windows: Debian's mingw-w64 and wine. node: the npm package
of tools/web. Also what only that system has: names, devices, open files. MEMPLAN is this machine's
program. Skipped (77) where the compiler, or what runs the program, is not installed.
Prints TAP.
"""

import errno
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import harness
import test_cli
import test_files

SKIPPED = 77


def build(root, command, missing):
    """Runs a script that builds; ends the test where it cannot be."""
    for tool, package in missing:
        if not shutil.which(tool):
            print(f"1..0 # SKIP no {tool} here: apt-get install {package}")
            sys.exit(SKIPPED)
    done = subprocess.run(command, cwd=root, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def wrapper(folder, command, variables):
    """A program `memplan` that runs the command."""
    program = folder / "memplan"
    lines = "".join(f"export {name}='{value}'\n"
                    for name, value in variables.items())
    program.write_text(f"#!/bin/sh\n{lines}exec {command} \"$@\"\n")
    program.chmod(0o755)
    return program


def check_story(program, data, story, masks, tries):
    """What the story prints, but for lines that a mask leaves out."""
    want = (story / "expect").read_text()
    for _ in range(tries):
        got = test_cli.run_story(program, data, story)
        faults = list(test_cli.differences(without(want, masks),
                                           without(got, masks)))[:40]
        if not faults:
            break
    return faults


def without(text, masks):
    return "".join(line for line in text.splitlines(keepends=True)
                   if line.strip() not in masks)


def stories(root, program, others=(), masks=(), tries=1):
    """All stories but others."""
    data = root / "testdata"
    for args in sorted((data / "cli").glob("*/args")):
        if args.parent.name not in others:
            yield (f"story {args.parent.name}", check_story, program, data,
                   args.parent, masks, tries)


# ---------------------------------------------------------------- musl


def check_static(program):
    done = subprocess.run(["ldd", program], capture_output=True, text=True,
                          check=False, env=dict(os.environ, LC_ALL="C"))
    assert "not a dynamic executable" in done.stdout + done.stderr, done.stdout


def check_batch(root, program, memplan, folder):
    """Faults of lists and stores; a sweep's tables are this machine's."""
    done = subprocess.run(
        [sys.executable, root / "tools/test_batch.py", program,
         root / "testdata"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    tables = []
    for name, planner in (("here", memplan), ("there", program)):
        harness.run(planner, "batch", "--matrix",
                    f"graphs={root}/testdata/graphs/*_b1.json", "align=64,512",
                    "--store", folder / name)
        for form in ("csv", "json", "md"):
            harness.run(planner, "batch", "--matrix",
                        f"graphs={root}/testdata/graphs/*_b1.json",
                        "align=64,512", "--store", folder / name, "--merge",
                        "-o", folder / f"{name}.{form}")
            tables.append((folder / f"{name}.{form}").read_bytes())
    assert tables[:3] == tables[3:]


def musl(root, memplan, folder):
    build(root, ["tools/cross/build", "musl"], [("musl-gcc", "musl-tools")])
    program = root / "build-musl/src/cli/memplan"
    yield "one static file", check_static, program
    yield "batch and its store", check_batch, root, program, memplan, folder
    yield from stories(root, wrapper(folder, program, {}))


# ------------------------------------------------------------- windows


class Wine:
    """A Windows of its own, with a shell that keeps its services running: those
    of the first program would else keep its pipes open."""

    def __init__(self, folder):
        self.variables = {"WINEPREFIX": str(folder / "wine"),
                          "WINEDEBUG": "-all", "DISPLAY": ""}
        self.env = dict(os.environ, **self.variables)
        self.shell = subprocess.Popen(
            ["wine", "cmd.exe", "/q"], env=self.env, stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run(["wine", "cmd.exe", "/c", "exit"], env=self.env,
                       check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def close(self):
        self.shell.stdin.close()
        self.shell.wait()
        subprocess.run(["wineserver", "-k"], env=self.env, check=False)


# A pipe that nothing reads any more is an error on Windows and in Node, and no signal.
BROKEN = {"! memplan: cannot write to stdout"}
OTHERS = {"chart"}  # the terminal of Windows has no LC_ALL
TRIES = 3  # wine 8 loses what a program says on stderr once in some hundred runs


def in_folder(folder, program, *arguments, status=0):
    done = subprocess.run([program, *arguments], cwd=folder, check=False,
                          capture_output=True, timeout=600)
    text = done.stderr.decode(errors="replace")
    assert done.returncode == status, f"{done.returncode}: {text}"
    return text


def check_names(program, folder, graph):
    """UTF-8 in names; a backslash between folders; the plan's own name."""
    place = folder / "Gr\u00fc\u00dfe \u4f60\u597d"
    place.mkdir()
    shutil.copy(graph, place / "n\u00e9t.json")
    in_folder(folder, program, "plan", f"{place.name}\\n\u00e9t.json", "--quiet",
              "-o", f"{place.name}\\pl\u00e4n.json", "-o", f"{place.name}/a.h")
    assert (place / "pl\u00e4n.json").exists(), list(place.iterdir())
    assert (place / "a.h").exists()
    text = in_folder(folder, program, "plan", "fehlt\\n\u00e4.json", status=6)
    assert "fehlt/n\u00e4.json: error: cannot open" in text, text


def check_devices(program, folder, graph):
    """Devices are refused in every folder, and with every ending."""
    for name in ("NUL", "nul.json", "CON", "con.json", "sub\\AUX.json",
                 "COM1.json", "lpt9.json", "prn .json"):
        text = in_folder(folder, program, "plan", graph, "--quiet", "-o",
                         name, *(["-o", "x.json"] if "." not in name else []),
                         status=2)
        assert "device of the system" in text or "." not in name, text
    for name in ("CON", "nul.json"):
        text = in_folder(folder, program, "plan", name, status=6)
        assert "device of the system" in text, text
    in_folder(folder, program, "plan", graph, "--quiet", "-o", "console.json")
    assert not list(folder.rglob("*.memplan-*"))


def check_one_file(program, folder, graph):
    """Names of one file differ in case."""
    text = in_folder(folder, program, "plan", graph, "--quiet", "-o",
                     "Same.json", "-o", "sAME.json", status=2)
    assert "would be written twice" in text, text


def check_replace(program, folder, graph):
    """A plan replaces one that is open, and none that is read-only."""
    in_folder(folder, program, "plan", graph, "--quiet", "-o", "open.json")
    with open(folder / "open.json", encoding="utf-8") as file:
        in_folder(folder, program, "plan", graph, "--quiet", "--align", "1024",
                  "-o", "open.json")
        assert '"alignment": 512' in file.read().replace('":5', '": 5')
    assert '1024' in (folder / "open.json").read_text()
    (folder / "open.json").chmod(0o444)
    text = in_folder(folder, program, "plan", graph, "--quiet", "-o",
                     "open.json", status=6)
    assert "cannot replace" in text, text
    assert not list(folder.rglob("*.memplan-*"))


ENDED = 0xC000013A & 0xFF  # what of the status a Unix sees


def check_interrupt(program, folder, _graph):
    """Ctrl-C ends a search with the best plan; wine makes it of SIGINT."""
    (folder / "hard.csv").write_text(test_files.hard_csv())
    with subprocess.Popen(
            [program, "plan", "hard.csv", "--planner", "climb", "--steps",
             "1000000000000", "--progress", "--quiet", "-o", "hard.json"],
            cwd=folder, stderr=subprocess.PIPE, text=True) as run:
        for line in run.stderr:
            if line.startswith("planning"):
                break
        run.send_signal(signal.SIGINT)
        run.stderr.read()
        status = run.wait(timeout=600)
    assert status == ENDED, status
    assert '"cut_short": true' in (folder / "hard.json").read_text()
    in_folder(folder, program, "check", "hard.json")
    assert not list(folder.rglob("*.memplan-*"))


def check_processes(program, folder, graph):
    """What needs processes of POSIX says so, and leaves nothing."""
    (folder / "tasks.jsonl").write_text(
        json.dumps({"input": str(graph)}) + "\n")
    for words in (("batch", "tasks.jsonl", "--store", "answers"),
                  ("plan", graph, "--seeds", "1-3", "--store", "answers")):
        text = in_folder(folder, program, *words, status=2)
        assert "WSL" in text, text
    assert not (folder / "answers").exists()


def windows(root, _memplan, folder):
    build(root, ["tools/cross/build", "windows"],
          [("x86_64-w64-mingw32-gcc-posix", "gcc-mingw-w64-x86-64-posix"),
           ("wine", "wine wine64")])
    wine = Wine(folder)
    try:
        program = wrapper(folder, "wine " + str(
            root / "build-windows/src/cli/memplan.exe"), wine.variables)
        graph = root / "testdata/graphs/tiny.json"
        for work in (check_names, check_devices, check_one_file, check_replace,
                     check_interrupt, check_processes):
            place = folder / work.__name__
            place.mkdir()
            yield work.__doc__, work, program, place, graph
        yield from stories(root, program, OTHERS, BROKEN, TRIES)
    finally:
        wine.close()


# ---------------------------------------------------------------- node

# Emscripten has numbers of errors of its own.
NUMBERED = {f"! memplan: host: open: there is one host only, number 0 ({number})"
            for number in (errno.EINVAL, 28)}


def check_package(root, package, memplan):
    done = subprocess.run(
        ["node", root / "tools/web/test-npm.js", package, memplan,
         root / "testdata"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def node(root, memplan, folder):
    build(root, ["tools/web/build"],
          [("emcc", "emscripten"), ("node", "nodejs")])
    package = root / "build-web/npm"
    program = wrapper(folder, f"node {package / 'cli.js'}", {})
    yield "the package", check_package, root, package, memplan
    yield from stories(root, program, masks=BROKEN | NUMBERED)


def main():
    system, root, memplan = sys.argv[1:]
    systems = {"musl": musl, "windows": windows, "node": node}
    with tempfile.TemporaryDirectory() as folder:
        harness.tap(systems[system](
            pathlib.Path(root).resolve(), pathlib.Path(memplan).resolve(),
            pathlib.Path(folder)))


if __name__ == "__main__":
    main()
