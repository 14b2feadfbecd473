#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# compare: filters, exit codes, colours, summary, output, trouble.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Compare;
use JSON::PP ();
use TestUtil;
use TinyELF;

my ($old, $new) = (fixture('compare/old.btf'), fixture('compare/new.btf'));

sub names_with {
	my (@options) = @_;
	return [ map { $_->{name} } @{ compare_files($old, $new, @options)->{changes} } ];
}

# ---- filters

is_deeply(names_with('--kind=union'), ['u'], '--kind');
is_deeply(names_with('--kind=union,enum', '--kind', 'typedef'), [qw(u st handle_t)], 'several kinds');
is_deeply(names_with('--kind=int'), ['short int'], 'base types only where they are asked for');
is_deeply(names_with('--only=f_*'), [qw(f_args f_gone f_new f_ret)], '--only');
is_deeply(names_with('--only', 'u', '--only', 'st'), [qw(u st)], 'several');
is_deeply(names_with('--only', 'func *'), [qw(f_args f_gone f_new f_ret)], 'a kind in the glob');
is_deeply(names_with('--only', 'struct f*'), ['fresh'], 'a kind and a glob');
is_deeply(names_with('--only', 'f_*', '--ignore', '*_new'), [qw(f_args f_gone f_ret)], '--ignore');
is_deeply(names_with('--only=func *', '--ignore=*', '--ignore=!f_r*'), ['f_ret'], 'taken back');
my $known = put('known', "# accepted\n\n  struct *  \r\nfunc *\n!f_ret\nu\nst\n");
is_deeply(names_with("--ignore-file=$known"), [qw(handle_t f_ret)], '--ignore-file');
is_deeply(names_with("--ignore-file=$known", '--ignore=handle_t', '--ignore=f_ret'), [],
	'and more on the command line');
is_deeply(names_with('--ignore=!u', '--kind=union', '--ignore=u'), [], 'the last one decides');
is(btfcanon('compare', $old, $new, "--ignore-file=$known", '--ignore=handle_t', '--ignore=f_ret')
	->{status}, 0, 'what is filtered out is no difference');
my $unnamed = sub {
	my ($value) = @_;
	my $b = BTF->new;
	$b->enum('', [ [ 'FIRST_THING', 0 ], [ 'SECOND_THING', $value ] ]);
	return put("unnamed$value.btf", $b->bytes);
};
is(btfcanon('compare', $unnamed->(1), $unnamed->(2), '--ignore=SECOND_*')->{status}, 0,
	'an unnamed enum goes by its values');
like(btfcanon('compare', $unnamed->(1), $unnamed->(2))->{out},
	qr/^~ \{ FIRST_THING, \.\.\. \}\n    ~ SECOND_THING +=? ?= 1 -> 2$/m, 'and is called by its first');

# ---- text

