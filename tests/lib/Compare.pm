# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package Compare;

# Running compare and reading its JSON.

use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();
use Schema;
use Test::More ();
use TestUtil;

our @EXPORT = qw(compare_files compare_graphs changes entry parts mirrored schema_faults);

# The report on two files as a tree; dies where there is none.
sub compare_files {
	my ($old, $new, @options) = @_;
	my $result = btfcanon('compare', '--format=json', @options, $old, $new);
	die "compare: exit $result->{status}: $result->{err}\n" if $result->{status} > 1;
	my $report = JSON::PP->new->decode($result->{out});
	die "exit $result->{status} with " . @{ $report->{changes} } . " changes\n"
		if $result->{status} != (@{ $report->{changes} } ? 1 : 0);
	return $report;
}

# The same for two graphs of BTF.pm; ids are shuffled.
sub compare_graphs {
	my ($old, $new, @options) = @_;
	return compare_files(put('old.btf', $old->shuffled(1)), put('new.btf', $new->shuffled(2)),
		@options);
}

# "changed struct foo", ... sorted.
sub changes {
	my ($report) = @_;
	return sort map { "$_->{change} $_->{kind} $_->{name}" } @{ $report->{changes} };
}

# The one entry of a kind and name.
sub entry {
	my ($report, $kind, $name) = @_;
	my @found = grep { $_->{kind} eq $kind && $_->{name} eq $name } @{ $report->{changes} };
	die scalar(@found) . " entries for $kind $name\n" if @found != 1;
	return $found[0];
}

# "name: added", "old -> new: renamed", "name: moved retyped", of members, values or parameters.
sub parts {
	my ($list) = @_;
	return map {
		(defined $_->{old_name} ? "$_->{old_name} -> " : '') . "$_->{name}: "
			. ($_->{change} eq 'changed' ? join ' ', @{ $_->{what} } : $_->{change})
	} @{ $list // [] };
}

# Whether the changes of one report are those of the other, old and new exchanged.
sub mirrored {
	my ($report, $back) = @_;
	my $swapped = swap($report->{changes});
	my @returned = map { { %$_ } } @{ $back->{changes} };
	for (@$swapped, @returned) {
		$_->{kind} = $_->{new}{kind} if $_->{new};
		# What the type is called on the side that is shown.
		delete @$_{qw(first_value definition)};
	}
	return canonical($swapped) eq canonical(\@returned);
}

my %opposite = (added => 'removed', removed => 'added', old => 'new', new => 'old');

sub swap {
	my ($value, $key) = @_;
	if (ref $value eq 'ARRAY') {
		return [ map { swap($_, $key) } @$value ];
	}
	return $value if ref $value ne 'HASH';
	my %swapped;
	for (keys %$value) {
		my $content = $value->{$_};
		$content = $opposite{$content} // $content if $_ eq 'change';
		$swapped{ $opposite{$_} // $_ } = swap($content, $_);
	}
	@swapped{qw(name old_name)} = @swapped{qw(old_name name)} if defined $swapped{old_name};
	return \%swapped;
}

# A text of a tree in which the order of lists does not show.
my $scalar = JSON::PP->new->allow_nonref;

sub canonical {
	my ($value) = @_;
	return '{' . join(',', map { "$_=" . canonical($value->{$_}) } sort keys %$value) . '}'
		if ref $value eq 'HASH';
	return '[' . join(',', sort map { canonical($_) } @$value) . ']' if ref $value eq 'ARRAY';
	return $scalar->encode($value);
}

my $schema;

sub schema_faults {
	my ($report) = @_;
	$schema //= JSON::PP->new->decode(get(repository() . '/docs/compare.schema.json'));
	return Schema::faults($schema, $report);
}

1;
