#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The gate in a repository: ten commits of a growing graph, two of them too big.

    test_gate.py MEMPLAN SOURCE_ROOT

In every format the gate must fail on those two commits and on no other, and
compare must name the tensor that did it. Then names that try to break out of
each format. Consumers that are at hand are asked too: xmllint with an XSD named
by JUNIT_XSD, jsonschema with SARIF's schema named by SARIF_SCHEMA, SARIF's
multitool, junitparser. Prints TAP.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

MEMPLAN = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(sys.argv[2]).resolve()
FORMATS = ["human", "json", "markdown", "junit", "sarif", "github"]
TOO_BIG = {4, 7}
NO, BAD_INPUT, EIO = 1, 3, 6
HOSTILE = [
    "</script><script>alert(1)</script>", "]]>", "%0A::error::x", "\"><img x>",
    "' onload='x", "two\nlines\r\n::error::x", "\x01\x1b[31mred\x7f",
    "\u202etxt.exe", "a|b|c", "`code` **bold** [x](http://x)", "a,b:c", "%s%n",
    "\U0001f600 \u5f20\u91cf", "<!--", "-->", "&amp;", "x" * 4000,
]


def run(*arguments, folder, **variables):
    result = subprocess.run(
        [str(a) for a in arguments], cwd=folder, capture_output=True,
        env={**os.environ, **variables}, timeout=600, check=False)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


# ------------------------------------------------------------------- consumers

def sarif_schema():
    path = os.environ.get("SARIF_SCHEMA")
    if not path:
        return None
    try:
        import jsonschema
    except ImportError:
        return None
    schema = json.loads(pathlib.Path(path).read_text(encoding="utf-8-sig"))
    return jsonschema.validators.validator_for(schema)(schema)


SARIF_SCHEMA = sarif_schema()


def ask_multitool(text):
    tool = shutil.which("sarif-multitool") or os.environ.get("SARIF_MULTITOOL")
    if not tool:
        return
    with tempfile.NamedTemporaryFile("w", suffix=".sarif") as file:
        file.write(text)
        file.flush()
        code, out, error = run(tool, "validate", file.name, folder="/tmp")
    assert code == 0 and ": error" not in out, out + error


def read_sarif(text):
    log = json.loads(text)
    if SARIF_SCHEMA:
        SARIF_SCHEMA.validate(log)
    ask_multitool(text)
    assert log["version"] == "2.1.0"
    results = log["runs"][0]["results"]
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    for result in results:
        place = result["locations"][0]["physicalLocation"]
        assert place["region"]["startLine"] > 0
        assert re.fullmatch(r"[A-Za-z0-9._~/%:-]+",
                            place["artifactLocation"]["uri"])
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    return sum(r["level"] == "error" for r in results)


def ask_xmllint(text):
    if not shutil.which("xmllint"):
        return
    schema = os.environ.get("JUNIT_XSD")
    command = ["xmllint", "--noout", *(["--schema", schema] if schema else []),
               "-"]
    result = subprocess.run(command, input=text.encode(), capture_output=True,
                            check=False)
    assert result.returncode == 0, result.stderr.decode()


def read_junit(text):
    ask_xmllint(text)
    suites = xml.etree.ElementTree.fromstring(text.encode())
    bad = len(suites.findall(".//failure")) + len(suites.findall(".//error"))
    assert bad == int(suites.get("failures")) + int(suites.get("errors"))
    assert len(suites.findall(".//testcase")) == int(suites.get("tests"))
    try:
        from junitparser import JUnitXml
        assert JUnitXml.fromstring(text.encode()).tests == int(
            suites.get("tests"))
    except ImportError:
        pass
    return bad


def decode_command(line):
    """As the runner of GitHub Actions reads a line."""
    match = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line)
    assert match, line
    level, properties, message = match.groups()
    pairs = dict(p.split("=", 1) for p in properties.split(","))
    assert set(pairs) == {"file", "line", "col", "title"}, line
    assert int(pairs["line"]) > 0
    for code, text in (("%3A", ":"), ("%2C", ","), ("%25", "%")):
        pairs = {k: v.replace(code, text) for k, v in pairs.items()}
    assert pathlib.Path(pairs["file"]).name == "budget.json"
    assert "%" not in message.replace("%25", "")
    return level


def read_github(text):
    *commands, last = text.splitlines()
    assert last.startswith("memplan gate: ")
    return sum(decode_command(line) == "error" for line in commands)


