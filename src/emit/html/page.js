/* The page: what is said in words, and what keys, wheel and mouse do. */

const $ = id => document.getElementById(id);

function element(tag, kind, text) {
	const made = document.createElement(tag);
	if (kind)
		made.className = kind;
	if (text !== undefined)
		made.textContent = text;
	return made;
}

/* Text and elements, one behind the other. */
function fill(parent, ...children) {
	parent.replaceChildren(...children);
	return parent;
}

function named(text, most = 160) {
	return element("span", "name", shown(text, most));
}

const app = {views: [], plan: null, matches: [], at: -1};

/* ------------------------------------------------------------------- words */

function tile(label, value, note) {
	const box = element("div");
	const dd = element("dd");
	fill(dd, element("b", "", value), element("span", "", note));
	return fill(box, element("dt", "", label), dd);
}

function showTiles(p) {
	const proved = p.arena_size === p.lower_bound;
	const above = p.arena_size - p.theoretical_min;
	fill($("tiles"),
		tile("arena", unit(p.arena_size), exact(p.arena_size)),
		tile("theoretical minimum", unit(p.theoretical_min),
			exact(p.theoretical_min)),
		tile("above the minimum",
			above ? percent(above, p.theoretical_min) : "nothing",
			proved ? "proved: no plan of this order is smaller"
				: "at least " + unit(p.lower_bound) + " is needed"),
		tile("without reuse", unit(p.total_size),
			(p.arena_size ? (p.total_size / p.arena_size).toFixed(1) : 1) +
			" times the arena"),
		tile("tensors", String(p.count),
			`${p.steps} steps, aligned to ${unit(p.alignment)}`));
}

function topLine(view, i, place) {
	const p = view.plan, load = p.load[view.step];
	const line = element("li");
	line.addEventListener("click", () => choose(view, i));
	return fill(line, element("span", "badge b" + place, String(place + 1)),
		named(p.names[i]), element("span", "num", unit(p.rounded[i])),
		element("span", "num", percent(p.rounded[i], load)),
		element("span", "soft", p.story(i)));
}

/* What makes the peak, in a sentence and three lines. */
function showVerdict(view) {
	const p = view.plan, k = view.step, load = p.load[k];
	const top = view.alive.slice(0, 3);
	const sum = top.reduce((s, i) => s + p.rounded[i], 0);
	const list = element("ol", "top");
	const what = k === p.peak ? "The peak is at " : "You look at ";
	const said = element("p");
	fill(said, what, element("b", "", p.step(k)), ": ",
		element("b", "", unit(load)), ` in ${view.alive.length} tensors. `,
		top.length > 1 ? `The ${top.length} largest hold ${percent(sum, load)}` +
			(sum < load / 20 ? "; none stands out:" : ":") : "");
	fill(list, ...top.map((i, place) => topLine(view, i, place)));
	const next = element("p");
	if (top.length && k === p.peak) {
		const left = p.without(top[0]);
		next.textContent = left < load
			? `Without the first, ${unit(left)} would be left to bind.`
			: "Even without the first, another step is as high.";
	}
	fill($("verdict"), element("h2", "", k === p.peak
		? "What makes the peak" : "What is alive here"), said, list, next);
}

const ALIVE_SHOWN = 200;

function aliveRow(view, i, place, sum) {
	const p = view.plan, load = p.load[view.step];
	const row = element("tr");
	const badge = element("span",
		"badge b" + (place < 3 ? place : "x"), String(place + 1));
	const bar = element("meter");
	const cell = (...inside) => fill(element("td"), ...inside);
	const num = text => element("td", "num", text);
	bar.max = load || 1;
	bar.value = sum;
	row.tabIndex = 0;
	row.addEventListener("click", () => choose(view, i));
	row.addEventListener("keydown", e => {
		if (e.key === "Enter")
			choose(view, i);
	});
	return fill(row, cell(badge), cell(named(p.names[i])),
		num(exact(p.size[i])), num(percent(p.rounded[i], load)), cell(bar),
		num(p.lifetime(i)), ...(p.ops.length
			? [cell(p.madeAt(i)), cell(p.keptFor(i))] : []));
}

