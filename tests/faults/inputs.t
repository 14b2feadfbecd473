#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Inputs that are no plain files: FIFOs, devices without an end, the output itself; and little memory.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use DWARF;
use Faults;
use POSIX ();
use Scenarios;
use TestUtil;

my $btf = put('in.btf', get(fixture('vectors/rich.btf')));
my $text = put('in.txt', get(fixture('dump/rich.full.txt')));
my $elf = put('in.elf', substr get(repository() . '/tests/fuzz/seeds/encode/gcc5'), 1);
my @commands = ([ 'sort', $btf ], [ 'check', $btf ], [ 'dump', $btf ], [ 'header', $btf ], [ 'assemble', $text ],
	[ 'encode', $elf ]);

# Through a FIFO the same comes out; DWARF is not read in one go, which is said.
my $fifo = scratch('fifo');
POSIX::mkfifo($fifo, 0600) or die;
for (@commands) {
	my ($command, $file) = @$_;
	my $expected = btfcanon($command, '-q', $file);
	my $result = run('sh', '-c', 'cat "$1" >"$2" & exec "$3" "$4" -q "$2"', 'run', $file, $fifo, program(),
		$command, { seconds => 60 });
	if ($command eq 'encode') {
		refused($result, $fifo, qr/./, 'encode of a FIFO is refused');
		next;
	}
	$expected->{out} =~ s/\Q$file\E/$fifo/g; # check names it
	is("$result->{status} $result->{err}", "$expected->{status} $expected->{err}", "$command of a FIFO");
	same_bytes($result->{out}, $expected->{out}, "$command of a FIFO: the same");
}

# Devices: nothing, zeros without end, noise without end, an error.
for my $device (grep { -c $_ } qw(/dev/null /dev/zero /dev/urandom /dev/full)) {
	for (@commands) {
		my $command = $_->[0];
		my $result = btfcanon($command, $device, { seconds => 60 });
		refused($result, $device, qr/./, "$command of $device");
	}
	refused(btfcanon($_, '--in-place', $device, { seconds => 60 }), $device, qr/no regular file/,
		"$_ --in-place of $device") for 'sort', 'encode';
	next if $device eq '/dev/null';
	refused(btfcanon('compare', "--ignore-file=$device", $btf, $btf, { seconds => 60 }), $device,
		qr/is no text/, "compare without what $device lists");
	refused(btfcanon('header', "--baseline=$device", $btf, { seconds => 60 }), $device, qr/./,
		"header in the order of $device");
}

# The output is the input: it is replaced once all of it is read.
for (@commands[ 0, 2 .. 5 ]) {
	my ($command, $file) = @$_;
	my $expected = btfcanon($command, '-q', $file)->{out};
	my $same = put("same.$command", get($file));
	quiet(btfcanon($command, '-q', $same, '-o', $same), "$command into its input");
	same_bytes(get($same), $expected, "$command into its input: the same");
}
my $header = put('same.h', btfcanon('header', '-q', $btf)->{out});
my $before = get($header);
quiet(btfcanon('header', '-q', "--baseline=$header", $btf, '-o', $header), 'header over its baseline');
same_bytes(get($header), $before, 'header over its baseline: the same');

# Little room for addresses: done, or said in one line.
SKIP: {
	skip 'a sanitized program maps terabytes', 1 if $ENV{BTFCANON_SAN};
	my ($done, $told, @wrong) = (0, 0);
	for my $scenario (map { prepare(%$_) } large_scenarios()) {
		for my $memory_mb (16, 20, 24, 28, 32, 40, 48, 64, 96, 128, 256) {
			my $result = btfcanon(@{ $scenario->{command} }, { dir => $scenario->{folder},
				memory_mb => $memory_mb });
			next if $result->{err} =~ /shared libraries/;
			my $wrong = after_fault($scenario, $result);
			push @wrong, "$scenario->{name}, $memory_mb MB: $wrong" if $wrong;
			$result->{status} == 2 ? $told++ : $done++;
		}
	}
	ok(!@wrong, 'little memory') || diag(join "\n", @wrong);
	cmp_ok($done, '>', 0, 'is enough for some');
	cmp_ok($told, '>', 0, 'and too little for others');
}

done_testing;
