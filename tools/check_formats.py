# SPDX-License-Identifier: MIT
"""Hands the sample plans of write-samples to programs that must accept them.

Headers go to every C and C++ compiler at hand as C99, C11 and C++11 with all
warnings as errors; JSON goes to Python's parser, CSV to its csv module, SVG to
an XML parser. Plans of graphs with tensors that share bytes go the same way;
programs then load them and run under canaries.
"""

import csv
import html.parser
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Werror", "-pedantic",
            "-fsyntax-only"]
COMPILERS = [
    ("gcc", "c", "c99"), ("gcc", "c", "c11"), ("g++", "c++", "c++11"),
    ("clang", "c", "c99"), ("clang", "c", "c11"), ("clang++", "c++", "c++11"),
]
PROGRAM = """
#include "{header}"
#include "{header}"
#include <memplan/host.h>
#include <memplan/canary.h>
#include <memplan/replay.h>
int main(void) {{ return 0; }}
"""
TYPES = re.compile(r"^#ifndef MEMPLAN_ENTRY$.*?^#endif$", re.M | re.S)
COMMENT = re.compile(r"/[*].*?[*]/", re.S)


def types(path):
    """The structs that generated headers and the loader both bring."""
    text = TYPES.search(path.read_text(encoding="ascii")).group()
    return COMMENT.sub("", text).split()


def check_header(path):
    for compiler, language, standard in COMPILERS:
        if not shutil.which(compiler):
            continue
        subprocess.run(
            [compiler, "-x", language, "-std=" + standard, *WARNINGS,
             "-I", sys.argv[2], "-"],
            input=PROGRAM.format(header=path).encode(), check=True)
    text = path.read_bytes()
    assert all(b < 0x7f and (b >= 0x20 or b in b"\t\n") for b in text), path
    assert all(len(line) < 400 for line in text.split(b"\n")), path
    assert types(path) == types(pathlib.Path(sys.argv[2], "memplan/loader.h"))


def no_floats(text):
    raise ValueError("a number of bytes that is no integer: " + text)


def check_plan(path):
    text = path.read_text(encoding="utf-8")
    plan = json.loads(text, parse_float=no_floats)
    assert plan["format"] == "memplan.plan" and plan["version"] == 1
    for tensor in plan["tensors"]:
        assert tensor["offset"] + tensor["size"] <= plan["arena_size"]
    lines = text.split("\n")
    assert sum('"offset"' in line for line in lines) == len(plan["tensors"])


def check_report(path):
    assert json.loads(path.read_text(encoding="utf-8"))["alignment"] == 512


def check_text(path, most=200):
    for line in path.read_text(encoding="utf-8").split("\n"):
        assert line == "" or line.isprintable(), (path, line)
        assert len(line) < most, (path, line)


def check_explain(path):
    """Its sentences name up to three tensors or ops of 60 characters."""
    check_text(path, 320)


def check_csv(path):
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    more = [name for name in ("gaps", "pool") if name in rows[0]]
    assert rows[0] == ["id", "lower", "upper", "size", *more, "offset"]
    for row in rows[1:]:
        cells = row[1:4] + row[-1:]
        assert len(row) == 5 + len(more), row
        assert all(cell.isdigit() for cell in cells), row
        assert row[0][:1] not in ("=", "+", "-", "@"), row


def check_copies(path):
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["step", "what", "tensor", "offset", "size", "behind",
                       "before"]
    for row in rows[1:]:
        assert row[1] in ("swap-out", "swap-in", "recompute"), row
        assert all(row[i].isdigit() for i in (0, 3, 4, 6)), row
        assert int(row[5] or -1) < int(row[0]) < int(row[6]), row


