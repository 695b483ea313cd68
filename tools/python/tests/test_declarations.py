# SPDX-License-Identifier: MIT
"""The declarations of library.py are those of the headers in include/memplan."""

import ctypes
import pathlib
import re
import unittest

from memplan import errors, library, plans

ROOT = pathlib.Path(__file__).resolve().parents[3]
HEADERS = "memplan.h", "report.h", "gate.h"
TYPES = {
    "void": None, "int": ctypes.c_int, "size_t": ctypes.c_size_t,
    "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64,
    "enum memplan_status": ctypes.c_int,
    "char *": ctypes.c_char_p, "char **": ctypes.POINTER(ctypes.c_char_p),
    "void *": ctypes.c_void_p, "void **": ctypes.POINTER(ctypes.c_void_p),
    "size_t *": ctypes.POINTER(ctypes.c_size_t),
    "uint32_t *": ctypes.POINTER(ctypes.c_uint32),
    "uint64_t *": ctypes.POINTER(ctypes.c_uint64),
    "memplan *": ctypes.c_void_p, "memplan_gate *": ctypes.c_void_p,
    "callback": library.ON_PROGRESS,
}


def header_text(name):
    text = (ROOT / "include/memplan" / name).read_text(encoding="utf-8")
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def text_of_headers():
    return "".join(header_text(name) for name in HEADERS)


def ctype(words):
    """The type of `const char *name` or of `const char *`."""
    found = re.fullmatch(r"(?:const )?((?:struct |enum )?\w+)\s*(\**)\s*\w*",
                         words.strip())
    name = (found[1] + " " + found[2]).strip()
    if name.startswith("struct memplan_"):
        struct, stars = name[len("struct memplan_"):].split()
        assert stars == "*"
        return ctypes.POINTER(library.STRUCTS[struct])
    return TYPES[name]


def functions(text):
    """Name to what it returns and takes, of those that the package uses."""
    text = re.sub(r"void \(\*call\)\([^)]*\)", "callback", text)
    for result, name, parameters in re.findall(
            r"MEMPLAN_API ([\w \*]+?)(memplan_\w+)\(([^;]*)\);", text):
        if name not in library.FUNCTIONS:
            continue
        taken = [] if parameters == "void" else parameters.split(",")
        yield name, (ctype(result), *map(ctype, taken))


def structs(text):
    """Name to members and their types."""
    for name, body in re.findall(r"struct memplan_(\w+) \{(.*?)\};", text, re.S):
        if name not in library.STRUCTS:
            continue
        members = []
        for line in body.split(";")[:-1]:
            base, stars, rest = re.fullmatch(
                r"\s*((?:const )?\w+) (\**)(.*)", line, re.S).groups()
            for member in rest.split(","):
                star = stars or "*" * member.count("*")
                members.append((member.strip(" *\n\t"),
                                ctype(f"{base} {star}")))
        yield name, members


def values(text, enum):
    body = re.search(r"enum memplan_%s \{(.*?)\}" % enum, text, re.S)[1]
    return {name: eval(value) for name, value in re.findall(
        r"MEMPLAN_(\w+) = ([\d <]+)", body)}


class Declarations(unittest.TestCase):
    def test_functions(self):
        declared = dict(functions(text_of_headers()))
        self.assertGreater(len(library.FUNCTIONS), 30)
        for name, types in library.FUNCTIONS.items():
            self.assertEqual(declared.get(name), types, name)

    def test_structs(self):
        declared = dict(structs(text_of_headers()))
        for name, struct in library.STRUCTS.items():
            self.assertEqual(declared.get(name), struct._fields_, name)

    def test_callback(self):
        self.assertIn("void (*call)(void *context, const struct "
                      "memplan_progress *progress,\n\t\tsize_t size)",
                      header_text("memplan.h"))

    def test_enums(self):
        self.assertEqual(values(header_text("status.h"), "status"),
                         {s.name: s.value for s in errors.Status})
        kinds = values(header_text("memplan.h"), "kind")
        self.assertEqual({f"KIND_{name.upper()}": i for i, name in
                          enumerate(plans.KINDS)}, kinds)
        uses = values(header_text("memplan.h"), "use")
        self.assertEqual((uses["USE_CHECK"], uses["USE_EXPLAIN"]),
                         (library.USE_CHECK, library.USE_EXPLAIN))

    def test_every_error_has_a_class(self):
        io = errors.Status.EIO  # Python's own OSError
        self.assertEqual(set(errors.Status) - set(errors.CLASSES),
                         {errors.Status.OK, io})

    def test_version(self):
        text = header_text("version.h")
        found = re.search(r'MEMPLAN_VERSION "(\d+\.\d+)', text)[1]
        self.assertEqual(library.VERSION, found)
        self.assertTrue(library.same_minor(found + ".7"))
        self.assertFalse(library.same_minor("0.10.0"))
        self.assertFalse(library.same_minor("1.1.0"))


if __name__ == "__main__":
    unittest.main()
