#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files that memplan reads and writes: none is lost, and no name does harm.

    test_files.py MEMPLAN TESTDATA

Outputs that are inputs or other outputs, by whatever name; links and rights;
what a gate may write; names that terminals, CI systems or make would obey;
signals; and the memory of inputs. Prints TAP.
"""

import json
import os
import pathlib
import random
import shutil
import signal
import stat
import subprocess
import sys
import tempfile

import harness

OK, NO, USAGE, MEMORY, IO = 0, 1, 2, 5, 6
BUDGET = '{"format":"memplan.budget","version":1,"budgets":[%s]}'


class Place:
    """A folder with a graph in it, and the program."""

    def __init__(self, memplan, testdata):
        self.memplan, self.testdata = memplan, testdata
        self.home = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.home.name)
        shutil.copy(testdata / "graphs" / "worked.json",
                    self.folder / "net.json")
        (self.folder / "sub").mkdir()

    def __getitem__(self, name):
        return self.folder / name

    def run(self, *arguments, **keys):
        return subprocess.run([self.memplan, *arguments], cwd=self.folder,
                              stdin=keys.pop("stdin", subprocess.DEVNULL),
                              capture_output=True, timeout=600, check=False,
                              **keys)

    def expect(self, status, *arguments, words="", **keys):
        """Runs it; the text on stderr."""
        done = self.run(*arguments, **keys)
        text = done.stderr.decode(errors="replace")
        assert done.returncode == status, \
            f"{arguments}: status {done.returncode}, not {status}: {text}"
        assert words in text, f"{arguments}: no '{words}' in: {text}"
        return done.stderr

    def temporaries(self):
        return [f for f in self.folder.rglob("*") if ".memplan-" in f.name]


# ------------------------------------------------------------- inputs stay

def is_input(place):
    """Every kind of output, and every name of the input."""
    before = place["net.json"].read_bytes()
    place["link.json"].symlink_to("net.json")
    os.link(place["net.json"], place["hard.json"])
    same = ("net.json", "./net.json", "sub/../net.json", "link.json",
            "hard.json", str(place["net.json"]))
    for name in same:
        place.expect(USAGE, "plan", "net.json", "-o", name, words="is an input")
    for name in same[:2]:
        place.expect(USAGE, "plan", "link.json", "-o", "a.h", "--depfile", name,
                     words="is an input")
        place.expect(USAGE, "plan", "net.json", "--emit-lp", "x.lp", "-o", name)
    os.link(place["net.json"], place["net.csv"])
    place.expect(USAGE, "simulate", "net.json", "--timeline", "net.csv",
                 words="is an input")
    with open(place["net.json"], "rb") as file:
        place.expect(USAGE, "plan", "-", "-o", "net.json", stdin=file,
                     words="is an input")
    place["s.json"].write_text("{}")
    place.expect(USAGE, "plan", "net.json", "--solution", "s.json", "-o",
                 "s.json", words="'s.json' is an input")
    assert before == place["net.json"].read_bytes()
    assert not place["a.h"].exists()


def is_companion(place):
    shutil.copy(place["net.json"], place["t.io_info.json"])
    place.expect(USAGE, "plan", "t.io_info.json", "--batch", "4,16",
                 "--together", "serial", "-o", "t.16.tensor_size.json",
                 words="is an input")


def written_twice(place):
    for first, second in (("a.json", "./a.json"), ("a.h", "sub/../a.h"),
                          ("sub/a.h", "sub/../sub/a.h")):
        place.expect(USAGE, "plan", "net.json", "-o", first, "-o", second,
                     words="written twice")
        place.expect(USAGE, "plan", "net.json", "-o", first, "--depfile",
                     second, words="written twice")
        assert not place[first].exists()
    place["l.json"].symlink_to("a.json")
    place.expect(USAGE, "plan", "net.json", "-o", "l.json", "-o", "a.json",
                 words="written twice")
    place.expect(USAGE, "plan", "net.json", "-o", "-", "--emit-lp", "-",
                 words="several outputs want stdout")
    place.expect(OK, "plan", "net.json", "-o", "a.json", "-o", "a.h",
                 "--depfile", "/dev/null")


def reads_nothing(place):
    """The mistake is told before a file is opened."""
    os.mkfifo(place["pipe.json"])
    place.expect(USAGE, "plan", "net.json", "-o", "net.json")
    place.expect(USAGE, "plan", "none.json", "-o", "none.json",
                 words="is an input")


# ---------------------------------------------------------- links and rights

def follows_links(place):
    place["link.h"].symlink_to("sub/real.h")
    place.expect(OK, "plan", "net.json", "-o", "link.h")
    assert place["link.h"].is_symlink() and not place["sub/real.h"].is_symlink()
    first = place["sub/real.h"].read_bytes()
    place["far.h"].symlink_to(place["link.h"])
    place.expect(OK, "plan", "net.json", "-o", "far.h", "--align", "4096")
    assert place["far.h"].is_symlink() and place["link.h"].is_symlink()
    assert place["sub/real.h"].read_bytes() != first
    assert not place.temporaries()


def keeps_rights(place):
    place["a.h"].write_text("old")
    for mode in (0o600, 0o640, 0o666, 0o755):
        place["a.h"].chmod(mode)
        place.expect(OK, "plan", "net.json", "-o", "a.h")
        assert stat.S_IMODE(place["a.h"].stat().st_mode) == mode
    place["a.h"].chmod(0o444)
    if os.geteuid() != 0:
        place.expect(IO, "plan", "net.json", "-o", "a.h", words="a.h")
    else:
        os.chown(place["a.h"], 1234, 1234)
        place.expect(OK, "plan", "net.json", "-o", "a.h")
        assert place["a.h"].stat().st_uid == 1234


def long_names(place):
    for length in (248, 255):
        name = "n" * (length - 2) + ".h"
        place.expect(OK, "plan", "net.json", "-o", name)
        assert place[name].exists()
    place.expect(IO, "plan", "net.json", "-o", "n" * 254 + ".h")
    assert not place.temporaries()


def one_fails(place):
    """A set of outputs of which one cannot be written: none is."""
    place["old.h"].write_text("old")
    place.expect(IO, "plan", "net.json", "-o", "old.h", "-o", "new.csv", "-o",
                 "none/x.svg", words="none/x.svg")
    assert place["old.h"].read_text() == "old"
    assert not place["new.csv"].exists() and not place.temporaries()


# --------------------------------------------------------------------- gate

def gate(place, baseline, *arguments, status=OK, words=""):
    place["sub/b.json"].write_text(
        BUDGET % '{"graph":"../net.json","arena":{"fail":100000},"baseline":"%s"}'
        % baseline)
    return place.expect(status, "gate", "sub/b.json", *arguments, words=words)


def baselines(place):
    place["sub/out"].symlink_to(place.folder)
    place["sub/link.json"].symlink_to(place["there.json"])
    place["sub/in"].mkdir()
    gate(place, "in/base.json", "--update")
    assert place["sub/in/base.json"].exists()
    for outside in ("../base.json", str(place["base.json"]), "out/base.json",
                    "in/../../base.json", "link.json"):
        gate(place, outside, "--update", status=USAGE,
             words="--update-anywhere")
        assert not place["base.json"].exists()
        assert not place["there.json"].exists()
    gate(place, "../base.json", "--update-anywhere")
    assert place["base.json"].exists()


def gate_inputs(place):
    before = place["net.json"].read_bytes()
    gate(place, "../net.json", "--update-anywhere", status=USAGE,
         words="is an input")
    gate(place, "b.json", "--update", status=USAGE, words="written twice")
    gate(place, "base.json", "-o", "sub/b.json", status=USAGE)
    assert before == place["net.json"].read_bytes()


# -------------------------------------------------------------------- names

HOSTILE = ("no\n::error file=README.md,line=1::x", "a\x1b[31m", "a\x9b31m",
           "a\u202eb", "a\rb", "::error::x", "##[error]x",
           "##vso[task.setvariable]x")


def clean(text):
    """No line that is not memplan's own, and nothing for a terminal."""
    lines = text.decode(errors="surrogateescape").splitlines()
    assert len(lines) == 1, lines
    clean_lines(text)