def check_reuse(path):
    """Every byte that is overwritten is one of both tensors."""
    text = path.read_text(encoding="utf-8")
    reuse = json.loads(text, parse_float=no_floats)
    assert reuse["format"] == "memplan.reuse" and reuse["version"] == 1
    assert reuse["edges"] == len(reuse["reuse"])
    assert sum(e["bytes"] for e in reuse["reuse"]) == reuse["bytes"]
    plan = json.loads(path.with_name(path.name.replace(".reuse", ""))
                      .read_text(encoding="utf-8"))
    tensors = {t["id"]: t for t in plan["tensors"]}
    for edge in reuse["reuse"]:
        old, new = tensors[edge["old"]], tensors[edge["new"]]
        assert (old["end"] <= new["start"] or "gaps" in old
                or "gaps" in new), edge
        assert edge.get("pool") == old.get("pool") == new.get("pool"), edge
        for tensor in (old, new):
            guard = sum(max(g.get("before", 0), 512)
                        for g in plan.get("groups", []))
            assert tensor["offset"] <= edge["offset"] + guard
            assert (edge["bytes"] <= -(-tensor["size"] // 512) * 512)


DOT_LINE = re.compile(
    r'  (?:t\d+(?: -> t\d+)? \[(?:[a-z]+=[a-z]+, )*'
    r'label="[A-Za-z0-9 _.\-/:?&#;,()\[\\]*"\];|rankdir=LR;|node \[shape=box\];|'
    r'subgraph cluster_\d+ \{|label="[^"]*";|\})')


def check_dot(path):
    lines = path.read_text(encoding="ascii").splitlines()
    assert lines[0] == "digraph reuse {" and lines[-1] == "}", path
    for line in lines[1:-1]:
        assert DOT_LINE.fullmatch(line), line
        assert not re.search(r"\\[^n]", line), line
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tplain", "-o", "/dev/null", path], check=True)


def check_svg(path):
    root = xml.etree.ElementTree.parse(path).getroot()
    width, height = map(float, root.get("viewBox").split()[2:])
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    for element in root.iter():
        assert element.tag.rpartition("}")[2] in (
            "svg", "style", "title", "desc", "g", "rect", "circle", "path", "text",
            "tspan", "line"), element.tag
        assert not any(name.startswith("on") for name in element.attrib)
        if element.tag.endswith("rect"):
            at = {name: float(element.get(name, 0))
                  for name in ("x", "y", "width", "height")}
            assert at["x"] >= 0 and at["x"] + at["width"] <= width, at
            assert at["y"] >= 0 and at["y"] + at["height"] <= height, at
    if shutil.which("xmllint"):
        subprocess.run(["xmllint", "--noout", path], check=True)


def check_dsa(path):
    """Every buffer once, by id, where the plan has it. A sample's buffers have
    twice the numbers of its tensors."""
    solution = json.loads(path.read_text(encoding="utf-8"),
                          parse_float=no_floats)
    assert solution["schema_version"] == 1 and solution["metadata"] == {}
    offsets = {p["buffer"]: p["offset"] for p in solution["placements"]}
    assert [p["buffer"] for p in solution["placements"]] == sorted(offsets)
    plan = json.loads(path.with_name(path.name.replace(".dsa", ""))
                      .read_text(encoding="utf-8"))
    for tensor in plan["tensors"]:
        assert offsets[2 * int(tensor["id"])] == tensor["offset"], tensor


def check_trace(path):
    """At a step of a memory no two slices overlap; the counter is the load,
    and the others add up to it, but for the roundings of their pools."""
    events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    plan = json.loads(path.with_name(path.name.replace(".trace", ""))
                      .read_text(encoding="utf-8"))
    tracks, load, pools = {}, {}, {}
    for event in events:
        if event["ph"] == "X":
            tracks.setdefault((event["pid"], event["tid"]), []).append(
                (event["ts"], event["ts"] + event["dur"]))
        elif event["ph"] == "C" and event["name"] == "live bytes":
            load[event["ts"]] = event["args"]["bytes"]
        elif event["ph"] == "C":
            pools.setdefault(event["name"][len("live bytes in "):], []).append(
                event["args"]["bytes"])
    for (_, step), slices in tracks.items():
        slices.sort()
        assert all(a[1] <= b[0] for a, b in zip(slices, slices[1:])), step
        assert sum(b - a for a, b in slices) <= load[step - 1]
    assert {name: max(bytes) for name, bytes in pools.items()} == {
        p["name"]: p["theoretical_min"] for p in plan.get("pools", [])}
    assert max(load.values()) == plan["theoretical_min"]
    names = {t["name"] for t in plan["tensors"]}
    drawn = {e["name"] for e in events if e["ph"] == "X"}
    aliases = {t["name"] for t in plan["tensors"] if "alias" in t}
    assert drawn <= names <= drawn | aliases, names ^ drawn


def check_load(path):
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert max(int(r["live"]) for r in rows) == int(rows[0]["theoretical_min"])
    assert all(int(r["live"]) <= int(r["arena"]) for r in rows)
    steps = [int(r["step"]) for r in rows]
    assert steps == sorted(set(steps))
    for pool in list(rows[0])[5:]:
        assert max(int(r[pool]) for r in rows) <= int(rows[0]["arena"])
    assert len(rows[0]) == 5 or all(
        sum(map(int, list(r.values())[5:])) >= int(r["live"]) for r in rows)


class Page(html.parser.HTMLParser):
    """The elements of a page, and the text of its data."""

    def __init__(self):
        super().__init__()
        self.scripts, self.data = 0, None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        assert not any(name.startswith("on") for name in attrs), attrs
        assert "src" not in attrs and "href" not in attrs, attrs
        self.scripts += tag == "script"
        if attrs.get("id") == "data":
            self.data = ""

    def handle_data(self, data):
        if self.data == "":
            self.data = data


def check_html(path):
    """A page of three scripts, two of them data in plain ASCII."""
    text = path.read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    assert page.scripts == 3 and text.count("default-src 'none'") == 1
    assert page.data.isascii() and "<" not in page.data, path
    data = json.loads(page.data, parse_float=no_floats)
    plan = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    columns = ["sizes", "offsets", "starts", "lives", "made"]
    columns += ["pool"] * ("pools" in plan)
    assert [(p["name"], p["size"]) for p in data.get("pools", [])] == [
        (p["name"], p["arena_size"]) for p in plan.get("pools", [])]
    counts = {len(data[name]) for name in columns}
    counts |= {sum(data[name][1::2]) for name in ("kinds", "ends", "early")}
    assert len(counts) == 1, counts
    assert data["arena_size"] == plan["arena_size"]
    names, last = [], ""
    for shared, rest in zip(data["names"][::2], data["names"][1::2]):
        last = last[:shared] + rest
        names.append(last)
    several = {i: members for i, *members in data["several"]}
    found = [name for i, name in enumerate(names) if i not in several]
    found += [name for members in several.values() for name in members]
    assert set(found) == {t["name"] for t in plan["tensors"] if t["size"]}, path


def checksum(data):
    total = 0xcbf29ce484222325
    for at in range(0, len(data), 8):
        word = 0 if at == 24 else int.from_bytes(data[at:at + 8], "little")
        total = (total ^ word) * 0x9e3779b97f4a7c15 % 2 ** 64
        total ^= total >> 32
    return total


def times_of(plan):
    """When something is born, dies, goes or comes back."""
    return sorted({time for t in plan["tensors"] for pair in
                   [(t["start"], t["end"]), *t.get("gaps", [])]
                   for time in pair[:2]})


def check_offsets(path):
    """The numbers that TFLM takes: a head, and an offset for each tensor."""
    data = path.read_bytes()
    version, subgraphs, n = struct.unpack_from("<3I", data)
    assert (version, subgraphs, len(data)) == (1, 1, 12 + 4 * n)


def check_table(path):
    """Reads the table by docs/table-format.md and compares it to the plan."""
    data = path.read_bytes()
    head = struct.unpack_from("<8s2I2Q4I5Q2I", data)
    assert head[:4] == (b"\x89MPT\r\n\x1a\n", 1, 96, len(data))
    assert head[4] == checksum(data)
    plan = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert head[7] == len(plan["tensors"])
    names = data[head[12]:head[12] + head[13]]
    order = struct.unpack_from("<%dI" % head[7], data, head[11])
    found = []
    for i, tensor in enumerate(
            sorted(plan["tensors"], key=lambda t: t["size"] == 0)):
        record = struct.unpack_from("<2Q3I2H", data, head[10] + i * head[8])
        name = names[record[4]:names.index(b"\0", record[4])]
        found.append((name, i))
        assert name.decode() == tensor["name"]
        assert record[:2] == (tensor["offset"], tensor["size"])
        assert record[2:4] == tuple(
            tensor[key] if plan["ops"] else times_of(plan).index(tensor[key])
            for key in ("start", "end"))
        pool = plan["pools"][record[5]]["name"] if "pools" in plan else None
        assert tensor.get("pool", pool) == pool, tensor
    assert [i for _, i in sorted(found)] == list(order)
    sizes = [struct.unpack_from("<Q", data, head[9] + i * head[6])[0]
             for i in range(head[5])]
    assert sizes == [p["arena_size"] for p in plan.get("pools", [plan])]


CHECKS = {
    ".trace.json": check_trace, ".timeline.csv": check_load,
    ".bin": check_table, ".tflm.bin": check_offsets,
    ".h": check_header, ".json": check_plan, ".csv": check_csv,
    ".copies.csv": check_copies, ".dsa.json": check_dsa,
    ".reuse.json": check_reuse, ".dot": check_dot,
    ".svg": check_svg, ".html": check_html,
    ".result": check_report, ".show-json": check_report,
    ".explain": check_explain, ".explain-json": check_report,
    ".summary": check_text, ".show": check_text, ".verdict": check_text,
}


RUN = """
#include "{header}"
#include <memplan/canary.h>
#include <stdio.h>
#include <string.h>
static unsigned char bytes[1 << 16];
static uint64_t blocks[{upper}_N_POOLS][1 << 13];
static uint64_t sums[{upper}_N_POOLS][{upper}_N_TENSORS];
static struct memplan_canary canaries[{upper}_N_POOLS];
int main(void)
{{
	struct memplan_canary_report report;
	struct memplan_table table;
	FILE *file = fopen("{table}", "rb");
	size_t length = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	if (memplan_table_open(&table, bytes, length) ||
		memplan_table_pools(&table) != {upper}_N_POOLS)
		return 1;
	for (unsigned int k = 0; k < {upper}_N_POOLS; k++) {{
		canaries[k].block = (unsigned char *)blocks[k];
		canaries[k].size = {lower}_pools[k].size;
		canaries[k].entries = {lower}_entries;
		canaries[k].n = {upper}_N_TENSORS;
		canaries[k].sums = sums[k];
		canaries[k].pool = k;
	}}
{steps}	return 0;
}}
"""
STEP = """	for (int k = 0; k < {pools}; k++)
		memplan_canary_before(&canaries[k], {step});
{writes}	for (int k = 0; k < {pools}; k++)
		if (memplan_canary_after(&canaries[k], {step}, &report))
			return printf("step {step}: tensor %u, byte %lu\\n",
				report.tensor, (unsigned long)report.at), 2;
"""


def writes(plan, step):
    """What an op writes; without ops, what is born or back from a gap."""
    tensors, names = {t["id"]: t for t in plan["tensors"]}, []
    time = (times_of(plan) + [None] * len(plan["ops"]))[step]
    if plan["order"]["ops"]:
        op = plan["ops"][plan["order"]["ops"][step]]
        names = [t for t in op["outputs"] if "alias" not in tensors[t]
                 or tensors[t]["alias"].get("writes")]
    else:
        names = [t["id"] for t in plan["tensors"] if t["start"] == time
                 or any(gap[1] == time for gap in t.get("gaps", []))]
    pools = [p["name"] for p in plan.get("pools", [])]
    return "".join(
        "\tmemset((unsigned char *)blocks[%d] + %d, %d, %d);\n" %
        (pools.index(tensors[t]["pool"]) if pools else 0,
         tensors[t]["offset"], step + 1, tensors[t]["size"]) for t in names)


def check_run(path, folder):
    """The plan's table opens, and no canary is touched by what is right."""
    plan = json.loads(path.read_text(encoding="utf-8"))
    steps = len(plan["order"]["ops"]) or len(times_of(plan)) - 1
    text = RUN.format(
        header=path.with_suffix(".h"), upper=plan["name"].upper(),
        lower=plan["name"], table=path.with_suffix(".bin"),
        steps="".join(STEP.format(step=k, writes=writes(plan, k),
                                  pools=len(plan.get("pools", [plan])))
                      for k in range(steps)))
    core = pathlib.Path(sys.argv[2], "../src/loader/core")
    program = folder / "run"
    subprocess.run(["cc", "-std=c99", "-I", sys.argv[2], "-x", "c", "-",
                    *map(str, core.glob("*.c")), "-o", program],
                   input=text.encode(), check=True)
    subprocess.run([program], check=True)


def plan_tied(folder):
    suffixes = [s for s in CHECKS if s in (".h", ".bin", ".json", ".csv",
                                           ".svg", ".html", ".trace.json",
                                           ".reuse.json", ".dot",
                                           ".timeline.csv")]
    for name in sys.argv[4:]:
        base = folder / pathlib.Path(name).stem
        outputs = [x for s in suffixes for x in ("-o", f"{base}{s}")]
        subprocess.run([sys.argv[3], "plan", name, "--quiet", *outputs],
                       check=True)
        check_run(base.with_suffix(".json"), folder)
        (folder / "run").unlink()


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        plan_tied(pathlib.Path(folder))
        for path in sorted(pathlib.Path(folder).iterdir()):
            suffixes = [s for s in CHECKS if path.name.endswith(s)]
            if suffixes:
                CHECKS[max(suffixes, key=len)](path)


main()
