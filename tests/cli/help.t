#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# --help: a screen for every command, with examples, and the whole text, with all options.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use TestUtil;

my @commands = qw(sort check encode dump header compare assemble pahole);

sub text_of {
	my @words = @_;
	my $result = btfcanon(@words);
	is($result->{status}, 0, "@words: exit 0");
	is($result->{err}, '', "@words: nothing on standard error");
	return $result->{out};
}

# A screen has 24 lines of 80 columns, and the last line is the shell's, which waits for more.
sub fits_screen {
	my ($text, $name) = @_;
	cmp_ok($text =~ tr/\n//, '<=', 23, "$name: lines of a screen");
	fits_columns($text, $name);
}

sub fits_columns {
	my ($text, $name) = @_;
	is_deeply([ grep { length > 80 } split /\n/, $text ], [], "$name: columns of a screen");
	unlike($text, qr/[^\n\x20-\x7e]/, "$name: characters of a screen");
}

# The options that begin a line.
sub options_in { return map { /(?<![\w-])(--?\w[\w-]*)/g } map { /^( +-.*?)(?:  \S|$)/ } split /\n/, $_[0] }

# What completion offers is what the command takes.
sub taken_by { return map { /^(--[^\t=]+)/ } split /\n/, btfcanon('--complete', $_[0], '--')->{out} }

# The usage, then what it does in a few lines, then options, examples, and where the rest is. The whole
# text has the other options as well. The lines of the examples.
sub has_form {
	my ($program, $manual, $screen, $all) = @_;

	fits_screen($screen, "$program --help");
	fits_columns($all, "$program --help=all");
	my ($usage, @parts) = split /\n\n/, $screen;
	my ($rest, $examples, $options, @about) = reverse @parts;
	like($usage, qr/\AUsage: \Q$program\E /, "$program --help: how to call it");
	cmp_ok(scalar(map { split /\n/ } @about), '<=', 6, "$program --help: what it does");
	cmp_ok(scalar(options_in($options)), '>=', 3, "$program --help: the options that most people need");
	like($examples, qr/\AExamples:\n(?:.*\n)*  \Q$program\E .*(?:\n|\z)/, "$program --help: an example");
	is($rest, "All options: $program --help=all (details: man $manual)\n", "$program --help: where the rest is");
	my $begin = join "\n\n", $usage, reverse($options, @about);
	is(substr($all, 0, length $begin), $begin, "$program --help=all: as --help");
	like($all, qr/\n\n\Q$examples\E\n\z/, "$program --help=all: the same examples");
	return split /\n/, $examples;
}

for my $command (@commands) {
	my $screen = text_of($command, '--help');
	my $all = text_of($command, '--help=all');

	is(text_of($command, '-h'), $screen, "$command -h is --help");
	is(text_of('help', $command), $screen, "help $command is $command --help");
	is(text_of($command, '--help', '/no/such/file'), $screen, "$command --help reads no input");

	my @examples = has_form("btfcanon $command", "btfcanon-$command", $screen, $all);
	my %told = map { $_ => 1 } options_in($all =~ s/^Examples:.*//msr);
	ok(delete $told{$_}, "$command --help=all: $_") for taken_by($command);
	is_deeply([ grep { /^--/ } sort keys %told ], [], "$command --help=all: none that it does not take");

	# Examples can be typed as they stand.
	for my $example (@examples) {
		next if $example !~ /^ +(?:sudo )?btfcanon (\w+) ([^|&]*)/;
		my ($of, $words) = ($1, $2);
		my %taken = map { $_ => 1 } taken_by($of);
		ok($taken{$_}, "$command --help: $_ in an example of $of")
			for $words =~ /(?<!\S)(--[\w-]+)/g;
		like(" $words", qr/ -o | --in-place /, "$command --help: no bytes on a terminal in an example")
			if $of =~ /^(?:sort|encode|assemble)$/;
	}
	refused(btfcanon($command, '--help=some'), '', qr/--help is all, not 'some'/, "$command --help=some");
}

my $help = text_of('--help');
fits_screen($help, '--help');
like($help, qr/^  $_ +\S/m, "--help names $_") for @commands;
like($help, qr/^Example.*\n  btfcanon \w/m, '--help: an example');
like($help, qr/^  btfcanon COMMAND --help=all /m, '--help: where the rest is');
is(text_of($_), $help, "$_ is --help") for '-h', 'help';
is(text_of('--help', 'sort'), text_of('sort', '--help'), '--help sort is sort --help');
is(text_of('--help=all', 'sort'), text_of('sort', '--help=all'), '--help=all sort is sort --help=all');
is(text_of('--help=all'), join("\n", $help, map { text_of($_, '--help=all') } @commands),
	'--help=all has all options of all commands');

# The archive is a script of its own; what it takes stands in its man page.
my $archive = repository() . '/scripts/archive';
my ($archive_screen, $archive_all, $archive_short) =
	map { run($archive, $_, { memory_mb => 0 })->{out} } '--help', '--help=all', '-h';
has_form('scripts/archive', 'btfcanon-archive', $archive_screen, $archive_all);
is($archive_short, $archive_screen, 'scripts/archive -h is --help');
my %archive_told = map { $_ => 1 } options_in($archive_all =~ s/^Examples:.*//msr);
my @archive_described = map { "-$_" } map { /(?:Fl|,) (?!Fl)(-?\w[\w-]*)/g } grep { /^\.It Fl/ }
	split /\n/, get(repository() . '/docs/man/btfcanon-archive.1');
is_deeply([ sort keys %archive_told ], [ sort @archive_described ], 'scripts/archive --help=all: all options');

for my $words ([qw(--help)], [qw(--help=all)], [qw(sort --help)], [qw(sort --help=all)]) {
	refused(btfcanon(@$words, { stdout_to => '/dev/full' }), '', qr/No space/, "@$words to a full disk");
}

done_testing;
