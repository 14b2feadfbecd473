#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# What a BTF may say: what is refused, what is read with a warning, what passes in silence.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;

# A case: name => code that gets an empty BTF which has [1] int, [2] ptr to [1], [3] proto without
# parameters, [4] func of [3], [5] var of [1], [6] struct of one int, and adds what is tried as [7].
sub prepared {
	my ($big, $code) = @_;
	my $b = BTF->new(big => $big);
	my $int = $b->int('int', 4, signed => 1);
	$b->ptr($int);
	my $proto = $b->proto(0, []);
	$b->func('function', $proto, 1);
	$b->var('variable', $int, 0);
	$b->struct('one', 4, [ [ 'n', $int, 0 ] ]);
	$code->($b);
	return $b;
}

my @refused;
my $refuse = sub { my ($name, $code, $id, $like) = @_; push @refused,
	[ $name, $code, $id // 7, $like // qr/./ ] };

# Names.
$refuse->("name offset beyond the strings", sub { $_[0]->struct(\100000, 0, []) });
$refuse->("name offset of 32 bits", sub { $_[0]->struct(\0xffffffff, 0, []) });
$refuse->("member name offset beyond", sub { $_[0]->struct('s', 4, [ [ \100000, 1, 0 ] ]) });
$refuse->("value name offset beyond", sub { $_[0]->enum('e', [ [ \100000, 1 ] ]) });
$refuse->("64-bit value name offset beyond", sub { $_[0]->enum64('e', [ [ \100000, 1 ] ]) });
$refuse->("parameter name offset beyond", sub { $_[0]->proto(0, [ [ \100000, 1 ] ]) });
$refuse->("nameless FWD", sub { $_[0]->fwd('') }, 7, qr/name/);
$refuse->("nameless TYPEDEF", sub { $_[0]->typedef('', 1) }, 7, qr/name/);
$refuse->("nameless FUNC", sub { $_[0]->func('', 3) }, 7, qr/name/);
$refuse->("nameless VAR", sub { $_[0]->var('', 1) }, 7, qr/name/);
$refuse->("nameless DATASEC", sub { $_[0]->datasec('', 4, [ [ 5, 0, 4 ] ]) }, 7, qr/name/);
$refuse->("nameless TYPE_TAG", sub { $_[0]->type_tag('', 1) }, 7, qr/name/);
$refuse->("nameless DECL_TAG", sub { $_[0]->decl_tag('', 6) }, 7, qr/name/);

# Kinds, vlen, kind_flag.
$refuse->("kind 0", sub { $_[0]->typedef('x', 1, info => 0) }, 7, qr/kind/);
for my $kind (20, 31, 32, 127) {
	$refuse->("kind $kind", sub { $_[0]->typedef('x', 1, info => $kind << 24) }, 7,
		qr/kind $kind\b/);
}
my %plain = (
	INT => sub { $_[0]->int('i', 4) }, PTR => sub { $_[0]->ptr(1) },
		ARRAY => sub { $_[0]->array(1, 1, 2) },
	FWD => sub { $_[0]->fwd('f') }, TYPEDEF => sub { $_[0]->typedef('t', 1) },
		VOLATILE => sub { $_[0]->volatile(1) },
	CONST => sub { $_[0]->const(1) }, RESTRICT => sub { $_[0]->restrict(2) },
		FUNC => sub { $_[0]->func('f', 3) },
	FUNC_PROTO => sub { $_[0]->proto(1, []) }, VAR => sub { $_[0]->var('v', 1) },
		DATASEC => sub { $_[0]->datasec('d', 0, []) },
	FLOAT => sub { $_[0]->float('f', 8) }, DECL_TAG => sub { $_[0]->decl_tag('t', 6) },
		TYPE_TAG => sub { $_[0]->type_tag('t', 1) },
);
for my $kind (sort keys %plain) {
	my $change = sub {
		my ($bits) = @_;
		return sub { $plain{$kind}->($_[0]); my $t = $_[0]{types}[-1]; $t->{info} = ($t->{kflag} << 31 | $t->{kind} << 24 | $t->{vlen}) | $bits };
	};
	$refuse->("kind_flag on $kind", $change->(0x80000000))
		if $kind !~ /^(FWD|DECL_TAG|TYPE_TAG)$/;
	if ($kind !~ /^(FUNC|FUNC_PROTO|DATASEC)$/) {
		$refuse->("vlen $_ on $kind", $change->($_)) for 1, 0x10000;
	}
}

# INT.
$refuse->("INT word $_->[0]", do { my $w = $_->[1]; sub { $_[0]->int('i', 4, word => $w) } })
	for [ 'with a bit in 8..15', 0x0120 ], [ 'with encoding bit 28', 0x10000020 ],
		[ 'with encoding bit 31', 0x80000020 ];
$refuse->("INT of $_ bits", do { my $n = $_; sub { $_[0]->int('i', 32, bits => $n) } }) for 129,
	200, 255;
$refuse->("INT of 33 bits in 4 bytes", sub { $_[0]->int('i', 4, bits => 33) });
$refuse->("INT of 4 bits at bit 29 of 4 bytes",
	sub { $_[0]->int('i', 4, bits => 4, offset => 29) });
$refuse->("INT of 1 bit in 0 bytes", sub { $_[0]->int('i', 0, bits => 1) });

# Linkage.
for my $linkage (3, 4, 0xffff) {
	$refuse->("FUNC of linkage $linkage", sub { $_[0]->func('f', 3, $linkage) }, 7,
		qr/linkage/);
}
for my $linkage (3, 0xffffffff) {
	$refuse->("VAR of linkage $linkage", sub { $_[0]->var('v', 1, $linkage) }, 7, qr/linkage/);
}

# Sizes.
for my $size (0, 3, 5, 6, 7, 9, 16, 0xffffffff) {
	$refuse->("ENUM of $size bytes", sub { $_[0]->enum('e', [ [ 'A', 1 ] ], size => $size) });
	$refuse->("ENUM64 of $size bytes",
		sub { $_[0]->enum64('e', [ [ 'A', 1 ] ], size => $size) });
}
for my $size (0, 1, 3, 6, 10, 32, 0xffffffff) {
	$refuse->("FLOAT of $size bytes", sub { $_[0]->float('f', $size) });
}
$refuse->("ARRAY with a size", sub { $_[0]->array(1, 1, 2, word => 8) });
$refuse->("FWD with a size", sub { $_[0]->fwd('f', word => 1) });

# References.
for my $id (8, 0x7fffffff, 0xffffffff) {
	$refuse->("PTR to type $id", sub { $_[0]->ptr($id) });
	$refuse->("member of type $id", sub { $_[0]->struct('s', 4, [ [ 'm', $id, 0 ] ]) });
	$refuse->("element of type $id", sub { $_[0]->array($id, 1, 1) });
	$refuse->("index of type $id", sub { $_[0]->array(1, $id, 1) });
	$refuse->("result of type $id", sub { $_[0]->proto($id, []) });
	$refuse->("parameter of type $id", sub { $_[0]->proto(0, [ [ 'p', $id ] ]) });
	$refuse->("FUNC of type $id", sub { $_[0]->func('f', $id) });
	$refuse->("VAR of type $id", sub { $_[0]->var('v', $id) });
	$refuse->("DATASEC entry of type $id", sub { $_[0]->datasec('d', 4, [ [ $id, 0, 4 ] ]) });
	$refuse->("DECL_TAG on type $id", sub { $_[0]->decl_tag('t', $id) });
}
my %declaration = (FUNC => 4, VAR => 5, DATASEC => 7, DECL_TAG => 8);
for my $what (sort keys %declaration) {
	my $id = $declaration{$what};
	my $after = sub { my ($code) = @_; return sub { $_[0]->datasec('d', 4,
		[ [ 5, 0, 4 ] ]); $_[0]->decl_tag('t', 6); $code->($_[0]) } };
	$refuse->("PTR to $what", $after->(sub { $_[0]->ptr($id) }), 9);
	$refuse->("CONST of $what", $after->(sub { $_[0]->const($id) }), 9);
	$refuse->("TYPEDEF of $what", $after->(sub { $_[0]->typedef('T', $id) }), 9);
	$refuse->("TYPE_TAG on $what", $after->(sub { $_[0]->type_tag('T', $id) }), 9);
	$refuse->("member of $what", $after->(sub { $_[0]->struct('s', 4, [ [ 'm', $id, 0 ] ]) }),
		9);
	$refuse->("ARRAY of $what", $after->(sub { $_[0]->array($id, 1, 1) }), 9);
	$refuse->("ARRAY by $what", $after->(sub { $_[0]->array(1, $id, 1) }), 9);
	$refuse->("result $what", $after->(sub { $_[0]->proto($id, []) }), 9);
	$refuse->("parameter $what", $after->(sub { $_[0]->proto(0, [ [ 'p', $id ] ]) }), 9);
	$refuse->("VAR of $what", $after->(sub { $_[0]->var('v', $id) }), 9);
	$refuse->("FUNC of $what", $after->(sub { $_[0]->func('f', $id) }), 9);
	$refuse->("DECL_TAG on $what", $after->(sub { $_[0]->decl_tag('t', $id) }), 9)
		if $what !~ /^(FUNC|VAR)$/;
	$refuse->("DATASEC entry $what",
		$after->(sub { $_[0]->datasec('e', 4, [ [ $id, 0, 4 ] ]) }), 9)
		if $what !~ /^(FUNC|VAR)$/;
}
$refuse->("FUNC of $_->[0]", do { my $id = $_->[1]; sub { $_[0]->func('f', $id) } })
	for [ void => 0 ], [ INT => 1 ], [ PTR => 2 ], [ STRUCT => 6 ];
$refuse->("FUNC of a typedef of FUNC_PROTO", sub { $_[0]->typedef('T', 3); $_[0]->func('f', 7) },
	8);
$refuse->("DATASEC entry $_->[0]",
	do { my $id = $_->[1]; sub { $_[0]->datasec('d', 4, [ [ $id, 0, 4 ] ]) } })
	for [ void => 0 ], [ INT => 1 ], [ STRUCT => 6 ], [ FUNC_PROTO => 3 ];
$refuse->("DECL_TAG on $_->[0]", do { my $id = $_->[1]; sub { $_[0]->decl_tag('t', $id) } })
	for [ void => 0 ], [ INT => 1 ], [ PTR => 2 ], [ FUNC_PROTO => 3 ];
$refuse->("DECL_TAG on ENUM", sub { $_[0]->enum('e', []); $_[0]->decl_tag('t', 7) }, 8);
$refuse->("DECL_TAG on FWD", sub { $_[0]->fwd('e'); $_[0]->decl_tag('t', 7) }, 8);
$refuse->("DECL_TAG on member $_ of 1", do { my $n = $_; sub { $_[0]->decl_tag('t', 6, $n) } })
	for 1, -2, 0x7fffffff;
$refuse->("DECL_TAG on parameter 0 of 0", sub { $_[0]->decl_tag('t', 4, 0) });
$refuse->("DECL_TAG with a component on VAR", sub { $_[0]->decl_tag('t', 5, 0) });
$refuse->("DECL_TAG with a component on TYPEDEF",
	sub { $_[0]->typedef('T', 6); $_[0]->decl_tag('t', 7, 0) }, 8);

# Values of what has no value.
for my $what ([ 'function type' => 3 ], [ 'typedef of a function type' => 8 ],
	[ 'const function type' => 9 ]) {
	my ($name, $id) = @$what;
	my $after = sub { my ($code) = @_; return sub { $_[0]->ptr(3); $_[0]->typedef('F',
		3); $_[0]->const(3); $code->($_[0]) } };
	$refuse->("member: $name", $after->(sub { $_[0]->struct('s', 8, [ [ 'm', $id, 0 ] ]) }),
		10);
	$refuse->("element: $name", $after->(sub { $_[0]->array($id, 1, 1) }), 10);
	$refuse->("parameter: $name", $after->(sub { $_[0]->proto(0, [ [ 'p', $id ] ]) }), 10);
	$refuse->("result: $name", $after->(sub { $_[0]->proto($id, []) }), 10);
}
for my $what ([ 'void' => 0 ], [ 'const void' => 7 ], [ 'typedef of void' => 8 ]) {
	my ($name, $id) = @$what;
	my $after = sub { my ($code) = @_; return sub { $_[0]->const(0); $_[0]->typedef('V',
		0); $code->($_[0]) } };
	$refuse->("member: $name", $after->(sub { $_[0]->struct('s', 8, [ [ 'm', $id, 0 ] ]) }), 9);
	$refuse->("element: $name", $after->(sub { $_[0]->array($id, 1, 1) }), 9);
}

# Types that never reach a size.
my $endless = qr/itself|never|endless|cycle|loop/;
$refuse->("CONST of itself", sub { $_[0]->const(7) }, 7, $endless);
$refuse->("CONST and VOLATILE in a ring", sub { $_[0]->const(8); $_[0]->volatile(7) }, '[78]',
	$endless);
$refuse->("TYPEDEF of itself", sub { $_[0]->typedef('T', 7) }, 7, $endless);
$refuse->("TYPEDEFs in a ring",
	sub { $_[0]->typedef('T', 8); $_[0]->typedef('U', 9); $_[0]->typedef('V', 7) }, '[789]',
	$endless);
$refuse->("ARRAY of itself", sub { $_[0]->array(7, 1, 2) }, 7, $endless);
$refuse->("ARRAY of itself, of no elements", sub { $_[0]->array(7, 1, 0) }, 7, $endless);
$refuse->("STRUCT in itself", sub { $_[0]->struct('s', 8, [ [ 'me', 7, 0 ] ]) }, 7, $endless);
$refuse->("UNION in STRUCT in UNION",
	sub { $_[0]->struct('s', 8, [ [ 'u', 8, 0 ] ]); $_[0]->union('u', 8, [ [ 's', 7, 0 ] ]) },
	'[78]', $endless);
$refuse->("STRUCT with an ARRAY of it",
	sub { $_[0]->struct('s', 8, [ [ 'a', 8, 0 ] ]); $_[0]->array(7, 1, 1) }, '[78]', $endless);
$refuse->("STRUCT with a typedef of const it",
	sub { $_[0]->struct('s', 8, [ [ 'a', 8, 0 ] ]); $_[0]->typedef('T', 9); $_[0]->const(7) },
	'[789]', $endless);
$refuse->("FUNC_PROTO that returns itself", sub { $_[0]->proto(7, [ [ '', 7 ] ]) });

# Members and arrays.
$refuse->("member at the bit behind its struct", sub { $_[0]->struct('s', 4, [ [ 'a', 1, 33 ] ]) });
$refuse->("member far behind its struct", sub { $_[0]->struct('s', 2, [ [ 'a', 1, 320 ] ]) });
$refuse->("bitfield behind its struct", sub { $_[0]->struct('s', 4, [ [ 'a', 1, 40, 3 ] ]) });
$refuse->("ARRAY of 2^66 bytes",
	sub { $_[0]->array(1, 1, 0xffffffff); $_[0]->array(7, 1, 0xffffffff) }, 8, qr/size|64/);

# The element counts go beyond the section.
$refuse->("vlen beyond the type section",
	sub { $_[0]->struct('s', 4, [], info => 4 << 24 | 0xffffff) });

in_both_orders(sub {
	my ($big, $name) = @_;
	for my $case (@refused) {
		my ($what, $code, $id, $like) = @$case;
		my $path = put('refused.btf', prepared($big, $code)->bytes);
		my @commands = $big ? 'sort' : qw(sort check dump);
		for my $command (@commands) {
			refused(btfcanon($command, $path), $path,
				qr/type $id\b.*$like|$like.*type $id\b/, "$name: $command: $what");
		}
	}
});

# Legal but odd: a warning, and every byte of it kept.
my @warned;
my $warn = sub { my ($name, $code, $like) = @_; push @warned, [ $name, $code, $like // qr/./ ] };
$warn->("named PTR", sub { $_[0]->_ref(BTF::PTR, 'odd', 1) }, qr/name/);
$warn->("named CONST", sub { $_[0]->_ref(BTF::CONST, 'odd', 1) }, qr/name/);
$warn->("named VOLATILE", sub { $_[0]->_ref(BTF::VOLATILE, 'odd', 1) }, qr/name/);
$warn->("named RESTRICT", sub { $_[0]->_ref(BTF::RESTRICT, 'odd', 2) }, qr/name/);
$warn->("named ARRAY", sub { $_[0]->array(1, 1, 2, name => 'odd') }, qr/name/);
$warn->("named FUNC_PROTO", sub { $_[0]->proto(0, [], name => 'odd') }, qr/name/);
$warn->("members out of order",
	sub { $_[0]->struct('s', 12, [ [ 'c', 1, 64 ], [ 'a', 1, 0 ], [ 'b', 1, 32 ] ]) },
	qr/order/);
$warn->("member that ends beyond its struct",
	sub { $_[0]->struct('s', 4, [ [ 'a', 1, 0 ], [ 'b', 1, 16 ] ]) }, qr/beyond/);
$warn->("bitfield that ends beyond its struct",
	sub { $_[0]->struct('s', 4, [ [ 'a', 1, 30, 3 ] ]) }, qr/beyond/);
$warn->("two variables at one place",
	sub { $_[0]->var('w', 1); $_[0]->datasec('d', 8, [ [ 5, 4, 4 ], [ 7, 4, 4 ] ]) },
	qr/overlap/);
$warn->("variables out of order",
	sub { $_[0]->var('w', 1); $_[0]->datasec('d', 8, [ [ 5, 4, 4 ], [ 7, 0, 4 ] ]) },
	qr/order/);
$warn->("typedef T of T *", sub { $_[0]->typedef('T', 8); $_[0]->ptr(7) }, qr/loop|cycle/);
$warn->("pointer to itself", sub { $_[0]->ptr(7) }, qr/loop|cycle/);
$warn->("pointer to const pointer to it", sub { $_[0]->ptr(8); $_[0]->const(9); $_[0]->ptr(7) },
	qr/loop|cycle/);
$warn->("name of 512 bytes", sub { $_[0]->struct('n' x 512, 0, []) }, qr/511/);
$warn->("member name of 5000 bytes", sub { $_[0]->struct('s', 4, [ [ 'n' x 5000, 1, 0 ] ]) },
	qr/511/);
$warn->("array over 4 GiB", sub { $_[0]->array(1, 1, 0x40000001) }, qr/4 GiB/);

# Kernels follow 32 steps from the ids below: deeper may load in one order of ids and not in another.
$warn->("100 typedefs in a row", sub { $_[0]->typedef("t$_", $_) for 1, 7 .. 105 },
	qr/32|deep|nest/);
$warn->("100 structs in each other", sub { $_[0]->struct("s$_", 4, [ [ 'm', $_ == 6 ? 1 : $_, 0 ] ])
	for 6 .. 105 }, qr/32|deep|nest/);

# As legal as it gets.
my %silent = (
	'nameless INT'             => sub { $_[0]->int('', 4) },
	'INT of no bits'           => sub { $_[0]->int('i', 4, bits => 0) },
	'INT of 16 bytes'          => sub { $_[0]->int('i', 16) },
	'INT with an offset'       => sub { $_[0]->int('i', 4, bits => 5, offset => 27) },
	'INT of encoding 7'        => sub { $_[0]->int('i', 1, encoding => 7) },
	'duplicate enumerators'    => sub { $_[0]->enum('e',
		[ [ 'A', 1 ], [ 'A', 1 ], [ 'A', 2 ] ]) },
	'nameless enumerator'      => sub { $_[0]->enum('e', [ [ '', 1 ] ]) },
	'struct of no size'        => sub { $_[0]->struct('s', 0, []) },
	'array of none'            => sub { $_[0]->array(1, 1, 0) },
	'array of 4 GiB less one'  => sub { $_[0]->int('char', 1); $_[0]->array(7, 1, 0xffffffff) },
	'array of none of much'    => sub { $_[0]->int('big', 16); $_[0]->array(7, 1, 0) },
	'member at the end'        => sub { $_[0]->array(1, 1, 0); $_[0]->struct('s', 4,
		[ [ 'n', 1, 0 ], [ 'f', 7, 32 ] ]) },
	'nameless members'         => sub { $_[0]->struct('s', 4, [ [ '', 6, 0 ], [ '', 1, 0 ] ]) },
	'float sizes'              => sub { $_[0]->float("f$_", $_) for 2, 4, 8, 12, 16 },
	'forwards of both kinds'   => sub { $_[0]->fwd('s'); $_[0]->fwd('s', union => 1) },
	'tags with kind_flag'      => sub { $_[0]->type_tag('t', 1,
		kflag => 1); $_[0]->decl_tag('t', 6, -1, kflag => 1) },
	'tags everywhere'          => sub { $_[0]->typedef('T', 1); $_[0]->decl_tag('t', $_) for 4,
		5, 6, 7; $_[0]->decl_tag('t', 6, 0) },
	'tag on a parameter'       => sub { $_[0]->proto(0, [ [ 'p', 1 ] ]); $_[0]->func('g',
		7); $_[0]->decl_tag('t', 8, 0) },
	'linkages'                 => sub { $_[0]->func("f$_", 3, $_), $_[0]->var("v$_", 1, $_)
		for 0 .. 2 },
	'function in a section'    => sub { $_[0]->datasec('.ksyms', 0, [ [ 4, 0, 0 ] ]) },
	'variables all at 0'       => sub { $_[0]->var('w', 1); $_[0]->datasec('d', 0,
		[ [ 5, 0, 4 ], [ 7, 0, 4 ] ]) },
	'16 typedefs in a row'     => sub { $_[0]->typedef("t$_", $_) for 1, 7 .. 21 },
	'100 pointers in a row'    => sub { $_[0]->ptr($_) for 2, 7 .. 105 },
	'const of array'           => sub { $_[0]->array(1, 1, 2); $_[0]->const(7) },
	'pointer to a function'    => sub { $_[0]->ptr(3) },
	'volatile function'        => sub { $_[0]->ptr($_[0]->volatile(3)) },
	'parameter of void'        => sub { $_[0]->proto(0, [ [ '', 0 ] ]) },
	'name of 511 bytes'        => sub { $_[0]->struct('n' x 511, 0, []) },
	'names of any bytes'       => sub { $_[0]->struct("caf\xc3\xa9 \x01\xff", 4,
		[ [ 'a-b.c', 1, 0 ] ]) },
	'struct that points at itself' => sub { $_[0]->struct('s', 8,
		[ [ 'next', 8, 0 ] ]); $_[0]->ptr(7) },
	'bitfields'                => sub { $_[0]->struct('s', 8,
		[ [ 'a', 1, 0, 3 ], [ 'c', 1, 31, 1 ], [ 'd', 1, 32, 0 ] ]) },
);

in_both_orders(sub {
	my ($big, $name) = @_;
	for my $case (@warned, map { [ $_, $silent{$_} ] } sort keys %silent) {
		my ($what, $code, $like) = @$case;
		my $btf = prepared($big, $code);
		my $bytes = $btf->bytes;
		my $path = put('odd.btf', $bytes);
		my $result = btfcanon('sort', $path);
		if ($like) {
			warned($result, qr/\Q$path\E: .*$like/, "$name: $what: a warning");
			quiet(btfcanon('sort', '-q', $path), "$name: $what: none with -q");
		} else {
			quiet($result, "$name: $what: no warning");
		}
		same_bytes($result->{out}, BTFModel::canonical(BTF->read($bytes))->bytes,
			"$name: $what: the model's bytes");
		is(btfcanon('dump', '-q', $path)->{status}, 0, "$name: $what: dump") if !$big;
	}
});

# Deep chains need time and memory in proportion, and no stack.
{
	my $count = 200_000;
	my $bytes = sub {
		my ($type) = @_;
		my $types = join '', map { $type->($_ + 2) } 0 .. $count - 1;
		$types .= pack 'V4', 1, 1 << 24, 4, 32;
		return pack('vCCV5', 0xeb9f, 1, 0, 24, 0, length $types, length $types, 5) . $types
			. "\0int\0";
	};
	my $chain = put('deep.btf', $bytes->(sub { pack 'V3', 0, 2 << 24, $_[0] }));
	my $result = btfcanon('sort', $chain, { seconds => 30, memory_mb => 1024 });
	my $expected = pack('vCCV5', 0xeb9f, 1, 0, 24, 0, 12 * $count + 16, 12 * $count + 16, 5)
		. pack('V4', 1, 1 << 24, 4, 32)
		. join('', map { pack 'V3', 0, 2 << 24, $_ } 1 .. $count) . "\0int\0";
	same_bytes($result->{out}, $expected,
		'a chain of 200,000 pointers, by distance from its end');
	is(btfcanon('check', put('deep2.btf', $expected), { seconds => 30 })->{status}, 0,
		'check of it');
	is(btfcanon('dump', put('deep2.btf', $expected),
		{ seconds => 30, stdout_to => '/dev/null' })->{status}, 0, 'dump of it');

	my $b = BTF->new;
	$b->struct("s$_", 4, [ [ 'm', $_ + 2, 0 ] ]) for 0 .. 49_999;
	$b->int('int', 4);
	my $structs = btfcanon('sort', put('deep.btf', $b->bytes),
		{ seconds => 30, memory_mb => 1024 });
	is($structs->{status}, 0, '50,000 structs, each in the one before');
	is(scalar BTF->read($structs->{out})->types, 50_001, 'all of them are there');
	is(btfcanon('dump', put('deep2.btf', $structs->{out}),
		{ seconds => 30, stdout_to => '/dev/null' })->{status}, 0, 'dump of them');
	my $unnamed = BTF->new;
	$unnamed->struct('', 4, [ [ 'm', $_ + 2, 0 ] ]) for 0 .. 49_999;
	$unnamed->int('int', 4);
	my $dump = btfcanon('dump', put('deep3.btf', $unnamed->bytes),
		{ seconds => 30, stdout_to => scratch('dump.txt') });
	is($dump->{status}, 0, 'dump of 50,000 unnamed structs, each in the one before');
}

done_testing;
