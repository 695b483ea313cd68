#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads every sentence that the program can say.

    check_sentences.py [--list] [ROOT]

The sentences are the literals of the sources with a word and a space in them:
formats of reports, errors and warnings, and the templates of the page. Each is
said with the number 1 in the place of every number, and held against rules:
no plural behind a 1, no word twice, no person for a thing, no space in front
of a comma. Prints what breaks one; exit 1 if any does. --list prints all
sentences, to be read by a person.
"""

import pathlib
import re
import sys

import source_tree

# What is no sentence: markup, code and data that are written by format.
CODE = {
    "src/emit/header/header.c", "src/emit/header/header-bundle.c",
    "src/emit/header/header-tensors.c", "src/emit/svg/svg-style.c",
}
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
SPLICE = re.compile(r'"\s*(PRI[udix]\d+|)\s*"')
PRI = re.compile(r"PRI([udix])\d+")
NUMBER = re.compile(r"%[-+ 0#]*(?:\d+|\*)?(?:\.\d+|\.\*)?(?:ll|l|z|h)?[udi]"
                    r"|\$\{(?:count|String|[a-z.]*\.(?:n|count|length))\b[^}]*\}")
ONE = "1"
# What programs count.
NOUNS = ("byte step tensor buffer op part pool pair graph edge stream group "
         "chunk block pair row column line order plan file entry time copy "
         "member branch choice character digit second millisecond word "
         "rectangle overwrite interleaving timing level node value pattern "
         "reader view alias").split()
PLURAL = re.compile(r"(?<![\d.%])\b1 (" + "|".join(
    {"copy": "copies", "entry": "entries", "branch": "branches",
     "alias": "aliases"}.get(n, n + "s") for n in NOUNS) + r")\b(?!%)")
# Numbers that are never 1: totals, limits of the program, and what is only
# said of several.
ABOVE_ONE = re.compile(
    r"\b(1 of|1 and|from 1 to|the last of|at most|more than|longer than"
    r"|all timings of) 1 [a-z]+|a (number|name) of 1 bytes|; 1 steps have"
    r"|as 1 streams run|rates        1 bytes/s out, 1 bytes/s|table of 1 tensors:|ranges to 1 bytes")
RULES = {
    "a plural behind a 1": PLURAL,
    "a word twice": re.compile(r"\b([a-z]+) \1\b"),
    "a person for a thing": re.compile(
        r"\b(nobody|who|whom|whose|someone|anyone)\b"),
    "a space in front of a mark": re.compile(r"[a-z%] [,;:.](?:\s|$)"),
    "two spaces within a sentence": re.compile(r"[a-z,;:] {2}[a-z]{3,}"),
    "a small letter behind a full stop": re.compile(r"[a-z]{3}\. [a-z]"),
}


def joined(text):
    """Literals that stand side by side are one, as for a compiler."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    while True:
        found = SPLICE.sub(lambda m: PRI.sub(r"\1", m[1]), text)
        if found == text:
            return text
        text = found


def literals(path):
    """(line, literal) of a file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".js":
        pattern = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
    else:
        text, pattern = joined(text), LITERAL
    for match in pattern.finditer(text):
        literal = next(g for g in match.groups() if g is not None)
        yield text.count("\n", 0, match.start()) + 1, literal


def is_sentence(literal):
    return re.search(r"[A-Za-z%}] [A-Za-z%$]", literal) and not re.search(
        r"[<>{}]|=\\|^#|px|rgba?\(", literal.replace("${", "").replace("}", "")
        if "${" in literal else literal)


def said(literal):
    """With 1 for each number; "step%s" is what a plural's rule makes of it."""
    text = literal.replace("\\n", "\n").replace('\\"', '"').replace("%%", "%")
    text = NUMBER.sub(ONE, text)
    return re.sub(r"\b(1 (?:[a-z]+ )?[a-z]+)%s", r"\1", text)


def files(root):
    """Sources of the program, the page's among them."""
    yield from (name for name in source_tree.files(root)
                if not source_tree.is_test(name) and "/example/" not in name
                and name not in CODE)
    for suffix in ("js", "def"):
        for folder in source_tree.FOLDERS:
            for path in sorted((root / folder).rglob("*." + suffix)):
                yield path.relative_to(root).as_posix()


def sentences(root):
    for name in files(root):
        for line, literal in literals(root / name):
            if is_sentence(literal):
                yield f"{name}:{line}", said(literal)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--list"]
    root = pathlib.Path(arguments[0] if arguments else ".").resolve()
    n = broken = 0
    for place, text in sentences(root):
        n += 1
        if "--list" in sys.argv:
            print(f"{place}: {text.strip()!r}")
        for rule, pattern in RULES.items():
            if pattern.search(ABOVE_ONE.sub("2 of them", text)):
                print(f"{place}: {rule}: {text.strip()!r}")
                broken += 1
    print(f"{n} sentences, {broken} that break a rule")
    return 1 if broken or n < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
