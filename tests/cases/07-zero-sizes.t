#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Arrays of no elements, structs and unions of no size: kept wherever they are.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;

# Clang repeats unnamed types, sorting merges them: which counts there are, not how many of each.
sub array_counts {
	my ($btf) = @_;
	my %seen = map { ($_->{fixed} => 1) } $btf->find('ARRAY');
	return join ' ', sort { $a <=> $b } keys %seen;
}

for my $file (qw(zeros.gcc.btf zeros.bpfel.btf zeros.bpfeb.btf)) {
	my $bytes = get(fixture("cases/$file"));
	my $before = BTF->read($bytes);
	quiet(btfcanon('sort', fixture("cases/$file"), { stdout_to => '/dev/null' }),
		"$file: not a word about it");
	my $after = BTF->read(canonical_is($bytes, $file));
	same_graph($before, $after, "$file: nothing lost, nothing invented");
	is(array_counts($after), array_counts($before), "$file: element counts");
	is($after->one('STRUCT', 'nothing')->{size}, 0, "$file: struct nothing");
	is($after->one('UNION', 'zero_union')->{size}, 0, "$file: union zero_union");
	is_deeply($after->one('STRUCT', 'zero_middle')->{nums}, [ 0, 32, 32 ],
		"$file: members around an array of none");
	is($after->one('STRUCT', 'array_of_zero')->{nums}[2], 128, "$file: array_of_zero.end");
	is($after->one('STRUCT', 'aligned_tail')->{size}, 8, "$file: aligned_tail");
	my $dump = btfcanon('dump', fixture("cases/$file"));
	like($dump->{out}, qr/struct nothing\b/, "$file: dump names the empty struct");
	like($dump->{out}, qr/\bnone\b.*\[0\]|\[0\].*\bnone\b/,
		"$file: dump shows an array of none");
}

in_both_orders(sub {
	my ($big, $name) = @_;
	my $btf = BTF->new(big => $big);
	my $int = $btf->int('int', 4, signed => 1);
	my $none = $btf->array($int, $int, 0);
	my $planes = $btf->array($btf->array($none, $int, 7), $int, 2);
	my $empty = $btf->struct('empty', 0, []);
	my $void_union = $btf->union('void_union', 0, [ [ 'e', $empty, 0 ], [ 'n', $none, 0 ] ]);
	$btf->struct('all', 8, [ [ 'a', $empty, 0 ], [ 'n', $int, 0 ], [ 'p', $planes, 32 ],
		[ 'b', $empty, 32 ],
		[ 'u', $void_union, 32 ], [ 'm', $int, 32 ], [ 'flexible', $none, 64 ],
			[ 'at_the_end', $empty, 64 ] ]);
	$btf->array($empty, $int, 0xffffffff);
	$btf->struct('', 0, []);
	my $sorted = canonical_is($btf->bytes, "$name: zero sizes by hand") or return;
	quiet(check_bytes($sorted), "$name: accepted without a word");
	is(scalar BTF->read($sorted)->types, scalar $btf->types, "$name: all are there");
});

done_testing;
