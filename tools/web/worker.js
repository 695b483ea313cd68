// SPDX-License-Identifier: MIT
//
// The page's worker: has the library and all plans. It is asked by messages
// {ask, id, ...} and answers {id, ...}.
"use strict";

const TELL_MS = 100;
// A worker that works hears no message, and a page from disk shares no memory with it.
// So a long search is cut short after this time, then begun anew for four times as
// long, and so on: the page has the plans of all but the last, for when it is stopped.
const ROUND_MS = 4000, GROWTH = 4;
const plans = new Map(); // number of an entry: its plan

let memplan, asked, told = 0, end = 0, isCut = false;

// True: the run is to end soon.
function onProgress(progress) {
	const now = performance.now();
	if (now - told < TELL_MS)
		return isCut;
	told = now;
	postMessage({ id: asked.id, progress });
	return isCut = now > end;
}

function forget(entry) {
	plans.get(entry)?.free();
	plans.delete(entry);
}

function planFor({ bytes, name, files, options }, time) {
	end = performance.now() + time;
	isCut = false;
	return memplan.plan(new Uint8Array(bytes), {
		...options, name,
		files: files.map(([role, other, content]) =>
			[role, other, new Uint8Array(content)]),
	});
}

function plan(question) {
	const { entry, format } = question;
	forget(entry);
	let time = ROUND_MS, made = planFor(question, time);
	while (isCut && made.result().cut_short) {
		postMessage({ id: asked.id, kept: made.write("plan") });
		made.free();
		time *= GROWTH;
		made = planFor(question, time);
	}
	plans.set(entry, made);
	const hasPlan = made.number("arena_size") !== undefined;
	return {
		error: made.error, warnings: made.warnings(),
		summary: hasPlan ? made.text("summary") : "",
		report: hasPlan ? made.write(format) : null,
	};
}

const answers = {
	start({ core }) {
		return createMemplan({ wasmBinary: core }).then(module => {
			memplan = new Memplan(module);
			memplan.onProgress = onProgress;
			return {
				version: memplan.version,
				orders: memplan.rows("orders"),
				targets: memplan.rows("targets"),
				outputs: memplan.rows("outputs"),
			};
		});
	},
	plan,
	write: ({ entry, format }) => ({ bytes: plans.get(entry).write(format) }),
	compare: ({ before, after, format }) => ({
		bytes: memplan.compare(plans.get(before), plans.get(after), format),
	}),
	forget: ({ entry }) => forget(entry),
};

onmessage = async event => {
	asked = event.data;
	const { ask, id } = asked;
	try {
		postMessage({ id, done: true, ...await answers[ask](asked) });
	} catch (error) {
		postMessage({
			id, done: true, failed: String(error.message || error),
			// What is no sentence of memplan's left the module as it is.
			broken: !(error instanceof MemplanError),
		});
	}
};
