# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package DWARF;

# DWARF out of trees of DIEs, so that a test says exactly what a unit says and needs no compiler.
# Nothing in what comes out needs a relocation.
#
# A DIE is a list [tag, { attributes }, children...]. An attribute's value is [form, value]; or
# plain: a number (udata), a text that begins with a letter (string), or a reference \'label'. The
# key "label" gives the DIE a name to be referred to by, unique in the file.
#
#     my $file = DWARF->new(version => 5);
#     $file->unit([ compile_unit => { language => 12 },
#             [ base_type => { label => 'int', name => 'int', byte_size => 4, encoding => 5 } ],
#             [ pointer_type => { type => \'int' } ] ]);
#     put('x.elf', $file->elf);

use strict;
use warnings;
use TinyELF;

my %tag = (array_type => 0x01, class_type => 0x02, enumeration_type => 0x04,
	formal_parameter => 0x05, imported_declaration => 0x08, lexical_block => 0x0b,
		member => 0x0d,
	pointer_type => 0x0f, reference_type => 0x10, compile_unit => 0x11, string_type => 0x12,
	structure_type => 0x13, subroutine_type => 0x15, typedef => 0x16, union_type => 0x17,
	unspecified_parameters => 0x18, variant => 0x19, inheritance => 0x1c,
	ptr_to_member_type => 0x1f, set_type => 0x20, subrange_type => 0x21, base_type => 0x24,
	const_type => 0x26, enumerator => 0x28, file_type => 0x29, packed_type => 0x2d,
	subprogram => 0x2e, variant_part => 0x33, variable => 0x34, volatile_type => 0x35,
	restrict_type => 0x37, interface_type => 0x38, namespace => 0x39, imported_unit => 0x3d,
	unspecified_type => 0x3b, partial_unit => 0x3c, shared_type => 0x40, type_unit => 0x41,
	rvalue_reference_type => 0x42, template_alias => 0x43, atomic_type => 0x47,
	skeleton_unit => 0x4a, immutable_type => 0x4b, llvm_annotation => 0x6000);

my %attribute = (sibling => 0x01, location => 0x02, name => 0x03, byte_size => 0x0b,
	bit_offset => 0x0c, bit_size => 0x0d, language => 0x13, import => 0x18, const_value => 0x1c,
	lower_bound => 0x22, producer => 0x25, prototyped => 0x27, upper_bound => 0x2f,
	count => 0x37, data_member_location => 0x38, declaration => 0x3c, encoding => 0x3e,
	external => 0x3f, specification => 0x47, type => 0x49, signature => 0x69,
	data_bit_offset => 0x6b, str_offsets_base => 0x72, dwo_name => 0x76, alignment => 0x88,
	vector => 0x2107);

my %form = (addr => 0x01, block2 => 0x03, block4 => 0x04, data2 => 0x05, data4 => 0x06,
	data8 => 0x07, string => 0x08, block => 0x09, block1 => 0x0a, data1 => 0x0b, flag => 0x0c,
	sdata => 0x0d, strp => 0x0e, udata => 0x0f, ref_addr => 0x10, ref1 => 0x11, ref2 => 0x12,
	ref4 => 0x13, ref8 => 0x14, ref_udata => 0x15, indirect => 0x16, sec_offset => 0x17,
	exprloc => 0x18, flag_present => 0x19, strx => 0x1a, addrx => 0x1b, data16 => 0x1e,
	line_strp => 0x1f, ref_sig8 => 0x20, implicit_const => 0x21, strx1 => 0x25, strx2 => 0x26,
	strx4 => 0x28, addrx1 => 0x29, addrx2 => 0x2a, addrx3 => 0x2b, addrx4 => 0x2c);

# Options: version (default 5), big, bits (64 or 32), offset_bytes (4 or 8), and strings: how a
# plain text is written (string, strp, line_strp, strx1).
sub new {
	my ($class, %o) = @_;
	return bless { version => 5, big => 0, bits => 64, offset_bytes => 4, strings => 'strp', %o,
		units => [], line_str => '', str => '', str_at => {}, offsets => [],
			abbrevs => '' },
		$class;
}

# Adds a unit. Options: version, offset_bytes, strings; type (default compile or partial, by the
# tag); signature (8 bytes) and type_die (a label) for type units; section (info or types).
sub unit {
	my ($self, $root, %o) = @_;
	push @{ $self->{units} }, { root => $root, version => $self->{version},
		offset_bytes => $self->{offset_bytes}, strings => $self->{strings},
		section => 'info', %o };
	return $self;
}

sub uleb {
	my ($value) = @_;
	my $bytes = '';
	do {
		my $byte = $value & 0x7f;
		$value >>= 7;
		$bytes .= chr($byte | ($value ? 0x80 : 0));
	} while ($value);
	return $bytes;
}

