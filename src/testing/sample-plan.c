/*
 * Plans made by hand, with names that break careless emitters.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/sample-plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "graph/dsa-problem.h"
#include "graph/tflite-file.h"

enum {
	ALIGNMENT = 512,
	REGION = 8192,
};

#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define THOUSAND                                                               \
	HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED        \
		HUNDRED HUNDRED

const char *const mp_testing_sample_hostile[] = {
	"plain",
	"*/ int main(void) { return 1; } /*",
	"what?\?/",
	"?\?=include <evil.h>",
	"two\nlines\r\n#error",
	"back\\slash\\",
	"\xf0\x9f\x98\x80",
	"\xe5\xbc\xa0\xe9\x87\x8f",
	"int",
	"class",
	"gpu_0/conv1:0",
	"gpu_0.conv1:0",
	"GPU_0/conv1:0",
	"gpu_0_conv1_0",
	"9lives",
	"__reserved__x",
	"",
	"twice",
	"twice",
	"</script><script>alert(1)</script>",
	"]]>",
	"%0A::error::x",
	"\"><img src=x onerror=alert(1)>",
	"' onload='x",
	"\x01\x02\x1b[31mred\x7f",
	"\xe2\x80\xaetxt.exe",
	"=cmd|' /C calc'!A0",
	"a,b\"c",
	"%s%n%d",
	"max",
	"MAX",
	THOUSAND THOUSAND THOUSAND THOUSAND,
	THOUSAND THOUSAND THOUSAND THOUSAND "x",
};

const uint32_t mp_testing_n_sample_hostile = countof(mp_testing_sample_hostile);

static void add_tensor(struct sample *s, uint32_t i, const char *name)
{
	struct problem *p = &s->schedule.problem;
	struct tensor *tensor = &s->graph.tensors[i];
	struct stay *stay = &s->schedule.stay[i];
	struct part *part = &p->parts[i];

	tensor->id = mp_arena_print(&s->arena, "%u", i);
	tensor->id_is_number = i % 2 == 0;
	tensor->name = name;
	tensor->size = 1000 * (uint64_t)(i % 7 + 1);
	tensor->producer = i;
	stay->buffer = i;
	stay->start = i;
	stay->end = i + 2 < p->n_steps ? i + 2 : p->n_steps;
	*part = (struct part){0, (tensor->size + ALIGNMENT - 1) / 512 * 512,
		stay->start, stay->end, i};
	p->buffers[i] = (struct buffer){
		part->size, ALIGNMENT, NO_OFFSET, part->start, part->end, i, 1};
	s->plan.offsets[i] = i % 2 ? REGION : 0;
}

static void add_op(struct sample *s, uint32_t i, uint32_t *ids)
{
	struct op *op = &s->graph.ops[i];

	ids[i] = i;
	op->name = mp_arena_print(&s->arena, "op %u", i);
	op->type = i % 3 ? "conv" : NULL;
	op->outputs = (struct ids){&ids[i], 1};
	if (i > 0)
		op->inputs = (struct ids){&ids[i - 1], 1};
	op->cost_us = i;
}

/* Behind the named tensors: a temporary of op 0, above both regions. */
static void add_temporary(struct sample *s, uint32_t n, uint32_t *ids)
{
	struct problem *p = &s->schedule.problem;

	add_tensor(s, n, "0:0");
	s->graph.tensors[n].kind = KIND_TEMPORARY;
	s->graph.tensors[n].producer = 0;
	s->schedule.stay[n].start = p->parts[n].start = p->buffers[n].start = 0;
	s->schedule.stay[n].end = p->parts[n].end = p->buffers[n].end = 1;
	s->plan.offsets[n] = 2 * REGION;
	ids[n] = n;
	s->graph.ops[0].temporaries = (struct ids){&ids[n], 1};
}

static void allocate_sample(struct sample *s, uint32_t n)
{
	struct problem *p = &s->schedule.problem;

	s->graph.n_tensors = p->n_buffers = p->n_parts = n + 1;
	s->graph.n_ops = p->n_steps = n;
	s->graph.n_streams = p->n_streams = 1;
	s->graph.tensors = NEW(&s->arena, struct tensor, n + 1);
	s->graph.ops = NEW(&s->arena, struct op, n);
	s->schedule.stay = NEW(&s->arena, struct stay, n + 1);
	p->buffers = NEW(&s->arena, struct buffer, n + 1);
	p->parts = NEW(&s->arena, struct part, n + 1);
	s->plan.offsets = NEW(&s->arena, uint64_t, n + 1);
}

