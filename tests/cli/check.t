#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# check: exit codes, which order, and where a file is not canonical.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;

sub three {
	my ($big, @order) = @_;
	return BTF::build([
		int   => sub { $_[0]->int('int', 4) },
		alpha => sub { $_[0]->struct('alpha', 4, [ [ 'n', $_[1]{int}, 0 ] ]) },
		beta  => sub { $_[0]->struct('beta', 4, [ [ 'n', $_[1]{int}, 0 ] ]) },
	], big => $big, order => \@order);
}

# The bytes with this string section, in this order.
sub with_strings {
	my ($btf, @strings) = @_;
	my $section = join '', map { "$_\0" } @strings;
	return $btf->bytes(strings => [ $section, sub { my $at = index "\0$section",
		"\0$_[0]\0"; die $_[0] if $at < 0; return $at } ]);
}

# Exit 1, one line on standard output that names the file and says what.
sub not_canonical {
	my ($bytes, $what, $name, @options) = @_;
	my $path = put('checked.btf', $bytes);
	my $result = btfcanon('check', @options, $path);
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	ok($result->{status} == 1 && $result->{err} eq ''
		&& $result->{out} =~ /\A\Q$path\E: [^\n]*\n\z/ && $result->{out} =~ $what, $name)
		|| diag("exit $result->{status}, expected 1 and a line like $what: $result->{out}$result->{err}");
	return;
}

in_both_orders(sub {
	my ($big, $name) = @_;
	my $good = three($big, qw(int alpha beta));
	my $bytes = with_strings($good, '', qw(alpha beta int n));
	same_bytes(sort_bytes($bytes), $bytes, "$name: canonical bytes by hand");
	my $path = put('good.btf', $bytes);
	my $result = btfcanon('check', $path);
	is($result->{status}, 0, "$name: canonical: exit 0");
	like($result->{out}, qr/\A\Q$path\E: canonical\b.*\bcanonical order\b.*\n\z/,
		"$name: says so, and which order");
	is($result->{err}, '', "$name: and nothing else");
	is(btfcanon('check', '-q', $path)->{out}, '', "$name: -q: the exit code alone");
	is(btfcanon('check', '-', { stdin => $bytes })->{status}, 0, "$name: from standard input");
	like(btfcanon('check', '-', { stdin => substr $bytes, 0, -1 })->{err},
		qr/^btfcanon: standard input: /, "$name: which has a name");

	# Types.
	not_canonical(with_strings(three($big, qw(int beta alpha)), '', qw(alpha beta int n)),
		qr/type 2\b.*beta/, "$name: the first type out of order");
	not_canonical(with_strings(three($big, qw(beta int alpha)), '', qw(alpha beta int n)),
		qr/type 1\b.*beta/, "$name: out of order from the first on");
	my $twice = three($big, qw(int alpha beta));
	$twice->struct('beta', 4, [ [ 'n', 1, 0 ] ]);
	not_canonical(with_strings($twice, '', qw(alpha beta int n)), qr/type 4\b.*same.*\b3\b/,
		"$name: a type that is there already");

	# Strings.
	not_canonical(with_strings($good, '', qw(alpha int beta n)),
		qr/string 'beta' at offset 11 .*order|string 'int' at offset 7\b/,
		"$name: strings out of order");
	not_canonical(with_strings($good, '', qw(alpha beta extra int n)),
		qr/string 'extra' at offset 12\b/, "$name: a string that nothing uses");
	not_canonical(with_strings($good, '', qw(alpha beta int n zebra)),
		qr/string 'zebra' at offset 18\b/, "$name: an unused one at the end");
	not_canonical(with_strings($good, '', qw(alpha alpha beta int n)),
		qr/string 'alpha' at offset 7\b.*twice/, "$name: a string that stands twice");
	not_canonical(with_strings($good, '', '', qw(alpha beta int n)),
		qr/string '' at offset 1\b/, "$name: an empty string too many");
	is(check_bytes(with_strings($good, '', qw(alpha beta int n), ('') x $_))->{status}, 0,
		"$name: $_ NULs after the last string are allowed") for 1, 3, 100;
	my $shared = BTF->new(big => $big);
	$shared->typedef(\2, 0);
	$shared->typedef(\1, 0);
	my $tail = $shared->bytes(strings => [ "\0ab\0", sub { 0 } ]);
	not_canonical($tail, qr/string|type/, "$name: a name in the tail of another");

	# Header and sections.
	my $strings = "\0alpha\0beta\0int\0n\0";
	my $offset_of = sub { return $_[0] eq '' ? 0 : index($strings, "\0$_[0]\0") + 1 };
	my @same = (strings => [ $strings, $offset_of ]);
	not_canonical($good->bytes(@same, header => 32), qr/header/,
		"$name: a header of 32 bytes without a layout");
	not_canonical($good->bytes(@same, header => 40), qr/header/, "$name: a header of 40 bytes");
	not_canonical($good->bytes(@same, order => [qw(strings types)]), qr/section|header/,
		"$name: strings before types");
	not_canonical($good->bytes(@same, gap => "\0\0\0\0"), qr/section|header/,
		"$name: something between the sections");
	not_canonical($bytes . "\0\0\0\0", qr/section|header|after/, "$name: something after all");

	# Orders.
	my $both = three($big, qw(int alpha beta));
	my $named = sort_bytes($both->bytes, '--order=name');
	$path = put('named.btf', $named);
	like(btfcanon('check', $path)->{out}, qr/\bname order\b/,
		"$name: name order is canonical too, and is told apart");
	is(btfcanon('check', '--order=name', $path)->{status}, 0, "$name: --order=name");
	not_canonical($named, qr/type 1\b.*alpha/, "$name: --order=canonical demands that one",
		'--order=canonical');
	not_canonical($bytes, qr/type 1\b.*int/, "$name: --order=name demands that one",
		'--order=name');

	# Not valid: exit 2, nothing on standard output.
	my $bad = put('bad.btf', substr $bytes, 0, 50);
	refused(btfcanon('check', $bad), $bad, qr/./, "$name: damaged");
	my $odd = BTF->new(big => $big);
	$odd->ptr(1);
	warned(check_bytes($odd->bytes), qr/loop/, "$name: odd but canonical: a warning, exit 0");

	my $long = BTF->new(big => $big);
	$long->float('a' x 511, 4);
	quiet(check_bytes($long->bytes), "$name: a name as long as the kernel takes");
	$long->float('b' x 512, 4);
	$long->float('c' x 511, 4);
	$long->float('d' x 2000, 4);
	warned(check_bytes($long->bytes), qr/longer than the kernel takes.*offset 513, and 1 more/,
		"$name: names that are longer: a warning, exit 0");
});

