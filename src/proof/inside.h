/*
 * Declarations for the files of the proof room only.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROOF_INSIDE_H
#define MP_PROOF_INSIDE_H

#include "base/lists.h"
#include "graph/graph.h"
#include "proof/proof.h"

/* ------------------------------------------------------------- read */

/* A proof file, from where reading goes on. */
struct proof_text {
	const char *name; /* of the file, for messages */
	const char *at, *end;
	struct error *error;
};

/* Reads on behind that text, if it comes next. */
bool mp_proof_skip(struct proof_text *text, const char *next);

/* Reads the first line. The others are lines of ASCII too, wherever they are:
 * else the text is refused. */
bool mp_proof_begin(struct proof_text *text);

/* Reads a number of less than 2^60, in at most 19 digits. */
bool mp_proof_number(struct proof_text *text, uint64_t *value);

/* Reads a number below the limit. */
bool mp_proof_index(struct proof_text *text, uint32_t limit, uint32_t *value);

/* Reads on behind the problem at hand, if the text has it in the same words.
 * Frees that. False: it is another one, as `otherwise` says, or memory is out.
 * The two share an error. */
bool mp_proof_same(
	struct proof_text *text, struct sink *problem, const char *otherwise);

/* False: the file is no proof; or it is one that fails. */
bool mp_proof_malformed(struct proof_text *text, const char *what);
bool mp_proof_refuse(struct proof_text *text, const char *what);

/* ------------------------------------------------------------ write */

/* Writes numbers, a space in front of each, to the end of a line. */
void mp_proof_list(struct sink *sink, const uint32_t *numbers, uint32_t n);

/* ---------------------------------------------------------- problem */

/* Writes the problem of one memory in the words of docs/formats/proof.md. */
void mp_proof_problem(const struct problem *problem, struct sink *sink,
	struct arena *scratch);

/* Fills the problem of memory i: the whole one, if spaces is NULL; and if
 * offsets is not NULL, those of its buffers. */
bool mp_proof_memory(const struct problem *whole, const struct spaces *spaces,
	uint32_t i, struct problem *memory, const uint64_t **offsets,
	struct arena *arena);

/* The offset that the input fixes, or NO_OFFSET. If it fixes all, it is a plan,
 * and only reserved ranges are fixed. */
uint64_t mp_proof_fixed(const struct problem *problem, uint32_t buffer);

/* Numbers the tensors that have bytes as a plan lists them; NONE: it does not.
 * NULL: memory is out. */
uint32_t *mp_proof_number_tensors(
	const struct graph *graph, uint32_t *n, struct arena *arena);

/* Writes what bounds the orders of a graph, in the words of
 * docs/formats/proof.md. number: of its tensors. */
void mp_proof_order_problem(const struct graph *graph,
	const struct order_bound *claim, const uint32_t *number,
	struct sink *sink, struct arena *scratch);

struct certificate;

/* Writes a flow, that of a member of a bound, as paths. False: memory is out.
 */
bool mp_proof_paths(const struct graph *graph, const uint32_t *number,
	const struct certificate *flow, struct sink *sink,
	struct arena *scratch);

/* ---------------------------------------------------------- domains */

/* Two parts in conflict: one of them lies below the other. */
struct order_pair {
	uint32_t part[2];
	uint32_t buffer[2];
	int64_t above[2]; /* with part[k] below, the other buffer begins at
			     least so many bytes above that of part[k] */
	uint8_t below;	  /* 0 or 1: the lower one; UNDECIDED */
};

enum {
	UNDECIDED = 2,
};

/* What a change has undone: a pair that was decided, or an end of a domain. */
struct trail_entry {
	int64_t before;
	uint32_t index; /* of a pair; or 2 * buffer, + 1 for its high end */
	bool is_pair;
};

/* The offsets that each buffer may have in an arena of some size, given which
 * of two parts lies below: a range [low, high]. */
