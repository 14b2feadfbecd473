/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)64 * 1024)

/*
 * What is behind the stream. stdio forgets why a write failed when it is a
 * later call that tells of it, so the first reason is kept here.
 */
struct bc_output_sink {
	int fd;
	int source_fd;   /* of the file that is written over; -1: none */
	int first_errno; /* 0: none yet; nothing is written after one */
	bool dropped;    /* nothing more is to be written */
	char buffer[BUFFER_BYTES];
};

/* A temporary file that exists. Linked while it does; see below. */
struct bc_output_temporary {
	struct bc_output_temporary *next;
	char path[];
};

/*
 * Read by a signal handler. Changed only while signals are blocked, so that
 * the handler, run by the same thread, sees the list whole.
 */
static struct bc_output_temporary *temporaries;

void bc_output_remove_temporaries(void)
{
	const struct bc_output_temporary *temporary;

	for (temporary = temporaries; temporary; temporary = temporary->next)
		unlink(temporary->path);
}

void bc_output_block_signals(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, before);
}

static void forget_temporary(struct bc_output_temporary *temporary)
{
	struct bc_output_temporary **link = &temporaries;
	sigset_t before;

	bc_output_block_signals(&before);
	while (*link != temporary)
		link = &(*link)->next;
	*link = temporary->next;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	free(temporary);
}

/* Beside TARGET, so that it can be renamed to it. Returns an fd, or -1 with err set. */
static int create_temporary(struct bc_output *output, struct bc_err *err)
{
	const char *slash = strrchr(output->target, '/');
	const char *base = slash ? slash + 1 : output->target;
	int folder_length = (int)(base - output->target);
	size_t size_bytes = sizeof(struct bc_output_temporary) + strlen(output->target) +
			    sizeof("..XXXXXX");
	struct bc_output_temporary *temporary = malloc(size_bytes);
	sigset_t before;
	int fd;

	if (!temporary) {
		bc_err_memory(err, size_bytes);
		return -1;
	}
	/* A name may have 255 bytes; a long one is cut to leave room for the suffix. */
	snprintf(temporary->path, size_bytes - sizeof(*temporary), "%.*s.%.200s.XXXXXX",
		 folder_length, output->target, base);
	bc_output_block_signals(&before);
	fd = mkostemp(temporary->path, O_CLOEXEC);
	if (fd >= 0) {
		temporary->next = temporaries;
		temporaries = temporary;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (fd < 0) {
		bc_err_errno(err, "cannot create a file in %.*s", folder_length ? folder_length : 1,
			     folder_length ? output->target : ".");
		free(temporary);
		return -1;
	}
	output->temporary = temporary;
	return fd;
}

/* As the file that is replaced has them; a new one as any program makes it. */
static bool set_owner_and_mode(int fd, const struct stat *replaced, struct bc_err *err)
{
	struct stat status;
	mode_t mask;

	if (!replaced) {
		mask = umask(0);
		umask(mask);
		return fchmod(fd, 0666 & ~mask) == 0 || bc_err_errno(err, "cannot set its mode");
	}
	/* EPERM: only root can give a file away; for others it is theirs now. */
	if (fstat(fd, &status) != 0 ||
	    ((status.st_uid != replaced->st_uid || status.st_gid != replaced->st_gid) &&
	     fchown(fd, replaced->st_uid, replaced->st_gid) != 0 && errno != EPERM))
		return bc_err_errno(err, "cannot set its owner");
	return fchmod(fd, replaced->st_mode & 0777) == 0 ||
	       bc_err_errno(err, "cannot set its mode");
}

static ssize_t write_sink(void *cookie, const char *data, size_t size_bytes)
{
	struct bc_output_sink *sink = cookie;
	size_t done_bytes = 0;

	if (sink->dropped)
		return (ssize_t)size_bytes;
	if (sink->first_errno)
		return 0; /* what stdio takes as an error */
	while (done_bytes < size_bytes) {
		ssize_t put = write(sink->fd, data + done_bytes, size_bytes - done_bytes);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0) {
			sink->first_errno = errno;
			return 0;
		}
		done_bytes += (size_t)put;
	}
	return (ssize_t)done_bytes;
}

