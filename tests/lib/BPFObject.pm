# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package BPFObject;

# A second opinion on BPF objects: what their sections say about types, with the types named by what
# they mean instead of by ids, so that two objects can be compared.

use strict;
use warnings;
use BTF;
use TinyELF;

# Parts of .BTF.ext: where the header says their place, and which words of a record are types and
# strings (the rest are numbers).
my @parts = (
	[ func => 8, { 1 => 'type' } ],
	[ line => 16, { 1 => 'string', 2 => 'string' } ],
	[ core => 24, { 1 => 'type', 2 => 'string' } ],
);
my %asks_for_id = map { ($_ => 1) } 6, 7;

# An object: its ELF, its BTF, and the classes its types are in.
sub new {
	my ($class, $bytes) = @_;
	my $elf = TinyELF::parts($bytes);
	my %section = map { ($_->{name} => $_) } @{ $elf->{sections} };
	my $btf = BTF->read($section{'.BTF'}{bytes});
	return bless { elf => $elf, section => \%section, btf => $btf,
		long => $btf->{big} ? 'N' : 'V', wide => unpack('x4C', $bytes) == 2 }, $class;
}

sub _string {
	my ($self, $offset) = @_;
	return $self->{btf}->string($offset);
}

# The records of .BTF.ext: [part, section, words...].
sub records {
	my ($self) = @_;
	my $ext = $self->{section}{'.BTF.ext'} or return;
	my ($bytes, $long, @records) = ($ext->{bytes}, $self->{long});
	my $header = unpack "x4$long", $bytes;
	for my $part (@parts) {
		my ($name, $at) = @$part;
		next if $at + 8 > $header;
		my ($offset, $length) = unpack "x$at$long$long", $bytes;
		next if !$length;
		my $place = $header + $offset;
		my $end = $place + $length;
		my $size = unpack "x$place$long", $bytes;
		for ($place += 4; $place < $end;) {
			my ($section, $count) = unpack "x$place$long$long", $bytes;
			$place += 8;
			for (1 .. $count) {
				push @records, [ $part, $self->_string($section),
					unpack "x$place$long" . $size / 4, $bytes ];
				$place += $size;
			}
		}
	}
	return @records;
}

# A record in words.
sub _say_record {
	my ($self, $class, $record) = @_;
	my ($part, $section, @words) = @$record;
	for my $i (keys %{ $part->[2] }) {
		$words[$i] = $part->[2]{$i} eq 'type' ? "class $class->[$words[$i]]"
			: $self->_string($words[$i]);
	}
	return "$part->[0] $section @words";
}

# Sections of instructions with the ids in them taken out: { name => bytes }, and what the ids mean.
sub _code {
	my ($self, $class) = @_;
	my (%code, @ids);
	for my $record ($self->records) {
		my ($part, $section, $at, $type, undef, $kind) = @$record;
		next if $part->[0] ne 'core' || !$asks_for_id{$kind};
		$code{$section} //= $self->{section}{$section}{bytes};
		my $id = unpack $self->{long}, substr $code{$section}, $at + 4, 4;
		substr($code{$section}, $at + 4, 4) = "\0" x 4;
		push @ids, "id $section $at class " . ($class->[$id] // "of $id");
	}
	return (\%code, @ids);
}

# Relocations of .BTF: what of which type each is for, and the rest of its entry.
sub _relocations {
	my ($self, $class) = @_;
	my $rel = $self->{section}{'.rel.BTF'} or return;
	my ($btf, $wide) = ($self->{btf}, $self->{wide});
	my $format = $wide ? ($btf->{big} ? 'Q>' : 'Q<') : $self->{long};
	my %class_at;
	for my $id ($btf->ids(sub { $_->{kind} == $BTF::NUMBER{DATASEC} })) {
		my ($begin, $end) = map { $btf->offset_of($_) } $id, $id + 1;
		$class_at{ $begin + 4 * $_ } = "class $class->[$id] word $_" for 0 .. ($end - $begin) / 4 - 1;
	}
	my @said;
	for my $entry (unpack '(a' . ($wide ? 16 : 8) . ')*', $rel->{bytes}) {
		my $place = unpack $format, $entry;
		push @said, 'rel ' . ($class_at{$place} // "at $place") . unpack ' H*',
			substr $entry, $wide ? 8 : 4;
	}
	return sort @said;
}

# What is different between two objects beside the order of types; an empty list when nothing is.
sub differences {
	my ($old, $new) = map { BPFObject->new($_) } @_;
	my @wrong = BTF::differences($old->{btf}, $new->{btf});
	return @wrong if @wrong;
	my @class = BTF::classes($old->{btf}, $new->{btf});
	my (@said, @code);
	for my $i (0, 1) {
		my $object = ($old, $new)[$i];
		my ($code, @ids) = $object->_code($class[$i]);
		push @code, $code;
		push @said, [ (map { $object->_say_record($class[$i], $_) } $object->records), @ids,
			$object->_relocations($class[$i]) ];
	}
	for my $i (0 .. ($#{ $said[0] } > $#{ $said[1] } ? $#{ $said[0] } : $#{ $said[1] })) {
		my ($was, $is) = map { $_->[$i] // 'nothing' } @said;
		push @wrong, "was: $was, is: $is" if $was ne $is;
	}
	my %rewritten = map { ($_ => 1) } qw(.BTF .BTF.ext .rel.BTF);
	for my $section (@{ $old->{elf}{sections} }) {
		my $name = $section->{name};
		next if $rewritten{$name};
		push @wrong, "$name is not the same" if ($code[0]{$name} // $section->{bytes})
			ne ($code[1]{$name} // $new->{section}{$name}{bytes});
	}
	return @wrong;
}

# How much there is to compare: { func, line, core, ids, relocations }.
sub counts {
	my ($self) = @_;
	my %count = (func => 0, line => 0, core => 0);
	$count{ $_->[0][0] }++ for $self->records;
	my ($class) = BTF::classes($self->{btf});
	my (undef, @ids) = $self->_code($class);
	my @relocations = $self->_relocations($class);
	return { %count, ids => scalar @ids, relocations => scalar @relocations };
}

1;
