/*
 * Pieces of a box, and boxes that do not fit: see boxes.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/boxes.h"

#include <assert.h>

#include "testing/random.h"

enum {
	BUDGET = 10000000 /* steps */
};

struct buffer *mp_testing_add_box(struct problem *problem, struct box box)
{
	mp_testing_add(problem, box.start, box.end, box.high - box.low);
	return &problem->buffers[problem->n_buffers - 1];
}

void mp_testing_add_gap(struct problem *problem, uint32_t from, uint32_t to)
{
	struct part *part = &problem->parts[problem->n_parts - 1];

	part[1] = part[0];
	part[0].end = from;
	part[1].start = to;
	problem->buffers[part->buffer].n_parts++;
	problem->n_parts++;
}

uint32_t mp_testing_cut(struct box *box, struct box *more, uint64_t *state)
{
	struct box b = *box;
	uint32_t width = b.end - b.start;
	uint64_t height = b.high - b.low;
	uint64_t early = b.start + 1, late = b.end - 1, low, high;

	if (width < 8 || height < 8)
		return 0;
	early += mp_testing_below(state, width / 2 - 1);
	late -= mp_testing_below(state, width / 2 - 1);
	low = b.low + 1 + mp_testing_below(state, height / 2 - 1);
	high = b.high - 1 - mp_testing_below(state, height / 2 - 1);
	switch (mp_testing_below(state, 3)) {
	case 0:
		box->end = (uint32_t)early;
		more[0] = (struct box){(uint32_t)early, b.end, b.low, b.high};
		return 1;
	case 1:
		box->high = low;
		more[0] = (struct box){b.start, b.end, low, b.high};
		return 1;
	default:
		*box = (struct box){b.start, (uint32_t)late, b.low, low};
		more[0] = (struct box){(uint32_t)late, b.end, b.low, high};
		more[1] = (struct box){(uint32_t)early, b.end, high, b.high};
		more[2] = (struct box){b.start, (uint32_t)early, low, b.high};
		more[3] = (struct box){
			(uint32_t)early, (uint32_t)late, low, high};
		return 4;
	}
}

static void end(struct planning *p, const char *planner)
{
	bool fine = mp_testing_end(p, planner, BUDGET);

	assert(fine);
	(void)fine;
}

void mp_testing_cut_boxes(struct planning *p, struct box whole, uint64_t seed,
	uint32_t fixed_one_in, const char *planner)
{
	struct box boxes[BOXES + 4];
	uint64_t state = seed;
	uint32_t n = 1;

	boxes[0] = whole;
	while (n < BOXES)
		n += mp_testing_cut(
			&boxes[mp_testing_below(&state, n)], &boxes[n], &state);
	mp_testing_begin(p, n, whole.end);
	for (uint32_t i = n; i-- > 0;) {
		struct buffer *b = mp_testing_add_box(&p->problem, boxes[i]);

		if (mp_testing_below(&state, fixed_one_in) == 0)
			b->offset = boxes[i].low;
	}
	end(p, planner);
}

void mp_testing_unlike_boxes(struct planning *p, const char *planner)
{
	uint64_t top = 0;

	mp_testing_begin(p, BOXES, BOX_STEPS);
	for (uint32_t i = 0; i < BOXES; i++)
		mp_testing_add(&p->problem, 2 * i, 2 * i + 11 + i % 3, i + 1);
	end(p, planner);
	for (uint32_t i = 0; i < BOXES; i++) {
		p->job.best[i] = top;
		top += p->problem.buffers[i].size;
	}
	p->job.height = top;
}
