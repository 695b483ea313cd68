#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Feeds memplan a numbered list of bad, odd and extreme inputs.

    test_bad_inputs.py MEMPLAN CASES.JSONL [NUMBER...]

Each row of the tables says what memplan must answer: its exit status and words
of the message. Numbers 84 to 102 are the cases of testdata/cli/k-cases, that is
CASES.JSONL. A number without a row, and without a reason why it has none, is a
failure too. Prints TAP.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

OK, NO, USAGE, INPUT, BUDGET, MEMORY, IO = 0, 1, 2, 3, 4, 5, 6
LAST = 115


def graph(tensors="", ops="", more=""):
    """The text of a graph document."""
    text = '{"format":"memplan.graph","version":1,"alignment":64'
    text += f',"tensors":[{tensors}]'
    return text + (f',"ops":[{ops}]' if ops else "") + more + "}"


def size(text):
    """A graph of one tensor with the size spelled so."""
    return graph('{"name":"a","size":' + text + ',"lifetime":[0,1]}')


A = '{"name":"a","size":8}'
B = '{"name":"b","size":8}'
F = '{"name":"f","outputs":["a"]}'
ONE = size("8")


def loop(last, carried_in, carried_out):
    """An op 0 that reads a, and op 1 that makes b; a loop from op 0 on."""
    tensors = '{"name":"a","size":8,"kind":"input"},' + B
    return graph(tensors, '{"inputs":["a"]},{"outputs":["b"]}',
                 f',"loops":[{{"first":0,"last":{last},"carried":'
                 f'[["{carried_in}","{carried_out}"]]}}]')


# ------------------------------------------------------------------ JSON text
# number, text, status, words

JSON = [
    (1, "", INPUT, "nothing in it"),
    (2, " \n\t ", INPUT, "nothing in it"),
    (3, '{"a":[', INPUT, "1:7: error: the text ends"),
    (3, '{"a', INPUT, "ends inside a string"),
    (3, '{"a":1', INPUT, "the text ends"),
    (3, '{"a\\u12', INPUT, "four hexadecimal digits"),
    (4, '{"a":[1,]}', INPUT, "trailing comma before ]"),
    (5, '{"a":1 "b":2}', INPUT, "a comma or } is due"),
    (6, "{'a':1}", INPUT, 'strings are quoted with "'),
    (7, '{"a":1} // x', INPUT, "text follows"),
    (7, '{"a":1 /* x */}', INPUT, "no comments"),
    (8, '{"a":NaN}', INPUT, "NaN is not a JSON number"),
    (9, '{"a":-Infinity}', INPUT, "Infinity is not a JSON number"),
    (10, size("-0"), OK, ""),
    (11, '{"a":1e400}', INPUT, "number too large"),
    (12, size("1e-400"), INPUT, "/tensors/0/size"),
    (13, size("9007199254740993"), INPUT, "from 0 to 9007199254740992"),
    (13, size("9007199254740992"), OK, ""),
    (14, size("9223372036854775807"), INPUT, "/tensors/0/size"),
    (15, size("9223372036854775808"), INPUT, "/tensors/0/size"),
    (16, size("18446744073709551616"), INPUT, "/tensors/0/size"),
    (17, size("-9223372036854775809"), INPUT, "/tensors/0/size"),
    (18, size("9" * 1000000), INPUT, "more than 60 characters"),
    (19, size("128.0"), INPUT, "write 128"),
    (19, size("1e3"), INPUT, "write 1000"),
    (20, size("0128"), INPUT, "must not begin with 0"),
    (20, size("0x80"), INPUT, "decimal numbers only"),
    (20, size("+1"), INPUT, "must not begin with +"),
    (20, size(".5"), INPUT, "needs a digit before its point"),
    (20, size("1."), INPUT, "needs a digit here"),
    (21, '{"a":1,"\\u0061":2}', INPUT, "key 'a' appears twice"),
    (22, graph('{"name":"a\\u0000b","size":1}'), INPUT, "NUL"),
    (23, '{"a":"x\0y"}', INPUT, "NUL"),
    (23, "\0" + ONE, INPUT, "neither JSON"),
    (24, ONE + "\0", INPUT, "a NUL follows"),
    (25, b"\xef\xbb\xbf" + ONE.encode(), OK, ""),
    (25, b"\xef\xbb\xbf\xef\xbb\xbf" + ONE.encode(), INPUT, "neither JSON"),
    (26, ONE.encode("utf-16"), INPUT, "UTF-16"),
    (27, b'{"a":"\xc0\xaf"}', INPUT, "not valid UTF-8"),
    (27, b'{"a":"\xed\xa0\x80"}', INPUT, "not valid UTF-8"),
    (28, '{"a":"\\ud800"}', INPUT, "surrogates come in pairs"),
    (29, '{"a":"\t"}', INPUT, "control character U+0009"),
    (30, ONE + ONE, INPUT, "a second document begins here"),
    (31, ONE + " x", INPUT, "text follows the document"),
    (32, "7", INPUT, "the header has no column"),
    (32, "[]", USAGE, "an io_info trace needs"),
    (32, '"text"', INPUT, "in.json"),
    (33, "[" * 100000 + "]" * 100000, INPUT, "more than 64 deep"),
    (33, '{"a":' * 100000, INPUT, "more than 64 deep"),
    (34, "[" * 1000000, INPUT, "more than 64 deep"),
    (35, '{"' + "k" * 10000000 + '":1}', INPUT, "in.json"),
    (36, graph('{"name":"' + "n" * 10000000 + '","size":1}'), INPUT,
     "4096 bytes"),
    (37, "{" + ",".join(f'"k{i}":1' for i in range(200000)) + "}", INPUT,
     "in.json"),
    (38, ONE.replace(",", ",\r\n"), OK, ""),
    (38, ONE.replace(",", ",\r"), OK, ""),
    (39, '{"format":"memplan.graph","version":1,"":1}', INPUT, "unknown key"),
    (40, graph("", "", ',"aligment":1').replace('"alignment":64,', ""), INPUT,
     "did you mean 'alignment'?"),
    (41, size("null"), INPUT, "/tensors/0/size"),
    (42, size('"128"'), INPUT, "not a string"),
    (42, size("true"), INPUT, "not true or false"),
    (44, b"\x1f\x8b\x08\0", INPUT, "compressed"),
    (44, b"PK\x03\x04", INPUT, "in.json"),
    (44, "+AHs-", INPUT, "the header has no column"),
    (45, ONE.replace(":1,", ":2.0,"), INPUT, "/version"),
    (45, ONE.replace('"version":1,', ""), INPUT, "'version' is missing"),
    (45, ONE.replace(":1,", ':"1",'), INPUT, "/version: must be an integer"),
]

