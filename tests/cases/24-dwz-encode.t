#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# What dwz writes: shared types in partial units, reached by DW_FORM_ref_addr; or in a third file.

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

my @parts = map { object("part$_.v4") } 1 .. 4;
my $plain = btfcanon('encode', linked('plain', @parts));
quiet($plain, 'plain');
my $bytes = $plain->{out};
my $two = btfcanon('encode', linked('two', @parts[ 0, 1 ]))->{out};
same_bytes(btfcanon('encode', linked('plain5', map { object("part$_.v5") } 1 .. 4))->{out}, $bytes,
	'DWARF 4 and 5 say the same');

for my $version (4, 5) {
	my $file = fixture("encode/dwz$version.elf");
	my $result = btfcanon('encode', $file);
	quiet($result, "dwz, DWARF $version");
	same_bytes($result->{out}, $bytes, "dwz, DWARF $version: the same types");
	same_bytes(btfcanon('encode', "-j$_", "--shuffle-units=$_", $file)->{out}, $bytes,
		"dwz, DWARF $version: read in another order, $_ threads") for 1 .. 3;
}

# The third file lies beside the two that share it.
my ($a, $b) = map { fixture("encode/alternate-$_.elf") } 'a', 'b';
same_bytes(btfcanon('encode', $a)->{out}, $bytes, 'dwz -m: the first file');
same_bytes(btfcanon('encode', $b)->{out}, $two, 'dwz -m: the second');
same_bytes(btfcanon('encode', $b, $a)->{out}, $bytes, 'dwz -m: both');
same_bytes(btfcanon('encode', '-j3', '--shuffle-units=7', '--hash-bits=1', $a, $b)->{out}, $bytes,
	'dwz -m: both, in another order');
my $alone = put('alone.elf', get($a));
refused(btfcanon('encode', $alone), $alone, qr/alternate debug file.*not found/,
	'dwz -m: without the third file');
put('alternate.elf', get(fixture('encode/alternate.elf')));
same_bytes(btfcanon('encode', $alone)->{out}, $bytes, 'dwz -m: with it');
put('alternate.elf', get($b));
refused(btfcanon('encode', $alone), $alone, qr/alternate debug file.*not found/,
	'dwz -m: with another file in its place');

# By hand: units of types that only others refer to, imported in a circle.
in_both_orders(sub {
	my ($big, $order) = @_;
	my $expected = '24: link *struct node @0; body [3]count_t @8;';
	my $layouts = {
		'one unit' => sub {
			my ($file, $node, $types) = @_;
			$file->unit([ compile_unit => { language => 12 }, @$node, @$types ]);
		},
		'a partial unit' => sub {
			my ($file, $node, $types) = @_;
			$file->unit([ compile_unit => { language => 12 },
				[ imported_unit => { import => [ ref_addr => \'part' ] } ],
					@$node ]);
			$file->unit([ partial_unit => { label => 'part' }, @$types ]);
		},
		'a partial unit before' => sub {
			my ($file, $node, $types) = @_;
			$file->unit([ partial_unit => { label => 'part',
				language => 12 }, @$types ]);
			$file->unit([ compile_unit => { language => 12 }, @$node ]);
		},
		'two that import each other' => sub {
			my ($file, $node, $types) = @_;
			$file->unit([ partial_unit => { label => 'one' },
				[ imported_unit => { import => [ ref_addr => \'other' ] } ],
					@$node ]);
			$file->unit([ partial_unit => { label => 'other' },
				[ imported_unit => { import => [ ref_addr => \'one' ] } ],
					@$types ]);
		},
	};
	for my $name (sort keys %$layouts) {
		for my $version (2, 4, 5) {
			my $file = DWARF->new(big => $big, version => $version);
			my $ref = sub { return $name eq 'one unit' ? \$_[0]
				: [ ref_addr => \$_[0] ] };
			$layouts->{$name}->($file,
				[ [ structure_type => { label => 'node', name => 'node',
					byte_size => 24 },
					[ member => { name => 'link', type => $ref->('to_node'),
						data_member_location => 0 } ],
					[ member => { name => 'body', type => $ref->('counts'),
						data_member_location => 8 } ] ] ],
				[ [ base_type => { label => 'int', name => 'int', byte_size => 4,
					encoding => 5 } ],
				[ pointer_type => { label => 'to_node', type => $ref->('node') } ],
				[ typedef => { label => 'count_t', name => 'count_t',
					type => \'int' } ],
				[ array_type => { label => 'counts', type => \'count_t' },
					[ subrange_type => { count => 3 } ] ],
				[ typedef => { name => 'nobody_uses_t', type => \'int' } ] ]);
			my $result = btfcanon('encode', put('partial.elf', $file->elf));
			says(BTF->read($result->{out}), { 'struct node' => $expected,
				'typedef nobody_uses_t' => 'int' }, "$order: $name, DWARF $version")
				if !$result->{status};
			is($result->{err}, '', "$order: $name, DWARF $version: without a word");
		}
	}
});

done_testing;
