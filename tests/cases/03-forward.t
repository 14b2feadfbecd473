#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Forward declarations: kept by a plain sort, settled by --dedup, the same way for every id order.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;

# All that a settled or unsettled sort of these bytes must give.
sub settles {
	my ($btf, $name) = @_;
	my $bytes = $btf->bytes;
	canonical_is($bytes, "$name: sorted");
	for my $order (qw(canonical name)) {
		my $settled = BTFModel::canonical($btf, dedup => 1, order => $order);
		same_bytes(sort_bytes($bytes, '--dedup', "--order=$order"), $settled->bytes,
			"$name: --dedup, $order order: the model's bytes");
	}
	my $expected = sort_bytes($bytes, '--dedup');
	my @other = grep { sort_bytes($btf->shuffled($_), '--dedup') ne $expected } 1 .. 12;
	is("@other", '', "$name: --dedup: the same for every order of ids");
	return BTF->read($expected);
}

# A socket known by name only in one place, by its body in another.
sub socket_nodes {
	return [
		int     => sub { $_[0]->int('int', 4, signed => 1) },
		forward => sub { $_[0]->fwd('sock') },
		body    => sub { $_[0]->struct('sock', 8,
			[ [ 'family', $_[1]{int}, 0 ], [ 'port', $_[1]{int}, 32 ] ]) },
		to_forward => sub { $_[0]->ptr($_[1]{forward}) },
		to_body    => sub { $_[0]->ptr($_[1]{body}) },
		user => sub { $_[0]->struct('pair', 16,
			[ [ 'l', $_[1]{to_forward}, 0 ], [ 'r', $_[1]{to_body}, 64 ] ]) },
	];
}

