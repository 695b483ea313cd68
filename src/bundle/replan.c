/*
 * From joined plans to one problem in which they are placed anew.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "bundle/inside.h"

/* What becomes a buffer. */
struct new_buffer {
	uint64_t low;	/* where its first byte is in the whole */
	uint64_t align; /* a power of two */
	uint64_t off;	/* if fixed: what to add to get to its fixed place */
	uint32_t n_parts;
	bool fixed;
	bool solid; /* what a graph keeps between its runs, or several do */
};

struct work {
	struct replan *replan;
	struct problem *problem; /* that of the replan */
	const struct layout *layout;
	const struct problem *whole; /* that of the joined graph */
	struct new_buffer *made;     /* the buffers of the new problem */
	uint32_t n_new;
	const uint32_t *set_of; /* of a tensor of the whole: what it is named
				   in; NONE: nothing */
	uint32_t *set_buffer;	/* of a set: its new buffer; NONE: none yet */
	bool *in_set; /* of a buffer of the whole: its new buffer is a set's */
	uint32_t *part_of; /* place among the new parts */
	struct arena *arena, *scratch;
	struct error *error;
};

/* ---------------------------------------------------------- numbers */

/* The new buffers of one graph, as far as they have numbers. */
struct numbers {
	const uint32_t
		*root; /* of a buffer of its plan: the one that it goes with */
	uint32_t *of;  /* of a root */
	uint32_t kept;
};

/* A plan's offsets say where its tensors lie; those of a graph, where they
 * must. */
static bool is_fixed(const struct joined *member, uint32_t buffer)
{
	return !member->from_plan &&
	       member->plan->problem->buffers[buffer].offset != NO_OFFSET;
}

/* What is kept and fixed lies by itself, the rest of it is one piece; in
 * several memories it may have to be in several. */
static bool is_solid(const struct joined *member, uint32_t buffer)
{
	return member->is_kept[buffer] && !is_fixed(member, buffer) &&
	       !member->plan->problem->pools;
}

static void number_tensor(struct work *w, const struct joined *member,
	uint32_t i, struct numbers *numbers)
{
	const struct problem *p = member->plan->problem;
	uint32_t from = member->plan->schedule->stay[i].buffer, *number, whole;
	struct new_buffer *new;

	if (from == NONE)
		return;
	whole = w->replan->whole->stay[member->tensor[i]].buffer;
	if (w->in_set[whole])
		return;
	number = is_solid(member, from) ? &numbers->kept
					: &numbers->of[numbers->root[from]];
	if (*number == NONE)
		*number = w->n_new++;
	w->replan->buffer[whole] = *number;
	new = &w->made[*number];
	new->solid = is_solid(member, from);
	new->fixed = is_fixed(member, from);
	if (new->fixed)
		new->off = p->buffers[from].offset -
			   mp_bundle_joined_offset(member, from);
}

/* ------------------------------------------------------------- sets */

static bool name_sets(struct work *w)
{
	const struct layout *layout = w->layout;
	uint32_t n = layout->graph.n_tensors, *set_of;

	set_of = NEW(w->scratch, uint32_t, n);
	w->set_of = set_of;
	w->set_buffer = NEW(w->scratch, uint32_t, layout->n_same);
	w->in_set = NEW(w->scratch, bool, w->whole->n_buffers);
	if (!set_of || !w->set_buffer || !w->in_set)
		return false;
	for (uint32_t t = 0; t < n; t++)
		set_of[t] = NONE;
	for (uint32_t i = 0; i < layout->n_same; i++) {
		w->set_buffer[i] = NONE;
		for (uint32_t k = 0; k < layout->same[i].n; k++)
			set_of[layout->same[i].at[k]] = i;
	}
	return true;
}

static bool refuse_set(struct work *w, const struct joined *member, uint32_t t,
	const char *why)
{
	return mp_fail(w->error, MEMPLAN_EUSAGE,
		"%s: tensor '%.80s' cannot have the same offset in all graphs: "
		"%s",
		member->place,
		mp_graph_tensor_label(
			&member->plan->schedule->graph->tensors[t]),
		why);
}

/* The bytes of a graph that the named tensor of it was planned in place with,
 * or itself only, begin where it does. */
