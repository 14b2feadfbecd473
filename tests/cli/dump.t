#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# dump: text without ids, the same for every order of ids, exact with --full.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;

# One of every kind; a struct with a bitfield that points at itself and holds an unnamed one.
sub rich {
	my ($big) = @_;
	return BTF::build([
		int   => sub { $_[0]->int('int', 4, signed => 1) },
		long  => sub { $_[0]->int('unsigned long', 8) },
		char  => sub { $_[0]->int('char', 1, encoding => 3) },
		inner => sub { $_[0]->struct('', 8, [ [ 'x', $_[1]{int}, 0 ],
			[ 'y', $_[1]{int}, 32 ] ]) },
		text  => sub { $_[0]->array($_[1]{char}, $_[1]{int}, 16) },
		next  => sub { $_[0]->ptr($_[1]{node}) },
		node  => sub {
			$_[0]->struct('node', 40, [ [ 'next', $_[1]{next}, 0, 0 ],
				[ 'at', $_[1]{inner}, 64, 0 ],
				[ 'name', $_[1]{text}, 128, 0 ], [ 'flags', $_[1]{int}, 256, 3 ] ]);
		},
		value => sub { $_[0]->union('value', 8,
			[ [ 'n', $_[1]{int}, 0 ], [ 'l', $_[1]{long}, 0 ] ]) },
		color => sub { $_[0]->enum('color', [ [ 'RED', 0 ], [ 'BLUE', -1 ] ],
			signed => 1) },
		wide  => sub { $_[0]->enum64('wide', [ [ 'HUGE', 1 << 40 ] ]) },
		proto => sub { $_[0]->proto($_[1]{int}, [ [ 'count', $_[1]{long} ], [ '', 0 ] ]) },
		print => sub { $_[0]->func('print', $_[1]{proto}, 1) },
		state => sub { $_[0]->var('state', $_[1]{long}, 0) },
		data  => sub { $_[0]->datasec('.data', 8, [ [ $_[1]{state}, 16, 8 ] ]) },
		node_t    => sub { $_[0]->typedef('node_t', $_[1]{node}) },
		elsewhere => sub { $_[0]->fwd('elsewhere') },
		double    => sub { $_[0]->float('double', 8) },
		kfunc     => sub { $_[0]->decl_tag('kfunc', $_[1]{print}) },
		user      => sub { $_[0]->type_tag('user', $_[1]{int}) },
		to_user   => sub { $_[0]->ptr($_[1]{user}) },
	], big => $big);
}

