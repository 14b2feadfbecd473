# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package Scenarios;

# Every command at small work, for Faults.pm: short runs that reach as much of the program as they can.

use strict;
use warnings;
use BTF;
use DWARF;
use Exporter 'import';
use IO::Compress::Gzip ();
use TestUtil;
use TinyELF;

our @EXPORT = qw(scenarios large_scenarios);

sub _vector { return get(fixture("vectors/$_[0].btf")) }
sub _seed { return substr get(repository() . "/tests/fuzz/seeds/encode/$_[0]"), 1 }

sub _gzipped {
	my ($bytes) = @_;
	IO::Compress::Gzip::gzip(\$bytes => \my $gzipped) or die;
	return $gzipped;
}

# A linked image, and two modules that go on from its types, all of which get other ids.
sub _kernel {
	my $base = BTF->new;
	$base->float('double', 8);
	my $long = $base->int('long', 8, signed => 1);
	my $zone = $base->struct('zone', 16, [ [ 'count', $long, 0 ], [ 'next', $base->ptr($long), 64 ] ]);
	$base->typedef('area', $zone);
	my @modules = map {
		my $module = BTF->new(base => $base);
		$module->struct("${_}_own", 16, [ [ 'zone', $zone, 0 ] ]);
		$module->func("${_}_function", $module->proto($long, [ [ 'zone', $module->ptr($zone) ] ]), 1);
		$module->bytes;
	} 'one', 'two';
	my $elf = sub { TinyELF::write(machine => 62, type => $_[0], sections =>
		[ [ '.text', 'code' ], [ '.BTF', $_[1] ], [ '.data', 'data' x 9 ] ]) };
	return ('vmlinux' => $elf->(2, $base->bytes), 'one.ko' => $elf->(1, $modules[0]),
		'two.ko' => $elf->(1, $modules[1]));
}

# Files of many pages: what is mapped of them can go away page by page. All are called "in".
sub large_scenarios {
	my $file = DWARF->new(version => 4);
	$file->unit([ compile_unit => { language => 12, name => "unit $_.c" },
		map { [ base_type => { name => "number $_", byte_size => 4, encoding => 5 } ] } 100 * $_ .. 100 * $_ + 99 ])
		for 1 .. 60;
	my $elf = $file->elf(machine => 62);
	my $btf = btfcanon('encode', '-q', put('large.elf', $elf))->{out};
	my $object = TinyELF::write(sections => [ [ '.text', 'code' ], [ '.BTF', $btf ], [ '.data', 'data' x 9000 ] ]);
	my %old = (out => 'as it was before');
	return (
		(map { { name => "encode -j$_, large", files => { in => $elf, %old },
			command => [ 'encode', '-q', "-j$_", '-o', 'out', 'in' ] } } 1, 2),
		{ name => 'encode --in-place, large', files => { in => $elf },
			command => [ 'encode', '-q', '--in-place', 'in' ] },
		{ name => 'sort --in-place, large', files => { in => $object },
			command => [ 'sort', '-q', '--in-place', '--order=name', 'in' ] },
		{ name => 'sort, large', files => { in => $btf, %old }, command => [ 'sort', '-q', '-o', 'out', 'in' ] },
		{ name => 'dump, large, compressed', files => { in => _gzipped($btf), %old },
			command => [ 'dump', '-q', '-o', 'out', 'in' ] },
		{ name => 'header, large', files => { in => $object, %old },
			command => [ 'header', '-q', '-o', 'out', 'in' ] },
		{ name => 'compare, large', files => { in => $object, other => $btf },
			command => [ 'compare', '-q', 'in', 'other' ] },
	);
}

