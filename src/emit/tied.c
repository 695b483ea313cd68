/* SPDX-License-Identifier: MIT */
#include "emit/tied.h"

#include "emit/json.h"

static void alias(struct sink *sink, const struct problem *p,
	const struct tensor_alias *a)
{
	mp_sink_text(sink, ", \"alias\": {\"of\": ");
	mp_json_id(sink, &p->items[a->of]);
	mp_json_number(sink, ", ", "offset", a->offset);
	if (a->writes)
		mp_json_bool(sink, ", ", "writes", true);
	mp_sink_text(sink, "}");
}

static void gap(struct sink *sink, const struct problem *p,
	const struct lifetime_gap *g, const char *before)
{
	mp_sink_text(sink, before);
	mp_sink_text(sink, "[");
	mp_sink_i64(sink, mp_problem_time(p, g->start));
	mp_sink_text(sink, ", ");
	mp_sink_i64(sink, mp_problem_time(p, g->end));
	if (g->low < g->high) {
		mp_sink_text(sink, ", ");
		mp_sink_u64(sink, g->low);
		mp_sink_text(sink, ", ");
		mp_sink_u64(sink, g->high);
	}
	mp_sink_text(sink, "]");
}

void mp_tied_emit(struct sink *sink, const struct problem *p, struct tied *tied)
{
	const struct ties *ties = &p->ties;
	const char *before = ", \"gaps\": [";

	while (tied->alias < ties->n_aliases &&
		ties->aliases[tied->alias].tensor < tied->item)
		tied->alias++;
	if (tied->alias < ties->n_aliases &&
		ties->aliases[tied->alias].tensor == tied->item)
		alias(sink, p, &ties->aliases[tied->alias]);
	while (tied->gap < ties->n_gaps &&
		ties->gaps[tied->gap].tensor < tied->item)
		tied->gap++;
	for (; tied->gap < ties->n_gaps &&
		ties->gaps[tied->gap].tensor == tied->item;
		tied->gap++) {
		gap(sink, p, &ties->gaps[tied->gap], before);
		before = ", ";
	}
	if (before[2] == '\0')
		mp_sink_text(sink, "]");
}

/* ------------------------------------------------------------------- groups */

static void members(struct sink *sink, const struct problem *p,
	const struct tensor_group *g)
{
	mp_sink_text(sink, "{\"members\": [");
	for (uint32_t i = 0; i < g->members.n; i++) {
		mp_sink_text(sink, i > 0 ? ", " : "");
		mp_json_id(sink, &p->items[g->members.at[i]]);
	}
	mp_sink_text(sink, "]");
}

static void group(struct sink *sink, const struct problem *p,
	const struct tensor_group *g)
{
	members(sink, p, g);
	if (g->name)
		mp_json_text(sink, ", ", "name", g->name);
	if (g->before)
		mp_json_number(sink, ", ", "before", g->before);
	if (g->after)
		mp_json_number(sink, ", ", "after", g->after);
	mp_sink_text(sink, "}");
}

void mp_groups_emit(struct sink *sink, const struct problem *p)
{
	if (p->ties.n_groups == 0)
		return;
	mp_json_key(sink, JSON_LINE, "groups");
	mp_sink_text(sink, "[");
	for (uint32_t i = 0; i < p->ties.n_groups; i++) {
		mp_sink_text(sink, i > 0 ? ",\n    " : "\n    ");
		group(sink, p, &p->ties.groups[i]);
	}
	mp_sink_text(sink, "\n  ]");
}
