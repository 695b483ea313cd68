/* What a budget moves: where tensors are while they are not in the arena. */

const WAYS_SHOWN = 10;

/* From and to are steps; most is the step between them where the bytes were
 * needed most. */
function waysOf(plan, raw) {
	return raw.ways.map(([old, back, again]) => {
		const from = plan.end[old], to = plan.start[back];
		let most = from;
		for (let k = from; k < to; k++)
			if (plan.load[k] > plan.load[most])
				most = k;
		return {old, back, from, to, most,
			how: again ? "made again" : "copied out and back"};
	});
}

/* The peak if nothing left the arena. */
function peakWithout(p) {
	const load = p.load.slice();
	for (const way of p.ways)
		for (let k = way.from; k < way.to; k++)
			load[k] += p.size[way.old];
	return load.reduce((a, b) => Math.max(a, b), 0);
}

function showWays(p) {
	const box = $("ways");
	box.hidden = p.ways.length === 0;
	if (box.hidden)
		return;
	const rows = p.ways.slice(0, WAYS_SHOWN).map(way => [
		named(p.names[way.old], 60), unit(p.size[way.old]), way.how,
		`${count(p.time(way.from))} to ${count(p.time(way.to))}`,
		`else ${unit(p.load[way.most] + p.size[way.old])} at ` +
			p.step(way.most)]);
	const bytes = p.ways.reduce((sum, way) => sum + p.size[way.old], 0);
	const rest = p.ways.length - rows.length;
	fill(box, element("h2", "", "What the budget moves"),
		element("p", "", `Tensors leave the arena ` +
			`${counted(p.ways.length, "time")}, ${unit(bytes)} in all: so ` +
			`the peak is ${unit(p.load[p.peak])}, and not ` +
			`${unit(peakWithout(p))}. Violet arrows show the ways in the map.`),
		compareTable(["tensor", "size", "how", "away in steps", "why"], rows),
		...(rest > 0 ? [element("p", "soft", `and ${count(rest)} more`)] : []));
}
