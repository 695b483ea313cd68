"use strict";
/* A plan as the page sees it: columns of rectangles, the load of every step,
 * who makes and who reads each tensor. SPDX-License-Identifier: MIT */

const UNPRINTABLE =
	/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const KINDS = ["activation", "input", "output", "weight", "state", "temporary"];

/* A name as it may be shown: no controls, nothing that reverses writing. */
function shown(text, most = 160) {
	const clean = String(text).replace(UNPRINTABLE, "\ufffd");
	return clean.length > most ? clean.slice(0, most - 1) + "\u2026" : clean;
}

function unit(bytes) {
	const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
	let i = 0;
	while (bytes >= 1024 && i + 1 < units.length) {
		bytes /= 1024;
		i++;
	}
	return (i ? bytes.toFixed(2) : bytes) + " " +
		(bytes === 1 && !i ? "byte" : units[i]);
}

function exact(bytes) {
	const digits = String(bytes).replace(/\B(?=(\d{3})+$)/g, "\u202f");
	return digits + (bytes === 1 ? " byte" : " bytes");
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
		this.rounded = this.size.map(
			n => Math.ceil(n / raw.alignment) * raw.alignment);
		this.pools = raw.pools || null;
		this.pool = Uint32Array.from(raw.pool || raw.sizes, n => this.pools ? n : 0);
		this.lanes = lanesOf(this);
		this.low = this.offset.map((n, i) => this.heightOf(this.pool[i], n));
		this.high = this.offset.map(
			(n, i) => this.heightOf(this.pool[i], n + this.size[i]));
		this.measure();
		this.findReaders();
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

	measure() {
		this.load = new Float64Array(this.steps + 1);
		for (let i = 0; i < this.count; i++) {
			this.load[this.start[i]] += this.rounded[i];
			this.load[this.end[i]] -= this.rounded[i];
		}
		for (let k = 1; k <= this.steps; k++)
			this.load[k] += this.load[k - 1];
		this.peak = 0;
		for (let k = 0; k < this.steps; k++)
			if (this.load[k] > this.load[this.peak])
				this.peak = k;
	}

	/* Steps that read tensor i: readers[first[i]] to before first[i + 1]. */
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

	/* "step 7 (conv2)" */
	step(k) {
		const op = this.ops[k] || this.types[k];
		return `step ${this.time(k)}` + (op ? ` (${shown(op, 60)})` : "");
	}

	/* Tensors alive at a step, largest first. */
	aliveAt(k) {
		const list = [];
		for (let i = 0; i < this.count; i++)
			if (this.start[i] <= k && k < this.end[i])
				list.push(i);
		return list.sort((a, b) => this.rounded[b] - this.rounded[a] || a - b);
	}

	madeAt(i) {
		return this.made[i] < 0 ? "the start" : this.step(this.made[i]);
	}

	/* Who makes tensor i, and for whom it is kept. */
	story(i) {
		if (!this.ops.length)
			return `alive ${this.lifetime(i)}`;
		return `made at ${this.madeAt(i)}, kept for ${this.keptFor(i)}`;
	}

	/* Why tensor i is alive until its end. */
	keptFor(i) {
		const last = this.readersOf(i).pop();
		const kind = this.kind[i];
		if (kind >= 2 && kind <= 4 && this.end[i] === this.steps)
			return "the end: " + KINDS[kind];
		if (last !== undefined && last + 1 === this.end[i])
			return this.step(last);
		if (last !== undefined && last === this.end[i])
			return "taken over in place at " + this.step(last);
		if (last === undefined && this.end[i] === this.made[i] + 1)
			return "nobody: unread";
		return "the input, which says so";
	}

	/* The greatest load if tensor i took no bytes. */
	without(i) {
		let most = 0;
		for (let k = 0; k < this.steps; k++) {
			const alive = this.start[i] <= k && k < this.end[i];
			most = Math.max(
				most, this.load[k] - (alive ? this.rounded[i] : 0));
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

/* The pools of a plan, if it has any, and whose lies where. */
function poolsOf(file) {
	if (!file.pools)
		return {};
	const index = new Map(file.pools.map((pool, i) => [pool.name, i]));
	return {
		pools: file.pools.map(pool => ({...pool, size: pool.arena_size})),
		pool: file.tensors.map(t => index.get(t.pool) || 0),
	};
}

/* memplan.plan as columns, as the page's own data are. */
function columnsOf(file) {
	const key = JSON.stringify;
	const index = new Map(file.tensors.map((t, i) => [key(t.id), i]));
	const times = stepsOf(file);
	const step = times ? new Map(times.map((t, k) => [t, k])) : null;
	const at = t => step ? step.get(t) : t;
	const ops = file.order.ops.map(i => file.ops[i]);
	const made = new Array(file.tensors.length).fill(-1);
	ops.forEach((op, k) => {
		for (const id of [...op.outputs, ...op.temporaries])
			made[index.get(key(id))] = k;
	});
	return {
		name: file.name, planner: file.planner, order: file.order.name,
		arena_size: file.arena_size, lower_bound: file.lower_bound,
		theoretical_min: file.theoretical_min, alignment: file.alignment,
		steps: times ? times.length - 1 : ops.length, times, made,
		names: file.tensors.map(t => t.name),
		sizes: file.tensors.map(t => t.size),
		offsets: file.tensors.map(t => t.offset),
		...poolsOf(file),
		starts: file.tensors.map(t => at(t.start)),
		lives: file.tensors.map(t => at(t.end) - at(t.start)),
		kinds: file.tensors.map(
			t => Math.max(0, KINDS.indexOf(t.kind || "activation"))),
		ops: ops.map(op => op.name), types: ops.map(op => op.type || ""),
		reads: ops.map(op => op.inputs.map(id => index.get(key(id)))),
	};
}

/* The plan of a page like this one. */
function reportOf(page) {
	const raw = JSON.parse(page.getElementById("data").textContent);
	raw.names = unfold(raw.names);
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
