/*
 * Windows: see system.h. Names are UTF-8 here and UTF-16 in the system's calls,
 * whatever the code page is.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/system.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/num.h"

enum {
	MOST_TRIES = 50, /* at a file that another program has open */
	TRY_MS = 20,
	LOOK_MS = 100, /* at the clock of the processor */
	SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
};

typedef wchar_t wide_text[SYSTEM_LONGEST_NAME];

/* False: not UTF-8, or too long. */
static bool widen(const char *name, wide_text wide)
{
	if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, name, -1, wide,
		    SYSTEM_LONGEST_NAME) > 0)
		return true;
	errno = EINVAL;
	return false;
}

/* What the last call of the system failed of, as errno says it. False. */
static bool explain_failure(void)
{
	static const struct {
		DWORD error;
		int number;
	} rows[] = {
		{ERROR_FILE_NOT_FOUND, ENOENT},
		{ERROR_PATH_NOT_FOUND, ENOENT},
		{ERROR_INVALID_NAME, ENOENT},
		{ERROR_BAD_PATHNAME, ENOENT},
		{ERROR_ALREADY_EXISTS, EEXIST},
		{ERROR_FILE_EXISTS, EEXIST},
		{ERROR_DISK_FULL, ENOSPC},
		{ERROR_HANDLE_DISK_FULL, ENOSPC},
		{ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
		{ERROR_TOO_MANY_OPEN_FILES, EMFILE},
		{ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
	};
	DWORD error = GetLastError();

	errno = EACCES;
	for (size_t i = 0; i < countof(rows); i++)
		if (rows[i].error == error)
			errno = rows[i].number;
	return false;
}

/* ------------------------------------------------------------ start */

static UINT page_before; /* code page of the terminal */

static void restore_page(void)
{
	SetConsoleOutputCP(page_before);
}

/* A terminal keeps its code page when the program has ended. */
static void show_utf8(void)
{
	page_before = GetConsoleOutputCP();
	if (page_before != 0 && page_before != CP_UTF8 &&
		SetConsoleOutputCP(CP_UTF8))
		atexit(restore_page);
}

static char *narrow(const wchar_t *wide)
{
	int length =
		WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
	char *text = malloc((size_t)length);

	if (text)
		WideCharToMultiByte(
			CP_UTF8, 0, wide, -1, text, length, NULL, NULL);
	return text;
}

/* They stay until the program ends. */
static char **take_arguments(int *argc)
{
	wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), argc);
	char **argv = wide ? calloc((size_t)*argc + 1, sizeof(*argv)) : NULL;

	for (int i = 0; argv && i < *argc; i++) {
		argv[i] = narrow(wide[i]);
		if (!argv[i])
			return NULL;
	}
	LocalFree(wide);
	return argv;
}

bool cli_system_begin(int *argc, char ***argv)
{
	for (int fd = SYSTEM_STDIN; fd <= SYSTEM_STDERR; fd++)
		_setmode(fd, _O_BINARY);
	show_utf8();
	*argv = take_arguments(argc);
	return *argv != NULL;
}

/* Names that begin with \\?\ are taken as they are. */
void cli_system_spell(char *name)
{
	if (strncmp(name, "\\\\?\\", 4) == 0)
		return;
	for (; *name; name++)
		if (*name == '\\')
			*name = '/';
}

