#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Enums: signs, sizes, equal values, values in their own order.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;

# [kind, kflag, size, names, values] of the one enum of a name.
sub enum_of {
	my ($btf, $name) = @_;
	my @found = grep { ($_->{kind} == BTF::ENUM || $_->{kind} == BTF::ENUM64)
		&& $_->{name} eq $name } $btf->types;
	return "found " . @found if @found != 1;
	my $type = $found[0];
	my @values = @{ $type->{nums} };
	@values = map { $values[ 2 * $_ ] | $values[ 2 * $_ + 1 ] << 32 } 0 .. @values / 2 - 1
		if $type->{kind} == BTF::ENUM64;
	return [ $BTF::KINDS[ $type->{kind} ], @$type{qw(kflag size)},
		join(' ', @{ $type->{names} }), join(' ', @values) ];
}

my %expected = (
	below       => [ 'ENUM', 1, 4, 'LOW_3 LOW_2 LOW_ZERO', '4294967293 4294967294 0' ],
	top32       => [ 'ENUM', 0, 4, 'TOP_NONE TOP_ALL', '0 4294967295' ],
	wide        => [ 'ENUM64', 0, 8, 'WIDE_ONE WIDE_HIGH', '1 9223372036854775812' ],
	wide_signed => [ 'ENUM64', 1, 8, 'SW_MINUS SW_BIG', '18446744073709551615 8589934592' ],
	one_byte    => [ 'ENUM', 0, 1, 'BYTE_A BYTE_B', '0 250' ],
	repeated    => [ 'ENUM', 0, 4, 'REP_Z REP_A REP_M', '2 2 1' ],
);

for my $file (qw(enums.gcc.btf enums.bpfel.btf enums.bpfeb.btf)) {
	my $bytes = get(fixture("cases/$file"));
	my $sorted = canonical_is($bytes, $file) or next;
	my $btf = BTF->read($sorted);
	same_graph(BTF->read($bytes), $btf, "$file: nothing lost, nothing invented");
	# clang 14 writes no ENUM64 and no signs.
	if ($file =~ /gcc/) {
		is_deeply(enum_of($btf, $_), $expected{$_}, "$file: enum $_")
			for sort keys %expected;
	}
	is(enum_of($btf, $_)->[2], $expected{$_}[2], "$file: size of enum $_")
		for sort keys %expected;
	is(enum_of($btf, $_)->[3], $expected{$_}[3], "$file: values of enum $_")
		for sort keys %expected;
	my ($eight) = grep { $_->{name} eq 'eight_bytes' } $btf->types;
	is($eight->{size}, 8, "$file: enum eight_bytes keeps its size");

	my $dump = btfcanon('dump', fixture("cases/$file"));
	is($dump->{status}, 0, "$file: dump");
	next if $file !~ /gcc/;
	for my $value ([ LOW_3 => '-3' ], [ TOP_ALL => '4294967295' ],
		[ WIDE_HIGH => '9223372036854775812' ],
		[ SW_MINUS => '-1' ], [ SW_BIG => '8589934592' ], [ BYTE_B => '250' ]) {
		like($dump->{out}, qr/\b$value->[0]\b\D*?(?<!-)$value->[1]\b/,
			"$file: dump shows $value->[0] as $value->[1]");
	}
	like($dump->{out}, qr/REP_Z.*REP_A.*REP_M/s, "$file: dump keeps the order of values");
}

# Made without ENUM64: eight bytes, values cut to 32 bits. Legal, and kept.
{
	my $bytes = get(fixture('cases/enums.gcc-no64.btf'));
	my $btf = BTF->read(canonical_is($bytes, 'enums.gcc-no64.btf'));
	my $wide = $btf->one('ENUM', 'wide');
	is($wide->{size}, 8, 'an ENUM of eight bytes stays one');
	is("@{ $wide->{nums} }", '1 4', 'with the values it had');
	is(scalar(() = $btf->find('ENUM64')), 0, 'and nothing becomes an ENUM64');
}

in_both_orders(sub {
	my ($big, $name) = @_;

	no warnings qw(portable);

	# The order of values follows the sign; equal bits with another sign are another enum.
	my $btf = BTF->new(big => $big);
	for my $signed (1, 0) {
		$btf->enum('v', [ [ 'A', $_ ] ], signed => $signed) for 5, -1, 0, 0x7fffffff,
			-0x80000000;
		$btf->enum64('w', [ [ 'A', $_ ] ], signed => $signed)
			for 5, -1, 0, 0x7fffffffffffffff, -0x7fffffffffffffff - 1, 1 << 32,
				0xffffffff;
	}
	$btf->enum('size', [ [ 'S', 1 ] ], size => $_) for 8, 4, 2, 1;
	$btf->enum('twice', [ [ 'B', 1 ], [ 'A', 1 ], [ 'B', 1 ] ]);
	$btf->enum('', [ [ 'X', 3 ] ]);
	$btf->enum('', [ [ 'W', 3 ] ]);
	my $sorted = canonical_is($btf->bytes, "$name: enums by hand") or return;
	my $result = BTF->read($sorted);
	is(scalar $result->types, scalar $btf->types, "$name: all different, all there");
	my $values = sub {
		my ($kind, $kflag) = @_;
		return join ' ', map { join ',', @{ $_->{nums} } } grep { $_->{kflag} == $kflag
			&& $_->{name} =~ /^[vw]$/ } $result->find($kind);
	};
	is($values->('ENUM', 1), '2147483648 4294967295 0 5 2147483647',
		"$name: signed values in order");
	is($values->('ENUM', 0), '0 5 2147483647 2147483648 4294967295',
		"$name: unsigned values in order");
	is($values->('ENUM64', 1),
		'0,2147483648 4294967295,4294967295 0,0 5,0 4294967295,0 0,1 4294967295,2147483647',
		"$name: signed 64-bit values in order");
	is($values->('ENUM64', 0),
		'0,0 5,0 4294967295,0 0,1 4294967295,2147483647 0,2147483648 4294967295,4294967295',
		"$name: unsigned 64-bit values in order");
	my @sizes = map { $_->{size} } $result->find('ENUM', 'size');
	is("@sizes", '1 2 4 8', "$name: every size of an enum");
	is("@{ $result->one('ENUM', 'twice')->{names} }", 'B A B',
		"$name: values keep their order, equal ones too");
	quiet(check_bytes($sorted), "$name: no warning about any of it");
});

done_testing;
