/*
 * Signals: see signals.h. A handler calls unlink(), sigaction(), alarm()
 * and raise(), which POSIX allows there.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/signals.h"

#include <assert.h>
#include <signal.h>
#include <unistd.h>

#include "base/num.h"

/* Those that end a program and that its caller sends, or the system because of
 * a limit. SIGXFSZ is ignored instead: write() then fails, which has a sentence
 * and a status. Faults of the program itself are left alone. */
static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM,
	SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM};

enum {
	GRACE_SECONDS = 2, /* that a search has to end in */
};

static memplan *volatile running;
static volatile sig_atomic_t came; /* the signal that interrupted; 0: none */
static struct temporary *volatile temporaries;
static struct child *volatile children;
static sigset_t held_before;

void cli_signals_clean(void)
{
	for (const struct temporary *t = temporaries; t; t = t->next)
		unlink(t->name);
	for (const struct child *c = children; c; c = c->next)
		kill((pid_t)c->pid, SIGTERM);
}

void cli_signals_begin_child(void)
{
	running = NULL;
	temporaries = NULL;
	children = NULL;
}

static void end_by(int signal_number)
{
	sigset_t set;

	signal(signal_number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signal_number);
	raise(signal_number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void take(int signal_number);

static struct sigaction taking(void)
{
	struct sigaction action = {.sa_handler = take};

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < countof(ending); i++)
		sigaddset(&action.sa_mask, ending[i]);
	return action;
}

/* Stages around a search do not look for an interrupt: after a while the alarm
 * ends the program in any of them. */
static void ask(int signal_number)
{
	struct sigaction action = taking();

	came = signal_number;
	memplan_interrupt(running);
	sigaction(SIGALRM, &action, NULL);
	alarm(GRACE_SECONDS);
}

static void take(int signal_number)
{
	if ((signal_number == SIGINT || signal_number == SIGTERM) && running &&
		!came) {
		ask(signal_number);
		return;
	}
	cli_signals_clean();
	end_by(came ? came : signal_number);
}

void cli_signals_take(void)
{
	struct sigaction action = taking(), before;

	for (size_t i = 0; i < countof(ending); i++)
		if (sigaction(ending[i], NULL, &before) == 0 &&
			before.sa_handler == SIG_DFL)
			sigaction(ending[i], &action, NULL);
	signal(SIGXFSZ, SIG_IGN);
}

void cli_signals_running(memplan *plan)
{
	running = plan;
	if (!plan && came)
		alarm(0);
}

bool cli_signals_came(void)
{
	return came != 0;
}

void cli_signals_end(void)
{
	if (came)
		end_by(came);
}

void cli_signals_hold(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < countof(ending); i++)
		sigaddset(&set, ending[i]);
	sigprocmask(SIG_BLOCK, &set, &held_before);
}

void cli_signals_release(void)
{
	sigprocmask(SIG_SETMASK, &held_before, NULL);
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
