#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# What compare finds between two BTFs: the compiled pair, and graphs with one difficulty each.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Compare;
use JSON::PP ();
use Schema;
use TestUtil;

my ($old, $new) = (fixture('compare/old.btf'), fixture('compare/new.btf'));

# ---- the compiled pair

my @expected = sort 'added struct fresh', 'added func f_new', 'removed struct gone',
	'removed func f_gone', map { "changed $_" } 'enum st', 'struct grow', 'struct moved',
	'struct bits', 'typedef handle_t', 'union u', 'struct named_member', 'struct ptrchg',
	'struct anon', 'func f_args', 'func f_ret';
my $report = compare_files($old, $new);
is_deeply([ changes($report) ], \@expected, 'the changes, and no other');
is_deeply([ schema_faults($report) ], [], 'the report fits the schema');
is_deeply([ parts(entry($report, 'enum', 'st')->{values}) ],
	[ 'S_NEW: added', 'S_STOP: renumbered', 'S_DEAD: renumbered' ], 'values');
is_deeply([ parts(entry($report, 'struct', 'grow')->{members}) ], ['extra: added'],
	'a member in what was padding');
is(entry($report, 'struct', 'grow')->{members}[0]{new}{bit_offset}, 26 * 8, 'its place');
is_deeply([ parts(entry($report, 'struct', 'moved')->{members}) ], [ 'b: moved', 'a: moved' ],
	'members that swap places');
is_deeply([ parts(entry($report, 'struct', 'bits')->{members}) ], [ 'p: width', 'q: moved width' ],
	'bitfields');
is_deeply(entry($report, 'typedef', 'handle_t')->{type}, { old => 'u32', new => 'long unsigned int' },
	'the target of a typedef');
is_deeply([ map { entry($report, 'union', 'u')->{$_}{size} } qw(old new) ], [ 4, 8 ], 'size');
is_deeply([ parts(entry($report, 'struct', 'named_member')->{members}) ],
	['old_name -> new_name: renamed'], 'a renamed member');
is_deeply([ parts(entry($report, 'struct', 'anon')->{members}) ], ['e: added'],
	'a member of an unnamed union is the struct\'s');
is_deeply([ parts(entry($report, 'func', 'f_args')->{parameters}) ], ['flags: added'], 'parameters');
is_deeply(entry($report, 'func', 'f_ret')->{return_type}, { old => 'long int', new => 'int' },
	'return type');

my $back = compare_files($new, $old);
ok(mirrored($report, $back), 'the reverse comparison mirrors it');
my $indirect = compare_files($old, $new, '--indirect');
is_deeply([ grep { /^indirect/ } changes($indirect) ], ['indirect func keep'],
	'--indirect: what only leads to a change');
is_deeply([ schema_faults($indirect) ], [], 'and fits the schema');

for ('', '-verbose') {
	my $text = btfcanon('compare', $old, $new, $_ ? '-v' : ());
	is($text->{out}, get(fixture("compare/report$_.txt")), "the text report$_");
	is($text->{status}, 1, 'a difference: exit 1');
}
my $same = btfcanon('compare', $old, $old);
is("$same->{status}|$same->{out}|$same->{err}", '0||', 'nothing to say of a file and itself');

# ---- DWARF, encoded first

{
	my $elf = fixture('compare/new.elf');
	is(btfcanon('compare', '--new-from=dwarf', $new, $elf)->{out}, '', 'DWARF against its own BTF');
	is_deeply([ changes(compare_files($old, $elf, '--new-from=dwarf')) ], \@expected,
		'DWARF against other BTF');
	my $dwarf = btfcanon('compare', '--old-from=dwarf', '--new-from=btf', $elf, $old);
	like($dwarf->{out}, qr/^total: 2 added, 2 removed, 11 changed$/m, 'on the other side');
	refused(btfcanon('compare', '--old-from=dwarf', $old, $new), $old, qr/ELF/, 'no DWARF in it');
	refused(btfcanon('compare', '--old-from=ctf', $old, $new), '--old-from', qr/ctf/, 'neither');
}

# ---- a BPF object against the pair

