#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One word for one idea: prose and comments use the words of docs/words.md.

    check_words.py SOURCE_ROOT [--rooms PLACE...] [--show PLACE]

Reads the last column of the tables of docs/words.md: words in backquotes there
are not to be used, and neither are pronouns of people. Looks at the prose of
Markdown, without code, and at the comments of C, Python, shell and Meson. Prints
how many such words each room has. A place is a file or a folder. Words in the
places of --rooms are listed and make it exit 1; so does a relative link of a
page, or a place in the glossary, that leads nowhere. --show lists the words of a
place, for work on it.
"""

import argparse
import collections
import io
import pathlib
import re
import sys
import tokenize

GLOSSARY = "docs/words.md"
# These stand for people, never for a tensor, an op or a planner.
PRONOUNS = ["who", "whom", "whose", "whoever", "nobody", "somebody", "anybody",
            "everybody"]
# Real people.
ALLOWED = re.compile(r"\b(?:people|users|authors) who\b", re.I)

PLACES = ["README.md", "NEWS.md", "CONTRIBUTING.md", "SECURITY.md",
          "meson.build", "meson_options.txt", "docs", "include", "planners",
          "src", "tools"]
ROOMS_BELOW = {"src", "planners", "docs"}  # a room is a folder of these


# ---- prose: what is left of a file, line by line, code blanked


def blank(text):
    """As many lines, and nothing on them."""
    return re.sub(r"[^\n]", " ", text)


C_TOKEN = re.compile(r"""
    (?P<comment> /\*.*?(?:\*/|\Z) | //(?:[^\n\\]|\\.)*)
  | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | [^"'/]+ | .
""", re.X | re.S)


def prose_of_c(text):
    """The comments; strings and characters may hold what looks like one."""
    return "".join(found[0] if found["comment"] else blank(found[0])
                   for found in C_TOKEN.finditer(text))


def prose_of_python(text):
    """Comments, and strings that are statements: docstrings."""
    kept, before = [], tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (
                token.type == tokenize.STRING and before in (
                    tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)):
            kept.append(token)
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            before = token.type
    lines = [""] * (text.count("\n") + 1)
    for token in kept:
        for number, line in enumerate(token.string.split("\n"),
                                      token.start[0] - 1):
            lines[number] += " " + line
    return "\n".join(lines)


def prose_of_shell(text):
    """What stands behind a # that begins a word, outside quotes."""
    token = re.compile(r"""
        (?P<comment> (?:(?<=\s)|\A)\#[^\n]*)
      | "(?:[^"\\]|\\.)*" | '[^']*' | [^"'\#]+ | .""", re.X | re.S)
    return "".join(found[0] if found["comment"] else blank(found[0])
                   for found in token.finditer(text))


def prose_of_markdown(text):
    """Without code blocks, inline code and the targets of links."""
    text = re.sub(r"^(```|~~~).*?^\1", lambda found: blank(found[0]), text,
                  flags=re.M | re.S)
    lines, in_code, empty_before = [], False, True
    for line in text.split("\n"):
        indented = line.startswith(("    ", "\t"))
        in_code = indented and (in_code or empty_before)
        empty_before = not line.strip() or in_code
        lines.append(blank(line) if in_code else line)
    text = "\n".join(lines)
    text = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)",
                  lambda found: blank(found[0]), text, flags=re.S)
    return re.sub(r"\]\([^)]*\)", lambda found: "]" + blank(found[0][1:]), text)


def without_last_column(text):
    """The glossary itself, less the words that it warns of."""
    return re.sub(r"^(\|.*)\|[^|\n]*\|$", r"\1| |", text, flags=re.M)


def prose_of(path, text):
    if path.suffix == ".md":
        return prose_of_markdown(text)
    if path.suffix in (".c", ".h", ".cu"):
        return prose_of_c(text)
    if path.suffix == ".py" or text.startswith("#!/usr/bin/env python"):
        return prose_of_python(text)
    if path.name in ("meson.build", "meson_options.txt") or (
            text.startswith("#!") and "sh" in text.split("\n")[0]):
        return prose_of_shell(text)
    return ""


# ---- words


