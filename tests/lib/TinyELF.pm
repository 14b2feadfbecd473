# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package TinyELF;

# Just enough ELF to put sections into a file, and to take them out of one.

use strict;
use warnings;

# TinyELF::write(sections => [[name, bytes], ...], bits => 32|64, big => 0|1, machine => N, type => N):
# the file. Default: a 64-bit little-endian relocatable file for BPF.
sub write {
	my (%o) = @_;
	my $wide = ($o{bits} // 64) == 64;
	my ($half, $word, $long) = $o{big} ? ('n', 'N', $wide ? 'Q>' : 'N')
		: ('v', 'V', $wide ? 'Q<' : 'V');
	my ($head_bytes, $entry_bytes) = $wide ? (64, 64) : (52, 40);
	my @sections = (@{ $o{sections} }, [ '.shstrtab', '' ]);
	my $names = "\0";
	my @name_at = map { my $at = length $names; $names .= "$_->[0]\0"; $at } @sections;
	$sections[-1][1] = $names;

	my $body = '';
	my @table = ("\0" x $entry_bytes);
	for my $i (0 .. $#sections) {
		my $bytes = $sections[$i][1];
		$body .= "\0" x (-length($body) % 8);
		my $type = $i == $#sections ? 3 : 1;
		push @table, pack "$word$word$long$long$long$long$word$word$long$long",
			$name_at[$i], $type, 0, 0,
			$head_bytes + length $body, length $bytes, 0, 0, 8, 0;
		$body .= $bytes;
	}
	$body .= "\0" x (-length($body) % 8);
	my $head = pack('a4CCCx9', "\x7fELF", $wide ? 2 : 1, $o{big} ? 2 : 1, 1)
		. pack "$half$half$word$long$long$long$word$half$half$half$half$half$half", $o{type}
			// 1,
			$o{machine} // 247, 1, 0, 0, $head_bytes + length $body, 0, $head_bytes, 0,
				0, $entry_bytes,
			scalar @table, $#table;
	return $head . $body . join '', @table;
}

# The bytes of the first section of a name, undef if there is none.
sub section {
	my ($file, $wanted) = @_;
	die "not ELF\n" if substr($file, 0, 4) ne "\x7fELF";
	my ($class, $data) = unpack 'x4CC', $file;
	my $wide = $class == 2;
	my ($half, $word, $long) = $data == 2 ? ('n', 'N', $wide ? 'Q>' : 'N')
		: ('v', 'V', $wide ? 'Q<' : 'V');
	my $table_at = unpack $wide ? "x40$long" : "x32$long", $file;
	my ($entry_bytes, $count, $names_in) = unpack $wide ? "x58$half$half$half"
		: "x46$half$half$half", $file;
	my @headers = map {
		[ (unpack "$word$word$long$long$long$long", substr $file,
			$table_at + $_ * $entry_bytes, $entry_bytes)[ 0, 4, 5 ] ]
	} 0 .. $count - 1;
	my $names = substr $file, $headers[$names_in][1], $headers[$names_in][2];
	for my $header (@headers) {
		my ($name) = unpack 'Z*', substr $names, $header->[0];
		return substr $file, $header->[1], $header->[2] if $name eq $wanted;
	}
	return;
}

1;
