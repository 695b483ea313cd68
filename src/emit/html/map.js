/* The memory map: steps across, addresses up, the load below. Rectangles overlap
 * only where branches exclude each other, so they are written straight into the
 * pixels; that costs no more than the area of the picture, however many there are. */

class MapView extends MapFrame {
	constructor(figure, plan) {
		super(figure.querySelector("canvas"), plan);
		this.figure = figure;
		this.chosen = -1;
		this.matches = null;
		this.colour = "step";
		this.rank = new Uint8Array(plan.count);
		this.showStep(plan.peak);
	}

	/* Ranks: 1 to 3 the largest alive at the step, 4 the others alive. */
	showStep(step) {
		this.step = Math.max(0, Math.min(this.plan.steps - 1, step));
		this.alive = this.plan.aliveAt(this.step);
		this.rank.fill(0);
		this.alive.forEach((i, place) => {
			this.rank[i] = Math.min(place + 1, 4);
		});
		this.redraw();
	}

	redraw() {
		if (this.waiting)
			return;
		this.waiting = requestAnimationFrame(() => {
			this.waiting = 0;
			this.draw();
		});
	}

	shadesOf(i, pixels) {
		const names = ["other", "one", "two", "three", "alive"];
		if (this.matches && this.matches[i])
			return pixels.match;
		if (this.colour === "kind")
			return pixels["k" + this.plan.kind[i]];
		if (this.colour === "layer")
			return pixels["l" + this.plan.layerColour(i)];
		return pixels[names[this.rank[i]]];
	}

	raster(ctx, theme, ratio) {
		const p = this.plan;
		const w = Math.max(1, Math.round(this.width * ratio));
		const h = Math.max(1, Math.round(this.height * ratio));
		const image = ctx.createImageData(w, h);
		const at = new Uint32Array(image.data.buffer);
		const sx = w / (this.x1 - this.x0), sy = h / (this.y1 - this.y0);
		const edge = 4 * ratio;
		const paint = i => {
			const left = Math.max(0, Math.floor((p.start[i] - this.x0) * sx));
			const right = Math.min(w, Math.max(left + 1,
				Math.floor((p.end[i] - this.x0) * sx)));
			const low = (p.low[i] - this.y0) * sy;
			const high = (p.high[i] - this.y0) * sy;
			const bottom = Math.min(h, h - Math.floor(low));
			const top = Math.max(0, Math.min(bottom - 1, h - Math.floor(high)));
			if (left >= w || right <= 0 || bottom <= 0 || high <= 0 ||
				p.end[i] <= this.x0 || p.start[i] >= this.x1 || low >= h)
				return;
			const shades = this.shadesOf(i, theme.pixels);
			const faded = this.matches && !this.matches[i];
			const body = faded ? shades[5] : shades[i & 3];
			const rim = faded ? body : shades[4];
			const framed = right - left > edge && bottom - top > edge;
			for (let y = top; y < bottom; y++)
				at.fill(framed && y === top ? rim : body,
					y * w + left, y * w + right);
			for (let y = top; framed && y < bottom; y++)
				at[y * w + right - 1] = rim;
		};
		at.fill(theme.pixels.card[0]);
		for (let i = 0; i < p.count; i++)
			if (!(this.matches ? this.matches[i] : this.rank[i]))
				paint(i);
		/* What matters last, where a pixel stands for many. */
		for (let i = 0; i < p.count; i++)
			if (this.matches ? this.matches[i] : this.rank[i])
				paint(i);
		ctx.putImageData(image, Math.round(LEFT * ratio),
			Math.round(TOP * ratio));
	}

