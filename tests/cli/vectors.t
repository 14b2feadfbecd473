#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The test vectors: each command of the list gives bytes of the hash beside it. And these bytes are
# canonical, in that order.

use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use TestUtil;

my $folder = fixture('vectors');
my %covered;
for my $line (split /\n/, get("$folder/SHA256SUMS")) {
	my ($hash, $command) = $line =~ /\A([0-9a-f]{64})  (sort \S.*)\z/ or die "not a vector: $line\n";
	my @arguments = split / /, $command;
	my $result = btfcanon(@arguments, { dir => $folder });
	is($result->{status}, 0, $command) || diag($result->{err});
	is(sha256_hex($result->{out}), $hash, "$command: the right bytes");
	my @options = grep { !/\A--dedup\z/ } @arguments[1 .. $#arguments - 1];
	my $sorted = put('sorted.btf', $result->{out});
	is(btfcanon('check', @options, $sorted, { dir => $folder })->{status}, 0, "$command: is canonical");
	$covered{$_}++ for grep { /\.btf\z/ } @arguments;
}

# Nothing lies there that no line asks about.
is_deeply([ sort keys %covered ], [ sort map { s{.*/}{}r } glob "$folder/*.btf" ], 'every input has its lines');
cmp_ok(scalar keys %covered, '>=', 30, 'they are many');
done_testing();
