#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# scripts/archive over the kernels that scripts/real-inputs fetched.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use RealInputs;
use TestUtil;

plan(skip_all => 'no GNU parallel here')
	if !have('parallel') || run('parallel', '--version', { memory_mb => 0 })->{out} !~ /^GNU parallel/;
my @kernels = grep { $_->{elf} } kernels();
plan(skip_all => 'no real kernels (scripts/real-inputs)') if !@kernels;

sub archive {
	my (@options) = @_;
	return run(repository() . '/scripts/archive', '-o', scratch('archive'), '--program', program(), @options,
		map({ $_->{elf} } @kernels), { memory_mb => 0, seconds => 1200, env => { HOME => scratch() } });
}

my $count = @kernels;
my $result = archive();
is($result->{status}, 0, 'all are made') || diag($result->{err});
note($result->{out});
for my $kernel (@kernels) {
	my $folder = scratch("archive/$kernel->{name}");
	same_bytes(get("$folder/vmlinux.btf"), sort_bytes($kernel->{btf}), "$kernel->{name}: its canonical BTF");
	my $text = btfcanon('dump', "$folder/vmlinux.btf", '-o', scratch('text'), { seconds => 120 });
	quiet($text, "$kernel->{name}: dump");
	same_bytes(get("$folder/vmlinux.txt"), get(scratch('text')), "$kernel->{name}: its text");
}
my %is_there = map { $_->{name} => 1 } @kernels;
SKIP: {
	skip '6.1-amd64 and 6.12-amd64 are not both there', 1 if !$is_there{'6.1-amd64'} || !$is_there{'6.12-amd64'};
	like(get(scratch('archive/6.12-amd64/previous.txt')), qr/^6\.1-amd64 /, '6.12 is compared with 6.1');
	like(get(scratch('archive/6.12-amd64/compare.txt')), qr/^total: \d{3,} added/m, 'and has much that is new');
}
like(archive()->{out}, qr/\A$count kernels: 0 made, $count there already, 0 failed; 0 comparisons/,
	'a second run makes nothing');

done_testing;
