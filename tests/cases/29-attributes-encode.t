#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# DIEs that have an attribute twice, which DWARF does not allow: the first one counts, as for libdw.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use DWARF;
use Objects;
use TestUtil;

# A DIE and those below, each attribute with another value of it behind: in the same form, or in that
# which FORMS has for it.
my %code = (name => 0x03, byte_size => 0x0b, bit_size => 0x0d, const_value => 0x1c, upper_bound => 0x2f,
	data_member_location => 0x38, encoding => 0x3e, type => 0x49, data_bit_offset => 0x6b);
my %wrong = (name => 'wrong', type => \'wrong');

sub doubled {
	my ($die, %forms) = @_;
	my ($tag, $attributes, @children) = @$die;
	my %doubled = %$attributes;
	for my $name (grep { $code{$_} } keys %$attributes) {
		my $value = $attributes->{$name};
		$doubled{ $code{$name} } = $value; # numbers go before names
		my ($form, $number) = ref $value eq 'ARRAY' ? @$value : ('udata', $value);
		my $other = $wrong{$name} // $number + 1;
		$doubled{$name} = $forms{$name} ? [ $forms{$name}, $other ] : $wrong{$name} // [ $form, $other ];
	}
	return [ $tag, \%doubled, map { doubled($_, %forms) } @children ];
}

my @types = (
	[ base_type => { label => 'int', name => 'int', byte_size => [ data1 => 4 ], encoding => [ data1 => 5 ] } ],
	[ structure_type => { label => 's', name => 's', byte_size => [ data1 => 24 ] },
		[ member => { name => 'plain', type => \'int', data_member_location => [ data1 => 0 ] } ],
		[ member => { name => 'far', type => \'p', data_member_location => 8 } ],
		[ member => { name => 'bits', type => \'int', bit_size => [ data1 => 3 ],
			data_bit_offset => [ data1 => 128 ] } ] ],
	[ union_type => { name => 'u', byte_size => [ data1 => 4 ] }, [ member => { name => 'm', type => \'int' } ] ],
	[ enumeration_type => { name => 'e', byte_size => [ data1 => 4 ], type => \'int' },
		[ enumerator => { name => 'ONE', const_value => [ data1 => 1 ] } ],
		[ enumerator => { name => 'TWO', const_value => 2 } ] ],
	[ typedef => { label => 't', name => 't', type => \'a' } ],
	[ pointer_type => { label => 'p', byte_size => [ data1 => 8 ], type => \'c' } ],
	[ const_type => { label => 'c', type => \'t' } ],
	[ array_type => { label => 'a', type => \'int' },
		[ subrange_type => { type => \'int', upper_bound => [ data1 => 6 ] } ] ],
	[ pointer_type => { label => 'f', type => \'proto' } ],
	[ subroutine_type => { label => 'proto', type => \'s' }, [ formal_parameter => { type => \'p' } ] ],
	[ typedef => { name => 'function', type => \'f' } ]);
my $wrong = [ base_type => { label => 'wrong', name => 'short', byte_size => 2, encoding => 5 } ];

sub encoded_types {
	my ($name, %o) = @_;
	my $file = DWARF->new(big => $o{big}, strings => $o{strings});
	$file->unit([ compile_unit => { language => 12 }, $wrong, @{ $o{types} } ]);
	my $result = btfcanon('encode', put($name, $file->elf));
	quiet($result, "$name: encode");
	return $result->{out};
}

in_both_orders(sub {
	my ($big, $order) = @_;
	for my $strings (qw(strp string)) {
		my $once = encoded_types('once.elf', big => $big, strings => $strings, types => \@types);
		my $found = definitions(BTF->read($once));
		is($found->{'struct s'} =~ s/\n/ /gr, '24 bits: plain int @0; far *const t @8; bits int @128+3;',
			"$order, $strings: what they say");
		my %other_form = (name => $strings eq 'strp' ? 'string' : 'strp', byte_size => 'data2');
		same_bytes(encoded_types('twice.elf', big => $big, strings => $strings, types => [ map { doubled($_) } @types ]),
			$once, "$order, $strings: the first one counts");
		same_bytes(encoded_types('forms.elf', big => $big, strings => $strings,
			types => [ map { doubled($_, %other_form) } @types ]), $once, "$order, $strings: of another form, too");
	}
});

done_testing;
