/* SPDX-License-Identifier: MIT */
#include "cli/batches.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/progress-line.h"
#include "cli/tell.h"

/* ---------------------------------------------------------- batches */

static int by_number(const void *left, const void *right)
{
	const struct batch *a = left, *b = right;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return strcmp(a->text, b->text);
}

static bool read_number(struct batch *batch)
{
	char *end;

	errno = 0;
	batch->number = strtoull(batch->text, &end, 10);
	return isdigit((unsigned char)batch->text[0]) && *end == '\0' &&
	       errno == 0;
}

/* ---------------------------------------------------------- tensors */

static int by_id(const void *left, const void *right)
{
	const struct memplan_tensor *a = left, *b = right;

	return strcmp(a->id, b->id);
}

/* Those that have ids, by these. */
static struct memplan_tensor *sort_tensors(const memplan *plan, uint64_t *n)
{
	struct memplan_tensor *list;
	uint64_t all = 0;

	*n = 0;
	memplan_number(plan, "tensors", &all);
	list = calloc((size_t)all + 1, sizeof(*list));
	for (uint32_t i = 0; list && i < all; i++)
		if (memplan_tensor_at(plan, i, &list[*n], sizeof(*list)) &&
			list[*n].id)
			++*n;
	if (list)
		qsort(list, (size_t)*n, sizeof(*list), by_id);
	return list;
}

struct shrunk {
	uint64_t n;
	struct memplan_tensor before, after; /* the first one's */
};

/* Both ascend by id. */
static void compare(const struct memplan_tensor *small, uint64_t n_small,
	const struct memplan_tensor *large, uint64_t n_large,
	struct shrunk *shrunk)
{
	uint64_t i = 0, k = 0;

	while (i < n_small && k < n_large) {
		int order = by_id(&small[i], &large[k]);

		if (order == 0 && small[i].size > large[k].size &&
			shrunk->n++ == 0) {
			shrunk->before = small[i];
			shrunk->after = large[k];
		}
		i += order <= 0;
		k += order >= 0;
	}
}

/* ---------------------------------------------------------- warning */

static void warn(const struct arguments *arguments, const char *input,
	const struct batch *small, const struct batch *large,
	const struct shrunk *shrunk)
{
	struct place place = {.file = input, .color = cli_color(arguments)};
	size_t room = strlen(input) + 400;
	char *text = malloc(room);

	if (!text)
		return;
	snprintf(text, room,
		"%s: %llu tensor%s larger at batch %.40s than at batch %.40s, "
		"first '%.80s': %llu and %llu bytes; a plan for the greater "
		"batch would not serve the smaller",
		input, (unsigned long long)shrunk->n,
		shrunk->n == 1 ? " is" : "s are", small->text, large->text,
		shrunk->before.id, (unsigned long long)shrunk->before.size,
		(unsigned long long)shrunk->after.size);
	cli_tell("warning", &place, text);
	free(text);
}

static enum memplan_status check_pair(const struct arguments *arguments,
	const char *input, const struct batch *small, const struct batch *large)
{
	struct shrunk shrunk = {0};
	uint64_t n_small, n_large;
	struct memplan_tensor *before = sort_tensors(small->plan, &n_small);
	struct memplan_tensor *after = sort_tensors(large->plan, &n_large);
	bool fine = before && after;

	if (fine)
		compare(before, n_small, after, n_large, &shrunk);
	if (shrunk.n > 0)
		warn(arguments, input, small, large, &shrunk);
	free(before);
	free(after);
	return fine ? MEMPLAN_OK : MEMPLAN_ENOMEM;
}

enum memplan_status cli_batches_check(const struct arguments *arguments,
	const char *input, struct batch *batches, uint32_t n)
{
	enum memplan_status status = MEMPLAN_OK;
	uint32_t kept = 0;

	if (arguments->values[OPT_QUIET])
		return MEMPLAN_OK;
	for (uint32_t i = 0; i < n; i++)
		if (read_number(&batches[i]))
			batches[kept++] = batches[i];
	qsort(batches, kept, sizeof(*batches), by_number);
	for (uint32_t i = 1; i < kept && status == MEMPLAN_OK; i++)
		status = check_pair(
			arguments, input, &batches[i - 1], &batches[i]);
	return status;
}
