/* What the page says in words: numbers, the peak, what is alive, one tensor. */

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


function tile(label, value, note) {
	const box = element("div");
	const dd = element("dd");
	fill(dd, element("b", "", value), element("span", "", note));
	return fill(box, element("dt", "", label), dd);
}

/* What has no ops has no order. */
function madeBy(p) {
	return (p.ops.length ? `order ${shown(p.order)}, ` : "") +
		`planner ${shown(p.planner)}`;
}

function showTiles(p) {
	const proved = p.arena_size === p.lower_bound;
	const above = p.arena_size - p.theoretical_min;
	fill($("tiles"),
		tile(p.pools ? "all pools" : "arena", unit(p.arena_size),
			exact(p.arena_size)),
		tile("theoretical minimum", unit(p.theoretical_min),
			exact(p.theoretical_min)),
		tile("above the minimum",
			above ? percent(above, p.theoretical_min) : "nothing",
			proved ? (p.claimed ? "the file claims" : "proved") +
				(p.pools ? ": no pool could be smaller with what it has"
				: p.ops.length ? ": no plan of this order is smaller"
				: ": no plan is smaller")
				: "at least " + unit(p.lower_bound) + " is needed"),
		tile("without reuse", unit(p.total_size),
			(p.arena_size ? (p.total_size / p.arena_size).toFixed(1) : 1) +
			" times the arena"),
		tile("buffers", count(p.buffers),
			`${counted(p.tensors, "tensor")}` +
			(p.external ? `, ${count(p.external)} of them external` : "") +
			`, ${counted(p.steps, "step")}, aligned to ${unit(p.alignment)}`));
}

/* An element that acts when it is clicked, or when Enter is pressed on it. */
function acting(made, act) {
	made.tabIndex = 0;
	made.addEventListener("click", act);
	made.addEventListener("keydown", event => {
		if (event.key === "Enter" && event.target === made)
			act();
	});
	return made;
}

function topLine(view, i, place) {
	const p = view.plan, load = p.load[view.step];
	const line = element("li"), button = element("button", "line");
	button.addEventListener("click", () => choose(view, i));
	fill(button, element("span", "badge b" + place, String(place + 1)),
		named(p.names[i]), element("span", "num", unit(p.size[i])),
		element("span", "num", percent(p.size[i], load)),
		element("span", "soft",
			[p.story(i), p.inPool(i).trim()].filter(Boolean).join(", ")));
	return fill(line, button);
}

/* The pools: how full they are, and how many tensors lie there. */
function showPools(p) {
	const count = new Array(p.pools ? p.pools.length : 0).fill(0);
	$("pools").hidden = !p.pools;
	if (!p.pools)
		return;
	p.pool.forEach(k => count[k]++);
	const table = compareTable(
		["pool", "size", "capacity", "full", "minimum", "tensors"],
		p.pools.slice(0, POOLS_SHOWN).map((pool, k) => [named(pool.name),
			exact(pool.size), pool.capacity ? exact(pool.capacity) : "no limit",
			pool.capacity ? percent(pool.size, pool.capacity) : "",
			exact(pool.theoretical_min), String(count[k])]));
	const rest = p.pools.length - POOLS_SHOWN;
	fill($("pools"), element("h2", "", "Pools"), table, element("p", "soft",
		rest > 0 ? `and ${rest} more` : ""));
}

