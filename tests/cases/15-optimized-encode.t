#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# What compilers make of functions: where only a body with other parameters is left, the prototype of
# the source would be a lie; pieces are no functions and hide none.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use TestUtil;

# "name(parameter names)" of every FUNC, sorted, in a line.
sub functions {
	my ($bytes) = @_;
	my $btf = BTF->read($bytes);
	return join ' ', sort map {
		my $proto = $btf->type($_->{refs}[0]);
		"$_->{name}(" . join(',', @{ $proto->{names} // [] }) . ')';
	} $btf->find('FUNC');
}

for my $name ('optimized', 'optimized.dwarf4') {
	my $result = btfcanon('encode', fixture("functions/$name.elf"), '--stats');
	is($result->{status}, 0, "$name: encoded") || diag($result->{err});
	is(functions($result->{out}), 'plain(box,value) use_four(box,v) use_one(box,v) '
		. 'use_three(box,v) use_two(box,v)', "$name: functions as in the source, no others");
	my $skipped = 0;
	$skipped += $1 while $result->{err} =~ /^functions \w.* (\d+)$/mg;
	is($skipped, 2, "$name: lost and fixed are counted; nothing is left of pieced");
	my $called = btfcanon('encode', '-q', '--features=+true_signature', fixture("functions/$name.elf"));
	is(functions($called->{out}), 'fixed.constprop.0(value) lost.constprop.0.isra.0() plain(box,value) use_four(box,v) '
		. 'use_one(box,v) use_three(box,v) use_two(box,v)', "$name: functions as they are called");
	like($result->{err}, qr/^types +\d/m, "$name: statistics");
	ok(!(grep { $_->{name} =~ /\./ } BTF->read($result->{out})->types), "$name: no dots in names");
}
same_bytes(map({ btfcanon('encode', fixture("functions/$_.elf"), '-q')->{out} } 'optimized',
	'optimized.dwarf4'), 'DWARF 4 and 5 say the same');

# The same source, compiled for machines that pass parameters each in its own way.
my %of;
for my $target (qw(x86_64 aarch64 aarch64_be s390x)) {
	my $result = btfcanon('encode', fixture("functions/machines.$target.elf"), '--stats');
	is($result->{status}, 0, "$target: encoded") || diag($result->{err});
	$of{$target} = $result->{out};
	is(functions($result->{out}), 'by_value(s,z) call(x) lost(used,unused) '
		. 'many(a,b,c,d,e,f,g,h,i,j) pair_first(p,z) unused(a,b)', "$target: functions");
	like($result->{err}, qr/^functions with a parameter in an unexpected register +1$/m,
		"$target: one takes a parameter in a register for floating point");
	my $btf = BTF->read($result->{out});
	is($btf->{big} ? 1 : 0, $target =~ /_be|s390x/ ? 1 : 0, "$target: byte order");
}
same_graph(map({ BTF->read($_) } @of{ q(x86_64), $_ }), "x86_64 and $_ say the same") for qw(aarch64 aarch64_be s390x);

done_testing;
