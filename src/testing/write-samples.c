/*
 * Writes sample plans in every format that is a file into a folder, for
 * tools/check_formats.py, which hands them to compilers and parsers.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "testing/sample-plan.h"

static int write_file(struct sample *s, const struct emitter *row,
	const char *folder, const char *name)
{
	char path[1024];
	FILE *file;
	int failed;

	mp_testing_sample_emit(s, row->name);
	snprintf(path, sizeof(path), "%s/%s%s", folder, name,
		row->suffix ? row->suffix : "");
	if (!row->suffix)
		snprintf(path, sizeof(path), "%s/%s.%s", folder, name,
			row->name);
	file = fopen(path, "wb");
	if (!file || s->error.code != MEMPLAN_OK)
		return 1;
	failed = fwrite(s->sink.bytes, 1, s->sink.length, file) !=
		 s->sink.length;
	return fclose(file) != 0 || failed;
}

static int write_all(struct sample *s, const char *folder, const char *name)
{
	int failed = 0;

	for (uint32_t i = 0; i < mp_n_emitters; i++)
		if (mp_emitters[i].takes != TAKES_TFLITE || s->graph.tflite)
			failed |= write_file(s, &mp_emitters[i], folder, name);
	mp_testing_sample_free(s);
	return failed;
}

/* Tensors beyond 4 GiB, each at an offset of its own. */
static void make_huge(struct sample *s)
{
	const uint64_t size = UINT64_C(5) << 30;

	mp_testing_sample_chain(s, 5);
	s->graph.tflite = NULL; /* offsets in models have 31 bits */
	for (uint32_t i = 0; i < s->graph.n_tensors; i++) {
		s->graph.tensors[i].size = size - i;
		s->schedule.problem.parts[i].size =
			s->schedule.problem.buffers[i].size = size;
		s->plan.offsets[i] = size * i;
	}
	mp_problem_measure(&s->schedule.problem, &s->arena, &s->error);
	s->plan.arena_size = size * s->graph.n_tensors;
	s->graph.name = s->schedule.problem.name =
		"9 lives / huge \"?\?/ net\" */ with a long name";
}

static void make_empty(struct sample *s)
{
	mp_testing_sample_chain(s, 1);
	for (uint32_t i = 0; i < 2; i++) {
		s->graph.tensors[i].external = true;
		s->schedule.stay[i].buffer = NONE;
	}
	s->graph.name = s->schedule.problem.name = "";
}

/* Three graphs in one arena: of one name that is none, of no tensors, and of
 * tensors called as those of the first. */
static void make_bundle(struct sample *s)
{
	static struct bundle_member members[3];

	mp_testing_sample_make(
		s, mp_testing_sample_hostile, mp_testing_n_sample_hostile);
	members[0] = (struct bundle_member){.name = "1 */ net \"?\?/",
		.n_ops = s->schedule.problem.n_steps / 2,
		.n_tensors = s->graph.n_tensors / 2};
	members[1] = (struct bundle_member){.name = "none"};
	members[2] = (struct bundle_member){.name = "second",
		.n_ops = s->schedule.problem.n_steps - members[0].n_ops,
		.n_tensors = s->graph.n_tensors - members[0].n_tensors};
	s->graph.bundle = (struct bundle){members, 3, false};
}

int main(int argc, char **argv)
{
	struct sample s;
	int failed = 0;

	if (argc != 2)
		return 2;
	mp_testing_sample_chain(&s, 10);
	failed |= write_all(&s, argv[1], "chain");
	mp_testing_sample_chain(&s, 5000);
	failed |= write_all(&s, argv[1], "long");
	mp_testing_sample_make(
		&s, mp_testing_sample_hostile, mp_testing_n_sample_hostile);
	failed |= write_all(&s, argv[1], "hostile");
	make_bundle(&s);
	failed |= write_all(&s, argv[1], "bundle");
	make_huge(&s);
	failed |= write_all(&s, argv[1], "huge");
	make_empty(&s);
	failed |= write_all(&s, argv[1], "empty");
	return failed;
}
