# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package BTFIds;

# ELF files with a .BTF, and a .BTF_ids with lists and sets of its types.

use strict;
use warnings;
use BTF;
use Exporter 'import';
use TinyELF;

our @EXPORT = qw(ids_types ids_items ids_section ids_file);

sub ids_types {
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
sub ids_items {
	my ($own) = @_;
	return ([ 'struct__zeta__1' ], "${own}zeta", [ 'struct__alpha__2' ], "${own}alpha", 0,
		[ 'set__allowed' ], { set => [ "${own}kf_b", "${own}kf_a", 'kf_c' ] },
		[ 'set8__kfuncs' ], { set8 => [ [ "${own}kf_b", 1 ], [ "${own}kf_a", 5 ], [ 'kf_c', 0 ] ], flags => 1 },
		[ 'set__none' ], { set => [] }, [ 'func__kf_a__9' ], "${own}kf_a");
}

# The section's bytes; with symbols, { name => offset }. FILLED: as when the ids are known.
sub ids_section {
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
sub ids_file {
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

1;
