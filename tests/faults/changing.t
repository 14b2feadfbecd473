#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# An input becomes shorter while it is read, at any moment: all that was in it counts, or it is an error.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Faults;
use Scenarios;

my $told = 0;
for my $scenario (map { prepare(%$_) } large_scenarios()) {
	for my $moment (qw(memory map open read stat write copy)) {
		$told += survives($scenario, $moment, "it is cut before a call of $moment", cut => 'in')
			if calls_of($scenario, $moment);
	}
}
cmp_ok($told, '>', 20, 'some are told of');

done_testing;
