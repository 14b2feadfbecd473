#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# encode on whole kernels and modules: the types that their builders' pahole found, none missing,
# none more; the same bytes in any order of units and with any number of threads; taken by the
# running kernel. $BTFCANON_REFERENCE names a folder with BTF that another pahole wrote for the same
# packages, as *-VERSION.btf or *-VERSION.btf.zst; docs/agreement.md lists what that has otherwise.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Objects;
use TestUtil;
use RealInputs;

my $folder = real_folder();
plan skip_all => 'no kernels here (scripts/real-inputs)' if !defined $folder;
my %limits = (memory_mb => 0, seconds => 120);

sub encode_to {
	my ($name, @arguments) = @_;
	my $path = scratch($name);
	my $result = btfcanon('encode', '-q', @arguments, '-o', $path, {%limits});
	is($result->{status}, 0, "encode @arguments") or diag($result->{err});
	return $result->{status} ? '' : get($path);
}

# The version a package is of: "linux-image-6.1.0-57-cloud-amd64-dbg_…" → "6.1.0-57-cloud-amd64".
sub version_of {
	my ($kernel) = @_;
	my ($version) = get("$kernel/package") =~ /^taken linux-image-(.*)-dbg_/m;
	return $version // '';
}

sub reference_for {
	my ($kernel) = @_;
	my $place = $ENV{BTFCANON_REFERENCE} // return;
	my $version = version_of($kernel);
	my ($file) = grep { -r } glob("$place/*-$version.btf $place/*-$version.btf.zst");
	return if !defined $file;
	return get($file) if $file !~ /zst$/;
	my $result = run('zstd', '-dc', $file, {%limits});
	return $result->{status} == 0 ? $result->{out} : undef;
}

sub same_types {
	my ($types, $other, $name) = @_;
	my @wrong = BTF::differences(types_of(BTF->read($other)), $types);
	ok(!@wrong, $name) || diag(join "\n", @wrong);
	return;
}

# What one of two BTFs has only, as "KIND name". Prototypes are left out: a function has its own.
sub only_in {
	my ($which, @btfs) = @_;
	my @classes = BTF::classes(@btfs);
	my %known = map { $_ => 1 } @{ $classes[ 1 - $which ] };
	my %only;
	for my $id (1 .. $#{ $classes[$which] }) {
		my $type = $btfs[$which]->type($id);
		$only{"$BTF::KINDS[ $type->{kind} ] $type->{name}"} = 1
			if !$known{ $classes[$which][$id] } && $type->{kind} != BTF::FUNC_PROTO;
	}
	return [ sort keys %only ];
}

# The functions that docs/agreement.md lists for a kernel ("6.12.117 cloud arm64"): those that are
# missing, and those with another prototype.
sub listed_for {
	my ($kernel) = @_;
	my $page = get(repository() . '/docs/agreement.md');
	my ($missing) = $page =~ /^Missing on \Q$kernel\E:\n\n((?: +.*\n)+)/m;
	my ($other) = $page =~ /^Another prototype on \Q$kernel\E,.*\n\n((?:\|.*\n)+)/m;
	my @missing = ($missing // '') =~ /(\w+)\(/g;
	my @other = ($other // '') =~ /^\| `(\w+)`/mg;
	return ([ sort map { "FUNC $_" } @missing, @other ], [ sort map { "FUNC $_" } @other ]);
}

my @kernels = grep { -r "$_/vmlinux" } map { "$folder/$_" } qw(6.1-amd64 6.12-amd64 6.12-arm64 6.1-s390x);
plan skip_all => 'no kernels here (scripts/real-inputs)' if !@kernels;

for my $kernel (@kernels) {
	my ($name) = $kernel =~ m{([^/]+)$};
	subtest $name => sub {
		my $elf = "$kernel/vmlinux";
		my $bytes = encode_to('kernel.btf', '-j2', $elf) || return;
		my $seed = 1 + time % 1000;
		same_bytes(encode_to('other.btf', '-j1', $elf), $bytes,
			'one thread: the same bytes');
		same_bytes(encode_to('other.btf', '-j2', "--shuffle-units=$seed", $elf), $bytes,
			"units shuffled with seed $seed: the same bytes");
		same_bytes(encode_to('other.btf', '-j3', '--shuffle-units=' . ($seed + 1000), $elf),
			$bytes,
			'another seed: the same bytes');
		same_bytes(btfcanon('sort', '-q', scratch('kernel.btf'))->{out}, $bytes,
			'sort changes nothing');
		my $types = types_of(BTF->read($bytes));
		note(scalar($types->types), ' types');

		SKIP: {
			skip 'no .BTF in it', 1 if !-s "$kernel/vmlinux.btf";
			same_types($types, get("$kernel/vmlinux.btf"), 'the types of its own .BTF');
		}
		SKIP: {
			my $reference = reference_for($kernel);
			skip 'BTFCANON_REFERENCE names nothing for it', 3 if !defined $reference;
			same_types($types, $reference, 'the types of the reference');
			my @btfs = (BTF->read($reference), BTF->read($bytes));
			my ($missing, $other) = listed_for(version_of($kernel)
				=~ s/-(cloud-)?(\w+)$/' ' . ($1 ? 'cloud ' : '') . $2/er =~ s/\+deb\d+//r);
			is_deeply(only_in(0, @btfs), $missing, 'missing is what docs/agreement.md lists');
			is_deeply(only_in(1, @btfs), $other, 'more is what docs/agreement.md lists');
		}
		SKIP: {
			skip 'another machine\'s kernel', 2 if !own_machine($name);
			for my $order (qw(canonical name)) {
				encode_to('kernel.btf', "--order=$order", $elf) if $order eq 'name';
				my $loaded = btfcanon('check', '--kernel', scratch('kernel.btf'));
				skip "the kernel cannot be asked: $loaded->{err}", 1
					if $loaded->{err} =~ /Operation not permitted|Permission denied/;
				is($loaded->{status}, 0,
					"$order order: the running kernel takes it")
					|| diag($loaded->{err});
			}
		}
	};
}

for my $kernel (@kernels) {
	for my $module (sort glob "$kernel/debug-modules/*.ko") {
		my ($name) = $module =~ m{([^/]+/debug-modules/.*)\.ko$};
		$name =~ s{/debug-modules/}{ };
		subtest $name => sub {
			my $bytes = encode_to('module.btf', $module) || return;
			same_bytes(encode_to('other.btf', '-j3', '--shuffle-units=5', $module),
				$bytes,
				'in another order: the same bytes');
			same_bytes(btfcanon('sort', '-q', scratch('module.btf'))->{out}, $bytes,
				'sort changes nothing');
			SKIP: {
				skip 'pahole is not installed', 1 if !have('pahole');
				my $peer = scratch('peer.btf');
				unlink $peer;
				run('pahole', '--btf_gen_floats', "--btf_encode_detached=$peer",
					$module,
					{%limits});
				skip 'pahole wrote nothing', 1 if !-s $peer;
				same_types(types_of(BTF->read($bytes)), get($peer),
					'the types that pahole finds');
			}
		};
	}
}
my @without = map { m{([^/]+)$} } grep { /amd64/ && !glob("$_/debug-modules/*.ko") } @kernels;
SKIP: {
	skip "@without: no modules with DWARF (scripts/real-inputs)", 1 if @without;
}

done_testing;