def read_markdown(text):
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in rows}) == 1, text
    assert not re.search(r"<(?!/?code>)", text), text
    return sum(row.startswith(("| fail", "| error")) for row in rows)


def read_json(text):
    rows = json.loads(text)["rows"]
    return sum(row["level"] in ("fail", "error") for row in rows)


def read_human(text):
    return len(re.findall(r"^  (?:fail|error) ", text, re.M))


READERS = {"human": read_human, "json": read_json, "markdown": read_markdown,
           "junit": read_junit, "sarif": read_sarif, "github": read_github}


def bad_rows(text, name):
    """What the report counts as failed, once its consumers took it."""
    controls = "\x00-\x08\x0b-\x1f\x7f" + ("" if name == "json" else "\u202e")
    assert not re.search(f"[{controls}]", text), name
    return READERS[name](text)


# --------------------------------------------------------------------- history

def graph(commit):
    """A chain that gets a layer a commit; two commits keep something alive."""
    layers = 4 + commit
    tensors = [{"name": f"act{i}", "size": 4096 + 64 * i}
               for i in range(layers)]
    ops = [{"name": f"layer{i}", "inputs": [f"act{i - 1}"] if i else [],
            "outputs": [f"act{i}"]} for i in range(layers)]
    if commit in TOO_BIG:
        tensors.insert(1, {"name": f"cache{commit}", "size": 16384})
        ops[1]["outputs"].append(f"cache{commit}")
        ops[-1]["inputs"].append(f"cache{commit}")
    return {"format": "memplan.graph", "version": 1, "tensors": tensors,
            "ops": ops}


BUDGET = {"format": "memplan.budget", "version": 1, "budgets": [
    {"graph": "net.json", "target": "board", "arena": {"fail": "16KiB"},
     "ratio": {"warn": 1.01, "fail": 1.05}, "optimal": "warn"}]}


def make_history(folder):
    """Ten commits; yields the number of each while it is checked out."""
    git = shutil.which("git")
    if git:
        run(git, "init", "-q", folder=folder)
    for commit in range(10):
        (folder / "net.json").write_text(json.dumps(graph(commit), indent=1))
        (folder / "budget.json").write_text(json.dumps(BUDGET, indent=1))
        if git:
            run(git, "add", "net.json", "budget.json", folder=folder)
            code, _, error = run(
                git, "-c", "user.name=t", "-c", "user.email=t@example.org",
                "commit", "-qm", f"layer {commit}", folder=folder)
            assert code == 0, error
        yield commit


def check_history():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        failed = {report: set() for report in FORMATS}
        for commit in make_history(folder):
            for report in FORMATS:
                code, out, error = run(MEMPLAN, "gate", "budget.json",
                                       "--format", report, folder=folder)
                assert code in (0, NO), error
                assert (bad_rows(out, report) > 0) == (code == NO), out
                if code == NO:
                    failed[report].add(commit)
        for report in FORMATS:
            yield f"{report} fails on the two commits that exceed", (
                None if failed[report] == TOO_BIG else str(failed[report]))


def compare_names(folder, old, new):
    for commit in (old, new):
        (folder / f"{commit}.json").write_text(json.dumps(graph(commit)))
    code, out, _ = run(MEMPLAN, "compare", f"{old}.json", f"{new}.json",
                       "--json", folder=folder)
    report = json.loads(out)
    assert report["grew"] == (code == NO)
    peak = sum(t["change"] for t in report["peak"])
    least = (report["new"]["theoretical_min"]
             - report["old"]["theoretical_min"])
    assert peak == least, out
    _, text, _ = run(MEMPLAN, "compare", f"{old}.json", f"{new}.json",
                     folder=folder)
    return code, [t["name"] for t in report["peak"]], text


def check_compare():
    with tempfile.TemporaryDirectory() as name:
        for commit in range(1, 10):
            code, names, text = compare_names(
                pathlib.Path(name), commit - 1, commit)
            guilty = f"cache{commit}"
            wrong = None
            if commit in TOO_BIG and (
                    code != NO or names[0] != guilty or guilty not in text):
                wrong = f"{code} {names}"
            yield f"compare names who made commit {commit} grow", wrong


# ----------------------------------------------------------------------- names

def hostile_budget():
    rows = [{"graph": "net.json", "target": name, "arena": {"fail": 1},
             "baseline": name, "growth": {"warn": 0}} for name in HOSTILE]
    rows += [{"graph": name + ".json"} for name in HOSTILE]
    return {"format": "memplan.budget", "version": 1, "budgets": rows}


