#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# A BPF object put in order in place: its records, relocations and instructions that go by .BTF say
# what they said, and nothing else changed.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BPFObject;
use BTF;
use InPlace;
use Objects;
use TestUtil;
use TinyELF;

my @rewritten = qw(.BTF .BTF.ext .rel.BTF kprobe/zones);

sub sorted {
	my ($name, $bytes, @options) = @_;
	my $path = put('object.o', $bytes);
	quiet(btfcanon('sort', '--in-place', @options, $path), "$name: in place");
	return get($path);
}

# Puts an object in order and compares; returns it.
sub same_object {
	my ($name, $before, @options) = @_;
	my $after = sorted($name, $before, @options);
	my @wrong = BPFObject::differences($before, $after);
	ok(!@wrong, "$name: means the same") || diag(join "\n", @wrong);
	same_elsewhere($before, $after, \@rewritten, $name);
	my $path = put('after.o', $after);
	my $order = @options ? $options[0] : '--order=canonical';
	is(btfcanon('check', $order, $path)->{status}, 0, "$name: check says that it is in order");
	same_bytes(sorted("$name, again", $after, @options), $after, "$name: again: the same");
	return $after;
}

for my $target (qw(bpfel bpfeb)) {
	my $object = get(fixture("cases/object.$target.elf"));
	my $count = BPFObject->new($object)->counts;
	cmp_ok($count->{$_}, '>', 4, "$target: has something in $_") for qw(func line core relocations);
	is($count->{ids}, 3, "$target: instructions with ids");
	my $sorted = same_object($target, $object);
	isnt(TinyELF::section($sorted, '.BTF'), TinyELF::section($object, '.BTF'), "$target: was not in order");
	my $named = same_object("$target by name", $object, '--order=name');
	same_bytes(same_object("$target by name and back", $named, '--order=canonical'), $sorted,
		"$target: the order before does not show");
	same_object("$target, stripped", get(fixture("cases/core.$target.elf")));

	# Strings that only .BTF.ext has are in the canonical section; raw output has none of them.
	my $raw = btfcanon('sort', put('raw.o', $object))->{out};
	like(TinyELF::section($sorted, '.BTF'), qr/\0[^\0]*zone->next/, "$target: lines of source are kept");
	unlike($raw, qr/zone->next/, "$target: raw output drops them");

	my $bpftool = have('bpftool');
	SKIP: {
		skip 'bpftool is not installed', 1 if !$bpftool;
		skip 'bpftool links for this machine only', 1
			if ($target eq 'bpfeb') != (pack('S', 1) eq pack('n', 1));
		my $linked = run($bpftool, 'gen', 'object', scratch('linked.o'), put('in.o', $sorted),
			{ memory_mb => 0 });
		is($linked->{status}, 0, "$target: bpftool gen object takes it") || diag($linked->{err});
	}
}

