/*
 * Models that Vela made for Arm's Ethos-U. One op stands for all that the
 * processor does. Its commands count addresses from the base of one of its
 * inputs, a tensor to work in, which has room for the op's other tensors too:
 * Vela's offsets put these into it. So they are aliases of its bytes, and stay
 * where they are in it when a plan moves it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "input/tflite/tflite.h"

enum {
	SCRATCH = 2, /* behind the commands and the weights */
};

bool mp_input_tflite_note_npu(struct tflite *m,
	const struct tflite_subgraph *subgraph, const struct tflite_code *code,
	const struct flat_vector *inputs)
{
	struct tflite_npu *npus;
	uint32_t scratch;

	if (code->code != TFL_CUSTOM || strcmp(code->name, "ethos-u") != 0 ||
		inputs->n <= SCRATCH)
		return true;
	if (!mp_input_tflite_tensor(m, subgraph, inputs, SCRATCH, &scratch))
		return false;
	if (scratch == NONE)
		return true;
	npus = mp_arena_grow(
		m->arena, m->npus, m->n_npus, &m->room_npus, sizeof(*npus));
	if (!npus)
		return false;
	m->npus = npus;
	npus[m->n_npus++] = (struct tflite_npu){m->graph->n_ops - 1, scratch};
	return true;
}

static void find(struct tflite *m, uint32_t scratch, uint32_t t)
{
	const struct tensor *all = &m->graph->tensors[scratch];
	const struct tensor *tensor = &m->graph->tensors[t];

	/* No chain: what others lie in lies in nothing. */
	if (t == scratch || !all->placed || !tensor->placed ||
		m->tensors[scratch].storage != TFL_ARENA ||
		m->tensors[t].storage != TFL_ARENA ||
		m->tensors[scratch].within != NONE ||
		m->tensors[t].within != NONE || m->tensors[t].holds)
		return;
	if (tensor->offset < all->offset || tensor->size > all->size ||
		tensor->offset - all->offset > all->size - tensor->size)
		return;
	m->tensors[t].within = scratch;
	m->tensors[scratch].holds = true;
}

void mp_input_tflite_find_within(struct tflite *m)
{
	uint32_t use = 0;

	for (uint32_t i = 0; i < m->n_npus; i++) {
		while (use < m->n_uses && m->uses[use].op < m->npus[i].op)
			use++;
		for (; use < m->n_uses && m->uses[use].op == m->npus[i].op;
			use++)
			find(m, m->npus[i].scratch, m->uses[use].tensor);
	}
}

bool mp_input_tflite_alias(struct tflite *m, const uint32_t *number)
{
	const struct tensor *tensors = m->graph->tensors;
	struct ties *ties = &m->graph->ties;
	struct tensor_alias *aliases;
	uint64_t offset;
	uint32_t n = 0;

	for (uint32_t t = 0; t < m->n_tensors; t++)
		n += m->tensors[t].within != NONE;
	aliases = NEW(m->arena, struct tensor_alias, n);
	if (!aliases)
		return false;
	ties->aliases = n > 0 ? aliases : NULL;
	for (uint32_t t = 0; ties->n_aliases < n; t++) {
		uint32_t of = m->tensors[t].within;

		if (of == NONE)
			continue;
		of = number[of];
		offset = tensors[number[t]].offset - tensors[of].offset;
		aliases[ties->n_aliases++] = (struct tensor_alias){
			number[t], of, offset, of, offset, false};
	}
	return true;
}
