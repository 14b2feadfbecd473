# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package Image;

# A linked image that never was linked: DWARF out of trees of DIEs (see DWARF.pm) beside sections and
# symbols at addresses that the test chooses.
#
#     my $image = Image->new(big => 0, machine => 62);
#     $image->unit(function('work', { low_pc => 0x1000 }, [ x => \'int' ]));
#     $image->symbol('work', 0x1000, 32);
#     put('x.elf', $image->elf);

use strict;
use warnings;
use DWARF;
use Exporter 'import';

our @EXPORT_OK = qw(function parameter in_register);

# Attributes by number: those that say where code and data are.
my %place = (low_pc => 0x11, high_pc => 0x12, inline => 0x20, abstract_origin => 0x31,
	artificial => 0x34, calling_convention => 0x36, entry_pc => 0x52, ranges => 0x55, addr_base => 0x73,
	rnglists_base => 0x74, loclists_base => 0x8c);

sub attributes {
	my (%a) = @_;
	for my $name (grep { exists $place{$_} } keys %a) {
		my $value = delete $a{$name};
		$value = [ addr => $value ] if $name =~ /_pc$/ && !ref $value;
		$value = [ sec_offset => $value ] if $name =~ /^ranges$|_base$/ && !ref $value;
		$a{ $place{$name} } = $value;
	}
	return \%a;
}

# DW_OP_regN.
sub in_register { return [ exprloc => chr(0x50 + $_[0]) ] }

sub parameter {
	my ($name, $type, %a) = @_;
	return [ formal_parameter => attributes((defined $name ? (name => $name) : ()),
		(defined $type ? (type => $type) : ()), %a) ];
}

# A subprogram that returns an int: name, attributes, then parameters as [name, type, attributes...]
# or as whole DIEs.
sub function {
	my ($name, $attributes, @parameters) = @_;
	my %a = ((defined $name ? (name => $name) : ()), type => \'int', %$attributes);
	delete $a{type} if !defined $a{type};
	return [ subprogram => attributes(%a),
		map { ref $_->[1] eq 'HASH' ? $_ : parameter(@$_) } @parameters ];
}

# Options: big, bits, machine (default 62: x86-64), type (default 2: linked), version (default 5).
sub new {
	my ($class, %o) = @_;
	return bless { big => 0, bits => 64, machine => 62, type => 2, version => 5, %o,
		units => [], symbols => [], sections => [], labels => 0 }, $class;
}

# A C unit of these DIEs. Every unit has int, char, void* and a struct box to refer to; labels are
# the unit's own.
sub unit {
	my ($self, @dies) = @_;
	push @{ $self->{units} }, [ compile_unit => attributes(language => 12, low_pc => 0),
		[ base_type => { label => 'int', name => 'int', byte_size => 4, encoding => 5 } ],
		[ base_type => { label => 'char', name => 'char', byte_size => 1, encoding => 6 } ],
		[ base_type => { label => 'long', name => 'long', byte_size => 8, encoding => 5 } ],
		[ pointer_type => { label => 'char*', byte_size => 8, type => \'char' } ],
		[ const_type => { label => 'const int', type => \'int' } ],
		[ structure_type => { label => 'box', name => 'box', byte_size => 4 },
			[ member => { name => 'v', type => \'int', data_member_location => 0 } ] ],
		[ pointer_type => { label => 'box*', byte_size => 8, type => \'box' } ],
		@dies ];
	return $self;
}

# Options: section (its name, default .text), type (func, object, notype), bind (local, global, weak).
sub symbol {
	my ($self, $name, $value, $size, %o) = @_;
	push @{ $self->{symbols} }, { name => $name, value => $value, size => $size,
		section => '.text', type => 'func', bind => 'global', %o };
	return $self;
}

# A section: name, address, bytes. Options: type (default 1: PROGBITS), flags, size (of type 8).
sub section {
	my ($self, $name, $address, $bytes, %o) = @_;
	push @{ $self->{sections} }, { name => $name, address => $address, bytes => $bytes,
		type => 1, flags => 2, %o };
	return $self;
}

# A copy whose labels begin with the unit's number: DWARF's are unique in the file.
sub _own_labels {
	my ($die, $number) = @_;
	my ($tag, $attributes, @children) = @$die;
	my %a = %$attributes;
	for my $key (keys %a) {
		my $value = $a{$key};
		if ($key eq 'label') {
			$a{$key} = "$number $value";
		} elsif (ref $value eq 'SCALAR' || ref $value eq 'REF') {
			my $label = "$number $$value";
			$a{$key} = \$label;
		} elsif (ref $value eq 'ARRAY' && ref $value->[1] && $value->[0] ne 'ref_addr') {
			my $label = "$number ${ $value->[1] }";
			$a{$key} = [ $value->[0], \$label ];
		}
	}
	return [ $tag, \%a, map { _own_labels($_, $number) } @children ];
}

