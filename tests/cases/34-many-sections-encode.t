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
use Objects;
use TestUtil;

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

my @variables = map { [ variable => { name => "v$_", type => \'int',
	location => [ exprloc => "\x03" . pack('Q<', 4 * $_) ] } ] } 1 .. 70_000;
my $file = DWARF->new(strings => 'string')->unit([ compile_unit => { language => 12 },
	[ base_type => { label => 'int', name => 'int', byte_size => 4, encoding => 5 } ],
		@variables ]);
$result = btfcanon('encode', put('variables.elf', $file->elf), { seconds => 20 });
quiet($result, '70,000 variables');
is(BTF->read($result->{out})->one('INT', 'int')->{size}, 4, 'and their type');

done_testing;
