/*
 * The choice of a graph. A log may have several, compiled one after the other
 * or at the same time. One is read: the only one, or the one that --graph
 * names.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdio.h>

#include "input/ge-log/ge-log.h"

enum {
	MOST_LISTED = 8
};

uint32_t mp_input_ge_word(struct ge_words *words, struct text text)
{
	if (words->n > 0 && mp_input_lines_same(words->at[words->latest], text))
		return words->latest;
	for (uint32_t i = 0; i < words->n; i++)
		if (mp_input_lines_same(words->at[i], text))
			return words->latest = i;
	assert(words->n <= words->most);
	if (words->n == words->most)
		return NONE;
	words->at[words->n] = text;
	return words->latest = words->n++;
}

void mp_input_ge_find_process(struct ge_log *log, struct text front)
{
	struct text rest = {mp_input_lines_find(front, " GE("), front.end};
	uint64_t id;

	log->line_process = (struct text){NULL, NULL};
	if (!rest.at || !mp_input_lines_take(&rest, " GE("))
		return;
	log->line_process.at = rest.at;
	if (mp_input_lines_take_number(&rest, UINT64_MAX, &id) &&
		mp_input_lines_take(&rest, ","))
		log->line_process.end = rest.at - 1;
	else
		log->line_process.at = NULL;
}

static bool is_of_process(struct ge_log *log)
{
	if (!log->line_process.at)
		return true;
	if (!log->process.at)
		log->process = log->line_process;
	if (mp_input_lines_same(log->process, log->line_process))
		return true;
	if (!log->other.at)
		log->other = log->line_process;
	return false;
}

bool mp_input_ge_chosen(struct ge_log *log, struct text name)
{
	mp_input_ge_word(&log->graphs, name);
	if (!log->graph.at &&
		(!log->wanted || mp_input_lines_is(name, log->wanted)))
		log->graph = name;
	return log->graph.at && mp_input_lines_same(log->graph, name) &&
	       is_of_process(log);
}

/* "'a', 'b' and others" */
static const char *list_graphs(
	const struct ge_log *log, char *text, size_t room)
{
	size_t length = 0;
	uint32_t n = log->graphs.n < MOST_LISTED ? log->graphs.n : MOST_LISTED;

	text[0] = '\0';
	for (uint32_t i = 0; i < n && length < room; i++)
		length += (size_t)snprintf(text + length, room - length,
			"%s'%.*s'", i > 0 ? ", " : "",
			mp_input_lines_shown(log->graphs.at[i]),
			log->graphs.at[i].at);
	if (n < log->graphs.n && length < room)
		snprintf(text + length, room - length, " and others");
	return text;
}

bool mp_input_ge_check_chosen(const struct ge_log *log)
{
	char names[(MOST_LISTED + 1) * 66];

	if (log->graphs.n == 0)
		return mp_fail(log->error, MEMPLAN_EINPUT,
			"%s: no line '[IMAS]Set ...' in it: GE writes them "
			"at log level info",
			log->lines.file);
	if (log->wanted && !log->graph.at)
		return mp_fail(log->error, MEMPLAN_EINPUT,
			"%s: no graph '%.80s' in it; there is %s",
			log->lines.file, log->wanted,
			list_graphs(log, names, sizeof(names)));
	return log->wanted || log->graphs.n == 1 ||
	       mp_fail(log->error, MEMPLAN_EINPUT,
		       "%s: several graphs, each a plan of its own: name one "
		       "with --graph: %s",
		       log->lines.file, list_graphs(log, names, sizeof(names)));
}
