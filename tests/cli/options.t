#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Options, exit codes, the words for what is wrong with a command line.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;

my $b = BTF->new;
$b->struct('s', 4, [ [ 'n', $b->int('int', 4), 0 ] ]);
my $file = put('in.btf', $b->bytes);
my $canonical = btfcanon('sort', $file)->{out};
ok(length $canonical, 'sort FILE');

my @commands = qw(sort check dump);

my $version = btfcanon('-V');
is($version->{status}, 0, '-V: exit 0');
like($version->{out}, qr/^btfcanon \d+\.\d+\S*\n/, '-V: name and number');
is(btfcanon('--version')->{out}, $version->{out}, '--version is -V');

# What is wrong with a command line: one line, with a hint where to look.
my $hint = qr/--help/;
refused(btfcanon(), '', $hint, 'no command');
refused(btfcanon('frobnicate'), '', qr/frobnicate.*$hint/, 'an unknown command');
refused(btfcanon('--frobnicate'), '', qr/--frobnicate.*$hint/,
	'an unknown option before any command');
for my $command (@commands) {
	refused(btfcanon($command, '--frobnicate', $file), '', qr/--frobnicate.*$hint/,
		"$command: an unknown option");
	refused(btfcanon($command, $file, '-Z'), '', qr/-Z.*$hint/, "$command: an unknown letter");
	refused(btfcanon($command, '--base'), '', qr/--base/, "$command: --base without a value");
	refused(btfcanon($command, '/no/such/file'), '/no/such/file', qr/No such file/,
		"$command: no such input");
	refused(btfcanon($command, scratch()), scratch(), qr/directory/i,
		"$command: a folder as input");
	refused(btfcanon($command, ''), '', qr/./, "$command: an empty name");
}
# The near one, where there is one.
for my $case (
	[ [ 'sort', '--bse', 'x' ],          qr/no option '--bse': did you mean --base\?/ ],
	[ [ 'sort', '--bse=x' ],             qr/did you mean --base\?/ ],
	[ [ 'sort', '-base', 'x' ],          qr/did you mean --base\?/ ],
	[ [ 'sort', '--in_place' ],          qr/did you mean --in-place\?/ ],
	[ [ 'sort', '--ordre=name' ],        qr/did you mean --order\?/ ],
	[ [ 'sort', '--ded-up' ],            qr/did you mean --dedup\?/ ],
	[ [ 'sort', '--drop' ],              qr/did you mean --drop-layout or --drop-signature\?/ ],
	[ [ 'compare', '--colour' ],         qr/did you mean --color\?/ ],
	[ [ 'pahole', '--btf_encode_detachd=x' ], qr/did you mean --btf_encode_detached\?/ ],
	[ ['cmopare'],                       qr/no command 'cmopare': did you mean compare\?/ ],
	[ ['assamble'],                      qr/did you mean assemble\?/ ],
	[ [ 'help', 'heeder' ],              qr/did you mean header\?/ ],
	[ ['--hlep'],                        qr/did you mean --help\?/ ],
	[ ['-version'],                      qr/did you mean --version\?/ ],
	[ [ 'sort', '-help' ],               qr/sort has no option '-help': did you mean --help\?/ ],
	[ [ 'pahole', '-help' ],             qr/no option '-help': did you mean --help\?/ ],
) {
	my ($words, $like) = @$case;
	refused(btfcanon(@$words), '', qr/$like.*$hint/, "@$words");
}
unlike(btfcanon('sort', $_)->{err}, qr/did you mean/, "sort $_ is like nothing")
	for '--frobnicate', '-Z', '--x', '--' . 'x' x 100, '--=';
refused(btfcanon('sort', '--dedup=yes', $file), '', qr/--dedup=yes: --dedup takes no value.*$hint/,
	'a value where none is');

refused(btfcanon('check', '-o', 'x', $file), '', qr/-o.*$hint/, 'check has no -o');
refused(btfcanon('check', '--dedup', $file), '', qr/--dedup.*$hint/, 'check has no --dedup');
refused(btfcanon('dump', '--order=name', $file), '', qr/--order.*$hint/, 'dump has no --order');
refused(btfcanon('sort', '--full', $file), '', qr/--full.*$hint/, 'sort has no --full');
refused(btfcanon('sort', '--kernel', $file), '', qr/--kernel.*$hint/, 'sort has no --kernel');
refused(btfcanon('check', $file, $file), '', qr/one input/, 'check takes one input');
refused(btfcanon('dump', $file, $file), '', qr/one input/, 'dump takes one input');
refused(btfcanon('sort', '-o'), '', qr/-o/, '-o without a value');
refused(btfcanon('sort', "--order=$_", $file), '', qr/--order.*canonical.*name/, "--order='$_'")
	for 'kind', '', 'NAME', 'canon';
refused(btfcanon('sort', "--max-vlen=$_", $file), '', qr/--max-vlen/, "--max-vlen='$_'")
	for 'x', '', '-1', '1x', '99999999999999999999', '16777216', '0x10';
refused(btfcanon('sort', "--pointer-size=$_", $file), '', qr/--pointer-size/, "--pointer-size='$_'")
	for 0, 3, 16, 'x';
refused(btfcanon('sort', $_, $file), '', qr/go with --in-place/, "$_ without --in-place")
	for '--drop-signature', "--new-base=$file";
refused(btfcanon('encode', '--drop-signature', $file), '', qr/goes with --in-place/,
	'encode --drop-signature without --in-place');
same_bytes(get($file), $b->bytes, 'and none touches the file');

