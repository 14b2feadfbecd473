#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# assemble: the text of dump --full back into the canonical bytes; options; errors that say where.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use DumpText;
use TestUtil;

sub comes_back {
	my ($name, $input, @base) = @_;
	my $text = btfcanon('dump', '-q', '--full', @base, $input);
	is($text->{status}, 0, "$name: dump --full") || diag($text->{err});
	my $bytes = btfcanon('assemble', '-q', @base, put('text', $text->{out}));
	is($bytes->{err}, '', "$name: assemble");
	return same_bytes($bytes->{out}, btfcanon('sort', '-q', @base, $input)->{out},
		"$name: the canonical bytes");
}

# Every fixture: on the base that it was made for, if any.
my $tried = 0;
for my $path (map { glob fixture($_) } '{vectors,example,compare}/*.btf', 'cases/*.{btf,elf}') {
	my @base;
	if ($path =~ m{/split} && $path !~ /base\.btf\z/) {
		my ($base) = grep { -e } $path =~ s/((?:\.be)?)\.btf\z/$1.base.btf/r,
			$path =~ s/_module\.btf\z/_base.btf/r;
		@base = ('--base', $base);
	}
	comes_back(substr($path, length fixture('')), $path, @base);
	$tried++;
}
cmp_ok($tried, '>', 60, 'fixtures were there');

# Golden texts are what the program writes now; they are read without the BTF that they came from.
for (grep { !/^#/ } split /\n/, get(fixture('dump/list'))) {
	my ($name, $input, $base) = split;
	my @base = $base ? ('--base', fixture($base)) : ();
	my $bytes = btfcanon('assemble', '-q', @base, fixture("dump/$name.full.txt"));
	same_bytes($bytes->{out}, btfcanon('sort', '-q', @base, fixture($input))->{out},
		"$name: the golden text");
	next if $base;
	same_bytes(sort_bytes(DumpText->read(get(fixture("dump/$name.full.txt")))->bytes, '-q'),
		$bytes->{out}, "$name: another reader of the grammar reads the same");
}

# Where it comes from and goes to; the other order.
{
	my $text = fixture('dump/rich.full.txt');
	my $bytes = btfcanon('assemble', $text)->{out};
	quiet(btfcanon('assemble', $text, '-o', scratch('out.btf')), '-o');
	same_bytes(get(scratch('out.btf')), $bytes, '-o: the same bytes');
	same_bytes(btfcanon('assemble', '-', { stdin_from => $text })->{out}, $bytes,
		'from standard input');
	same_bytes(btfcanon('assemble', '--order=name', $text)->{out},
		btfcanon('sort', '--order=name', scratch('out.btf'))->{out}, '--order=name');
	like(btfcanon('assemble', '--stats', $text)->{err}, qr/^reading +[0-9.]+ ms$/m, '--stats');
	put('crlf.txt', get($text) =~ s/\n/\r\n/gr);
	same_bytes(btfcanon('assemble', scratch('crlf.txt'))->{out}, $bytes, 'with CRLF');
}

# Names where BTF has none to say; a tag's name is its text, and no other.
{
	my $b = BTF->new;
	$b->ptr($b->int('int', 4), name => 'odd name');
	$b->proto($b->const(0, name => 'c'), [], name => 'p');
	comes_back('names of pointers and prototypes', put('names.btf', scalar $b->bytes));
	my $text = btfcanon('dump', '-q', '--full', scratch('names.btf'))->{out};
	like($text, qr/\[\[name "odd name"\]\]/, 'the name of a pointer is in the text');
	my $tag = BTF->new;
	$tag->ptr($tag->type_tag('user', $tag->int('int', 4)));
	$text = btfcanon('dump', '-q', '--full', put('tag.btf', scalar $tag->bytes))->{out};
	(my $changed = $text) =~ s/(type_tag\("user"\))/$1 [[name "x"]]/;
	isnt($changed, $text, 'a tag is there to be named');
	refused(btfcanon('assemble', put('tag.txt', $changed)), scratch('tag.txt'),
		qr/the name of a tag is its text/, 'a tag with a name');
}

# Many strings and symbols: the tables of the assembler grow, and shared strings stay shared.
{
	my $b = BTF->new;
	my $int = $b->int('int', 4);
	$b->struct("tag$_", 4, [ [ "member$_", $int, 0 ] ]) for 1 .. 6000;
	comes_back('12,000 names', put('many.btf', scalar $b->bytes));
}

# What is odd in the BTF is said, as sort says it.
{
	my $b = BTF->new;
	my $int = $b->int('int', 4);
	$b->union('u', 8, [ [ 'a', $int, 32 ] ]);
	my $path = put('odd.btf', $b->bytes);
	my $text = put('odd.txt', btfcanon('dump', '-q', '--full', $path)->{out});
	warned(btfcanon('assemble', $text), qr/a union member that is not at offset 0/,
		'a warning');
	is(btfcanon('assemble', '-q', $text)->{err}, '', 'not with -q');
}

# Trouble: one line, with the place; OUT stays.
sub wrong {
	my ($name, $text, $where, $what, @arguments) = @_;
	my $path = put('wrong.txt', $text);
	put('kept.btf', 'old');
	refused(btfcanon('assemble', $path, '-o', scratch('kept.btf'), @arguments), $path,
		qr/\Q$path\E: \Q$where\E$what/, $name);
	return is(get(scratch('kept.btf')), 'old', "$name: OUT is as it was");
}

my $rich = get(fixture('dump/rich.full.txt'));
my @lines = split /^/, $rich;
wrong('an empty text', '', 'line 1, column 1: ', qr/.*dump --full/);
wrong('a short dump', get(fixture('dump/rich.txt')), 'line 1, column 1: ', qr/.*dump --full/);
wrong('a binary file', get(fixture('example/example.btf')), 'is no text: ', qr/byte \d+ is 0/);
wrong('a split one without its base', get(fixture('dump/split.full.txt')), 'line 1, column ',
	qr/.*--base/);
wrong('one on another base', get(fixture('dump/split.full.txt')), 'line 1, column ', qr/.*a base of/,
	'--base', fixture('example/example.btf'));
wrong('one on a base that needs none', $rich, 'line 1, column 1: ', qr/it is no split BTF/,
	'--base', fixture('example/example.btf'));
wrong('a text that ends early', join('', @lines[ 0 .. $#lines - 1 ]) =~ s/\n\z//r, 'line ', qr/[0-9]+, column/)
	if $lines[-2] !~ /;/;
for my $n (1 .. $#lines) {
	next if $lines[$n] !~ /;/;
	my @damaged = @lines;
	$damaged[$n] =~ s/;/ nonsense ;/;
	wrong('nonsense in line ' . ($n + 1), join('', @damaged), 'line ' . ($n + 1) . ', column ',
		qr/[0-9]+: (.*'nonsense'|nothing has a name here)/);
}
refused(btfcanon('assemble', scratch('missing.txt')), scratch('missing.txt'), qr/No such file/,
	'a file that is not there');
refused(btfcanon('assemble'), '', qr/takes one text/, 'no text');
refused(btfcanon('assemble', 'a', 'b'), '', qr/takes one text/, 'two texts');

done_testing;
