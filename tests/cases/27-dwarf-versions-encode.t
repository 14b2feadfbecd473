#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# One source in every version of DWARF, with offsets of four and eight bytes, in one file or
# several; and files that say nothing.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use DWARF;
use Image qw(function);
use Objects;
use TestUtil;

need_assembler('ld');

# gcc, from DWARF 4 on; the older ones cannot say restrict.
my $rules = btfcanon('encode', object('rules.gcc5'))->{out};
same_bytes(btfcanon('encode', object('rules.gcc4'))->{out}, $rules,
	'rules: strict DWARF 4 says what DWARF 5 says');

my $machine = definitions(encoded(object('machine.gcc5-64')));
says($machine, <<'END', '64-bit DWARF');
struct page
	16: flags u32 @0; next *struct page @8;
END

# A file of units in several versions and offset sizes.
sub unit_of {
	my ($name, $prefix) = @_;
	return [ compile_unit => { language => 12 },
		[ base_type => { label => "${prefix}int", name => 'int', byte_size => 4,
			encoding => 5 } ],
		[ structure_type => { label => "$prefix$name", name => $name, byte_size => 16 },
			[ member => { name => 'count', type => \"${prefix}int",
				data_member_location => 0 } ],
			[ member => { name => 'next', type => \"${prefix}p",
				data_member_location => 8 } ] ],
		[ pointer_type => { label => "${prefix}p", type => \"$prefix$name" } ] ];
}

in_both_orders(sub {
	my ($big, $order) = @_;
	my $all = DWARF->new(big => $big);
	my @alone;
	my @versions = ([ 2, 4 ], [ 3, 4 ], [ 3, 8 ], [ 4, 4 ], [ 4, 8 ], [ 5, 4 ], [ 5, 8 ]);
	for my $version (@versions) {
		my %option = (version => $version->[0], offset_bytes => $version->[1]);
		my $name = "struct_@{$version}";
		$name =~ s/ /_/;
		my $alone = DWARF->new(big => $big)->unit(unit_of($name, ''), %option);
		push @alone, put("$name.elf", $alone->elf);
		$all->unit(unit_of($name, "$name-"), %option);
	}
	my $mixed = btfcanon('encode', put('mixed.elf', $all->elf));
	quiet($mixed, "$order: all versions in one file");
	my $found = definitions(BTF->read($mixed->{out}));
	is(scalar(grep { /^struct/ } keys %$found), scalar @versions, "$order: a struct of each");
	is(scalar(grep { $found->{$_} =~ /^16: count int \@0; next \*\Q$_\E \@8;$/ } keys %$found),
		scalar @versions, "$order: and whole");
	same_bytes(btfcanon('encode', @alone)->{out}, $mixed->{out}, "$order: as files, the same");
	my @bytes = map {
		btfcanon('encode', put('one.elf', DWARF->new(big => $big)->unit(unit_of('one', ''),
			version => $_->[0], offset_bytes => $_->[1])->elf))->{out};
	} @versions;
	is(scalar(grep { $_ ne $bytes[0] } @bytes), 0, "$order: each alone says the same");
	for my $version (0, 1, 6, 261) {
		my $path = put('version.elf', DWARF->new(big => $big)->unit(unit_of('one', ''),
			version => $version)->elf);
		refused(btfcanon('encode', $path), $path, qr/version.*unit at 0x0/,
			"$order: no such version as $version");
	}
});

# Addresses that stand in .debug_addr, by number: of two bodies the one at the symbol decides.
for my $big (0, 1) {
	my $order = $big ? 'big' : 'little';
	my %index = (addrx => 300, addrx1 => 3, addrx2 => 300, addrx3 => 70_000, addrx4 => 70_001);
	my @addresses = (0) x 70_002;
	$addresses[$_] = 0x1020 for values %index;
	my $table = pack($big ? 'Q>*' : 'Q<*', @addresses);
	my $image = sub {
		my ($low_pc) = @_;
		my $image = Image->new(big => $big, machine => $big ? 22 : 62);
		$image->unit(function('f', { low_pc => 0x1010 }, [ early => \'int' ]));
		$image->unit(function('f', { low_pc => $low_pc }, [ late => \'int' ]));
		$_->[1]{0x73} = [ sec_offset => 8 ] for @{ $image->{units} }; # DW_AT_addr_base
		$image->symbol('f', 0x1020, 16);
		$image->section('.debug_addr', 0, pack($big ? 'N n C C' : 'V v C C', 4 + length $table, 5, 8, 0)
			. $table, flags => 0);
		return btfcanon('encode', '-q', put('addresses.elf', $image->elf));
	};
	my $plain = $image->(0x1020);
	like(btfcanon('dump', put('addresses.btf', $plain->{out}))->{out}, qr/late/,
		"$order: the body at the symbol");
	for my $form (sort keys %index) {
		same_bytes($image->([ $form => $index{$form} ])->{out}, $plain->{out}, "$order: $form");
		isnt($image->([ $form => 5 ])->{out}, $plain->{out}, "$order: $form of another address");
	}
}

# Nothing in it.
my $empty = DWARF->new->unit([ compile_unit => { language => 12 } ]);
my $nothing = btfcanon('encode', put('empty.elf', $empty->elf));
is($nothing->{status}, 0, 'a unit without types');
is(scalar(BTF->read($nothing->{out})->types), 0, 'gives BTF without types');
my $assembler = scratch('lines.o');
is(run('as', '-g', '-o', $assembler, put('lines.s', ".text\nstart:\nnop\n"))->{status}, 0, 'as -g');
$nothing = btfcanon('encode', $assembler);
is($nothing->{status}, 0, 'a unit of the assembler');
is(scalar(BTF->read($nothing->{out})->types), 0, 'has no types');
my $with = btfcanon('encode', $assembler, object('beside_rust'));
says(BTF->read($with->{out}), { 'struct c_side' => '16: n int @0; next *struct c_side @8;' },
	'a unit in C beside it');
same_bytes(btfcanon('encode', linked('both.o', '-r', $assembler, object('beside_rust')))->{out},
	$with->{out}, 'or in one file');

done_testing;
