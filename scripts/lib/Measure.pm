# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package Measure;

# What a command takes: time and peak memory of a whole process.

use strict;
use warnings;
use Exporter 'import';
use FindBin;
use POSIX ();
use Time::HiRes qw(time);

our @EXPORT_OK = qw(run_once median output_of);

# wait4(2) tells a child's time and memory, and Perl has no word for it.
my %wait4_number = (x86_64 => 61, aarch64 => 260, riscv64 => 260, s390x => 114, ppc64le => 114);
my $wait4 = $wait4_number{ (POSIX::uname())[4] };

# Waits for PID; gives its status, processor seconds and peak KiB (undef where unknown).
sub wait_for
{
	my ($pid) = @_;

	if (!defined $wait4) {
		waitpid($pid, 0);
		return ($?, undef, undef);
	}
	my ($status, $usage) = (pack('i', 0), "\0" x 256);
	while (syscall($wait4, $pid, $status, 0, $usage) < 0) {
		die "$FindBin::Script: wait4: $!\n" if !$!{EINTR};
	}
	my ($user, $user_us, $system, $system_us, $peak) = unpack('q5', $usage);
	return (unpack('i', $status), $user + $system + ($user_us + $system_us) / 1e6, $peak);
}

# One run of a command (a list), its output thrown away: { wall, cpu (seconds), peak (KiB) }; dies where
# it fails.
sub run_once
{
	my ($command) = @_;
	my $begin = time();
	my $pid = fork();

	die "$FindBin::Script: fork: $!\n" if !defined $pid;
	if (!$pid) {
		open(STDOUT, '>', '/dev/null');
		open(STDERR, '>', '/dev/null');
		exec(@$command) or POSIX::_exit(127);
	}
	my ($status, $cpu, $peak) = wait_for($pid);
	my $wall = time() - $begin;
	# compare ends with 1 where there are differences, and that is what it is measured on.
	my $allowed = ($command->[1] // '') eq 'compare' ? 1 << 8 : 0;
	die "$FindBin::Script: @$command: failed (status $status)\n" if $status && $status != $allowed;
	return { wall => $wall, cpu => $cpu, peak => $peak };
}

# What a command says, on standard error too; undef where it fails.
sub output_of
{
	my (@command) = @_;
	my $pid = open(my $out, '-|') // die "$FindBin::Script: fork: $!\n";

	if (!$pid) {
		open(STDERR, '>&', \*STDOUT);
		exec(@command) or POSIX::_exit(127);
	}
	local $/ = undef;
	my $text = <$out>;
	return close($out) ? $text // '' : undef;
}

sub median
{
	my @sorted = sort { $a <=> $b } @_;
	my $middle = int(@sorted / 2);

	return @sorted % 2 ? $sorted[$middle] : ($sorted[$middle - 1] + $sorted[$middle]) / 2;
}

1;
