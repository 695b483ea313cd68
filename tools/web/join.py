#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Joins the parts of the page into one file.

    join.py OUTPUT FOLDER GLUE WASM

FOLDER has the parts, GLUE is what Emscripten writes beside the WebAssembly.
"""

import base64
import pathlib
import sys


def main():
    output, folder, glue, wasm = map(pathlib.Path, sys.argv[1:])

    def read(name):
        return (folder / name).read_text(encoding="utf-8")

    worker = "".join((glue.read_text(encoding="utf-8"), read("api.js"),
                      read("worker.js")))
    core = base64.b64encode(wasm.read_bytes()).decode("ascii")
    text = read("page.html")
    for mark, value in (("@STYLE@", read("page.css")), ("@CORE@", core),
                        ("@WORKER@", worker), ("@SCRIPT@", read("page.js"))):
        assert text.count(mark) == 1, mark
        assert "</script" not in value and "<!--" not in value, mark
        text = text.replace(mark, value)
    output.write_text(text, encoding="utf-8")


main()
