#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Split BTF: the base stays, ids and string offsets go on from it, nothing it holds is stored again.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;
use TinyELF;

# A small base: [1] int, [2] ptr to int, [3] typedef, [4] struct forward, [5] struct with a ptr.
sub small_base {
	my ($big) = @_;
	my $b = BTF->new(big => $big);
	$b->int('int', 4, signed => 1);
	$b->ptr(1);
	$b->typedef('number', 1);
	$b->fwd('later');
	$b->struct('known', 16, [ [ 'count', 3, 0 ], [ 'where', 2, 64 ] ]);
	return $b;
}

in_both_orders(sub {
	my ($big, $name) = @_;
	my $base_bytes = small_base($big)->bytes;
	my $base_file = put("base-$name.btf", $base_bytes);
	my $base = BTF->read($base_bytes);

	# Types of its own, among them: one that the base has, names that the base's strings hold, the
	# body of what the base only declares, variables that look like each other.
	my $split = BTF->new(big => $big, base => $base);
	my $struct = $split->struct('zz_own', 24, [ [ 'where', 2, 0 ], [ 'own_member', 3, 64 ],
		[ 'known', 5, 128 ] ]);
	$split->{types}[-1]{size} = 40;
	my $twin = $split->ptr(1);
	my $to_own = $split->ptr($struct);
	my $later = $split->struct('later', 8, [ [ 'n', $twin, 0 ] ]);
	$split->func('aa_function', $split->proto(1, [ [ 'where', $to_own ], [ 'fresh', 2 ] ]), 1);
	my $variable = $split->var('known', $twin);
	$split->datasec('.data', 8, [ [ $variable, 0, 8 ] ]);
	$split->decl_tag('mark', $struct, 1);
	$split->decl_tag('mark', 5, 0);
	my $bytes = $split->bytes;
	my $file = put("split-$name.btf", $bytes);

	my $sorted = canonical_is($bytes, "$name: split on its base", base => $base,
		base_file => $base_file) or return;
	my $result = BTF->read($sorted, $base);
	same_graph($split, $result, "$name: nothing lost, nothing invented");
	is(scalar(grep { $_->{kind} == BTF::PTR && $_->{refs}[0] == 1 } $result->types), 0,
		"$name: a type that the base has is the base's");
	is($result->one('STRUCT', 'later')->{size}, 8,
		"$name: a body stays, whatever the base declares");
	my @stored = split /\0/, $result->{strings};
	is(join(' ', @stored), join(' ', sort qw(.data aa_function fresh mark n own_member zz_own)),
		"$name: stored strings: none that the base has, sorted");
	same_bytes(sort_bytes($split->shuffled($_), '--base', $base_file), $sorted,
		"$name: shuffle $_") for 3 .. 6;

	# Settling: what the split part only declares is the base's body; what the base only declares stays.
	my $declared = BTF->new(big => $big, base => $base);
	my $to_known = $declared->ptr($declared->fwd('known'));
	my $to_later = $declared->ptr(4);
	$declared->struct('later', 4, [ [ 'n', 1, 0 ] ]);
	$declared->struct('user', 16, [ [ 'k', $to_known, 0 ], [ 'l', $to_later, 64 ] ]);
	my $settled = BTF->read(sort_bytes($declared->bytes, '--dedup', '--base', $base_file),
		$base);
	is(scalar(() = $settled->find('FWD')), 0,
		"$name: --dedup: a declaration of what the base has is gone");
	is(join(' ',
		map { $settled->type($_)->{refs}[0] } @{ $settled->one('STRUCT', 'user')->{refs} }),
		'5 4',
		"$name: --dedup: the base's struct takes its place, the base's own declaration stays one");
	is(scalar(() = BTF->read(sort_bytes($declared->bytes, '--base', $base_file),
		$base)->find('FWD')), 1, "$name: without --dedup it stays");

	$declared->struct('known', 64, [ map { [ "m$_", 1, 32 * $_ ] } 0 .. 9 ]);
	$settled = BTF->read(sort_bytes($declared->bytes, '--dedup', '--base', $base_file), $base);
	is($settled->type($settled->one('STRUCT', 'user')->{refs}[0])->{refs}[0], 5,
		"$name: --dedup: the base's struct goes before a larger one beside it");

	# Without the base, or with another.
	for my $command (qw(sort check dump)) {
		refused(btfcanon($command, $file), $file, qr/base|split/,
			"$name: $command without the base says so");
	}
	my $short = BTF->new(big => $big);
	$short->int('int', 4, signed => 1);
	my $wrong = put("wrong-$name.btf", $short->bytes);
	for my $command (qw(sort check dump)) {
		refused(btfcanon($command, '--base', $wrong, $file), $file, qr/type \d+|string/,
			"$name: $command: another base is noticed");
	}
	my $foreign = put("foreign-$name.btf", small_base(!$big)->bytes);
	refused(btfcanon('sort', '--base', $foreign, $file), $file, qr/byte order/,
		"$name: a base of the other byte order");
	refused(btfcanon('sort', '--base', scratch('none.btf'), $file), scratch('none.btf'),
		qr/No such file/, "$name: a base that is not there");
	my $bad = put("bad-$name.btf", substr $base_bytes, 0, 40);
	refused(btfcanon('sort', '--base', $bad, $file), $bad, qr/./,
		"$name: a base that is damaged");

	# A base that is a whole ELF file.
	my $elf = put("base-$name.elf", TinyELF::write(big => $big, machine => 62,
		sections => [ [ '.BTF', $base_bytes ] ]));
	same_bytes(btfcanon('sort', '--base', $elf, $file)->{out}, $sorted,
		"$name: the base out of an ELF file");

	# A chain: split on split.
	my $middle = BTF->read($bytes, $base);
	my $top = BTF->new(big => $big, base => $middle);
	$top->struct('a_top', 16, [ [ 'own_member', $struct + 0, 0 ], [ 'q', 2, 320 ],
		[ 'r', $to_own, 384 ] ]);
	$top->{types}[-1]{size} = 56;
	$top->ptr($to_own);
	$top->ptr($struct);
	my $top_bytes = $top->bytes;
	my $top_file = put("top-$name.btf", $top_bytes);
	my $chain = btfcanon('sort', '--base', $base_file, '--base', $file, $top_file);
	same_bytes($chain->{out}, BTFModel::canonical(BTF->read($top_bytes, $middle))->bytes,
		"$name: a chain of bases: the model's bytes");
	is(btfcanon('check', '--base', $base_file, '--base', $file,
		put("top2-$name.btf", $chain->{out}))->{status}, 0, "$name: check through a chain");
	is(btfcanon('sort', '--base', $file, '--base', $base_file, $top_file)->{status}, 2,
		"$name: a chain upside down");

	# Nothing of its own: a header alone.
	my $empty = pack(($big ? 'n' : 'v') . 'CC' . ($big ? 'N' : 'V') . '5', 0xeb9f, 1, 0, 24, 0,
		0, 0, 0);
	same_bytes(sort_bytes($empty, '--base', $base_file), $empty,
		"$name: a split BTF of 24 bytes comes out as it was");
	is(check_bytes($empty, '--base', $base_file)->{status}, 0, "$name: and is canonical");
	is(check_bytes($empty)->{status}, 2, "$name: but not without its base");

	# Its own types only, as text.
	my $dumped = btfcanon('dump', '--base', $base_file, $file);
	is($dumped->{status}, 0, "$name: dump of a split BTF");
	unlike($dumped->{out}, qr/where.*where.*where/s, "$name: dump shows its own types only");

	# A distilled base lies beside it in the same file and is always the base.
	my $own = put("distilled-$name.ko", TinyELF::write(big => $big, machine => 62,
		sections => [ [ '.BTF', $bytes ], [ '.BTF.base', $base_bytes ] ]));
	same_bytes(btfcanon('sort', $own)->{out}, $sorted, "$name: .BTF.base is the base");
	refused(btfcanon('sort', '--base', $base_file, $own), $own, qr/base/,
		"$name: and takes no other beside it");
	my $module = put("module-$name.ko", TinyELF::write(big => $big, machine => 62, bits => 32,
		sections => [ [ '.BTF', $bytes ] ]));
	same_bytes(btfcanon('sort', '--base', $base_file, $module)->{out}, $sorted,
		"$name: a module's .BTF on its base");

	# Several split inputs on one base merge; on other bases they do not.
	my $second = BTF->new(big => $big, base => $base);
	$second->struct('second', 8, [ [ 'where', 2, 0 ] ]);
	$second->struct('zz_own', 4, [ [ 'n', 1, 0 ] ]);
	my $second_file = put("second-$name.btf", $second->bytes);
	my $merged = btfcanon('sort', '--base', $base_file, $file, $second_file);
	same_bytes($merged->{out}, btfcanon('sort', '--base', $base_file, $second_file,
		$file)->{out}, "$name: split inputs merge in any order");
	is($merged->{status}, 0, "$name: split inputs on one base");
	refused(btfcanon('sort', $own, $base_file), $base_file, qr/base/,
		"$name: an input on a base and one on none do not merge");
	refused(btfcanon('sort', $base_file, $own), $own, qr/base/, "$name: the other way round");
	my $other_base = small_base($big);
	$other_base->float('double', 8);
	my $third = BTF->new(big => $big, base => BTF->read($other_base->bytes));
	$third->struct('third', 8, [ [ 'where', 2, 0 ] ]);
	my $elsewhere = put("distilled2-$name.ko", TinyELF::write(big => $big, machine => 62,
		sections => [ [ '.BTF', $third->bytes ], [ '.BTF.base', $other_base->bytes ] ]));
	refused(btfcanon('sort', $own, $elsewhere), $elsewhere, qr/base/,
		"$name: inputs that bring different bases do not merge");
});

