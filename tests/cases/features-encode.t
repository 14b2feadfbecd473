#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# encode --features: pahole's names; each on and off.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Image qw(function in_register);
use TestUtil;

my $image = Image->new;
$image->section('.text', 0x1000, "\0" x 64, flags => 6);
$image->section('.data..percpu', 0x2000, "\0" x 64, flags => 3);
$image->section('.BTF_ids', 0x3000, pack('V*', 1, 1, 0, 1 << 14));
$image->symbol('__BTF_ID__set8__all', 0x3000, 16, section => '.BTF_ids', type => 'object');
$image->symbol('__BTF_ID__func__work__1', 0x3008, 4, section => '.BTF_ids', type => 'object');
$image->symbol($_->[0], $_->[1], 16) for [ work => 0x1010 ], [ disagrees => 0x1020 ];
$image->unit(
	[ base_type => { label => 'double', name => 'double', byte_size => 8, encoding => 4 } ],
	[ enumeration_type => { name => 'wide', byte_size => 8 },
		[ enumerator => { name => 'HUGE', const_value => [ data8 => 5 << 32 | 7 ] } ] ],
	[ pointer_type => { label => 'tagged', byte_size => 8, type => \'int' },
		[ llvm_annotation => { name => 'btf_type_tag', const_value => 'user' } ] ],
	[ typedef => { name => 'alias', type => \'int' },
		[ llvm_annotation => { name => 'btf_decl_tag', const_value => 'mark' } ] ],
	[ variable => { name => 'counter', type => \'int', location => [ exprloc => "\x03" . pack 'Q<', 0x2008 ] } ],
	function('work', { low_pc => 0x1010 }, [ x => \'tagged', location => in_register(5) ]),
	function('disagrees', { low_pc => 0x1020 }, [ x => \'int', location => in_register(5) ]));
$image->unit(function('disagrees', { low_pc => 0x1030 }, [ x => \'char*', location => in_register(5) ]));
my $file = put('features.elf', $image->elf);

# What shows each feature, as a set of letters.
sub shown {
	my (@options) = @_;
	my $result = btfcanon('encode', '-q', $file, map { "--features=$_" } @options);
	if ($result->{status}) {
		diag($result->{err});
		return 'failed';
	}
	my $btf = BTF->read($result->{out});
	my %is = map { $BTF::KINDS[ $_->{kind} ] => 1 } $btf->types;
	my $check = check_bytes($result->{out}, '-q');
	is($check->{status}, 0, "  check agrees (@options)") || diag($check->{err});
	return join ' ', (map { $is{$_} ? $_ : () } qw(VAR FLOAT TYPE_TAG ENUM64 DECL_TAG)),
		(grep { $_->{name} eq 'disagrees' } $btf->find('FUNC')) ? 'disagrees' : (),
		(grep { $_->{kflag} } $btf->find('TYPE_TAG')) ? 'attribute' : (),
		length $btf->{layout} ? 'layout' : ();
}

my $all = 'VAR FLOAT TYPE_TAG ENUM64 DECL_TAG';
is(shown(), $all, 'none asked for: the default');
is(shown('default'), $all, 'default');
is(shown('+var'), $all, 'more than the default');
is(shown(''), 'disagrees', 'none at all');
is(shown('encode_force,optimized_func,reproducible_build'), 'disagrees',
	'features that are as they are');
is(shown('var'), 'VAR disagrees', 'var');
is(shown('float'), 'FLOAT disagrees', 'float');
is(shown('type_tag'), 'TYPE_TAG disagrees', 'type_tag');
is(shown('enum64'), 'ENUM64 disagrees', 'enum64');
is(shown('decl_tag_kfuncs'), 'DECL_TAG disagrees', 'decl_tag_kfuncs');
is(shown('decl_tag'), 'DECL_TAG disagrees', 'decl_tag');
is(shown('consistent_func'), '', 'consistent_func');
is(shown('layout'), 'disagrees layout', 'layout');
is(shown('attributes'), 'disagrees', 'attributes alone: without kfuncs there are none');
is(shown('attributes,decl_tag_kfuncs'), 'TYPE_TAG DECL_TAG disagrees attribute',
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
refused(btfcanon('encode', "--features=$_", $file), '', qr/$_ is not there yet/, "$_ is said not to be there")
	for qw(global_var distilled_base true_signature);

# The layout is the base's: a split part has none.
$btf = BTF->read(my $bytes = btfcanon('encode', '-q', '--features=+layout', $file)->{out});
is($btf->{layout}, BTF::layout_bytes(0, @BTF::LAYOUT), 'layout: of every kind');
same_bytes(sort_bytes($bytes, '--drop-layout'), btfcanon('encode', '-q', $file)->{out},
	'layout: all else is the same');
my $split = btfcanon('encode', '-q', '--features=+layout', '--base', put('base.btf', $bytes), $file);
is($split->{status}, 0, 'layout: on a base');
ok($split->{out} eq btfcanon('encode', '-q', '--base', put('base.btf', $bytes), $file)->{out},
	'layout: on a base there is none');

done_testing;
