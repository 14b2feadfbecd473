#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Completion: what the program offers, that help, man pages and completion know the same options, and
# that bash, zsh and fish make words of it.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use TestUtil;

# Words that the last of these can become, without what they mean.
sub offered {
	my $result = btfcanon('--complete', @_);
	return ("exit $result->{status}", $result->{err}) if $result->{status} || $result->{err};
	return map { (split /\t/)[0] } split /\n/, $result->{out};
}

my @commands = qw(sort check encode dump header compare assemble pahole);
is_deeply([ offered('') ], \@commands, 'the commands');
is_deeply([ offered('s') ], ['sort'], 'those that begin so');
is_deeply([ offered('help', 'c') ], [ 'check', 'compare' ], 'help COMMAND');
is_deeply([ offered('x') ], [], 'none');
is_deeply([ offered('frobnicate', '') ], [], 'nothing of a command that is not there');
like(btfcanon('--complete', '')->{out}, qr/^check\t\S.*valid/m, 'and what a command does');

is_deeply([ offered('sort', '--o') ], [ '--output', '--order=' ], 'options');
like(btfcanon('--complete', 'sort', '--de')->{out},
	qr/^--dedup\tforward declarations .* \(with several inputs always\)$/, 'and all that help says of one');
is_deeply([ grep { /^--base-/ } offered('compare', '--') ], [], 'not by their other names');
is_deeply([ offered('sort', '--order=') ], [ '--order=canonical', '--order=name' ], 'values behind =');
is_deeply([ offered('sort', '--order', '') ], [ 'canonical', 'name' ], 'values as a word');
is_deeply([ offered('sort', '--order', 'name', '--pointer-size=') ],
	[ '--pointer-size=4', '--pointer-size=8' ], 'behind another option');
is_deeply([ offered('compare', '--color=a') ], [ '--color=auto', '--color=always' ],
	'of an option that needs no value');
is_deeply([ offered('compare', '--color', '--st') ], [ '--stat', '--stats' ], 'which takes no word');
is_deeply([ offered('encode', '--features=+gl') ], ['--features=+global_var'], 'of a list');
is_deeply([ offered('encode', '--features=var,float,va') ], [], 'not what is in it');
is_deeply([ offered('encode', '--features=var,fl') ], ['--features=var,float'], 'its next word');
is_deeply([ offered('pahole', '--btf_features', 'tr') ], ['true_signature'], "pahole's");
is_deeply([ offered('sort', '--max-vlen=') ], [], 'none for a number');
is_deeply([ offered('sort', '--dedup=') ], [], 'none where there is no value');
is_deeply([ offered('sort', '--he'), offered('sort', '--help=') ], [ '--help', '--help=all' ], 'of help');

my $btf_files = '*.btf *.o *.ko *.ko.gz *.ko.xz *.ko.zst vmlinu*';
sub files { return btfcanon('--complete', @_)->{out} }
is(files('sort', ''), ":files\t\t$btf_files\n", 'an operand is a file');
is(files('assemble', 'x'), ":files\t\t*.txt\n", 'or a text');
is(files('sort', '--base', ''), ":files\t\t$btf_files\n", 'a value that is a file');
is(files('sort', '--base=v'), ":files\t--base=\t$btf_files\n", 'and behind =');
is(files('sort', '-qo', ''), ":files\t\t*\n", 'and of a letter');
is(files('sort', '-ox', '-'), files('sort', '-'), 'which may have it with it');
is(files('sort', '--', '--o'), ":files\t\t$btf_files\n", 'all behind --');

# Help, man page, completion: the same options.
sub sorted { my %seen; return [ sort grep { !$seen{$_}++ } @_ ] }

