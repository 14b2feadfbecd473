#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# encode --base: what a module has of its own. The kernel declares what only the module defines: what
# is the kernel's stays the kernel's, and what is the module's goes on to the body.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Image qw(function in_register);
use Objects qw(definitions);
use TestUtil;

sub member { my ($name, $type, $at) = @_; return [ member => { name => $name, type => \$type,
	data_member_location => $at } ] }
sub pointer { my ($to) = @_; return [ pointer_type => { label => "$to*", byte_size => 8, type => \$to } ] }
sub proto { my ($label, @types) = @_; return [ subroutine_type => { label => $label },
	map { [ formal_parameter => { type => \"$_" } ] } @types ] }

# What both know: structs that refer to "secret" directly, and by an unnamed union.
my @shared = (
	pointer('secret'),
	[ structure_type => { label => 'holder', name => 'holder', byte_size => 8 }, member('s', 'secret*', 0) ],
	pointer('holder'),
	[ structure_type => { label => 'outer', name => 'outer', byte_size => 16 },
		[ union_type => { label => 'inner', byte_size => 8 }, member('a', 'secret*', 0),
			member('b', 'long', 0) ],
		[ member => { type => \'inner', data_member_location => 0 } ], member('n', 'int', 8) ],
	[ typedef => { label => 'secret_t', name => 'secret_t', type => \'secret*' } ],
	proto('callback', 'secret*', 'holder*'),
	pointer('callback'),
	[ structure_type => { label => 'ops', name => 'ops', byte_size => 8 },
		member('call', 'callback*', 0) ],
	[ enumeration_type => { label => 'level', name => 'level', byte_size => 4 },
		[ enumerator => { name => 'LOW', const_value => 0 } ] ]);

my $kernel = Image->new;
$kernel->unit([ structure_type => { label => 'secret', name => 'secret', declaration => [ flag_present => 1 ] } ],
	@shared, function('in_both', { low_pc => 0x1000 }, [ h => \'holder*', location => in_register(5) ]));
$kernel->symbol('in_both', 0x1000, 16);
my $kernel_file = put('kernel.elf', $kernel->elf);
my $kernel_btf = btfcanon('encode', '-q', $kernel_file)->{out};

# The module: the body, a struct and a function of its own that lead to it, what the kernel has.
sub module {
	my (@more) = @_;
	my $module = Image->new;
	$module->unit([ structure_type => { label => 'secret', name => 'secret', byte_size => 4 }, member('x', 'int', 0) ],
		@shared,
		[ structure_type => { label => 'own', name => 'own', byte_size => 48 }, member('s', 'secret*', 0),
			member('h', 'holder*', 8), member('t', 'secret_t', 16), member('c', 'callback*', 24),
			member('o', 'outer', 32) ],
		function('use', { low_pc => 0x1000 }, [ s => \'secret*', location => in_register(5) ]),
		function('plain', { low_pc => 0x1010 }, [ h => \'holder*', location => in_register(5) ]), @more);
	$module->symbol('use', 0x1000, 16)->symbol('plain', 0x1010, 16);
	return put('module.elf', $module->elf);
}

my $base = BTF->read($kernel_btf);
my $base_file = put('base.btf', $kernel_btf);
my $file = module();
my $result = btfcanon('encode', '--base', $base_file, $file);
quiet($result, 'a module on its kernel');
my $module = BTF->read($result->{out}, $base);
is(join(' ', sort map { $_->{name} || () } $module->types), 'own plain secret secret_t use',
	'what is its own: the body, what leads there and is no struct of the kernel');
my $body = $module->one('STRUCT', 'secret');
sub followed {
	my ($btf, $id) = @_;
	my $type = $btf->type($id);
	$type = $btf->type($type->{refs}[0]) while $type->{kind} == BTF::PTR || $type->{kind} == BTF::TYPEDEF;
	return $type;
}
my $own = $module->one('STRUCT', 'own');
my @members = map { followed($module, $_) } @{ $own->{refs} };
is($members[0], $body, 'a member of its own struct leads to the body');
is($members[1], $base->one('STRUCT', 'holder'), 'another to the struct that the kernel has');
is($members[2], $body, 'a typedef leads to the body');
is(followed($module, $members[3]{refs}[1]), $body, 'a callback\'s parameter leads to the body');
is($members[4], $base->one('STRUCT', 'outer'), 'a struct with an unnamed union is the kernel\'s');
is(scalar(() = $module->find('UNION')), 0, 'and the union with it');
is(followed($module, $module->type($module->one('FUNC', 'use')->{refs}[0])->{refs}[1]), $body,
	'what a tracer finds for a parameter of a function is the body');
is($base->one('STRUCT', 'holder')->{refs}[0], ($base->ids(sub { $_->{kind} == BTF::PTR
	&& $base->type($_->{refs}[0])->{kind} == BTF::FWD }))[0], 'the kernel\'s struct still leads to its declaration');
same_bytes(btfcanon('sort', '--base', $base_file, put('module.btf', $result->{out}))->{out}, $result->{out},
	'sort changes nothing');

# The base in other orders, out of the kernel itself, read with any number of threads.
is(btfcanon('encode', '--base', $kernel_file, $file)->{status}, 2, 'a kernel without BTF is no base');
for my $order ([ 'name order', sort_bytes($kernel_btf, '--order=name') ],
	map { [ "shuffle $_", scalar $base->shuffled($_) ] } 1 .. 5) {
	my ($name, $bytes) = @$order;
	my $other = BTF->read($bytes);
	my $encoded = btfcanon('encode', '--base', put('other.btf', $bytes), $file);
	is($encoded->{status}, 0, "the base in $name") || diag($encoded->{err});
	same_graph($module, BTF->read($encoded->{out}, $other), "the base in $name: the same types");
}

# Of two bodies none is the one that the kernel declares.
my $two = Image->new;
$two->unit([ structure_type => { label => 'secret', name => 'secret', byte_size => $_ }, member('x', 'int', 0) ],
	@shared) for 4, 8;
my $both = BTF->read(btfcanon('encode', '-q', '--base', $base_file, put('two.elf', $two->elf))->{out}, $base);
is(scalar(() = $both->find('STRUCT', 'secret')), 2, 'two bodies: both are there');
is(scalar(() = $both->find('STRUCT', 'holder')), 2, 'and a struct for each');

# Nothing of its own.
my $same = btfcanon('encode', '--base', $base_file, do {
	my $image = Image->new;
	$image->unit([ structure_type => { label => 'secret', name => 'secret',
		declaration => [ flag_present => 1 ] } ], @shared);
	put('same.elf', $image->elf);
});
is(length $same->{out}, 24, 'a module of what the kernel has is a header alone');

done_testing;
