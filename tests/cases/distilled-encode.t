#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# encode --base --features=distilled_base: a module's BTF with the little of its base that a loader needs
# to find the types meant, on this base and on others. What it finds is what was meant.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Distilled;
use Image qw(function in_register);
use TestUtil;
use TinyELF;

sub member { return [ member => { name => $_[0], type => $_[1], data_member_location => $_[2] } ] }

sub struct {
	my ($label, $size, @members) = @_;
	my ($name, $kind) = (($label =~ /^(\w+)/)[0], $label =~ /\(union\)/ ? 'union_type' : 'structure_type');
	return [ $kind => { label => $label, ($label =~ /^unnamed/ ? () : (name => $name)), byte_size => $size },
		map { member(@$_) } @members ];
}

sub pointer { return [ pointer_type => { label => "$_[0]*", byte_size => 8, type => \"$_[0]" } ] }

# What the kernel and the module both have: of a name that two units use for different things, one.
my @kinds = (
	[ base_type => { label => 'double', name => 'double', byte_size => 8, encoding => 4 } ],
	[ enumeration_type => { label => 'colour', name => 'colour', byte_size => 4 },
		[ enumerator => { name => 'RED', const_value => 1 } ] ],
	[ enumeration_type => { label => 'wide', name => 'wide', byte_size => 8 },
		[ enumerator => { name => 'HUGE', const_value => [ data8 => 1 << 40 ] } ] ],
	[ enumeration_type => { label => 'unnamed enum', byte_size => 4 },
		[ enumerator => { name => 'NAMELESS', const_value => 1 } ] ],
	[ structure_type => { label => 'opaque', name => 'opaque', declaration => [ flag => 1 ] } ],
	struct('named', 8, [ 'self', \'named*', 0 ]), pointer('named'),
	struct('inner', 4, [ 'i', \'int', 0 ]), struct('either(union)', 8, [ 'l', \'long', 0 ]),
	struct('unnamed', 16, [ 'box', \'box*', 0 ], [ 'inner', \'inner', 8 ]),
	[ typedef => { label => 'handle', name => 'handle', type => \'unnamed' } ],
	[ const_type => { label => 'const handle', type => \'handle' } ],
	pointer('const handle'), pointer('opaque'),
	[ array_type => { label => 'array', type => \'inner' }, [ subrange_type => { count => 4 } ] ],
	[ subroutine_type => { label => 'callback', type => \'colour' },
		[ formal_parameter => { type => \'named*' } ] ], pointer('callback'));
my %twice = (1 => [ struct('twice', 4, [ 'a', \'int', 0 ]), pointer('twice') ],
	2 => [ struct('twice', 4, [ 'b', \'char', 0 ]), pointer('twice') ]);
my %sizes = (1 => [ struct('sizes', 4, [ 'a', \'int', 0 ]), pointer('sizes') ],
	2 => [ struct('sizes', 8, [ 'a', \'long', 0 ]), pointer('sizes') ]);
my @mixed = (struct('mixed', 4, [ 'm', \'int', 0 ]), pointer('mixed'));
my @other_mixed = ([ union_type => { label => 'mixed(union)', name => 'mixed', declaration => [ flag => 1 ] } ],
	pointer('mixed(union)'));
my @hollow = (struct('hollow', 4, [ 'h', \'int', 0 ]), pointer('hollow'));
my @own_hollow = (struct('hollow', 4), pointer('hollow'));

sub image {
	my ($big, @units) = @_;
	my $image = Image->new(big => $big, machine => $big ? 22 : 62);
	$image->section('.text', 0x1000, "\0" x 64, flags => 6);
	$image->unit(@$_) for @units;
	return $image;
}

sub kernel { return image($_[0], [ @kinds, @mixed, @hollow ], [ @{ $twice{1} }, @{ $sizes{1} } ],
	[ @{ $twice{2} }, @{ $sizes{2} }, @other_mixed ]) }

my $at = 0;
my $user = struct('user', 96, map { my @m = ("m$at", \"$_", 8 * $at++ ); \@m }
	'double', 'colour', 'wide', 'unnamed enum', 'named*', 'inner', 'either(union)', 'handle', 'unnamed',
	'const handle*', 'opaque*', 'callback*');