# ------------------------------------------------------------------------ CSV

HEAD = "id,lower,upper,size"


def csv(*rows, head=HEAD):
    return "\n".join((head,) + rows) + "\n"


CSV = [
    (46, "a,0,1,2\n", INPUT, "in.csv"),
    (46, csv("2,1,0,a", head="size,upper,lower,id"), OK, ""),
    (46, csv("a,0,1,2,2", head=HEAD + ",size"), INPUT, "named once"),
    (46, csv("a,0,1,2,x", head=HEAD + ",note"), OK, ""),
    (47, csv("a,0,1"), INPUT, ":2: error: 3 cells where the header has 4"),
    (47, csv("a,0,1,2,3"), INPUT, "5 cells"),
    (48, csv('"a",0,1,2'), INPUT, "quoted cells"),
    (49, csv("a,2,1,2"), INPUT, "upper '1' must be greater"),
    (49, csv("a,1,1,2"), INPUT, "is empty"),
    (50, csv("a,0,1,-2"), INPUT, "size '-2'"),
    (50, csv("a,0,1,1 2"), INPUT, "size '1 2'"),
    (50, csv("a,0,1,1_000"), INPUT, "size '1_000'"),
    (50, csv("a,0,1,1,000"), INPUT, "5 cells"),
    (50, csv("a,0,1,\uff11"), INPUT, "must be an integer"),
    (51, csv("a,0,1,0"), OK, ""),
    (52, csv("a,0,1,1", "a,0,1,1"), INPUT, "id 'a' is taken by line 2"),
    (53, csv(",0,1,1"), INPUT, "the id is empty"),
    (54, "id;lower;upper;size\na;0;1;2\n", INPUT, "no column 'id'"),
    (54, "id\tlower\tupper\tsize\na\t0\t1\t2\n", INPUT, "in.csv"),
    (55, csv("a,0,1,2").replace("\n", "\r\n"), OK, ""),
    (55, csv("a,0,1,2")[:-1], OK, ""),
    (55, csv("a" * 20000000 + ",0,1,2"), OK, ""),
    (55, csv("a\0,0,1,2"), INPUT, "contains a NUL"),
    (56, csv("a,0,9,1,3-", head=HEAD + ",gaps"), INPUT, "gaps '3-'"),
    (56, csv("a,0,9,1,5-3", head=HEAD + ",gaps"), INPUT, "must start before"),
    (56, csv("a,0,9,1,2-4 3-5", head=HEAD + ",gaps"), INPUT, "must ascend"),
    (56, csv("a,0,9,1,8-10", head=HEAD + ",gaps"), INPUT, "must lie within"),
    (57, csv("a,0,1,1,0", "b,0,1,1,0", head=HEAD + ",offset"), NO,
     "tensors 'a' and 'b' overlap"),
    (57, csv("a,0,1,1,-2", head=HEAD + ",offset"), INPUT, "offset '-2'"),
    *((113, csv("a,0,2,8,0", "b,1,3,8,4", head=HEAD + ",offset"), NO,
       "tensors 'a' and 'b' overlap", command)
      for command in ("plan in.csv", "plan in.csv --planner given",
                      "plan in.csv --planner linear",
                      "explain in.csv --planner dive",
                      "simulate in.csv --planner greedy-size",
                      "compare in.csv in.csv --planner linear")),
    (113, csv("a,0,2,8,0", "b,1,3,8,8", head=HEAD + ",offset"), NO,
     "offset 8 is not a multiple of its alignment 64",
     "plan in.csv --planner linear --align 64"),
]

