/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Preloaded, this lets one call of a program go wrong, whoever in it makes it:
 *
 *     FAULT_GROUP=write  which calls count (see group_names below)
 *     FAULT_AT=N         the Nth of them goes wrong, from 1 on
 *     FAULT_ERRNO=E      it fails with this errno; or
 *     FAULT_SHORT=1      it reads or writes half of what it was asked for; or
 *     FAULT_SIGNAL=S     before it the process gets this signal; or
 *     FAULT_CUT=FILE     before it this file is cut to a third of its length
 *     FAULT_ON=1         all that come after it go wrong, too
 *
 * FAULT_COUNT=FILE has the number of calls of each group at the end of the run.
 */
/* Each name is its own here, open and open64, though the program uses the second for both. */
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

enum group {
	MEMORY,
	MAP,
	OPEN,
	READ,
	WRITE,
	COPY,
	TRUNCATE,
	SYNC,
	CLOSE,
	RENAME,
	STAT,
	ATTRIBUTE,
	THREAD,
	MASK,
	GROUPS,
};

static const char *const group_names[GROUPS] = {
	"memory", "map",   "open",   "read", "write",     "copy",   "truncate",
	"sync",   "close", "rename", "stat", "attribute", "thread", "mask",
};

static struct {
	bool ready;
	uint64_t counts[GROUPS]; /* atomic */
	enum group group;        /* GROUPS: none goes wrong */
	uint64_t at;
	bool goes_on;
	bool is_short;
	int code;
	int signal_number;
	const char *cut;
	const char *count_file;
} fault = { .group = GROUPS };

static long number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : 0;
}

/* Before what tools do at the end of a run (coverage is written then): that is no call of the program. */
static void end(void)
{
	FILE *file;

	fault.ready = false;
	file = fault.count_file ? fopen(fault.count_file, "w") : NULL;
	if (!file)
		return;
	for (unsigned int i = 0; i < GROUPS; i++)
		fprintf(file, "%s %llu\n", group_names[i], (unsigned long long)fault.counts[i]);
	fclose(file);
}

__attribute__((constructor)) static void begin(void)
{
	const char *group = getenv("FAULT_GROUP");

	for (unsigned int i = 0; group && i < GROUPS; i++)
		if (!strcmp(group, group_names[i]))
			fault.group = (enum group)i;
	fault.at = (uint64_t)number("FAULT_AT");
	fault.goes_on = number("FAULT_ON");
	fault.is_short = number("FAULT_SHORT");
	fault.code = (int)number("FAULT_ERRNO");
	fault.signal_number = (int)number("FAULT_SIGNAL");
	fault.cut = getenv("FAULT_CUT");
	fault.count_file = getenv("FAULT_COUNT");
}

/* Calls count from main on, and until what main has registered for the end of the run is done. */
static int (*program_main)(int, char **, char **);

static int main_with_faults(int argument_count, char **arguments, char **environment)
{
	fault.ready = !atexit(end);
	return program_main(argument_count, arguments, environment);
}

/* Of the C library, called by what starts a program. */
int __libc_start_main(int (*main)(int, char **, char **), int argument_count, char **arguments,
		      void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
		      void *stack_end);

int __libc_start_main(int (*main)(int, char **, char **), int argument_count, char **arguments,
		      void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
		      void *stack_end)
{
	__typeof__(&__libc_start_main) start = NULL;
	void *found = dlsym(RTLD_NEXT, "__libc_start_main");

	memcpy(&start, &found, sizeof(start));
	program_main = main;
	return start(main_with_faults, argument_count, arguments, init, fini, rtld_fini, stack_end);
}

/* By the kernel's number: the library's call may be one of those that are counted. */
static void cut_file(const char *path)
{
	struct stat status;
	long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR, 0);

	if (fd < 0 || fstat((int)fd, &status) || syscall(SYS_ftruncate, fd, status.st_size / 3))
		abort();
	syscall(SYS_close, fd);
}

/* Whether this call, the next of GROUP, is one that goes wrong. */
static bool is_next(enum group group)
{
	uint64_t count;

	if (!fault.ready)
		return false;
	count = __atomic_add_fetch(&fault.counts[group], 1, __ATOMIC_RELAXED);
	return group == fault.group && (count == fault.at || (fault.goes_on && count > fault.at));
}

