#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# ELF files of all shapes, of which .BTF becomes longer, shorter, or stays: nothing else in them changes.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use Compare;
use InPlace;
use TestUtil;
use TinyELF;

# BTF that the program makes longer (names inside names are written apart), shorter (strings that
# nothing uses), or not.
sub raw {
	my ($big, $way) = @_;
	my $b = BTF->new(big => $big);
	my $int = $b->int('int', 4);
	$b->struct('zone', 4, [ [ 'member_of_zone', $int, 0 ] ]);
	$b->struct('area', 4, [ [ $way eq 'longer' ? 'zone' : 'zones', $int, 0 ] ]);
	return $b->bytes if $way eq 'same';
	return $b->shuffled(1) if $way eq 'shorter';
	# "zone" out of the tail of "member_of_zone".
	my $strings = "\0int\0member_of_zone\0area\0";
	return $b->bytes(strings => [ $strings, sub { $_[0] eq '' ? 0 : index($strings, "$_[0]\0") } ]);
}

sub sorted_in_place {
	my ($name, $before, $order, @options) = @_;
	my $path = put('shape.elf', $before);
	quiet(btfcanon('sort', '--in-place', @options, $path), $name);
	my $after = get($path);
	same_elsewhere($before, $after, ['.BTF'], $name);
	my $model = BTFModel::canonical(BTF->read(TinyELF::section($before, '.BTF')), order => $order)->bytes;
	my $btf = TinyELF::section($after, '.BTF');
	# What is loaded may have NULs behind.
	is(BTFModel::canonical(BTF->read($btf), order => $order)->bytes, $model, "$name: the model's types");
	is(btfcanon('check', "--order=$order", $path)->{status}, 0, "$name: check agrees");
	quiet(btfcanon('sort', '--in-place', @options, $path), "$name: again");
	same_bytes(get($path), $after, "$name: again: the same file");
	return $after;
}

cmp_ok(length sort_bytes(raw(0, 'longer')), '>', length raw(0, 'longer'), 'one becomes longer');
cmp_ok(length sort_bytes(raw(0, 'same')), '==', length raw(0, 'same'), 'one does not');

my @text = ([ '.text', 'code' x 5, { flags => 6, align => 16 } ]);
my @rest = ([ '.rest', 'rest' x 3, { align => 4 } ], [ '.zero', '', { align => 64 } ],
	[ '.bss', '', { type => 8, flags => 3, size => 1 << 20, align => 4096 } ],
	[ '.more', 'more', { align => 0 } ]);

for my $bits (64, 32) {
	in_both_orders(sub {
		my ($big, $order) = @_;
		my $elf = sub { TinyELF::write(big => $big, bits => $bits, @_) };
		for my $way (qw(longer shorter same)) {
			my $btf = raw($big, $way);
			my $name = "$bits bits, $order, $way";
			for my $align (0, 1, 4, 4096, 1 << 16) {
				my @btf = [ '.BTF', $btf, { align => $align } ];
				sorted_in_place("$name, aligned to $align, first", $elf->(sections => [ @btf, @text, @rest ]),
					'canonical');
				sorted_in_place("$name, aligned to $align, last", $elf->(sections => [ @text, @rest, @btf ]),
					'canonical');
				sorted_in_place("$name, aligned to $align, linked", $elf->(type => 3, machine => 62,
					segments => [ [ 1, 1 ] ], sections => [ @text, @btf, @rest ]), 'name');
			}
			# Its name is the end of another one's.
			my $shared = $elf->(sections => [ [ 'x.BTF', 'x' ], [ '.BTF', $btf ], @rest ]);
			my $table_at = TinyELF::parts($shared)->{table_at};
			substr($shared, $table_at + 2 * ($bits == 64 ? 64 : 40), 4) = pack $big ? 'N' : 'V', 2;
			sorted_in_place("$name, a name inside another", $shared, 'canonical');
			sorted_in_place("$name, --order", $elf->(sections => [ @text, [ '.BTF', $btf ] ]), 'name',
				'--order=name');
		}
		# Loaded: only what is as long or shorter can be.
		my $fixed = sub { $elf->(type => 2, machine => 62, segments => [ [ 1, 2 ] ], sections =>
			[ @text, [ '.BTF', raw($big, $_[0]), { flags => 2, align => 1 } ], @rest ]) };
		sorted_in_place("$bits bits, $order, loaded, $_", $fixed->($_), 'name') for qw(shorter same);
		my $path = put('longer.elf', $fixed->('longer'));
		refused(btfcanon('sort', '--in-place', $path), $path, qr/\.BTF: is loaded with the image/,
			"$bits bits, $order, loaded, longer");
		same_bytes(get($path), $fixed->('longer'), "$bits bits, $order: left alone");
		# In a segment, though its flags do not say so.
		$path = put('segment.elf', $elf->(type => 2, machine => 62, segments => [ [ 1, 2 ] ], sections =>
			[ @text, [ '.BTF', raw($big, 'longer') ], @rest ]));
		refused(btfcanon('sort', '--in-place', $path), $path, qr/\.BTF: is loaded with the image/,
			"$bits bits, $order, in a segment, longer");
	});
}

# The order before does not show in the file: what follows .BTF is where it would have been.
{
	my $b = BTF->read(raw(0, 'same'));
	my @after = map {
		sorted_in_place("shuffle $_", TinyELF::write(sections => [ @text, [ '.BTF', $b->shuffled($_) ], @rest ]),
			'canonical')
	} 1 .. 4;
	same_bytes($after[$_], $after[0], "shuffle $_: the same file") for 1 .. 3;
}

