/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "elf/unpack.h"

#include <limits.h>
#include <lz4.h>
#include <lz4frame.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

/*
 * Four libraries, one loop. A codec is a step that takes some input and gives
 * some output; [unpack_stream] offers it all input left and room for at least
 * one byte, so that a step that neither takes nor gives has met the end of
 * the input too early. The output grows by doubling up to one byte more than
 * the limit: a stream that reaches that byte is too long, whatever sizes its
 * headers state; none of those is ever trusted with an allocation.
 *
 * lz4's legacy frame has blocks instead of a stream and no end mark, so it
 * goes block by block, [unpack_lz4_legacy].
 */

/* A kernel's xz and zstd want at most 128 MiB and a little. */
#define WINDOW_LIMIT_BYTES ((uint64_t)160 << 20)

#define LZ4_LEGACY_BLOCK_BYTES (8 << 20)

#define MAGIC(text) text, sizeof(text) - 1

struct unpacking {
	enum bc_packing packing;
	const uint8_t *data;
	size_t left_bytes; /* of DATA */
	struct bc_bytes *out;
	size_t limit_bytes; /* of OUT */
	union {
		z_stream zlib;
		lzma_stream lzma;
		ZSTD_DCtx *zstd;
		LZ4F_dctx *lz4;
	} state;
};

/* What one step was offered and, afterwards, what it took and gave. */
struct step {
	const uint8_t *in;
	size_t in_bytes;
	uint8_t *out;
	size_t out_bytes;
};

enum progress { PROGRESS_MORE, PROGRESS_END, PROGRESS_FAILED };

struct codec {
	const char *name;
	bool (*open)(struct unpacking *unpacking);
	enum progress (*step)(struct unpacking *unpacking, struct step *step, const char **reason);
	void (*close)(struct unpacking *unpacking);
};

static const char wants_memory[] = "a window of more than 160 MiB";

static bool open_zlib(struct unpacking *unpacking)
{
	int window_bits = unpacking->packing == BC_PACKING_GZIP ? MAX_WBITS + 16 : MAX_WBITS;

	memset(&unpacking->state.zlib, 0, sizeof(unpacking->state.zlib));
	return inflateInit2(&unpacking->state.zlib, window_bits) == Z_OK;
}

static enum progress step_zlib(struct unpacking *unpacking, struct step *step, const char **reason)
{
	z_stream *zlib = &unpacking->state.zlib;
	uInt in_bytes = step->in_bytes < UINT_MAX ? (uInt)step->in_bytes : UINT_MAX;
	uInt out_bytes = step->out_bytes < UINT_MAX ? (uInt)step->out_bytes : UINT_MAX;
	int status;

	zlib->next_in = (Bytef *)step->in; /* zlib's own const needs a macro to be there */
	zlib->avail_in = in_bytes;
	zlib->next_out = step->out;
	zlib->avail_out = out_bytes;
	status = inflate(zlib, Z_NO_FLUSH);
	step->in_bytes = in_bytes - zlib->avail_in;
	step->out_bytes = out_bytes - zlib->avail_out;
	if (status == Z_STREAM_END)
		return PROGRESS_END;
	if (status == Z_OK || status == Z_BUF_ERROR)
		return PROGRESS_MORE;
	*reason = zlib->msg ? zlib->msg : zError(status);
	return PROGRESS_FAILED;
}

static void close_zlib(struct unpacking *unpacking)
{
	inflateEnd(&unpacking->state.zlib);
}

static bool open_lzma(struct unpacking *unpacking)
{
	lzma_stream *lzma = &unpacking->state.lzma;

	*lzma = (lzma_stream)LZMA_STREAM_INIT;
	if (unpacking->packing == BC_PACKING_XZ)
		return lzma_stream_decoder(lzma, WINDOW_LIMIT_BYTES, 0) == LZMA_OK;
	return lzma_alone_decoder(lzma, WINDOW_LIMIT_BYTES) == LZMA_OK;
}

static const char *name_lzma_error(lzma_ret status)
{
	switch (status) {
	case LZMA_MEM_ERROR:
		return "out of memory";
	case LZMA_MEMLIMIT_ERROR:
		return wants_memory;
	case LZMA_OPTIONS_ERROR:
		return "unknown options";
	case LZMA_FORMAT_ERROR:
		return "bad header";
	default:
		return "bad data";
	}
}