function showAlive(view) {
	const p = view.plan, table = element("table");
	const head = element("tr"), body = element("tbody");
	const titles = ["", "tensor", "size", "share", "sum", "alive",
		...(p.ops.length ? ["made at", "kept for"] : [])];
	const numbers = ["size", "share", "alive"];
	let sum = 0;
	fill(head, ...titles.map(text =>
		element("th", numbers.includes(text) ? "num" : "", text)));
	const rows = view.alive.slice(0, ALIVE_SHOWN).map((i, place) => {
		sum += p.rounded[i];
		return aliveRow(view, i, place, sum);
	});
	fill(table, fill(element("thead"), head), fill(body, ...rows));
	const rest = view.alive.length - rows.length;
	fill($("alive"), element("h2", "", `Alive at ${p.step(view.step)}`), table,
		element("p", "soft", rest > 0
			? `and ${rest} more, ${unit(p.load[view.step] - sum)}` : ""));
}

function showDetail(view) {
	const p = view.plan, i = view.chosen, box = $("detail");
	box.hidden = i < 0;
	if (i < 0)
		return;
	const reads = p.readersOf(i);
	const firstReads = reads.slice(0, 12).map(k => p.step(k)).join(", ");
	const more = reads.length > 12 ? ` and ${reads.length - 12} more` : "";
	const left = p.without(i);
	const line = text => element("p", "", text);
	fill(box, fill(element("h2"), named(p.names[i], 400)),
		line(`${exact(p.size[i])} (${unit(p.size[i])}), ` +
			`${KINDS[p.kind[i]]}, at offset ${exact(p.offset[i])}, ` +
			`alive in steps ${p.lifetime(i)}.`),
		line(p.ops.length
			? `Made at ${p.madeAt(i)}. Read at ${firstReads || "no step"}` +
				`${more}. Kept for ${p.keptFor(i)}.` : ""),
		line(left < p.load[p.peak]
			? `Without it the peak is ${unit(left)}, ` +
				`${percent(p.load[p.peak] - left, p.load[p.peak])} less.`
			: "Without it the peak is the same."));
}

function showLegend(view) {
	const items = view.byKind ? KINDS.map((text, i) => ["k" + i, text])
		: [["one", "1st"], ["two", "2nd"], ["three", "3rd largest"],
			["live", "also alive at the chosen step"],
			["other", "alive at other steps"]];
	if (view.matches)
		items.push(["match", "found"]);
	fill($("legend"), ...items.flatMap(
		([kind, text]) => [element("i", kind), text]));
}

/* ------------------------------------------------------------------ choices */

function showAll(view) {
	showVerdict(view);
	showAlive(view);
	showLegend(view);
}

function choose(view, i) {
	for (const other of app.views) {
		const same = other === view || i < 0 ? i
			: other.plan.byName.get(view.plan.names[i]);
		other.chosen = same === undefined ? -1 : same;
		if (other.chosen >= 0)
			other.reveal(other.chosen);
		other.redraw();
	}
	showDetail(view);
}

function chooseStep(view, k) {
	view.showStep(k);
	showAll(view);
}

const RESULTS = 60;

/* Tensors and ops whose name has the text in it; ops of a name stand for the
 * tensors that they make. */