# As compilers and pahole write it.
{
	my $base_file = fixture('cases/split_base.btf');
	my $base = BTF->read(get($base_file));
	my $bytes = get(fixture('cases/split_module.btf'));
	my $before = BTF->read($bytes, $base);
	my $after = BTF->read(canonical_is($bytes, 'split_module.btf', base => $base,
		base_file => $base_file), $base);
	same_graph($before, $after, 'split_module.btf: nothing lost, nothing invented');
	is(scalar(() = $base->find('FWD', 'unknown_here')), 1, 'the base declares unknown_here');
	is(scalar(() = $after->find('STRUCT', 'unknown_here')), 1,
		'the module has its body, and keeps it');
	is(scalar(() = $after->find('STRUCT', 'device')), 0, 'struct device is the base\'s');
}

# What an own part has of all parts of a chain, when it names none of their types. Tags are of the part
# that they stand in: one that a module puts on a type of the kernel makes no other type of that.
in_both_orders(sub {
	my ($big, $name) = @_;
	my $kernel = small_base($big);
	$kernel->struct('tagged', 4, [ [ 'count', 3, 0 ] ]);
	$kernel->decl_tag('mark', 6);
	my $kernel_file = put("chain-$name-kernel.btf", scalar $kernel->bytes);
	$kernel = BTF->read(get($kernel_file));
	my $module = BTF->new(big => $big, base => $kernel);
	$module->decl_tag('mark', 5);
	my $wide = $module->int('wide', 8);
	$module->struct('of_module', 8, [ [ 'wide', $wide, 0 ] ]);
	my $module_file = put("chain-$name-module.btf", scalar $module->bytes);
	$module = BTF->read(get($module_file), $kernel);

	my $own = BTF->new(big => $big, base => $module);
	my $number = $own->typedef('number', $own->int('int', 4, signed => 1));
	my $to_int = $own->ptr($number - 1);
	my @known = ($own->struct('known', 16, [ [ 'count', $number, 0 ], [ 'where', $to_int, 64 ] ]),
		$own->struct('tagged', 4, [ [ 'count', $number, 0 ] ]),
		$own->struct('of_module', 8, [ [ 'wide', $own->int('wide', 8), 0 ] ]));
	$own->struct('user', 32, [ [ 'a', $known[0], 0 ], [ 'b', $known[1], 128 ],
		[ 'c', $known[2], 192 ] ]);
	my $sorted = BTF->read(sort_bytes($own->bytes, '--base', $kernel_file, '--base',
		$module_file), $module);
	is(join(' ', sort map { $_->{name} } $sorted->types), 'tagged user',
		"$name: a chain: what is as in one of its parts is not stored");
	is(join(' ', @{ $sorted->one('STRUCT', 'user')->{refs} }), '5 11 10',
		"$name: a chain: a tag of another part is none of the type's");
});

done_testing;