/* Takes FD over, also on failure. */
static bool open_sink_on(struct bc_output *output, int fd, struct bc_err *err)
{
	struct bc_output_sink *sink = malloc(sizeof(*sink));

	if (!sink) {
		close(fd);
		return bc_err_memory(err, sizeof(*sink));
	}
	sink->fd = fd;
	sink->source_fd = -1;
	sink->first_errno = 0;
	sink->dropped = false;
	output->sink = sink;
	return true;
}

static bool open_stream(struct bc_output *output, int fd, struct bc_err *err)
{
	static const cookie_io_functions_t functions = { .write = write_sink };

	if (!open_sink_on(output, fd, err))
		return false;
	output->stream = fopencookie(output->sink, "w", functions);
	if (!output->stream)
		return bc_err_memory(err, sizeof(*output->sink));
	setvbuf(output->stream, output->sink->buffer, _IOFBF, sizeof(output->sink->buffer));
	return true;
}

/* Closes the stream and what is behind it. Returns 0, or the errno of what went wrong first. */
static int close_sink(struct bc_output *output)
{
	struct bc_output_sink *sink = output->sink;
	bool failed = output->stream && (fflush(output->stream) != 0 || ferror(output->stream));
	int code = sink->first_errno ? sink->first_errno : failed ? EIO : 0;

	/* EINVAL: a file system that cannot. */
	if (!code && !sink->dropped && output->target && fsync(sink->fd) != 0 && errno != EINVAL)
		code = errno;
	if (output->stream && fclose(output->stream) != 0 && !code)
		code = EIO;
	if (close(sink->fd) != 0 && !code && errno != EINTR)
		code = errno;
	if (sink->source_fd >= 0)
		close(sink->source_fd);
	free(sink);
	output->stream = NULL;
	output->sink = NULL;
	return code;
}

/*
 * What PATH leads to through symbolic links, also where the last one leads to
 * nothing yet. The caller frees it. NULL with err set.
 */
static char *follow_links(const char *path, struct bc_err *err)
{
	char *target = strdup(path);
	char link[PATH_MAX];
	unsigned int hops;

	for (hops = 0; target && hops < 40; hops++) {
		ssize_t length = readlink(target, link, sizeof(link) - 1);
		const char *slash = strrchr(target, '/');
		char *next;

		if (length < 0)
			return target;
		link[length] = '\0';
		if (asprintf(&next, "%.*s%s",
			     slash && link[0] != '/' ? (int)(slash + 1 - target) : 0, target,
			     link) < 0)
			next = NULL;
		free(target);
		target = next;
	}
	if (!target) {
		bc_err_memory(err, strlen(path));
	} else {
		errno = ELOOP;
		bc_err_errno(err, "cannot write");
	}
	free(target);
	return NULL;
}

static int open_standard_output(bool binary, struct bc_err *err)
{
	int fd;

	if (binary && isatty(STDOUT_FILENO)) {
		bc_err_set(err, "is a terminal, and the output is binary: use -o FILE or a pipe");
		return -1;
	}
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		bc_err_errno(err, "cannot write");
	return fd;
}

static int open_directly(const char *path, bool binary, struct bc_err *err)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);

	if (fd < 0) {
		bc_err_errno(err, "cannot open for writing");
		return -1;
	}
	if (binary && isatty(fd)) {
		bc_err_set(err, "is a terminal, and the output is binary: name a file or a pipe");
		close(fd);
		return -1;
	}
	return fd;
}

static bool is_same_file(const char *path, const struct stat *status)
{
	struct stat other;

	return stat(path, &other) == 0 && other.st_dev == status->st_dev &&
	       other.st_ino == status->st_ino;
}

/*
 * Sets the target, the file that PATH leads to. It stays NULL where that has
 * no name: links below /proc/self/fd may lead to such.
 */
static bool find_target(struct bc_output *output, const char *path, const struct stat *replaced,
			struct bc_err *err)
{
	size_t length;

