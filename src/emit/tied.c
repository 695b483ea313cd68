/*
 * What the input says of several tensors at once: aliases, gaps, groups, pairs
 * apart, costs of reuse, reserved ranges and branches.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/inside.h"

#include <assert.h>

#include "emit/json-text.h"

static void alias(struct sink *sink, const struct schedule *s,
	const struct tensor_alias *a)
{
	mp_sink_text(sink, ", \"alias\": {\"of\": ");
	mp_emit_json_id(sink, &s->graph->tensors[a->of]);
	mp_emit_json_number(sink, ", ", "offset", a->offset);
	if (a->writes)
		mp_emit_json_bool(sink, ", ", "writes", true);
	mp_sink_text(sink, "}");
}

/* The tensor's gaps one after the other, then NULL. */
static const struct lifetime_gap *next_gap(
	const struct ties *ties, struct tied *tied)
{
	assert(tied->gap <= ties->n_gaps);
	while (tied->gap < ties->n_gaps &&
		ties->gaps[tied->gap].tensor < tied->tensor)
		tied->gap++;
	if (tied->gap == ties->n_gaps ||
		ties->gaps[tied->gap].tensor != tied->tensor)
		return NULL;
	return &ties->gaps[tied->gap++];
}

void mp_emit_tied_emit(
	struct sink *sink, const struct schedule *s, struct tied *tied)
{
	const struct ties *ties = &s->graph->ties;
	const char *before = ", \"gaps\": [";

	while (tied->alias < ties->n_aliases &&
		ties->aliases[tied->alias].tensor < tied->tensor)
		tied->alias++;
	if (tied->alias < ties->n_aliases &&
		ties->aliases[tied->alias].tensor == tied->tensor)
		alias(sink, s, &ties->aliases[tied->alias]);
	for (const struct lifetime_gap *g; (g = next_gap(ties, tied));) {
		mp_sink_print(sink, "%s[%lld, %lld", before,
			(long long)mp_problem_time(&s->problem, g->start),
			(long long)mp_problem_time(&s->problem, g->end));
		if (g->low < g->high)
			mp_sink_print(sink, ", %llu, %llu",
				(unsigned long long)g->low,
				(unsigned long long)g->high);
		mp_sink_text(sink, "]");
		before = ", ";
	}
	if (before[2] == '\0')
		mp_sink_text(sink, "]");
}

void mp_emit_gaps_cell(
	struct sink *sink, const struct schedule *s, struct tied *tied)
{
	const char *before = ",";

	for (const struct lifetime_gap *g;
		(g = next_gap(&s->graph->ties, tied));) {
		mp_sink_print(sink, "%s%lld-%lld", before,
			(long long)mp_problem_time(&s->problem, g->start),
			(long long)mp_problem_time(&s->problem, g->end));
		if (g->low != g->high)
			mp_sink_print(sink, "@%llu:%llu",
				(unsigned long long)g->low,
				(unsigned long long)g->high);
		before = " ";
	}
	if (before[0] == ',')
		mp_sink_text(sink, before);
}

const uint8_t *mp_emit_tied_roles(const struct schedule *s, struct arena *arena)
{
	uint8_t *roles = NEW(arena, uint8_t, s->graph->n_tensors);

	for (uint32_t i = 0; roles && i < s->graph->ties.n_aliases; i++) {
		roles[s->graph->ties.aliases[i].root] = TIED_ROOT;
		roles[s->graph->ties.aliases[i].tensor] = TIED_ALIAS;
	}
	for (uint32_t t = 0;
		roles && s->graph->ties.n_same > 0 && t < s->graph->n_tensors;
		t++) {
		uint32_t same = mp_schedule_same_bytes(s, t);

		if (same == t)
			continue;
		roles[same] = TIED_ROOT;
		roles[t] = TIED_ALIAS;
	}
	return roles;
}

/* ----------------------------------------------------------- groups */

static void group(struct sink *sink, const struct schedule *s,
	const struct tensor_group *g)
{
	assert(g->members.n > 0);
	mp_emit_json_key(sink, "{", "members");
	mp_emit_json_ids(sink, s->graph, g->members);
	if (g->name)
		mp_emit_json_text(sink, ", ", "name", g->name);
	if (g->before)
		mp_emit_json_number(sink, ", ", "before", g->before);
	if (g->after)
		mp_emit_json_number(sink, ", ", "after", g->after);
	mp_sink_text(sink, "}");
}

