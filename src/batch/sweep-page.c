/*
 * A sweep as one page of HTML, without scripts and without anything from
 * elsewhere: a row a task, with a picture of its load over the steps and links
 * to its outputs in the store.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/num.h"
#include "batch/inside.h"

enum {
	WIDTH = 128, /* of a picture */
	HEIGHT = 24,
	SENTENCE = 200, /* characters of a message */
};

static const char style[] =
	"body{font:14px/1.4 system-ui,sans-serif;margin:1.5em;color:#1b1b1b;"
	"background:#fff}\n"
	"table{border-collapse:collapse}\n"
	"th,td{padding:.25em .75em;text-align:left;border-bottom:1px solid "
	"#ddd}\n"
	"td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\n"
	"svg{display:block}\n"
	"path{fill:#9ec1e8;stroke:#2b6cb0}\n"
	"tr.bad td{background:#fdf0ee}\n"
	"@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}"
	"th,td{border-color:#444}path{fill:#24466b;stroke:#7fb2ea}"
	"a{color:#9ec1e8}tr.bad td{background:#3a201c}}\n";

/* The load over the steps, as a filled line below the arena's height. */
static void picture(struct sink *sink, const struct answer *answer)
{
	uint64_t unit = num_max(answer->arena_size / HEIGHT, 1);

	mp_sink_print(sink,
		"<svg width=\"%d\" height=\"%d\" role=\"img\" "
		"aria-label=\"load over the steps\"><path d=\"M0 %d",
		WIDTH, HEIGHT, HEIGHT);
	for (uint32_t i = 0; i < answer->n_loads; i++) {
		int y = HEIGHT - (int)num_min(answer->loads[i] / unit, HEIGHT);

		mp_sink_print(sink, "L%u %dL%u %d",
			(unsigned)(WIDTH * i / answer->n_loads), y,
			(unsigned)(WIDTH * (i + 1) / answer->n_loads), y);
	}
	mp_sink_print(sink, "L%d %dZ\"/></svg>", WIDTH, HEIGHT);
}

static void number(struct sink *sink, uint64_t value)
{
	mp_sink_text(sink, "<td class=\"n\">");
	mp_sink_grouped(sink, (int64_t)value);
	mp_sink_text(sink, "</td>");
}

static void links(struct sink *sink, const struct sweep *sweep,
	const struct answer *answer)
{
	mp_sink_text(sink, "<td>");
	for (uint32_t i = 0; i < answer->n_outputs; i++) {
		const char *name = answer->outputs[i].name;

		mp_sink_text(sink, i > 0 ? " <a href=\"" : "<a href=\"");
		mp_sink_xml(sink, sweep->folder);
		mp_sink_print(sink, "/%.2s/%s.%s\">%s</a>", answer->key,
			answer->key, name, name);
	}
	mp_sink_text(sink, "</td>");
}

static void row(struct sink *sink, const struct sweep *sweep,
	const struct sweep_row *from, struct arena *scratch)
{
	const struct answer *answer = &from->answer;
	const char *title = mp_batch_title(&from->task, scratch);

	mp_sink_text(sink, answer->status == MEMPLAN_OK
				   ? "<tr><td>"
				   : "<tr class=\"bad\"><td>");
	mp_sink_xml(sink, title ? title : "");
	mp_sink_print(sink, "</td><td>%s", mp_batch_verdict(answer));
	if (answer->message) {
		mp_sink_text(sink, "<br>");
		mp_sink_xml_cut(sink, answer->message, SENTENCE);
	}
	mp_sink_text(sink, "</td>");
	if (answer->result) {
		number(sink, answer->arena_size);
		number(sink, answer->theoretical_min);
		mp_sink_text(sink, "<td class=\"n\">");
		mp_sink_ratio(
			sink, answer->arena_size, answer->theoretical_min, 3);
		mp_sink_text(sink, "</td><td>");
		picture(sink, answer);
		mp_sink_text(sink, "</td>");
	} else {
		mp_sink_text(sink, "<td></td><td></td><td></td><td></td>");
	}
	links(sink, sweep, answer);
	mp_sink_text(sink, "</tr>\n");
}

void mp_batch_sweep_page(
	const struct sweep *sweep, struct sink *sink, struct arena *scratch)
{
	mp_sink_print(sink,
		"<!DOCTYPE html>\n<html lang=\"en\"><head>"
		"<meta charset=\"utf-8\"><meta name=\"viewport\" "
		"content=\"width=device-width\"><title>memplan: %u task%s"
		"</title>\n<style>\n%s</style></head><body>\n"
		"<h1>%u task%s, memplan %s</h1>\n<table><thead><tr>"
		"<th>task</th><th>verdict</th><th class=\"n\">arena, bytes</th>"
		"<th class=\"n\">minimum</th><th class=\"n\">ratio</th>"
		"<th>load</th><th>outputs</th></tr></thead><tbody>\n",
		sweep->n, mp_text_plural(sweep->n), style, sweep->n,
		mp_text_plural(sweep->n), sweep->version);
	for (uint32_t i = 0; i < sweep->n; i++) {
		struct arena_mark mark = mp_arena_mark(scratch);

		row(sink, sweep, &sweep->rows[i], scratch);
		mp_arena_rewind(scratch, mark);
	}
	mp_sink_text(sink, "</tbody></table>\n</body></html>\n");
}