function find(text) {
	const p = app.plan, wanted = text.trim().toLowerCase();
	const hits = [], mask = wanted ? new Uint8Array(p.count) : null;
	const types = k => p.types[k] || "";
	for (let i = 0; mask && i < p.count; i++)
		if (String(p.names[i]).toLowerCase().includes(wanted)) {
			mask[i] = 1;
			hits.push({tensor: i});
		}
	for (let k = 0; mask && k < p.ops.length; k++)
		if ((p.ops[k] + " " + types(k)).toLowerCase().includes(wanted))
			hits.push({step: k});
	for (let i = 0; mask && i < p.count; i++)
		if (p.made[i] >= 0 && (p.ops[p.made[i]] + " " + types(p.made[i]))
			.toLowerCase().includes(wanted))
			mask[i] = 1;
	app.matches = hits;
	app.at = -1;
	app.views[0].matches = mask;
	app.views[0].redraw();
	$("found").textContent = mask ? `${hits.length} found` : "";
	showResults();
	showLegend(app.views[0]);
}

function showResults() {
	const p = app.plan, list = $("results");
	const lines = app.matches.slice(0, RESULTS).map((hit, n) => {
		const line = element("li", n === app.at ? "on" : "");
		const tensor = hit.tensor !== undefined;
		line.addEventListener("click", () => goToMatch(n));
		return fill(line, tensor ? named(p.names[hit.tensor])
			: p.step(hit.step), element("span", "soft", tensor
			? `${unit(p.size[hit.tensor])}, ${p.lifetime(hit.tensor)}`
			: "op"));
	});
	list.hidden = lines.length === 0;
	fill(list, ...lines);
}

function goToMatch(n) {
	const view = app.views[0], count = app.matches.length;
	if (!count)
		return;
	app.at = (n + count) % count;
	const hit = app.matches[app.at];
	$("found").textContent = `${app.at + 1} of ${count}`;
	showResults();
	if (hit.tensor !== undefined)
		return choose(view, hit.tensor);
	chooseStep(view, hit.step);
	view.goTo(hit.step);
}

function clear() {
	$("search").value = "";
	find("");
	choose(app.views[0], -1);
	for (const view of app.views)
		view.showStep(view.plan.peak);
	showAll(app.views[0]);
}

/* -------------------------------------------------------------- two of them */

function signed(a, b) {
	const by = b - a;
	const sign = by > 0 ? "+" : "\u2212";
	const share = a === 0 ? "new" : b === 0 ? "gone"
		: sign + percent(Math.abs(by), a);
	return by === 0 ? "the same" : `${sign}${unit(Math.abs(by))} (${share})`;
}

/* The tensors of either peak, by the bytes that they hold in one and not in the
 * other. */
function peakChanges(a, b) {
	const bytes = new Map();
	const add = (p, sign) => p.aliveAt(p.peak).forEach(i => {
		const entry = bytes.get(p.names[i]) || [0, 0];
		entry[sign] += p.rounded[i];
		bytes.set(p.names[i], entry);
	});
	add(a, 0);
	add(b, 1);
	return [...bytes].filter(([, [x, y]]) => x !== y)
		.sort(([, x], [, y]) =>
			Math.abs(y[1] - y[0]) - Math.abs(x[1] - x[0])).slice(0, 12);
}

function compareTable(titles, rows) {
	const head = element("tr"), body = element("tbody");
	fill(head, ...titles.map(text => element("th", "", text)));
	fill(body, ...rows.map(([name, ...cells]) => fill(element("tr"),
		fill(element("td"), name),
		...cells.map(text => element("td", "", text)))));
	return fill(element("table"), fill(element("thead"), head), body);
}

function showDifference(a, b) {
	const both = [...a.byName.keys()].filter(name => b.byName.has(name)).length;
	const row = (name, key) =>
		[name, unit(a[key]), unit(b[key]), signed(a[key], b[key])];
	const numbers = compareTable(["", "this plan", "second plan", "difference"], [
		row("arena", "arena_size"),
		row("theoretical minimum", "theoretical_min"),
		["order, planner", `${shown(a.order)}, ${shown(a.planner)}`,
			`${shown(b.order)}, ${shown(b.planner)}`, ""],
		["peak", a.step(a.peak), b.step(b.peak), ""],
		["tensors", String(a.count), String(b.count),
			`${both} of the same name`]]);
	const changes = compareTable(
		["bytes at the peak", "this plan", "second plan", "difference"],
		peakChanges(a, b).map(([name, [x, y]]) =>
			[named(name), unit(x), unit(y), signed(x, y)]));
	$("difference").hidden = false;
	fill($("difference"), element("h2", "", "Two plans"), numbers,
		element("p"), changes);
}