# The file; with a list of units' indexes, those in that order.
sub elf {
	my ($self, @order) = @_;
	my $dwarf = DWARF->new(map { $_ => $self->{$_} } qw(big bits version));
	@order = 0 .. $#{ $self->{units} } if !@order;
	$dwarf->unit(_own_labels($self->{units}[$_], $_)) for @order;
	my @sections = @{ $self->{sections} };
	unshift @sections, { name => '.text', address => 0x1000, bytes => "\0" x 0x1000, type => 1,
		flags => 6 } if !grep { $_->{name} eq '.text' } @sections;
	my %index = map { $sections[$_]{name} => $_ + 1 } 0 .. $#sections;
	push @sections, map { +{ name => $_->[0], address => 0, bytes => $_->[1], type => 1,
		flags => 0 } } $dwarf->sections;
	return _write($self, \%index, @sections);
}

sub _symbol_table {
	my ($self, $index) = @_;
	my ($half, $word, $long) = $self->{formats}->@*;
	my ($table, $names, $locals) = ("\0" x ($self->{bits} == 64 ? 24 : 16), "\0", 1);
	my %type = (notype => 0, object => 1, func => 2);
	my %bind = (local => 0, global => 1, weak => 2);
	my @sorted = ((grep { $_->{bind} eq 'local' } $self->{symbols}->@*),
		(grep { $_->{bind} ne 'local' } $self->{symbols}->@*));
	for my $symbol (@sorted) {
		my $info = $bind{ $symbol->{bind} } << 4 | $type{ $symbol->{type} };
		my $section = $symbol->{section} eq '' ? 0 : $index->{ $symbol->{section} }
			// die "section $symbol->{section}\n";
		my $at = length $names;
		$names .= "$symbol->{name}\0";
		$locals++ if $symbol->{bind} eq 'local';
		$table .= $self->{bits} == 64
			? pack "${word}CC$half$long$long", $at, $info, 0, $section,
				$symbol->{value}, $symbol->{size}
			: pack "$word$long${long}CC$half", $at, $symbol->{value}, $symbol->{size},
				$info, 0, $section;
	}
	return ($table, $names, $locals);
}

sub _write {
	my ($self, $index, @sections) = @_;
	my $wide = $self->{bits} == 64;
	my ($half, $word, $long) = $self->{big} ? ('n', 'N', $wide ? 'Q>' : 'N')
		: ('v', 'V', $wide ? 'Q<' : 'V');
	$self->{formats} = [ $half, $word, $long ];
	my ($table, $names, $locals) = _symbol_table($self, $index);
	my $count = @sections;
	push @sections, { name => '.symtab', address => 0, bytes => $table, type => 2, flags => 0,
		link => $count + 2, info => $locals, entry => $wide ? 24 : 16 },
		{ name => '.strtab', address => 0, bytes => $names, type => 3, flags => 0 },
		{ name => '.shstrtab', address => 0, bytes => '', type => 3, flags => 0 };
	my $section_names = "\0";
	for my $section (@sections) {
		$section->{name_at} = length $section_names;
		$section_names .= "$section->{name}\0";
	}
	$sections[-1]{bytes} = $section_names;
	my ($head_bytes, $entry_bytes) = $wide ? (64, 64) : (52, 40);
	my ($body, @headers) = ('', "\0" x $entry_bytes);
	for my $section (@sections) {
		$body .= "\0" x (-length($body) % 8);
		push @headers, pack "$word$word$long$long$long$long$word$word$long$long",
			@$section{qw(name_at type flags address)}, $head_bytes + length $body,
			$section->{size} // length $section->{bytes}, $section->{link} // 0,
			$section->{info} // 0, 8, $section->{entry} // 0;
		$body .= $section->{bytes} if $section->{type} != 8;
	}
	$body .= "\0" x (-length($body) % 8);
	my $head = pack('a4CCCx9', "\x7fELF", $wide ? 2 : 1, $self->{big} ? 2 : 1, 1)
		. pack "$half$half$word$long$long$long$word$half$half$half$half$half$half",
			$self->{type}, $self->{machine}, 1, 0, 0, $head_bytes + length $body, 0,
			$head_bytes, 0, 0, $entry_bytes, scalar @headers, $#headers;
	return $head . $body . join '', @headers;
}

1;
