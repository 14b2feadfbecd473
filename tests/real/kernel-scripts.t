#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The kernel's own scripts and Makefiles, those of Debian's linux-source packages, call the program as
# pahole: what they ask it, what flags they choose, and that they find in the file what they go on with.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Features;
use TestUtil;
use RealInputs;

my %limits = (memory_mb => 0, seconds => 600);
my @sources = grep { -r $_->[1] } map { [ $_, "/usr/src/linux-source-$_.tar.xz" ] } qw(6.1 6.12);
plan skip_all => 'no /usr/src/linux-source-6.1.tar.xz or 6.12 (packages linux-source-*)' if !@sources;
plan skip_all => "no $_ here" for grep { !TestUtil::have($_) } qw(gcc ld objcopy make tar xz);

my $link = scratch('pahole');
symlink program(), $link or die "$link: $!\n";
my $image = put('image.elf', features_image()->elf);

# Runs a shell's text in a folder.
sub shell { return run('sh', '-ec', $_[1], { %limits, dir => $_[0], env => $_[2] // {} }) }

# The flags that they choose; ENV as make has it.
sub flags {
	my ($tree, %variables) = @_;
	$variables{PAHOLE} = $link;
	return shell($tree, 'sh scripts/pahole-flags.sh', \%variables)
		if -e "$tree/scripts/pahole-flags.sh";
	put("$tree/flags.mk", <<'END');
include scripts/Kbuild.include
CONFIG_PAHOLE_VERSION := $(shell scripts/pahole-version.sh $(PAHOLE))
CONFIG_PAHOLE_HAS_LANG_EXCLUDE := y
include scripts/Makefile.btf
all:; @echo $(PAHOLE_FLAGS)
module:; @echo $(MODULE_PAHOLE_FLAGS)
END
	my $goal = delete $variables{GOAL} // 'all';
	return shell($tree, "make -s -f flags.mk $goal", \%variables);
}

sub asked_and_answered {
	my ($version, $tree) = @_;
	my $asked = shell($tree, "sh scripts/pahole-version.sh $link");
	is("$asked->{status}|$asked->{out}|$asked->{err}", "0|131\n|", 'pahole-version.sh');
	my %flags = (plain => flags($tree));
	$flags{reproducible} = flags($tree, KBUILD_BUILD_TIMESTAMP => 'now') if $version eq '6.12';
	for my $name (sort keys %flags) {
		my $flags = $flags{$name};
		is("$flags->{status}|$flags->{err}", '0|', "$name flags: chosen");
		like($flags->{out}, qr/-j.* --lang_exclude=rust/, "$name flags: of a pahole of today");
		my $out = scratch('out.btf');
		my @words = split ' ', $flags->{out};
		quiet(run($link, '-J', '-q', "--btf_encode_detached=$out", @words, $image),
			"$name flags: taken");
		is(features_shown(get($out)),
			'VAR FLOAT TYPE_TAG ENUM64 DECL_TAG' . ($version eq '6.12' ? ' kfunc' : ''),
				"$name flags: mean what they say");
	}
	return $flags{plain}{out} =~ s/\n//r;
}

# gen_btf of link-vmlinux.sh: BTF into the image, from there into an object to be linked.
sub linked_in {
	my ($tree, $flags) = @_;
	my ($function) = get("$tree/scripts/link-vmlinux.sh") =~ /^(gen_btf\(\)\n\{.*?^\})/ms;
	put("$tree/image.elf", get($image));
	my $result = shell($tree, <<"END", { PAHOLE => $link, PAHOLE_FLAGS => "$flags -q", OBJCOPY => 'objcopy' });
info() { :; }
vmlinux_link() { :; }
is_enabled() { false; }
$function
gen_btf image.elf image.elf.btf.o
END
	quiet($result, 'link-vmlinux.sh: gen_btf');
	my $bytes = real_btf("$tree/image.elf");
	same_bytes(real_btf("$tree/image.elf.btf.o"), $bytes, 'the object has what the image has');
	my $check = check_bytes($bytes, '--order=name', '-q');
	is($check->{status}, 0, 'canonical, in name order') || diag($check->{err});
	my $linked = shell($tree, <<'END');
echo 'extern char __start_BTF[], __stop_BTF[]; int main(void) { return __start_BTF == __stop_BTF; }' >main.c
gcc main.c image.elf.btf.o -Wl,--defsym=__start_BTF=0,--defsym=__stop_BTF=0 -o main
END
	is($linked->{status}, 0, 'and can be linked') || diag($linked->{err});
	same_bytes(real_btf("$tree/main"), $bytes, 'with the same bytes');
	return;
}

# Makefile.modfinal: a module's BTF on the kernel's, made again when the kernel's changes.
sub module_made {
	my ($tree, $flags) = @_;
	put("$tree/kernel.c", <<'END');
struct shared { int a; };
struct shared shared;
int in_kernel(struct shared *p) { return p->a; }
int main(void) { return in_kernel(&shared); }
END
	put("$tree/m.c", <<'END');
struct shared { int a; };
struct own { struct shared *shared; };
int in_module(struct own *own) { return own->shared->a; }
END
	my $make = 'make -s -f scripts/Makefile.modfinal srctree=. objtree=. MODORDER=modules.order LD=ld CC=gcc'
		. " OBJCOPY=objcopy PAHOLE=$link PAHOLE_FLAGS='$flags' KBUILD_BUILTIN=1"
		. ' RESOLVE_BTFIDS="echo resolved"';
	my $result = shell($tree, <<"END");
mkdir -p include/config include/linux
: >include/linux/compiler_types.h
: >scripts/module-common.c
: >scripts/module.lds
: >m.mod
: >m.mod.c
printf '#!/bin/sh\\n' >scripts/basic/fixdep
chmod +x scripts/basic/fixdep
printf 'CONFIG_%s\\n' DEBUG_INFO_BTF_MODULES=y PAHOLE_VERSION=131 >include/config/auto.conf
grep -q 'modules:%.o=%.ko' scripts/Makefile.modfinal && echo m.o >modules.order || echo m.ko >modules.order
gcc -g -O2 -c m.c -o m.o
gcc -g -O2 kernel.c -o vmlinux
$link -J $flags vmlinux
$make
END
	is($result->{status}, 0, 'Makefile.modfinal') || diag($result->{err});
	like($result->{out}, qr/^resolved -b vmlinux m\.ko$/m, 'goes on after it');
	my $base = real_btf("$tree/vmlinux");
	my $first = real_btf("$tree/m.ko");
	my $btf = BTF->read($first, BTF->read($base));
	is(join(' ', map { $_->{name} } $btf->find('STRUCT'), $btf->find('FUNC')), 'own in_module',
		'the module has what the kernel lacks');
	my $check = check_bytes($first, '--order=name', '-q', '--base', "$tree/vmlinux");
	is($check->{status}, 0, 'canonical, in name order') || diag($check->{err});

	# Another kernel: the module is not linked again, only its BTF is made anew.
	my $again = shell($tree, <<"END");
sed -i 's/struct shared shared/struct shared shared; struct more { long l; } more/' kernel.c
sleep 1
gcc -g -O2 kernel.c -o vmlinux
$link -J $flags vmlinux
$make
END
	is($again->{status}, 0, 'Makefile.modfinal on another kernel') || diag($again->{err});
	isnt(real_btf("$tree/m.ko"), $first, 'the module has other BTF');
	$check = check_bytes(real_btf("$tree/m.ko"), '--order=name', '-q', '--base', "$tree/vmlinux");
	is($check->{status}, 0, 'canonical on that') || diag($check->{err});

	my $broken = shell($tree, "sed -i 's/int a;/int a, b;/' m.c; gcc -c m.c -o m.o; $make");
	isnt($broken->{status}, 0, 'a module without DWARF stops make');
	like($broken->{err}, qr/^btfcanon: m\.ko: [^\n]*DWARF/m, 'and says why');
	return;
}

for my $source (@sources) {
	my ($version, $archive) = @$source;
	subtest $version => sub {
		my $tree = scratch("tree-$version");
		mkdir $tree or die "$tree: $!\n";
		my $unpacked = run('tar', '-C', $tree, '--strip-components=1', '--wildcards', '-xf', $archive,
			'*/scripts/*', {%limits});
		is($unpacked->{status}, 0, "$archive: scripts") || return;
		my $flags = asked_and_answered($version, $tree);
		linked_in($tree, $flags);
		module_made($tree, $flags);
	};
}

done_testing;
