#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Compressed DWARF: section by section, in the old way, and the file as a whole. The same types, or
# one line that says what cannot be undone.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use DWARF;
use TinyELF;
use Objects;
use TestUtil;

need_assembler(qw(ld objcopy));

my $plain = object('part1.v5');
my $program = linked('program', $plain);
my $bytes = btfcanon('encode', $plain)->{out};
says(BTF->read($bytes), { 'struct wide' => '56: ' . join('', map { "$_ int \@" . 4 * (ord() - 97)
	. '; ' }
	'a' .. 'k') . 'next *struct wide @48;' }, 'plain');
same_bytes(btfcanon('encode', $program)->{out}, $bytes, 'linked');

sub compression_of {
	my ($path) = @_;
	my $file = get($path);
	my ($table, $count) = (unpack('Q<', substr $file, 0x28, 8), unpack('v', substr $file, 0x3c,
		2));
	return map {
		my $at = $table + 64 * $_;
		my ($flags, $place) = unpack 'Q<x8Q<', substr $file, $at + 8, 24;
		$flags & 0x800 ? $place : ();
	} 0 .. $count - 1;
}

for my $from ($plain, $program) {
	my $what = $from eq $plain ? 'relocatable' : 'linked';
	my $zlib = converted("zlib.$what", $from, '--compress-debug-sections=zlib');
	cmp_ok(scalar compression_of($zlib), '>', 1, "$what: sections are compressed");
	same_bytes(btfcanon('encode', $zlib)->{out}, $bytes, "$what: SHF_COMPRESSED, zlib");
	my $old = converted("old.$what", $from, '--compress-debug-sections=zlib-gnu');
	like(get($old), qr/\.zdebug_info/, "$what: there is a .zdebug_info");
	same_bytes(btfcanon('encode', $old)->{out}, $bytes, "$what: .zdebug_info");

	# By what the header says: 2 is zstd.
	my $file = get($zlib);
	substr $file, $_, 4, pack 'V', 2 for compression_of($zlib);
	my $zstd = put("zstd.$what", $file);
	my $result = btfcanon('encode', $zstd);
	refused($result, $zstd, qr/zstd/, "$what: zstd that is none, by name");
	my $real = converted("real-zstd.$what", $from, '--compress-debug-sections=zstd');
	SKIP: {
		skip 'objcopy knows no zstd', 1 if !defined $real || !compression_of($real);
		$result = btfcanon('encode', $real);
		$result->{status} == 0
			? same_bytes($result->{out}, $bytes, "$what: zstd, undone")
			: refused($result, $real, qr/zstd/, "$what: zstd, refused by name");
	}

	# A header that lies about the size must cost nothing.
	for my $size (1 << 40, ~0, 3) {
		$file = get($zlib);
		substr $file, $_ + 8, 8, pack 'Q<', $size for compression_of($zlib);
		my $lie = put("lie.$what", $file);
		refused(btfcanon('encode', $lie, { memory_mb => 256, seconds => 10 }), $lie, qr/./,
			"$what: a stated size of $size bytes");
	}
	$file = get($zlib);
	substr $file, $_, 4, pack 'V', 99 for compression_of($zlib);
	my $unknown = put("unknown.$what", $file);
	refused(btfcanon('encode', $unknown), $unknown, qr/decompress|compress/,
		"$what: a compression that nobody knows");

	for my $tool ([ gzip => '-n' ], [ xz => ], [ bzip2 => ]) {
		my ($name, @options) = @$tool;
		SKIP: {
			skip "no $name here", 1 if !have($name);
			my $whole = scratch("whole.$what.$name");
			run($name, @options, '-c', $from, { stdout_to => $whole });
			$result = btfcanon('encode', $whole);
			$result->{status} == 0
				? same_bytes($result->{out}, $bytes, "$what: all of it in $name")
				: refused($result, $whole, qr/./,
					"$what: all of it in $name, refused");
		}
	}
}

done_testing;
