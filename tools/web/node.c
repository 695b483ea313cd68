/*
 * Three questions that Emscripten 3.1.6 answers without asking Node: may this
 * process write a file, is a stream a terminal, which rights has a new file.
 * These functions come before those of libc.
 *
 * SPDX-License-Identifier: MIT
 */
#include <emscripten.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* clang-format off */
EM_JS(int, mp_node_may, (const char *name, int mode), {
	try {
		require("fs").accessSync(UTF8ToString(name), mode);
		return 1;
	} catch {
		return 0;
	}
});
EM_JS(int, mp_node_isatty, (int fd), {
	return +require("tty").isatty(fd);
});
EM_JS(int, mp_node_umask, (int mask), {
	return process.umask(mask);
});
/* clang-format on */

int access(const char *name, int mode)
{
	if (mp_node_may(name, mode))
		return 0;
	errno = EACCES;
	return -1;
}

int isatty(int fd)
{
	if (mp_node_isatty(fd))
		return 1;
	errno = ENOTTY;
	return 0;
}

mode_t umask(mode_t mask)
{
	return (mode_t)mp_node_umask((int)mask);
}
