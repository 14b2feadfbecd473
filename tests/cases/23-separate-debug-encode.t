#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# DWARF in another file: by debug link, beside sections without bytes, in a .dwo.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Objects;
use TestUtil;
use TinyELF;

need_assembler(qw(ld objcopy));

use File::Path qw(make_path);

my $full = linked('full', '--build-id', map { object("part$_.v5") } 1, 2);
my $bytes = btfcanon('encode', $full)->{out};
cmp_ok(length $bytes, '>', 300, 'the program whole');

# What a distribution ships: the program without, and its debug file in .debug.
make_path(scratch('.debug'));
my $debug = converted('.debug/program.debug', $full, '--only-keep-debug');
same_bytes(btfcanon('encode', $debug)->{out}, $bytes, 'the debug file alone');
my $bare = converted('bare', $full, '--strip-debug');
my $program = converted('program', $bare, "--add-gnu-debuglink=$debug");
same_bytes(btfcanon('encode', $program)->{out}, $bytes, 'the program, by its debug link');
same_bytes(btfcanon('encode', $program, { dir => '/' })->{out}, $bytes, 'from elsewhere');
same_bytes(btfcanon('encode', 'program', { dir => scratch() })->{out}, $bytes,
	'by a name without a folder');
same_bytes(btfcanon('encode', $program, $full)->{out}, $bytes, 'beside itself');

my $in_place = put('.debug/../in-place', get($program));
my $debug_bytes = get($debug);
quiet(btfcanon('encode', '--in-place', '--order=canonical', $in_place), 'in place, by its debug link');
same_bytes(TinyELF::section(get($in_place), '.BTF'), $bytes, 'the program gets the types');
same_bytes(get($debug), $debug_bytes, 'its debug file stays as it is');

refused(btfcanon('encode', $bare), $bare, qr/no DWARF/, 'without link and without DWARF');
rename $debug, scratch('.debug/elsewhere') or die;
refused(btfcanon('encode', $program), $program, qr/debug link names program\.debug/,
	'the debug file is away: named');
put('.debug/program.debug', "\x7fELF but not really");
refused(btfcanon('encode', $program), $program, qr/debug link names program\.debug/,
	'the debug file is none');
# Another program's debug file does not fit, by its build id and checksum.
my $other = linked('other', '--build-id', object('part3.v5'));
converted('.debug/program.debug', $other, '--only-keep-debug');
refused(btfcanon('encode', $program), $program, qr/debug link names program\.debug/,
	'the debug file is of another program');

# .BTF in the debug file of a program that has it loaded is a section without bytes.
my $with_btf = converted('with-btf', $full, '--add-section', '.BTF=' . put('some.btf', $bytes),
	'--set-section-flags', '.BTF=alloc,readonly');
my $nobits = converted('nobits.debug', $with_btf, '--only-keep-debug');
same_bytes(btfcanon('encode', $nobits)->{out}, $bytes, 'beside a .BTF without bytes');
refused(btfcanon('sort', $nobits), $nobits, qr/no bytes|NOBITS|no data|empty|\.BTF/,
	'whose BTF cannot be sorted');
refused(btfcanon($_, '--in-place', $nobits), $nobits, qr/\.BTF: has no data/, "nor can $_ replace it")
	for qw(sort encode);

# Split DWARF: the object has only the skeleton.
my $split = object('split');
refused(btfcanon('encode', $split), $split, qr/split DWARF.*\.dwo/, 'a skeleton');
my $dwo = converted('split.dwo', $split, '--extract-dwo');
my $skeleton = converted('skeleton.o', $split, '--strip-dwo');
refused(btfcanon('encode', $skeleton), $skeleton, qr/split DWARF.*\.dwo/, 'a skeleton alone');
refused(btfcanon('encode', $dwo), $dwo, qr/\.debug_info|split/, 'a .dwo');
my $half = linked('half', $split, object('part2.v5'));
refused(btfcanon('encode', $half), $half, qr/split DWARF/, 'a skeleton beside a whole unit');
my $cut = converted('cut', $full, '--remove-section=.debug_abbrev');
refused(btfcanon('encode', $cut), $cut, qr/abbrev/, 'without .debug_abbrev');

done_testing;
