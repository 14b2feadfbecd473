#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Which functions get a FUNC, and with which prototype: from units and symbols made by hand, in every
# order of the units. What decides is what the units say, never which one says it first.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Image qw(function in_register parameter);
use TestUtil;

sub permutations {
	my (@items) = @_;
	return [] if !@items;
	return map {
		my $i = $_;
		map { [ $items[$i], @$_ ] } permutations(@items[ grep { $_ != $i } 0 .. $#items ]);
	} 0 .. $#items;
}

our @features; # options for all

sub encode {
	my ($bytes, @options) = @_;
	my $result = btfcanon('encode', @features, @options, put('image.elf', $bytes));
	return $result if $result->{status} == 0;
	diag("encode: exit $result->{status}: $result->{err}");
	return;
}

# The lines of functions in a dump: "int work(int x)".
sub functions {
	my ($btf) = @_;
	my $dump = btfcanon('dump', put('image.btf', $btf));
	diag($dump->{err}) if $dump->{status};
	my @lines;
	while ($dump->{out} =~ /^static ([^;{]*(?:\{[^}]*\}[^;]*)?\));/mg) {
		push @lines, $1 =~ s/\s+/ /gr;
	}
	return join "\n", @lines;
}

my %reason = (elsewhere => 'in an unexpected register', inconsistent => 'prototypes disagree',
	uncertain => 'packed struct by value on the stack',
	reordered => 'in another order than written', incomplete => 'body lost parameters',
	ambiguous => 'of one name at several addresses');

# An image has these functions (a line each), left out so many for these reasons, and gives the same
# bytes with its units in any order.
sub has_functions {
	my ($name, $image, $expected, %left_out) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	subtest($name => sub {
		my $first = encode($image->elf, '--stats') // return fail('encode');
		is(functions($first->{out}), $expected, 'the functions');
		my %counted = map { $_ => $first->{err} =~ /\Q$reason{$_}\E +(\d+)$/m ? $1 : 'none' }
			keys %reason;
		is_deeply(\%counted, { (map { $_ => 0 } keys %reason), %left_out },
			'why others are left out');
		my @indexes = 0 .. $#{ $image->{units} };
		my @orders = permutations(@indexes);
		for my $order (@orders[ 1 .. $#orders ]) {
			my $result = encode($image->elf(@$order)) // return fail('encode');
			same_bytes($result->{out}, $first->{out}, "units in the order @$order")
				|| diag(functions($result->{out}));
		}
		my $twice = encode($image->elf(@indexes, ())) // return fail('encode');
		same_bytes($twice->{out}, $first->{out}, 'again');
	});
	return;
}

my @x_in_place = (location => in_register(5));

# ---- one unit ----

my $image = Image->new;
$image->unit(function('work', { low_pc => 0x1010 }, [ x => \'int', @x_in_place ]));
$image->symbol('work', 0x1010, 16);
has_functions('plain', $image, 'int work(int x)');

$image = Image->new;
$image->unit(function('work', { low_pc => 0x1010 }, [ x => \'int', @x_in_place ]));
$image->symbol('work', 0x1010, 16, bind => 'local');
has_functions('static', $image, 'int work(int x)');

$image = Image->new;
$image->unit(function('work', { low_pc => 0x1010 }, [ x => \'int', @x_in_place ]));
has_functions('no symbol', $image, '');
$image->symbol('work', 0x1010, 16, type => 'object');
$image->symbol('work', 0x1010, 16, type => 'notype');
$image->symbol('work', 0, 0, section => '');
has_functions('no symbol of a function that is defined', $image, '');

$image = Image->new;
$image->unit(function('declared', { declaration => [ flag_present => 1 ], external => 1 },
	[ x => \'int' ]));
$image->symbol('declared', 0x1010, 16);
has_functions('only declared', $image, '');

$image = Image->new;
$image->unit(function('gone', { inline => 3, label => 'gone' }, [ x => \'int' ]),
	function('work', { low_pc => 0x1010 }, [ x => \'int', @x_in_place ]));
$image->symbol('work', 0x1010, 16);
has_functions('only inlined: no symbol', $image, 'int work(int x)');

$image = Image->new;
$image->unit(
	function('none', { low_pc => 0x1000, type => undef }),
	function('prints', { low_pc => 0x1010 }, [ format => \'char*', @x_in_place ],
		[ unspecified_parameters => {} ]),
	function('any', { low_pc => 0x1020, type => undef }, [ unspecified_parameters => {} ]),
	function('old', { low_pc => 0x1030, prototyped => [ flag => 0 ] }),
	function('nameless', { low_pc => 0x1040 }, [ a => \'int', @x_in_place ],
		[ undef, \'int', location => in_register(4) ]),
	function('typeless', { low_pc => 0x1050 }, [ a => undef, @x_in_place ]));
$image->symbol($_->[0], $_->[1], 16) for [ none => 0x1000 ], [ prints => 0x1010 ],
	[ any => 0x1020 ], [ old => 0x1030 ], [ nameless => 0x1040 ], [ typeless => 0x1050 ];
has_functions('void, variadic, K&R; parameters without a name or type', $image,
	"void any(...)\nvoid none(void)\nint old(void)\nint prints(char *format, ...)");

# ---- a concrete function takes from its abstract one ----

$image = Image->new;
$image->unit(
	function('inlined', { label => 'inlined', inline => 1 },
		parameter('x', \'int', label => 'x'), parameter('y', \'char*', label => 'y')),
	[ subprogram => Image::attributes(abstract_origin => [ ref4 => \'inlined' ], low_pc => 0x1010),
		parameter(undef, undef, abstract_origin => [ ref4 => \'x' ], @x_in_place),
		parameter(undef, undef, abstract_origin => [ ref4 => \'y' ],
			location => in_register(4)) ]);
$image->symbol('inlined', 0x1010, 16);
has_functions('name and types of the abstract function', $image, 'int inlined(int x, char *y)');

$image = Image->new;
$image->unit(
	function('inlined', { label => 'inlined', inline => 1 },
		parameter('x', \'int', label => 'x'), parameter('y', \'char*', label => 'y')),
	[ subprogram => Image::attributes(abstract_origin => [ ref4 => \'inlined' ], low_pc => 0x1010),
		parameter(undef, undef, abstract_origin => [ ref4 => \'y' ], @x_in_place),
		parameter(undef, undef, abstract_origin => [ ref4 => \'x' ],
			location => in_register(4)) ]);
$image->symbol('inlined', 0x1010, 16);
has_functions('parameters in another order', $image, '', inconsistent => 1);

$image = Image->new;
$image->unit(
	function('inlined', { label => 'inlined', inline => 1 },
		parameter('x', \'int', label => 'x'), parameter('y', \'int', label => 'y')),
	[ subprogram => Image::attributes(abstract_origin => [ ref4 => \'inlined' ], low_pc => 0x1010),
		parameter(undef, undef, abstract_origin => [ ref4 => \'y' ], @x_in_place),
		parameter(undef, undef, abstract_origin => [ ref4 => \'x' ],
			location => in_register(4)) ]);
$image->symbol('inlined', 0x1010, 16);
has_functions('parameters of one type in another order', $image, '', reordered => 1);

$image = Image->new;
$image->unit(
	function('log', { label => 'log', inline => 1, type => undef },
		parameter('x', \'char*', label => 'x'), [ unspecified_parameters => {} ]),
	[ subprogram => Image::attributes(abstract_origin => [ ref4 => \'log' ], low_pc => 0x1010),
		parameter(undef, undef, abstract_origin => [ ref4 => \'x' ], @x_in_place) ]);
$image->symbol('log', 0x1010, 16);
has_functions('the dots of the abstract function', $image, 'void log(char *x, ...)');

# ---- registers, on each machine whose are known ----

for my $machine ([ 'x86-64', 62, 0, 5, 4, 1 ], [ 's390x', 22, 1, 2, 3, 4 ],
	[ 'aarch64', 183, 0, 0, 1, 2 ], [ 'big aarch64', 183, 1, 0, 1, 2 ]) {
	my ($name, $number, $big, @register) = @$machine;
	my $parameters = sub {
		map { [ chr(ord('a') + $_) => \'int',
			defined $_[$_] ? (location => in_register($_[$_])) : () ] } 0 .. $#_;
	};
	my $with = sub {
		my ($symbol, @list) = @_;
		my $made = Image->new(machine => $number, big => $big);
		$made->unit(function('work', { low_pc => 0x1010 }, @list));
		$made->symbol($symbol, 0x1010, 16);
		return $made;
	};
	has_functions("$name: in place", $with->('work', $parameters->(@register)),
		'int work(int a, int b, int c)');
	has_functions("$name: in other registers",
		$with->('work', $parameters->(@register[ 1, 0 ])), '', elsewhere => 1);
	has_functions("$name: a second one elsewhere",
		$with->('work', $parameters->(@register[ 0, 2 ])), '', elsewhere => 1);
	has_functions("$name: optimized away, the symbol plain",
		$with->('work', $parameters->($register[0], undef)), 'int work(int a, int b)');
	has_functions("$name: optimized away, the symbol .isra",
		$with->('work.isra.0', $parameters->($register[0], undef)), '', incomplete => 1);
	has_functions("$name: optimized away, the symbol .constprop",
		$with->('work.constprop.1', $parameters->($register[0], undef)), '', incomplete => 1);
	has_functions("$name: nothing lost, the symbol .isra",
		$with->('work.isra.0', $parameters->(@register[ 0, 1 ])), 'int work(int a, int b)');
	has_functions("$name: a constant, the symbol .constprop",
		$with->('work.constprop.0', [ a => \'int', location => in_register($register[0]) ],
			[ b => \'int', const_value => 7 ]), '', incomplete => 1);
	my $changed = Image->new(machine => $number, big => $big);
	$changed->unit(map { function($_->[0], { low_pc => $_->[1], calling_convention => 3 },
		$parameters->($register[0], $_->[2])) } [ less => 0x1010 ], [ same => 0x1020, $register[1] ]);
	$changed->symbol(less => 0x1010, 16);
	$changed->symbol(same => 0x1020, 16);
	has_functions("$name: called in another way, says the compiler", $changed,
		'int same(int a, int b)', incomplete => 1);
	has_functions("$name: a struct before, nothing is said of registers",
		$with->('work', [ a => \'box' ], [ b => \'int', location => in_register($register[2]) ]),
		'int work(struct box a, int b)');
	has_functions("$name: the value at entry counts",
		$with->('work', [ a => \'int',
			location => [ exprloc => "\xa3\x01" . chr(0x50 + $register[0]) . "\x9f" ] ]),
		'int work(int a)');
}

$image = Image->new(machine => 243); # RISC-V: nobody knows its registers here
$image->unit(function('work', { low_pc => 0x1010 }, [ x => \'int', location => in_register(31) ]));
$image->symbol('work', 0x1010, 16);
has_functions('a machine whose registers are not known', $image, 'int work(int x)');

# ---- structs on the stack, where an alignment that BTF does not say decides ----

# Members as [type, offset in bytes, bits], and the size.
my %shape = (
	'unaligned member' => [ 1, 5, [ char => 0 ], [ int => 1 ] ],
	'odd size' => [ 1, 5, [ int => 0 ], [ char => 4 ] ],
	'packed inside' => [ 1, 6, [ inner => 0 ], [ char => 5 ] ],
	'bits' => [ 1, 3, [ int => 0, 9 ], [ char => 2 ] ],
	'bits in half bytes' => [ 1, 3, [ int => 0, 4 ], [ int => 0.5, 12 ], [ char => 2 ] ],
	'array' => [ 1, 9, [ char => 0 ], [ 'longs' => 1 ] ],
	'pointer' => [ 1, 12, [ 'char*' => 0 ], [ int => 8 ] ],
	'aligned' => [ 0, 8, [ int => 0 ], [ int => 4 ] ],
	'hole' => [ 0, 9, [ char => 0 ], [ int => 5 ] ],
	'hole at the end' => [ 0, 9, [ int => 0 ], [ int => 4 ] ],
	'unused bits' => [ 0, 4, [ int => 0, 9 ] ],
	'bytes' => [ 0, 3, [ char => 0 ], [ char => 1 ], [ char => 2 ] ],
	'empty' => [ 0, 0 ],
	'hundreds of parts' => [ 0, 305, [ char => 0 ], [ int => 1 ], [ many => 5 ] ],
);

sub shaped {
	my ($size, @members) = @_;
	my $made = 0;
	return [ structure_type => { label => 'subject', name => 'subject', byte_size => $size },
		map {
			my ($type, $at, $bits) = @$_;
			[ member => { name => 'm' . $made++, type => \$type, defined $bits
				? (data_bit_offset => 8 * $at, bit_size => $bits)
				: (data_member_location => $at) } ];
		} @members ];
}

# A function whose seventh parameter, the first on the stack, is of that type.
sub on_stack {
	my ($type, @dies) = @_;
	my $made = Image->new;
	my @registers = (5, 4, 1, 2, 8, 9);
	$made->unit([ structure_type => { label => 'inner', name => 'inner', byte_size => 5 },
			[ member => { name => 'c', type => \'char', data_member_location => 0 } ],
			[ member => { name => 'i', type => \'int', data_member_location => 1 } ] ],
		[ array_type => { label => 'longs', type => \'long' }, [ subrange_type => { count => 1 } ] ],
		[ structure_type => { label => 'many', name => 'many', byte_size => 300 },
			map { [ member => { name => "m$_", type => \'char', data_member_location => $_ } ] } 0 .. 299 ],
		@dies,
		function('work', { low_pc => 0x1010 },
			(map { [ "r$_" => \'int', location => in_register($registers[$_]) ] } 0 .. 5),
			[ s => \$type, location => [ exprloc => "\x91\0" ] ]));
	$made->symbol('work', 0x1010, 16);
	return $made;
}

my $six = 'int r0, int r1, int r2, int r3, int r4, int r5';
for my $name (sort keys %shape) {
	my ($is_packed, @shape) = @{ $shape{$name} };
	has_functions("on the stack: $name", on_stack('subject', shaped(@shape)),
		$is_packed ? '' : "int work($six, struct subject s)", uncertain => $is_packed);
}
my @packed = shaped(5, [ char => 0 ], [ int => 1 ]);
has_functions('on the stack: packed, behind a typedef and a const', on_stack('named', @packed,
	[ const_type => { label => 'same', type => \'subject' } ],
	[ typedef => { label => 'named', name => 'named', type => \'same' } ]), '', uncertain => 1);
has_functions('on the stack: a pointer to a packed one', on_stack('subject*', @packed,
	[ pointer_type => { label => 'subject*', byte_size => 8, type => \'subject' } ]),
	"int work($six, struct subject *s)");
$image = Image->new;
$image->unit(@packed, function('work', { low_pc => 0x1010 }, [ s => \'subject', @x_in_place ]));
$image->symbol('work', 0x1010, 16);
has_functions('packed, not on the stack', $image, 'int work(struct subject s)');

# The unit's own body counts where units disagree, and one says it for all.
$image = on_stack('subject', @packed);
$image->unit(shaped(8, [ int => 0 ], [ int => 4 ]));
has_functions('on the stack: packed here, another one there', $image, '', uncertain => 1);
$image = on_stack('subject', shaped(8, [ int => 0 ], [ int => 4 ]));
$image->unit(@packed);
has_functions('on the stack: not packed here, but there', $image, "int work($six, struct subject s)");

# ---- symbols ----

$image = Image->new;
$image->unit(function('work', { low_pc => 0x1010 }, [ x => \'int', @x_in_place ]));
$image->symbol('work', 0x1010, 16);
$image->symbol('work.cold', 0x1500, 16, bind => 'local');
$image->symbol('work.part.0', 0x1600, 16, bind => 'local');
has_functions('pieces do not count', $image, 'int work(int x)');

$image = Image->new;
$image->unit(function('work', { low_pc => 0x1600 }, [ x => \'int', @x_in_place ]));
$image->symbol('work.part.0', 0x1600, 16, bind => 'local');
$image->symbol('work.cold', 0x1600, 16, bind => 'local');
has_functions('only a piece is left', $image, '');

$image = Image->new;
$image->unit(function('work', { low_pc => 0x1010 }, [ x => \'int', @x_in_place ]));
$image->symbol('work', 0x1008, 32);
has_functions('room for patching before the body', $image, 'int work(int x)');

for my $version (4, 5) {
	my $hot_cold = $version == 5
		? "\x07" . pack('Q<', 0x1010) . "\x10" . "\x07" . pack('Q<', 0x1500) . "\x08\0"
		: pack('Q<*', 0x1010, 0x1020, 0x1500, 0x1508, 0, 0);
	$image = Image->new(version => $version);
	$image->section($version == 5 ? '.debug_rnglists' : '.debug_ranges', 0, $hot_cold, flags => 0);
	# The stub stands first, with another name for its parameter.
	$image->unit(function('work', { low_pc => 0x1800 }, [ __unused => \'int', @x_in_place ]));
	$image->unit(function('work', { ranges => 0 }, [ mode => \'int', @x_in_place ]));
	$image->symbol('.text', 0x1000, 0, type => 'notype');
	$image->symbol('work', 0x1010, 16);
	$image->symbol('work.cold', 0x1500, 8, bind => 'local');
	has_functions("DWARF $version: split into hot and cold", $image, 'int work(int mode)');
}

# ---- bodies as they are called ----

{
	local @features = '--features=+true_signature';
	my @y_in_place = (location => in_register(4));
	my @third_in_place = (location => in_register(1));
	my @computed = (location => [ exprloc => "\x31\x9f" ]); # DW_OP_lit1, DW_OP_stack_value
	my $called = sub {
		my ($symbol, $attributes, @parameters) = @_;
		my $made = Image->new;
		$made->unit(function('work', { low_pc => 0x1010, %$attributes }, @parameters));
		$made->symbol($symbol, 0x1010, 16);
		return $made;
	};
	my @x = (x => \'int', @x_in_place);
	my @y = (y => \'int');
	has_functions('as called: the last one lost', $called->('work.isra.0', {}, [ @x ], [ @y ]),
		'int work.isra.0(int x)');
	has_functions('as called: the last one computed', $called->('work.isra.0', {}, [ @x ],
		[ @y, @computed ]), 'int work.isra.0(int x)');
	has_functions('as called: all lost', $called->('work.isra.0', {}, [ x => \'int' ],
		[ @y, const_value => 7 ]), 'int work.isra.0(void)');
	has_functions('as called: nothing lost', $called->('work.constprop.1', {}, [ @x ]),
		'int work.constprop.1(int x)');
	has_functions('as called: one in the middle, which nobody reads',
		$called->('work.isra.0', {}, [ @x ], [ @y ], [ z => \'int', @third_in_place ]),
		'int work.isra.0(int x, int y, int z)');
	has_functions('as called: in other registers',
		$called->('work.isra.0', {}, [ x => \'int', @y_in_place ], [ @y ]), '', elsewhere => 1);
	has_functions('as called: a suffix that says nothing of parameters',
		$called->('work.llvm.7', {}, [ @x ], [ @y ]), 'int work.llvm.7(int x, int y)');
	has_functions('as called: no suffix', $called->('work', {}, [ @x ], [ @y ]),
		'int work(int x, int y)');
	has_functions('as called: no suffix, changed, says the compiler', $called->('work',
		{ calling_convention => 3 }, [ @x ], [ @y ]), 'int work(int x)');
	has_functions('as called: a packed struct on the stack', do {
		my $made = on_stack('subject', @packed);
		$made->{symbols}[0]{name} = 'work.isra.0';
		$made;
	}, '', uncertain => 1);
	# Tags of parameters are left out: their places have changed.
	my $reordered = Image->new;
	$reordered->unit(
		function('work', { label => 'work', inline => 1 }, parameter('x', \'int', label => 'x'),
			[ formal_parameter => Image::attributes(label => 'y', name => 'y', type => \'char*'),
				[ llvm_annotation => { name => 'btf_decl_tag', const_value => 'mine' } ] ],
			[ llvm_annotation => { name => 'btf_decl_tag', const_value => 'whole' } ]),
		[ subprogram => Image::attributes(abstract_origin => [ ref4 => \'work' ], low_pc => 0x1010),
			parameter(undef, undef, abstract_origin => [ ref4 => \'y' ], @x_in_place),
			parameter(undef, undef, abstract_origin => [ ref4 => \'x' ], const_value => 7) ]);
	$reordered->symbol('work.constprop.0', 0x1010, 16);
	$reordered->symbol('work_more', 0x1100, 16);
	$reordered->unit(function('work_more', { low_pc => 0x1100 }, [ @x ]));
	has_functions('as called: the first one lost, so the second is the first', $reordered,
		"int work.constprop.0(char *y) decl_tag(\"whole\")\nint work_more(int x)");
	my $several = Image->new;
	$several->unit(map { function('work', { low_pc => $_ }, [ @x ], [ @y ]) } 0x1010, 0x1030);
	$several->symbol('work.isra.0', 0x1010, 16);
	has_functions('as called: another body of the name elsewhere', $several, 'int work.isra.0(int x)');
	$several->symbol('work', 0x1030, 16);
	has_functions('as called: two symbols', $several, '', ambiguous => 1);
}

# ---- several bodies of one name ----

$image = Image->new;
$image->unit(function('work', { low_pc => 0x1010 }, [ __unused => \'int', @x_in_place ]));
$image->unit(function('work', { low_pc => 0x1020 }, [ mode => \'int', @x_in_place ]));
$image->unit(function('other', { low_pc => 0x1030 }, [ x => \'int', @x_in_place ]));
$image->symbol('work', 0x1020, 16);
$image->symbol('other', 0x1030, 16);
has_functions('the body the symbol points at, not the weak stub', $image,
	"int other(int x)\nint work(int mode)");

$image = Image->new;
$image->unit(function('work', { low_pc => 0x1010 }, [ b => \'int', @x_in_place ]));
$image->unit(function('work', { low_pc => 0x1020 }, [ a => \'int', @x_in_place ]));
$image->unit(function('work', { low_pc => 0x1030 }, [ c => \'int', @x_in_place ]));
$image->symbol('work', 0x1900, 16);
has_functions('no body where the symbol points: the least', $image, 'int work(int a)');

$image = Image->new;
$image->unit(function('work', { low_pc => 0x1010 }, [ x => \'int', @x_in_place ]));
$image->unit(function('work', { low_pc => 0x1020 }, [ x => \'int', @x_in_place ]));
$image->symbol('work', 0x1010, 16, bind => 'local');
$image->symbol('work', 0x1020, 16, bind => 'local');
has_functions('two static functions of one name', $image, '', ambiguous => 1);

$image = Image->new;
$image->unit(function('work', { low_pc => 0x1010 }, [ x => \'int', @x_in_place ]));
$image->symbol($_, 0x1010, 16) for qw(work work work_alias);
has_functions('one place, named twice', $image, 'int work(int x)');

$image = Image->new;
$image->unit(function('left', { low_pc => 0x1010 }, [ x => \'int', @x_in_place ]));
$image->unit(function('right', { low_pc => 0 }, [ y => \'int', @x_in_place ]));
$image->symbol($_, 0x1010, 16) for qw(left right);
has_functions('one body for two functions: the other one is nowhere', $image,
	"int left(int x)\nint right(int y)");

$image = Image->new;
$image->unit(function('work', { low_pc => 0x1010 }, [ __unused => \'int', @x_in_place ]));
$image->unit(function('work', { low_pc => 0x1020 }, [ mode => \'int', @x_in_place ]));
$image->symbol('work', 0x1010, 16, bind => 'weak');
has_functions('a weak body alone', $image, 'int work(int __unused)');
$image->symbol('work', 0x1020, 16);
has_functions('a weak body and one that is not', $image, 'int work(int mode)');

$image = Image->new;
$image->unit(function('work', { low_pc => 0x1010 }, [ a => \'int', @x_in_place ]));
$image->unit(function('near', { low_pc => 0x1028 }, [ b => \'int', @x_in_place ]));
$image->unit(function('near', { low_pc => 0x1018 }, [ a => \'int', @x_in_place ]));
$image->symbol('work', 0x1010, 64);
$image->symbol('near', 0x1020, 16);
has_functions('the symbol before the body, not another one around it', $image,
	"int near(int b)\nint work(int a)");

$image = Image->new;
$image->unit(function('work', { low_pc => 0x1010 }, [ x => \'int', @x_in_place ]));
$image->unit(function('work', { low_pc => 0x1020 }, [ x => \'char*', @x_in_place ]));
$image->symbol('work', 0x1010, 16);
has_functions('prototypes that disagree', $image, '', inconsistent => 1);

$image = Image->new;
$image->unit(function('work', { low_pc => 0x1010 }, [ x => \'int', @x_in_place ]));
$image->unit(function('work', { low_pc => 0x1020 }, [ x => \'int', @x_in_place ],
	[ y => \'int', location => in_register(4) ]));
$image->symbol('work', 0x1010, 16);
has_functions('one more parameter', $image, '', inconsistent => 1);

$image = Image->new;
$image->unit(function('work', { low_pc => 0x1010 }, [ x => \'int', @x_in_place ]));
$image->unit(function('work', { low_pc => 0x1020 }, [ x => \'const int', @x_in_place ]));
$image->symbol('work', 0x1010, 16);
has_functions('const on one side only is no difference', $image, 'int work(int x)');

$image = Image->new;
$image->unit(function('work', { low_pc => 0x1010 }, [ x => \'box*', @x_in_place ]));
$image->unit([ structure_type => { label => 'far', name => 'far', declaration => 1 } ],
	[ pointer_type => { label => 'far*', byte_size => 8, type => \'far' } ],
	function('take', { low_pc => 0x1020 }, [ x => \'far*', @x_in_place ]));
$image->unit([ structure_type => { label => 'far', name => 'far', byte_size => 4 },
		[ member => { name => 'm', type => \'int', data_member_location => 0 } ] ],
	[ pointer_type => { label => 'far*', byte_size => 8, type => \'far' } ],
	function('take', { low_pc => 0x1030 }, [ x => \'far*', @x_in_place ]));
$image->symbol('work', 0x1010, 16);
$image->symbol('take', 0x1030, 16);
has_functions('a declaration agrees with the definition', $image,
	"int take(struct far *x)\nint work(struct box *x)");

$image = Image->new;
for my $kind (qw(structure_type union_type)) {
	$image->unit([ $kind => { label => 'far', name => 'far', byte_size => 4 },
			[ member => { name => 'm', type => \'int', data_member_location => 0 } ] ],
		[ pointer_type => { label => 'far*', byte_size => 8, type => \'far' } ],
		function('take', { low_pc => 0x1030 }, [ x => \'far*', @x_in_place ]));
}
$image->symbol('take', 0x1030, 16);
has_functions('a struct and a union disagree', $image, '', inconsistent => 1);

# Parameters that differ in what is behind them only, all at no address: content decides.
$image = Image->new;
for my $member (qw(b a c)) {
	$image->unit([ structure_type => { label => 'plain', byte_size => 4 },
			[ member => { name => $member, type => \'int', data_member_location => 0 } ] ],
		[ pointer_type => { label => 'plain*', byte_size => 8, type => \'plain' } ],
		function('work', { inline => 1 }, [ x => \'plain*' ]));
}
$image->symbol('work', 0x1010, 16);
has_functions('unnamed structs with other members', $image,
	'int work( struct { 0 int a; } size 4 *x )');

# Types that share what is below them: as a tree these have 2^200 leaves.
sub shared {
	my ($bottom) = @_;
	my @dies = ([ pointer_type => { label => 'p0', byte_size => 8, type => $bottom } ]);
	for my $level (1 .. 200) {
		my $below = 'p' . ($level - 1);
		push @dies, [ subroutine_type => { label => "f$level" },
			map { [ formal_parameter => { type => \$below } ] } 1, 2 ];
		my $function = "f$level";
		push @dies, [ pointer_type => { label => "p$level", byte_size => 8, type => \$function } ];
	}
	return @dies;
}
for my $case ([ 'that agree', \'const int', 0 ], [ 'that disagree', \'char', 1 ]) {
	my ($name, $bottom, $inconsistent) = @$case;
	my $shared = Image->new;
	$shared->unit(shared($_), function('work', { inline => 1 }, [ x => \'p200' ]))
		for \'int', $bottom;
	$shared->symbol('work', 0x1010, 16);
	my $first = btfcanon('encode', '--stats', put('image.elf', $shared->elf), { seconds => 30 });
	is($first->{status}, 0, "deep types $name: encoded") || diag($first->{err});
	like($first->{err}, qr/prototypes disagree +$inconsistent$/m, "deep types $name: counted");
	same_bytes(btfcanon('encode', '-q', put('image.elf', $shared->elf(1, 0)), { seconds => 30 })->{out},
		$first->{out}, "deep types $name: the same in the other order");
}

# One text, several meanings.
$image = Image->new;
for my $member (qw(b a c)) {
	$image->unit([ structure_type => { label => 'far', name => 'far', byte_size => 4 },
			[ member => { name => $member, type => \'int', data_member_location => 0 } ] ],
		[ pointer_type => { label => 'far*', byte_size => 8, type => \'far' } ],
		function('work', { inline => 1 }, [ x => \'far*' ]));
}
$image->symbol('work', 0x1010, 16);
has_functions('structs of one name with other members', $image, 'int work(struct far *x)');

# A parameter that points to another unit's body or declaration, beside a declaration of the unit's
# own: each means what its unit says.
sub far_of {
	my (@members) = @_;
	return [ structure_type => { label => 'far', name => 'far', byte_size => 4 * @members },
		map { [ member => { name => $members[$_], type => \'int',
			data_member_location => 4 * $_ } ] } 0 .. $#members ];
}
for my $which ('body', 'declaration') {
	my ($body, $declared) = (far_of('b'), [ structure_type => { label => 'declared', name => 'far',
		declaration => 1 } ]);
	my @pointer = (pointer_type => { label => 'far*', byte_size => 8, type => \'far' });
	my $theirs = $which eq 'body' ? '0 far' : '0 declared';
	$image = Image->new;
	$image->unit($body, $declared, [@pointer],
		function('one', { low_pc => 0x1010 }, [ x => \'far*', @x_in_place ]));
	$image->unit(far_of('a', 'c'), [@pointer],
		function('two', { low_pc => 0x1020 }, [ x => \'far*', @x_in_place ]));
	$image->unit([ structure_type => { label => 'far', name => 'far', declaration => 1 } ], [@pointer],
		[ pointer_type => { label => 'their far*', byte_size => 8,
			type => [ ref_addr => \$theirs ] } ],
		function('three', { low_pc => 0x1030 }, [ x => \'far*', @x_in_place ]),
		function('four', { low_pc => 0x1040 }, [ x => \'their far*', @x_in_place ]));
	$image->symbol($_->[0], $_->[1], 16)
		for [ one => 0x1010 ], [ two => 0x1020 ], [ three => 0x1030 ], [ four => 0x1040 ];
	has_functions("structs of other units, by a $which", $image, join "\n",
		'int four(struct far___2 *x)', 'int one(struct far___2 *x)', 'int three(struct far *x)',
		'int two(struct far *x)');
}

done_testing;
