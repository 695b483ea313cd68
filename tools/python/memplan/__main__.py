# SPDX-License-Identifier: MIT
"""`python -m memplan` is the program memplan."""

import importlib.metadata
import os
import shutil
import sys


def program() -> str:
    """The program that was installed with this package, or else the one in the
    PATH; "": there is none."""
    try:
        files = importlib.metadata.files("memplan") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        path = os.path.realpath(file.locate())
        if file.name == "memplan" and os.access(path, os.X_OK) and \
                os.path.isfile(path):
            return path
    return shutil.which("memplan") or ""


def main() -> None:
    path = program()
    if not path:
        sys.exit("memplan: the program memplan is neither with this package "
                 "nor in the PATH")
    os.execv(path, ["memplan", *sys.argv[1:]])


if __name__ == "__main__":
    main()
