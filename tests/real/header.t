#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Headers of kernels: every struct is laid out as BTF says, for every compiler; all definitions
# are there and come back through a compiler; BPF programs compile against them and load.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use HeaderTest;
use TestUtil;
use RealInputs;

my @kernels = kernels();
plan skip_all => 'no kernel\'s BTF here' if !@kernels;

# Names of what bpftool's C (unsorted, of libbpf) defines: "struct foo", "typedef bar".
sub definitions {
	my ($text) = @_;
	my %found;
	$text =~ s/___\d+\b//g;
	$found{"$1 $2"}++ while $text =~ /^(struct|union|enum) (\w+) \{/mg;
	$found{"typedef $1"}++ while $text =~ /^(?:typedef|\})[^\n{]*?\b(\w+)(?:\[\d*\])*;$/mg;
	return \%found;
}

for my $kernel (@kernels) {
	my ($name, $btf) = @$kernel{qw(name btf)};
	my $file = put('kernel.btf', $btf);
	my $read = BTF->read($btf);
	my $result = header_of($file);
	is($result->{status}, 0, "$name: a header") or next;
	my $text = $result->{out};
	# All compilers for one kernel; for the others the two kinds that differ most.
	compiles($text, "$name: laid out as BTF says", code => assertions($read),
		$name eq $kernels[0]{name} ? () : (only => qr/^gcc gnu11$|gnu2x bpf$/)) if !$read->{big};
	same_bytes(header_of(put('shuffled.btf', $read->shuffled(5)), '-q')->{out}, $text,
		"$name: whatever the order of ids") if $name eq $kernels[0]{name};
	is(scalar(() = $text =~ /^\t\w+ = -?\d+U?L*,$/mg) > 10_000, 1, "$name: enumerators");
	SKIP: {
		my $bpftool = have('bpftool') or skip 'bpftool is not installed', 1;
		my $peer = run($bpftool, qw(btf dump file), $file, qw(format c),
			{ memory_mb => 0, seconds => 120 });
		skip 'bpftool cannot', 1 if $peer->{status};
		my ($ours, $theirs) = (definitions($text), definitions($peer->{out}));
		# Not a definition: the compiler's own.
		my @lost = grep { !$ours->{$_} && !/__builtin_va_list|typedef __attribute__/ }
			sort keys %$theirs;
		is_deeply(\@lost, [], "$name: every definition that bpftool has");
	}
	SKIP: {
		skip 'big endian', 1 if $read->{big};
		skip 'gcc is not installed', 1 if !have('gcc');
		my $circle = run(repository() . '/scripts/full-circle', $file,
			{ memory_mb => 0, seconds => 170, env => { BTFCANON => program() } });
		is($circle->{status}, 0, "$name: header, compiler, DWARF, BTF: the same")
			|| diag(substr $circle->{out} . $circle->{err}, 0, 3000);
	}
}

# Modules' parts alone, on top of their kernel's header.
for my $kernel (grep { @{ $_->{modules} } } @kernels) {
	my $base = put('vmlinux.btf', $kernel->{btf});
	my $read = BTF->read($kernel->{btf});
	next if $read->{big};
	put('vmlinux.h', header_of($base, '-q')->{out});
	for my $module (grep { m{/(?:kvm|nf_tables|mlx5_core)\.} } @{ $kernel->{modules} }) {
		my ($name) = $module =~ m{([^/]+)$};
		my @on_base = ('--base', $base, $module, '-q');
		my $part = header_of(@on_base, '--without-base');
		is($part->{status}, 0, "$kernel->{name}: a header of $name") || next;
		my $own = btfcanon('sort', @on_base, '-o', scratch('own.btf'));
		compiles($part->{out}, "$kernel->{name}: $name on top of it", only => qr/^gcc gnu11$|gnu2x bpf$/,
			code => assertions(BTF->read(get(scratch('own.btf')), $read), $read));
	}
}

# BPF programs, for this machine's kernel.
SKIP: {
	my $sources = fixture('header/bpf');
	skip 'this kernel shows no BTF', 1 if $kernels[0]{name} ne 'running';
	skip 'clang is not installed', 1 if !have('clang');
	put('vmlinux.h', header_of()->{out});
	my $object = scratch('uses.bpf.o');
	my $has_kfuncs = get(scratch('vmlinux.h')) =~ /\bbpf_task_from_pid\(/;
	my $built = run('clang', qw(-target bpf -D__TARGET_ARCH_x86 -g -O2 -Wall -Werror -c), '-I',
		scratch(), $has_kfuncs ? '-DHAS_KFUNCS' : (), "$sources/uses.bpf.c", '-o', $object,
		{ memory_mb => 0 });
	is($built->{status}, 0, 'BPF programs compile against it') || diag(substr $built->{err}, 0, 2000);
	skip 'only root loads programs', 1 if $>;
	my $load = scratch('load');
	skip 'no libbpf to load with', 1 if run('gcc', "$sources/load.c", '-o', $load, '-lbpf',
		{ memory_mb => 0 })->{status};
	for my $program (qw(on_sleep on_switch pass)) {
		my $loaded = run($load, $object, $program, { memory_mb => 0 });
		SKIP: {
			skip "$program: this kernel does not permit programs of its kind", 1
				if $loaded->{status} == 3;
			is($loaded->{status}, 0, "$program loads") || diag(substr $loaded->{err}, 0, 2000);
		}
	}
}

done_testing;
