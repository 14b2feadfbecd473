#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Name order: unnamed first, then by bytes of the name, whatever the locale; of one kind and name,
# the one most referred to first.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;

sub nodes {
	return [
		ptr   => sub { $_[0]->ptr($_[1]{s}) },
		array => sub { $_[0]->array($_[1]{int}, $_[1]{int}, 2) },
		proto => sub { $_[0]->proto($_[1]{int}, [ [ 'x', $_[1]{ptr} ] ]) },
		A     => sub { $_[0]->enum('A', [ [ 'EA', 0 ] ]) },
		Z     => sub { $_[0]->func('Z', $_[1]{proto}) },
		_u    => sub { $_[0]->typedef('_u', $_[1]{int}) },
		a1    => sub { $_[0]->struct('a1', 4, [ [ 'm', $_[1]{int}, 0 ] ]) },
		e_acute => sub { $_[0]->typedef("\xc3\xa9", $_[1]{int}) },
		int   => sub { $_[0]->int('int', 4, signed => 1) },
		s     => sub { $_[0]->struct('s', 16, [ [ 'n', $_[1]{ptr}, 0 ],
			[ 'a', $_[1]{array}, 64 ] ]) },
		s_function => sub { $_[0]->func('s', $_[1]{proto}) },
		sa    => sub { $_[0]->typedef('sa', $_[1]{int}) },
	];
}

in_both_orders(sub {
	my ($big, $name) = @_;
	my $by_name = BTF::build(nodes(), big => $big,
		order => [qw(ptr array proto A Z _u a1 int s s_function sa e_acute)]);
	my $by_kind = BTF::build(nodes(), big => $big,
		order => [qw(int ptr array s a1 A e_acute _u sa s_function Z proto)]);
	my %result;
	for my $order (qw(canonical name)) {
		$result{$order} = sort_bytes($by_kind->bytes, "--order=$order");
		same_bytes(sort_bytes($by_name->bytes, "--order=$order"), $result{$order},
			"$name: $order order: one output for both inputs");
	}
	canonical_is($by_kind->bytes, "$name: both orders");
	my $read = BTF->read($result{name});
	is(join(' ', map { $_->{name} eq '' ? '-' : $_->{name} } $read->types),
		"- - - A Z _u a1 int s s sa \xc3\xa9", "$name: by bytes of the name");
	is(join(' ', map { $_->{kind} } grep { $_->{name} eq ''
		|| $_->{name} eq 's' } $read->types), '2 3 13 4 12',
		"$name: unnamed, and those of one name, by kind");
	is(join(' ', map { $_->{kind} } BTF->read($result{canonical})->types),
		'1 2 3 4 4 6 8 8 8 12 12 13', "$name: canonical order: by kind");

	for my $locale (qw(C C.UTF-8 en_US.UTF-8 de_DE.UTF-8 tr_TR.UTF-8)) {
		for my $order (qw(canonical name)) {
			my $run = btfcanon('sort', "--order=$order",
				put('locale.btf', $by_kind->bytes),
				{ env => { LC_ALL => $locale, LANG => $locale } });
			same_bytes($run->{out}, $result{$order},
				"$name: $order order: the same under $locale");
		}
	}

	# check takes either, says which, and demands one when asked.
	for my $order (qw(canonical name)) {
		my $other = $order eq 'name' ? 'canonical' : 'name';
		my $path = put("$order.btf", $result{$order});
		my $check = btfcanon('check', $path);
		is($check->{status}, 0, "$name: check accepts $order order");
		like($check->{out}, qr/\b$order order\b/, "$name: and says so");
		is(btfcanon('check', "--order=$order", $path)->{status}, 0,
			"$name: check --order=$order");
		is(btfcanon('check', "--order=$other", $path)->{status}, 1,
			"$name: check --order=$other does not");
	}

	# Several of one kind and name: most users, then most members, then the largest, then canonical.
	my $b = BTF->new(big => $big);
	my $int = $b->int('int', 4, signed => 1);
	my $used = $b->struct('console', 4, [ [ 'a', $int, 0 ] ]);
	my $wide = $b->struct('console', 16, [ map { [ "m$_", $int, 32 * $_ ] } 0 .. 3 ]);
	my $large = $b->struct('console', 64, [ map { [ "n$_", $int, 32 * $_ ] } 0 .. 3 ]);
	my $tied_b = $b->struct('console', 64, [ map { [ "b$_", $int, 32 * $_ ] } 0 .. 3 ]);
	$b->ptr($used);
	$b->const($used);
	$b->typedef('u8', $int);
	my $busy = $b->typedef('u8', $b->int('unsigned char', 1));
	$b->const($busy);
	my $order = BTF->read(sort_bytes($b->bytes, '--order=name'));
	is(join(' ', map { "$_->{size}/$_->{names}[0]" } $order->find('STRUCT', 'console')),
		'4/a 64/b0 64/n0 16/m0', "$name: structs of one name by users, members, size");
	is(join(' ', map { $order->type($_->{refs}[0])->{name} } $order->find('TYPEDEF', 'u8')),
		'unsigned char int', "$name: typedefs of one name by users");
	canonical_is($b->bytes, "$name: several of one name");
});

done_testing;
