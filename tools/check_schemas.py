#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Schemas and readers agree, and the examples of the format pages are read.

    check_schemas.py MEMPLAN SOURCE_ROOT

testdata/schema/NAME.txt holds pairs of lines, a verdict and a document. Both the
reader and schemas/NAME.schema.json must say of a good document that it is good
and of a bad one that it is bad. A document with the verdict 'meaning: RULE' is
refused by the reader alone: no schema can state the rule. Fenced blocks of
docs/formats/*.md that are marked `json graph`, `json plan` or `csv` must be read,
and JSON ones must satisfy their schema. memplan only writes reuse edges and sweeps: what it
writes must satisfy the schema, and so must the pages' examples. Without
python3-jsonschema only the readers are asked. Prints TAP.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    from jsonschema import Draft202012Validator
except ImportError:
    Draft202012Validator = None

USAGE, BAD_INPUT = 2, 3


MISSING_FILE = 6


def reader_accepts(memplan, text, suffix):
    command = "gate" if '"memplan.budget"' in text[:40] else "show"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "document" + suffix)
        file.write_text(text)
        result = subprocess.run([memplan, command, file], timeout=600,
                                capture_output=True, check=False)
    if command == "gate" and result.returncode == MISSING_FILE:
        return True  # the budget was read; its graphs are made up
    if result.returncode not in (0, USAGE, BAD_INPUT):
        raise RuntimeError(result.stderr.decode())
    return result.returncode == 0


def schema_accepts(validator, text):
    return validator is None or validator.is_valid(json.loads(text))


def judge(memplan, validator, verdict, text):
    """What is wrong, or None."""
    reader = reader_accepts(memplan, text, ".json")
    if reader != (verdict == "good"):
        return f"reader {'accepts' if reader else 'refuses'} it"
    if validator is None:
        return None
    schema = schema_accepts(validator, text)
    if schema != (verdict != "bad"):
        return f"schema {'accepts' if schema else 'refuses'} it"
    return None


def check_corpus(memplan, path, validator):
    lines = [line for line in path.read_text().splitlines()
             if not line.startswith("#")]
    for verdict, text in zip(lines[::2], lines[1::2]):
        yield f"{path.stem} {verdict}: {text[:80]}", judge(
            memplan, validator, verdict.split(":")[0], text)


def check_page(memplan, path, validators):
    blocks = re.findall(r"^```(json (?:graph|plan|budget)|csv)\n(.*?)^```",
                        path.read_text(), re.M | re.S)
    for number, (kind, text) in enumerate(blocks):
        name = f"{path.name} example {number}"
        if kind == "csv":
            yield name, (None if reader_accepts(memplan, text, ".csv")
                         else "reader refuses it")
        else:
            yield name, judge(memplan, validators[kind.split()[1]], "good",
                              text)


def check_trace(memplan, path):
    """The four files of the page on io_info, written beside each other."""
    blocks = dict(re.findall(r"^```json (\w+_\w+)\n(.*?)^```",
                             path.read_text(), re.M | re.S))
    with tempfile.TemporaryDirectory() as folder:
        for part, text in blocks.items():
            batch = "" if part == "io_info" else ".4"
            pathlib.Path(folder, f"net{batch}.{part}.json").write_text(text)
        result = subprocess.run(
            [memplan, "show", f"{folder}/net.io_info.json", "--batch", "4"],
            timeout=600, capture_output=True, check=False)
    yield f"{path.name} example", (result.stderr.decode()
                                   if result.returncode else None)


def check_reuse(memplan, root, validator):
    """Written, never read: what is written satisfies the schema."""
    if validator is None:
        return
    path = root / "testdata/schema/reuse.txt"
    lines = [line for line in path.read_text().splitlines()
             if not line.startswith("#")]
    for verdict, text in zip(lines[::2], lines[1::2]):
        accepted = schema_accepts(validator, text)
        yield f"reuse {verdict}: {text[:80]}", (
            None if accepted == (verdict == "good")
            else f"schema {'accepts' if accepted else 'refuses'} it")
    texts = re.findall(r"^```json reuse\n(.*?)^```",
                       (root / "docs/formats/reuse.md").read_text(),
                       re.M | re.S)
    for graph in ("testdata/graphs/worked.json",
                  "testdata/graphs/transformer_b4_adam.json",
                  "testdata/cli/streams/two.json",
                  "testdata/cli/pools/net.json"):
        with tempfile.NamedTemporaryFile(suffix=".reuse.json") as file:
            subprocess.run([memplan, "plan", "--quiet", root / graph, "-o",
                            file.name], timeout=600, check=True)
            texts.append(pathlib.Path(file.name).read_text())
    for number, text in enumerate(texts):
        document = json.loads(text)
        yield f"reuse document {number}", (
            None if validator.is_valid(document)
            and document["edges"] == len(document["reuse"])
            else "schema refuses it, or it miscounts")


def check_tasks(memplan, root, validator):
    """A task is a line, and a list is read as a whole."""
    lines = [line for line in (root / "testdata/schema/task.txt").read_text()
             .splitlines() if not line.startswith("#")]
    page = (root / "docs/formats/tasks.md").read_text()
    shown = re.search(r"^```json task\n(.*?)^```", page, re.M | re.S)[1]
    cases = [*zip(lines[::2], lines[1::2]),
             *(("good", line) for line in shown.splitlines())]
    for verdict, text in cases:
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "t").write_text(text + "\n")
            done = subprocess.run(
                [memplan, "batch", "t", "--store", "s", "--merge", "-o", "x.csv"],
                cwd=folder, timeout=600, capture_output=True, check=False)
        wrong = []
        if (done.returncode == BAD_INPUT) == (verdict == "good"):
            wrong.append(f"reader: {done.returncode}: {done.stderr}")
        if schema_accepts(validator, text) != (
                not verdict.startswith("bad")) and validator:
            wrong.append("schema differs")
        yield f"task {verdict}: {text[:80]}", wrong


def check_sweep(memplan, root, validator):
    """Written, never read."""
    if validator is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "t").write_text("".join(
            json.dumps({"input": f"{root}/testdata/graphs/{name}.json", **more})
            + "\n" for name, more in (
                ("figure10", {}), ("worked", {"outputs": ["p.json"]}),
                ("figure10", {"options": {"capacity": 1}}))))
        for more in (["--quiet"], ["--merge", "-o", "m.json"]):
            subprocess.run([memplan, "batch", "t", "--store", "s", *more],
                           cwd=folder, timeout=600, check=True)
        text = pathlib.Path(folder, "m.json").read_text()
    yield "sweep document", None if schema_accepts(
        validator, text) else "schema refuses it"


def load(root, name):
    if Draft202012Validator is None:
        return None
    schema = json.loads((root / f"schemas/{name}.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def main():
    memplan, root = (pathlib.Path(p).resolve() for p in sys.argv[1:])
    validators = {name: load(root, name) for name in ("graph", "plan", "budget")}
    results = []
    for name, validator in validators.items():
        results += check_corpus(
            memplan, root / f"testdata/schema/{name}.txt", validator)
    for page in sorted((root / "docs/formats").glob("*.md")):
        results += check_page(memplan, page, validators)
    results += check_reuse(memplan, root, load(root, "reuse"))
    results += check_tasks(memplan, root, load(root, "task"))
    results += check_sweep(memplan, root, load(root, "sweep"))
    results += check_trace(memplan, root / "docs/formats/io-info.md")
    for number, (name, wrong) in enumerate(results, 1):
        state = "not ok" if wrong else "ok"
        print(f"{state} {number} - {name.replace('#', ' ')}")
        if wrong:
            print(f"# {wrong}")
    print(f"1..{len(results)}")
    return any(wrong for _, wrong in results)


if __name__ == "__main__":
    sys.exit(main())
