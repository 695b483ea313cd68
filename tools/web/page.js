// SPDX-License-Identifier: MIT
//
// The page: takes files, asks the worker, shows what it answers. Entries are numbers
// from 1; each has its files, its answer and, in the worker, its plan.
"use strict";

// Files of one trace: what stands behind the name, and the role.
const COMPANIONS = [["tensor_size.json", "tensor-size"],
	["resize_info.json", "resize-info"], ["cost_info.json", "cost-info"]];
// Endings of what formats are saved as, where they are not the format's name.
const ENDINGS = { plan: "json", header: "h", "header-names": "names.h", table: "bin",
	trace: "trace.json", svg: "svg", "svg-layers": "layers.svg", load: "load.csv",
	result: "result.json", summary: "txt", copies: "copies.csv",
	reuse: "reuse.json", "reuse-dot": "dot", "tflm-offline": "tflm.bin" };

// What a search that was stopped early is done with.
const LEAST = { effort: 0, steps: 100000 };

const $ = id => document.getElementById(id);
const app = { entries: new Map(), waiting: new Map(), last: 0, current: null,
	queue: Promise.resolve(), busy: 0, shown: 0, address: null };

// ---------------------------------------------------------------- worker

function begin() {
	const text = $("worker").textContent;
	const address = URL.createObjectURL(
		new Blob([text], { type: "text/javascript" }));
	app.worker = new Worker(address);
	app.worker.onmessage = event => hear(event.data);
	app.worker.onerror = event => restart(event.message);
	const core = Uint8Array.from(
		atob($("core").textContent), c => c.charCodeAt(0));
	return ask("start", { core }, [core.buffer]);
}

// When a user stops it, or where the module cannot go on: memory that is out, for
// example. What was planned before is planned again.
function restart(why) {
	const lost = [...app.entries.values()].filter(
		entry => entry.hasPlan || entry.isStopped && !entry.report);
	app.worker.terminate();
	const all = [...app.waiting.values()];
	app.waiting.clear();
	for (const { fail } of all)
		fail(Object.assign(new Error(`the planner ended: ${why}`),
			{ isEnd: why === "stopped" }));
	for (const entry of app.entries.values())
		entry.hasPlan = false;
	app.queue = begin();
	for (const entry of lost)
		app.queue = app.queue.then(() => plan(entry));
}

function ask(what, values, moved = []) {
	const id = ++app.last;
	return new Promise((done, fail) => {
		app.waiting.set(id, { done, fail });
		app.worker.postMessage({ ...values, ask: what, id }, moved);
	});
}

function hear(answer) {
	if (answer.kept)
		app.current.kept = new Blob([answer.kept]);
	if (!answer.done)
		return answer.progress && tell(answer.progress);
	const waiting = app.waiting.get(answer.id);
	app.waiting.delete(answer.id);
	if (!answer.failed)
		return waiting?.done(answer);
	waiting?.fail(new Error(answer.failed));
	if (answer.broken)
		restart(answer.failed);
}

// -------------------------------------------------------------- progress

function tell({ phase, row, arenaSize, theoreticalMin, stepsLeft }) {
	const parts = [row ? `${phase}: ${row}` : phase];
	if (arenaSize > 0 && theoreticalMin > 0)
		parts.push(`${(arenaSize / theoreticalMin).toFixed(3)} of the minimum`);
	if (stepsLeft > 0)
		parts.push(`at most ${Math.floor(stepsLeft / 1e7) + 1} s left`);
	$("progress").textContent = parts.join(", ");
}

// The worker is ended. What is left is the last plan that it sent; before the first
// one, a new worker plans with the least effort.
function stop() {
	app.current.isStopped = true;
	restart("stopped");
}

function work(busy) {
	app.busy += busy ? 1 : -1;
	$("work").hidden = app.busy === 0;
	$("again").disabled = app.busy > 0 || app.entries.size === 0;
}

function fail(text) {
	$("failure").textContent = text;
	$("failure").hidden = !text;
}

// ------------------------------------------------------------- planning

function lines(id) {
	return $(id).value.split("\n").map(line => line.trim()).filter(Boolean);
}

// {order: "auto", dim: ["batch=1"]}
function options() {
	const all = {};
	for (const id of ["order", "target", "align", "capacity", "effort"])
		if ($(id).value.trim())
			all[id] = $(id).value.trim();
	if (lines("dim").length)
		all.dim = lines("dim");
	for (const line of lines("others")) {
		const [, name, value] = /^(?:--)?([^=\s]+)(?:[=\s]\s*(.*))?$/.exec(line);
		all[name] = value === undefined ? "on" : value;
	}
	return all;
}

// Files that were dropped together: each a graph, but for companions of a trace.
function group(files) {
	const roles = new Map(files.map(file => [file, COMPANIONS.find(
		([ending]) => file.name.endsWith(ending))?.[1] || "graph"]));
	const graphs = files.filter(file => roles.get(file) === "graph");
	const companions = files.filter(file => roles.get(file) !== "graph");
	if (graphs.length === 0)
		return files.map(file => ({ file, companions: [] }));
	return graphs.map(file => ({
		file, companions: file.name.endsWith(".io_info.json") ? companions.map(
			other => [roles.get(other), other]) : [],
	}));
}

