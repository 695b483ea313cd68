
// ------------------------------------------------------------------ node

// Loads the library; each call gives one of its own.
async function load() {
	const core = await require("./core.js")({
		wasmBinary: require("fs").readFileSync(
			require("path").join(__dirname, "core.wasm")),
	});
	return new Memplan(core);
}

module.exports = { load, MemplanError };
