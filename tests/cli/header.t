#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# header: options, split BTF, what goes wrong, and that changes stay where they are.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use HeaderTest;
use TestUtil;

my $example = fixture('example/example.btf');
my $text = header_of($example)->{out};
like($text, qr/\A#ifndef __VMLINUX_H__\n#define __VMLINUX_H__\n.*#endif \/\* __VMLINUX_H__ \*\/\n\z/s,
	'a guard');
laid_out(get($example), 'the example');

# Output and trouble.
{
	my $out = scratch('out.h');
	quiet(btfcanon('header', $example, '-o', $out), '-o: silence');
	is(get($out), $text, '-o: the same text');
	refused(btfcanon('header', $example, $example), 'header takes one input', qr/--help/,
		'two inputs');
	refused(btfcanon('header', put('bad.btf', 'nonsense')), scratch('bad.btf'), qr/./, 'no BTF');
	refused(btfcanon('header', $example, '--full'), 'header has no option', qr/--full/,
		'an option of another command');
	refused(btfcanon('header', $example, { stdout_to => '/dev/full' }), '', qr/No space left/,
		'a full disk') if -w '/dev/full';
	like(header_of($example, '--stats')->{err}, qr/^definitions +\d+$/m, '--stats');
}

# An unnamed enum without values has no form in C: an integer of its size and sign stands there.
{
	my $b = BTF->new;
	my @members;
	my $at = 0;
	for my $size (1, 2, 4, 8) {
		for my $signed (0, 1) {
			push @members, [ "e${size}_$signed",
				$b->enum('', [], size => $size, signed => $signed), 8 * $at ];
			$at += 8;
		}
	}
	$b->struct('holder', $at, \@members);
	my $header = header(scalar $b->bytes, '-q');
	like($header, qr/\t$_->[1] e$_->[0]\b/, "an unnamed enum: $_->[1]")
		for [ '1_0', 'unsigned char' ], [ '1_1', 'signed char' ], [ '2_0', 'short unsigned int' ],
			[ '2_1', 'short int' ], [ '4_0', 'unsigned int' ], [ '4_1', 'int' ],
			[ '8_0', 'long long unsigned int' ], [ '8_1', 'long long int' ];
	laid_out(scalar $b->bytes, 'unnamed enums without values');
}

# Split BTF: the types of both; the base's have their names first.
{
	my $base = BTF->new;
	my $int = $base->int('int', 4, signed => 1);
	my $task = $base->struct('task', 4, [ [ 'pid', $int, 0 ] ]);
	my $split = BTF->new(base => BTF->read($base->bytes));
	my $same = $split->struct('same', 8, [ [ 't', $task, 0 ], [ 'n', $int, 32 ] ]);
	my $other = $split->struct('task', 8, [ [ 'own', $int, 0 ], [ 'x', $int, 32 ] ]);
	$split->struct("user$_", 8, [ [ 'p', $split->ptr($other), 0 ] ]) for 1 .. 5;
	put('base.btf', scalar $base->bytes);
	my $both = header_of(put('split.btf', scalar $split->bytes), '--base', scratch('base.btf'))->{out};
	compiles($both, 'split BTF on its base', code => <<'END');
_Static_assert(sizeof(struct task) == 4, "");
_Static_assert(sizeof(struct task___2) == 8, "");
_Static_assert(sizeof(struct same) == 8, "");
END
	my $shuffled = put('shuffled.btf', scalar $base->shuffled(3));
	laid_out(get(fixture('cases/split_base.btf')), 'a base alone');
	my $pair = header_of(fixture('cases/split_module.btf'), '--base', fixture('cases/split_base.btf'));
	is($pair->{status}, 0, 'a compiled pair');
	compiles($pair->{out}, 'a compiled pair');
}

