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
use InPlace;
use TestUtil;
use TinyELF;

sub types {
	my ($big, $base) = @_;
	my $b = BTF->new(big => $big, base => $base);
	my $own = $base ? 'own_' : '';
	my $int = $base ? id_of($base, 'int') : $b->int('int', 4);
	my $proto = $b->proto($int, []);
	$b->func("${own}kf_b", $proto);
	$b->struct("${own}zeta", 4, [ [ 'z', $int, 0 ] ]);
	$b->func("${own}kf_c", $proto);
	$b->struct("${own}alpha", 4, [ [ 'a', $int, 0 ] ]);
	$b->func("${own}kf_a", $proto);
	return $b;
}

sub id_of {
	my ($b, $name) = @_;
	return ($b->ids(sub { $_->{name} eq $name }))[0] // ($b->{base} ? id_of($b->{base}, $name) : 0);
}

# Words of the section and symbols before them; a name is its id.
sub items {
	my ($own) = @_;
	return ([ 'struct__zeta__1' ], "${own}zeta", [ 'struct__alpha__2' ], "${own}alpha", 0,
		[ 'set__allowed' ], { set => [ "${own}kf_b", "${own}kf_a", 'kf_c' ] },
		[ 'set8__kfuncs' ], { set8 => [ [ "${own}kf_b", 1 ], [ "${own}kf_a", 5 ], [ 'kf_c', 0 ] ], flags => 1 },
		[ 'set__none' ], { set => [] }, [ 'func__kf_a__9' ], "${own}kf_a");
}

# The section's bytes; with symbols, { name => offset }. FILLED: as when the ids are known.
sub section {
	my ($btf, $filled, @items) = @_;
	my (@words, %symbol);
	my $id = sub { $filled ? id_of($btf, $_[0]) : 0 };
	for my $item (@items) {
		if (ref $item eq 'ARRAY') {
			$symbol{"__BTF_ID__$item->[0]"} = 4 * @words;
		} elsif (!ref $item) {
			push @words, $item =~ /\D/ ? $id->($item) : $item;
		} elsif ($item->{set}) {
			my @ids = sort { $a <=> $b } map { $id->($_) } @{ $item->{set} };
			push @words, $filled ? scalar @ids : 0;
			$symbol{"__BTF_ID__func__in_set__$_"} = 4 * (@words + $_) for 0 .. $#ids;
			push @words, @ids;
		} else {
			my @pairs = sort { $a->[0] <=> $b->[0] }
				map { [ $id->($_->[0]), $_->[1] ] } @{ $item->{set8} };
			push @words, $filled ? scalar @pairs : 0, $item->{flags};
			$symbol{"__BTF_ID__func__in_set8__$_"} = 4 * (@words + 2 * $_) for 0 .. $#pairs;
			push @words, map { @$_ } @pairs;
		}
	}
	return (pack(($btf->{big} ? 'N' : 'V') . '*', @words), \%symbol);
}

