#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The type-layout section of 2026: read wherever it stands, kept in one place, dropped on request.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;

my @known = @BTF::LAYOUT;

sub plain {
	my ($big) = @_;
	my $b = BTF->new(big => $big);
	my $int = $b->int('int', 4, signed => 1);
	$b->struct('pair', 8, [ [ 'second', $int, 0 ], [ 'first', $int, 32 ] ]);
	$b->enum64('e', [ [ 'X', 1 << 33 ] ]);
	$b->ptr(2);
	return $b;
}

in_both_orders(sub {
	my ($big, $name) = @_;
	my $layout = BTF::layout_bytes($big, @known);
	my $b = plain($big);
	my $without = $b->bytes;
	my $with = $b->bytes(layout => $layout);
	my $canonical = sort_bytes($without);

	my $sorted = canonical_is($with, "$name: with a layout") or return;
	my $read = BTF->read($sorted);
	is($read->{header}, 32, "$name: a header of 32 bytes");
	is($read->{layout}, $layout, "$name: the layout as it was");
	is($read->{layout_off} % 4, 0, "$name: aligned");
	is_deeply([ @$read{qw(type_off layout_off str_off)} ],
		[ 0, $read->{type_len}, $read->{type_len} + length $layout ],
		"$name: types, layout, strings, nothing between");
	is(length $sorted, 32 + $read->{str_off} + length $read->{strings},
		"$name: nothing behind");
	my $plain = BTF->read($canonical);
	is($read->{strings}, $plain->{strings}, "$name: the strings are those without a layout");
	is(substr($sorted, 32, $read->{type_len}), substr($canonical, 24, $plain->{type_len}),
		"$name: so are the types");
	same_bytes(sort_bytes($with, '--drop-layout'), $canonical, "$name: --drop-layout");
	quiet(btfcanon('sort', put('layout.btf', $with), { stdout_to => '/dev/null' }),
		"$name: not a word about it");

	# Elsewhere in the file.
	same_bytes(sort_bytes($b->bytes(layout => $layout, order => $_)), $sorted,
		"$name: in the order @$_")
		for [qw(types strings layout)], [qw(layout types strings)],
			[qw(strings layout types)];
	is(check_bytes($b->bytes(layout => $layout, order => [qw(layout types strings)]))->{status},
		1, "$name: but only one order is canonical");
	same_bytes(sort_bytes($b->bytes(header => 32)), $canonical,
		"$name: a long header without a layout");
	my $long = check_bytes(BTF->read($canonical)->bytes(header => 32,
		strings => [ $plain->{strings}, sub { index $plain->{strings}, $_[0] eq '' ? "\0"
		: "$_[0]\0" } ]));
	is($long->{status}, 1, "$name: is not canonical");
	like($long->{out} . $long->{err}, qr/header/, "$name: and check says: the header");

	# What two files say is one thing, with a layout or without.
	my $dump = btfcanon('dump', put('layout.btf', $with));
	is($dump->{out}, btfcanon('dump', put('plain.btf', $without))->{out},
		"$name: dump says the same with and without");

	# One input with a layout gives the result one.
	my @files = (put('l.btf', $with), put('p.btf', $without));
	same_bytes(btfcanon('sort', @files)->{out}, $sorted, "$name: merged: one has a layout");
	same_bytes(btfcanon('sort', reverse @files)->{out}, $sorted,
		"$name: merged: the other way round");

	# A kind from the future.
	my $future = sub {
		my (@list) = @_;
		my $u = plain($big);
		$u->add(kind => 20, name => 'thing', vlen => 2, tail => [ 7, 7, 1, 1 ]);
		$u->typedef('behind', 1);
		return $u->bytes(layout => BTF::layout_bytes($big, @list), header => 32);
	};
	my $known_length = put("future-$name.btf", $future->(@known, [ 8, 4 ]));
	my $shown = btfcanon('dump', $known_length);
	is($shown->{status}, 0, "$name: dump goes on over a kind of known length");
	like($shown->{out}, qr/\bbehind\b/, "$name: and reaches what is behind it");
	refused(btfcanon($_, $known_length), $known_length, qr/kind/,
		"$name: $_ cannot renumber an unknown kind") for qw(sort check);
	my $unknown = put("unknown-$name.btf", $future->(@known));
	refused(btfcanon($_, $unknown), $unknown, qr/type 5\b.*kind 20/,
		"$name: $_: a kind of unknown length") for qw(sort check dump);
	my $odd = put("odd-$name.btf", $future->(@known, [ 7, 3 ]));
	refused(btfcanon($_, $odd), $odd, qr/type 5\b|layout/,
		"$name: $_: a kind of no whole words") for qw(sort dump);
	my $wrong = put("wrong-$name.btf", $future->(@known, [ 255, 255 ]));
	refused(btfcanon($_, $wrong), $wrong, qr/./, "$name: $_: a kind longer than the section")
		for qw(sort dump);

	# Known kinds have the sizes they have.
	my $lie = put("lie-$name.btf",
		$b->bytes(layout => BTF::layout_bytes($big, map { [ 9, 9 ] } @known)));
	my $told = btfcanon('sort', '--drop-layout', '-o', scratch('told.btf'), $lie);
	warned($told, qr/layout/, "$name: a layout that lies about known kinds: a warning");
	same_bytes(get(scratch('told.btf')), $canonical, "$name: and the sizes that are known");
	my $short = BTF::layout_bytes($big, @known[ 0 .. 5 ]);
	my $partly = sort_bytes($b->bytes(layout => $short));
	is(BTF->read($partly)->{layout}, $short, "$name: a layout of fewer kinds is kept");

	# Not a layout at all.
	my $cut = put("cut-$name.btf", $b->bytes(layout => substr $layout, 0, 78));
	refused(btfcanon('sort', $cut), $cut, qr/layout/, "$name: a layout of 78 bytes");
});

done_testing;
