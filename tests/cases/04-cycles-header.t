#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Types that lead to themselves, definitions that need each other, forward declarations: the header
# compiles, is the same for every order of ids, and never hangs.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use HeaderTest;
use TestUtil;

# The header of a graph in several orders of ids: one text.
sub one_text {
	my ($btf, $name, %o) = @_;
	my $text = laid_out($btf->bytes, $name, %o) // return '';
	my @texts = map { header(scalar BTF::shuffled($btf, $_), '-q') } 1 .. 4;
	is_deeply([ grep { $_ ne $text } @texts ], [], "$name: whatever the order of ids");
	return $text;
}

laid_out(get(fixture("cases/cycles.$_.btf")), "cycles.$_") for qw(gcc bpfel bpfeb);

# typedef struct { node_t *next; } node_t, and what only has pointers.
{
	my $btf = BTF::build([
		int    => sub { $_[0]->int('int', 4, signed => 1) },
		pn     => sub { $_[0]->ptr($_[1]{node_t}) },
		sn     => sub { $_[0]->struct('', 16, [ [ 'next', $_[1]{pn}, 0 ],
			[ 'v', $_[1]{int}, 64 ] ]) },
		node_t => sub { $_[0]->typedef('node_t', $_[1]{sn}) },
		uses   => sub { $_[0]->struct('uses', 24, [ [ 'n', $_[1]{node_t}, 0 ],
			[ 'p', $_[1]{pn}, 128 ] ]) },
		pl     => sub { $_[0]->ptr($_[1]{loop}) },
		loop   => sub { $_[0]->typedef('loop', $_[1]{pl}) },
		pa     => sub { $_[0]->ptr($_[1]{b}) },
		a      => sub { $_[0]->typedef('a', $_[1]{pa}) },
		fb     => sub { $_[0]->proto($_[1]{a}, [ [ '', $_[1]{a} ], [ '', $_[1]{fb} ? 0 : 0 ] ]) },
		pfb    => sub { $_[0]->ptr($_[1]{fb}) },
		b      => sub { $_[0]->typedef('b', $_[1]{pfb}) },
		pu     => sub { $_[0]->ptr($_[1]{u}) },
		u      => sub { $_[0]->struct('', 8, [ [ 'self', $_[1]{pu}, 0 ] ]) },
		has_u  => sub { $_[0]->struct('has_u', 16, [ [ 'u', $_[1]{u}, 0 ],
			[ 'p', $_[1]{pu}, 64 ] ]) },
		pp     => sub { $_[0]->ptr($_[1]{cp}) },
		cp     => sub { $_[0]->const($_[1]{pp}) },
		has_pp => sub { $_[0]->struct('has_pp', 8, [ [ 'p', $_[1]{pp}, 0 ] ]) },
		psame  => sub { $_[0]->ptr($_[1]{same}) },
		same   => sub { $_[0]->proto(0, [ [ 'f', $_[1]{psame} ] ]) },
		has_f  => sub { $_[0]->struct('has_f', 8, [ [ 'f', $_[1]{psame}, 0 ] ]) },
	]);
	my $text = one_text($btf, 'circles');
	like($text, qr/^typedef struct \{\n\tvoid \*next;\n\tint v;\n\} node_t;\n\/\*/m,
		'a typedef in its own struct: void, and a comment');
	like($text, qr/^typedef void \*loop;$/m, 'typedef T for T *');
	warned(header_of(scratch('header.btf')), qr/C cannot spell.*and \d+ more/, 'and counted');
}