# ------------------------------------------------------------ graph semantics


def trace(ops, sizes, events=None):
    """The files of an io_info trace: ops are (inputs, outputs, release)."""
    listed = [{"op": f"{i}th:1:X", "id": i, "inputs": [*map(int, op[0])],
               "outputs": [*map(int, op[1])], "temporary": [],
               "release": [*map(int, op[2])]}
              for i, op in enumerate(ops)]
    if events is None:
        events = [[] for _ in ops]
    return {"in.json": json.dumps(listed), "s.json": json.dumps(sizes),
            "r.json": json.dumps(events)}


TRACE = "plan in.json --tensor-size s.json --resize-info r.json"
SIZES = {"0": 8, "1": 8}
CHAIN = [("", "0", ""), ("0", "1", "0")]
MANY = ",".join('{"id":%d,"size":1,"lifetime":[0,1]}' % i
                for i in range(100000))



def pools(named):
    """A graph of 64 pools with a tensor that names so many, and one again."""
    names = [f'"p{i}"' for i in range(64)]
    listed = ",".join((names + names)[:named])
    return graph('{"name":"a","size":8,"lifetime":[0,1],"pools":[%s]}' % listed,
                 "", ',"pools":[%s]' % ",".join(
                     '{"name":%s}' % name for name in names))


# number, text or files, status, words, arguments