static bool add_to_set(struct work *w, const struct joined *member, uint32_t t,
	uint32_t from, uint32_t named)
{
	const struct schedule *whole = w->replan->whole;
	uint32_t number = w->set_buffer[w->set_of[member->tensor[named]]];
	uint32_t at = whole->stay[member->tensor[t]].buffer;
	const struct stay *anchor = &whole->stay[member->tensor[named]];
	uint64_t first = whole->problem.buffers[anchor->buffer].offset;
	const struct buffer *buffer = &whole->problem.buffers[at];
	struct new_buffer *made = &w->made[number];
	uint64_t fixed;

	if (w->in_set[at])
		return w->replan->buffer[at] == number ||
		       refuse_set(w, member, named,
			       "another named tensor is in place with it in "
			       "one graph and not in another");
	if (anchor->base > 0 || buffer->offset < first ||
		((buffer->offset - first) & (buffer->align - 1)) > 0)
		return refuse_set(w, member, named,
			"it does not lie at the first byte of its buffer");
	w->in_set[at] = true;
	w->replan->buffer[at] = number;
	w->replan->base[at] = buffer->offset - first;
	made->solid |= member->is_kept[from];
	if (!is_fixed(member, from))
		return true;
	fixed = member->plan->problem->buffers[from].offset -
		w->replan->base[at];
	if (made->fixed && made->off != fixed)
		return refuse_set(w, member, named,
			"what it is in place with is fixed elsewhere");
	made->fixed = true;
	made->off = fixed;
	return true;
}

/* Of a state only itself and its views, which are one buffer of the whole: its
 * graph may keep others beside it. */
static bool add_member_to_set(struct work *w, const struct joined *member,
	const uint32_t *root, uint32_t named)
{
	const struct schedule *s = member->plan->schedule;
	const struct stay *whole = w->replan->whole->stay;
	uint32_t from = s->stay[named].buffer;

	for (uint32_t t = 0; t < s->graph->n_tensors; t++) {
		uint32_t buffer = s->stay[t].buffer;

		if (buffer == NONE ||
			(member->is_kept[from]
					? whole[member->tensor[t]].buffer !=
						  whole[member->tensor[named]]
							  .buffer
					: root[buffer] != root[from]))
			continue;
		if (!add_to_set(w, member, t, buffer, named))
			return false;
	}
	return true;
}

static bool number_sets(struct work *w, const struct joined *member)
{
	const uint32_t *root = mp_bundle_joined_roots(member, w->scratch);
	uint32_t n = member->plan->schedule->graph->n_tensors;

	if (!root)
		return false;
	for (uint32_t t = 0; t < n; t++) {
		uint32_t set = member->tensor[t] == NONE
				       ? NONE
				       : w->set_of[member->tensor[t]];

		if (set == NONE)
			continue;
		if (w->set_buffer[set] == NONE)
			w->set_buffer[set] = w->n_new++;
		if (!add_member_to_set(w, member, root, t))
			return false;
	}
	return true;
}

static bool number_member(struct work *w, const struct joined *member)
{
	const struct problem *p = member->plan->problem;
	struct numbers numbers = {
		.root = mp_bundle_joined_roots(member, w->scratch),
		.kept = NONE};
	uint32_t n_solid = 0;

	numbers.of = NEW(w->scratch, uint32_t, p->n_buffers);
	if (!numbers.root || !numbers.of)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		numbers.of[i] = NONE;
		n_solid += is_solid(member, i);
	}
	for (uint32_t t = 0; t < member->plan->schedule->graph->n_tensors; t++)
		number_tensor(w, member, t, &numbers);
	w->replan->exact &= !member->from_plan && n_solid <= 1;
	return true;
}

static void measure(struct work *w)
{
	const struct problem *whole = w->whole;

	for (uint32_t i = 0; i < w->n_new; i++)
		w->made[i].low = UINT64_MAX;
	for (uint32_t i = 0; i < whole->n_buffers; i++) {
		const struct buffer *buffer = &whole->buffers[i];
		struct new_buffer *new = &w->made[w->replan->buffer[i]];

		new->low = w->in_set[i] ? 0 : num_min(new->low, buffer->offset);
		new->align = num_max(new->align, buffer->align);
		new->n_parts += buffer->n_parts;
	}
	for (uint32_t i = 0; i < w->n_new; i++) {
		struct new_buffer *new = &w->made[i];

		new->low &= ~(new->align - 1);
		if (new->solid)
			new->n_parts = 1;
	}
}

