/*
 * Instructions of a program of ExecuTorch become ops, one after the other. They
 * do not say what they read and what they write, so a tensor lives from the
 * first to the last one that names it; within a jump, throughout.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "base/num.h"
#include "input/pte/pte.h"

enum {
	CALL_KERNEL = 1,
	CALL_DELEGATE = 2,
	MOVE = 3,
	JUMP = 4,
	FREE = 5,

	/* Fields of each: an operator, a value or a place, then arguments. */
	FIRST = 0,
	SECOND = 1,

	VALUE_TENSORS = 10,
	VALUE_OPTIONAL_TENSORS = 11,
	LIST_ITEMS = 0,

	OPERATOR_NAME = 0,
	OPERATOR_OVERLOAD = 1,
};

static void name_tensor(struct pte *p, uint32_t tensor, uint32_t step)
{
	struct pte_tensor *t = &p->tensors[tensor];

	if (t->first == NONE || step < t->first)
		t->first = step;
	if (step > t->last)
		t->last = step;
}

static bool fail_value(struct pte *p, uint32_t at, uint32_t value)
{
	return mp_input_flat_fail(
		&p->flat, at, "there is no value %u of %u", value, p->values.n);
}

/* A list of tensors; -1 stands for none. */
static bool name_list(
	struct pte *p, const struct flat_table *list, uint32_t step)
{
	struct flat_vector items;

	if (!mp_input_flat_vector(&p->flat, list, LIST_ITEMS, 4, &items))
		return false;
	for (uint32_t i = 0; i < items.n; i++) {
		uint32_t value = mp_input_flat_u32(&p->flat, &items, i);

		if (value == UINT32_MAX)
			continue;
		if (value >= p->values.n)
			return fail_value(
				p, mp_input_flat_place(&items, i), value);
		if (p->of[value] != NONE)
			name_tensor(p, p->of[value], step);
	}
	return true;
}

/* A tensor, a list of tensors, or what has no place. */
static bool name_value(
	struct pte *p, uint32_t at, uint32_t value, uint32_t step)
{
	struct flat_table table, list;
	uint64_t type = 0;

	if (value >= p->values.n)
		return fail_value(p, at, value);
	if (p->of[value] != NONE) {
		name_tensor(p, p->of[value], step);
		return true;
	}
	if (!mp_input_flat_item(&p->flat, &p->values, value, &table) ||
		!mp_input_flat_number(&p->flat, &table, UNION_TYPE, 1, &type))
		return false;
	if (type != VALUE_TENSORS && type != VALUE_OPTIONAL_TENSORS)
		return true;
	return mp_input_flat_table(&p->flat, &table, UNION_TABLE, &list) &&
	       name_list(p, &list, step);
}

static bool name_values(struct pte *p, const struct flat_table *table,
	uint32_t field, uint32_t step)
{
	struct flat_vector values;

	if (!mp_input_flat_vector(&p->flat, table, field, 4, &values))
		return false;
	for (uint32_t i = 0; i < values.n; i++)
		if (!name_value(p, mp_input_flat_place(&values, i),
			    mp_input_flat_u32(&p->flat, &values, i), step))
			return false;
	return true;
}

/* A value in a field of its own. */
static bool name_field(struct pte *p, const struct flat_table *table,
	uint32_t field, uint32_t step)
{
	uint64_t value = 0;

	return mp_input_flat_number(&p->flat, table, field, 4, &value) &&
	       name_value(p, table->at, (uint32_t)value, step);
}

/* ------------------------------------------------------------ names */

/* "aten::add.out", of the operator that a call has. */
static const char *operator_of(struct pte *p, const struct flat_table *call)
{
	const char *name, *overload;
	struct flat_vector operators;
	struct flat_table table;
	uint64_t index = 0;

	if (!mp_input_flat_number(&p->flat, call, FIRST, 4, &index) ||
		!mp_input_flat_vector(
			&p->flat, &p->plan, PLAN_OPERATORS, 4, &operators))
		return NULL;
	if (index >= operators.n) {
		mp_input_flat_fail(&p->flat, call->at,
			"there is no operator %llu of %u",
			(unsigned long long)index, operators.n);
		return NULL;
	}
	if (!mp_input_flat_item(
		    &p->flat, &operators, (uint32_t)index, &table) ||
		!mp_input_flat_text(
			&p->flat, &table, OPERATOR_NAME, &name, p->arena) ||
		!mp_input_flat_text(&p->flat, &table, OPERATOR_OVERLOAD,
			&overload, p->arena))
		return NULL;
	if (!overload)
		return name ? name : "kernel";
	return mp_arena_print(
		p->arena, "%s.%s", name ? name : "kernel", overload);
}

/* ----------------------------------------------------- instructions */

/* Steps from the jump to its destination belong together. */
static bool join_steps(struct pte *p, const struct flat_table *jump,
	uint32_t chain, uint32_t n, uint32_t step)
{
	uint64_t to = 0;
	uint32_t low, high;

	if (!mp_input_flat_number(&p->flat, jump, SECOND, 4, &to))
		return false;
	if (to > n)
		return mp_input_flat_fail(&p->flat, jump->at,
			"a jump to instruction %llu of %u",
			(unsigned long long)to, n);
	low = high = chain + (uint32_t)num_min(to, n - 1);
	low = low < step ? low : step;
	high = high > step ? high : step;
	p->jumps[low]++;
	p->jumps[high]--;
	return true;
}