static void groups(struct sink *sink, const struct schedule *s)
{
	if (s->graph->ties.n_groups == 0)
		return;
	mp_emit_json_open(sink, JSON_LINE, "groups");
	for (uint32_t i = 0; i < s->graph->ties.n_groups; i++) {
		mp_emit_json_item(sink, i);
		group(sink, s, &s->graph->ties.groups[i]);
	}
	mp_sink_text(sink, "\n  ]");
}

/* -------------------------------------------------------- relations */

static void apart(struct sink *sink, const struct schedule *s)
{
	const char *before = "[[";

	for (uint32_t i = 0; i < s->graph->ties.n_apart; i++) {
		const struct tensor_pair *pair = &s->graph->ties.apart[i];
		const struct tensor *a = &s->graph->tensors[pair->a];
		const struct tensor *b = &s->graph->tensors[pair->b];

		if (a->external || b->external)
			continue;
		if (before[1] == '[')
			mp_emit_json_key(sink, JSON_LINE, "apart");
		mp_sink_text(sink, before);
		mp_emit_json_id(sink, a);
		mp_sink_text(sink, ", ");
		mp_emit_json_id(sink, b);
		mp_sink_text(sink, "]");
		before = ", [";
	}
	if (before[0] == ',')
		mp_sink_text(sink, "]");
}

static void same(struct sink *sink, const struct schedule *s)
{
	const struct ties *ties = &s->graph->ties;

	for (uint32_t i = 0; i < ties->n_same; i++) {
		if (i == 0)
			mp_emit_json_open(sink, JSON_LINE, "same_offsets");
		mp_emit_json_item(sink, i);
		mp_emit_json_ids(sink, s->graph, ties->same[i]);
	}
	if (ties->n_same > 0)
		mp_sink_text(sink, "\n  ]");
}

static bool is_inside(const struct schedule *s, const struct reuse_cost *cost)
{
	return !s->graph->tensors[cost->a].external &&
	       !s->graph->tensors[cost->b].external;
}

bool mp_emit_has_banks(const struct schedule *s)
{
	return mp_graph_has_banks(s->graph->pools, s->graph->n_pools);
}

bool mp_emit_has_costs(const struct schedule *s)
{
	for (uint32_t i = 0; i < s->graph->ties.n_costs; i++)
		if (is_inside(s, &s->graph->ties.costs[i]))
			return true;
	return false;
}

static void costs(struct sink *sink, const struct schedule *s)
{
	const char *before = "[[";

	for (uint32_t i = 0; i < s->graph->ties.n_costs; i++) {
		const struct reuse_cost *cost = &s->graph->ties.costs[i];
		const struct tensor *a = &s->graph->tensors[cost->a];
		const struct tensor *b = &s->graph->tensors[cost->b];

		if (!is_inside(s, cost))
			continue;
		if (before[1] == '[')
			mp_emit_json_key(sink, JSON_LINE, "reuse_cost");
		mp_sink_text(sink, before);
		mp_emit_json_id(sink, a);
		mp_sink_text(sink, ", ");
		mp_emit_json_id(sink, b);
		mp_sink_text(sink, ", ");
		mp_sink_u64(sink, cost->cost);
		mp_sink_text(sink, "]");
		before = ", [";
	}
	if (before[0] == ',')
		mp_sink_text(sink, "]");
}

static void reserved(struct sink *sink, const struct schedule *s)
{
	if (s->graph->ties.n_reserved == 0)
		return;
	mp_emit_json_key(sink, JSON_LINE, "reserved");
	for (uint32_t i = 0; i < s->graph->ties.n_reserved; i++) {
		const struct reserved_range *range =
			&s->graph->ties.reserved[i];

		mp_sink_text(sink, i > 0 ? ", " : "[");
		mp_emit_json_number(sink, "{", "offset", range->offset);
		mp_emit_json_number(sink, ", ", "size", range->size);
		if (range->name)
			mp_emit_json_text(sink, ", ", "name", range->name);
		if (s->problem.pools)
			mp_emit_json_text(sink, ", ", "pool",
				s->problem
					.pools[mp_graph_ties_pool(
						s->problem.pool_lists, range)]
					.name);
		mp_sink_text(sink, "}");
	}
	mp_sink_text(sink, "]");
}

