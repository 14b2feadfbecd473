#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The struct whose way docs/architecture.md follows: its bytes and its text are those that the page shows.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use TestUtil;

my ($compiler) = grep { have($_) } 'cc', 'gcc', 'clang';
plan skip_all => 'no C compiler' if !defined $compiler;
my $page = get(repository() . '/docs/architecture.md');

# The two units, as they stand side by side.
my ($columns) = $page =~ /^Two units:\n\n(.*?)\n\n/ms;
my @unit = ('', '');
for my $line (split /\n/, $columns) {
	$unit[0] .= substr("$line" . ' ' x 100, 4, 52) . "\n";
	$unit[1] .= substr("$line" . ' ' x 100, 56) . "\n";
}
my @objects = map {
	my $source = put("unit$_.c", $unit[$_]);
	my $object = scratch("unit$_.o");
	my $result = run($compiler, '-g', '-c', $source, '-o', $object, { memory_mb => 0 });
	is($result->{status}, 0, "unit $_ compiles") or diag($result->{err});
	$object;
} 0, 1;

my ($hex) = $page =~ /byte 0x34:\n\n((?: {4}[0-9a-f ]{38}.*\n)+)/;
my $bytes = join '', map { pack 'H*', substr($_, 4, 38) =~ s/ //gr } split /\n/, $hex;
my ($text) = $page =~ /`btfcanon dump ab.btf`:\n\n((?: {4}.*\n)+)/;
$text =~ s/^ {4}//mg;
$text =~ s/^ {8}/\t/mg;
for my $order ([ 0, 1 ], [ 1, 0 ]) {
	my $result = btfcanon('encode', @objects[@$order], '-o', scratch('ab.btf'));
	is($result->{status}, 0, "encode, unit $order->[0] first") or diag($result->{err});
	is(unpack('H*', substr(get(scratch('ab.btf')), 0x34, length $bytes)), unpack('H*', $bytes), 'its bytes');
}
my $dump = btfcanon('dump', scratch('ab.btf'));
is($dump->{out}, $text, 'its text');

done_testing();
