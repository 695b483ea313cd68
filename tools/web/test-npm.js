// SPDX-License-Identifier: MIT
//
// The package of npm in Node: plans of all graphs are the program's, a mistake has a
// status and a sentence, a run can be ended, and nothing leaks.
//
//	node test-npm.js PACKAGE MEMPLAN TESTDATA
"use strict";

const assert = require("assert");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { execFileSync, spawnSync } = require("child_process");

const [folder, program, testdata] = process.argv.slice(2).map(
	name => path.resolve(name));
const { load, MemplanError } = require(folder);
const GRAPHS = path.join(testdata, "graphs"), MODELS = path.join(testdata, "models");
const DIMS = { "unet.onnx": ["batch=1", "height=256", "width=256"] };

function files(place, ending) {
	return fs.readdirSync(place).filter(name => name.endsWith(ending)).sort()
		.map(name => path.join(place, name));
}

// The program's plan; null: it has none, for dimensions without values.
function native(file, dims) {
	const done = spawnSync(program, ["plan", file, "--quiet", "-o", "-",
		...dims.flatMap(dim => ["--dim", dim])], { maxBuffer: 1 << 28 });
	return done.status === 0 ? done.stdout.toString() : null;
}

async function sizes(memplan) {
	let n = 0;
	for (const file of [...files(GRAPHS, ".json"), ...files(MODELS, ".tflite"),
		...files(MODELS, ".onnx")]) {
		const dim = DIMS[path.basename(file)] || [];
		const wanted = native(file, dim);
		if (wanted === null)
			continue;
		const plan = memplan.plan(fs.readFileSync(file),
			{ name: path.basename(file), dim });
		assert.strictEqual(plan.text("plan"), wanted, file);
		plan.free();
		n++;
	}
	assert(n > 20, `${n} files`);
	console.log(`# ${n} plans, each the program's byte for byte`);
}

function mistakes(memplan) {
	const wrong = [[() => memplan.plan(Buffer.from("{")), 3],
		[() => memplan.plan(Buffer.from("{}"), { order: "no" }), 2]];
	for (const [work, status] of wrong)
		assert.throws(work, error => error instanceof MemplanError &&
			error.status === status && error.message.length > 10);
}

function leaks(memplan) {
	const tiny = fs.readFileSync(path.join(GRAPHS, "tiny.json"));
	const run = n => {
		for (let i = 0; i < n; i++)
			memplan.plan(tiny, { name: "tiny.json" }).free();
		return memplan.core.HEAPU8.length;
	};
	assert.strictEqual(run(1000), run(20));
}

function interrupts(memplan) {
	let n = 0;
	memplan.onProgress = progress => {
		assert(progress.phase);
		return ++n > 20;
	};
	const plan = memplan.plan(
		fs.readFileSync(path.join(GRAPHS, "experts_b1024_sgdm.json")),
		{ order: "auto", steps: 20000000000 });
	memplan.onProgress = null;
	assert(n > 20 && plan.number("arena_size") > 0);
	plan.free();
}

function compares(memplan) {
	const [one, two] = ["tiny", "cnn_b32_sgd"].map(name => memplan.plan(
		fs.readFileSync(path.join(GRAPHS, `${name}.json`)), { name }));
	assert(Buffer.from(memplan.compare(one, two)).toString().includes("arena"));
	one.free();
	two.free();
}

// Where npm is, it installs the package, and the command starts. The examples of
// docs/web.md and of the package's README run, and leave the program's header.
function installed() {
	const place = fs.mkdtempSync(path.join(os.tmpdir(), "memplan-"));
	const modules = path.join(place, "node_modules");
	fs.writeFileSync(path.join(place, "package.json"), "{}");
	fs.copyFileSync(path.join(GRAPHS, "tiny.json"), path.join(place, "net.json"));
	if (spawnSync("npm", ["install", "--offline", "--no-audit", "--no-fund", folder],
		{ cwd: place }).status !== 0) {
		fs.mkdirSync(path.join(modules, ".bin"), { recursive: true });
		fs.symlinkSync(folder, path.join(modules, "memplan"));
		fs.symlinkSync(path.join(folder, "cli.js"), path.join(modules, ".bin/memplan"));
	}
	execFileSync(program, ["plan", "net.json", "--quiet", "--order", "auto", "-o",
		"wanted.h"], { cwd: place });
	execFileSync(path.join(modules, ".bin/memplan"), ["plan", "net.json", "--quiet",
		"--order", "auto", "-o", "node.h"], { cwd: place });
	const header = name => fs.readFileSync(path.join(place, name), "utf8");
	assert.strictEqual(header("node.h"), header("wanted.h"));
	for (const page of ["docs/web.md", "tools/web/package/README.md"]) {
		const text = fs.readFileSync(path.join(testdata, "..", page), "utf8");
		const example = text.match(/(?:^(?: {4}.*)?\n)+/gm).find(
			block => block.includes('require("memplan")'));
		fs.writeFileSync(path.join(place, "example.js"), example);
		execFileSync("node", ["example.js"], { cwd: place });
		assert.strictEqual(header("net.h"), header("wanted.h"), page);
		fs.unlinkSync(path.join(place, "net.h"));
	}
	fs.rmSync(place, { recursive: true });
}

(async () => {
	const memplan = await load();
	const cases = { sizes, mistakes, leaks, interrupts, compares, installed };
	let failed = 0, n = 0;
	for (const [name, work] of Object.entries(cases)) {
		n++;
		try {
			await work(memplan);
			console.log(`ok ${n} - ${name}`);
		} catch (error) {
			failed++;
			console.log(`not ok ${n} - ${name}\n# ${
				String(error.message).slice(0, 2000).replace(/\n/g, "\n# ")}`);
		}
	}
	console.log(`1..${n}`);
	process.exit(failed > 0 ? 1 : 0);
})();
