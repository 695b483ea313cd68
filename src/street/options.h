/*
 * The options of a run. One table has their names, values, defaults and help:
 * it serves the library, the command line, its help, its manual and its
 * completions. A new option is a row there, a field here, and its use.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_STREET_OPTIONS_H
#define MP_STREET_OPTIONS_H
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "budget/budget.h"
#include "memplan/memplan.h"

enum {
	OPTION_TEXT = 64,
	OPTION_POOLS =
		4096, /* longest text of the option pools, with its NUL */
	OPTION_GRAPH = 1024, /* longest name of a graph, with its NUL */
};

struct options {
	char planner[OPTION_TEXT]; /* a row of the planner table */
	char order[OPTION_TEXT];   /* a row of the order table */
	uint64_t capacity;	   /* bytes; UINT64_MAX: none */
	uint64_t peak; /* peak of an order that is good enough; 0: the least */
	char name[OPTION_TEXT];	  /* of the plan; "": the input's */
	bool concurrent;	  /* graphs that are joined run together */
	uint64_t align;		  /* power of two; 0: the target's */
	uint8_t inputs, outputs;  /* enum policy; N_POLICIES: not given */
	char target[OPTION_TEXT]; /* a row of that table; "": the input's */
	bool inplace;		  /* honour in-place pairs */
	bool equal;		  /* only those of equal size */
	bool replan;		  /* take no offsets from the input */
	uint64_t seed;
	uint64_t steps;	     /* work, in units of about 100 ns */
	bool steps_given;    /* else planners have more for large problems */
	double time_limit;   /* seconds; 0: none */
	uint32_t threads;    /* at least 1 */
	uint64_t max_memory; /* bytes; 0: none */
	uint64_t budget;     /* bytes; 0: none */
	enum detour_mode copy_mode;
	bool orders; /* a survey measures every order row, however long it takes
		      */
	bool recompute;		  /* ops may run again */
	bool minimise_reuse;	  /* reduce overwrites once a plan is found */
	bool cross_stream_first;  /* overwrites across streams first */
	uint64_t write_rate;	  /* bytes a second that a copy moves out */
	uint64_t read_rate;	  /* and back */
	char graph[OPTION_GRAPH]; /* of the graphs in a log, the one to read;
				     "": the only one */
	char pools[OPTION_POOLS]; /* see pool-option.h; "": none */
	uint32_t forward_end; /* first step of the backward pass; NONE: found */
};

/* Sets every option to its default. */
void mp_street_options_init(struct options *options);

/* Row i of the table, as programs see it; NULL beyond the last. */
const struct memplan_option *mp_street_options_row(uint32_t i);

/* Sets an option. If the name or the value is wrong, sets the error, keeps the
 * options and returns false. */
bool mp_street_options_set(struct options *options, const char *name,
	const char *value, struct error *e);

#endif
