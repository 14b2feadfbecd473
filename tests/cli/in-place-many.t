#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Many files put in order in place, several at once: how many threads did it shows in nothing.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use InPlace;
use TestUtil;
use TinyELF;

my $count = 70;

sub elf { my ($type, $btf) = @_; return TinyELF::write(machine => 62, type => $type,
	sections => [ [ '.text', 'code' ], [ '.BTF', $btf ] ]) }

my $base = BTF->new;
$base->int('int', 4, signed => 1);
$base->struct('area', 4, [ [ 'number', 1, 0 ] ]);

# Some have a member beyond the end, which is warned of.
sub module {
	my ($i) = @_;
	my $m = BTF->new(base => $base);
	$m->struct("m$i", 8, [ [ 'area', 2, $i % 7 == 3 ? 64 : 0 ] ]);
	$m->struct("a$i", 8 * ($i + 1), [ map { [ "p$_", $m->ptr(2), 64 * $_ ] } 0 .. $i ]);
	return $m->bytes;
}

my @btf = map { module($_) } 0 .. $count - 1;
my $folder = scratch('kernel');
mkdir $folder or die;
my @modules = map { sprintf "$folder/m%03d.ko", $_ } 0 .. $count - 1;
my @files = (@modules[ 0, 1 ], "$folder/vmlinux", @modules[ 2 .. $count - 1 ]);

sub put_all {
	put("$folder/vmlinux", elf(2, $base->shuffled(3)));
	put($modules[$_], elf(1, $btf[$_])) for 0 .. $#modules;
	return map { get($_) } @files;
}

my %first;
for my $threads (1, 2, 5, 64) {
	put_all();
	my $result = btfcanon('sort', '--in-place', "-j$threads", @files, { memory_mb => 0, seconds => 300 });
	is($result->{status}, 0, "$threads threads: $count modules") || diag($result->{err});
	my $now = join '', map { get($_) } @files;
	$first{bytes} //= $now;
	same_bytes($now, $first{bytes}, "$threads threads: the same bytes");
	$first{said} //= $result->{err};
	is($result->{err}, $first{said}, "$threads threads: the same warnings");
	is(listing($folder), join(' ', map { m{([^/]+)$} } @modules, 'vmlinux'), "$threads threads: nothing is beside them");
}
my @warned = $first{said} =~ m{/m(\d+)\.ko: }g;
is("@warned", join(' ', map { sprintf '%03d', $_ } grep { $_ % 7 == 3 } 0 .. $#modules), 'warned of in their order');

# The first that is wrong is told of, whichever thread comes to it when; and nothing changes.
my %wrong = (
	'cannot be read' => sub { elf(1, substr $btf[ $_[0] ], 0, 20) },
	'cannot be opened' => sub { 'no ELF' },
);
for my $first (sort keys %wrong) {
	for my $second (sort keys %wrong) {
		for my $threads (1, 8) {
			put_all();
			put($modules[30], $wrong{$first}->(30));
			put($modules[32], $wrong{$second}->(32));
			put($modules[69], $wrong{$second}->(69));
			my @before = map { get($_) } @files;
			my $name = "$first, and one that $second, $threads threads";
			refused(btfcanon('sort', '--in-place', '-q', "-j$threads", @files), $modules[30],
				$first eq 'cannot be read' ? qr/is cut off/ : qr/no ELF file/, $name);
			my @after = map { get($_) } @files;
			ok("@before" eq "@after", "$name: all stay as they were");
			is(listing($folder), join(' ', map { m{([^/]+)$} } @modules, 'vmlinux'),
				"$name: nothing is beside them");
		}
	}
}

# What is in order already is left alone, many files of it too.
put_all();
quiet(btfcanon('sort', '--in-place', '-q', @files), 'in order');
my @inodes = map { (stat $_)[1] } @files;
quiet(btfcanon('sort', '--in-place', '-q', @files), 'in order already');
is(join(' ', map { (stat $_)[1] } @files), "@inodes", 'no file is another');


done_testing;
