#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# A kernel and its modules put in order in place, all at once: their types and the ids that they hold
# mean what they meant. $BTFCANON_MODULES names a folder with more modules of the 6.12 kernel.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use InPlace;
use KernelBTF;
use RealInputs;
use TestUtil;
use TinyELF;

my ($kernel) = grep { $_->{name} eq '6.12-amd64' && @{ $_->{modules} } } kernels();
plan skip_all => 'no kernel with modules here (scripts/real-inputs)' if !$kernel;
plan skip_all => 'xz is not installed' if !have('xz');

my @modules = @{ $kernel->{modules} };
push @modules, sort glob "$ENV{BTFCANON_MODULES}/*.ko*" if $ENV{BTFCANON_MODULES};
my $folder = scratch('kernel');
mkdir $folder or die;
my %before;
for my $module (@modules) {
	my ($name) = $module =~ m{([^/]+\.ko)};
	run('xz', '-dc', $module, { stdout_to => "$folder/$name", memory_mb => 0 }) if $module =~ /\.xz$/;
	put("$folder/$name", get($module)) if $module !~ /\.xz$/;
	$before{$name} = get("$folder/$name");
}

# The kernel without its DWARF: its BTF is what counts here.
my $vmlinux = "$folder/vmlinux";
run('objcopy', '--strip-debug', $kernel->{elf}, $vmlinux, { memory_mb => 0, seconds => 300 });
my $image = get($vmlinux);
my @files = ($vmlinux, map { "$folder/$_" } sort keys %before);

my $refused = btfcanon('sort', '--in-place', @files, { memory_mb => 0, seconds => 1200 });
refused($refused, $folder, qr/is signed/, 'signed modules are refused');
is(get($vmlinux), $image, 'and nothing is touched');
quiet(btfcanon('sort', '--in-place', '--drop-signature', '-q', @files, { memory_mb => 0, seconds => 1200 }),
	'a kernel and ' . keys(%before) . ' modules');
same_elsewhere($image, get($vmlinux), [ '.BTF', '.BTF_ids' ], 'the kernel');
my @btf = map { TinyELF::section($_, '.BTF') } $image, get($vmlinux);
is(length $btf[1], length $btf[0], 'its .BTF has the length it had');
my $bases = eval { KernelBTF->new(@btf) };
ok($bases, 'its types mean the same') or BAIL_OUT($@);

# Words of .BTF_ids that are ids of the first order: of the same types in the second.
sub same_ids {
	my ($old, $new, $classes, $name) = @_;
	my ($was, $is) = map { TinyELF::section($_, '.BTF_ids') } $old, $new;
	return if !defined $was;
	is(length $is, length $was, "$name: .BTF_ids has the length it had");
	my @parts = map { TinyELF::parts($_) } $old, $new;
	my (%symbols, @said);
	for my $which (0, 1) {
		my ($section) = grep { $_->{name} eq '.BTF_ids' } @{ $parts[$which]{sections} };
		my ($table) = grep { $_->{type} == 2 } @{ $parts[$which]{sections} };
		my $names = $parts[$which]{sections}[ $table->{link} ]{bytes};
		my $linked = $section->{address};
		for my $symbol (unpack '(a24)*', $table->{bytes}) {
			my ($at, undef, undef, $index, $value) = unpack 'VCCvQ<', $symbol;
			next if $parts[$which]{sections}[ $index < 0xff00 ? $index : 0 ] != $section;
			my $text = unpack 'Z*', substr $names, $at, 200;
			$symbols{ ($value - $linked) / 4 } = $text if $text =~ /^__BTF_ID__/ && !$which;
		}
		my @words = unpack 'V*', $section->{bytes};
		my $class = sub { $_[0] ? $classes->[$which][ $_[0] ] // 'none' : 0 };
		my %in_set;
		for my $word (sort { $a <=> $b } grep { $symbols{$_} =~ /^__BTF_ID__set(?:8)?__/ } keys %symbols) {
			my $stride = $symbols{$word} =~ /^__BTF_ID__set8/ ? 2 : 1;
			my @members = map { $word + $stride + $stride * $_ } 0 .. $words[$word] - 1;
			$in_set{$_} = 1 for $word .. $word + $stride - 1, map { $_ .. $_ + $stride - 1 } @members;
			my @ids = @words[@members];
			push @{ $said[$which] }, "set at $word is sorted" if "@ids" eq join ' ', sort { $a <=> $b } @ids;
			push @{ $said[$which] }, join ' ', "set at $word:", @words[ $word .. $word + $stride - 1 ],
				sort map { $class->($words[$_]) . ($stride == 2 ? " flags $words[$_ + 1]" : '') } @members;
		}
		push @{ $said[$which] }, map { "word $_: " . $class->($words[$_]) } grep { !$in_set{$_} } 0 .. $#words;
	}
	is_deeply($said[1], $said[0], "$name: .BTF_ids means the same (" . @{ $said[0] } . ' statements)');
}

same_ids($image, get($vmlinux), [ $bases->id_classes ], 'the kernel');
for my $name (sort keys %before) {
	my $after = get("$folder/$name");
	my ($was, $is) = map { TinyELF::section($_, '.BTF') } $before{$name}, $after;
	my @wrong = $bases->module_differences($was, $is);
	ok(!@wrong, "$name: means the same") || diag(join "\n", @wrong[ 0 .. ($#wrong < 5 ? $#wrong : 5) ]);
	same_elsewhere(substr($before{$name}, 0, length $before{$name}), $after, [ '.BTF', '.BTF_ids' ], $name);
	same_ids($before{$name}, $after, [ $bases->id_classes($was, $is) ], $name)
		if defined TinyELF::section($after, '.BTF_ids');
}
is(btfcanon('check', '-q', '--order=name', $vmlinux)->{status}, 0, 'the kernel is canonical');
is(btfcanon('check', '-q', '--order=name', '--base', $vmlinux, "$folder/$_")->{status}, 0, "$_ is canonical")
	for grep { /^(?:tun|veth|nf_conntrack)\.ko/ } sort keys %before;

done_testing;
