#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the loader for a Cortex-M4 and runs it there, in qemu.

    test_thumb.py MEMPLAN SOURCE_ROOT

The loader alone is built with tools/cross/thumb.ini, at most 4 KiB of it; a
firmware with a plan in flash is linked with it. Skipped (77) without
arm-none-eabi-gcc or qemu-system-arm.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

COMPILE = ["arm-none-eabi-gcc", "-std=c99", "-Os", "-Wall", "-Wextra",
           "-Werror", "-ffreestanding", "-nostdlib", "-mcpu=cortex-m4",
           "-mthumb"]
QEMU = ["qemu-system-arm", "-M", "mps2-an386", "-nographic", "-monitor",
        "none", "-serial", "none", "-semihosting-config",
        "enable=on,target=native"]
LARGEST = 4096


def run(*command, folder):
    return subprocess.run([str(c) for c in command], cwd=folder, check=True,
                          capture_output=True, text=True, timeout=1200).stdout


def code_size(library, folder):
    lines = run("arm-none-eabi-size", library, folder=folder).splitlines()
    return sum(int(n) for line in lines[1:] for n in line.split()[:2])


def main():
    memplan, root = (pathlib.Path(p).resolve() for p in sys.argv[1:])
    for tool in (COMPILE[0], QEMU[0], "meson"):
        if not shutil.which(tool):
            print(tool, "is not here")
            return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run("meson", "setup", "thumb", root, "--cross-file",
            root / "tools/cross/thumb.ini", folder=folder)
        run("meson", "compile", "-C", "thumb", folder=folder)
        library = next(folder.rglob("libmemplan-loader.a"))
        size = code_size(library, folder)
        run(memplan, "plan", root / "testdata/graphs/tiny.json", "--quiet",
            "-o", "plan.bin", "-o", "tiny.h", folder=folder)
        text = (folder / "tiny.h").read_text()
        (folder / "plan.h").write_text(
            text.replace("TINY", "PLAN").replace("tiny_", "plan_"))
        source = root / "src/loader/firmware"
        run(*COMPILE, "-I.", "-I", root / "include", "-T", source / "link.ld",
            source / "firmware.c", library, "-lgcc", "-o", "firmware.elf",
            folder=folder)
        status = subprocess.run([*QEMU, "-kernel", "firmware.elf"], cwd=folder,
                                timeout=1200, check=False).returncode
    print(f"{size} bytes of loader, exit status {status}")
    return 0 if status == 0 and size <= LARGEST else 1


if __name__ == "__main__":
    sys.exit(main())
