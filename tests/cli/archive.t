#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# scripts/archive: what it makes, what it leaves alone, and what is left when it is stopped.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Fcntl qw(:flock F_SETFD);
use File::Basename qw(basename dirname);
use File::Copy qw(copy);
use File::Find;
use File::Path qw(make_path remove_tree);
use Objects;
use TestUtil;

plan(skip_all => 'no GNU parallel here')
	if !have('parallel') || run('parallel', '--version', { memory_mb => 0 })->{out} !~ /^GNU parallel/;

# A btfcanon that keeps a list of its calls, and does what $DO says when $WHEN matches one.
my $calls = scratch('calls');
my $logging = put('logging', <<'END');
#!/bin/sh
[ "$1" = -V ] || echo "$*" >>"$CALLS"
if [ -n "$WHEN" ] && echo "$*" | grep -q -- "$WHEN"; then
	eval "$DO"
fi
exec "$REAL" "$@"
END
chmod 0755, $logging;

# Runs scripts/archive -o OUT @arguments; the calls of btfcanon are in $result->{calls}.
sub archive {
	my ($out, @arguments) = @_;
	my %o = ref $arguments[-1] ? %{ pop @arguments } : ();
	unlink $calls;
	my $result = run(repository() . '/scripts/archive', '-o', scratch($out), '--program', $logging,
		@arguments, { memory_mb => 0, seconds => 300, %o,
		env => { CALLS => $calls, REAL => program(), HOME => scratch(), %{ $o{env} // {} } } });
	$result->{calls} = [ split /\n/, -e $calls ? get($calls) : '' ];
	return $result;
}

# Puts the bytes of FILE into a folder of kernels as NAME.
sub kernel {
	my ($folder, $name, $file) = @_;
	make_path(dirname(scratch("$folder/$name")));
	copy($file, scratch("$folder/$name")) or die "$name: $!\n";
	return;
}

# All files below a folder, without what may be lost.
sub files {
	my ($folder) = @_;
	my @found;
	find({ no_chdir => 1, wanted => sub {
		push @found, substr($_, 1 + length scratch($folder)) if -f && !m{/\.archive/};
	} }, scratch($folder));
	return [ sort @found ];
}

sub same_archives {
	my ($left, $right, $name) = @_;
	my ($l, $r) = map { files($_) } $left, $right;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is_deeply($l, $r, "$name: the same files") || return;
	is_deeply([ grep { get(scratch("$left/$_")) ne get(scratch("$right/$_")) } @$l ], [],
		"$name: the same bytes");
	return;
}

sub refused_by_archive {
	my ($result, $what, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	ok($result->{status} == 2 && $result->{err} =~ /\Aarchive: [^\n]*$what[^\n]*\n\z/, $name)
		|| diag("exit $result->{status}: $result->{err}");
	return;
}

my ($old, $new) = (fixture('compare/old.btf'), fixture('compare/new.btf'));
my $example = fixture('example/example.btf');
kernel('in', '6.1.0-9-amd64/vmlinux', $old);
kernel('in', 'boot/vmlinuz-6.1.0-10-amd64', $new);
kernel('in', '6.1.0-9-rt-amd64.btf', $example);
kernel('in', 'no kernel', $old);
kernel('in', 'boot/vmlinuz', $old);

# All is made, and is what the commands make.
{
	my $result = archive('a', scratch('in'));
	is($result->{status}, 0, 'a new archive') || diag($result->{err});
	is($result->{err}, '', 'not a word of trouble');
	like($result->{out}, qr/^3 kernels: 3 made, 0 there already, 0 failed; 1 comparisons made, 0 failed$/m,
		'it says what was done');
	my @each = qw(origin.txt vmlinux.btf vmlinux.h vmlinux.txt);
	is_deeply(files('a'), [ sort map { my $k = $_; map { "$k/$_" } @each, $k =~ /-10-/
		? qw(compare.json compare.txt previous.txt) : () }
		qw(6.1.0-9-amd64 6.1.0-10-amd64 6.1.0-9-rt-amd64) ], 'a folder for each');
	my $btf = scratch('a/6.1.0-10-amd64/vmlinux.btf');
	same_bytes(get($btf), sort_bytes(get($new)), 'vmlinux.btf is sort');
	same_bytes(get(scratch('a/6.1.0-10-amd64/vmlinux.txt')), btfcanon('dump', $new)->{out},
		'vmlinux.txt is dump');
	same_bytes(get(scratch('a/6.1.0-10-amd64/vmlinux.h')), btfcanon('header', $btf)->{out},
		'vmlinux.h is header');
	my @both = map { "$_/vmlinux.btf" } '6.1.0-9-amd64', '6.1.0-10-amd64';
	for my $form ([ text => 'txt' ], [ json => 'json' ]) {
		my $said = btfcanon('compare', "--format=$form->[0]", @both, { dir => scratch('a') })->{out};
		same_bytes(get(scratch("a/6.1.0-10-amd64/compare.$form->[1]")), $said,
			"compare.$form->[1] is compare, with 9 before 10");
	}
	like(get(scratch('a/6.1.0-10-amd64/origin.txt')),
		qr/^input +vmlinuz-6\.1\.0-10-amd64\ninput-sha256 [0-9a-f]{64}\n.*^program +btfcanon /ms,
		'origin.txt says what it was made of');
	like(get(scratch('a/.archive/joblog')), qr/^Seq\tHost\t.*\n(?:[1-3]\t.*\n){4}\z/, 'a log of four jobs');
}

# What is there costs nothing.
{
	my $result = archive('a', scratch('in'));
	is($result->{status}, 0, 'once more');
	is_deeply($result->{calls}, [], 'nothing is made');
	like($result->{out}, qr/\A3 kernels: 0 made, 3 there already/, 'and it says so');
	utime(1, 1, scratch('in/6.1.0-9-amd64/vmlinux'));
	unlink scratch('a/.archive/seen');
	is_deeply(archive('a', scratch('in'))->{calls}, [], 'with other times: known by hash');
	$result = archive('a', '--dry-run', '--encode', scratch('in'));
	like($result->{out}, qr/^to make +6\.1\.0-10-amd64, made from BTF$/m, '--dry-run says what and why');
	is_deeply($result->{calls}, [], 'and does nothing');
}

# One more, between two; and one that changed.
{
	kernel('in', '6.1.0-9.1-amd64.btf', $example);
	my $result = archive('a', scratch('in'));
	like($result->{out}, qr/^4 kernels: 1 made, 3 there already, 0 failed; 2 comparisons/m, 'one more');
	is(grep({ !/^compare/ } @{ $result->{calls} }), 3, 'it alone is made');
	like(get(scratch('a/6.1.0-10-amd64/compare.json')), qr{^"old":"6\.1\.0-9\.1-amd64/vmlinux\.btf",$}m,
		'the next is compared with it');
	kernel('in', '6.1.0-9-amd64/vmlinux', $example);
	$result = archive('a', scratch('in'));
	like($result->{out}, qr/^4 kernels: 1 made, 3 there already, 0 failed; 1 comparisons/m,
		'another file of a name');
	remove_tree(scratch('a/6.1.0-9-amd64'));
	unlink scratch('in/6.1.0-9-amd64/vmlinux');
	archive('a', scratch('in/boot'));
	ok(!-e scratch('a/6.1.0-9.1-amd64/compare.txt'), 'the first has nothing to be compared with');
	kernel('in', '6.1.0-9-amd64/vmlinux', $old);
	unlink scratch('in/6.1.0-9.1-amd64.btf');
	remove_tree(scratch('a/6.1.0-9.1-amd64'));
	archive('a', scratch('in'));
	kernel('in', 'experiment/vmlinux', $new);
	archive('a', scratch('in'));
	is(get(scratch('a/experiment/vmlinux.btf')), sort_bytes(get($new)), 'a name without a version');
	remove_tree(map { scratch("$_/experiment") } 'in', 'a');
	put('a/6.1.0-10-amd64/origin.txt', '');
	like(archive('a', scratch('in'))->{out}, qr/ 1 made, 2 there/, 'an origin.txt that says nothing');
	archive('b', scratch('in'));
	same_archives('a', 'b', 'however it came to be');
}

# Another version makes all anew; a version that differs from the one that planned makes nothing.
{
	put('b/6.1.0-9-amd64/vmlinux.h', 'of another day');
	like(archive('b', '--again', scratch('in/6.1.0-9-amd64'))->{out},
		qr/^1 kernels: 1 made, 0 there already, 0 failed; 0 comparisons/m, '--again');
	same_archives('b', 'a', '--again');
	my $other = { WHEN => '^-V', DO => 'echo btfcanon 99; exit 0' };
	like(archive('b', '--dry-run', scratch('in'), { env => $other })->{out},
		qr/^to make +6\.1\.0-9-amd64, made by btfcanon (?!99)/m, 'another version makes all anew');
}

# One fails, the others do not; the next run makes what is missing.
{
	my $result = archive('c', scratch('in'),
		{ env => { WHEN => 'header.*6.1.0-9-amd64', DO => 'echo short >&2; exit 2' } });
	is($result->{status}, 2, 'one fails: exit 2');
	is($result->{err}, "archive: 6.1.0-9-amd64: short\n", 'it says which and why');
	like($result->{out}, qr/2 made, 0 there already, 1 failed/, 'the others are made');
	ok(!-e scratch('c/6.1.0-9-amd64'), 'nothing of it is there');
	$result = archive('c', scratch('in'));
	like($result->{out}, qr/^3 kernels: 1 made, 2 there already, 0 failed; 1 comparisons/m, 'then it is made');
	same_archives('c', 'a', 'after a failure');
	$result = archive('c', '--encode', scratch('in'));
	is($result->{status}, 2, 'kernels without DWARF cannot be encoded');
	same_archives('c', 'a', 'what there was stays');
}

# Killed, all at once, at a bad moment.
{
	my $result = archive('d', '-j1', scratch('in'), { before => sub { $ENV{GROUP} = getpgrp },
		env => { WHEN => 'header.*6.1.0-9-amd64', DO => 'kill -9 -$GROUP $PPID $$' } });
	is($result->{signal}, 9, 'killed');
	is_deeply([ grep { m{^6\.1\.0-9-amd64} } @{ files('d') } ], [], 'nothing is half there');
	ok(-e scratch('d/.archive/work/6.1.0-9-amd64.new/vmlinux.btf'), 'half of it is elsewhere');
	$result = archive('d', scratch('in'));
	is($result->{status}, 0, 'started again') || diag($result->{err});
	like($result->{out}, qr/^3 kernels: [12] made, [12] there already/m, 'it goes on');
	same_archives('d', 'a', 'after a kill');
	is_deeply([ glob scratch('d/.archive/work/*') ], [], 'nothing is left over');

	# The moment between the two renames.
	rename(scratch('d/6.1.0-9-amd64'), scratch('d/.archive/work/6.1.0-9-amd64.old')) or die;
	is_deeply(archive('d', scratch('in'))->{calls}, [], 'an old folder that was moved away comes back');
	same_archives('d', 'a', 'then');
	my $held;
	$result = archive('d', scratch('in'), { before => sub {
		open my $lock, '>', scratch('d/.archive/lock') or die;
		flock($lock, LOCK_EX);
		fcntl($lock, F_SETFD, 0);
		$held = $lock;
	} });
	refused_by_archive($result, qr/another run is at work/, 'two at once');
}

# BTF out of DWARF, where there is no other; packages.
SKIP: {
	my $why = no_assembler();
	skip $why, 2 if defined $why;
	kernel('dwarf', '5.4.0/vmlinux', object('part1.v5'));
	my $result = archive('e', scratch('dwarf'));
	like($result->{out}, qr/^made +5\.4\.0, from DWARF$/m, 'out of DWARF') || diag($result->{err});
	same_bytes(get(scratch('e/5.4.0/vmlinux.btf')), btfcanon('encode', '-q', object('part1.v5'))->{out},
		'vmlinux.btf is encode');
}

SKIP: {
	skip 'no dpkg-deb', 2 if !have('dpkg-deb');
	my $root = scratch('package');
	make_path("$root/DEBIAN", "$root/boot", scratch('debs'));
	chmod 0755, "$root/DEBIAN" or die; # dpkg-deb wants it so, whatever the umask
	put("$root/DEBIAN/control", "Package: linux-image-6.1.0-9-amd64\nVersion: 6.1.1-1\nArchitecture: all\n"
		. "Maintainer: none <none\@localhost>\nDescription: a kernel\n");
	copy($old, "$root/boot/vmlinuz-6.1.0-9-amd64") or die;
	put("$root/boot/System.map-6.1.0-9-amd64", 'no kernel');
	run('dpkg-deb', '-b', $root, scratch('debs/linux-image-6.1.0-9-amd64_6.1.1-1_all.deb'), { memory_mb => 0 });
	my $result = archive('f', scratch('debs'));
	is($result->{status}, 0, 'a package') || diag($result->{err});
	same_bytes(get(scratch('f/6.1.0-9-amd64/vmlinux.btf')), get(scratch('a/6.1.0-9-amd64/vmlinux.btf')),
		'its kernel');
}

# On another machine, which is this one, in another folder.
SKIP: {
	skip 'no rsync', 2 if !have('rsync');
	make_path(scratch('home'));
	my $ssh = put('ssh', <<'END');
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
shift
[ "$1" != -- ] || shift
cd "$THERE" && HOME=$THERE SHELL=/bin/sh exec sh -c "$*"
END
	chmod 0755, $ssh;
	my $result = archive('g', '-S', '1/elsewhere', '-S', '1/:', scratch('in'), '--', '--delay', '0',
		{ env => { PARALLEL_SSH => $ssh, THERE => scratch('home') } });
	is($result->{status}, 0, 'on two machines') || diag($result->{err});
	same_archives('g', 'a', 'on two machines');
	like(get(scratch('g/.archive/joblog')), qr/^\d+\telsewhere\t/m, 'the other one did work');
	is_deeply([ glob scratch('home/.parallel/tmp/*') ], [], 'nothing is left there');
	unlink glob scratch('home/*');
	$result = archive('h', '-S', '1/elsewhere', scratch('in/boot'), { env => { PARALLEL_SSH => $ssh,
		THERE => scratch('home'), WHEN => '^-V', DO => 'case $PWD in */home/*) echo btfcanon 98; exit 0; esac' } });
	is($result->{status}, 2, 'another version on another machine');
	like($result->{err}, qr/^archive: 6\.1\.0-10-amd64: btfcanon 98 is here, not btfcanon /m, 'is trouble');
}

# What cannot be.
{
	kernel('two', 'a/vmlinuz-6.1.0', $old);
	kernel('two', 'b/vmlinuz-6.1.0', $new);
	refused_by_archive(archive('x', scratch('two')), qr/two files for 6\.1\.0: /, 'two files of one name');
	refused_by_archive(archive('x', scratch('missing')), qr/missing: not there/, 'a folder that is not there');
	refused_by_archive(archive('x', scratch('home')), qr/no kernel of a name/, 'a folder without kernels');
	refused_by_archive(archive('x', scratch('in'), '--program', scratch('missing')), qr/cannot be run/,
		'a program that is not there');
	refused_by_archive(archive('x', '--progress=maybe', scratch('in')), qr/--progress is/, '--progress=maybe');
	refused_by_archive(archive('x'), qr/no kernel and no folder/, 'no input');
	# Where Perl is not whole.
mkdir scratch($_) for qw(perl perl/Digest);
put('perl/Digest/SHA.pm', "die 'not here';\n");
my $bare = run(repository() . '/scripts/archive', '--help', { memory_mb => 0, env => { PERL5LIB => scratch('perl') } });
is("$bare->{status} $bare->{out}", '2 ', 'without a module that it needs: exit 2');
like($bare->{err}, qr/^archive: Digest::SHA is missing \(package "perl", or "perl-Digest-SHA"\)\n\z/, 'and which');
}

done_testing;
