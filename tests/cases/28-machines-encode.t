#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Other machines: 32 and 64 bits, both byte orders, relocatable files with their relocations; and
# those whose relocations libelf does not know.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Objects;
use TestUtil;

need_assembler();

# [pointer size, big-endian, alignment of 64 bits].
my %machine = (i386 => [ 4, 0, 4 ], arm => [ 4, 0, 8 ], armeb => [ 4, 1, 8 ], riscv32 => [ 4, 0,
	8 ],
	powerpc => [ 4, 1, 8 ], m68k => [ 4, 1, 8 ], aarch64 => [ 8, 0, 8 ], aarch64_be => [ 8, 1,
		8 ],
	riscv64 => [ 8, 0, 8 ], powerpc64 => [ 8, 1, 8 ], powerpc64le => [ 8, 0, 8 ],
	s390x => [ 8, 1, 8 ], bpfel => [ 8, 0, 8 ]);

# The struct as a C compiler lays it out. Bitfields of u32, then of u64.
sub laid_out {
	my ($pointer, $align) = @_;
	my $at = 0;
	my $text = '';
	my $put = sub {
		my ($name, $type, $size, $to) = @_;
		$at += -$at % $to;
		$text .= " $name $type \@" . 8 * $at . ';';
		$at += $size;
	};
	$put->('c', 'char', 1, 1);
	$put->('big', 'u64', 8, $align);
	$put->('p', '*void', $pointer, $pointer);
	$put->('pages', '[3]*struct page', 3 * $pointer, $pointer);
	$put->('call', '*fn(*struct shown, ...) int', $pointer, $pointer);
	my $bit = 8 * $at;
	$text .= " a u32 \@$bit+3; b u32 \@" . ($bit + 3) . '+9;';
	$bit += 12;
	# A bitfield does not cross a unit of its type, which is aligned like it.
	my $unit = 8 * $align;
	$bit += -$bit % $unit if $bit % $unit + 40 > 64;
	$text .= " tail u64 \@$bit+40;";
	$at = int(($bit + 40 + 7) / 8);
	$put->('e', 'enum { 4: ZERO=0 ONE=1 }', 4, 4);
	$put->('array', '[8]short', 16, 2);
	my $whole = $align > $pointer ? $align : $pointer;
	$at += -$at % $whole;
	return "$at bits:$text";
}

for my $machine (sort keys %machine) {
	my ($pointer, $big, $align) = @{ $machine{$machine} };
	my $result = btfcanon('encode', object("machine.$machine"));
	quiet($result, "$machine: encode");
	next if $result->{status};
	my $btf = BTF->read($result->{out});
	is($btf->{big} ? 1 : 0, $big, "$machine: byte order");
	my $found = definitions($btf);
	s/ \@(\d+)(?![\d+])/' @' . 8 * $1/ge for $found->{'struct shown'};
	says($found, { 'struct shown' => laid_out($pointer, $align),
		'struct page' => 2 * $pointer . ": flags u32 \@0; next *struct page \@$pointer;" },
		$machine);
}

# libdwfl applies nothing for this one and says nothing; without relocations all names are one.
my $avr = object('machine.avr');
refused(btfcanon('encode', $avr), $avr, qr/relocations of its machine \(number 83\)/, 'avr');
my $mips = btfcanon('encode', object('machine.mipsel'));
if ($mips->{status}) {
	refused($mips, object('machine.mipsel'), qr/machine/, 'mipsel: refused by this libelf');
} else {
	says(BTF->read($mips->{out}), { 'struct page' => '8: flags u32 @0; next *struct page @4;' },
		'mipsel: read by this libelf');
}

# Of one kind only.
my ($i386, $s390x, $arm, $armeb) = map { object("machine.$_") } qw(i386 s390x arm armeb);
refused(btfcanon('encode', $arm, $armeb), $armeb, qr/byte order/, 'two byte orders');
refused(btfcanon('encode', $s390x, $armeb), $armeb, qr/pointer size/, 'two sizes of pointers');
is(btfcanon('encode', $i386, $arm)->{status}, 0, 'two machines of one kind');

done_testing;
