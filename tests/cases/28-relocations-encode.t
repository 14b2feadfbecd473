#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Relocatable files: what relocations of all kinds put into DWARF, and what stays as it is. Where there
# are only simple ones libdwfl does not apply them; one that it has to changes nothing for the others.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Objects;
use TestUtil;
use TinyELF;

need_assembler();

# An enum whose values relocations fill in, with more enumerators after them.
sub encoded_values {
	my ($name, $more) = @_;
	my $source = put("$name.s", <<"END");
	.section .debug_abbrev,"",%progbits
	.byte 1, 0x11, 1, 0x13, 0x0b, 0, 0              # unit: language
	.byte 2, 0x04, 1, 0x03, 0x08, 0x0b, 0x0b, 0, 0  # enumeration: name, byte_size
	.byte 3, 0x28, 0, 0x03, 0x08, 0x1c, 0x06, 0, 0  # enumerator: name, const_value of four bytes
	.byte 4, 0x28, 0, 0x03, 0x08, 0x1c, 0x05, 0, 0  # of two
	.byte 0
	.section .debug_str,"",%progbits
	.asciz "twenty-three characters"
behind:
	.asciz ""
	.section .debug_info,"",%progbits
	.4byte end - begin
begin:
	.2byte 4
	.4byte .debug_abbrev
	.byte 8
	.byte 1, 12
	.byte 2
	.asciz "filled"
	.byte 4
	.byte 3
	.asciz "PLACED"
	.4byte behind + 2
	.byte 3
	.asciz "WITHOUT_SYMBOL"
	.reloc ., BFD_RELOC_32, 5
	.4byte 0
	.byte 3
	.asciz "UNDEFINED"
	.4byte nowhere + 7
	.weak feeble
	.byte 3
	.asciz "WEAK"
	.4byte feeble + 9
	.weak standing
standing = 4
	.byte 3
	.asciz "WEAK_BUT_PLACED"
	.4byte standing + 9
$more
	.byte 0, 0
end:
END
	my $object = scratch("$name.o");
	my $result = run('as', '-o', $object, $source);
	is($result->{status}, 0, "$name: as") or diag($result->{err});
	my $encoded = btfcanon('encode', $object);
	quiet($encoded, "$name: encode");
	return BTF->read($encoded->{out});
}

# A weak symbol that nobody defines is as undefined as any: its addend is not written either.
my $simple = '4: PLACED=26 WITHOUT_SYMBOL=5 UNDEFINED=0 WEAK=0 WEAK_BUT_PLACED=13';

says(encoded_values('simple', ''), { 'enum filled' => $simple }, 'simple relocations');
says(encoded_values('narrow', "\t.byte 4\n\t.asciz \"NARROW\"\n\t.2byte behind"),
	{ 'enum filled' => "$simple NARROW=24" }, 'one of two bytes too');
says(encoded_values('common', "\t.comm shared, 8\n\t.byte 3\n\t.asciz \"COMMON\"\n\t.4byte shared + 11"),
	{ 'enum filled' => "$simple COMMON=11" }, 'one that a linker has yet to place');

# Two units; what goes over the end of the first, in eight bytes, is the length of the second, too.
my $half = <<'END';
	.2byte 4
	.4byte .debug_abbrev
	.byte 8
	.byte 1, 12
	.byte 2
END
my $source = put('two.s', <<"END");
	.section .debug_abbrev,"",%progbits
	.byte 1, 0x11, 1, 0x13, 0x0b, 0, 0              # unit: language
	.byte 2, 0x04, 1, 0x03, 0x0e, 0x0b, 0x0b, 0, 0  # enumeration: name, byte_size
	.byte 3, 0x28, 0, 0x03, 0x0e, 0x1c, 0x05, 0, 0  # enumerator: name, const_value of two bytes
	.byte 0
	.section .debug_str,"",%progbits
one:
	.asciz "one"
two:
	.asciz "the other"
in_one:
	.asciz "VALUE_OF_ONE"
in_two:
	.asciz "VALUE_OF_THE_OTHER"
	.section .debug_info,"",%progbits
	.4byte end_one - begin_one
begin_one:
$half	.4byte one
	.byte 4
	.byte 3
	.4byte in_one
	.reloc ., BFD_RELOC_64, 24 << 32 | 77 # two bytes, two ends of children, and the length
	.4byte 0
end_one:
	.4byte 0
begin_two:
$half	.4byte two
	.byte 4
	.byte 3
	.4byte in_two
	.4byte one + 99
end_two:
	.if end_two - begin_two - 24
	.err
	.endif
END
my $two = scratch('two.o');
my $result = run('as', '-o', $two, $source);
is($result->{status}, 0, 'two units: as') or diag($result->{err});
my $bytes = get($two);
my ($section) = grep { $_->{name} eq '.rela.debug_info' } @{ TinyELF::parts($bytes)->{sections} };
my @entries = unpack '(a24)*', $section->{bytes};
is_deeply([ map { unpack 'Q<' } @entries ], [ sort { $a <=> $b } map { unpack 'Q<' } @entries ],
	'relocations are in the order of their places');
says(encoded($two), {
	'enum one' => '4: VALUE_OF_ONE=77',
	'enum the other' => '4: VALUE_OF_THE_OTHER=99',
}, 'two units');
substr($bytes, $section->{offset}, $section->{size}) = join '', reverse @entries;
same_bytes(btfcanon('encode', put('reversed.o', $bytes))->{out}, btfcanon('encode', $two)->{out},
	'the same in any order of relocations');

done_testing;