my @module = ([ @kinds, $user, struct('more', 16, [ 'array', \'array', 0 ]), function('work',
	{ low_pc => 0x1010 }, [ x => \'named*' ], [ y => \'const int' ]) ],
	[ @{ $twice{1} }, @{ $sizes{1} }, @mixed, @hollow, struct('one', 48, [ 't', \'twice*', 0 ],
		[ 's', \'sizes*', 8 ], [ 'm', \'mixed*', 16 ], [ 'h', \'hollow*', 24 ], [ 'sizes', \'sizes', 32 ]) ],
	[ @{ $twice{2} }, @{ $sizes{2} }, @own_hollow, struct('two', 24, [ 't', \'twice*', 0 ],
		[ 's', \'sizes*', 8 ], [ 'h', \'hollow*', 16 ]) ]);

sub module {
	my $image = image($_[0], @module);
	$image->symbol('work', 0x1010, 16);
	return $image;
}

sub encoded {
	my ($name, @arguments) = @_;
	my $result = btfcanon('encode', '-q', @arguments);
	is($result->{status}, 0, "$name: encoded") || diag($result->{err});
	return $result->{out};
}

# "KIND name size" of each type.
sub listed {
	my ($btf) = @_;
	return [ sort map { join ' ', $BTF::KINDS[ $_->{kind} ], $_->{name}, $_->{size} // () } $btf->types ];
}

# A loader makes of both parts what encode writes without a distilled base.
sub finds {
	my ($name, $elf, $target, $plain) = @_;
	my $bytes = eval { relocated(distilled($elf), BTF->read($target)) };
	is($@, '', "$name: a loader finds every type");
	my $sorted = btfcanon('sort', '--base', put('target.btf', $target), put('relocated.btf', $bytes // ''));
	is($sorted->{status}, 0, "$name: what it makes is BTF") || diag($sorted->{err});
	same_bytes($sorted->{out}, $plain, "$name: and what was meant");
	return;
}

in_both_orders(sub {
	my ($big, $order) = @_;
	my $kernel = encoded("$order: kernel", put('kernel.elf', kernel($big)->elf));
	my ($base, $file) = (put('kernel.btf', $kernel), put('module.elf', module($big)->elf));
	my @distill = ('--features=+distilled_base', '--base');
	my $plain = encoded("$order: module", '--base', $base, $file);
	my $elf = encoded("$order: distilled", @distill, $base, $file);
	my ($small, $split) = distilled($elf);

	is_deeply(listed($small), [ 'ENUM colour 4', 'ENUM wide 8', 'FLOAT double 8', 'FWD opaque',
		'INT char 1', 'INT int 4', 'STRUCT box 4', 'STRUCT inner 4', 'STRUCT named 8',
		'STRUCT sizes 4', 'STRUCT sizes 8', 'UNION either 8' ], "$order: stand-ins");
	is(scalar(grep { $_->{vlen} } grep { $_->{kind} != BTF::INT } $small->types), 0,
		"$order: without members and values");
	my %own = map { ($_ => 1) } @{ listed($split) };
	ok($own{$_}, "$order: copied: $_") for 'TYPEDEF handle', 'STRUCT  16', 'ENUM  4';
	is(scalar(() = $split->find('STRUCT', 'twice')), 2, "$order: copied: what a name finds twice");
	is($split->one('STRUCT', 'mixed')->{vlen}, 1, "$order: copied: what a forward is in the way of");
	is(join(' ', sort map { $_->{vlen} } $split->find('STRUCT', 'hollow')), '0 1',
		"$order: copied: what an own type without members looks like");
	finds($order, $elf, $kernel, $plain);

	# The file is ELF as others make it, and what is in it canonical.
	my $machine = unpack $big ? 'x18n' : 'x18v', $elf;
	is($machine, $big ? 22 : 62, "$order: of the module's machine");
	is(join(' ', map { $_->{name} } @{ TinyELF::parts($elf)->{sections} }), ' .BTF .BTF.base .shstrtab',
		"$order: its sections");
	is(check_bytes($elf, '-q')->{status}, 0, "$order: check agrees");
	same_bytes(sort_bytes($elf), TinyELF::section($elf, '.BTF'), "$order: sorting it changes nothing");
	same_bytes(sort_bytes(TinyELF::section($elf, '.BTF.base')), TinyELF::section($elf, '.BTF.base'),
		"$order: nor does sorting its base");

	# Neither the units' order nor the base's shows.
	for my $units ([ 0, 2, 1 ], [ 2, 1, 0 ], [ 1, 0, 2 ]) {
		same_bytes(encoded("$order: units @$units", @distill, $base,
			put('module2.elf', module($big)->elf(@$units))), $elf, "$order: units @$units");
	}
	for my $seed (1 .. 5) {
		my $other = BTF->read($kernel)->shuffled($seed);
		my $name = "$order: base shuffled ($seed)";
		same_bytes(encoded($name, @distill, put('other.btf', $other), $file), $elf, $name);
		finds($name, $elf, $other, encoded($name, '--base', put('other.btf', $other), $file));
	}

	# A base of another build: types between, members more.
	my $later = image($big, [ @kinds, @mixed, @hollow, map { struct("a$_", 8, [ 'l', \'long', 0 ]) } 1 .. 9 ],
		[ @{ $twice{1} }, @{ $sizes{1} } ], [ @{ $twice{2} }, @{ $sizes{2} }, @other_mixed ]);
	my $later_bytes = encoded("$order: later", put('later.elf', $later->elf));
	finds("$order: a later base", $elf, $later_bytes,
		encoded("$order: on the later base", '--base', put('later.btf', $later_bytes), $file));

	# Name order, a chain of bases.
	my $by_name = encoded("$order: by name", '--order=name', @distill, $base, $file);
	is(check_bytes($by_name, '-q', '--order=name')->{status}, 0, "$order: by name: check agrees");
	finds("$order: by name", $by_name, $kernel, $plain);
	my $first = encoded("$order: first of a chain", '--base', $base,
		put('first.elf', image($big, [ @kinds, $user ])->elf));
	my @chain = ('--base', $base, '--base', put('first.btf', $first));
	my $last = encoded("$order: last of a chain", @chain, '--features=+distilled_base', $file);
	my ($chain_base) = distilled($last);
	ok((grep { $_ eq 'STRUCT inner 4' } @{ listed($chain_base) }), "$order: a chain: stand-ins of its first");
	is(check_bytes($last, '-q')->{status}, 0, "$order: a chain: check agrees");
	my $chain_bytes = eval { relocated(distilled($last), BTF->read($first, BTF->read($kernel))) };
	is($@, '', "$order: a chain: a loader finds every type");
	same_bytes(btfcanon('sort', @chain, put('relocated.btf', $chain_bytes))->{out},
		encoded("$order: a chain, not distilled", @chain, $file), "$order: a chain: and what was meant");

	# Without a base nothing is distilled.
	same_bytes(encoded("$order: no base", '--features=+distilled_base', $file),
		encoded("$order: no base", $file), "$order: no base: as if nobody had asked");

	# In the module itself, by two names; once more over what is there; and not beside it.
	my $in_place = put('in_place.ko', get($file));
	encoded("$order: in place", '--in-place', '--order=canonical', @distill, $base, $in_place);
	my $once = get($in_place);
	is_deeply([ map { TinyELF::section($once, $_) } '.BTF', '.BTF.base' ],
		[ map { TinyELF::section($elf, $_) } '.BTF', '.BTF.base' ], "$order: in place: the same");
	encoded("$order: in place again", '--in-place', '--order=canonical', @distill, $base, $in_place);
	same_bytes(get($in_place), $once, "$order: in place again: the same");
	refused(btfcanon('encode', '--in-place', '--base', $base, $in_place), $in_place,
		qr/has a \.BTF\.base/, "$order: in place without a distilled base");
	put('in_place.ko', get($file));
	my @features = ('--btf_features=default', '--btf_features=distilled_base', '--btf_base', $base);
	is(btfcanon('pahole', '-J', @features, $in_place)->{status}, 0, "$order: as pahole");
	is_deeply([ map { TinyELF::section(get($in_place), $_) } '.BTF', '.BTF.base' ],
		[ map { TinyELF::section($by_name, $_) } '.BTF', '.BTF.base' ], "$order: as pahole: the same");
	my $detached = scratch('detached.btf');
	btfcanon('pahole', '-J', @features, "--btf_encode_detached=$detached", $file);
	same_bytes(get($detached), encoded("$order: by name", '--order=name', '--base', $base, $file),
		"$order: as pahole, beside it: not distilled");
});

done_testing;
