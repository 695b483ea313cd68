/*
 * What the program asks of the system. A file of this name and the system's,
 * system-posix.c or system-windows.c, has all such calls of the program; no
 * other file of this room includes a header of a system.
 *
 * Names of files are UTF-8, with slashes between folders. A call that fails
 * sets errno.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_SYSTEM_H
#define MP_CLI_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SYSTEM_STDIN,
	SYSTEM_STDOUT,
	SYSTEM_STDERR,
	SYSTEM_LONGEST_NAME = 4096, /* bytes of a name, with its end */
};

/* ------------------------------------------------------------ start */

/* Comes first: makes the arguments UTF-8, and streams plain bytes. False:
 * memory is out. */
bool cli_system_begin(int *argc, char ***argv);

/* Gives the name of a file slashes between folders, in place. */
void cli_system_spell(char *name);

/* Is stderr a terminal that takes escape sequences? */
bool cli_system_is_terminal(void);

/* Does the terminal take UTF-8? */
bool cli_system_is_utf8(void);

/* Milliseconds of a clock that never goes back. */
long long cli_system_now_ms(void);

/* ------------------------------------------------------------ names */

/* Can a name in front of this byte be a folder's? */
bool cli_system_ends_folder(char byte);

bool cli_system_is_absolute(const char *name);

/* Are both the name of one file in one folder? */
bool cli_system_is_same_name(const char *a, const char *b);

/* Is it a device, in every folder: NUL, CON.json? */
bool cli_system_is_reserved(const char *name);

/* What the name links to, as the link has it. False: it is no link. */
bool cli_system_follow(const char *name, char target[SYSTEM_LONGEST_NAME]);

/* The name of a folder behind all links, without "..". False: there is none. */
bool cli_system_resolve(const char *folder, char place[SYSTEM_LONGEST_NAME]);

/* Calls the function with each name that a pattern of the shell stands for, in
 * order, until it returns false. How many there were, or −1: memory is out. */
long cli_system_match(const char *pattern,
	bool (*take)(void *context, const char *name), void *context);

/* ------------------------------------------------------------ files */

struct system_file {
	bool exists;
	bool is_regular;	 /* else a folder, a device or a pipe */
	uint64_t size;		 /* bytes, of a regular file */
	uint64_t device, number; /* both together tell files apart */
};

struct system_file cli_system_look(const char *name);
struct system_file cli_system_look_at(int fd);

bool cli_system_may_read(const char *name);
bool cli_system_may_write(const char *name);

/* These give a descriptor, or −1. What others do with the file is not
 * hindered. */
int cli_system_open(const char *name);
int cli_system_open_device(const char *name); /* to be written */
int cli_system_append(const char *name);      /* made if it is not there */

/* Makes a new file; its name ends with XXXXXX, which becomes unique. */
int cli_system_create(char *name);

/* Gives a new file the rights of the one at the place, or those that a file
 * made there would get. */
void cli_system_give_rights(int fd, const char *place);

/* Bytes that were read, 0 at the end; −1: failed. */
long long cli_system_read(int fd, void *bytes, size_t length);
bool cli_system_write(int fd, const void *bytes, size_t length); /* all */
bool cli_system_flush(int fd);
bool cli_system_close(int fd);

/* Maps a file that was just opened, for reading. NULL: it cannot be. */
void *cli_system_map(int fd, size_t length);
void cli_system_unmap(void *bytes, size_t length);
void cli_system_page_out(void *bytes, size_t length);

/* A second name for a file. */
bool cli_system_link(const char *name, const char *second);

/* Puts a file in the place of another one, or where none is. */
bool cli_system_move(const char *name, const char *place);

/* May be called from signal handlers. */
void cli_system_remove(const char *name);

/* Flushes what was moved into a folder. False: the disk failed. */
bool cli_system_flush_folder(const char *folder);

/* ---------------------------------------------------------- signals */

/* Has a function called by each signal that ends the program and that its
 * caller does not ignore. It is SIGINT if a user, or SIGTERM if another
 * program asks for an end. Two calls are never at the same time, nor is one
 * while signals are held. */
void cli_system_take_signals(void (*take)(int signal_number));
void cli_system_hold_signals(void);
void cli_system_release_signals(void);

/* Has the same function called once the program has run so many seconds on the
 * processor, all threads together; 0: not any more. Both may be called from
 * signal handlers, and so may the next. */
void cli_system_set_alarm(unsigned seconds);
void cli_system_end_child(long pid);

/* Ends the program as the signal does where it is not taken. */
void cli_system_end_by(int signal_number);

#endif
