#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The program under the name pahole: what kernel builds ask of it, and an error for all else.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Features;
use Image;
use InPlace;
use TestUtil;
use TinyELF;

my $link = scratch('pahole');
symlink program(), $link or die "$link: $!\n";
my $file = put('kernel.elf', features_image()->elf);
my $out = scratch('out.btf');

sub pahole { return run($link, @_) }

# The bytes that `pahole -J OPTIONS` writes.
sub detached {
	my (@options) = @_;
	unlink $out;
	my $result = pahole('-J', '-q', @options, "--btf_encode_detached=$out", $file);
	diag("exit $result->{status}: $result->{err}") if $result->{status} || length $result->{err};
	return -e $out ? get($out) : undef;
}

sub encoded {
	my (@options) = @_;
	return btfcanon('encode', '-q', '--order=name', @options, $file)->{out};
}

sub told {
	my ($result, $text, $name) = @_;
	is("$result->{status}|$result->{out}|$result->{err}", "0|$text|", $name);
	return;
}

# ---------------------------------------------------------------- names and versions

told(pahole('--version'), "v1.31\n", 'the version that kernels look for');
told(pahole('--numeric_version'), "131\n", 'as a number');
told(btfcanon('pahole', '--version'), "v1.31\n", 'as a command');
like(btfcanon('-V')->{out}, qr/^btfcanon \d/, 'the own version is another');
my $deeper = scratch('bin');
mkdir $deeper or die "$deeper: $!\n";
symlink '../pahole', "$deeper/pahole" or die "$deeper: $!\n";
told(run('pahole', '--version', { env => { PATH => "$deeper:$ENV{PATH}" } }), "v1.31\n",
	'found in PATH, by way of another link');
symlink program(), scratch('pahole-like') or die $!;
like(run(scratch('pahole-like'), '--version')->{out}, qr/^btfcanon \d/, 'other names are btfcanon');

my $supported = pahole('--supported_btf_features');
like($supported->{out}, qr/\A\w+(,\w+)*\n\z/, 'features: a line');
my @supported = split /,/, $supported->{out} =~ s/\n//r;
is(join(',', @supported[ 0 .. 8 ]),
	'encode_force,var,float,decl_tag,type_tag,enum64,optimized_func,consistent_func,decl_tag_kfuncs',
		'features: those of 6.12, in the usual order');
for my $feature (@supported) {
	is(btfcanon('encode', '-q', "--features=$feature", $file)->{status}, 0, "$feature is there");
}

my $help = pahole('--help');
is($help->{status}, 0, '--help');
is($help->{out}, btfcanon('pahole', '-h')->{out}, 'the same under both names');

# ---------------------------------------------------------------- features

is(features_shown(detached()), 'VAR TYPE_TAG ENUM64 DECL_TAG disagrees', 'without options');
is(features_shown(detached("--$_->[0]")), $_->[1], $_->[0])
	for [ skip_encoding_btf_vars => 'TYPE_TAG ENUM64 DECL_TAG disagrees' ],
	[ skip_encoding_btf_decl_tag => 'VAR TYPE_TAG ENUM64 disagrees' ],
	[ skip_encoding_btf_type_tag => 'VAR ENUM64 DECL_TAG disagrees' ],
	[ skip_encoding_btf_enum64 => 'VAR TYPE_TAG DECL_TAG disagrees' ],
	[ skip_encoding_btf_inconsistent_proto => 'VAR TYPE_TAG ENUM64 DECL_TAG' ],
	[ btf_gen_floats => 'VAR FLOAT TYPE_TAG ENUM64 DECL_TAG disagrees' ],
	[ btf_gen_all => 'VAR FLOAT TYPE_TAG ENUM64 DECL_TAG kfunc' ],
	[ btf_gen_optimized => 'VAR TYPE_TAG ENUM64 DECL_TAG disagrees' ],
	[ btf_encode_force => 'VAR TYPE_TAG ENUM64 DECL_TAG disagrees' ];
same_bytes(detached('--btf_features=default'), encoded(), '--btf_features=default is encode');
same_bytes(detached('--btf_features=+var'), encoded(), '+ adds to the default');
same_bytes(detached('--btf_features='), encoded('--features='), 'an empty list');
same_bytes(detached('--btf_features', 'var', '--btf_features=float,enum64'),
	encoded('--features=var,float,enum64'), 'several lists');
same_bytes(detached('--btf_features=var,no_such,float'), encoded('--features=var,float'),
	'what nobody knows is left out');
same_bytes(detached('--btf_gen_floats', '--btf_features=var'), encoded('--features=var'),
	'a list takes away what was on');
same_bytes(detached('--btf_features=var', '--btf_gen_floats'), encoded('--features=var,float'),
	'and what follows adds to it');
same_bytes(detached('--btf_features_strict=var,float'), encoded('--features=var,float'),
	'--btf_features_strict');
refused(pahole('-J', '--btf_features_strict=var,no_such', $file), '--btf_features_strict: ',
	qr/nobody knows 'no_such'/, '--btf_features_strict: what nobody knows is an error');

