#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# More values and members than 16 bits count: all of them, with a warning.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use DWARF;
use TestUtil;

my $int = [ base_type => { label => 'int', name => 'int', byte_size => 4, encoding => 5 } ];

# A type of many elements as the file encode is given; a little of everything behind it.
sub file_of {
	my ($name, @type) = @_;
	my $file = DWARF->new(strings => 'string')->unit([ compile_unit => { language => 12 }, $int,
		[ @type ],
		[ typedef => { name => 'behind_t', type => \'many' } ] ]);
	return put("$name.elf", $file->elf);
}

my %count = (enum => 70_000, struct => 66_000);
my %path = (
	enum => file_of('enum', enumeration_type => { label => 'many', name => 'many',
		byte_size => 4 },
		map { [ enumerator => { name => "E$_",
			const_value => $_ } ] } 0 .. $count{enum} - 1),
	struct => file_of('struct', structure_type => { label => 'many', name => 'many',
		byte_size => 4 * $count{struct} }, map { [ member => { name => "m$_",
			type => \'int',
			data_member_location => 4 * $_ } ] } 0 .. $count{struct} - 1),
);

for my $what (sort keys %path) {
	my $count = $count{$what};
	my $result = btfcanon('encode', $path{$what}, { stdout_to => scratch('out.btf'),
		seconds => 20 });
	warned($result, qr/65,535/, "$what: $count elements: a warning");
	my $btf = BTF->read(get(scratch('out.btf')));
	my $behind = $btf->one('TYPEDEF', 'behind_t');
	my $many = $btf->type($behind->{refs}[0]);
	is($many->{vlen}, $count, "$what: $count elements");
	my $letter = substr $many->{names}[0], 0, 1;
	is(scalar(grep { $many->{names}[$_] ne "$letter$_" } 0 .. $count - 1), 0,
		"$what: all names");
	is($many->{nums}[-1], $what eq 'struct' ? 32 * ($count - 1) : $count - 1,
		"$what: the last value");
	same_bytes(btfcanon('sort', '-q', scratch('out.btf'))->{out}, get(scratch('out.btf')),
		"$what: sort changes nothing");
}

done_testing;
