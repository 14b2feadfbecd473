#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Damaged files: one line, exit 2, whatever is wrong; what is accepted all the same is really good.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;
use TinyELF;

sub rich {
	my ($big) = @_;
	my $b = BTF->new(big => $big);
	my $int = $b->int('int', 4, signed => 1);
	my $s = $b->struct('s', 8, [ [ 'a', $int, 0 ], [ 'b', $int, 32 ] ]);
	my $p = $b->ptr($s);
	$b->enum('e', [ [ 'A', 0 ] ]);
	my $proto = $b->proto($int, [ [ 'x', $p ] ]);
	$b->func('f', $proto, 1);
	my $v = $b->var('v', $int);
	$b->datasec('.data', 4, [ [ $v, 0, 4 ] ]);
	$b->array($int, $int, 3);
	$b->decl_tag('t', $s, 1);
	$b->enum64('q', [ [ 'Q', 1 << 40 ] ]);
	$b->union('u', 4, [ [ 'bits', $int, 0, 3 ], [ 'all', $int, 0, 0 ] ]);
	$b->fwd('later');
	$b->typedef('T', $b->const($b->volatile($b->restrict($p))));
	$b->float('double', 8);
	$b->ptr($b->type_tag('tag', $int));
	return $b;
}

# The good one is good, or nothing below says anything.
my %file;
in_both_orders(sub {
	my ($big, $name) = @_;
	my $b = rich($big);
	$file{$name} = $b->bytes;
	quiet(check_bytes(canonical_is($file{$name}, "$name: undamaged")),
		"$name: undamaged: not a word");
});

# Runs all three commands on damaged bytes.
sub all_refuse {
	my ($bytes, $what, $name) = @_;
	my $path = put('damaged.btf', $bytes);
	my $out = put('result.btf', 'old');
	refused(btfcanon('sort', '-o', $out, $path), $path, $what, "$name: sort");
	is(get($out), 'old', "$name: the old output is intact");
	refused(btfcanon('check', $path), $path, $what, "$name: check");
	refused(btfcanon('dump', $path), $path, $what, "$name: dump");
	return;
}

# Cut off anywhere.
for my $name (qw(LE BE)) {
	my $step = $name eq 'LE' ? 1 : 7;
	my @wrong;
	for (my $length = 0; $length < length $file{$name}; $length += $step) {
		my $path = put('cut.btf', substr $file{$name}, 0, $length);
		my $result = btfcanon('check', $path);
		push @wrong, $length if $result->{status} != 2
			|| $result->{err} !~ /\Abtfcanon: \Q$path\E: [^\n]+\n\z/;
	}
	is("@wrong", '', "$name: cut off at any byte");
}