in_both_orders(sub {
	my ($big, $name) = @_;

	my $first = BTF::build(socket_nodes(), big => $big);
	my $last = BTF::build(socket_nodes(), big => $big,
		order => [qw(body int user to_body forward to_forward)]);
	my $sorted = sort_bytes($first->bytes);
	same_bytes(sort_bytes($last->bytes), $sorted,
		"$name: forward first or body first: the same");
	my $plain = BTF->read($sorted);
	is(scalar $plain->find('FWD', 'sock'), 1,
		"$name: a plain sort keeps the forward declaration");
	is(scalar(() = $plain->find('PTR')), 2, "$name: and both pointers");
	my $settled = settles($first, "$name one body");
	is(scalar(() = $settled->find('FWD')), 0,
		"$name: --dedup: the forward declaration is gone");
	is(scalar(() = $settled->find('PTR')), 1, "$name: --dedup: the two pointers are one");
	is(scalar(() = $settled->find('STRUCT', 'sock')), 1, "$name: --dedup: one body");

	# A struct and a union of one name are two tags.
	my $b = BTF->new(big => $big);
	my $int = $b->int('int', 4, signed => 1);
	my ($s, $u) = ($b->fwd('item'), $b->fwd('item', union => 1));
	my $body = $b->struct('item', 4, [ [ 'n', $int, 0 ] ]);
	$b->struct('user', 24, [ [ 's', $b->ptr($s), 0 ], [ 'u', $b->ptr($u), 64 ],
		[ 'b', $b->ptr($body), 128 ] ]);
	my $kinds = settles($b, "$name struct and union");
	is_deeply([ map { $_->{kflag} } $kinds->find('FWD', 'item') ], [1],
		"$name: the union's forward stays");

	# Several bodies: the one with most members, then the largest, then the greatest.
	for my $bodies (
		[ 'most members', [ [1, 64, 'a'], [2, 8, 'a'] ], sub { $_[0]{vlen} == 2 } ],
		[ 'the largest', [ [2, 8, 'a'], [2, 64, 'a'], [2, 16, 'z'] ],
			sub { $_[0]{size} == 64 } ],
		[ 'the greatest', [ [2, 8, 'b'], [2, 8, 'c'], [2, 8, 'a'] ],
			sub { $_[0]{names}[0] eq 'c' } ],
	) {
		my ($rule, $list, $is_it) = @$bodies;
		my $several = BTF->new(big => $big);
		my $number = $several->int('int', 4, signed => 1);
		my $forward = $several->fwd('many');
		my $to_forward = $several->ptr($forward);
		my @members = ([ 'forward', $to_forward, 0 ]);
		for my $shape (@$list) {
			my ($count, $size, $member) = @$shape;
			my $id = $several->struct('many', $size,
				[ map { [ $member . ($_ || ''), $number,
				32 * $_ ] } 0 .. $count - 1 ]);
			push @members, [ "m$id", $several->ptr($id), 64 * @members ];
		}
		$several->struct('user', 8 * @members, \@members);
		is(scalar(() = BTF->read(sort_bytes($several->bytes))->find('FWD')), 1,
			"$name: $rule: kept by a plain sort");
		my $result = settles($several, "$name several bodies: $rule");
		my $user = $result->one('STRUCT', 'user');
		my $chosen = $result->type($result->type($user->{refs}[0])->{refs}[0]);
		ok($chosen->{kind} == BTF::STRUCT && $is_it->($chosen), "$name: --dedup: $rule");
	}

	# Size goes before the canonical order, where kind_flag would come first.
	my $flagged = BTF->new(big => $big);
	my $word = $flagged->int('int', 4, signed => 1);
	$flagged->struct('user', 8, [ [ 'p', $flagged->ptr($flagged->fwd('many')), 0 ] ]);
	$flagged->struct('many', 64, [ [ 'large', $word, 0 ] ]);
	$flagged->struct('many', 8, [ [ 'bits', $word, 0, 3 ] ]);
	my $by_size = settles($flagged, "$name the largest, without bitfields");
	is($by_size->type($by_size->one('PTR')->{refs}[0])->{size}, 64,
		"$name: --dedup: size goes before kind_flag");

	# Bodies that mention their own name by the forward declaration.
	my $loop = BTF->new(big => $big);
	my $number = $loop->int('int', 4, signed => 1);
	my $forward = $loop->fwd('node');
	my $link = $loop->ptr($forward);
	$loop->struct('node', 16, [ [ 'next', $link, 0 ], [ 'a', $number, 64 ] ]);
	$loop->struct('node', 16, [ [ 'next', $link, 0 ], [ 'b', $number, 64 ] ]);
	settles($loop, "$name bodies that mention themselves");

	# Two forward declarations, each of two bodies, that become equal only when both are settled.
	my $twins = BTF->new(big => $big);
	my $i = $twins->int('int', 4, signed => 1);
	my $p = $twins->ptr($twins->fwd('left'));
	my $q = $twins->ptr($twins->fwd('right'));
	$twins->struct('left', 8, [ [ 'r', $q, 0 ] ]);
	$twins->struct('right', 8, [ [ 'l', $p, 0 ] ]);
	my $l2 = $twins->struct('left', 8, [ [ 'r', $twins->id_end + 3, 0 ] ]);
	my $r2 = $twins->struct('right', 8, [ [ 'l', $twins->id_end + 1, 0 ] ]);
	$twins->ptr($l2);
	$twins->ptr($r2);
	my $one = settles($twins, "$name twins through forwards");
	is(scalar(() = $one->find('STRUCT')), 2, "$name: what has become equal merges");

	# An enum without values is a forward enum.
	my $enums = BTF->new(big => $big);
	my $empty = $enums->enum('color', []);
	my $full = $enums->enum('color', [ [ 'RED', 0 ], [ 'BLUE', 1 ] ]);
	my $lonely = $enums->enum('shape', []);
	$enums->struct('user', 24, [ [ 'e', $enums->ptr($empty), 0 ],
		[ 'f', $enums->ptr($full), 64 ], [ 'l', $enums->ptr($lonely), 128 ] ]);
	is(scalar(() = BTF->read(sort_bytes($enums->bytes))->find('ENUM')), 3,
		"$name: a plain sort keeps forward enums");
	my $merged = settles($enums, "$name forward enum");
	is(scalar(() = $merged->find('ENUM', 'color')), 1,
		"$name: --dedup: the forward enum is its body");
	is(scalar(() = $merged->find('ENUM', 'shape')), 1,
		"$name: --dedup: one without a body stays");

	# Seen in the wild, and no BTF.
	my $unnamed = BTF->new(big => $big);
	$unnamed->int('int', 4);
	$unnamed->struct('user', 8, [ [ 'f', $unnamed->ptr($unnamed->fwd('')), 0 ] ]);
	my $file = put("unnamed-$name.btf", $unnamed->bytes);
	for my $command (qw(sort check dump)) {
		refused(btfcanon($command, $file), $file, qr/type 2\b.*name/,
			"$name: $command: a forward declaration without a name");
	}

	# The two halves in two files: merging settles.
	my $with_forward = BTF->new(big => $big);
	$with_forward->struct('user', 8,
		[ [ 'it', $with_forward->ptr($with_forward->fwd('later')), 0 ] ]);
	my $with_body = BTF->new(big => $big);
	$with_body->struct('later', 4, [ [ 'n', $with_body->int('int', 4), 0 ] ]);
	my @files = (put("a-$name.btf", $with_forward->bytes),
		put("b-$name.btf", $with_body->bytes));
	my $merge = btfcanon('sort', @files);
	my $model = BTFModel::canonical(BTFModel::joined($with_forward, $with_body), dedup => 1);
	same_bytes($merge->{out}, $model->bytes,
		"$name: several inputs settle forward declarations");
	same_bytes(btfcanon('sort', reverse @files)->{out}, $merge->{out},
		"$name: whatever comes first");
});

done_testing;
