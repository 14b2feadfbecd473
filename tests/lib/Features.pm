# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package Features;

# An image that has something for each feature of pahole's --btf_features, and what of it is in BTF.

use strict;
use warnings;
use BTF;
use Exporter 'import';
use Image qw(function in_register);

our @EXPORT = qw(features_image features_shown);

sub features_image {
	my $image = Image->new;
	$image->section('.text', 0x1000, "\0" x 64, flags => 6);
	$image->section('.data..percpu', 0x2000, "\0" x 64, flags => 3);
	$image->section('.data', 0x4000, "\0" x 64, flags => 3);
	$image->section('.BTF_ids', 0x3000, pack('V*', 1, 1, 0, 1 << 14));
	$image->symbol('__BTF_ID__set8__all', 0x3000, 16, section => '.BTF_ids', type => 'object');
	$image->symbol('__BTF_ID__func__work__1', 0x3008, 4, section => '.BTF_ids', type => 'object');
	$image->symbol($_->[0], $_->[1], 16) for [ work => 0x1010 ], [ disagrees => 0x1020 ],
		[ 'lost.isra.0' => 0x1040 ];
	$image->unit(
		[ base_type => { label => 'double', name => 'double', byte_size => 8, encoding => 4 } ],
		[ enumeration_type => { name => 'wide', byte_size => 8 },
			[ enumerator => { name => 'HUGE', const_value => [ data8 => 5 << 32 | 7 ] } ] ],
		[ pointer_type => { label => 'tagged', byte_size => 8, type => \'int' },
			[ llvm_annotation => { name => 'btf_type_tag', const_value => 'user' } ] ],
		[ typedef => { name => 'alias', type => \'int' },
			[ llvm_annotation => { name => 'btf_decl_tag', const_value => 'mark' } ] ],
		[ variable => { name => 'counter', type => \'int', location => [ exprloc => "\x03" . pack 'Q<', 0x2008 ] } ],
		[ variable => { name => 'elsewhere', type => \'int',
			location => [ exprloc => "\x03" . pack 'Q<', 0x4008 ] } ],
		function('work', { low_pc => 0x1010 }, [ x => \'tagged', location => in_register(5) ]),
		function('disagrees', { low_pc => 0x1020 }, [ x => \'int', location => in_register(5) ]),
		function('lost', { low_pc => 0x1040 }, [ x => \'int' ]));
	$image->unit(function('disagrees', { low_pc => 0x1030 }, [ x => \'char*', location => in_register(5) ]));
	return $image;
}

# What of it is in these bytes, as words. A tag of a kfunc is one on a function.
sub features_shown {
	my ($bytes) = @_;
	my $btf = BTF->read($bytes);
	my %is = map { $BTF::KINDS[ $_->{kind} ] => 1 } $btf->types;
	return join ' ', (map { $is{$_} ? $_ : () } qw(VAR FLOAT TYPE_TAG ENUM64 DECL_TAG)),
		(grep { $_->{name} eq 'bpf_kfunc' } $btf->find('DECL_TAG')) ? 'kfunc' : (),
		(grep { $_->{name} eq 'disagrees' } $btf->find('FUNC')) ? 'disagrees' : (),
		(grep { $_->{name} eq 'lost.isra.0' } $btf->find('FUNC')) ? 'called' : (),
		(grep { $_->{kflag} } $btf->find('TYPE_TAG')) ? 'attribute' : (),
		(grep { $_->{name} eq '.data' } $btf->find('DATASEC')) ? 'global' : (),
		length $btf->{layout} ? 'layout' : ();
}

1;
