#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Kernels' BTF in a git repository: git shows the definitions that changed, and nothing else.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use GitText;
use RealInputs;
use TestUtil;

plan skip_all => 'git is not installed' if !have('git');
my %kernel = map { $_->{name} => $_->{btf} } kernels();

# One kernel, a few real sorts of change: a member more, one less, a value, a function gone.
for my $name (grep { $kernel{$_} } 'running') {
	my $changed = BTF->read($kernel{$name});
	my $task = $changed->one('STRUCT', 'task_struct');
	push @{ $task->{names} }, 'one_more';
	push @{ $task->{nums} }, $task->{nums}[-1];
	push @{ $task->{refs} }, $task->{refs}[-1];
	$task->{vlen}++;
	my $files = $changed->one('STRUCT', 'files_struct');
	pop @{ $files->{$_} } for qw(names nums refs);
	$files->{vlen}--;
	$changed->one('ENUM', 'pid_type')->{names}[0] = 'PIDTYPE_OTHER';
	my $repository = GitText::shows_changes("a changed $name", sort_bytes($kernel{$name}),
		sort_bytes($changed->bytes));
	my $diff = $repository->git('diff', '-U0', 'HEAD~1', 'HEAD', '--', 'a.btf');
	is(scalar(() = $diff =~ /^[-+](?![-+]{2} )/mg), 4, "$name: four lines") || diag($diff);
	like($diff, qr/^\@\@.*\@\@ struct task_struct \{\n\+.*one_more;\n/m,
		"$name: the hunk's header names the struct");
}

SKIP: {
	skip '6.1-amd64 and 6.12-amd64 are not both there', 1
		if !$kernel{'6.1-amd64'} || !$kernel{'6.12-amd64'};
	# On versions so far apart git's search for unchanged blocks misses a few.
	GitText::shows_changes('6.1 to 6.12', (map { sort_bytes($kernel{$_}) }
		qw(6.1-amd64 6.12-amd64)), 1);
}

done_testing;
