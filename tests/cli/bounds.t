#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# What it takes grows with the input, not with the square of it. The limits are far above what it
# takes, and far below what the square of these sizes would.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Compare;
use TestUtil;

my %limits = (seconds => 25, memory_mb => 640);

sub compared {
	my ($old, $new, @options) = @_;
	return btfcanon('compare', '-q', @options, put('old.btf', scalar $old->bytes),
		put('new.btf', scalar $new->bytes), \%limits);
}

# ---- unnamed enums: one name that all values have, and many other names

{
	my ($one, $many) = (BTF->new, BTF->new);
	$one->enum('', [ map { [ 'SAME', $_ ] } 1 .. 500_000 ]);
	$many->enum('', [ map { [ "VALUE_$_", $_ ] } 1 .. 500_000 ]);
	like(compared($one, $many, '--stat')->{out}, qr/^ 1 added, 1 removed$/m, 'a name of many values');
	like(compared($many, $one, '--stat')->{out}, qr/^ 1 added, 1 removed$/m, 'the other way round');
}

# ---- many references to a large unnamed struct that changed in its last member

sub large_struct {
	my ($btf, $count, $last) = @_;
	my $int = $btf->int('int', 4);
	return $btf->ptr($btf->struct('', 4 * $count, [ (map { [ "m$_", $int, 32 * $_ ] }
		0 .. $count - 2), [ $last, $int, 32 * ($count - 1) ] ]));
}

{
	my @sides = map {
		my $btf = BTF->new;
		my $pointer = large_struct($btf, 100_000, $_);
		$btf->func('f', $btf->proto(0, [ map { [ "p$_", $pointer ] } 1 .. 60_000 ]));
		$btf;
	} qw(before after);
	my $result = compared(@sides);
	is(() = $result->{out} =~ /^    ~ p\d+ +parameter \d+, struct \{.* \(another one\)$/mg, 60_000,
		'parameters of an unnamed struct');
}

# ---- members in thousands of unnamed structs: each would say what it is in

{
	my @sides = map {
		my $btf = BTF->new;
		my $int = $btf->int('int', 4);
		my $id = $btf->struct('', 400_000, $_);
		$id = $btf->struct('', 400_000, [ [ '', $id, 0 ] ]) for 1 .. 1000;
		$btf->struct('deep', 400_000, [ [ '', $id, 0 ] ]);
		$btf;
	} [ map { [ "m$_", 1, 32 * $_ ] } 0 .. 99_999 ], [ [ 'm', 1, 0 ] ];
	my $result = compared(@sides);
	refused($result, '', qr/: unnamed types in each other grow to more than 256 MiB$/, 'deep nesting');
}

# ---- a long name that is there very often

{
	my @sides = map {
		my $btf = BTF->new;
		$btf->typedef('n' x 1_000_000, 2); # its name is at offset 1
		my $int = $btf->int('int', 4);
		$btf->struct('s', $_, [ map { [ \1, $int, 0 ] } 1 .. 300_000 ]);
		$btf;
	} 4, 8;
	refused(compared(@sides), '', qr/: type \d+: very long names are there very often$/, 'long names');
}

# ---- what an object relies on

sub judged {
	my ($kernel, $object, %parts) = @_;
	my $path = put('new.btf', scalar $kernel->bytes);
	return btfcanon('compare', '-q', '--object', put('object.elf', bpf_object($object, %parts)), $path,
		$path, \%limits);
}

my $too_long = qr/: what it relies on takes too long to look up$/;

# A struct of operations with its members the other way round.
{
	my ($kernel, $object) = (BTF->new, BTF->new);
	my @members = map { [ "m$_", 1, 32 * $_ ] } 0 .. 199_999;
	$kernel->int('int', 4);
	$kernel->struct('ops', 800_000, \@members);
	$kernel->struct('bpf_struct_ops_ops', 4, [ [ 'x', 1, 0 ] ]);
	$object->int('int', 4);
	my $ops = $object->struct('ops', 800_000,
		[ map { [ $members[-1 - $_][0], 1, 32 * $_ ] } 0 .. $#members ]);
	my $variable = $object->var('mine', $ops);
	$object->datasec('.struct_ops', 800_000, [ [ $variable, 0, 800_000 ] ]);
	refused(judged($kernel, $object), scratch('object.elf'), $too_long, 'members of operations');
}

# Many types of the name that many programs attach to.
{
	my ($kernel, $object) = (BTF->new, BTF->new);
	$kernel->struct('many', $_, []) for 1 .. 100_000;
	$object->int('int', 4);
	my $function = $object->func('f', $object->proto(1, []));
	refused(judged($kernel, $object, programs => [ map { [ "kprobe/many+$_", $function ] } 1 .. 30_000 ]),
		scratch('object.elf'), $too_long, 'types of one name');
}

# Typedefs of typedefs, which each record of many walks along.
{
	my ($kernel, $object) = (BTF->new, BTF->new);
	$kernel->int('int', 4);
	$object->struct('s', 4, [ [ 'm', $object->int('int', 4), 0 ] ]);
	$object->typedef("t$_", $_ + 1) for 1 .. 100_000;
	my $last = $object->id_end - 1;
	my @relocations = map { [ 'kprobe/x', $last, '0' x $_ . ':0', 0 ] } 1 .. 500;
	refused(judged($kernel, $object, relocations => \@relocations), scratch('object.elf'),
		qr/type \d+: more than 32 modifiers and typedefs in each other$/, 'chains of typedefs');
}

# Missing members of a struct with a long name: any other relocation may ask whether they are there.
{
	my ($kernel, $object) = (BTF->new, BTF->new);
	$kernel->int('int', 4);
	my $int = $object->int('int', 4);
	my $struct = $object->struct('n' x 6400, 4 * 5000, [ map { [ "m$_", $int, 32 * $_ ] } 0 .. 4999 ]);
	my @relocations = map { [ 'kprobe/x', $struct, "0:$_", 0 ] } 0 .. 4999;
	refused(judged($kernel, $object, relocations => \@relocations), scratch('object.elf'), $too_long,
		'checks of what is missing');
}

# Sections that are all of the file, each.
{
	my ($kernel, $object) = (BTF->new, BTF->new);
	$_->int('int', 4) for $kernel, $object;
	my @sections = map { [ ".struct_ops.$_", '', { size => 1 << 20 } ] } 1 .. 1000;
	my $records = [ map { [ "code.$_", 1, '0', 6 ] } 1 .. 1000 ];
	my @code = map { [ "code.$_", '', { size => 1 << 20 } ] } 1 .. 1000;
	my $file = put('object.elf', bpf_object($object, relocations => $records,
		sections => [ @code, [ '.data', "\0" x (1 << 20) ] ]));
	refused(btfcanon('sort', '-q', '--in-place', $file, \%limits), $file,
		qr/: section code\.\d+ lies on others$/, 'code on each other');
	refused(judged($kernel, $object, sections => [ @sections, [ '.data', "\0" x (1 << 20) ] ]),
		scratch('object.elf'), qr/: section \.struct_ops\.\d+ lies on others$/, 'sections on each other');
}

done_testing();