bool cli_system_is_terminal(void)
{
	HANDLE terminal = GetStdHandle(STD_ERROR_HANDLE);
	DWORD mode;

	return GetConsoleMode(terminal, &mode) &&
	       SetConsoleMode(
		       terminal, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

bool cli_system_is_utf8(void)
{
	return GetConsoleOutputCP() == CP_UTF8;
}

long long cli_system_now_ms(void)
{
	return (long long)GetTickCount64();
}

/* ------------------------------------------------------------ names */

bool cli_system_ends_folder(char byte)
{
	return byte == '/' || byte == '\\' || byte == ':';
}

bool cli_system_is_absolute(const char *name)
{
	return *name == '/' || *name == '\\' || (*name && name[1] == ':');
}

static bool is_alike(const char *a, const char *b, int length)
{
	wide_text wide_a, wide_b;

	return widen(a, wide_a) && widen(b, wide_b) &&
	       CompareStringOrdinal(wide_a, length, wide_b, length, TRUE) ==
		       CSTR_EQUAL;
}

bool cli_system_is_same_name(const char *a, const char *b)
{
	return is_alike(a, b, -1);
}

/* The name ends here, or what stands behind is not looked at. */
static bool ends_device(const char *rest)
{
	rest += strspn(rest, " ");
	return *rest == '\0' || *rest == '.' || *rest == ':';
}

static bool is_device(const char *last)
{
	static const char *const devices[] = {
		"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"};
	static const char *const numbered[] = {"COM", "LPT"};

	for (size_t i = 0; i < countof(devices); i++) {
		size_t length = strlen(devices[i]);

		if (strlen(last) >= length &&
			is_alike(last, devices[i], (int)length) &&
			ends_device(last + length))
			return true;
	}
	for (size_t i = 0; i < countof(numbered); i++)
		if (strlen(last) > 3 && is_alike(last, numbered[i], 3) &&
			last[3] >= '0' && last[3] <= '9' &&
			ends_device(last + 4))
			return true;
	return false;
}

bool cli_system_is_reserved(const char *name)
{
	const char *last = name + strlen(name);

	if (strncmp(name, "//./", 4) == 0)
		return true;
	while (last > name && !cli_system_ends_folder(last[-1]))
		last--;
	return is_device(last) || is_device(name);
}

/* Without the \\?\ that the system puts in front, and with slashes. */
static bool place_of(HANDLE file, char place[SYSTEM_LONGEST_NAME])
{
	wide_text wide;
	const wchar_t *plain = wide;
	DWORD length = GetFinalPathNameByHandleW(
		file, wide, SYSTEM_LONGEST_NAME, FILE_NAME_NORMALIZED);

	if (length == 0 || length >= SYSTEM_LONGEST_NAME)
		return false;
	if (wcsncmp(wide, L"\\\\?\\", 4) == 0 && wide[4] && wide[5] == L':')
		plain = wide + 4;
	if (WideCharToMultiByte(CP_UTF8, 0, plain, -1, place,
		    SYSTEM_LONGEST_NAME, NULL, NULL) == 0)
		return false;
	cli_system_spell(place);
	return true;
}

/* For what can be asked of a file or a folder, without its bytes. */
static HANDLE open_to_look(const char *name)
{
	wide_text wide;

	return widen(name, wide)
		       ? CreateFileW(wide, 0, SHARE_ALL, NULL, OPEN_EXISTING,
				 FILE_FLAG_BACKUP_SEMANTICS, NULL)
		       : INVALID_HANDLE_VALUE;
}

bool cli_system_resolve(const char *folder, char place[SYSTEM_LONGEST_NAME])
{
	HANDLE file = open_to_look(folder);
	bool fine = file != INVALID_HANDLE_VALUE && place_of(file, place);

	if (file != INVALID_HANDLE_VALUE)
		CloseHandle(file);
	return fine;
}

/* Tells where all links end, which is no link. */
bool cli_system_follow(const char *name, char target[SYSTEM_LONGEST_NAME])
{
	wide_text wide;
	DWORD attributes = widen(name, wide) ? GetFileAttributesW(wide) : 0;

	return attributes != INVALID_FILE_ATTRIBUTES &&
	       attributes & FILE_ATTRIBUTE_REPARSE_POINT &&
	       cli_system_resolve(name, target);
}

/* The shell of Windows expands no patterns, and what memplan does with them
 * needs processes of POSIX: a name stands for itself. */
long cli_system_match(const char *pattern,
	bool (*take)(void *context, const char *name), void *context)
{
	return cli_system_look(pattern).exists && take(context, pattern);
}

/* ------------------------------------------------------------ files */

static struct system_file look_at(HANDLE file)
{
	BY_HANDLE_FILE_INFORMATION about;
	struct system_file facts = {.exists = true};

	if (GetFileType(file) != FILE_TYPE_DISK ||
		!GetFileInformationByHandle(file, &about))
		return facts;
	facts.is_regular = !(about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY);
	facts.size = (uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow;
	facts.device = about.dwVolumeSerialNumber;
	facts.number =
		(uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow;
	return facts;
}

struct system_file cli_system_look(const char *name)
{
	HANDLE file = open_to_look(name);
	struct system_file facts = {0};

	if (file == INVALID_HANDLE_VALUE)
		return facts;
	facts = look_at(file);
	CloseHandle(file);
	return facts;
}

struct system_file cli_system_look_at(int fd)
{
	HANDLE file = (HANDLE)_get_osfhandle(fd);

	return file == INVALID_HANDLE_VALUE ? (struct system_file){0}
					    : look_at(file);
}

bool cli_system_may_read(const char *name)
{
	wide_text wide;

	return widen(name, wide) && _waccess(wide, 4) == 0;
}

bool cli_system_may_write(const char *name)
{
	wide_text wide;

	return widen(name, wide) && _waccess(wide, 2) == 0;
}

static int open_file(const char *name, DWORD access, DWORD how, int flags)
{
	wide_text wide;
	HANDLE file;
	int fd;

	if (!widen(name, wide))
		return -1;
	file = CreateFileW(wide, access, SHARE_ALL, NULL, how,
		FILE_ATTRIBUTE_NORMAL, NULL);
	if (file == INVALID_HANDLE_VALUE) {
		explain_failure();
		return -1;
	}
	fd = _open_osfhandle((intptr_t)file, flags | _O_BINARY);
	if (fd < 0)
		CloseHandle(file);
	return fd;
}

/* A folder opens on other systems, and has no bytes. */
int cli_system_open(const char *name)
{
	int fd = open_file(name, GENERIC_READ, OPEN_EXISTING, _O_RDONLY);
	struct system_file facts;

	if (fd < 0 && errno == EACCES) {
		facts = cli_system_look(name);
		if (facts.exists && !facts.is_regular)
			errno = EISDIR;
	}
	return fd;
}

int cli_system_open_device(const char *name)
{
	int fd = open_file(name, GENERIC_WRITE, OPEN_EXISTING, 0);

	if (fd < 0 && errno == EACCES)
		errno = EISDIR;
	return fd;
}

int cli_system_append(const char *name)
{
	return open_file(name, FILE_APPEND_DATA, OPEN_ALWAYS, _O_APPEND);
}

int cli_system_create(char *name)
{
	static uint32_t last; /* number of the file */
	char *end = name + strlen(name) - 6;
	int fd;

	assert(strcmp(end, "XXXXXX") == 0);
	do {
		last = last * 1103515245 + GetCurrentProcessId() +
		       (uint32_t)GetTickCount64();
		for (int i = 0; i < 6; i++)
			end[i] = "0123456789abcdef"[last >> 4 * i & 15];
		fd = open_file(
			name, GENERIC_READ | GENERIC_WRITE, CREATE_NEW, 0);
	} while (fd < 0 && errno == EEXIST);
	return fd;
}

/* A file gets the rights of its folder; so does one that replaces another. */
void cli_system_give_rights(int fd, const char *place)
{
	(void)fd;
	(void)place;
}

long long cli_system_read(int fd, void *bytes, size_t length)
{
	return _read(fd, bytes, (unsigned)num_min(length, INT32_MAX));
}

bool cli_system_write(int fd, const void *bytes, size_t length)
{
	const char *at = bytes;
	int put;

	while (length > 0) {
		put = _write(fd, at, (unsigned)num_min(length, 1 << 20));
		if (put <= 0)
			return false;
		at += put;
		length -= (size_t)put;
	}
	return true;
}

bool cli_system_flush(int fd)
{
	return _commit(fd) == 0;
}

bool cli_system_close(int fd)
{
	return _close(fd) == 0;
}

/* As long as a file is mapped, none can make it shorter. */
void *cli_system_map(int fd, size_t length)
{
	HANDLE map;
	void *bytes;

	if (_lseeki64(fd, 0, SEEK_CUR) != 0)
		return NULL;
	map = CreateFileMappingW(
		(HANDLE)_get_osfhandle(fd), NULL, PAGE_READONLY, 0, 0, NULL);
	if (!map)
		return NULL;
	bytes = MapViewOfFile(map, FILE_MAP_READ, 0, 0, length);
	CloseHandle(map);
	return bytes;
}

void cli_system_unmap(void *bytes, size_t length)
{
	(void)length;
	UnmapViewOfFile(bytes);
}

/* Unlocking pages that are not locked takes them from the working set. */
void cli_system_page_out(void *bytes, size_t length)
{
	VirtualUnlock(bytes, length);
}

bool cli_system_link(const char *name, const char *second)
{
	wide_text wide_first, wide_second;

	return widen(name, wide_first) && widen(second, wide_second) &&
	       (CreateHardLinkW(wide_second, wide_first, NULL) ||
		       explain_failure());
}

/* Virus scanners and indexers open what is new for a moment. */
bool cli_system_move(const char *name, const char *place)
{
	wide_text wide_first, wide_place;

	if (!widen(name, wide_first) || !widen(place, wide_place))
		return false;
	for (int i = 0; i < MOST_TRIES; i++) {
		if (MoveFileExW(wide_first, wide_place,
			    MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
			return true;
		if (GetLastError() != ERROR_SHARING_VIOLATION &&
			GetLastError() != ERROR_ACCESS_DENIED)
			break;
		Sleep(TRY_MS);
	}
	return explain_failure();
}

void cli_system_remove(const char *name)
{
	wide_text wide;

	if (widen(name, wide))
		DeleteFileW(wide);
}

/* cli_system_move() has written it through. */
bool cli_system_flush_folder(const char *folder)
{
	(void)folder;
	return true;
}

/* ---------------------------------------------------------- signals */

static CRITICAL_SECTION held;
static void (*taken_by)(int signal_number);

/* The system calls it in a thread of its own. When the terminal is closed, the
 * user logs off or the machine ends, it ends the program soon after. */
static BOOL WINAPI take(DWORD event)
{
	EnterCriticalSection(&held);
	taken_by(event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT ? SIGINT
								    : SIGABRT);
	LeaveCriticalSection(&held);
	return TRUE;
}

void cli_system_take_signals(void (*take_signal)(int signal_number))
{
	taken_by = take_signal;
	InitializeCriticalSection(&held);
	SetConsoleCtrlHandler(take, TRUE);
}

static ULONGLONG ticks(FILETIME time)
{
	return (ULONGLONG)time.dwHighDateTime << 32 | time.dwLowDateTime;
}

/* What the program ran on the processor, in units of 100 ns. */
static ULONGLONG processor_time(void)
{
	FILETIME begun, ended, in_kernel, in_program;

	if (!GetProcessTimes(GetCurrentProcess(), &begun, &ended, &in_kernel,
		    &in_program))
		return 0;
	return ticks(in_kernel) + ticks(in_program);
}

static ULONGLONG alarm_at; /* on that clock */

static VOID CALLBACK look_at_clock(PVOID context, BOOLEAN has_fired)
{
	(void)context;
	(void)has_fired;
	if (processor_time() >= alarm_at)
		take(CTRL_CLOSE_EVENT);
}

void cli_system_set_alarm(unsigned seconds)
{
	static HANDLE timer;

	if (timer)
		DeleteTimerQueueTimer(NULL, timer, NULL);
	timer = NULL;
	alarm_at = processor_time() + (ULONGLONG)seconds * 10000000;
	if (seconds > 0)
		CreateTimerQueueTimer(&timer, NULL, look_at_clock, NULL,
			LOOK_MS, LOOK_MS, WT_EXECUTEDEFAULT);
}

void cli_system_end_child(long pid)
{
	(void)pid; /* there is none: see crew-none.c */
}

void cli_system_hold_signals(void)
{
	EnterCriticalSection(&held);
}

void cli_system_release_signals(void)
{
	LeaveCriticalSection(&held);
}

/* A shell takes this status for an interrupt. */
void cli_system_end_by(int signal_number)
{
	(void)signal_number;
	if (page_before != 0)
		restore_page();
	TerminateProcess(GetCurrentProcess(), STATUS_CONTROL_C_EXIT);
}
