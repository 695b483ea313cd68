/*
 * Signals: see signals.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/signals.h"

#include <assert.h>
#include <signal.h>

#include "cli/system.h"

enum {
	GRACE_SECONDS = 5, /* of the processor, that a search has to end in */
};

static memplan *volatile running;
static volatile sig_atomic_t came; /* the signal that interrupted; 0: none */
static struct temporary *volatile temporaries;
static struct child *volatile children;

void cli_signals_clean(void)
{
	for (const struct temporary *t = temporaries; t; t = t->next)
		cli_system_remove(t->name);
	for (const struct child *c = children; c; c = c->next)
		cli_system_end_child(c->pid);
}

void cli_signals_begin_child(void)
{
	running = NULL;
	temporaries = NULL;
	children = NULL;
}

/* Stages around a search do not look for an interrupt: after a while the alarm
 * ends the program in any of them. */
static void ask(int signal_number)
{
	came = signal_number;
	memplan_interrupt(running);
	cli_system_set_alarm(GRACE_SECONDS);
}

static void take(int signal_number)
{
	if ((signal_number == SIGINT || signal_number == SIGTERM) && running &&
		!came) {
		ask(signal_number);
		return;
	}
	cli_signals_clean();
	cli_system_end_by(came ? came : signal_number);
}

void cli_signals_take(void)
{
	cli_system_take_signals(take);
}

void cli_signals_running(memplan *plan)
{
	running = plan;
	if (!plan && came)
		cli_system_set_alarm(0);
}

bool cli_signals_came(void)
{
	return came != 0;
}

void cli_signals_end(void)
{
	if (came)
		cli_system_end_by(came);
}

void cli_signals_add(struct temporary *temporary)
{
	temporary->next = temporaries;
	temporaries = temporary;
}

void cli_signals_drop(struct temporary *temporary)
{
	struct temporary *at = temporaries;

	if (at == temporary) {
		temporaries = temporary->next;
		return;
	}
	while (at && at->next != temporary)
		at = at->next;
	assert(at);
	at->next = temporary->next;
}

void cli_signals_add_child(struct child *child)
{
	child->next = children;
	children = child;
}

void cli_signals_drop_child(struct child *child)
{
	struct child *at = children;

	if (at == child) {
		children = child->next;
		return;
	}
	while (at && at->next != child)
		at = at->next;
	assert(at);
	at->next = child->next;
}