# The header.
in_both_orders(sub {
	my ($big, $name) = @_;
	my $b = rich($big);
	my $types = $b->bytes;
	my ($header, $type_off, $type_len, $str_off, $str_len) = unpack 'x4' . ($big ? 'N' : 'V')
		. '5', $types;
	my $end = length $types;
	my $odd_strings = [ "\0x\0", sub { 0 } ];
	my %bad = (
		'magic'                => [ qr/magic|neither BTF|not BTF/i,
			set => { magic => 0x1234 } ],
		'version 0'            => [ qr/version/, set => { version => 0 } ],
		'version 2'            => [ qr/version/, set => { version => 2 } ],
		'flags 1'              => [ qr/flags/, set => { flags => 1 } ],
		'flags 255'            => [ qr/flags/, set => { flags => 255 } ],
		'header of 20'         => [ qr/header/, set => { header => 20 } ],
		'header of 0'          => [ qr/header/, set => { header => 0 } ],
		'header of 25'         => [ qr/header/, header => 25 ],
		'header of 26'         => [ qr/header/, header => 26 ],
		'header of 4 GB'       => [ qr/header|beyond/, set => { header => 0xfffffff0 } ],
		'header beyond the end' => [ qr/header|beyond/, set => { header => $end + 4 } ],
		'type_off odd'         => [ qr/type section/, set => { type_off => 2 } ],
		'type_off huge'        => [ qr/type section|beyond/,
			set => { type_off => 0xfffffffc } ],
		'type_len huge'        => [ qr/type section|beyond/,
			set => { type_len => 0xffffffff } ],
		'type_len one less'    => [ qr/type section|word/,
			set => { type_len => $type_len - 1 } ],
		'type_len a word less' => [ qr/type \d+|in no section/,
			set => { type_len => $type_len - 4 } ],
		'type_len into strings' => [ qr/share|overlap|beyond/,
			set => { type_len => $type_len + 4 } ],
		'types twice as strings' => [ qr/share|overlap/, set => { str_off => $type_off } ],
		'str_off in types'     => [ qr/share|overlap/,
			set => { str_off => $type_len - 8, str_len => $str_len + 8 } ],
		'str_off huge'         => [ qr/string section|beyond/,
			set => { str_off => 0xffffffff } ],
		'str_len huge'         => [ qr/string section|beyond/,
			set => { str_len => 0xffffff00 } ],
		'str_len one more'     => [ qr/string section|beyond/,
			set => { str_len => $str_len + 1 } ],
		'str_len one less'     => [ qr/string section|in no section/,
			set => { str_len => $str_len - 1 } ],
		'no strings'           => [ qr/string section|in no section/,
			set => { str_len => 0 } ],
		'layout beyond the end' => [ qr/layout|beyond/, header => 32,
			set => { layout_off => 4, layout_len => 0x7fffffff } ],
		'layout over types'    => [ qr/share|overlap/, header => 32,
			set => { layout_off => 0, layout_len => 80 } ],
		'bytes between'        => [ qr/in no section|not 0/, gap => "\1\0\0\0" ],
	);
	for my $what (sort keys %bad) {
		my ($like, %option) = @{ $bad{$what} };
		all_refuse($b->bytes(%option), $like, "$name: $what");
	}
	all_refuse($types . "\1", qr/in no section|not 0/, "$name: a byte behind all");
	all_refuse(substr($types, 0, 4) . ($big ? pack 'N', 40 : pack 'V', 40)
		. substr($types, 8, 16) . "\0" x 12 . "\1\0\0\0" . substr($types, 24),
		qr/header|known/, "$name: an unknown field in a long header");
	my $bad_end = $types;
	substr($bad_end, -1) = 'x';
	all_refuse($bad_end, qr/string section|NUL/, "$name: strings without the last NUL");
	my $bad_begin = $types;
	substr($bad_begin, 24 + $type_len, 1) = 'x';
	all_refuse($bad_begin, qr/string section|begin/, "$name: strings without the first NUL");
	all_refuse('', qr/BTF|bytes|empty/, "$name: an empty file");
	all_refuse("hello\n" x 20, qr/magic|neither BTF|not BTF/, "$name: a text");

	# Legal ways to say the same.
	my $same = sort_bytes($types);
	same_bytes(sort_bytes($b->bytes(order => [qw(strings types)])), $same,
		"$name: strings before types");
	same_bytes(sort_bytes($b->bytes(header => 32)), $same, "$name: a header of 32 bytes");
	same_bytes(sort_bytes($b->bytes(header => 48)), $same, "$name: a longer header of zeros");
	same_bytes(sort_bytes($b->bytes(gap => "\0" x 12)), $same,
		"$name: zeros between the sections");
	same_bytes(sort_bytes($types . "\0" x 5), $same, "$name: zeros behind all");
	my $loose = $b->bytes(order => [qw(strings types)], header => 32);
	quiet(btfcanon('sort', put('loose.btf', $loose), { stdout_to => '/dev/null' }),
		"$name: none of it worth a word");
});

