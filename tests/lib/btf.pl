#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The tests' own BTF reader, shuffler and model, by hand:
#
#     btf.pl [--base FILE]... show FILE           a line per type
#     btf.pl [--base FILE]... shuffle SEED FILE   the same graph with other ids and strings
#     btf.pl [--base FILE]... model ORDER FILE    canonical or name order, by the model
#     btf.pl [--base FILE]... same FILE FILE      do both describe the same graph?
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use BTF;
use BTFModel;

sub slurp {
	my ($path) = @_;
	open my $file, '<:raw', $path or die "$path: $!\n";
	local $/;
	return <$file>;
}

my $base;
while (@ARGV && $ARGV[0] eq '--base') {
	$base = BTF->read(slurp($ARGV[1]), $base);
	splice @ARGV, 0, 2;
}
my ($command, @rest) = @ARGV;
my $load = sub { return BTF->read(slurp($_[0]), $base) };
binmode STDOUT;

if (($command // '') eq 'show' && @rest == 1) {
	my $btf = $load->($rest[0]);
	for my $id ($btf->{first_id} .. $btf->id_end - 1) {
		my $type = $btf->type($id);
		print $btf->describe($id), $type->{kflag} ? ' kflag' : '';
		print " $_ $type->{$_}" for grep { defined $type->{$_} } qw(size fixed);
		print " $_ (@{ $type->{$_} })" for grep { @{ $type->{$_} } } qw(refs names nums);
		print "\n";
	}
} elsif (($command // '') eq 'shuffle' && @rest == 2) {
	print $load->($rest[1])->shuffled($rest[0]);
} elsif (($command // '') eq 'model' && @rest == 2) {
	print BTFModel::canonical($load->($rest[1]), order => $rest[0])->bytes;
} elsif (($command // '') eq 'same' && @rest == 2) {
	my @wrong = BTF::differences(map { $load->($_) } @rest);
	print map { "$_\n" } @wrong;
	exit(@wrong ? 1 : 0);
} else {
	die "usage: btf.pl [--base FILE]... show FILE | shuffle SEED FILE | model ORDER FILE | same FILE FILE\n";
}
