#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# bpftool (libbpf) and pahole read sorted BTF and find in it what they found before.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;
use RealInputs;

my @kernels = kernels();
plan skip_all => 'no kernel\'s BTF here' if !@kernels;

# C definitions as a sorted list. bpftool numbers repeated names (___2) and puts forward declarations
# where ids make them necessary: both go by the order of ids and are left out.
sub definitions {
	my ($text) = @_;
	$text =~ s/___\d+\b//g;
	$text =~ s/^(?:struct|union|enum) \w+;\n//mg;
	return join "\n\n", sort grep { length } split /\n\n+/, $text;
}

# pahole's text without the structs and unions that share a name: it prints one of them, which one
# goes by ids (union pkthdr in 6.18 has a body with two members and one with three).
sub without_repeated {
	my ($text, $repeated) = @_;
	return join '', grep { !/^(?:struct|union) (\w+)/
		|| !$repeated->{$1} } split /^(?=(?:struct|union|enum)\b)/m, $text;
}

for my $kernel (@kernels) {
	my %count;
	$count{ $_->{name} }++ for grep { $_->{kind} == BTF::STRUCT
		|| $_->{kind} == BTF::UNION } BTF->read($kernel->{btf})->types;
	my %repeated = map { ($_ => 1) } grep { $count{$_} > 1 } keys %count;
	my $before = put('before.btf', $kernel->{btf});
	for my $order (qw(canonical name)) {
		my $after = scratch('after.btf');
		is(btfcanon('sort', "--order=$order", $before, '-o', $after)->{status}, 0,
			"$kernel->{name}: $order order");
		SKIP: {
			my $bpftool = have('bpftool') or skip 'bpftool is not installed', 2;
			my @c = map { run($bpftool, 'btf', 'dump', 'file', $_, 'format', 'c',
				{ memory_mb => 0, seconds => 120 }) } $before, $after;
			is($c[1]{status}, 0, "$kernel->{name}: $order order: bpftool reads it")
				|| diag($c[1]{err});
			cmp_ok(length $c[1]{out}, '>', 100_000,
				"$kernel->{name}: $order order: and writes C");
			same_bytes(definitions($c[1]{out}), definitions($c[0]{out}),
				"$kernel->{name}: $order order: with the same definitions");
		}
		SKIP: {
			my $pahole = have('pahole') or skip 'pahole is not installed', 2;
			my @text = map { run($pahole, '-F', 'btf', '--sort', $_,
				{ memory_mb => 0, seconds => 120 }) } $before, $after;
			is($text[1]{status}, 0, "$kernel->{name}: $order order: pahole reads it")
				|| diag($text[1]{err});
			cmp_ok(length $text[1]{out}, '>', 100_000,
				"$kernel->{name}: $order order: and prints it");
			same_bytes(without_repeated($text[1]{out}, \%repeated),
				without_repeated($text[0]{out}, \%repeated),
				"$kernel->{name}: $order order: the same text, sorted by name");
		}
	}
}

done_testing;