GRAPHS = [
    (115, loop(1, "a", "b"), OK, ""),
    (115, loop(0, "a", "b"), INPUT,
     "/loops/0/carried/0: the second is made behind the loop"),
    (115, loop(1, "b", "b"), INPUT, "the first is made in the loop"),
    (114, pools(64), OK, ""),
    (114, pools(65), INPUT, "/tensors/0/pools/64: pool 'p0' stands here twice"),
    (114, pools(128), INPUT, "pool 'p0' stands here twice"),
    (58, graph(A, '{"outputs":["a"],"inputs":["x"]}'), INPUT,
     "/ops/0/inputs/0: no tensor is called 'x'"),
    (58, graph(A, '{"outputs":["a","x"]}'), INPUT, "/ops/0/outputs/1"),
    (58, trace([("", "0", "7")], SIZES), INPUT, "/0/release/0", TRACE),
    (59, graph(A, F + "," + F), INPUT, "tensor 'a' is produced twice"),
    (59, trace([("", "0", ""), ("", "0", "")], SIZES), INPUT,
     "'0' is made twice", TRACE),
    (60, trace([("1", "0", ""), ("", "1", "")], SIZES), INPUT,
     "no op up to here makes a tensor 1", TRACE),
    (61, trace([("", "0", "0"), ("0", "1", "")], SIZES), INPUT,
     "'0' is read after op 0 released it", TRACE),
    (62, trace([("", "0", "0"), ("", "1", "0")], SIZES), INPUT,
     "'0' was released by op 0 already", TRACE),
    (63, trace([("", "0", ""), ("0", "1", "")], SIZES), OK,
     "2 tensors are never released and taken to live to the end, first '0'",
     TRACE),
    (64, trace([("", "0", ""), ("0", "1", ""), ("", "", "0")], SIZES), OK,
     "1 tensor is released by an op that does not read it", TRACE),
    (66, trace([("", "0", "0"), ("", "1", "")], SIZES), OK, "", TRACE),
    (67, graph(A, F), OK, ""),
    (68, graph(A + "," + B + ',{"name":"c","size":8}',
               '{"name":"f","inputs":["b"],"outputs":["a"],"after":["h"]},'
               '{"name":"g","inputs":["a"],"outputs":["b"]},'
               '{"name":"h","inputs":["b"],"outputs":["c"]}'), INPUT,
     "cycle of 2: 'g' (op 1) -> 'f' (op 0)"),
    (69, graph(A, '{"name":"f","inputs":["a"],"outputs":["a"]}'), INPUT,
     "cycle of 1: 'f' (op 0)"),
    (69, graph(A, '{"name":"f","outputs":["a"],"after":["f"]}'), INPUT,
     "cycle of 1"),
    (70, graph('{"id":1099511627776,"size":8,"name":"z"},{"id":3,"size":8}',
               '{"outputs":[3]},{"inputs":[3],"outputs":[1099511627776]}'), OK,
     ""),
    (70, graph('{"id":1,"size":8},{"id":1,"size":8}', '{"outputs":[1]}'),
     INPUT, "tensor 0 has the id '1' too"),
    (70, {**trace(CHAIN, SIZES),
          "in.json": '[{"op":"x","id":5,"inputs":[],"outputs":[0],'
                     '"temporary":[],"release":[]}]', "r.json": "[[]]"},
     INPUT, "/0/id: must be 0", TRACE),
    (71, graph(A + "," + B, '{"name":"g","inputs":["a"],"outputs":["b"]},' + F),
     OK, ""),
    (72, graph(A, F + ",{}"), OK, ""),
    (73, graph('{"name":"a"}', F), INPUT, "/tensors/0: 'size' is missing"),
    (73, size("-1"), INPUT, "/tensors/0/size"),
    (73, size("0"), OK, ""),
    (73, trace(CHAIN, {"0": 8}), INPUT, "has no size for '1'", TRACE),
    (74, graph(",".join('{"id":%d,"size":9007199254740992,"lifetime":[0,1]}'
                        % i for i in range(600))), INPUT,
     "sizes sum to more than 2^62 bytes"),
    (75, graph(",".join('{"id":%d,"size":9007199254740992,"lifetime":[0,1]}'
                        % i for i in range(512))), INPUT,
     "sizes sum to more than 2^62 bytes", "plan in.json --target ascend"),
    (77, trace(CHAIN, {**SIZES, "0:0": 4}, [[["alloc", "0:0"]], []]), OK,
     "1 temporary is never freed and taken to live to the end, first '0:0'",
     TRACE),
    (77, trace(CHAIN, {**SIZES, "0:0": 4}, [[["free", "0:0"]], []]), INPUT,
     "'0:0' is freed but was not allocated", TRACE),
    (77, trace(CHAIN, {**SIZES, "0:0": 4}, [[], [["alloc", "0:0"]]]), INPUT,
     "but op 1 allocates it", TRACE),
    (77, trace(CHAIN, {**SIZES, "0:0": 4},
               [[["alloc", "0:0"]], [["free", "0:0"]]]), OK, "", TRACE),
    (78, trace(CHAIN, {**SIZES, "00": 4}), INPUT, "s.json", TRACE),
    (78, trace(CHAIN, {**SIZES, "0:1:2": 4}), INPUT, "must be called", TRACE),
    (78, trace(CHAIN, {**SIZES, ":0": 4}), INPUT, "must be called", TRACE),
    (78, trace(CHAIN, {**SIZES, "0:": 4}), INPUT, "must be called", TRACE),
    (78, trace(CHAIN, {**SIZES, "01:0": 4}), INPUT, "must be called", TRACE),
    (78, trace(CHAIN, {**SIZES, "9:0": 4}), INPUT, "has no op 9", TRACE),
    (79, trace(CHAIN, SIZES, [[]]), INPUT, "lists 1 op, but", TRACE),
    (80, {"m.io_info.json": trace(CHAIN, SIZES)["in.json"]}, IO,
     "m.2.tensor_size.json", "plan m.io_info.json --batch 2"),
    (80, {"m.io_info.json": trace(CHAIN, SIZES)["in.json"],
          "m.2.tensor_size.json": '{"7":8}',
          "m.2.resize_info.json": "[[],[]]"}, INPUT, "no size for '0'",
     "plan m.io_info.json --batch 2"),
    (81, graph(), OK, ""),
    (81, '{"format":"memplan.graph","version":1,"tensors":[],"ops":[]}', OK,
     ""),
    (81, trace([], {}), OK, "", TRACE),
    (82, ONE, OK, ""),
    (82, graph(MANY), OK, ""),
    (83, trace([("", "0", ""), ("0", "1", "00")], SIZES), INPUT,
     "'0' was released by op 1 already", TRACE),
]