/* What makes the peak, in a sentence and three lines. */
function showVerdict(view) {
	const p = view.plan, k = view.step, load = p.load[k];
	const top = view.alive.slice(0, 3);
	const sum = top.reduce((s, i) => s + p.size[i], 0);
	const list = element("ol", "top");
	const what = k === p.peak ? "The peak is at " : "You look at ";
	const said = element("p");
	fill(said, what, element("b", "", p.step(k)), ": ",
		element("b", "", unit(load)), ` in ${counted(view.alive.length, "rectangle")}. `,
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

const ALIVE_SHOWN = 20, ALIVE_MOST = 1000, POOLS_SHOWN = 64;

function aliveRow(view, i, place, sum) {
	const p = view.plan, load = p.load[view.step];
	const badge = element("span",
		"badge b" + (place < 3 ? place : "x"), String(place + 1));
	const bar = element("meter");
	const cell = (kind, ...inside) => fill(element("td", kind), ...inside);
	const num = (text, kind = "") => element("td", "num " + kind, text);
	bar.max = load || 1;
	bar.value = sum;
	bar.setAttribute("aria-label", percent(sum, load));
	return acting(fill(element("tr"), cell("", badge), cell("", named(p.names[i])),
		num(exact(p.size[i])), num(percent(p.size[i], load)), cell("bar", bar),
		...(p.pools ? [cell("wide", shown(p.pools[p.pool[i]].name, 60))] : []),
		num(p.lifetime(i), "wide"),
		...(p.ops.length ? [cell("wide", p.story(i))] : [])),
	() => choose(view, i));
}

/* The largest, and a button that unfolds the others. */
function showAlive(view, most = ALIVE_SHOWN) {
	const p = view.plan, table = element("table");
	const head = element("tr"), body = element("tbody");
	const titles = [["rank", ""], ["tensor", ""], ["size", "num"],
		["share", "num"], ["sum", "bar"],
		...(p.pools ? [["pool", "wide"]] : []), ["alive", "num wide"],
		...(p.ops.length ? [["why", "wide"]] : [])];
	let sum = 0;
	fill(head, ...titles.map(([text, kind]) => element("th", kind, text)));
	const rows = view.alive.slice(0, most).map((i, place) => {
		sum += p.size[i];
		return aliveRow(view, i, place, sum);
	});
	fill(table, fill(element("thead"), head), fill(body, ...rows));
	const rest = view.alive.length - rows.length;
	fill($("alive"), element("h2", "", `Alive at ${p.step(view.step)}`), table,
		element("p", "soft", rest > 0
			? `and ${count(rest)} more, ${unit(p.load[view.step] - sum)}` : ""));
	if (view.alive.length <= ALIVE_SHOWN)
		return;
	const all = most > ALIVE_SHOWN;
	const fold = element("button", "", all ? `show ${ALIVE_SHOWN}`
		: `show ${count(Math.min(view.alive.length, ALIVE_MOST))}`);
	fold.id = "fold";
	fold.setAttribute("aria-expanded", String(all));
	fold.addEventListener("click", () => {
		showAlive(view, all ? ALIVE_SHOWN : ALIVE_MOST);
		$("fold").focus();
	});
	$("alive").append(fold);
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
	const members = p.members.get(i) || [];
	fill(box, fill(element("h2"), named(p.names[i], 400)),
		line(`${exact(p.size[i])} (${unit(p.size[i])}), ` +
			`${KINDS[p.kind[i]]}, at offset ${exact(p.offset[i])}${p.inPool(i)}, ` +
			`alive in steps ${p.lifetime(i)}${p.inBranch(i)}.`),
		line(members.length
			? `These bytes are those of ${counted(members.length, "tensor")}: ` +
				`${members.map(name => shown(name)).join(", ")}.` : ""),
		line((p.ops.length ? `${sentence(p.story(i))}.` : "") +
			(reads.length ? ` Read at ${firstReads}${more}.` : "")),
		line(left < p.load[p.peak]
			? `Without it the peak is ${unit(left)}, ` +
				`${percent(p.load[p.peak] - left, p.load[p.peak])} less.`
			: "Without it the peak is the same."));
}

/* What layers have which colour. */
function layerItems(p) {
	const used = new Set();
	for (let i = 0; i < p.count; i++)
		used.add(p.layerColour(i));
	return LAYERS.map((kind, i) => [kind, i === LAYERS.length - 1 ? "others"
		: shown((p.layers || [])[i] || "", 40)]).filter((item, i) => used.has(i));
}

function legendItems(view) {
	const p = view.plan;
	if (view.colour === "layer")
		return layerItems(p);
	if (view.colour === "kind")
		return KINDS.map((text, i) => ["k" + i, text]).filter(
			(item, i) => p.kind.includes(i));
	const n = view.alive.length;
	return [["one", "1st", n > 0], ["two", "2nd", n > 1],
		["three", "3rd largest", n > 2],
		["live", "also alive at the chosen step", n > 3],
		["other", "alive at other steps", n < p.count]]
		.filter(([, , used]) => used);
}

function showLegend(view) {
	const items = legendItems(view);
	if (view.matches)
		items.push(["match", "found"]);
	if (view.plan.ways.length)
		items.push(["way", "copied out and back, or made again"]);
	if (view.plan.loops.length)
		items.push(["loop", loopLegend(view.plan.loops)]);
	fill($("legend"), ...items.map(([kind, text]) =>
		fill(element("span"), element("i", kind), text)));
}
