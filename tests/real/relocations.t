#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# compare --object against libbpf itself: each CO-RE relocation of BPF objects gets the value that
# libbpf writes into the program when it loads it for that kernel. Loading needs privileges; whether
# the kernel takes the program does not matter, libbpf says before what it writes.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use JSON::PP ();
use RealInputs;
use TestUtil;
use TinyELF;

my $compiler = have('cc');
plan skip_all => 'no C compiler' if !$compiler;

# relocate OBJECT BTF: libbpf loads it and says all that it does. Maps may get their size later.
my $source = put('relocate.c', <<'END');
#include <stdio.h>
#include <bpf/libbpf.h>

static int say(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level;
	return vfprintf(stdout, format, arguments);
}

int main(int argc, char **argv)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = argv[argc - 1]);
	struct bpf_object *object;
	struct bpf_map *map;

	libbpf_set_print(say);
	object = bpf_object__open_file(argv[1], &options);
	if (!object)
		return 2;
	bpf_object__for_each_map(map, object)
		if (!bpf_map__max_entries(map))
			bpf_map__set_max_entries(map, 1);
	printf("loaded: %d\n", bpf_object__load(object));
	return 0;
}
END
my $built = run($compiler, '-o', scratch('relocate'), $source, '-lbpf', { memory_mb => 0 });
plan skip_all => 'libbpf cannot be linked' if $built->{status};

my @kernels = grep { unpack('v', $_->{btf}) == 0xeb9f } kernels();
plan skip_all => 'no kernel here' if !@kernels;
put("$_->{name}.btf", $_->{btf}) for @kernels;

# Clang 14 cannot ask whether types match: existence of a type whose name ends in "matches" becomes
# that question, in the records of a copy.
sub with_matches {
	my ($path) = @_;
	my $file = get($path);
	my ($btf, $ext) = map { TinyELF::section($file, $_) } '.BTF', '.BTF.ext';
	my $graph = BTF->read($btf);
	my ($header, undef, undef, undef, undef, $at, $length) = unpack 'x4V7', $ext;
	my $patched = $ext;
	my $end = $header + $at + $length;
	for ($at += $header + 4; $at < $end;) {
		my $count = unpack 'V', substr $ext, $at + 4, 4;
		for ($at += 8; $count; $count--, $at += 16) {
			my (undef, $id, undef, $kind) = unpack 'V4', substr $ext, $at, 16;
			substr($patched, $at + 12, 4) = pack 'V', 12
				if $kind == 8 && $graph->type($id)->{name} =~ /matches$/;
		}
	}
	my $place = index $file, $ext;
	substr($file, $place, length $ext) = $patched;
	return put('kinds.elf', $file);
}

my %word = (byte_off => 'offset', byte_sz => 'size', field_exists => 'exists', signed => 'signed',
	lshift_u64 => 'left shift', rshift_u64 => 'right shift', local_type_id => 'local id',
	target_type_id => 'type id', type_exists => 'type exists', type_matches => 'type matches',
	type_size => 'type size', enumval_exists => 'value exists', enumval_value => 'value');

# { "asks wants" => value, "missing" }, by libbpf; undef where it did not come that far.
sub theirs {
	my ($object, $btf) = @_;
	my $result = run(scratch('relocate'), $object, $btf, { memory_mb => 0 });
	my ($asked, %found);
	for (split /\n/, $result->{out}) {
		if (/relo #\d+: <(\w+)> \[\d+\] (.*?)(?: \(| = |$)/) {
			$asked = "$word{$1} $2";
		} elsif (/relo #\d+: patched insn #\d+ \(\S+\) \w+ -?\d+ -> (-?\d+)/) {
			$found{$asked} = $1;
		} elsif (/relo #\d+: substituting insn/) {
			$found{$asked} = 'missing';
		} elsif (/relo #\d+: .*ambigu/) {
			$found{$asked} = 'ambiguous';
		}
	}
	return %found ? \%found : undef;
}

sub mine {
	my ($object, $btf) = @_;
	my $result = btfcanon('compare', '-q', '--object', $object, '--format=json', $btf, $btf);
	die "compare --object $object: $result->{err}" if $result->{status} > 1;
	return { map { ("$_->{asks} $_->{wants}" => $_->{new}{state} eq 'found'
			? $_->{new}{value} // 'an id' : $_->{new}{state}) }
		grep { $_->{need} eq 'relocation' } @{ JSON::PP->new->decode($result->{out})->{requirements} } };
}

my @objects = (with_matches(fixture('compare/kinds.bpf.elf')), fixture('compare/prog.bpf.elf'),
	grep { defined TinyELF::section(get($_), '.BTF.ext') }
		glob((real_folder() // '/nowhere') . '/xdp-tools/*.o'));
my %asked;
for my $kernel (@kernels) {
	my $file = scratch("$kernel->{name}.btf");
	my ($compared, @wrong) = (0);
	for my $object (@objects) {
		my $theirs = theirs($object, $file) or next;
		my $mine = mine($object, $file);
		for my $question (sort keys %$theirs) {
			my $value = $theirs->{$question};
			$value = 'an id' if $question =~ /^(?:local|type) id / && $value ne '0';
			my $own = $mine->{$question} // 'not asked';
			push @wrong, "$object: $question: $own, not $value" if $own ne $value;
			$asked{$1}++ if $question =~ /^(.*?) (?:struct|union|enum|typedef) /;
			$compared++;
		}
	}
	SKIP: {
		skip "$kernel->{name}: libbpf may load nothing here", 1 if !$compared;
		is(join("\n", @wrong), '', "$kernel->{name}: $compared relocations are libbpf's");
	}
}
SKIP: {
	skip 'libbpf may load nothing here', 1 if !%asked;
	is_deeply([ sort keys %asked ], [ sort values %word ], 'relocations of every kind');
}

done_testing;
