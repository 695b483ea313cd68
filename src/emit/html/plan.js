"use strict";
/* A plan as the page sees it: columns of rectangles, the load of every step,
 * and for each what makes, reads and keeps it. SPDX-License-Identifier: MIT */

const UNPRINTABLE =
	/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
const KINDS = ["activation", "input", "output", "weight", "state", "temporary"];

/* A name as it may be shown: no controls, nothing that reverses writing. */
function shown(text, most = 160) {
	const clean = String(text).replace(UNPRINTABLE, "\ufffd");
	return clean.length > most ? clean.slice(0, most - 1) + "\u2026" : clean;
}

function unit(bytes) {
	let i = 0;
	while (bytes >= 1024 && i + 1 < UNITS.length) {
		bytes /= 1024;
		i++;
	}
	return (i ? bytes.toFixed(2) : bytes) + " " +
		(bytes === 1 && !i ? "byte" : UNITS[i]);
}

function exact(bytes) {
	return counted(bytes, "byte");
}

/* "1 step", "12 345 steps" */
function count(n) {
	return String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

function counted(n, what) {
	return `${count(n)} ${what}${n === 1 ? "" : "s"}`;
}

/* A phrase as the begin of a sentence. */
function sentence(phrase) {
	return phrase[0].toUpperCase() + phrase.slice(1);
}

function percent(a, b) {
	return (b ? 100 * a / b : 100).toFixed(1) + " %";
}

/* Names as they are stored: how much of the one before, and what follows. */
function unfold(folded) {
	const names = [];
	let last = "";
	for (let i = 0; i < folded.length; i += 2) {
		last = last.slice(0, folded[i]) + folded[i + 1];
		names.push(last);
	}
	return names;
}

/* How pools lie on the axis of addresses: one lane each, the first on top, all of
 * one height; between them is room for a name. One memory is its own scale. */
const LANE = 1 << 20, LANE_GAP = LANE / 6;

function lanesOf(plan) {
	if (!plan.pools)
		return [{base: 0, scale: 1, bytes: plan.arena_size}];
	return plan.pools.map((pool, i) => {
		const used = Math.max(pool.size, pool.theoretical_min, 1);
		const capacity = pool.capacity || 0;
		const bytes = capacity <= 3 * used ? Math.max(used, capacity) : used;
		const base = (plan.pools.length - 1 - i) * (LANE + LANE_GAP);
		return {base, bytes, scale: LANE / bytes};
	});
}

/* Numbers that are stored as runs: each, and how often it comes. */
function unrun(runs) {
	const list = [];
	for (let i = 0; i < runs.length; i += 2)
		for (let n = runs[i + 1]; n > 0; n--)
			list.push(runs[i]);
	return list;
}

class Plan {
	constructor(raw) {
		Object.assign(this, raw);
		this.count = raw.sizes.length;
		this.start = Uint32Array.from(raw.starts);
		this.end = Uint32Array.from(raw.lives, (n, i) => n + raw.starts[i]);
		this.offset = Float64Array.from(raw.offsets);
		this.size = Float64Array.from(raw.sizes);
		this.kind = Uint8Array.from(raw.kinds, Number);
		this.made = Int32Array.from(raw.made);
		this.load = Float64Array.from(raw.load ||
			loadOf(raw.steps, raw.starts, raw.lives, raw.sizes));
		this.pools = raw.pools || null;
		this.pool = Uint32Array.from(raw.pool || raw.sizes, n => this.pools ? n : 0);
		this.lanes = lanesOf(this);
		this.low = this.offset.map((n, i) => this.heightOf(this.pool[i], n));
		this.high = this.offset.map(
			(n, i) => this.heightOf(this.pool[i], n + this.size[i]));
		this.peak = this.load.indexOf(this.load.reduce((a, b) => Math.max(a, b), 0));
		this.findReaders();
		/* The tensors of a rectangle that several have. */
		this.members = new Map(raw.several.map(([i, ...names]) => [i, names]));
		this.ways = waysOf(this, raw);
		this.loops = stacked(raw.loops || []);
		this.loopRows = this.loops.reduce(
			(rows, loop) => Math.min(LOOP_ROWS, Math.max(rows, loop.row + 1)), 0);
		this.byName = new Map();
		for (let i = this.count - 1; i >= 0; i--)
			this.byName.set(raw.names[i], i);
	}

	/* Where bytes of a pool are drawn. */
	heightOf(pool, bytes) {
		const lane = this.lanes[pool];
		return lane.base + bytes * lane.scale;
	}

	/* " in sram", where there are several pools. */
	inPool(i) {
		return this.pools ? " in " + shown(this.pools[this.pool[i]].name, 60) : "";
	}

	/* " in branch 1 of choice 0", where there are choices. */
	inBranch(i) {
		const branch = this.branches && this.branches[i];
		return branch ? ` in branch ${branch[1]} of choice ${branch[0]}` : "";
	}

	/* The colour of the layer that makes rectangle i. */
	layerColour(i) {
		const colour = this.colours && this.colours[this.made[i]];
		return colour === undefined ? LAYERS.length - 1 : colour;
	}

	/* All names under which rectangle i is found. */
	namesOf(i) {
		return [this.names[i], ...(this.members.get(i) || [])];
	}

	/* Steps that read rectangle i: readers[first[i]] to before first[i + 1]. */
	findReaders() {
		const first = new Uint32Array(this.count + 2);
		for (const list of this.reads)
			for (const i of list)
				first[i + 2]++;
		for (let i = 0; i < this.count; i++)
			first[i + 2] += first[i + 1];
		this.readers = new Uint32Array(first[this.count + 1]);
		this.reads.forEach((list, k) => {
			for (const i of list)
				this.readers[first[i + 1]++] = k;
		});
		this.first = first;
	}

	readersOf(i) {
		return [...new Set(
			this.readers.subarray(this.first[i], this.first[i + 1]))];
	}

	time(k) {
		return this.times ? this.times[k] : k;
	}

	/* What a step is called. */
	axis() {
		return this.times ? "time" : "step";
	}

	/* "step 7 (conv2)" */
	step(k) {
		const op = this.ops[k] || this.types[k];

		return `${this.axis()} ${this.time(k)}` +
			(op ? ` (${shown(op, 60)})` : "");
	}

	/* Rectangles alive at a step, largest first. */
	aliveAt(k) {
		const list = [];
		for (let i = 0; i < this.count; i++)
			if (this.start[i] <= k && k < this.end[i])
				list.push(i);
		return list.sort((a, b) => this.size[b] - this.size[a] || a - b);
	}

	/* How rectangle i came to be, and what keeps it to its end. Without ops
	 * all would be said to be as the input says. */
	story(i) {
		if (!this.ops.length)
			return "";
		const born = this.made[i] >= 0 ? 0 : this.start[i] > 0 ? 2 : 1;
		return this.births[born].replace("%s",
			() => this.step(born ? this.start[i] : this.made[i])) +
			", " + this.ends_as[this.ends[i]].replace(
			"%s", () => this.step(this.end[i] - 1 - this.early[i]));
	}

	/* The greatest load if rectangle i took no bytes. */
	without(i) {
		let most = 0;
		for (let k = 0; k < this.steps; k++) {
			const alive = this.start[i] <= k && k < this.end[i];
			most = Math.max(
				most, this.load[k] - (alive ? this.size[i] : 0));
		}
		return most;
	}

	lifetime(i) {
		return `[${this.time(this.start[i])}, ${this.time(this.end[i])})`;
	}
}

/* ------------------------------------------------- a second plan, from a file */

/* Lifetimes of a CSV problem are times; steps are counted between them. */
function stepsOf(file) {
	const times = new Set();
	if (file.ops.length)
		return null;
	for (const t of file.tensors)
		times.add(t.start).add(t.end);
	return [...times].sort((a, b) => a - b);
}

function roundedOf(t, file) {
	const size = t.size && t.size + (file.padding || 0);
	return Math.ceil(size / file.alignment) * file.alignment;
}

/* Where it lies, and how much it takes. */
function placeOf(t, file) {
	return JSON.stringify([t.pool, t.offset, roundedOf(t, file)]);
}

/* Tensors that take over the bytes of an input are one rectangle with it: the
 * number of each one's rectangle, and the tensors of each rectangle. */
function rectanglesOf(file, indexOf) {
	const tensors = file.tensors, number = [], lists = [], taken = new Map();
	for (const op of file.ops) {
		const places = new Map(op.inputs.map(indexOf)
			.map(i => [placeOf(tensors[i], file), i]));
		for (const o of op.outputs.map(indexOf)) {
			const i = places.get(placeOf(tensors[o], file));
			if (i !== undefined && tensors[i].end === tensors[o].start)
				taken.set(o, i);
		}
	}
	/* What is taken over in its only step has none left, and comes first. */
	const birth = ({start, end}) => 2 * start + (start < end);
	const byBirth = tensors.map((t, i) => i)
		.sort((a, b) => birth(tensors[a]) - birth(tensors[b]) || a - b);
	for (const i of byBirth) {
		number[i] = taken.has(i) ? number[taken.get(i)]
			: lists.push([]) - 1;
		lists[number[i]].push(tensors[i]);
	}
	return {number, lists};
}

/* The pools of a plan, if it has any, and which rectangle lies where. */
function poolsOf(file, lists) {
	if (!file.pools)
		return {};
	const index = new Map(file.pools.map((pool, i) => [pool.name, i]));
	return {
		pools: file.pools.map(pool => ({...pool, size: pool.arena_size})),
		pool: lists.map(([t]) => index.get(t.pool) || 0),
	};
}

/* The bytes alive at each step. */
function loadOf(steps, starts, lives, sizes) {
	const load = new Array(steps + 1).fill(0);
	sizes.forEach((size, i) => {
		load[starts[i]] += size;
		load[starts[i] + lives[i]] -= size;
	});
	for (let k = 1; k <= steps; k++)
		load[k] += load[k - 1];
	return load.slice(0, steps);
}

/* The colours that ops of these names have in the plan that is shown: so the
 * same layers have the same colours in both maps. */
function coloursOf(ops, plan) {
	const colours = new Map(plan.ops.map((name, k) => [name, plan.colours[k]]));
	return ops.map(op => colours.get(op.name) ?? LAYERS.length - 1);
}

/* What a budget moves, as src/emit/ways.c finds it: by the types of ops and the
 * names of their tensors, of which NAME@3 comes back for NAME@2, that for NAME. */
function movedOf(file, ops, indexOf, number) {
	const {tensors} = file, moved = [];
	const byName = new Map(tensors.map((t, i) => [t.name, i]));
	for (const op of ops) {
		if (!["swap-in", "recompute"].includes(op.type) ||
			op.outputs.length !== 1)
			continue;
		const back = indexOf(op.outputs[0]);
		const [, name, n] = /^([^]*)@(\d+)$/.exec(tensors[back].name) || [];
		const old = byName.get(n > 2 ? `${name}@${n - 1}` : name);
		if (n >= 2 && old !== undefined && tensors[old].end <= tensors[back].start)
			moved.push([number[old], number[back], +(op.type === "recompute")]);
	}
	return moved;
}

/* memplan.plan as columns, as the page's own data are. Why a tensor is alive
 * is not in the file. */
function columnsOf(file) {
	const key = JSON.stringify;
	const index = new Map(file.tensors.map((t, i) => [key(t.id), i]));
	const indexOf = id => index.get(key(id));
	const {number, lists} = rectanglesOf(file, indexOf);
	const times = stepsOf(file);
	const step = times ? new Map(times.map((t, k) => [t, k])) : null;
	const at = t => step ? step.get(t) : t;
	const ops = file.order.ops.map(i => file.ops[i]);
	const made = lists.map(() => -1);
	ops.forEach((op, k) => {
		for (const i of [...op.outputs, ...op.temporaries].map(indexOf))
			if (made[number[i]] < 0)
				made[number[i]] = k;
	});
	const steps = times ? times.length - 1 : ops.length;
	const starts = lists.map(([t]) => at(t.start));
	const ends = lists.map(list => at(list[list.length - 1].end));
	const lives = ends.map((end, i) => end - starts[i]);
	const sizes = lists.map(([t]) => roundedOf(t, file));
	return {
		name: file.name, planner: file.planner, order: file.order.name,
		arena_size: file.arena_size, lower_bound: file.lower_bound, claimed: true,
		theoretical_min: file.theoretical_min, alignment: file.alignment,
		steps, times, made, starts, lives, sizes,
		tensors: file.tensors.length, buffers: lists.length, external: 0,
		names: lists.map(list => list.length === 1 ? list[0].name
			: `${list[0].name} \u2026 ${list[list.length - 1].name}`),
		several: lists.map((list, i) => [i, ...list.map(t => t.name)])
			.filter(list => list.length > 2),
		offsets: lists.map(([t]) => t.offset),
		...poolsOf(file, lists),
		kinds: lists.map(
			([t]) => Math.max(0, KINDS.indexOf(t.kind || "activation"))),
		births: app.plan.births, ends_as: ["alive to the end of %s"],
		ends: lists.map(() => 0), early: ends.map(() => 0),
		ops: ops.map(op => op.name), types: ops.map(op => op.type || ""),
		reads: ops.map(op => op.inputs.map(id => number[indexOf(id)])),
		layers: app.plan.layers, colours: coloursOf(ops, app.plan),
		ways: movedOf(file, ops, indexOf, number),
		loops: loopsIn(file),
	};
}

/* The plan of a page like this one; of one of two the first. */
function reportOf(page, id = "data") {
	const raw = JSON.parse(page.getElementById(id).textContent);
	if (!raw)
		return null;
	raw.names = unfold(raw.names);
	for (const key of ["kinds", "ends", "early", "colours"])
		raw[key] = unrun(raw[key]);
	raw.ops = unfold(raw.ops);
	raw.types = raw.types.map(i => raw.type_names[i]);
	return new Plan(raw);
}

/* A plan from the text of a plan.json or of another report. */
function planOf(text) {
	if (/^\s*</.test(text)) {
		const page = new DOMParser().parseFromString(text, "text/html");
		return reportOf(page);
	}
	const file = JSON.parse(text);
	if (file.format !== "memplan.plan")
		throw new Error("this is neither a plan (.json) nor a report (.html)");
	return new Plan(columnsOf(file));
}
