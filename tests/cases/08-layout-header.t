#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Packed and aligned structs, bitfields, gaps, targets of 32 bits: the header has BTF's layout.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use HeaderTest;
use TestUtil;

for my $name (qw(packed.gcc bitfields.gcc bitfields.s390x)) {
	my $text = laid_out(get(fixture("header/$name.btf")), $name);
	next if $name ne 'packed.gcc';
	like($text, qr/^struct tight \{\n\tbyte kind;\n\tword length;\n\} __attribute__\(\(packed\)\);$/m,
		'packed');
	like($text, qr/^struct natural \{\n\tbyte kind;\n\tquad value;\n\};$/m, 'not packed');
	like($text, qr/^\tword writer __attribute__\(\(aligned\(64\)\)\);$/m, 'an aligned member');
	like($text, qr/^struct lined \{\n\tint state;\n\} __attribute__\(\(aligned\(16\)\)\);$/m,
		'an aligned struct');
}
for my $name (qw(packed.m32 bitfields.m32 words.i386 words.arm words.riscv32)) {
	my $bytes = get(fixture("header/$name.btf"));
	# Bitfields have no pointer in them from which its size could be guessed.
	my @options = $name =~ /bitfields/ ? '--pointer-size=4' : ();
	my $text = laid_out($bytes, $name, pointer_bytes => 4, i386 => scalar $name =~ /m32|i386/,
		options => \@options);
	is(header($bytes, qw(-q --pointer-size=4)), $text, "$name: the size of a pointer was found");
}

my $i386 = header(get(fixture('header/words.i386.btf')), '-q');
like($i386, qr/^struct wide_second \{\n\tu32 small;\n\tu64 wide;\n\tvoid \*pointer;\n\};$/m,
	'i386: not packed for 8 bytes at an offset of 4');
like(header(get(fixture('header/words.arm.btf')), '-q'),
	qr/^\tu64 wide __attribute__\(\(aligned\(8\)\)\);$/m, 'arm: aligned, so that i386 agrees');

# What no C source has: made by hand, in both byte orders of the file.
in_both_orders(sub {
	my ($big, $name) = @_;
	my $btf = BTF->new(big => $big);
	my $int = $btf->int('int', 4, signed => 1);
	my $char = $btf->int('char', 1);
	my $long = $btf->int('long int', 8, signed => 1);
	my $bool = $btf->int('_Bool', 1, encoding => 4);
	my $hole = $btf->struct('hole', 12, [ [ 'a', $char, 0 ], [ 'b', $char, 64 ] ]);
	$btf->struct('far_hole', 100_000, [ [ 'a', $char, 0 ], [ 'b', $char, 799_992 ] ]);
	$btf->struct('no_members', 24, []);
	$btf->struct('holder', 28, [ [ 'x', $int, 0 ], [ 'h', $hole, 32 ], [ 'i', $hole, 128 ] ]);
	$btf->struct('bits_at_the_end', 8, [ [ 'a', $int, 0, 0 ], [ 'b', $int, 37, 3 ] ], kflag => 1);
	$btf->struct('bits_across', 5, [ [ 'a', $int, 0, 30 ], [ 'b', $int, 30, 7 ] ], kflag => 1);
	my $wide = $btf->int('__int128 unsigned', 16);
	$btf->struct('wide_bits', 16, [ [ 'a', $wide, 0, 8 ], [ 'b', $wide, 8, 104 ],
		[ 'c', $wide, 112, 16 ] ], kflag => 1);
	$btf->struct('no_number', 3, [ [ 'a', $btf->int('three', 3), 0, 5 ] ], kflag => 1);
	$btf->struct('whole_bool', 2, [ [ 'a', $bool, 0, 1 ], [ 'b', $bool, 8, 0 ] ], kflag => 1);
	$btf->struct('odd_size', 9, [ [ 'a', $long, 0 ] ]);
	$btf->struct('odd_place', 11, [ [ 'a', $int, 24 ], [ 'b', $int, 56 ] ]);
	$btf->union('large_union', 40, [ [ 'a', $int, 0 ] ]);
	$btf->union('odd_union', 7, [ [ 'a', $int, 0 ], [ 'b', $char, 0 ] ]);
	$btf->union('no_alternatives', 8, []);
	my $inner = $btf->struct('', 6, [ [ 'p', $char, 0 ], [ 'q', $int, 16 ] ]);
	$btf->struct('unnamed_packed', 16, [ [ 'before', $char, 0 ], [ '', $inner, 16 ],
		[ 'after', $long, 64 ] ]);
	my $named = $btf->struct('named', 8, [ [ 'left', $int, 0 ], [ 'right', $int, 32 ] ]);
	my $alias = $btf->typedef('alias', $named);
	$btf->struct('unnamed_member_of_named_type', 24, [ [ 'kind', $int, 0 ], [ '', $named, 32 ],
		[ 'l', $long, 128 ] ]);
	$btf->struct('through_a_typedef', 8, [ [ '', $btf->const($alias), 0 ] ]);
	my $text = laid_out($btf->bytes, "$name: by hand", code => <<'END') or return;
OFFSET(struct unnamed_packed, q, 4);
OFFSET(struct unnamed_member_of_named_type, left, 4);
OFFSET(struct unnamed_member_of_named_type, right, 8);
OFFSET(struct through_a_typedef, right, 4);
END
	like($text, qr/^struct wide_bits \{\n\t__int128 unsigned a: 8;\n\t__int128 unsigned b: 104;/m,
		"$name: bitfields of 16 bytes");
	unlike($text, qr/\tint right;\n\};.*\tstruct named;/s,
		"$name: nothing that wants -fms-extensions");
	cmp_ok(($text =~ tr/\n//), '<', 200, "$name: a large gap is no thousand lines");
});

# An INT of fewer bits than its size is how old BTF says bitfield.
{
	my $btf = BTF->new;
	my $three = $btf->int('unsigned int', 4, bits => 3);
	my $five = $btf->int('unsigned int', 4, bits => 5);
	$btf->struct('old_bits', 4, [ [ 'a', $three, 0 ], [ 'b', $five, 3 ] ]);
	like(laid_out($btf->bytes, 'old bitfields',
		assert => "_Static_assert(sizeof(struct old_bits) == 4, \"\");\n"),
		qr/\tunsigned int a: 3;\n\tunsigned int b: 5;/, 'old bitfields are bitfields');
}

# Gaps in members without a name have names in one scope with all others.
{
	my $btf = BTF->new;
	my $int = $btf->int('int', 4);
	my $long_union = sub { $btf->union('', 216, [ [ $_[0], $int, 0 ] ]) };
	my $gapped = sub { $btf->struct('', 400, [ [ $_[0], $int, 0 ], [ $_[1], $int, 3000 ] ]) };
	$btf->struct('pads', 1232, [ [ '', $long_union->('a'), 0 ], [ '', $long_union->('b'), 1728 ],
		[ '', $gapped->('c', 'd'), 3456 ], [ '', $gapped->('e', 'f'), 6656 ] ]);
	$btf->union('taken', 216, [ [ '__padding', $int, 0 ], [ '__padding___2', $int, 0 ] ]);
	my $text = laid_out($btf->bytes, 'gaps in unnamed members');
	like($text, qr/^\tunsigned char __padding___3\[216\];$/m, 'a name that the BTF has is another');
}

done_testing;