/* The first member from there on that can share bytes with other branches. */
static uint32_t listed(const struct schedule *s, uint32_t at)
{
	for (; at < s->graph->ties.n_branches; at++) {
		uint32_t t = s->graph->ties.branches[at].tensor;

		if (!s->graph->tensors[t].external &&
			s->graph->tensors[t].size > 0 &&
			!mp_schedule_outlives(s, t))
			break;
	}
	return at;
}

static uint32_t branch(struct sink *sink, const struct schedule *s,
	uint32_t choice, uint32_t number, uint32_t at)
{
	const struct tensor_branch *members = s->graph->ties.branches;
	const char *before = "";

	for (; at < s->graph->ties.n_branches && members[at].choice == choice &&
		members[at].branch == number;
		at = listed(s, at + 1)) {
		mp_sink_text(sink, before);
		mp_emit_json_id(sink, &s->graph->tensors[members[at].tensor]);
		before = ", ";
	}
	return at;
}

/* The branches of a choice from its first member on; returns the first member
 * behind. A branch may have none. */
static uint32_t choice(struct sink *sink, const struct schedule *s, uint32_t c,
	uint32_t least, uint32_t at)
{
	const struct ties *ties = &s->graph->ties;

	mp_sink_text(sink, "[");
	for (uint32_t k = 0;
		k < least ||
		(at < ties->n_branches && ties->branches[at].choice == c);
		k++) {
		mp_sink_text(sink, k > 0 ? ", [" : "[");
		at = branch(sink, s, c, k, at);
		mp_sink_text(sink, "]");
	}
	mp_sink_text(sink, "]");
	return at;
}

/* The choices that are written: those with members, and those around them. */
struct choices {
	const struct ties *ties;
	uint32_t n;
	uint32_t *least;  /* branches that must be written; 0: it is left out */
	uint32_t *number; /* among those that are written */
};

/* A choice stands in an earlier one. */
static bool find_choices(
	struct choices *c, const struct schedule *s, struct arena *scratch)
{
	uint32_t number = 0;

	c->ties = &s->graph->ties;
	c->n = mp_graph_ties_choices(c->ties);
	c->least = NEW(scratch, uint32_t, c->n);
	c->number = NEW(scratch, uint32_t, c->n);
	if (!c->least || !c->number)
		return false;
	for (uint32_t i = listed(s, 0); i < c->ties->n_branches;
		i = listed(s, i + 1))
		c->least[c->ties->branches[i].choice] = 2;
	for (uint32_t i = c->n; i-- > 0;) {
		struct choice_site in = mp_graph_ties_site(c->ties, i);

		if (c->least[i] > 0 && in.choice != NONE)
			c->least[in.choice] = (uint32_t)num_max(
				c->least[in.choice], num_max(2, in.branch + 1));
	}
	for (uint32_t i = 0; i < c->n; i++)
		if (c->least[i] > 0)
			c->number[i] = number++;
	return true;
}

static void exclusive(
	struct sink *sink, const struct schedule *s, struct arena *scratch)
{
	const char *before = "[\n    ";
	uint32_t at = listed(s, 0);
	struct choices c;

	if (at == s->graph->ties.n_branches || !find_choices(&c, s, scratch))
		return;
	mp_emit_json_key(sink, JSON_LINE, "exclusive");
	for (uint32_t i = 0; i < c.n; i++) {
		struct choice_site in = mp_graph_ties_site(c.ties, i);

		if (c.least[i] == 0)
			continue;
		mp_sink_text(sink, before);
		before = ",\n    ";
		if (in.choice != NONE)
			mp_sink_print(sink, "{\"in\": [%u, %u], \"branches\": ",
				c.number[in.choice], in.branch);
		at = choice(sink, s, i, c.least[i], at);
		mp_sink_text(sink, in.choice != NONE ? "}" : "");
	}
	mp_sink_text(sink, "\n  ]");
}

static bool is_listed(const struct graph *graph, uint32_t tensor)
{
	return tensor != NONE && !graph->tensors[tensor].external;
}

static void carried(
	struct sink *sink, const struct graph *graph, uint32_t tensor)
{
	if (is_listed(graph, tensor))
		mp_emit_json_id(sink, &graph->tensors[tensor]);
	else
		mp_sink_text(sink, "null");
}

