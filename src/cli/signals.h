/*
 * Signals. SIGINT and SIGTERM ask a plan that is being made to end soon: what
 * was found is written, and then the program ends by that signal. If there is
 * no plan after five seconds of the processor, the program ends without one:
 * time in which others run on a loaded machine does not count. At any other
 * time, while it reads or writes for instance, these two end it at once, and so
 * do a second one and every other signal that ends a program. In no case does a
 * temporary file or a child stay.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_SIGNALS_H
#define MP_CLI_SIGNALS_H

#include <stdbool.h>

#include "memplan/memplan.h"

/* Takes the signals that the caller of the program does not ignore. */
void cli_signals_take(void);

/* The handle that SIGINT and SIGTERM interrupt from now on; NULL: none, and
 * they end the program. What an interrupt has found can then be written. */
void cli_signals_running(memplan *plan);

/* True once SIGINT or SIGTERM came. */
bool cli_signals_came(void);

/* Ends the program by the signal that interrupted a plan, if one did. */
void cli_signals_end(void);

/* A temporary file that a signal removes; room for it is the caller's, and must
 * stay until it is taken back. Both while signals are held
 * (cli_system_hold_signals()). */
struct temporary {
	const char *name;
	struct temporary *next;
};
void cli_signals_add(struct temporary *temporary);
void cli_signals_drop(struct temporary *temporary);

/* A process that a signal ends with the program. Likewise. */
struct child {
	long pid;
	struct child *next;
};
void cli_signals_add_child(struct child *child);
void cli_signals_drop_child(struct child *child);

/* In a process that was just begun: it has no temporary files and no children
 * of its own, and every signal ends it. */
void cli_signals_begin_child(void);

/* Removes all temporary files, and ends all children; from signal handlers. */
void cli_signals_clean(void);

#endif