{
	my $prog = fixture('compare/prog.bpf.elf');
	my $text = btfcanon('compare', '-v', '--object', $prog, $old, $new);
	is($text->{out}, get(fixture('compare/report-object.txt')), '--object: the text');
	is("$text->{status}|$text->{err}", '1|', 'something breaks: exit 1');
	my $short = btfcanon('compare', '--object', $prog, $old, $new)->{out};
	is($short, join('', grep { !/^fine/ } map { "$_\n" } split /\n/, $text->{out}),
		'without -v all that is not fine');
	my $json = btfcanon('compare', '--object', $prog, '--format=json', $old, $new);
	my $object = JSON::PP->new->decode($json->{out});
	my $schema = JSON::PP->new->decode(get(repository() . '/docs/compare-object.schema.json'));
	is_deeply([ Schema::faults($schema, $object) ], [], 'JSON fits its schema');
	is(scalar @{ $object->{requirements} }, scalar(() = $text->{out} =~ /\n/g) - 1,
		'and has all that the text has');
	my $alone = btfcanon('compare', '--object', $prog, $new, $new);
	like($alone->{out}, qr/^breaks +f_args +kfunc .*declared/m, 'new against new: what is wrong in both');
	unlike($alone->{out}, qr/^relocates/m, 'and nothing that relocates');
	is(btfcanon('compare', '--object', $prog, $old, $old)->{status}, 0, 'made for old, fine on old');
	like(btfcanon('compare', '--object', $prog, '--offsets-matter', $old, $new)->{out},
		qr/^breaks +struct moved\.a +offset 0 -> 4/m, '--offsets-matter: what moves, breaks');
	refused(btfcanon('compare', '--object', $old, $old, $new), $old, qr/\.BTF\.ext/, 'no BPF object');
	refused(btfcanon('compare', '--object', $prog, '--only=a', $old, $new), '--object', qr/filters/,
		'no filters with it');
}

# ---- graphs

sub int_graph {
	my (%o) = @_;
	my $b = BTF->new(%o);
	return ($b, $b->int('int', 4, signed => 1), $b->int('long int', 8, signed => 1));
}

# The members' changes of struct s.
sub members_of { return [ parts(entry($_[0], 'struct', 's')->{members}) ] }

# Compares, looks at the schema and at the reverse, gives the report.
sub both_ways {
	my ($left, $right, $name) = @_;
	my $there = compare_graphs($left, $right);
	my $again = compare_graphs($right, $left);
	ok(mirrored($there, $again), "$name: mirrored");
	is_deeply([ schema_faults($there) ], [], "$name: the schema");
	is_deeply([ changes(compare_graphs($left, $left)) ], [], "$name: nothing against itself");
	return $there;
}

in_both_orders(sub {
	my ($big, $order) = @_;
	my @small = int_graph(big => 0);
	my @other = int_graph(big => $big);
	for (\@small, \@other) {
		my ($b, $int, $long) = @$_;
		$b->struct('s', 16, [ [ 'a', $int, 0 ], [ 'l', $b->ptr($long), 64 ] ]);
		$b->enum64('e', [ [ 'BIG', -1 ] ], signed => 1);
	}
	my $r = compare_graphs($small[0], $other[0]);
	is_deeply([ changes($r) ], [], "LE against $order: the same types");
	my $layout = put('layout.btf', $other[0]->bytes(layout => BTF::layout_bytes($big, @BTF::LAYOUT)));
	is_deeply([ changes(compare_files($layout, put('plain.btf', $small[0]->bytes))) ], [],
		"$order with a layout section against LE without");
});

{
	my ($l, $li, $ll) = int_graph();
	$l->struct('s', 24, [ [ 'a', $li, 0 ], [ 'b', $li, 32 ], [ 'c', $ll, 64 ], [ 'd', $ll, 128 ] ]);
	my ($r, $ri, $rl) = int_graph();
	my $u = $r->union('', 8, [ [ 'c', $rl, 0 ], [ 'c2', $ri, 0 ] ]);
	$r->struct('s', 24, [ [ 'b', $ri, 0 ], [ 'a', $ri, 32 ], [ '', $u, 64 ], [ 'e', $rl, 128 ] ]);
	my $report = both_ways($l, $r, 'members');
	is_deeply(members_of($report),
		[ 'b: moved', 'a: moved', 'c: nested', 'c2: added', 'd -> e: renamed' ],
		'renamed, reordered, moved into an unnamed union');
}

