/* SPDX-License-Identifier: MIT */
#include "emit/tied.h"

#include "emit/json-text.h"

static void alias(struct sink *sink, const struct problem *p,
	const struct tensor_alias *a)
{
	mp_sink_text(sink, ", \"alias\": {\"of\": ");
	mp_emit_json_id(sink, &p->items[a->of]);
	mp_emit_json_number(sink, ", ", "offset", a->offset);
	if (a->writes)
		mp_emit_json_bool(sink, ", ", "writes", true);
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

/* The item's gaps one after the other, then NULL. */
static const struct lifetime_gap *next_gap(
	const struct ties *ties, struct tied *tied)
{
	while (tied->gap < ties->n_gaps &&
		ties->gaps[tied->gap].tensor < tied->item)
		tied->gap++;
	if (tied->gap == ties->n_gaps ||
		ties->gaps[tied->gap].tensor != tied->item)
		return NULL;
	return &ties->gaps[tied->gap++];
}

void mp_emit_tied_emit(
	struct sink *sink, const struct problem *p, struct tied *tied)
{
	const struct ties *ties = &p->ties;
	const char *before = ", \"gaps\": [";

	while (tied->alias < ties->n_aliases &&
		ties->aliases[tied->alias].tensor < tied->item)
		tied->alias++;
	if (tied->alias < ties->n_aliases &&
		ties->aliases[tied->alias].tensor == tied->item)
		alias(sink, p, &ties->aliases[tied->alias]);
	for (const struct lifetime_gap *g; (g = next_gap(ties, tied));) {
		gap(sink, p, g, before);
		before = ", ";
	}
	if (before[2] == '\0')
		mp_sink_text(sink, "]");
}

static void gap_in_cell(struct sink *sink, const struct problem *p,
	const struct lifetime_gap *g, const char *before)
{
	mp_sink_text(sink, before);
	mp_sink_i64(sink, mp_problem_time(p, g->start));
	mp_sink_text(sink, "-");
	mp_sink_i64(sink, mp_problem_time(p, g->end));
	if (g->low == g->high)
		return;
	mp_sink_text(sink, "@");
	mp_sink_u64(sink, g->low);
	mp_sink_text(sink, ":");
	mp_sink_u64(sink, g->high);
}

void mp_emit_gaps_cell(
	struct sink *sink, const struct problem *p, struct tied *tied)
{
	const struct ties *ties = &p->ties;
	const char *before = "";

	mp_sink_text(sink, ",");
	for (const struct lifetime_gap *g; (g = next_gap(ties, tied));) {
		gap_in_cell(sink, p, g, before);
		before = " ";
	}
}

const uint8_t *mp_emit_tied_roles(const struct problem *p, struct arena *arena)
{
	uint8_t *roles = NEW(arena, uint8_t, p->n_items);

	for (uint32_t i = 0; roles && i < p->ties.n_aliases; i++) {
		roles[p->ties.aliases[i].root] = TIED_ROOT;
		roles[p->ties.aliases[i].tensor] = TIED_ALIAS;
	}
	return roles;
}

/* ----------------------------------------------------------- groups */

static void members(struct sink *sink, const struct problem *p,
	const struct tensor_group *g)
{
	mp_sink_text(sink, "{\"members\": [");
	for (uint32_t i = 0; i < g->members.n; i++) {
		mp_sink_text(sink, i > 0 ? ", " : "");
		mp_emit_json_id(sink, &p->items[g->members.at[i]]);
	}
	mp_sink_text(sink, "]");
}

static void group(struct sink *sink, const struct problem *p,
	const struct tensor_group *g)
{
	members(sink, p, g);
	if (g->name)
		mp_emit_json_text(sink, ", ", "name", g->name);
	if (g->before)
		mp_emit_json_number(sink, ", ", "before", g->before);
	if (g->after)
		mp_emit_json_number(sink, ", ", "after", g->after);
	mp_sink_text(sink, "}");
}

void mp_emit_groups_emit(struct sink *sink, const struct problem *p)
{
	if (p->ties.n_groups == 0)
		return;
	mp_emit_json_key(sink, JSON_LINE, "groups");
	mp_sink_text(sink, "[");
	for (uint32_t i = 0; i < p->ties.n_groups; i++) {
		mp_sink_text(sink, i > 0 ? ",\n    " : "\n    ");
		group(sink, p, &p->ties.groups[i]);
	}
	mp_sink_text(sink, "\n  ]");
}

/* -------------------------------------------------------- relations */

static bool is_listed(const struct problem *p, const struct tensor_pair *pair)
{
	return !p->items[pair->a].external && !p->items[pair->b].external;
}

static void apart(struct sink *sink, const struct problem *p)
{
	const char *before = "[[";

	for (uint32_t i = 0; i < p->ties.n_apart; i++) {
		if (!is_listed(p, &p->ties.apart[i]))
			continue;
		if (before[1] == '[')
			mp_emit_json_key(sink, JSON_LINE, "apart");
		mp_sink_text(sink, before);
		mp_emit_json_id(sink, &p->items[p->ties.apart[i].a]);
		mp_sink_text(sink, ", ");
		mp_emit_json_id(sink, &p->items[p->ties.apart[i].b]);
		mp_sink_text(sink, "]");
		before = ", [";
	}
	if (before[0] == ',')
		mp_sink_text(sink, "]");
}

static void reserved(struct sink *sink, const struct problem *p)
{
	if (p->ties.n_reserved == 0)
		return;
	mp_emit_json_key(sink, JSON_LINE, "reserved");
	for (uint32_t i = 0; i < p->ties.n_reserved; i++) {
		const struct reserved_range *range = &p->ties.reserved[i];

		mp_sink_text(sink, i > 0 ? ", " : "[");
		mp_emit_json_number(sink, "{", "offset", range->offset);
		mp_emit_json_number(sink, ", ", "size", range->size);
		if (range->name)
			mp_emit_json_text(sink, ", ", "name", range->name);
		if (p->pools)
			mp_emit_json_text(sink, ", ", "pool",
				p->pools[mp_graph_ties_pool(
						 p->pool_lists, range)]
					.name);
		mp_sink_text(sink, "}");
	}
	mp_sink_text(sink, "]");
}

static bool counts(const struct item *item)
{
	return !item->external && !mp_problem_item_outlives(item);
}

/* The first member from there on that can share bytes with other branches. */
static uint32_t listed(const struct problem *p, uint32_t at)
{
	while (at < p->ties.n_branches &&
		!counts(&p->items[p->ties.branches[at].tensor]))
		at++;
	return at;
}

static uint32_t branch(struct sink *sink, const struct problem *p,
	uint32_t choice, uint32_t number, uint32_t at)
{
	const struct tensor_branch *members = p->ties.branches;
	const char *before = "";

	for (; at < p->ties.n_branches && members[at].choice == choice &&
		members[at].branch == number;
		at = listed(p, at + 1)) {
		mp_sink_text(sink, before);
		mp_emit_json_id(sink, &p->items[members[at].tensor]);
		before = ", ";
	}
	return at;
}

/* Members ascend by choice and branch; either may have none. */
static void exclusive(struct sink *sink, const struct problem *p)
{
	const struct ties *ties = &p->ties;
	uint32_t at = listed(p, 0);

	if (at == ties->n_branches)
		return;
	mp_emit_json_key(sink, JSON_LINE, "exclusive");
	for (uint32_t c = 0; at < ties->n_branches; c++) {
		mp_sink_text(sink, c > 0 ? ",\n    [" : "[\n    [");
		for (uint32_t k = 0;
			k < 2 || (at < ties->n_branches &&
					 ties->branches[at].choice == c);
			k++) {
			mp_sink_text(sink, k > 0 ? ", [" : "[");
			at = branch(sink, p, c, k, at);
			mp_sink_text(sink, "]");
		}
		mp_sink_text(sink, "]");
	}
	mp_sink_text(sink, "\n  ]");
}

void mp_emit_relations_emit(struct sink *sink, const struct problem *p)
{
	apart(sink, p);
	reserved(sink, p);
	exclusive(sink, p);
}

/* ---------------------------------------------------------- changes */

static void change(
	const struct problem *p, bool *changes, uint32_t item, uint32_t writer)
{
	if (p->items[item].end > p->items[writer].start + 1)
		changes[item] = true;
}

const bool *mp_emit_tied_changes(const struct problem *p, struct arena *arena)
{
	bool *changes = NEW(arena, bool, p->n_items);

	for (uint32_t i = 0; changes && i < p->ties.n_aliases; i++) {
		const struct tensor_alias *a = &p->ties.aliases[i];

		if (!a->writes)
			continue;
		change(p, changes, a->of, a->tensor);
		change(p, changes, a->root, a->tensor);
	}
	for (uint32_t i = 0; changes && i < p->ties.n_gaps; i++)
		changes[p->ties.gaps[i].tensor] = true;
	return changes;
}

/* ---------------------------------------------------------- keepers */

bool mp_emit_tied_covers(const struct problem *p, const struct item *item,
	const struct part *part)
{
	uint64_t end = item->base + item->size + p->margins.padding;

	return (item->base & ~(p->alignment - 1)) <= part->base &&
	       num_up(end, p->alignment) >= part->base + part->size;
}

static bool keeps(const struct problem *p, const struct part *part,
	const struct item *item)
{
	return mp_emit_tied_covers(p, item, part) && item->start < part->end &&
	       part->end <= item->end;
}

static void keep(const struct problem *p, uint32_t *keepers, uint32_t i)
{
	const struct item *items = p->items;
	const struct buffer *buffer;

	if (items[i].buffer == NONE)
		return;
	buffer = &p->buffers[items[i].buffer];
	for (uint32_t k = buffer->first_part;
		k < buffer->first_part + buffer->n_parts; k++)
		if (keeps(p, &p->parts[k], &items[i]) &&
			(keepers[k] == NONE ||
				items[i].size < items[keepers[k]].size))
			keepers[k] = i;
}

const uint32_t *mp_emit_tied_keepers(
	const struct problem *p, struct arena *arena)
{
	uint32_t *keepers = NEW(arena, uint32_t, p->n_parts);
	const uint8_t *roles = mp_emit_tied_roles(p, arena);

	if (!keepers || !roles)
		return NULL;
	for (uint32_t k = 0; k < p->n_parts; k++)
		keepers[k] = NONE;
	for (uint32_t i = 0; i < p->n_items; i++)
		if (roles[i] != TIED_NOT)
			keep(p, keepers, i);
	for (uint32_t i = 0; i < p->ties.n_gaps; i++)
		keep(p, keepers, p->ties.gaps[i].tensor);
	return keepers;
}

bool mp_emit_tied_by_parts(const struct problem *p, const uint32_t *keepers,
	const struct item *item)
{
	return item->buffer != NONE &&
	       keepers[p->buffers[item->buffer].first_part] != NONE;
}
