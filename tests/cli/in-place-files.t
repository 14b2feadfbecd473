#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# What a file is besides its bytes when it is rewritten in place; and which files cannot be.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use DWARF;
use InPlace;
use IO::Compress::Gzip ();
use POSIX ();
use TestUtil;
use TinyELF;

my $file = DWARF->new(strings => 'string')->unit([ compile_unit => { language => 12 },
	map { [ base_type => { name => "int$_", byte_size => 4, encoding => 5 } ] } 1 .. 2000 ]);
my $before = $file->elf;
my $expected = btfcanon('encode', '--order=name', put('input.elf', $before))->{out};
my $folder = scratch('in');
mkdir $folder or die;
chmod 0777, $folder;
my $path = "$folder/file";
my $encoder = program();
my $in_place = sub { run($encoder, 'encode', '--in-place', @_) };
my $is_done = sub {
	my ($at, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	same_bytes(TinyELF::section(get($at), '.BTF'), $expected, $name);
};

# Refused, and left as it is.
sub kept {
	my ($at, $what, $name, @options) = @_;
	my ($bytes, $inode) = (get($at), (stat $at)[1]);
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	refused($in_place->($at, @options), $at, $what, $name);
	same_bytes(get($at), $bytes, "$name: which stays as it is");
	is((stat $at)[1], $inode, "$name: as the file that it was");
}

put($path, $before);
quiet($in_place->($path), 'a file');
$is_done->($path, 'has its BTF');
is(listing($folder), 'file', 'nothing is beside it');

# Mode and owner.
for my $mode (0600, 0640, 0755, 0666, 04755, 02711) {
	put($path, $before);
	chmod $mode, $path;
	quiet($in_place->($path, { before => sub { umask 0077 } }), sprintf 'mode %o', $mode);
	is((stat $path)[2] & 07777, $mode, 'which it keeps');
}
SKIP: {
	skip 'needs root', 4 if $>;
	put($path, $before);
	chown 1234, 4321, $path;
	chmod 04750, $path;
	quiet($in_place->($path), "another's file");
	is(join(' ', (stat $path)[ 4, 5 ]), '1234 4321', 'keeps its owner');
	is((stat $path)[2] & 07777, 04750, 'and its mode');
	$is_done->($path, 'and has its BTF');
}
# Links.
put($path, $before);
symlink 'file', "$folder/link" or die;
symlink "$folder/link", "$folder/link2" or die;
quiet($in_place->("$folder/link2"), 'through links');
$is_done->($path, 'the file behind them is rewritten');
ok(-l "$folder/link" && -l "$folder/link2", 'and they stay');
is(listing($folder), 'file link link2', 'nothing is beside them');
unlink "$folder/link", "$folder/link2";
put($path, $before);
link $path, "$folder/twin" or die;
kept($path, qr/has 2 names \(hard links\)/, 'a file with two names');
is((stat "$folder/twin")[1], (stat $path)[1], 'both names are for one file');
unlink "$folder/twin";

# Not to be written.
SKIP: {
	skip 'needs root', 9 if $>;
	my $nobody = { before => sub { POSIX::setgid(65534); POSIX::setuid(65534) } };
	# Where the program is, others may not come.
	$encoder = put('btfcanon', get(program()));
	chmod 0755, $encoder;
	skip 'nobody else can run the program here', 9 if run($encoder, '-V', $nobody)->{status};
	put($path, $before);
	chmod 0444, $path;
	kept($path, qr/cannot write: Permission denied/, 'a read-only file', $nobody);
	chmod 0666, $path;
	chmod 0755, $folder;
	kept($path, qr/cannot create a file in .*Permission denied/, 'in a read-only folder', $nobody);
	chmod 0777, $folder;
	kept($path, qr/cannot keep its owner/, "another's file, without leave to give it back", $nobody);
}
$encoder = program();
is(listing($folder), 'file', 'nothing is beside it');

# No ELF file, or not to be found.
my $gzipped;
IO::Compress::Gzip::gzip(\$before => \$gzipped);
for (
	[ 'raw BTF', $expected, qr/is no ELF file/ ],
	[ 'text', 'text', qr/is no ELF file/ ],
	[ 'an empty file', '', qr/is empty/ ],
	[ 'a compressed file', $gzipped, qr/is compressed: unpack it/ ],
	[ 'half a file', substr($before, 0, 1000), qr/is cut/ ],
) {
	my ($name, $bytes, $what) = @$_;
	kept(put($path, $bytes), $what, $name);
}
refused($in_place->("$folder/none"), "$folder/none", qr/cannot open: No such file/, 'no file');
refused($in_place->($folder), $folder, qr/is a directory/, 'a folder');
refused($in_place->('-'), '-', qr/No such file/, 'standard input has no name');
POSIX::mkfifo("$folder/fifo", 0600) or die;
refused($in_place->("$folder/fifo", { seconds => 5 }), "$folder/fifo", qr/no regular file/, 'a FIFO');
unlink "$folder/fifo";
refused($in_place->('/dev/null'), '/dev/null', qr/no regular file/, 'a device');

# A file that has no name any more.
put($path, $before);
open my $nameless, '+<:raw', $path or die;
unlink $path;
refused($in_place->('/dev/stdin', { before => sub { POSIX::dup2(fileno $nameless, 0) } }),
	'/dev/stdin', qr/has 0 names/, 'a file without a name');
is(-s $nameless, length $before, 'which stays as long as it was');

# A large file, which is copied while its DWARF is read: nothing of the copy is left.
my $filler = [ '.filler', 'f' x (20 << 20) ];
my $damaged = $file->elf(sections => [ [ '.debug_info', 'no units' ], [ '.debug_abbrev', "\0" ], $filler ]);
put($path, $damaged);
kept($path, qr/DWARF|unit|CU/, 'a large file with damaged DWARF');
is(listing($folder), 'file', 'nothing is beside it');
my $large = $file->elf(sections => [ $file->sections, $filler ]);
put($path, $large);
kept($path, qr/cannot write: File too large/, 'a limit on sizes, a large file', { file_kb => 18 << 10 });
is(listing($folder), 'file', 'nothing is beside that');

# No room: the old file stays, nothing is beside it.
put($path, $before);
kept($path, qr/cannot write: File too large/, 'a limit on sizes', { file_kb => 64 });
is(listing($folder), 'file', 'no temporary is left');
SKIP: {
	my $mounted = scratch('full');
	mkdir $mounted or die;
	skip 'no tmpfs without root', 3 if $>
		|| run('mount', '-t', 'tmpfs', '-o', 'size=256k', 'none', $mounted)->{status};
	put("$mounted/file", $before);
	put("$mounted/rest", 'x' x (256 * 1024 - 4096 * POSIX::ceil(length($before) / 4096) - 16384));
	kept("$mounted/file", qr/cannot write: No space left/, 'a full disk');
	is(listing($mounted), 'file rest', 'nothing is beside it');
	run('umount', $mounted);
	skip 'no larger tmpfs', 6 if run('mount', '-t', 'tmpfs', '-o', 'size=30m', 'none', $mounted)->{status};
	put("$mounted/file", $large);
	kept("$mounted/file", qr/cannot write: No space left/, 'a full disk, a large file');
	is(listing($mounted), 'file', 'nothing is beside that either');
	run('umount', $mounted);
}

done_testing;
