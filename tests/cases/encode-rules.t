#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# What becomes of each sort of type, as two compilers and several versions of DWARF say it: every
# name that is in the BTF, and what it says, written by hand from the C source.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use DWARF;
use Objects;
use TestUtil;

need_assembler();

# clang's words for what gcc calls otherwise.
sub in_gcc_words {
	my ($found) = @_;
	my %word = ('long long' => 'long long int', long => 'long int', short => 'short int',
		'unsigned long long' => 'long long unsigned int',
		'unsigned long' => 'long unsigned int', 'unsigned short' => 'short unsigned int',
		'unsigned __int128' => '__int128 unsigned', '*const volatile char' =>
			'*volatile const char');
	my $words = join '|', map { quotemeta } sort { length $b <=> length $a } keys %word;
	my %renamed;
	for my $key (keys %$found) {
		my ($kind, $name) = $key =~ /^(fwd \w+|\w+) (.*)/s;
		my $value = $found->{$key};
		$value =~ s/(?<!\w)($words)(?= [\@;]|\)|$)(?! (?:int|unsigned))/$word{$1}/g;
		$renamed{ "$kind " . ($kind eq 'int' ? $word{$name} // $name : $name) } = $value;
	}
	return \%renamed;
}

my $long = 'a_name_that_is_longer_than_the_one_hundred_and_twenty_seven_bytes_at_which_other_programs_'
	. 'cut_names_of_parameters_and_tags_without_a_word_';
my $rules = <<"END";
int signed char
	1 signed
int unsigned char
	1
int char
	1 signed
int short int
	2 signed
int short unsigned int
	2
int int
	4 signed
int unsigned int
	4
int long int
	8 signed
int long unsigned int
	8
int _Bool
	1 bool
int __int128
	16 signed
int __int128 unsigned
	16
struct integers
	80: sc signed char \@0; uc unsigned char \@1; pc char \@2; s short int \@4;
	us short unsigned int \@6; i int \@8; u unsigned int \@12; l long int \@16;
	ul long unsigned int \@24; flag _Bool \@32; wide __int128 \@48; uwide __int128 unsigned \@64;
float float
	4
float double
	8
float long double
	16
struct floats
	32: f float \@0; d double \@8; ld long double \@16;
typedef u32
	unsigned int
typedef word_t
	long int
struct qualified
	40: c const int \@0; v volatile u32 \@4; cv const *volatile const char \@8;
	anything *const void \@16; nothing *void \@24; only restrict *char \@32;
struct callbacks
	48: plain *fn() void \@0; with_names *fn(int, *const char) int \@8;
	without *fn(int, *struct callbacks) int \@16; printf_like *fn(*const char, ...) int \@24;
	old_style *fn(...) int \@32; returns_one *fn(int) *fn(long int) void \@40;
struct arrays
	64: one [4]int \@0; two [6]short int \@16; none [0]char \@28; middle [0]int \@28;
	pointers [3]*char \@32; to_array *[5]int \@56;
struct flexible
	8: count u32 \@0; items [0]word_t \@8;
typedef vector_t
	[4]int
struct nested
	32: struct { 8: a int \@0; b int \@4; } \@0;
	u union { 8: whole long int \@0; halves struct { 4: low short int \@0; high short int \@2; } \@0; } \@8;
	in struct inner \@16; state enum { 4: OFF=0 ON=5 } \@20; next *struct nested \@24;
struct inner
	1: c char \@0;
union either
	8: i int \@0; f float \@0; n *struct nested \@0;
struct empty
	0:
fwd struct only_declared_struct
fwd union only_declared_union
enum only_declared_enum
	4:
struct points
	24: s *fwd struct only_declared_struct \@0; u *fwd union only_declared_union \@8;
	e *enum only_declared_enum \@16;
typedef named_by_typedef
	struct { 4: unnamed_body int \@0; }
typedef chain_t
	*named_by_typedef
struct ${long}struct
	16: ${long}member int \@0; call *fn(int) int \@8;
END

for my $which (qw(gcc5 gcc4 clang5)) {
	my $btf = encoded(object("rules.$which")) or next;
	my $found = in_gcc_words(definitions($btf));
	# clang gives arrays an index type of this name.
	delete $found->{'int __ARRAY_SIZE_TYPE__'};
	says($found, $rules, $which);
	my %expected = Objects::_table($rules);
	is(join(', ', grep { !exists $expected{$_} } sort keys %$found), '',
		"$which: and no other name");
	my ($int) = grep { $btf->type($_)->{name} eq 'int' } 1 .. $btf->id_end - 1;
	is(join(' ', grep { $_ != $int } map { $_->{refs}[1] } $btf->find('ARRAY')), '',
		"$which: int is the index type of all arrays");
}

# ---------------------------------------------------------------- what compilers rarely say

# The definitions of a unit of these DIEs; [file options], DIEs...
sub said {
	my ($options, @dies) = @_;
	my %o = %$options;
	my $language = delete $o{language} // 12;
	my $file = DWARF->new(%o)->unit([ compile_unit => { language => $language }, @dies ]);
	my $result = btfcanon('encode', put('said.elf', $file->elf));
	diag($result->{err}) if $result->{status};
	return ($result, $result->{status} ? BTF->new : BTF->read($result->{out}));
}

my @int = ([ base_type => { label => 'int', name => 'int', byte_size => 4, encoding => 5 } ]);

sub member {
	my ($name, $type, $at, %more) = @_;
	return [ member => { name => $name, type => \$type, data_member_location => $at, %more } ];
}

in_both_orders(sub {
	my ($big, $order) = @_;
	my ($result, $btf) = said({ big => $big }, @int,
		[ pointer_type => { label => 'pv' } ],
		[ unspecified_type => { label => 'nothing', name => 'whatever' } ],
		[ pointer_type => { label => 'pn', type => \'nothing' } ],
		[ const_type => { label => 'cn', type => \'nothing' } ],
		[ pointer_type => { label => 'pcn', type => \'cn' } ],
		[ structure_type => { name => 'of_nothing', byte_size => 16 },
			member('n', 'pn', 0), member('cn', 'pcn', 8) ]);
	quiet($result, "$order: an unspecified type");
	says($btf, { 'struct of_nothing' => '16: n *void @0; cn *const void @8;' }, $order);
	is(scalar(grep { $_->{name} eq 'whatever' } $btf->types), 0,
		"$order: it is no type of its own");

	($result, $btf) = said({ big => $big }, @int,
		[ unspecified_type => { label => 'nothing', name => 'decltype(nullptr)' } ],
		[ typedef => { label => 'null_t', name => 'null_t', type => \'nothing' } ],
		[ structure_type => { label => 'far', name => 'far',
			declaration => [ flag_present => 1 ] } ],
		[ array_type => { label => 'fars', type => \'far' },
			[ subrange_type => { count => 2 } ] ],
		[ structure_type => { name => 'holds', byte_size => 32 }, member('null', 'null_t',
			0),
			member('far', 'far', 8), member('many', 'fars', 16), member('last', 'int',
				24) ],
		[ subroutine_type => { label => 'taker' },
			[ formal_parameter => { type => \'far' } ],
			[ formal_parameter => { type => \'nothing' } ],
			[ formal_parameter => { type => \'int' } ],
				[ unspecified_parameters => {} ] ],
		[ typedef => { name => 'taker_t', type => \'taker' } ],
		[ pointer_type => { label => 'pfar', type => \'far' } ],
		[ typedef => { name => 'far_pointer', type => \'pfar' } ]);
	warned($result, qr/nobody completes/, "$order: values of types without a size: counted");
	says($btf, { 'struct holds' => '32: null struct { 0: } @0; far struct { 0: } @8; '
			. 'many struct { 0: } @16; last int @24;',
		'typedef far_pointer' => '*fwd struct far',
		'typedef taker_t' => 'fn(fwd struct far, struct { 0: }, int, ...) void' }, $order)
		if $btf;

	($result, $btf) = said({ big => $big }, @int,
		[ subroutine_type => { label => 'f', type => \'int' },
			[ formal_parameter => { name => 'first', type => \'int' } ],
			[ formal_parameter => { name => $long . 'parameter', type => \'int' } ],
			[ unspecified_parameters => {} ] ],
		[ typedef => { name => 'call_t', type => \'f' } ]);
	says($btf, { 'typedef call_t' => "fn(first int, ${long}parameter int, ...) int" },
		"$order: names of parameters, whole");

	# Integers that no compiler of C has.
	($result, $btf) = said({ big => $big },
		[ base_type => { name => 'utf', byte_size => 4, encoding => 16 } ],
		[ base_type => { name => 'signed char', byte_size => 1, encoding => 6 } ],
		[ base_type => { name => 'unsigned char', byte_size => 1, encoding => 8 } ],
		[ base_type => { name => 'address', byte_size => 8, encoding => 1 } ],
		[ base_type => { name => 'wide_bool', byte_size => 4, encoding => 2 } ],
		[ base_type => { name => 'three', byte_size => 3, encoding => 5 } ],
		[ base_type => { name => 'nothing', byte_size => 0, encoding => 7 } ],
		[ base_type => { name => 'huge', byte_size => 32, encoding => 7 } ],
		[ base_type => { name => 'half', byte_size => 2, encoding => 4 } ],
		[ base_type => { name => 'extended', byte_size => 12, encoding => 4 } ],
		[ base_type => { name => 'odd_float', byte_size => 3, encoding => 4 } ],
		[ base_type => { name => 'complex', byte_size => 16, encoding => 3 } ],
		[ base_type => { name => 'decimal', byte_size => 8, encoding => 15 } ]);
	warned($result, qr/without a counterpart/, "$order: base types that BTF has not: counted");
	says($btf, { 'int utf' => '4', 'int signed char' => '1 signed', 'int unsigned char' => '1',
		'int address' => '8', 'int wide_bool' => '4 bool', 'int three' => '3 signed',
		'struct nothing' => '0:', 'struct huge' => '32:', 'float half' => '2',
		'float extended' => '12', 'struct odd_float' => '3:', 'struct complex' => '16:',
		'struct decimal' => '8:' }, $order);

	# Bounds in the ways that compilers had.
	my $array = sub {
		my ($label, @ranges) = @_;
		return ([ array_type => { label => $label, type => \'int' },
			map { [ subrange_type => $_ ] } @ranges ],
			[ typedef => { name => "${label}_t", type => \$label } ]);
	};
	($result, $btf) = said({ big => $big, version => 4 }, @int,
		$array->('none'), $array->('flexible', {}), $array->('upper', { upper_bound => 9 }),
		$array->('byte', { upper_bound => [ data1 => 255 ] }),
		$array->('minus_one', { upper_bound => -1 }),
		$array->('minus_data8', { upper_bound => [ data8 => -1 ] }),
		$array->('counted', { count => 7 }),
		$array->('both', { lower_bound => 3, upper_bound => 5 }),
		$array->('computed', { upper_bound => [ exprloc => "\x91\x50" ] }),
		$array->('cube', { count => 2 }, { upper_bound => 2 }, { count => 4 }),
		$array->('zero_inside', { count => 2 }, { count => 0 }, { count => 4 }),
		[ array_type => { label => 'vector', type => \'int',
			vector => [ flag_present => 1 ] },
			[ subrange_type => { upper_bound => 3 } ] ],
		[ typedef => { name => 'vector_t', type => \'vector' } ]);
	quiet($result, "$order: arrays");
	says($btf, { 'typedef none_t' => '[0]int', 'typedef flexible_t' => '[0]int',
		'typedef upper_t' => '[10]int', 'typedef byte_t' => '[256]int',
		'typedef minus_one_t' => '[0]int', 'typedef minus_data8_t' => '[0]int',
		'typedef counted_t' => '[7]int', 'typedef both_t' => '[3]int',
		'typedef computed_t' => '[0]int', 'typedef cube_t' => '[24]int',
		'typedef zero_inside_t' => '[0]int', 'typedef vector_t' => '[4]int' }, $order);
	($result, $btf) = said({ big => $big }, @int, $array->('long', { count => 1 << 20 },
		{ count => 1 << 20 }));
	warned($result, qr/2\^32/, "$order: an array of more elements than BTF counts");
	says($btf, { 'typedef long_t' => '[0]int' }, $order);

	# Members at places said in blocks, by DWARF 2; without a place, in unions; beyond 32 bits.
	($result, $btf) = said({ big => $big, version => 2 }, @int,
		[ structure_type => { name => 'old', byte_size => 300 },
			member('first', 'int', [ block1 => "\x23\x00" ]),
			member('second', 'int', [ block1 => "\x23\x88\x02" ]) ],
		[ union_type => { name => 'placeless', byte_size => 4 },
			[ member => { name => 'a', type => \'int' } ] ],
		[ structure_type => { name => 'computed', byte_size => 8 },
			member('plain', 'int', 0), member('virtual', 'int',
				[ block1 => "\x23\x04\x06" ]) ]);
	warned($result, qr/place is computed/, "$order: a member whose place is computed: counted");
	says($btf, { 'struct old' => '300: first int @0; second int @264;',
		'union placeless' => '4: a int @0;', 'struct computed' => '8: plain int @0;' },
			$order);

	# Where there is no int, arrays get one.
	($result, $btf) = said({ big => $big },
		[ base_type => { label => 'byte', name => 'byte', byte_size => 1, encoding => 7 } ],
		[ array_type => { label => 'a', type => \'byte' },
			[ subrange_type => { count => 2 } ] ]);
	says($btf, { 'int int' => '4 signed', 'int byte' => '1' }, "$order: an array without int");
	($result, $btf) = said({ big => $big },
		[ base_type => { name => 'byte', byte_size => 1, encoding => 7 } ]);
	is(scalar($btf->types), 1, "$order: no array, no int");

	# Names may be in any form.
	for my $form (qw(string strp line_strp strx strx1 strx2 strx4)) {
		for my $offset_bytes (4, 8) {
			my $file = DWARF->new(big => $big, offset_bytes => $offset_bytes);
			$file->unit([ compile_unit => { language => 12,
				str_offsets_base => [ sec_offset => $offset_bytes == 8 ? 16 : 8 ] },
				[ base_type => { label => 'int', name => [ $form => 'int' ],
					byte_size => 4,
					encoding => 5 } ],
				[ structure_type => { name => [ $form => 'a_longer_name' ],
					byte_size => 4 },
					[ member => { name => [ $form => 'm' ], type => \'int',
						data_member_location => [ implicit_const => 0 ] } ] ] ]);
			my $got = BTF->read(btfcanon('encode', put('form.elf', $file->elf))->{out});
			is_deeply(definitions($got), { 'int int' => '4 signed',
				'struct a_longer_name' => '4: m int @0;' },
				"$order: names as $form, DWARF with offsets of $offset_bytes bytes");
		}
	}

	# References may be too; indirect forms say theirs in the DIE.
	for my $form (qw(ref1 ref2 ref4 ref8 ref_addr)) {
		($result, $btf) = said({ big => $big }, @int,
			[ typedef => { name => 'alias', type => [ $form => \'int' ] } ]);
		says($btf, { 'typedef alias' => 'int' }, "$order: a reference as $form");
	}
	($result, $btf) = said({ big => $big }, @int,
		[ typedef => { name => [ indirect => [ string => 'alias' ] ],
			type => [ indirect => [ ref4 => \'int' ] ] } ]);
	says($btf, { 'typedef alias' => 'int' }, "$order: indirect forms");
});

# ---------------------------------------------------------------- tags, and what BTF has no kind for

says(encoded(object('tags')), <<'END', 'type tags');
struct task
	56: parent *tag(rcu) struct task @0; address *tag(user) int @8; both *tag(rcu) tag(user) int @16;
	text *tag(user) const char @24; counter *tag(percpu) number_t @32;
	twice *tag(user) *tag(user) int @40; plain *int @48;
END

{
	my $result = btfcanon('encode', object('odd'));
	warned($result, qr/_Atomic qualifiers \(left out\): 2/, 'odd types: _Atomic is counted');
	warned($result, qr/without a counterpart.*: 2/,
		'odd types: so are complex and decimal numbers');
	says(BTF->read($result->{out}), <<'END', 'odd types');
struct odd
	48: complex_double struct complex double @0; decimal struct _Decimal64 @16; atomic int @24;
	to_self *struct odd @32; last int @40;
struct complex double
	16:
struct _Decimal64
	8:
float _Float16
	2
END
	my $stats = btfcanon('encode', '--stats', object('odd'));
	like($stats->{err}, qr/^_Atomic qualifiers \(left out\) +2$/m,
		'odd types: --stats counts too');
	is(btfcanon('encode', '-q', object('odd'))->{err}, '', 'odd types: -q says nothing');
}

done_testing;
