#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# BTF in a git repository: git shows the definitions that changed, and nothing else.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use GitText;
use TestUtil;

plan skip_all => 'git is not installed' if !have('git');

my ($old, $new) = map { get(fixture("compare/$_.btf")) } qw(old new);
my $repository = GitText::shows_changes('two programs', sort_bytes($old), sort_bytes($new));

# However the new one lies in its file: the text is of the types.
$repository->commit('a.btf', BTF->read($new)->shuffled(1), 'shuffled');
is($repository->git('diff', 'HEAD~1', 'HEAD', '--', 'a.btf'), '', 'other ids: git shows no line');
like($repository->git('diff', '--stat', 'HEAD~1', 'HEAD', '--', 'a.btf'), qr/a\.btf/,
	'but that it is another file');

# A repository that holds text alone: the bytes come back out of any commit.
my $text = btfcanon('dump', '--full', put('a.btf', $new))->{out};
$repository->commit('a.txt', $text, 'text');
$repository->commit('a.txt', btfcanon('dump', '--full', put('a.btf', $old))->{out}, 'the old one');
same_bytes(btfcanon('assemble', '-', { stdin => $repository->git('show', 'HEAD~1:a.txt') })->{out},
	sort_bytes($new), 'git show | btfcanon assemble');

# A file that is damaged: git says so and shows no diff.
put("$repository->{folder}/a.btf", 'damaged');
my $result = run('git', 'diff', { dir => $repository->{folder}, env => {
	HOME => $repository->{folder}, GIT_CONFIG_NOSYSTEM => 1 } });
isnt($result->{status}, 0, 'git diff of a damaged file fails');
like($result->{err}, qr/btfcanon: .*neither BTF/, 'with the reason');

done_testing;