# Split BTF: what the base has already is told as such.
{
	my $base_bytes = with_strings(three(0, qw(int alpha beta)), '', qw(alpha beta int n));
	my $base_file = put('base.btf', $base_bytes);
	my $base = BTF->read($base_bytes);
	my $twin = BTF->new(base => $base);
	$twin->struct('beta', 4, [ [ \1, 1, 0 ] ], name => \7);
	$twin->{types}[0]{names} = [ \16 ];
	my $start = $base->string_end;
	my $strings = sub { my ($section) = @_; return strings => [ $section,
		sub { return $_[0] eq '' ? 0 : $start + index "\0$section", "\0$_[0]\0" } ] };
	not_canonical($twin->bytes($strings->('')), qr/type 4\b.*base's.*\b3\b/,
		'a type that the base has', '--base', $base_file);
	my $own = BTF->new(base => $base);
	$own->typedef('alpha', 1);
	not_canonical($own->bytes($strings->("alpha\0")), qr/string 'alpha' at offset 18\b.*base/,
		'a string that the base has', '--base', $base_file);
	my $good = BTF->new(base => $base);
	$good->typedef('gamma', 1);
	is(check_bytes($good->bytes($strings->("gamma\0")), '--base', $base_file)->{status}, 0,
		'one of its own is canonical');
	not_canonical($good->bytes($strings->("\0gamma\0")), qr/string '' at offset 18\b/,
		'an empty string of its own', '--base', $base_file);
}

