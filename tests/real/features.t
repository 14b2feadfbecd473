#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# encode --features on whole kernels: variables of all sections, in any order of units, taken by the
# running kernel; and modules on distilled bases, from which a loader gets to what was meant.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Distilled;
use RealInputs;
use TestUtil;

my $folder = real_folder();
my @kernels = defined $folder ? grep { -r "$_/vmlinux" } glob "$folder/*" : ();
plan skip_all => 'no kernels here (scripts/real-inputs)' if !@kernels;
my %limits = (memory_mb => 0, seconds => 120);

sub encode_to {
	my ($name, @arguments) = @_;
	my $path = scratch($name);
	my $result = btfcanon('encode', '-q', @arguments, '-o', $path, {%limits});
	is($result->{status}, 0, "encode @arguments") or diag($result->{err});
	return $result->{status} ? '' : get($path);
}

for my $kernel (@kernels) {
	my ($name) = $kernel =~ m{([^/]+)$};
	subtest "$name: variables" => sub {
		my @features = ('--features=+global_var,attributes,layout', "$kernel/vmlinux");
		my $bytes = encode_to('all.btf', @features) || return;
		my $seed = 1 + time % 1000;
		same_bytes(encode_to('other.btf', "--shuffle-units=$seed", @features), $bytes,
			"units shuffled with seed $seed: the same bytes");
		my $sorted = btfcanon('sort', '-q', scratch('all.btf'), {%limits});
		same_bytes($sorted->{out}, $bytes, 'sort changes nothing');
		my $btf = BTF->read($bytes);
		my $placed = 0;
		$placed += @{ $_->{refs} } for $btf->find('DATASEC');
		is(scalar(() = $btf->find('VAR')), $placed, 'every variable has a place');
		ok($placed > 10_000, "$placed of them");
		my ($percpu) = $btf->find('DATASEC', '.data..percpu');
		ok($percpu && @{ $percpu->{refs} } > 100, 'per-CPU ones among them');
		SKIP: {
			skip 'another machine\'s kernel', 1 if !own_machine($name);
			my $bare = encode_to('bare.btf', '--features=+global_var', "$kernel/vmlinux");
			my $loaded = btfcanon('check', '--kernel', scratch('bare.btf'), {%limits});
			skip "the kernel cannot be asked: $loaded->{err}", 1
				if $loaded->{err} =~ /Operation not permitted|Permission denied/;
			is($loaded->{status}, 0, 'the running kernel takes it') || diag($loaded->{err});
		}
	};

	my @modules = glob "$kernel/debug-modules/*.ko";
	next if !@modules || !-s "$kernel/vmlinux.btf";
	subtest "$name: distilled bases" => sub {
		my $kernel_btf = get("$kernel/vmlinux.btf");
		my $by_name = btfcanon('sort', '-q', '--order=name', "$kernel/vmlinux.btf", {%limits})->{out};
		my $target = BTF->read($kernel_btf);
		for my $module (@modules) {
			my @distill = ('--features=+distilled_base', $module, '--base');
			my $elf = encode_to('module.o', @distill, "$kernel/vmlinux.btf") || next;
			same_bytes(encode_to('other.o', @distill, put('by_name.btf', $by_name)), $elf,
				"$module: on a base in another order: the same bytes");
			my $plain = encode_to('module.btf', '--base', "$kernel/vmlinux.btf", $module);
			my $bytes = eval { relocated(distilled($elf), $target) };
			is($@, '', "$module: a loader finds every type");
			same_bytes(btfcanon('sort', '-q', '--base', "$kernel/vmlinux.btf",
				put('relocated.btf', $bytes // ''), {%limits})->{out}, $plain,
				"$module: and what was meant");
		}
	};
}

done_testing;
