/*
 * junit: one suite a row of the budget, one case a gate. A warning passes, with
 * its text as the case's output; what could not be judged is skipped.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gate/gate.h"

static void attribute(struct sink *sink, const char *name, const char *text)
{
	mp_sink_print(sink, " %s=\"", name);
	mp_sink_xml(sink, text);
	mp_sink_text(sink, "\"");
}

static uint32_t count(const struct budget *budget, enum gate_level level)
{
	uint32_t n = 0;

	for (uint32_t kind = 0; kind < N_VERDICTS; kind++)
		n += budget->verdicts[kind].level == level;
	return n;
}

static void totals(
	struct sink *sink, uint32_t cases, uint32_t failures, uint32_t errors)
{
	mp_sink_print(sink,
		" tests=\"%u\" failures=\"%u\" errors=\"%u\" time=\"0\"", cases,
		failures, errors);
}

/* A row without a plan has one case, an error. */
static uint32_t cases(const struct budget *budget)
{
	return N_VERDICTS - count(budget, LEVEL_NONE);
}

static void open_case(struct sink *sink, const char *title, const char *name)
{
	mp_sink_text(sink, "    <testcase");
	attribute(sink, "classname", title);
	attribute(sink, "name", name);
	mp_sink_text(sink, " time=\"0\"");
}

/* An element of its own text: what every schema at large allows. */
static void output(struct sink *sink, const char *element, const char *message)
{
	mp_sink_print(sink, "<%s>", element);
	mp_sink_xml(sink, message);
	mp_sink_print(sink, "</%s>", element);
}

static void refusal(struct sink *sink, const char *element, const char *type,
	const char *message)
{
	mp_sink_print(sink, "<%s type=\"%s\"", element, type);
	attribute(sink, "message", message);
	mp_sink_text(sink, "/>");
}

static void result(
	struct sink *sink, enum gate_level level, const char *message)
{
	if (level == LEVEL_PASS) {
		mp_sink_text(sink, "/>\n");
		return;
	}
	mp_sink_text(sink, ">");
	if (level == LEVEL_NOTICE)
		output(sink, "skipped", message);
	if (level == LEVEL_WARN)
		output(sink, "system-out", message);
	if (level == LEVEL_FAIL)
		refusal(sink, "failure", "budget", message);
	if (level == LEVEL_ERROR)
		refusal(sink, "error", "input", message);
	mp_sink_text(sink, "</testcase>\n");
}

static void suite(
	struct sink *sink, const struct budget *budget, struct arena *scratch)
{
	const char *title = mp_gate_title(budget, scratch);

	mp_sink_text(sink, "  <testsuite");
	attribute(sink, "name", title);
	totals(sink, cases(budget), count(budget, LEVEL_FAIL),
		count(budget, LEVEL_ERROR));
	mp_sink_print(sink, " skipped=\"%u\">\n", count(budget, LEVEL_NOTICE));
	for (uint32_t kind = 0; kind < N_VERDICTS; kind++) {
		if (budget->verdicts[kind].level == LEVEL_NONE)
			continue;
		open_case(sink, title, mp_gate_rows[kind].name);
		result(sink, budget->verdicts[kind].level,
			mp_gate_message(budget, kind, scratch));
	}
	mp_sink_text(sink, "  </testsuite>\n");
}

void mp_gate_junit(
	const struct gate *gate, struct sink *sink, struct arena *scratch)
{
	uint32_t all = 0, failures = 0, errors = 0;

	for (uint32_t i = 0; i < gate->n_budgets; i++) {
		all += cases(&gate->budgets[i]);
		failures += count(&gate->budgets[i], LEVEL_FAIL);
		errors += count(&gate->budgets[i], LEVEL_ERROR);
	}
	mp_sink_text(sink, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			   "<testsuites name=\"memplan gate\"");
	totals(sink, all, failures, errors);
	mp_sink_text(sink, ">\n");
	for (uint32_t i = 0; i < gate->n_budgets; i++)
		suite(sink, &gate->budgets[i], scratch);
	mp_sink_text(sink, "</testsuites>\n");
}
