#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Modules: split BTF on their kernel's, out of .ko and .ko.xz, and what bpftool reads in the result.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use OnBase;
use TestUtil;
use RealInputs;

my @kernels = grep { @{ $_->{modules} } } kernels();
plan skip_all => 'no modules of a kernel here (scripts/real-inputs)' if !@kernels;

for my $kernel (@kernels) {
	my $base = BTF->read($kernel->{btf});
	my $base_file = put('base.btf', $kernel->{btf});
	for my $module (@{ $kernel->{modules} }) {
		my ($short) = $module =~ m{([^/]+)\.ko};
		# A few small ones and a large one; all of them take minutes.
		next if $short !~ /^(dummy|tun|nf_tables|xfs)$/;
		subtest "$kernel->{name} $short" => sub {
			my $plain = $module;
			if ($module =~ /\.xz$/) {
				plan skip_all => 'xz is not installed' if !have('xz');
				run('xz', '-dc', $module,
					{ stdout_to => scratch('plain.ko'), memory_mb => 0 });
				$plain = scratch('plain.ko');
			}
			my $bytes = real_btf($plain);
			plan skip_all => 'no .BTF in it, or no objcopy' if !defined $bytes;
			my $split = BTF->read($bytes, $base);
			my $sorted = btfcanon('sort', '--base', $base_file, $module);
			quiet($sorted, 'sort, without a warning');
			my %model;
			for my $order (qw(canonical name)) {
				my $result = btfcanon('sort', "--order=$order", '--base',
					$base_file, put('module.btf', $bytes));
				same_bytes($result->{out},
					BTFModel::canonical($split, order => $order)->bytes,
					"$order order: the model's bytes");
				$model{$order} = $result->{out};
			}
			same_bytes($sorted->{out}, $model{canonical},
				'the same out of the file itself');
			same_bytes(btfcanon('sort', '--base', $kernel->{elf}, $module,
				{ memory_mb => 4096 })->{out}, $model{canonical},
				'on the vmlinux itself');
			same_bytes(btfcanon('sort', '--base', $base_file,
				put('shuffled.btf', $split->shuffled(7)))->{out}, $model{canonical},
				'shuffled: the same bytes');
			my $result = BTF->read($model{canonical}, $base);
			same_graph($split, $result, 'nothing lost, nothing invented')
				if $short eq 'tun';
			my $path = put('sorted.btf', $model{canonical});
			is(btfcanon('check', '--base', $base_file, $path)->{status}, 0, 'check');
			my $dump = btfcanon('dump', '--base', $base_file, $module);
			is($dump->{status}, 0, 'dump') || diag($dump->{err});
			is(btfcanon('dump', '--base', $base_file, $path)->{out}, $dump->{out},
				'dump: the same before and after');
			is(btfcanon('sort', $module)->{status}, 2,
				'without its base it is refused');

			SKIP: {
				my $bpftool = have('bpftool') or skip 'bpftool is not installed', 1;
				my $raw = run($bpftool, '-B', $base_file, 'btf', 'dump', 'file',
					$path, 'format', 'raw', { memory_mb => 0 });
				is($raw->{status}, 0, 'bpftool reads it') || diag($raw->{err});
				my @heads = map { /^\[(\d+)\] (\w+) '([^']*)'/ ? "$2 $3" : () } split /\n/, $raw->{out};
				my @own = map { $BTF::KINDS[ $_->{kind} ] . ' '
					. ($_->{name} eq '' ? '(anon)'
					: $_->{name}) } $result->types;
				is(join("\n", @heads[ -@own .. -1 ]), join("\n", @own),
					'bpftool finds the same types in the same places');
			}
		};
	}
}

# encode: modules with DWARF on their kernel, against the BTF that they came with. What differs may be
# functions (the rules of another version), or copies of the kernel's structs, never a type itself.
sub of_itself {
	my ($btf, @differences) = @_;
	return map { OnBase::spelled($btf->[ $_->{side} ], $_->{id}) } grep {
		$_->{like} eq '' && $btf->[ $_->{side} ]->type($_->{id})->{kind} !~ /^(12|13|17)$/
	} @differences;
}

for my $kernel (grep { defined $_->{elf} } kernels()) {
	my ($folder) = $kernel->{elf} =~ m{(.*)/};
	my @modules = glob "$folder/debug-modules/*.ko" or next;
	my %limits = (memory_mb => 0, seconds => 120);
	my @bases = ([ 'its kernel', $kernel->{btf} ],
		[ 'its kernel, sorted', sort_bytes($kernel->{btf}, '-q') ],
		[ 'its kernel, encoded', btfcanon('encode', '-q', $kernel->{elf}, {%limits})->{out} ]);
	my ($first_base, %encoded);
	for (@bases) {
		my ($on, $bytes) = @$_;
		my $base = BTF->read($bytes);
		my $place = OnBase->new($base);
		$first_base //= $place;
		for my $module (@modules) {
			my ($short) = $module =~ m{([^/]+)\.ko};
			my $name = "$kernel->{name} $short on $on";
			my $result = btfcanon('encode', '-q', '--base', put('base.btf', $bytes), $module,
				{%limits});
			is($result->{status}, 0, "$name: encode") || diag($result->{err});
			my $btf = BTF->read($result->{out}, $base);
			same_bytes(btfcanon('sort', '-q', '--base', scratch('base.btf'),
				put('module.btf', $result->{out}))->{out}, $result->{out},
				"$name: sort changes nothing");
			if ($encoded{$short}) {
				my $other = $encoded{$short};
				is(join("\n", map { OnBase::spelled($btf, $_) }
					$place->missing($btf, $first_base, $other)), '', "$name: nothing more");
				is(join("\n", map { OnBase::spelled($other, $_) }
					$first_base->missing($other, $place, $btf)), '', "$name: nothing less");
				next;
			}
			$encoded{$short} = $btf;
			my $own = real_btf($module);
			next if !defined $own;
			my @both = ($btf, BTF->read($own, $base));
			is(join("\n", of_itself(\@both, $place->differences(@both))), '',
				"$name: the types of its own BTF");
			cmp_ok($place->copies($btf), '<=', 3, "$name: few copies of the kernel's structs");
		}
	}
}

done_testing;
