/*
 * Errors about one thing of a graph: the file, then the place in its document
 * as JSON Pointer, where there is one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph/graph.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The list of the document that the thing stands in; NULL: there is none. */
static const char *list_of(
	const struct graph *graph, enum graph_thing *thing, uint32_t *index)
{
	static const char *const lists[] = {
		[THING_TENSOR] = "tensors",
		[THING_OP] = "ops",
		[THING_GROUP] = "groups",
	};

	if (!graph->is_document)
		return NULL;
	if (*thing == THING_TENSOR && *index >= graph->n_listed) {
		*thing = THING_OP; /* a temporary stands in its op */
		*index = graph->tensors[*index].producer;
		assert(*index != NONE);
	}
	return lists[*thing];
}

bool mp_graph_fail(const struct graph *graph, enum graph_thing thing,
	uint32_t index, struct error *e, enum memplan_status code,
	const char *format, ...)
{
	char text[ERROR_TEXT];
	const char *list;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	list = list_of(graph, &thing, &index);
	return list ? mp_fail(e, code, "%s: /%s/%u: %s", graph->place, list,
			      index, text)
		    : mp_fail(e, code, "%s: %s", graph->place, text);
}

bool mp_graph_fail_at(const struct graph *graph, struct error *e)
{
	size_t length = strlen(graph->name);
	uint32_t tensor = e->subject ? e->subject - 1 : NONE;
	char text[ERROR_TEXT];

	if (e->code != MEMPLAN_EINPUT ||
		strncmp(e->text, graph->name, length) != 0 ||
		strncmp(e->text + length, ": ", 2) != 0)
		return false;
	snprintf(text, sizeof(text), "%s", e->text + length + 2);
	e->code = MEMPLAN_OK;
	return tensor == NONE ? mp_fail(e, MEMPLAN_EINPUT, "%s: %s",
					graph->place, text)
			      : mp_graph_fail(graph, THING_TENSOR, tensor, e,
					MEMPLAN_EINPUT, "%s", text);
}
