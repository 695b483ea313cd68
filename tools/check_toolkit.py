#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds what memplan says of vendors' libraries against their own headers.

    check_toolkit.py SOURCE_ROOT

Where CUDA's toolkit is installed (CUDA_HOME, or nvcc in the PATH, or
/usr/local/cuda): every prototype and number of src/loader/cuda-driver.def is
that of cuda.h, cuda.h maps every name to the exported one, the toolkit's stub of
libcuda exports it, and ptxas assembles the kernels for every target that it
knows. Where Ascend's is (ASCEND_TOOLKIT_HOME, or its usual place): prototypes
and numbers of acl-runtime.def are those of acl.h. The stand-ins define the same
functions, with or without a toolkit. What is not installed is skipped. Prints
TAP.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import harness

ROOT = pathlib.Path(sys.argv[1]).resolve()
LOADER = ROOT / "src/loader"
PTX = ("cuda-kernels.h", "example/network-ptx.h")
LISTS = '''
#define FUNCTION(field, name, version, need, parameters) \\
    FUNCTION|name|version|parameters
#define NUMBER(name, value) NUMBER|name|value
'''
ACL_LISTS = LISTS.replace("version, need, parameters) \\\n    FUNCTION|name|"
                          "version|", "need, type, parameters) \\\n    "
                          "FUNCTION|name|type|")


def command(*arguments, text=None):
    done = subprocess.run([str(a) for a in arguments], input=text, text=True,
                          capture_output=True, timeout=600, check=False)
    assert done.returncode == 0, \
        f"{' '.join(map(str, arguments))}:\n{done.stdout}{done.stderr}"
    return done.stdout


def rows(name, lists):
    """Functions (name, second column, parameters) and numbers of a list."""
    text = command("cc", "-E", "-P", "-I", ROOT / "src", "-x", "c", "-",
                   text=f'{lists}\n#include "loader/{name}"\n')
    found = [re.sub(r"\s+", " ", part).strip().split("|")
             for part in re.split(r"(?=FUNCTION\||NUMBER\|)", text)]
    functions = [row[1:] for row in found if row[0] == "FUNCTION"]
    numbers = [row[1:] for row in found if row[0] == "NUMBER"]
    assert functions and numbers, f"{name} has no rows"
    return functions, numbers


def first_folder(candidates, wanted):
    for folder in candidates:
        if folder and (pathlib.Path(folder) / wanted).is_file():
            return pathlib.Path(folder)
    return None


def cuda_folder():
    nvcc = shutil.which("nvcc")
    return first_folder(
        [os.environ.get("CUDA_HOME"),
         nvcc and pathlib.Path(nvcc).resolve().parent.parent,
         "/usr/local/cuda"], "include/cuda.h")


def ascend_folder():
    return first_folder(
        [os.environ.get("ASCEND_TOOLKIT_HOME"),
         "/usr/local/Ascend/ascend-toolkit/latest"], "include/acl/acl.h")


def compile_text(text, *arguments, language="c++"):
    command("c++" if language == "c++" else "cc", "-x", language, "-Werror",
            "-fsyntax-only", "-I", ROOT / "src", *arguments, "-", text=text)


def equal(name, text):
    return f'static_assert({text}, "{name}");'


def check_cuda_header(folder):
    """The compiler compares; and the macro of the name gives the export."""
    functions, numbers = rows("cuda-driver.def", LISTS)
    lines = ["#include <cuda.h>", "#include <type_traits>",
             "#define TEXT(x) #x", "#define NAME(x) TEXT(x)",
             "constexpr bool same(const char *a, const char *b)",
             "{ return *a == *b && (*a == 0 || same(a + 1, b + 1)); }"]
    for name, version, parameters in functions:
        lines.append(equal(name, f"std::is_same<decltype(&{name}), "
                           f"CUresult (*)({parameters[1:-1]})>::value"))
        lines.append(equal(name, f'same(NAME({name}), "{name}" {version})'))
    lines += [equal(name, f"{name} == {value}") for name, value in numbers]
    compile_text("\n".join(lines), "-I", folder / "include")


