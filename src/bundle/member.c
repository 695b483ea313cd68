/*
 * A graph of a bundle, taken out of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "base/names.h"
#include "bundle/bundle.h"

const char *mp_bundle_name(const char *name, struct arena *arena)
{
	char *copy = mp_arena_text(arena, name, strlen(name));

	for (char *c = copy; c && *c; c++)
		if (*c == '/')
			*c = '.';
	return copy;
}

static bool find(const struct graph *bundle, const char *name, uint32_t *member,
	struct arena *arena, struct error *e)
{
	const char *wanted = mp_bundle_name(name, arena);

	if (!wanted)
		return false;
	for (*member = 0; *member < bundle->bundle.n; ++*member)
		if (strcmp(bundle->bundle.members[*member].name, wanted) == 0)
			return true;
	return mp_fail(e, MEMPLAN_NO,
		"%s: none of its graphs is called '%.80s'; the option name "
		"says which one it is",
		bundle->place, wanted);
}

static const char *own_id(const char *id, const char *member)
{
	size_t length = strlen(member);

	if (!id || strncmp(id, member, length) != 0 || id[length] != '/')
		return id;
	return id + length + 1;
}

/* Where the ops or tensors of a member stand among those of the bundle. */
struct section {
	uint32_t first, n;
};

/* Those of the list that are the member's, by its own numbers. */
static bool take_ids(
	const struct section *of, struct ids *list, struct arena *arena)
{
	uint32_t *at = NEW(arena, uint32_t, list->n), n = 0;

	for (uint32_t i = 0; at && i < list->n; i++)
		if (list->at[i] - of->first < of->n)
			at[n++] = list->at[i] - of->first;
	*list = (struct ids){at, n};
	return at != NULL;
}

static bool take_tensors(const struct graph *bundle, const char *name,
	uint32_t first, const struct section *ops, struct graph *member,
	struct arena *arena)
{
	struct tensor *tensors = NEW(arena, struct tensor, member->n_tensors);
	struct ids *readers = NEW(arena, struct ids, member->n_tensors);

	if (!tensors || !readers)
		return false;
	for (uint32_t i = 0; i < member->n_tensors; i++) {
		tensors[i] = bundle->tensors[first + i];
		tensors[i].id = own_id(tensors[i].id, name);
		tensors[i].name = own_id(tensors[i].name, name);
		readers[i] =
			mp_graph_readers(bundle, &bundle->tensors[first + i]);
		if (!take_ids(ops, &readers[i], arena))
			return false;
	}
	member->tensors = tensors;
	member->readers = readers;
	return true;
}

/* What they are called, read and write, and on which stream of the member. */
static bool take_ops(const struct graph *bundle, const char *name,
	uint32_t first, const struct section *tensors, struct graph *member,
	struct arena *arena)
{
	struct op *ops = NEW(arena, struct op, member->n_ops);
	uint32_t stream = UINT32_MAX;

	if (!ops)
		return false;
	for (uint32_t i = 0; i < member->n_ops; i++)
		if (stream > bundle->ops[first + i].stream)
			stream = bundle->ops[first + i].stream;
	for (uint32_t i = 0; i < member->n_ops; i++) {
		const struct op *from = &bundle->ops[first + i];

		ops[i] = (struct op){.name = own_id(from->name, name),
			.type = from->type,
			.inputs = from->inputs,
			.outputs = from->outputs,
			.temporaries = from->temporaries,
			.stream = from->stream - stream};
		if (!take_ids(tensors, &ops[i].inputs, arena) ||
			!take_ids(tensors, &ops[i].outputs, arena) ||
			!take_ids(tensors, &ops[i].temporaries, arena))
			return false;
	}
	member->ops = ops;
	return true;
}

/* The order of its ops among themselves. */
static bool take_order(const struct graph *bundle, uint32_t first,
	struct graph *member, struct arena *arena)
{
	const struct ids *all = &bundle->claims.ops;
	uint32_t *ops = NEW(arena, uint32_t, member->n_ops), n = 0;

	if (!ops)
		return false;
	for (uint32_t i = 0; i < all->n && n < member->n_ops; i++)
		if (all->at[i] - first < member->n_ops)
			ops[n++] = all->at[i] - first;
	member->claims.order = bundle->claims.order;
	member->claims.ops = (struct ids){ops, n};
	return true;
}

bool mp_bundle_member(const struct graph *bundle, const char *name,
	struct graph *member, struct arena *arena, struct error *e)
{
	const struct bundle_member *members = bundle->bundle.members;
	uint32_t found, first_tensor = 0, first_op = 0;
	struct section ops, tensors;

	if (!find(bundle, name, &found, arena, e))
		return false;
	for (uint32_t i = 0; i < found; i++) {
		first_tensor += members[i].n_tensors;
		first_op += members[i].n_ops;
	}
	assert(first_tensor + members[found].n_tensors <= bundle->n_tensors);
	assert(first_op + members[found].n_ops <= bundle->n_ops);
	*member = (struct graph){.name = members[found].name,
		.place = bundle->place,
		.alignment = bundle->alignment,
		.margins = bundle->margins,
		.pools = bundle->pools,
		.n_pools = bundle->n_pools,
		.pool_lists = bundle->pool_lists,
		.n_tensors = members[found].n_tensors,
		.n_ops = members[found].n_ops};
	ops = (struct section){first_op, member->n_ops};
	tensors = (struct section){first_tensor, member->n_tensors};
	return take_tensors(bundle, member->name, first_tensor, &ops, member,
		       arena) &&
	       take_ops(bundle, member->name, first_op, &tensors, member,
		       arena) &&
	       take_order(bundle, first_op, member, arena);
}

bool mp_bundle_check_kept(const struct graph *bundle,
	const struct graph *member, const struct schedule *schedule,
	struct arena *arena, struct error *e)
{
	struct names names;

	if (!mp_graph_ids(member, &names, arena))
		return false;
	for (uint32_t i = 0; i < schedule->graph->n_tensors; i++) {
		const struct tensor *tensor = &schedule->graph->tensors[i];
		uint32_t t;

		if (!tensor->id || !mp_schedule_is_kept(schedule, i))
			continue;
		t = mp_names_find(&names, tensor->id);
		if (t == NONE || member->tensors[t].start > 0 ||
			member->tensors[t].end != bundle->n_ops)
			return mp_fail(e, MEMPLAN_NO,
				"%s: tensor '%.80s' of '%.80s' is kept between "
				"its runs, but not alive throughout",
				bundle->place, mp_graph_tensor_label(tensor),
				member->name);
	}
	return true;
}
