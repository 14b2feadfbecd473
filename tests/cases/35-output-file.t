#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# An output file appears whole or not at all, and replaces what was there.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;
use TinyELF;

my $b = BTF->new;
my $int = $b->int('int', 4);
$b->struct('s', 8, [ [ 'b', $int, 0 ], [ 'a', $int, 32 ] ]);
$b->ptr(2);
my $input = put('input.btf', $b->shuffled(3));
my $fresh = btfcanon('sort', $input)->{out};
ok(length $fresh, 'a result');

my $folder = scratch('out');
mkdir $folder or die;
my $listing = sub { opendir my $d, $folder or die; return join ' ',
	sort grep { !/^\.\.?$/ } readdir $d };

quiet(btfcanon('sort', $input, '-o', "$folder/fresh.btf"), 'a new file');
same_bytes(get("$folder/fresh.btf"), $fresh, 'with the bytes that go to standard output');

put("$folder/old.btf", 'X' x 100_000);
quiet(btfcanon('sort', $input, '-o', "$folder/old.btf"), 'over a longer file');
same_bytes(get("$folder/old.btf"), $fresh, 'nothing of the longer file is left');
is($listing->(), 'fresh.btf old.btf', 'nothing beside it');

put("$folder/kept.btf", 'kept');
my $bad = put('bad.btf', substr get($input), 0, 60);
refused(btfcanon('sort', $bad, '-o', "$folder/kept.btf"), $bad, qr/./, 'a failed run');
is(get("$folder/kept.btf"), 'kept', 'leaves the old file as it was');
refused(btfcanon('sort', $bad, '-o', "$folder/never.btf"), $bad, qr/./,
	'a failed run into a new file');
ok(!-e "$folder/never.btf", 'leaves none');

refused(btfcanon('sort', $input, '-o', '/dev/full'), '/dev/full', qr/No space left/, '/dev/full');
refused(btfcanon('sort', $input, { stdout_to => '/dev/full' }), '', qr/No space left/,
	'standard output to /dev/full');
refused(btfcanon('dump', $input, { stdout_to => '/dev/full' }), '', qr/No space left/,
	'dump to /dev/full');

put("$folder/same.btf", get($input));
quiet(btfcanon('sort', "$folder/same.btf", '-o', "$folder/same.btf"),
	'input and output are one file');
same_bytes(get("$folder/same.btf"), $fresh, 'which is sorted then');
is($listing->(), 'fresh.btf kept.btf old.btf same.btf', 'no temporary is left anywhere');

# In place the file is as long as its new content, and one that is in order is not written at all.
my $file = put("$folder/file.o", TinyELF::write(sections => [ [ '.BTF', $b->shuffled(3) ] ]));
quiet(btfcanon('sort', '--in-place', $file), 'in place');
same_bytes(TinyELF::section(get($file), '.BTF'), $fresh, 'the same bytes');
my $sorted = TinyELF::write(sections => [ [ '.BTF', $fresh, { align => 8 } ] ]);
my @status = stat $file;
quiet(btfcanon('sort', '--in-place', $file), 'again');
is(join(' ', stat $file), "@status", 'a file that is in order stays the file it is');
is(length get($file), length $sorted, 'and is as long as one made of the result');
unlink $file;
is($listing->(), 'fresh.btf kept.btf old.btf same.btf', 'no temporary is left by that');

# Output goes elsewhere: what is only read stays as it is.
my @before = stat $input;
chmod 0444, $input;
quiet(btfcanon('sort', $input, '-o', "$folder/again.btf"), 'a read-only input');
my @after = stat $input;
is("@after[1, 7, 9]", "@before[1, 7, 9]", 'is left alone');

done_testing;
