#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# DATASEC: entries keep their order, variables of one name and type are told apart by their place.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;

sub section_nodes {
	return [
		int  => sub { $_[0]->int('int', 4, signed => 1) },
		ptr  => sub { $_[0]->ptr($_[1]{int}) },
		name => sub { $_[0]->typedef('name', $_[1]{int}) },
		x    => sub { $_[0]->var('x', $_[1]{ptr}, 0) },
		y_name => sub { $_[0]->var('y', $_[1]{name}, 0) },
		y_int  => sub { $_[0]->var('y', $_[1]{int}, 0) },
		percpu => sub { $_[0]->datasec('.data..percpu', 24,
			[ [ $_[1]{x}, 0, 8 ], [ $_[1]{y_name}, 8, 4 ], [ $_[1]{y_int}, 16, 4 ] ]) },
		other => sub { $_[0]->datasec('.other', 4, [ [ $_[1]{y_int}, 0, 4 ] ]) },
	];
}

in_both_orders(sub {
	my ($big, $name) = @_;
	my $btf = BTF::build(section_nodes(), big => $big);
	my $sorted = canonical_is($btf->bytes, "$name: sections") or return;
	my $other = BTF::build(section_nodes(), big => $big,
		order => [qw(other percpu y_int name y_name ptr x int)]);
	same_bytes(sort_bytes($other->bytes), $sorted, "$name: another order of ids: the same");
	my $result = BTF->read($sorted);
	my $percpu = $result->one('DATASEC', '.data..percpu');
	is(join(' ', map { $result->type($_)->{name} . ':'
		. $BTF::KINDS[ $result->type($result->type($_)->{refs}[0])->{kind} ] } @{ $percpu->{refs} }),
		'x:PTR y:TYPEDEF y:INT',
			"$name: entries in their order, the two y told apart by type");
	is("@{ $percpu->{nums} }", '0 8 8 4 16 4', "$name: offsets and sizes");
	my @ids = $result->ids(sub { $_->{kind} == BTF::DATASEC });
	my @before = $result->ids(sub { $_->{kind} =~ /^(8|14)$/ });
	ok($before[-1] < $ids[0], "$name: variables and typedefs stand before sections");

	# Static variables of one name and type are as many as their places.
	my $static = BTF->new(big => $big);
	my $int = $static->int('int', 4);
	my @same = map { $static->var('state', $int, 0) } 1 .. 4;
	$static->datasec('.bss', 16, [ map { [ $same[$_], 4 * $_, 4 ] } 1, 0 ] );
	$static->datasec('.data', 16, [ [ $same[2], 0, 4 ], [ $same[3], 4, 4 ] ]);
	$static->{types}[-2]{nums} = [ 0, 4, 8, 4 ];
	my $places = BTF->read(canonical_is($static->bytes,
		"$name: variables told apart by place"));
	is(scalar(() = $places->find('VAR')), 4, "$name: four places, four variables");
	same_bytes(sort_bytes($static->shuffled($_)), sort_bytes($static->bytes),
		"$name: shuffle $_") for 1 .. 4;

	# Not linked yet: all offsets are 0, the order is all there is.
	my $unlinked = BTF->new(big => $big);
	$int = $unlinked->int('int', 4);
	my @vars = map { $unlinked->var($_, $int) } qw(zz aa mm);
	$unlinked->datasec('.data', 0, [ map { [ $_, 0, 4 ] } @vars ]);
	$unlinked->datasec('.ksyms', 0,
		[ [ $unlinked->func('helper', $unlinked->proto(0, []), 2), 0, 0 ] ]);
	my $unlinked_sorted = canonical_is($unlinked->bytes, "$name: not linked yet");
	my $kept = BTF->read($unlinked_sorted);
	is(join(' ', map { $kept->type($_)->{name} } @{ $kept->one('DATASEC', '.data')->{refs} }),
		'zz aa mm',
		"$name: entries at 0 keep their order");
	quiet(check_bytes($unlinked_sorted), "$name: and raise no warning");

	# Two at one place: bad, but not ours to mend.
	for my $case ([ 'at one place', [ 8, 8 ] ], [ 'overlapping', [ 8, 12 ] ],
		[ 'out of order', [ 24, 8 ] ]) {
		my ($what, $at) = @$case;
		my $bad = BTF->new(big => $big);
		my $long = $bad->int('long', 8);
		my ($b, $a) = ($bad->var('b', $long), $bad->var('a', $long));
		$bad->datasec('.data', 64, [ [ $b, $at->[0], 8 ], [ $a, $at->[1], 8 ] ]);
		my $file = put("bad-$name.btf", $bad->bytes);
		warned(btfcanon('sort', '-o', scratch('bad.out'), $file),
			qr/\Q$file\E: .*overlap|\Q$file\E: .*order/,
			"$name: variables $what: a warning");
		my $out = BTF->read(get(scratch('bad.out')));
		is(join(' ', map { $out->type($_)->{name} } @{ $out->one('DATASEC')->{refs} }),
			'b a', "$name: variables $what: both kept, in their order");
	}
});

# As clang writes a BPF object.
for my $file (qw(sections.bpfel.btf sections.bpfeb.btf)) {
	my $bytes = get(fixture("cases/$file"));
	my $before = BTF->read($bytes);
	my $after = BTF->read(canonical_is($bytes, $file));
	same_graph($before, $after, "$file: nothing lost, nothing invented");
	for my $section ($before->find('DATASEC')) {
		my $names = sub { my ($btf, $type) = @_; return join ' ',
			map { $btf->type($_)->{name} } @{ $type->{refs} } };
		is($names->($after, $after->one('DATASEC', $section->{name})),
			$names->($before, $section), "$file: entries of $section->{name}");
	}
}

done_testing;
