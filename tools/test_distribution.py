#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that other projects can have memplan as a part of their build.

    test_distribution.py [--container] MEMPLAN SOURCE_ROOT

The projects of docs/use fetch this tree from a git repository: a wrap of Meson and
FetchContent of CMake. Their plans are those of MEMPLAN, and what is compiled for another
machine gets the loader alone. --container builds tools/container instead, and plans in
it. Without a tool a test is skipped. Prints TAP.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import harness

URL = "https://git.example.com/memplan.git"


def run(*command, folder, **variables):
    done = subprocess.run(
        [str(c) for c in command], cwd=folder, env=dict(os.environ, **variables),
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, \
        f"{command}:\n{(done.stdout + done.stderr)[-3000:]}"
    return done.stdout


def repository(root, folder):
    """The tree as a git repository with the tag that the examples name."""
    place = folder / "memplan.git"
    place.mkdir()
    for path in root.iterdir():
        if path.is_dir() and not path.name.startswith((".", "build", "out")):
            shutil.copytree(path, place / path.name, symlinks=True)
        elif path.is_file() and path.name != ".git":  # a worktree's is a file
            shutil.copy(path, place)
    who = {f"GIT_{role}_{what}": "test" for role in ("AUTHOR", "COMMITTER")
           for what in ("NAME", "EMAIL")}
    for words in ("init -q", "add -A -f", "commit -q -m test", "tag v0.1.0"):
        run("git", *words.split(), folder=place, **who)
    return place


def project(root, folder, name, named):
    """A copy of the examples, with a graph, that fetches from the repository."""
    place = folder / name
    shutil.copytree(root / "docs/use", place)
    for user in ("cmake", "fetchcontent", "meson"):
        shutil.copy(root / "testdata/graphs/tiny.json", place / user / "net.json")
    path = place / named
    text = path.read_text(encoding="utf-8")
    assert URL in text and "v0.1.0" in text, path
    path.write_text(text.replace(URL, f"file://{folder}/memplan.git"),
                    encoding="utf-8")
    return place / named.split("/")[0]


def check_plan(memplan, program, place, build):
    """The program of the project's build plans what this one plans; the example
    runs with it."""
    for suffix in ("html", "json"):
        plans = [place / f"{name}.{suffix}" for name in ("one", "two")]
        for plan, planner in zip(plans, (memplan, program), strict=True):
            run(planner, "plan", "net.json", "--quiet", "-o", plan, folder=place)
        assert plans[0].read_bytes() == plans[1].read_bytes(), suffix
    assert "11 tensors" in run(build / "program", folder=place)


def check_wrap(memplan, root, folder):
    place = project(root, folder, "wrap", "meson/subprojects/memplan.wrap")
    run("meson", "setup", "build", "--force-fallback-for=memplan,memplan-loader-host",
        folder=place)
    targets = json.loads(run("meson", "introspect", "build", "--targets",
                             folder=place))
    assert not [t["name"] for t in targets if t["name"].startswith("test-")]
    run("ninja", "-C", "build", folder=place)
    check_plan(memplan, place / "build/subprojects/memplan/src/cli/memplan", place,
               place / "build")


LOADER_ONLY = """project('firmware', 'c')
loader = dependency('memplan-loader', default_options: ['loader-only=true'])
executable('firmware', 'firmware.c', dependencies: loader)
"""
FIRMWARE = """#include <memplan/loader.h>

int main(void)
{
\treturn memplan_table_text(0) == 0;
}
"""


def check_wrap_loader(_memplan, root, folder):
    """What is compiled for another machine asks for the loader alone."""
    place = project(root, folder, "firmware", "meson/subprojects/memplan.wrap")
    (place / "meson.build").write_text(LOADER_ONLY)
    (place / "firmware.c").write_text(FIRMWARE)
    run("meson", "setup", "build", "--force-fallback-for=memplan-loader",
        folder=place)
    run("ninja", "-C", "build", folder=place)
    run("build/firmware", folder=place)
    assert not list(place.rglob("libmemplan.a"))


def check_fetchcontent(memplan, root, folder):
    place = project(root, folder, "fetch", "fetchcontent/CMakeLists.txt")
    run("cmake", "-G", "Ninja", "-S", ".", "-B", "build", folder=place)
    run("ninja", "-C", "build", folder=place)
    check_plan(memplan, next(place.rglob("memplan-build/memplan")), place,
               place / "build")


def check_fetchcontent_loader(memplan, root, folder):
    """The same with the program of this machine."""
    place = project(root, folder, "cross", "fetchcontent/CMakeLists.txt")
    run("cmake", "-G", "Ninja", "-S", ".", "-B", "build",
        "-DMEMPLAN_LOADER_ONLY=ON", f"-DMEMPLAN_PROGRAM={memplan}", folder=place)
    run("ninja", "-C", "build", folder=place)
    assert not list(place.rglob("memplan-build/memplan"))
    check_plan(memplan, memplan, place, place / "build")


def check_container(memplan, root, folder, tool):
    image = "localhost/memplan-test"
    run(tool, "bud" if tool == "buildah" else "build", "-t", image, "-f",
        "tools/container/Containerfile", ".", folder=root)
    start = [tool, "run", "--rm"]
    mount, name = ["-v", f"{folder}:/work"], image
    if tool == "buildah":
        start = [tool, "run"]
        name = run(tool, "from", image, folder=root).strip()
    entry = ["memplan"] if tool == "buildah" else []  # buildah has no ENTRYPOINT
    shutil.copy(root / "testdata/graphs/tiny.json", folder / "net.json")
    run(*start, *mount, name, *entry, "plan", "net.json", "--quiet", "-o",
        "there.json", folder=folder)
    if tool == "buildah":
        run(tool, "rm", name, folder=root)
    run(tool, "rmi", image, folder=root)
    run(memplan, "plan", "net.json", "--quiet", "-o", "here.json", folder=folder)
    assert (folder / "there.json").read_bytes() == \
        (folder / "here.json").read_bytes()


def is_working(tool):
    """It is here, and its daemon, if it has one, runs."""
    return shutil.which(tool) and not subprocess.run(
        [tool, "info"], capture_output=True, check=False).returncode


def container(memplan, root, folder):
    tool = next(filter(is_working, ("podman", "docker", "buildah")), None)
    if not tool:
        yield "container # SKIP no podman, docker or buildah that works", bool
    else:
        yield f"container, by {tool}", check_container, memplan, root, folder, tool


def cases(memplan, root, folder):
    missing = [tool for tool in ("git", "ninja") if not shutil.which(tool)]
    if not missing:
        repository(root, folder)
    for tool, checks in (("meson", (check_wrap, check_wrap_loader)),
                         ("cmake", (check_fetchcontent,
                                    check_fetchcontent_loader))):
        for check in checks:
            title = check.__name__.removeprefix("check_").replace("_", ", ")
            if missing or not shutil.which(tool):
                yield f"{title} # SKIP no {' '.join([*missing, tool])}", bool
            else:
                yield title, check, memplan, root, folder


def main():
    arguments = sys.argv[1:]
    chosen = cases
    if arguments[0] == "--container":
        chosen, arguments = container, arguments[1:]
    memplan, root = (pathlib.Path(path).resolve() for path in arguments)
    with tempfile.TemporaryDirectory() as folder:
        harness.tap(chosen(memplan, root, pathlib.Path(folder)))


if __name__ == "__main__":
    main()