def clean_lines(text):
    for line in text.decode(errors="surrogateescape").split("\n"):
        assert not line.startswith(("::", "##")), line
        assert all(c >= " " and not 0x7f <= ord(c) < 0xa0 and
                   not 0x2028 <= ord(c) <= 0x202e for c in line), repr(line)


def names_on_stderr(place):
    for name in HOSTILE:
        clean(place.expect(IO, "plan", name))
        clean(place.expect(IO, "plan", "net.json", "-o", f"none/{name}.h"))
        clean(place.expect(USAGE, name))
        clean(place.expect(USAGE, "plan", f"--{name}"))
        clean(place.expect(USAGE, "plan", "net.json", "--planner", name))
        clean(place.expect(USAGE, "plan", "net.json", "-o", name))
        clean(place.expect(USAGE, "gate", "net.json", "--format", name))
        place[f"{name}.json"].write_text("{}")
        clean(place.expect(3, "plan", f"{name}.json"))
        clean(place.expect(3, "check", f"{name}.json"))


# What is printed of a graph; each is said of a plan of it, too.
PRINTING = (("plan",), ("show",), ("show", "--chart"), ("explain",),
            ("simulate",), ("check",), ("replay",), ("plan", "--json"),
            ("show", "--json"), ("replay", "--json"), ("plan", "-o", "-"))