struct domains {
	const struct problem *problem;
	struct ids among;    /* the buffers that count */
	int64_t *low, *high; /* of a buffer */
	struct order_pair *pairs;
	uint32_t n_pairs;
	struct lists pairs_of; /* of a buffer */
	struct trail_entry *trail;
	uint32_t n_trail, room;
	uint32_t *queue; /* buffers with a new range, and whether it is there */
	bool *queued;
	uint32_t n_queue;
	uint64_t work; /* pairs looked at */
	bool empty;    /* some buffer has no offset left */
	struct arena *arena;
};

/* Begins with no pair decided. Only the buffers among these count, ascending;
 * without a list, all. Pairs are listed by their first part, then the second.
 * False: memory is out, or parts or pairs are too many (then no error is set).
 */
bool mp_proof_domains_init(struct domains *domains,
	const struct problem *problem, struct ids among, uint64_t size,
	struct arena *arena);

/* Decides that the part `below` of a pair is the lower one, and narrows all
 * ranges as far as single pairs can, unless that takes too long. False: memory
 * is out. */
bool mp_proof_domains_decide(
	struct domains *domains, uint32_t pair, uint8_t below);

/* Narrows the ranges at the start. */
bool mp_proof_domains_narrow(struct domains *domains);

/* Takes back all after this length of the trail. */
void mp_proof_domains_undo(struct domains *domains, uint32_t length);

/* ------------------------------------------------------------ piles */

enum {
	PROOF_MOST_PARTS = 4096, /* of a problem */
	PROOF_MOST_PILE = 20,
};

/* The least bytes that those parts take, of which any two exclude each other,
 * one above the other. False: memory is out. */
bool mp_proof_pile_bytes(const struct problem *problem, const uint32_t *parts,
	uint32_t n, uint64_t *bytes, struct arena *arena);

/* Finds n parts, ascending, that take more: those that are alive at one step,
 * or a clique. n 0: none were found, with so many looks at a part of a set.
 * parts has room for PROOF_MOST_PILE. False: memory is out. */
bool mp_proof_pile(const struct problem *problem, uint64_t size, uint64_t work,
	uint32_t *parts, uint32_t *n, struct arena *arena);

/* ------------------------------------------------------- refutation */

/* A refutation: in preorder, the pair at each node that is not refuted at once,
 * and the part that is tried below first: 2 * pair + side. */
struct refutation {
	struct ids among; /* the buffers that count; without a list, all */
	uint32_t *nodes;
	uint32_t n, room;
};

/* Searches for a refutation of all arenas of at most that size. found false:
 * there is none, or it takes more work, in pairs looked at. False: memory is
 * out. */
bool mp_proof_refute(const struct problem *problem, struct ids among,
	uint64_t size, uint64_t most_work, struct refutation *refutation,
	bool *found, struct arena *arena);

/* Searches for a refutation of the large buffers of one of the fullest windows.
 * found false: no window has one that takes no more work. False: memory is out.
 */
bool mp_proof_windows(const struct problem *problem, uint64_t size,
	uint64_t work, struct refutation *refutation, bool *found,
	struct arena *arena);

/* Sets refuted if the nodes refute what the domains hold, and none is left
 * over. False: memory is out. */
bool mp_proof_replay(struct domains *domains, const uint32_t *nodes, uint32_t n,
	bool *refuted, struct arena *arena);

/* ----------------------------------------------------------- search */

/* Why nothing fits in some size: a pile, or else a refutation. */
struct reason {
	uint32_t pile[PROOF_MOST_PILE], n_pile;
	struct refutation refutation;
};

/* Pairs looked at for a memory by check: a tenth of a second. Refutations of
 * this length have some thousand numbers. */
#define PROOF_LITTLE_WORK UINT64_C(20000000)

/* Searches for a reason: a pile, a refutation of all, each with so many looks;
 * or one of a window, with a little work. False: memory is out. */
bool mp_proof_search(const struct problem *problem, uint64_t size,
	uint64_t work, struct reason *reason, bool *found, struct arena *arena);

#endif
