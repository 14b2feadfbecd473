#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Kernel functions that BPF programs may call are listed in .BTF_ids: encode gives them the tags that
# say so. Only sets with flags whose own flags say that they hold such functions count.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Image qw(function in_register);
use TestUtil;

our $base = 0x3000; # where .BTF_ids is; in relocatable files sections have no address

# Words and the symbols before them: [symbol, size] or a number.
sub ids {
	my ($image, @items) = @_;
	my $bytes = '';
	for my $item (@items) {
		if (ref $item) {
			$image->symbol($item->[0], $base + length $bytes, $item->[1],
				section => '.BTF_ids', type => 'object', bind => 'local');
		} else {
			$bytes .= pack $image->{big} ? 'N' : 'V', $item;
		}
	}
	return $bytes;
}

sub set8 { return ([ "__BTF_ID__set8__$_[0]", 8 + 8 * $_[2] ], $_[2], $_[1]) }
sub func { return ([ "__BTF_ID__func__$_[0]", 4 ], 0, $_[1]) }

sub make {
	my ($big, $edit, @items) = @_;
	my ($type, $text) = $base ? (2, 0x1000) : (1, 0);
	my $image = Image->new(big => $big, machine => $big ? 22 : 62, type => $type);
	my @names = qw(kf_a kf_b kf_c kf_2__3 plain);
	for my $unit (0, 1) {
		$image->unit(map { function($names[$_], { low_pc => $text + 16 + 16 * $_ },
			[ p => \'box*', location => in_register($big ? 2 : 5) ]) } $unit ? (3, 4) : (0 .. 2));
	}
	$image->symbol($names[$_], $text + 16 + 16 * $_, 16) for 0 .. $#names;
	my $bytes = $edit->(ids($image, @items));
	$image->section('.text', $text, "\0" x 0x1000, flags => 6);
	$image->section('.BTF_ids', $base, $bytes);
	return $image;
}

sub tags {
	my ($bytes) = @_;
	my $btf = BTF->read($bytes);
	return join ' ', sort map {
		$btf->type($_->{refs}[0])->{name} . ":$_->{name}:" . $_->{fixed}
	} $btf->find('DECL_TAG');
}

sub tags_are {
	my ($big, $name, $expected, $edit, @items) = @_;
	my $image = make($big, $edit, @items);
	my $result = btfcanon('encode', '-q', put('ids.elf', $image->elf));
	is($result->{status}, 0, "$name: encoded") || diag($result->{err});
	is(tags($result->{out}), $expected, "$name: tags");
	is(scalar(() = BTF->read($result->{out})->find('FUNC')), 5, "$name: all functions are in");
	same_bytes(btfcanon('encode', '-q', put('ids.elf', $image->elf(1, 0)))->{out},
		$result->{out}, "$name: units in the other order");
	return $result->{out};
}

# Pointers and tags from the outside in, then what they lead to.
sub spelled {
	my ($btf, $id) = @_;
	my @words;
	while ($id) {
		my $type = $btf->type($id);
		push @words, $type->{kflag} ? "<$type->{name}>" : $type->{name} || $BTF::KINDS[$type->{kind}];
		return "@words" if $type->{kind} != BTF::PTR && $type->{kind} != BTF::TYPE_TAG;
		$id = $type->{refs}[0];
	}
	return join ' ', @words, 'void';
}

# "result name(parameter; …)" of each function.
sub prototypes {
	my ($bytes) = @_;
	my $btf = BTF->read($bytes);
	return join ', ', map {
		my ($result, @parameters) = @{ $btf->type($_->{refs}[0])->{refs} };
		spelled($btf, $result) . " $_->{name}(" . join('; ', map { spelled($btf, $_) } @parameters) . ')';
	} sort { $a->{name} cmp $b->{name} } $btf->find('FUNC');
}

