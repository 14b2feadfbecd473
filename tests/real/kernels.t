#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Whole kernels: the model's bytes in both orders, whatever ids and strings; nothing lost, nothing
# invented; read out of every kind of file; taken by the running kernel.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;
use RealInputs;

my $seed = $ENV{BTFCANON_SEED} // time;
diag("shuffle seeds from $seed (BTFCANON_SEED)");

for my $kernel (kernels()) {
	my $name = $kernel->{name};
	subtest $name => sub {
		my $btf = BTF->read($kernel->{btf});
		my $raw = put('kernel.btf', $kernel->{btf});
		note($btf->id_end - 1, ' types');
		my %sorted;
		for my $order (qw(canonical name)) {
			my $result = btfcanon('sort', "--order=$order", $raw);
			quiet($result, "$order order: sort, without a warning");
			$sorted{$order} = $result->{out};
			same_bytes($sorted{$order}, BTFModel::canonical($btf,
				order => $order)->bytes, "$order order: the model's bytes");
			my $path = put("$order.btf", $sorted{$order});
			same_bytes(btfcanon('sort', "--order=$order", $path)->{out},
				$sorted{$order}, "$order order: sorted again");
			my $check = btfcanon('check', $path);
			is($check->{status}, 0, "$order order: check");
			like($check->{out}, qr/\b$order order\b/, "$order order: and which it is");
		}
		same_bytes(sort_bytes($sorted{name}), $sorted{canonical},
			'canonical order from name order');
		same_graph($btf, BTF->read($sorted{canonical}), 'nothing lost, nothing invented');

		for my $n (0 .. 2) {
			my $shuffled = put('shuffled.btf', $btf->shuffled($seed + $n));
			for my $order (qw(canonical name)) {
				same_bytes(btfcanon('sort', "--order=$order", $shuffled)->{out},
					$sorted{$order},
					"shuffle $n, $order order: the same bytes");
			}
		}
		my $dump = btfcanon('dump', $raw, { seconds => 120 });
		is($dump->{status}, 0, 'dump');
		cmp_ok($dump->{out} =~ tr/\n//, '>', $btf->id_end / 3, 'dump has lines');
		same_bytes(btfcanon('dump', scratch('shuffled.btf'), { seconds => 120 })->{out},
			$dump->{out}, 'dump of a shuffle: the same text');
		same_bytes(btfcanon('dump', '--full', scratch('name.btf'),
			{ seconds => 120 })->{out},
			btfcanon('dump', '--full', $raw, { seconds => 120 })->{out},
				'dump --full: the same in any order');

		for my $file (grep { defined && -r } @$kernel{qw(elf vmlinuz)}) {
			# A debug vmlinux is mapped whole.
			same_bytes(btfcanon('sort', $file, { memory_mb => 4096 })->{out},
				$sorted{canonical}, "out of $file");
		}

		SKIP: {
			skip 'another machine\'s kernel', 1 if !own_machine($name);
			my $before = btfcanon('check', '--kernel', $raw);
			skip "the kernel cannot be asked: $before->{err}", 1
				if $before->{err} =~ /only root/;
			skip "the kernel refuses it as it is: $before->{err}", 1
				if $before->{status} == 2;
			for my $order (qw(canonical name)) {
				my $loaded = btfcanon('check', '--kernel', scratch("$order.btf"));
				is($loaded->{status}, 0,
					"$order order: the running kernel takes it")
					|| diag($loaded->{err});
			}
		}
	};
}

my %missing = RealInputs::missing();
for my $name (sort keys %missing) {
	SKIP: {
		skip "$name: $missing{$name}", 1;
	}
}

done_testing;
