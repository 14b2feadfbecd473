#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Units with weak, static, inlined and folded functions, linked in every order, into an image and
# into one relocatable file: the same bytes always, and all at once the same as one by one.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use TestUtil;

my @units = map { fixture("functions/several_$_.elf") } qw(one two three);
my @orders = ([ 0, 1, 2 ], [ 0, 2, 1 ], [ 1, 0, 2 ], [ 1, 2, 0 ], [ 2, 0, 1 ], [ 2, 1, 0 ]);

sub encode {
	my (@arguments) = @_;
	my $result = btfcanon('encode', '-q', @arguments);
	is($result->{status}, 0, 'encoded') || diag($result->{err});
	return $result->{out};
}

sub functions {
	my ($bytes) = @_;
	my $btf = BTF->read($bytes);
	return join ' ', sort map {
		my $proto = $btf->type($_->{refs}[0]);
		"$_->{name}(" . join(',', @{ $proto->{names} }) . ')';
	} $btf->find('FUNC');
}

# Two static functions of one name are ambiguous; two with other parameters disagree; of a weak one
# and the one that overrides it, the name stands for the latter.
my $expected = 'alone(x) apart(box) call_one(box) call_three(box) call_two(box,far) '
	. 'folded(left,x) folded_too(right,y) nothing() old(a,b) overridden(box,mode) prints(format,) '
	. 'take_far(far)';

# Without a linker: files side by side. An address of one says nothing in another.
my $first;
for my $order (@orders) {
	my $bytes = encode(@units[@$order]);
	$first //= $bytes;
	same_bytes($bytes, $first, "files in the order @$order");
}
is(functions($first), $expected, 'files: functions');

my $ld = have('ld');
my $can = $ld && run($ld, '-m', 'elf_x86_64', '-r', $units[0], '-o', scratch('try.o'));
SKIP: {
	skip 'no linker for x86-64 here', 1 if !$can || $can->{status};
	for my $kind ([ 'relocatable', '-r' ],
		[ 'relocatable, each unit in a section that begins at 0', '-r', '--unique' ],
		[ 'linked', '-e', 'call_one', '--unresolved-symbols=ignore-all' ],
		[ 'linked, parts that nobody needs left out', '-e', 'call_three', '--gc-sections',
			'--unresolved-symbols=ignore-all' ]) {
		my ($name, @flags) = @$kind;
		my $same;
		for my $order (@orders) {
			my $linked = run($ld, '-m', 'elf_x86_64', @flags, @units[@$order], '-o',
				scratch('linked'));
			is($linked->{status}, 0, "$name: ld") || diag($linked->{err});
			my $bytes = encode(scratch('linked'));
			$same //= $name =~ /left out/ ? $bytes : $first;
			same_bytes($bytes, $same, "$name: units in the order @$order");
			same_bytes(encode('-j1', "--shuffle-units=$_", scratch('linked')), $same,
				"$name: shuffled with seed $_") for 1, 2;
		}
	}
}

done_testing;
