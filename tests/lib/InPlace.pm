# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package InPlace;

# Files before and after sections in them were rewritten.

use strict;
use warnings;
use Exporter 'import';
use Test::More ();
use TestUtil;
use TinyELF;

our @EXPORT = qw(same_elsewhere listing);

my @fields = qw(name type flags address size link info align entry bytes);

# What is in a folder, in words.
sub listing {
	my ($folder) = @_;
	opendir my $handle, $folder or die "$folder: $!\n";
	return join ' ', sort grep { !/^\.\.?$/ } readdir $handle;
}

# What of a section is another than before, of these fields.
sub _differences {
	my ($before, $after, @of) = @_;
	return map { "$before->{name}: $_" . ($_ eq 'bytes' ? '' : " was $before->{$_}, is $after->{$_}") }
		grep { $before->{$_} ne $after->{$_} } @of;
}

sub _overlaps {
	my ($file, $parts) = @_;
	my @ranges = sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] }
		[ 0, 1, 'the header' ], [ $parts->{table_at}, $parts->{table_bytes}, 'the table' ],
		map { [ $_->{offset}, length $_->{bytes}, $_->{name} ] }
		grep { length $_->{bytes} } @{ $parts->{sections} };
	my @wrong = map { "$ranges[$_][2] lies on $ranges[$_ - 1][2]" }
		grep { $ranges[$_][0] < $ranges[$_ - 1][0] + $ranges[$_ - 1][1] } 1 .. $#ranges;
	push @wrong, 'it is cut off' if $ranges[-1][0] + $ranges[-1][1] > length $file;
	return @wrong;
}

# Two files differ in nothing but the bytes of the sections with these names (and new ones), and where
# sections lie that are not loaded; what was aligned is.
sub same_elsewhere {
	my ($before, $after, $changed, $name) = @_;
	my ($old, $new) = map { TinyELF::parts($_) } $before, $after;
	my %changed = map { ($_ => 1) } @$changed, '.shstrtab';
	my @wrong = _overlaps($after, $new);
	push @wrong, 'the header' if $old->{head} ne $new->{head};
	push @wrong, 'segments' if "@{ $old->{segments} }" ne "@{ $new->{segments} }";
	my $linked = unpack('x16v', $before) !~ /^(?:1|256)$/;
	for my $i (1 .. $#{ $old->{sections} }) {
		my ($was, $is) = ($old->{sections}[$i], $new->{sections}[$i]);
		my @of = grep { !($changed{ $was->{name} } && /^(?:size|bytes)$/) } @fields;
		push @of, 'offset' if $linked && $was->{flags} & 2;
		push @wrong, _differences($was, $is, @of);
		push @wrong, "$was->{name}: at $is->{offset}, aligned to $was->{align}"
			if length $is->{bytes} && $was->{align} && $was->{offset} % $was->{align} == 0
			&& $is->{offset} % $was->{align};
	}
	push @wrong, map { "there is a $_->{name}" } grep { !$changed{ $_->{name} } }
		@{ $new->{sections} }[ $#{ $old->{sections} } + 1 .. $#{ $new->{sections} } ];
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return Test::More::ok(!@wrong, "$name: nothing else changed") || Test::More::diag(join "\n", @wrong);
}

1;
