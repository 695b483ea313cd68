/* Colours of layers; the last one is for what has none. */
const LAYERS = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(i => "l" + i);

/* The colours of the style sheet, as the canvas needs them. */

class Theme {
	constructor() {
		const style = getComputedStyle(document.documentElement);
		const get = name => style.getPropertyValue("--" + name).trim();
		for (const name of ["card", "ink", "soft", "line", "grid", "load",
			"least", "arena", "select", "badge", "match", "way"])
			this[name] = get(name);
		this.top = ["one", "two", "three"].map(get);
		this.pixels = {};
		for (const name of ["card", "other", "alive", "match", "one", "two",
			"three", ...KINDS.map((text, i) => "k" + i), ...LAYERS])
			this.pixels[name] = Theme.shades(get(name), get("card"));
	}

	/* Four shades of a colour, a darker edge, and the colour faded; as the
	 * pixels of a little-endian image. */
	static shades(colour, page) {
		const [a, b] = [colour, page].map(
			hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16)));
		const mix = (f, to) => a.reduce((sum, value, i) => {
			const v = Math.round(value + (to[i] - value) * f);
			return sum | v << 8 * i;
		}, 0xff000000) >>> 0;
		const black = [0, 0, 0];
		return [mix(0, black), mix(0.05, black), mix(0.1, black),
			mix(0.07, b), mix(0.32, black), mix(0.72, b)];
	}
}
