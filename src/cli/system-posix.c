/*
 * POSIX: see system.h.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE /* madvise() */
#include "cli/system.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "cli/signals.h"
#include "memplan/status.h"
#include "store/store.h"

/* ------------------------------------------------------------ start */

bool cli_system_begin(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return true;
}

void cli_system_spell(char *name)
{
	(void)name;
}

bool cli_system_is_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && (!term || strcmp(term, "dumb") != 0);
}

bool cli_system_is_utf8(void)
{
	static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	const char *value = NULL;

	for (size_t i = 0; i < 3 && !(value && *value); i++)
		value = getenv(variables[i]);
	return value &&
	       (strstr(value, "UTF-8") || strstr(value, "utf8") ||
		       strstr(value, "UTF8") || strstr(value, "utf-8"));
}

long long cli_system_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ------------------------------------------------------------ names */

bool cli_system_ends_folder(char byte)
{
	return byte == '/';
}

bool cli_system_is_absolute(const char *name)
{
	return *name == '/';
}

bool cli_system_is_same_name(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

bool cli_system_is_reserved(const char *name)
{
	(void)name;
	return false;
}

bool cli_system_follow(const char *name, char target[SYSTEM_LONGEST_NAME])
{
	ssize_t length = readlink(name, target, SYSTEM_LONGEST_NAME - 1);

	if (length > 0)
		target[length] = '\0';
	return length > 0;
}

bool cli_system_resolve(const char *folder, char place[SYSTEM_LONGEST_NAME])
{
	_Static_assert(SYSTEM_LONGEST_NAME >= PATH_MAX, "room for any path");
	return realpath(folder, place) != NULL;
}

long cli_system_match(const char *pattern,
	bool (*take)(void *context, const char *name), void *context)
{
	glob_t found;
	int status = glob(pattern, 0, NULL, &found);
	long n = 0;

	if (status == GLOB_NOSPACE)
		return -1;
	if (status != 0)
		return 0;
	while ((size_t)n < found.gl_pathc && take(context, found.gl_pathv[n]))
		n++;
	globfree(&found);
	return n;
}

/* ------------------------------------------------------------ files */

static struct system_file facts(const struct stat *status)
{
	return (struct system_file){.exists = true,
		.is_regular = S_ISREG(status->st_mode),
		.size = status->st_size > 0 ? (uint64_t)status->st_size : 0,
		.device = (uint64_t)status->st_dev,
		.number = (uint64_t)status->st_ino};
}

struct system_file cli_system_look(const char *name)
{
	struct stat status;

	return stat(name, &status) == 0 ? facts(&status)
					: (struct system_file){0};
}

struct system_file cli_system_look_at(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 ? facts(&status)
				       : (struct system_file){0};
}

bool cli_system_may_read(const char *name)
{
	return access(name, R_OK) == 0;
}

bool cli_system_may_write(const char *name)
{
	return access(name, W_OK) == 0;
}

int cli_system_open(const char *name)
{
	return open(name, O_RDONLY | O_CLOEXEC);
}

int cli_system_open_device(const char *name)
{
	return open(name, O_WRONLY | O_CLOEXEC);
}

int cli_system_append(const char *name)
{
	return open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
}

int cli_system_create(char *name)
{
	return mkstemp(name);
}

/* mkstemp() makes files private. */
void cli_system_give_rights(int fd, const char *place)
{
	struct stat status;
	mode_t mask;

	if (stat(place, &status) < 0) {
		mask = umask(0);
		umask(mask);
		status.st_mode = 0666 & ~mask;
	} else if (fchown(fd, status.st_uid, status.st_gid) < 0) {
		/* Only the superuser gives files away. */
	}
	fchmod(fd, status.st_mode & 0777);
}

long long cli_system_read(int fd, void *bytes, size_t length)
{
	ssize_t got;

	do
		got = read(fd, bytes, length);
	while (got < 0 && errno == EINTR);
	return got;
}

bool cli_system_write(int fd, const void *bytes, size_t length)
{
	return mp_store_write(fd, bytes, length);
}

bool cli_system_flush(int fd)
{
	return fsync(fd) == 0;
}

bool cli_system_close(int fd)
{
	return close(fd) == 0;
}

/* A page of a mapped file is gone: the file was made shorter. */
static void end_without_page(int signal_number)
{
	static const char text[] =
		"memplan: an input became shorter while it was read\n";

	ssize_t put = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)signal_number;
	(void)put;
	cli_signals_clean();
	_exit(MEMPLAN_EIO);
}

void *cli_system_map(int fd, size_t length)
{
	void *bytes;

	if (lseek(fd, 0, SEEK_CUR) != 0)
		return NULL;
	bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return NULL;
	signal(SIGBUS, end_without_page);
	return bytes;
}

void cli_system_unmap(void *bytes, size_t length)
{
	munmap(bytes, length);
}

void cli_system_page_out(void *bytes, size_t length)
{
	madvise(bytes, length, MADV_DONTNEED);
}

bool cli_system_link(const char *name, const char *second)
{
	return link(name, second) == 0;
}

bool cli_system_move(const char *name, const char *place)
{
	return rename(name, place) == 0;
}

void cli_system_remove(const char *name)
{
	unlink(name);
}

/* Some file systems cannot flush a folder, and need not. */
bool cli_system_flush_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), why;
	bool fine;

	if (fd < 0)
		return true;
	fine = fsync(fd) == 0 || errno != EIO;
	why = errno;
	close(fd);
	errno = why;
	return fine;
}

/* ---------------------------------------------------------- signals */

/* Those that end a program and that its caller sends, or the system because of
 * a limit. SIGXFSZ is ignored instead: write() then fails, which has a sentence
 * and a status. Faults of the program itself are left alone. */
static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM,
	SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF};

static sigset_t held_before;

static sigset_t all_ending(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < countof(ending); i++)
		sigaddset(&set, ending[i]);
	return set;
}

static struct sigaction taking;

void cli_system_take_signals(void (*take)(int signal_number))
{
	struct sigaction before;

	taking = (struct sigaction){.sa_handler = take};
	taking.sa_mask = all_ending();
	for (size_t i = 0; i < countof(ending); i++)
		if (sigaction(ending[i], NULL, &before) == 0 &&
			before.sa_handler == SIG_DFL)
			sigaction(ending[i], &taking, NULL);
	signal(SIGXFSZ, SIG_IGN);
}

void cli_system_set_alarm(unsigned seconds)
{
	struct itimerval timer = {.it_value.tv_sec = (time_t)seconds};

	if (seconds > 0)
		sigaction(SIGPROF, &taking, NULL);
	setitimer(ITIMER_PROF, &timer, NULL);
}

void cli_system_end_child(long pid)
{
	kill((pid_t)pid, SIGTERM);
}

void cli_system_hold_signals(void)
{
	sigset_t set = all_ending();

	sigprocmask(SIG_BLOCK, &set, &held_before);
}

void cli_system_release_signals(void)
{
	sigprocmask(SIG_SETMASK, &held_before, NULL);
}

/* Also from the signal's handler, where the signal is blocked. */
void cli_system_end_by(int signal_number)
{
	sigset_t set;

	signal(signal_number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signal_number);
	raise(signal_number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}
