#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# sort: merging inputs, --dedup, --base, pipes.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;

sub part {
	my ($big, $n) = @_;
	my $b = BTF->new(big => $big);
	my $int = $b->int('int', 4, signed => 1);
	$b->struct("only$n", 8, [ [ "m$n", $int, 0 ], [ 'p', $b->ptr($b->fwd('shared')), 0 ] ],
		nums => [ 0, 0 ]);
	$b->struct('shared', 4, [ [ 'n', $int, 0 ] ]) if $n == 2;
	$b->struct("conflict", 4 * $n, [ [ 'c', $int, 0 ] ]);
	my $v = $b->var("v$n", $int);
	$b->datasec('.data', 4, [ [ $v, 0, 4 ] ]);
	return $b;
}

in_both_orders(sub {
	my ($big, $name) = @_;
	my @parts = map { part($big, $_) } 1 .. 3;
	my @files = map { put("part$_-$name.btf", $parts[ $_ - 1 ]->bytes) } 1 .. 3;
	for my $order (qw(canonical name)) {
		my $model = BTFModel::canonical(BTFModel::joined(@parts), dedup => 1,
			order => $order)->bytes;
		for my $turn ([ 0, 1, 2 ], [ 2, 1, 0 ], [ 1, 2, 0 ], [ 0, 0, 1, 2, 2 ]) {
			my $result = btfcanon('sort', "--order=$order", @files[@$turn]);
			quiet($result, "$name: merge @$turn, $order order");
			same_bytes($result->{out}, $model, "$name: the model's bytes");
		}
	}
	my $twice = btfcanon('sort', $files[0], $files[0]);
	same_bytes($twice->{out}, btfcanon('sort', '--dedup', $files[0])->{out},
		"$name: an input twice is that input");
	my $piped = btfcanon('sort', $files[0], '-', { stdin_from => $files[1] });
	same_bytes($piped->{out}, btfcanon('sort', @files[ 0, 1 ])->{out},
		"$name: one of several inputs from standard input");
	refused(btfcanon('sort', $files[0], '/no/such'), '/no/such', qr/No such file/,
		"$name: one of several is not there");
	my $bad = put('bad.btf', 'bad');
	refused(btfcanon('sort', $files[0], $bad, $files[1]), $bad, qr/./,
		"$name: one of several is damaged");

	my $other = put("other-$name.btf", part(!$big, 1)->bytes);
	refused(btfcanon('sort', $files[0], $other), $other, qr/byte order/,
		"$name: two byte orders do not merge");
	refused(btfcanon('sort', $other, $files[0]), $files[0], qr/byte order/,
		"$name: two byte orders do not merge, the other way");

	# Byte order stays that of the input.
	my $read = BTF->read(btfcanon('sort', $files[0])->{out});
	is($read->{big}, $big ? 1 : '', "$name: byte order is kept") if $big;
	is($read->{big} ? 1 : 0, $big, "$name: byte order is kept");

	# Pipes.
	my $sorted = btfcanon('sort', $files[1])->{out};
	same_bytes(btfcanon('sort', '-', { stdin_from => $files[1] })->{out}, $sorted,
		"$name: sort - of a file");
	my $shell = sub {
		my ($line) = @_;
		return run('bash', '-o', 'pipefail', '-c', $line, 'run', program(), $files[1]);
	};
	same_bytes($shell->('cat "$2" | "$1" sort -')->{out}, $sorted, "$name: sort - in a pipe");
	same_bytes($shell->('cat "$2" | "$1" sort - | cat')->{out}, $sorted,
		"$name: sort - in the middle of a pipe");
	same_bytes($shell->('"$1" sort <"$2" -')->{out}, $sorted, "$name: - for redirected input");
	same_bytes($shell->('"$1" sort <(cat "$2")')->{out}, $sorted,
		"$name: a named pipe as input");
	same_bytes($shell->('"$1" sort "$2" | "$1" sort - | "$1" sort -')->{out}, $sorted,
		"$name: sorted again and again");
	is($shell->('"$1" sort "$2" | "$1" check -')->{status}, 0, "$name: checked in a pipe");
	refused(btfcanon('sort', '-'), 'standard input', qr/./, "$name: empty standard input");
	my $closed = $shell->('exec <&-; "$1" sort -');
	is($closed->{status}, 2, "$name: closed standard input");

	# Duplicates merge, also without --dedup, and forwards stay without it.
	my $twins = BTF->new(big => $big);
	$twins->int('int', 4) for 1 .. 3;
	$twins->ptr($_) for 1 .. 3;
	$twins->fwd('f');
	$twins->struct('f', 4, [ [ 'n', 2, 0 ] ]);
	is(join(' ', map { $_->{kind} } BTF->read(sort_bytes($twins->bytes))->types), '1 2 4 7',
		"$name: duplicates merge, forwards stay");
	is(join(' ', map { $_->{kind} } BTF->read(sort_bytes($twins->bytes, '--dedup'))->types),
		'1 2 4', "$name: --dedup settles forwards");

	# A tag makes a type another one; a tag on one of two twins keeps them apart.
	my $tagged = BTF->new(big => $big);
	my $int = $tagged->int('int', 4);
	my @s = map { $tagged->struct('s', 8, [ [ 'a', $int, 0 ], [ 'b', $int, 32 ] ]) } 1 .. 5;
	$tagged->decl_tag('x', $s[0]);
	$tagged->decl_tag('x', $s[1], 0);
	$tagged->decl_tag('x', $s[2], 1);
	$tagged->decl_tag('x', $s[2], 1);
	$tagged->decl_tag('y', $s[3]);
	$tagged->decl_tag('x', $s[3]);
	$tagged->ptr($_) for @s;
	my $apart = canonical_is($tagged->bytes, "$name: twins told apart by tags");
	is(scalar(() = BTF->read($apart)->find('STRUCT')), 5,
		"$name: five structs of one text, five sets of tags");
	is(scalar(() = BTF->read($apart)->find('DECL_TAG')), 5, "$name: a tag said twice is one");
	same_bytes(sort_bytes($tagged->shuffled($_)), $apart, "$name: tags: shuffle $_") for 1 .. 5;
	my $flagged = BTF->new(big => $big);
	my @t = map { $flagged->typedef('T', 0) } 1 .. 2;
	$flagged->decl_tag('x', $t[0]);
	$flagged->decl_tag('x', $t[1], -1, kflag => 1);
	is(scalar(() = BTF->read(canonical_is($flagged->bytes,
		"$name: an attribute is another tag"))->find('TYPEDEF')), 2,
		"$name: kind_flag of a tag tells twins apart");

	# Nothing at all is BTF too.
	my $nothing = BTF->new(big => $big)->bytes;
	same_bytes(sort_bytes($nothing), $nothing, "$name: no types");
	is(check_bytes($nothing)->{status}, 0, "$name: no types are canonical");
});

