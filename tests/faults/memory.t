#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Memory runs out, at any allocation of any command, the libraries' too: once, or from there on.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Faults;
use Scenarios;

# A sanitizer wants memory of its own for each thread, and does not take no for an answer.
my @threads = $ENV{BTFCANON_SAN} ? ('-j1') : ();
for my $scenario (map { prepare(%$_, command => [ @{ $_->{command} }, @threads ]) } scenarios()) {
	cmp_ok(survives($scenario, 'memory', 'an allocation fails', errno => 12), '>', 2, 'some are told of');
	survives($scenario, 'memory', 'no more allocations', errno => 12, on => 1, share => 2);
	survives($scenario, 'map', 'a mapping fails', errno => 12, share => 2);
	next if @threads;
	survives($scenario, 'thread', 'a thread cannot be had', errno => 11, never_fails => 1, share => 4);
}

done_testing;
