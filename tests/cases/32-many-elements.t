#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# More elements than 16 bits count: read with 24 bits, sorted, written, nothing cut.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;

sub big_enum {
	my ($big, $name, $count) = @_;
	my $b = BTF->new(big => $big);
	$b->enum($name, [ map { [ "E$_", $_ ] } 0 .. $count - 1 ]);
	return $b;
}

for my $big (0) {
	my $name = 'LE';
	my $fits = big_enum($big, 'fits', 65535);
	my $path = put('fits.btf', $fits->bytes);
	my $result = btfcanon('sort', $path);
	quiet($result, "$name: 65,535 values: no warning");
	same_bytes($result->{out}, BTFModel::canonical($fits)->bytes, "$name: 65,535 values");
	is(btfcanon('sort', '--max-vlen=65535', $path)->{status}, 0,
		"$name: 65,535 values are within --max-vlen=65535");
	refused(btfcanon('sort', '--max-vlen=65534', $path), $path, qr/65,?535/,
		"$name: but not within --max-vlen=65534");

	for my $count (65536, 70000) {
		my $wide = big_enum($big, 'wide', $count);
		my $bytes = $wide->bytes;
		$path = put('wide.btf', $bytes);
		$result = btfcanon('sort', '-o', scratch('wide.out'), $path);
		warned($result, qr/65,?535/, "$name: $count values: a warning");
		same_bytes(get(scratch('wide.out')), BTFModel::canonical($wide)->bytes,
			"$name: $count values: all there");
		my $read = BTF->read(get(scratch('wide.out')));
		is($read->one('ENUM', 'wide')->{vlen}, $count, "$name: $count values: the count");
		put('old.btf', 'old');
		refused(btfcanon('sort', '--max-vlen=65535', '-o', scratch('old.btf'), $path, '-q'),
			$path, qr/type 1\b.*$count|$count/,
			"$name: $count values: --max-vlen=65535 refuses");
		is(get(scratch('old.btf')), 'old', "$name: $count values: and writes nothing");
		is(btfcanon('check', '-q', scratch('wide.out'))->{status}, 0,
			"$name: $count values: check");
	}
}

# Members, parameters, section entries; and behind them something to find misplaced.
{
	my ($big, $name) = (1, 'BE');
	my $b = BTF->new(big => $big);
	my $int = $b->int('int', 4, signed => 1);
	my $count = 66_000;
	$b->struct('wide', 4 * $count, [ map { [ "m$_", $int, 32 * $_ ] } 0 .. $count - 1 ]);
	$b->proto($int, [ map { [ "a$_", $int ] } 0 .. $count - 1 ]);
	my $variable = $b->var('v', $int);
	$b->datasec('.data', 4 * $count, [ map { [ $variable, 4 * $_, 4 ] } 0 .. $count - 1 ]);
	$b->ptr(2);
	my $sorted = sort_bytes($b->bytes, '-q');
	same_bytes($sorted, BTFModel::canonical($b)->bytes,
		"$name: 66,000 members, parameters, entries");
	my $dump = btfcanon('dump', '-q', put('sorted.btf', $sorted),
		{ stdout_to => scratch('dump.txt') });
	is($dump->{status}, 0, "$name: dump of it");
	my $text = get(scratch('dump.txt'));
	like($text, qr/\bm65999\b/, "$name: dump has the last member");
}

in_both_orders(sub {
	my ($big, $name) = @_;

	# 65,537 has the low 16 bits of 1.
	my $alias = BTF->new(big => $big);
	$alias->enum('x', [ map { [ "A$_", $_ ] } 0 .. 65_536 ]);
	$alias->enum('x', [ [ 'A0', 0 ] ]);
	my $both = BTF->read(sort_bytes($alias->bytes, '-q'));
	is(join(' ', map { $_->{vlen} } $both->find('ENUM', 'x')), '1 65537',
		"$name: vlen 1 sorts apart from vlen 65,537");
});

done_testing;
