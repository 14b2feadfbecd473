#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# encode --in-place puts the BTF that encode would write into the file itself, and touches nothing else.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use DWARF;
use InPlace;
use TestUtil;
use TinyELF;

# An ELF file with these sections, the first ones for symbols, as relocatable files have them.
sub file {
	my (%o) = @_;
	my $symbol_bytes = ($o{bits} // 64) == 64 ? 24 : 16;
	return TinyELF::write(%o, sections => [ [ '.strtab', "\0", { type => 3 } ],
		[ '.symtab', "\0" x $symbol_bytes,
			{ type => 2, link => 1, info => 1, entry => $symbol_bytes } ], @{ $o{sections} } ]);
}

# Sections with the DWARF of a struct of some members.
sub dwarf {
	my ($big, $bits, $members) = @_;
	my $word = $bits / 8;
	return DWARF->new(big => $big, bits => $bits, strings => 'string')->unit([ compile_unit => { language => 12 },
		[ base_type => { label => 'int', name => 'int', byte_size => 4, encoding => 5 } ],
		[ structure_type => { label => 's', name => 'node', byte_size => 4 * $members },
			map { [ member => { name => "m$_", type => \'int', data_member_location => 4 * $_ } ] }
				0 .. $members - 1 ],
		[ pointer_type => { byte_size => $word, type => \'s' } ] ])->sections;
}

# Sections around the DWARF, so that there is something to leave alone.
my @code = ([ '.text', 'code' x 9, { flags => 6, address => 0x1000, align => 16 } ],
	[ '.data', 'data' x 5, { flags => 3, address => 0x2001, align => 1 } ],
	[ '.bss', '', { type => 8, flags => 3, address => 0x3000, size => 4096, align => 4096 } ]);

# The .BTF that the file has to get: what encode writes.
sub expected {
	my ($path, @options) = @_;
	my $result = btfcanon('encode', '-q', @options, $path);
	is($result->{status}, 0, 'encode') || diag($result->{err});
	return $result->{out};
}

sub in_place {
	my ($name, $bytes, $btf, @options) = @_;
	my $path = put('in-place.elf', $bytes);
	quiet(btfcanon('encode', '-q', '--in-place', @options, $path), $name);
	my $after = get($path);
	same_elsewhere($bytes, $after, ['.BTF'], $name);
	my ($section) = grep { $_->{name} eq '.BTF' } @{ TinyELF::parts($after)->{sections} };
	same_bytes($section->{bytes}, $btf, "$name: the BTF that encode writes");
	is(canonical_check($path), 0, "$name: check agrees");
	quiet(btfcanon('encode', '-q', '--in-place', @options, $path), "$name: again");
	same_bytes(get($path), $after, "$name: changes nothing");
	return $section;
}

# With NULs after the last string, which count as strings.
sub padded {
	my ($btf, $more, $big) = @_;
	my $word = $big ? 'N' : 'V';
	substr($btf, 20, 4) = pack $word, $more + unpack $word, substr $btf, 20, 4;
	return $btf . "\0" x $more;
}

sub canonical_check { return btfcanon('check', '-q', $_[0])->{status} }

for my $bits (64, 32) {
	in_both_orders(sub {
		my ($big, $order) = @_;
		my $name = "$bits bits, $order";
		my @dwarf = dwarf($big, $bits, 3);
		my $elf = sub { file(big => $big, bits => $bits, machine => $bits == 64 ? 62 : 3, @_) };
		my $plain = put('plain.elf', $elf->(sections => [ @code, @dwarf ], type => 2));
		my ($named, $canonical) = map { expected($plain, "--order=$_") } qw(name canonical);
		isnt($named, $canonical, "$name: the orders differ");

		for my $type (1, 2) {
			my $kind = "$name, " . ($type == 1 ? 'relocatable' : 'linked');
			my $section = in_place("$kind: added", $elf->(sections => [ @code, @dwarf ], type => $type,
				$type == 2 ? (segments => [ [ 3, 4 ] ]) : ()), $named);
			is("@$section{qw(type flags address align)}", '1 0 0 4', "$kind: data that is not loaded");
			for my $old ('', 'x', 'longer than the new one' x 40) {
				in_place("$kind: " . length($old) . ' bytes replaced', $elf->(type => $type, sections =>
					[ $code[0], [ '.BTF', $old, { align => 1 } ], $code[1], @dwarf, $code[2] ]), $named);
			}
		}
		in_place("$name: --order", get($plain), $canonical, '--order=canonical');
		in_place("$name: for BPF", $elf->(sections => [ @code, @dwarf ], machine => 247), $canonical);

		# Loaded with an image: NULs after the strings where there is room, else nothing.
		my $fixed = sub { $elf->(type => 2, segments => [ [ 3, 5 ] ], sections =>
			[ $code[0], [ '.BTF', $_[0], { flags => 2, address => 0x1800, align => 1 } ], $code[1], @dwarf ]) };
		in_place("$name: loaded, of the same length", $fixed->('x' x length $named), $named);
		my $padded = in_place("$name: loaded, longer", $fixed->('x' x (7 + length $named)),
			padded($named, 7, $big));
		same_graph(BTF->read($padded->{bytes}), BTF->read($named), "$name: padded: the same types");
		my $short = put('short.elf', $fixed->('x' x (length($named) - 1)));
		my $before = get($short);
		refused(btfcanon('encode', '--in-place', $short), $short, qr/\.BTF: is loaded.* bytes/,
			"$name: loaded, no room");
		same_bytes(get($short), $before, "$name: which is left alone");
	});
}

# So large that it is copied while its DWARF is read: what stays, and what moves.
my $filler = [ '.filler', pack('V*', 1 .. 5_000_000), { align => 1 } ];
for my $sections ([ @code, $filler, dwarf(0, 64, 3) ], [ $filler, dwarf(0, 64, 3), @code ]) {
	my $large = file(type => 2, machine => 62, sections => $sections);
	in_place("large, $sections->[0][0] first", $large, expected(put('large.elf', $large), '--order=name'));
}

# What does not fit.
my @dwarf = dwarf(0, 64, 2);
my %wrong = (
	'.BTF.ext' => [ qr/has a \.BTF\.ext, which goes by/, [ '.BTF', 'x' ], [ '.BTF.ext', 'x' ] ],
	'.BTF.base' => [ qr/has a \.BTF\.base, which goes by/, [ '.BTF', 'x' ], [ '.BTF.base', 'x' ] ],
	'two .BTF' => [ qr/there are two/, [ '.BTF', 'x' ], [ '.BTF', 'x' ] ],
	'compressed' => [ qr/\.BTF: is compressed/, [ '.BTF', 'x', { flags => 0x800 } ] ],
	'without data' => [ qr/\.BTF: has no data/, [ '.BTF', '', { type => 8, size => 10 } ] ],
);
for my $case (sort keys %wrong) {
	my ($what, @sections) = @{ $wrong{$case} };
	my $bytes = file(sections => [ @dwarf, @sections ]);
	my $path = put('wrong.elf', $bytes);
	refused(btfcanon('encode', '--in-place', $path), $path, $what, $case);
	same_bytes(get($path), $bytes, "$case: left alone");
}

# A section that lies on another one cannot be moved or changed without that.
{
	my $bytes = file(sections => [ [ '.text', 'x' x 4000 ], @dwarf, [ '.BTF', 'x' ] ]);
	my $parts = TinyELF::parts($bytes);
	my ($index) = grep { $parts->{sections}[$_]{name} eq '.BTF' } 0 .. $#{ $parts->{sections} };
	for ([ 'the header', 0 ], [ 'another section', $parts->{sections}[3]{offset} ]) {
		my ($name, $offset) = @$_;
		substr $bytes, $parts->{table_at} + 64 * $index + 24, 8, pack 'Q<', $offset;
		my $path = put('overlap.elf', $bytes);
		refused(btfcanon('encode', '--in-place', $path), $path, qr/lie on each other/, "lies on $name");
		same_bytes(get($path), $bytes, "lies on $name: left alone");
	}
	$bytes = file(sections => [ @dwarf, [ '.BTF', '' ] ]);
	$bytes = file(sections => [ @dwarf, [ '.BTF', TinyELF::section($bytes, '.shstrtab'),
		{ type => 3 } ] ]);
	substr $bytes, 62, 2, pack 'v', $#{ TinyELF::parts($bytes)->{sections} } - 1;
	my $path = put('names.elf', $bytes);
	refused(btfcanon('encode', '--in-place', $path), $path, qr/\.BTF: holds the names of the sections/,
		'.BTF is also where the names of sections are');
	$bytes = TinyELF::write(sections => [ [ '.symtab', "\0" x 24, { type => 2, link => 2, info => 1, entry => 24 } ],
		[ '.BTF', "\0", { type => 3 } ], @dwarf ]);
	$path = put('names.elf', $bytes);
	refused(btfcanon('encode', '--in-place', $path), $path, qr/\.BTF: holds the names of symbols/,
		'or those of symbols');
}

# Names in a section that is not there, where nothing but section 0 is, which has none.
for my $names (1, 5, 0xfe00) {
	my $alone = put('alone.elf', "\x7fELF\2\1\1" . "\0" x 9
		. pack('v2 V Q<3 V v6', 1, 62, 1, 0, 0, 64, 0, 64, 0, 0, 64, 1, $names) . "\0" x 64);
	refused(btfcanon($_, '--in-place', $alone), $alone, qr/names of its sections are in section $names, of 1/,
		"$_: names in section $names") for qw(encode sort);
}

my $path = put('tail.elf', file(sections => \@dwarf) . 'signed');
refused(btfcanon('encode', '--in-place', $path), $path, qr/6 bytes follow/, 'bytes behind the ELF');
$path = put('none.elf', file(sections => [ [ '.text', 'x' ] ]));
refused(btfcanon('encode', '--in-place', $path), $path, qr/DWARF/, 'no DWARF');
refused(btfcanon('encode', '--in-place', $path, '-o', scratch('x')), '', qr/-o and --in-place/, '-o too');

# Several: each alone, up to the first that fails.
my ($first, $second) = map { put("part$_.elf", file(sections => [ dwarf(0, 64, $_) ])) } 3, 4;
my @alone = map { expected($_) } $first, $second;
quiet(btfcanon('encode', '--in-place', '--order=canonical', $first, $second), 'two files');
same_bytes(TinyELF::section(get($first), '.BTF'), $alone[0], 'the first');
same_bytes(TinyELF::section(get($second), '.BTF'), $alone[1], 'and the second have their own');

# On a base: split BTF.
my $base = put('base.elf', file(sections => \@dwarf));
quiet(btfcanon('encode', '--in-place', $base), 'a base');
my $module = put('module.elf', file(sections => [ dwarf(0, 64, 3) ]));
my $split = expected($module, '--base', $base, '--order=name');
quiet(btfcanon('encode', '--in-place', '--base', $base, $module), 'a module on it');
same_bytes(TinyELF::section(get($module), '.BTF'), $split, 'has what the base lacks');

done_testing;
