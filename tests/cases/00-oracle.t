#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The tests' own reader, writer, model and comparison: that they would notice.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;

sub graph {
	my ($big) = @_;
	return BTF::build([
		int   => sub { $_[0]->int('int', 4, signed => 1) },
		next  => sub { $_[0]->ptr($_[1]{node}) },
		node  => sub { $_[0]->struct('node', 16,
			[ [ 'next', $_[1]{next}, 0 ], [ 'n', $_[1]{int}, 64 ] ]) },
		twin  => sub { $_[0]->struct('node', 16,
			[ [ 'next', $_[1]{next}, 0 ], [ 'n', $_[1]{int}, 64 ] ]) },
		bits  => sub { $_[0]->union('bits', 4,
			[ [ 'a', $_[1]{int}, 0, 3 ], [ 'b', $_[1]{int}, 0, 0 ] ]) },
		color => sub { $_[0]->enum('color', [ [ 'RED', -1 ] ], signed => 1) },
		wide  => sub { $_[0]->enum64('wide', [ [ 'W', 1 << 40 ] ]) },
		array => sub { $_[0]->array($_[1]{int}, $_[1]{int}, 3) },
		proto => sub { $_[0]->proto(0, [ [ 'x', $_[1]{next} ], [ '', 0 ] ]) },
		f     => sub { $_[0]->func('f', $_[1]{proto}, 1) },
		v     => sub { $_[0]->var('v', $_[1]{int}) },
		w     => sub { $_[0]->var('v', $_[1]{int}) },
		data  => sub { $_[0]->datasec('.data', 8,
			[ [ $_[1]{v}, 0, 4 ], [ $_[1]{w}, 4, 4 ] ]) },
		tag   => sub { $_[0]->decl_tag('t', $_[1]{node}, 1) },
		user  => sub { $_[0]->type_tag('user', $_[1]{int}) },
		to_user => sub { $_[0]->ptr($_[1]{user}) },
		real  => sub { $_[0]->float('double', 8) },
		later => sub { $_[0]->fwd('later', union => 1) },
	], big => $big);
}

in_both_orders(sub {
	my ($big, $name) = @_;
	my $b = graph($big);
	my $bytes = $b->bytes;
	is(length($bytes) % 4, length(BTF->read($bytes)->{strings}) % 4,
		"$name: words and strings");
	is(substr($bytes, 0, 4), $big ? "\xeb\x9f\1\0" : "\x9f\xeb\1\0", "$name: magic");
	my $read = BTF->read($bytes);
	for my $i (0 .. $#{ $b->{types} }) {
		my ($type, $back) = ($b->{types}[$i], $read->{types}[$i]);
		is_deeply({ map { ($_ => $back->{$_}) } keys %$type }, $type,
			"$name: type $i written and read");
	}
	same_graph($b, $read, "$name: the same graph as read");
	same_graph($b, BTF->read($b->shuffled($_)), "$name: the same graph shuffled") for 1 .. 5;
	isnt($b->shuffled(1), $b->shuffled(2), "$name: two shuffles differ");
	is($b->shuffled(1), $b->shuffled(1), "$name: one seed, one shuffle");
	my $model = BTFModel::canonical($b)->bytes;
	same_graph($b, BTF->read($model), "$name: the same graph in the model's order");
	is(scalar(grep { BTFModel::canonical(BTF->read($b->shuffled($_)))->bytes ne $model } 1 .. 10), 0, "$name: the model does not see ids");
	is(BTFModel::canonical(BTF->read($model))->bytes, $model, "$name: nor changes its own");

	# Whatever a type says, changing it is seen.
	my $unseen = '';
	my $tries = 0;
	for my $i (0 .. $#{ $b->{types} }) {
		my $kind = $BTF::KINDS[ $b->{types}[$i]{kind} ];
		my $change = sub {
			my ($what, $code) = @_;
			my $other = graph($big);
			$code->($other->{types}[$i]);
			$tries++;
			$unseen .= "$kind: $what\n" if !BTF::differences($b, $other)
				|| BTFModel::canonical($other)->bytes eq $model;
		};
		my $type = $b->{types}[$i];
		$change->('name', sub { $_[0]{name} .= 'x' });
		$change->('kind_flag', sub { $_[0]{kflag} ^= 1 });
		$change->('size', sub { $_[0]{size}++ }) if defined $type->{size};
		$change->('number', sub { $_[0]{fixed}++ }) if defined $type->{fixed};
		for my $n (0 .. $#{ $type->{names} }) {
			$change->("name $n", sub { $_[0]{names}[$n] .= 'x' });
		}
		for my $n (0 .. $#{ $type->{nums} }) {
			$change->("number $n", sub { $_[0]{nums}[$n] ^= 1 });
		}
		for my $n (0 .. $#{ $type->{refs} }) {
			$change->("reference $n",
				sub { $_[0]{refs}[$n] = $_[0]{kind} == BTF::DATASEC
				? 23 - $_[0]{refs}[$n] : $_[0]{refs}[$n] == 1 ? 5 : 1 });
		}
	}
	is($unseen, '', "$name: every change is seen");
	cmp_ok($tries, '>', 80, "$name: $tries changes tried");
});

# The order itself, by hand.
{
	my $b = BTF->new;
	my $int = $b->int('int', 4, signed => 1);
	my $to_struct = $b->ptr($b->id_end + 1);
	my $s = $b->struct('s', 8, [ [ 'b', $to_struct, 0 ] ]);
	my $to_int = $b->ptr($int);
	my $to_void = $b->ptr(0);
	my $to_to_int = $b->ptr($to_int);
	my @names = map { my $t = $_; $t->{kind} == BTF::PTR ? 'PTR ' . $t->{refs}[0]
		: $BTF::KINDS[ $t->{kind} ] } BTFModel::canonical($b)->types;
	is(join(', ', @names), 'INT, PTR 0, PTR 1, PTR 3, PTR 6, STRUCT',
		'kinds by number, pointers by what they point at, void first');
	my $renamed = BTFModel::canonical($b, order => 'name');
	is(join(' ', map { $_->{name} || '-' } $renamed->types), '- - - - int s',
		'name order: unnamed first');
}

done_testing;