def names_on_stdout(place):
    """Names of a graph, its tensors, ops, pools, of its order and its bounds."""
    plan = json.loads(place.run("plan", "net.json", "--order", "auto", "-o",
                                "-", "--quiet").stdout)
    for name in (*HOSTILE, "\u009b31m", "\u2028::error ::x", "::error ::x"):
        graph = {"format": "memplan.graph", "version": 1, "name": name,
                 "tensors": [{"id": name, "size": 64}, {"id": 1, "size": 64}],
                 "pools": [{"name": name.replace("#", "=")}, {"name": "q"}],
                 "ops": [{"name": name, "outputs": [name]},
                         {"inputs": [name], "outputs": [1]}]}
        place["g.json"].write_text(json.dumps(graph))
        place.expect(OK, "plan", "g.json", "-o", "p.json", "--quiet")
        bound = {**plan["order"]["bound"], "kind": name, "ops": []}
        place["q.json"].write_text(json.dumps({
            **plan, "name": name, "planner": name, "target": name,
            "order": {**plan["order"], "name": name, "bound": bound}}))
        for command in PRINTING:
            for file in ("g.json", "p.json", "q.json"):
                done = place.run(command[0], file, *command[1:])
                clean_lines(done.stdout)
                clean_lines(done.stderr)


def hostile_budget(place):
    place["b.json"].write_text(
        BUDGET % ('{"graph":"no\\n::error file=README.md,line=1::\\u001b[31m",'
                  '"arena":{"fail":1}}'))
    clean(place.expect(IO, "gate", "b.json"))


def depfiles(place):
    for name in ("a\nall:;touch${IFS}PWNED;x.json", "a;touch PWNED.json",
                 "SHELL=x.json", "a\x01.json", "a|b.json", "a%b.json"):
        shutil.copy(place["net.json"], place[name])
        place.expect(USAGE, "plan", name, "-o", "y.h", "--depfile", "y.d",
                     words="--depfile")
        place.expect(USAGE, "plan", "net.json", "-o", name + ".h", "--depfile",
                     "y.d", words="--depfile")
        assert not place["y.h"].exists() and not place["y.d"].exists()
    if not shutil.which("make"):
        return
    for name in ("a b.json", "a:b.json", "a#b.json", "a$b.json", "a\\b.json",
                 "$(shell touch PWNED).json", "`touch PWNED`.json"):
        shutil.copy(place["net.json"], place[name])
        place.expect(OK, "plan", name, "-o", "y.h", "--depfile", "y.d")
        place["Makefile"].write_text("all: y.h\n\t@echo $^\n-include y.d\n")
        done = subprocess.run(["make", "-s"], cwd=place.folder, check=False,
                              capture_output=True, text=True)
        assert done.returncode == 0, f"{name}: {done.stderr}"
        assert not place["PWNED"].exists(), name


