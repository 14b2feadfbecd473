#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# encode --features: pahole's names; each on and off.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Features;
use TestUtil;

my $image = features_image();
my $file = put('features.elf', $image->elf);

# What shows each feature.
sub shown {
	my (@options) = @_;
	my $result = btfcanon('encode', '-q', $file, map { "--features=$_" } @options);
	if ($result->{status}) {
		diag($result->{err});
		return 'failed';
	}
	my $check = check_bytes($result->{out}, '-q');
	is($check->{status}, 0, "  check agrees (@options)") || diag($check->{err});
	return features_shown($result->{out});
}

my $all = 'VAR FLOAT TYPE_TAG ENUM64 DECL_TAG kfunc';
is(shown(), $all, 'none asked for: the default');
is(shown('default'), $all, 'default');
is(shown('+var'), $all, 'more than the default');
is(shown(''), 'disagrees', 'none at all');
is(shown('encode_force,optimized_func,reproducible_build'), 'disagrees',
	'features that are as they are');
is(shown('var'), 'VAR disagrees', 'var');
is(shown('global_var'), 'VAR disagrees global', 'global_var');
is(shown('+global_var'), "$all global", 'more than the default: global_var');
is(shown('float'), 'FLOAT disagrees', 'float');
is(shown('type_tag'), 'TYPE_TAG disagrees', 'type_tag');
is(shown('enum64'), 'ENUM64 disagrees', 'enum64');
is(shown('decl_tag_kfuncs'), 'DECL_TAG kfunc disagrees', 'decl_tag_kfuncs');
is(shown('decl_tag'), 'DECL_TAG disagrees', 'decl_tag');
is(shown('consistent_func'), '', 'consistent_func');
is(shown('true_signature'), 'disagrees called', 'true_signature');
is(shown('layout'), 'disagrees layout', 'layout');
is(shown('attributes'), 'disagrees', 'attributes alone: without kfuncs there are none');
is(shown('attributes,decl_tag_kfuncs'), 'TYPE_TAG DECL_TAG kfunc disagrees attribute',
	'attributes of kfuncs');
is(shown('+attributes,layout'), "$all attribute layout", 'more than the default: two');
is(shown('var', 'float,enum64'), 'VAR FLOAT ENUM64 disagrees', 'several options add up');
is(shown('layout', 'default'), "$all layout", 'several options: one of them the default');
is(shown('encode_force,var,float,enum64,decl_tag,type_tag,optimized_func,consistent_func,decl_tag_kfuncs'),
	$all, 'what kernel 6.12 asks for');

my $btf = BTF->read(btfcanon('encode', '-q', '--features=', $file)->{out});
is_deeply([ map { "$_->{kind} $_->{size}" } $btf->one('INT', 'double') ], [ BTF::INT . ' 8' ],
	'off: a float is an INT of its size');
my $wide = $btf->one('ENUM', 'wide');
is("$wide->{size} $wide->{nums}[0]", '8 7', 'off: a wide enum has the low halves');

refused(btfcanon('encode', '--features=var,colour', $file), '',
	qr/nobody knows 'colour'; there are encode_force, var, .*layout, and default/, 'an unknown name');

# Off, a variable that kernels do not take is an error.
$image->unit([ variable => { name => 'void', location => [ exprloc => "\x03" . pack 'Q<', 0x2010 ] } ]);
my $void = put('void.elf', $image->elf);
is(btfcanon('encode', '-q', "--features=$_", $void)->{status}, 0, "$_: with a variable without a type")
	for '', 'default', 'var,encode_force', 'encode_force,global_var';
refused(btfcanon('encode', "--features=$_", $void), $void, qr/the variable void .*no type/,
	"$_: with a variable without a type") for 'var', 'global_var';

# The layout is the base's: a split part has none.
$btf = BTF->read(my $bytes = btfcanon('encode', '-q', '--features=+layout', $file)->{out});
is($btf->{layout}, BTF::layout_bytes(0, @BTF::LAYOUT), 'layout: of every kind');
same_bytes(sort_bytes($bytes, '--drop-layout'), btfcanon('encode', '-q', $file)->{out},
	'layout: all else is the same');
my $split = btfcanon('encode', '-q', '--features=+layout', '--base', put('base.btf', $bytes), $file);
is($split->{status}, 0, 'layout: on a base');
ok($split->{out} eq btfcanon('encode', '-q', '--base', put('base.btf', $bytes), $file)->{out},
	'layout: on a base there is none');


# A distilled base needs a base; what is in it: distilled-encode.t.
my @on_base = ('--base', put('base.btf', $bytes));
is(substr(btfcanon('encode', '-q', @on_base, "--features=$_", $file)->{out}, 0, 4), "\x7fELF",
	"$_: beside a base of its own") for '+distilled_base', 'distilled_base';
same_bytes(btfcanon('encode', '-q', '--features=+distilled_base', $file)->{out},
	btfcanon('encode', '-q', $file)->{out}, 'distilled_base: without a base nothing is distilled');

done_testing;
