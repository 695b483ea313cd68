# SPDX-License-Identifier: MIT
"""What the package does, on the graphs of testdata."""

import concurrent.futures
import copy
import gc
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref
from unittest import mock

import counting
import memplan
from memplan import __main__ as program
from memplan import library

ROOT = pathlib.Path(__file__).resolve().parents[3]
GRAPHS = ROOT / "testdata/graphs"
TINY = GRAPHS / "tiny.json"
MODELS = ROOT / "testdata/models"
# The program that was built with the library.
MEMPLAN = os.environ.get("MEMPLAN_PROGRAM", "memplan")


def run(*arguments):
    return subprocess.run([MEMPLAN, *map(str, arguments)], capture_output=True,
                          check=True).stdout


def two(**keys):
    graph = memplan.Graph("net", alignment=64, **keys)
    x = graph.tensor("x", 4096, kind="input")
    y = graph.tensor("y", 4096, kind="output")
    graph.op("relu", [x], [y])
    return graph


class Plans(unittest.TestCase):
    def test_same_bytes_as_the_program(self):
        for name in "tiny", "resnet18_b8_sgdm", "experts_b1024_sgdm":
            path = GRAPHS / f"{name}.json"
            plan = memplan.plan(path, order="auto")
            for output in "h", "bin", "svg", "json":
                with tempfile.TemporaryDirectory() as folder:
                    ours, theirs = (pathlib.Path(folder, n, f"net.{output}")
                                    for n in "ab")
                    ours.parent.mkdir(), theirs.parent.mkdir()
                    plan.save(ours)
                    run("plan", path, "--order", "auto", "-o", theirs,
                        "--quiet")
                    self.assertEqual(ours.read_bytes(), theirs.read_bytes())

    def test_numbers(self):
        plan = memplan.plan(TINY)
        said = json.loads(run("plan", TINY, "--json"))
        self.assertTrue(plan.optimal)
        for name in ("name", "arena_size", "lower_bound", "theoretical_min",
                     "order", "planner", "total_size", "alignment"):
            self.assertEqual(getattr(plan, name), said[name], name)
        self.assertAlmostEqual(plan.ratio, said["ratio"], 3)
        self.assertEqual(len(plan.tensors), said["tensors"])
        self.assertEqual(len(plan.ops), said["ops"])
        self.assertEqual(plan.number("no such"), None)
        self.assertEqual(plan.text("no such"), None)

    def test_sources(self):
        text = TINY.read_bytes()
        size = memplan.plan(TINY).arena_size
        for source in str(TINY), text, bytearray(text), json.loads(text):
            self.assertEqual(memplan.plan(source).arena_size, size)
        for source in None, 3, {"tensors"}:
            with self.assertRaisesRegex(TypeError, type(source).__name__):
                memplan.plan(source)

    def test_graph(self):
        plan = memplan.plan(two())
        self.assertEqual(plan.offsets, {"x": 0, "y": 4096})
        self.assertEqual([t.kind for t in plan.tensors], ["input", "output"])
        self.assertEqual([o.name for o in plan.ops], ["relu"])
        with self.assertRaises(ValueError):
            memplan.Graph().tensor(None, 1)

    def test_names_of_any_bytes(self):
        graph = memplan.Graph("ü")
        graph.tensor('"\\\n<b>', 64, lifetime=[0, 1])
        plan = memplan.plan(graph)
        self.assertEqual(list(plan.offsets), ['"\\\n<b>'])
        self.assertNotIn("<b>", plan._repr_html_())

    def test_two_tensors_of_one_name(self):
        graph = memplan.Graph()
        for number in 1, 2:
            graph.tensor("same", 64, id=number, lifetime=[0, 1])
        plan = memplan.plan(graph)
        self.assertEqual(len(plan.tensors), 2)
        with self.assertRaisesRegex(memplan.UsageError, "'same'"):
            plan.offsets

    def test_texts(self):
        plan = memplan.plan(TINY)
        self.assertTrue(plan.svg().startswith(("<svg", "<?xml")))
        self.assertIn("<html", plan.html())
        self.assertIn("TINY_ARENA_SIZE", plan.header())
        self.assertEqual(json.loads(plan.json())["arena_size"], 196608)
        self.assertIn("optimal", str(plan))
        self.assertIn("196608 bytes, optimal", repr(plan))
        self.assertIn("<img", plan._repr_html_())
        with mock.patch("memplan.plans.MOST_SHOWN", 3):
            self.assertNotIn("<img", plan._repr_html_())

    def test_check(self):
        plan = memplan.plan(TINY, order="auto", threads=2)
        plan.check()
        memplan.check(plan.json().encode(), TINY)
        broken = json.loads(plan.json())
        for tensor in broken["tensors"]:
            tensor["offset"] = 0
        with self.assertRaisesRegex(memplan.Refusal, "overlap"):
            memplan.check(broken)

    def test_explain(self):
        plan = memplan.plan(TINY)
        self.assertIn("peak at step 4", plan.explain())
        self.assertIn("cannot share", plan.explain("input", "convolution"))
        with self.assertRaisesRegex(memplan.UsageError, "'no'"):
            plan.explain("no", "input")
        with self.assertRaises(memplan.UsageError):
            plan.explain("input")
        self.assertEqual(plan.arena_size, 196608)

    def test_a_file_that_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "net.json")
            path.write_text(two().text())
            plan = memplan.plan(path)
            path.write_text(two().text() + "\n")
            with self.assertRaisesRegex(memplan.UsageError, "changed"):
                plan.explain()
            self.assertEqual(plan.offsets["y"], 4096)

    def test_save_is_whole_or_not_at_all(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "net.h")
            with self.assertRaises(memplan.UsageError):
                memplan.plan(TINY).save(path, path.with_suffix(".what"))
            self.assertEqual(os.listdir(folder), [])
            memplan.plan(TINY).save(path)
            self.assertEqual(os.listdir(folder), ["net.h"])
            plain = pathlib.Path(folder, "plain")
            plain.write_text("")
            self.assertEqual(path.stat().st_mode, plain.stat().st_mode)
            nowhere = pathlib.Path(folder, "no", "net.h")
            with self.assertRaises(FileNotFoundError) as caught:
                memplan.plan(TINY).save(nowhere)
            self.assertEqual(caught.exception.filename, str(nowhere))

    def test_save_into_a_pipe(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "net.h")
            os.mkfifo(path)
            with concurrent.futures.ThreadPoolExecutor() as pool:
                read = pool.submit(path.read_bytes)
                memplan.plan(TINY).save(path)
                self.assertIn(b"TINY_ARENA_SIZE", read.result())
            self.assertTrue(path.is_fifo())

    def test_trace(self):
        folder = ROOT / "testdata/cli/together"
        size = memplan.plan(folder / "net.io_info.json", batch=4).arena_size
        named = {f"{role}": folder / f"net.4.{role}.json"
                 for role in ("tensor_size", "resize_info")}
        self.assertEqual(size, memplan.plan(
            folder / "net.io_info.json", **named).arena_size)
        with self.assertRaisesRegex(memplan.UsageError, "NAME.io_info"):
            memplan.plan(TINY, batch=4)


    def test_files_beside_a_graph(self):
        near, lp, xla = (ROOT / "testdata/cli" / name
                         for name in ("near", "lp", "xla"))
        grown = near / "grown.json"
        with tempfile.TemporaryDirectory() as folder:
            old = pathlib.Path(folder, "old.plan.json")
            memplan.plan(GRAPHS / "worked.json").save(old)
            anew = memplan.plan(grown, planner="greedy-lifetime").offsets
            plan = memplan.plan(grown, planner="greedy-lifetime", near=old)
            was = memplan.plan(old).offsets
        kept = [sum(offsets.get(name) == at for name, at in was.items())
                for offsets in (anew, plan.offsets)]
        self.assertLess(*kept)
        plan.check()  # and no longer near to a file that is gone
        plan.explain()
        lifetimes = xla / "step-live-range.txt"
        path = xla / "step-buffer-assignment.txt"
        with_file = memplan.plan(path, live_range=lifetimes)
        self.assertIn(str(with_file.arena_size).encode(), run(
            "plan", path, "--live-range", lifetimes, "--json"))
        with_file.check()
        solved = memplan.plan(GRAPHS / "worked.json",
                              solution=lp / "highs.sol")
        self.assertEqual(solved.planner, "given")
        solved.check()
        for role in "near", "live_range", "solution":
            with self.assertRaises(OSError):
                memplan.plan(TINY, **{role: "no such file"})
            with self.assertRaisesRegex(memplan.UsageError, role):
                memplan.together({"a": TINY, "b": two()}, **{role: grown})