# An alignment that the file does not keep is not asked of the new place.
{
	my $file = TinyELF::write(sections => [ @text, [ '.BTF', raw(0, 'longer') ], [ '.rest', 'rest' ] ]);
	my $table_at = unpack 'x40Q<', $file;
	substr($file, $table_at + 3 * 64 + 48, 8) = pack 'Q<', 1 << 40;
	cmp_ok(length sorted_in_place('an alignment of a tebibyte', $file, 'canonical'), '<', 4096,
		'the file stays small');
}

# Signed modules.
{
	my $module = TinyELF::write(machine => 62, sections => [ @text, [ '.BTF', raw(0, 'longer') ], @rest ]);
	my $signature = 's' x 300;
	my $tail = sub { $signature . pack('C8N', (0) x 8, $_[0]) . "~Module signature appended~\n" };
	my $path = put('signed.ko', $module . $tail->(300));
	refused(btfcanon('sort', '--in-place', $path), $path, qr/is signed.*--drop-signature/, 'a signed module');
	same_bytes(get($path), $module . $tail->(300), 'which stays');
	warned(btfcanon('sort', '--in-place', '--drop-signature', $path), qr/signature is dropped/,
		'--drop-signature');
	my $unsigned = put('unsigned.ko', $module);
	quiet(btfcanon('sort', '--in-place', $unsigned), 'the same without one');
	same_bytes(get($path), get($unsigned), 'is what it is then');
	put($path, get($unsigned) . $tail->(300));
	quiet(btfcanon('sort', '--in-place', '--drop-signature', '-q', $path), 'in order, but signed');
	same_bytes(get($path), get($unsigned), 'loses the signature too');
	put($path, $module . $tail->(1 << 20));
	refused(btfcanon('sort', '--in-place', '--drop-signature', $path), $path, qr/longer than the file/,
		'a signature that says too much');
	put($path, $module . 'tail');
	refused(btfcanon('sort', '--in-place', $path), $path, qr/4 bytes follow the ELF/, 'other bytes behind the ELF');
	put($path, TinyELF::write(machine => 62, sections => [ [ '.BTF', sort_bytes(raw(0, 'same'), '--order=name') ] ]) . 'tail');
	quiet(btfcanon('sort', '--in-place', '--order=name', $path), 'which stay where nothing moves');
	like(get($path), qr/tail\z/, 'at the end');
}

# Ids of types in instructions are changed section by section, each section once: a file in which
# records go back and forth between sections is none that a compiler or linker makes.
for my $case (
	[ [qw(one one two two)] ], [ [qw(one two one)], 'one' ], [ [qw(two one one two)], 'two' ],
	[ [qw(one .BTF.ext)], undef, 'two parts' ], [ [qw(none)], undef, 'none, which is not there' ],
	[ [qw(twin)], undef, 'twin: there are two of it' ], [ [ 'x' x 4097 ], undef, 'a name of over 4096 bytes' ],
	[ [qw(one two), 'x' x 4096 ] ]) {
	my ($names, $again, $why) = @$case;
	my $b = BTF->new;
	my $last = $b->struct('zone', 4, [ [ 'member', $b->int('int', 4), 0 ] ]);
	$b->struct('area', 4, []);
	my $code = pack('CCsl', 0x18, 0, 0, $last) x 8;
	my $before = bpf_object($b, relocations => [ map { [ $_, $last, '0', 6 ] } @$names ],
		sections => [ map { [ $_, $code ] } qw(one twin two twin), 'x' x 4096 ]);
	my $path = put('parts.elf', $before);
	my $result = btfcanon('sort', '--in-place', $path);
	if ($again || $why) {
		$why //= "records of section $again are in several parts";
		refused($result, $path, qr/$why/, "records of @$names");
		same_bytes(get($path), $before, 'the file stays');
	} else {
		is($result->{status}, 0, "records of @$names");
		my @ids = map { (unpack 'CCsl', TinyELF::section(get($path), $_))[3] } qw(one two);
		is_deeply(\@ids, [ 3, 3 ], 'have the new id');
	}
}

# As many sections of instructions as the header of a file can count, each of which is found by its name.
{
	my $b = BTF->new;
	my $int = $b->int('int', 4);
	my @names = map { "prog$_" } 1 .. 60_000;
	my @types = map { $b->typedef($_, $int) } @names;
	my $code = sub { return pack 'CCsl', 0x18, 0, 0, $_[0] };
	my $object = bpf_object($b, relocations => [ map { [ $names[$_], $types[$_], '0', 6 ] } reverse 0 .. $#names ],
		sections => [ map { [ $names[$_], $code->($types[$_]) ] } 0 .. $#names ]);
	# And as many segments, none of which has a byte of the file.
	substr $object, 32, 8, pack 'Q<', length $object;
	substr $object, 54, 4, pack 'v2', 56, scalar @names;
	my $path = put('many.o', $object . "\0" x (56 * @names));
	quiet(btfcanon('sort', '--in-place', $path, { seconds => 20, memory_mb => 0 }), 'records for 60,000 sections, beside 60,000 segments');
	my %bytes_of = map { $_->{name} => $_->{bytes} } @{ TinyELF::parts(get($path))->{sections} };
	my $after = BTF->read($bytes_of{'.BTF'});
	my %id = map { $after->type($_)->{name} => $_ } $after->ids(sub { 1 });
	is(scalar(grep { $bytes_of{$_} ne $code->($id{$_}) } @names), 0, 'each instruction has its new id');
	cmp_ok(scalar(grep { $id{ $names[$_] } != $types[$_] } 0 .. $#names), '>', 50_000, 'which is another one');
}

done_testing;
