# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package BTFModel;

# The canonical form as a plain model: rounds of sorting, nothing clever. What it returns is written
# by BTF.pm, so whole files can be compared byte by byte.

use strict;
use warnings;
use BTF;

my %kind = %BTF::NUMBER;
my $is_body = sub { my $k = $_[0]{kind}; return $k == $kind{STRUCT} || $k == $kind{UNION} };
my $is_enum = sub { my $k = $_[0]{kind}; return $k == $kind{ENUM} || $k == $kind{ENUM64} };

# Own types that are, by all that can be told, types of the base: own index -> base id.
sub _found_in_base {
	my ($btf) = @_;
	return {} if !$btf->{base};
	my ($class) = BTF::classes($btf);
	my %base;
	for my $id (0 .. $btf->{first_id} - 1) {
		$base{ $class->[$id] } //= $id;
	}
	my %found;
	for my $i (0 .. $#{ $btf->{types} }) {
		my $type = $btf->{types}[$i];
		next if $type->{kind} == $kind{VAR} || $type->{kind} == $kind{DATASEC};
		my $id = $base{ $class->[ $btf->{first_id} + $i ] };
		$found{$i} = $id if defined $id;
	}
	return \%found;
}

# Positions of the own types (those in LIST) in the canonical order, equal for duplicates, counted
# from first_id. TO maps a type id to what it stands for: itself, or a base id.
sub _ranks {
	my ($btf, $list, $to) = @_;
	my $first = $btf->{first_id};
	my (%label, %refs, %rank);
	for my $i (@$list) {
		my $type = $btf->{types}[$i];
		$label{$i} = BTF::label($type);
		$refs{$i} = [ map { $to->($_) } @{ $type->{refs} } ];
	}
	my @groups = ($list);
	my $split = sub {
		my ($key) = @_;
		my (@now, %new);
		for my $group (@groups) {
			my %at;
			push @{ $at{ $key->($_) } }, $_ for @$group;
			push @now, values %at;
			next if keys %at == 1 && exists $rank{ $group->[0] };
			my $start = $rank{ $group->[0] } // $first;
			for my $k (sort keys %at) {
				$new{$_} = $start for @{ $at{$k} };
				$start += @{ $at{$k} };
			}
		}
		@rank{ keys %new } = values %new;
		@groups = grep { @$_ > 1 } @now;
		return scalar keys %new;
	};
	my $refine = sub {
		1 while $split->(sub {
			return pack 'N*', map { $_ < $first ? $_
				: $rank{ $_ - $first } } @{ $refs{ $_[0] } };
		});
	};
	$split->(sub { return $label{ $_[0] } });
	$refine->();
	my $around = $btf->surroundings;
	$refine->() if $split->(sub { return $around->{ $first + $_[0] } // "\0\0" });
	return \%rank;
}

# The canonical BTF. Options: order (canonical or name), dedup.
sub canonical {
	my ($btf, %o) = @_;
	$btf = _settled($btf) if $o{dedup};
	my $first = $btf->{first_id};
	# Kept for another order of the same BTF: for a kernel's this is where the time goes.
	my $found = $btf->{in_base} //= _found_in_base($btf);
	my @list = grep { !exists $found->{$_} } 0 .. $#{ $btf->{types} };
	my $to = sub { my ($id) = @_; return $id < $first ? $id : $found->{ $id - $first } // $id };
	my $rank = $btf->{ranks} //= _ranks($btf, \@list, $to);

	my %leader;
	$leader{ $rank->{$_} } //= $_ for @list;
	my @order = map { $leader{$_} } sort { $a <=> $b } keys %leader;
	@order = _by_name($btf, \@order, $rank, $to) if ($o{order} // 'canonical') eq 'name';

	my %new;
	$new{ $rank->{ $order[$_] } } = $first + $_ for 0 .. $#order;
	my $new_id = sub { my $id = $to->($_[0]); return $id < $first ? $id
		: $new{ $rank->{ $id - $first } } };
	my $result = BTF->new(big => $btf->{big}, base => $btf->{base}, layout => $btf->{layout});
	for my $i (@order) {
		my $type = $btf->{types}[$i];
		push @{ $result->{types} }, { %$type,
			refs => [ map { $new_id->($_) } @{ $type->{refs} } ] };
	}
	return bless $result, 'BTFModel::Result';
}

# Unnamed types in canonical order, then names; of one kind and name, the one most referred to.
sub _by_name {
	my ($btf, $order, $rank, $to) = @_;
	my $first = $btf->{first_id};
	my %users;
	for my $i (@$order) {
		my %uses = map { ($rank->{ $_ - $first } => 1) } grep { $_ >= $first } map { $to->($_) }
			@{ $btf->{types}[$i]{refs} };
		$users{$_}++ for keys %uses;
	}
	my $many = sub { my ($type) = @_; return @{ $type->{names} } || @{ $type->{nums} }
		? $type->{vlen} : 0 };
	my %key;
	for my $place (0 .. $#$order) {
		my $i = $order->[$place];
		my $type = $btf->{types}[$i];
		$key{$i} = $type->{name} eq '' ? "\0" . pack('N', $place)
			: "$type->{name}\0" . pack 'CNNNN', $type->{kind},
				~($users{ $rank->{$i} } // 0) & 0xffffffff,
				~$many->($type) & 0xffffffff, ~($type->{size} // 0) & 0xffffffff,
					$place;
	}
	return sort { $key{$a} cmp $key{$b} } @$order;
}

# Forward declarations become the body of their name: the one with most members, then the largest,
# then the greatest in the canonical order. Forward enums likewise.
sub _settled {
	my ($btf) = @_;
	my $first = $btf->{first_id};
	my $types = $btf->{types};
	my $rank = _ranks($btf, [ 0 .. $#$types ], sub { $_[0] });
	my $tag = sub {
		my ($type) = @_;
		return if $type->{name} eq '';
		return ($type->{kflag} ? 'union ' : 'struct ') . $type->{name}
			if $type->{kind} == $kind{FWD};
		return ($type->{kind} == $kind{UNION} ? 'union ' : 'struct ') . $type->{name}
			if $is_body->($type);
		return "enum $type->{name}" if $is_enum->($type);
		return;
	};
	my $is_forward = sub {
		return $_[0]{kind} == $kind{FWD} || ($is_enum->($_[0]) && !$_[0]{vlen}
			&& $_[0]{name} ne '');
	};
	my %body;
	for my $i (0 .. $#$types) {
		my $name = $tag->($types->[$i]);
		next if !defined $name || $is_forward->($types->[$i]);
		my $key = [ $types->[$i]{vlen}, $types->[$i]{size}, $rank->{$i} ];
		my $best = $body{$name};
		$body{$name} = [ $key, $i ] if !$best
			|| ($key->[0] <=> $best->[0][0] || $key->[1] <=> $best->[0][1]
				|| $key->[2] <=> $best->[0][2]) > 0;
	}
	my (%stands_for, @kept, %new);
	for my $i (0 .. $#$types) {
		my $name = $is_forward->($types->[$i]) ? $tag->($types->[$i]) : undef;
		if (defined $name && $body{$name}) {
			$stands_for{$i} = $body{$name}[1];
		} else {
			$new{$i} = $first + @kept;
			push @kept, $types->[$i];
		}
	}
	my $result = BTF->new(big => $btf->{big}, base => $btf->{base}, layout => $btf->{layout});
	for my $type (@kept) {
		my @refs = map { $_ < $first ? $_ : $new{ $stands_for{ $_ - $first }
			// $_ - $first } } @{ $type->{refs} };
		push @{ $result->{types} }, { %$type, refs => \@refs };
	}
	return $result;
}

# The types of several BTFs (of one byte order, on one base) side by side in one.
sub joined {
	my (@btfs) = @_;
	my ($layout) = grep { defined } map { $_->{layout} } @btfs;
	my $all = BTF->new(big => $btfs[0]{big}, base => $btfs[0]{base}, layout => $layout);
	for my $btf (@btfs) {
		my $shift = $all->id_end - $btf->{first_id};
		for my $type (@{ $btf->{types} }) {
			my @refs = map { $_ < $btf->{first_id} ? $_
				: $_ + $shift } @{ $type->{refs} };
			push @{ $all->{types} }, { %$type, refs => \@refs };
		}
	}
	return $all;
}

package BTFModel::Result;
our @ISA = ('BTF');

# Each distinct string once, sorted by bytes, none that the base holds as a whole string.
sub bytes {
	my ($self, %o) = @_;
	my %used;
	for my $type (@{ $self->{types} }) {
		$used{$_} = 1 for $type->{name}, @{ $type->{names} };
	}
	my %offset;
	for (my $base = $self->{base}; $base; $base = $base->{base}) {
		my $start = $base->{string_start};
		while ($base->{strings} =~ /\G([^\0]*)\0/g) {
			my $at = $start + $-[0];
			$offset{$1} = $at if exists $used{$1} && $at < ($offset{$1} // 1e18);
		}
	}
	my $start = $self->{base} ? $self->{base}->string_end : 0;
	my $section = $self->{base} ? '' : "\0";
	$offset{''} = 0;
	for my $string (sort grep { !exists $offset{$_} } keys %used) {
		$offset{$string} = $start + length $section;
		$section .= "$string\0";
	}
	return $self->SUPER::bytes(strings => [ $section, sub { return $offset{ $_[0] } } ], %o);
}

1;
