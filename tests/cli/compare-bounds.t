#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# compare: what it takes grows with its input, not with the square of it. The limits are far above
# what it takes, and far below what the square of these sizes would.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use TestUtil;

my %limits = (seconds => 25, memory_mb => 640);

sub compared {
	my ($old, $new, @options) = @_;
	return btfcanon('compare', '-q', @options, put('old.btf', scalar $old->bytes),
		put('new.btf', scalar $new->bytes), \%limits);
}

# ---- unnamed enums: one name that all values have, and many other names

{
	my ($one, $many) = (BTF->new, BTF->new);
	$one->enum('', [ map { [ 'SAME', $_ ] } 1 .. 500_000 ]);
	$many->enum('', [ map { [ "VALUE_$_", $_ ] } 1 .. 500_000 ]);
	like(compared($one, $many, '--stat')->{out}, qr/^ 1 added, 1 removed$/m, 'a name of many values');
	like(compared($many, $one, '--stat')->{out}, qr/^ 1 added, 1 removed$/m, 'the other way round');
}

# ---- many references to a large unnamed struct that changed in its last member

sub large_struct {
	my ($btf, $count, $last) = @_;
	my $int = $btf->int('int', 4);
	return $btf->ptr($btf->struct('', 4 * $count, [ (map { [ "m$_", $int, 32 * $_ ] }
		0 .. $count - 2), [ $last, $int, 32 * ($count - 1) ] ]));
}

{
	my @sides = map {
		my $btf = BTF->new;
		my $pointer = large_struct($btf, 100_000, $_);
		$btf->func('f', $btf->proto(0, [ map { [ "p$_", $pointer ] } 1 .. 60_000 ]));
		$btf;
	} qw(before after);
	my $result = compared(@sides);
	is(() = $result->{out} =~ /^    ~ p\d+ +parameter \d+, struct \{.* \(another one\)$/mg, 60_000,
		'parameters of an unnamed struct');
}

# ---- members in thousands of unnamed structs: each would say what it is in

{
	my @sides = map {
		my $btf = BTF->new;
		my $int = $btf->int('int', 4);
		my $id = $btf->struct('', 400_000, $_);
		$id = $btf->struct('', 400_000, [ [ '', $id, 0 ] ]) for 1 .. 1000;
		$btf->struct('deep', 400_000, [ [ '', $id, 0 ] ]);
		$btf;
	} [ map { [ "m$_", 1, 32 * $_ ] } 0 .. 99_999 ], [ [ 'm', 1, 0 ] ];
	my $result = compared(@sides);
	refused($result, '', qr/: unnamed types in each other grow to more than 256 MiB$/, 'deep nesting');
}

done_testing();