static bool read_instruction(struct pte *p, const struct flat_table *table,
	uint32_t chain, uint32_t n, uint32_t step)
{
	static const char *const kinds[] = {
		"nothing", "kernel", "delegate", "move", "jump", "free"};
	struct op *op = &p->graph->ops[step];
	struct flat_table call;
	uint64_t type = 0;

	if (!mp_input_flat_number(&p->flat, table, UNION_TYPE, 1, &type) ||
		!mp_input_flat_table(&p->flat, table, UNION_TABLE, &call))
		return false;
	if (type >= countof(kinds) || (type > 0 && call.at == 0))
		return mp_input_flat_fail(&p->flat, table->at,
			"an instruction of type %llu, which is none",
			(unsigned long long)type);
	op->type = type == CALL_KERNEL ? operator_of(p, &call) : kinds[type];
	op->name = op->type ? mp_arena_print(p->arena, "%u:%s", step, op->type)
			    : NULL;
	if (!op->name)
		return false;
	if (type == CALL_KERNEL || type == CALL_DELEGATE)
		return name_values(p, &call, SECOND, step);
	if (type == MOVE)
		return name_field(p, &call, FIRST, step) &&
		       name_field(p, &call, SECOND, step);
	if (type == JUMP)
		return name_field(p, &call, FIRST, step) &&
		       join_steps(p, &call, chain, n, step);
	return type != FREE || name_field(p, &call, FIRST, step);
}

static bool read_chain(
	struct pte *p, const struct flat_vector *instructions, uint32_t first)
{
	struct flat_table table;

	for (uint32_t i = 0; i < instructions->n; i++)
		if (!mp_input_flat_item(&p->flat, instructions, i, &table) ||
			!read_instruction(
				p, &table, first, instructions->n, first + i))
			return false;
	return true;
}

/* Finds the list of instructions of chain i. */
static bool open_chain(struct pte *p, const struct flat_vector *chains,
	uint32_t i, struct flat_vector *instructions)
{
	struct flat_table chain;

	return mp_input_flat_item(&p->flat, chains, i, &chain) &&
	       mp_input_flat_vector(
		       &p->flat, &chain, CHAIN_INSTRUCTIONS, 4, instructions);
}

static bool count_steps(struct pte *p, const struct flat_vector *chains)
{
	struct flat_vector instructions;

	for (uint32_t i = 0; i < chains->n; i++) {
		if (!open_chain(p, chains, i, &instructions))
			return false;
		if (instructions.n > PTE_MOST - p->n_steps)
			return mp_input_flat_fail(&p->flat, instructions.at,
				"more than %d instructions", PTE_MOST);
		p->n_steps += instructions.n;
	}
	return p->n_steps > 0 || mp_input_flat_fail(&p->flat, p->plan.at,
					 "there is no instruction");
}

/* ------------------------------------------------------------- ends */

static bool name_ends(
	struct pte *p, uint32_t field, uint8_t kind, uint32_t step)
{
	struct flat_vector values;

	if (!mp_input_flat_vector(&p->flat, &p->plan, field, 4, &values))
		return false;
	for (uint32_t i = 0; i < values.n; i++) {
		uint32_t value = mp_input_flat_u32(&p->flat, &values, i);

		if (!name_value(
			    p, mp_input_flat_place(&values, i), value, step))
			return false;
		if (p->of[value] != NONE)
			p->tensors[p->of[value]].kind = kind;
	}
	return true;
}

/* Steps that a jump goes over are joined: a lifetime that has one of them has
 * them all. */
static bool widen_lives(struct pte *p)
{
	uint32_t *low = NEW(p->arena, uint32_t, p->n_steps);
	uint32_t *high = NEW(p->arena, uint32_t, p->n_steps);

	if (!low || !high)
		return false;
	/* From changes to jumps over what is between a step and the next. */
	for (uint32_t i = 1; i < p->n_steps; i++)
		p->jumps[i] += p->jumps[i - 1];
	for (uint32_t i = 0; i < p->n_steps; i++)
		low[i] = i > 0 && p->jumps[i - 1] > 0 ? low[i - 1] : i;
	for (uint32_t i = p->n_steps; i-- > 0;)
		high[i] = p->jumps[i] > 0 ? high[i + 1] : i;
	for (uint32_t t = 0; t < p->n_tensors; t++) {
		struct pte_tensor *tensor = &p->tensors[t];

		if (tensor->first == NONE)
			continue;
		tensor->first = low[tensor->first];
		tensor->last = high[tensor->last];
	}
	return true;
}

bool mp_input_pte_read_lives(struct pte *p)
{
	struct flat_vector chains, instructions;
	uint32_t step = 0;

	if (!mp_input_flat_vector(
		    &p->flat, &p->plan, PLAN_CHAINS, 4, &chains) ||
		!count_steps(p, &chains))
		return false;
	p->graph->ops = NEW(p->arena, struct op, p->n_steps);
	p->graph->n_ops = p->n_steps;
	p->jumps = NEW(p->arena, uint32_t, p->n_steps);
	if (!p->graph->ops || !p->jumps)
		return false;
	for (uint32_t i = 0; i < chains.n; i++) {
		if (!open_chain(p, &chains, i, &instructions) ||
			!read_chain(p, &instructions, step))
			return false;
		step += instructions.n;
	}
	assert(step == p->n_steps);
	return name_ends(p, PLAN_INPUTS, KIND_INPUT, 0) &&
	       name_ends(p, PLAN_OUTPUTS, KIND_OUTPUT, p->n_steps - 1) &&
	       widen_lives(p);
}