function addSecond(text, name) {
	const figure = $("second");
	let plan;
	try {
		plan = planOf(text);
	} catch (error) {
		$("found").textContent = shown(`${name}: ${error.message}`);
		return;
	}
	figure.hidden = false;
	const view = new MapView(figure, plan);
	if (app.views.length < 2)
		listen(view, () => app.views[1]);
	app.views[1] = view;
	view.byKind = app.views[0].byKind;
	/* One scale of addresses for both. */
	for (const one of app.views) {
		one.ceiling = Math.max(...app.views.map(v => v.plan.arena_size));
		one.fit();
	}
	fill(figure.querySelector("figcaption"), "second plan: ", named(name));
	fill($("first").querySelector("figcaption"), "this plan: ",
		named(app.plan.name));
	showDifference(app.plan, plan);
}

function readFile(file) {
	file.text().then(text => addSecond(text, file.name));
}

/* ------------------------------------------------------------ mouse and keys */

function showTip(view, event) {
	const box = view.canvas.getBoundingClientRect(), tip = $("tip");
	const x = event.clientX - box.left, y = event.clientY - box.top;
	const p = view.plan, i = view.pick(x, y);
	const k = Math.floor(view.stepAt(x));
	tip.hidden = i < 0 && !(view.isCurve(y) && k >= 0 && k < p.steps);
	if (tip.hidden)
		return;
	if (i >= 0)
		fill(tip, named(p.names[i], 90), element("div", "",
			`${unit(p.size[i])} at ${unit(p.offset[i])}, ${KINDS[p.kind[i]]}`),
		element("div", "soft", `alive ${p.lifetime(i)}`),
		element("div", "soft", p.ops.length ? p.story(i) : ""));
	else
		fill(tip, element("div", "", p.step(k)),
			element("div", "", unit(p.load[k]) + " alive"));
	tip.style.left = Math.min(event.clientX + 14, innerWidth - 430) + "px";
	tip.style.top = Math.min(event.clientY + 14, innerHeight - 110) + "px";
}