def check_cuda_exports(folder):
    stub = next(folder.rglob("stubs/libcuda.so"), None)
    assert stub, "the toolkit has no stub of libcuda"
    exported = {line.split()[-1] for line in
                command("nm", "-D", "--defined-only", stub).splitlines()}
    wanted = {name + version.strip('"') for name, version, _ in
              rows("cuda-driver.def", LISTS)[0]}
    assert wanted <= exported, f"not exported: {sorted(wanted - exported)}"


def check_ptx(folder):
    """Every target that this ptxas knows, of every text."""
    ptxas = folder / "bin/ptxas"
    targets = sorted(set(re.findall(r"'(sm_\d+[af]?)'",
                                    command(ptxas, "--help"))))
    assert targets, "ptxas knows no targets"
    with tempfile.TemporaryDirectory() as name:
        for header in PTX:
            text = (LOADER / header).read_text("utf-8")
            ptx = pathlib.Path(name) / "kernels.ptx"
            ptx.write_text("".join(
                line.replace("\\n", "\n")
                for line in re.findall(r'^\t"(.*)"', text, re.M)))
            for target in targets:
                command(ptxas, f"-arch={target}", "-o", "/dev/null", ptx)
    print("#", len(PTX), "texts for", " ".join(targets))


def check_acl_header(folder):
    functions, numbers = rows("acl-runtime.def", ACL_LISTS)
    lines = ["#include <acl/acl.h>", "#include <type_traits>"]
    for name, returned, parameters in functions:
        lines.append(equal(name, f"std::is_same<decltype(&{name}), "
                           f"{returned} (*)({parameters[1:-1]})>::value"))
    lines += [equal(name, f"{name} == {value}") for name, value in numbers]
    compile_text("\n".join(lines), "-I", folder / "include")


def check_stand_in_cuda():
    """A definition that differs from a declaration is an error."""
    functions = rows("cuda-driver.def", LISTS)[0]
    lines = ["#include <stddef.h>", '#include "loader/cuda-types.h"']
    lines += [f"CUresult {name}{version[1:-1]}({parameters[1:-1]});"
              for name, version, parameters in functions]
    text = ""
    for source in ("libcuda.c", "libcuda-memory.c", "libcuda-streams.c"):
        compile_text("\n".join(
            [*lines, f'#include "loader/stand-in/{source}"']), language="c")
        text += (LOADER / "stand-in" / source).read_text("utf-8")
    missing = [name + version[1:-1] for name, version, _ in functions
               if f" {name}{version[1:-1]}(" not in text]
    assert not missing, f"the stand-in lacks {missing}"


def check_stand_in_acl():
    functions = rows("acl-runtime.def", ACL_LISTS)[0]
    lines = ["#include <stddef.h>", "#include <stdint.h>",
             "typedef int aclrtMemMallocPolicy, aclrtMemcpyKind;"]
    lines += [f"{returned} {name}({parameters[1:-1]});"
              for name, returned, parameters in functions]
    compile_text("\n".join(
        [*lines, '#include "loader/stand-in/libascendcl.c"']), language="c")


def main():
    cases = [("the stand-in for CUDA has these functions",
              check_stand_in_cuda),
             ("the stand-in for Ascend has these functions",
              check_stand_in_acl)]
    for toolkit, folder, checks in (
            ("CUDA", cuda_folder(), [
                ("prototypes, numbers and names are cuda.h's",
                 check_cuda_header),
                ("libcuda exports the names", check_cuda_exports),
                ("ptxas assembles the kernels", check_ptx)]),
            ("Ascend", ascend_folder(), [
                ("prototypes and numbers are acl.h's", check_acl_header)])):
        for name, check in checks:
            if folder:
                cases.append((name, check, folder))
            else:
                cases.append((f"{name} # SKIP no toolkit of {toolkit}",
                              lambda: None))
    harness.tap(cases)


if __name__ == "__main__":
    main()