class Failures(unittest.TestCase):
    def test_capacity(self):
        with self.assertRaises(memplan.Refusal) as caught:
            memplan.plan(TINY, capacity=1024)
        self.assertEqual(caught.exception.status, memplan.Status.NO)
        self.assertIn("no plan fits 1024 bytes", caught.exception.sentence)
        self.assertEqual(memplan.plan(TINY, capacity="1MiB").arena_size, 196608)
        self.assertEqual(caught.exception.plan.arena_size, 196608)

    def test_place(self):
        with self.assertRaises(memplan.InputError) as caught:
            memplan.plan(b'{"format":"memplan.graph",\n"version":1,\n'
                         b'"tensors":[{"name":"x","size":-1}],"ops":[]}')
        error = caught.exception
        self.assertEqual(error.place, (3, 31))
        self.assertIn("/tensors/0/size: must be an integer", str(error))
        self.assertTrue(str(error).endswith("(line 3, column 31)"))
        self.assertIsInstance(error, ValueError)

    def test_usage(self):
        for options in {"no_such": 1}, {"order": "fastest"}, {"align": 3}:
            with self.assertRaises(memplan.UsageError):
                memplan.plan(TINY, **options)
        with self.assertRaises(memplan.UsageError):
            memplan.plan(TINY).write("no such")

    def test_no_text_ends_at_a_nul(self):
        plan = memplan.plan(TINY)
        for call in (lambda: memplan.plan(TINY, name="net\0work"),
                     lambda: plan.write("h\0tml"),
                     lambda: plan.explain("relu\0", "input")):
            with self.assertRaisesRegex(ValueError, "null byte"):
                call()

    def test_memory(self):
        with self.assertRaises(memplan.OutOfMemory) as caught:
            memplan.plan(TINY, max_memory=4096)
        self.assertIsInstance(caught.exception, MemoryError)

    def test_files(self):
        with self.assertRaises(FileNotFoundError):
            memplan.plan("no such file")

    def test_other_version(self):
        here = mock.patch("memplan.library.find", return_value=library.find())
        with here, mock.patch("memplan.library.VERSION", "0.2"):
            library.load.cache_clear()
            try:
                with self.assertRaisesRegex(ImportError, "is for 0.2"):
                    library.load()
            finally:
                library.load.cache_clear()

    def test_no_library(self):
        with mock.patch("memplan.library.find", return_value="libno.so.1"):
            library.load.cache_clear()
            try:
                with self.assertRaisesRegex(ImportError, "libno.so.1"):
                    library.load()
            finally:
                library.load.cache_clear()


