#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# encode: inputs, outputs, options, and that of several troubles the first is told, however it runs.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use DWARF;
use TinyELF;
use TestUtil;

# A file of units that define a struct each; a unit by number can be told to be bad.
sub units {
	my ($count, %bad) = @_;
	my $file = DWARF->new;
	for my $i (0 .. $count - 1) {
		my @dies = ([ base_type => { label => "int$i", name => 'int', byte_size => 4,
			encoding => 5 } ],
			[ structure_type => { name => "s$i", byte_size => 4 + 4 * ($i % 3) },
				[ member => { name => 'a', type => \"int$i",
					data_member_location => 0 } ] ]);
		push @dies, $bad{$i} if $bad{$i};
		$file->unit([ compile_unit => { language => 12 }, @dies ]);
	}
	return $file;
}

my $good = put('good.elf', units(8)->elf);
my $bytes = btfcanon('encode', $good)->{out};
is(scalar(BTF->read($bytes)->find('STRUCT')), 8, 'a good file');

# ---------------------------------------------------------------- inputs

is(btfcanon('encode')->{status}, 2, 'no input');
like(btfcanon('encode')->{err}, qr/\Abtfcanon: encode wants an ELF file[^\n]*\n\z/,
	'no input: says so');
refused(btfcanon('encode', '/no/such'), '/no/such', qr/No such file/, 'a file that is not there');
refused(btfcanon('encode', $good, '/no/such'), '/no/such', qr/No such file/, 'or the second');
refused(btfcanon('encode', scratch()), scratch(), qr/director/, 'a directory');
refused(btfcanon('encode', '/dev/null'), '/dev/null', qr/./, 'an empty file');
for my $what ([ text => "hello\n" ], [ cut => substr(get($good), 0, 40) ], [ btf => $bytes ],
	[ half => substr get($good), 0, length(get($good)) / 2 ]) {
	my $path = put($what->[0], $what->[1]);
	refused(btfcanon('encode', $path), $path, qr/./, "no ELF file, but $what->[0]");
}
my $no_dwarf = put('no-dwarf.elf', TinyELF::write(sections => [ [ '.data', 'x' ] ], type => 2));
refused(btfcanon('encode', $no_dwarf), $no_dwarf, qr/no DWARF|no \.debug_info/i, 'without DWARF');
my $names = put("line\nbreak.elf", 'x');
is(btfcanon('encode', $names)->{err} =~ tr/\n//, 1,
	'a file name with a newline: one line all the same');

# ---------------------------------------------------------------- outputs

my $out = scratch('out.btf');
quiet(btfcanon('encode', $good, '-o', $out), '-o');
same_bytes(get($out), $bytes, '-o: the same bytes');
quiet(btfcanon('encode', "--output=$out", '-q', $good), '--output');
my $bad = put('bad.elf', units(8, 5 => [ typedef => { name => 't',
	type => [ ref4 => 0x7fffff ] } ])->elf);
put('old.btf', 'old');
refused(btfcanon('encode', $bad, '-o', scratch('old.btf')), $bad, qr/reference/,
	'a bad file with -o');
is(get(scratch('old.btf')), 'old', 'leaves what was there');
is(join(' ', grep { !m{/old\.btf$} } glob(scratch('old.btf*'))), '', 'and nothing beside it');
is(btfcanon('encode', $good, '-o', '/dev/null')->{status}, 0, '-o a device');
my $full = btfcanon('encode', $good, { stdout_to => '/dev/full' });
is($full->{status}, 2, 'standard output that is full');
like($full->{err}, qr/\Abtfcanon: [^\n]*No space[^\n]*\n\z/, 'says so');
same_bytes(btfcanon('sort', '-', { stdin => $bytes })->{out}, $bytes, 'sort changes nothing');
same_bytes(btfcanon('encode', '--order=name', $good)->{out},
	btfcanon('sort', '--order=name', '-', { stdin => $bytes })->{out},
		'--order=name is that of sort');
same_bytes(btfcanon('encode', '--order=canonical', $good)->{out}, $bytes, '--order=canonical');

