/*
 * The loader where there is no operating system and no libc: opens a table in
 * flash, compares it with the header of the same plan, runs the plan in a
 * static block, and damages a copy of the table in every byte. Leaves by
 * semihosting; the exit status is the number of the part that failed, or 0.
 *
 * SPDX-License-Identifier: MIT
 */
#include "../example/run-step.h"
#include "memplan/loader.h"
#include "plan.h"

extern const unsigned char table_begin[], table_end[];
extern unsigned char stack_top[];

static unsigned char memory[PLAN_ARENA_SIZE + PLAN_ARENA_ALIGN];
static unsigned char copy[8192];

static int same(const struct memplan_entry *a, const struct memplan_entry *b)
{
	return a->offset == b->offset && a->size == b->size &&
	       a->start == b->start && a->end == b->end && a->pool == b->pool &&
	       a->kind == b->kind;
}

static int read_table(const struct memplan_table *table)
{
	struct memplan_entry entry;
	uint32_t found;

	if (memplan_table_count(table) != PLAN_N_TENSORS)
		return 0;
	for (uint32_t i = 0; i < PLAN_N_TENSORS; i++)
		if (memplan_table_entry(table, i, &entry) ||
			!same(&entry, &plan_entries[i]) ||
			memplan_table_find(
				table, memplan_table_name(table, i), &found) ||
			found != i)
			return 0;
	return memplan_entries_check(plan_entries, PLAN_N_TENSORS, plan_pools,
		       PLAN_N_POOLS) == MEMPLAN_TABLE_OK;
}

static int run_plan(void)
{
	void *block;

	if (memplan_block_align(&plan_pools[0], memory, sizeof(memory), &block))
		return 0;
	for (uint32_t step = 0; step < PLAN_N_STEPS; step++)
		if (example_run_step(plan_entries, PLAN_N_TENSORS, &block,
			    step) < PLAN_N_TENSORS)
			return 0;
	return 1;
}

static int notices_damage(size_t length)
{
	struct memplan_table table;

	if (length > sizeof(copy))
		return 0;
	for (size_t i = 0; i < length; i++)
		copy[i] = table_begin[i];
	for (size_t i = 0; i < length; i++) {
		copy[i] ^= 0x10;
		if (memplan_table_open(&table, copy, length) ==
			MEMPLAN_TABLE_OK)
			return 0;
		copy[i] ^= 0x10;
	}
	return memplan_table_open(&table, copy, length) == MEMPLAN_TABLE_OK;
}

static int run(void)
{
	size_t length = (size_t)((uintptr_t)table_end - (uintptr_t)table_begin);
	struct memplan_table table;

	if (memplan_table_open(&table, table_begin, length))
		return 1;
	if (!read_table(&table))
		return 2;
	if (!run_plan())
		return 3;
	return notices_damage(length) ? 0 : 4;
}

/* SYS_EXIT_EXTENDED with ADP_Stopped_ApplicationExit. */
static void leave(uint32_t status)
{
	uint32_t block[2] = {0x20026, status};
	register uint32_t operation __asm__("r0") = 0x20;
	register uint32_t *argument __asm__("r1") = block;

	__asm__ volatile("bkpt 0xab"
			 :
			 : "r"(operation), "r"(argument)
			 : "memory");
}

static void reset(void)
{
	leave((uint32_t)run());
	for (;;)
		;
}

static void fault(void)
{
	leave(99);
	for (;;)
		;
}

struct vectors {
	unsigned char *stack;
	void (*handlers[15])(void);
};

__attribute__((
	section(".vectors"), used)) static const struct vectors vectors = {
	stack_top, {reset, fault, fault, fault, fault, fault, fault, fault,
			   fault, fault, fault, fault, fault, fault, fault}};

__asm__(".section .rodata\n.balign 4\n.global table_begin, table_end\n"
	"table_begin: .incbin \"plan.bin\"\ntable_end:\n");