for my $command (@commands) {
	my $help = btfcanon($command, '--help=all')->{out};
	my $page = get(repository() . "/docs/man/btfcanon-$command.1");
	my $common = $command eq 'pahole' ? '' : get(repository() . '/docs/man/btfcanon.1');
	my @described = map { /(?:Fl|,) -([a-z][\w-]*)/g } grep { /^\.It/ } split /\n/, "$page$common";
	my @offered = map { s/=$//r } offered($command, '--');
	my @told = map { /(--[a-z][\w-]*)/g } grep { /^ +-/ } split /\n/, $help =~ s/^Examples?:.*//msr;
	is_deeply(sorted(@told), sorted(@offered), "$command: help names the options that are offered");
	my %meaning = map { /^(--[^\t=]+)=?\t(.*)$/ } split /\n/, btfcanon('--complete', $command, '--')->{out};
	for my $option (@offered) {
		my ($beside, $below) = $help =~ /^ +(?=-)[^\n]*?$option(?![\w-]).*?(?: {2,}(\S.*))?\n((?: {24}\S.*\n)*)/m;
		my $told = join ' ', grep { length } $beside, map { s/^ +//r } split /\n/, $below // '';
		like($told, qr/^\w/, "$command: help says what $option does");
		is($meaning{$option}, $told, "$command: and completion says the same");
		ok((grep { "--$_" eq $option } @described), "$command: the man page describes $option");
	}
	for my $name (grep { !/^(?:base-|version$)/ } @described) {
		ok((grep { $_ eq "--$name" } @offered), "$command: --$name of the man page is offered");
	}
}

# Every man page says what exit codes mean, and how to use the command.
for my $path (glob repository() . '/docs/man/*.1') {
	my ($name, $page) = ($path =~ m{([^/]+)$}, get($path));
	like($page, qr/^\.Sh EXIT STATUS\n(?:(?!\.Sh).*\n)*?.*\b2\b/m, "$name: exit codes");
	like($page, qr/^\.Sh EXAMPLES\n/m, "$name: examples");
}

# Each value that is offered is taken.
my $b = BTF->new;
$b->struct('s', 4, [ [ 'n', $b->int('int', 4), 0 ] ]);
my $file = put('in.btf', $b->bytes);
for my $case ([ 'sort', '--order' ], [ 'sort', '--pointer-size' ], [ 'sort', '--progress' ],
	[ 'compare', '--kind' ], [ 'compare', '--color' ], [ 'compare', '--format' ],
	[ 'compare', '--old-from' ]) {
	my ($command, $option) = @$case;
	my @inputs = ($file) x ($command eq 'compare' ? 2 : 1);
	for my $word (offered($command, "$option=")) {
		next if $word =~ /=dwarf$/;
		is(btfcanon($command, $word, @inputs)->{status}, 0, "$command $word");
	}
}
unlike(btfcanon('encode', $_, $file)->{err}, qr/--features/, "encode $_")
	for offered('encode', '--features=');

# ---- the shells ----

my $folder = scratch('files');
mkdir $folder or die "$folder: $!\n";
put("$folder/$_", '') for qw(one.btf notes.txt vmlinux), 'two words.btf';
my $scripts = repository() . '/completion';
my $path = program() =~ s{/[^/]*$}{}r;

# What each shell makes of a line: the word that it ends with then, or the words it offers.
my @lines = (
	[ 'btfcanon as',                       'assemble' ],
	[ 'btfcanon sort --ord',               '--order=' ],
	[ 'btfcanon sort --order=n',           '--order=name' ],
	[ 'btfcanon sort --order n',           'name' ],
	[ 'btfcanon encode --features=var,fl', '--features=var,float' ],
	[ 'btfcanon sort --base o',            'one.btf' ],
	[ 'btfcanon sort --base=o',            '--base=one.btf' ],
	[ 'btfcanon assemble n',               'notes.txt' ],
	[ 'btfcanon sort n',                   'notes.txt' ],
);

# Readline's view of a line: words end at blanks, "=" and ":" are words of their own. What comes
# back replaces the last of those words.
my $bash = <<'END';
. "$1/btfcanon"
COMP_LINE=$2 COMP_POINT=${#2}
mapfile -t COMP_WORDS < <(sed 's/\([=:]\)/\n\1\n/g; s/ /\n/g' <<<"$2" | grep .)
case $2 in *' ') COMP_WORDS+=('') ;; esac
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
complete -p btfcanon >/dev/null && _btfcanon
printf '%s\n' "${COMPREPLY[@]}"
END

SKIP: {
	skip 'bash is not installed', @lines + 2 if !have('bash');
	my $bash_offers = sub {
		my $result = run('bash', '-c', $bash, 'bash', $scripts, $_[0],
			{ dir => $folder, env => { PATH => "$path:$ENV{PATH}" } });
		diag($result->{err}) if $result->{err};
		return split /\n/, $result->{out};
	};
	for my $line (@lines) {
		my $word = $line->[1] =~ s/^--\w+=(?=.)//r;
		is_deeply([ $bash_offers->($line->[0]) ], [$word], "bash: $line->[0]");
	}
	is_deeply([ sort(sorted($bash_offers->('btfcanon sort '))->@*) ],
		[ 'one.btf', 'two words.btf', 'vmlinux' ], 'bash: files that may be BTF');
	is_deeply([ $bash_offers->('btfcanon sort --order=') ], [ 'canonical', 'name' ],
		'bash: behind =');
}

SKIP: {
	skip 'fish is not installed', @lines + 1 if !have('fish');
	my $fish_offers = sub {
		my $result = run('fish', '--no-config', '-c', 'source $argv[1]; complete -C $argv[2]',
			"$scripts/btfcanon.fish", $_[0],
			{ dir => $folder, memory_mb => 0, env => { PATH => "$path:$ENV{PATH}", HOME => scratch() } });
		return map { (split /\t/)[0] } split /\n/, $result->{out};
	};
	is_deeply([ $fish_offers->($_->[0]) ], [ $_->[1] ], "fish: $_->[0]") for @lines;
	is_deeply([ $fish_offers->('btfcanon sort ') ], [ 'one.btf', 'two words.btf', 'vmlinux' ],
		'fish: files that may be BTF');
}

# A zsh at a terminal of its own: each line with a Tab behind it, and what is in the buffer then.
my $zsh = <<'END';
zmodload zsh/zpty || exit 3
zpty -b shell "TERM=dumb PS1='> ' zsh -f -i"
zpty -w shell 'fpath=('${(q)1}' $fpath); autoload -Uz compinit; compinit -u -D; bindkey "^I" complete-word; show() { print -r -- "<<$BUFFER>>" }; zle -N show; bindkey "^X" show; print ready-$((1 + 1))'
zpty -r shell out '*ready-2*'
shift
for line; do
	zpty -w -n shell "$line"$'\t\x18'
	zpty -r shell out '*<<*>>*'
	print -r -- "${${out##*<<}%%>>*}"
	zpty -w -n shell $'\x15'
done
zpty -d shell
END

SKIP: {
	skip 'zsh is not installed', scalar @lines if !have('zsh');
	my $result = run('zsh', '-f', '-c', $zsh, 'zsh', $scripts, (map { $_->[0] } @lines),
		{ dir => $folder, memory_mb => 0, env => { PATH => "$path:$ENV{PATH}", HOME => scratch() } });
	skip 'zsh has no zpty', scalar @lines if $result->{status} == 3;
	my @buffers = split /\n/, $result->{out};
	for my $i (0 .. $#lines) {
		my ($line, $word) = @{ $lines[$i] };
		is(($buffers[$i] // '') =~ s/ $//r, $line =~ s/\S+$/$word/r, "zsh: $line");
	}
}

done_testing;