# Random small graphs, every kind, cycles and twins: the model's bytes, whatever the order of ids.
sub random_btf {
	my ($seed) = @_;
	srand $seed;
	my $pick = sub { return $_[ int rand @_ ] };
	my $name = sub { return $pick->('', qw(a b c)) };
	my $b = BTF->new(big => $pick->(0, 1));
	my $count = 3 + int rand 30;
	# Ids of values, of types to point at, of what tags go on; chosen before they exist.
	my @kind = map { $pick->(qw(int ptr ptr struct struct union enum fwd typedef const array proto func var float tag enum64)) } 1 .. $count;
	$kind[0] = 'int';
	my @value = grep { $kind[ $_ - 1 ] =~ /^(int|ptr|enum|float|enum64)$/ } 1 .. $count;
	my @type = (0, grep { $kind[ $_ - 1 ] !~ /^(func|var)$/ } 1 .. $count);
	my @proto = grep { $kind[ $_ - 1 ] eq 'proto' } 1 .. $count;
	for my $id (1 .. $count) {
		my $kind = $kind[ $id - 1 ];
		my $behind = sub { my @later = grep { $_ > $id
			&& $kind[ $_ - 1 ] =~ /^(struct|union|array|typedef|const|tag)$/ } @value,
			1 .. $count; return $pick->(@value,
			@later[ 0 .. ($#later < 2 ? $#later : 2) ]) };
		if ($kind eq 'int') { $b->int($pick->(qw(int long)), $pick->(4, 8)) }
		elsif ($kind eq 'ptr') { $b->ptr($pick->(@type)) }
		elsif ($kind =~ /^(struct|union)$/) {
			my @members = map { [ $name->(), $pick->(@value), 0 ] } 1 .. int rand 3;
			$b->struct($name->(), $pick->(8, 16), \@members, kind => $kind eq 'union'
				? BTF::UNION : BTF::STRUCT);
		}
		elsif ($kind eq 'enum') { $b->enum($name->(),
			[ map { [ $name->(), int rand 2 ] } 1 .. int rand 3 ],
			signed => $pick->(0, 1)) }
		elsif ($kind eq 'enum64') { $b->enum64($name->(),
			[ map { [ $name->(), int(rand 2) << 40 ] } 1 .. int rand 3 ]) }
		elsif ($kind eq 'fwd') { $b->fwd($pick->(qw(a b)), union => $pick->(0, 1)) }
		elsif ($kind eq 'typedef') { $b->typedef($pick->(qw(a b)), $pick->(@value)) }
		elsif ($kind eq 'const') { $b->const($pick->(0, @value)) }
		elsif ($kind eq 'array') { $b->array($pick->(@value), 1, int rand 2) }
		elsif ($kind eq 'proto') { $b->proto($pick->(0, @value),
			[ map { [ $name->(), $pick->(@value) ] } 1 .. int rand 2 ]) }
		elsif ($kind eq 'func') { @proto ? $b->func($pick->(qw(f g)), $pick->(@proto),
			int rand 2) : $b->int('int', 4) }
		elsif ($kind eq 'var') { $b->var($pick->(qw(v w)), $pick->(@value), int rand 2) }
		elsif ($kind eq 'float') { $b->float($pick->(qw(float double)), $pick->(4, 8)) }
		else { $b->type_tag($pick->(qw(user rcu)), $pick->(@value)) }
	}
	my @vars = $b->ids(sub { $_->{kind} == BTF::VAR });
	$b->datasec($pick->('.data', '.bss'), 64,
		[ map { [ $_, 0, 4 ] } grep { rand() < 0.7 } @vars ]) for 1 .. int rand 3;
	for my $id ($b->ids(sub { $_->{kind} =~ /^(4|5|8|12|14)$/ })) {
		$b->decl_tag($pick->(qw(x y)), $id) if rand() < 0.3;
	}
	return $b;
}

my @wrong;
for my $seed (1 .. 150) {
	my $b = random_btf($seed);
	my $bytes = $b->bytes;
	my @settle = $seed % 3 ? () : '--dedup';
	my $order = $seed % 2 ? 'canonical' : 'name';
	my $model = BTFModel::canonical(BTF->read($bytes), order => $order,
		dedup => scalar @settle)->bytes;
	my $got = btfcanon('sort', '-q', @settle, "--order=$order",
		put('random.btf', $b->shuffled($seed)));
	push @wrong, "$seed" if $got->{out} ne $model;
}
is("@wrong", '', 'random graphs: the model\'s bytes (seeds 1 to 150)');

done_testing;
