#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# encode --explain: why a function is in or out, in words; the BTF stays the same.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Image qw(function in_register);
use TestUtil;

my @in_place = (location => in_register(5));
my $image = Image->new;
$image->unit(function('stubbed', { low_pc => 0x1010 }, [ __unused => \'int', @in_place ]),
	function('nameless', { low_pc => 0x1030 }, [ undef, \'int', @in_place ]),
	function('elsewhere', { low_pc => 0x1040 }, [ x => \'int', location => in_register(3) ]),
	function('disagrees', { low_pc => 0x1050 }, [ x => \'int', @in_place ]),
	function('inlined', { inline => 1 }, [ x => \'int' ]),
	function('lost', { low_pc => 0x1070 }, [ x => \'int', @in_place ], [ y => \'int' ]),
	function('twice', { low_pc => 0x1080 }, [ x => \'int', @in_place ]),
	[ structure_type => { label => 'tight', name => 'tight', byte_size => 5 },
		[ member => { name => 'c', type => \'char', data_member_location => 0 } ],
		[ member => { name => 'i', type => \'int', data_member_location => 1 } ] ],
	function('stacked', { low_pc => 0x10b0 }, (map { [ "r$_" => \'int' ] } 1 .. 6),
		[ s => \'tight', location => [ exprloc => "\x91\0" ] ]));
$image->unit(function('stubbed', { low_pc => 0x1020 }, [ mode => \'int', @in_place ]),
	function('disagrees', { low_pc => 0x1060 }, [ box => \'box*', @in_place ]));
$image->{units}[0][1]{name} = 'first.c';
my %at = (stubbed => 0x1020, nameless => 0x1030, elsewhere => 0x1040, disagrees => 0x1050,
	'lost.isra.0' => 0x1070, assembly => 0x10a0, stacked => 0x10b0);
$image->symbol($_, $at{$_}, 16) for sort keys %at;
$image->symbol('twice', $_, 16, bind => 'local') for 0x1080, 0x1090;
my $file = put('image.elf', $image->elf);
my $plain = btfcanon('encode', '-q', $file);

sub explained {
	my ($name, @wanted) = @_;
	my $result = btfcanon('encode', '-q', "--explain=$name", $file);
	is($result->{status}, 0, "$name: exit status");
	same_bytes($result->{out}, $plain->{out}, "$name: the BTF is the same");
	my $text = $result->{err} =~ s/\Q$file\E/FILE/gr =~ s/unit at 0x[0-9a-f]+/unit/gr;
	is($text, join('', map { "$_\n" } @wanted), "$name: the words");
	return;
}

explained('stubbed', 'stubbed: in', '    symbol stubbed at 0x1020 in FILE',
	'    int stubbed(int __unused)', '        first.c (unit in FILE), at 0x1010',
	'    int stubbed(int mode)',
	'        a unit without a name (unit in FILE), at 0x1020; this one is written');
explained('nameless', 'nameless: left out: a parameter has no name or no type',
	'    symbol nameless at 0x1030 in FILE', '    a parameter without a name or a type',
	'        first.c (unit in FILE), at 0x1030');
explained('elsewhere', 'elsewhere: left out: a parameter comes in another register than it should',
	'    symbol elsewhere at 0x1040 in FILE', '    int elsewhere(int x)',
	'        first.c (unit in FILE), at 0x1040; a parameter in another register');
explained('disagrees', 'disagrees: left out: its prototypes disagree',
	'    symbol disagrees at 0x1050 in FILE', '    int disagrees(int x)',
	'        first.c (unit in FILE), at 0x1050', '    int disagrees(struct box *box)',
	'        a unit without a name (unit in FILE), at 0x1060');
explained('lost', 'lost: left out: its only body lost parameters that the source has',
	'    symbol lost.isra.0 at 0x1070 in FILE', '    int lost(int x, int y)',
	'        first.c (unit in FILE), at 0x1070; a parameter optimized away');
explained('twice', 'twice: left out: several functions at several addresses have the name',
	'    symbol twice at 0x1080 in FILE', '    symbol twice at 0x1090 in FILE',
	'    int twice(int x)', '        first.c (unit in FILE), at 0x1080');
explained('stacked', 'stacked: left out: a packed struct is passed on the stack, where its place is '
	. 'uncertain', '    symbol stacked at 0x10b0 in FILE',
	'    int stacked(int r1, int r2, int r3, int r4, int r5, int r6, struct tight s)',
	'        first.c (unit in FILE), at 0x10b0; a parameter optimized away; a packed struct on the stack');
explained('assembly', 'assembly: left out: no unit defines it (assembly, a unit without DWARF or '
	. 'one left out)', '    symbol assembly at 0x10a0 in FILE');
explained($_, "$_: left out: no symbol of a function has that name (inlined everywhere, only "
	. 'declared, or not there)') for qw(inlined nowhere);

my $both = btfcanon('encode', '-q', '--explain', 'stubbed', '--explain=twice.isra.0', $file);
is(join(' ', $both->{err} =~ /^(\w+: \w+)/mg), 'stubbed: in twice: left',
	'several, in the order asked for; a name up to its dot');
like(btfcanon('encode', '-q', '--features=+true_signature', '--explain=lost', $file)->{err},
	qr/^lost: in, as lost\.isra\.0$/m, 'in under another name');
my $stats = btfcanon('encode', '--stats', $file);
like($stats->{err}, qr/^functions with a parameter without a name or a type +1$/m, 'nameless is counted');
like($stats->{err}, qr/^functions that no unit defines +1$/m, 'assembly is counted');
refused(btfcanon('sort', '--explain=x', $file), '', qr/sort has no option '--explain=x'/,
	'sort has no such option');

done_testing;