in_both_orders(sub {
	my ($big, $name) = @_;
	my $b = rich($big);
	my $path = put('rich.btf', $b->bytes);
	my $dump = btfcanon('dump', $path);
	is($dump->{status}, 0, "$name: dump") || diag($dump->{err});
	is($dump->{err}, '', "$name: not a word on standard error");
	for my $word (qw(int unsigned char node next name flags value color RED BLUE wide HUGE print count state node_t elsewhere double kfunc .data)) {
		like($dump->{out}, qr/(?<!\w)\Q$word\E(?!\w)/, "$name: shows $word");
	}
	unlike($dump->{out}, qr/[^\t\n\x20-\x7e]/, "$name: plain text");
	like($dump->{out}, qr/\n\z/, "$name: whole lines");
	unlike($dump->{out}, qr/\[\d+\] |type_id|\bid=/, "$name: no ids");

	for my $seed (1 .. 5) {
		my $shuffled = put('shuffled.btf', $b->shuffled($seed));
		is(btfcanon('dump', $shuffled)->{out}, $dump->{out},
			"$name: shuffle $seed: the same text");
		is(btfcanon('dump', '--full', $shuffled)->{out},
			btfcanon('dump', '--full', $path)->{out},
			"$name: shuffle $seed: the same full text");
	}
	my $sorted = put('sorted.btf', sort_bytes($b->bytes));
	is(btfcanon('dump', $sorted)->{out}, $dump->{out}, "$name: sorted: the same text");

	# Where it goes.
	is(btfcanon('dump', '-', { stdin_from => $path })->{out}, $dump->{out},
		"$name: from standard input");
	quiet(btfcanon('dump', $path, '-o', scratch('dump.txt')), "$name: -o");
	is(get(scratch('dump.txt')), $dump->{out}, "$name: -o: the same text");
	put('dump.txt', 'old');
	refused(btfcanon('dump', '-o', scratch('dump.txt'), put('bad.btf', 'bad')),
		scratch('bad.btf'), qr/./, "$name: a damaged input");
	is(get(scratch('dump.txt')), 'old', "$name: leaves the old text");

	# --full is exact: any change to the graph shows, and byte order is in its first line.
	my $full = btfcanon('dump', '--full', $path);
	is($full->{status}, 0, "$name: dump --full");
	like($full->{out}, qr/\A#btf\b/, "$name: begins with #btf");
	my ($first, $rest) = $full->{out} =~ /\A([^\n]*)\n(.*)\z/s;
	my ($other_first, $other_rest) = btfcanon('dump', '--full',
		put('other.btf', rich(!$big)->bytes))->{out} =~ /\A([^\n]*)\n(.*)\z/s;
	isnt($other_first, $first, "$name: the first line tells the byte order");
	is($other_rest, $rest, "$name: the rest does not depend on it");
	my @changes = (
		[ 'a member name',      sub { $_[0]->one('UNION')->{names}[0] = 'm' } ],
		[ 'a member offset',    sub { $_[0]->one('UNION')->{nums}[0] = 1 } ],
		[ 'a bitfield width',
			sub { $_[0]->one('STRUCT', 'node')->{nums}[3] = 256 | 4 << 24 } ],
		[ 'a size',             sub { $_[0]->one('UNION')->{size} = 16 } ],
		[ 'an encoding',        sub { $_[0]->one('INT', 'char')->{fixed} ^= 1 << 24 } ],
		[ 'bits of an int',     sub { $_[0]->one('INT', 'unsigned long')->{fixed} = 63 } ],
		[ 'a value',            sub { $_[0]->one('ENUM')->{nums}[0] = 7 } ],
		[ 'a sign',             sub { $_[0]->one('ENUM64')->{kflag} = 1 } ],
		[ 'a value of 64 bits', sub { $_[0]->one('ENUM64')->{nums}[1] = 1 } ],
		[ 'an element count',   sub { $_[0]->one('ARRAY')->{fixed} = 17 } ],
		[ 'a linkage',          sub { $_[0]->one('FUNC')->{vlen} = 0 } ],
		[ 'a variable\'s linkage', sub { $_[0]->one('VAR')->{fixed} = 1 } ],
		[ 'a section offset',   sub { $_[0]->one('DATASEC')->{nums}[0] = 24 } ],
		[ 'a section size',     sub { $_[0]->one('DATASEC')->{size} = 9 } ],
		[ 'a parameter name',   sub { $_[0]->one('FUNC_PROTO')->{names}[0] = 'n' } ],
		[ 'a tag',              sub { $_[0]->one('DECL_TAG')->{name} = 'ktag' } ],
		[ 'a tag\'s component', sub { $_[0]->one('DECL_TAG')->{fixed} = 0 } ],
		[ 'a tag\'s kind_flag', sub { $_[0]->one('DECL_TAG')->{kflag} = 1 } ],
		[ 'a type tag',         sub { $_[0]->one('TYPE_TAG')->{name} = 'rcu' } ],
		[ 'a type tag\'s kind_flag', sub { $_[0]->one('TYPE_TAG')->{kflag} = 1 } ],
		[ 'a forward\'s class', sub { $_[0]->one('FWD')->{kflag} = 1 } ],
		[ 'a float\'s size',    sub { $_[0]->one('FLOAT')->{size} = 4 } ],
		[ 'a typedef\'s type',  sub { $_[0]->one('TYPEDEF')->{refs}[0] = 1 } ],
		[ 'an index type',      sub { $_[0]->one('ARRAY')->{refs}[1] = 2 } ],
		[ 'one type more',      sub { $_[0]->ptr(0) } ],
		[ 'one unnamed type more', sub { $_[0]->const($_[0]->ptr(2)) } ],
	);
	my %seen = ($rest => 'nothing');
	for my $change (@changes) {
		my ($what, $code) = @$change;
		my $changed = rich($big);
		$code->($changed);
		my $text = btfcanon('dump', '--full', put('changed.btf', $changed->bytes));
		my ($body) = $text->{out} =~ /\A[^\n]*\n(.*)\z/s;
		is($text->{status}, 0, "$name: $what changed: dump --full");
		ok(!$seen{ $body // '' }, "$name: $what changed: it shows")
			|| diag('same text as with ' . $seen{ $body // '' } . ' changed');
		$seen{ $body // '' } = $what;
	}

	# Offsets in sections are the linker's and change with every build: only --full has them.
	my $moved = rich($big);
	$moved->one('DATASEC')->{nums}[0] = 24;
	is(btfcanon('dump', put('moved.btf', $moved->bytes))->{out}, $dump->{out},
		"$name: dump leaves section offsets out");

	# One member more is one line more, wherever ids go.
	my $more = rich($big);
	my $union = $more->one('UNION');
	push @{ $union->{names} }, 'more';
	push @{ $union->{nums} }, 0;
	push @{ $union->{refs} }, 1;
	$union->{vlen}++;
	my @before = split /\n/, $dump->{out};
	my @after = split /\n/, btfcanon('dump', put('more.btf', $more->bytes))->{out};
	my %count;
	$count{$_}++ for @after;
	$count{$_}-- for @before;
	is(scalar(grep { $_ > 0 } values %count), 1, "$name: a member more: one new line")
		|| diag(join "\n", grep { $count{$_} } keys %count);
	is(scalar(grep { $_ < 0 } values %count), 0, "$name: a member more: no line less");
});

# Several definitions of one name: numbered, the most used one plain, whatever the ids.
{
	my $b = BTF->new;
	my $int = $b->int('int', 4);
	my $small = $b->struct('thing', 4, [ [ 'a', $int, 0 ] ]);
	my $used = $b->struct('thing', 8, [ [ 'b', $int, 0 ], [ 'c', $int, 32 ] ]);
	$b->struct('user', 16, [ [ 'p', $b->ptr($used), 0 ], [ 'q', $b->ptr($small), 64 ] ]);
	$b->const($used);
	my $dump = btfcanon('dump', put('names.btf', $b->bytes));
	like($dump->{out}, qr/struct thing\b(?!___)/, 'the first definition has the plain name');
	like($dump->{out}, qr/struct thing___2\b/, 'the second a suffix');
	like($dump->{out}, qr/thing \*\s*p\b|\bp\b.*struct thing \*/,
		'the most used one is the first');
	like($dump->{out}, qr/thing___2 \*\s*q\b|\bq\b.*struct thing___2 \*/,
		'and a reference to the other says so');
	is(btfcanon('dump', put('names.btf', $b->shuffled(5)))->{out}, $dump->{out},
		'whatever the ids');
}

# Loops that C cannot write still end.
{
	my $b = BTF->new;
	$b->typedef('T', 2);
	$b->ptr(1);
	$b->ptr(3);
	$b->struct('', 8, [ [ 'n', 5, 0 ] ]);
	$b->ptr(4);
	$b->proto(0, [ [ 'again', 7 ] ]);
	$b->ptr(6);
	my $dump = btfcanon('dump', '-q', put('loops.btf', $b->bytes), { seconds => 10 });
	is($dump->{status}, 0, 'loops end');
	my $full = btfcanon('dump', '-q', '--full', put('loops.btf', $b->bytes), { seconds => 10 });
	is($full->{status}, 0, 'with --full too');
	is(btfcanon('dump', '-q', '--full', put('loops.btf', $b->shuffled(2)))->{out}, $full->{out},
		'and say the same in any order');
}

# git shows text instead of "Binary files differ".
SKIP: {
	skip 'git is not installed', 2 if !have('git');
	my $folder = scratch('repository');
	mkdir $folder or die;
	my $git = sub {
		return run('git', '-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c',
			'init.defaultBranch=main', @_,
			{ dir => $folder, env => { HOME => $folder, GIT_CONFIG_NOSYSTEM => 1,
				GIT_CONFIG_GLOBAL => "$folder/.gitconfig" } });
	};
	$git->('init', '-q');
	put("$folder/.gitattributes", "*.btf diff=btf\n");
	$git->('config', 'diff.btf.textconv', "'" . program() . "' dump");
	put("$folder/a.btf", sort_bytes(rich(0)->bytes));
	$git->('add', '.');
	$git->('commit', '-q', '-m', 'one');
	my $more = rich(0);
	push @{ $more->one('ENUM')->{names} }, 'GREEN';
	push @{ $more->one('ENUM')->{nums} }, 5;
	$more->one('ENUM')->{vlen}++;
	put("$folder/a.btf", sort_bytes($more->bytes));
	my $diff = $git->('diff', '--no-color');
	my @changed = grep { /^[-+][^-+]/ } split /\n/, $diff->{out};
	is(scalar @changed, 1, 'git diff of a checked-in BTF: one line')
		|| diag($diff->{out}, $diff->{err});
	like($changed[0] // '', qr/^\+.*\bGREEN\b/, 'which is the new value');
}

done_testing;
