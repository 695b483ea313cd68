/*
 * Simulates a program without a plan: a run, then the same requests replayed on
 * models of online allocators, and swapping.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <time.h>

#include "base/sink-text.h"
#include "simulate/simulate.h"

static bool run_row(memplan *m, const struct simulator *row,
	const struct requests *requests, bool timeline,
	struct simulation *result)
{
	clock_t start = clock();

	mp_street_enter(m, "simulating", row->name);
	if (!mp_simulate_row(row, requests, &m->options.mindspore, timeline,
		    result, &m->run, &m->error))
		return false;
	result->seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	return true;
}

/* Fills the requests by each rule. */
static bool simulate(
	memplan *m, struct run *run, bool timeline, struct requests *requests)
{
	struct simulation *results;

	if (!mp_street_walk(m, run))
		return false;
	assert(m->has_plan);
	results = NEW(&m->run, struct simulation, mp_n_simulators);
	for (int rule = 0; results && rule <= BY_COUNT; rule++)
		if (!mp_simulate_requests_init(&requests[rule],
			    m->plan.schedule, (enum release_rule)rule, &m->run))
			return false;
	for (uint32_t i = 0; results && i < mp_n_simulators; i++)
		if (!run_row(m, &mp_simulators[i],
			    &requests[mp_simulators[i].rule], timeline,
			    &results[i]))
			return false;
	m->results.n_simulations = mp_n_simulators;
	m->results.simulations = results;
	return results != NULL;
}

enum memplan_status memplan_simulate(memplan *m, int timeline)
{
	struct run run = mp_street_begin(m);
	struct requests requests[BY_COUNT + 1];

	simulate(m, &run, timeline != 0, requests);
	return mp_street_end(m);
}

/* ------------------------------------------------------------- swap */

static bool choose_forward_end(memplan *m, struct swapping *swap)
{
	uint32_t given = m->options.forward_end;
	bool sure = true;

	swap->forward_end = given;
	if (given == NONE)
		swap->forward_end = mp_simulate_swap_forward_end(
			m->plan.schedule, &sure, &m->run);
	if (m->error.code != MEMPLAN_OK)
		return false;
	if (swap->forward_end == 0 && given == NONE)
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"%s: no loss among the ops, and nothing rests between "
			"two uses: give forward-end",
			m->planned->name);
	if (!sure)
		mp_warn(&m->error,
			"%s: no loss among the ops: the forward pass is taken "
			"to end where most bytes rest, before step %u; "
			"forward-end sets another step",
			m->planned->name, swap->forward_end);
	if (swap->forward_end > 0 &&
		swap->forward_end < m->plan.problem->n_steps)
		return true;
	return mp_fail(&m->error, MEMPLAN_EUSAGE,
		"%s: forward-end: %u is not between the first and the last of "
		"%u step%s",
		m->planned->name, swap->forward_end, m->plan.problem->n_steps,
		mp_text_plural(m->plan.problem->n_steps));
}

/* The plan without swapping is a valid plan with swapping: every part keeps the
 * offset of its buffer. So the arena never grows. */
static bool plan_pieces(memplan *m, const struct run *run,
	const struct problem *pieces, struct swap_mode *mode)
{
	struct job job;

	if (!mp_street_plan(m, run, pieces, 1, &job))
		return false;
	mode->planner = job.winner;
	mode->arena_size = job.height;
	if (m->plan.arena_size < job.height) {
		mode->planner = m->plan.planner;
		mode->arena_size = m->plan.arena_size;
	}
	return true;
}

static bool replay_pools(memplan *m, const struct requests *from,
	const struct copies *copies, struct swap_mode *mode)
{
	struct simulation *results =
		NEW(&m->run, struct simulation, mp_n_simulators);
	struct arena_mark mark = mp_arena_mark(&m->run);
	struct requests requests = {0};

	if (!results ||
		!mp_simulate_swap_requests(from, copies, &requests, &m->run))
		return false;
	for (uint32_t i = 0; i < mp_n_simulators; i++) {
		if (mp_simulators[i].rule != BY_LIFETIME)
			continue;
		if (!mp_simulate_row(&mp_simulators[i], &requests,
			    &m->options.mindspore, false,
			    &results[mode->n_simulations++], &m->run,
			    &m->error))
			return false;
	}
	mode->simulations = results;
	mp_arena_rewind(&m->run, mark);
	return true;
}

static bool run_mode(memplan *m, const struct run *run,
	const struct requests *requests, const struct copy_mode *row,
	struct copies *copies, struct swap_mode *mode)
{
	struct arena_mark mark;
	struct problem pieces;
	bool fine;

	mp_street_enter(m, "swapping", row->name);
	mode->name = row->name;
	mode->nanoseconds = row->run(copies);
	if (!replay_pools(m, requests, copies, mode))
		return false;
	mark = mp_arena_mark(&m->run);
	fine = mp_simulate_swap_problem(
		       m->plan.problem, copies, &pieces, &m->run, &m->error) &&
	       plan_pieces(m, run, &pieces, mode);
	mode->theoretical_min = pieces.theoretical_min;
	if (fine)
		mp_arena_rewind(&m->run, mark);
	return fine;
}

/* Copies by these modes stand in line with the ops, and their times are sums:
 * so the ops are taken to run one after the other, as they are listed. Of
 * joined graphs the run has a graph of its own. */
static bool take_one_stream(memplan *m, struct run *run)
{
	struct graph *copy;

	if (!mp_street_load(m, run))
		return false;
	if (run->graph->n_streams == 1)
		return true;
	copy = run->layout ? &run->layout->graph
			   : mp_street_copy_graph(m, run->graph);
	if (!copy)
		return false;
	for (uint32_t i = 0; i < copy->n_ops; i++)
		copy->ops[i].stream = 0;
	mp_warn(&m->error,
		"%s: simulated as if all ops were on one stream; 'plan "
		"--budget' copies beside several",
		copy->place);
	run->graph = copy;
	return mp_graph_link(copy, &m->run, &m->error);
}

static bool simulate_swap(memplan *m)
{
	struct run run = mp_street_begin(m);
	struct swapping *swap = NEW(&m->run, struct swapping, 1);
	struct copies copies = {.write_rate = m->options.write_rate,
		.read_rate = m->options.read_rate};
	struct requests requests[BY_COUNT + 1];

	if (!swap || !take_one_stream(m, &run) ||
		!simulate(m, &run, false, requests) ||
		!choose_forward_end(m, swap))
		return false;
	copies.forward_end = swap->forward_end;
	swap->write_rate = copies.write_rate;
	swap->read_rate = copies.read_rate;
	swap->modes = NEW(&m->run, struct swap_mode, mp_n_copy_modes);
	if (!swap->modes ||
		!mp_simulate_swap_maps(m->plan.schedule, &requests[BY_LIFETIME],
			&copies, &m->run, &m->error))
		return false;
	swap->n_maps = copies.n;
	for (uint32_t i = 0; i < copies.n; i++)
		swap->bytes += copies.at[i].bytes;
	for (uint32_t k = 0; k < copies.n_steps; k++)
		swap->nanoseconds += copies.cost[k];
	for (; swap->n_modes < mp_n_copy_modes; swap->n_modes++)
		if (!run_mode(m, &run, &requests[BY_LIFETIME],
			    &mp_copy_modes[swap->n_modes], &copies,
			    &swap->modes[swap->n_modes]))
			return false;
	m->results.swapping = swap;
	return true;
}

enum memplan_status memplan_simulate_swap(memplan *m)
{
	simulate_swap(m);
	return mp_street_end(m);
}