# ---------------------------------------------------------------- options

for my $case ([ '-j0', qr/-j/ ], [ '-jmany', qr/-j/ ], [ '--hash-bits=65', qr/--hash-bits/ ],
	[ '--hash-bits=-1', qr/--hash-bits/ ], [ '--shuffle-units=x', qr/--shuffle-units/ ],
	[ '--order=none', qr/order/ ], [ '--progress=maybe', qr/progress/ ],
	[ '--no-such-option', qr/no-such-option/ ], [ '--dedup', qr/dedup/ ]) {
	my ($option, $like) = @$case;
	my $result = btfcanon('encode', $option, $good);
	is($result->{status}, 2, "$option: refused");
	like($result->{err}, qr/\Abtfcanon: [^\n]*$like[^\n]*\n\z/, "$option: in one line");
	is($result->{out}, '', "$option: without output");
}
same_bytes(btfcanon('encode', $_, $good)->{out}, $bytes, $_)
	for qw(-j1 -j2 -j16 --shuffle-units=1 --shuffle-units=4294967295 --hash-bits=0 --hash-bits=64),
	qw(--progress=never --progress=auto --lang-exclude=), "--lang-exclude=rust,go";

# Units by language, by the numbers that DWARF has for it; 0x8001: an assembler's, 0x7fff: nobody's.
{
	my %numbers = (c => [ 0x01, 0x02, 0x0c, 0x1d, 0x2c ], 'c++' => [ 0x04, 0x19, 0x1a, 0x21, 0x2a, 0x2b ],
		rust => [0x1c], go => [0x16], d => [0x13], swift => [0x1e], ada => [ 0x03, 0x0d ],
		fortran => [ 0x07, 0x08, 0x0e, 0x22, 0x23 ], asm => [0x8001], '' => [0x7fff]);
	my $file = DWARF->new;
	for my $language (sort keys %numbers) {
		my $i = 0;
		$file->unit([ compile_unit => { language => $_ },
			[ structure_type => { name => "$language " . $i++, byte_size => 4 } ] ])
			for @{ $numbers{$language} };
	}
	my $path = put('languages.elf', $file->elf);
	my %of;
	$of{ $_->{name} =~ s/ \d+\z//r }++ for grep { $_->{kind} == $BTF::NUMBER{STRUCT} }
		BTF->read(btfcanon('encode', '-q', $path)->{out})->types;
	is_deeply(\%of, { map { ($_ => scalar @{ $numbers{$_} }) } keys %numbers }, 'languages: all are read');
	for my $language (grep { length } sort keys %numbers) {
		my @left = grep { $_->{kind} == $BTF::NUMBER{STRUCT} }
			BTF->read(btfcanon('encode', '-q', "--lang-exclude=$language", $path)->{out})->types;
		is_deeply([ sort { $a cmp $b } keys %{ { map { ($_->{name} =~ s/ \d+\z//r => 1) } @left } } ],
			[ sort grep { $_ ne $language } keys %numbers ], "--lang-exclude=$language");
	}
}
same_bytes(btfcanon('encode', $good, '-j', 3)->{out}, $bytes, 'options behind files');
my $bar = btfcanon('encode', '-j1', '--progress=always', $good);
same_bytes($bar->{out}, $bytes, '--progress=always');
like($bar->{err}, qr{^\[#+\] 8/8 units, .* s\n\z}m, '--progress=always in a log: lines');
unlike($bar->{err}, qr/[\r\e]/, 'and nothing that only a terminal understands');
cmp_ok($bar->{err} =~ tr/\n//, '<=', 10, 'ten at most');
is(btfcanon('encode', '-j1', '--progress=auto', $good)->{err}, '', '--progress=auto: none in a log');
like(btfcanon('compare', '-j1', '--progress=always', '--old-from=dwarf', '--new-from=dwarf', $good, $good)->{err},
	qr{(?: 8/8 units, .*\n.*){2}}s, 'and compare shows it, too');
SKIP: {
	skip 'script(1) is not installed', 6 if !have('script');
	skip 'no pseudo terminal here', 6 if run('script', '-qec', 'true', '/dev/null', { memory_mb => 0 })->{status};
	my $on_terminal = sub {
		my ($columns, $kind, @words) = @_;
		my $command = join ' ', "stty cols $columns; exec", program(), 'encode -j1', @words;
		my $result = run('script', '-qec', $command, '/dev/null',
			{ env => { TERM => $kind, SHELL => '/bin/sh' }, memory_mb => 0 });
		return $result->{out};
	};
	my $shown = $on_terminal->(50, 'xterm', '--progress=always', '-o', scratch('bar.btf'), $good);
	like($shown, qr/\r\[#/, 'a bar on a terminal');
	is((grep { length > 49 } split /\r|\e\[K/, $shown), 0, 'is not wider than that');
	like($shown, qr/\r\e\[K\z/, 'and wiped away');
	unlike($on_terminal->(50, 'dumb', '--progress=always', '-o', scratch('bar.btf'), $good), qr/\e|\r[^\n]/,
		'lines on a dumb one');
	is($on_terminal->(50, 'dumb', '-o', scratch('bar.btf'), $good), '', 'or nothing');
	my $bad = put('half.o', substr get($good), 0, length(get($good)) / 2);
	like($on_terminal->(50, 'xterm', '--progress=always', $bad), qr/(?:\A|\n|\e\[K)btfcanon: [^\r\n]*\r\n\z/,
		'an error has a line of its own');
}
is(btfcanon('encode', $good)->{err}, '', 'no bar where there is no terminal');

my %stats = map { /^(.*\S) +(\d+)$/ ? ($1 => $2) : () }
	split /\n/, btfcanon('encode', '--stats', '-j2', $good, $good)->{err};
is($stats{'units read'}, 16, '--stats: units');
is($stats{'conflicting tags'}, 0, '--stats: conflicts');
is($stats{types}, 9, '--stats: types');
is($stats{threads}, 2, '--stats: threads');
my $times = btfcanon('encode', '--stats', $good)->{err};
like($times, qr/^units +\d+\.\d+ ms +\d+\.\d+ ms of CPU +\d+\.\d+ ms shared$/m, '--stats: time');
my %cpu = map { /^(CPU time|of it \w+) +(\d+\.\d+) ms/ ? ($1 => $2) : () } split /\n/, $times;
cmp_ok(abs($cpu{'CPU time'} - $cpu{'of it shared'} - $cpu{'of it serial'}), '<', 0.01,
	'--stats: CPU time is shared or serial');

# ---------------------------------------------------------------- which trouble

# Several units are bad in different ways: always the first one's is told, with file, unit and DIE.
my %troubles = (2 => [ typedef => { name => 't', type => [ ref4 => 0x7fffff ] } ],
	4 => [ typedef => { name => 't', type => [ ref4 => 1 ] } ],
	6 => [ structure_type => { label => 'own', name => 'own',
		byte_size => [ data8 => 1 << 40 ] } ]);
my $several = put('several.elf', units(8, %troubles)->elf);
my $first = btfcanon('encode', '-j1', $several);
refused($first, $several, qr/\(DIE at 0x[0-9a-f]+\) \(unit at 0x[0-9a-f]+\)$/, 'several bad units');
my $one = put('one.elf', units(8, 2 => $troubles{2})->elf);
my $alone = btfcanon('encode', '-j1', $one)->{err};
$alone =~ s/\Q$one\E/$several/;
is($first->{err}, $alone, 'of several bad units the first is told');
my @others = grep { btfcanon('encode', @$_, $several)->{err} ne $first->{err} }
	map { my $j = $_; map { [ "-j$j", "--shuffle-units=$_" ] } 1 .. 4 } 1 .. 4;
is(scalar @others, 0, 'by 1 to 4 threads, in any order of units');
is(btfcanon('encode', $good, $several, $bad)->{err}, $first->{err},
	'of several bad files the first');
refused(btfcanon('encode', $bad, $several, $good), $bad, qr/unit at/,
	'which the order of files decides');

done_testing;
