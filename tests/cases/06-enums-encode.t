#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Enums: signs, sizes, values beyond 32 bits, values twice and in their own order.

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

my $expected = <<'END';
enum below
	4 signed: BELOW_3=-3 BELOW_2=-2 BELOW_ZERO=0
enum top32
	4: TOP_NONE=0 TOP_ALL=4294967295
enum high_bit
	4: HIGH_BIT=2147483648
enum64 wide
	8: WIDE_ONE=1 WIDE_HIGH=9223372036854775812
enum64 wide_signed
	8 signed: SW_MINUS=-1 SW_BIG=8589934592
enum one_byte
	1: BYTE_A=0 BYTE_B=250
enum one_signed_byte
	1 signed: SBYTE_A=-100 SBYTE_B=100
enum two_bytes
	2: TWO_A=0 TWO_B=60000
enum repeated
	4: REP_Z=2 REP_A=2 REP_M=1 REP_Z2=2
enum64 all_high
	8: ALL_HIGH_A=10376293541461622784 ALL_HIGH_B=10376293541461622784
END

# By the type below: gcc takes an unsigned one, clang a signed one.
my %eight_bytes = (gcc => '8: EIGHT_A=0 EIGHT_B=1', clang => '8 signed: EIGHT_A=0 EIGHT_B=1');

for my $which (qw(gcc2 gcc5 clang5 s390x)) {
	my $result = btfcanon('encode', object("enums.$which"));
	quiet($result, "$which: encode");
	my $btf = BTF->read($result->{out});
	says($btf, $expected, $which);
	says($btf, { 'enum64 eight_bytes' => $eight_bytes{ $which =~ /gcc/ ? 'gcc' : 'clang' } },
		$which);
	my ($alone) = grep { $_->{kind} == BTF::ENUM && $_->{name} eq '' } $btf->types;
	is("@{ $alone->{names} }", 'ALONE', "$which: one without a name");
}

# What forms can say of a value, and types below of a sign.
in_both_orders(sub {
	my ($big, $order) = @_;
	my $enum = sub {
		my ($name, $attributes, @values) = @_;
		return [ enumeration_type => { name => $name, %$attributes },
			map { [ enumerator => { name => "V$_",
				const_value => $values[$_] } ] } 0 .. $#values ];
	};
	my $file = DWARF->new(big => $big)->unit([ compile_unit => { language => 12 },
		[ base_type => { label => 's64', name => 'long', byte_size => 8, encoding => 5 } ],
		[ base_type => { label => 'u64', name => 'unsigned long', byte_size => 8,
			encoding => 7 } ],
		[ typedef => { label => 't64', name => 'time', type => \'s64' } ],
		[ const_type => { label => 'ct64', type => \'t64' } ],
		$enum->('forms', { byte_size => 4 }, [ data1 => 200 ], [ data2 => 60000 ],
			[ data4 => 7 ],
			[ udata => 4294967295 ], [ sdata => 3 ], [ implicit_const => 11 ]),
		$enum->('below', { byte_size => 4 }, [ data1 => 200 ], [ sdata => -1 ],
			[ implicit_const => -11 ]),
		$enum->('sign_below', { byte_size => 8, type => \'ct64' }, [ data1 => 1 ]),
		$enum->('no_sign_below', { byte_size => 8, type => \'u64' }, [ data1 => 1 ]),
		$enum->('sign_said', { byte_size => 8, encoding => 5 }, [ data1 => 1 ]),
		$enum->('grown', { byte_size => 4 }, [ data8 => 1 << 32 ], [ data1 => 1 ]),
		$enum->('no_size', {}, 1),
		$enum->('declared', { declaration => [ flag_present => 1 ] }),
		$enum->('odd_size', { byte_size => 3 }, 1),
		$enum->('unsaid', { byte_size => 4 }) ]);
	my $result = btfcanon('encode', put('enums.elf', $file->elf));
	warned($result, qr/without a counterpart.*: 1/, "$order: by hand");
	says(BTF->read($result->{out}), <<'END', "$order: by hand");
enum forms
	4: V0=200 V1=60000 V2=7 V3=4294967295 V4=3 V5=11
enum below
	4 signed: V0=200 V1=-1 V2=-11
enum64 sign_below
	8 signed: V0=1
enum64 no_sign_below
	8: V0=1
enum64 sign_said
	8 signed: V0=1
enum64 grown
	4: V0=4294967296 V1=1
enum no_size
	4: V0=1
enum declared
	4:
enum unsaid
	4:
struct odd_size
	3:
END
});

done_testing;
