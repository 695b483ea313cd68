/*
 * For tests: a library to preload that makes one call of a program fail, or of
 * a process that it forks: they are counted together.
 * MEMPLAN_FAULT=KIND:N makes the N-th call of that kind fail, from 1, and
 * KIND:N+ that one and all later ones; "signal:N" raises SIGTERM in front of
 * the N-th call of any kind. MEMPLAN_FAULT_COUNT names a file that gets the
 * number of calls of each kind, a line each. MEMPLAN_FAULT_TIME=CLOCK has all
 * time of that clock, wall or processor, pass whenever a timer is set on it.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE	 /* else read() is an inline function */
#undef _FILE_OFFSET_BITS /* else mkstemp() is mkstemp64() */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

enum kind {
	MEMORY,
	READ,
	WRITE,
	SYNC,
	RENAME,
	CREATE,
	OPEN,
	LINK,
	PROCESS,
	THREAD,
	N_KINDS
};

static const char *const names[N_KINDS] = {"memory", "read", "write", "sync",
	"rename", "create", "open", "link", "process", "thread"};
static const int numbers[N_KINDS] = {
	ENOMEM, EIO, ENOSPC, EIO, EIO, ENOSPC, EMFILE, EPERM, EAGAIN, EAGAIN};

struct counts {
	atomic_ulong kinds[N_KINDS], all;
};
static struct counts early; /* before there is memory to share */
static struct counts *counts = &early;

__attribute__((constructor)) static void share(void)
{
	struct counts *shared = mmap(NULL, sizeof(*shared),
		PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return;
	memcpy(shared, &early, sizeof(*shared));
	counts = shared;
}

/* What stands behind "KIND:" if it is that kind; NULL: another one. */
static const char *fault_of(const char *name)
{
	const char *fault = getenv("MEMPLAN_FAULT");
	size_t length = strlen(name);

	return fault && strncmp(fault, name, length) == 0 &&
			       fault[length] == ':'
		       ? fault + length + 1
		       : NULL;
}

static int is_due(const char *fault, unsigned long count)
{
	char *end;
	unsigned long wanted;

	if (!fault)
		return 0;
	wanted = strtoul(fault, &end, 10);
	return *end == '+' ? count >= wanted : count == wanted;
}

/* True if this call is to fail; sets errno. */
static int fails(enum kind kind)
{
	if (is_due(fault_of("signal"), ++counts->all))
		raise(SIGTERM);
	if (!is_due(fault_of(names[kind]), ++counts->kinds[kind]))
		return 0;
	errno = numbers[kind];
	return 1;
}

__attribute__((destructor)) static void tell(void)
{
	const char *name = getenv("MEMPLAN_FAULT_COUNT");
	FILE *file = name ? fopen(name, "w") : NULL;

	if (!file)
		return;
	for (int i = 0; i < N_KINDS; i++)
		fprintf(file, "%s %lu\n", names[i], counts->kinds[i]);
	fprintf(file, "signal %lu\n", counts->all);
	fclose(file);
}

/* The next definition of a function of that name: the system's. */
#define NEXT(type, name) (__extension__(type) dlsym(RTLD_NEXT, name))

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
	return fails(MEMORY) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails(MEMORY) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	return fails(MEMORY) ? NULL : __libc_realloc(old, size);
}

ssize_t read(int fd, void *bytes, size_t n)
{
	return fails(READ) ? -1
			   : NEXT(ssize_t(*)(int, void *, size_t), "read")(
				     fd, bytes, n);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
	return fails(WRITE) ? -1
			    : NEXT(ssize_t(*)(int, const void *, size_t),
				      "write")(fd, bytes, n);
}

int fsync(int fd)
{
	return fails(SYNC) ? -1 : NEXT(int (*)(int), "fsync")(fd);
}

int rename(const char *from, const char *to)
{
	return fails(RENAME) ? -1
			     : NEXT(int (*)(const char *, const char *),
				       "rename")(from, to);
}

int mkstemp(char *name)
{
	return fails(CREATE) ? -1 : NEXT(int (*)(char *), "mkstemp")(name);
}

int mkstemp64(char *name)
{
	return fails(CREATE) ? -1 : NEXT(int (*)(char *), "mkstemp64")(name);
}

static int open_as(const char *function, const char *name, int flags, int mode)
{
	return fails(OPEN) ? -1
			   : NEXT(int (*)(const char *, int, ...), function)(
				     name, flags, mode);
}

/* A mode is there only if a file may be made; else it is not looked at. */
int open(const char *name, int flags, ...)
{
	va_list more;
	int mode;

	va_start(more, flags);
	mode = flags & O_CREAT ? va_arg(more, int) : 0;
	va_end(more);
	return open_as("open", name, flags, mode);
}

int open64(const char *name, int flags, ...)
{
	va_list more;
	int mode;

	va_start(more, flags);
	mode = flags & O_CREAT ? va_arg(more, int) : 0;
	va_end(more);
	return open_as("open64", name, flags, mode);
}

int link(const char *name, const char *second)
{
	return fails(LINK) ? -1
			   : NEXT(int (*)(const char *, const char *), "link")(
				     name, second);
}

pid_t fork(void)
{
	return fails(PROCESS) ? -1 : NEXT(pid_t(*)(void), "fork")();
}

/* Returns what it would leave in errno. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
	void *(*start)(void *), void *argument)
{
	return fails(THREAD) ? EAGAIN
			     : NEXT(int (*)(pthread_t *, const pthread_attr_t *,
					    void *(*)(void *), void *),
				       "pthread_create")(
				       thread, attributes, start, argument);
}

/* Pages are memory too, and so is what may be written of them. */
static void *map(const char *function, void *at, size_t size, int access,
	int flags, int fd, off_t from)
{
	return (flags & MAP_ANONYMOUS) && fails(MEMORY)
		       ? MAP_FAILED
		       : NEXT(void *(*)(void *, size_t, int, int, int, off_t),
				 function)(at, size, access, flags, fd, from);
}

void *mmap(void *at, size_t size, int access, int flags, int fd, off_t from)
{
	return map("mmap", at, size, access, flags, fd, from);
}

void *mmap64(void *at, size_t size, int access, int flags, int fd, off64_t from)
{
	return map("mmap64", at, size, access, flags, fd, from);
}

int mprotect(void *at, size_t size, int access)
{
	return fails(MEMORY) ? -1
			     : NEXT(int (*)(void *, size_t, int), "mprotect")(
				       at, size, access);
}

static int passes(const char *clock)
{
	const char *name = getenv("MEMPLAN_FAULT_TIME");

	return name && strcmp(name, clock) == 0;
}

unsigned alarm(unsigned seconds)
{
	if (seconds > 0 && passes("wall"))
		raise(SIGALRM);
	return 0;
}

int setitimer(__itimer_which_t which, const struct itimerval *timer,
	struct itimerval *old)
{
	(void)old;
	if (timer->it_value.tv_sec > 0 &&
		passes(which == ITIMER_REAL ? "wall" : "processor"))
		raise(which == ITIMER_REAL ? SIGALRM : SIGPROF);
	return 0;
}