class Several(unittest.TestCase):
    def test_together(self):
        serial = memplan.together({"a": TINY, "b": memplan.plan(TINY)})
        self.assertEqual(serial.arena_size, 196608)
        self.assertIn("a/relu", serial.offsets)
        serial.check()
        both = memplan.together(
            {"a": TINY, "b": memplan.plan(TINY)}, concurrent=True)
        self.assertEqual(both.arena_size, 2 * 196608)
        with self.assertRaises(memplan.UsageError):
            both.explain()
        with self.assertRaisesRegex(memplan.UsageError, "alignment"):
            memplan.together({"a": memplan.plan(TINY),
                              "b": memplan.plan(two())})

    def test_compare(self):
        before = memplan.plan(GRAPHS / "cnn_b32_sgd.json")
        after = memplan.plan(GRAPHS / "cnn_b32_sgd.json", order="auto")
        found = json.loads(memplan.compare(before, after, "json"))
        self.assertTrue(found)
        self.assertIn("arena", memplan.compare(before, after))
        self.assertIn("unchanged", memplan.compare(TINY, TINY))
        with self.assertRaises(memplan.UsageError):
            memplan.compare(before, after, "no such")

    def test_gate(self):
        with tempfile.TemporaryDirectory() as folder:
            budget = pathlib.Path(folder, "memplan.budget.json")

            def judged(**row):
                budget.write_text(json.dumps({
                    "format": "memplan.budget", "version": 1,
                    "budgets": [{"graph": str(TINY), **row}]}))
                return memplan.gate(budget)

            gate = judged(arena={"fail": 196608})
            self.assertTrue(gate.passed)
            self.assertIn("<testsuite", gate.report("junit"))
            self.assertTrue(gate.verdicts)
            small = judged(arena={"fail": 196607})
            self.assertFalse(small.passed)
            self.assertEqual(small.status, memplan.Status.NO)
            self.assertIn("196608", str(small))
            lost = judged(graph="no such.json")
            self.assertEqual(lost.status, memplan.Status.EIO)
            budget.write_text("{}")
            with self.assertRaises(memplan.InputError):
                memplan.gate(budget)


