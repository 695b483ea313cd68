#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that others can use memplan: installs it, then builds small projects.

    test_use.py BUILD SOURCE_ROOT

What a plain `meson setup` builds and where it installs that; man, pkg-config, CMake and Meson consumers; memplan as a build step of CMake and of
Meson, which must run again only when an input changed; C++17 and Rust. What
needs a tool that is missing is skipped. Prints TAP.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import make_man

BUILD, ROOT = (pathlib.Path(p).resolve() for p in sys.argv[1:])
EXAMPLES = ROOT / "docs" / "use"


class Missing(Exception):
    """A tool that is not here."""


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            raise Missing(tool)


def run(*command, folder, env=None):
    result = subprocess.run(
        [str(c) for c in command], cwd=folder, env=env, timeout=1500,
        capture_output=True, text=True, check=False)
    if result.returncode:
        raise AssertionError(f"{command}:\n{result.stdout}{result.stderr}")
    return result.stdout


class Installed:
    """A copy of memplan below a folder, as a package would install it."""

    def __init__(self, folder):
        run("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir",
            folder, folder=BUILD)
        program = next(folder.rglob("bin/memplan"))
        self.prefix = program.parent.parent
        pc = next(folder.rglob("memplan.pc")).parent
        self.env = dict(
            os.environ,
            PATH=f"{program.parent}:{os.environ['PATH']}",
            PKG_CONFIG_PATH=str(pc), PKG_CONFIG_SYSROOT_DIR=str(folder),
            LD_LIBRARY_PATH=str(pc.parent),
            CMAKE_PREFIX_PATH=str(self.prefix))


def project(folder, name):
    """A fresh copy of one of the projects in docs/use, with a graph."""
    place = folder / name
    shutil.copytree(EXAMPLES / name, place)
    shutil.copy(ROOT / "testdata/graphs/tiny.json", place / "net.json")
    return place


def check_defaults(_folder, _memplan):
    """A release build, in a folder that every pkg-config and linker knows."""
    need("meson")
    options = {row["name"]: row["value"] for row in json.loads(
        run("meson", "introspect", "--buildoptions", ROOT / "meson.build",
            folder=ROOT))}
    assert options["buildtype"] == "release", options["buildtype"]
    assert options["libdir"] == "lib", options["libdir"]


def check_manuals(folder, memplan):
    """man finds the page of the program, of each command and of the library."""
    need("man")
    commands = [name for name, _, _ in make_man.commands_of(
        memplan.prefix / "bin/memplan")]
    for page in ["memplan", "memplan-formats", "libmemplan",
                 *(f"memplan-{name}" for name in commands)]:
        run("man", "-M", memplan.prefix / "share/man", "-w", page,
            folder=folder)


def check_pkg_config(folder, memplan):
    need("cc", "pkg-config")
    place = project(folder, "c")
    own = run("pkg-config", "--cflags", "memplan-loader", folder=place,
              env=memplan.env)
    for package in "memplan", "memplan-device":
        flags = run("pkg-config", "--cflags", package, folder=place,
                    env=memplan.env)
        assert flags == own, f"{package} gives away flags of others: {flags}"
    for program, package in (("library", "memplan"),
                             ("loader", "memplan-loader-host"),
                             ("replay", "memplan-device")):
        flags = run("pkg-config", "--cflags", "--libs", "--static", package,
                    folder=place, env=memplan.env).split()
        run("cc", f"{program}.c", "-o", program, *flags, folder=place)
    run("memplan", "plan", "net.json", "--quiet", "-o", "net.bin", "-o",
        "net_plan.json", folder=place, env=memplan.env)
    run("./library", "net.json", folder=place, env=memplan.env)
    run("./loader", "net.bin", folder=place, env=memplan.env)
    run("./replay", "net_plan.json", folder=place, env=memplan.env)
    for command in ("./library",), ("./loader", "missing.bin"):
        done = subprocess.run(command, cwd=place, env=memplan.env, timeout=60,
                              capture_output=True, text=True, check=False)
        assert (done.returncode, "no such file" in done.stderr) == (2, True), \
            f"{command}: {done}"


