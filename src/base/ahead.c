/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "base/ahead.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/copy.h"
#include "base/workers.h"

/*
 * What the copy costs is time of a processor, which the work meanwhile wants too, and the wait for
 * the disk in the end. So, as far as the file system can do it: the new file shares the blocks of
 * the old one; or it is written past the cache, out of the pages that the cache has of the old one,
 * which takes no processor and is on the disk at once; or it is copied from page to page, with each
 * step on its way to the disk while the next is copied.
 */
#define STEP_BYTES ((uint64_t)16 << 20)

/* What is written past the cache are multiples of it at multiples of it. */
#define DIRECT_ALIGN ((uint64_t)4096)

struct bc_copy_ahead {
	pthread_t thread;
	int to_fd;
	int from_fd;
	uint64_t size_bytes;
	uint64_t copied_bytes;
	bool stopped; /* atomic */
};

typedef bool copy_step(const struct bc_copy_ahead *ahead, uint64_t offset, uint64_t size_bytes);

/* A file that becomes shorter meanwhile fails the write, which alone reads the pages. */
static bool copy_directly(const struct bc_copy_ahead *ahead, uint64_t offset, uint64_t size_bytes)
{
	void *pages = mmap(NULL, size_bytes, PROT_READ, MAP_SHARED, ahead->from_fd, (off_t)offset);
	struct bc_err ignored;
	bool done;

	if (pages == MAP_FAILED)
		return false;
	done = bc_write_at(ahead->to_fd, offset, pages, size_bytes, &ignored);
	munmap(pages, size_bytes);
	return done;
}

static bool copy_through_cache(const struct bc_copy_ahead *ahead, uint64_t offset,
			       uint64_t size_bytes)
{
	struct bc_err ignored;

	if (!bc_copy_range(ahead->to_fd, offset, ahead->from_fd, offset, size_bytes, &ignored))
		return false;
	sync_file_range(ahead->to_fd, (off_t)offset, (off_t)size_bytes, SYNC_FILE_RANGE_WRITE);
	return true;
}

/* Copies as far as LIMIT_BYTES, or to the first step that fails. */
static void copy_steps(struct bc_copy_ahead *ahead, copy_step *copy, uint64_t limit_bytes)
{
	while (ahead->copied_bytes < limit_bytes &&
	       !__atomic_load_n(&ahead->stopped, __ATOMIC_RELAXED)) {
		uint64_t rest = limit_bytes - ahead->copied_bytes;
		uint64_t step = rest < STEP_BYTES ? rest : STEP_BYTES;

		if (!copy(ahead, ahead->copied_bytes, step))
			return;
		ahead->copied_bytes += step;
	}
}

/* Some file systems take O_DIRECT, and then go through the cache all the same. */
static bool can_pass_cache(int fd)
{
	struct statx status;

	return statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) == 0 &&
	       (status.stx_mask & STATX_DIOALIGN) && status.stx_dio_offset_align &&
	       DIRECT_ALIGN % status.stx_dio_offset_align == 0 && status.stx_dio_mem_align &&
	       DIRECT_ALIGN % status.stx_dio_mem_align == 0;
}

static void copy_past_cache(struct bc_copy_ahead *ahead)
{
	int flags = fcntl(ahead->to_fd, F_GETFL);

	if (flags < 0 || fcntl(ahead->to_fd, F_SETFL, flags | O_DIRECT) != 0)
		return;
	copy_steps(ahead, copy_directly, ahead->size_bytes / DIRECT_ALIGN * DIRECT_ALIGN);
	fcntl(ahead->to_fd, F_SETFL, flags);
}

static void *copy_file(void *argument)
{
	struct bc_copy_ahead *ahead = argument;

	if (ioctl(ahead->to_fd, FICLONE, ahead->from_fd) == 0) {
		ahead->copied_bytes = ahead->size_bytes;
		return NULL;
	}
	if (can_pass_cache(ahead->to_fd))
		copy_past_cache(ahead);
	copy_steps(ahead, copy_through_cache, ahead->size_bytes);
	return NULL;
}

struct bc_copy_ahead *bc_copy_ahead_begin(int to_fd, int from_fd, uint64_t size_bytes)
{
	struct bc_copy_ahead *ahead = size_bytes < STEP_BYTES ? NULL : calloc(1, sizeof(*ahead));

	if (!ahead)
		return NULL;
	ahead->to_fd = to_fd;
	ahead->from_fd = from_fd;
	ahead->size_bytes = size_bytes;
	if (bc_thread_start(&ahead->thread, copy_file, ahead))
		return ahead;
	free(ahead);
	return NULL;
}

uint64_t bc_copy_ahead_end(struct bc_copy_ahead *ahead)
{
	uint64_t copied_bytes;

	if (!ahead)
		return 0;
	pthread_join(ahead->thread, NULL);
	copied_bytes = ahead->copied_bytes;
	free(ahead);
	return copied_bytes;
}

void bc_copy_ahead_stop(struct bc_copy_ahead *ahead)
{
	if (ahead)
		__atomic_store_n(&ahead->stopped, true, __ATOMIC_RELAXED);
	bc_copy_ahead_end(ahead);
}