# ------------------------------------------------------------------- signals

def hard_csv():
    """Buffers that a search can always improve on."""
    numbers = random.Random(7)
    rows = ["id,lower,upper,size,alignment"]
    for i in range(120):
        start = numbers.randrange(100)
        rows.append(f"b{i},{start},{start + 1 + numbers.randrange(40)},"
                    f"{1 + numbers.randrange(997)},{1 << i % 6}")
    return "\n".join(rows) + "\n"


def interrupt(place, number, environment=None):
    """Planning is under way once it tells so; then the signal comes. A shell's
    background ignores some signals, and the tests may run there."""
    place["hard.csv"].write_text(hard_csv())
    with subprocess.Popen(
            [place.memplan, "plan", "hard.csv", "--planner", "climb",
             "--steps", "1000000000000", "--progress", "--quiet", "-o",
             "hard.json", "-o", "hard.h"],
            cwd=place.folder, env=environment, stderr=subprocess.PIPE,
            text=True, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL)) as run:
        for line in run.stderr:
            if line.startswith("planning"):
                break
        run.send_signal(number)
        run.stderr.read()
        return run.wait(timeout=600)


def soft_signals(place):
    for number in (signal.SIGINT, signal.SIGTERM):
        status = interrupt(place, number)
        assert status == -number, f"{number}: {status}"
        text = place["hard.json"].read_text()
        assert '"cut_short": true' in text
        assert place["hard.h"].exists() and not place.temporaries()
        place.expect(OK, "check", "hard.json")
        place.expect(OK, "plan", "hard.json", "--quiet", "-o", "again.json")
        assert place["again.json"].read_text() == text
        place["hard.json"].unlink()
        place["hard.h"].unlink()
    place.expect(OK, "plan", "net.json", "-o", "net.plan.json")
    assert "cut_short" not in place["net.plan.json"].read_text()


def hard_signals(place):
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1):
        status = interrupt(place, number)
        assert status == -number, f"{number}: {status}"
        assert not place["hard.json"].exists(), number
        assert not place.temporaries(), place.temporaries()


def ignored_signals(place):
    """nohup, and a shell's background, ignore signals: so does memplan."""
    done = subprocess.run(
        ["sh", "-c", "trap '' HUP INT; \"$0\" plan net.json --quiet -o a.h & "
         "kill -HUP $!; kill -INT $!; wait $!", place.memplan],
        cwd=place.folder, check=False)
    assert done.returncode == 0 and place["a.h"].exists()


def large_files(place):
    """A limit on files is an error with a sentence, and leaves nothing."""
    done = subprocess.run(
        ["sh", "-c", "ulimit -f 1; exec \"$0\" plan net.json -o a.html "
         "-o a.svg", place.memplan], cwd=place.folder, capture_output=True,
        check=False)
    assert done.returncode == IO, done
    assert b"a.html: error: cannot write" in done.stderr, done.stderr
    assert not place["a.html"].exists() and not place.temporaries()


# -------------------------------------------------------------------- memory

def memory_of_inputs(place):
    text = place.expect(MEMORY, "plan", "/dev/zero", "--max-memory", "10MiB",
                        words="/dev/zero: error: out of memory")
    assert text.count(b"\n") == 1, text
    place.expect(OK, "plan", "net.json", "--max-memory", "10MiB")
    place.expect(MEMORY, "plan", "net.json", "--max-memory", "64",
                 words="bytes of the file, over --max-memory")
    text = place.expect(MEMORY, "plan", "net.json", "--max-memory", "70000",
                        words="net.json: error: out of memory: ")
    assert text.endswith(b" held, over max-memory\n"), text


CASES = (
    is_input, is_companion, written_twice, reads_nothing, follows_links,
    keeps_rights, long_names, one_fails, baselines, gate_inputs,
    names_on_stderr, names_on_stdout, hostile_budget, depfiles, soft_signals,
    hard_signals, ignored_signals, large_files, memory_of_inputs)


def main():
    memplan, testdata = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    harness.tap((work.__name__.replace("_", " "),
                 lambda work=work: work(Place(memplan, testdata)))
                for work in CASES)


if __name__ == "__main__":
    main()
