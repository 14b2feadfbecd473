#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Whole kernels and modules encoded with DIEs that libdw finds: the bytes of the program that has
# a cursor of its own. $BTFCANON is the one, $BTFCANON_OWN the other (make check-libdw).

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use TestUtil;
use RealInputs;

my $own = $ENV{BTFCANON_OWN} // plan skip_all => 'no other program to compare with (make check-libdw)';
my $folder = real_folder() // plan skip_all => 'no kernels here (scripts/real-inputs)';
my %limits = (memory_mb => 0, seconds => 300);

sub encoded {
	my ($program, $name, @arguments) = @_;
	my $path = scratch($name);
	my $result = run($program, 'encode', '-q', @arguments, '-o', $path, {%limits});
	is($result->{status}, 0, "$name: @arguments") or diag($result->{err});
	return $result->{status} ? undef : get($path);
}

sub compare_ways {
	my ($what, @arguments) = @_;
	my $libdw = encoded($ENV{BTFCANON}, 'libdw', @arguments);
	my $short = encoded($own, 'own', @arguments);
	ok(defined $libdw && defined $short && $libdw eq $short, "$what: the same bytes");
	return;
}

for my $name (qw(6.1-amd64 6.12-amd64 6.12-arm64 6.1-s390x)) {
	my $kernel = "$folder/$name";
SKIP: {
		skip "$name: not fetched", 1 if !-r "$kernel/vmlinux";
		compare_ways($name, "$kernel/vmlinux");
		compare_ways("$name: $_", '--base', "$kernel/vmlinux.btf", $_)
			for grep { -r "$kernel/vmlinux.btf" } glob "$kernel/debug-modules/*.ko";
	}
}

done_testing();
