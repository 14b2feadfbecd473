#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The library as it is installed: what it exports and keeps, its header in C and C++, and programs in
# docs/examples/ that are built against it, shared and static, which do what the command line does.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFIds;
use File::Copy qw(copy);
use File::Path qw(make_path);
use Guide;
use TestUtil;
use TinyELF;

my $root = $ENV{BTFCANON_ROOT} // '';
plan skip_all => 'no library is installed for tests: make check does that' if !-e "$root/usr/include/btfcanon.h";

my $header = get("$root/usr/include/btfcanon.h");
my $library = "$root/usr/lib";
my @functions = sort $header =~ /^BTFCANON_API .*?\b(btfcanon_\w+)\(/mg;
cmp_ok(scalar @functions, '>=', 20, 'the header has functions');

sub tool {
	my (@command) = @_;
	my $result = run(@command, { memory_mb => 0 });
	is($result->{status}, 0, "@command[0 .. 1]") || diag($result->{err});
	return $result->{out};
}

# ---- what is in it ----

sub exports_the_header_only {
	my @shared = tool('nm', '-D', '--defined-only', "$library/libbtfcanon.so") =~ /^[0-9a-f]+ T (\S+)$/mg;
	is_deeply([ sort @shared ], [ map { "$_\@\@BTFCANON_0.1" } @functions ],
		'shared: exports what the header has, with a version');
	my @all = tool('nm', '-g', '--defined-only', "$library/libbtfcanon.a") =~ /^[0-9a-f]+ \w (\S+)$/mg;
	is_deeply([ sort grep { !/asan|ubsan|__odr|__gcov/ } @all ], \@functions, 'static: the same');
	my ($soname) = tool('readelf', '-d', "$library/libbtfcanon.so") =~ /SONAME.*\[(.*)\]/;
	is($soname, 'libbtfcanon.so.0', 'it has a name');
	is(readlink "$library/$soname", 'libbtfcanon.so.' . version(), 'which leads to the file');
	return;
}

sub version {
	return (btfcanon('-V')->{out} =~ /(\d+\.\d+\.\d+)/)[0];
}

# Nothing that changes is outside of objects; nothing prints, ends the process or changes its ways.
sub has_no_state {
	my $symbols = tool('objdump', '-t', "$library/libbtfcanon.so.0");
	my @changing = grep { !/^(?:completed\.\d+|__dso_handle|__TMC_END__)$/ } $symbols =~ /^[0-9a-f]+ .{7} \.(?:t?bss|t?data)\s+[0-9a-f]+\s+(\S+)$/mg;
	my @called = map { s/\@.*//r } tool('nm', '-D', '--undefined-only', "$library/libbtfcanon.so") =~ /^ +U (\S+)$/mg;
	my %unwanted = map { $_ => 1 } qw(exit _exit quick_exit abort __assert_fail atexit printf __printf_chk puts
		putchar perror stdout stderr stdin fprintf vfprintf psignal signal sigaction sigprocmask raise kill
		alarm getenv secure_getenv setenv putenv unsetenv setlocale chdir umask mallopt sbrk fork system
		popen execve rand srand random strtok localtime gmtime strerror libbpf_set_print dlopen);
	cmp_ok(scalar @called, '>', 50, 'it calls others');
	# Sanitizers have state, and so has what counts lines, which calls more as well.
	my $counts_lines = $symbols =~ /gcov/;
	is_deeply([ $counts_lines ? () : grep { $unwanted{$_} } @called ], [],
		'but nothing that all of the process would see');
	is_deeply([ $ENV{BTFCANON_SAN} || $counts_lines ? () : @changing ], [], 'there is no state');
	return;
}

# ---- building with it ----

sub pkg_config {
	my ($static, @packages) = @_;
	my $result = run('pkg-config', ($static ? '--static' : ()), '--cflags', '--libs', @packages, { memory_mb => 0, env => {
		PKG_CONFIG_PATH => "$library/pkgconfig", PKG_CONFIG_SYSROOT_DIR => $root } });
	is($result->{status}, 0, "pkg-config knows @packages") || diag($result->{err});
	return split ' ', $result->{out};
}

my @cc = split ' ', $ENV{BTFCANON_CC} // 'cc';

sub compiles {
	my ($name, @command) = @_;
	# There, since what counts lines leaves files where it is compiled.
	my $result = run(@command, { memory_mb => 0, dir => scratch() });
	is("$result->{status} $result->{out}$result->{err}", '0 ', $name);
	return;
}

sub header_fits {
	my @flags = ('-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Wundef', '-Werror', '-fsyntax-only',
		grep { /^-I/ } pkg_config(0, 'btfcanon'));
	# Twice, and nothing before it; a call so that it is no empty file.
	my $text = "#include <btfcanon.h>\n#include <btfcanon.h>\nconst char *f(void);\n"
		. "const char *f(void) { return btfcanon_version(); }\n";
	compiles("the header is C: $_", @cc, "-std=$_", @flags, '-xc', put('header.c', $text)) for qw(c99 gnu11);
	my $cxx = have('c++') // have('g++') // have('clang++');
	SKIP: {
		skip 'no C++ compiler is installed', 1 if !$cxx;
		compiles("the header is C++: $_", $cxx, "-std=$_", @flags, '-xc++', put('header.cc', $text)) for qw(c++11 c++17);
	}
	return;
}

# Where to find a program of docs/examples/, linked to one of the libraries.
sub example {
	my ($name, $how, @packages) = @_;
	my $program = scratch("$name.$how");
	my $static = $how eq 'static';
	make_path(scratch('static'));
	copy("$library/libbtfcanon.a", scratch('static/libbtfcanon.a')) or die;
	compiles("$name is built, $how", @cc, '-Wall', '-Wextra', '-Werror', ($static ? '-L' . scratch('static') : ()),
		repository() . "/docs/examples/$name.c", '-o', $program, pkg_config($static, 'btfcanon', @packages));
	my $needed = tool('readelf', '-d', $program) =~ /NEEDED.*\[libbtfcanon\.so\.0\]/;
	is(!$needed, $static, "$name: $how is what it says");
	return sub {
		my %o = ref $_[-1] ? %{ pop @_ } : ();
		return run($program, @_, { %o, memory_mb => 0, env => { LD_LIBRARY_PATH => $library } });
	};
}

sub same_output {
	my ($result, $status, $expected, $err, $name) = @_;
	is($result->{status}, $status, "$name: exit code");
	same_bytes($result->{out}, $expected, $name);
	like($result->{err}, $err, "$name: standard error");
	return;
}

# ---- the examples ----

sub canonical_is_sort {
	my ($how) = @_;
	my $canonical = example('canonical', $how);
	for my $input (fixture('vectors/rich.be.btf'), fixture('cases/object.bpfel.elf')) {
		same_output($canonical->($input), 0, btfcanon('sort', $input)->{out}, qr/\A\d+ types, \d+ of them merged/,
			"canonical, $how: " . $input =~ s{.*/}{}r);
	}
	my ($split, $base) = map { fixture("cases/split_$_.btf") } qw(module base);
	same_output($canonical->($split, $base), 0, btfcanon('sort', '--base', $base, $split)->{out}, qr/types/,
		"canonical, $how: split");
	my ($own, $below) = map { get($_) } $split, $base;
	my $both = put('both.elf', TinyELF::write(sections => [ [ '.BTF', $own ], [ '.BTF.base', $below ] ]));
	same_output($canonical->($both), 0, btfcanon('sort', $both)->{out}, qr/types/, "canonical, $how: .BTF.base");
	same_output($canonical->($both, $base), 2, '', qr/\A[^\n]*brings its own base[^\n]*\n\z/,
		"canonical, $how: two bases");
	my $cut = put('cut.elf', TinyELF::write(sections => [ [ '.BTF', $own ], [ '.BTF.base', substr $below, 0, 30 ] ]));
	same_output($canonical->($cut), 2, '', qr/\A[^\n]*\Q$cut\E: \.BTF\.base: [^\n]+\n\z/,
		"canonical, $how: a bad .BTF.base");
	my $laid = put('laid.btf', BTF->read(get(fixture('vectors/rich.btf')))->bytes(header => 32,
		layout => BTF::layout_bytes(0, @BTF::LAYOUT)));
	same_output($canonical->($laid), 0, btfcanon('sort', $laid)->{out}, qr/types/, "canonical, $how: a layout");
	my $missing = scratch('missing');
	same_output($canonical->($missing), 2, '', qr/\Acanonical: \Q$missing\E: [^\n]+\n\z/, "canonical, $how: no file");
	return;
}

sub encode_is_encode {
	my ($how) = @_;
	my $encode = example('encode', $how);
	my @files = map { fixture("functions/several_$_.elf") } qw(one two three);
	my @options = ('encode', '--features=default,global_var');
	same_output($encode->(@files), 0, btfcanon(@options, @files)->{out}, qr/\A\z/, "encode, $how");
	same_output($encode->('-', { stdin_from => $files[0] }), 0, btfcanon(@options, $files[0])->{out}, qr/\A\z/,
		"encode, $how: standard input");
	same_output($encode->(fixture('compare/old.btf')), 2, '', qr/\Aencode: Invalid argument: [^\n]+\n\z/,
		"encode, $how: no ELF file");
	return;
}

sub changes_are_compared {
	my ($how) = @_;
	my $changes = example('changes', $how);
	my @kernels = map { fixture("compare/$_.btf") } qw(old new);
	same_output($changes->(@kernels), 1,
		btfcanon('compare', '--format=json', '--kind=struct,func', @kernels)->{out},
		qr/\A\d+ structs and functions changed\n\z/, "changes, $how");
	is($changes->(@kernels[ 0, 0 ])->{status}, 0, "changes, $how: nothing");
	return;
}

# As the program does it in place, but for the NULs that fill up a linked image's .BTF.
sub resolves {
	my ($resolve, $path, $base, $name) = @_;
	my $result = $resolve->($path, $base ? $base : ());
	is($result->{status}, 0, "$name: done") || diag($result->{err});
	my ($btf, $ids) = map { get("$path.$_") } qw(BTF BTF_ids);
	my ($copy, $base_copy) = (put('copy', get($path)), $base ? put('base_copy', get($base)) : undef);
	my $new_base = $base ? put('base_name', btfcanon('sort', '--order=name', $base)->{out}) : undef;
	quiet(btfcanon('sort', '--in-place', ($base ? ('--base', $base) : ()), $copy), $name);
	my $wanted = TinyELF::section(get($copy), '.BTF');
	same_bytes($btf . "\0" x (length($wanted) - length $btf), fill_away($wanted, $btf), "$name: the types");
	same_bytes($ids, TinyELF::section(get($copy), '.BTF_ids'), "$name: the ids");
	return;
}

# The header of a filled up BTF has a longer string section.
sub fill_away {
	my ($wanted, $btf) = @_;
	substr($wanted, 20, 4) = substr $btf, 20, 4 if length $wanted > length $btf;
	return $wanted;
}

sub ids_are_resolved {
	my ($how) = @_;
	my $resolve = example('resolve_ids', $how, 'libbpf', 'libelf');
	in_both_orders(sub {
		my ($big, $order) = @_;
		for my $shape ([ 64, 2 ], [ 32, 2 ], [ 64, 1 ]) {
			my ($bits, $type) = @$shape;
			my $b = BTF->read(ids_types($big)->shuffled($bits + $type));
			my ($ids, $symbols) = ids_section($b, 1, ids_items(''));
			my $path = put('vmlinux', ids_file($b, $ids, $symbols, bits => $bits, type => $type));
			resolves($resolve, $path, undef, "resolve_ids, $how: $order, $bits bits, type $type");
		}
		my $base_bytes = btfcanon('sort', '--order=name', put('base.btf', ids_types($big)->bytes))->{out};
		my $base = BTF->read($base_bytes);
		my $own_bytes = ids_types($big, $base)->bytes;
		my ($ids, $symbols) = ids_section(BTF->read($own_bytes, $base), 1, ids_items('own_'));
		resolves($resolve, put('module.ko', ids_file($base, $ids, $symbols, type => 1, raw => $own_bytes)),
			put('base.btf', $base_bytes), "resolve_ids, $how: $order, module");
	});
	return;
}

# ---- the pages ----

# Every piece of code stands in an example, which is built above.
sub pages_are_true {
	my $dir = repository() . '/docs/examples';
	my $examples = join "\n", map { s/^\s+//gmr } map { get($_) } glob "$dir/*.c";
	my @blocks = guide_blocks('library', 'c');
	cmp_ok(scalar @blocks, '>', 3, 'docs/library.md shows code');
	for my $block (map { s/^\s+//gmr } @blocks) {
		my ($first) = split /\n/, $block;
		ok(index($examples, $block) >= 0, "docs/library.md: an example has: $first");
	}
	my $manual = get(repository() . '/docs/man/libbtfcanon.3');
	is_deeply([ grep { $manual !~ /^\.F[no] \Q$_\E\b/m } @functions ], [], 'the man page has all functions');
	return;
}

exports_the_header_only();
has_no_state();
header_fits();
is((pkg_config(0, '--modversion', 'btfcanon'))[0], version(), 'pkg-config tells the version');
for my $how (qw(shared static)) {
	canonical_is_sort($how);
	encode_is_encode($how);
	changes_are_compared($how);
	ids_are_resolved($how);
}
pages_are_true();
done_testing;
