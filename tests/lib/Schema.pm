# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package Schema;

# As much of JSON Schema as this project's schemas use; a keyword that it does not know is an error,
# so that no rule is passed over.

use strict;
use warnings;
use JSON::PP ();

my %known = map { ($_ => 1) } qw($schema $id $defs title description type properties required
	additionalProperties items enum const $ref minimum minLength pattern uniqueItems oneOf);

# Schema::faults(schema, value): lines that say what is wrong and where.
sub faults {
	my ($schema, $value) = @_;
	my @faults;
	check($schema, $schema, $value, '$', \@faults);
	return @faults;
}

sub type_of {
	my ($value) = @_;
	return 'null' if !defined $value;
	return 'boolean' if JSON::PP::is_bool($value);
	return 'object' if ref $value eq 'HASH';
	return 'array' if ref $value eq 'ARRAY';
	return 'integer' if JSON::PP->new->allow_nonref->encode($value) =~ /^-?\d+$/;
	return 'number' if JSON::PP->new->allow_nonref->encode($value) !~ /^"/;
	return 'string';
}

sub resolve {
	my ($root, $reference) = @_;
	my @path = split m{/}, $reference;
	die "$reference: not in this schema\n" if shift @path ne '#';
	my $at = $root;
	$at = $at->{$_} // die "$reference: there is no $_\n" for @path;
	return $at;
}

sub check {
	my ($root, $schema, $value, $where, $faults) = @_;
	my $type = type_of($value);
	for (sort keys %$schema) {
		die "$where: this validator does not know '$_'\n" if !$known{$_};
	}
	check($root, resolve($root, $schema->{'$ref'}), $value, $where, $faults) if $schema->{'$ref'};
	if (defined $schema->{type}) {
		my @types = ref $schema->{type} ? @{ $schema->{type} } : $schema->{type};
		if (!grep { $_ eq $type || $_ eq 'number' && $type eq 'integer' } @types) {
			push @$faults, "$where: is $type, not @types";
			return;
		}
	}
	push @$faults, "$where: is not " . $schema->{const}
		if exists $schema->{const} && !same($schema->{const}, $value);
	push @$faults, "$where: is none of the allowed"
		if $schema->{enum} && !grep { same($_, $value) } @{ $schema->{enum} };
	push @$faults, "$where: is below $schema->{minimum}"
		if defined $schema->{minimum} && $type =~ /integer|number/ && $value < $schema->{minimum};
	push @$faults, "$where: is too short"
		if defined $schema->{minLength} && $type eq 'string' && length $value < $schema->{minLength};
	push @$faults, "$where: does not match $schema->{pattern}"
		if defined $schema->{pattern} && $type eq 'string' && $value !~ /$schema->{pattern}/;
	if ($schema->{oneOf}) {
		my $fitting = grep { my @f; check($root, $_, $value, $where, \@f); !@f } @{ $schema->{oneOf} };
		push @$faults, "$where: fits $fitting of oneOf" if $fitting != 1;
	}
	check_object($root, $schema, $value, $where, $faults) if $type eq 'object';
	check_array($root, $schema, $value, $where, $faults) if $type eq 'array';
	return;
}

sub check_object {
	my ($root, $schema, $value, $where, $faults) = @_;
	my $more = $schema->{additionalProperties} // {};
	for (@{ $schema->{required} // [] }) {
		push @$faults, "$where: has no $_" if !exists $value->{$_};
	}
	for (sort keys %$value) {
		my $property = $schema->{properties}{$_};
		if (!defined $property && !ref $more && !$more || JSON::PP::is_bool($more) && !$more && !defined $property) {
			push @$faults, "$where: has '$_', which is not described";
			next;
		}
		$property //= ref $more eq 'HASH' ? $more : {};
		check($root, $property, $value->{$_}, "$where.$_", $faults);
	}
	return;
}

sub check_array {
	my ($root, $schema, $value, $where, $faults) = @_;
	if ($schema->{items}) {
		check($root, $schema->{items}, $value->[$_], "$where\[$_\]", $faults) for 0 .. $#$value;
	}
	if ($schema->{uniqueItems}) {
		my %seen;
		push @$faults, "$where: repeats itself"
			if grep { $seen{ JSON::PP->new->allow_nonref->canonical->encode($_) }++ } @$value;
	}
	return;
}

sub same {
	my ($left, $right) = @_;
	my $json = JSON::PP->new->allow_nonref->canonical;
	return $json->encode($left) eq $json->encode($right);
}

1;