# ---------------------------------------------------------------------- plans

TENSOR = ('{"id":%d,"name":"%s","offset":%s,"size":%d,"start":%d,"end":%d}')


def plan(*tensors, arena=16, least=16, bound=None, more=""):
    """A plan of tensors (name, offset, size, start, end)."""
    listed = ",".join(TENSOR % (i, *t) for i, t in enumerate(tensors))
    text = ('{"format":"memplan.plan","version":1,"name":"p","arena_size":%d,'
            % arena)
    text += '"theoretical_min":%d,' % least
    if bound is not None:
        text += '"lower_bound":%d,' % bound
    return text + '"alignment":1%s,"tensors":[%s]}' % (more, listed)


PAIR = (("a", 0, 8, 0, 2), ("b", 8, 8, 0, 2))
CHECK = "check in.json"
AGAINST = "check in.json g.json"
DOCUMENT = graph('{"name":"a","size":8,"lifetime":[0,2]},'
                 '{"name":"b","size":8,"lifetime":[0,2]}').replace(":64", ":1")

PLANS = [
    (103, {"in.json": plan(*PAIR), "g.json": DOCUMENT}, OK, "", AGAINST),
    (103, {"in.json": plan(*PAIR),
           "g.json": DOCUMENT.replace('"size":8', '"size":9', 1)}, NO, "'a'",
     AGAINST),
    (104, {"in.json": plan(PAIR[0], arena=8, least=8), "g.json": DOCUMENT}, NO,
     "b", AGAINST),
    (104, {"in.json": plan(*PAIR, ("c", 16, 8, 0, 2), arena=24,
                           least=24),
           "g.json": DOCUMENT}, NO, "c", AGAINST),
    (104, {"in.json": plan(*PAIR).replace('"id":1,', '"id":0,')}, INPUT,
     "has the id '0' too", CHECK),
    (104, {"in.json": plan(*PAIR).replace('"offset":8,', "")}, INPUT,
     "/tensors/1: 'offset' is missing", CHECK),
    (105, {"in.json": plan(*PAIR)}, OK, "", CHECK),
    (105, {"in.json": plan(PAIR[0], ("b", 7, 8, 0, 2), arena=15)}, NO,
     "tensors 'a' and 'b' overlap", CHECK),
    (105, {"in.json": plan(PAIR[0], ("b", 0, 8, 2, 3), arena=8, least=8)}, OK,
     "", CHECK),
    (106, {"in.json": plan(PAIR[0], ("b", 9223372036854775807, 8, 0, 2))},
     INPUT, "/tensors/1/offset", CHECK),
    (106, {"in.json": plan(*PAIR, ("c", 16, 0, 0, 2))}, OK, "", CHECK),
    (106, {"in.json": plan(*PAIR, ("c", 17, 0, 0, 2))}, NO,
     "/tensors/2/offset: 17 is beyond the arena, which has 16 bytes", CHECK),
    (107, {"in.json": plan(*PAIR, arena=15)}, NO, "arena", CHECK),
    (107, {"in.json": plan(*PAIR, arena=17)}, NO, "arena", CHECK),
    (108, {"in.json": plan(*PAIR, bound=17)}, NO, "bound", CHECK),
    (108, {"in.json": plan(*PAIR, least=15)}, NO,
     "theoretical_min", CHECK),
    (108, {"in.json": plan(*PAIR, more=',"order":{"name":"keep","ops":[0]}')},
     INPUT, "order", CHECK),
    (108, {"in.json": plan(*PAIR).replace('"version":1', '"version":2')},
     INPUT, "/version: must be 1", CHECK),
]

