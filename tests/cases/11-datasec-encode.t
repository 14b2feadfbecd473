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

# "section size", then "name type offset size linkage" of each entry, in order.
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
	my ($name, $expected, $image, @options) = @_;
	my $result = btfcanon('encode', '-q', @options, put('percpu.elf', $image->elf));
	is($result->{status}, 0, "$name: encoded") || diag($result->{err});
	is(section_of($result->{out}), $expected, "$name: variables");
	my $check = check_bytes($result->{out}, '-q');
	is($check->{status}, 0, "$name: check agrees") || diag($check->{err});
	same_bytes(btfcanon('encode', '-q', @options,
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

		variables_are("$name: offset 0 with another object there",
			'.data..percpu 12, first int 0 4 static, a int 8 4 static',
			make($big, $at, [ [ first => 0 ], [ a => 8 ] ], [ variable('dropped', \'int', $place->(0)),
				variable('fir', \'int', $place->(0)), variable('first', \'int', $place->(0)),
				variable('first_one', \'int', $place->(0)), variable('a', \'int', $place->(8)) ]));
		variables_are("$name: offset 0 with an object whose name the compiler made longer",
			'.data..percpu 4, first int 0 4 static',
			make($big, $at, [ [ 'first-one' => 0 ], [ 'first.lto_priv.0' => 0 ], [ firsts => 0 ] ],
				[ variable('first', \'int', $place->(0)), variable('firs', \'int', $place->(0)) ]));
		my $image = make($big, $at, [], [ variable('a', \'int', $place->(0)), variable('b', \'int', $place->(0)) ]);
		$image->symbol('a', $at, 4, type => 'notype', section => '.data..percpu');
		$image->symbol('b', $at, 4, type => 'func', section => '.data..percpu');
		variables_are("$name: offset 0 with what is no object", 'none', $image);

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

		variables_are("$name: made by the compiler", '.data..percpu 12, written int 8 4 static',
			make($big, $at, [ [ x => 0 ] ], [ variable('written', \'int', $place->(8)),
				variable('made', \'int', artificial => [ flag_present => 1 ], $place->(16)) ]));

		# As where a weak definition and a strong one of it are at one place.
		my @tag = [ llvm_annotation => { name => 'btf_decl_tag', const_value => 'weak' } ];
		for my $case ([ 'the larger one', '.data..percpu 16, at long 8 8 global', [ \'int' ], [ \'long' ] ],
			[ 'of one size: by content', '.data..percpu 12, at int 8 4 global', [ \'box' ], [ \'int' ] ],
			[ 'with a tag and without', '.data..percpu 12, at int 8 4 global', [ \'int' ], [ \'int', @tag ] ],
			[ 'with a length and without', '.data..percpu 20, at ARRAY 8 12 global', [ \'open' ],
				[ \'closed' ] ]) {
			my ($what, $expected, @bodies) = @$case;
			my @units = map {
				my ($type, @tags) = @$_;
				my $die = variable('at', $type, external => [ flag_present => 1 ], $place->(8));
				[ [ array_type => { label => 'open', type => \'int' }, [ subrange_type => {} ] ],
					[ array_type => { label => 'closed', type => \'int' },
						[ subrange_type => { count => 3 } ] ], [ @$die, @tags ] ]
			} @bodies;
			variables_are("$name: one name, one place, two types: $what", $expected,
				make($big, $at, [ [ x => 0 ] ], @units));
		}

		# Kernels refuse entries that overlap or have no size.
		variables_are("$name: on top of another, of no size", '.data..percpu 8, a int 0 4 static, b int 4 4 static',
			make($big, $at, [ [ a => 0 ] ],
				[ variable('a', \'int', $place->(0)), variable('over', \'int', $place->(2)),
					variable('same', \'int', $place->(0)),
					[ structure_type => { label => 'nil', name => 'nil', byte_size => 0 } ],
					variable('nil', \'nil', $place->(4)) ],
				[ variable('b', \'int', $place->(4)), variable('a', \'int', $place->(0)) ]));
		# Without encode_force what kernels do not take is refused, and the first by place is named.
		my @wrong = (variable('void', undef, $place->(24)), variable('sp ace', \'int', $place->(16)),
			variable('__UNIQUE_ID_9x', undef, $place->(8)));
		for my $case ([ qr/the variable "?sp ace"? at 0x10 of \.data\.\.percpu has a name that kernels refuse/,
				@wrong ],
			[ qr/the variable void at 0x18 of \.data\.\.percpu has no type/, $wrong[0] ]) {
			my ($what, @dies) = @$case;
			$image = make($big, $at, [ [ x => 0 ] ], map { [ $_ ] } @dies);
			variables_are("$name: encode_force", 'none', $image, '--features=var,encode_force');
			refused(btfcanon('encode', '--features=var', put('percpu.elf', $image->elf(@$_))),
				scratch('percpu.elf'), $what, "$name: no encode_force")
				for [ 0 .. $#dies ], [ reverse 0 .. $#dies ];
		}
	}

	# All sections of data that is there when the program runs.
	my $image = Image->new(big => $big, machine => $big ? 22 : 62);
	my @sections = ([ '.text', 0x1000, 1, 6 ], [ '.data', 0x2000, 1, 3 ], [ '.bss', 0x3000, 8, 3 ],
		[ '.tdata', 0x4000, 1, 0x403 ], [ '.note.x', 0x5000, 7, 2 ], [ '.debug', 0x6000, 1, 0 ],
		[ "bad\tname", 0x7000, 1, 3 ], [ '', 0x8000, 1, 3 ], [ 'odd-one', 0x9000, 1, 2 ]);
	$image->section($_->[0], $_->[1], "\0" x 64, type => $_->[2], flags => $_->[3]) for @sections;
	my @dies = map { variable("v$_", \'int', location => address($big, $sections[$_][1] + 8)) } 0 .. $#sections;
	$image->unit($_) for @dies;
	my $result = btfcanon('encode', '-q', '--features=+global_var', put('sections.elf', $image->elf));
	my $btf = BTF->read($result->{out});
	is_deeply([ sort map { "$_->{name} $_->{size} " . join ' ', map { $btf->type($_)->{name} } @{ $_->{refs} } }
		$btf->find('DATASEC') ], [ '.bss 12 v2', '.data 12 v1', '.text 12 v0', 'odd-one 12 v8' ],
		"$order: the sections that count");
	is(scalar(() = $btf->find('VAR')), 4, "$order: and nothing of others");
	same_bytes(btfcanon('encode', '-q', '--features=+global_var',
		put('sections.elf', $image->elf(reverse 0 .. $#dies)))->{out}, $result->{out},
		"$order: sections: units in reverse");
});

done_testing;
