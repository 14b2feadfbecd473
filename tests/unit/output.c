/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/output.h"
#include "elf/input.h"
#include "tests/lib/folder.h"

/* link: -Wl,--wrap=fsync */

/* As the real one, but counted, and failing with this errno where it is set. */
static unsigned int sync_count;
static int sync_errno;

int __real_fsync(int fd);
int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
	sync_count++;
	errno = sync_errno;
	return sync_errno ? -1 : __real_fsync(fd);
}

/* A path in the folder; good until the fourth call after. */
static const char *in_folder(const char *name)
{
	static char paths[4][512];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static void put_file(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void assert_content(const char *path, const char *text)
{
	char content[4096] = "";
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(read(fd, content, sizeof(content) - 1) >= 0);
	assert_string_equal(content, text);
	close(fd);
}

static mode_t mode_of(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return status.st_mode & 07777;
}

static unsigned int count_files(const char *path)
{
	unsigned int count = 0;
	DIR *dir = opendir(path);

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static int remove_below(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)type;
	return where->level ? remove(path) : 0;
}

/* Each test leaves behind exactly FILE_COUNT files, which go away then. */
static void assert_left(unsigned int file_count)
{
	assert_int_equal(count_files(folder), file_count);
	assert_int_equal(nftw(folder, remove_below, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT), 0);
}

static void open_output(struct bc_output *output, const char *path)
{
	struct bc_err err;

	if (!bc_output_open(output, path, true, &err))
		fail_msg("%s", err.text);
}

static void commit(struct bc_output *output)
{
	struct bc_err err;

	if (!bc_output_commit(output, &err))
		fail_msg("%s", err.text);
	assert_null(output->stream);
}

static void write_text(const char *path, const char *text)
{
	struct bc_output output;

	open_output(&output, path);
	fputs(text, output.stream);
	commit(&output);
}

/* Opening fails, with PATH and WHAT in the error. */
static void assert_refused(const char *path, const char *what)
{
	static const struct bc_output zero;
	struct bc_output output;
	struct bc_err err;

	if (bc_output_open(&output, path, true, &err))
		fail_msg("opened, instead of: %s", what);
	if (strncmp(err.text, path, strlen(path)) != 0 || !strstr(err.text, what))
		fail_msg("\"%s\" instead of \"%s: ...%s\"", err.text, path, what);
	assert_memory_equal(&output, &zero, sizeof(zero));
}

/* cmocka's own skip() ends up as "not ok" in TAP, which prove takes for a failure. */
static void not_tried(const char *test, const char *reason)
{
	print_error("# not tried: %s: %s\n", test, reason);
}

static void writes_a_new_file(void **state)
{
	mode_t mask = umask(027);

	(void)state;
	write_text(in_folder("new"), "text");
	umask(mask);
	assert_content(in_folder("new"), "text");
	assert_int_equal(mode_of(in_folder("new")), 0640);
	assert_left(1);
}

static void replaces_at_the_end_only(void **state)
{
	struct bc_output output;
	char long_text[2000];

	(void)state;
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	put_file(in_folder("old"), long_text, 0604);
	open_output(&output, in_folder("old"));
	assert_int_equal(fputs("new", output.stream), 1);
	fflush(output.stream);
	assert_content(in_folder("old"), long_text);
	assert_int_equal(count_files(folder), 2);
	commit(&output);
	assert_content(in_folder("old"), "new");
	assert_int_equal(mode_of(in_folder("old")), 0604);
	bc_output_discard(&output);
	assert_left(1);
}

static void syncs_file_and_folder(void **state)
{
	struct bc_output output;
	struct bc_err err;

	(void)state;
	sync_count = 0;
	write_text(in_folder("file"), "old");
	assert_int_equal(sync_count, 2);
	open_output(&output, in_folder("file"));
	fputs("new", output.stream);
	sync_errno = EIO;
	assert_false(bc_output_commit(&output, &err));
	assert_non_null(strstr(err.text, "/file: cannot write: Input/output error"));
	assert_content(in_folder("file"), "old");
	sync_errno = EINVAL;
	write_text(in_folder("file"), "not synced");
	sync_errno = 0;
	assert_content(in_folder("file"), "not synced");
	assert_left(1);
}

static void tells_when_it_cannot_rename(void **state)
{
	struct bc_output output;
	struct bc_err err;

	(void)state;
	open_output(&output, in_folder("file"));
	assert_int_equal(mkdir(in_folder("file"), 0755), 0);
	assert_false(bc_output_commit(&output, &err));
	assert_non_null(strstr(err.text, "/file: cannot replace it: Is a directory"));
	assert_left(1);
}

static void keeps_the_owner(void **state)
{
	struct stat status;

	(void)state;
	if (geteuid() != 0) {
		not_tried("keeps_the_owner", "needs root");
		return;
	}
	put_file(in_folder("theirs"), "old", 0600);
	assert_int_equal(chown(in_folder("theirs"), 1234, 4321), 0);
	write_text(in_folder("theirs"), "new");
	assert_int_equal(stat(in_folder("theirs"), &status), 0);
	assert_int_equal(status.st_uid, 1234);
	assert_int_equal(status.st_gid, 4321);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_left(1);
}

static void leaves_nothing_when_discarded(void **state)
{
	struct bc_output output = { 0 };
	struct bc_output other;

	(void)state;
	bc_output_discard(&output);
	put_file(in_folder("old"), "old", 0644);
	open_output(&output, in_folder("old"));
	open_output(&other, in_folder("other"));
	fputs("new", output.stream);
	bc_output_discard(&output);
	bc_output_discard(&output);
	commit(&other);
	assert_content(in_folder("old"), "old");
	assert_left(2);
}

static void open_over(struct bc_output *output, const char *path)
{
	struct bc_err err;

	if (!bc_output_open_over(output, path, &err))
		fail_msg("%s", err.text);
	assert_null(output->stream);
}

static void rewrites_a_file(void **state)
{
	struct bc_output output;
	struct bc_err err;
	char old[8] = "";

	(void)state;
	put_file(in_folder("file"), "old", 0640);
	open_over(&output, in_folder("file"));
	assert_int_equal(read(bc_output_source(&output), old, sizeof(old)), 3);
	assert_string_equal(old, "old");
	assert_int_equal(write(bc_output_fd(&output), "newer", 5), 5);
	sync_count = 0;
	assert_true(bc_output_settle(&output, &err));
	assert_int_equal(sync_count, 1);
	assert_content(in_folder("file"), "old");
	assert_int_equal(count_files(folder), 2);
	commit(&output);
	assert_int_equal(sync_count, 2);
	assert_content(in_folder("file"), "newer");
	assert_int_equal(mode_of(in_folder("file")), 0640);
	open_over(&output, in_folder("file"));
	assert_true(bc_output_settle(&output, &err));
	bc_output_discard(&output);
	assert_content(in_folder("file"), "newer");
	assert_left(1);
}

/* Somebody else was faster: what they wrote stays. */
static void minds_changes_meanwhile(void **state)
{
	struct bc_output output;
	struct bc_err err;

	(void)state;
	put_file(in_folder("file"), "old", 0640);
	open_over(&output, in_folder("file"));
	put_file(in_folder("file"), "theirs", 0640);
	assert_false(bc_output_commit(&output, &err));
	assert_non_null(strstr(err.text, "/file: was changed while it was read"));
	assert_content(in_folder("file"), "theirs");
	open_over(&output, in_folder("file"));
	unlink(in_folder("file"));
	assert_false(bc_output_commit(&output, &err));
	assert_left(0);
}

static void assert_attribute(const char *path, const char *name, const char *value)
{
	char there[64] = "";

	assert_int_equal(getxattr(path, name, there, sizeof(there)), strlen(value));
	assert_string_equal(there, value);
}

static void keeps_attributes(void **state)
{
	struct bc_output output;

	(void)state;
	put_file(in_folder("file"), "old", 0640);
	if (setxattr(in_folder("file"), "user.note", "kept", 4, 0) != 0) {
		not_tried("keeps_attributes", "no extended attributes here");
		assert_left(1);
		return;
	}
	assert_int_equal(setxattr(in_folder("file"), "user.empty", "", 0, 0), 0);
	open_over(&output, in_folder("file"));
	assert_int_equal(write(bc_output_fd(&output), "new", 3), 3);
	commit(&output);
	assert_content(in_folder("file"), "new");
	assert_attribute(in_folder("file"), "user.note", "kept");
	assert_attribute(in_folder("file"), "user.empty", "");
	assert_left(1);
}

/* Files with capabilities, of which writing takes them away. */
static void keeps_capabilities(void **state)
{
	/* Version 2, effective: CAP_NET_RAW. */
	static const unsigned char capability[20] = { 1, 0, 0, 2, 0, 0x20 };
	char there[64] = "";
	struct bc_output output;

	(void)state;
	put_file(in_folder("file"), "old", 0755);
	if (setxattr(in_folder("file"), "security.capability", capability, sizeof(capability), 0)) {
		not_tried("keeps_capabilities", "may not be set here");
		assert_left(1);
		return;
	}
	open_over(&output, in_folder("file"));
	assert_int_equal(write(bc_output_fd(&output), "new", 3), 3);
	commit(&output);
	assert_int_equal(getxattr(in_folder("file"), "security.capability", there, sizeof(there)),
			 sizeof(capability));
	assert_memory_equal(there, capability, sizeof(capability));
	assert_left(1);
}

static void follows_links(void **state)
{
	char target[512];
	struct stat status;

	(void)state;
	assert_int_equal(mkdir(in_folder("far"), 0755), 0);
	put_file(in_folder("far/file"), "old", 0640);
	assert_int_equal(symlink("far/link", in_folder("link")), 0);
	assert_int_equal(symlink("file", in_folder("far/link")), 0);
	assert_int_equal(symlink("new", in_folder("far/dangling")), 0);
	snprintf(target, sizeof(target), "%s/far/dangling", folder);
	assert_int_equal(symlink(target, in_folder("dangling")), 0);
	assert_int_equal(symlink("loop", in_folder("loop")), 0);
	write_text(in_folder("link"), "new");
	assert_content(in_folder("far/file"), "new");
	assert_int_equal(mode_of(in_folder("far/file")), 0640);
	assert_int_equal(lstat(in_folder("link"), &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(lstat(in_folder("far/link"), &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	write_text(in_folder("dangling"), "made");
	assert_content(in_folder("far/new"), "made");
	assert_refused(in_folder("loop"), "Too many levels of symbolic links");
	assert_int_equal(count_files(in_folder("far")), 4);
	assert_left(4);
}

/* A file that has no name any more can only be written through. */
static void writes_through_to_a_file_without_a_name(void **state)
{
	char content[8] = "";
	char path[64];
	int fd;

	(void)state;
	put_file(in_folder("gone"), "long old text", 0600);
	fd = open(in_folder("gone"), O_RDWR);
	unlink(in_folder("gone"));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	write_text(path, "text");
	assert_int_equal(pread(fd, content, sizeof(content), 0), 4);
	assert_string_equal(content, "text");
	close(fd);
	assert_left(0);
}

static void names_of_any_length(void **state)
{
	char name[256];

	(void)state;
	memset(name, 'n', 255);
	name[255] = '\0';
	write_text(in_folder(name), "text");
	assert_content(in_folder(name), "text");
	assert_left(1);
}

static void names_without_a_folder(void **state)
{
	char *before = getcwd(NULL, 0);

	(void)state;
	assert_int_equal(chdir(folder), 0);
	write_text("plain", "text");
	assert_int_equal(chdir(before), 0);
	free(before);
	assert_content(in_folder("plain"), "text");
	assert_left(1);
}

static void explains_what_it_cannot_open(void **state)
{
	(void)state;
	assert_refused(folder, "is a directory");
	assert_refused(in_folder("none/new"), "No such file or directory");
	assert_refused("", "No such file or directory");
	put_file(in_folder("file"), "", 0644);
	assert_refused(in_folder("file/new"), "Not a directory");
	assert_refused(in_folder("new/"), "Is a directory");
	assert_left(1);
}

/* As somebody who may not do everything. */
static void respects_permissions(void **state)
{
	bool is_root = geteuid() == 0;

	(void)state;
	put_file(in_folder("kept"), "old", 0444);
	assert_int_equal(mkdir(in_folder("closed"), 0777), 0);
	put_file(in_folder("closed/file"), "old", 0666);
	assert_int_equal(chmod(in_folder("closed"), 0555), 0);
	assert_int_equal(chmod(folder, 0777), 0);
	if (is_root)
		assert_int_equal(seteuid(65534), 0);
	assert_refused(in_folder("kept"), "cannot write: Permission denied");
	assert_refused(in_folder("closed/file"), "Permission denied");
	assert_refused(in_folder("closed/new"), "cannot create a file in");
	if (is_root)
		assert_int_equal(seteuid(0), 0);
	assert_content(in_folder("kept"), "old");
	assert_content(in_folder("closed/file"), "old");
	assert_int_equal(count_files(in_folder("closed")), 1);
	assert_int_equal(chmod(in_folder("closed"), 0755), 0);
	assert_left(2);
}

static void tells_of_a_full_device(void **state)
{
	unsigned int kib;

	(void)state;
	/* Met at the end, and long before it. */
	for (kib = 1; kib <= 1024; kib *= 1024) {
		struct bc_output output;
		struct bc_err err;
		unsigned int i;

		open_output(&output, "/dev/full");
		for (i = 0; i < kib * 1024; i++)
			fputc('x', output.stream);
		errno = 0;
		assert_false(bc_output_commit(&output, &err));
		assert_string_equal(err.text, "/dev/full: cannot write: No space left on device");
		assert_null(output.stream);
	}
}

/* Runs WRITE in a child whose standard output is FD; gives what it returns. */
static int with_standard_output(int fd, int (*write_output)(void))
{
	int status;
	pid_t child = fork();

	if (!child) {
		if (fd >= 0)
			dup2(fd, STDOUT_FILENO);
		else
			close(STDOUT_FILENO);
		_exit(write_output());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* 0: as it should be; 1: cannot be tried. The mount ends with this process. */
static int write_to_a_full_disk(void)
{
	static char block[65536];
	struct bc_output output;
	struct bc_err err;
	unsigned int i;

	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", "", MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("none", in_folder("disk"), "tmpfs", 0, "size=256k") != 0)
		return 1;
	put_file(in_folder("disk/file"), "old", 0644);
	if (!bc_output_open(&output, in_folder("disk/file"), true, &err))
		return 2;
	for (i = 0; i < 5; i++)
		fwrite(block, 1, sizeof(block), output.stream);
	if (bc_output_commit(&output, &err) ||
	    !strstr(err.text, "/disk/file: cannot write: No space left on device"))
		return 3;
	assert_content(in_folder("disk/file"), "old");
	return count_files(in_folder("disk")) == 1 ? 0 : 4;
}

static void tells_of_a_full_disk(void **state)
{
	int result;

	(void)state;
	assert_int_equal(mkdir(in_folder("disk"), 0755), 0);
	result = with_standard_output(STDOUT_FILENO, write_to_a_full_disk);
	assert_left(1);
	if (result == 1) {
		not_tried("tells_of_a_full_disk", "cannot mount a tmpfs");
		return;
	}
	assert_int_equal(result, 0);
}

/* 0: written, 1: not opened, 2: not committed; 9: with another error than expected. */
static const char *expected_error;
static int write_standard_output(void)
{
	struct bc_output output;
	struct bc_err err;
	unsigned int i;

	signal(SIGPIPE, SIG_IGN);
	if (!bc_output_open(&output, "-", true, &err))
		return !strcmp(err.text, expected_error) ? 1 : 9;
	for (i = 0; i < 30000; i++)
		fputs("text", output.stream);
	if (!bc_output_commit(&output, &err))
		return !strcmp(err.text, expected_error) ? 2 : 9;
	return 0;
}

/* What is too much is refused by the kernel, for a while. */
static int write_past_a_limit(void)
{
	struct rlimit limit = { 65536, RLIM_INFINITY };
	static const char block[100000];
	struct bc_output output;
	struct bc_err err;

	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || !bc_output_open(&output, NULL, true, &err))
		return 1;
	fwrite(block, 1, sizeof(block), output.stream);
	fflush(output.stream);
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	fwrite(block, 1, sizeof(block), output.stream);
	return !bc_output_commit(&output, &err) && strstr(err.text, "File too large") ? 0 : 2;
}

static int discard_standard_output(void)
{
	struct bc_output output;
	struct bc_err err;

	if (!bc_output_open(&output, NULL, true, &err))
		return 1;
	fputs("half a line", output.stream);
	bc_output_discard(&output);
	/* It is still there for others. */
	return write(STDOUT_FILENO, "!", 1) == 1 ? 0 : 2;
}

static void writes_standard_output(void **state)
{
	char content[16] = "";
	int fd;
	int ends[2];

	(void)state;
	fd = open(in_folder("stdout"), O_RDWR | O_CREAT, 0600);
	assert_int_equal(with_standard_output(fd, write_standard_output), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 120000);
	assert_int_equal(pread(fd, content, 8, 119992), 8);
	assert_string_equal(content, "texttext");
	assert_int_equal(ftruncate(fd, 0), 0);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(with_standard_output(fd, discard_standard_output), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 1);
	/* Nothing is written behind what could not be. */
	assert_int_equal(ftruncate(fd, 0), 0);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(with_standard_output(fd, write_past_a_limit), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 65536);
	close(fd);

	expected_error = "standard output: cannot write: the reader went away";
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_int_equal(with_standard_output(ends[1], write_standard_output), 2);
	close(ends[1]);
	expected_error = "standard output: cannot write: Bad file descriptor";
	assert_int_equal(with_standard_output(-1, write_standard_output), 1);
	expected_error = "standard output: cannot write: No space left on device";
	fd = open("/dev/full", O_WRONLY);
	assert_int_equal(with_standard_output(fd, write_standard_output), 2);
	close(fd);
	assert_left(1);
}

static void refuses_binary_on_a_terminal(void **state)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	struct bc_output output;
	struct bc_err err;
	int slave;

	(void)state;
	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
		not_tried("refuses_binary_on_a_terminal", "no pseudo terminal");
		return;
	}
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	expected_error =
		"standard output: is a terminal, and the output is binary: use -o FILE or a pipe";
	assert_int_equal(with_standard_output(slave, write_standard_output), 1);
	assert_refused(ptsname(master), "is a terminal");
	/* Text is welcome there. */
	assert_true(bc_output_open(&output, ptsname(master), false, &err));
	fputs("text", output.stream);
	commit(&output);
	close(slave);
	close(master);
}

static void writes_a_fifo_directly(void **state)
{
	char content[8] = "";
	struct stat status;
	int fd;

	(void)state;
	assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
	fd = open(in_folder("fifo"), O_RDWR);
	write_text(in_folder("fifo"), "text");
	assert_int_equal(read(fd, content, sizeof(content)), 4);
	assert_string_equal(content, "text");
	close(fd);
	assert_int_equal(stat(in_folder("fifo"), &status), 0);
	assert_true(S_ISFIFO(status.st_mode));
	assert_left(1);
}

static void remove_and_leave(int number)
{
	bc_output_remove_temporaries(); /* NOLINT(bugprone-signal-handler): it is made for that */
	_exit(number);
}

static int write_until_killed(void)
{
	struct bc_output outputs[3];
	struct bc_err err;

	signal(SIGTERM, remove_and_leave);
	if (!bc_output_open(&outputs[0], in_folder("one"), true, &err) ||
	    !bc_output_open(&outputs[1], in_folder("two"), true, &err) ||
	    !bc_output_open(&outputs[2], in_folder("three"), true, &err) ||
	    !bc_output_commit(&outputs[1], &err) || count_files(folder) != 4)
		return 1;
	raise(SIGTERM);
	return 2;
}

static void removes_temporaries_on_a_signal(void **state)
{
	(void)state;
	put_file(in_folder("one"), "old", 0644);
	assert_int_equal(with_standard_output(STDOUT_FILENO, write_until_killed), SIGTERM);
	assert_content(in_folder("one"), "old");
	assert_content(in_folder("two"), "");
	assert_left(2);
}

static bool never_probe(const uint8_t *data, size_t size_bytes, size_t *total_bytes)
{
	(void)data;
	(void)size_bytes;
	(void)total_bytes;
	return false;
}

static void replaces_its_own_input(void **state)
{
	struct bc_output output;
	struct bc_input input;
	struct bc_err err;

	(void)state;
	put_file(in_folder("same"), "\x9f\xeb rest", 0600);
	assert_true(bc_input_open(&input, in_folder("same"), never_probe, &err));
	open_output(&output, in_folder("same"));
	fwrite(input.btf, 1, input.btf_bytes, output.stream);
	fwrite(input.btf, 1, input.btf_bytes, output.stream);
	commit(&output);
	assert_memory_equal(input.btf, "\x9f\xeb rest", 7);
	bc_input_close(&input);
	assert_content(in_folder("same"), "\x9f\xeb rest\x9f\xeb rest");
	assert_left(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_a_new_file),
		cmocka_unit_test(replaces_at_the_end_only),
		cmocka_unit_test(syncs_file_and_folder),
		cmocka_unit_test(tells_when_it_cannot_rename),
		cmocka_unit_test(keeps_the_owner),
		cmocka_unit_test(leaves_nothing_when_discarded),
		cmocka_unit_test(rewrites_a_file),
		cmocka_unit_test(minds_changes_meanwhile),
		cmocka_unit_test(keeps_attributes),
		cmocka_unit_test(keeps_capabilities),
		cmocka_unit_test(follows_links),
		cmocka_unit_test(writes_through_to_a_file_without_a_name),
		cmocka_unit_test(names_of_any_length),
		cmocka_unit_test(names_without_a_folder),
		cmocka_unit_test(explains_what_it_cannot_open),
		cmocka_unit_test(respects_permissions),
		cmocka_unit_test(tells_of_a_full_device),
		cmocka_unit_test(tells_of_a_full_disk),
		cmocka_unit_test(writes_standard_output),
		cmocka_unit_test(refuses_binary_on_a_terminal),
		cmocka_unit_test(writes_a_fifo_directly),
		cmocka_unit_test(removes_temporaries_on_a_signal),
		cmocka_unit_test(replaces_its_own_input),
		cmocka_unit_test(folder_left_no_file_open),
	};

	return cmocka_run_group_tests_name("output", tests, folder_make, folder_remove);
}
