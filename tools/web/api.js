// SPDX-License-Identifier: MIT
//
// libmemplan for JavaScript: in the worker of the page, and in Node. Errors have
// `status`, a number of memplan/status.h, and a sentence.
"use strict";

const OK = 0, NO = 1, EBUDGET = 4;

class MemplanError extends Error {
	constructor(status, sentence) {
		super(sentence);
		this.name = "MemplanError";
		this.status = status;
	}
}

// Texts and bytes in the memory of the module. The memory may move with every
// call, so views of it are made afresh.
class Heap {
	constructor(core) {
		this.core = core;
		this.taken = [];
	}

	bytes(data) {
		const at = this.core._malloc(data.length || 1);
		if (!at) {
			this.free();
			throw new MemplanError(5, "out of memory");
		}
		this.core.HEAPU8.set(data, at);
		this.taken.push(at);
		return at;
	}

	text(text) {
		const bytes = new TextEncoder().encode(text);
		const whole = new Uint8Array(bytes.length + 1);
		whole.set(bytes);
		return this.bytes(whole);
	}

	// Room for that many 32-bit words.
	words(n) {
		return this.bytes(new Uint8Array(4 * n));
	}

	free() {
		for (const at of this.taken)
			this.core._free(at);
		this.taken = [];
	}
}

// One handle of the library.
class Plan {
	constructor(core) {
		this.core = core;
		this.handle = core._mp_web_new();
		this.inputs = new Heap(core);
		if (!this.handle)
			throw new MemplanError(5, "out of memory");
	}

	// Calls a function with heap memory that lasts as long as the call.
	call(work) {
		const heap = new Heap(this.core);
		try {
			return work(heap, this.core);
		} finally {
			heap.free();
		}
	}

	check(status) {
		if (status !== OK)
			throw new MemplanError(status, this.core.UTF8ToString(
				this.core._memplan_error(this.handle)));
	}

	set(option, value) {
		for (const line of Array.isArray(value) ? value : [value])
			this.check(this.call((heap, core) => core._memplan_set(
				this.handle, heap.text(option),
				heap.text(String(line)))));
	}

	// The bytes are copied, and stay until the handle is freed.
	input(name, bytes, role = "graph") {
		const at = this.inputs.bytes(bytes);
		this.check(this.call((heap, core) => core._memplan_input(
			this.handle, heap.text(role), heap.text(name), at,
			bytes.length)));
	}

	// Plans. True; false if the answer is no, or no plan was found in the
	// steps: the best one, if any, can be asked for, and `error` says why.
	plan() {
		const status = this.core._memplan_plan(this.handle);
		this.error = status === OK ? null : this.core.UTF8ToString(
			this.core._memplan_error(this.handle));
		if (status !== NO && status !== EBUDGET)
			this.check(status);
		return status === OK;
	}

	// Runs that fill the formats of their names.
	verify() {
		this.check(this.core._memplan_check(this.handle));
	}

	show() {
		this.check(this.core._memplan_survey(this.handle));
	}

	explain() {
		this.check(this.core._memplan_explain(this.handle, 0, 0));
	}

	simulate() {
		this.check(this.core._memplan_simulate(this.handle, 0));
	}

	// The bytes that a function leaves by a pointer and a length.
	taken(work) {
		return this.call((heap, core) => {
			const at = heap.words(2);
			this.check(work(heap, core, at, at + 4));
			const [bytes, length] = core.HEAPU32.subarray(
				at / 4, at / 4 + 2);
			return core.HEAPU8.slice(bytes, bytes + length);
		});
	}

	write(format) {
		return this.taken((heap, core, bytes, length) =>
			core._memplan_write(
				this.handle, heap.text(format), bytes, length));
	}

	text(format) {
		return new TextDecoder().decode(this.write(format));
	}

	result() {
		return JSON.parse(this.text("result"));
	}

	// A number of the result; undefined: there is none. Exact up to 2^53.
	number(name) {
		return this.call((heap, core) => {
			const at = heap.words(2);
			if (!core._memplan_number(
				this.handle, heap.text(name), at))
				return undefined;
			const [low, high] = core.HEAPU32.subarray(
				at / 4, at / 4 + 2);
			return high * 2 ** 32 + low;
		});
	}

	warnings() {
		const all = [];
		for (let i = 0, at; (at = this.core._memplan_warning(
			this.handle, i)); i++)
			all.push(this.core.UTF8ToString(at));
		return all;
	}

	free() {
		this.core._memplan_free(this.handle);
		this.inputs.free();
		this.handle = 0;
	}
}

class Memplan {
	constructor(core) {
		this.core = core;
		this.version = core.UTF8ToString(core._memplan_version());
	}

	// Called while a run works, with what it has found; true ends the run
	// soon with that.
	set onProgress(call) {
		this.core.onProgress = call;
	}

	open() {
		return new Plan(this.core);
	}

	// Plans bytes. Besides `name` and `files`, a list of further files
	// [role, name, bytes], the options are those of the command line.
	plan(bytes, { name = "graph", files = [], ...options } = {}) {
		const plan = this.open();
		try {
			for (const [option, value] of Object.entries(options))
				plan.set(option, value);
			plan.input(name, bytes);
			for (const [role, other, content] of files)
				plan.input(other, content, role);
			plan.plan();
			return plan;
		} catch (error) {
			plan.free();
			throw error;
		}
	}

	// Two plans beside each other, in a row of the table "comparisons".
	compare(before, after, report = "text") {
		return after.taken((heap, core, bytes, length) =>
			core._memplan_compare(before.handle, after.handle,
				heap.text(report), bytes, length));
	}

	// The rows of a table: [name, summary].
	rows(table) {
		const core = this.core, heap = new Heap(core), all = [];
		try {
			const name = heap.text(table), summary = heap.words(1);
			for (let i = 0, at; (at = core._memplan_row(
				name, i, summary)); i++)
				all.push([core.UTF8ToString(at),
					core.UTF8ToString(
						core.HEAPU32[summary / 4])]);
		} finally {
			heap.free();
		}
		return all;
	}
}