# A module's part alone: on top of its base's header, and the base's part of both together is that
# header's text, whatever the module has.
{
	my $base = BTF->new;
	my $int = $base->int('int', 4, signed => 1);
	my $task = $base->struct('task', 4, [ [ 'pid', $int, 0 ] ]);
	$base->struct('task', 8, [ [ 'other', $base->ptr($task), 0 ] ]);
	# Aligned to 8 as far as the base knows.
	my $gap = $base->struct('gap', 8, [ [ 'n', $int, 0 ] ]);
	my $stage = $base->enum('stage', []);
	my $words = $base->enum('', [ [ 'WORD', 1 ] ]);
	$base->enum('values', [ [ 'TAKEN', 0 ], [ 'word_t', 1 ] ]);
	my $later = $base->fwd('later');
	$base->struct('uses', 24, [ [ 'l', $base->ptr($later), 0 ], [ 's', $base->ptr($stage), 64 ],
		[ 'g', $gap, 128 ] ]);
	$base->typedef('a::b', $int);
	my $kfunc = $base->func('of_base', $base->proto(0, []));
	$base->decl_tag('bpf_kfunc', $kfunc);
	my $split = BTF->new(base => BTF->read($base->bytes));
	$split->struct('later', 12, [ [ 'n', $int, 0 ], [ 'g', $gap, 32 ] ]);
	$split->enum('stage', [ [ 'FIRST', 0 ], [ 'TAKEN', 1 ] ]);
	$split->struct('task', 8, [ [ 'own', $int, 0 ], [ 'w', $words, 32 ] ]);
	$split->typedef('word_t', $int);
	$split->typedef('a..b', $int);
	my $own = $split->func('of_module', $split->proto(0, [ [ 't', $split->ptr($task) ] ]));
	$split->decl_tag('bpf_kfunc', $own);
	put('base.btf', scalar $base->bytes);
	put('my-mod.ko.btf', scalar $split->bytes);
	my @on_base = (scratch('my-mod.ko.btf'), '--base', scratch('base.btf'));
	my $vmlinux = header_of(scratch('base.btf'), '-q')->{out};
	put('vmlinux.h', $vmlinux);
	my $part = header_of(@on_base, '--without-base', '-q')->{out};
	like($part, qr/\A#ifndef __MY_MOD_H__\n.*#include "vmlinux\.h"\n.*#endif \/\* __MY_MOD_H__ \*\/\n\z/s,
		'--without-base: a guard of its own, and what it goes on from');
	# Packed around a struct that the base's header aligns: gcc warns, as is its right.
	my $quiet = qq(#ifndef __clang__\n#pragma GCC diagnostic ignored "-Wpacked-not-aligned"\n#endif\n);
	compiles($part, '--without-base: compiles on top of the base', before => $quiet, code => <<'END');
_Static_assert(sizeof(struct task) == 4, "");
_Static_assert(sizeof(struct task___3) == 8, "");
_Static_assert(sizeof(struct later) == 12, "");
_Static_assert(__builtin_offsetof(struct later, g) == 4, "");
_Static_assert(FIRST + 2 * TAKEN + 4 * TAKEN___2 + 8 * WORD + 16 * word_t == 28, "");
_Static_assert(sizeof(enum stage___2) + sizeof(a__b___3) + sizeof(word_t___2) == 12, "");
extern void of_base(void), of_module(struct task *);
END
	compiles($part, '--without-base: after the base under another name',
		before => $quiet . get(scratch('vmlinux.h')));
	unlike($part, qr/of_base|struct gap \{|struct uses|typedef int a__b___2/, '--without-base: nothing of the base');
	like($part, qr/\bof_module\(struct task \*/, '--without-base: kfuncs of its own');
	my $merged = header_of(@on_base, '-q')->{out};
	compiles($merged, 'both together', before => $quiet);
	my %has = map { $_ => 1 } split /\n/, $merged;
	is_deeply([ grep { !$has{$_} && !/stage___values|^struct later;/ } split /\n/, $vmlinux ], [],
		'both together: all that the base has, as it has it');
	refused(header_of($example, '--without-base'), '', qr/--base FILE/, '--without-base: no base');
	my $only = header_of(@on_base, '--without-base', '--only', 'struct later', '-q')->{out};
	compiles($only, '--without-base --only: compiles', before => $quiet);
	is_deeply([ $only =~ /^(?:struct|typedef|enum) (\w+)/mg ], ['later'], '--without-base --only: no more');
	put('same.btf', scalar BTF->new(base => BTF->read($base->bytes))->bytes);
	compiles(header_of(scratch('same.btf'), '--base', scratch('base.btf'), '--without-base')->{out},
		'--without-base: nothing to add');
}

# --baseline: the order of an older header, or BTF.
{
	my $graph = sub {
		my ($is_new) = @_;
		my $btf = BTF->new;
		my $int = $btf->int('int', 4, signed => 1);
		my $number = $btf->typedef('number', $int);
		my $z = $btf->struct('z_part', 8, [ [ 'x', $number, 0 ], [ 'y', $int, 32 ] ]);
		my @big = map { [ "m$_", $int, 32 * $_ ] } 0 .. 30;
		# Without the part, its place by name is the last; with it, before who holds it.
		push @big, $is_new ? [ 'part', $z, 32 * 31 ] : [ 'gone', $int, 32 * 31 ];
		$btf->struct('a_holder', $is_new ? 132 : 128, \@big);
		$btf->struct($_, 4, [ [ 'a', $int, 0 ] ]) for qw(b c d x y);
		$btf->struct('bb_new', 4, [ [ 'n', $int, 0 ] ]) if $is_new;
		$btf->typedef('a_new', $int) if $is_new;
		$btf->enum('', [ [ 'first', 0 ] ]);
		return scalar $btf->bytes;
	};
	my ($old, $new) = map { put("$_.btf", $graph->($_ eq 'new')) } qw(old new);
	my $old_header = put('old.h', header_of($old)->{out});
	my $kept = header_of($new, '--baseline', $old_header);
	quiet($kept, '--baseline');
	compiles($kept->{out}, '--baseline: compiles');
	my @names = $kept->{out} =~ /^struct (\w+) \{$/mg;
	is_deeply(\@names, [qw(z_part a_holder b bb_new c d x y)], '--baseline: in the older order');
	is(header_of($new, '--baseline', $old)->{out}, $kept->{out}, '--baseline: of a BTF too');
	is(header_of($old, '--baseline', $old_header)->{out}, get($old_header),
		'--baseline: itself changes nothing');
	# An order that this program would not choose.
	(my $turned = get($old_header)) =~ s/^(struct b \{\n.*?\n\};\n)(struct c \{\n.*?\n\};\n)/$2$1/ms;
	is(header_of($old, '--baseline', put('turned.h', $turned))->{out}, $turned,
		'--baseline: whatever that order is');
	refused(header_of($old, '--baseline', scratch('nowhere.h')), '', qr/nowhere\.h/,
		'--baseline: no such file');

	# Kinds and names that were once mixed: typedef s and struct t, struct w and enumerator r.
	my $near = BTF->new;
	my $word = $near->int('int', 4, signed => 1);
	$near->typedef('s', $word);
	$near->struct($_, 4, [ [ 'm', $word, 0 ] ]) for qw(a q t v w);
	$near->enum('', [ [ 'r', 0 ] ]);
	my $near_btf = put('near.btf', $near->bytes);
	my $near_header = header_of($near_btf)->{out};
	like($near_header, qr/typedef int s;.*struct t/s, '--baseline: names that differ little');
	is(header_of($near_btf, '--baseline', put('near.h', $near_header))->{out}, $near_header,
		'--baseline: each stays in place, whatever its kind and name are together');
}

# --only: these, what they need, and no more.
{
	my $btf = BTF->new;
	my $int = $btf->int('int', 4, signed => 1);
	my $u32 = $btf->typedef('u32', $int);
	my $fn = $btf->typedef('fn_t', $btf->ptr($btf->proto(0, [ [ '', $u32 ] ])));
	my $state = $btf->enum('state', [ [ 'OFF', 0 ] ]);
	my $part = $btf->struct('part', 4, [ [ 's', $state, 0 ] ]);
	my $far = $btf->struct('far', 4, [ [ 'n', $btf->typedef('s32', $int), 0 ] ]);
	my $main = $btf->struct('sk_main', 24, [ [ 'p', $part, 0 ], [ 'f', $fn, 64 ],
		[ 'far', $btf->ptr($far), 128 ] ]);
	$btf->typedef('sk_t', $main);
	$btf->struct('sk_other', 4, [ [ 'n', $int, 0 ] ]);
	my $file = put('only.btf', scalar $btf->bytes);
	my $some = header_of($file, '--only', 'struct sk_main')->{out};
	compiles($some, '--only: compiles', code => "_Static_assert(sizeof(struct sk_main) == 24, \"\");\n");
	my @defined = $some =~ /^(?:struct|enum) (\w+) \{$|^typedef .*?(\w+)(?:\)\(u32\))?;$/mg;
	is(join(' ', sort grep { defined } @defined), 'fn_t part sk_main state u32', '--only: what is needed');
	like($some, qr/^struct far;$/m, '--only: what is pointed to is declared');
	my $list = header_of($file, '--only', 'far,sk_*')->{out};
	like($list, qr/^$_/m, "--only: a list of globs: $_")
		for 'struct far \{', 'struct sk_other \{', 'typedef struct sk_main sk_t;';
	unlike(header_of($file, '--only=typedef sk_*')->{out}, qr/sk_other/, '--only: of one kind');
	refused(header_of($file, '--only', 'nothing_*'), '', qr/'nothing_\*'/, '--only: a name that is not there');
}

# scripts/full-circle, for fixtures of gcc and clang; a struct that is not laid out so is found.
SKIP: {
	my $script = repository() . '/scripts/full-circle';
	my $circle = sub { run($script, @_, { memory_mb => 0, env => { BTFCANON => program() } }) };
	my $gcc = join ' ', wide_gcc();
	skip 'no gcc here for a little-endian machine of 64 bits', 1 if !$gcc || pack('S', 1) ne "\1\0";
	for my $fixture (qw(header/packed.gcc header/bitfields.gcc cases/zeros.gcc cases/cycles.bpfel)) {
		my $result = $circle->(fixture("$fixture.btf"), "$gcc -std=gnu11");
		is($result->{status}, 0, "full circle: $fixture") || diag($result->{out});
		like($result->{out}, qr/^the circle is closed$/m, "full circle: $fixture: says so");
	}
	my $differs = $circle->(fixture('header/packed.gcc.btf'), "$gcc -std=gnu11 -fpack-struct");
	is($differs->{status}, 1, 'full circle: another layout');
	like($differs->{out}, qr/^LOST:\nstruct natural/m, 'full circle: what differs');
	skip 'clang-16 is not installed', 1 if !have('clang-16');
	my $btf = BTF->new;
	my $bool = $btf->typedef('bool', $btf->int('_Bool', 1, encoding => 4));
	$btf->struct('holds', 1, [ [ 'it', $bool, 0 ] ]);
	$btf->enum('', [ [ 'false', 0 ], [ 'true', 1 ] ]);
	my $c23 = $circle->(put('c23.btf', scalar $btf->bytes), 'clang-16 -std=gnu2x');
	like($c23->{out}, qr/C23 has them itself\n(?:.*\n)*the circle is closed/, 'full circle: C23')
		|| diag($c23->{out} . $c23->{err});
}

# Changes stay where they are. A random graph of structs, some of which hold others; a member is
# added to one of them: the lines that change are that struct's. Where small and nearly equal structs
# hold each other, as here, one in fifteen is then large enough to keep a place that it did not.
sub graph_with {
	my ($seed, $changed, $kind) = @_;
	srand $seed;
	my $btf = BTF->new;
	my $int = $btf->int('int', 4, signed => 1);
	my $count = 40;
	my (@id, @size, %is_tied);
	my @order = sort { $a->[0] <=> $b->[0] } map { [ rand, $_ ] } 0 .. $count - 1;
	my @names = map { sprintf 's%02d', $_->[1] } @order;
	my @pointer = map { $btf->ptr($btf->fwd("p$_")) } 0 .. 3;
	for my $i (0 .. $count - 1) {
		my ($at, @members) = (0);
		for my $m (0 .. 1 + CORE::int rand 6) {
			my $what = CORE::int rand 10;
			my $other = CORE::int rand($i || 1);
			if ($what < 3 && $i && $size[$other] < 400) {
				$at += -$at % 8;
				push @members, [ "m$m", $id[$other], $at * 8 ];
				$at += $size[$other];
				$is_tied{$_}++ for $i, $other;
			} elsif ($what < 6) {
				$at += -$at % 8;
				push @members, [ "m$m", $pointer[ rand 4 ], $at * 8 ];
				$at += 8;
			} else {
				push @members, [ "m$m", $int, $at * 8 ];
				$at += 4;
			}
		}
		$at += -$at % 8;
		if ($i == $changed) {
			push @members, [ 'added', $kind eq 'scalar' ? $int : $pointer[0], $at * 8 ];
			$at += 8;
		}
		$size[$i] = $at;
		$id[$i] = $btf->struct($names[$i], $at, \@members);
	}
	return (scalar $btf->bytes, $names[$changed < 0 ? 0 : $changed], $is_tied{$changed});
}

# The definitions of a header, by name, and the order of names.
sub parts {
	my ($header) = @_;
	my @order = $header =~ /^struct (\w+) \{$/mg;
	my %body = $header =~ /^struct (\w+) \{\n(.*?^\}[^\n]*\n)/msg;
	return \@order, \%body;
}

my $moves = 0;
for my $seed (1 .. 40) {
	my $kind = $seed % 2 ? 'scalar' : 'pointer';
	my $which = $seed * 3 % 40;
	my ($before) = graph_with($seed, -1, $kind);
	my ($after, $name, $is_tied) = graph_with($seed, $which, $kind);
	my ($old_order, $old) = parts(header($before, '-q'));
	my ($new_order, $new) = parts(header($after, '-q'));
	my $moved = "@$new_order" ne "@$old_order";
	$moves += $moved;
	ok(!$moved, "seed $seed: a $kind added to $name moves nothing") if !$is_tied;
	my @changed = grep { $old->{$_} ne $new->{$_} } sort keys %$old;
	is_deeply(\@changed, [$name], "seed $seed: a $kind added to $name changes that struct only");
}
cmp_ok($moves, '<=', 4, 'and hardly ever moves another');

done_testing;