/* Reserved ranges come last, each a buffer of its own. */
static bool number(struct work *w)
{
	uint32_t n = w->whole->n_buffers;

	w->made = NEW(w->scratch, struct new_buffer, n);
	w->replan->buffer = NEW(w->arena, uint32_t, n);
	w->replan->base = NEW(w->arena, uint64_t, n);
	if (!w->made || !w->replan->buffer || !w->replan->base || !name_sets(w))
		return false;
	for (uint32_t i = 0; w->layout->n_same > 0 && i < w->layout->n; i++)
		if (!number_sets(w, &w->layout->members[i]))
			return false;
	for (uint32_t i = 0; i < w->layout->n; i++)
		if (!number_member(w, &w->layout->members[i]))
			return false;
	w->problem->first_reserved = w->n_new;
	for (uint32_t i = w->whole->first_reserved; i < n; i++) {
		w->made[w->n_new].fixed = true;
		w->replan->buffer[i] = w->n_new++;
	}
	measure(w);
	for (uint32_t i = 0; i < n; i++) {
		assert(w->replan->buffer[i] < w->n_new);
		if (w->in_set[i])
			continue;
		w->replan->base[i] = w->whole->buffers[i].offset -
				     w->made[w->replan->buffer[i]].low;
	}
	return true;
}

/* ---------------------------------------------------------- buffers */

static bool make_buffers(struct work *w)
{
	struct problem *p = w->problem;

	p->n_buffers = w->n_new;
	p->n_parts = 0;
	p->buffers = NEW(w->arena, struct buffer, p->n_buffers);
	for (uint32_t i = 0; p->buffers && i < p->n_buffers; i++) {
		const struct new_buffer *new = &w->made[i];

		p->buffers[i] = (struct buffer){0, new->align,
			new->fixed ? new->low + new->off : NO_OFFSET, NONE, 0,
			p->n_parts, 0};
		p->n_parts += new->n_parts;
	}
	p->parts = NEW(w->arena, struct part, p->n_parts);
	w->part_of = NEW(w->scratch, uint32_t, w->whole->n_parts);
	return p->buffers && p->parts && w->part_of;
}

/* What is kept is solid, so that it can be saved as a whole: no other tensor
 * gets the bytes between two of its tensors, nor those of a gap in a lifetime.
 */
static void add_part(struct work *w, uint32_t i)
{
	struct problem *p = w->problem;
	struct part part = w->whole->parts[i];
	uint32_t number = w->replan->buffer[part.buffer];
	struct buffer *buffer = &p->buffers[number];
	bool solid = w->made[number].solid;

	part.base += w->replan->base[part.buffer];
	part.buffer = number;
	buffer->n_parts += !solid || buffer->n_parts == 0;
	w->part_of[i] = buffer->first_part + buffer->n_parts - 1;
	buffer->size = num_max(buffer->size, part.base + part.size);
	buffer->start = (uint32_t)num_min(buffer->start, part.start);
	buffer->end = (uint32_t)num_max(buffer->end, part.end);
	if (solid)
		part = (struct part){0, buffer->size, 0, p->n_steps, number};
	assert(w->part_of[i] < p->n_parts);
	p->parts[w->part_of[i]] = part;
}

/* A solid part is there before all ops, and for as long as any of it. */
static void spread_part(struct work *w, uint32_t i, uint32_t *stream,
	uint32_t *born, uint32_t *free)
{
	const struct problem *whole = w->whole;
	uint32_t at = w->part_of[i], n = whole->n_streams;
	bool solid = w->made[w->problem->parts[at].buffer].solid;

	stream[at] = solid ? 0 : whole->stream[i];
	born[at] = solid ? 0 : whole->born[i];
	for (uint32_t k = 0; k < n; k++) {
		uint32_t from = whole->free[(size_t)i * n + k];

		if (free[(size_t)at * n + k] < from)
			free[(size_t)at * n + k] = from;
	}
}

static bool spread_streams(struct work *w)
{
	struct problem *p = w->problem;
	size_t n = p->n_streams;
	uint32_t *stream, *born, *free;

	if (n <= 1)
		return true;
	stream = NEW(w->arena, uint32_t, p->n_parts);
	born = NEW(w->arena, uint32_t, p->n_parts);
	free = NEW(w->arena, uint32_t, p->n_parts * n);
	if (!stream || !born || !free)
		return false;
	for (uint32_t i = 0; i < w->whole->n_parts; i++)
		spread_part(w, i, stream, born, free);
	p->stream = stream;
	p->born = born;
	p->free = free;
	return true;
}

/* -------------------------------------------------------- relations */

