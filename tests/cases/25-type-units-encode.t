#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Type units, in .debug_types (DWARF 4) and in .debug_info (DWARF 5); in relocatable files each has
# a section of its own.

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

my $plain = btfcanon('encode', map { object("part$_.v4") } 1, 2)->{out};
my $first = btfcanon('encode', object('part1.v4'))->{out};

for my $version (4, 5) {
	my @objects = map { object("part$_.types$version") } 1, 2;
	for my $case ([ 'relocatable', $objects[0] ], [ 'linked', linked("types$version",
		$objects[0]) ]) {
		my ($name, $file) = @$case;
		my $result = btfcanon('encode', $file);
		quiet($result, "DWARF $version, one unit, $name");
		same_bytes($result->{out}, $first,
			"DWARF $version, one unit, $name: the same types");
	}
	my @ways = ([ 'two files', @objects ], [ 'linked', linked("both$version", @objects) ],
		[ 'linked, the other first', linked("rev$version", reverse @objects) ],
		[ 'linked, relocatable', linked("both$version.o", '-r', @objects) ]);
	for my $way (@ways) {
		my ($name, @files) = @$way;
		same_bytes(btfcanon('encode', '-j2', '--shuffle-units=3', @files)->{out}, $plain,
			"DWARF $version, $name");
	}
}
same_bytes(btfcanon('encode', object('part1.types4'), object('part2.types5'))->{out}, $plain,
	'one of each');
same_bytes(btfcanon('encode', object('part1.types4'), object('part2.v5'))->{out}, $plain,
	'one with type units, one without');

# By hand: types that refer to each other across type units, and a stub in the unit as compilers
# leave one.
in_both_orders(sub {
	my ($big, $order) = @_;
	for my $version (4, 5) {
		my $file = DWARF->new(big => $big, version => $version);
		my @in = $version == 4 ? (section => 'types') : ();
		my %sig = (left => 'sig-left', right => 'sigright');
		for my $name (qw(left right)) {
			my $other = $name eq 'left' ? 'right' : 'left';
			$file->unit([ type_unit => { language => 12 },
				[ structure_type => { label => $name, name => $name,
					byte_size => 8 },
					[ member => { name => 'other', type => \"to_$other",
						data_member_location => 0 } ] ],
				[ pointer_type => { label => "to_$other",
					type => [ ref_sig8 => $sig{$other} ] } ] ],
				signature => $sig{$name}, type_die => $name, @in);
		}
		$file->unit([ compile_unit => { language => 12 },
			[ structure_type => { label => 'stub', declaration => [ flag_present => 1 ],
				signature => [ ref_sig8 => $sig{left} ] } ],
			[ typedef => { name => 'left_t', type => \'stub' } ],
			[ typedef => { name => 'right_t',
				type => [ ref_sig8 => $sig{right} ] } ] ]);
		my $result = btfcanon('encode', put('units.elf', $file->elf));
		quiet($result, "$order: type units by hand, DWARF $version");
		says(BTF->read($result->{out}), { 'struct left' => '8: other *struct right @0;',
			'struct right' => '8: other *struct left @0;',
			'typedef left_t' => 'struct left', 'typedef right_t' => 'struct right' },
			"$order: DWARF $version");
		my $lost = DWARF->new(big => $big, version => $version)->unit([ compile_unit => {},
			[ typedef => { name => 'lost_t', type => [ ref_sig8 => 'nowhere!' ] } ] ]);
		my $path = put('lost.elf', $lost->elf);
		refused(btfcanon('encode', $path), $path,
			qr/type unit that is not there.*DIE at 0x/,
			"$order: a signature that nothing has, DWARF $version");
	}
});

done_testing;
