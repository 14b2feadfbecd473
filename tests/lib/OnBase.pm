# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package OnBase;

# Two split BTFs on one base, compared by meaning: a type is there if the BTF or its base has one that
# no walk of any length tells apart from it. Ids, their order, and copies that say the same do not
# count.
#
#     my $kernel = OnBase->new($base);                                    # takes seconds
#     my @differences = $kernel->differences($ours, $theirs);             # both read on $base

use strict;
use warnings;
use BTF;
use Digest::MD5 qw(md5);

# A colour is 8 bytes of a hash: of a label, then, round by round, of the colours referred to.
sub _colour { return unpack 'Q', md5($_[0]) }

# References by name go no further than named structs, unions, enums, typedefs, ints and floats; a
# declaration and a body are the same there. Their names as colours, by index; 0: looked into.
sub _names {
	my ($btf) = @_;
	my %tag = (BTF::FWD, 'struct', BTF::STRUCT, 'struct', BTF::UNION, 'union', BTF::ENUM, 'enum',
		BTF::ENUM64, 'enum', map { $_ => $_ } BTF::TYPEDEF, BTF::INT, BTF::FLOAT);
	return [ map {
		my $word = $_->{kind} == BTF::FWD && $_->{kflag} ? 'union' : $tag{ $_->{kind} };
		defined $word && $_->{name} ne '' ? _colour("$word $_->{name}") : 0;
	} $btf->types ];
}

# Rounds that tell apart all types of real kernels (6) and then some; colours_of makes sure of it.
my $ROUNDS = 14;
my $NAME_ROUNDS = 8;

# Colours of a BTF's own types, a list for each round; BASE_ROUNDS are those of its base, by id. With
# names, a reference to a type that has one says that alone.
sub _rounds {
	my ($btf, $rounds, $base_rounds, $names) = @_;
	my ($types, $first) = @$btf{qw(types first_id)};
	my @labels = map { _colour(BTF::label($_)) } @$types;
	my @rounds = ([@labels]);
	for my $round (1 .. $rounds) {
		my ($base, $i) = ($base_rounds->[ $round - 1 ], 0);
		my $own = $rounds[-1];
		$own = [ map { $names->[$_] || $own->[$_] } 0 .. $#$own ] if $names;
		push @rounds, [ map {
			_colour(pack 'Q*', $labels[ $i++ ],
				map { $_ < $first ? $base->[$_] : $own->[ $_ - $first ] } @{ $_->{refs} });
		} @$types ];
	}
	return @rounds;
}

sub _set { return { map { ($_ => 1) } @{ $_[0] } } }

sub new {
	my ($class, $base) = @_;
	my @void = map { [0] } 0 .. $ROUNDS;
	my $names = _names($base);
	my @deep = _rounds($base, $ROUNDS, \@void);
	my @by_name = _rounds($base, $NAME_ROUNDS, \@void, $names);
	my $self = bless { is_deep => _set($deep[-1]), is_by_name => _set($by_name[-1]) }, $class;
	$self->{deep} = [ map { [ 0, @$_ ] } @deep ];
	$self->{by_name} = [ map { my $own = $_; [ 0, map { $names->[$_] || $own->[$_] } 0 .. $#$own ] } @by_name ];
	$self->{structs}{"$_->{kind} $_->{name}"} = 1 for grep { _is_struct($_) } $base->types;
	return $self;
}

sub _is_struct {
	my ($type) = @_;
	return $type->{name} ne '' && ($type->{kind} == BTF::STRUCT || $type->{kind} == BTF::UNION);
}

# (deep colours, colours by name) of a BTF's own types.
sub _colours {
	my ($self, $btf) = @_;
	my @deep = _rounds($btf, $ROUNDS, $self->{deep});
	die "types that differ only beyond $ROUNDS references\n"
		if keys %{ _set($deep[-1]) } != keys %{ _set($deep[-2]) };
	return ($deep[-1], (_rounds($btf, $NAME_ROUNDS, $self->{by_name}, _names($btf)))[-1]);
}

# The types of a split BTF that another one, maybe on another base, does not have: their ids.
sub missing {
	my ($self, $btf, $other_kernel, $other) = @_;
	my ($deep) = $self->_colours($btf);
	my ($there) = map { _set($_) } ($other_kernel->_colours($other))[0];
	return map { $btf->{first_id} + $_ } grep {
		!$there->{ $deep->[$_] } && !$other_kernel->{is_deep}{ $deep->[$_] }
	} 0 .. $#$deep;
}

# What only one of two BTFs has (its base has it no more): { side => 0 or 1, id => ..., like => ... }, a
# type that says the same more than once counted once. LIKE: what is the same as far as names go:
# "base" a type of the base, "other" one of the other BTF, "" nothing.
sub differences {
	my ($self, @btfs) = @_;
	my @colours = map { [ $self->_colours($_) ] } @btfs;
	my @sets = map { [ map { _set($_) } @$_ ] } @colours;
	my @found;
	for my $side (0, 1) {
		my ($deep, $by_name) = @{ $colours[$side] };
		my $other = $sets[ 1 - $side ];
		my %seen;
		for my $i (0 .. $#$deep) {
			next if $seen{ $deep->[$i] }++ || $self->{is_deep}{ $deep->[$i] }
				|| $other->[0]{ $deep->[$i] };
			push @found, { side => $side, id => $btfs[$side]{first_id} + $i,
				like => $self->{is_by_name}{ $by_name->[$i] } ? 'base'
				: $other->[1]{ $by_name->[$i] } ? 'other' : '' };
		}
	}
	return @found;
}

# The largest number of own structs (or unions) of one name that the base has, too.
sub copies {
	my ($self, $btf) = @_;
	my %count;
	$count{"$_->{kind} $_->{name}"}++ for grep { _is_struct($_) } $btf->types;
	my ($most) = sort { $b <=> $a } map { $count{$_} } grep { $self->{structs}{$_} } keys %count;
	return $most // 0;
}

my %prefix = (PTR => '*', CONST => 'const ', VOLATILE => 'volatile ', RESTRICT => 'restrict ');

# A type in words, references by name: "struct x", "*const char", "fn(a int) void", "func f: fn()...".
sub spelled {
	my ($btf, $id, $depth) = @_;
	return 'void' if !$id;
	my $type = $btf->type($id);
	my $kind = $BTF::KINDS[ $type->{kind} ];
	my ($first, @rest) = @{ $type->{refs} };
	my $below = sub { return spelled($btf, $_[0], ($depth // 0) + 1) };
	return '...' if ($depth // 0) > 5;
	return $prefix{$kind} . $below->($first) if $prefix{$kind};
	return lc($kind) . " $type->{name}: " . $below->($first) if $kind =~ /^(FUNC|VAR|DECL_TAG|TYPE_TAG)$/;
	return $type->{name} if $kind =~ /^(INT|FLOAT|TYPEDEF)$/;
	return lc($kind) . " $type->{name}" if $type->{name} ne '';
	return "[$type->{fixed}]" . $below->($first) if $kind eq 'ARRAY';
	return lc($kind) . ' { ' . join(' ', @{ $type->{names} }) . ' }' if $kind ne 'FUNC_PROTO';
	return 'fn(' . join(', ', map { "$type->{names}[$_] " . $below->($rest[$_]) } 0 .. $#rest) . ') '
		. $below->($first);
}

1;