sub sleb {
	my ($value) = @_;
	use integer;
	my $bytes = '';
	while (1) {
		my $byte = $value & 0x7f;
		$value >>= 7;
		my $last = ($value == 0 && !($byte & 0x40)) || ($value == -1 && $byte & 0x40);
		$bytes .= chr($byte | ($last ? 0 : 0x80));
		return $bytes if $last;
	}
}

sub _number {
	my ($self, $bytes, $value) = @_;
	my $end = $self->{big} ? '>' : '<';
	return pack 'C', $value & 0xff if $bytes == 1;
	return pack "S$end", $value & 0xffff if $bytes == 2;
	return substr($self->_number(4, $value), $self->{big} ? 1 : 0, 3) if $bytes == 3;
	return pack "L$end", $value & 0xffffffff if $bytes == 4;
	return pack "q$end", $value if $bytes == 8;
	die "a number of $bytes bytes\n";
}

sub _string_offset {
	my ($self, $section, $text) = @_;
	return $self->{str_at}{"$section $text"} //= do {
		my $at = length $self->{$section};
		$self->{$section} .= "$text\0";
		$at;
	};
}

# The form and value of an attribute.
sub _spelled {
	my ($self, $unit, $value) = @_;
	return @$value if ref $value eq 'ARRAY';
	return ('ref4', $value) if ref $value;
	return ($unit->{strings}, $value) if $value =~ /^[^-0-9]/ || $value eq '';
	return ('sdata', $value) if $value < 0;
	return ('udata', $value);
}

# The bytes of a value; references are left open in @{ $unit->{open} }: [place, size, label, form].
sub _value {
	my ($self, $unit, $form, $value) = @_;
	my $offset = $unit->{offset_bytes};
	my $at = sub {
		my ($size) = @_;
		push @{ $unit->{open} }, [ length $unit->{bytes}, $size, $$value, $form ];
		return "\0" x $size;
	};
	return '' if $form eq 'flag_present' || $form eq 'implicit_const';
	return $self->_number($1, $value) if $form =~ /^addrx([1234])$/;
	return uleb($value) if $form eq 'udata' || $form eq 'addrx' || ($form eq 'ref_udata' && !ref $value);
	return sleb($value) if $form eq 'sdata';
	return $self->_number($1, $value) if $form =~ /^data([1248])$/;
	return $self->_number(1, $value) if $form eq 'flag';
	return "$value\0" if $form eq 'string';
	return $self->_number($offset, $self->_string_offset('str', $value)) if $form eq 'strp';
	return $self->_number($offset, $self->_string_offset('line_str', $value))
		if $form eq 'line_strp';
	return $self->_number($offset, $value) if $form eq 'sec_offset';
	return uleb(length $value) . $value if $form eq 'block' || $form eq 'exprloc';
	return $self->_number($1, length $value) . $value if $form =~ /^block([124])$/;
	return $self->_number($self->{bits} / 8, $value) if $form eq 'addr';
	return $value if $form eq 'ref_sig8' || $form eq 'data16';
	if ($form =~ /^strx(\d?)$/) {
		push @{ $self->{offsets} }, $self->_string_offset('str', $value);
		my $index = $#{ $self->{offsets} };
		return $1 ? $self->_number($1, $index) : uleb($index);
	}
	if ($form =~ /^ref([1248])$/) {
		return ref $value ? $at->($1) : $self->_number($1, $value);
	}
	if ($form eq 'ref_addr') {
		my $size = $unit->{version} == 2 ? $self->{bits} / 8 : $offset;
		return ref $value ? $at->($size) : $self->_number($size, $value);
	}
	if ($form eq 'indirect') { # [form, value] inside
		my ($real, $inner) = @$value;
		$unit->{bytes} .= uleb($form{$real});
		return $self->_value($unit, $real, $inner);
	}
	die "form $form\n";
}

# The number of an abbreviation, made when new.
sub _abbrev {
	my ($self, $unit, $words) = @_;
	return $unit->{abbrev}{$words} //= do {
		my $code = 1 + keys %{ $unit->{abbrev} };
		$unit->{abbrev_bytes} .= uleb($code) . $words;
		$code;
	};
}

