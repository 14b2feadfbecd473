#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# BPF objects put in order in place: they mean the same, libbpf takes them, and the running kernel
# does with them what it did before.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BPFObject;
use InPlace;
use TestUtil;
use RealInputs;
use TinyELF;

my $folder = real_folder();
my @objects = defined $folder ? glob "$folder/xdp-tools/*.o" : ();
push @objects, fixture('cases/object.bpfel.elf'), fixture('compare/prog.bpf.elf');
my $bpftool = have('bpftool');

# Loads an object under a bpffs of its own. Returns what became of it: the exit code, and of each
# program its name, kind and tag, which is a hash of its instructions.
my $load = <<'EOS';
mount -t bpf none /sys/fs/bpf && "$0" prog loadall "$1" /sys/fs/bpf/all 2>/dev/null
echo "status $?"
for program in /sys/fs/bpf/all/*; do
	[ -e "$program" ] && "$0" prog show pinned "$program" | sed -n '1s/^[0-9]*: //p'
done
exit 0
EOS
sub loaded {
	my ($path) = @_;
	return run('unshare', '-m', 'sh', '-c', $load, $bpftool, $path, { memory_mb => 0 })->{out};
}

my $may_load = $bpftool && !$> && have('unshare')
	&& run('unshare', '-m', 'mount', '-t', 'bpf', 'none', '/sys/fs/bpf', { memory_mb => 0 })->{status} == 0;
my $taken = 0;

for my $object (@objects) {
	my ($short) = $object =~ m{([^/]+)$};
	my $before = get($object);
	next if !defined TinyELF::section($before, '.BTF');
	my $path = put('object.o', $before);
	quiet(btfcanon('sort', '--in-place', '-q', $path), "$short: in place");
	my $after = get($path);
	my @wrong = BPFObject::differences($before, $after);
	ok(!@wrong, "$short: means the same") || diag(join "\n", @wrong);
	my %code = map { ($_->[1] => 1) } grep { $_->[0][0] eq 'core' } BPFObject->new($before)->records;
	same_elsewhere($before, $after, [ qw(.BTF .BTF.ext .rel.BTF), keys %code ], $short);
	is(btfcanon('check', '-q', $path)->{status}, 0, "$short: is canonical");
	quiet(btfcanon('sort', '--in-place', '-q', $path), "$short: again");
	same_bytes(get($path), $after, "$short: changes nothing");
	SKIP: {
		skip 'bpftool is not installed', 1 if !$bpftool;
		my $linked = run($bpftool, 'gen', 'object', scratch('linked.o'), $path, { memory_mb => 0 });
		my $was = run($bpftool, 'gen', 'object', scratch('linked.o'), $object, { memory_mb => 0 });
		is($linked->{status}, $was->{status}, "$short: bpftool gen object as before")
			|| diag($linked->{err});
	}
	SKIP: {
		skip 'no leave to load programs, or no bpftool', 1 if !$may_load;
		my $was = loaded($object);
		is(loaded($path), $was, "$short: the kernel does the same with it");
		$taken++ if $was =~ /^status 0/;
	}
}
SKIP: {
	skip 'no leave to load programs, or no bpftool', 1 if !$may_load;
	cmp_ok($taken, '>', 0, "the kernel takes $taken of " . @objects);
}

done_testing;
