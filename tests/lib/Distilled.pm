# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package Distilled;

# A module on its distilled base, and what a loader makes of the two: the rules are those by which
# kernels and libbpf relocate (btf_relocate), written down once more.

use strict;
use warnings;
use BTF;
use Exporter 'import';
use TinyELF;

our @EXPORT = qw(distilled relocated);

my %named = map { $_ => 1 } BTF::INT, BTF::FLOAT, BTF::ENUM, BTF::ENUM64, BTF::FWD, BTF::STRUCT,
	BTF::UNION;
my %composite = map { $_ => 1 } BTF::STRUCT, BTF::UNION;
my %through = map { $_ => 1 } BTF::CONST, BTF::RESTRICT, BTF::VOLATILE, BTF::TYPEDEF, BTF::TYPE_TAG,
	BTF::ARRAY;

# (distilled base, split part) out of an ELF file.
sub distilled {
	my ($elf) = @_;
	my $base = BTF->read(TinyELF::section($elf, '.BTF.base'));
	return ($base, BTF->read(TinyELF::section($elf, '.BTF'), $base));
}

# Stand-ins that a struct of the split part has inside: their size has to fit.
sub _embedded {
	my ($base, $split) = @_;
	my %inside;
	for my $type (grep { $composite{ $_->{kind} } } $split->types) {
		for my $id (@{ $type->{refs} }) {
			my $at = $id;
			$at = $split->type($at)->{refs}[0] while $at && $through{ $split->type($at)->{kind} };
			$inside{$at} = 1 if $at && $at < $base->id_end;
		}
	}
	return \%inside;
}

sub _stands_for {
	my ($stand_in, $type, $is_inside) = @_;
	my ($kind, $found) = ($stand_in->{kind}, $type->{kind});
	return $found == BTF::FWD ? $stand_in->{kflag} == $type->{kflag}
		: $found == ($type->{kflag} ? BTF::UNION : BTF::STRUCT) if $kind == BTF::FWD;
	return $found == $kind && $stand_in->{fixed} == $type->{fixed} if $kind == BTF::INT;
	return $found == $kind if $kind == BTF::FLOAT;
	return $found == $kind || $found == BTF::ENUM64 if $kind == BTF::ENUM;
	return $composite{$kind} && (!$is_inside || $stand_in->{size} == ($type->{size} // 0));
}

# The split part on TARGET instead, as bytes. Dies where a loader would refuse.
sub relocated {
	my ($base, $split, $target) = @_;
	my (%by_name, %count, @new_id);
	for my $id (1 .. $target->id_end - 1) {
		my $type = $target->type($id);
		next if !$named{ $type->{kind} } || $type->{name} eq '';
		push @{ $by_name{ $type->{name} } }, $type;
		$type->{id} = $id;
		$count{ $type->{name} }++ if $composite{ $type->{kind} };
	}
	my $inside = _embedded($base, $split);
	for my $id (1 .. $base->id_end - 1) {
		my $stand_in = $base->type($id);
		die "type $id of the base has no name\n" if $stand_in->{name} eq '';
		die "type $id of the base is of kind $stand_in->{kind}\n"
			if !$named{ $stand_in->{kind} } || $stand_in->{kind} == BTF::ENUM64;
		my @found = grep {
			my $needs_size = $composite{ $_->{kind} } ? $count{ $_->{name} } > 1 : $_->{kind} != BTF::FWD;
			(!$needs_size || ($stand_in->{size} // 0) == $_->{size})
				&& _stands_for($stand_in, $_, $inside->{$id});
		} @{ $by_name{ $stand_in->{name} } // [] };
		die "$stand_in->{name} finds ${\ scalar @found} types\n" if @found != 1;
		$new_id[$id] = $found[0]{id};
	}
	my $result = BTF->new(big => $split->{big}, base => $target);
	for my $type ($split->types) {
		my @refs = map { !$_ ? 0 : $new_id[$_] // $_ - $base->id_end + $target->id_end } @{ $type->{refs} };
		$result->add(%$type, refs => \@refs);
	}
	return $result->bytes;
}

1;
