#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Tags out of DWARF: clang's annotations and GCC's. A declaration tag is part of what it stands on:
# with other tags it is another type.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Image qw(function in_register parameter);
use TestUtil;

# "kind name[component] text" of every declaration tag, sorted.
sub tags {
	my ($bytes) = @_;
	my $btf = BTF->read($bytes);
	return join ', ', sort map {
		my $on = $btf->type($_->{refs}[0]);
		my $component = $_->{fixed} == 0xffffffff ? '' : "[$_->{fixed}]";
		"$BTF::KINDS[$on->{kind}] $on->{name}$component $_->{name}";
	} $btf->find('DECL_TAG');
}

# Chains of type tags from each pointer: "rcu user int".
sub chains {
	my ($bytes) = @_;
	my $btf = BTF->read($bytes);
	return join ', ', sort map {
		my ($type, @names) = $btf->type($_->{refs}[0]);
		while ($type->{kind} == BTF::TYPE_TAG) {
			push @names, $type->{name};
			$type = $btf->type($type->{refs}[0]);
		}
		@names ? join ' ', @names, $type->{name} : ();
	} $btf->find('PTR');
}

sub encoded {
	my ($name, $bytes, @options) = @_;
	my $result = btfcanon('encode', '-q', @options, put('tags.elf', $bytes));
	is($result->{status}, 0, "$name: encoded") || diag($result->{err});
	my $check = check_bytes($result->{out}, '-q');
	is($check->{status}, 0, "$name: check agrees") || diag($check->{err});
	return $result->{out};
}

# What clang makes of a source: as its own BTF for BPF has it.
my $clang = encoded('clang', get(fixture('functions/tags.elf')));
is(tags($clang), 'FUNC tagged function one, FUNC tagged function two, STRUCT [0] inner, '
	. 'STRUCT part struct, STRUCT part[1] member, STRUCT part[2] nested, TYPEDEF part_t typedef, '
	. 'UNION either union one, UNION either union two, UNION either[0] zero', 'clang: tags');
is(chains($clang), 'user int, user rcu int', 'clang: tags on pointers');
my $off = encoded('off', get(fixture('functions/tags.elf')), '--features=type_tag,consistent_func');
is(tags($off), '', 'without decl_tag: none');
is(chains($off), 'user int, user rcu int', 'without decl_tag: tags on pointers');