class Adapters(unittest.TestCase):
    def test_onnx(self):
        dims = {"batch": 1, "height": 256, "width": 256}
        path = MODELS / "unet.onnx"
        plan = memplan.onnx(path, dims)
        self.assertEqual(plan.arena_size, 8388608)
        self.assertIn("weights.bin", plan.warnings[0])
        proto = mock.Mock(SerializeToString=path.read_bytes)
        self.assertEqual(memplan.onnx(proto, dims).arena_size, 8388608)
        with self.assertRaises(memplan.InputError):
            memplan.onnx(path)

    def test_tflite(self):
        model = memplan.tflite(MODELS / "vision.tflite")
        gc.collect()  # the model's bytes are read again
        written = model.write("tflite")
        again = memplan.tflite(written, planner="given")
        self.assertEqual(again.offsets, model.offsets)

    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")
        plan = memplan.plan(TINY)
        arena = memplan.numpy_arena(plan, {"addmm": numpy.float32})
        self.assertEqual(arena.base.nbytes, plan.arena_size)
        self.assertEqual(arena.base.ctypes.data % plan.base_alignment, 0)
        for name, offset in plan.offsets.items():
            self.assertEqual(arena.views[name].ctypes.data,
                             arena.base.ctypes.data + offset)
        self.assertEqual(arena.views["addmm"].shape, (10,))
        pools = memplan.plan(ROOT / "docs/pictures/pools.json")
        with self.assertRaisesRegex(memplan.UsageError, "memories"):
            memplan.numpy_arena(pools)


class Running(unittest.TestCase):
    def test_threads_plan_at_once(self):
        paths = sorted(GRAPHS.glob("*_b*.json"))[:4] * 4
        one = [memplan.plan(path).json() for path in paths]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            many = list(pool.map(lambda p: memplan.plan(p).json(), paths))
        self.assertEqual(one, many)

    def test_threads_share_a_plan(self):
        plan = memplan.plan(TINY)
        outputs = ["svg", "header", "plan", "html"] * 8
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            many = list(pool.map(plan.write, outputs))
        self.assertEqual(many, [plan.write(o) for o in outputs])

    def test_a_plan_is_not_copied(self):
        plan = memplan.plan(TINY)
        for take in (copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, "copied or pickled"):
                take(plan)
        self.assertEqual(copy.copy(plan).json(), plan.json())

    def test_progress(self):
        seen = []
        memplan.plan(GRAPHS / "experts_b1024_sgdm.json", order="search",
                     progress=seen.append)
        self.assertIn("ordering", {row["phase"] for row in seen})

    def test_a_watched_plan_goes_at_once(self):
        """Its memory does not wait for the collector of garbage."""
        gc.disable()
        try:
            plan = memplan.plan(TINY, progress=lambda row: None)
            handle = weakref.ref(plan._handle)
            del plan
            self.assertIsNone(handle())
        finally:
            gc.enable()

    def test_progress_that_raises(self):
        def stop(_row):
            raise KeyError("enough")
        with self.assertRaisesRegex(KeyError, "enough"):
            memplan.plan(GRAPHS / "experts_b1024_sgdm.json", order="search",
                         progress=stop)

    def test_ctrl_c(self):
        """The first report of a run interrupts the main thread, as Ctrl-C
        does."""
        pressed = []

        def press(_row):
            if not pressed:
                pressed.append(1)
                signal.pthread_kill(
                    threading.main_thread().ident, signal.SIGINT)
        with self.assertRaises(KeyboardInterrupt):
            memplan.plan(GRAPHS / "experts_b1024_sgdm.json", order="search",
                         effort=3, progress=press)

    def test_a_thousand_plans_leak_nothing(self):
        def work():
            plan = memplan.plan(TINY, order="auto")
            plan.offsets, plan.header(), plan.check()

        try:
            left = counting.bytes_left(work, 20, 1000)
        except AttributeError:
            self.skipTest("the C library does not count its bytes")
        # A plan of this graph takes some 100 kB: one that stayed would show.
        self.assertLess(max(left), 50_000)


class Program(unittest.TestCase):
    def test_module_is_the_program(self):
        where = pathlib.Path(program.program() or MEMPLAN).parent
        path = f"{pathlib.Path(MEMPLAN).parent}:{where}:{os.environ['PATH']}"
        done = subprocess.run(
            [sys.executable, "-m", "memplan", "plan", TINY, "--json"],
            capture_output=True, check=True, env={**os.environ, "PATH": path})
        self.assertEqual(json.loads(done.stdout)["arena_size"], 196608)
        done = subprocess.run(
            [sys.executable, "-m", "memplan", "plan", TINY, "--capacity", "1"],
            capture_output=True, check=False,
            env={**os.environ, "PATH": path})
        self.assertEqual(done.returncode, 1)

    def test_rows_and_version(self):
        self.assertIn("auto", memplan.rows("orders"))
        self.assertEqual(memplan.rows("no such"), {})
        self.assertIn(memplan.version(), run("--version").decode())

    def test_exports(self):
        for name in memplan.__all__:
            self.assertTrue(getattr(memplan, name).__doc__, name)
        self.assertTrue(callable(memplan.executorch.algorithm))
        with self.assertRaises(AttributeError):
            memplan.no_such


if __name__ == "__main__":
    unittest.main()