# Longer records and headers than today's.
in_both_orders(sub {
	my ($big, $order) = @_;
	my $long = $big ? 'N' : 'V';
	my $b = BTF->new(big => $big);
	my $int = $b->int('int', 4);
	my $proto = $b->proto($int, [ [ 'a', $int ] ]);
	my $zeta = $b->func('zeta', $proto);
	my $alpha = $b->func('alpha', $proto);
	my $bytes = $b->bytes;
	my $strings_at = 24 + unpack "x16$long", $bytes;
	my %offset = map { ($_ => index($bytes, "\0$_\0", $strings_at) + 1 - $strings_at) } qw(zeta alpha int);
	my $record = sub { pack "${long}*", @_ };
	my $funcs = $record->(12, $offset{int}, 2, 0, $zeta, 77, 8, $alpha, 78);
	my $lines = $record->(20, $offset{int}, 1, 0, $offset{zeta}, $offset{alpha}, 5, 79);
	my $ext = pack($big ? 'n' : 'v', 0xeb9f) . "\1\0" . pack "${long}9", 40, 0, length $funcs,
		length $funcs, length $lines, 0, 0, 80, 81;
	my $object = TinyELF::write(big => $big, sections => [ [ 'int', 'x' x 16 ], [ '.BTF', $bytes ],
		[ '.BTF.ext', $ext . $funcs . $lines ] ]);
	same_object("longer records, $order", $object);

	# Damaged ones are refused, and the file stays.
	for (
		[ 'type 99', $record->(12, $offset{int}, 1, 0, 99, 77), qr/\.BTF\.ext: func_info.*type 99/ ],
		[ 'a string too far', $record->(12, 9999, 1, 0, $zeta, 77), qr/\.BTF\.ext: .*string offset/ ],
	) {
		my ($name, $bad, $what) = @$_;
		my $head = pack($big ? 'n' : 'v', 0xeb9f) . "\1\0" . pack "${long}5", 24, 0, length $bad, 0, 0;
		my $path = put('bad.o', TinyELF::write(big => $big,
			sections => [ [ '.BTF', $bytes ], [ '.BTF.ext', $head . $bad ] ]));
		my $before = get($path);
		refused(btfcanon('sort', '--in-place', $path), $path, $what, "$name, $order");
		same_bytes(get($path), $before, "$name, $order: left alone");
	}

	my $short = $big ? 'n' : 'v';
	my $header = sub { return pack "$short C2 ${long}5", 0xeb9f, @_ };
	for (
		[ 'a short header', 'x' x 7, qr/the header is cut off/ ],
		[ 'another magic', pack("$short x22", 0x9feb), qr/does not begin with the magic/ ],
		[ 'a version to come', $header->(2, 0, 24, 0, 0, 0, 0), qr/version 2, flags 0x00/ ],
		[ 'flags', $header->(1, 4, 24, 0, 0, 0, 0), qr/version 1, flags 0x04/ ],
		[ 'an odd header', $header->(1, 0, 26, 0, 0, 0, 0) . 'xx', qr/says it is 26 bytes long/ ],
		[ 'a header beyond the end', $header->(1, 0, 28, 0, 0, 0, 0), qr/says it is 28 bytes long/ ],
		[ 'half a head of records', $header->(1, 0, 24, 0, 8, 8, 0) . $record->(8, 0), qr/func_info is cut off \(byte 28\)/ ],
		[ 'records of half a size', $header->(1, 0, 24, 0, 4, 4, 0) . $record->(6), qr/func_info: records of 6 bytes/ ],
		[ 'no records', $header->(1, 0, 24, 0, 12, 12, 0) . $record->(8, $offset{int}, 0), qr/func_info: 0 records at byte 28/ ],
		[ 'parts with a word in common', $header->(1, 0, 24, 0, 20, 16, 24) . $record->((0) x 10),
			qr/func_info and line_info lie on each other/ ],
		[ 'a part in another one', $header->(1, 0, 24, 8, 4, 0, 40) . $record->((0) x 10),
			qr/func_info and line_info lie on each other/ ],
	) {
		my ($name, $bad, $what) = @$_;
		my $before = TinyELF::write(big => $big, sections => [ [ '.BTF', $bytes ], [ '.BTF.ext', $bad ] ]);
		my $path = put('bad.o', $before);
		refused(btfcanon('sort', '--in-place', $path), $path, qr/\.BTF\.ext: .*$what/, "$name, $order");
		same_bytes(get($path), $before, "$name, $order: left alone");
	}

	# Relocations: of 32-bit files, with addends, and at no place in types.
	my $section = $b->datasec('.data', 8, [ map { [ $b->var($_, $int), 0, 4 ] } 'second', 'first' ]);
	$bytes = $b->bytes;
	my @places = map { $b->offset_of($section) + 12 + 12 * $_ + 4 } 0, 1;
	for my $bits (32, 64) {
		my $address = $bits == 32 ? $long : $big ? 'Q>' : 'Q<';
		for my $type (9, 4) {
			my $entry = sub { pack $address . ($bits == 32 ? $long : $address)
				. ($type == 4 ? $address : ''), $_[0], $_[1], ($type == 4 ? $_[2] : ()) };
			my $elf = sub { TinyELF::write(big => $big, bits => $bits, sections => [ [ '.BTF', $bytes ],
				[ $type == 9 ? '.rel.BTF' : '.rela.BTF', join('', @_), { type => $type, info => 1 } ] ]) };
			my $name = "$bits bits, relocations of type $type, $order";
			my $path = put('moved.o', $elf->($entry->($places[1], 2, 7), $entry->($places[0], 1, 8)));
			quiet(btfcanon('sort', '--in-place', $path), $name);
			my $after = TinyELF::parts(get($path));
			my $new = BTF->read($after->{sections}[1]{bytes});
			my ($moved) = $new->ids(sub { $_->{name} eq '.data' });
			is($after->{sections}[2]{bytes}, join('', map { $entry->($new->offset_of($moved) + 16 + 12 * $_,
				$_ + 1, 8 - $_) } 0, 1), "$name: follow the types");
			$path = put('nowhere.o', $elf->($entry->(4, 1, 0)));
			refused(btfcanon('sort', '--in-place', $path), $path, qr/BTF: byte 4 of \.BTF is in none of its types/,
				"$name: at no place in types");
			$path = put('half.o', $elf->(substr $entry->($places[0], 1, 0), 1));
			refused(btfcanon('sort', '--in-place', $path), $path, qr/BTF: \d+ bytes of relocations of \d+ bytes each/,
				"$name: half of one");
		}
	}
});

done_testing;