my $stat = btfcanon('compare', '--stat', $old, $new);
like($stat->{out}, qr/^ struct  \| +\+1 +-1 +~6 \+-~~~~~~\n union /, '--stat');
like($stat->{out}, qr/^ 2 added, 2 removed, 11 changed\n\z/m, 'with a total');
is($stat->{status}, 1, 'and an exit code');
is(btfcanon('compare', '--stat', $old, $old)->{out}, '', 'nothing when nothing changed');
my $plain = btfcanon('compare', $old, $new)->{out};
unlike($plain, qr/\033/, 'no colour into a file');
my $colored = btfcanon('compare', '--color=always', $old, $new)->{out};
like($colored, qr/\033\[32m\+\033\[0m fresh/, '--color=always');
$colored =~ s/\033\[\d*m//g;
is($colored, $plain, 'colours are all that it adds');
SKIP: {
	skip 'no script(1) that takes -e', 2
		if !have('script') || run('script', '-qec', 'true', '/dev/null')->{status};
	my $terminal = sub { run('script', '-qec', program() . " compare $old $new", '/dev/null',
		{ env => { TERM => 'xterm', @_ } })->{out} };
	like($terminal->(NO_COLOR => ''), qr/\033\[32m/, 'colours on a terminal');
	unlike($terminal->(NO_COLOR => '1'), qr/\033\[/, 'not with NO_COLOR');
}
like(btfcanon('compare', '--only=keep', '--indirect', $old, $new)->{out}, qr/^\. keep$/m,
	'an indirect change in text');

# Members that move together are one line, unless each matters.
my $shifted = sub {
	my ($by) = @_;
	my $b = BTF->new;
	my $int = $b->int('int', 4, signed => 1);
	$b->struct('s', 64, [ [ 'flag', $int, $by, 1 ],
		map { [ "m$_", $int, 32 * $_ + $by, 0 ] } 1 .. 5 ]);
	return put("shifted$by.btf", $b->bytes);
};
like(btfcanon('compare', $shifted->(0), $shifted->(32))->{out},
	qr/^~ s\n    ~ flag \.\. m5  6 members, offset \+4\n\n/m, 'a run of moved members');
my $each = btfcanon('compare', '--offsets-matter', $shifted->(0), $shifted->(33))->{out};
is(scalar(() = $each =~ /offset/g), 6, '--offsets-matter: a line for each');
like($each, qr/^    ~ m1 +offset 4 -> 8:1$/m, 'bits where needed');

# Names that are no words are quoted.
my $odd = sub {
	my ($name) = @_;
	my $b = BTF->new;
	$b->struct('s', 8, [ [ $name, $b->int('int', 4), 0 ] ]);
	return put('odd' . length($name) . '.btf', $b->bytes);
};
my @odd = ($odd->("a\n\x1b[31m"), $odd->("\xff"));
unlike(btfcanon('compare', @odd)->{out}, qr/[^\n\x20-\x7e]/, 'no control characters in text');
is_deeply([ schema_faults(compare_files(@odd)) ], [], 'JSON that is JSON, whatever the names');

# ---- HTML: a page with the JSON in it

# The data in a page, as text and as a tree.
sub page_data {
	my ($page) = @_;
	my ($text) = $page =~ m{<script type="application/json" id="data">\n(.*?)</script>}s;
	return ($text, JSON::PP->new->decode($text));
}

my $page = btfcanon('compare', '--format=html', $old, $new);
is($page->{status}, 1, 'HTML: the exit code');
my ($text, $tree) = page_data($page->{out});
unlike($text, qr/</, 'HTML: no bracket in the data');
my $grow = entry($tree, 'struct', 'grow');
my @cells = @{ $grow->{new_layout} };
is_deeply([ map { "$cells[$_ + 1] $cells[$_ + 3] $cells[$_ + 4]" } grep { $_ % 5 == 0 } 0 .. $#cells ],
	[ '0 int x', '64 struct inner in', '192 char tail', '208 short int extra' ], 'HTML: layouts');
delete @$_{qw(old_layout new_layout)} for @{ $tree->{changes} };
is_deeply($tree, compare_files($old, $new), 'HTML: else the data is the JSON');
like($page->{out}, qr{\A<!doctype html>.*</html>\n\z}s, 'HTML: a whole page');
unlike($page->{out}, qr{https?://|src=|href=}, 'HTML: that needs nothing else');
my @hostile = ($odd->('</script><script>alert(1)</script><!--'), $odd->('<!--<script>'));
(my $rest) = page_data(btfcanon('compare', '--format=html', @hostile)->{out});
like($rest, qr/\]\}\s*\z/, 'HTML: names do not end the data');

# What JavaScript would round is text in the page, and a layout that is cut says so.
{
	my @sides = map {
		my ($value, $length) = @$_;
		my $b = BTF->new;
		$b->enum64('wide', [ [ 'POSITIVE', $value ], [ 'EXACT', 1 << 53 ] ]);
		$b->enum64('deep', [ [ 'NEGATIVE', -$value ] ], signed => 1);
		my $int = $b->int('int', 4);
		$b->struct('long', 4 * $length, [ map { [ "m$_", $int, 32 * $_ ] } 0 .. $length - 1 ]);
		put("side$length.btf", scalar $b->bytes);
	} [ (1 << 62) - 1, 9_999 ], [ (1 << 62) - 3, 10_001 ];
	my (undef, $told) = page_data(btfcanon('compare', '--format=html', @sides)->{out});
	is_deeply([ map { entry($told, 'enum', $_)->{values}[0]{new}{value} } qw(wide deep) ],
		[ '4611686018427387901', '-4611686018427387901' ], 'HTML: large values');
	like(btfcanon('compare', '--format=html', @sides)->{out}, qr/"value":"4611686018427387901"/, 'are text');
	like(btfcanon('compare', '--format=json', @sides)->{out}, qr/"value":4611686018427387901\b/,
		'and numbers in JSON');
	my $layouts = entry($told, 'struct', 'long');
	is_deeply([ map { [ @{ $layouts->{"${_}_layout"} }[ -2, -1 ] ] } qw(old new) ],
		[ [ 'int', 'm9998' ], [ '...', '' ] ], 'HTML: what is cut says so');
}

# ---- DWARF is a file's, and whole

refused(btfcanon('compare', '--new-from=dwarf', $old, $new), $new, qr/./, 'DWARF of what has none');
refused(btfcanon('compare', '--new-from=dwarf', '--new-base', $old, $old, $new), '', qr/goes on from no base/,
	'DWARF on a base');
like(btfcanon('compare', '--stats', $old, $new)->{err}, qr/^comparing +[0-9.]+ ms\b.*^reporting +[0-9.]+ ms\b/ms,
	'--stats: the time of parts');

# ---- unnamed types that would be 2^40 members

my @doubled;
for my $new (0, 1) {
	my $b = BTF->new;
	my $int = $b->int('int', 4);
	my $last = $b->struct('', 0, []);
	$last = $b->union('', 0, [ [ '', $last, 0 ], [ '', $last, 0 ] ]) for 1 .. 40;
	$b->struct('s', 8, [ [ '', $last, 0 ], [ 'a', $int, 32 * $new ] ]);
	push @doubled, put("doubled$new.btf", $b->bytes);
}
my $doubled = btfcanon('compare', '-q', @doubled, { seconds => 40 });
is("$doubled->{status}|$doubled->{late}", '1|0', 'nested unnamed types take no time without end');
like($doubled->{out}, qr/^    ~ a +offset 0 -> 4$/m, 'and the rest is compared');

# ---- whatever holds the BTF

{
	my ($small, $large) = (TinyELF::write(sections => [ [ '.BTF', get($old) ] ]),
		TinyELF::write(bits => 32, sections => [ [ '.text', 'code' ], [ '.BTF', get($new) ] ]));
	is(btfcanon('compare', put('old.o', $small), put('new.o', $large))->{out}, $plain, 'ELF files');
	is(btfcanon('compare', '-', scratch('new.o'), { stdin => get($old) })->{out}, $plain,
		'raw BTF from standard input against ELF');
	SKIP: {
		skip 'no gzip', 1 if !have('gzip');
		my $packed = put('old.gz', run('gzip', '-c', $old)->{out});
		is(btfcanon('compare', $packed, $new)->{out}, $plain, 'a compressed file');
	}
}

# ---- output

my $out = scratch('report');
my $written = btfcanon('compare', $old, $new, '-o', $out);
is("$written->{status}|$written->{out}", '1|', '-o: nothing on standard output');
is(get($out), $plain, 'all of it in the file');
is(btfcanon('compare', $old, $new, { stdout_to => '/dev/full' })->{status}, 2, 'a full disk is trouble')
	if -e '/dev/full';

# ---- trouble

refused(btfcanon('compare'), '', qr/two inputs/, 'no input');
refused(btfcanon('compare', $old, $new, $old), '', qr/two inputs/, 'three inputs');
refused(btfcanon('compare', $old, scratch('missing')), scratch('missing'), qr/No such file/, 'no file');
refused(btfcanon('compare', put('garbage', 'garbage'), $new), scratch('garbage'), qr/./, 'garbage');
refused(btfcanon('compare', $old, $new, '--kind=structs'), '--kind', qr/no kind 'structs'/, 'no such kind');
refused(btfcanon('compare', $old, $new, '--format=xml'), '--format', qr/xml/, 'no such format');
refused(btfcanon('compare', $old, $new, '--ignore-file=' . scratch('missing')), scratch('missing'),
	qr/No such file/, 'no file of patterns');
refused(btfcanon('compare', $old, $new, '--color=maybe'), '--color', qr/maybe/, 'no such time');
refused(btfcanon('dump', '--kind=struct', $old), 'dump', qr/no option/, 'other commands take none of it');

done_testing;
