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
use TinyELF;

our @EXPORT = qw(compare_files compare_graphs changes entry parts mirrored schema_faults bpf_object
	judge verdicts);

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

# ---- BPF objects

# An ELF file of a BTF and its .BTF.ext: programs => [[section, function's id], ...],
# relocations => [[section, type id, access, kind], ...], sections => [[name, bytes], ...].
sub bpf_object {
	my ($btf, %o) = @_;
	my @strings = ("\0");
	my %at = ('' => 0);
	$strings[1] = sub {
		return $at{ $_[0] } //= do {
			my $at = length $strings[0];
			$strings[0] .= "$_[0]\0";
			$at;
		};
	};
	my $long = $btf->{big} ? 'N' : 'V';
	my $part = sub {
		my ($record_bytes, @records) = @_;
		return '' if !@records;
		return pack($long, $record_bytes)
			. join('', map { pack("$long*", $strings[1]->($_->[0]), 1, @$_[ 1 .. $#$_ ]) } @records);
	};
	my $functions = $part->(8, map { [ $_->[0], 0, $_->[1] ] } @{ $o{programs} // [] });
	my $relocations = $part->(16, map { [ $_->[0], 0, $_->[1], $strings[1]->($_->[2]), $_->[3] ] }
		@{ $o{relocations} // [] });
	my $ext = pack(($btf->{big} ? 'n' : 'v') . 'CC', 0xeb9f, 1, 0)
		. pack("$long*", 32, 0, length $functions, length $functions, 0, length $functions,
			length $relocations) . $functions . $relocations;
	my $bytes = $btf->bytes(strings => \@strings);
	return TinyELF::write(big => $btf->{big}, sections => [ [ '.BTF', $bytes ], [ '.BTF.ext', $ext ],
		@{ $o{sections} // [] } ]);
}

# What compare --object says, as a tree that fits its schema; dies where there is none.
sub judge {
	my ($object, $old, $new, @options) = @_;
	my $result = btfcanon('compare', '--format=json', '--object', $object, @options, $old, $new);
	die "compare --object: exit $result->{status}: $result->{err}\n" if $result->{status} > 1;
	my $tree = JSON::PP->new->decode($result->{out});
	my $schema = JSON::PP->new->decode(get(repository() . '/docs/compare-object.schema.json'));
	my @faults = Schema::faults($schema, $tree);
	die "compare --object: $faults[0]\n" if @faults;
	die "exit $result->{status}, $tree->{summary}{breaks} break\n"
		if $result->{status} != ($tree->{summary}{breaks} ? 1 : 0);
	return $tree;
}

# "verdict wants: reason" of one need.
sub verdicts {
	my ($tree, $need) = @_;
	return map { "$_->{verdict} $_->{wants}" . ($_->{reason} eq '' ? '' : ": $_->{reason}") }
		grep { $_->{need} eq $need } @{ $tree->{requirements} };
}

my $schema;

sub schema_faults {
	my ($report) = @_;
	$schema //= JSON::PP->new->decode(get(repository() . '/docs/compare.schema.json'));
	return Schema::faults($schema, $report);
}

1;
