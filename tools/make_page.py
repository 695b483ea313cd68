#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Joins the page of the HTML report and writes it as three C arrays.

    make_page.py OUTPUT PAGE STYLE SCRIPT...

The page names its parts: @STYLE@ and @SCRIPT@, @STYLE_HASH@ and @SCRIPT_HASH@
(for its Content-Security-Policy: no other script runs), and @DATA@ and @SECOND@,
which the emitter writes and where the page is cut.
"""

import base64
import hashlib
import pathlib
import sys


def read(path):
    return pathlib.Path(path).read_text(encoding="utf-8")


def digest(text):
    sha = hashlib.sha256(text.encode("utf-8")).digest()
    return "sha256-" + base64.b64encode(sha).decode("ascii")


def array(name, text):
    data = text.encode("utf-8")
    lines = [f"const unsigned char {name}[] = {{"]
    for at in range(0, len(data), 16):
        lines.append("\t" + ", ".join(str(b) for b in data[at:at + 16]) + ",")
    lines.append("};")
    lines.append(f"const size_t {name}_length = {len(data)};")
    return "\n".join(lines) + "\n"


def main():
    output, page, style, *scripts = sys.argv[1:]
    style = read(style)
    script = "".join(read(path) for path in scripts)
    assert "</script" not in script and "<!--" not in script
    text = read(page)
    for mark, value in (
            ("@STYLE_HASH@", digest(style)), ("@SCRIPT_HASH@", digest(script)),
            ("@STYLE@", style), ("@SCRIPT@", script)):
        assert text.count(mark) == 1, mark
        text = text.replace(mark, value)
    before, rest = text.split("@DATA@")
    parts = dict(zip(("before", "between", "behind"),
                     (before, *rest.split("@SECOND@")), strict=True))
    pathlib.Path(output).write_text(
        '#include "emit/html/html.h"\n' + "".join(
            "\n" + array("mp_html_" + name, part)
            for name, part in parts.items()), encoding="ascii")


main()