# ---------------------------------------------------------------- environment
# Rows of an own kind: a name, and a function that gives what is wrong or None.


class Place:
    """A folder with a graph in it, and the program."""

    def __init__(self, memplan, folder):
        self.memplan, self.folder = str(memplan), folder

    def run(self, command, **keys):
        arguments = command.split() if isinstance(command, str) else command
        return subprocess.run([self.memplan, *arguments], cwd=self.folder,
                              stdin=subprocess.DEVNULL, timeout=600,
                              check=False, **{"capture_output": True, **keys})

    def shell(self, command, **keys):
        return subprocess.run(["bash", "-c", command], cwd=self.folder,
                              env={**os.environ, "M": self.memplan},
                              capture_output=True, timeout=600, check=False,
                              **keys)

    def write(self, name, content):
        data = content if isinstance(content, bytes) else content.encode()
        (self.folder / name).write_bytes(data)


def wants(result, *statuses, words=""):
    """What is wrong with a result, or None."""
    text = (result.stderr or b"").decode(errors="replace")
    if result.returncode not in statuses:
        return f"status {result.returncode}, not {statuses}: {text[:200]}"
    if words and words not in text:
        return f"no '{words}' in: {text[:200]}"
    return None


def no_leftovers(place, *names):
    left = {f.name for f in place.folder.iterdir()} - {"in.json", *names}
    return f"left behind: {left}" if left else None


def read_only_folder(place):
    if os.geteuid() == 0:
        return wants(place.run("plan in.json --quiet -o /proc/out.json"), IO,
                     words="/proc/out.json")
    place.folder.chmod(0o500)
    result = place.run("plan in.json --quiet -o out.json")
    place.folder.chmod(0o700)
    return wants(result, IO, words="out.json")


def full_disk(place):
    return (wants(place.shell("$M plan in.json > /dev/full"), IO) or
            wants(place.shell("$M plan in.json -o - > /dev/full"), IO))


def broken_pipe(place):
    result = place.shell("$M plan in.json -o - | true; "
                         "exit ${PIPESTATUS[0]}")
    return wants(result, OK, IO, 128 + signal.SIGPIPE)


def closed_stdout(place):
    return wants(place.shell("$M plan in.json >&-"), IO)


def is_sanitised(place):
    """Sanitisers need address space and stack of their own."""
    return b"__asan_init" in pathlib.Path(place.memplan).read_bytes()


def little_memory(place):
    place.write("large.json", graph(MANY))
    if is_sanitised(place):
        return None
    result = place.shell("ulimit -v 20000; $M plan large.json --quiet")
    return (wants(result, MEMORY) or
            wants(place.run("plan large.json --quiet --max-memory 1MiB"),
                  MEMORY))


def little_stack(place):
    place.write("large.json", graph(MANY))
    if is_sanitised(place):
        return None
    return wants(place.shell("ulimit -s 128; $M plan large.json --quiet"), OK)


def few_files(place):
    return wants(place.shell("ulimit -n 4; $M plan in.json --quiet -o o.json"
                             " -o o.h -o o.csv"), OK, IO)


def locales(place):
    first = place.run("plan in.json --json").stdout
    for name in ("tr_TR.UTF-8", "de_DE.UTF-8"):
        again = place.run("plan in.json --json",
                          env={**os.environ, "LC_ALL": name, "TZ": "Asia/Yap"})
        if mask(again.stdout) != mask(first):
            return f"{name}: another output"
    return None