/* Ops by index. A pair is left out if both are external. */
static void loops(struct sink *sink, const struct graph *graph)
{
	for (uint32_t i = 0; i < graph->n_loops; i++) {
		const struct graph_loop *loop = &graph->loops[i];
		const char *before = ", \"carried\": [[";

		if (i == 0)
			mp_emit_json_key(sink, JSON_LINE, "loops");
		mp_sink_print(sink, "%s{\"first\": %u, \"last\": %u",
			i > 0 ? ",\n    " : "[\n    ", loop->first, loop->last);
		for (uint32_t k = 0; k < loop->n_carried; k++) {
			const struct carried_pair *pair = &loop->carried[k];

			if (!is_listed(graph, pair->in) &&
				!is_listed(graph, pair->out))
				continue;
			mp_sink_text(sink, before);
			carried(sink, graph, pair->in);
			mp_sink_text(sink, ", ");
			carried(sink, graph, pair->out);
			mp_sink_text(sink, "]");
			before = ", [";
		}
		mp_sink_text(sink, before[2] == '[' ? "]}" : "}");
	}
	if (graph->n_loops > 0)
		mp_sink_text(sink, "\n  ]");
}

void mp_emit_relations_emit(
	struct sink *sink, const struct schedule *s, struct arena *scratch)
{
	groups(sink, s);
	apart(sink, s);
	same(sink, s);
	costs(sink, s);
	reserved(sink, s);
	exclusive(sink, s, scratch);
	loops(sink, s->graph);
}

/* ---------------------------------------------------------- changes */

static void change(const struct schedule *s, bool *changes, uint32_t tensor,
	uint32_t writer)
{
	if (s->stay[tensor].end > s->stay[writer].start + 1)
		changes[tensor] = true;
}

const bool *mp_emit_tied_changes(const struct schedule *s, struct arena *arena)
{
	bool *changes = NEW(arena, bool, s->graph->n_tensors);

	for (uint32_t i = 0; changes && i < s->graph->ties.n_aliases; i++) {
		const struct tensor_alias *a = &s->graph->ties.aliases[i];

		if (!a->writes)
			continue;
		change(s, changes, a->of, a->tensor);
		change(s, changes, a->root, a->tensor);
	}
	for (uint32_t i = 0; changes && i < s->graph->ties.n_gaps; i++)
		changes[s->graph->ties.gaps[i].tensor] = true;
	return changes;
}

/* ---------------------------------------------------------- keepers */

/* Does the tensor need the part to its end? Parts are rounded outwards, and a
 * tensor needs all of one or nothing. */
static bool keeps(
	const struct schedule *s, const struct part *part, uint32_t tensor)
{
	const struct stay *stay = &s->stay[tensor];
	uint64_t end = stay->base + s->graph->tensors[tensor].size +
		       s->problem.margins.padding;

	assert(stay->buffer == part->buffer);
	return (stay->base & ~(s->problem.alignment - 1)) <= part->base &&
	       num_up(end, s->problem.alignment) >= part->base + part->size &&
	       stay->start < part->end && part->end <= stay->end;
}

static void keep(const struct schedule *s, uint32_t *keepers, uint32_t i)
{
	const struct tensor *tensors = s->graph->tensors;
	const struct buffer *buffer;

	if (s->stay[i].buffer == NONE)
		return;
	buffer = &s->problem.buffers[s->stay[i].buffer];
	for (uint32_t k = buffer->first_part;
		k < buffer->first_part + buffer->n_parts; k++)
		if (keeps(s, &s->problem.parts[k], i) &&
			(keepers[k] == NONE ||
				tensors[i].size < tensors[keepers[k]].size))
			keepers[k] = i;
}

const uint32_t *mp_emit_tied_keepers(
	const struct schedule *s, struct arena *arena)
{
	uint32_t *keepers = NEW(arena, uint32_t, s->problem.n_parts);
	const uint8_t *roles = mp_emit_tied_roles(s, arena);

	if (!keepers || !roles)
		return NULL;
	for (uint32_t k = 0; k < s->problem.n_parts; k++)
		keepers[k] = NONE;
	for (uint32_t i = 0; i < s->graph->n_tensors; i++)
		if (roles[i] != TIED_NOT)
			keep(s, keepers, i);
	for (uint32_t i = 0; i < s->graph->ties.n_gaps; i++)
		keep(s, keepers, s->graph->ties.gaps[i].tensor);
	return keepers;
}

bool mp_emit_tied_by_parts(
	const struct schedule *s, const uint32_t *keepers, uint32_t tensor)
{
	uint32_t buffer = s->stay[tensor].buffer;

	return buffer != NONE &&
	       keepers[s->problem.buffers[buffer].first_part] != NONE;
}
