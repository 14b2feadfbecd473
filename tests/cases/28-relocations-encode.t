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

done_testing;