/* One set of listeners a canvas, for whichever view it shows. */
function listen(first, current) {
	const canvas = first.canvas;
	let drag = null, moved = false;
	canvas.addEventListener("wheel", event => {
		const view = current();
		event.preventDefault();
		const turn = event.deltaY || event.deltaX;
		view.zoom(1.0018 ** Math.max(-300, Math.min(300, turn)),
			event.offsetX, event.offsetY, !event.altKey,
			!event.shiftKey && !view.isCurve(event.offsetY));
	}, {passive: false});
	canvas.addEventListener("pointerdown", event => {
		drag = [event.clientX, event.clientY];
		moved = false;
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener("pointermove", event => {
		if (!drag)
			return showTip(current(), event);
		const dx = event.clientX - drag[0], dy = event.clientY - drag[1];
		moved = moved || Math.abs(dx) + Math.abs(dy) > 3;
		if (!moved)
			return;
		current().pan(dx, dy);
		drag = [event.clientX, event.clientY];
	});
	canvas.addEventListener("pointerup", event => {
		const view = current();
		if (drag && !moved && view.isCurve(event.offsetY))
			chooseStep(view, Math.floor(view.stepAt(event.offsetX)));
		else if (drag && !moved)
			choose(view, view.pick(event.offsetX, event.offsetY));
		drag = null;
	});
	canvas.addEventListener("pointerleave", () => {
		$("tip").hidden = true;
	});
	canvas.addEventListener("dblclick", event =>
		current().zoom(0.5, event.offsetX, event.offsetY));
}

function keys(event) {
	const typing = event.target === $("search");
	const view = app.views.find(v => v.canvas === document.activeElement) ||
		app.views[0];
	const x = LEFT + view.width / 2, y = TOP + view.height / 2;
	const act = {
		"/": () => $("search").focus(),
		"n": () => goToMatch(app.at + 1), "N": () => goToMatch(app.at - 1),
		"+": () => view.zoom(0.7, x, y), "=": () => view.zoom(0.7, x, y),
		"-": () => view.zoom(1 / 0.7, x, y), "0": () => view.fit(),
		"p": () => toPeak(view), "Escape": clear,
		",": () => chooseStep(view, view.step - 1),
		".": () => chooseStep(view, view.step + 1),
		"ArrowLeft": () => view.pan(60, 0), "ArrowRight": () => view.pan(-60, 0),
		"ArrowUp": () => view.pan(0, 60), "ArrowDown": () => view.pan(0, -60),
	};
	const arrows = event.key.startsWith("Arrow");
	if (event.ctrlKey || event.metaKey || event.altKey ||
		event.target.tagName === "SELECT" ||
		(arrows && event.target.tagName !== "CANVAS"))
		return;
	if (typing && event.key === "Enter")
		return goToMatch(app.at + (event.shiftKey ? -1 : 1));
	if (typing && event.key === "Escape") {
		clear();
		return app.views[0].canvas.focus();
	}
	if (typing || !act[event.key])
		return;
	event.preventDefault();
	act[event.key]();
}

function toPeak(view) {
	chooseStep(view, view.plan.peak);
	view.goTo(view.plan.peak);
}

function wire() {
	const first = () => app.views[0];
	const middle = v => [LEFT + v.width / 2, TOP + v.height / 2];
	$("search").addEventListener("input", () => find($("search").value));
	$("in").addEventListener("click", () => first().zoom(0.7, ...middle(first())));
	$("out").addEventListener(
		"click", () => first().zoom(1 / 0.7, ...middle(first())));
	$("fit").addEventListener("click", () => app.views.forEach(v => v.fit()));
	$("to-peak").addEventListener("click", () => app.views.forEach(toPeak));
	$("open").addEventListener("click", () => $("file").click());
	$("file").addEventListener("change", () => readFile($("file").files[0]));
	$("colour").addEventListener("change", () => {
		for (const view of app.views) {
			view.byKind = $("colour").value === "kind";
			view.redraw();
		}
		showLegend(first());
	});
	document.addEventListener("keydown", keys);
	document.addEventListener("dragover", event => {
		event.preventDefault();
		document.body.classList.add("drop");
	});
	document.addEventListener("dragleave",
		() => document.body.classList.remove("drop"));
	document.addEventListener("drop", event => {
		event.preventDefault();
		document.body.classList.remove("drop");
		if (event.dataTransfer.files.length)
			readFile(event.dataTransfer.files[0]);
	});
	const redraw = () => app.views.forEach(v => v.redraw());
	new ResizeObserver(redraw).observe($("first"));
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
	for (const moment of ["beforeprint", "afterprint"])
		addEventListener(moment, () => {
			document.documentElement.classList.toggle(
				"printing", moment === "beforeprint");
			app.views.forEach(v => v.draw());
		});
}

function start() {
	const plan = reportOf(document);
	const view = new MapView($("first"), plan);
	app.plan = plan;
	app.views = [view];
	document.title = shown(plan.name, 80) + " \u2013 memplan";
	fill($("name"), named(plan.name, 300)).firstChild.className = "";
	$("sub").textContent = `order ${shown(plan.order)}, planner ` +
		shown(plan.planner);
	$("foot").textContent = "Made by memplan. The page needs no network.";
	view.canvas.setAttribute("aria-label",
		`Steps across, addresses up: ${plan.count} tensors in ` +
		`${unit(plan.arena_size)}`);
	showTiles(plan);
	showAll(view);
	listen(view, () => app.views[0]);
	wire();
	view.draw();
	performance.mark("map");
	window.memplan = app;
}

start();
