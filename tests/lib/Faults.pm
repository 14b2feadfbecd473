# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package Faults;

# Runs of the program in which one call goes wrong: tests/faults/inject.c, preloaded, sees to that.
#
# A scenario is a command in a folder of its own: { name, command => [arguments], files => { name =>
# bytes } }. What it does when nothing goes wrong is found out first. After a fault it has done just
# that, or nothing but to say in one line why not.

use strict;
use warnings;
use Cwd ();
use Errno ();
use Exporter 'import';
use File::Basename qw(dirname);
use Test::More ();
use TestUtil;

our @EXPORT = qw(prepare calls_of some_of run_faulty after_fault survives);

my $library = Cwd::abs_path($ENV{BTFCANON_FAULTS} // dirname(__FILE__) . '/../../build/tests/faults/inject.so');
my $number = 0;

# All faults of a run, or so many.
my $limit = $ENV{FAULTS} // ($ENV{BTFCANON_SAN} ? 10 : 30);

# ---- folders ----

sub _read_folder {
	my ($folder) = @_;
	opendir my $handle, $folder or die "$folder: $!\n";
	return { map { ($_ => get("$folder/$_")) } grep { !/^\.\.?$/ } readdir $handle };
}

sub _same_folder {
	my ($one, $other) = @_;
	return join("\0", sort keys %$one) eq join("\0", sort keys %$other)
		&& !grep { $one->{$_} ne $other->{$_} } keys %$one;
}

sub _restore {
	my ($scenario) = @_;
	my ($folder, $before) = @$scenario{qw(folder files)};
	my $now = _read_folder($folder);
	unlink map { "$folder/$_" } grep { !exists $before->{$_} } keys %$now;
	for my $name (keys %$before) {
		put("$folder/$name", $before->{$name}) if ($now->{$name} // '') ne $before->{$name};
	}
	return;
}

# What is another than before, in words.
sub _changed {
	my ($scenario) = @_;
	my ($before, $now) = ($scenario->{files}, _read_folder($scenario->{folder}));
	return join ', ', (map { "$_ is there" } grep { !exists $before->{$_} } sort keys %$now),
		(map { exists $now->{$_} ? "$_ is another" : "$_ is gone" }
			grep { ($now->{$_} // '') ne $before->{$_} } sort keys %$before);
}

# ---- runs ----

# One run: with the fault that the options say (at => 5, errno => 28, ...), or with none.
sub run_faulty {
	my ($scenario, %fault) = @_;
	my %env = map { ('FAULT_' . uc $_ => $fault{$_}) } keys %fault;
	# The sanitizer wants to be the first library; it is not called less for being the second.
	local $ENV{ASAN_OPTIONS} = join ':', grep { length } $ENV{ASAN_OPTIONS} // '',
		'verify_asan_link_order=0';
	# What runs the tests may ignore signals (nohup), and the program would, too.
	my $before = sub { $SIG{$_} = 'DEFAULT' for qw(INT HUP TERM) };
	return btfcanon(@{ $scenario->{command} }, { dir => $scenario->{folder}, memory_mb => 0,
		seconds => 120, env => { %env, LD_PRELOAD => $library }, before => $before });
}

# Makes the folder, and sees what the command does there.
sub prepare {
	my (%scenario) = @_;
	my $self = { %scenario, folder => scratch('faults' . $number++), counts => scratch('.counts') };
	mkdir $self->{folder} or die "$self->{folder}: $!\n";
	_restore($self);
	@$self{qw(status out err)} = @{ run_faulty($self, count => $self->{counts}) }{qw(status out err)};
	Test::More::BAIL_OUT("$self->{name}: exit $self->{status}: $self->{err}")
		if $self->{status} > 1;
	$self->{after} = _read_folder($self->{folder});
	_restore($self);
	$self->{calls} = { map { /(\w+) (\d+)/ ? ($1 => $2) : () } split /\n/, get($self->{counts}) };
	return $self;
}

sub calls_of { my ($scenario, $group) = @_; return $scenario->{calls}{$group} }

# Numbers from 1 to LAST: all where they are few, else some of the first, the last and between.
sub some_of {
	my ($last, $share) = @_;
	my $count = $limit eq 'all' ? $last : int($limit / ($share // 1)) || 1;
	return 1 .. $last if $last <= $count;
	my %number = map { (1 + int($_ * ($last - 1) / ($count - 1 || 1)) => 1) } 0 .. $count - 1;
	return sort { $a <=> $b } keys %number;
}

# What is wrong with how a run ended; '' when nothing is. Sets the folder back.
sub after_fault {
	my ($scenario, $result, %o) = @_;
	my $now = _read_folder($scenario->{folder});
	# What was cut behind the program's back is not its doing, be it the old file or the new one.
	for my $whole ($o{cut} ? @$scenario{qw(files after)} : ()) {
		my $length = int(length($whole->{$o{cut}}) / 3);
		$now->{$o{cut}} = $whole->{$o{cut}}
			if $now->{$o{cut}} eq substr $whole->{$o{cut}}, 0, $length;
	}
	my $is_old = _same_folder($now, $scenario->{files});
	my $is_new = _same_folder($now, $scenario->{after});
	my $wrong = '';
	if ($o{signal} && $result->{signal} == $o{signal}) {
		$wrong = 'stopped half-way: ' . _changed($scenario) if !$is_old && !$is_new;
	} elsif ($result->{status} == $scenario->{status}) {
		$wrong = 'done, but otherwise: ' . _changed($scenario) if !$is_new;
		$wrong ||= 'other words' if $result->{out} ne $scenario->{out};
		$wrong ||= "it says: $result->{err}" if $result->{err} ne $scenario->{err};
	} elsif ($result->{status} == 2) {
		$wrong = 'refused, but not left alone: ' . _changed($scenario) if !$is_old;
		# What it has to tell of in any case may be told already.
		my $told = quotemeta $scenario->{err};
		$wrong ||= "not one line: '$result->{err}'"
			if $result->{err} !~ /\A(?:$told)?btfcanon: [^\n]+\n\z/;
		$wrong ||= 'not another word' if $o{never_fails};
	} else {
		$wrong = "exit $result->{status}: $result->{err}";
	}
	# All files of a batch, or a record of what is left to do.
	if ($wrong && !$is_old && grep { /\.renames$/ } keys %$now) {
		run_faulty($scenario);
		$wrong = '' if _same_folder(_read_folder($scenario->{folder}), $scenario->{after});
	}
	_restore($scenario);
	return $wrong;
}

# Lets one call of a group go wrong after the other. FAULT: what inject.c is told; never_fails: the
# program has to go on as if nothing was; share: a part of the runs is enough.
sub survives {
	my ($scenario, $group, $name, %fault) = @_;
	my ($never_fails, $share) = delete @fault{qw(never_fails share)};
	my (@wrong, $refused);
	my @at = some_of(calls_of($scenario, $group), $share);
	for my $at (@at) {
		my $result = run_faulty($scenario, %fault, group => $group, at => $at);
		my $wrong = after_fault($scenario, $result, never_fails => $never_fails,
			signal => $fault{signal}, cut => $fault{cut});
		push @wrong, "$group $at: $wrong" if $wrong;
		$refused++ if $result->{status} == 2 || $result->{signal};
	}
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	Test::More::ok(!@wrong, sprintf '%s: %s, %d runs of %d', $scenario->{name}, $name,
		scalar @at, calls_of($scenario, $group))
		|| Test::More::diag(join "\n", @wrong[ 0 .. ($#wrong > 9 ? 9 : $#wrong) ]);
	return $refused // 0;
}

1;