{
	my @sides = map { [ int_graph() ] } 0, 1;
	for my $new (0, 1) {
		my ($b, $int, $long) = @{ $sides[$new] };
		my $inner = $b->struct('', 8 + 8 * $new,
			[ [ 'x', $int, 0 ], $new ? [ 'y', $long, 64 ] : [ 'z', $int, 32 ] ]);
		$b->struct('s', 32, [ [ 'head', $int, 0 ], [ 'in', $inner, 64 ],
			[ 'list', $b->array($inner, $int, 1), 192 ], [ 'to', $b->ptr($inner), 128 ] ]);
		$b->typedef('T', $inner);
	}
	my $report = both_ways($sides[0][0], $sides[1][0], 'paths');
	is_deeply([ sort @{ members_of($report) } ],
		[ sort map { ("${_}y: added", "${_}z: removed") } 'in.', 'list[].', 'to->' ],
		'members in unnamed types have a path');
	my $t = entry($report, 'typedef', 'T');
	is_deeply([ sort map { $_ } parts($t->{members}) ], [ 'y: added', 'z: removed' ],
		'a typedef of an unnamed struct shows its members');
	is_deeply([ $t->{old}{size}, $t->{new}{size} ], [ 8, 16 ], 'and its size');
}

# An unnamed struct that leads back to itself says once what changed in it.
{
	my @sides;
	for my $new (0, 1) {
		my ($b) = BTF::build([
			int => sub { $_[0]->int('int', 4, signed => 1) },
			self => sub { $_[0]->struct('', 24, [ [ 'next', $_[1]{ptr}, 0 ],
				[ $new ? 'fresh' : 'stale', $_[1]{int}, 64 ], [ 'all', $_[1]{array}, 128 ] ]) },
			ptr => sub { $_[0]->ptr($_[1]{self}) },
			array => sub { $_[0]->array($_[1]{ptr}, $_[1]{int}, 1) },
			s => sub { $_[0]->struct('s', 8, [ [ 'first', $_[1]{ptr}, 0 ] ]) },
		]);
		push @sides, $b;
	}
	my $report = both_ways(@sides, 'a loop of unnamed structs');
	is_deeply(members_of($report), ['first->stale -> first->fresh: renamed'], 'a loop is not walked');
}

# Several definitions of one name pair by what they have in common.
{
	my ($l, $li, $ll) = int_graph();
	my $l1 = $l->struct('s', 8, [ [ 'x', $li, 0 ], [ 'y', $li, 32 ] ]);
	my $l2 = $l->struct('s', 16, [ [ 'p', $ll, 0 ], [ 'q', $ll, 64 ] ]);
	$l->struct('user', 16, [ [ 'one', $l->ptr($l1), 0 ], [ 'two', $l->ptr($l2), 64 ] ]);
	my ($r, $ri, $rl) = int_graph();
	my $r2 = $r->struct('s', 24, [ [ 'p', $rl, 0 ], [ 'q', $rl, 64 ], [ 'r', $rl, 128 ] ]);
	my $r1 = $r->struct('s', 12, [ [ 'x', $ri, 0 ], [ 'y', $ri, 32 ], [ 'z', $ri, 64 ] ]);
	$r->struct('user', 16, [ [ 'one', $r->ptr($r1), 0 ], [ 'two', $r->ptr($r2), 64 ] ]);
	my $report = both_ways($l, $r, 'twins');
	is_deeply([ changes($report) ], [ ('changed struct s') x 2 ], 'twins: each with its own');
	is_deeply([ sort map { parts($_->{members}) } @{ $report->{changes} } ], [ 'r: added', 'z: added' ],
		'twins: what each gained');
	my ($x, $xi, $xl) = int_graph();
	my $x1 = $x->struct('s', 8, [ [ 'x', $xi, 0 ], [ 'y', $xi, 32 ] ]);
	my $x2 = $x->struct('s', 16, [ [ 'p', $xl, 0 ], [ 'q', $xl, 64 ] ]);
	$x->struct('user', 16, [ [ 'one', $x->ptr($x2), 0 ], [ 'two', $x->ptr($x1), 64 ] ]);
	$report = both_ways($l, $x, 'twins exchanged');
	is_deeply([ changes($report) ], ['changed struct user'], 'a reference to the other definition');
	is_deeply([ parts(entry($report, 'struct', 'user')->{members}) ],
		[ 'one: retyped', 'two: retyped' ], 'is another type');
}

