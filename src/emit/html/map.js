/* The memory map: steps across, addresses up, the load below. Rectangles of a
 * plan do not overlap, so they are written straight into the pixels; that costs
 * no more than the area of the picture, however many there are. */

class MapView extends MapFrame {
	constructor(figure, plan) {
		super(figure.querySelector("canvas"), plan);
		this.figure = figure;
		this.chosen = -1;
		this.matches = null;
		this.byKind = false;
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
		if (this.byKind)
			return pixels["k" + this.plan.kind[i]];
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
		this.drawChosen(ctx, theme);
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

	/* A round distance between about n ticks; of bytes, a power of two. */
	static tick(span, n, binary) {
		const raw = Math.max(1, span / n);
		if (binary)
			return 2 ** Math.ceil(Math.log2(raw));
		const ten = 10 ** Math.floor(Math.log10(raw));
		return [1, 2, 5, 10].find(f => f * ten >= raw) * ten;
	}

	drawAxes(ctx, theme) {
		const bottom = TOP + this.height, right = LEFT + this.width;
		const tx = MapView.tick(this.x1 - this.x0, 10, false);
		ctx.lineWidth = 1;
		ctx.textBaseline = "middle";
		this.plan.lanes.forEach((lane, k) => this.drawLane(ctx, theme, lane, k));
		ctx.fillStyle = theme.soft;
		ctx.textAlign = "center";
		for (let k = Math.ceil(this.x0 / tx) * tx; k < this.x1; k += tx) {
			const x = this.px(k + 0.5);
			if (x > right)
				break;
			ctx.fillText(this.plan.time(k), x, bottom + 13);
			this.line(ctx, theme.line, x, bottom, x, bottom + 4);
		}
		ctx.strokeStyle = theme.line;
		ctx.strokeRect(LEFT - 0.5, TOP - 0.5, this.width + 1, this.height + 1);
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
		const ty = MapView.tick(high - low, ticks, true);
		const named = pool && this.gapPixels() < 14;
		ctx.fillStyle = theme.soft;
		ctx.textAlign = "right";
		for (let b = Math.ceil(low / ty) * ty; !named && b <= high; b += ty) {
			const y = this.py(p.heightOf(k, b));
			ctx.fillText(unit(b).replace(".00", ""), LEFT - 7, y);
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
		const p = this.plan, letter = 6.7;
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
			const top = !this.byKind && this.rank[i] >= 1 && this.rank[i] <= 3;
			const text = (top ? this.rank[i] + " " : "") + p.names[i];
			ctx.fillStyle = this.matches && !this.matches[i] ? theme.soft
				: this.rank[i] === 1 && !this.byKind ? "#ffffff"
				: this.rank[i] && !this.byKind && this.rank[i] < 4
					? "#111827" : theme.ink;
			ctx.fillText(shown(text, Math.floor((wide - 8) / letter)),
				left + 5, (low + high) / 2);
			room--;
		}
		this.drawBadges(ctx, theme);
	}

	/* The three largest of the step are found whatever their size on the
	 * screen. */
	drawBadges(ctx, theme) {
		const p = this.plan;
		if (this.byKind || this.matches)
			return;
		ctx.textAlign = "center";
		this.alive.slice(0, 3).forEach((i, place) => {
			const left = this.px(p.start[i]), right = this.px(p.end[i]);
			const y = this.py((p.low[i] + p.high[i]) / 2);
			const high = this.py(p.low[i]) - this.py(p.high[i]);
			const x = Math.min(Math.max(
				(Math.max(left, LEFT) + Math.min(right, LEFT + this.width)) / 2,
				LEFT + 9), LEFT + this.width - 9);
			if ((right - left > 40 && high > 13) || right < LEFT ||
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
		const most = Math.max(1, this.ceiling) * 1.08;
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
		this.drawLevels(ctx, theme, y);
	}

	drawLevels(ctx, theme, y) {
		const p = this.plan, right = LEFT + this.width;
		const least = y(p.theoretical_min), arena = y(p.arena_size);
		this.line(ctx, theme.least, LEFT, least, right, least, [5, 4]);
		this.line(ctx, theme.arena, LEFT, arena - 0.5, right, arena - 0.5);
		ctx.textAlign = "right";
		ctx.textBaseline = "alphabetic";
		ctx.fillStyle = theme.soft;
		ctx.fillText("bytes", LEFT - 7, y(0) - CURVE / 2 - 2);
		ctx.fillText("alive", LEFT - 7, y(0) - CURVE / 2 + 11);
		ctx.fillStyle = theme.least;
		ctx.fillText("theoretical minimum " + unit(p.theoretical_min),
			right - 6, least + 13);
		ctx.fillStyle = theme.arena;
		ctx.fillText((p.pools ? "all pools " : "arena ") + unit(p.arena_size),
			right - 6, arena - 5);
	}

	drawStep(ctx, theme) {
		const x = this.px(this.step + 0.5);
		const bottom = this.canvas.clientHeight - BOTTOM;
		if (x < LEFT || x > LEFT + this.width)
			return;
		this.line(ctx, theme.select, x, TOP, x, bottom, [3, 3]);
		const text = (this.step === this.plan.peak ? "peak, " : "") +
			"step " + this.plan.time(this.step);
		const half = text.length * 3.4 + 4;
		ctx.textAlign = "center";
		ctx.fillStyle = theme.select;
		ctx.fillText(text, Math.min(Math.max(x, LEFT + half),
			LEFT + this.width - half), bottom + 14);
	}
}
