# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package GitText;

# A git repository with BTF in it, shown as text as the README says; and whether a diff shows the
# definitions that changed and nothing else.

use strict;
use warnings;
use Test::More;
use TestUtil;

# An empty repository in folder NAME of the test's own.
sub new {
	my ($class, $name) = @_;
	my $self = bless { folder => scratch($name) }, $class;
	mkdir $self->{folder} or die;
	$self->git('init', '-q');
	$self->git('config', 'diff.btf.textconv', "'" . program() . "' dump");
	$self->git('config', 'diff.algorithm', 'histogram');
	put("$self->{folder}/.gitattributes", "*.btf diff=btf\n");
	return $self;
}

sub git {
	my ($self, @arguments) = @_;
	my $result = run('git', '-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c',
		'init.defaultBranch=main', '-c', 'color.ui=never', @arguments,
		{ dir => $self->{folder}, seconds => 300, env => { HOME => $self->{folder},
			GIT_CONFIG_NOSYSTEM => 1, GIT_CONFIG_GLOBAL => "$self->{folder}/none" } });
	$result->{status} == 0 || diag("git @arguments: $result->{err}");
	return $result->{out};
}

sub commit {
	my ($self, $file, $bytes, $message) = @_;
	put("$self->{folder}/$file", $bytes);
	$self->git('add', '.');
	return $self->git('commit', '-q', '-m', $message);
}

# The blocks of a text, each with the number of its first line.
sub blocks {
	my ($text) = @_;
	my @blocks;
	my $number = 0;
	for my $line (split /^/, $text) {
		$number++;
		push @blocks, { first => $number, text => '' } if $line !~ /\A[\t})]/;
		$blocks[-1]{text} .= $line;
	}
	return @blocks;
}

# By line number: whether the line is of a block that the other text does not have.
sub changed_lines {
	my ($text, $other) = @_;
	my %there;
	$there{ $_->{text} }++ for blocks($other);
	my @changed;
	for my $block (blocks($text)) {
		my $is_changed = !$there{ $block->{text} } || !$there{ $block->{text} }--;
		push @changed, ($is_changed) x ($block->{text} =~ tr/\n//);
	}
	return @changed;
}

# The lines that a diff shows as changed, of blocks that did not change; and how many it shows.
# OLD and NEW are the texts.
sub surplus {
	my ($diff, $old, $new) = @_;
	my @old = changed_lines($old, $new);
	my @new = changed_lines($new, $old);
	my ($at_old, $at_new, $shown, $left_old, $left_new) = (0, 0, 0, 0, 0);
	my @surplus;
	for my $line (split /\n/, $diff) {
		if ($line =~ /\A@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/) {
			($at_old, $at_new) = ($1, $3);
			($left_old, $left_new) = ($2 // 1, $4 // 1);
		} elsif ($left_old + $left_new <= 0) {
			next; # a header
		} elsif ($line =~ /\A-/) {
			push @surplus, $line if !$old[ $at_old++ - 1 ];
			$left_old--;
			$shown++;
		} elsif ($line =~ /\A\+/) {
			push @surplus, $line if !$new[ $at_new++ - 1 ];
			$left_new--;
			$shown++;
		} elsif ($line =~ /\A /) {
			($at_old, $at_new) = ($at_old + 1, $at_new + 1);
			($left_old, $left_new) = ($left_old - 1, $left_new - 1);
		}
	}
	return (\@surplus, $shown);
}

# git diff, git show and git log -p on two versions: the changed definitions, and nothing else (but
# for so many lines of a thousand).
sub shows_changes {
	my ($name, $old_bytes, $new_bytes, $per_thousand) = @_;
	my $repository = GitText->new("repository-$name");
	my $old = btfcanon('dump', '-q', put('old.btf', $old_bytes), { seconds => 120 })->{out};
	my $new = btfcanon('dump', '-q', put('new.btf', $new_bytes), { seconds => 120 })->{out};
	$repository->commit('a.btf', $old_bytes, 'old');
	$repository->commit('a.btf', $new_bytes, 'new');

	my $diff = $repository->git('diff', 'HEAD~1', 'HEAD', '--', 'a.btf');
	my ($surplus, $shown) = surplus($diff, $old, $new);
	cmp_ok($shown, '>', 0, "$name: git diff shows text");
	note("$shown lines");
	cmp_ok(@$surplus * 1000, '<=', $shown * ($per_thousand // 0),
		"$name: git diff shows lines of changed definitions only")
		|| diag(join "\n", @$surplus[ 0 .. ($#$surplus < 9 ? $#$surplus : 9) ]);
	# What the old one and the diff make is the new one: nothing was left out.
	my ($gone) = scalar(grep { $_ } changed_lines($old, $new));
	my ($come) = scalar(grep { $_ } changed_lines($new, $old));
	cmp_ok($shown - @$surplus, '<=', $gone + $come, "$name: and no more lines than these have");
	is(($new =~ tr/\n//) - ($old =~ tr/\n//),
		scalar(() = $diff =~ /^\+(?!\+\+ )/mg) - scalar(() = $diff =~ /^-(?!-- )/mg),
		"$name: all of them");

	my $hunks = $diff =~ s/\A.*?(?=^@@)//smr;
	is($repository->git('show', 'HEAD') =~ s/\A.*?(?=^@@)//smr, $hunks,
		"$name: git show shows the same");
	my $log = $repository->git('log', '-p', '-1', '--', 'a.btf');
	is($log =~ s/\A.*?(?=^@@)//smr, $hunks, "$name: git log -p shows the same");
	$repository->git('config', 'diff.btf.cachetextconv', 'true');
	is($repository->git('log', '-p', '-1', '--', 'a.btf'), $log, "$name: with cachetextconv")
		for 1, 2;
	return $repository;
}

1;
