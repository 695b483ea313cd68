/*
 * Processes that work beside each other: see crew.h. Each has a pipe as its
 * stderr. The pipe ends when the process does, however that ends.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/crew.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/say.h"
#include "cli/signals.h"
#include "cli/system.h"

enum {
	MOST_SAID = 4096, /* bytes that are kept of what a process says */
};

struct worker {
	struct child child; /* known to the signals while it is busy */
	uint64_t item;
	int pipe; /* -1: not busy */
	char said[MOST_SAID + 1];
	size_t length;
};

bool cli_crew_begin(struct crew *crew, uint32_t n, struct arena *arena)
{
	assert(n >= 1 && n <= CREW_MOST);
	*crew = (struct crew){.arena = arena, .n = n};
	crew->workers = NEW(arena, struct worker, n);
	crew->waited = NEW(arena, struct worker *, n);
	crew->polled = NEW(arena, struct pollfd, n);
	if (!crew->workers || !crew->waited || !crew->polled)
		return cli_out_of_memory(), false;
	for (uint32_t i = 0; i < n; i++)
		crew->workers[i].pipe = -1;
	return true;
}

static struct worker *free_worker(struct crew *crew)
{
	struct worker *worker = crew->workers;

	assert(crew->n_busy < crew->n);
	while (worker->pipe >= 0)
		worker++;
	return worker;
}

/* Never returns. Buffers of the parent are its own to write. */
static void run_child(int to, uint64_t item,
	int (*work)(void *context, uint64_t item), void *context)
{
	int status;

	cli_signals_begin_child();
	cli_system_release_signals();
	if (dup2(to, STDERR_FILENO) < 0)
		_exit(MEMPLAN_EIO);
	status = work(context, item);
	fflush(stderr);
	_exit(status);
}

static bool cannot_start(void)
{
	return cli_complain("memplan", "cannot begin a process");
}

/* The pipe ends with the child: the parent closes its own end to write before
 * it begins another process, so no other one has it. */
bool cli_crew_start(struct crew *crew, uint64_t item,
	int (*work)(void *context, uint64_t item), void *context)
{
	struct worker *worker = free_worker(crew);
	int ends[2];
	pid_t pid;

	if (pipe(ends) < 0)
		return cannot_start();
	fflush(stdout);
	cli_system_hold_signals();
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		run_child(ends[1], item, work, context);
	}
	if (pid > 0) {
		worker->child.pid = pid;
		cli_signals_add_child(&worker->child);
	}
	cli_system_release_signals();
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return cannot_start();
	}
	worker->item = item;
	worker->pipe = ends[0];
	worker->length = 0;
	crew->n_busy++;
	return true;
}

/* Keeps the begin of what a process says. True: it ended. */
static bool listen_to(struct worker *worker)
{
	char bytes[MOST_SAID];
	ssize_t got = read(worker->pipe, bytes, sizeof(bytes));
	size_t room = MOST_SAID - worker->length;

	if (got < 0)
		return errno != EINTR;
	for (size_t i = 0; i < (size_t)got && i < room; i++)
		worker->said[worker->length++] = bytes[i];
	return got == 0;
}

static void reap(struct crew *crew, struct worker *worker, struct crew_end *end)
{
	int status = 0;

	close(worker->pipe);
	worker->pipe = -1;
	crew->n_busy--;
	while (waitpid((pid_t)worker->child.pid, &status, 0) < 0 &&
		errno == EINTR)
		;
	cli_system_hold_signals();
	cli_signals_drop_child(&worker->child);
	cli_system_release_signals();
	worker->said[worker->length] = '\0';
	*end = (struct crew_end){.item = worker->item,
		.status = WIFEXITED(status) ? WEXITSTATUS(status)
					    : -WTERMSIG(status),
		.said = worker->said};
}

bool cli_crew_wait(struct crew *crew, int milliseconds, struct crew_end *end)
{
	nfds_t n = 0;

	for (uint32_t i = 0; i < crew->n; i++)
		if (crew->workers[i].pipe >= 0) {
			crew->waited[n] = &crew->workers[i];
			crew->polled[n++] = (struct pollfd){
				crew->workers[i].pipe, POLLIN, 0};
		}
	while (n > 0 && poll(crew->polled, n, milliseconds) > 0)
		for (nfds_t i = 0; i < n; i++)
			if (crew->polled[i].revents &&
				listen_to(crew->waited[i])) {
				reap(crew, crew->waited[i], end);
				return true;
			}
	return false;
}

void cli_crew_end(struct crew *crew)
{
	struct crew_end end;

	for (uint32_t i = 0; i < crew->n; i++)
		if (crew->workers[i].pipe >= 0)
			kill((pid_t)crew->workers[i].child.pid, SIGKILL);
	while (crew->n_busy > 0)
		cli_crew_wait(crew, -1, &end);
}