# An ELF file: its .BTF is what is checked, with what .BTF.ext needs of it.
{
	require TinyELF;
	my $object = fixture('cases/core.bpfel.elf');
	my $result = btfcanon('check', $object);
	is($result->{status}, 1, 'a BPF object as clang writes it');
	like($result->{out}, qr/\A\Q$object\E: not canonical: type \d+/, 'is not canonical');
	my $bytes = with_strings(three(0, qw(int alpha beta)), '', qw(alpha beta int n));
	my $elf = put('good.elf',
		TinyELF::write(sections => [ [ '.text', 'code' ], [ '.BTF', $bytes ] ]));
	is(btfcanon('check', $elf)->{status}, 0, 'canonical .BTF in an ELF file');

	# A line of source text that only .BTF.ext refers to is a used string.
	my $with_line = with_strings(three(0, qw(int alpha beta)), '', qw(alpha beta int line n));
	my $ext = pack('vCCV5', 0xeb9f, 1, 0, 24, 0, 4, 4, 28)
		. pack('V', 8) . pack('V', 16) . pack('VV', 12, 1) . pack('V4', 0, 16, 16, 0);
	my $line = put('line.elf',
		TinyELF::write(sections => [ [ '.BTF', $with_line ], [ '.BTF.ext', $ext ] ]));
	my $used = btfcanon('check', $line);
	is($used->{status}, 0, 'a string that only .BTF.ext uses is used')
		|| diag($used->{out}, $used->{err});
	is(check_bytes($with_line)->{status}, 1, 'without it, it is not');
}

# A flat kernel image, as arm64 has it: what passes for BTF is read as such, and there must be one.
{
	my $bytes = with_strings(three(0, qw(int alpha beta)), '', qw(alpha beta int n));
	my $image = "MZ" . "\0" x 54 . "ARM\x64" . "\0" x 4036;
	my $rest = "\0" x 4096;
	my $even = $bytes . "\0" x (-length($bytes) % 4);
	my $cut = substr $bytes, 0, 24;
	my $path = put('Image', $image . $cut . $rest . $bytes . $rest);
	is(btfcanon('check', '-q', $path)->{status}, 0, 'an image: the only BTF of it')
		|| diag(btfcanon('check', $path)->{err});
	same_bytes(btfcanon('sort', $path)->{out}, $bytes, 'an image: exactly its bytes');
	refused(btfcanon('check', put('Image', $image . $even . $rest . $bytes . $rest)),
		scratch('Image'), qr/2 BTFs/, 'an image with two');
	refused(btfcanon('check', put('Image', $image . $cut . $rest)), scratch('Image'),
		qr/holds no BTF/, 'an image with a header of BTF alone');
	# With a layout behind the strings.
	my $laid = three(0, qw(int alpha beta))->bytes(layout => BTF::layout_bytes(0, @BTF::LAYOUT));
	put('Image', $image . $laid . $rest);
	is(btfcanon('sort', '-q', scratch('Image'))->{out}, btfcanon('sort', '-q', put('laid.btf', $laid))->{out},
		'an image: with a layout');
}

# --kernel: only root may ask; what the kernel refuses is trouble.
SKIP: {
	my $good = put('kernel.btf',
		with_strings(three(pack('S', 1) eq "\0\1" ? 1 : 0, qw(int alpha beta)), '',
		qw(alpha beta int n)));
	my $result = btfcanon('check', '--kernel', $good);
	skip "the kernel cannot be asked: $result->{err}", 4
		if $result->{err} =~ /only root|not implemented/;
	is($result->{status}, 0, '--kernel: the kernel takes it') || diag($result->{err});
	like($result->{out}, qr/canonical .*, and the kernel takes it$/, '--kernel: says so');
	my $b = BTF->new;
	my $int = $b->int('int', 4);
	$b->struct('s', 12, [ [ 'b', $int, 32 ], [ 'a', $int, 0 ] ]);
	my $path = put('refused.btf', sort_bytes($b->bytes, '-q'));
	my $no = btfcanon('check', '-q', '--kernel', $path);
	is($no->{status}, 2, '--kernel: a struct with members out of order is refused');
	like($no->{err},
		qr/\Abtfcanon: \Q$path\E: .*bits_offset|\Abtfcanon: \Q$path\E: .*[Ii]nvalid/s,
		'--kernel: in the verifier\'s words');
}

done_testing;