# Enums: repeated values, unnamed ones by their values.
{
	my ($l) = int_graph();
	$l->enum('e', [ [ 'A', 0 ], [ 'ALIAS', 0 ], [ 'B', 1 ], [ 'MAX', 1 ], [ 'OLD', 7 ] ]);
	$l->enum('', [ [ 'U1', 1 ], [ 'U2', 2 ] ]);
	$l->enum('', [ [ 'V1', 1 ], [ 'V2', 2 ] ]);
	$l->enum('', [ [ 'GONE', 1 ] ]);
	my ($r) = int_graph();
	$r->enum('', [ [ 'V1', 1 ], [ 'V2', 2 ], [ 'V3', 3 ] ]);
	$r->enum('', [ [ 'U1', 1 ], [ 'U2', 4 ] ]);
	$r->enum('e', [ [ 'ALIAS', 0 ], [ 'A', 0 ], [ 'B', 1 ], [ 'C', 2 ], [ 'MAX', 2 ], [ 'NEW', 7 ] ]);
	my $report = both_ways($l, $r, 'enums');
	is_deeply([ parts(entry($report, 'enum', 'e')->{values}) ],
		[ 'MAX: renumbered', 'C: added', 'OLD -> NEW: renamed' ], 'repeated values')
		or diag(explain(entry($report, 'enum', 'e')));
	my %unnamed = map { ($_->{first_value} => $_) } grep { $_->{name} eq '' } @{ $report->{changes} };
	is(join(' ', map { "$_ $unnamed{$_}{change}" } sort keys %unnamed),
		'GONE removed U1 changed V1 changed', 'unnamed enums pair by their values');
	is_deeply([ parts($unnamed{V1}{values}) ], ['V3: added'], 'and say what they gained');
	my ($o) = int_graph();
	$o->enum('e', [ [ 'B', 1 ], [ 'A', 0 ] ]);
	my ($n) = int_graph();
	$n->enum('e', [ [ 'A', 0 ], [ 'B', 1 ] ]);
	ok(entry(both_ways($o, $n, 'order'), 'enum', 'e')->{reordered}, 'only the order of values');
}

# Functions.
{
	my @sides;
	for my $new (0, 1) {
		my ($b, $int, $long) = int_graph();
		my $ptr = $b->ptr(0);
		my $f = sub { my ($name, @parameters) = @_;
			return $b->func($name, $b->proto($int, \@parameters), 0) };
		$f->('renamed', [ $new ? 'count' : 'n', $int ], [ 'p', $ptr ]);
		$f->('reordered', $new ? ([ 'b', $long ], [ 'a', $int ]) : ([ 'a', $int ], [ 'b', $long ]));
		$f->('inserted', [ 'a', $int ], $new ? [ 'new', $ptr ] : (), [ 'b', $long ]);
		$f->('variadic', [ 'a', $int ], $new ? [ '', 0 ] : ());
		$b->func('linkage', $b->proto(0, []), $new);
		my $k = $b->func('gains', $b->proto(0, []), 0);
		my $lost = $b->func('loses', $b->proto(0, [ [ 'x', $ptr ] ]), 0);
		$b->decl_tag('bpf_kfunc', $new ? $k : $lost);
		$b->decl_tag('arg:nullable', $lost, 0) if $new;
		push @sides, $b;
	}
	my $report = both_ways(@sides, 'functions');
	my $of = sub { [ parts(entry($report, 'func', $_[0])->{parameters}) ] };
	is_deeply($of->('renamed'), ['n -> count: renamed'], 'prototypes that differ in a name');
	is_deeply($of->('reordered'), [ 'b: moved', 'a: moved' ], 'reordered parameters');
	is_deeply($of->('inserted'), ['new: added'], 'an inserted parameter moves none');
	is_deeply($of->('variadic'), ['...: added'], 'became variadic');
	my $linkage = entry($report, 'func', 'linkage');
	is_deeply([ map { $linkage->{$_}{linkage} } qw(old new) ], [qw(static global)], 'linkage');
	compare_graphs(@sides);
	my $tags = sub { [ map { "$_->{name} $_->{change}" . (defined $_->{on} ? " on $_->{on}" : '') }
		@{ entry($report, 'func', $_[0])->{tags} } ] };
	is_deeply($tags->('gains'), ['bpf_kfunc added'], 'a kfunc tag gained');
	is_deeply($tags->('loses'), [ 'bpf_kfunc removed', 'arg:nullable added on x' ],
		'one lost, one on a parameter');
	like(btfcanon('compare', scratch('old.btf'), scratch('new.btf'))->{out},
		qr/no kfunc any more/, 'text says what the tag means');
}

