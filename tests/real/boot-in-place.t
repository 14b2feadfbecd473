#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# A kernel and a module whose BTF was put in order in place, booted in an emulator: BPF programs load
# and find there what they do on the kernel as it was: by fentry, by kfuncs (whose ids are in sorted
# sets), by variables of each processor, by CO-RE, by the id of a type.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Boot;
use RealInputs;
use TestUtil;

my ($kernel) = grep { $_->{name} eq '6.12-amd64' } kernels();
my ($packed) = $kernel ? grep { m{/dummy\.ko\.xz$} } @{ $kernel->{modules} } : ();
plan skip_all => 'no kernel with a module to boot here (scripts/real-inputs)' if !$packed;
plan skip_all => "$_ is not installed" for grep { !have($_) } qw(clang gcc objcopy qemu-system-x86_64 xz);

my $sources = fixture('kernel-proof');
my %built = map { ($_ => scratch($_)) } qw(init try);
plan skip_all => 'no libbpf, libelf and libz to link statically'
	if !built_for_boot(map { ("$sources/$_.c" => $built{$_}) } keys %built);
my $object = scratch('uses.bpf.o');
my ($include) = glob '/usr/include/*-linux-gnu';
my $compiled = run('clang', qw(-target bpf -D__TARGET_ARCH_x86 -g -O2 -Wall -Werror), $include ? "-I$include" : (),
	'-c', "$sources/uses.bpf.c", '-o', $object, { memory_mb => 0 });
is($compiled->{status}, 0, 'BPF programs compile') || diag(substr $compiled->{err}, 0, 2000);

# The kernel as an ELF file: of the image that boots it, all but the DWARF and what unpacks it.
my ($vmlinux, $module) = (scratch('vmlinux'), scratch('dummy.ko'));
run('objcopy', '--strip-debug', $kernel->{elf}, $vmlinux, { memory_mb => 0, seconds => 300 });
run('xz', '-dc', $packed, { stdout_to => $module, memory_mb => 0 });

sub tried {
	my $said = boot($vmlinux, initrd(%built, 'uses.bpf.o' => $object, 'dummy.ko' => $module), '');
	my ($lines) = $said =~ /^BEGIN\n(.*)^END 0$/ms;
	diag(substr $said, -4000) if !defined $lines;
	my @complaints = $said =~ /.*(?:BPF:|failed to validate).*/g;
	# Lines of the kernel's own may come between.
	return ($lines && join('', $lines =~ /^on_\w+ .*\n/gm), "@complaints");
}

my ($before, $complaints) = tried();
SKIP: {
	skip 'the kernel does not boot here in time', 6 if !defined $before;
	is($complaints, '', 'the kernel as it is complains of nothing');
	unlike($before, qr/does not load/, 'and takes all programs');
	is(($before =~ tr/\n//), 7, 'which are seven');
	my $old = get($vmlinux);
	quiet(btfcanon('sort', '--in-place', '-q', '--drop-signature', $vmlinux, $module, { memory_mb => 0 }),
		'kernel and module, put in order in place');
	isnt(get($vmlinux), $old, 'are other ones');
	my ($after, $complaints_after) = tried();
	is($after, $before, 'the programs find the same in them');
	is($complaints_after, '', 'and the kernel complains of nothing');
}

done_testing;
