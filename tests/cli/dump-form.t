#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The text form: golden files (fixtures/dump), and what the full form is for: read back by its
# documented grammar it gives the same canonical bytes.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use DumpText;
use TestUtil;

sub reads_back {
	my ($path, $name) = @_;
	my $text = btfcanon('dump', '-q', '--full', $path);
	my $bytes = eval { DumpText->read($text->{out})->bytes };
	return ok(0, $name) || diag($@, $text->{err}) if !defined $bytes;
	return same_bytes(sort_bytes($bytes, '-q'), sort_bytes(get($path), '-q'), $name);
}

for (grep { !/^#/ } split /\n/, get(fixture('dump/list'))) {
	my ($name, $input, $base) = split;
	my @base = $base ? ('--base', fixture($base)) : ();
	my $short = btfcanon('dump', '-q', @base, fixture($input));
	my $full = btfcanon('dump', '-q', '--full', @base, fixture($input));
	is($short->{status}, 0, "$name: dump");
	is($short->{out}, get(fixture("dump/$name.txt")), "$name: the golden text");
	is($full->{status}, 0, "$name: dump --full");
	is($full->{out}, get(fixture("dump/$name.full.txt")), "$name: the golden full text");
}

for my $path (glob fixture('{vectors,cases,example}/*.btf')) {
	next if $path =~ /split/;
	reads_back($path, substr($path, length fixture('')) . ' reads back');
}

# Names that the grammar could take for something else.
{
	my @names = ('const', 'int', 'a b', '"', '\\', "new\nline", '// no comment', '...', '@1', '[[@1]]',
		'size', 'x___2', '___2', 'x___02', '2', '-1', 'enum64', 'type_tag', 'func', 'Vec<&str>');
	my $b = BTF->new;
	my $int = $b->int('long int', 8, signed => 1);
	my $members = [ map { [ $names[$_], $int, 64 * $_ ] } 0 .. $#names ];
	$b->struct($_, 8 * @names, $members) for @names, @names[ 0, 1, 11 ], 'x';
	$b->union('x', 8 * @names, [ map { [ $_->[0], $int, 0 ] } @$members ]);
	$b->typedef($_, $int) for @names, 'int', 'long';
	$b->enum('', [ map { [ $names[$_], $_ ] } 0 .. $#names ]);
	my $proto = $b->proto($int, [ map { [ $_, $int ] } @names ]);
	$b->func($_, $proto) for @names;
	$b->var($_, $int) for @names;
	$b->decl_tag($_, $proto + 1) for @names;
	$b->ptr($b->type_tag($_, $int)) for @names;
	reads_back(put('names.btf', $b->bytes), 'odd names read back');
	reads_back(put('names.btf', $b->shuffled(3)), 'whatever the ids');
}

done_testing;