async function plan(entry) {
	app.current = entry;
	work(true);
	fail("");
	$("progress").textContent = `reading ${entry.name}`;
	entry.kept = entry.isStopped ? entry.kept : null;
	const { kept } = entry; // a plan file, which says all itself
	try {
		const bytes = await (kept || entry.file).arrayBuffer();
		const files = await Promise.all((kept ? [] : entry.companions).map(
			async ([role, file]) => [role, file.name, await file.arrayBuffer()]));
		const answer = await ask("plan", {
			entry: entry.number, name: entry.name, bytes, files,
			options: kept ? {} : { ...options(), ...entry.isStopped && LEAST },
			format: "html",
		}, [bytes]);
		Object.assign(entry, answer, { hasPlan: answer.report !== null });
		fail(answer.error ? `${entry.name}: ${answer.error}` : "");
	} catch (error) {
		entry.hasPlan = false;
		entry.report = null;
		if (!error.isEnd)
			fail(error.message);
	} finally {
		work(false);
	}
	show(entry.number);
}

function take(files) {
	for (const { file, companions } of group([...files])) {
		const number = app.entries.size + 1;
		const entry = { number, file, companions, name: file.name };
		app.entries.set(number, entry);
		app.queue = app.queue.then(() => plan(entry));
	}
	return app.queue;
}

// -------------------------------------------------------------- showing

function fill(select, rows, chosen) {
	select.replaceChildren(...rows.map(([value, text]) =>
		new Option(text, value, false, String(value) === String(chosen))));
}

function showReport(bytes) {
	if (app.address)
		URL.revokeObjectURL(app.address);
	app.address = bytes && URL.createObjectURL(
		new Blob([bytes], { type: "text/html" }));
	$("view").hidden = !bytes;
	if (bytes)
		$("report").src = app.address;
	else
		$("report").removeAttribute("src");
}

function show(number) {
	const entry = app.entries.get(number);
	const planned = [...app.entries.values()].filter(e => e.hasPlan);
	const rows = planned.map(e => [e.number, `${e.number}: ${e.name}`]);
	const others = rows.filter(([other]) => other !== number);
	$("plans").hidden = planned.length === 0;
	if (entry.hasPlan)
		app.shown = number;
	fill($("entry"), rows, app.shown);
	fill($("other"), others, others[0]?.[0]);
	$("compare").disabled = others.length === 0;
	if (!entry.hasPlan)
		return;
	$("summary").textContent = entry.summary;
	$("warnings").replaceChildren(...entry.warnings.map(text => {
		const item = document.createElement("li");
		item.textContent = text;
		return item;
	}));
	showReport(entry.report);
}

async function compare() {
	try {
		const before = +$("other").value, after = +$("entry").value;
		const page = await ask("compare", { before, after, format: "html" });
		const text = await ask("compare", { before, after, format: "text" });
		$("summary").textContent = new TextDecoder().decode(text.bytes);
		showReport(page.bytes);
	} catch (error) {
		fail(error.message);
	}
}

function saveAs(name, bytes) {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(new Blob([bytes]));
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

async function save() {
	const entry = app.entries.get(app.shown), format = $("format").value;
	try {
		const { bytes } = await ask("write", { entry: entry.number, format });
		saveAs(`${entry.name.replace(/\.\w+$/, "")}.` +
			`${ENDINGS[format] || format.replace("-", ".")}`, bytes);
		fail("");
	} catch (error) {
		fail(error.message);
	}
}

// ---------------------------------------------------------------- start

function listen() {
	$("choose").onclick = () => $("files").click();
	$("files").onchange = () => take($("files").files);
	$("stop").onclick = stop;
	$("again").onclick = () => {
		for (const entry of app.entries.values())
			entry.isStopped = false;
		for (const entry of app.entries.values())
			app.queue = app.queue.then(() => plan(entry));
	};
	$("entry").onchange = () => show(+$("entry").value);
	$("compare").onclick = compare;
	$("save").onclick = save;
	addEventListener("dragover", event => {
		event.preventDefault();
		$("drop").classList.add("over");
	});
	addEventListener("dragleave", () => $("drop").classList.remove("over"));
	addEventListener("drop", event => {
		event.preventDefault();
		$("drop").classList.remove("over");
		take(event.dataTransfer.files);
	});
}

listen();
app.queue = begin().then(({ version, orders, targets, outputs }) => {
	$("version").textContent = `memplan ${version}. Offline static memory ` +
		"planning. Nothing leaves this machine.";
	fill($("order"), orders.map(([name, text]) => [name, `${name}: ${text}`]),
		"keep");
	fill($("target"), [["", "none"], ...targets.map(([name, text]) =>
		[name, `${name}: ${text}`])], "");
	fill($("format"), outputs.map(([name, text]) =>
		[name, `${name}: ${text}`]), "plan");
});
