// SPDX-License-Identifier: MIT
//
// The page's worker: has the library and all plans. It is asked by messages
// {ask, id, ...} and answers {id, ...}.
"use strict";

const TELL_MS = 100;
const plans = new Map(); // number of an entry: its plan

let memplan, asked, told = 0;

function onProgress(progress) {
	const now = performance.now();
	if (now - told < TELL_MS)
		return false;
	told = now;
	postMessage({ id: asked.id, progress });
	return false;
}

function forget(entry) {
	plans.get(entry)?.free();
	plans.delete(entry);
}

function plan({ entry, bytes, name, files, options, format }) {
	forget(entry);
	const made = memplan.plan(new Uint8Array(bytes), {
		...options, name,
		files: files.map(([role, other, content]) =>
			[role, other, new Uint8Array(content)]),
	});
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
