#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# BPF programs that use a header load into the kernel that it is of, booted for that in an emulator:
# this machine's kernel may forbid what the programs do (tests/real/header.t).

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use HeaderTest;
use TestUtil;
use RealInputs;

my ($kernel) = grep { $_->{name} eq '6.12-amd64' && -r $_->{vmlinuz} } kernels();
plan skip_all => 'no kernel to boot here (scripts/real-inputs)' if !$kernel;
plan skip_all => "$_ is not installed" for grep { !have($_) } qw(clang gcc qemu-system-x86_64);

my $sources = fixture('header/bpf');
my ($load, $init, $object) = map { scratch($_) } qw(load init uses.bpf.o);
plan skip_all => 'no libbpf, libelf and libz to link statically'
	if run('gcc', '-static', "$sources/load.c", '-o', $load, qw(-lbpf -lelf -lz), { memory_mb => 0 })->{status};

put('vmlinux.h', header_of(put('kernel.btf', $kernel->{btf}), '-q')->{out});
my $built = run('clang', qw(-target bpf -D__TARGET_ARCH_x86 -g -O2 -Wall -Werror -c), '-I', scratch(),
	"$sources/uses.bpf.c", '-o', $object, { memory_mb => 0 });
is($built->{status}, 0, 'BPF programs compile') || diag(substr $built->{err}, 0, 2000);
is(run('gcc', '-static', "$sources/init.c", '-o', $init, { memory_mb => 0 })->{status}, 0, 'and what runs them');

# An archive as cpio's "newc": names, modes and contents.
sub entry {
	my ($name, $mode, $bytes) = @_;
	my @head = (0, $mode, 0, 0, 1, 0, length $bytes, 0, 0, 0, 0, 1 + length $name, 0);
	my $text = '070701' . join('', map { sprintf '%08x', $_ } @head) . "$name\0";
	$_ .= "\0" x (-length($_) % 4) for $text, $bytes;
	return $text . $bytes;
}

my $disk = put('initrd', join '', (map { entry($_, 040755, '') } qw(dev proc sys)),
	(map { entry($_, 0100755, get(scratch($_))) } qw(init load uses.bpf.o)), entry('TRAILER!!!', 0, ''));
my $booted = run(qw(qemu-system-x86_64 -accel tcg -cpu Nehalem -m 768 -nographic -no-reboot), '-kernel',
	$kernel->{vmlinuz}, '-initrd', $disk, '-append', 'console=ttyS0 quiet panic=-1 nokaslr mitigations=off',
	{ memory_mb => 0, seconds => 170 });
SKIP: {
	skip 'the kernel does not boot here in time', 3 if $booted->{out} !~ /TRIED/;
	for my $program (qw(on_sleep on_switch pass)) {
		like($booted->{out}, qr/^TRIED $program: 0\r?$/m, "$program loads into $kernel->{name}");
	}
	diag(substr $booted->{out}, -4000) if $booted->{out} =~ /TRIED \w+: [^0]/;
}

done_testing;
