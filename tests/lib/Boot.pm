# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package Boot;

# Kernels in an emulator, with a small file system in memory.

use strict;
use warnings;
use Exporter 'import';
use TestUtil;

our @EXPORT = qw(initrd boot built_for_boot);

# An archive as cpio's "newc" has them: names, modes and contents.
sub _entry {
	my ($name, $mode, $bytes) = @_;
	my @head = (0, $mode, 0, 0, 1, 0, length $bytes, 0, 0, 0, 0, 1 + length $name, 0);
	my $text = '070701' . join('', map { sprintf '%08x', $_ } @head) . "$name\0";
	$_ .= "\0" x (-length($_) % 4) for $text, $bytes;
	return $text . $bytes;
}

# The path of one with these files (name => path), all of them programs, in its root.
sub initrd {
	my (%files) = @_;
	return put('initrd', join '', (map { _entry($_, 040755, '') } qw(dev proc sys tmp)),
		(map { _entry($_, 0100755, get($files{$_})) } sort keys %files), _entry('TRAILER!!!', 0, ''));
}

# Runs the kernel KERNEL until its /init ends it; what it said.
sub boot {
	my ($kernel, $initrd, $options) = @_;
	my $booted = run(qw(qemu-system-x86_64 -accel tcg -cpu Nehalem -m 768 -nographic -no-reboot), '-kernel', $kernel,
		'-initrd', $initrd, '-append', "console=ttyS0 panic=-1 nokaslr mitigations=off $options",
		{ memory_mb => 0, seconds => 170 });
	return $booted->{out} =~ s/\r//gr;
}

# Compiles C source files, each to a program that needs no library at run time; whether that can be done.
sub built_for_boot {
	my (%program_of) = @_;
	for my $source (sort keys %program_of) {
		return 0 if run('gcc', '-static', $source, '-o', $program_of{$source}, qw(-lbpf -lelf -lz),
			{ memory_mb => 0 })->{status};
	}
	return 1;
}

1;
