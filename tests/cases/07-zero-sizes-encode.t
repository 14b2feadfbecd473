#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Sizes of zero: arrays, structs and unions of nothing, at either end and in the middle.

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
	s/\blong long(?! int)/long long int/, s/\bshort(?! int)/short int/ for values %$found;
	my $mid = $which eq 'i386' ? 4 : 8;
	says($found, <<"END", $which);
struct empty
	0:
struct flex
	4: n int \@0; e struct empty \@4; v [0]int \@4;
struct zero
	8: n int \@0; v [0]int \@4; tail short int \@4;
struct mid
	$mid: a u8 \@0; struct { 0: pad struct { 0: } \@0; w [0]long long int \@0; } \@$mid;
union all_flex
	0: e struct { 0: } \@0; a [0]int \@0; b [0]u8 \@0;
struct only
	0: u union all_flex \@0;
struct two
	0: m [0]int \@0; fn [0]*void \@0;
struct hold
	20: z [2]struct zero \@0; e [4]struct empty \@16; end int \@16;
struct empty_first
	4: lead [0]int \@0; body int \@0;
END
}

done_testing;