# What the kernels' own scripts make out of v1.31.
my %kernels = (
	'6.1' => [ [ qw(--btf_gen_floats -j --lang_exclude=rust --skip_encoding_btf_inconsistent_proto
			--btf_gen_optimized) ],
		'VAR FLOAT TYPE_TAG ENUM64 DECL_TAG' ],
	'6.12' => [ [ '-j', '--btf_features=encode_force,var,float,enum64,decl_tag,type_tag,optimized_func,'
			. 'consistent_func,decl_tag_kfuncs', '-j', '--lang_exclude=rust' ],
		'VAR FLOAT TYPE_TAG ENUM64 DECL_TAG kfunc' ],
	'6.12, reproducible' => [ [ '-j', '--btf_features=encode_force,var,float,enum64,decl_tag,type_tag,'
			. 'optimized_func,consistent_func,decl_tag_kfuncs', '-j',
			'--btf_features=+reproducible_build', '--lang_exclude=rust' ],
		'VAR FLOAT TYPE_TAG ENUM64 DECL_TAG kfunc' ],
	'6.16' => [ [ '-j2', '--btf_features=encode_force,var,float,enum64,decl_tag,type_tag,optimized_func,'
			. 'consistent_func,decl_tag_kfuncs', '--btf_features=attributes', '--lang_exclude=rust' ],
		'VAR FLOAT TYPE_TAG ENUM64 DECL_TAG kfunc attribute' ],
);
for my $kernel (sort keys %kernels) {
	my ($options, $shown) = @{ $kernels{$kernel} };
	is(features_shown(detached(@$options)), $shown, "the options of $kernel");
}

# ---------------------------------------------------------------- other options

my $all = detached();
same_bytes(detached(@$_), $all, "@$_") for [ '-j' ], [ '-j3' ], [ '-j', '3' ], [ '-j0' ], [ '--jobs' ],
	[ '--jobs=2' ], [ '--btf_encode' ], [ '--lang_exclude=rust' ], [ '--lang_exclude', 'rust,go' ],
	[ '--btf_gen_fl', '--skip_encoding_btf_v', '--btf_features=', '--btf_features=var,decl_tag,type_tag,enum64' ];
same_bytes(detached('--lang_exclude=rust,c'), encoded('--lang-exclude=c', '--features='), '--lang_exclude');
{
	local $ENV{PAHOLE_LANG_EXCLUDE} = 'c';
	same_bytes(detached(), encoded('--lang-exclude=c', '--features='), '$PAHOLE_LANG_EXCLUDE');
	same_bytes(detached('--lang_exclude=rust'), $all, 'but the option goes before it');
}
my $stats = pahole('-J', '-V', '-j', '2', "--btf_encode_detached=$out", $file);
like($stats->{err}, qr/^threads +2$/m, '-V says what was done; -j 2');
like(pahole('-J', '-V', "--btf_encode_detached=$out", $file)->{err}, qr/^threads +1$/m,
	'one thread if nobody asks for more');
my $before = get($file);
told(pahole('-q', "--btf_encode_detached=$out", $file), '', 'detached: -J need not be said');
same_bytes(get($file), $before, 'detached: the file stays as it was');

# ---------------------------------------------------------------- into the file

sub section_of {
	my ($path) = @_;
	my ($section) = grep { $_->{name} eq '.BTF' } @{ TinyELF::parts(get($path))->{sections} };
	return $section ? $section->{bytes} : undef;
}

my $copy = put('copy.elf', $before);
told(pahole('-J', '-q', $copy), '', '-J');
same_bytes(section_of($copy), $all, '-J: the file has what --btf_encode_detached writes');
same_elsewhere($before, get($copy), ['.BTF'], '-J');
told(pahole('-J', '-j', '--btf_features=var', $copy), '', '-J on what has BTF');
same_bytes(section_of($copy), encoded('--features=var'), '-J on what has BTF: it is replaced');

my $module = put('module.ko', Image->new->unit([ structure_type => { name => 'own', byte_size => 4 },
	[ member => { name => 'v', type => \'int', data_member_location => 0 } ] ])->elf);
my $split = btfcanon('encode', '-q', '--order=name', '--base', $copy, $module)->{out};
for my $base ([ '--btf_base', $copy ], [ "--btf_base=$copy" ]) {
	told(pahole('-J', '-q', @$base, $module), '', '--btf_base');
	same_bytes(section_of($module), $split, '--btf_base: what the base lacks');
}

# ---------------------------------------------------------------- trouble

refused(pahole(@{ $_->[0] }), '', $_->[1], join(' ', 'pahole', map { s{.*/}{}r } @{ $_->[0] }))
	for [ [], qr/only encodes BTF, with -J/ ], [ [ $file ], qr/only encodes BTF, with -J/ ],
	[ [ '-J' ], qr/one file, not 0/ ], [ [ '-J', $file, $file ], qr/one file, not 2/ ],
	[ [ '-C', 'list_head', $file ], qr/this program has no option '-C'/ ],
	[ [ '-J', '--sort', $file ], qr/this program has no option '--sort'/ ],
	[ [ '-J', '--btf_base' ], qr/--btf_base wants a value/ ],
	[ [ '-J', '-jx', $file ], qr/-j wants a number/ ],
	[ [ '-J', '/no/such' ], qr{/no/such: .*No such file} ];
my $broken = put('broken.elf', substr $before, 0, 200);
unlink $out;
refused(pahole('-J', "--btf_encode_detached=$out", $broken), $broken, qr/./, 'a broken file');
ok(!-e $out, 'and nothing is written');
my $bytes = get($broken);
refused(pahole('-J', $broken), $broken, qr/./, 'a broken file, -J');
same_bytes(get($broken), $bytes, 'stays as it was');
refused(pahole('-J', $_), $_, qr/DWARF/, 'a file without DWARF')
	for put('empty.elf', TinyELF::write(sections => [ [ '.data', 'x' ] ], type => 2));
refused(pahole('-J', '--btf_base', $broken, $module), $broken, qr/./, 'a broken base');

done_testing;