/* Counts a call; true where it has to fail, with errno set. */
static bool fails(enum group group)
{
	if (!is_next(group))
		return false;
	if (fault.cut) {
		fault.ready = false;
		cut_file(fault.cut);
		fault.ready = true;
	} else if (fault.signal_number) {
		kill(getpid(), fault.signal_number);
	}
	errno = fault.code;
	return fault.code;
}

/* The same for calls that move bytes, which may move fewer. */
static bool fails_on(enum group group, size_t *size_bytes)
{
	if (!fault.is_short)
		return fails(group);
	if (is_next(group) && *size_bytes > 1)
		*size_bytes /= 2;
	return false;
}

#define REAL(name)                                                                                 \
	static __typeof__(&(name)) real;                                                           \
	if (!real)                                                                                 \
	real = (__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name)

/* ---- memory ---- */

void *malloc(size_t size)
{
	REAL(malloc);
	return fails(MEMORY) ? NULL : real(size);
}

void *calloc(size_t count, size_t size)
{
	REAL(calloc);
	return fails(MEMORY) ? NULL : real(count, size);
}

void *realloc(void *memory, size_t size)
{
	REAL(realloc);
	return fails(MEMORY) ? NULL : real(memory, size);
}

void *reallocarray(void *memory, size_t count, size_t size)
{
	REAL(reallocarray);
	return fails(MEMORY) ? NULL : real(memory, count, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	REAL(aligned_alloc);
	return fails(MEMORY) ? NULL : real(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
	REAL(posix_memalign);
	return fails(MEMORY) ? errno : real(memory, alignment, size);
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
	REAL(mmap);
	return fails(MAP) ? MAP_FAILED : real(at, size, protection, flags, file, offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int file, off64_t offset)
{
	REAL(mmap64);
	return fails(MAP) ? MAP_FAILED : real(at, size, protection, flags, file, offset);
}

int mprotect(void *at, size_t size, int protection)
{
	REAL(mprotect);
	return fails(MAP) ? -1 : real(at, size, protection);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
		   void *argument)
{
	REAL(pthread_create);
	return fails(THREAD) ? errno : real(thread, attributes, start, argument);
}

/* Before it, and while it lets signals wait, is where one could come in between. */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	REAL(pthread_sigmask);
	return fails(MASK) ? errno : real(how, set, before);
}

/* ---- opening and closing ---- */

static mode_t mode_of(int flags, va_list arguments)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

#define DEFINE_OPEN(name)                                                                          \
	int name(const char *path, int flags, ...)                                                 \
	{                                                                                          \
		va_list arguments;                                                                 \
		mode_t mode;                                                                       \
		REAL(name);                                                                        \
                                                                                                   \
		va_start(arguments, flags);                                                        \
		mode = mode_of(flags, arguments);                                                  \
		va_end(arguments);                                                                 \
		return fails(OPEN) ? -1 : real(path, flags, mode);                                 \
	}

DEFINE_OPEN(open)
DEFINE_OPEN(open64)

/* What fortified callers of open call. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);

int __open_2(const char *path, int flags)
{
	REAL(__open_2);
	return fails(OPEN) ? -1 : real(path, flags);
}

int __open64_2(const char *path, int flags)
{
	REAL(__open64_2);
	return fails(OPEN) ? -1 : real(path, flags);
}

FILE *fopen(const char *path, const char *mode)
{
	REAL(fopen);
	return fails(OPEN) ? NULL : real(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
	REAL(fopen64);
	return fails(OPEN) ? NULL : real(path, mode);
}

int mkostemp(char *path, int flags)
{
	REAL(mkostemp);
	return fails(OPEN) ? -1 : real(path, flags);
}

int mkostemp64(char *path, int flags)
{
	REAL(mkostemp64);
	return fails(OPEN) ? -1 : real(path, flags);
}

/* It is closed even where that tells of an error. */
int close(int fd)
{
	int code;
	int result;
	REAL(close);

	if (!fails(CLOSE))
		return real(fd);
	code = errno;
	result = real(fd);
	errno = code;
	return result ? result : -1;
}

/* ---- bytes ---- */

ssize_t read(int fd, void *data, size_t size)
{
	REAL(read);
	return fails_on(READ, &size) ? -1 : real(fd, data, size);
}

ssize_t pread(int fd, void *data, size_t size, off_t offset)
{
	REAL(pread);
	return fails_on(READ, &size) ? -1 : real(fd, data, size, offset);
}

ssize_t pread64(int fd, void *data, size_t size, off64_t offset)
{
	REAL(pread64);
	return fails_on(READ, &size) ? -1 : real(fd, data, size, offset);
}

/* What fortified callers call. */
ssize_t __read_chk(int fd, void *data, size_t size, size_t room);
ssize_t __pread_chk(int fd, void *data, size_t size, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *data, size_t size, off64_t offset, size_t room);

ssize_t __read_chk(int fd, void *data, size_t size, size_t room)
{
	REAL(__read_chk);
	return fails_on(READ, &size) ? -1 : real(fd, data, size, room);
}

ssize_t __pread_chk(int fd, void *data, size_t size, off_t offset, size_t room)
{
	REAL(__pread_chk);
	return fails_on(READ, &size) ? -1 : real(fd, data, size, offset, room);
}

ssize_t __pread64_chk(int fd, void *data, size_t size, off64_t offset, size_t room)
{
	REAL(__pread64_chk);
	return fails_on(READ, &size) ? -1 : real(fd, data, size, offset, room);
}

ssize_t write(int fd, const void *data, size_t size)
{
	REAL(write);
	return fails_on(WRITE, &size) ? -1 : real(fd, data, size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
	REAL(pwrite);
	return fails_on(WRITE, &size) ? -1 : real(fd, data, size, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
	REAL(pwrite64);
	return fails_on(WRITE, &size) ? -1 : real(fd, data, size, offset);
}

ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t size,
			unsigned int flags)
{
	REAL(copy_file_range);
	return fails_on(COPY, &size) ? -1 : real(from, from_offset, to, to_offset, size, flags);
}

int ftruncate(int fd, off_t size)
{
	REAL(ftruncate);
	return fails(TRUNCATE) ? -1 : real(fd, size);
}

int ftruncate64(int fd, off64_t size)
{
	REAL(ftruncate64);
	return fails(TRUNCATE) ? -1 : real(fd, size);
}

int fsync(int fd)
{
	REAL(fsync);
	return fails(SYNC) ? -1 : real(fd);
}

/* ---- names and attributes ---- */

int rename(const char *from, const char *to)
{
	REAL(rename);
	return fails(RENAME) ? -1 : real(from, to);
}

int stat(const char *path, struct stat *status)
{
	REAL(stat);
	return fails(STAT) ? -1 : real(path, status);
}

int fstat(int fd, struct stat *status)
{
	REAL(fstat);
	return fails(STAT) ? -1 : real(fd, status);
}

int stat64(const char *path, struct stat64 *status)
{
	REAL(stat64);
	return fails(STAT) ? -1 : real(path, status);
}

int fstat64(int fd, struct stat64 *status)
{
	REAL(fstat64);
	return fails(STAT) ? -1 : real(fd, status);
}

int faccessat(int folder, const char *path, int mode, int flags)
{
	REAL(faccessat);
	return fails(STAT) ? -1 : real(folder, path, mode, flags);
}

int fchmod(int fd, mode_t mode)
{
	REAL(fchmod);
	return fails(ATTRIBUTE) ? -1 : real(fd, mode);
}

int fchown(int fd, uid_t owner, gid_t group)
{
	REAL(fchown);
	return fails(ATTRIBUTE) ? -1 : real(fd, owner, group);
}

ssize_t flistxattr(int fd, char *list, size_t size)
{
	REAL(flistxattr);
	return fails(ATTRIBUTE) ? -1 : real(fd, list, size);
}

ssize_t fgetxattr(int fd, const char *name, void *value, size_t size)
{
	REAL(fgetxattr);
	return fails(ATTRIBUTE) ? -1 : real(fd, name, value, size);
}

int fsetxattr(int fd, const char *name, const void *value, size_t size, int flags)
{
	REAL(fsetxattr);
	return fails(ATTRIBUTE) ? -1 : real(fd, name, value, size, flags);
}
