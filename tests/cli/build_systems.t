#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# docs/build-systems.md: its rules work as they are written, and commands depend on files alone.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use File::Copy qw(copy);
use File::Path qw(make_path);
use Guide;
use TestUtil;

my %kernel = ('6.1' => fixture('compare/old.btf'), '6.2' => fixture('compare/new.btf'));
my %expected = ('changes.txt' => btfcanon('compare', @kernel{ '6.1', '6.2' })->{out});
for my $name (sort keys %kernel) {
	$expected{"$name/vmlinux.btf"} = btfcanon('sort', $kernel{$name})->{out};
	$expected{"$name/vmlinux.txt"} = btfcanon('dump', $kernel{$name})->{out};
	$expected{"$name/vmlinux.h"} = btfcanon('header', $kernel{$name})->{out};
}

# A folder with kernels and the rules, and btfcanon in the path.
sub project {
	my ($name, $rules, $text) = @_;
	my $dir = scratch($name);
	for my $kernel (keys %kernel) {
		make_path("$dir/kernels/$kernel");
		copy($kernel{$kernel}, "$dir/kernels/$kernel/vmlinux") or die;
	}
	make_path("$dir/bin");
	symlink program(), "$dir/bin/btfcanon" or die;
	put("$dir/$rules", $text);
	return $dir;
}

sub build {
	my ($dir, @command) = @_;
	return run(@command, { dir => $dir, memory_mb => 0, env => { PATH => "$dir/bin:$ENV{PATH}",
		MAKEFLAGS => '', MAKELEVEL => '' } });
}

sub all_is_made {
	my ($dir, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is_deeply([ grep { !-e "$dir/out/$_" || get("$dir/out/$_") ne $expected{$_} } sort keys %expected ], [],
		"$name: all is made, and right");
	return;
}

# Builds, builds nothing, and after a touch builds what comes of it.
sub check_rules {
	my ($name, $dir, $nothing, @command) = @_;
	my $result = build($dir, @command);
	is($result->{status}, 0, "$name: builds") || diag($result->{out}, $result->{err});
	all_is_made($dir, $name);
	like(build($dir, @command)->{out}, $nothing, "$name: then there is nothing to do");
	copy($kernel{'6.1'}, "$dir/kernels/6.2/vmlinux") or die;
	$result = build($dir, @command);
	is($result->{status}, 0, "$name: after a change, too");
	same_bytes(get("$dir/out/6.2/vmlinux.h"), $expected{'6.1/vmlinux.h'}, "$name: what comes of it is new");
	is(-s "$dir/out/changes.txt", 0, "$name: there is no difference any more");
	return;
}

my ($rules, @more) = guide_blocks('build-systems', 'make');
is(@more, 0, 'one makefile');
check_rules('make', project('make', 'Makefile', $rules), qr/Nothing to be done/, 'make', '-j2');

SKIP: {
	skip 'no ninja here', 1 if !have('ninja');
	($rules) = guide_blocks('build-systems', 'ninja');
	check_rules('ninja', project('ninja', 'build.ninja', $rules), qr/no work to do/, 'ninja');
}

# No Bazel: its words, as far as the page uses them.
{
	($rules) = guide_blocks('build-systems', 'starlark');
	my $dir = project('bazel', 'BUILD', $rules);
	my ($kernels) = $rules =~ /^KERNELS = \[(.*)\]$/m;
	my @kernels = $kernels =~ /"([^"]*)"/g;
	my $strings = sub {
		my ($list, $kernel) = @_;
		my @for = $list =~ s/ for kernel in KERNELS// ? @kernels : $kernel;
		my @strings;
		for my $name (@for) {
			my $one = $list =~ s/" \+ kernel \+ "/$name/gr =~ s/" \+ kernel\b/$name"/gr;
			push @strings, $one =~ /"([^"]*)"/g;
		}
		return @strings;
	};
	my $count = 0;
	while ($rules =~ /^(\[?)genrule\(\n(.*?)^\)( for kernel in KERNELS\])?$/msg) {
		my ($open, $body, $for) = ($1, $2, $3);
		is(!!$open, !!$for, 'a list of rules is closed');
		my %attribute = $body =~ /^    (\w+) = (.*),$/mg;
		is_deeply([ sort keys %attribute ], [qw(cmd name outs srcs tools)], 'the attributes of a genrule');
		for my $kernel ($for ? @kernels : '') {
			my @in = map { "$dir/$_" } $strings->($attribute{srcs}, $kernel);
			my ($out) = map { "$dir/$_" } $strings->($attribute{outs}, $kernel);
			my ($tool) = $strings->($attribute{tools});
			my ($command) = $strings->($attribute{cmd});
			make_path($out =~ s{/[^/]*$}{}r);
			my %means = ('$<' => "'$in[0]'", '$@' => "'$out'", '$(SRCS)' => join(' ', map { "'$_'" } @in),
				"\$(location $tool)" => program(), '$$' => '$');
			$command =~ s/(\$(?:\([^)]*\)|.))/$means{$1} \/\/ "unknown"/ge;
			is(build($dir, 'bash', '-c', "set -e; $command")->{status}, 0, "bazel: $command");
			$count++;
		}
	}
	is($count, 7, 'bazel: seven rules');
	# compare names no files in its text, so that is the same, too.
	all_is_made($dir, 'bazel');
}

# Files to files: what else there is shows in no output.
{
	my $object = fixture('compare/new.elf');
	my %commands = (sort => [ $kernel{'6.1'} ], dump => [ '--full', $kernel{'6.1'} ], header => [ $kernel{'6.1'} ],
		encode => [$object], compare => [ '--format=json', @kernel{ '6.1', '6.2' } ]);
	mkdir scratch('elsewhere');
	for my $command (sort keys %commands) {
		my @plain = ($command, @{ $commands{$command} });
		my $bytes = btfcanon(@plain)->{out};
		same_bytes(btfcanon(@plain, '-o', scratch('out'), '-j1', { dir => scratch('elsewhere'),
			env => { LC_ALL => 'tr_TR.UTF-8', TZ => 'Asia/Kathmandu', HOME => '/nowhere', TERM => 'xterm-256color',
				COLUMNS => 20, SOURCE_DATE_EPOCH => 1, TMPDIR => '/nowhere' } })->{out} . get(scratch('out')),
			$bytes, "$command: in another folder, environment and number of threads");
		chmod 0400, scratch('out');
		same_bytes(btfcanon(@plain, '--progress=never', '-o', scratch('out'))->{out} . get(scratch('out')), $bytes,
			"$command: over what was there");
	}
	is_deeply([ glob scratch('elsewhere/*') ], [], 'nothing is left anywhere');
}

done_testing;
