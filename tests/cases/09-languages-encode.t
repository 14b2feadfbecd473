#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Units in Rust and C++, and beside units in C: names that are no words of C, members out of order,
# variants, references; the unit in C says the same with and without them.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use DWARF;
use Objects;
use TestUtil;

need_assembler('ld');

my $rust = <<'END';
struct Pair<u64>
	16: b u64 @0; c u16 @8; a u8 @10;
struct Pair
	16: z i128 @0;
struct Shape
	16: u8 @0; Dot struct Dot @0; Line struct Line @0; Box struct Box @0;
struct Dot
	16:
struct Line
	16: __0 u32 @4;
struct Box
	16: h u8 @1; w u64 @8;
struct &[u8]
	16: data_ptr *u8 @0; length usize @8;
struct (u8, u32)
	8: __0 u8 @0; __1 u32 @4;
struct Option<&shapes::Chain>
	8: u64 @0; None struct None @0; Some struct Some @0;
struct Unit
	0:
struct !
	0:
union Both
	4: i i32 @0; f f32 @0;
enum Plain
	1: One=1 Many=200
int char
	4
int bool
	1 bool
int i128
	16 signed
float f32
	4
END

my $alone = btfcanon('encode', object('shapes'));
warned($alone, qr/variant parts/, 'Rust: variant parts are counted');
my $btf = BTF->read($alone->{out});
says($btf, $rust, 'Rust');
my @unsorted = grep {
	my ($type, $last, $wrong) = ($_, 0, 0);
	for my $at (@{ $type->{nums} }) {
		$wrong = 1 if $at < $last;
		$last = $at;
	}
	$wrong;
} $btf->find('STRUCT');
is(scalar @unsorted, 0, 'Rust: members in the order of their offsets, which kernels want');
is(btfcanon('check', '-q', put('rust.btf', $alone->{out}))->{status}, 0, 'Rust: check takes it');
my $chain = $btf->one('STRUCT', 'Chain');
is(join(' ', sort @{ $chain->{names} }),
	'array both flag generic never next pair plain shape slice tuple unit word',
	'Rust: no member is lost');

my $c_only = btfcanon('encode', object('beside_rust'));
my $c_side = '16: n int @0; next *struct c_side @8;';
says(BTF->read($c_only->{out}), { 'struct c_side' => $c_side }, 'C');
for my $mixed (linked('mixed.o', '-r', object('beside_rust'), object('shapes')),
	linked('mixed', object('shapes'), object('beside_rust'))) {
	my $both = btfcanon('encode', $mixed);
	warned($both, qr/variant parts/, 'both in one file');
	says(BTF->read($both->{out}), $rust, 'both in one file');
	says(BTF->read($both->{out}), { 'struct c_side' => $c_side }, 'both in one file');
	my $without = btfcanon('encode', '--lang-exclude=rust', $mixed);
	warned($without, qr/excluded language: 1/, '--lang-exclude=rust: it says so');
	same_bytes($without->{out}, $c_only->{out}, '--lang-exclude=rust: what C alone gives');
	same_bytes(btfcanon('encode', '-q', '--lang-exclude=go,rust,c++', $mixed)->{out},
		$c_only->{out}, 'of several languages one');
	is(scalar(() = BTF->read(btfcanon('encode', '-q', '--lang-exclude=rust,c',
		$mixed)->{out})->types), 0,
		'--lang-exclude of all languages leaves nothing');
}

for my $which (qw(gcc5 clang4)) {
	my $result = btfcanon('encode', object("classes.$which"));
	warned($result, qr/references \(written as pointers\)/,
		"C++, $which: references are counted");
	my $found = definitions(BTF->read($result->{out}));
	s/\blong(?! int)/long int/ for values %$found;
	says($found, <<'END', "C++, $which");
struct point
	8: x int @0; y int @4; | 8: z long int @0;
struct box<outer::point, 3>
	32: items [3]struct point @0; next *struct box<outer::point, 3> @24;
struct box<outer::inner::point, 1>
	16: items [1]struct point @0; next *struct box<outer::inner::point, 1> @8;
struct shell
	8: h *struct hidden @0;
struct hidden
	4: secret int @0;
union both
	4: i int @0; f float @0;
enum shade
	1: DARK=0 LIGHT=200
typedef box_of_two
	struct box<int, 2>
int bool
	1 bool
int char16_t
	2
END
	like($found->{'struct everything'},
		qr/^120: .* null struct \{ 0: \} \@88; alias box_of_two \@96;/,
		"C++, $which: a member of which nothing is said keeps name and place");
	# clang leaves out a class that nobody makes an object of.
	says($found, { 'struct derived' =>
		'40: own int @8; reference *struct point @16; moved *struct point @24; n struct nested @32;' },
		"C++, $which: without bases and static members") if $which =~ /gcc/;
	warned($result, qr/base classes \(left out\): 2/, "C++, $which: bases are counted")
		if $which =~ /gcc/;
	is(btfcanon('check', '-q', put('cpp.btf', $result->{out}))->{status}, 0,
		"C++, $which: check takes it");
}

# Types that BTF has no kind for are structs of their size, with their name where they have one.
{
	my $file = DWARF->new->unit([ compile_unit => { language => 9 },
		[ string_type => { label => 'text', name => 'text', byte_size => [ data1 => 12 ] } ],
		[ set_type => { label => 'days', name => 'days', byte_size => [ data1 => 1 ] } ],
		[ file_type => { label => 'log', byte_size => [ data1 => 8 ] } ],
		[ ptr_to_member_type => { label => 'which', byte_size => [ data1 => 16 ] } ],
		[ structure_type => { name => 'record', byte_size => [ data1 => 40 ] },
			map { [ member => { name => $_->[0], type => \"$_->[0]", data_member_location => [ data1 => $_->[1] ] } ] }
				[ text => 0 ], [ days => 12 ], [ log => 16 ], [ which => 24 ] ] ]);
	my $result = btfcanon('encode', put('kinds.elf', $file->elf));
	warned($result, qr/types without a counterpart.*: 4$/, 'types without a counterpart are counted');
	says(BTF->read($result->{out}), <<'END', 'and have their size');
struct text
	12:
struct days
	1:
struct record
	40: text struct text @0; days struct days @12; log struct { 8: } @16; which struct { 16: } @24;
END
}

done_testing;