/* A new buffer is of a branch if all of it is. */
static bool choose(struct work *w)
{
	const struct problem *whole = w->whole;
	struct choice_site site;
	uint32_t *choice, *branch;
	bool *seen;

	if (!whole->choice)
		return true;
	choice = NEW(w->arena, uint32_t, w->n_new);
	branch = NEW(w->arena, uint32_t, w->n_new);
	seen = NEW(w->scratch, bool, w->n_new);
	if (!choice || !branch || !seen)
		return false;
	for (uint32_t i = 0; i < whole->n_buffers; i++) {
		uint32_t new = w->replan->buffer[i];

		site = (struct choice_site){whole->choice[i], whole->branch[i]};
		if (seen[new])
			site = mp_problem_common(whole, site,
				(struct choice_site){choice[new], branch[new]});
		choice[new] = site.choice;
		branch[new] = site.branch;
		seen[new] = true;
	}
	w->problem->choice = choice;
	w->problem->branch = branch;
	return true;
}

static bool list_pools(struct work *w)
{
	const struct problem *whole = w->whole;
	uint16_t *list;

	if (!whole->pools)
		return true;
	list = NEW(w->arena, uint16_t, w->n_new);
	for (uint32_t i = 0; list && i < whole->n_buffers; i++)
		list[w->replan->buffer[i]] = whole->pool_list[i];
	w->problem->pool_list = list;
	return list != NULL;
}

static bool move_tensors(struct work *w)
{
	const struct schedule *whole = w->replan->whole;
	uint32_t n = whole->graph->n_tensors;
	struct stay *stay = NEW(w->arena, struct stay, n);

	for (uint32_t t = 0; stay && t < n; t++) {
		stay[t] = whole->stay[t];
		if (stay[t].buffer == NONE)
			continue;
		stay[t].base += w->replan->base[stay[t].buffer];
		stay[t].buffer = w->replan->buffer[stay[t].buffer];
	}
	w->replan->schedule->stay = stay;
	return stay != NULL;
}

/* ------------------------------------------------------------ stage */

static bool fill(struct work *w)
{
	struct problem *p = w->problem;

	p->choice = p->branch = p->antichain = NULL;
	p->n_antichain = 0;
	p->costs = p->bank_costs = NULL;
	p->n_costs = p->n_bank_costs = 0;
	if (!number(w) || !make_buffers(w))
		return false;
	for (uint32_t i = 0; i < w->whole->n_parts; i++)
		add_part(w, i);
	if (!spread_streams(w) ||
		!mp_problem_take_apart(
			p, w->whole, w->replan->buffer, w->arena, w->scratch) ||
		!choose(w) || !list_pools(w) || !move_tensors(w) ||
		!mp_problem_measure(p, w->arena, w->error))
		return false;
	/* What graphs keep together counts once. */
	if (w->layout->n_same == 0)
		p->theoretical_min =
			num_max(p->theoretical_min, w->whole->theoretical_min);
	mp_schedule_assert(w->replan->schedule);
	return true;
}

bool mp_bundle_replan_fill(struct replan *replan, const struct layout *layout,
	const struct schedule *whole, struct arena *arena, struct error *e)
{
	struct arena scratch = mp_arena_beside(arena);
	struct work w = {.replan = replan,
		.layout = layout,
		.whole = &whole->problem,
		.arena = arena,
		.scratch = &scratch,
		.error = e};
	bool filled = false;

	*replan = (struct replan){.whole = whole,
		.schedule = NEW(arena, struct schedule, 1),
		.exact = true};
	if (replan->schedule) {
		*replan->schedule = *whole;
		replan->schedule->problem.schedule = replan->schedule;
		w.problem = &replan->schedule->problem;
		filled = fill(&w);
	}
	mp_arena_free(&scratch);
	return filled;
}

bool mp_bundle_replan_settle(const struct replan *replan,
	const uint64_t *offsets, const struct spaces *spaces,
	struct graph *graph, struct arena *arena)
{
	assert(graph->n_tensors == replan->whole->graph->n_tensors);
	for (uint32_t t = 0; t < graph->n_tensors; t++) {
		const struct stay *stay = &replan->whole->stay[t];

		if (stay->buffer != NONE)
			graph->tensors[t].offset =
				offsets[replan->buffer[stay->buffer]] +
				replan->base[stay->buffer] + stay->base;
	}
	return !spaces->at ||
	       mp_bundle_pools_settle(replan, spaces, graph, arena);
}
