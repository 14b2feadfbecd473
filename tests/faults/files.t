#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Each call on files fails once, or moves fewer bytes than asked, or is interrupted.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Errno qw(EACCES EINTR EIO EMFILE ENOSPC EPERM EXDEV);
use Test::More;
use Faults;
use Scenarios;

# Group, what it is called, the fault, and whether it may be told of.
my @faults = (
	[ open => 'a file cannot be opened', { errno => EMFILE } ],
	[ read => 'a read fails', { errno => EIO } ],
	[ read => 'a read is interrupted', { errno => EINTR, never_fails => 1 } ],
	[ read => 'a read is short', { short => 1, never_fails => 1 } ],
	[ read => 'all reads are short', { short => 1, on => 1, never_fails => 1, share => 20 } ],
	[ write => 'no space to write', { errno => ENOSPC } ],
	[ write => 'a write is interrupted', { errno => EINTR, never_fails => 1 } ],
	[ write => 'a write is short', { short => 1, never_fails => 1 } ],
	[ write => 'all writes are short', { short => 1, on => 1, never_fails => 1, share => 20 } ],
	[ copy => 'a copy fails', { errno => EIO } ],
	[ copy => 'a copy is not for this file system', { errno => EXDEV, never_fails => 1 } ],
	[ copy => 'a copy is interrupted', { errno => EINTR, never_fails => 1 } ],
	[ copy => 'a copy is short', { short => 1, never_fails => 1 } ],
	[ truncate => 'no space to grow', { errno => ENOSPC } ],
	[ sync => 'a sync fails', { errno => EIO } ],
	[ close => 'a close fails', { errno => EIO } ],
	[ close => 'a close is interrupted', { errno => EINTR, never_fails => 1 } ],
	[ rename => 'a renaming fails', { errno => EACCES } ],
	[ stat => 'a look at a file fails', { errno => EIO } ],
	[ attribute => 'an attribute cannot be kept', { errno => EPERM } ],
);

my %told;
for my $scenario (map { prepare(%$_) } scenarios()) {
	for my $fault (@faults) {
		my ($group, $name, $how) = @$fault;
		next if !calls_of($scenario, $group);
		$told{$name} += survives($scenario, $group, $name, %$how);
	}
}
for my $fault (@faults) {
	my ($group, $name, $how) = @$fault;
	cmp_ok($told{$name}, '>', 0, "$name: is told of by some") if !$how->{never_fails};
}

done_testing;
