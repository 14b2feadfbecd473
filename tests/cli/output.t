#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Where output goes: files, links, devices, pipes, terminals; what stays behind when it fails.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;
use File::Path qw(make_path);
use POSIX ();

my $b = BTF->new;
my $int = $b->int('int', 4);
$b->struct("s$_", 4, [ [ "member$_", $int, 0 ] ]) for reverse 1 .. 3000;
my $input = put('input.btf', $b->bytes);
my $sorted = btfcanon('sort', $input)->{out};
cmp_ok(length $sorted, '>', 80_000, 'an output of some size');

my $folder = scratch('out');
make_path($folder);
my $listing = sub { opendir my $d, $_[0] // $folder or die; return join ' ',
	sort grep { !/^\.\.?$/ } readdir $d };

# Links: the file behind changes, the link stays.
put("$folder/real", 'old');
symlink 'real', "$folder/link" or die;
symlink 'link', "$folder/link2" or die;
quiet(btfcanon('sort', $input, '-o', "$folder/link2"), 'through two links');
ok(-l "$folder/link" && -l "$folder/link2", 'which stay links');
same_bytes(get("$folder/real"), $sorted, 'the file behind them is written');
symlink 'fresh', "$folder/dangling" or die;
quiet(btfcanon('sort', $input, '-o', "$folder/dangling"), 'through a link to nothing yet');
same_bytes(get("$folder/fresh"), $sorted, 'makes what it names');
symlink 'loop', "$folder/loop" or die;
refused(btfcanon('sort', $input, '-o', "$folder/loop"), "$folder/loop", qr/symbolic links/,
	'a link to itself');
make_path("$folder/sub");
put("$folder/sub/deep", 'old');
symlink "$folder/sub/deep", "$folder/far" or die;
quiet(btfcanon('sort', $input, '-o', "$folder/far"), 'through a link into another folder');
same_bytes(get("$folder/sub/deep"), $sorted, 'which is written there');
is($listing->("$folder/sub"), 'deep', 'with nothing beside it');

# Modes: those of the file that is replaced; of a new one, as the mask says.
chmod 0640, "$folder/real";
quiet(btfcanon('sort', $input, '-o', "$folder/real"), 'over a file');
is((stat "$folder/real")[2] & 07777, 0640, 'keeps its mode');
my $masked = btfcanon('sort', $input, '-o', "$folder/masked", { before => sub { umask 027 } });
is((stat "$folder/masked")[2] & 07777, 0640, 'a new file obeys the mask');

# No file: written directly.
refused(btfcanon('sort', $input, '-o', $folder), $folder, qr/directory/, 'a folder');
refused(btfcanon('sort', $input, '-o', "$folder/none/out"), "$folder/none/out", qr/No such file/,
	'in a folder that is not there');
refused(btfcanon('sort', $input, '-o', "$folder/real/out"), "$folder/real/out", qr/Not a directory/,
	'in a file');
refused(btfcanon('sort', $input, '-o', ''), '', qr/./, 'without a name');
refused(btfcanon('sort', $input, '-o', "$folder/" . 'n' x 300), '', qr/name too long/i,
	'a name that is too long');
quiet(btfcanon('sort', $input, '-o', "$folder/" . 'n' x 250), 'a name of 250 bytes');
unlink "$folder/" . 'n' x 250;
quiet(btfcanon('sort', $input, '-o', '/dev/null'), '/dev/null');
ok(-c '/dev/null', 'is still a device');
refused(btfcanon('sort', $input, '-o', '/dev/full'), '/dev/full', qr/No space left/, '/dev/full');
refused(btfcanon('sort', $input, { stdout_to => '/dev/full' }), 'standard output',
	qr/No space left/, 'standard output on a full disk');
refused(btfcanon('check', $input, { stdout_to => '/dev/full' }), 'standard output',
	qr/No space left/, 'check on a full disk');
refused(btfcanon('dump', $input, { stdout_to => '/dev/full' }), 'standard output',
	qr/No space left/, 'dump on a full disk');
SKIP: {
	skip 'no /sys', 1 if !-d '/sys/kernel';
	refused(btfcanon('sort', $input, '-o', '/sys/kernel/x'), '/sys/kernel/',
		qr/Permission denied|not permitted|Read-only/, 'a folder that takes no files');
}
POSIX::mkfifo("$folder/fifo", 0600) or die;
my $through = run('bash', '-c', '"$1" sort "$2" -o "$3" & cat "$3"; wait $!', 'run', program(),
	$input, "$folder/fifo");
same_bytes($through->{out}, $sorted, 'into a named pipe');
ok(-p "$folder/fifo", 'which is still one');

