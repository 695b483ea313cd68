#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Opens HTML reports in headless Chromium: they draw, zoom, search, compare.

    test_report.py MEMPLAN TESTDATA

Exit 77, which is "skipped", where there is no Chromium.
"""

import base64
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import chromium

UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# How many pixels of the map are not those of the page.
INK = """
(() => {
	const canvas = memplan.views[%d].canvas;
	const data = canvas.getContext("2d").getImageData(
		0, 0, canvas.width, canvas.height).data;
	let ink = 0;
	for (let i = 0; i < data.length; i += 4)
		ink += data[i] !== data[0] || data[i + 1] !== data[1];
	return ink;
})()
"""
FRAME = "new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))"
DROP = """
(() => {
	const data = new DataTransfer();
	data.items.add(new File([%s], "second.json"));
	document.dispatchEvent(new DragEvent("drop", {dataTransfer: data}));
})()
"""


def drop(browser, plan):
    """Drops a second plan on the page."""
    browser.run(DROP % json.dumps(plan.read_text(encoding="utf-8")))
    browser.run("new Promise(r => setTimeout(r, 200))")
    browser.run(FRAME)


def write(program, graph, folder, *options):
    page = folder / (graph.stem + "".join(options) + ".html")
    plan = page.with_suffix(".json")
    subprocess.run([program, "plan", graph, "-o", page, "-o", plan, "--quiet",
                    "--steps", "200000", *options], check=True)
    return page, plan


def window(browser):
    browser.run(FRAME)
    return browser.run("(v => [v.x0, v.x1, v.y0, v.y1])(memplan.views[0])")


def text(browser, selector):
    return browser.run(f"document.querySelector('{selector}').textContent")


def opened(browser, page):
    """No error, and nothing but the file itself was asked for."""
    browser.errors.clear()
    browser.requests.clear()
    browser.open(page)
    browser.run(FRAME)
    assert browser.errors == [], browser.errors
    assert browser.requests == [page.resolve().as_uri()], browser.requests


def check_peak(browser, program, graph):
    """The three largest of the peak stand at the top, and nothing else."""
    shown = json.loads(subprocess.run(
        [program, "show", graph, "--json", "--steps", "1"],
        capture_output=True, check=True).stdout)
    names = browser.run("[...document.querySelectorAll('#verdict .name')]"
                        ".map(e => e.textContent)")
    assert names == [t["label"] for t in shown["peak"][:3]], names
    assert str(shown["peak_step"]) in text(browser, "#verdict p")
    load = browser.run("Math.max(...memplan.plan.load)")
    assert load == shown["theoretical_min"]


def check_zoom(browser):
    before, ink = window(browser), browser.run(INK % 0)
    assert ink > 20000, ink
    browser.run("memplan.views[0].canvas.focus()")
    browser.key("+", "+")
    near = window(browser)
    assert near[1] - near[0] < before[1] - before[0], near
    assert near[3] - near[2] < before[3] - before[2], near
    assert browser.run(INK % 0) != ink
    browser.key("ArrowRight")
    assert window(browser)[0] > near[0]
    browser.key("0", "0")
    assert window(browser) == before
    box = browser.run("(b => [b.left, b.top])"
                      "(memplan.views[0].canvas.getBoundingClientRect())")
    browser.mouse("mouseWheel", box[0] + 400, box[1] + 200, deltaX=0,
                  deltaY=-300)
    assert window(browser)[1] - window(browser)[0] < before[1]
    browser.key("0", "0")


def top_of_map(browser):
    return browser.run(
        "memplan.views[0].canvas.getBoundingClientRect().top")


def check_search(browser, name):
    """A search moves nothing; Enter brings the match into view."""
    top = top_of_map(browser)
    browser.key("/", "/")
    assert browser.run("document.activeElement.id") == "search"
    browser.type(name)
    assert not browser.run("document.getElementById('results').hidden")
    assert top_of_map(browser) == top
    assert "found" in text(browser, "#found"), text(browser, "#found")
    browser.key("Enter")
    assert text(browser, "#detail h2") == name
    assert browser.run("memplan.plan.names[memplan.views[0].chosen]") == name
    browser.run("scrollTo(0, document.body.scrollHeight)")
    assert top_of_map(browser) < 0
    browser.run("goToMatch(app.at + 1)")
    assert 0 <= top_of_map(browser) < 1000
    browser.run("scrollTo(0, 0)")
    browser.key("Escape")
    assert browser.run("memplan.views[0].chosen") == -1
    assert browser.run("document.getElementById('detail').hidden")
    browser.key("0", "0")


def check_labels(browser, program, graph, folder):
    """Page, picture, tables and the plan's file call a rectangle alike, and
    any tensor in it finds it."""
    page, plan = write(program, graph, folder)
    picture = page.with_suffix(".svg")
    subprocess.run([program, "plan", graph, "-o", picture, "--quiet",
                    "--steps", "200000"], check=True)
    opened(browser, page)
    names = browser.run("memplan.plan.names")
    titles = [html.unescape(title) for title in re.findall(
        "<title>([^<\n]*)\n", picture.read_text(encoding="utf-8"))]
    assert len(titles) > 50 and set(titles) <= set(names), \
        set(titles) - set(names)
    check_peak(browser, program, graph)
    chains = browser.run("[...memplan.plan.members].map("
                         "([i, all]) => [memplan.plan.names[i], all])")
    assert len(chains) > 20, chains
    for label, members in chains[:5]:
        assert label == f"{members[0]} \u2026 {members[-1]}", label
        for member in members:
            browser.run(f"find({json.dumps(member)})")
            assert label in text(browser, "#results"), (member, label)
    browser.run("clear()")
    browser.run(DROP % json.dumps(plan.read_text(encoding="utf-8")))
    browser.run("new Promise(r => setTimeout(r, 200))")
    assert sorted(browser.run("memplan.views[1].plan.names")) == sorted(names)


def check_click(browser):
    """A click on the largest tensor of the peak chooses it."""
    x, y = browser.run("""