def check_rebuilds(place, build, header, env):
    """Ninja has nothing to do, until the graph changes."""
    def changed():
        before = header.stat().st_mtime_ns
        run("ninja", "-C", build, folder=place, env=env)
        return header.stat().st_mtime_ns != before

    run("ninja", "-C", build, folder=place, env=env)
    assert not changed(), "was made again for nothing"
    graph = place / "net.json"
    text = graph.read_text().replace("512", "1024", 1) + "\n"
    while graph.stat().st_mtime_ns <= header.stat().st_mtime_ns:
        graph.write_text(text)
    assert changed(), "was not made again"
    assert not changed(), "was made again for nothing, later"


def check_cmake(folder, memplan):
    need("cmake", "ninja")
    place = project(folder, "cmake")
    run("cmake", "-G", "Ninja", "-S", ".", "-B", "build", folder=place,
        env=memplan.env)
    check_rebuilds(place, "build", place / "build/net_plan.h", memplan.env)
    run("build/program", folder=place, env=memplan.env)


def check_meson(folder, memplan):
    need("meson", "ninja")
    place = project(folder, "meson")
    run("meson", "setup", "build", folder=place, env=memplan.env)
    check_rebuilds(place, "build", place / "build/net_plan.h", memplan.env)
    run("build/program", folder=place, env=memplan.env)


def check_depfile(folder, memplan):
    """Names that make would misread; make itself is the judge."""
    need("make")
    graph = folder / "a b#c$d.json"
    shutil.copy(ROOT / "testdata/graphs/tiny.json", graph)
    run("memplan", "plan", graph.name, "-o", "./out put.h", "-o", "x.bin",
        "--quiet", "--depfile", "net.d", folder=folder, env=memplan.env)
    text = (folder / "net.d").read_text()
    assert text == "./out\\ put.h x.bin: a\\ b\\#c$$d.json\n", text
    (folder / "Makefile").write_text("all: x.bin\ninclude net.d\n")
    run("make", "-q", folder=folder)
    os.utime(graph, (2**31, 2**31))
    stale = run("make", "-n", "-d", folder=folder,
                env=dict(os.environ, LC_ALL="C"))
    assert f"Prerequisite '{graph.name}' is newer than target 'x.bin'" in stale


def check_cpp(folder, memplan):
    need("c++")
    place = project(folder, "cpp")
    run("memplan", "plan", "net.json", "--quiet", "-o", "net_plan.h",
        folder=place, env=memplan.env)
    flags = run("pkg-config", "--cflags", "--libs", "memplan-loader-host",
                folder=place, env=memplan.env).split()
    run("c++", "-std=c++17", "-Wall", "-Wextra", "-pedantic", "-Werror",
        "program.cc", "-o", "program", *flags, folder=place)
    run("./program", folder=place)


STUBS = ROOT / "tools/stubs"
STAND_INS = BUILD / "src/loader/stand-in"
STRICT = ("-Wall", "-Wextra", "-Werror")
# Name, what else the compiler gets, what the program needs, what it prints.
DEVICE_PROGRAMS = (
    ("cuda-malloc.c", (), {}, "in one cudaMalloc"),
    ("cuda-graph.c", (), {}, "one graph"),
    ("acl-malloc.c", ("-L", STAND_INS, "-lascendcl"),
     {"LD_LIBRARY_PATH": STAND_INS}, "in one aclrtMalloc"),
)


