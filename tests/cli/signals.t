#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# A signal in the middle leaves no temporary file, and the old output or the new one, whole.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use DWARF;
use TestUtil;
use Time::HiRes qw(sleep);

my $count = 120_000;
my $types = join '', map { pack 'V3', 0, 2 << 24, $_ % $count + 1 } 1 .. $count;
my $bytes = pack('vCCV5', 0xeb9f, 1, 0, 24, 0, length $types, length $types, 1) . $types . "\0";
substr($bytes, 24, 12) = pack 'V3', 0, 2 << 24, 0;
my $input = put('ring.btf', $bytes);
my $folder = scratch('out');
mkdir $folder or die;
my $expected = btfcanon('sort', '-q', $input)->{out};
ok(length $expected, 'an input that takes a while');

# Runs a command that writes the file "out" of the folder, OLD before and NEW after, and stops it.
sub interrupted {
	my ($name, $old, $new, @command) = @_;
	my (@left, @torn, %ended);
	for my $try (1 .. 24) {
		my $signal = (qw(TERM INT HUP))[ $try % 3 ];
		put("$folder/out", $old);
		my $child = fork // die;
		if (!$child) {
			open STDERR, '>', scratch('.signal.err');
			exec program(), @command;
		}
		sleep 0.004 * $try;
		kill $signal, $child;
		waitpid $child, 0;
		$ended{ $? & 127 ? 'signal ' . ($? & 127) : 'exit ' . ($? >> 8) }++;
		opendir my $d, $folder or die;
		push @left, grep { !/^\.\.?$/ && $_ ne 'out' } readdir $d;
		my $now = get("$folder/out");
		push @torn, $try if $now ne $old && $now ne $new;
	}
	is("@left", '', "$name: no temporary is left");
	is("@torn", '', "$name: the output is the old one or the new one");
	ok(!grep({ !/^(?:exit 0|exit 2|exit 1(?:29|30|43)|signal (?:1|2|15))$/ } keys %ended),
		"$name: it ends by the signal, or had ended")
		|| diag(join ', ', map { "$_: $ended{$_}" } sort keys %ended);
	note("$name: " . join ', ', map { "$_: $ended{$_}" } sort keys %ended);
}
interrupted('sort', 'old', $expected, 'sort', '-q', $input, '-o', "$folder/out");

# A file so large that it is copied while its DWARF is read.
my $dwarf = DWARF->new(strings => 'string')->unit([ compile_unit => { language => 12 },
	map { [ base_type => { name => "int$_", byte_size => 4, encoding => 5 } ] } 1 .. 2000 ]);
my $large = $dwarf->elf(sections => [ $dwarf->sections, [ '.filler', 'f' x (40 << 20) ] ]);
put("$folder/out", $large);
quiet(btfcanon('encode', '--in-place', "$folder/out"), 'a large file');
interrupted('encode in place', $large, get("$folder/out"), 'encode', '-q', '--in-place', "$folder/out");

# While a temporary certainly exists: its writer waits for a file system that is frozen by a limit
# on its own output, so stop it there by a full pipe instead: a signal while writing to a pipe.
my $pid = open my $pipe, '-|', program(), 'sort', '-q', $input or die;
sleep 0.3;
kill 'TERM', $pid;
close $pipe;
is($? & 127 || $? >> 8 ? 1 : 0, 1, 'a signal while writing to a full pipe ends it');

done_testing;