(v => {
	const i = v.alive[0], p = v.plan, b = v.canvas.getBoundingClientRect();
	return [b.left + v.px(v.step + 0.5),
		b.top + v.py((p.low[i] + p.high[i]) / 2)];
})(memplan.views[0])""")
    browser.click(x, y)
    assert browser.run(
        "memplan.views[0].chosen === memplan.views[0].alive[0]")
    assert browser.run("!document.getElementById('detail').hidden")
    browser.mouse("mouseMoved", x, y)
    assert browser.run("!document.getElementById('tip').hidden")
    browser.key("Escape")


def check_size(browser, page):
    """At most three screens high, unfolded on demand; right on a phone; two
    pages of paper."""
    opened(browser, page)
    high = "document.documentElement.scrollHeight"
    assert browser.run(high) <= 3 * 1000
    rows = "document.querySelectorAll('#alive tbody tr').length"
    alive = browser.run("memplan.views[0].alive.length")
    assert alive > 40 and browser.run(rows) == 20
    browser.run("document.getElementById('fold').click()")
    assert browser.run(rows) == alive
    assert browser.run("document.activeElement.id") == "fold"
    browser.run("document.getElementById('fold').click()")
    assert browser.run(rows) == 20
    paper = base64.b64decode(browser.call("Page.printToPDF")["data"])
    assert len(re.findall(rb"/Type /Page\b", paper)) == 2
    browser.run(FRAME)
    with chromium.Browser(420, 900) as phone:
        opened(phone, page)
        assert phone.run("document.documentElement.scrollWidth") == 420
        assert phone.run(high) <= 3 * 900


def check_colours(browser):
    """The legend has the kinds and layers that are there, and no others."""
    for colour, legend in (("kind", "activationinputoutput"),
                           ("layer", None), ("step", None)):
        browser.run(f"document.getElementById('colour').value = '{colour}';"
                    "document.getElementById('colour').dispatchEvent("
                    "new Event('change'))")
        browser.run(FRAME)
        if legend:
            assert text(browser, "#legend") == legend
        if colour == "layer":
            assert browser.run("document.querySelectorAll("
                               "'#legend .l0, #legend .l8').length") == 2
            assert "convolution" in text(browser, "#legend")
        assert browser.run(INK % 0) > 20000


def check_budget(browser, program, graph, folder):
    """Every op that brings a tensor back is a way in the map, with its cause."""
    page, plan = write(program, graph, folder, "--budget", "16MiB")
    opened(browser, page)
    ops = json.loads(plan.read_text(encoding="utf-8"))["ops"]
    back = [op for op in ops if op.get("type") in ("swap-in", "recompute")]
    assert len(back) > 0
    assert browser.run("memplan.plan.ways.length") == len(back)
    assert browser.run("""memplan.plan.ways.every(way =>
	memplan.plan.load[way.most] + memplan.plan.size[way.old] > 16 * 2 ** 20)""")
    assert "copied out and back" in text(browser, "#ways table")
    assert "else " in text(browser, "#ways tbody td:last-child")
    drop(browser, plan)
    assert browser.run("""(() => {
	const said = p => JSON.stringify([p.colours, p.layers,
		p.ways.map(w => [p.names[w.old], p.names[w.back], w.how])]);
	return said(memplan.views[1].plan) === said(memplan.plan);
})()""")


def check_loops(browser, program, graph, folder):
    """A bar for each loop, also of a plan that is dropped."""
    page, plan = write(program, graph, folder)
    bars = """memplan.views[%d].plan.loops.map(
	loop => [loop.start, loop.end, loop.first, loop.last, loop.row])"""
    opened(browser, page)
    assert browser.run(bars % 0) == [[1, 5, "f", "k", 0]]
    assert text(browser, "#legend").endswith("loop")
    drop(browser, plan)
    assert browser.run(bars % 1) == browser.run(bars % 0)


def check_pair(browser, program, plans, folder):
    """memplan compare -o FILE.html: two maps beside each other."""
    page = folder / "pair.html"
    subprocess.run([program, "compare", *plans, "-o", page, "--quiet"],
                   check=False)
    opened(browser, page)
    tops = browser.run("""memplan.views.map(v => {
	const box = v.canvas.getBoundingClientRect();
	return [box.top, Math.round(box.width), v.y1];
})""")
    assert len(tops) == 2 and tops[0] == tops[1], tops
    assert text(browser, "#second figcaption").startswith("after: ")
    assert "before" in text(browser, "#difference thead")
    sizes = [json.loads(plan.read_text(encoding="utf-8"))["arena_size"]
             for plan in plans]
    assert browser.run("memplan.views.map(v => v.plan.arena_size)") == sizes


def check_compare(browser, other):
    drop(browser, other)
    assert browser.run("memplan.views.length") == 2
    assert browser.run(INK % 1) > 5000
    plan = other.with_suffix(".json").read_text(encoding="utf-8")
    assert browser.run("memplan.views[1].plan.arena_size") == \
        json.loads(plan)["arena_size"]
    assert browser.run("memplan.views[1].plan.load[memplan.views[1].step]") \
        == json.loads(plan)["theoretical_min"]
    assert "second plan" in text(browser, "#difference")


def check_pools(browser, page, plan, other):
    """A lane each, in which every tensor of the pool lies; the tables name it."""
    opened(browser, page)
    pools = json.loads(plan.read_text(encoding="utf-8"))["pools"]
    rows = browser.run("[...document.querySelectorAll('#pools tbody tr')]"
                       ".map(row => [...row.cells].map(c => c.textContent))")
    assert [row[0] for row in rows] == [p["name"] for p in pools], rows
    assert browser.run("""memplan.plan.low.every((low, i) => {
	const p = memplan.plan, lane = p.lanes[p.pool[i]];
	return lane.base <= low && low < p.high[i] &&
		p.high[i] <= lane.base + LANE * 1.000001;
})""")
    assert browser.run("""memplan.plan.lanes.every((a, i, lanes) =>
	i === 0 || a.base + LANE <= lanes[i - 1].base)""")
    largest = "memplan.plan.pools[memplan.plan.pool[memplan.views[0].alive[0]]]"
    name = browser.run(largest + ".name")
    assert text(browser, "#alive tbody tr td:nth-child(6)") == name
    check_zoom(browser)
    check_click(browser)
    browser.run("choose(memplan.views[0], memplan.views[0].alive[0])")
    assert f" in {name}, alive" in text(browser, "#detail p")
    check_compare(browser, other)
    assert "pool " + pools[0]["name"] in text(browser, "#difference")


def check_hostile(browser, page):
    opened(browser, page)
    raw = page.read_text(encoding="utf-8")
    assert raw.count("<script") == 3 and raw.count("</script") == 3
    assert not UNPRINTABLE.search(raw)
    assert browser.run("document.scripts.length") == 3
    body = browser.run("document.body.innerText")
    assert "</script>" in body and not UNPRINTABLE.search(body)
    assert browser.run("document.querySelectorAll('b').length") < 12
    for name in ("</script>", "]]>", "'&"):
        browser.run(f"find({json.dumps(name)})")
        assert browser.run("app.matches.length") > 0, name


def check_dark(page):
    with chromium.Browser(dark=True) as browser:
        opened(browser, page)
        assert browser.run(INK % 0) > 20000
        assert browser.run("new Theme().card") != "#ffffff"
        browser.run("dispatchEvent(new Event('beforeprint'))")
        assert browser.run("new Theme().card") == "#ffffff"


def check_problem(browser, program, folder):
    """What has no ops has no order, and its steps are times."""
    problem = folder / "net.csv"
    problem.write_text("id,lower,upper,size\na,-5,7,4\nb,6,20,4\n")
    page, _ = write(program, problem, folder)
    opened(browser, page)
    assert browser.run("document.body.innerText.includes('at time 6')")
    assert not browser.run("document.body.innerText.includes('order')")
    assert not browser.run("/why|input|undefined/.test(document.body.innerText)")


def main():
    program, data = sys.argv[1], pathlib.Path(sys.argv[2])
    if not chromium.program():
        print("no Chromium here")
        return 77
    graph = data / "graphs" / "cnn_b32_sgd.json"
    with tempfile.TemporaryDirectory() as name, chromium.Browser() as browser:
        folder = pathlib.Path(name)
        page, _ = write(program, graph, folder)
        other = write(program, graph, folder, "--order", "auto")
        hostile, _ = write(
            program, data / "cli" / "explain" / "hostile.json", folder)
        opened(browser, page)
        check_peak(browser, program, graph)
        check_zoom(browser)
        check_search(browser, "convolution_1")
        check_click(browser)
        check_labels(browser, program,
                     data / "graphs" / "googlenet_b1.json", folder)
        check_problem(browser, program, folder)
        for file in other:
            opened(browser, page)
            check_compare(browser, file)
            assert browser.run("memplan.views[0].y1 === memplan.views[1].y1")
        pools = write(program, graph, folder, "--pools", "fast=8MiB,slow")
        check_pools(browser, *pools, other[1])
        check_pools(browser, *pools,
                    write(program, graph, folder, "--pools",
                          "fast=4MiB,<b>,slow")[0])
        opened(browser, page)
        check_colours(browser)
        check_budget(browser, program, graph, folder)
        check_loops(browser, program, data / "cli" / "loops" / "net.json",
                    folder)
        check_pair(browser, program, [page.with_suffix(".json"), other[1]],
                   folder)
        check_size(browser, write(
            program, data / "graphs" / "resnet18_b8_sgdm.json", folder)[0])
        check_hostile(browser, hostile)
        check_dark(page)
    print("drawn, zoomed, searched, compared")
    return 0


if __name__ == "__main__":
    sys.exit(main())