# A reader that goes away.
my $gone = run('bash', '-c', '"$1" sort "$2" 2>"$3" | head -c 10 >/dev/null; exit ${PIPESTATUS[0]}',
	'run', program(), $input, scratch('gone.err'));
like($gone->{status}, qr/^(?:2|0)$/, 'a reader that goes away: no signal') || diag($gone->{status});
my $never = run('bash', '-c',
	'mkfifo "$3"; exec 5<>"$3"; exec 6>"$3"; exec 5>&-; exec 5<&-; "$1" sort "$2" >&6', 'run',
	program(), $input, scratch('nobody'));
refused($never, 'standard output', qr/reader|Broken pipe/, 'a pipe that nobody reads');
my $closed = run('bash', '-c', 'exec "$1" sort "$2" >&-', 'run', program(), $input);
is($closed->{status}, 2, 'closed standard output');
like($closed->{err}, qr/\Abtfcanon: [^\n]*\n\z/, 'is told in one line');

# A limit on the size of files, as a full disk: nothing half-written.
put("$folder/limited", 'old');
for my $ignored (1, 0) {
	my $limited = btfcanon('sort', $input, '-o', "$folder/limited",
		{ file_kb => 16, before => sub { $SIG{XFSZ} = $ignored ? 'IGNORE' : 'DEFAULT' } });
	refused($limited, "$folder/limited", qr/File too large/, 'a limit on the size of files'
		. ($ignored ? '' : ', with its signal'));
	is(get("$folder/limited"), 'old', 'leaves the old file');
}
unlike($listing->(), qr/limited\S/, 'and no temporary');

# A disk that is really full.
SKIP: {
	my $disk = scratch('disk');
	make_path($disk);
	my $script = 'mount -t tmpfs -o size=32k none "$3" 2>/dev/null || exit 77; echo old >"$3/out"; "$1" sort "$2" -o "$3/out"; echo "exit $?"; ls -A "$3"; cat "$3/out"';
	my $result = run('unshare', '-m', 'bash', '-c', $script, 'run', program(), $input, $disk);
	skip 'no file system of our own to fill (needs root)', 2 if $result->{status} != 0;
	is($result->{out}, "exit 2\nout\nold\n", 'a full disk: exit 2, the old file, nothing else');
	like($result->{err}, qr/\Abtfcanon: \Q$disk\E\/out: [^\n]*No space left[^\n]*\n\z/,
		'and one line');
}

# As somebody who may not write there.
SKIP: {
	my $locked = scratch('locked');
	make_path($locked);
	put("$locked/old", 'old');
	put("$locked/mine", 'old');
	chmod 0444, "$locked/old";
	chmod 0666, "$locked/mine";
	chmod 0555, $locked;
	my $copy = put('btfcanon', get(program()));
	chmod 0755, $copy;
	my $other = sub { if ($> == 0) { POSIX::setgid(65534); POSIX::setuid(65534) } };
	my $try = run($copy, '-V', { before => $other });
	skip 'nobody else can run the program here', 4 if $try->{status} != 0;
	refused(run($copy, 'sort', $input, '-o', "$locked/new", { before => $other }), "$locked/",
		qr/Permission denied/, 'a read-only folder');
	refused(run($copy, 'sort', $input, '-o', "$locked/old", { before => $other }), "$locked/",
		qr/Permission denied/, 'a read-only file');
	is(get("$locked/old"), 'old', 'which stays');
	is($listing->($locked), 'mine old', 'and nothing new');
	chmod 0755, $locked;
	chmod 0000, $input;
	refused(run($copy, 'sort', $input, { before => $other }), $input, qr/Permission denied/,
		'an input that may not be read');
	chmod 0644, $input;
}

# Binary output is not for a terminal.
SKIP: {
	skip 'script(1) is not installed', 3 if !have('script');
	my $tty = run('script', '-qec', "'" . program() . "' sort '$input'; echo exit \$?",
		'/dev/null', { seconds => 20 });
	skip "script(1) does not work here: $tty->{err}", 3 if $tty->{out} !~ /exit \d/;
	like($tty->{out}, qr/btfcanon: .*terminal.*-o/, 'a terminal is told to take -o');
	like($tty->{out}, qr/exit 2/, 'with exit 2');
	my $text = run('script', '-qec', "'" . program() . "' dump '$input' >/dev/null; '"
		. program() . "' dump '$input' | head -n 1; echo exit \$?", '/dev/null',
		{ seconds => 20 });
	like($text->{out}, qr/exit 0/, 'text may go to a terminal');
}

is($listing->(), 'dangling far fifo fresh limited link link2 loop masked real sub',
	'nothing is left behind');

done_testing;
