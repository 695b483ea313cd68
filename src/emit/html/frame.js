/* What the memory map shows: which steps and addresses, and where they are on
 * the screen. Whoever extends it draws them: redraw(). */

const LEFT = 92, RIGHT = 14, TOP = 12, BETWEEN = 26, CURVE = 116, BOTTOM = 20;

class MapFrame {
	constructor(canvas, plan) {
		this.canvas = canvas;
		this.plan = plan;
		this.ceiling = plan.arena_size;
		this.resize();
		this.fit();
	}

	fit() {
		this.x0 = 0;
		this.x1 = Math.max(1, this.plan.steps);
		this.y0 = 0;
		this.y1 = this.top;
		this.redraw();
	}

	/* What the map shows at most: bytes, or of pools all lanes. */
	get top() {
		if (this.plan.pools)
			return this.plan.pools.length * (LANE + LANE_GAP);
		return Math.max(1, this.ceiling) * 1.02;
	}

	/* Of the map; asking the canvas each time would lay the page out anew. */
	resize() {
		this.width = this.canvas.clientWidth - LEFT - RIGHT;
		this.height =
			this.canvas.clientHeight - TOP - this.between - CURVE - BOTTOM;
	}

	/* Between the map and the curve: the axis of steps, and loops. */
	get between() {
		return BETWEEN + LOOP_ROW * this.plan.loopRows;
	}

	px(step) {
		return LEFT + (step - this.x0) / (this.x1 - this.x0) * this.width;
	}

	py(bytes) {
		return TOP + this.height -
			(bytes - this.y0) / (this.y1 - this.y0) * this.height;
	}

	stepAt(x) {
		return this.x0 + (x - LEFT) / this.width * (this.x1 - this.x0);
	}

	bytesAt(y) {
		return this.y0 +
			(TOP + this.height - y) / this.height * (this.y1 - this.y0);
	}

	isCurve(y) {
		return y > TOP + this.height + BETWEEN / 2;
	}

	/* ------------------------------------------------------------ moving */

	static window(low, high, least, most) {
		const size = Math.min(most, Math.max(least, high - low));
		const centre = (low + high) / 2;
		const from = Math.min(
			Math.max(0, high - low === size ? low : centre - size / 2),
			most - size);
		return [from, from + size];
	}

	show(x0, x1, y0, y1) {
		[this.x0, this.x1] = MapFrame.window(
			x0, x1, 2, Math.max(1, this.plan.steps));
		[this.y0, this.y1] = MapFrame.window(y0, y1, 16,
			this.top);
		this.redraw();
	}

	zoom(factor, x, y, steps = true, addresses = true) {
		const s = this.stepAt(x), b = this.bytesAt(y);
		const fx = steps ? factor : 1, fy = addresses ? factor : 1;
		this.show(s + (this.x0 - s) * fx, s + (this.x1 - s) * fx,
			b + (this.y0 - b) * fy, b + (this.y1 - b) * fy);
	}

	pan(dx, dy) {
		const w = this.x1 - this.x0, h = this.y1 - this.y0;
		const x = Math.min(Math.max(0, this.x0 - dx / this.width * w),
			Math.max(1, this.plan.steps) - w);
		const y = Math.min(Math.max(0, this.y0 + dy / this.height * h),
			this.top - h);
		this.show(x, x + w, y, y + h);
	}

	/* Shows steps around one, and all addresses. */
	goTo(step) {
		const half = Math.max(8, Math.min(60, this.plan.steps / 6));
		this.show(step + 0.5 - half, step + 0.5 + half,
			0, this.top);
	}

	/* Shows a tensor with what is around it. */
	reveal(i) {
		const p = this.plan, life = p.end[i] - p.start[i];
		const inside = p.start[i] >= this.x0 && p.end[i] <= this.x1 &&
			p.low[i] >= this.y0 && p.high[i] <= this.y1;
		const wide = life / (this.x1 - this.x0) * this.width;
		const tall = p.high[i] - p.low[i];
		const high = tall / (this.y1 - this.y0) * this.height;
		if (inside && wide > 6 && high > 6)
			return;
		const x = Math.max(life * 1.5, 6), y = Math.max(tall * 4, 64);
		this.show(p.start[i] - x, p.end[i] + x, p.low[i] - y, p.high[i] + y);
	}

	pick(x, y) {
		const p = this.plan, s = this.stepAt(x), b = this.bytesAt(y);
		const ds = (this.x1 - this.x0) / this.width;
		const db = (this.y1 - this.y0) / this.height;
		let near = -1;
		if (x < LEFT || x > LEFT + this.width || y < TOP ||
			y > TOP + this.height)
			return -1;
		for (let i = 0; i < p.count; i++) {
			if (p.start[i] <= s && s < p.end[i] && p.low[i] <= b &&
				b < p.high[i])
				return i;
			if (p.start[i] <= s + ds && s - ds < p.end[i] &&
				p.low[i] <= b + db && b - db < p.high[i])
				near = i;
		}
		return near;
	}
}