def check_device_stubs(folder, memplan):
    """Against stubs of the vendors' headers, in tools/stubs: they compile, and
    run in memory of the host. The Ascend one runs on the stand-in."""
    need("cc", "c++", "pkg-config")
    place = project(folder, "device")
    run("memplan", "plan", "net.json", "--quiet", "-o", "net_plan.h",
        folder=place, env=memplan.env)
    flags = run("pkg-config", "--cflags", "--libs", "memplan-loader-host",
                folder=place, env=memplan.env).split()
    for source, more, variables, text in DEVICE_PROGRAMS:
        run("cc", *STRICT, "-isystem", STUBS, source, "-o", "program", *flags,
            *more, folder=place)
        said = run("./program", folder=place, env={
            **memplan.env, **{k: str(v) for k, v in variables.items()}})
        assert text in said, f"{source}: {said}"
    run("c++", "-std=c++17", *STRICT, "-isystem", STUBS, "-c", "tensorrt.cc",
        "-o", "tensorrt.o", *flags, folder=place)


def check_device_cuda(folder, memplan):
    """Against CUDA's own headers and library, where they are installed. The
    programs run where there is a GPU, too."""
    home = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
    if not (home / "include/cuda_runtime_api.h").is_file():
        raise Missing("CUDA toolkit")
    place = project(folder / "cuda", "device")
    run("memplan", "plan", "net.json", "--quiet", "-o", "net_plan.h",
        folder=place, env=memplan.env)
    flags = run("pkg-config", "--cflags", "--libs", "memplan-loader-host",
                folder=place, env=memplan.env).split()
    for source in ("cuda-malloc.c", "cuda-graph.c"):
        run("cc", *STRICT, "-isystem", home / "include", source, "-o",
            "program", *flags, "-L", home / "lib64", "-lcudart", folder=place)
        done = subprocess.run(
            ["./program"], cwd=place, capture_output=True, text=True,
            check=False, env={**memplan.env,
                              "LD_LIBRARY_PATH": str(home / "lib64")})
        assert done.returncode in (0, 6), done.stderr


def check_device_torch(folder, memplan):
    """Debian's PyTorch belongs to Debian's Python."""
    need("cc", "/usr/bin/python3")
    if subprocess.run(["/usr/bin/python3", "-c", "import torch"],
                      capture_output=True, check=False).returncode:
        raise Missing("PyTorch")
    place = project(folder / "torch", "device")
    run("memplan", "plan", "net.json", "--quiet", "-o", "net_plan.bin",
        folder=place, env=memplan.env)
    library = next(memplan.prefix.rglob("libmemplan-loader.a"))
    run("cc", "-shared", "-o", "libloader.so", "-Wl,--whole-archive", library,
        "-Wl,--no-whole-archive", folder=place)
    said = run("/usr/bin/python3", "torch_block.py", "net_plan.bin",
               "./libloader.so", folder=place)
    assert "11 tensors in one block" in said, said


def check_rust(folder, memplan):
    need("rustc")
    place = project(folder, "rust")
    run("memplan", "plan", "net.json", "--quiet", "-o", "net_plan.h", "-o",
        "net.bin", folder=place, env=memplan.env)
    run("sh", "constants.sh", folder=place)
    library = next(memplan.prefix.rglob("libmemplan-loader.a")).parent
    run("rustc", "--edition", "2021", "-L", library, "program.rs",
        folder=place)
    run("./program", folder=place)


def main():
    checks = [check_defaults, check_manuals, check_pkg_config, check_cmake, check_meson,
              check_depfile, check_cpp, check_rust, check_device_stubs,
              check_device_cuda, check_device_torch]
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        memplan = Installed(folder / "root")
        for number, check in enumerate(checks, 1):
            title = check.__name__.removeprefix("check_")
            try:
                check(folder, memplan)
                print("ok", number, "-", title)
            except Missing as tool:
                print("ok", number, "-", title, "# SKIP no", tool)
            except (AssertionError, OSError) as problem:
                failed += 1
                print("not ok", number, "-", title)
                print("#", str(problem).replace("\n", "\n# "))
    print(f"1..{len(checks)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
