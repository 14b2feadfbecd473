#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# encode --features=global_var: the variables of all sections, in objects, in relocatable files made of
# these, and in linked ones. Where objdump sees a symbol, there BTF has the variable.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Objects;
use TestUtil;

need_assembler(qw(ld objdump));

# What stands where by the symbol table: "section offset size name linkage", sorted.
sub symbols_of {
	my ($path) = @_;
	my $result = run('objdump', '-h', '-t', '-w', $path);
	my %start = map { /^ *\d+ (\S+) +\S+ +([0-9a-f]{16}) / ? ($1 => hex $2) : () }
		split /\n/, $result->{out};
	my @found;
	for my $line (split /\n/, $result->{out}) {
		my ($value, $binding, $section, $size, $name) =
			$line =~ /^([0-9a-f]{16}) (.)..... *O (\S+)\t([0-9a-f]{16}) +(\S+)$/ or next;
		# No debug information says where an alias is; nothing has no place; the linker has its own.
		next if $name eq 'first' || $name eq '_DYNAMIC' || $name eq 'empty' || ($name eq 'banner' && hex $size == 1);
		push @found, join ' ', $section, hex($value) - $start{$section}, hex $size, $name,
			$binding eq 'l' ? 'static' : 'global';
	}
	return sort @found;
}

sub variables_of {
	my ($btf) = @_;
	my @found;
	for my $section ($btf->find('DATASEC')) {
		my $end = 0;
		for my $i (0 .. $#{ $section->{refs} }) {
			my $variable = $btf->type($section->{refs}[$i]);
			my ($offset, $size) = @{ $section->{nums} }[ 2 * $i, 2 * $i + 1 ];
			push @found, join ' ', $section->{name}, $offset, $size, $variable->{name},
				$variable->{fixed} ? 'global' : 'static';
			fail("  $section->{name}: $variable->{name} overlaps the one before") if $offset < $end;
			$end = $offset + $size;
		}
		is($section->{size}, $end, "  $section->{name}: as long as its variables");
	}
	return sort @found;
}

sub encoded_bytes {
	my ($name, @arguments) = @_;
	my $result = btfcanon('encode', '-q', @arguments);
	is($result->{status}, 0, "$name: encoded") || diag($result->{err});
	my $check = check_bytes($result->{out}, '-q');
	is($check->{status}, 0, "$name: check agrees") || diag($check->{err});
	return $result->{out};
}

my @objects = map { object("variables_$_") } qw(one two);
my %type_of = (state => { 8 => 'long int', 16 => 'item' }, tunable => { 4 => 'int' });
for my $case ([ 'an object', $objects[0] ], [ 'another', $objects[1] ],
	[ 'relocatable', linked('variables.o', '-r', @objects) ],
	[ 'relocatable, in the other order', linked('variables2.o', '-r', reverse @objects) ],
	[ 'linked', linked('variables', @objects) ],
	[ 'linked in the other order', linked('variables2', reverse @objects) ],
	[ 'position-independent', linked('variables3', '-pie', '--no-dynamic-linker', @objects) ]) {
	my ($name, $path) = @$case;
	my $bytes = encoded_bytes($name, '--features=+global_var', $path);
	my $btf = BTF->read($bytes);
	is_deeply([ variables_of($btf) ], [ symbols_of($path) ],
		"$name: every variable where its symbol is");
	for my $section ($btf->find('DATASEC')) {
		for my $i (0 .. $#{ $section->{refs} }) {
			my $variable = $btf->type($section->{refs}[$i]);
			my $type = ($type_of{ $variable->{name} } // next)->{ $section->{nums}[ 2 * $i + 1 ] };
			is($btf->type($variable->{refs}[0])->{name}, $type, "$name: $variable->{name}: its type");
		}
	}
	is(scalar(grep { $_->{name} eq 'errors' } $btf->find('VAR')), 0,
		"$name: what each thread has its own of has no place");
	same_bytes(btfcanon('encode', '-q', '--features=+global_var', "--shuffle-units=$_", $path)->{out},
		$bytes, "$name: units shuffled ($_)") for 1 .. 3;
	same_bytes(btfcanon('encode', '-q', '-j3', '--features=global_var',
		'--features=default', $path)->{out}, $bytes, "$name: threads");

	# Without it there are those of the per-CPU section, with it alone there are all.
	my @percpu = grep { /^\.data\.\.percpu / } symbols_of($path);
	is_deeply([ variables_of(BTF->read(encoded_bytes($name, $path))) ], \@percpu,
		"$name: without global_var");
	is_deeply([ variables_of(BTF->read(encoded_bytes($name, '--features=global_var', $path))) ],
		[ symbols_of($path) ], "$name: global_var without var");
	is_deeply([ variables_of(BTF->read(encoded_bytes($name, '--features=type_tag', $path))) ], [],
		"$name: neither");
}

# Sections of several files are several, whatever their names.
my $bytes = encoded_bytes('two files', '--features=+global_var', @objects);
is_deeply([ variables_of(BTF->read($bytes)) ], [ sort map { symbols_of($_) } @objects ],
	'two files: the variables of both');
same_bytes(btfcanon('encode', '-q', '--features=+global_var', reverse @objects)->{out}, $bytes,
	'two files: in the other order');
is_deeply([ variables_of(BTF->read(encoded_bytes('two files', @objects))) ],
	[ sort grep { /^\.data\.\.percpu / } map { symbols_of($_) } @objects ],
	'two files: those of the per-CPU sections of both');

done_testing;
