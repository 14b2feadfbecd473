#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# More sections than 16 bits number: their count is in section header 0, symbols find theirs through
# .symtab_shndx, and relocations refer to symbols like that. And very many variables.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use DWARF;
use InPlace;
use Objects;
use TestUtil;
use TinyELF;

need_assembler();

my $plain = btfcanon('encode', object('part1.v5'))->{out};

# The sections before the DWARF, so that its own have the high numbers.
my $source = join '', map { ".section .text.f$_,\"ax\",%progbits\n.byte 0\n" } 1 .. 66_000;
my $many = scratch('many.o');
my $result = run('as', '-o', $many, put('many.s', $source . get(fixture('encode/part1.v5.s'))),
	{ memory_mb => 0, seconds => 120 });
is($result->{status}, 0, '66,000 sections') or diag($result->{err});
is(unpack('v', substr get($many), 0x3c, 2), 0, 'which the header does not count');
same_bytes(btfcanon('encode', $many, { seconds => 30 })->{out}, $plain, 'the same types');

# One section more, whose number fits the header no better.
my $before = get($many);
quiet(btfcanon('encode', '--in-place', '--order=canonical', $many, { seconds => 30 }), 'in place');
same_elsewhere($before, get($many), ['.BTF'], '66,000 sections in place');
same_bytes(TinyELF::section(get($many), '.BTF'), $plain, 'the same types in place');

# 0xfeff is what the header can count.
my $most = TinyELF::write(machine => 62, type => 2, sections => [ (map { [ 'x', '' ] } 1 .. 0xfefd - 3),
	DWARF->new->unit([ compile_unit => { language => 12 }, [ base_type => { name => 'int',
		byte_size => 4, encoding => 5 } ] ])->sections ]);
is(unpack('v', substr $most, 0x3c, 2), 0xfeff, 'as many sections as the header can count');
for my $name ('one more', 'which is replaced') {
	my $edge = put('edge.elf', $most);
	quiet(btfcanon('encode', '--in-place', $edge, { seconds => 30 }), $name);
	same_elsewhere($most, get($edge), ['.BTF'], $name);
	$most = get($edge);
	is(unpack('v', substr $most, 0x3c, 2), 0, "$name: the header does not count them any more");
}

my @variables = map { [ variable => { name => "v$_", type => \'int',
	location => [ exprloc => "\x03" . pack('Q<', 4 * $_) ] } ] } 1 .. 70_000;
my $file = DWARF->new(strings => 'string')->unit([ compile_unit => { language => 12 },
	[ base_type => { label => 'int', name => 'int', byte_size => 4, encoding => 5 } ],
		@variables ]);
$result = btfcanon('encode', put('variables.elf', $file->elf), { seconds => 20 });
quiet($result, '70,000 variables');
is(BTF->read($result->{out})->one('INT', 'int')->{size}, 4, 'and their type');

done_testing;
