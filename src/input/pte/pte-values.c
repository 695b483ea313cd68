/*
 * Values of a program of ExecuTorch: tensors with a size, a memory and an
 * offset. Others have no place in a planned memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/num.h"
#include "input/pte/pte.h"

enum {
	VALUE_TENSOR = 5,

	TENSOR_TYPE = 0,
	TENSOR_SIZES = 2,
	TENSOR_PLACE = 6,
	TENSOR_DYNAMISM = 8,

	PLACE_MEMORY = 0,
	PLACE_LOW = 1,
	PLACE_HIGH = 2,

	UNBOUND = 2, /* dynamism: the sizes are no limit */
};

/* Bytes of an element by its ScalarType; 0: there is no such type. */
static const uint8_t widths[] = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4,
	2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 4, 8};

static bool read_size(
	struct pte *p, const struct flat_table *table, uint64_t *size)
{
	struct flat_vector sizes;
	uint64_t type = 0;

	if (!mp_input_flat_number(&p->flat, table, TENSOR_TYPE, 1, &type) ||
		!mp_input_flat_vector(&p->flat, table, TENSOR_SIZES, 4, &sizes))
		return false;
	if (type >= countof(widths))
		return mp_input_flat_fail(&p->flat, table->at,
			"a tensor of type %llu, which is none",
			(unsigned long long)type);
	*size = widths[type];
	for (uint32_t i = 0; i < sizes.n; i++) {
		uint32_t dim = mp_input_flat_u32(&p->flat, &sizes, i);

		if (dim > INT32_MAX || !num_mul(*size, dim, size))
			return mp_input_flat_fail(&p->flat, table->at,
				"a tensor with a dimension below 0, or of more "
				"than 2^62 bytes");
	}
	return true;
}

/* The bytes that the program wants for a memory. */
static uint64_t bytes_of(const struct pte *p, uint32_t memory)
{
	struct flat_vector words = {p->sizes.at, 2 * p->sizes.n};

	return mp_input_flat_u32(&p->flat, &words, 2 * memory) |
	       (uint64_t)mp_input_flat_u32(&p->flat, &words, 2 * memory + 1)
		       << 32;
}

static bool read_place(struct pte *p, const struct flat_table *place,
	struct pte_tensor *tensor)
{
	uint64_t memory = 0, low = 0, high = 0, end;

	if (!mp_input_flat_number(&p->flat, place, PLACE_MEMORY, 4, &memory) ||
		!mp_input_flat_number(&p->flat, place, PLACE_LOW, 4, &low) ||
		!mp_input_flat_number(&p->flat, place, PLACE_HIGH, 4, &high))
		return false;
	if (memory == 0 || memory >= p->sizes.n)
		return mp_input_flat_fail(&p->flat, place->at,
			"a tensor lies in memory %llu of %u",
			(unsigned long long)memory,
			p->sizes.n > 0 ? p->sizes.n - 1 : 0);
	tensor->memory = (uint32_t)memory;
	tensor->offset = low | high << 32;
	return (num_add(tensor->offset, tensor->size, &end) &&
		       end <= bytes_of(p, tensor->memory)) ||
	       mp_input_flat_fail(&p->flat, place->at,
		       "the tensor of value %u reaches beyond memory %u",
		       tensor->value, tensor->memory);
}

static bool read_value(struct pte *p, uint32_t i)
{
	struct pte_tensor *tensor = &p->tensors[p->n_tensors];
	struct flat_table value, table, place;
	uint64_t type = 0, dynamism = 0;

	p->of[i] = NONE;
	if (!mp_input_flat_item(&p->flat, &p->values, i, &value) ||
		!mp_input_flat_number(&p->flat, &value, UNION_TYPE, 1, &type))
		return false;
	if (type != VALUE_TENSOR)
		return true;
	if (!mp_input_flat_table(&p->flat, &value, UNION_TABLE, &table) ||
		!mp_input_flat_number(
			&p->flat, &table, TENSOR_DYNAMISM, 1, &dynamism) ||
		!mp_input_flat_table(&p->flat, &table, TENSOR_PLACE, &place))
		return false;
	if (place.at == 0 || dynamism == UNBOUND)
		return true;
	*tensor = (struct pte_tensor){
		.value = i, .first = NONE, .kind = KIND_ACTIVATION};
	p->of[i] = p->n_tensors++;
	return read_size(p, &table, &tensor->size) &&
	       read_place(p, &place, tensor);
}

bool mp_input_pte_read_values(struct pte *p)
{
	if (!mp_input_flat_vector(
		    &p->flat, &p->plan, PLAN_VALUES, 4, &p->values) ||
		!mp_input_flat_vector(
			&p->flat, &p->plan, PLAN_BUFFER_SIZES, 8, &p->sizes))
		return false;
	if (p->values.n > PTE_MOST)
		return mp_input_flat_fail(&p->flat, p->values.at,
			"more than %d values", PTE_MOST);
	p->tensors = NEW(p->arena, struct pte_tensor, p->values.n);
	p->of = NEW(p->arena, uint32_t, p->values.n);
	if (!p->tensors || !p->of)
		return false;
	for (uint32_t i = 0; i < p->values.n; i++)
		if (!read_value(p, i))
			return false;
	return true;
}
