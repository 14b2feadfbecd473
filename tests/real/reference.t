#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# By hand: BTF files of other origin, one or more of them big-endian, as FILE.btf or FILE.btf.zst in
# the folder that $BTFCANON_REFERENCE names.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;

my $folder = $ENV{BTFCANON_REFERENCE};
plan skip_all => 'BTFCANON_REFERENCE names no folder with *.btf or *.btf.zst' if !defined $folder;
my @files = (glob("$folder/*.btf"), glob("$folder/*.btf.zst"));
plan skip_all => "no *.btf and no *.btf.zst in $folder" if !@files;

for my $file (@files) {
	my ($name) = $file =~ m{([^/]+)$};
	subtest $name => sub {
		my $bytes = $file =~ /zst$/ ? run('zstd', '-dc', $file, { memory_mb => 0 })->{out}
			: get($file);
		my $btf = BTF->read($bytes);
		note($btf->{big} ? 'big-endian, ' : 'little-endian, ', $btf->id_end - 1, ' types');
		my %sorted;
		for my $order (qw(canonical name)) {
			my $result = btfcanon('sort', "--order=$order", $file);
			quiet($result, "$order order: sort, without a warning");
			$sorted{$order} = $result->{out};
			same_bytes($result->{out}, BTFModel::canonical($btf,
				order => $order)->bytes, "$order order: the model's bytes");
			is(btfcanon('check', "--order=$order",
				put('sorted.btf', $result->{out}))->{status}, 0,
				"$order order: check");
		}
		same_graph($btf, BTF->read($sorted{canonical}), 'nothing lost, nothing invented');
		same_bytes(sort_bytes($btf->shuffled($_)), $sorted{canonical},
			"shuffle $_: the same bytes") for 1 .. 3;
		# What bpftool and pahole find in it does not change.
		my $same = sub {
			my ($what, $tool, @arguments) = @_;
			my $program = have($tool) or return note("$tool is not installed");
			my @text = map { run($program, @arguments, put("$_->[0].btf", $_->[1]),
				{ memory_mb => 0, seconds => 120 })->{out} }
				[ before => $bytes ], [ after => $sorted{canonical} ];
			same_bytes($text[1], $text[0], $what) if length $text[0];
			return;
		};
		$same->('pahole prints the same', 'pahole', '-F', 'btf', '--sort');
	};
}

done_testing;