# A list of what Faults::prepare takes.
sub scenarios {
	my %rich = ('rich.btf' => _vector('rich'));
	my %split = ('base.btf' => _vector('split-lists.base'), 'split.btf' => _vector('split-lists'));
	my %versions = map { ("$_.btf" => get(fixture("compare/$_.btf"))) } 'old', 'new';
	my %old = (out => 'as it was before');
	my @quiet_out = ('-q', '-o', 'out');
	my $encode = sub {
		my ($name, $file, @options) = @_;
		return { name => "encode, $name", files => { 'in.elf' => $file, %old },
			command => [ 'encode', @quiet_out, @options, 'in.elf' ] };
	};
	return (
		{ name => 'sort', files => { %rich, %old }, command => [ 'sort', @quiet_out, 'rich.btf' ] },
		{ name => 'sort to standard output', files => {%rich}, command => [ 'sort', '-q', 'rich.btf' ] },
		{ name => 'sort on a base', files => { %split, %old },
			command => [ 'sort', @quiet_out, '--order=name', '--base', 'base.btf', 'split.btf' ] },
		{ name => 'sort of two', files => { %versions, %old },
			command => [ 'sort', @quiet_out, 'old.btf', 'new.btf' ] },
		{ name => 'sort --like', files => { %versions, %old },
			command => [ 'sort', @quiet_out, '--like', 'old.btf', 'new.btf' ] },
		{ name => 'sort of what is compressed', files => { 'in.gz' => _gzipped(_vector('rich')), %old },
			command => [ 'sort', @quiet_out, 'in.gz' ] },
		{ name => 'sort --in-place', files => { 'in.o' => get(fixture('cases/object.bpfel.elf')) },
			command => [ 'sort', '-q', '--in-place', 'in.o' ] },
		{ name => 'sort --in-place of a kernel', files => { _kernel() },
			command => [ 'sort', '-q', '--in-place', '--order=canonical', 'vmlinux', 'one.ko', 'two.ko' ] },
		{ name => 'check', files => {%rich}, command => [ 'check', '-q', 'rich.btf' ] },
		{ name => 'dump', files => { %rich, %old }, command => [ 'dump', @quiet_out, 'rich.btf' ] },
		{ name => 'dump --full', files => { %rich, %old },
			command => [ 'dump', '--full', @quiet_out, 'rich.btf' ] },
		{ name => 'header', files => { %rich, %old },
			command => [ 'header', '--offsets', @quiet_out, 'rich.btf' ] },
		{ name => 'header --baseline', files => { 'in.btf' => get(fixture('compare/new.btf')), 'out' =>
				btfcanon('header', '-q', fixture('compare/old.btf'))->{out} },
			command => [ 'header', '--baseline=out', @quiet_out, 'in.btf' ] },
		{ name => 'header --baseline of BTF', files => { %versions, %old },
			command => [ 'header', '--baseline=old.btf', @quiet_out, 'new.btf' ] },
		(map { { name => "compare --format=$_", files => { %versions, %old },
			command => [ 'compare', '-q', '-v', "--format=$_", 'old.btf', 'new.btf' ] } } qw(text json html)),
		{ name => 'compare --object', files => { %versions, 'in.o' => get(fixture('compare/prog.bpf.elf')) },
			command => [ 'compare', '-q', '--object', 'in.o', 'old.btf', 'new.btf' ] },
		{ name => 'compare --ignore-file', files => { %versions, list => "*_gone\n" x 3 . "*\n" },
			command => [ 'compare', '-q', '--ignore-file=list', 'old.btf', 'new.btf' ] },
		{ name => 'assemble', files => { 'in.txt' => get(fixture('dump/rich.full.txt')), %old },
			command => [ 'assemble', @quiet_out, 'in.txt' ] },
		$encode->('DWARF 4 with type units', _seed('gcc4')),
		$encode->('DWARF 5 with functions', _seed('gcc5')),
		$encode->('compressed', _seed('compressed')),
		$encode->('variables, all features', _seed('variables'), '--features=default,global_var'),
		$encode->('two threads', _seed('gcc5'), '-j2'),
		{ name => 'encode, of two with a third beside them', command => [ 'encode', @quiet_out, 'alternate-a.elf',
				'alternate-b.elf' ],
			files => { %old, map { ("$_.elf" => get(fixture("encode/$_.elf"))) } qw(alternate-a alternate-b alternate) } },
		{ name => 'encode --explain', files => { 'in.elf' => get(fixture('functions/optimized.elf')), %old },
			command => [ 'encode', @quiet_out, '--explain=main', 'in.elf' ] },
		{ name => 'encode, distilled base', files => { 'in.elf' => _seed('gcc5'), %rich, %old },
			command => [ 'encode', @quiet_out, '--base=rich.btf', '--features=default,distilled_base',
				'in.elf' ] },
		{ name => 'encode --in-place', files => { 'in.elf' => _seed('gcc5') },
			command => [ 'encode', '-q', '--in-place', 'in.elf' ] },
		{ name => 'pahole -J', files => { 'in.elf' => _seed('gcc5') },
			command => [ 'pahole', '-J', '-j1', '-q', '--btf_features=all', 'in.elf' ] },
		{ name => 'pahole --btf_encode_detached', files => { 'in.elf' => _seed('gcc5'), %rich, %old },
			command => [ 'pahole', '-J', '-q', '--btf_base=rich.btf', '--btf_encode_detached=out', 'in.elf' ] },
	);
}

1;