def mask(text):
    return re.sub(rb'"seconds": [0-9.]+', b"", text)


def no_name(place):
    return wants(place.shell("exec -a '' $M plan in.json --quiet"), OK)


def odd_path(place):
    place.write("a\nb.json", size("-1"))
    result = place.run(["plan", "a\nb.json"])
    lines = result.stderr.decode().splitlines()
    return wants(result, INPUT) or (None if len(lines) == 1 else str(lines))


def onto_itself(place):
    before = (place.folder / "in.json").read_bytes()
    result = place.run("plan in.json --quiet -o in.json")
    after = (place.folder / "in.json").read_bytes()
    return (wants(result, USAGE, words="'in.json' is an input") or
            (None if before == after else "other bytes"))


def link_loop(place):
    os.symlink("x.json", place.folder / "y.json")
    os.symlink("y.json", place.folder / "x.json")
    return wants(place.run("plan x.json"), IO, words="x.json")


def two_writers(place):
    command = [place.memplan, "plan", "in.json", "--quiet", "-o", "out.json"]
    runs = [subprocess.Popen(command, cwd=place.folder) for _ in range(8)]
    if any(run.wait() for run in runs):
        return "a run failed"
    json.loads((place.folder / "out.json").read_text())
    return no_leftovers(place, "out.json")


def interrupted(place):
    place.write("in.json", graph(MANY))
    for delay in (0.001, 0.01, 0.03, 0.1, 0.3):
        run = subprocess.Popen([place.memplan, "plan", "in.json", "--quiet",
                                "-o", "out.json"], cwd=place.folder,
                               stderr=subprocess.DEVNULL)
        time.sleep(delay)
        run.send_signal(signal.SIGINT)
        if run.wait(timeout=600) not in (OK, NO, BUDGET, -signal.SIGINT,
                                        128 + signal.SIGINT):
            return f"status {run.returncode} after {delay} s"
        out = place.folder / "out.json"
        if out.exists():
            json.loads(out.read_text())
    return no_leftovers(place, "out.json")


def folder_input(place):
    return wants(place.run("plan ."), IO)


def fifo_input(place):
    os.mkfifo(place.folder / "pipe")
    return wants(place.shell("cat in.json > pipe & $M plan pipe --quiet"), OK,
                 IO)


def endless_input(place):
    return wants(place.run("plan /dev/zero"), IO, INPUT)


def unreadable_input(place):
    if os.geteuid() == 0:
        return wants(place.run("plan missing.json"), IO, words="missing.json")
    (place.folder / "in.json").chmod(0)
    return wants(place.run("plan in.json"), IO, words="in.json")


def options(place):
    rows = [("--threads 0", USAGE), ("--threads 100000", USAGE, OK),
            ("--time-limit 0", OK, USAGE), ("--time-limit -1", USAGE),
            ("--seed -1", USAGE), ("--steps 0", OK, USAGE, BUDGET),
            ("--max-memory 0", USAGE, MEMORY, OK)]
    for row in rows:
        problem = wants(place.run("plan in.json --quiet " + row[0]), *row[1:])
        if problem:
            return f"{row[0]}: {problem}"
    return None


def ilp(place):
    """The row is there, or the program says that its build has none."""
    run = place.run("plan in.json --quiet --planner ilp")
    if re.search(rb"^ilp ", place.run("list planners").stdout, re.M):
        return wants(run, OK)
    return wants(run, USAGE, words="this build has no ilp: it needs GLPK")


def formula_ids(place):
    place.write("in.json", graph('{"id":"=1+1","size":8,"lifetime":[0,1]}'))
    problem = wants(place.run("plan in.json --quiet -o out.csv"), OK)
    if problem:
        return problem
    text = (place.folder / "out.csv").read_text()
    return None if "'=1+1" in text else text


def symbols(place):
    names = ["*/", "??/", "a\\nb", "\U0001f600", "int", "n" * 4000, "x-y",
             "x.y", "Ab", "aB"]
    tensors = ",".join('{"name":"%s","size":8,"lifetime":[0,1]}' % n
                       for n in names)
    place.write("in.json", graph(tensors))
    problem = wants(place.run("plan in.json --quiet -o out.h"), OK)
    if problem or not shutil.which("cc"):
        return problem
    place.write("main.c", '#include "out.h"\nint main(void) { return 0; }\n')
    return wants(place.shell("cc -std=c99 -Wall -Wextra -Werror -c main.c"),
                 OK)


