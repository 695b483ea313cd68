/*
 * Two plans, and what became of the one in the other; which tensors are the
 * same says src/problem/tensor-match.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_COMPARE_COMPARE_H
#define MP_COMPARE_COMPARE_H

#include "base/sink-text.h"
#include "problem/plan.h"

enum change_kind {
	CHANGE_ADDED,
	CHANGE_REMOVED,
	CHANGE_RESIZED,
	CHANGE_MOVED, /* same size, other offset */
	N_CHANGE_KINDS,
};

/* One tensor of the two plans, NONE where it does not exist. */
struct change {
	uint32_t old, new;
	uint64_t before, after; /* bytes; at a peak: those alive there */
};

/* Changes of one kind, greatest difference of bytes first. */
struct changes {
	struct change *at;
	uint32_t n;
};

/* A memory that at least one of the plans has; NULL: the other has it not. */
struct compared_pool {
	const char *name;
	const struct space *old, *new;
};

struct comparison {
	const struct plan *old, *new;
	struct changes kinds[N_CHANGE_KINDS];
	/* Tensors that hold more or fewer bytes at the new peak than at the
	 * old one; where each has bytes of its own, the differences add up to
	 * that of the theoretical minima. */
	struct changes peak;
	bool peak_moved; /* to an op of another name */
	bool own; /* old is what an input carries, new what memplan makes of
		     it: for the reports' words */
	struct arena *arena;	     /* for the reports' scratch memory */
	struct compared_pool *pools; /* several memories: each */
	uint32_t n_pools;
};

bool mp_compare(const struct plan *old, const struct plan *new,
	struct comparison *comparison, struct arena *arena, struct error *e);

/* How many of those that moved are in another memory now. */
uint32_t mp_compare_elsewhere(const struct comparison *comparison);

/* Bytes of all that moved. */
uint64_t mp_compare_moved(const struct comparison *comparison);

/* Has a pool of one of the plans banks that tensors touch together? */
bool mp_compare_has_banks(const struct comparison *comparison);

/* For people: "added", "removed", "resized", "moved". */
const char *mp_compare_change_name(enum change_kind kind);

/* The tensor of a change by which people know it: the new one if it is there.
 */
const struct tensor *mp_compare_change_tensor(
	const struct comparison *comparison, const struct change *change);

/* Name of the op at the peak, or NULL where there are no ops. */
const char *mp_compare_peak_op(const struct plan *plan);

/* A report: a row of the table. */
struct comparison_report {
	const char *name;
	const char *summary;
	void (*run)(const struct comparison *comparison, struct sink *sink);
};

extern const struct comparison_report mp_comparison_reports[];
extern const uint32_t mp_n_comparison_reports;

/* The row of that name, or NULL. */
const struct comparison_report *mp_compare_report(const char *name);

void mp_compare_text(const struct comparison *c, struct sink *sink);
void mp_compare_json(const struct comparison *c, struct sink *sink);
void mp_compare_markdown(const struct comparison *c, struct sink *sink);
void mp_compare_html(const struct comparison *c, struct sink *sink);

/* "+12", "-12" or "0": what lies between two sizes. */
void mp_compare_sink_change(struct sink *sink, uint64_t before, uint64_t after);

/* What the two columns of a report are called. */
const char *mp_compare_old(const struct comparison *c);
const char *mp_compare_new(const struct comparison *c);

/* The first line of a report for people: "arena grew by 12 bytes, 3.4 %". */
void mp_compare_headline(const struct comparison *c, struct sink *sink);

#endif