sub _die {
	my ($self, $unit, $die) = @_;
	my ($tag, $attributes, @children) = @$die;
	my $number = $tag =~ /^\d/ ? $tag : $tag{$tag} // die "tag $tag\n";
	my $label = $attributes->{label};
	my $abbrev = uleb($number) . chr(@children ? 1 : 0);
	my @values;
	for my $name (sort { ($attribute{$a} // 0) <=> ($attribute{$b} // 0) } keys %$attributes) {
		next if $name eq 'label';
		my ($form, $value) = $self->_spelled($unit, $attributes->{$name});
		my $code = $name =~ /^\d/ ? $name : $attribute{$name} // die "attribute $name\n";
		$abbrev .= uleb($code) . uleb($form{$form} // die "form $form\n");
		$abbrev .= sleb($value) if $form eq 'implicit_const';
		push @values, [ $form, $value ];
	}
	$abbrev .= "\0\0";
	if (defined $label) {
		die "label $label twice\n" if $self->{labels}{$label};
		$self->{labels}{$label} = [ $unit, length $unit->{bytes} ];
	}
	$unit->{bytes} .= uleb($self->_abbrev($unit, $abbrev));
	$unit->{bytes} .= $self->_value($unit, @$_) for @values;
	$self->_die($unit, $_) for @children;
	$unit->{bytes} .= "\0" if @children;
	return;
}

sub _header {
	my ($self, $unit) = @_;
	my $offset = $unit->{offset_bytes};
	my $type = $unit->{type} // ($unit->{root}[0] eq 'type_unit' ? 2
		: $unit->{root}[0] eq 'partial_unit' ? 3 : $unit->{root}[0] eq 'skeleton_unit' ? 4
		: 1);
	my $abbrevs = $self->_number($offset, $unit->{abbrev_offset});
	my $address = $self->_number(1, $self->{bits} / 8);
	my $header = $self->_number(2, $unit->{version});
	$header .= $unit->{version} >= 5 ? $self->_number(1, $type) . $address . $abbrevs
		: $abbrevs . $address;
	$header .= $unit->{signature} // "\0" x 8 if $type == 4 && $unit->{version} >= 5;
	$header .= $unit->{signature} . $self->_number($offset, $unit->{type_offset} // 0)
		if $unit->{root}[0] eq 'type_unit';
	return $header;
}

# The sections, by name.
sub sections {
	my ($self) = @_;
	my %at = (info => 0, types => 0);
	$self->{labels} = {};
	$self->{abbrevs} = '';
	for my $unit (@{ $self->{units} }) {
		@$unit{qw(abbrev abbrev_bytes open)} = ({}, '', []);
		my $length_bytes = $unit->{offset_bytes} == 8 ? 12 : 4;
		$unit->{abbrev_offset} = length $self->{abbrevs};
		$unit->{bytes} = "\0" x ($length_bytes + length $self->_header($unit));
		$self->_die($unit, $unit->{root});
		$self->{abbrevs} .= "$unit->{abbrev_bytes}\0";
		$unit->{at} = $at{ $unit->{section} };
		$at{ $unit->{section} } += length $unit->{bytes};
		$unit->{type_offset} = $self->{labels}{ $unit->{type_die} }[1]
			if defined $unit->{type_die};
		my $rest = length($unit->{bytes}) - $length_bytes;
		my $length = $unit->{offset_bytes} == 8
			? $self->_number(4, 0xffffffff) . $self->_number(8, $rest)
			: $self->_number(4, $rest);
		my $header = $length . $self->_header($unit);
		substr $unit->{bytes}, 0, length $header, $header;
	}
	my %bytes = (info => '', types => '');
	for my $unit (@{ $self->{units} }) {
		for my $open (@{ $unit->{open} }) {
			my ($place, $size, $label, $form) = @$open;
			my $to = $self->{labels}{$label} // die "no label $label\n";
			die "$label is in another unit\n" if $form ne 'ref_addr'
				&& $to->[0] != $unit;
			my $value = $to->[1] + ($form eq 'ref_addr' ? $to->[0]{at} : 0);
			substr $unit->{bytes}, $place, $size, $self->_number($size, $value);
		}
		$bytes{ $unit->{section} } .= $unit->{bytes};
	}
	my $offsets = join '', map { $self->_number($self->{offset_bytes}, $_) }
		@{ $self->{offsets} };
	my $offsets_head = ($self->{offset_bytes} == 8
		? $self->_number(4, 0xffffffff) . $self->_number(8, 4 + length $offsets)
		: $self->_number(4, 4 + length $offsets)) . $self->_number(2, 5)
		. $self->_number(2, 0);
	return ([ '.debug_info', $bytes{info} ], [ '.debug_abbrev', $self->{abbrevs} ],
		(length $bytes{types} ? [ '.debug_types', $bytes{types} ] : ()),
		(length $self->{str} ? [ '.debug_str', $self->{str} ] : ()),
		(length $self->{line_str} ? [ '.debug_line_str', $self->{line_str} ] : ()),
		(length $offsets ? [ '.debug_str_offsets', $offsets_head . $offsets ] : ()));
}

# The file: linked, for no machine in particular. Options as for TinyELF::write.
sub elf {
	my ($self, %o) = @_;
	return TinyELF::write(sections => [ $self->sections ], bits => $self->{bits},
		big => $self->{big}, machine => 62, type => 2, %o);
}

1;