/* A model of a few bytes; positions in it lead anywhere. */
static void add_model(struct sample *s)
{
	struct tflite_file *file = NEW(&s->arena, struct tflite_file, 1);
	static const uint32_t some[] = {12, 8, 4};

	assert(file);
	*file = (struct tflite_file){.bytes = "a model of 16 B",
		.length = 16,
		.version = 3,
		.field = {[MODEL_CODES] = 4, [MODEL_BUFFERS] = 8},
		.buffers = {some, 3},
		.metadata = {some, 1},
		.vacant = {some, 1},
		.n_subgraphs = 1,
		.n_tensors = s->graph.n_tensors + 16};
	s->graph.tflite = file;
}

/* As if the graph were a problem of dsa-solver. */
static void add_problem(struct sample *s)
{
	struct dsa_problem *problem = NEW(&s->arena, struct dsa_problem, 1);
	struct dsa_buffer_id *ids =
		NEW(&s->arena, struct dsa_buffer_id, s->graph.n_tensors);
	static const uint64_t pool = 7;

	assert(problem && ids);
	for (uint32_t i = 0; i < s->graph.n_tensors; i++)
		ids[i] = (struct dsa_buffer_id){2 * i, i};
	*problem = (struct dsa_problem){.profile = "standard_dsa",
		.instance = "a \"sample\"",
		.fingerprint = "0123456789abcdef",
		.buffers = ids,
		.n_buffers = s->graph.n_tensors,
		.pool_ids = &pool};
	s->graph.dsa = problem;
}

void mp_testing_sample_make(
	struct sample *s, const char *const *names, uint32_t n)
{
	struct problem *p = &s->schedule.problem;
	uint32_t *ids;

	assert(n > 0);
	memset(s, 0, sizeof(*s));
	s->arena.error = s->sink.error = &s->error;
	allocate_sample(s, n);
	ids = NEW(&s->arena, uint32_t, n + 1);
	for (uint32_t i = 0; i < n; i++) {
		add_tensor(s, i, names[i]);
		add_op(s, i, ids);
	}
	add_temporary(s, n, ids);
	s->graph.tensors[0].kind = KIND_INPUT;
	s->graph.tensors[n - 1].kind = n > 1 ? KIND_OUTPUT : KIND_INPUT;
	s->graph.name = p->name = "sample";
	s->graph.alignment = p->alignment = ALIGNMENT;
	add_model(s);
	add_problem(s);
	s->schedule.graph = &s->graph;
	s->schedule.order = ids;
	s->schedule.order_name = "keep";
	p->schedule = &s->schedule;
	mp_problem_measure(p, &s->arena, &s->error);
	s->plan.problem = p;
	s->plan.schedule = &s->schedule;
	s->results.schedule = &s->schedule;
	s->results.plan = &s->plan;
	s->plan.arena_size = mp_plan_height(p, s->plan.offsets);
	s->plan.lower_bound = p->theoretical_min;
	s->plan.planner = "linear";
}

void mp_testing_sample_chain(struct sample *s, uint32_t n)
{
	const char **names = calloc(n, sizeof(*names));
	struct error e = {0};
	struct arena arena = {.error = &e};

	for (uint32_t i = 0; i < n; i++)
		names[i] = mp_arena_print(&arena, "tensor%u", i);
	mp_testing_sample_make(s, names, n);
	for (uint32_t i = 0; i < n; i++)
		s->graph.tensors[i].name =
			mp_arena_text(&s->arena, names[i], strlen(names[i]));
	mp_arena_free(&arena);
	free(names);
}

const char *mp_testing_sample_emit(struct sample *s, const char *row)
{
	s->sink.length = 0;
	mp_emit_find(row)->run(&s->results, &s->sink, &s->arena);
	mp_sink_write(&s->sink, "", 1);
	s->sink.length--;
	return s->sink.bytes;
}

void mp_testing_sample_free(struct sample *s)
{
	mp_sink_free(&s->sink);
	mp_arena_free(&s->arena);
}
