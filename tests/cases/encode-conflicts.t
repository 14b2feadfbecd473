#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Units that disagree about a tag: each keeps what it means, and a unit that only declares the tag
# gets the body with most members, of these the largest, of these the last in the canonical order.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use DWARF;
use Objects;
use TestUtil;

my $next = 0;

# A unit: base types, then what CODE makes of a sub that gives fresh labels.
sub unit_of {
	my ($code) = @_;
	my $prefix = 'u' . $next++ . '_';
	my $l = sub { return $prefix . $_[0] };
	return [ compile_unit => { language => 12 },
		[ base_type => { label => $l->('int'), name => 'int', byte_size => 4,
			encoding => 5 } ],
		[ base_type => { label => $l->('char'), name => 'char', byte_size => 1,
			encoding => 6 } ],
		$code->($l) ];
}

# A body of tag x: [size, member names...]; enums have values of these names.
sub body {
	my ($l, $class, $size, @names) = @_;
	return [ $class => { label => $l->('x'), name => 'x', byte_size => $size },
		map { $class eq 'enumeration_type' ? [ enumerator => { name => $names[$_],
			const_value => $_ } ]
			: [ member => { name => $names[$_], type => \$l->('char'),
				data_member_location => $class eq 'union_type' ? 0
					: $_ } ] } 0 .. $#names ];
}

# A struct with a pointer to x, which is declared or (given a body) defined.
sub user {
	my ($l, $class, $name, @x) = @_;
	@x = [ $class => { label => $l->('x'), name => 'x', declaration => [ flag_present => 1 ] } ]
		if !@x;
	return (@x, [ pointer_type => { label => $l->('px'), type => \$l->('x') } ],
		[ structure_type => { name => $name, byte_size => 8 },
			[ member => { name => 'x', type => \$l->('px'),
				data_member_location => 0 } ] ]);
}

# The BTF of units, which must be the same in any order and number of files.
sub agreed {
	my ($big, @units) = @_;
	my %seen;
	for my $try (0 .. 3) {
		my @order = $try % 2 ? reverse @units : @units;
		my @files = map { DWARF->new(big => $big) } 1 .. ($try < 2 ? 1 : @units);
		$next = 0;
		$files[ $try < 2 ? 0 : $_ ]->unit(unit_of($order[$_])) for 0 .. $#order;
		my @paths = map { put("f$try-$_.elf", $files[$_]->elf) } 0 .. $#files;
		my $result = btfcanon('encode', '-q', "-j" . (1 + $try), "--shuffle-units=$try",
			@paths);
		diag($result->{err}) if $result->{status};
		$seen{ $result->{out} } = 1;
	}
	return keys %seen == 1 ? BTF->read((keys %seen)[0]) : undef;
}

# Names of members of what "x" of a struct points at.
sub pointee {
	my ($btf, $name) = @_;
	my ($struct) = $btf->find('STRUCT', $name);
	my $x = $btf->type($btf->type($struct->{refs}[0])->{refs}[0]);
	my $kind = $BTF::KINDS[ $x->{kind} ] =~ s{64}{}r; # an enum of eight bytes
	return join ' ', $kind, @{ $x->{names} };
}

in_both_orders(sub {
	my ($big, $order) = @_;
	for my $class (qw(structure_type union_type enumeration_type)) {
		my $kind = { structure_type => 'STRUCT', union_type => 'UNION',
			enumeration_type => 'ENUM' }->{$class};
		my @cases = (
			[ 'most members, though the other is larger', [ 4, qw(a b) ], [ 8, qw(z) ],
				'a b' ],
			[ 'the largest of as many members', [ 4, qw(z) ], [ 8, qw(a) ], 'a' ],
			[ 'the last name of as many members and bytes', [ 4, qw(a c) ], [ 4,
				qw(a b) ], 'a c' ],
		);
		for my $case (@cases) {
			my ($name, $one, $other, $expected) = @$case;
			my $btf = agreed($big, sub { user($_[0], $class, 'has_one', body($_[0],
				$class, @$one)) },
				sub { user($_[0], $class, 'has_other', body($_[0], $class,
					@$other)) },
				sub { user($_[0], $class, 'declares') });
			ok($btf, "$order: $class: $name: the same in any order") or next;
			my @is = map { pointee($btf, $_) } qw(has_one has_other declares);
			is_deeply(\@is, [ "$kind @$one[ 1 .. $#$one ]",
				"$kind @$other[ 1 .. $#$other ]",
				"$kind $expected" ], "$order: $class: $name");
			is(scalar(() = $btf->find('FWD')), 0,
				"$order: $class: $name: none stays declared");
		}

		# Without a conflict, and without any body.
		my $btf = agreed($big, sub { user($_[0], $class, 'has', body($_[0], $class, 4,
			'a')) },
			sub { user($_[0], $class, 'declares') });
		is(pointee($btf, 'declares'), "$kind a", "$order: $class: one body is it");
		is(scalar(() = $btf->find($kind, 'x')), 1, "$order: $class: and is there once");
		$btf = agreed($big, sub { user($_[0], $class, 'one') }, sub { user($_[0], $class,
			'other') });
		is(pointee($btf, 'one'), $class eq 'enumeration_type' ? 'ENUM' : 'FWD',
			"$order: $class: no body, a declaration");
	}

	# A struct and a union of one name are two tags.
	my $btf = agreed($big, sub { user($_[0], 'structure_type', 's', body($_[0],
		'structure_type', 4, 'a')) },
		sub { user($_[0], 'union_type', 'u') }, sub { user($_[0], 'structure_type', 'd') });
	is(pointee($btf, 'u'), 'FWD', "$order: a declared union is not the struct of its name");
	is(pointee($btf, 'd'), 'STRUCT a', "$order: a declared struct is");

	# One text, another meaning further down: x { y * } of two y. The declaration gets the
	# greater y, by members, which is all that tells them apart.
	my $deep = sub {
		my ($name, @y) = @_;
		return sub {
			my ($l) = @_;
			return user($l, 'structure_type', $name,
				[ structure_type => { label => $l->('y'), name => 'y',
					byte_size => scalar @y },
					map { [ member => { name => $y[$_], type => \$l->('char'),
						data_member_location => $_ } ] } 0 .. $#y ],
				[ pointer_type => { label => $l->('py'), type => \$l->('y') } ],
				[ structure_type => { label => $l->('x'), name => 'x',
					byte_size => 8 },
					[ member => { name => 'y', type => \$l->('py'),
						data_member_location => 0 } ] ]);
		};
	};
	$btf = agreed($big, $deep->('first', 'a'), $deep->('second', 'a', 'b'),
		sub { user($_[0], 'structure_type', 'declares') });
	if (ok($btf, "$order: bodies of one text: the same in any order")) {
		is(scalar(() = $btf->find('STRUCT', 'x')), 2,
			"$order: bodies of one text: both are there");
		my %y = map {
			my ($struct) = $btf->find('STRUCT', $_);
			my $x = $btf->type($btf->type($struct->{refs}[0])->{refs}[0]);
			my $y = $btf->type($btf->type($x->{refs}[0])->{refs}[0]);
			($_ => join ' ', @{ $y->{names} });
		} qw(first second declares);
		is_deeply(\%y, { first => 'a', second => 'a b', declares => 'a b' },
			"$order: bodies of one text: each means its own");
	}

	# A unit that says nothing about either of two disputed tags gets the best of each, though
	# no other unit has these together; however many units come before it.
	my $both = sub {
		my ($name, $x, $y) = @_;
		return sub {
			my ($l) = @_;
			my @dies;
			for my $tag ([ x => $x ], [ y => $y ]) {
				my ($t, $count) = @$tag;
				push @dies, $count ? [ structure_type => { label => $l->($t),
					name => $t,
					byte_size => $count }, map { [ member => { name => "$t$_",
						type => \$l->('char'),
							data_member_location => $_ } ] } 0 .. $count - 1 ]
					: [ structure_type => { label => $l->($t), name => $t,
						declaration => [ flag_present => 1 ] } ];
				push @dies, [ pointer_type => { label => $l->("p$t"),
					type => \$l->($t) } ];
			}
			push @dies, [ structure_type => { label => $l->('w'), name => 'w',
				byte_size => 16 },
				[ member => { name => 'x', type => \$l->('px'),
					data_member_location => 0 } ],
				[ member => { name => 'y', type => \$l->('py'),
					data_member_location => 8 } ] ],
				[ typedef => { name => $name, type => \$l->('w') } ]
					if defined $name;
			return @dies;
		};
	};
	$btf = agreed($big, $both->('left_t', 2, 1), $both->('right_t', 1, 2),
		(map { $both->(undef, 0, 0) } 1 .. 9), $both->('plain_t', 0, 0));
	if (ok($btf, "$order: two disputed tags: the same in any order")) {
		my %w = map {
			my ($typedef) = $btf->find('TYPEDEF', $_);
			my $w = $btf->type($typedef->{refs}[0]);
			($_ => join ' ', map { $btf->type($btf->type($_)->{refs}[0])->{vlen} } @{ $w->{refs} });
		} qw(left_t right_t plain_t);
		is_deeply(\%w, { left_t => '2 1', right_t => '1 2', plain_t => '2 2' },
			"$order: two disputed tags: a third has the best of both");
	}

	# Each of many units has its own x behind a pointer of a struct that all share: a variant of
	# that one struct for each, and of nothing else.
	my $count = 24;
	my @units = map {
		my $own = $_;
		sub {
			my ($l) = @_;
			my @shared = map {
				my $n = $_;
				([ pointer_type => { label => $l->("p$n"), type => \$l->('s' . ($n
					? $n - 1 : 9)) } ],
				[ structure_type => { label => $l->("s$n"), name => "shared$n",
					byte_size => 8 },
					[ member => { name => 'next', type => \$l->("p$n"),
						data_member_location => 0 } ] ]);
			} 0 .. 9;
			return (user($l, 'structure_type', 'device', $own < $count
				? body($l, 'structure_type', 1 + $own, map { "m$_" } 0 .. $own)
					: ()),
				[ typedef => { name => 'device_x_t', type => \$l->('px') } ],
					@shared);
		};
	} 0 .. $count;
	$btf = agreed($big, @units);
	if (ok($btf, "$order: many units with their own: the same in any order")) {
		my $found = definitions($btf);
		is(scalar(() = $btf->find('STRUCT', $_)), $count, "$order: $count of struct $_")
			for qw(x device);
		is(scalar(() = $btf->find('STRUCT', "shared$_")), 1, "$order: one struct shared$_")
			for 0, 9;
		is($btf->id_end - 1, 2 + 4 * $count + 2 * 10, "$order: and nothing else");
	}
});

# A unit that turns out to want the body of another one is walked twice: what it leaves out counts once.
in_both_orders(sub {
	my ($order, $big) = @_;
	my $file = DWARF->new(big => $big);
	$next = 0;
	$file->unit(unit_of(sub { body($_[0], 'structure_type', 2, 'a', 'b') }));
	$file->unit(unit_of(sub {
		my ($l) = @_;
		return (user($l, 'structure_type', 'user'),
			[ pointer_type => { type => [ ref_addr => \'u0_x' ] } ],
			[ structure_type => { name => 'odd', byte_size => 4 },
				[ member => { name => 'none' } ] ]);
	}));
	my $result = btfcanon('encode', '--stats', put('twice.elf', $file->elf));
	like($result->{err}, qr/^members or parameters without a type \(left out\) +1$/m,
		"$order: what a unit leaves out counts once");
});

done_testing;
