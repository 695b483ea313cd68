#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""FlatBuffers' own tools judge the TFLite models that memplan writes.

    test_flatbuffers.py MEMPLAN SCHEMA FOLDER...

The verifier of libflatbuffers-dev accepts each model before and after, and flatc
prints both as the same JSON but for a buffer and a metadata entry at the ends of
their lists. Without these packages says so and skips. Prints TAP.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import harness

VERIFIER = """
#include <cstdio>
#include <vector>
#include "tflite_generated.h"
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		std::vector<unsigned char> bytes;
		FILE *file = fopen(argv[i], "rb");
		for (int c; file && (c = getc(file)) != EOF;)
			bytes.push_back((unsigned char)c);
		flatbuffers::Verifier verifier(bytes.data(), bytes.size());
		if (!file || !tflite::VerifyModelBuffer(verifier))
			return fprintf(stderr, "%s: not valid\\n", argv[i]), 1;
		fclose(file);
	}
	return 0;
}
"""
PLAN = "OfflineMemoryAllocation"


def missing():
    """What there is too little of for this test; None: nothing."""
    for program in ("flatc", "g++"):
        if not shutil.which(program):
            return program
    header = "#include <flatbuffers/flatbuffers.h>"
    done = subprocess.run(["g++", "-x", "c++", "-fsyntax-only", "-"],
                          input=header, text=True, check=False,
                          stderr=subprocess.DEVNULL)
    return None if done.returncode == 0 else "libflatbuffers-dev"


def build(schema, folder):
    subprocess.run(["flatc", "--cpp", "-o", folder, schema], check=True)
    subprocess.run(["g++", "-O1", "-I", folder, "-x", "c++", "-", "-o",
                    folder / "verify"], input=VERIFIER, text=True, check=True)


def as_json(schema, model, folder):
    subprocess.run(["flatc", "--json", "--raw-binary", "--strict-json", "-o",
                    folder, schema, "--", model], check=True)
    return json.loads((folder / f"{model.stem}.json").read_text("utf-8"))


def judge(memplan, schema, model, folder):
    old, new = folder / "old.tflite", folder / "new.tflite"
    old.write_bytes(model.read_bytes())
    harness.run(memplan, "plan", model, "--replan", "--quiet", "-o", new)
    subprocess.run([folder / "verify", old, new], check=True)
    before, after = (as_json(schema, one, folder) for one in (old, new))
    n = len(before["buffers"])
    assert after["buffers"].pop()["data"][0] == 1, "the offsets' version"
    assert after["metadata"].pop() == {"name": PLAN, "buffer": n}
    before["metadata"] = [entry for entry in before.get("metadata", [])
                          if entry["name"] != PLAN]
    assert before == after, "the models differ in more than the offsets"


def main():
    memplan, schema, *folders = sys.argv[1:]
    lacking = missing()
    if lacking:
        print(f"1..0 # SKIP no {lacking}: apt-get install flatbuffers-compiler "
              "libflatbuffers-dev")
        return
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        build(schema, scratch)
        harness.tap((path.stem, judge, memplan, schema, path, scratch)
                    for folder in folders
                    for path in sorted(pathlib.Path(folder).glob("*.tflite")))


if __name__ == "__main__":
    main()