	draw() {
		const began = performance.now();
		const theme = new Theme();
		const ratio = window.devicePixelRatio || 1;
		const ctx = this.canvas.getContext("2d");
		const w = this.canvas.clientWidth, h = this.canvas.clientHeight;
		this.resize();
		if (w < LEFT + RIGHT + 20)
			return;
		this.canvas.width = Math.round(w * ratio);
		this.canvas.height = Math.round(h * ratio);
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		ctx.fillStyle = theme.card;
		ctx.fillRect(0, 0, this.canvas.width, this.canvas.height);
		this.raster(ctx, theme, ratio);
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		ctx.font = "11px ui-monospace, 'DejaVu Sans Mono', monospace";
		this.drawAxes(ctx, theme);
		this.drawNames(ctx, theme);
		this.drawWays(ctx, theme);
		this.drawChosen(ctx, theme);
		this.drawLoops(ctx, theme);
		this.drawCurve(ctx, theme);
		this.drawStep(ctx, theme);
		this.milliseconds = performance.now() - began;
	}

	line(ctx, colour, x0, y0, x1, y1, dash = []) {
		ctx.strokeStyle = colour;
		ctx.setLineDash(dash);
		ctx.beginPath();
		ctx.moveTo(x0, y0);
		ctx.lineTo(x1, y1);
		ctx.stroke();
		ctx.setLineDash([]);
	}

	/* A round distance between about n ticks. */
	static tick(span, n) {
		const raw = Math.max(1, span / n);
		const ten = 10 ** Math.floor(Math.log10(raw));
		return [1, 2, 5, 10].find(f => f * ten >= raw) * ten;
	}