# An ELF file with a .BTF, a .BTF_ids and its symbols; linked or not.
sub file {
	my ($b, $ids, $symbols, %o) = @_;
	my ($bits, $type) = ($o{bits} // 64, $o{type} // 2);
	my ($half, $word, $long) = $b->{big} ? ('n', 'N', $bits == 64 ? 'Q>' : 'N')
		: ('v', 'V', $bits == 64 ? 'Q<' : 'V');
	my ($names, $table) = ("\0", "\0" x ($bits == 64 ? 24 : 16));
	for my $name (sort keys %{ $symbols // {} }) {
		my $value = $symbols->{$name} + ($type == 2 ? 0x4000 : 0);
		$table .= $bits == 64 ? pack "${word}CC$half$long$long", length $names, 0, 0, 3, $value, 4
			: pack "$word$long${long}CC$half", length $names, $value, 4, 0, 0, 3;
		$names .= "$name\0";
	}
	return TinyELF::write(big => $b->{big}, bits => $bits, machine => 62, type => $type, sections => [
		[ '.text', 'code' ], [ '.BTF', $o{raw} // $b->bytes, { flags => 2 } ],
		[ '.BTF_ids', $ids, { flags => 2, address => $type == 2 ? 0x4000 : 0, align => 4 } ],
		($symbols ? ([ '.symtab', $table, { type => 2, link => 5, info => 1, entry => $bits == 64 ? 24 : 16 } ],
			[ '.strtab', $names, { type => 3 } ]) : ()) ]);
}

in_both_orders(sub {
	my ($big, $order) = @_;
	for my $seed (0 .. 3) {
		for my $shape ([ 64, 2 ], [ 32, 2 ], [ 64, 1 ], [ 32, 1 ]) {
			my ($bits, $type) = @$shape;
			my $name = "$order, $bits bits, type $type, shuffle $seed";
			my $b = BTF->read($seed ? types($big)->shuffled($seed) : types($big)->bytes);
			my ($ids, $symbols) = section($b, 1, items(''));
			my $before = file($b, $ids, $symbols, bits => $bits, type => $type);
			my $path = put('vmlinux', $before);
			quiet(btfcanon('sort', '--in-place', $path), $name);
			my $after = get($path);
			same_elsewhere($before, $after, [ '.BTF', '.BTF_ids' ], $name);
			my $new = BTF->read(TinyELF::section($after, '.BTF'));
			my ($expected) = section($new, 1, items(''));
			same_bytes(TinyELF::section($after, '.BTF_ids'), $expected, "$name: the ids follow");
		}
	}

	# Not filled in yet: flags are no ids.
	my $b = types($big);
	my ($zeros, $symbols) = section($b, 0, items(''));
	like($zeros, qr/[^\0]/, "$order: flags are there");
	my $path = put('unresolved', file($b, $zeros, $symbols));
	quiet(btfcanon('sort', '--in-place', $path), "$order: before ids are filled in");
	same_bytes(TinyELF::section(get($path), '.BTF_ids'), $zeros, "$order: nothing is mapped");
	my $counted = $zeros;
	substr($counted, 4 * 3, 4) = pack $big ? 'N' : 'V', 3;
	$path = put('counted', file($b, $counted, $symbols));
	quiet(btfcanon('sort', '--in-place', $path), "$order: numbers of ids are no ids");
	same_bytes(TinyELF::section(get($path), '.BTF_ids'), $counted, "$order: nothing is mapped then");
	$path = put('zeros', file($b, "\0" x 40));
	quiet(btfcanon('sort', '--in-place', $path), "$order: zeros without symbols");

	# What cannot be told is refused.
	my ($ids) = section($b, 1, items(''));
	my $word = $big ? 'N' : 'V';
	my $beyond = $ids;
	substr($beyond, 0, 4) = pack $word, 99;
	my $long_set = $ids;
	substr($long_set, 12, 4) = pack $word, 9999;
	for (
		[ 'stripped', file($b, $ids), qr/\.BTF_ids: no symbol says/ ],
		[ 'no symbol for some', file($b, $ids, { '__BTF_ID__struct__zeta__1' => 0 }), qr/no symbol says what byte 4 / ],
		[ 'no such type', file($b, $beyond, $symbols), qr/byte 0 is type 99 of 7/ ],
		[ 'a set that is too long', file($b, $long_set, $symbols), qr/has 9999 ids/ ],
		[ 'a symbol behind the end', file($b, $ids, { %$symbols, '__BTF_ID__x' => 4000 }), qr/is at byte 4000/ ],
		[ 'a symbol inside a word', file($b, $ids, { %$symbols, '__BTF_ID__x' => 2 }), qr/is at byte 2/ ],
	) {
		my ($name, $bytes, $what) = @$_;
		$path = put('refused', $bytes);
		refused(btfcanon('sort', '--in-place', $path), $path, $what, "$order: $name");
		same_bytes(get($path), $bytes, "$order: $name: left alone");
	}

	# A module has ids of its own and of its base.
	for my $seed (0 .. 2) {
		my $name = "$order, module, shuffle $seed";
		my $base_bytes = $seed ? types($big)->shuffled($seed) : types($big)->bytes;
		my $base = BTF->read($base_bytes);
		my $own_bytes = types($big, $base)->bytes;
		my $own = BTF->read($own_bytes, $base);
		my ($module_ids, $module_symbols) = section($own, 1, items('own_'));
		my $vmlinux = put('vmlinux', file($base, "\0" x 4, undef, raw => $base_bytes));
		my $module = put('module.ko', file($own, $module_ids, $module_symbols, type => 1, raw => $own_bytes));
		my ($old, $before) = (put('old', get($vmlinux)), get($module));
		quiet(btfcanon('sort', '--in-place', $vmlinux, $module), $name);
		my $new_base = BTF->read(TinyELF::section(get($vmlinux), '.BTF'));
		my $new = BTF->read(TinyELF::section(get($module), '.BTF'), $new_base);
		my ($expected) = section($new, 1, items('own_'));
		same_bytes(TinyELF::section(get($module), '.BTF_ids'), $expected, "$name: the ids follow");
		my $alone = put('alone.ko', $before);
		quiet(btfcanon('sort', '--in-place', '--base', $old, '--new-base', $vmlinux, $alone),
			"$name: --new-base");
		same_bytes(get($alone), get($module), "$name: --new-base: the same");
	}
});

done_testing;
