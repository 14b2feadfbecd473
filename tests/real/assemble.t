#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Whole kernels and modules as text and back: the canonical bytes. $BTFCANON_REFERENCE may name a
# folder of more BTF, *.btf or *.btf.zst.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use TestUtil;
use RealInputs;

sub comes_back {
	my ($name, $input, @base) = @_;
	my $text = scratch('text');
	my $dump = btfcanon('dump', '-q', '--full', @base, $input, '-o', $text,
		{ seconds => 120, memory_mb => 4096 });
	is($dump->{status}, 0, "$name: dump --full") || diag($dump->{err});
	my $bytes = btfcanon('assemble', '-q', @base, $text, { seconds => 120 });
	is($bytes->{err}, '', "$name: assemble");
	return same_bytes($bytes->{out}, btfcanon('sort', '-q', @base, $input,
		{ seconds => 120, memory_mb => 4096 })->{out}, "$name: the canonical bytes");
}

for my $kernel (kernels()) {
	my $raw = put("kernel.btf", $kernel->{btf});
	comes_back($kernel->{name}, $raw);
	my @modules = @{ $kernel->{modules} };
	for my $module (@modules[ grep { $_ % 40 == 0 } 0 .. $#modules ]) {
		next if btfcanon('sort', '-q', '--base', $raw, $module)->{status};
		my ($name) = $module =~ m{([^/]+)\z};
		comes_back("$kernel->{name}: $name", $module, '--base', $raw);
	}
}
my %missing = RealInputs::missing();
for my $name (sort keys %missing) {
	SKIP: {
		skip "$name: $missing{$name}", 1;
	}
}

SKIP: {
	skip '$BTFCANON_REFERENCE is not set', 1 if !defined $ENV{BTFCANON_REFERENCE};
	for my $path (glob "$ENV{BTFCANON_REFERENCE}/*.btf $ENV{BTFCANON_REFERENCE}/*.btf.zst") {
		my ($name) = $path =~ m{([^/]+)\z};
		comes_back($name, $path);
	}
}

done_testing;
