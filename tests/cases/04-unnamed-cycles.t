#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Unnamed types that lead back to themselves: merged when nothing tells them apart, ordered by what
# does, however far away it is.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;

sub ring_nodes {
	my @nodes = (
		int   => sub { $_[0]->int('int', 4, signed => 1) },
		short => sub { $_[0]->int('short', 2, signed => 1) },
		# typedef struct { item *after; int n; } item;
		to_item => sub { $_[0]->ptr($_[1]{item}) },
		body => sub { $_[0]->struct('', 16, [ [ 'after', $_[1]{to_item}, 0 ],
			[ 'n', $_[1]{int}, 64 ] ]) },
		item => sub { $_[0]->typedef('item', $_[1]{body}) },
	);
	# A ring of three, a ring of two and a ring of one: all unfold to the same endless chain.
	for my $edge ([qw(r1 r2)], [qw(r2 r3)], [qw(r3 r1)], [qw(d1 d2)], [qw(d2 d1)],
		[qw(self self)]) {
		my ($from, $to) = @$edge;
		push @nodes, "p_$from" => sub { $_[0]->ptr($_[1]{$to}) };
		push @nodes,
			$from => sub { $_[0]->struct('', 8, [ [ 'next', $_[1]{"p_$from"}, 0 ] ]) };
		push @nodes, "t_$from" => sub { $_[0]->typedef("t_$from", $_[1]{$from}) };
	}
	# Alike for four levels, then int or short.
	for my $leaf (qw(int short)) {
		my $inner = $leaf;
		for my $level (1 .. 4) {
			my ($below, $here) = ($inner, "$leaf$level");
			push @nodes, "p_$here" => sub { $_[0]->ptr($_[1]{$below}) };
			push @nodes,
				$here => sub { $_[0]->struct('', 8,
				[ [ 'm', $_[1]{"p_$here"}, 0 ] ]) };
			$inner = $here;
		}
	}
	# Rings alike but for one odd member far around: of four, one has another leaf.
	for my $i (0 .. 3) {
		my ($next, $leaf) = ('q' . ($i + 1) % 4, $i == 2 ? 'short' : 'int');
		push @nodes, "to_$next" => sub { $_[0]->ptr($_[1]{$next}) };
		push @nodes, "leaf$i" => sub { $_[0]->ptr($_[1]{$leaf}) };
		push @nodes,
			"q$i" => sub { $_[0]->union('', 8,
			[ [ 'on', $_[1]{"to_$next"}, 0 ], [ 'leaf', $_[1]{"leaf$i"}, 0 ] ]) };
	}
	return \@nodes;
}

in_both_orders(sub {
	my ($big, $name) = @_;
	my $btf = BTF::build(ring_nodes(), big => $big);
	my $sorted = canonical_is($btf->bytes, "$name: cycles") or return;
	my @other = grep { sort_bytes($btf->shuffled($_), '-q') ne $sorted } 1 .. 24;
	is("@other", '', "$name: 24 orders of ids and strings: the same bytes");

	my $result = BTF->read($sorted);
	same_graph($btf, $result, "$name: nothing lost, nothing invented");
	my %body = map { ($_->{refs}[0] => 1) } grep { $_->{name} =~ /^t_/ } $result->find('TYPEDEF');
	is(scalar keys %body, 1, "$name: rings that nothing tells apart are one struct");
	is(scalar(grep { /^t_/ } map { $_->{name} } $result->find('TYPEDEF')), 6,
		"$name: with all six names for it");
	is(scalar(() = $result->find('UNION')), 4,
		"$name: the ring with one odd leaf keeps its four");
	is(scalar(grep { "@{ $_->{names} }" eq 'm' } $result->find('STRUCT')), 8,
		"$name: what differs four levels down stays apart");

	my @dumps = map { btfcanon('dump', put("dump$_.btf", $_ ? $btf->shuffled($_) : $btf->bytes),
		'-q') } 0 .. 3;
	is($dumps[0]{status}, 0, "$name: dump ends");
	is(scalar(grep { $_->{out} ne $dumps[0]{out} } @dumps), 0,
		"$name: and says the same for every order");
});

# The same shapes as compilers write them.
for my $file (qw(cycles.gcc.btf cycles.bpfel.btf cycles.bpfeb.btf)) {
	my $bytes = get(fixture("cases/$file"));
	my $btf = BTF->read($bytes);
	my $sorted = canonical_is($bytes, $file) or next;
	same_bytes(sort_bytes($btf->shuffled(41)), $sorted, "$file: shuffled: the same");
	my $plain = btfcanon('dump', fixture("cases/$file"));
	my $shuffled = btfcanon('dump', put('dump.btf', $btf->shuffled(42)));
	is($shuffled->{out}, $plain->{out}, "$file: the same dump");
	like($plain->{out}, qr/\bdeep_long\b/, "$file: which names its types");
}

done_testing;