def injection(place):
    name = '</script>]]>\\"><img src=x>%0A::error::\\u001b[31m'
    place.write("in.json",
                graph('{"name":"%s","size":8,"lifetime":[0,1]}' % name))
    problem = wants(place.run("plan in.json --quiet -o o.svg -o o.html"), OK)
    if problem:
        return problem
    for file in ("o.svg", "o.html"):
        text = (place.folder / file).read_text()
        if "<img" in text or "\x1b" in text or "</script>]]>" in text:
            return f"{file}: the name is markup"
    return None


ENVIRONMENT = [
    (43, "a folder", folder_input), (43, "a pipe", fifo_input),
    (43, "/dev/zero", endless_input), (43, "unreadable", unreadable_input),
    (53, "ids that are formulas", formula_ids),
    (110, "names as symbols", symbols), (111, "names as markup", injection),
    (None, "a folder that cannot be written", read_only_folder),
    (None, "a full disk", full_disk), (None, "a broken pipe", broken_pipe),
    (None, "a closed stdout", closed_stdout),
    (None, "little memory", little_memory),
    (None, "little stack", little_stack), (None, "few files", few_files),
    (None, "other locales", locales), (None, "no name", no_name),
    (None, "a path with a newline", odd_path),
    (None, "output over input", onto_itself),
    (None, "links in a circle", link_loop),
    (None, "two writers of one file", two_writers),
    (None, "interrupted at any moment", interrupted),
    (None, "extreme options", options),
    (None, "a planner that needs GLPK", ilp),
]

# Numbers that have no row, and why.
NONE = {
    65: "an io_info trace has no external or persistent tensors",
    76: "no format has elements",
    100: "batches are planned one at a time",
    109: "no such blob is written or read; test-loader.c tries tables",
    112: "ONNX is not read",
}

# ----------------------------------------------------------------------- main


def try_row(memplan, row, name):
    """What is wrong, or None."""
    number, content, status, words = row[:4]
    command = row[4] if len(row) > 4 else f"plan {name}"
    files = content if isinstance(content, dict) else {name: content}
    with tempfile.TemporaryDirectory() as folder:
        place = Place(memplan, pathlib.Path(folder))
        for file, data in files.items():
            place.write(file, data)
        result = place.run(command)
    return wants(result, status, words=words)


def try_environment(memplan, row):
    with tempfile.TemporaryDirectory() as folder:
        place = Place(memplan, pathlib.Path(folder))
        place.write("in.json", ONE)
        return row[2](place)


def all_rows():
    for name, rows in (("in.json", JSON), ("in.csv", CSV),
                       ("in.json", GRAPHS), ("in.json", PLANS)):
        for row in rows:
            yield row[0], None, lambda m, r=row, n=name: try_row(m, r, n)
    for row in ENVIRONMENT:
        yield row[0], row[1], lambda m, r=row: try_environment(m, r)


def missing_numbers(cases):
    known = {row[0] for rows in (JSON, CSV, GRAPHS, PLANS, ENVIRONMENT)
             for row in rows}
    known |= {int(n) for n in re.findall(r'"K(\d+)-', cases.read_text())}
    return sorted(set(range(1, LAST + 1)) - known - set(NONE))


def main():
    memplan, cases = map(pathlib.Path, sys.argv[1:3])
    wanted, count, failed = set(map(int, sys.argv[3:])), 0, 0
    for number, name, attempt in all_rows():
        if wanted and number not in wanted:
            continue
        count += 1
        problem = attempt(memplan.resolve())
        failed += problem is not None
        print("not ok" if problem else "ok", count, "-", number or "E",
              name or "")
        if problem:
            print("#", problem, flush=True)
    missing = missing_numbers(cases)
    print("not ok" if missing else "ok", count + 1, "- every number has a row",
          missing or "")
    print(f"1..{count + 1}")
    return 1 if failed or missing else 0


if __name__ == "__main__":
    sys.exit(main())
