#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Bitfields, counted from either end of their storage, in either byte order.

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
struct no_bits
	8: first u32 @0; second u32 @4;
struct some_bits
	8 bits: a u32 @0+3; b u32 @3+5; c u64 @8+42; d int @50+1; e volatile enum kind @51+4;
	f _Bool @55+1;
struct separated
	8 bits: x unsigned char @0+1; y unsigned char @8+7; z u32 @32+20;
struct before_flexible
	8 bits: last u64 @0+1; len u64 @1+12; handle u64 @13+42; data [0]unsigned char @7;
struct straddling
	4 bits: lead char @0; bits u32 @8+23;
struct holds_bits
	8: struct { 4 bits: n u32 @0+4; m u32 @4+28; } @0; union { 4 bits: r u32 @0+9; raw u32 @0; } @4;
END

# Of members that fill their type gcc says a width, clang does not: the same places in two forms.
my %whole_units = (gcc => '24 bits: w u32 @0+32; q u64 @64+64; c unsigned char @128+8;',
	clang => '24: w u32 @0; q u64 @8; c unsigned char @16;');

my %bytes;
for my $which (qw(gcc2 gcc3 gcc4 gcc5 clang2 clang5 s390x-2 s390x-4 s390x-5)) {
	my $result = btfcanon('encode', object("bitfields.$which"));
	quiet($result, "$which: encode");
	$bytes{$which} = $result->{out};
	my $btf = BTF->read($result->{out});
	is($btf->{big} ? 1 : 0, $which =~ /s390x/ ? 1 : 0, "$which: byte order of the machine");
	my $found = definitions($btf);
	s/(long long unsigned int|unsigned long long)/u64/g for values %$found;
	says($found, $expected, $which);
	says($found, { 'struct whole_units' => $whole_units{ $which =~ /gcc/ ? 'gcc' : 'clang' } },
		$which);
}
same_bytes($bytes{$_}, $bytes{gcc5}, "$_ says what gcc5 says") for qw(gcc2 gcc3 gcc4);
same_bytes($bytes{clang2}, $bytes{clang5}, 'clang2 says what clang5 says');
same_bytes($bytes{"s390x-$_"}, $bytes{'s390x-5'}, "s390x-$_ says what s390x-5 says") for 2, 4;

# By hand: bits counted from the high end of the member's type, found behind typedefs and
# qualifiers, where the member says no size of its own.
in_both_orders(sub {
	my ($big, $order) = @_;
	my $bits = sub {
		my ($name, $type, $from_high, $width, @size) = @_;
		return [ member => { name => $name, type => \$type, data_member_location => 4,
			bit_offset => $from_high, bit_size => $width, @size } ];
	};
	my $file = DWARF->new(big => $big, version => 3)->unit([ compile_unit => { language => 1 },
		[ structure_type => { name => 'old', byte_size => 12 }, $bits->('direct', 'int', 29,
			3),
			$bits->('behind', 'cnumber', 20, 9), $bits->('enum', 'e', 16, 4),
			$bits->('sized', 'int', 4, 2, byte_size => 1) ],
		[ base_type => { label => 'int', name => 'int', byte_size => 4, encoding => 5 } ],
		[ const_type => { label => 'cnumber', type => \'number' } ],
		[ typedef => { label => 'number', name => 'number', type => \'int' } ],
		[ enumeration_type => { label => 'e', name => 'e', byte_size => 4 } ] ]);
	my $result = btfcanon('encode', put('old.elf', $file->elf));
	is($result->{status}, 0, "$order: bits from the high end");
	says(BTF->read($result->{out}), { 'struct old' => $big
		? '12 bits: direct int @61+3; behind const number @52+9; enum enum e @48+4; sized int @36+2;'
		: '12 bits: direct int @32+3; behind const number @35+9; enum enum e @44+4; sized int @34+2;' },
		"$order: bits from the high end");

	for my $trouble ([ void => [ typedef => { label => 'bad', name => 'bad' } ] ],
		[ declared => [ structure_type => { label => 'bad', name => 'bad',
			declaration => [ flag_present => 1 ] } ] ]) {
		$file = DWARF->new(big => $big,
			version => 3)->unit([ compile_unit => { language => 1 },
			[ structure_type => { name => 'old', byte_size => 8 }, $bits->('b', 'bad',
				3, 3) ],
			$trouble->[1] ]);
		my $path = put('bad.elf', $file->elf);
		$result = btfcanon('encode', $path);
		$big ? isnt($result->{signal}, 11,
			"$order: a bitfield of a type that is $trouble->[0]")
			: refused($result, $path, qr/bitfield.*DIE at 0x/,
			"$order: a bitfield of a type that is $trouble->[0]");
	}
});

done_testing;
