#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# BPF programs that use a header load into the kernel that it is of, booted for that in an emulator:
# this machine's kernel may forbid what the programs do (tests/real/header.t).

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Boot;
use HeaderTest;
use TestUtil;
use RealInputs;

my ($kernel) = grep { $_->{name} eq '6.12-amd64' && -r $_->{vmlinuz} } kernels();
plan skip_all => 'no kernel to boot here (scripts/real-inputs)' if !$kernel;
plan skip_all => "$_ is not installed" for grep { !have($_) } qw(clang gcc qemu-system-x86_64);

my $sources = fixture('header/bpf');
my ($load, $init, $object) = map { scratch($_) } qw(load init uses.bpf.o);
plan skip_all => 'no libbpf, libelf and libz to link statically'
	if !built_for_boot("$sources/load.c" => $load, "$sources/init.c" => $init);

put('vmlinux.h', header_of(put('kernel.btf', $kernel->{btf}), '-q')->{out});
my $built = run('clang', qw(-target bpf -D__TARGET_ARCH_x86 -g -O2 -Wall -Werror -c), '-I', scratch(),
	"$sources/uses.bpf.c", '-o', $object, { memory_mb => 0 });
is($built->{status}, 0, 'BPF programs compile') || diag(substr $built->{err}, 0, 2000);

my $said = boot($kernel->{vmlinuz}, initrd(map { ($_ => scratch($_)) } qw(init load uses.bpf.o)), 'quiet');
SKIP: {
	skip 'the kernel does not boot here in time', 3 if $said !~ /TRIED/;
	for my $program (qw(on_sleep on_switch pass)) {
		like($said, qr/^TRIED $program: 0$/m, "$program loads into $kernel->{name}");
	}
	diag(substr $said, -4000) if $said =~ /TRIED \w+: [^0]/;
}

done_testing;
