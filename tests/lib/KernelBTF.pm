# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package KernelBTF;

# A kernel's BTF before and after it was put in another order, and modules on it: whether their types
# mean the same. The base is looked at once, so that there can be many modules.

use strict;
use warnings;
use BTF;

# The same base twice, as bytes. Dies where they do not describe the same types.
sub new {
	my ($class, @bytes) = @_;
	my @base = map { BTF->read($_) } @bytes;
	my @wrong = BTF::differences(@base);
	die "the bases differ: @wrong\n" if @wrong;
	my @classes = BTF::classes(@base);
	my %by_text;
	for my $which (0, 1) {
		my ($btf, $classes) = ($base[$which], $classes[$which]);
		my $around = $btf->surroundings;
		my $id = $btf->{first_id};
		for my $type ($btf->types) {
			$by_text{ _text($type, $around->{$id}, $classes) } = $classes->[$id];
			$id++;
		}
	}
	return bless { base => \@base, classes => \@classes, by_text => \%by_text }, $class;
}

# What a type says, and of which classes the types are that it names; undef where one has none yet.
sub _text {
	my ($type, $around, $classes) = @_;
	my @classes = @$classes[ @{ $type->{refs} } ];
	return if grep { !defined } @classes;
	return BTF::label($type) . ($around // '') . "\0\0@classes";
}

# From id to class: own types that the base has are of the base's classes.
sub _known {
	my ($self, $btf, $which) = @_;
	my @class = @{ $self->{classes}[$which] };
	my $around = $btf->surroundings;
	my $grown = 1;
	while ($grown) {
		$grown = 0;
		for my $i (0 .. $#{ $btf->{types} }) {
			my $id = $btf->{first_id} + $i;
			next if defined $class[$id];
			my $text = _text($btf->{types}[$i], $around->{$id}, \@class) // next;
			next if !defined $self->{by_text}{$text};
			$class[$id] = $self->{by_text}{$text};
			$grown = 1;
		}
	}
	return \@class;
}

# Classes of the own types of both, until none splits any more: [[from own index to class], ...].
sub _own_classes {
	my ($self, @btfs) = @_;
	my (@label, @refs, @of);
	for my $which (0, 1) {
		my $btf = $btfs[$which];
		my $known = $self->_known($btf, $which);
		my $around = $btf->surroundings;
		my $first = @label;
		for my $i (0 .. $#{ $btf->{types} }) {
			my $type = $btf->{types}[$i];
			my $id = $btf->{first_id} + $i;
			push @label, defined $known->[$id] ? "known $known->[$id]"
				: BTF::label($type) . ($around->{$id} // '') . "\0\0"
				. join ' ', map { $known->[$_] // '?' } @{ $type->{refs} };
			push @refs, defined $known->[$id] ? []
				: [ map { $first + $_ - $btf->{first_id} } grep { !defined $known->[$_] } @{ $type->{refs} } ];
		}
		push @of, [ $first .. $#label ];
	}
	my (%number, $count);
	my @class = map { $number{$_} //= keys %number } @label;
	do {
		$count = keys %number;
		%number = ();
		@class = map { $number{ join ' ', $class[$_], @class[ @{ $refs[$_] } ] } //= keys %number }
			0 .. $#class;
	} while (keys %number > $count);
	return map { [ map { $class[$_] } @$_ ] } @of;
}

# What is different between a module on the first base and on the second, as bytes; an empty list
# when nothing is. *MAP (may be undef) gets a list from the class of a type before to its new id.
sub module_differences {
	my ($self, $before, $after) = @_;
	my @btfs = (BTF->read($before, $self->{base}[0]), BTF->read($after, $self->{base}[1]));
	my @classes = $self->_own_classes(@btfs);
	my @has = map { +{ map { ($_ => 1) } @$_ } } @classes;
	my $known = $self->_known($btfs[0], 0);
	my @wrong;
	for my $i (0 .. $#{ $classes[0] }) {
		# What the base has may be the base's now.
		push @wrong, 'lost: ' . $btfs[0]->describe($btfs[0]{first_id} + $i)
			if !$has[1]{ $classes[0][$i] } && !defined $known->[ $btfs[0]{first_id} + $i ];
	}
	for my $i (0 .. $#{ $classes[1] }) {
		push @wrong, 'invented: ' . $btfs[1]->describe($btfs[1]{first_id} + $i)
			if !$has[0]{ $classes[1][$i] };
	}
	return @wrong;
}

# The classes of ids in both orders, for what holds ids of a module (undef: of the base).
sub id_classes {
	my ($self, $before, $after) = @_;
	return @{ $self->{classes} } if !defined $before;
	my @btfs = (BTF->read($before, $self->{base}[0]), BTF->read($after, $self->{base}[1]));
	my @own = $self->_own_classes(@btfs);
	return map {
		my $which = $_;
		my $known = $self->_known($btfs[$which], $which);
		my $first = $btfs[$which]{first_id};
		[ map { $known->[$_] // 'own ' . $own[$which][ $_ - $first ] }
			0 .. $first + $#{ $btfs[$which]{types} } ];
	} 0, 1;
}

1;
