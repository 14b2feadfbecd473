#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# BPF programs of xdp-tools, compiled with a whole kernel's header in place of the small one that
# they bring along: what compiles with bpftool's header compiles with ours, to the same code.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use TestUtil;
use RealInputs;
use TinyELF;

my $source = (real_folder() // '/nowhere') . '/xdp-tools-source';
my @programs = sort glob "$source/*/*.bpf.c $source/lib/*/*.bpf.c";
plan skip_all => 'no source of xdp-tools here (scripts/real-inputs)' if !@programs;
plan skip_all => "$_ is not installed" for grep { !have($_) } qw(clang bpftool);
my ($kernel) = grep { $_->{name} eq '6.12-amd64' || $_->{name} eq 'running' } reverse kernels();
plan skip_all => 'no kernel\'s BTF here' if !$kernel;

my @system = map { "-I$_" } grep { -d } glob '/usr/include/*-linux-gnu';
my @target = (qw(-target bpf -D__TARGET_ARCH_x86 -D__BPF_TRACING__), "-I$source/headers",
	"-I$source/lib/util", @system);

# Kernel headers for programs define the same types, and macros, which no vmlinux.h has. The macros
# alone, those against a second inclusion among them, make the headers' types stay out.
sub macros {
	my @names = map { /^#include (<(?:linux|std\w+\.h)[^>]*>)/mg } map { get($_) }
		@programs, glob "$source/headers/xdp/*.h";
	my %seen;
	my $all = put('all.c', join '', map { "#include $_\n" } grep { !$seen{$_}++ } '<linux/types.h>', @names);
	my %own = map { $_ => 1 } split /^/, run('clang', @target, qw(-dM -E -x c /dev/null))->{out};
	my $text = run('clang', @target, qw(-dM -E), $all, { memory_mb => 0 })->{out};
	# Names that programs give to things of their own.
	my $away = join '', map { "#define $_ ${_}_of_programs\n" } qw(arphdr config vlan_hdr);
	return put('macros.h', join '', (grep { !$own{$_} && !/PARSING_HELPERS/ } sort split /^/, $text), $away);
}

# Compiles PROGRAM with a header; returns the object's path, or undef and what the compiler says.
sub compile {
	my ($program, $header, $macros, $object) = @_;
	my ($folder) = $program =~ m{^(.*)/};
	# <bpf/vmlinux.h> is the header under test.
	my ($include) = $header =~ m{^(.*)/bpf/};
	my $result = run('clang', "-I$include", @target, "-I$folder", qw(-w -O2 -g -c),
		'-include', $header, '-include', $macros, $program, '-o', $object, { memory_mb => 0 });
	return $result->{status} == 0 ? ($object) : (undef, $result->{err});
}

# Code of an object: its sections of instructions, by name.
sub code {
	my %code;
	for my $section (@{ TinyELF::parts(get($_[0]))->{sections} }) {
		$code{ $section->{name} } = unpack 'H*', $section->{bytes}
			if $section->{type} == 1 && $section->{flags} & 4;
	}
	return \%code;
}

my $file = put('kernel.btf', $kernel->{btf});
my %header;
for my $peer (qw(ours bpftool)) {
	mkdir scratch($peer);
	mkdir scratch("$peer/bpf");
	my $made = $peer eq 'ours' ? btfcanon('header', '-q', $file)
		: run(have('bpftool'), qw(btf dump file), $file, qw(format c), { memory_mb => 0, seconds => 120 });
	is($made->{status}, 0, "$kernel->{name}: a header of $peer");
	$header{$peer} = put("$peer/bpf/vmlinux.h", $made->{out});
}
my $macros = macros();
my $compiled = 0;
for my $program (@programs) {
	my ($name) = $program =~ m{([^/]+)$};
	my ($theirs) = compile($program, $header{bpftool}, $macros, scratch('theirs.o'));
	SKIP: {
		skip "$name: bpftool's header does not do for it", 1 if !$theirs;
		$compiled++;
		my ($ours, $why) = compile($program, $header{ours}, $macros, scratch('ours.o'));
		ok($ours, "$name: compiles") || diag(substr $why, 0, 1500) || next;
		is_deeply(code($ours), code($theirs), "$name: the same code");
	}
}
cmp_ok($compiled, '>=', 10, 'some programs compiled');

done_testing;
