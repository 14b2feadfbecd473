#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Layouts that attributes change: BTF says where members are, and how large the whole is.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Objects;
use TestUtil;

need_assembler();

for my $which (qw(gcc5 clang5 i386)) {
	my $result = btfcanon('encode', object("sizes.$which"));
	quiet($result, "$which: encode");
	my $found = definitions(BTF->read($result->{out}));
	says($found, <<'END', $which);
struct p1
	5: a u8 @0; b u32 @1;
struct p2
	10: a u8 @0; b u64 @1; c u8 @9;
struct p3
	12: x u32 @0; in struct p1 @4; y u16 @10;
struct a1
	16: d int @0;
struct a2
	48: c u8 @0; m struct a1 @16; t u8 @32;
struct a3
	64: c u8 @0; v u32 @32; z u8 @36;
struct a4
	12: c u8 @0; pad [3]u8 @1; q u64 @4;
struct a6
	128: v u16 @0; fl u16 @2; a u32 @4; b u32 @8; c u32 @12; t u32 @64;
union u1
	5: b [5]u8 @0; w u32 @0;
struct u2
	7: a u8 @0; u union u1 @1; z u8 @6;
struct t1
	32: a u8 @0; b u32_aligned @16; c u8 @20;
typedef u32_aligned
	u32
END
	says($found, $which eq 'i386' ? { 'struct e1' => '12: a u8 @0; b u64 @4;',
			'struct e2' => '13: x struct e1 @0; y u8 @12;' }
		: { 'struct e1' => '16: a u8 @0; b u64 @8;',
			'struct e2' => '17: x struct e1 @0; y u8 @16;' }, $which);
}

done_testing;