def words_of(glossary):
    """What the last column of its tables has in backquotes, and what for."""
    words = {}
    for line in glossary.split("\n"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) > 2:
            for word in re.findall(r"`([^`]+)`", cells[-1]):
                words[word.lower()] = cells[0].strip("*")
    return words


def lost_places(root, glossary):
    """Files and folders of its column before the last that are not there."""
    for line in glossary.split("\n"):
        cells = line.strip().strip("|").split("|")
        if line.startswith("|") and len(cells) > 2:
            for place in re.findall(r"`([^`]+)`", cells[-2]):
                if not (root / place).exists():
                    yield place


def pattern_of(words):
    """Any of them as a whole word, or its plural, whatever white space is in
    it."""
    parts = sorted((r"[\s*]+".join(map(re.escape, word.split()))
                    for word in words), key=lambda part: (-len(part), part))
    return re.compile(r"(?<![\w-])(?:%s)s?(?![\w-])" % "|".join(parts), re.I)


def find(prose, pattern):
    """Words that are not to be used: line, word."""
    prose = ALLOWED.sub(lambda found: blank(found[0]), prose)
    for found in pattern.finditer(prose):
        yield (prose.count("\n", 0, found.start()) + 1,
               re.sub(r"[\s*]+", " ", found[0]).lower())


# ---- links


def anchors_of(text):
    """Of its headings, as the forges make them."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for title in re.findall(r"^#+ +(.*?) *$", text, re.M):
        title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower()
        yield re.sub(r"[^\w\- ]", "", title).replace(" ", "-")


def broken_links(root, path, text):
    """Relative links of a page that lead to no file, or to no heading."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z+]+:", target):
            continue
        name, _, anchor = target.partition("#")
        there = (root / path).parent / name if name else root / path
        if not there.exists():
            yield target
        elif anchor and anchor not in anchors_of(there.read_text("utf-8")):
            yield target


# ---- the tree


def files_of(root):
    """Of the project, not of build folders."""
    paths = {path for place in PLACES
             for path in [root / place, *(root / place).rglob("*")]}
    return sorted(path.relative_to(root) for path in paths if path.is_file())


def room_of(path):
    """The folder that a file is counted under."""
    depth = 2 if path.parts[0] in ROOMS_BELOW and len(path.parts) > 2 else 1
    return "/".join(path.parts[:depth])


def lies_in(path, place):
    parts = pathlib.PurePath(place).parts
    return path.parts[:len(parts)] == parts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--rooms", nargs="*", default=[], metavar="PLACE")
    parser.add_argument("--show", metavar="PLACE")
    args = parser.parse_args()

    glossary = (args.root / GLOSSARY).read_text("utf-8")
    instead = words_of(glossary)
    pattern = pattern_of([*instead, *PRONOUNS])
    counts, wrong, pages, files = collections.Counter(), 0, 0, 0
    unused = [place for place in args.rooms
              if not (args.root / place).exists()]
    for path in files_of(args.root):
        try:
            text = (args.root / path).read_text("utf-8")
        except UnicodeDecodeError:
            continue
        prose = prose_of(path, without_last_column(text)
                         if str(path) == GLOSSARY else text)
        files += bool(prose)
        clean = any(lies_in(path, place) for place in args.rooms)
        shown = args.show and lies_in(path, args.show)
        for line, word in find(prose, pattern):
            counts[room_of(path)] += 1
            wrong += clean
            if clean or shown:
                better = instead.get(word, instead.get(word[:-1]))
                print(f"{path}:{line}: not '{word}'"
                      + (f": {better}" if better else ""))
        if path.suffix == ".md":
            pages += 1
            for target in broken_links(args.root, path, text):
                print(f"{path}: no such place: {target}")
                wrong += 1
    for place in unused:
        print(f"--rooms: no such place: {place}")
    for place in lost_places(args.root, glossary):
        print(f"{GLOSSARY}: no such place: {place}")
        wrong += 1
    for room, count in sorted(counts.items()):
        print(f"{room}: {count}")
    print(f"{len(instead)} words, {files} files, {pages} pages, "
          f"{sum(counts.values())} to replace, {wrong} wrong")
    return 1 if wrong or unused or not (instead and files and pages) else 0


if __name__ == "__main__":
    sys.exit(main())
