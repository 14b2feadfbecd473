#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The same units, linked in any order, given in any order, read in any order, by any number of
# threads, some twice: the same bytes. And what these say where the units disagree.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Objects;
use TestUtil;

need_assembler('ld');

my @units = map { object("unit$_") } 0 .. 3;
my $first = btfcanon('encode', @units);
quiet($first, 'four units');
my $bytes = $first->{out};

sub permutations {
	my (@list) = @_;
	return [] if !@list;
	return map {
		my $i = $_;
		my @rest = @list;
		my ($one) = splice @rest, $i, 1;
		map { [ $one, @$_ ] } permutations(@rest);
	} 0 .. $#list;
}

my @wrong = grep { btfcanon('encode', '-q', @$_)->{out} ne $bytes } permutations(@units);
is(scalar @wrong, 0, 'in all 24 orders on the command line: the same bytes');

my $number = 0;
@wrong = grep {
	my @options = $number++ % 2 ? () : ('-r');
	btfcanon('encode', '-q', linked("all$number", @options, @$_))->{out} ne $bytes;
} permutations(@units);
is(scalar @wrong, 0, 'linked in all 24 orders, relocatable and not: the same bytes');

# Two in one file, two in another; strings that a linker merged beside some that none did.
my @halves = map { my ($x, $y) = @$_; [ linked("half$x$y", $x % 2 ? '-r' : (), @units[ $x, $y ]),
	@units[ grep { $_ != $x && $_ != $y } 0 .. 3 ] ] }
	map { my $x = $_; map { [ $x, $_ ] } grep { $_ > $x } 0 .. 3 } 0 .. 3;
@wrong = grep { btfcanon('encode', '-q', @$_)->{out} ne $bytes } @halves;
is(scalar @wrong, 0, 'two of them linked first, in all ways: the same bytes');

my $all = linked('all', @units);
for my $seed (1 .. 5) {
	same_bytes(btfcanon('encode', "--shuffle-units=$seed", $seed % 2 ? $all : @units)->{out},
		$bytes, "units shuffled with seed $seed");
}
for my $threads (1 .. 4) {
	same_bytes(btfcanon('encode', "-j$threads", $threads % 2 ? $all : @units)->{out}, $bytes,
		"$threads threads");
}
for my $bits (0, 1, 8) {
	same_bytes(btfcanon('encode', "--hash-bits=$bits", '-j2', $bits ? $all : @units)->{out},
		$bytes, "hashes of $bits bits");
}
same_bytes(btfcanon('encode', $all, $all)->{out}, $bytes, 'a file twice');
same_bytes(btfcanon('encode', @units, $all, $units[2])->{out}, $bytes,
	'the units alone, and linked, and one of them again');
same_bytes(btfcanon('sort', put('encoded.btf', $bytes))->{out}, $bytes, 'sort changes nothing');
same_bytes(btfcanon('sort', '-', { stdin => $bytes })->{out}, $bytes, 'nor in a pipe');
is(btfcanon('check', scratch('encoded.btf'))->{out} =~ /canonical order/ ? 1 : 0, 1,
	'check calls it canonical');
my $by_name = btfcanon('encode', '--order=name', @units)->{out};
same_bytes(btfcanon('sort', '--order=name', scratch('encoded.btf'))->{out}, $by_name,
	'--order=name is that of sort');

# ---------------------------------------------------------------- what the units mean

my $btf = BTF->read($bytes);
my $found = definitions($btf);
is_deeply([ $btf->duplicates ], [], 'no type twice');
says($found, <<'END', 'several bodies');
struct driver_data
	16: a int @0; b *void @8; | 16: p int @0; q *void @8; | 4: zero int @0;
struct description
	16: one int @0; two *void @8; | 4: one int @0;
enum mode
	4: MODE_A=0 | 4: MODE_A=0 MODE_B=1
union value
	4: i int @0; | 8: i int @0; p *void @0;
struct local
	16: in_function int @0; same *struct local @8; | 1: file_scope char @0;
	| 24: in_block [2]long int @0; same *struct local @16; | 8: in_inner *struct holder @0;
struct single
	4: body int @0;
struct private_1
	64: device struct device @0; holder struct holder @40; numbers [2]u32 @48; single *struct single @56;
struct list
	16: next *struct list @0; prev *struct list @8;
fwd struct never_defined
END
is(join(' ', grep { /^fwd/ } sort keys %$found), 'fwd struct never_defined',
	'only what nobody defines stays declared');

# What a type leads to, by the names of members: "struct waiter", "data" -> "struct driver_data".
sub led_to {
	my ($type, @path) = @_;
	for my $name (@path) {
		my ($at) = grep { $type->{names}[$_] eq $name } 0 .. $#{ $type->{names} };
		my $id = $type->{refs}[$at];
		$id = $btf->type($id)->{refs}[0]
			while $btf->type($id)->{kind} =~ /^(2|8|9|10|11)$/
				|| $btf->type($id)->{name} eq 'handle_t';
		$type = $btf->type($id);
	}
	return $type;
}
sub members { return join ' ', @{ $_[0]{names} } }

# Two structs of one text, of which one leads to a body of two members, another to one of one.
for my $tied (qw(note holder)) {
	my @path = $tied eq 'note' ? 'description' : qw(note description);
	my @of = map { members(led_to($_, @path)) } $btf->find('STRUCT', $tied);
	is_deeply([ sort @of ], [ 'one', 'one two' ],
		"struct $tied is there once for each meaning");
}
is_deeply([ sort map { members(led_to($_, 'data')) } $btf->find('STRUCT', 'device') ],
	[ 'a b', 'p q', 'zero' ], 'so is struct device, by what its driver keeps');
for my $number (0, 1, 3) {
	my $private = $btf->one('STRUCT', "private_$number");
	is(members(led_to($private, qw(device data))), { 0 => 'zero', 1 => 'a b',
		3 => 'p q' }->{$number},
		"struct private_$number has its own unit's device");
	# The third unit that has a holder only declares what it leads to.
	is(members(led_to($private, qw(holder note description))),
		$number == 0 ? 'one' : 'one two',
			"struct private_$number has its own unit's holder");
}
is(scalar(() = $btf->find('STRUCT', 'list')), 1, 'what reaches no conflict is there once');

# Declarations: most members, then the largest, then the last in the canonical order.
my $waiter = $btf->one('STRUCT', 'waiter');
is(members(led_to($waiter, 'data')), 'p q',
	'a declared struct: two have as many members and bytes');
is(members(led_to($waiter, qw(holder note description))), 'one two', 'one behind other types');
is(members(led_to($waiter, 'mode')), 'MODE_A MODE_B', 'a declared enum');
is(members(led_to($waiter, 'value')), 'i p', 'a declared union');
my ($handle) = grep { $btf->type($_)->{name} eq 'handle_t' } 1 .. $btf->id_end - 1;
is(members($btf->type($btf->type($btf->type($handle)->{refs}[0])->{refs}[0])), 'p q',
	'a typedef of a pointer to one');

# Six conflicts of 15 bodies, and few types more than that.
cmp_ok($btf->id_end - 1, '<', 90, ($btf->id_end - 1) . ' types in all: nothing explodes');

done_testing;
