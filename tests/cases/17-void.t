#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# void and "...": type 0 is never renumbered, a last parameter of type 0 is the dots.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;

in_both_orders(sub {
	my ($big, $name) = @_;
	my $btf = BTF->new(big => $big);
	my $int = $btf->int('int', 4, signed => 1);
	my $void_ptr = $btf->ptr(0);
	my $const_void = $btf->const(0);
	my $text = $btf->ptr($btf->const($btf->int('char', 1, signed => 1)));
	my $print = $btf->proto($int, [ [ 'how', $text ], [ '', 0 ] ]);
	my $dots_only = $btf->proto(0, [ [ '', 0 ] ]);
	my $nothing = $btf->proto(0, []);
	my $never = $btf->volatile($nothing);
	$btf->func('print', $print, 1);
	$btf->func('none', $nothing, 0);
	$btf->struct('all', 48, [ [ 'p', $void_ptr, 0 ], [ 'c', $btf->ptr($const_void), 64 ],
		[ 'f', $btf->ptr($nothing), 128 ],
		[ 'd', $btf->ptr($dots_only), 192 ], [ 'die', $btf->ptr($never), 256 ],
			[ 'print', $btf->ptr($print), 320 ] ]);
	$btf->typedef('nil', 0);
	my $sorted = canonical_is($btf->bytes, "$name: void everywhere") or return;
	same_bytes(sort_bytes($btf->shuffled($_)), $sorted, "$name: shuffle $_") for 1 .. 4;
	my $result = BTF->read($sorted);
	my $all = $result->one('STRUCT', 'all');
	my $to = sub { my ($i) = @_; return $result->type($result->type($all->{refs}[$i])->{refs}[0]) };
	is($result->type($all->{refs}[0])->{refs}[0], 0, "$name: a pointer to void");
	is($to->(1)->{refs}[0], 0, "$name: const void");
	is($result->one('TYPEDEF', 'nil')->{refs}[0], 0, "$name: a typedef of void");
	is_deeply([ @{ $to->(2) }{qw(vlen refs)} ], [ 0, [0] ], "$name: no parameters, no result");
	is_deeply([ @{ $to->(3) }{qw(vlen refs names)} ], [ 1, [ 0, 0 ], [''] ],
		"$name: dots alone count as one parameter");
	is_deeply([ $to->(5)->{vlen}, $to->(5)->{refs}[2], $to->(5)->{names}[1] ], [ 2, 0, '' ],
		"$name: dots last");
	is($to->(4)->{kind}, BTF::VOLATILE,
		"$name: a function that does not return stays volatile");
	is($result->type($result->one('FUNC', 'print')->{refs}[0])->{vlen}, 2,
		"$name: a function keeps its dots");
	quiet(check_bytes($sorted), "$name: not a word about it");
});

for my $file (qw(voids.gcc.btf voids.bpfel.btf voids.bpfeb.btf)) {
	my $bytes = get(fixture("cases/$file"));
	my $before = BTF->read($bytes);
	my $after = BTF->read(canonical_is($bytes, $file));
	same_graph($before, $after, "$file: nothing lost, nothing invented");
	my $dots = sub { my ($btf) = @_; return scalar grep { @{ $_->{names} }
		&& $_->{refs}[-1] == 0 } $btf->find('FUNC_PROTO') };
	cmp_ok($dots->($after), '>', 0, "$file: has dots");
	is($dots->($after), $dots->($before), "$file: as many as before");
	my $dump = btfcanon('dump', fixture("cases/$file"));
	like($dump->{out}, qr/\.\.\./, "$file: dump writes dots as dots");
}

done_testing;
