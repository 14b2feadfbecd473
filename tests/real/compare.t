#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# compare on whole kernels: against themselves, shuffled, and against each other.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Compare;
use JSON::PP ();
use RealInputs;
use TestUtil;

my @kernels = kernels();
my %missing = RealInputs::missing();
for (sort keys %missing) {
	SKIP: { skip "$_: $missing{$_}", 1 }
}
plan skip_all => 'no kernel here' if !@kernels;

put("$_->{name}.btf", $_->{btf}) for @kernels;

# One is enough: what a shuffle changes is the ids, and laws see to those.
{
	my $kernel = $kernels[-1];
	my $file = scratch("$kernel->{name}.btf");
	my $shuffled = put('shuffled.btf', BTF->read($kernel->{btf})->shuffled(3));
	my $result = btfcanon('compare', $file, $shuffled);
	is("$result->{status}|$result->{out}", '0|', "$kernel->{name}: nothing changed by a shuffle");
}

# Whatever is defined on one side only is reported so, and nothing else is.
sub check_sets {
	my ($report, $left, $right, $name) = @_;
	for my $kinds ('STRUCT UNION', 'FUNC', 'TYPEDEF', 'VAR') {
		my @kinds = split / /, $kinds;
		my (%old, %new);
		$old{ $_->{name} }++ for grep { length $_->{name} } map { $left->find($_) } @kinds;
		$new{ $_->{name} }++ for grep { length $_->{name} } map { $right->find($_) } @kinds;
		my %reported;
		for my $entry (@{ $report->{changes} }) {
			$reported{ $entry->{change} }{ $entry->{name} }++
				if grep { $entry->{kind} eq lc } @kinds;
		}
		my %declared = map { ($_->{name} => 1) } $left->find('FWD'), $right->find('FWD');
		my @wrong = grep { !$declared{$_} && (($old{$_} // 0) < ($new{$_} // 0)) != !!$reported{added}{$_} }
			keys %{ { %old, %new } };
		push @wrong, grep { !$declared{$_} && (($old{$_} // 0) > ($new{$_} // 0)) != !!$reported{removed}{$_} }
			keys %{ { %old, %new } };
		is("@wrong[0 .. ($#wrong < 5 ? $#wrong : 5)]", '', "$name: $kinds: added and removed");
	}
	return;
}

# The oldest against the newest that Debian has here, then that against this machine's.
my %named = map { ($_->{name} => $_) } @kernels;
for my $pair ([qw(6.1-amd64 6.12-amd64)], [qw(6.12-amd64 running)]) {
	my ($old, $new) = @named{@$pair};
	next if !$old || !$new;
	my $name = "$old->{name} to $new->{name}";
	my @files = map { scratch("$_->{name}.btf") } $old, $new;
	my $report = compare_files(@files);
	cmp_ok(scalar @{ $report->{changes} }, '>', 1000, "$name: there is a difference");
	my @faults = schema_faults($report);
	is(join("\n", @faults[0 .. ($#faults < 3 ? $#faults : 3)]), '', "$name: the schema");
	ok(mirrored($report, compare_files(reverse @files)), "$name: mirrored");
	check_sets($report, BTF->read($old->{btf}), BTF->read($new->{btf}), $name);
}

# A kernel's DWARF against its own BTF, which pahole wrote: the same types. Functions and variables
# are chosen by other rules in each version of pahole. What encode writes is the same in everything.
for my $kernel (grep { $_->{name} =~ /amd64/ } @kernels) {
	my @dwarf = ('compare', '-q', '--old-from=dwarf', $kernel->{elf});
	my $enough = { memory_mb => 0, seconds => 300 };
	my $types = btfcanon(@dwarf, $kernel->{elf}, '--kind=struct,union,enum,typedef,int,float', $enough);
	is("$types->{status}|$types->{out}|$types->{err}", '0||',
		"$kernel->{name}: DWARF and BTF have the same types");
	my $all = btfcanon(@dwarf, $kernel->{elf}, '--format=json', $enough);
	my @wrong = grep { $_->{kind} ne 'func' && $_->{kind} ne 'var' }
		@{ JSON::PP->new->decode($all->{out})->{changes} };
	is(scalar @wrong, 0, "$kernel->{name}: only functions and variables are others");
	my $encoded = scratch('encoded.btf');
	is(btfcanon('encode', '-q', $kernel->{elf}, '-o', $encoded, $enough)->{status}, 0,
		"$kernel->{name}: encoded");
	my $same = btfcanon(@dwarf, $encoded, $enough);
	is("$same->{status}|$same->{out}|$same->{err}", '0||', "$kernel->{name}: DWARF and what encode makes of it");
}

# Verdicts on real BPF objects: libbpf, by way of bpftool, finds and misses the same.
my @objects = glob((real_folder() // '/nowhere') . '/xdp-tools/*.o');
SKIP: {
	skip 'no BPF objects (scripts/real-inputs)', 1 if !@objects;
	skip 'no bpftool', 1 if !have('bpftool');
	my %asks = (byte_off => 'offset', byte_sz => 'size', field_exists => 'exists');
	for my $kernel (@kernels) {
		my ($compared, @wrong) = (0);
		my $file = scratch("$kernel->{name}.btf");
		for my $object (@objects) {
			my $log = run(have('bpftool'), '-d', 'gen', 'min_core_btf', $file, scratch('min.btf'), $object);
			my %theirs;
			my $asked;
			for (split /\n/, "$log->{out}\n$log->{err}") {
				if (/relo #\d+: <(\w+)> \[\d+\] (.*?) \(/) {
					$asked = ($asks{$1} // $1) . " $2";
				} elsif (/relo #\d+: matching candidate .* @ offset (\d+)\)/) {
					$theirs{$asked} = $1;
				} elsif (/no matching targets/) {
					$theirs{$asked} = 'missing';
				}
			}
			my $mine = btfcanon('compare', '--object', $object, '--format=json', $file, $file);
			next if $mine->{status} == 2 && $mine->{err} =~ /no \.BTF\.ext/;
			my %mine = map { ("$_->{asks} $_->{wants}" => $_->{new}{state} eq 'found' ? $_->{new}{value}
				: 'missing') } grep { $_->{need} eq 'relocation' }
				@{ JSON::PP->new->decode($mine->{out})->{requirements} };
			for (grep { /^offset / } keys %theirs) {
				$compared++;
				push @wrong, "$object: $_: " . ($mine{$_} // 'not asked') . ", not $theirs{$_}"
					if ($mine{$_} // '') ne $theirs{$_};
			}
		}
		is(join("\n", @wrong), '', "$kernel->{name}: $compared relocations as libbpf's");
		cmp_ok($compared, '>', 10, "$kernel->{name}: enough of them");
	}
}

done_testing;