# Struct and union, forward declarations, variables and their sections.
{
	my @sides;
	for my $new (0, 1) {
		my ($b, $int, $long) = int_graph();
		my $method = $new ? 'union' : 'struct';
		$b->$method('s', 4, [ [ 'a', $int, 0 ] ]);
		$new ? $b->struct('later', 4, [ [ 'a', $int, 0 ] ]) : $b->fwd('later');
		my $v = $b->var('v', $new ? $long : $int, 1);
		my $w = $b->var('w', $int, 1);
		$b->datasec($new ? '.data' : '.bss', 16, [ [ $w, 0, 4 ], [ $v, 8, 4 + 4 * $new ] ]);
		push @sides, $b;
	}
	my $report = both_ways(@sides, 'kinds');
	is_deeply([ changes($report) ], [ sort 'changed union s', 'changed struct later', 'changed var v',
		'changed var w', 'added section .data', 'removed section .bss' ],
		'a struct that became a union, a definition, variables that went to another section');
	is(entry($report, 'union', 's')->{old}{kind}, 'struct', 'what it was');
	is_deeply(entry($report, 'var', 'v')->{type}, { old => 'int', new => 'long int' }, 'a variable\'s type');
	my ($both, $int) = int_graph();
	$both->struct('later', 4, [ [ 'a', $int, 0 ] ]);
	my ($body) = int_graph();
	$body->struct('later', 4, [ [ 'a', 1, 0 ] ]);
	$both->fwd('later');
	is_deeply([ changes(both_ways($both, $body, 'idle forward')) ], [],
		'a forward declaration beside the definition says nothing');
}

# Split BTF, each side on a base of its own.
{
	my @files;
	for my $new (0, 1) {
		my ($base, $int, $long) = int_graph();
		my $shared = $base->struct('shared', 8 + 8 * $new,
			[ [ 'a', $int, 0 ], $new ? [ 'b', $long, 64 ] : () ]);
		$base->struct('only_here', 4, [ [ 'a', $int, 0 ] ]) if $new;
		my $bytes = $base->shuffled(7 + $new);
		my $split = BTF->new(base => BTF->read($bytes));
		my ($id) = $split->{base}->ids(sub { $_->{name} eq 'shared' });
		my ($int_id) = $split->{base}->ids(sub { $_->{name} eq 'int' });
		$split->struct('mine', 16, [ [ 's', $split->ptr($id), 0 ], $new ? [ 'n', $int_id, 64 ] : () ]);
		push @files, put("base$new.btf", $bytes), put("split$new.btf", $split->bytes);
	}
	for ([qw(--old-base --new-base)], [qw(--base-old --base-new)]) {
		my $report = compare_files($files[1], $files[3], $_->[0], $files[0], $_->[1], $files[2]);
		is_deeply([ changes($report) ], ['changed struct mine'], "@$_: only the split part is compared");
	}
	my $one = btfcanon('compare', '--base', $files[0], $files[1], $files[1]);
	is($one->{status}, 0, '--base is for both');
	is(btfcanon('compare', $files[1], $files[3], '--old-base', $files[0])->{status}, 2,
		'a split BTF without its base is trouble');
}

# ---- tags of a type that was in a base, which is in no order

{
	my @sides = map {
		my ($in_base, @tags) = @$_;
		my $base = BTF->new;
		my $int = $base->int('int', 4);
		my $module = BTF->new(base => $base);
		my $where = $in_base ? $base : $module;
		my $struct = $where->struct('moved', 4, [ [ 'x', $int, 0 ] ]);
		$where->decl_tag($_, $struct) for @tags;
		$module = BTF->new(base => $base) if $in_base;
		$module->struct('own', 4, [ [ 'x', $int, 0 ] ]);
		[ put("base$in_base.btf", scalar $base->bytes), put("module$in_base.btf", scalar $module->bytes) ];
	} [ 1, 'b', 'a' ], [ 0, 'a', 'b' ];
	my @bases = ('--old-base', $sides[0][0], '--new-base', $sides[1][0]);
	quiet(btfcanon('compare', @bases, $sides[0][1], $sides[1][1]), 'tags in another order');
}

done_testing;
