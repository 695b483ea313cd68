#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the page that plans in a browser, and drops files on it in headless
Chromium.

    test_page.py [--times] MEMPLAN SOURCE_ROOT [MODEL]

Plans and sizes are those of the program, broken files give a sentence, a run stops
early, nothing is asked of a network, and people with a keyboard or a phone can use
it. --times also says how long a drop takes, with a graph of 50,000 tensors. MODEL is
dropped too. Skipped (77) without Emscripten or Chromium. Prints TAP.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import chromium
import harness
import test_accessible
import test_files

LARGEST = 3 << 20  # bytes of the page
IDLE = "app.queue.then(() => 0)"
LAST = "JSON.stringify((({report, file, ...e}) => ({...e, " \
       "length: report ? report.length : 0}))(app.entries.get(app.entries.size)))"
BYTES = """
ask("write", {entry: app.entries.size, format: %s}).then(answer =>
	new TextDecoder().decode(answer.bytes))"""
# When the report of the last drop had loaded, in milliseconds after the drop.
WATCH = """
addEventListener("drop", () => { app.dropped = performance.now(); }, true);
$("report").addEventListener("load", () => {
	app.took = performance.now() - app.dropped; }); 0"""


def drop(browser, *paths):
    """As a user does it: with files of the disk."""
    data = {"items": [], "files": [str(p) for p in paths],
            "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        browser.call("Input.dispatchDragEvent", type=kind, x=200, y=200,
                     data=data)
    browser.run("new Promise(r => setTimeout(r, 50))")
    browser.run(IDLE)
    return json.loads(browser.run(LAST))


def opened(page, *size, **keys):
    browser = chromium.Browser(*size, **keys)
    browser.open(page)
    browser.run(IDLE)
    return browser


def alone(browser, page):
    """Only the file itself, and what the page made, was asked for."""
    others = [url for url in browser.requests
              if url != page.as_uri() and not url.startswith(("blob:", "data:"))]
    assert others == [], others
    assert browser.errors == [], browser.errors


def native(program, path, folder, *options):
    plan = folder / "native.json"
    result = harness.result(program, "plan", path, "-o", plan, *options)
    return result, plan.read_text(encoding="utf-8")


def check_plan(page, program, path, folder, *options):
    """The plan's bytes are the program's; the report draws; nothing leaves."""
    with opened(page) as browser:
        for option in options:
            browser.run(f"$('dim').value += {json.dumps(option + chr(10))}; 0")
        dims = [word for option in options for word in ("--dim", option)]
        result, text = native(program, path, folder, *dims)
        entry = drop(browser, path)
        assert entry["hasPlan"], browser.run("$('failure').textContent")
        assert re.search(rf"arena +{result['arena_size']} bytes",
                         entry["summary"]), entry["summary"]
        assert browser.run(BYTES % '"plan"') == text
        assert not browser.run("$('view').hidden") and entry["length"] > 30000
        browser.run("new Promise(r => setTimeout(r, 500))")
        alone(browser, page)


def check_formats(page, program, path, folder):
    """Every format has the bytes that the program writes, or says why not."""
    with opened(page) as browser:
        drop(browser, path)
        for suffix, name in (("h", "header"), ("csv", "csv"), ("svg", "svg"),
                             ("trace.json", "trace"), ("proof", "proof")):
            out = folder / f"one.{suffix}"
            done = subprocess.run([program, "plan", path, "--quiet", "-o", out],
                                  check=False, capture_output=True)
            if done.returncode == 0:
                assert browser.run(BYTES % json.dumps(name)) == \
                    out.read_text(encoding="utf-8"), name
        browser.run("$('format').value = 'tflite'; save()")
        assert "TFLite" in browser.run("$('failure').textContent") or \
            browser.run("$('failure').hidden") is False


def check_compare(page, path, other):
    with opened(page) as browser:
        drop(browser, path, other)
        assert not browser.run("$('compare').disabled")
        browser.run("compare()")
        text = browser.run("$('summary').textContent")
        assert "arena" in text and browser.run("$('failure').hidden"), text
        alone(browser, page)


def check_broken(page, folder, good):
    """A sentence for each; then a good file is planned all the same."""
    data = good.read_bytes()
    with opened(page) as browser:
        for name, content in (("empty.json", b""), ("cut.json", data[:-40]),
                              ("noise.tflite", bytes(range(256)) * 9),
                              ("deep.json", b"[" * 100000),
                              ("cut.tflite", b"\x1c\0\0\0TFL3" + b"\xff" * 90)):
            (folder / name).write_bytes(content)
            entry = drop(browser, folder / name)
            text = browser.run("$('failure').textContent")
            assert not entry["hasPlan"] and name in text, (name, text)
        assert drop(browser, good)["hasPlan"]
        assert browser.run("$('failure').hidden")
        alone(browser, page)


