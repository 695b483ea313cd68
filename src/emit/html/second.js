/* A second plan beside the first. */

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
		entry[sign] += p.size[i];
		bytes.set(p.names[i], entry);
	});
	add(a, 0);
	add(b, 1);
	return [...bytes].filter(([, [x, y]]) => x !== y)
		.sort(([, x], [, y]) =>
			Math.abs(y[1] - y[0]) - Math.abs(x[1] - x[0])).slice(0, 8);
}

function compareTable(titles, rows) {
	const head = element("tr"), body = element("tbody");
	fill(head, ...titles.map(text => element("th", "", text)));
	fill(body, ...rows.map(([name, ...cells]) => fill(element("tr"),
		fill(element("td"), name),
		...cells.map(text => element("td", "", text)))));
	return fill(element("table"), fill(element("thead"), head), body);
}

/* A row for each pool of either plan, by name. */
function poolRows(a, b) {
	const names = new Set([...(a.pools || []), ...(b.pools || [])]
		.map(pool => pool.name));
	const size = (p, name) => ((p.pools || []).find(
		pool => pool.name === name) || {size: 0}).size;
	return [...names].slice(0, POOLS_SHOWN).map(name => [
		"pool " + shown(name, 40), unit(size(a, name)), unit(size(b, name)),
		signed(size(a, name), size(b, name))]);
}

/* What the two plans are called. */
const OWN = ["this plan", "second plan"], PAIR = ["before", "after"];

function showDifference(a, b, words) {
	const both = [...a.byName.keys()].filter(name => b.byName.has(name)).length;
	const row = (name, key) =>
		[name, unit(a[key]), unit(b[key]), signed(a[key], b[key])];
	const numbers = compareTable(["what", ...words, "difference"], [
		row("arena", "arena_size"),
		row("theoretical minimum", "theoretical_min"),
		...poolRows(a, b),
		["order, planner", `${shown(a.order)}, ${shown(a.planner)}`,
			`${shown(b.order)}, ${shown(b.planner)}`, ""],
		["peak", a.step(a.peak), b.step(b.peak), ""],
		["tensors", count(a.tensors), count(b.tensors), ""],
		["rectangles", count(a.count), count(b.count),
			`${count(both)} of the same name`]]);
	const changes = compareTable(
		["bytes at the peak", ...words, "difference"],
		peakChanges(a, b).map(([name, [x, y]]) =>
			[named(name), unit(x), unit(y), signed(x, y)]));
	$("difference").hidden = false;
	fill($("difference"), element("h2", "", "Two plans"), numbers,
		element("p"), changes);
}

function showSecond(plan, name, words) {
	const figure = $("second");
	figure.hidden = false;
	$("maps").classList.add("two");
	const view = new MapView(figure, plan);
	if (app.views.length < 2)
		listen(view, () => app.views[1]);
	app.views[1] = view;
	view.colour = app.views[0].colour;
	describe(view);
	/* One scale of addresses for both. */
	for (const one of app.views) {
		one.ceiling = Math.max(...app.views.map(v => v.plan.arena_size));
		one.resize();
		one.fit();
	}
	const caption = (where, word, text, p) => fill(
		where.querySelector("figcaption"), element("b", "", word), ": ",
		named(text), `, ${unit(p.arena_size)}`);
	caption(figure, words[1], name, plan);
	caption($("first"), words[0], app.plan.name, app.plan);
	showDifference(app.plan, plan, words);
}

function addSecond(text, name) {
	let plan;
	try {
		plan = planOf(text);
	} catch (error) {
		$("found").textContent = shown(`${name}: ${error.message}`);
		return;
	}
	showSecond(plan, name, OWN);
}

function readFile(file) {
	file.text().then(text => addSecond(text, file.name));
}
