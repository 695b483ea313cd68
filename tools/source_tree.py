# SPDX-License-Identifier: MIT
"""The C sources as tools see them: files, rooms, includes, functions.

Reads text as clang-format leaves it: what is external begins in the first
column, and the brace of a function stands alone in its line. So no parser of C
is needed. check_includes.py, check_names.py, lint and count-house share this.
"""

import pathlib
import re

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')
ATTRIBUTE = re.compile(r"^__attribute__\(.*?\)+ ")
MACRO = re.compile(r"[A-Z_]+ ?\(.*\)$")  # MP_PRINTF(1, 2), ROWS(a, b)
VARIABLE = re.compile(r"[\w* ]*?\b(\w+)(?:\[[^]]*\])*(?: =.*|)[{;]$")
TEST = re.compile(r"(^|/)(test-[^/]*|testing\.h)$|^src/testing/")
FOLDERS = "src", "planners"


def files(root, folders=FOLDERS):
    """Paths of all C files and headers, relative to the root, sorted."""
    return sorted(path.relative_to(root).as_posix()
                  for folder in folders
                  for path in pathlib.Path(root, folder).rglob("*.[ch]"))


def room_of(path):
    """The room of a file, or of a header as includes name it."""
    return path.removeprefix("src/").split("/")[0]


def name_of(path):
    """How an include names a header."""
    return path.removeprefix("src/").removeprefix("include/")


def is_test(path):
    """Is the file for tests only?"""
    return bool(TEST.search(path))


def includes(text):
    """Of each include its quote or bracket, and what it names."""
    return INCLUDE.findall(text)


def code(text):
    """The text without comments, directives and what is in quotes; the lines
    stay what they were."""
    def blank(match):
        return "\n" * match[0].count("\n") or " "
    text = COMMENT.sub(blank, LITERAL.sub('""', text))
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)
    return text


def lines_of_code(text):
    """Lines that hold more than a comment."""
    return sum(1 for line in COMMENT.sub(
        lambda match: "\n" * match[0].count("\n"), text).split("\n")
        if line.strip())


def chunks(text):
    """Each thing at file scope: its first line's number and its text, up to
    the brace of a body, an initialiser or the semicolon."""
    start, held = 0, []
    for number, line in enumerate(code(text).split("\n"), 1):
        if not held and (not re.match(r"[A-Za-z_]", line) or
                         MACRO.match(line)):
            continue
        start = start or number
        held.append(line)
        if re.search(r"[;{]\s*$", line):
            yield start, ATTRIBUTE.sub("", " ".join(" ".join(held).split()))
            start, held = 0, []


def called(chunk):
    """The name before the parameters; None where there are none."""
    found = re.match(r"[^(={]*?\b(\w+) ?\(", chunk)
    return found[1] if found else None


def functions(text):
    """Line and name of each external function that the text defines."""
    for number, chunk in chunks(text):
        if chunk.endswith(" {") and called(chunk) and "=" not in \
                chunk.split("(")[0] and not chunk.startswith(
                    ("static ", "Test(", "extern ", "typedef ", "enum {")):
            yield number, called(chunk)


def variables(text):
    """Line and name of each variable at file scope that is not constant."""
    for number, chunk in chunks(text):
        found = VARIABLE.match(re.sub(r"^(static|_Thread_local) ", "", chunk))
        if found and not re.search(r"\bconst \w+(\[[^]]*\])*( =|;)|^(static )?"
                                   r"const [^*]*$", chunk.split(" =")[0] + ";") \
                and not re.match(r"extern |.*\btypedef |\w+ \w+ ?[{;]$", chunk):
            yield number, found[1]


def declared(text):
    """Names of all functions and variables that a header declares; several
    functions of one type may stand in one line: `order_run mp_a, mp_b;`."""
    for _, chunk in chunks(text):
        if not chunk.endswith(";") or chunk.startswith("typedef "):
            continue
        if called(chunk):
            yield called(chunk)
        elif not re.match(r"(struct|enum|union) \w+;", chunk):
            yield from re.findall(r"\b(\w+)(?:\[[^]]*\])*(?=[,;])", chunk)


def rows(root, text):
    """Functions that rows of a table name; a header declares them by including
    the rows, TABLE.def, with a macro ROW."""
    for quote, name in includes(text):
        if name.endswith(".def"):
            there = pathlib.Path(root, "src", name)
            there = there if there.exists() else pathlib.Path(root, name)
            yield from re.findall(r"\bmp_\w+", code(there.read_text("utf-8")))


def stems(path):
    """Names of headers that may serve a file: `a-b-c.c` has a-b-c, a-b, a."""
    words = pathlib.PurePosixPath(path).stem.split("-")
    return ["-".join(words[:n]) for n in range(len(words), 0, -1)]


def circles(edges):
    """Sets of nodes that reach each other, by Tarjan; edges: node to nodes."""
    index, low, stack, found = {}, {}, [], []
    for root in edges:
        work = [(root, None)] if root not in index else []
        while work:
            node, rest = work.pop()
            if rest is None:
                index[node] = low[node] = len(index)
                stack.append(node)
                rest = iter(sorted(edges.get(node, ())))
            for other in rest:
                if other not in index:
                    work += [(node, rest), (other, None)]
                    break
                if other in stack:
                    low[node] = min(low[node], low[other])
            else:
                if work:
                    above = work[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    group, stack[at:] = stack[at:], []
                    if len(group) > 1:
                        found.append(sorted(group))
    return found


def header_edges(root, paths):
    """Of each file the files of ours that it includes."""
    named = {name_of(path): path for path in paths}
    return {path: {named[name] for quote, name in
                   includes((root / path).read_text("utf-8"))
                   if quote == '"' and name in named} for path in paths}


def reached(edges, path):
    """What a file includes, and what that includes."""
    found, work = set(), [path]
    while work:
        new = edges.get(work.pop(), set()) - found
        found |= new
        work += new
    return found


def call_edges(root, paths, edges):
    """Of each .c file the .c files that define functions that it names, and that
    it sees declared through its includes, the edges."""
    texts = {path: (root / path).read_text("utf-8") for path in paths}
    names = {path: set(declared(text)) for path, text in texts.items()}
    home = {name: path for path, text in texts.items() if path.endswith(".c")
            for _, name in functions(text) if name != "main"}
    found = {}
    for path in (path for path in texts if path.endswith(".c")):
        seen = set().union(*(names[other] for other in reached(edges, path)))
        words = seen & {*re.findall(r"\w+", code(texts[path]))}
        words |= {*rows(root, texts[path])}
        found[path] = {home[word] for word in words & home.keys()} - {path}
    return found