static enum progress step_lzma(struct unpacking *unpacking, struct step *step, const char **reason)
{
	lzma_stream *lzma = &unpacking->state.lzma;
	lzma_ret status;

	lzma->next_in = step->in;
	lzma->avail_in = step->in_bytes;
	lzma->next_out = step->out;
	lzma->avail_out = step->out_bytes;
	status = lzma_code(lzma, LZMA_RUN);
	step->in_bytes -= lzma->avail_in;
	step->out_bytes -= lzma->avail_out;
	if (status == LZMA_STREAM_END)
		return PROGRESS_END;
	if (status == LZMA_OK || status == LZMA_BUF_ERROR)
		return PROGRESS_MORE;
	*reason = name_lzma_error(status);
	return PROGRESS_FAILED;
}

static void close_lzma(struct unpacking *unpacking)
{
	lzma_end(&unpacking->state.lzma);
}

static bool open_zstd(struct unpacking *unpacking)
{
	/* Its own limit, a window of 128 MiB, is what we want. */
	unpacking->state.zstd = ZSTD_createDCtx();
	return unpacking->state.zstd;
}

static enum progress step_zstd(struct unpacking *unpacking, struct step *step, const char **reason)
{
	ZSTD_inBuffer in = { step->in, step->in_bytes, 0 };
	ZSTD_outBuffer out = { step->out, step->out_bytes, 0 };
	size_t status = ZSTD_decompressStream(unpacking->state.zstd, &out, &in);

	step->in_bytes = in.pos;
	step->out_bytes = out.pos;
	if (ZSTD_isError(status)) {
		*reason = ZSTD_getErrorName(status);
		return PROGRESS_FAILED;
	}
	return status ? PROGRESS_MORE : PROGRESS_END;
}

static void close_zstd(struct unpacking *unpacking)
{
	ZSTD_freeDCtx(unpacking->state.zstd);
}

static bool open_lz4(struct unpacking *unpacking)
{
	return !LZ4F_isError(LZ4F_createDecompressionContext(&unpacking->state.lz4, LZ4F_VERSION));
}

static enum progress step_lz4(struct unpacking *unpacking, struct step *step, const char **reason)
{
	size_t status = LZ4F_decompress(unpacking->state.lz4, step->out, &step->out_bytes, step->in,
					&step->in_bytes, NULL);

	if (LZ4F_isError(status)) {
		*reason = LZ4F_getErrorName(status);
		return PROGRESS_FAILED;
	}
	return status ? PROGRESS_MORE : PROGRESS_END;
}

static void close_lz4(struct unpacking *unpacking)
{
	LZ4F_freeDecompressionContext(unpacking->state.lz4);
}

static const struct codec codecs[] = {
	[BC_PACKING_GZIP] = { "gzip", open_zlib, step_zlib, close_zlib },
	[BC_PACKING_ZLIB] = { "zlib", open_zlib, step_zlib, close_zlib },
	[BC_PACKING_XZ] = { "xz", open_lzma, step_lzma, close_lzma },
	[BC_PACKING_LZMA] = { "lzma", open_lzma, step_lzma, close_lzma },
	[BC_PACKING_ZSTD] = { "zstd", open_zstd, step_zstd, close_zstd },
	[BC_PACKING_LZ4] = { "lz4", open_lz4, step_lz4, close_lz4 },
	[BC_PACKING_LZ4_LEGACY] = { "lz4", NULL, NULL, NULL },
	[BC_PACKING_BZIP2] = { "bzip2", NULL, NULL, NULL },
	[BC_PACKING_LZO] = { "lzo", NULL, NULL, NULL },
};

/* lzma has no magic; these are the limits that xz(1) sets on its header. */
static bool is_lzma(const uint8_t *data, size_t size_bytes)
{
	uint32_t dictionary;
	uint64_t unpacked;

	if (size_bytes < 13 || data[0] != 0x5d)
		return false;
	dictionary = bc_bytes_u32(data + 1, false);
	unpacked = bc_bytes_u64(data + 5, false);
	if (dictionary < 4096 || (unpacked != UINT64_MAX && unpacked >= (uint64_t)1 << 38))
		return false;
	/* 2^n or 2^n + 2^(n-1) */
	return dictionary == UINT32_MAX || !(dictionary & (dictionary - 1)) ||
	       (!(dictionary % 3) && !((dictionary / 3) & (dictionary / 3 - 1)));
}

