# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package TestUtil;

# Running the program under limits and saying what it should have said.

use strict;
use warnings;
use Cwd ();
use Exporter 'import';
use File::Basename qw(dirname);
use File::Temp ();
use POSIX ();
use Test::More ();

our @EXPORT = qw(run btfcanon sort_bytes check_bytes put get scratch refused warned quiet same_bytes
	same_graph canonical_is have program repository fixture in_both_orders);

my $top = Cwd::abs_path(dirname(__FILE__) . '/../..');
my $program = Cwd::abs_path($ENV{BTFCANON} // "$top/btfcanon");
my $scratch;

END { chdir '/' }

sub repository { return $top }

sub program {
	Test::More::BAIL_OUT("no program at " . ($ENV{BTFCANON} // "$top/btfcanon"))
		if !defined $program || !-x $program;
	return $program;
}

sub fixture { return "$top/fixtures/$_[0]" }

# A folder of the test's own; with a name, the path of that file in it.
sub scratch {
	my ($name) = @_;
	if (!$scratch) {
		$scratch = File::Temp->newdir('btfcanon-test-XXXXXX', TMPDIR => 1);
		# Other users may be asked to run the program on what is in here.
		chmod 0755, "$scratch";
	}
	return defined $name ? "$scratch/$name" : "$scratch";
}

sub put {
	my ($name, $bytes) = @_;
	my $path = $name =~ m{^/} ? $name : scratch($name);
	open my $file, '>:raw', $path or die "$path: $!\n";
	print $file $bytes or die "$path: $!\n";
	close $file or die "$path: $!\n";
	return $path;
}

sub get {
	my ($path) = @_;
	open my $file, '<:raw', $path or die "$path: $!\n";
	local $/;
	my $bytes = <$file>;
	return $bytes // '';
}

# Whether the program is in PATH (or where administrators' programs are).
sub have {
	my ($name) = @_;
	for my $folder (split(/:/, $ENV{PATH} // ''), '/usr/sbin', '/sbin') {
		return "$folder/$name" if -x "$folder/$name" && !-d _;
	}
	return;
}

# run(command, arguments..., { options }): runs it and returns { status, signal, out, err, late }.
# Options: stdin (bytes), stdin_from, stdout_to, stderr_to (paths), seconds (default 60), memory_mb
# (default 2048; 0: no limit), file_kb (largest file it may write), env, dir, before (code run in
# the child).
sub run {
	my @command = @_;
	my %o = ref $command[-1] ? %{ pop @command } : ();
	my $in = $o{stdin_from} // '/dev/null';
	$in = put('.stdin', $o{stdin}) if defined $o{stdin};
	my $out = $o{stdout_to} // scratch('.stdout');
	my $err = $o{stderr_to} // scratch('.stderr');
	my $memory_mb = $o{memory_mb} // 2048;
	# A sanitized program maps terabytes: no limit on addresses then.
	my $limits = '';
	$limits .= 'ulimit -v ' . $memory_mb * 1024 . '; ' if $memory_mb && !$ENV{BTFCANON_SAN};
	$limits .= 'ulimit -f ' . $o{file_kb} * 2 . '; ' if $o{file_kb};

	my $child = fork // die "fork: $!\n";
	if (!$child) {
		setpgrp 0, 0;
		$ENV{$_} = $o{env}{$_} for keys %{ $o{env} // {} };
		# A crash under AddressSanitizer must not look like one of the program's own codes.
		$ENV{ASAN_OPTIONS} = join ':', grep { length } $ENV{ASAN_OPTIONS} // '',
			'exitcode=99';
		$ENV{UBSAN_OPTIONS} = join ':', grep { length } $ENV{UBSAN_OPTIONS} // '',
			'halt_on_error=1:exitcode=98';
		chdir $o{dir} or POSIX::_exit(126) if $o{dir};
		open STDIN, '<', $in or POSIX::_exit(126);
		open STDERR, '>', $err or POSIX::_exit(126);
		open STDOUT, '>', $out or POSIX::_exit(126);
		$o{before}->() if $o{before};
		@command = ('sh', '-c', $limits . 'exec "$@"', 'run', @command) if $limits;
		{ exec { $command[0] } @command }
		POSIX::_exit(127);
	}
	my $late = 0;
	my $status = eval {
		local $SIG{ALRM} = sub { die "late\n" };
		alarm($o{seconds} // 60);
		waitpid $child, 0;
		alarm 0;
		$?;
	};
	if (!defined $status) {
		kill 'KILL', -$child;
		waitpid $child, 0;
		($status, $late) = ($?, 1);
	}
	return {
		status => $status & 127 ? 128 + ($status & 127) : $status >> 8,
		signal => $status & 127,
		out    => $o{stdout_to} ? '' : get($out),
		err    => $o{stderr_to} ? '' : get($err),
		late   => $late,
	};
}

sub btfcanon { return run(program(), @_) }

# btfcanon sort OPTIONS FILE, FILE made of the bytes; the result's bytes, undef when it failed.
sub sort_bytes {
	my ($bytes, @options) = @_;
	my $result = btfcanon('sort', @options, put('sort_bytes.btf', $bytes));
	return $result->{out} if $result->{status} == 0;
	Test::More::diag("sort: exit $result->{status}: $result->{err}");
	return;
}

sub check_bytes {
	my ($bytes, @options) = @_;
	return btfcanon('check', @options, put('check_bytes.btf', $bytes));
}

# Exit 2, nothing on standard output, one line on standard error that begins with the file (or only
# the beginning of its name) and says what is wrong. FILE '': none is at fault.
sub refused {
	my ($result, $file, $what, $name) = @_;
	my $like = qr/\Abtfcanon: \Q$file\E[^\n]*\n\z/;
	my $good = $result->{status} == 2 && $result->{out} eq '' && $result->{err} =~ $like
		&& $result->{err} =~ $what;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	Test::More::ok($good, $name)
		|| Test::More::diag("exit $result->{status}, expected 2 and one line like $what:\n$result->{err}",
			length $result->{out} ? 'and ' . length($result->{out})
				. " bytes of output\n" : '');
	return $good;
}

# Exit 0 with warnings only, one of them of this kind.
sub warned {
	my ($result, $what, $name) = @_;
	my @lines = split /\n/, $result->{err};
	my $good = $result->{status} == 0 && @lines && !grep { !/^btfcanon: warning: / } @lines;
	$good &&= grep { /$what/ } @lines;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	Test::More::ok($good, $name)
		|| Test::More::diag("exit $result->{status}, expected 0 and a warning like $what:\n$result->{err}");
	return $good;
}

# Exit 0 and not a word.
sub quiet {
	my ($result, $name) = @_;
	my $good = $result->{status} == 0 && $result->{err} eq '';
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	Test::More::ok($good, $name)
		|| Test::More::diag("exit $result->{status}, expected 0 and silence:\n$result->{err}");
	return $good;
}

# Equal bytes, without printing megabytes when they are not.
sub same_bytes {
	my ($got, $expected, $name) = @_;
	my $good = defined $got && defined $expected && $got eq $expected;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	if (!Test::More::ok($good, $name) && defined $got && defined $expected) {
		my $at = 0;
		($got ^ $expected) =~ /^(\0*)/ and $at = length $1;
		Test::More::diag(sprintf 'got %d bytes, expected %d, first difference at %d',
			length $got, length $expected, $at);
	}
	return $good;
}

sub same_graph {
	my ($left, $right, $name) = @_;
	my @wrong = BTF::differences($left, $right);
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return Test::More::ok(!@wrong, $name) || Test::More::diag(join "\n", @wrong);
}

# Sorting these bytes gives what the model gives, in both orders; sorting again changes nothing;
# check agrees. Returns the canonical bytes.
sub canonical_is {
	my ($bytes, $name, %o) = @_;
	my @base = $o{base_file} ? ('--base', $o{base_file}) : ();
	my $first;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	Test::More::subtest($name => sub {
		for my $order (qw(canonical name)) {
			my $model = BTFModel::canonical(BTF->read($bytes, $o{base}),
				order => $order)->bytes;
			my $sorted = sort_bytes($bytes, "--order=$order", @base, '-q');
			$first //= $sorted;
			same_bytes($sorted, $model, "$order order: the model's bytes") || last;
			same_bytes(sort_bytes($sorted, "--order=$order", @base, '-q'), $sorted,
				"$order order: sorted again");
			my $check = check_bytes($sorted, "--order=$order", @base, '-q');
			Test::More::is($check->{status}, 0, "$order order: check agrees")
				|| Test::More::diag($check->{err});
		}
	});
	return $first;
}

# Runs the code once for little endian, once for big: code (big, 'LE' or 'BE').
sub in_both_orders {
	my ($code) = @_;
	$code->(0, 'LE');
	$code->(1, 'BE');
	return;
}

1;