# Stops a search once it has found something, or once it has sent a plan.
STOP = """
(() => {
	const id = setInterval(() => {
		if (app.busy && (%s)) {
			clearInterval(id);
			$("stop").click();
		}
	}, 50);
})()"""


def check_stop(page, program, folder, when, is_cut):
    """A stopped search gives the last plan that it sent, which says that it was cut
    short; before the first, one of the least effort."""
    (folder / "hard.csv").write_text(test_files.hard_csv())
    with opened(page) as browser:
        browser.run("$('others').value = 'steps=1000000000000\\nplanner=climb'; 0")
        browser.run(STOP % when)
        entry = drop(browser, folder / "hard.csv")
        browser.run(IDLE)
        entry = json.loads(browser.run(LAST))
        assert entry["hasPlan"], browser.run("$('failure').textContent")
        plan = browser.run(BYTES % '"plan"')
        assert ('"cut_short": true' in plan) == is_cut, plan[:1000]
        (folder / "stopped.json").write_text(plan, encoding="utf-8")
        subprocess.run([program, "check", folder / "stopped.json"], check=True,
                       stdout=subprocess.DEVNULL)


def check_people(page, graph):
    """axe-core finds nothing; a phone's width is enough; keys do all."""
    script = test_accessible.axe()
    for dark in (False, True):
        with opened(page, 420, 900, dark=dark) as browser:
            drop(browser, graph)
            assert browser.run("document.documentElement.scrollWidth") == 420
            if script:
                browser.run(script + "; 0")
                found = browser.run(test_accessible.RUN.replace(
                    "axe.run()", "axe.run(document, {iframes: false})"))
                assert found == [], found
            names = browser.run(
                "[...document.querySelectorAll('button, select, input:not("
                "[hidden]), summary')].filter(e => e.tabIndex < 0).length")
            assert names == 0


def check_size(page):
    size = page.stat().st_size
    assert size <= LARGEST, size
    print(f"# the page has {size} bytes")


def took(page, path):
    with opened(page) as browser:
        browser.run(WATCH)
        assert drop(browser, path)["hasPlan"]
        return browser.run("new Promise(r => { const id = setInterval(() => "
                           "app.took && (clearInterval(id), r(app.took)), 20); })")


def print_times(page, program, root, model, folder):
    """Not judged: times depend on the load of the machine."""
    large = folder / "large.json"
    with open(large, "wb") as file:
        subprocess.run([root / "tools/gen-graph", "gpt", "--layers",
                        "260"], stdout=file,
                       check=True)
    for path in filter(None, (model, large)):
        start = time.monotonic()
        subprocess.run([program, "plan", path, "--quiet", "-o",
                        folder / "t.html"], check=True)
        spent = 1000 * (time.monotonic() - start)
        print(f"# {path.name}, {path.stat().st_size} bytes: report "
              f"{took(page, path):.0f} ms after the drop, program {spent:.0f} ms")


def cases(page, program, root, model, folder):
    graphs, models = root / "testdata/graphs", root / "testdata/models"
    tiny = graphs / "tiny.json"
    yield "size", check_size, page
    for path, *dims in ((tiny,), (graphs / "cnn_b32_sgd.json",),
                        (models / "vision.tflite",),
                        (models / "unet.onnx", "batch=1", "height=256",
                         "width=256"), *([(model,)] if model else ())):
        yield (f"{path.name}", check_plan, page, program, path, folder, *dims)
    yield "formats", check_formats, page, program, tiny, folder
    yield "compare", check_compare, page, tiny, graphs / "cnn_b32_sgd.json"
    yield "broken files", check_broken, page, folder, tiny
    yield ("stop, early", check_stop, page, program, folder,
           "/of the minimum/.test($('progress').textContent)", False)
    yield "stop", check_stop, page, program, folder, "app.current.kept", True
    yield "people", check_people, page, tiny


def main():
    arguments = sys.argv[1:]
    times = "--times" in arguments
    program, root, *model = [pathlib.Path(a).resolve()
                             for a in arguments if a != "--times"]
    for tool, there in (("emcc", shutil.which("emcc")),
                        ("chromium", chromium.program())):
        if not there:
            print(f"1..0 # SKIP no {tool} here")
            sys.exit(77)
    subprocess.run([root / "tools/web/build"], cwd=root, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    page = root / "build-web/memplan.html"
    with tempfile.TemporaryDirectory() as name:
        if times:
            print_times(page, program, root, model[0] if model else None,
                        pathlib.Path(name))
        harness.tap(cases(page, program, root, model[0] if model else None,
                          pathlib.Path(name)))


if __name__ == "__main__":
    main()
