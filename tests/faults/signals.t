#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# A signal ends the program at any moment: files are the old ones or the new ones, and nothing is beside.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use POSIX qw(SIGHUP SIGINT SIGTERM);
use Faults;
use Scenarios;

my @writing = grep { "@{ $_->{command} }" =~ /-o out|-place|^pahole/ } scenarios(), large_scenarios();
for my $scenario (map { prepare(%$_) } @writing) {
	my $ended = 0;
	for ([ memory => SIGINT ], [ open => SIGTERM ], [ write => SIGTERM ], [ copy => SIGHUP ],
		[ sync => SIGTERM ], [ close => SIGINT ], [ rename => SIGTERM ], [ attribute => SIGHUP ],
		[ mask => SIGTERM ]) {
		my ($moment, $signal) = @$_;
		$ended += survives($scenario, $moment, "signal $signal before a call of $moment", signal => $signal)
			if calls_of($scenario, $moment);
	}
	cmp_ok($ended, '>', 10, 'most of them end it');
}

done_testing;