sub llvm {
	my ($text, $what) = @_;
	return [ llvm_annotation => { name => $what // 'btf_decl_tag', const_value => $text } ];
}

# GCC's annotations stand in the unit; 0x2139 refers to the first of a chain.
my $made = 0;
sub gnu {
	my ($what, @texts) = @_;
	my ($next, @dies);
	for my $text (reverse @texts) {
		my $label = 'annotation' . $made++;
		push @dies, [ 0x6001 => { label => $label, name => $what, const_value => $text,
			defined $next ? (0x2139 => [ ref4 => \(my $copy = $next) ]) : () } ];
		$next = $label;
	}
	return ([ 0x2139 => [ ref4 => \$next ] ], @dies);
}

in_both_orders(sub {
	my ($big, $order) = @_;
	my $machine = $big ? 22 : 62;
	my $register = in_register($big ? 2 : 5);
	my $with = sub {
		my ($percpu, @units) = @_;
		my $image = Image->new(big => $big, machine => $machine);
		$image->section('.text', 0x1000, "\0" x 256, flags => 6);
		$image->section('.data..percpu', 0x2000, "\0" x 64, flags => 3) if $percpu;
		$image->symbol($_->[0], $_->[1], 16) for [ work => 0x1010 ], [ other => 0x1020 ];
		$image->unit(@$_) for @units;
		return $image;
	};
	my $at = [ exprloc => "\x03" . pack($big ? 'Q>' : 'Q<', 0x2008) ];

	# The same declarations, tagged the one way and the other.
	my $clang_way = $with->(1, [
		[ structure_type => { name => 'part', byte_size => 8 },
			[ member => { name => 'a', type => \'int', data_member_location => 0 } ],
			[ member => { name => 'b', type => \'int', data_member_location => 4 },
				llvm('on b'), llvm('on b too') ],
			llvm('on part') ],
		[ union_type => { name => 'either', byte_size => 4 },
			[ member => { name => 'a', type => \'int' }, llvm('on a') ], llvm('on either') ],
		[ typedef => { name => 'alias', type => \'int' }, llvm('on alias') ],
		[ pointer_type => { label => 'p', byte_size => 8, type => \'int' },
			llvm('inner', 'btf_type_tag'), llvm('outer', 'btf_type_tag') ],
		[ variable => { name => 'counter', type => \'int', location => $at }, llvm('on counter') ],
		[ subprogram => Image::attributes(name => 'work', type => \'int', low_pc => 0x1010),
			[ formal_parameter => { name => 'x', type => \'p', location => $register } ],
			[ formal_parameter => { name => 'y', type => \'int' }, llvm('on y') ],
			llvm('on work') ] ]);
	my ($on_b, @b) = gnu('btf_decl_tag', 'on b', 'on b too');
	my ($on_part, @part) = gnu('btf_decl_tag', 'on part');
	my ($on_a, @a) = gnu('btf_decl_tag', 'on a');
	my ($on_either, @either) = gnu('btf_decl_tag', 'on either');
	my ($on_alias, @alias) = gnu('btf_decl_tag', 'on alias');
	my ($on_p, @p) = gnu('btf_type_tag', 'outer', 'inner');
	my ($on_counter, @counter) = gnu('btf_decl_tag', 'on counter');
	my ($on_y, @y) = gnu('btf_decl_tag', 'on y');
	my ($on_work, @work) = gnu('btf_decl_tag', 'on work');
	my $gcc_way = $with->(1, [
		[ structure_type => { name => 'part', byte_size => 8, @$on_part },
			[ member => { name => 'a', type => \'int', data_member_location => 0 } ],
			[ member => { name => 'b', type => \'int', data_member_location => 4, @$on_b } ] ],
		[ union_type => { name => 'either', byte_size => 4, @$on_either },
			[ member => { name => 'a', type => \'int', @$on_a } ] ],
		[ typedef => { name => 'alias', type => \'int', @$on_alias } ],
		[ pointer_type => { label => 'p', byte_size => 8, type => \'int', @$on_p } ],
		[ variable => { name => 'counter', type => \'int', location => $at, @$on_counter } ],
		[ subprogram => Image::attributes(name => 'work', type => \'int', low_pc => 0x1010, @$on_work),
			[ formal_parameter => { name => 'x', type => \'p', location => $register } ],
			[ formal_parameter => { name => 'y', type => \'int', @$on_y } ] ],
		@b, @part, @a, @either, @alias, @p, @counter, @y, @work ]);
	my $all = encoded("$order: clang's way", $clang_way->elf);
	is(tags($all), 'FUNC work on work, FUNC work[1] on y, STRUCT part on part, STRUCT part[1] on b, '
		. 'STRUCT part[1] on b too, TYPEDEF alias on alias, UNION either on either, '
		. 'UNION either[0] on a, VAR counter on counter',
		"$order: every sort of declaration");
	is(chains($all), 'outer inner int', "$order: the tag nearest to the pointer first");
	same_bytes(encoded("$order: GCC's way", $gcc_way->elf), $all, "$order: GCC says the same");

	# With other tags it is another type; what refers to it, too.
	my $part = sub {
		my (@tags) = @_;
		return [ [ structure_type => { label => 'part', name => 'part', byte_size => 4 },
				[ member => { name => 'a', type => \'int', data_member_location => 0 } ], @tags ],
			[ pointer_type => { label => 'part*', byte_size => 8, type => \'part' } ] ];
	};
	for my $case ([ 'one unit has the tag', 2, [ llvm('tag') ], [] ],
		[ 'other tags', 2, [ llvm('tag') ], [ llvm('another') ] ],
		[ 'one more', 2, [ llvm('tag') ], [ llvm('tag'), llvm('another') ] ],
		[ 'the same, in another order', 1, [ llvm('a'), llvm('b') ], [ llvm('b'), llvm('a') ] ],
		[ 'the same, one twice', 1, [ llvm('a') ], [ llvm('a'), llvm('a') ] ]) {
		my ($name, $count, $one, $other) = @$case;
		my $image = $with->(0, $part->(@$one), $part->(@$other),
			[ [ structure_type => { label => 'part', name => 'part', declaration => [ flag => 1 ] } ],
				[ pointer_type => { byte_size => 8, type => \'part' } ] ]);
		my $bytes = encoded("$order: $name", $image->elf);
		is(scalar(() = BTF->read($bytes)->find('STRUCT', 'part')), $count, "$order: $name: structs");
		for my $units ([ 0, 2, 1 ], [ 1, 0, 2 ], [ 1, 2, 0 ], [ 2, 0, 1 ], [ 2, 1, 0 ]) {
			my $result = btfcanon('encode', '-q', put('tags.elf', $image->elf(@$units)));
			same_bytes($result->{out}, $bytes, "$order: $name: units in the order @$units");
		}
	}

	# Two bodies of a function, to choose from by content: tags count.
	my $body = sub {
		my ($tag) = @_;
		return [ [ subprogram => { name => 'other', type => \'int', 0x20 => 1 },
			[ formal_parameter => { name => 'x', type => \'int' }, llvm($tag) ] ] ];
	};
	my $image = $with->(0, map { $body->($_) } qw(b a c));
	my $bytes = encoded("$order: tags of parameters", $image->elf);
	is(tags($bytes), 'FUNC other[0] a', "$order: tags of parameters: the least");
	same_bytes(btfcanon('encode', '-q', put('tags.elf', $image->elf(2, 0, 1)))->{out}, $bytes,
		"$order: tags of parameters: units in another order");

	# A concrete function has the tags of the abstract one.
	$image = $with->(0, [
		[ subprogram => { label => 'abstract', name => 'work', type => \'int', 0x20 => 1 },
			[ formal_parameter => { label => 'x', name => 'x', type => \'int' }, llvm('on x') ],
			llvm('on work') ],
		[ subprogram => Image::attributes(abstract_origin => [ ref4 => \'abstract' ], low_pc => 0x1010),
			[ formal_parameter => Image::attributes(abstract_origin => [ ref4 => \'x' ],
				location => $register) ] ] ]);
	is(tags(encoded("$order: abstract and concrete", $image->elf)),
		'FUNC work on work, FUNC work[0] on x', "$order: tags of the abstract function");

	# A variable has the tags of its declaration, too.
	my ($declared, @declared) = gnu('btf_decl_tag', 'declared', 'both');
	my ($defined, @defined) = gnu('btf_decl_tag', 'both', 'defined');
	$image = $with->(1, [
		[ variable => { label => 'extern', name => 'counter', type => \'int', declaration => [ flag => 1 ],
			@$declared } ],
		[ variable => { specification => [ ref4 => \'extern' ], location => $at, @$defined } ],
		@declared, @defined ]);
	is(tags(encoded("$order: declared variable", $image->elf)),
		'VAR counter both, VAR counter declared, VAR counter defined',
		"$order: tags of a variable and of its declaration");

	# What makes no sense.
	my $loop = 'loop';
	my $refused = sub {
		my ($what, $name, @dies) = @_;
		refused(btfcanon('encode', put('tags.elf', $with->(0, \@dies)->elf)), scratch('tags.elf'),
			$what, "$order: $name");
	};
	$refused->(qr/annotations that makes no sense/, 'a chain that comes back to itself',
		[ 0x6001 => { label => 'loop', name => 'btf_decl_tag', const_value => 'again',
			0x2139 => [ ref4 => \$loop ] } ],
		[ typedef => { name => 'alias', type => \'int', 0x2139 => [ ref4 => \$loop ] } ]);
	$refused->(qr/annotations that makes no sense/, 'a chain into nowhere',
		[ typedef => { name => 'alias', type => \'int', 0x2139 => [ ref4 => 0x7fffffff ] } ]);
	$refused->(qr/a tag without a value/, 'a tag without a value',
		[ typedef => { name => 'alias', type => \'int' }, [ llvm_annotation => { name => 'btf_decl_tag' } ] ]);
	is(tags(encoded("$order: other annotations", $with->(0, [
		[ typedef => { name => 'alias', type => \'int' }, llvm('x', 'something_else') ],
		[ structure_type => { name => 'far', declaration => [ flag => 1 ] }, llvm('on a declaration') ],
		[ typedef => { type => \'int' }, llvm('without a name') ] ])->elf)), '',
		"$order: other annotations, declarations, no name: nothing");
});

done_testing;