# Every word set to what it should not be: refused in one line, or sorted to what it now says.
for my $name (qw(LE BE)) {
	my $long = $name eq 'BE' ? 'N' : 'V';
	my $words = int length($file{$name}) / 4;
	my ($type_len) = unpack "x12$long", $file{$name};
	my (@wrong, %seen);
	for my $at (1 .. (24 + $type_len) / 4 - 1) {
		next if $name eq 'BE' && $at % 3;
		my $old = unpack $long, substr $file{$name}, 4 * $at, 4;
		for my $value (0, 1, $old + 1, $old ^ 0x80000000, $old ^ 0x01000000, 0xffff,
			0x7fffffff, 0xffffffff) {
			my $bytes = $file{$name};
			substr($bytes, 4 * $at, 4) = pack $long, $value & 0xffffffff;
			my $path = put('word.btf', $bytes);
			my $result = btfcanon('sort', '-q', $path, { memory_mb => 512 });
			$seen{ $result->{status} }++;
			my $good = $result->{status} == 2 && $result->{out} eq ''
				&& $result->{err} =~ /\Abtfcanon: \Q$path\E: [^\n]+\n\z/;
			if ($result->{status} == 0) {
				my $read = eval { BTF->read($bytes) };
				my $expected = $read ? eval { BTFModel::canonical($read)->bytes }
					: undef;
				$good = $result->{err} eq '' && defined $expected
					&& $result->{out} eq $expected;
			}
			push @wrong, sprintf 'word %d = %#x: exit %d %s', $at, $value,
				$result->{status}, $result->{err} if !$good;
		}
	}
	is(join("\n", @wrong), '', "$name: every word damaged");
	cmp_ok($seen{$_} // 0, '>', 20, "$name: some end with $_") for 0, 2;
}

# The same inside an ELF file.
{
	my $elf = sub { return put('damaged.o',
		TinyELF::write(sections => [ [ '.BTF', $_[0] ] ])) };
	my $good = $elf->($file{LE});
	same_bytes(btfcanon('sort', $good)->{out}, sort_bytes($file{LE}), 'an ELF file with .BTF');
	refused(btfcanon('sort', $elf->(substr $file{LE}, 0, $_)), scratch('damaged.o'), qr/./,
		"ELF with .BTF cut at $_") for 0, 3, 24, 60;
	my $magic = $file{LE};
	substr($magic, 0, 2) = 'xx';
	refused(btfcanon('sort', $elf->($magic)), scratch('damaged.o'), qr/./,
		'ELF with .BTF of another magic');
	my $whole = get($elf->($file{LE}));
	my @wrong = grep {
		my $result = btfcanon('check', put('damaged.o', substr $whole, 0, $_));
		$result->{status} != 2 || $result->{err} !~ /\A[^\n]+\n\z/;
	} map { 4 * $_ } 0 .. length($whole) / 4 - 1;
	is("@wrong", '', 'ELF cut off at every fourth byte');
	my $none = put('none.o', TinyELF::write(sections => [ [ '.text', 'x' ] ]));
	refused(btfcanon('sort', $none), $none, qr/\.BTF/, 'ELF without .BTF');
}

# .BTF.ext beside a good .BTF: raw jobs need not look, check must.
for my $target (qw(bpfel bpfeb)) {
	my $object = get(fixture("cases/core.$target.elf"));
	my ($btf, $ext) = map { TinyELF::section($object, $_) } '.BTF', '.BTF.ext';
	my $big = $target eq 'bpfeb';
	my $long = $big ? 'N' : 'V';
	my $canonical = sort_bytes($btf);
	my ($header) = unpack "x4$long", $ext;
	my $with = sub { return put('ext.o', TinyELF::write(big => $big,
		sections => [ [ '.BTF', $btf ], [ '.BTF.ext', $_[0] ] ])) };
	is(btfcanon('check', $with->($ext))->{status}, 1,
		"$target: a good .BTF.ext: check looks at the order");
	my $set = sub {
		my ($at, $value) = @_;
		my $copy = $ext;
		substr($copy, $at, 4) = pack $long, $value;
		return $copy;
	};
	my %bad = (
		'record of no length' => $set->($header, 0),
		'record of 7 bytes'   => $set->($header, 7),
		'section beyond'      => $set->(8, 0xfffffff0),
		'length beyond'       => $set->(12, 0x7fffffff),
		'too many records'    => $set->($header + 8, 0xffffffff),
		'type id'             => $set->($header + 16, 0x00ffffff),
		'section name'        => $set->($header + 4, 0x00ffffff),
		'header of 16'        => $set->(4, 16),
		'magic'               => "xx" . substr($ext, 2),
		'cut'                 => substr($ext, 0, length($ext) - 4),
	);
	for my $what (sort keys %bad) {
		my $path = $with->($bad{$what});
		refused(btfcanon('check', $path), $path, qr/BTF\.ext/,
			"$target: .BTF.ext with a bad $what: check");
		same_bytes(btfcanon('sort', $path)->{out}, $canonical,
			"$target: .BTF.ext with a bad $what: sort takes the good .BTF");
	}
	my $cut = put('cut.o', substr $object, 0, length($object) / 2);
	refused(btfcanon($_, $cut), $cut, qr/./, "$target: an object cut in the middle: $_")
		for qw(sort check dump);
}

done_testing;
