/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "btf/kernel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The verifier writes a line per type: room for the log of a million of them. */
#define LOG_BYTES (64u << 20)

/* The last line of the log, without trailing newlines, is why it stopped. */
static const char *last_line(char *log)
{
	size_t length = strlen(log);
	char *newline;

	while (length && log[length - 1] == '\n')
		log[--length] = '\0';
	newline = strrchr(log, '\n');
	return newline ? newline + 1 : log;
}

static bool refuse(const uint8_t *data, size_t size_bytes, int reason, struct bc_err *err)
{
	char *log = calloc(1, LOG_BYTES);
	LIBBPF_OPTS(bpf_btf_load_opts, options, .log_buf = log, .log_level = 1,
		    .log_size = LOG_BYTES);
	int fd;

	if (!log)
		return bc_err_memory(err, LOG_BYTES);
	fd = bpf_btf_load(data, size_bytes, &options);
	if (fd >= 0)
		close(fd);
	bc_err_set(err, "the kernel refuses it: %s%s%.400s", strerror(reason), *log ? ": " : "",
		   last_line(log));
	free(log);
	return false;
}

bool bc_kernel_accepts(const uint8_t *data, size_t size_bytes, struct bc_err *err)
{
	int fd;

	if (size_bytes > UINT32_MAX)
		return bc_err_set(err, "it is longer than 4 GiB");
	fd = bpf_btf_load(data, size_bytes, NULL);
	if (fd >= 0) {
		close(fd);
		return true;
	}
	if (errno == EPERM)
		return bc_err_set(err, "the kernel lets only root (or CAP_BPF) load BTF");
	return refuse(data, size_bytes, errno, err);
}
