#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# BPF objects as clang writes them, with .BTF.ext beside .BTF.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;
use RealInputs;
use TinyELF;

my $folder = real_folder();
my @objects = defined $folder ? glob "$folder/xdp-tools/*.o" : ();
plan skip_all => 'no BPF objects here (scripts/real-inputs)' if !@objects;

for my $object (@objects) {
	my ($short) = $object =~ m{([^/]+)$};
	my $bytes = TinyELF::section(get($object), '.BTF') // next;
	my $btf = BTF->read($bytes);
	my $sorted = btfcanon('sort', $object);
	same_bytes($sorted->{out}, BTFModel::canonical($btf)->bytes, "$short: the model's bytes");
	same_bytes(sort_bytes($btf->shuffled(11)), $sorted->{out}, "$short: shuffled: the same");
	same_graph($btf, BTF->read($sorted->{out}), "$short: nothing lost, nothing invented");
	my $check = btfcanon('check', $object);
	like($check->{status}, qr/^[01]$/, "$short: check, with its .BTF.ext")
		|| diag($check->{err});
	SKIP: {
		my $bpftool = have('bpftool') or skip 'bpftool is not installed', 1;
		my $read = run($bpftool, 'btf', 'dump', 'file', put('sorted.btf', $sorted->{out}),
			'format', 'raw', { memory_mb => 0 });
		is($read->{status}, 0, "$short: bpftool reads it");
	}
}

done_testing;