# Pointers into arenas are said by flags of kfuncs, and shown as a type attribute.
sub arenas_are {
	my ($big, $name, $expected, $left_out, $flags, @functions) = @_;
	my $image = Image->new(big => $big, machine => $big ? 22 : 62);
	my @names = map { $_->[0] } @functions;
	my @dies = map {
		my ($function, $result, @parameters) = @$_;
		my $at = 0;
		function($function, { type => $result, low_pc => 0x1010 + 16 * index("@names", $function) },
			map { [ "p$at", $_, location => in_register($big ? 2 + $at++ : (5, 4, 1)[ $at++ ]) ] }
				@parameters);
	} @functions;
	$image->unit([ typedef => { label => 'handle', name => 'handle', type => \'box*' } ],
		[ pointer_type => { label => 'void*', byte_size => 8 } ], $_) for @dies;
	$image->symbol($_, 0x1010 + 16 * index("@names", $_), 16) for @names;
	my @flagged = sort keys %$flags;
	my $bytes = ids($image, set8('kfuncs', 1, scalar @flagged),
		map { func("${_}__1", $flags->{$_}) } @flagged);
	$image->section('.text', 0x1000, "\0" x 0x1000, flags => 6);
	$image->section('.BTF_ids', $base, $bytes);
	my $path = put('arena.elf', $image->elf);
	my $result = btfcanon('encode', '--features=+attributes', $path);
	is($result->{status}, 0, "$name: encoded");
	like($result->{err}, $left_out ? qr/into arenas that are no pointers .*: $left_out$/ : qr/^$/,
		"$name: what is said of what is no pointer");
	is(prototypes($result->{out}), $expected, "$name: prototypes");
	my $check = check_bytes($result->{out}, '-q');
	is($check->{status}, 0, "$name: check agrees") || diag($check->{err});
	my %distinct = map { s/ \w+\(/ (/r => 1 } split /, /, $expected;
	is(scalar(() = BTF->read($result->{out})->find('FUNC_PROTO')), scalar keys %distinct,
		"$name: no prototype that no function has");
	same_bytes(btfcanon('encode', '-q', '--features=+attributes',
		put('arena.elf', $image->elf(reverse 0 .. $#dies)))->{out}, $result->{out},
		"$name: units in reverse");
	for my $features ('default', 'attributes') {
		my $off = btfcanon('encode', '-q', "--features=$features", put('arena.elf', $image->elf));
		is(scalar(grep { $_->{kflag} } BTF->read($off->{out})->find('TYPE_TAG')), 0,
			"$name: --features=$features: no attribute");
	}
	return;
}

my $all_ones = 0xffffffff; # -1: a tag of the whole declaration

in_both_orders(sub {
	my ($big, $order) = @_;
	my $as_is = sub { $_[0] };
	my @items = (
		# A list and a set of functions without flags: look-ups of other kinds.
		func('plain__1', 0), [ '__BTF_ID__set__allow', 8 ], 1, [ '__BTF_ID__func__plain__2', 4 ], 0,
		set8('kfuncs', 1, 3), func('kf_b__3', 1), func('kf_a__4', 1 << 12 | 4), func('kf_2__3__5', 0),
		set8('others', 0, 1), func('kf_c__6', 1),
		set8('more', 1, 2), func('kf_b__7', 0), func('nowhere__8', 0));
	my $first = tags_are($big, "$order: lists, sets, flags",
		"kf_2__3:bpf_kfunc:$all_ones kf_a:bpf_fastcall:$all_ones kf_a:bpf_kfunc:$all_ones "
			. "kf_b:bpf_kfunc:$all_ones", $as_is, @items);

	# IDs that were filled in already say nothing more.
	my $filled = sub { my ($bytes) = @_; substr $bytes, 32, 4, pack($big ? 'N' : 'V', 77); $bytes };
	same_bytes(tags_are($big, "$order: ids filled in", tags($first), $filled, @items), $first,
		"$order: ids filled in: the same");

	tags_are($big, "$order: a function in several sets has the tags of all",
		"kf_a:bpf_fastcall:$all_ones kf_a:bpf_kfunc:$all_ones", $as_is,
		set8('one', 1, 1), func('kf_a__1', 1 << 12), set8('two', 1, 1), func('kf_a__2', 0));
	for my $where ($base, 0) {
		local $base = $where;
		tags_are($big, "$order: .BTF_ids at $where", "kf_b:bpf_kfunc:$all_ones", $as_is,
			set8('others', 0, 1), func('kf_c__6', 1), set8('kfuncs', 1, 1), func('kf_b__1', 0));
	}
	tags_are($big, "$order: sets inside sets",
		"kf_a:bpf_kfunc:$all_ones kf_b:bpf_kfunc:$all_ones kf_c:bpf_kfunc:$all_ones", $as_is,
		set8('wide', 1, 5), func('kf_a__1', 0), set8('narrow', 1, 1), func('kf_b__2', 0),
		func('kf_c__3', 0));
	tags_are($big, "$order: cut off behind a set's head", '', sub { substr $_[0], 0, 8 },
		set8('kfuncs', 1, 1), func('kf_a__1', 0));
	tags_are($big, "$order: cut off before a function's flags", '', sub { substr $_[0], 0, 12 },
		set8('kfuncs', 1, 1), func('kf_a__1', 0));
	tags_are($big, "$order: nothing in it", '', sub { '' }, set8('kfuncs', 1, 1), func('kf_a__1', 0));
	tags_are($big, "$order: symbols that say no name", '', $as_is, set8('kfuncs', 1, 3),
		func('', 0), func('__', 0), func('7', 0));

	my ($of_result, $of_first, $of_second) = map { 1 << $_ } 13 .. 15;
	arenas_are($big, "$order: arenas: result, first, second, all",
		'PTR <address_space(1)> void alloc(PTR box; PTR box; int), '
			. 'int free(PTR box; PTR <address_space(1)> box), '
			. 'PTR <address_space(1)> box move(PTR <address_space(1)> box; PTR <address_space(1)> char), '
			. 'int one(PTR <address_space(1)> void), int plain(PTR box; PTR box)', 0,
		{ alloc => $of_result, free => $of_second, move => $of_result | $of_first | $of_second, one => $of_first,
			plain => 0 },
		[ alloc => \'void*', \'box*', \'box*', \'int' ], [ free => \'int', \'box*', \'box*' ],
		[ move => \'box*', \'box*', \'char*' ], [ one => \'int', \'void*' ],
		[ plain => \'int', \'box*', \'box*' ]);
	arenas_are($big, "$order: arenas: what is no pointer, or not there",
		'int a(handle; int), int b()', 5,
		{ a => $of_result | $of_first | $of_second, b => $of_first | $of_second },
		[ a => \'int', \'handle', \'int' ], [ b => \'int' ]);
	arenas_are($big, "$order: arenas: a prototype that some share",
		'int a(PTR <address_space(1)> box; PTR box), int b(PTR <address_space(1)> box; PTR box), '
			. 'int c(PTR box; PTR <address_space(1)> box), int d(PTR box; PTR box)', 0,
		{ a => $of_first, b => $of_first, c => $of_second },
		map { [ $_ => \'int', \'box*', \'box*' ] } qw(a b c d));
});

done_testing;
