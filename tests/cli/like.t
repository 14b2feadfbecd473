#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# sort --like: what the old BTF has keeps its ids and string offsets; modules that stay valid.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use TestUtil;
use TinyELF;

sub like_old {
	my ($old, $new, @more) = @_;
	return btfcanon('sort', '-q', '--like', $old, $new, '-o', scratch('like.btf'), @more);
}


# Two versions of one program.
{
	my $old = put('old.btf', sort_bytes(get(fixture('compare/old.btf'))));
	my $new = fixture('compare/new.btf');
	quiet(like_old($old, $new), 'sort --like');
	my $bytes = get(scratch('like.btf'));
	same_bytes(sort_bytes($bytes), sort_bytes(get($new)), 'its types are those of the new one');
	put('shuffled.btf', BTF->read(get($new))->shuffled(3));
	like_old($old, scratch('shuffled.btf'));
	same_bytes(get(scratch('like.btf')), $bytes, 'whatever ids the new one had');
	same_bytes(btfcanon('sort', '--like', $old, '-', { stdin_from => $new })->{out}, $bytes,
		'from standard input, to standard output');
	quiet(like_old($old, $old), 'the old one itself');
	same_bytes(get(scratch('like.btf')), get($old), 'is as it was');
	put('shuffled.btf', BTF->read(get($old))->shuffled(4));
	quiet(like_old(scratch('shuffled.btf'), $old), 'an old one in another order');
	same_bytes(get(scratch('like.btf')), get(scratch('shuffled.btf')), 'is what it was');
	like(btfcanon('sort', '--stats', '--like', $old, $new, '-o', scratch('like.btf'))->{err},
		qr/^ids kept, same +[1-9]\d*\n.*^new types +\d+\n/ms, '--stats tells how many');
}

in_both_orders(sub {
	my ($big, $name) = @_;
	my $make = sub {
		my ($change) = @_;
		my $b = BTF->new(big => $big);
		my $int = $b->int('int', 4);
		my $s = $b->struct('s', 8, [ [ 'a', $int, 0 ], [ 'b', $int, 32 ] ]);
		$b->ptr($s);
		my $t = $b->struct('t', 8, [ [ 'a', $int, 0 ] ]);
		$b->ptr($t);
		$b->typedef('t_t', $t);
		$change->($b) if $change;
		return $b;
	};
	my $old_btf = $make->();
	my $old = put('old.btf', $old_btf->shuffled(2));
	my $new = put('new.btf', $make->(sub { $_[0]->one('STRUCT', 't')->{names}[0] = 'b' })->bytes);
	quiet(like_old($old, $new), "$name: a member renamed");
	my $bytes = get(scratch('like.btf'));
	is(length $bytes, -s $old, "$name: as long as before");
	my @differ = grep { substr($bytes, $_, 1) ne substr(get($old), $_, 1) } 0 .. length($bytes) - 1;
	cmp_ok(scalar @differ, '<=', 4, "$name: one word differs");

	# Modules on the old one.
	my $base = BTF->read(get($old));
	my %id;
	for my $id (1 .. $base->id_end - 1) {
		$id{ $base->type($id)->{name} } = $id if length $base->type($id)->{name};
	}
	my $good = BTF->new(big => $big, base => $base);
	$good->ptr($id{int});
	$good->struct('a', 8, [ [ 's', $id{s}, 0 ] ]);
	my $near = BTF->new(big => $big, base => $base);
	$near->const($id{t_t});
	my $bad = BTF->new(big => $big, base => $base);
	$bad->const($id{t});
	my ($good_path, $bad_path) = (put('good.btf', $good->bytes), put('bad.btf', $bad->bytes));
	quiet(like_old($old, $new, '--verify', $good_path), "$name: a module stays valid");
	quiet(like_old($old, $new, '--verify', put('near.btf', $near->bytes)),
		"$name: so does one that refers to a type of the changed type");
	my $result = like_old($old, $new, '--verify', $good_path, '--verify', $bad_path);
	is($result->{status}, 1, "$name: another does not: exit 1");
	is($result->{err}, "btfcanon: $bad_path: not valid any more: type " . $base->id_end
		. " refers to type $id{t} of the base, STRUCT t, which changed\n",
		"$name: and why");
	same_bytes(get(scratch('like.btf')), $bytes, "$name: the output is written");
	$new = put('more.btf', $make->(sub { $_[0]->fwd('more') })->bytes);
	$result = like_old($old, $new, '--verify', $good_path);
	is($result->{status}, 1, "$name: with a type more no module is valid");
	like($result->{err}, qr/the base has 1 types more than before/, "$name: and why");
	$new = put('less.btf', $make->(sub { pop @{ $_[0]{types} } })->bytes);
	quiet(like_old($old, $new, '--verify', $good_path), "$name: with one less they are");
	same_bytes(sort_bytes(get(scratch('like.btf'))), sort_bytes(get($new)),
		"$name: and the copy in its place is no type more");
});

# What does not go together.
{
	my $file = fixture('example/example.btf');
	refused(btfcanon('sort', '--verify', $file, $file), '', qr/--verify goes with --like/,
		'--verify alone');
	refused(btfcanon('sort', '--like', $file, '--order=name', $file), '', qr/do not go together/,
		'--like --order=name');
	refused(btfcanon('sort', '--like', $file, '--base', $file, $file), '', qr/do not go together/,
		'--like --base');
	refused(like_old(scratch('missing.btf'), $file), scratch('missing.btf'), qr/No such file/,
		'an old one that is not there');
	refused(like_old(fixture('vectors/rich.be.btf'), $file), fixture('vectors/rich.be.btf'),
		qr/byte order/, 'another byte order');
	my $base = BTF->read(get($file));
	my $split = BTF->new(base => $base);
	$split->ptr(1);
	my $module = put('module.ko', TinyELF::write(sections => [ [ '.BTF', $split->bytes ],
		[ '.BTF.base', get($file) ] ]));
	refused(like_old($file, $module), '', qr/split BTF: --like takes whole BTF/, 'a module like a kernel');
	refused(like_old($module, $file), $module, qr/split BTF: --like takes whole BTF/, 'a kernel like a module');
	refused(btfcanon('dump', '--like', $file, $file), '', qr/no option/, 'dump has no --like');
}

done_testing;