	/* The folder decides over a rename; that the file may not be written should count too. */
	if (replaced && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
		return bc_err_errno(err, "cannot write");
	output->target = follow_links(path, err);
	if (!output->target)
		return false;
	length = strlen(output->target);
	if (!length || output->target[length - 1] == '/') {
		errno = length ? EISDIR : ENOENT;
		return bc_err_errno(err, "cannot write");
	}
	if (replaced && !is_same_file(output->target, replaced)) {
		free(output->target);
		output->target = NULL;
	}
	return true;
}

static int open_beside(struct bc_output *output, const char *path, const struct stat *replaced,
		       bool binary, struct bc_err *err)
{
	int fd;

	if (!find_target(output, path, replaced, err))
		return -1;
	if (!output->target)
		return open_directly(path, binary, err);
	fd = create_temporary(output, err);
	if (fd >= 0 && !set_owner_and_mode(fd, replaced, err)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int open_sink(struct bc_output *output, const char *path, bool binary, struct bc_err *err)
{
	struct stat status;
	bool exists;

	if (!path)
		return open_standard_output(binary, err);
	exists = stat(path, &status) == 0;
	if (!exists && errno != ENOENT) {
		bc_err_errno(err, "cannot write");
		return -1;
	}
	if (exists && S_ISDIR(status.st_mode)) {
		bc_err_set(err, "is a directory");
		return -1;
	}
	if (exists && !S_ISREG(status.st_mode))
		return open_directly(path, binary, err);
	return open_beside(output, path, exists ? &status : NULL, binary, err);
}

bool bc_output_open(struct bc_output *output, const char *path, bool binary, struct bc_err *err)
{
	int fd;

	memset(output, 0, sizeof(*output));
	if (path && !strcmp(path, "-"))
		path = NULL;
	output->name = path ? path : "standard output";
	fd = open_sink(output, path, binary, err);
	if (fd >= 0 && open_stream(output, fd, err))
		return true;
	bc_err_prefix(err, output->name);
	bc_output_discard(output);
	return false;
}

static bool copy_attribute(int fd, int source_fd, const char *name, struct bc_err *err)
{
	static const size_t limit_bytes = XATTR_SIZE_MAX;
	char *value = malloc(2 * limit_bytes);
	ssize_t size_bytes, own_bytes;
	bool done;

	if (!value)
		return bc_err_memory(err, 2 * limit_bytes);
	size_bytes = fgetxattr(source_fd, name, value, limit_bytes);
	own_bytes = fgetxattr(fd, name, value + limit_bytes, limit_bytes);
	/* Some are there from the beginning, and may not be set. */
	done = size_bytes >= 0 && ((size_bytes == own_bytes &&
				    !memcmp(value, value + limit_bytes, (size_t)size_bytes)) ||
				   fsetxattr(fd, name, value, (size_t)size_bytes, 0) == 0);
	free(value);
	return done || bc_err_errno(err, "cannot keep its attribute %.80s", name);
}

static bool copy_attributes(int fd, int source_fd, struct bc_err *err)
{
	char *names = malloc(XATTR_LIST_MAX);
	ssize_t length;
	bool done;

	if (!names)
		return bc_err_memory(err, XATTR_LIST_MAX);
	length = flistxattr(source_fd, names, XATTR_LIST_MAX);
	done = length >= 0 || errno == ENOTSUP ||
	       bc_err_errno(err, "its attributes cannot be read");
	for (ssize_t i = 0; done && i < length; i += (ssize_t)strlen(names + i) + 1)
		done = copy_attribute(fd, source_fd, names + i, err);
	free(names);
	return done;
}

/* All of them, or an error: unlike an output, what is rewritten is still that file. */
static bool keep_attributes(int fd, int source_fd, struct bc_err *err)
{
	struct stat source;
	struct stat own;

	if (fstat(source_fd, &source) != 0 || fstat(fd, &own) != 0)
		return bc_err_errno(err, "cannot read");
	/* The owner before the mode: a change of it takes bits of the mode away. */
	if ((own.st_uid != source.st_uid || own.st_gid != source.st_gid) &&
	    fchown(fd, source.st_uid, source.st_gid) != 0)
		return bc_err_errno(err, "cannot keep its owner");
	if (fchmod(fd, source.st_mode & 07777) != 0)
		return bc_err_errno(err, "cannot keep its mode");
	return copy_attributes(fd, source_fd, err);
}

static bool can_be_replaced(const struct stat *status, struct bc_err *err)
{
	if (S_ISDIR(status->st_mode))
		return bc_err_set(err, "is a directory");
	if (!S_ISREG(status->st_mode))
		return bc_err_set(err, "is no regular file, as it has to be to be rewritten");
	return status->st_nlink == 1 ||
	       bc_err_set(err, "has %ju names (hard links): rewriting it would part them",
			  (uintmax_t)status->st_nlink);
}

/* Opens what is to be written over. Returns an fd, or -1 with err set. */
static int open_source(const char *path, struct stat *status, struct bc_err *err)
{
	int fd;

	/* What it is comes first: opening a FIFO would wait. */
	if (stat(path, status) == 0 && !can_be_replaced(status, err))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fstat(fd, status) != 0)
		bc_err_errno(err, "cannot open");
	else if (can_be_replaced(status, err))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Takes SOURCE_FD over, also on failure. */
static bool open_over(struct bc_output *output, const char *path, int source_fd, struct bc_err *err)
{
	int fd = -1;

	if (find_target(output, path, &output->replaced, err)) {
		if (output->target)
			fd = create_temporary(output, err);
		else
			bc_err_set(err, "has no name that could be given to another file");
	}
	if (fd < 0 || !open_sink_on(output, fd, err)) {
		close(source_fd);
		return false;
	}
	output->sink->source_fd = source_fd;
	return keep_attributes(fd, source_fd, err);
}

bool bc_output_open_over(struct bc_output *output, const char *path, struct bc_err *err)
{
	int source_fd;

	memset(output, 0, sizeof(*output));
	output->name = path;
	source_fd = open_source(path, &output->replaced, err);
	if (source_fd >= 0 && open_over(output, path, source_fd, err))
		return true;
	bc_err_prefix(err, path);
	bc_output_discard(output);
	return false;
}

int bc_output_fd(const struct bc_output *output)
{
	return output->sink->fd;
}

int bc_output_source(const struct bc_output *output)
{
	return output->sink->source_fd;
}

/* A folder that cannot be synced is no trouble of ours. */
void bc_output_sync_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];
	int fd;

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash + 1 - path) : 1,
		 slash ? path : ".");
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

