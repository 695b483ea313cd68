/* Loops: in which steps they run, and how the map stacks them. */

const LOOP_ROWS = 6, LOOP_ROW = 16;

/* Each in the first row that is free, those around others first; what lies
 * deeper than the rows has row LOOP_ROWS. */
function stacked(raw) {
	const busyTo = new Array(LOOP_ROWS).fill(0);
	return raw.map(([start, end, first, last]) => ({start, end, first, last}))
		.sort((a, b) => a.start - b.start || b.end - a.end)
		.map(loop => {
			let row = 0;
			while (row < LOOP_ROWS && busyTo[row] > loop.start)
				row++;
			busyTo[row] = loop.end;
			return {...loop, row};
		});
}

/* Those of a plan file, as the page's own data are. */
function loopsIn(file) {
	const step = [];
	file.order.ops.forEach((op, k) => {
		step[op] = k;
	});
	return (file.loops || []).map(({first, last}) => {
		let start = step[first];
		for (let op = first; op <= last; op++)
			start = Math.min(start, step[op]);
		return [start, start + last - first + 1,
			...[first, last].map(op => file.ops[op].name || "(unnamed)")];
	});
}

/* "loop f … k", or what of that has room. */
function loopLabel(loop, letters) {
	const named = `loop ${shown(loop.first, 60)} \u2026 ${shown(loop.last, 60)}`;
	return [named, "loop", ""].find(text => text.length <= letters);
}

function loopLegend(loops) {
	const deeper = loops.filter(loop => loop.row === LOOP_ROWS).length;
	return deeper ? `loop, ${count(deeper)} deeper left out` : "loop";
}