enum bc_packing bc_unpack_recognize(const uint8_t *data, size_t size_bytes)
{
	static const struct {
		enum bc_packing packing;
		const char *magic;
		size_t length;
	} magics[] = {
		{ BC_PACKING_GZIP, MAGIC("\x1f\x8b\x08") },
		{ BC_PACKING_XZ, MAGIC("\xfd"
				       "7zXZ\0") },
		{ BC_PACKING_ZSTD, MAGIC("\x28\xb5\x2f\xfd") },
		{ BC_PACKING_LZ4, MAGIC("\x04\x22\x4d\x18") },
		{ BC_PACKING_LZ4_LEGACY, MAGIC("\x02\x21\x4c\x18") },
		{ BC_PACKING_BZIP2, MAGIC("BZh") },
		{ BC_PACKING_LZO, MAGIC("\x89LZO\0\r\n\x1a\n") },
	};
	size_t i;

	for (i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (bc_bytes_have(data, size_bytes, 0, magics[i].magic, magics[i].length))
			return magics[i].packing;
	/* A skippable frame: pzstd begins with one. */
	if (bc_bytes_have(data, size_bytes, 1, MAGIC("\x2a\x4d\x18")) && data[0] >> 4 == 5)
		return BC_PACKING_ZSTD;
	return is_lzma(data, size_bytes) ? BC_PACKING_LZMA : BC_PACKING_NONE;
}

uint64_t bc_unpack_limit(uint64_t packed_bytes)
{
	uint64_t fixed = (uint64_t)64 << 20;

	if (packed_bytes > (BC_BYTES_MAX - fixed) / 64)
		return BC_BYTES_MAX;
	return fixed + 64 * packed_bytes;
}

static bool fail_early_end(const struct unpacking *unpacking, struct bc_err *err)
{
	return bc_err_set(err, "the %s data ends early", codecs[unpacking->packing].name);
}

static bool fail_corrupt(const struct unpacking *unpacking, const uint8_t *begin,
			 const char *reason, struct bc_err *err)
{
	return bc_err_set(err, "cannot unpack the %s data: %s (byte %zu of it)",
			  codecs[unpacking->packing].name, reason,
			  (size_t)(unpacking->data - begin));
}

static bool check_limit(const struct unpacking *unpacking, struct bc_err *err)
{
	if (unpacking->out->size_bytes <= unpacking->limit_bytes)
		return true;
	return bc_err_set(err, "the %s data unpacks to more than %zu MiB",
			  codecs[unpacking->packing].name, unpacking->limit_bytes >> 20);
}

/* Room for at least one byte more. */
static bool make_room(struct unpacking *unpacking, struct bc_err *err)
{
	struct bc_bytes *out = unpacking->out;
	size_t capacity_bytes = 2 * out->capacity_bytes;

	if (!check_limit(unpacking, err))
		return false;
	if (out->size_bytes < out->capacity_bytes)
		return true;
	if (capacity_bytes < 4096)
		capacity_bytes = 4096;
	if (capacity_bytes > unpacking->limit_bytes + 1)
		capacity_bytes = unpacking->limit_bytes + 1;
	return bc_bytes_reserve(out, capacity_bytes, err);
}

static bool run_codec(struct unpacking *unpacking, const uint8_t *begin, struct bc_err *err)
{
	const struct codec *codec = &codecs[unpacking->packing];
	struct bc_bytes *out = unpacking->out;
	enum progress progress;

	do {
		const char *reason = NULL;
		struct step step;

		if (!make_room(unpacking, err))
			return false;
		step.in = unpacking->data;
		step.in_bytes = unpacking->left_bytes;
		step.out = out->data + out->size_bytes;
		step.out_bytes = out->capacity_bytes - out->size_bytes;
		progress = codec->step(unpacking, &step, &reason);
		if (progress == PROGRESS_FAILED)
			return fail_corrupt(unpacking, begin, reason, err);
		unpacking->data += step.in_bytes;
		unpacking->left_bytes -= step.in_bytes;
		out->size_bytes += step.out_bytes;
		if (progress == PROGRESS_MORE && !step.in_bytes && !step.out_bytes)
			return fail_early_end(unpacking, err);
	} while (progress != PROGRESS_END);
	return check_limit(unpacking, err);
}

static bool unpack_stream(struct unpacking *unpacking, const uint8_t *begin, struct bc_err *err)
{
	const struct codec *codec = &codecs[unpacking->packing];
	bool done;

	if (!codec->open(unpacking))
		return bc_err_set(err, "cannot set up the %s library", codec->name);
	done = run_codec(unpacking, begin, err);
	codec->close(unpacking);
	return done;
}

/* Kernel builds put the unpacked length behind what they pack; padding is NULs. */
static bool is_trailer(const struct unpacking *unpacking)
{
	size_t i;

	if (unpacking->left_bytes == 4 &&
	    bc_bytes_u32(unpacking->data, false) == (uint32_t)unpacking->out->size_bytes)
		return true;
	for (i = 0; i < unpacking->left_bytes; i++)
		if (unpacking->data[i])
			return false;
	return true;
}

static bool unpack_lz4_block(struct unpacking *unpacking, const uint8_t *begin, struct bc_err *err)
{
	struct bc_bytes *out = unpacking->out;
	uint32_t packed_bytes;
	int unpacked_bytes;

	if (unpacking->left_bytes < 4)
		return fail_early_end(unpacking, err);
	packed_bytes = bc_bytes_u32(unpacking->data, false);
	if (packed_bytes > (uint32_t)LZ4_compressBound(LZ4_LEGACY_BLOCK_BYTES))
		return fail_corrupt(unpacking, begin, "a block too large", err);
	if (packed_bytes > unpacking->left_bytes - 4)
		return fail_early_end(unpacking, err);
	/* The whole block must fit, so this may overshoot the limit by one block. */
	if (out->capacity_bytes - out->size_bytes < LZ4_LEGACY_BLOCK_BYTES &&
	    !bc_bytes_reserve(out, 2 * out->size_bytes + LZ4_LEGACY_BLOCK_BYTES, err))
		return false;
	unpacked_bytes = LZ4_decompress_safe((const char *)unpacking->data + 4,
					     (char *)out->data + out->size_bytes, (int)packed_bytes,
					     LZ4_LEGACY_BLOCK_BYTES);
	if (unpacked_bytes < 0)
		return fail_corrupt(unpacking, begin, "a bad block", err);
	out->size_bytes += (size_t)unpacked_bytes;
	unpacking->data += 4 + packed_bytes;
	unpacking->left_bytes -= 4 + packed_bytes;
	return check_limit(unpacking, err);
}

static bool unpack_lz4_legacy(struct unpacking *unpacking, const uint8_t *begin, struct bc_err *err)
{
	unpacking->data += 4;
	unpacking->left_bytes -= 4;
	/* Nothing marks the end; another frame may follow. */
	while (!is_trailer(unpacking) &&
	       bc_unpack_recognize(unpacking->data, unpacking->left_bytes) != BC_PACKING_LZ4_LEGACY)
		if (!unpack_lz4_block(unpacking, begin, err))
			return false;
	return true;
}

static bool unpack_streams(struct unpacking *unpacking, const uint8_t *begin, struct bc_err *err)
{
	enum bc_packing packing = unpacking->packing;

	do {
		if (!(packing == BC_PACKING_LZ4_LEGACY ? unpack_lz4_legacy :
							 unpack_stream)(unpacking, begin, err))
			return false;
		if (is_trailer(unpacking))
			return true;
		/* xz streams may have NULs between them, four at a time. */
		while (packing == BC_PACKING_XZ && unpacking->left_bytes >= 4 &&
		       !bc_bytes_u32(unpacking->data, false)) {
			unpacking->data += 4;
			unpacking->left_bytes -= 4;
		}
	} while (bc_unpack_recognize(unpacking->data, unpacking->left_bytes) == packing);
	return bc_err_set(err, "%zu bytes of something else follow the %s data",
			  unpacking->left_bytes, codecs[packing].name);
}

bool bc_unpack(struct bc_bytes *out, enum bc_packing packing, const uint8_t *data,
	       size_t size_bytes, uint64_t limit_bytes, struct bc_err *err)
{
	struct unpacking unpacking = {
		.packing = packing,
		.data = data,
		.left_bytes = size_bytes,
		.out = out,
		.limit_bytes = limit_bytes < BC_BYTES_MAX ? limit_bytes : BC_BYTES_MAX,
	};

	if (!codecs[packing].open && packing != BC_PACKING_LZ4_LEGACY)
		return bc_err_set(
			err,
			"compressed with %s, which is not supported (gzip, xz, lzma, zstd and lz4 are)",
			codecs[packing].name);
	if (!unpack_streams(&unpacking, data, err)) {
		bc_bytes_free(out);
		return false;
	}
	return true;
}
