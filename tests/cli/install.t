#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# make install puts everything where it belongs, make uninstall takes all of it away.

use strict;
use warnings;
use File::Find;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use TestUtil;

plan skip_all => 'make is not installed' if !have('make');
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES)};
my $root = scratch('root');

# What was built for the tests is installed as it is.
sub make {
	my @arguments = @_;
	my $built = program() =~ s{/[^/]*$}{}r;
	my $build = $built eq repository() ? 'build' : $built;
	return run('make', '-s', '-C', repository(), "BUILD=$build", 'PROGRAM=' . program(), '-o', program(),
		"DESTDIR=$root", 'PREFIX=/opt/p', @arguments, { memory_mb => 0, seconds => 300 });
}

sub found {
	my @found;
	find({ no_chdir => 1, wanted => sub { push @found, $File::Find::name =~ s/^\Q$root\E//r if !-d || -l } }, $root);
	return sort @found;
}

my $result = make('install-program');
is($result->{status}, 0, 'make install') || diag($result->{err}, $result->{out});
my %found = map { $_ => 1 } found();
my @commands = qw(sort check encode dump header compare assemble pahole archive);
ok($found{$_}, $_) for '/opt/p/bin/btfcanon', '/opt/p/bin/btfcanon-archive', '/opt/p/libexec/btfcanon/pahole',
	'/opt/p/share/man/man1/btfcanon.1', (map { "/opt/p/share/man/man1/btfcanon-$_.1" } @commands),
	'/opt/p/share/bash-completion/completions/btfcanon', '/opt/p/share/zsh/site-functions/_btfcanon',
	'/opt/p/share/fish/vendor_completions.d/btfcanon.fish',
	(map { "/opt/p/share/doc/btfcanon/$_" } qw(README.md LICENSE LGPL-2.1-only.txt BSD-2-Clause.txt archives.md
		compare.schema.json));
is((grep { !m{^/opt/p/} } keys %found), 0, 'nothing beyond the prefix');
is((grep { -x "$root$_" && !m{/(?:bin|libexec)/} } keys %found), 0, 'only programs can be run');

my $link = "$root/opt/p/libexec/btfcanon/pahole";
is(readlink $link, '../../bin/btfcanon', 'the link goes with the folder');
is(run($link, '--version')->{out}, "v1.31\n", 'and is pahole');
is(run("$root/opt/p/bin/btfcanon", '-V')->{out}, btfcanon('-V')->{out}, 'the program runs');
SKIP: {
	skip 'parallel is not installed', 1 if !have('parallel');
	like(run("$root/opt/p/bin/btfcanon-archive", '--help', { memory_mb => 0 })->{out},
		qr/^Usage: btfcanon-archive .*^  btfcanon-archive -o/ms, 'so does the archive, under its name');
}

is(make('uninstall')->{status}, 0, 'make uninstall');
is_deeply([ found() ], [], 'leaves nothing');

# Systems that have things elsewhere.
is(make('install-program', 'LIBEXECDIR=/opt/p/lib/x86', 'MANDIR=/man', 'ZSH_COMPLETION_DIR=/zsh')->{status}, 0,
	'make install with other folders');
is(readlink "$root/opt/p/lib/x86/btfcanon/pahole", '../../../bin/btfcanon', 'the link from there');
ok(-e "$root/$_", $_) for 'man/man1/btfcanon.1', 'zsh/_btfcanon';

done_testing;