	/* The same of bytes, in the unit that fits all of what is shown, with what
	 * stands at a tick. */
	static bytesTick(span, n) {
		const at = Math.min(UNITS.length - 1,
			Math.max(0, Math.floor(Math.log2(Math.max(1, span)) / 10)));
		const size = 1024 ** at, raw = span / n / size;
		const f = [0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find(
			f => f >= raw && (at || f >= 1)) || 1000;
		return {size: f * size, text: bytes => bytes === 0 ? "0"
			: `${count((bytes / size).toFixed(f < 1 ? 1 : 0))} ${UNITS[at]}`};
	}

	drawAxes(ctx, theme) {
		const bottom = TOP + this.height, right = LEFT + this.width;
		const tx = MapView.tick(this.x1 - this.x0, this.width / 90);
		const title = this.plan.axis();
		ctx.lineWidth = 1;
		ctx.textBaseline = "middle";
		this.plan.lanes.forEach((lane, k) => this.drawLane(ctx, theme, lane, k));
		this.drawTitle(ctx, theme, "address", TOP + this.height / 2);
		this.drawTitle(ctx, theme, "bytes alive",
			this.canvas.clientHeight - BOTTOM - CURVE / 2);
		ctx.textAlign = "right";
		ctx.fillText(title, right, bottom + 13);
		ctx.textAlign = "center";
		for (let k = Math.ceil(this.x0 / tx) * tx; k < this.x1; k += tx) {
			const x = this.px(k + 0.5);
			if (x > right)
				break;
			if (x < right - 60)
				ctx.fillText(count(this.plan.time(k)), x, bottom + 13);
			this.line(ctx, theme.line, x, bottom, x, bottom + 4);
		}
		ctx.strokeStyle = theme.line;
		ctx.strokeRect(LEFT - 0.5, TOP - 0.5, this.width + 1, this.height + 1);
	}

	/* The title of an axis, upwards at its left. */
	drawTitle(ctx, theme, text, y) {
		ctx.save();
		ctx.translate(9, y);
		ctx.rotate(-Math.PI / 2);
		ctx.textAlign = "center";
		ctx.fillStyle = theme.soft;
		ctx.fillText(text, 0, 0);
		ctx.restore();
	}

	/* Addresses of a memory, and how large it is; of several also the name. */
	drawLane(ctx, theme, lane, k) {
		const p = this.plan, pool = p.pools && p.pools[k];
		const bytesAt = y => (y - lane.base) / lane.scale;
		const low = Math.max(0, bytesAt(this.y0));
		const high = pool ? Math.min(lane.bytes, bytesAt(this.y1))
			: bytesAt(this.y1);
		const share = (high - low) * lane.scale / (this.y1 - this.y0);
		const ticks = Math.max(1, Math.round(7 * share));
		const tick = MapView.bytesTick(high - low, ticks);
		const named = pool && this.gapPixels() < 14;
		ctx.fillStyle = theme.soft;
		ctx.textAlign = "right";
		for (let n = Math.ceil(low / tick.size);
			!named && n * tick.size <= high; n++) {
			const y = this.py(p.heightOf(k, n * tick.size));
			ctx.fillText(tick.text(n * tick.size), LEFT - 7, y);
			this.line(ctx, theme.line, LEFT - 4, y, LEFT, y);
		}
		const middle = this.py(lane.base + LANE / 2);
		if (named && middle > TOP && middle < TOP + this.height)
			ctx.fillText(shown(pool.name, 10), LEFT - 7, middle);
		this.level(ctx, theme.arena, k, pool ? pool.size : p.arena_size);
		if (pool)
			this.drawPool(ctx, theme, pool, k);
	}

	/* Room between two lanes; without it a lane's name takes the place of its
	 * addresses. */
	gapPixels() {
		return LANE_GAP / (this.y1 - this.y0) * this.height;
	}

	/* A line all along at so many bytes of a memory. */
	level(ctx, colour, k, bytes, dash = []) {
		const y = this.py(this.plan.heightOf(k, bytes));
		if (y >= TOP && y <= TOP + this.height)
			this.line(ctx, colour, LEFT, y, LEFT + this.width, y, dash);
	}

	/* What a pool has in lines, and above its lane in words. */
	drawPool(ctx, theme, pool, k) {
		const lane = this.plan.lanes[k];
		const y = this.py(lane.base + LANE) - 9;
		const most = Math.floor((this.width - 8) / 6.7);
		this.level(ctx, theme.line, k, 0);
		this.level(ctx, theme.least, k, pool.theoretical_min, [5, 4]);
		if (pool.capacity <= lane.bytes)
			this.level(ctx, theme.select, k, pool.capacity, [2, 3]);
		if (y < TOP || y > TOP + this.height || this.gapPixels() < 14)
			return;
		ctx.textAlign = "left";
		ctx.fillStyle = theme.ink;
		ctx.fillText(shown(`${shown(pool.name, 40)}  ${unit(pool.size)}` +
			(pool.capacity ? ` of ${unit(pool.capacity)}` : "") +
			`, minimum ${unit(pool.theoretical_min)}`, most), LEFT + 4, y);
	}

	drawNames(ctx, theme) {
		const p = this.plan, letter = 6.7, byStep = this.colour === "step";
		const named = new Uint8Array(p.count);
		let room = 400;
		ctx.textAlign = "left";
		ctx.textBaseline = "middle";
		for (let i = 0; i < p.count && room > 0; i++) {
			if (p.end[i] <= this.x0 || p.start[i] >= this.x1)
				continue;
			const left = Math.max(LEFT, this.px(p.start[i]));
			const wide = Math.min(LEFT + this.width, this.px(p.end[i])) - left;
			const low = Math.min(TOP + this.height, this.py(p.low[i]));
			const high = Math.max(TOP, this.py(p.high[i]));
			if (wide < 40 || low - high < 13)
				continue;
			const top = byStep && this.rank[i] >= 1 && this.rank[i] <= 3;
			const text = (top ? this.rank[i] + " " : "") + shown(p.names[i]);
			if (text.length > (wide - 8) / letter)
				continue;
			ctx.fillStyle = this.matches && !this.matches[i] ? theme.soft
				: top ? this.rank[i] === 1 ? "#ffffff" : "#111827"
				: theme.ink;
			ctx.fillText(text, left + 5, (low + high) / 2);
			named[i] = 1;
			room--;
		}
		this.drawBadges(ctx, theme, named);
	}

	/* The three largest of the step are found whatever their size on the
	 * screen. */
	drawBadges(ctx, theme, named) {
		const p = this.plan;
		if (this.colour !== "step" || this.matches)
			return;
		ctx.textAlign = "center";
		this.alive.slice(0, 3).forEach((i, place) => {
			const left = this.px(p.start[i]), right = this.px(p.end[i]);
			const y = this.py((p.low[i] + p.high[i]) / 2);
			const x = Math.min(Math.max(
				(Math.max(left, LEFT) + Math.min(right, LEFT + this.width)) / 2,
				LEFT + 9), LEFT + this.width - 9);
			if (named[i] || right < LEFT ||
				left > LEFT + this.width || y < TOP ||
				y > TOP + this.height)
				return;
			ctx.beginPath();
			ctx.arc(x, y, 8.5, 0, 7);
			ctx.fillStyle = theme.top[place];
			ctx.fill();
			ctx.lineWidth = 1.5;
			ctx.strokeStyle = theme.card;
			ctx.stroke();
			ctx.lineWidth = 1;
			ctx.fillStyle = place ? "#111827" : "#ffffff";
			ctx.fillText(place + 1, x, y + 0.5);
		});
	}

	drawChosen(ctx, theme) {
		const p = this.plan, i = this.chosen;
		if (i < 0)
			return;
		const x = this.px(p.start[i]), y = this.py(p.high[i]);
		ctx.save();
		ctx.beginPath();
		ctx.rect(LEFT - 2, TOP - 2, this.width + 4, this.height + 4);
		ctx.clip();
		ctx.lineWidth = 2;
		ctx.strokeStyle = theme.select;
		ctx.strokeRect(x, y, Math.max(2, this.px(p.end[i]) - x),
			Math.max(2, this.py(p.low[i]) - y));
		ctx.lineWidth = 1;
		ctx.fillStyle = theme.select;
		for (const k of p.readersOf(i).slice(0, 500)) {
			ctx.beginPath();
			ctx.arc(this.px(k + 0.5), this.py(p.low[i]), 3, 0, 7);
			ctx.fill();
		}
		ctx.restore();
	}

	drawCurve(ctx, theme) {
		const p = this.plan, base = this.canvas.clientHeight - BOTTOM;
		const most = Math.max(1, this.ceiling) * 1.25;
		const y = bytes => base - bytes / most * CURVE;
		const columns = Math.max(1, Math.floor(this.width));
		const right = LEFT + this.width;
		ctx.beginPath();
		ctx.moveTo(LEFT, base);
		for (let c = 0; c < columns; c++) {
			const from = Math.floor(this.stepAt(LEFT + c));
			const to = Math.min(p.steps, Math.max(
				from + 1, Math.floor(this.stepAt(LEFT + c + 1))));
			let load = 0;
			for (let k = Math.max(0, from); k < to; k++)
				load = Math.max(load, p.load[k]);
			ctx.lineTo(LEFT + c, y(load));
			ctx.lineTo(LEFT + c + 1, y(load));
		}
		ctx.lineTo(right, base);
		ctx.globalAlpha = 0.25;
		ctx.fillStyle = theme.load;
		ctx.fill();
		ctx.globalAlpha = 1;
		ctx.strokeStyle = theme.load;
		ctx.stroke();
		this.line(ctx, theme.line, LEFT, base, right, base);
		this.drawLoads(ctx, theme, y);
		this.drawLevels(ctx, theme, y);
	}

	/* The axis of the curve, in the unit of the arena. */
	drawLoads(ctx, theme, y) {
		const most = Math.max(1, this.ceiling);
		const tick = MapView.bytesTick(most, 3);
		ctx.textAlign = "right";
		ctx.fillStyle = theme.soft;
		for (let bytes = 0; bytes <= most; bytes += tick.size) {
			ctx.fillText(tick.text(bytes), LEFT - 7, y(bytes));
			this.line(ctx, theme.line, LEFT - 4, y(bytes), LEFT, y(bytes));
		}
	}

	/* What the curve is measured against; the words lie above all lines, where
	 * no curve is. */
	drawLevels(ctx, theme, y) {
		const p = this.plan, right = LEFT + this.width;
		const least = y(p.theoretical_min), arena = y(p.arena_size);
		const words = `${p.pools ? "all pools" : "arena"} ${unit(p.arena_size)}`;
		const above = y(Math.max(1, this.ceiling)) - 10;
		const other = p.arena_size === p.theoretical_min
			? "at its theoretical minimum"
			: `theoretical minimum ${unit(p.theoretical_min)}`;
		this.line(ctx, theme.arena, LEFT, arena - 0.5, right, arena - 0.5);
		this.line(ctx, theme.least, LEFT, least, right, least, [5, 4]);
		ctx.textAlign = "right";
		ctx.fillStyle = theme.least;
		ctx.fillText(other, right - 6, above);
		ctx.fillStyle = theme.arena;
		ctx.fillText(words, right - 6 - ctx.measureText(other + "  ").width,
			above);
	}

	/* Where tensors were while they were not in the arena, as a budget asked
	 * for: from where they leave to where they are back. */
	drawWays(ctx, theme) {
		const p = this.plan;
		const tip = (x, y, down) => {
			ctx.beginPath();
			ctx.moveTo(x - 5, y - down);
			ctx.lineTo(x + 5, y - down);
			ctx.lineTo(x, y + 7 * down);
			ctx.fill();
		};
		ctx.save();
		ctx.beginPath();
		ctx.rect(LEFT, TOP, this.width, this.height);
		ctx.clip();
		ctx.fillStyle = theme.way;
		ctx.lineWidth = 1.5;
		for (const way of p.ways) {
			const x0 = this.px(way.from), x1 = this.px(way.to);
			const y0 = this.py((p.low[way.old] + p.high[way.old]) / 2);
			const y1 = this.py((p.low[way.back] + p.high[way.back]) / 2);
			this.line(ctx, theme.way, x0, y0, x1, y1, [5, 4]);
			tip(x0, y0, 1);
			tip(x1, y1, -1);
		}
		ctx.restore();
	}

	/* A bar for each loop. Where pixels stand for many, the first is drawn. */
	drawLoops(ctx, theme) {
		const drawn = new Array(LOOP_ROWS).fill(LEFT);
		const top = TOP + this.height + BETWEEN - 6;
		ctx.textAlign = "left";
		ctx.lineWidth = 1;
		for (const loop of this.plan.loops) {
			const left = Math.max(drawn[loop.row], this.px(loop.start));
			const right = Math.min(LEFT + this.width,
				Math.max(left + 1, this.px(loop.end)));
			const wide = right - left, y = top + loop.row * LOOP_ROW;
			if (loop.row === LOOP_ROWS || this.px(loop.end) <= left || wide <= 0)
				continue;
			drawn[loop.row] = right;
			ctx.fillStyle = theme.line;
			ctx.fillRect(left, y, wide, LOOP_ROW - 3);
			ctx.strokeStyle = theme.soft;
			if (wide >= 4)
				ctx.strokeRect(left + 0.5, y + 0.5, wide - 1, LOOP_ROW - 4);
			ctx.fillStyle = theme.soft;
			ctx.fillText(loopLabel(loop, Math.max(0, (wide - 8) / 6.7)), left + 5,
				y + LOOP_ROW / 2 - 1);
		}
	}

	drawStep(ctx, theme) {
		const x = this.px(this.step + 0.5);
		const bottom = this.canvas.clientHeight - BOTTOM;
		if (x < LEFT || x > LEFT + this.width)
			return;
		this.line(ctx, theme.select, x, TOP, x, bottom, [3, 3]);
		const text = (this.step === this.plan.peak ? "peak, " : "") +
			`${this.plan.axis()} ` +
			count(this.plan.time(this.step));
		const half = text.length * 3.4 + 4;
		ctx.textAlign = "center";
		ctx.fillStyle = theme.select;
		ctx.fillText(text, Math.min(Math.max(x, LEFT + half),
			LEFT + this.width - half), bottom + 14);
	}
}
