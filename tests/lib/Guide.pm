# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package Guide;

# The commands in a page of docs/, run as they are written. In a block of "console" a line that begins
# with "$ " is a command ("> ": it goes on), and the lines below it are what it says, on both outputs. A
# line "…" stands for any lines, "…" in a line for anything. A command succeeds, or the next one is
# echo $?.

use strict;
use warnings;
use Exporter 'import';
use Test::More;
use TestUtil;

our @EXPORT = qw(guide_blocks follow_guide);

# The fenced blocks of a language in docs/NAME.md.
sub guide_blocks {
	my ($name, $language) = @_;
	my $page = get(repository() . "/docs/$name.md");
	return $page =~ /^```\Q$language\E\n(.*?)^```$/msg;
}

# [command, what it says] of a block.
sub _commands {
	my ($block) = @_;
	my @commands;
	for my $line (split /^/, $block) {
		if ($line =~ /\A\$ (.*)\z/s) {
			push @commands, [ $1, '' ];
		} elsif ($line =~ /\A> (.*)\z/s && $commands[-1][1] eq '') {
			$commands[-1][0] .= $1;
		} else {
			$commands[-1][1] .= $line;
		}
	}
	return @commands;
}

sub _pattern {
	my ($expected) = @_;
	my $pattern = join '', map { $_ eq "…\n" ? '(?:.*\n)*' : join('.*', map { quotemeta } split /…/, $_, -1) }
		split /^/, $expected;
	return qr/\A$pattern\z/;
}

# All commands of a page in one shell, in the test's folder DIR, where btfcanon is the program; a test
# for each.
sub follow_guide {
	my ($name, $dir) = @_;
	my @commands = map { _commands($_) } guide_blocks($name, 'console');
	my $script = "status=0\n";
	for my $command (@commands) {
		my $quoted = $command->[0] =~ s/'/'\\''/gr;
		$script .= "(exit \$status); eval '$quoted' 2>&1; status=\$?; printf '\\001%d\\001' \$status\n";
	}
	mkdir "$dir/.bin";
	symlink program(), "$dir/.bin/btfcanon" or die "btfcanon: $!\n";
	my $result = run('bash', put('guide.sh', $script), { dir => $dir, memory_mb => 0, seconds => 300, env => {
		PATH => "$dir/.bin:" . repository() . ":$ENV{PATH}", HOME => $dir, GIT_CONFIG_NOSYSTEM => 1,
		LC_ALL => 'C.UTF-8', PAGER => 'cat' } });
	my @said = split /\001/, $result->{out}, -1;
	cmp_ok(scalar @commands, '>', 0, "$name: has commands");
	for my $i (0 .. $#commands) {
		my ($command, $expected) = @{ $commands[$i] };
		my ($output, $status) = splice @said, 0, 2;
		my $asks = $i < $#commands && $commands[ $i + 1 ][0] =~ /\Aecho .*\$\?/;
		chomp $command;
		ok(defined $status && ($asks || $status == 0) && $output =~ _pattern($expected), "$name: " . $command =~ s/\n.*//sr)
			|| diag('exit ', $status // 'none', ", it said\n", $output // '', "and not\n$expected");
	}
	return;
}

1;
