#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The ids that a kernel and its modules hold in .BTF_ids follow their types: lists keep their order,
# sets are sorted by the new ids, with their flags.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFIds;
use InPlace;
use TestUtil;
use TinyELF;

in_both_orders(sub {
	my ($big, $order) = @_;
	for my $seed (0 .. 3) {
		for my $shape ([ 64, 2 ], [ 32, 2 ], [ 64, 1 ], [ 32, 1 ]) {
			my ($bits, $type) = @$shape;
			my $name = "$order, $bits bits, type $type, shuffle $seed";
			my $b = BTF->read($seed ? ids_types($big)->shuffled($seed) : ids_types($big)->bytes);
			my ($ids, $symbols) = ids_section($b, 1, ids_items(''));
			my $before = ids_file($b, $ids, $symbols, bits => $bits, type => $type);
			my $path = put('vmlinux', $before);
			quiet(btfcanon('sort', '--in-place', $path), $name);
			my $after = get($path);
			same_elsewhere($before, $after, [ '.BTF', '.BTF_ids' ], $name);
			my $new = BTF->read(TinyELF::section($after, '.BTF'));
			my ($expected) = ids_section($new, 1, ids_items(''));
			same_bytes(TinyELF::section($after, '.BTF_ids'), $expected, "$name: the ids follow");
		}
	}

	# Not filled in yet: flags are no ids.
	my $b = ids_types($big);
	my ($zeros, $symbols) = ids_section($b, 0, ids_items(''));
	like($zeros, qr/[^\0]/, "$order: flags are there");
	my $path = put('unresolved', ids_file($b, $zeros, $symbols));
	quiet(btfcanon('sort', '--in-place', $path), "$order: before ids are filled in");
	same_bytes(TinyELF::section(get($path), '.BTF_ids'), $zeros, "$order: nothing is mapped");
	my $counted = $zeros;
	substr($counted, 4 * 3, 4) = pack $big ? 'N' : 'V', 3;
	$path = put('counted', ids_file($b, $counted, $symbols));
	quiet(btfcanon('sort', '--in-place', $path), "$order: numbers of ids are no ids");
	same_bytes(TinyELF::section(get($path), '.BTF_ids'), $counted, "$order: nothing is mapped then");
	$path = put('zeros', ids_file($b, "\0" x 40));
	quiet(btfcanon('sort', '--in-place', $path), "$order: zeros without symbols");

	# What cannot be told is refused.
	my ($ids) = ids_section($b, 1, ids_items(''));
	my $word = $big ? 'N' : 'V';
	my $beyond = $ids;
	substr($beyond, 0, 4) = pack $word, 99;
	my $long_set = $ids;
	substr($long_set, 12, 4) = pack $word, 9999;
	for (
		[ 'stripped', ids_file($b, $ids), qr/\.BTF_ids: no symbol says/ ],
		[ 'no symbol for some', ids_file($b, $ids, { '__BTF_ID__struct__zeta__1' => 0 }), qr/no symbol says what byte 4 / ],
		[ 'no such type', ids_file($b, $beyond, $symbols), qr/byte 0 is type 99 of 7/ ],
		[ 'a set that is too long', ids_file($b, $long_set, $symbols), qr/has 9999 ids/ ],
		[ 'a symbol behind the end', ids_file($b, $ids, { %$symbols, '__BTF_ID__x' => 4000 }), qr/is at byte 4000/ ],
		[ 'a symbol inside a word', ids_file($b, $ids, { %$symbols, '__BTF_ID__x' => 2 }), qr/is at byte 2/ ],
	) {
		my ($name, $bytes, $what) = @$_;
		$path = put('refused', $bytes);
		refused(btfcanon('sort', '--in-place', $path), $path, $what, "$order: $name");
		same_bytes(get($path), $bytes, "$order: $name: left alone");
	}

	# A module has ids of its own and of its base.
	for my $seed (0 .. 2) {
		my $name = "$order, module, shuffle $seed";
		my $base_bytes = $seed ? ids_types($big)->shuffled($seed) : ids_types($big)->bytes;
		my $base = BTF->read($base_bytes);
		my $own_bytes = ids_types($big, $base)->bytes;
		my $own = BTF->read($own_bytes, $base);
		my ($module_ids, $module_symbols) = ids_section($own, 1, ids_items('own_'));
		my $vmlinux = put('vmlinux', ids_file($base, "\0" x 4, undef, raw => $base_bytes));
		my $module = put('module.ko', ids_file($own, $module_ids, $module_symbols, type => 1, raw => $own_bytes));
		my ($old, $before) = (put('old', get($vmlinux)), get($module));
		quiet(btfcanon('sort', '--in-place', $vmlinux, $module), $name);
		my $new_base = BTF->read(TinyELF::section(get($vmlinux), '.BTF'));
		my $new = BTF->read(TinyELF::section(get($module), '.BTF'), $new_base);
		my ($expected) = ids_section($new, 1, ids_items('own_'));
		same_bytes(TinyELF::section(get($module), '.BTF_ids'), $expected, "$name: the ids follow");
		my $alone = put('alone.ko', $before);
		quiet(btfcanon('sort', '--in-place', '--base', $old, '--new-base', $vmlinux, $alone),
			"$name: --new-base");
		same_bytes(get($alone), get($module), "$name: --new-base: the same");
	}
});

done_testing;