# Pointers to arrays: C wants the element whole. These need each other.
{
	my $btf = BTF::build([
		int  => sub { $_[0]->int('int', 4, signed => 1) },
		arr1 => sub { $_[0]->array($_[1]{first}, $_[1]{int}, 3) },
		arr2 => sub { $_[0]->array($_[1]{second}, $_[1]{int}, 3) },
		p1   => sub { $_[0]->ptr($_[1]{arr1}) },
		p2   => sub { $_[0]->ptr($_[1]{arr2}) },
		first  => sub { $_[0]->struct('first', 16, [ [ 'me', $_[1]{p1}, 0 ],
			[ 'you', $_[1]{p2}, 64 ] ]) },
		second => sub { $_[0]->struct('second', 24, [ [ 'one', $_[1]{first}, 0 ],
			[ 'p', $_[1]{p1}, 128 ] ]) },
	]);
	my $text = one_text($btf, 'pointers to arrays');
	like($text, qr/^struct first \{\n\tvoid \*me;\n\tvoid \*you;/m, 'of what is not whole: void');
}

# By value, behind pointers, in function types, through typedefs: everything in time.
{
	my $btf = BTF::build([
		int   => sub { $_[0]->int('int', 4, signed => 1) },
		a     => sub { $_[0]->struct('a_outer', 16, [ [ 'm', $_[1]{z}, 0 ],
			[ 'f', $_[1]{pf}, 64 ] ]) },
		z     => sub { $_[0]->struct('z_inner', 8, [ [ 'x', $_[1]{mid}, 0 ] ]) },
		mid   => sub { $_[0]->typedef('m_typedef', $_[1]{arr}) },
		arr   => sub { $_[0]->array($_[1]{y}, $_[1]{int}, 2) },
		y     => sub { $_[0]->struct('y_element', 4, [ [ 'v', $_[1]{int}, 0 ] ]) },
		f     => sub { $_[0]->proto($_[1]{y}, [ [ 'p', $_[1]{pq} ], [ 'v', $_[1]{z} ],
			[ 't', $_[1]{late} ], [ 'arr', $_[1]{arr} ] ]) },
		pf    => sub { $_[0]->ptr($_[1]{f}) },
		pq    => sub { $_[0]->ptr($_[1]{q}) },
		q     => sub { $_[0]->struct('q_behind', 8, [ [ 'back', $_[1]{pa}, 0 ] ]) },
		pa    => sub { $_[0]->ptr($_[1]{a}) },
		late  => sub { $_[0]->typedef('zz_late', $_[1]{fn}) },
		fn    => sub { $_[0]->ptr($_[1]{fp}) },
		fp    => sub { $_[0]->proto(0, [ [ '', $_[1]{pw} ] ]) },
		pw    => sub { $_[0]->ptr($_[1]{w}) },
		w     => sub { $_[0]->fwd('only_declared') },
	]);
	my $text = one_text($btf, 'needs', flags => [ '-Wno-visibility' ]);
	like($text, qr/^struct only_declared;$/m, 'what is only declared is');
	like($text, qr/^struct q_behind;$/m, 'what is named before it is defined too');
	unlike($text, qr/^struct y_element;$/m, 'other structs are not');
	like($text, qr/^struct y_element.*^typedef struct y_element m_typedef\[2\];.*^struct z_inner.*^struct a_outer \{/ms,
		'in the order of needs');
}

# Forward declarations.
{
	my $btf = BTF->new;
	my $int = $btf->int('int', 4, signed => 1);
	my $sock = $btf->struct('sock', 4, [ [ 'a', $int, 0 ] ]);
	my $struct = $btf->fwd('sock');
	my $union = $btf->fwd('sock', union => 1);
	my $nowhere = $btf->fwd('nowhere');
	my $enum = $btf->enum('color', []);
	$btf->struct('user', 40, [ [ 'a', $btf->ptr($struct), 0 ], [ 'b', $btf->ptr($union), 64 ],
		[ 'c', $btf->ptr($nowhere), 128 ], [ 'd', $enum, 192 ], [ 'e', $btf->ptr($sock), 256 ] ]);
	my $text = one_text($btf, 'forward declarations');
	is(scalar(() = $text =~ /^struct sock \{$/mg), 1, 'the struct is defined once');
	like($text, qr/^\tstruct sock \*a;\n\tunion sock___2 \*b;/m,
		'a declaration of its class means it, of the other class does not');
	unlike($text, qr/enum color \{\s*\}/, 'an enum without values is no C');
}

# What would be a thousand million lines is refused, in time.
{
	my $btf = BTF->new;
	my $inner = $btf->int('int', 4, signed => 1);
	$inner = $btf->struct('', 4 << $_, [ [ 'a', $inner, 0 ], [ 'b', $inner, 32 << $_ - 1 ] ])
		for 1 .. 28;
	$btf->typedef('bush', $inner);
	my $result = btfcanon('header', put('bush.btf', scalar $btf->bytes), { seconds => 50 });
	ok(!$result->{late}, 'unnamed structs, each twice in the next: no hang');
	is($result->{status}, 2, 'but trouble') || diag(substr $result->{err}, 0, 300);
}

# Long chains that many refer to: an answer in time.
{
	my $btf = BTF->new;
	my $int = $btf->int('int', 4, signed => 1);
	my $chain = $int;
	$chain = $btf->const($chain) for 1 .. 20_000;
	my $pointers = $btf->ptr($chain);
	$pointers = $btf->volatile($pointers) for 1 .. 20_000;
	$btf->struct("many$_", 8 * 20_000, [ map { [ "m$_", $pointers, 64 * $_ ] } 0 .. 19_999 ])
		for 1 .. 3;
	$btf->typedef("t$_", $chain) for 1 .. 5000;
	my $chained = btfcanon('header', put('chained.btf', scalar $btf->bytes), { seconds => 50 });
	ok(!$chained->{late} && $chained->{status} =~ /^[02]$/, 'long chains: no hang');
}

# Deep nesting needs no C stack.
{
	my $btf = BTF->new;
	my $inner = $btf->int('int', 4, signed => 1);
	$inner = $btf->ptr($inner) for 1 .. 30_000;
	$btf->typedef('deep', $inner);
	my $unnamed = $btf->struct('', 4, [ [ 'x', 1, 0 ] ]);
	$unnamed = $btf->struct('', 4, [ [ '', $unnamed, 0 ] ]) for 1 .. 3000;
	$btf->struct('nested', 4, [ [ '', $unnamed, 0 ] ]);
	is(btfcanon('header', put('deep.btf', scalar $btf->bytes))->{status}, 0, 'deep nesting');
}

done_testing;
