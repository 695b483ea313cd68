/*
 * One line on stderr while a plan is being made. On a terminal it is redrawn at
 * most ten times a second and erased at the end. Elsewhere --progress asks for
 * it: then it is one line a second.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/session.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/system.h"

enum {
	REDRAW_MS = 100,
	LINE_MS = 1000,
	STEPS_A_SECOND = 10000000,
};

/* "ordering: search", or "planning: 1.034 of the minimum, bound 1.000, at most
 * 3 s left" */
static void describe(char *text, size_t room, const struct memplan_progress *at)
{
	double least = (double)at->theoretical_min;
	int used = snprintf(text, room, "%s%s%s", at->phase,
		at->row ? ": " : "", at->row ? at->row : "");

	if (at->arena_size > 0 && least > 0)
		used += snprintf(text + used, room - (size_t)used,
			": %.3f of the minimum, bound %.3f",
			(double)at->arena_size / least,
			(double)at->lower_bound / least);
	if (at->steps_left > 0)
		snprintf(text + used, room - (size_t)used,
			", at most %llu s left",
			(unsigned long long)(at->steps_left / STEPS_A_SECOND) +
				1);
}

/* True if it is time for another line. */
static bool is_time(struct progress *progress)
{
	long long now = cli_system_now_ms();

	if (now - progress->drawn < (progress->terminal ? REDRAW_MS : LINE_MS))
		return false;
	progress->drawn = now;
	return true;
}

static void print_line(struct progress *progress, const char *text)
{
	if (progress->terminal)
		fprintf(stderr, "\r%s\033[K", text);
	else
		fprintf(stderr, "%s\n", text);
	fflush(stderr);
	progress->shown = true;
}

static void draw(void *context, const struct memplan_progress *at, size_t size)
{
	struct progress *progress = context;
	char text[160];

	assert(size >= sizeof(*at));
	(void)size;
	if (!is_time(progress))
		return;
	describe(text, sizeof(text), at);
	print_line(progress, text);
}

bool cli_progress_open(
	struct progress *progress, const struct arguments *arguments)
{
	*progress = (struct progress){.terminal = cli_system_is_terminal(),
		.drawn = cli_system_now_ms()};
	return arguments->values[OPT_PROGRESS] ||
	       (progress->terminal && !arguments->values[OPT_QUIET]);
}

void cli_progress_show(struct progress *progress, const char *text)
{
	if (is_time(progress))
		print_line(progress, text);
}

void cli_progress_close(const struct progress *progress)
{
	if (progress->shown && progress->terminal)
		fputs("\r\033[K", stderr);
}

void cli_progress_begin(struct progress *progress,
	const struct arguments *arguments, memplan *plan)
{
	if (cli_progress_open(progress, arguments))
		memplan_on_progress(plan, draw, progress);
}

void cli_progress_end(struct progress *progress, memplan *plan)
{
	memplan_on_progress(plan, NULL, NULL);
	cli_progress_close(progress);
}

bool cli_color(const struct arguments *arguments)
{
	const char *wanted = arguments->values[OPT_COLOR];
	const char *none = getenv("NO_COLOR");

	if (wanted && strcmp(wanted, "always") == 0)
		return true;
	if (wanted && strcmp(wanted, "never") == 0)
		return false;
	return (!none || !*none) && cli_system_is_terminal();
}
