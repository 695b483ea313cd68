/* What a budget moves: where tensors are while they are not in the arena. */

const WAYS = {"swap-in": "copied out and back", "recompute": "made again"};
const WAYS_SHOWN = 10;

/* The rectangle that "conv@3" was before it left: that of "conv@2"; "conv@2" was
 * "conv". */
function nameBefore(name) {
	const [, base, n] = /^(.*)@(\d+)$/s.exec(name) || [];
	return n === "2" ? base : base && `${base}@${n - 1}`;
}

/* From and to are steps; most is the step between them where the bytes were
 * needed most. */
function waysOf(plan) {
	const byTensor = new Map(), madeAt = new Map(), ways = [];
	if (!plan.types.some(type => type in WAYS))
		return ways;
	for (let i = 0; i < plan.count; i++) {
		for (const name of plan.namesOf(i))
			byTensor.set(name, i);
		madeAt.set(plan.made[i], [...(madeAt.get(plan.made[i]) || []), i]);
	}
	plan.types.forEach((type, k) => {
		for (const back of type in WAYS ? madeAt.get(k) || [] : []) {
			const old = plan.namesOf(back).map(nameBefore)
				.map(name => byTensor.get(name)).find(i => i !== undefined);
			if (old === undefined || plan.end[old] > plan.start[back])
				continue;
			const from = plan.end[old], to = plan.start[back];
			let most = from;
			for (let m = from; m < to; m++)
				if (plan.load[m] > plan.load[most])
					most = m;
			ways.push({old, back, from, to, most, how: WAYS[type]});
		}
	});
	return ways;
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
