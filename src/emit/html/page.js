/* What keys, wheel, mouse and search do, and how it starts. */

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
		if (p.namesOf(i).some(
			name => String(name).toLowerCase().includes(wanted))) {
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
	$("found").textContent = mask ? `${count(hits.length)} found` : "";
	showResults();
	showLegend(app.views[0]);
}

/* The list floats, so that a search moves nothing. */
function showResults() {
	const p = app.plan, list = $("results"), search = $("search");
	const lines = app.matches.slice(0, RESULTS).map((hit, n) => {
		const line = element("li", n === app.at ? "on" : "");
		const tensor = hit.tensor !== undefined;
		line.id = "result-" + n;
		line.setAttribute("role", "option");
		line.setAttribute("aria-selected", String(n === app.at));
		line.addEventListener("pointerdown", event => event.preventDefault());
		line.addEventListener("click", () => goToMatch(n));
		return fill(line, tensor ? named(p.names[hit.tensor])
			: p.step(hit.step), element("span", "soft", tensor
			? `${unit(p.size[hit.tensor])}, ${p.lifetime(hit.tensor)}`
			: "op"));
	});
	const open = lines.length > 0 && document.activeElement === search;
	list.hidden = !open;
	search.setAttribute("aria-expanded", String(open));
	fill(list, ...lines);
	const on = app.at >= 0 && app.at < lines.length ? lines[app.at] : null;
	if (on && open)
		on.scrollIntoView({block: "nearest"});
	if (on)
		search.setAttribute("aria-activedescendant", on.id);
	else
		search.removeAttribute("aria-activedescendant");
}

/* Shows a match in the map, and the map on the screen. */
function goToMatch(n) {
	const view = app.views[0], all = app.matches.length;
	if (!all)
		return;
	app.at = (n + all) % all;
	const hit = app.matches[app.at];
	$("found").textContent = `${count(app.at + 1)} of ${count(all)}`;
	showResults();
	if (hit.tensor !== undefined) {
		choose(view, hit.tensor);
	} else {
		chooseStep(view, hit.step);
		view.goTo(hit.step);
	}
	view.canvas.scrollIntoView({block: "nearest"});
}

function clear() {
	$("search").value = "";
	find("");
	choose(app.views[0], -1);
	for (const view of app.views)
		view.showStep(view.plan.peak);
	showAll(app.views[0]);
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
		fill(tip, named(p.names[i]), element("div", "",
			`${unit(p.size[i])} at ${unit(p.offset[i])}${p.inPool(i)}, ${KINDS[p.kind[i]]}`),
		element("div", "soft", `alive ${p.lifetime(i)}`),
		element("div", "soft", p.story(i)));
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
	if (typing && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
		event.preventDefault();
		return goToMatch(app.at + (event.key === "ArrowUp" ? -1 : 1));
	}
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

const PAPER = 718; /* pixels that a page of A4 has */

function wire() {
	const first = () => app.views[0];
	const middle = v => [LEFT + v.width / 2, TOP + v.height / 2];
	$("search").addEventListener("input", () => find($("search").value));
	for (const moment of ["focus", "blur"])
		$("search").addEventListener(moment, showResults);
	$("in").addEventListener("click", () => first().zoom(0.7, ...middle(first())));
	$("out").addEventListener(
		"click", () => first().zoom(1 / 0.7, ...middle(first())));
	$("fit").addEventListener("click", () => app.views.forEach(v => v.fit()));
	$("to-peak").addEventListener("click", () => app.views.forEach(toPeak));
	$("open").addEventListener("click", () => $("file").click());
	$("file").addEventListener("change", () => readFile($("file").files[0]));
	$("colour").addEventListener("change", () => {
		for (const view of app.views) {
			view.colour = $("colour").value;
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
			/* Letters of the map keep their size on paper. */
			for (const view of app.views) {
				view.canvas.style.width =
					moment === "beforeprint" ? PAPER + "px" : "";
				view.draw();
			}
		});
}

/* What a screen reader says of a map. */
function describe(view) {
	const p = view.plan;
	view.canvas.setAttribute("aria-label",
		`Steps across, addresses up: ${counted(p.count, "rectangle")} in ` +
		(p.pools ? `${counted(p.pools.length, "pool")} of ` : "") +
		`${unit(p.arena_size)}. The peak is at ${p.step(p.peak)}. ` +
		"Arrow keys move, plus and minus zoom.");
}

function start() {
	const second = reportOf(document, "second-data");
	const plan = reportOf(document);
	const view = new MapView($("first"), plan);
	app.plan = plan;
	app.views = [view];
	document.title = shown(plan.name, 80) + " \u2013 memplan";
	fill($("name"), named(plan.name, 300)).firstChild.className = "";
	$("sub").textContent = madeBy(plan);
	$("foot").textContent = "Made by memplan. The page needs no network.";
	describe(view);
	showTiles(plan);
	showPools(plan);
	showWays(plan);
	$("colour").querySelector("[value=layer]").disabled = !plan.ops.length;
	showAll(view);
	listen(view, () => app.views[0]);
	wire();
	if (second) {
		showSecond(second, second.name, PAIR);
		$("sub").textContent = "before and after: " + [plan, second].map(
			madeBy).join("; ");
	}
	view.draw();
	performance.mark("map");
	window.memplan = app;
}

start();