def check_hostile():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "net.json").write_text(json.dumps(graph(0)))
        (folder / "budget.json").write_text(json.dumps(hostile_budget()))
        for report in FORMATS:
            code, out, _ = run(MEMPLAN, "gate", "budget.json", "--format",
                               report, folder=folder)
            assert code == EIO
            n = bad_rows(out, report)
            yield f"hostile names break no {report}", (
                None if n == 2 * len(HOSTILE) else f"{n} bad rows")
        _, out, _ = run(MEMPLAN, "gate", "budget.json", "--json",
                        folder=folder)
        names = [row["target"] for row in json.loads(out)["rows"]]
        yield "json has names whole", (
            None if names[:len(HOSTILE)] == HOSTILE else str(names))


def check_hostile_compare():
    def chain(names, size):
        return {"format": "memplan.graph", "version": 1, "name": names[0],
                "tensors": [{"name": n, "size": size} for n in names],
                "ops": [{"name": n, "outputs": [n]} for n in names]}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "a.json").write_text(json.dumps(chain(HOSTILE, 1)))
        (folder / "b.json").write_text(json.dumps(chain(HOSTILE, 5000)))
        _, text, _ = run(MEMPLAN, "compare", "a.json", "b.json",
                         folder=folder)
        _, mark, _ = run(MEMPLAN, "compare", "a.json", "b.json", "--markdown",
                         folder=folder)
        _, data, _ = run(MEMPLAN, "compare", "a.json", "b.json", "--json",
                         folder=folder)
    controls = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202e]")
    yield "hostile names break no compare", (
        None if not controls.search(text + mark) and "::error::x\n" not in text
        and not re.search(r"<(?!/?code>)", mark)
        and {t["name"] for t in json.loads(data)["resized"]} == set(HOSTILE)
        else text)


def check_too_long():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        budget = {"format": "memplan.budget", "version": 1,
                  "budgets": [{"graph": "x" * 5000}]}
        (folder / "budget.json").write_text(json.dumps(budget))
        code, _, error = run(MEMPLAN, "gate", "budget.json", folder=folder)
    yield "5,000 characters are refused in a sentence", (
        None if code == BAD_INPUT and "must not be longer" in error else error)


# --------------------------------------------------------------------- updating

def check_update():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        budget = {"format": "memplan.budget", "version": 1, "budgets": [
            {"graph": "net.json", "baseline": "old.json",
             "arena": {"fail": 1}, "growth": {"fail": 0}}]}
        (folder / "budget.json").write_text(json.dumps(budget))
        (folder / "net.json").write_text(json.dumps(graph(3)))
        before, out, _ = run(MEMPLAN, "gate", "budget.json", folder=folder)
        yield "a missing baseline is a notice", (
            None if before == NO and "no baseline yet" in out else out)
        updated, _, error = run(MEMPLAN, "gate", "budget.json", "--update",
                                folder=folder)
        after, out, _ = run(MEMPLAN, "gate", "budget.json", folder=folder)
        yield "an update makes the gate pass", (
            None if updated == 0 and after == 0 else out + error)
        (folder / "net.json").write_text(json.dumps(graph(4)))
        grown, out, _ = run(MEMPLAN, "gate", "budget.json", folder=folder)
        yield "growth over the baseline fails", (
            None if grown == NO and "fail    growth" in out else out)
        summary = folder / "summary"
        run(MEMPLAN, "gate", "budget.json", "--format", "github",
            folder=folder, GITHUB_STEP_SUMMARY=str(summary))
        run(MEMPLAN, "gate", "budget.json", "--format", "github",
            "-o", "r.xml", "-o", "r.sarif", "-o", "r.md",
            folder=folder, GITHUB_STEP_SUMMARY=str(summary))
        text = summary.read_text()
        yield "the step summary is appended", (
            None if text.count("### memory budgets: 1 failed") == 2 else text)
        yield "reports are written by suffix", (
            None if read_junit((folder / "r.xml").read_text()) == 2
            and read_sarif((folder / "r.sarif").read_text()) == 2
            and read_markdown((folder / "r.md").read_text()) == 1 else "no")


def main():
    results = []
    for check in (check_history, check_compare, check_hostile,
                  check_hostile_compare, check_too_long, check_update):
        results += check()
    for number, (name, wrong) in enumerate(results, 1):
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
        if wrong:
            print("# " + wrong.replace("\n", "\n# "))
    print(f"1..{len(results)}")
    return any(wrong for _, wrong in results)


if __name__ == "__main__":
    sys.exit(main())