# What is wrong with an input, with what to do about it.
refused(btfcanon('encode', $file), $file, qr/is BTF already is for sort/, 'encode of BTF');
refused(btfcanon('sort', '--in-place', $file), $file, qr/-o OUT/, 'sort --in-place of BTF');
my $unnamed = BTF->new;
$unnamed->typedef('', $unnamed->int('int', 4));
refused(btfcanon('sort', '--base', $file, put('other.btf', $unnamed->bytes)), scratch('other.btf'),
	qr/is --base the BTF/, 'BTF that is not on that base');
unlike(btfcanon('sort', scratch('other.btf'))->{err}, qr/--base/, 'but not without a base');

# Good command lines.
same_bytes(btfcanon('sort', @$_)->{out}, $canonical, "sort @$_") for (
	[ '--', $file ], [ $file, '--order=canonical' ], [ '--order', 'canonical', $file ],
		[ $file, '-q' ],
	[ '-q', '--max-vlen=1', $file ], [ '--pointer-size=4', $file ],
		[ '--pointer-size', '8', $file ], [ '-v', $file ],
	[ '--output=-', $file ], [ '-o', '-', $file ], [ '-o-', $file ],
		[ '--progress=never', '-j', '2', $file ], [ '--dedup', $file ]);
my $dashed = put('-named', $b->bytes);
same_bytes(btfcanon('sort', '--', '-named', { dir => scratch() })->{out}, $canonical,
	'a name that begins with a dash, behind --');
same_bytes(btfcanon('sort', './-named', { dir => scratch() })->{out}, $canonical,
	'or with its folder');
my $strange = put("odd \n\x01\xff name.btf", 'no BTF');
my $told = btfcanon('sort', $strange);
is($told->{status}, 2, 'a strange file name');
is($told->{err} =~ tr/\n//, 1, 'is told in one line');
unlike($told->{err}, qr/[\x00-\x09\x0b-\x1f\x7f-\xff]/, 'of printable characters');

# A name from inside a file cannot do more to a terminal than a file name.
my $bad = BTF->new;
$bad->typedef("evil\x1b[31m\nname", 1);
$told = btfcanon('sort', put('evil.btf', $bad->bytes));
is($told->{status}, 2, 'a strange type name');
is($told->{err} =~ tr/\n//, 1, 'is told in one line');
unlike($told->{err}, qr/[\x00-\x09\x0b-\x1f\x7f-\xff]/, 'of printable characters');

# So does a file name in a warning, and one that is too long leaves room for what is wrong.
my $odd = BTF->new;
$odd->int('int', 4);
$odd->union('u', 16, [ [ "m\x1b[31m\n", 1, 64 ] ]);
for my $name ("warned \n\x1b[31m\xff.btf", 'long' x 60 . '.btf') {
	mkdir scratch('long' x 60);
	my $folder = length $name > 200 ? scratch('long' x 60) : scratch();
	$told = btfcanon('sort', put("$folder/$name", $odd->bytes));
	is($told->{status}, 0, 'a warning');
	like($told->{err}, qr/\Abtfcanon: warning: [ -~]+: a union member[ -~]+\n\z/, 'is one line, printable');
}

# --stats and -v speak on standard error only.
my $stats = btfcanon('sort', '--stats', $file);
same_bytes($stats->{out}, $canonical, '--stats leaves the output alone');
like($stats->{err}, qr/^types\b.*\b2$/m, '--stats counts types');
like($stats->{err}, qr/\d+\.\d+ ms of CPU\b/, '--stats measures time');
is(btfcanon('check', '--stats', put('c.btf', $canonical))->{status}, 0, 'check takes --stats');
is(btfcanon('dump', '--stats', $file)->{out}, btfcanon('dump', $file)->{out},
	'dump --stats leaves the output alone');

my $names = BTF->new;
my $int = $names->int('int', 4);
my $large = $names->struct('console', 16, [ map { [ "m$_", $int, 32 * $_ ] } 0 .. 3 ]);
$names->struct('console', 4, [ [ 'a', $int, 0 ] ]);
$names->struct('quiet', 4, [ [ 'a', $int, 0 ] ]);
my $verbose = btfcanon('sort', '-v', put('names.btf', $names->bytes));
like($verbose->{err}, qr/^STRUCT console\b.*\b2\b.*\b3\b/m,
	'-v lists a name whose first definition changed');
unlike($verbose->{err}, qr/quiet/, 'and no other');
is(btfcanon('sort', '-v', '--order=name', put('names.btf', $names->bytes))->{err}, '',
	'none in name order, where the larger stays first');
like(btfcanon('sort', '--stats', put('names.btf', $names->bytes))->{err}, qr/first.*\b1$/m,
	'--stats counts them');

my $union = $names->union('alpha', 16, [ map { [ "m$_", $int, 0 ] } 0 .. 3 ]);
$names->union('alpha', 4, [ [ 'a', $int, 0 ] ]);
my @told = btfcanon('sort', '-v', put('names.btf', $names->bytes))->{err} =~ /^(\w+ \w+): a look-up/mg;
is("@told", 'STRUCT console UNION alpha', 'in the order of the old ids');

# Without INPUT: the running kernel.
SKIP: {
	skip 'this kernel shows no BTF', 3 if !-r '/sys/kernel/btf/vmlinux';
	my $check = btfcanon('check', '-q');
	like($check->{status}, qr/^[01]$/, 'check without INPUT reads the running kernel');
	like($check->{out}, qr{^/sys/kernel/btf/vmlinux: not canonical|^$}, 'and names it');
	my $running = btfcanon('sort', '-q', { stdout_to => scratch('running.btf') });
	is($running->{status}, 0, 'sort without INPUT');
}

done_testing;
