#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Per-CPU variables: VARs, and the DATASEC that says where each is, as kernels take them.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Image;
use TestUtil;

sub address {
	my ($big, $value, @rest) = @_;
	return [ exprloc => "\x03" . pack($big ? 'Q>' : 'Q<', $value) . join '', @rest ];
}

sub variable {
	my ($name, $type, %a) = @_;
	return [ variable => Image::attributes((defined $name ? (name => [ string => $name ]) : ()),
		(defined $type ? (type => $type) : ()), %a) ];
}

# "name type offset size linkage" of each entry, in order.
sub section_of {
	my ($bytes) = @_;
	my $btf = BTF->read($bytes);
	my @sections = $btf->find('DATASEC');
	return 'none' if !@sections;
	my $section = $sections[0];
	my @entries = map {
		my $variable = $btf->type($section->{refs}[$_]);
		my $type = $btf->type($variable->{refs}[0]);
		join ' ', $variable->{name}, $type->{name} || $BTF::KINDS[ $type->{kind} ],
			@{ $section->{nums} }[ 2 * $_, 2 * $_ + 1 ],
			$variable->{fixed} ? 'global' : 'static';
	} 0 .. $#{ $section->{refs} };
	is(scalar(() = $btf->find('VAR')), @entries, '  no variables elsewhere');
	return join ', ', "$section->{name} $section->{size}", @entries;
}

sub make {
	my ($big, $at, $objects, @units) = @_;
	my $image = Image->new(big => $big, machine => $big ? 22 : 62);
	$image->section('.text', 0x1000, "\0" x 64, flags => 6);
	$image->section('.data', 0x5000, "\0" x 64, flags => 3);
	$image->section('.data..percpu', $at, "\0" x 256, flags => 3);
	$image->symbol($_->[0], $at + $_->[1], 4, type => 'object', section => '.data..percpu')
		for @$objects;
	$image->unit(@$_) for @units;
	return $image;
}

sub variables_are {
	my ($name, $expected, $image) = @_;
	my $result = btfcanon('encode', '-q', put('percpu.elf', $image->elf));
	is($result->{status}, 0, "$name: encoded") || diag($result->{err});
	is(section_of($result->{out}), $expected, "$name: variables");
	my $check = check_bytes($result->{out}, '-q');
	is($check->{status}, 0, "$name: check agrees") || diag($check->{err});
	same_bytes(btfcanon('encode', '-q',
		put('percpu.elf', $image->elf(reverse 0 .. $#{ $image->{units} })))->{out},
		$result->{out}, "$name: units in reverse");
	return $result->{out};
}

in_both_orders(sub {
	my ($big, $order) = @_;
	for my $at (0, 0xffff8000 << 32 | 0x200000) {
		my $name = sprintf '%s, section at 0x%x', $order, $at;
		my $place = sub { my ($offset, @rest) = @_; return (location => address($big, $at + $offset, @rest)) };
		variables_are("$name: by offset, whatever their names",
			'.data..percpu 52, zz int 0 4 global, aa box 8 4 static, mm PTR 16 8 global, '
				. 'late int 48 4 static',
			make($big, $at, [ [ zz => 0 ] ],
				[ variable('aa', \'box', $place->(8)),
					variable('zz', \'int', external => [ flag_present => 1 ], $place->(0)) ],
				[ variable('late', \'int', $place->(48)),
					variable('mm', \'box*', external => [ flag => 1 ], $place->(16)) ]));

		# Linkers leave the address of what they dropped 0.
		variables_are("$name: offset 0 without an object there", '.data..percpu 12, a int 8 4 static',
			make($big, $at, [ [ a => 8 ] ], [ variable('dropped', \'int', $place->(0)),
				variable('a', \'int', $place->(8)) ]));

		variables_are("$name: elsewhere, on the stack, declared, local: none of them", 'none',
			make($big, $at, [ [ a => 0 ] ],
				[ variable('other', \'int', location => address($big, 0x5000)),
					variable('beyond', \'int', $place->(256)),
					variable('before', \'int', location => address($big, $at - 8)),
					variable('stack', \'int', location => [ exprloc => "\x91\x10" ]),
					variable('declared', \'int', declaration => [ flag_present => 1 ],
						$place->(8)),
					[ subprogram => Image::attributes(name => 'f', low_pc => 0x1000),
						variable('local', \'int', $place->(16)) ],
					variable('cut', \'int', location => [ exprloc => "\x03\x08" ]),
					variable('empty', \'int', location => [ exprloc => '' ]),
					variable('void', undef, $place->(24)) ]));

		variables_are("$name: names that kernels refuse, or that macros make", '.data..percpu 12, good.1 int 8 4 static',
			make($big, $at, [ [ x => 0 ] ],
				[ variable('__UNIQUE_ID_x1', \'int', $place->(16)),
					variable('9lives', \'int', $place->(20)), variable('sp ace', \'int', $place->(24)),
					variable('x' x 128, \'int', $place->(28)), variable('', \'int', $place->(32)),
					variable('good.1', \'int', $place->(8)) ]));

		variables_are("$name: declared first, defined by specification; an offset added",
			'.data..percpu 12, declared int 4 4 global, added int 8 4 static',
			make($big, $at, [ [ x => 0 ] ],
				[ variable('declared', \'int', label => 'declaration', declaration => [ flag => 1 ],
					external => [ flag => 1 ]),
					[ variable => Image::attributes(specification => [ ref4 => \'declaration' ],
						$place->(4)) ],
					variable('added', \'int', $place->(4, "\x23\x04")) ]));

		variables_are("$name: static variables of one name keep their places",
			'.data..percpu 12, state int 0 4 static, state int 4 4 static, state box 8 4 static',
			make($big, $at, [ [ state => 0 ] ], [ variable('state', \'int', $place->(0)) ],
				[ variable('state', \'int', $place->(4)) ], [ variable('state', \'box', $place->(8)) ]));

		# Kernels refuse entries that overlap or have no size.
		variables_are("$name: on top of another, of no size", '.data..percpu 8, a int 0 4 static, b int 4 4 static',
			make($big, $at, [ [ a => 0 ] ],
				[ variable('a', \'int', $place->(0)), variable('over', \'int', $place->(2)),
					variable('same', \'int', $place->(0)),
					[ structure_type => { label => 'nil', name => 'nil', byte_size => 0 } ],
					variable('nil', \'nil', $place->(4)) ],
				[ variable('b', \'int', $place->(4)), variable('a', \'int', $place->(0)) ]));
	}
});

done_testing;