static bool fail_write(int code, struct bc_err *err)
{
	if (code == EPIPE)
		return bc_err_set(err, "cannot write: the reader went away");
	errno = code;
	return bc_err_errno(err, "cannot write");
}

static bool settle(struct bc_output *output, struct bc_err *err)
{
	int code;

	/* Again, now that all is written: writing takes some attributes away. */
	if (output->sink->source_fd >= 0 &&
	    !keep_attributes(output->sink->fd, output->sink->source_fd, err))
		return false;
	code = close_sink(output);
	return !code || fail_write(code, err);
}

const char *bc_output_temporary(const struct bc_output *output)
{
	return output->temporary->path;
}

void bc_output_leave(struct bc_output *output)
{
	forget_temporary(output->temporary);
	output->temporary = NULL;
}

bool bc_output_is_unchanged(const struct bc_output *output, struct bc_err *err)
{
	const struct stat *before = &output->replaced;
	struct stat now;

	if (stat(output->target, &now) == 0 && now.st_dev == before->st_dev &&
	    now.st_ino == before->st_ino && now.st_size == before->st_size &&
	    now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
	    now.st_mtim.tv_nsec == before->st_mtim.tv_nsec)
		return true;
	bc_err_set(err, "was changed while it was read");
	return bc_err_prefix(err, output->name);
}

static bool finish(struct bc_output *output, struct bc_err *err)
{
	if (output->sink && !settle(output, err))
		return false;
	if (!output->target)
		return true;
	if (rename(output->temporary->path, output->target) != 0)
		return bc_err_errno(err, "cannot replace it");
	bc_output_leave(output);
	bc_output_sync_folder(output->target);
	return true;
}

bool bc_output_settle(struct bc_output *output, struct bc_err *err)
{
	return settle(output, err) || bc_err_prefix(err, output->name);
}

bool bc_output_commit(struct bc_output *output, struct bc_err *err)
{
	bool done = !output->replaced.st_nlink || bc_output_is_unchanged(output, err);

	if (done && !finish(output, err))
		done = bc_err_prefix(err, output->name);
	bc_output_discard(output);
	return done;
}

void bc_output_discard(struct bc_output *output)
{
	if (output->sink) {
		output->sink->dropped = true;
		close_sink(output);
	}
	if (output->temporary) {
		unlink(output->temporary->path);
		forget_temporary(output->temporary);
	}
	free(output->target);
	memset(output, 0, sizeof(*output));
}
