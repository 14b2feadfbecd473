#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The pages for users: each command in them, as it is written.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use File::Copy qw(copy);
use Guide;
use Objects;
use TestUtil;

# A folder with copies of fixtures: name => fixture.
sub folder {
	my ($name, %files) = @_;
	mkdir scratch($name) or die "$name: $!\n";
	copy(fixture($files{$_}), scratch("$name/$_")) or die "$_: $!\n" for keys %files;
	return scratch($name);
}

my %kernels = ('vmlinux-6.1' => 'compare/old.btf', 'vmlinux-6.2' => 'compare/new.btf');

SKIP: {
	skip 'git is not installed', 1 if !have('git');
	my $dir = folder('headers', %kernels);
	for my $command ([ 'init', '-q' ], [ qw(config user.name me) ], [ qw(config user.email me@example.org) ]) {
		run('git', @$command, { dir => $dir, memory_mb => 0, env => { HOME => $dir } });
	}
	follow_guide('for-header-keepers', $dir);
}

follow_guide('for-bpf-shippers', folder('objects', %kernels, 'prog.bpf.o' => 'compare/prog.bpf.elf'));

SKIP: {
	my $why = no_assembler('ld');
	skip $why, 1 if defined $why;
	my @parts = map { object("part$_.v5") } 1 .. 4;
	my $dir = folder('kernel');
	linked('kernel/vmlinux', @parts[ 0 .. 2 ]);
	linked('kernel/vmlinux-again', @parts[ 2, 0, 1 ]);
	linked('kernel/vmlinux-next', @parts);
	linked('kernel/driver.ko', '-r', @parts[ 3, 0 ]);
	follow_guide('for-kernel-builders', $dir);
}

done_testing;
