# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package TinyELF;

# Just enough ELF to put sections into a file, and to take it apart again.

use strict;
use warnings;

# Formats of a half, a word and a long, and lengths of the headers.
sub _shape {
	my ($wide, $big) = @_;
	return ($big ? ('n', 'N', $wide ? 'Q>' : 'N') : ('v', 'V', $wide ? 'Q<' : 'V'),
		$wide ? (64, 56, 64) : (52, 32, 40));
}

# TinyELF::write(sections => [[name, bytes, { fields }], ...], bits => 32|64, big => 0|1, machine => N,
# type => N, segments => [[first section, last section], ...]): the file. Default: a 64-bit
# little-endian relocatable file for BPF. Fields of a section: type, flags, address, size, link, info,
# align (default 8), entry. Segments are loaded ones.
sub write {
	my (%o) = @_;
	my $wide = ($o{bits} // 64) == 64;
	my ($half, $word, $long, $head_bytes, $segment_bytes, $entry_bytes) = _shape($wide, $o{big});
	my @sections = (@{ $o{sections} }, [ '.shstrtab', '', { type => 3 } ]);
	my $names = "\0";
	my @name_at = map { my $at = length $names; $names .= "$_->[0]\0"; $at } @sections;
	$sections[-1][1] = $names;

	my @segments = @{ $o{segments} // [] };
	my $begin = $head_bytes + $segment_bytes * @segments;
	my $body = '';
	my @table = ("\0" x $entry_bytes);
	my @range = ([ 0, 0 ]);
	for my $i (0 .. $#sections) {
		my ($bytes, $fields) = @{ $sections[$i] }[ 1, 2 ];
		my %f = (type => 1, flags => 0, address => 0, size => length $bytes, link => 0, info => 0,
			align => 8, entry => 0, %{ $fields // {} });
		$body .= "\0" x (-($begin + length $body) % ($f{align} || 1));
		push @range, [ $begin + length $body, length $bytes, $f{address} ];
		push @table, pack "$word$word$long$long$long$long$word$word$long$long",
			$name_at[$i], @f{qw(type flags address)}, $range[-1][0],
			@f{qw(size link info align entry)};
		$body .= $bytes;
	}
	$body .= "\0" x (-($begin + length $body) % 8);
	my $loaded = join '', map {
		my ($first, $last) = @range[@$_];
		my $length = $last->[0] + $last->[1] - $first->[0];
		pack $wide ? "$word$word$long$long$long$long$long$long"
			: "$word$long$long$long$long${long}x0$word$word",
			$wide ? (1, 5, $first->[0], $first->[2], $first->[2], $length, $length, 8)
			: (1, $first->[0], $first->[2], $first->[2], $length, $length, 5, 8);
	} @segments;
	my $head = pack('a4CCCx9', "\x7fELF", $wide ? 2 : 1, $o{big} ? 2 : 1, 1)
		. pack "$half$half$word$long$long$long$word$half$half$half$half$half$half", $o{type}
			// 1,
			$o{machine} // 247, 1, 0, @segments ? $head_bytes : 0, $begin + length $body, 0,
			$head_bytes, @segments ? ($segment_bytes, scalar @segments) : (0, 0), $entry_bytes,
			scalar @table, $#table;
	return $head . $loaded . $body . join '', @table;
}

# The headers of a file and the contents of its sections, by their numbers:
# { head, segments => [bytes], table_at, table_bytes, sections => [{ name, type, flags, address, offset,
# size, link, info, align, entry, bytes }] }. Of the head, the table's place and length are left out.
sub parts {
	my ($file) = @_;
	die "not ELF\n" if substr($file, 0, 4) ne "\x7fELF";
	my ($class, $data) = unpack 'x4CC', $file;
	my $wide = $class == 2;
	my ($half, $word, $long, $head_bytes, undef, $entry_bytes) = _shape($wide, $data == 2);
	my $head = substr $file, 0, $head_bytes;
	my ($segments_at, $table_at) = unpack $wide ? "x32$long$long" : "x28$long$long", $head;
	my ($segment_bytes, $segment_count, undef, $count, $names_in)
		= unpack $wide ? "x54$half$half$half$half$half" : "x42$half$half$half$half$half", $head;
	substr($head, $wide ? 40 : 32, $wide ? 8 : 4) = '';
	substr($head, -4, 2) = '';

	my $read = sub {
		my %s;
		@s{qw(name_at type flags address offset size link info align entry)}
			= unpack "$word$word$long$long$long$long$word$word$long$long",
			substr $file, $table_at + $_[0] * $entry_bytes, $entry_bytes;
		$s{bytes} = $s{type} == 8 || !$_[0] ? '' : substr $file, $s{offset}, $s{size};
		return \%s;
	};
	my $first = $read->(0);
	$count ||= $first->{size};
	$names_in = $first->{link} if $names_in == 0xffff;
	my @sections = ($first, map { $read->($_) } 1 .. $count - 1);
	$_->{name} = unpack 'Z*', substr $sections[$names_in]{bytes}, $_->{name_at} for @sections;
	return { head => $head, table_at => $table_at, table_bytes => $count * $entry_bytes,
		sections => \@sections, names_in => $names_in,
		segments => [ map { substr $file, $segments_at + $_ * $segment_bytes, $segment_bytes }
			0 .. $segment_count - 1 ] };
}

# The bytes of the first section of a name, undef if there is none.
sub section {
	my ($file, $wanted) = @_;
	my ($found) = grep { $_->{name} eq $wanted } @{ parts($file)->{sections} };
	return $found && $found->{bytes};
}

1;
