/*
 * Aliases: tensors that are bytes of other tensors. The base of an alias may be
 * an alias itself, so roots are resolved after all aliases are read.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "input/document/build.h"

struct aliases {
	struct build *b;
	struct tensor_alias *at;
	struct json_at tensors;
	uint8_t *state; /* of an alias: enum state */
};

enum state {
	UNSEEN,
	OPEN, /* on the chain that is being resolved */
	RESOLVED,
};

/* In alias_of[]: the tensor is no alias, but has some. */
#define HAS_ALIASES (NONE - 1)

bool mp_input_build_is_alias(const struct build *b, uint32_t tensor)
{
	return b->alias_of && b->alias_of[tensor] != NONE;
}

/* ------------------------------------------------------------- read */

static const struct json_key alias_keys[] = {
	{"of", true},
	{"offset", false},
	{"writes", false},
};

static bool check_range(const struct build *b, const struct json_at *at,
	const struct tensor_alias *alias)
{
	const struct tensor *tensor = &b->graph->tensors[alias->tensor];
	const struct tensor *of = &b->graph->tensors[alias->of];

	if (tensor->size > of->size || alias->offset > of->size - tensor->size)
		return mp_json_fail(at,
			"bytes [%llu, %llu) of tensor '%.60s' are not all "
			"there: it has %llu",
			(unsigned long long)alias->offset,
			(unsigned long long)(alias->offset + tensor->size),
			mp_input_build_label(b, alias->of),
			(unsigned long long)of->size);
	return true;
}

static bool read_alias(struct build *b, const struct json_at *at,
	uint32_t tensor, struct tensor_alias *alias)
{
	struct json_at found[countof(alias_keys)];

	alias->tensor = tensor;
	if (!mp_json_pick(at, alias_keys, countof(alias_keys), found) ||
		!mp_input_refs_find(b, &found[0], &alias->of) ||
		!mp_json_integer(&found[1], &alias->offset) ||
		!mp_json_bool(&found[2], &alias->writes) ||
		!check_range(b, at, alias))
		return false;
	if (alias->writes && !b->writer[tensor])
		return mp_json_fail(at,
			"tensor '%.60s' has no op that produces it, so nothing "
			"writes",
			mp_input_build_label(b, tensor));
	return true;
}

static bool read_all(struct aliases *a)
{
	struct build *b = a->b;
	struct json_at tensor = mp_json_first(&a->tensors), at;
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->n_listed; i++, mp_json_next(&tensor)) {
		at = mp_json_find(&tensor, "alias");
		if (!at.value)
			continue;
		assert(n < b->n_aliases);
		if (!read_alias(b, &at, i, &a->at[n]))
			return false;
		b->alias_of[i] = n++;
	}
	for (uint32_t i = 0; i < n; i++)
		if (b->alias_of[a->at[i].of] == NONE)
			b->alias_of[a->at[i].of] = HAS_ALIASES;
	return true;
}

/* ---------------------------------------------------------- resolve */

static bool is_alias(const struct aliases *a, uint32_t tensor)
{
	return a->b->alias_of[tensor] != NONE &&
	       a->b->alias_of[tensor] != HAS_ALIASES;
}

/* Fails at the entry of the alias in the list of tensors. */
static bool fail_at(
	const struct aliases *a, uint32_t alias, const char *sentence)
{
	const struct tensor_alias *at = &a->at[alias];
	struct json_at tensor = mp_json_first(&a->tensors);

	for (uint32_t i = 0; i < at->tensor; i++)
		mp_json_next(&tensor);
	return mp_json_fail(&tensor, "tensor '%.60s', alias of '%.60s', %s",
		mp_input_build_label(a->b, at->tensor),
		mp_input_build_label(a->b, at->of), sentence);
}

/* Walks up to the root or to a resolved alias, then resolves the chain. */
static bool resolve_alias(struct aliases *a, uint32_t alias)
{
	uint32_t *way = a->b->list, n = 0;

	for (;;) {
		if (a->state[alias] == OPEN)
			return fail_at(a, alias, "is in the end its own alias");
		if (a->state[alias] == RESOLVED)
			break;
		a->state[alias] = OPEN;
		way[n++] = alias;
		if (!is_alias(a, a->at[alias].of))
			break;
		alias = a->b->alias_of[a->at[alias].of];
	}
	while (n > 0) {
		struct tensor_alias *at = &a->at[way[--n]];
		const struct tensor_alias *up = NULL;

		assert(a->state[way[n]] == OPEN);
		if (is_alias(a, at->of))
			up = &a->at[a->b->alias_of[at->of]];
		at->root = up ? up->root : at->of;
		at->base = at->offset + (up ? up->base : 0);
		a->state[way[n]] = RESOLVED;
	}
	return true;
}

/* An alias is external if its root is; its bytes must be aligned. */
static bool finish_alias(struct aliases *a, uint32_t alias)
{
	struct build *b = a->b;
	const struct tensor_alias *at = &a->at[alias];
	struct tensor *tensor = &b->graph->tensors[at->tensor];
	const struct tensor *root = &b->graph->tensors[at->root];
	uint64_t align = num_max(tensor->align, 1);

	assert(at->base <= root->size && tensor->size <= root->size - at->base);
	if (tensor->external && !root->external && tensor->kind != KIND_WEIGHT)
		return fail_at(a, alias,
			"cannot be external: those bytes are in the arena");
	tensor->external = root->external;
	if (at->base % align != 0)
		return fail_at(a, alias,
			"begins at a byte that its alignment does not allow");
	return true;
}

static bool check_gaps(const struct aliases *a)
{
	const struct build *b = a->b;
	uint32_t alias;

	for (uint32_t i = 0; i < b->gaps.n; i++) {
		uint32_t t = b->gaps.at[i].tensor;

		alias = b->alias_of[t];
		if (alias == NONE)
			continue;
		if (is_alias(a, t))
			return fail_at(
				a, alias, "cannot have a lifetime with gaps");
		for (alias = 0; a->at[alias].of != t;)
			alias++;
		return fail_at(a, alias,
			"cannot be one of a tensor with gaps in its lifetime");
	}
	return true;
}

bool mp_input_build_aliases(struct build *b, const struct json_at *tensors)
{
	struct aliases a = {.b = b, .tensors = *tensors};
	uint32_t n = b->n_aliases;

	if (n == 0)
		return true;
	a.at = NEW(b->arena, struct tensor_alias, n);
	a.state = NEW(b->arena, uint8_t, n);
	b->alias_of = NEW(b->arena, uint32_t, b->n_listed);
	if (!a.at || !a.state || !b->alias_of)
		return false;
	memset(b->alias_of, 0xff, sizeof(*b->alias_of) * b->n_listed);
	if (!read_all(&a))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!resolve_alias(&a, i))
			return false;
	for (uint32_t i = 0; i < n; i++)
		if (!finish_alias(&a, i))
			return false;
	b->graph->ties.aliases = a.at;
	b->graph->ties.n_aliases = n;
	return check_gaps(&a);
}
