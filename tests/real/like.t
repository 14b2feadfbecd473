#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# sort --like on whole kernels: the types of the new one, the ids of the old one, modules that stay.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use RealInputs;
use TestUtil;

my %kernel = map { $_->{name} => $_ } kernels();
my %slow = (seconds => 120, memory_mb => 4096);

sub like_old {
	my ($old, $new, @more) = @_;
	return btfcanon('sort', '-q', '--like', $old, $new, '-o', scratch('like.btf'), @more, {%slow});
}

SKIP: {
	skip '6.1-amd64 and 6.12-amd64 are not both there', 1
		if !$kernel{'6.1-amd64'} || !$kernel{'6.12-amd64'};
	my $old = put('old.btf', $kernel{'6.1-amd64'}{btf});
	my $new = put('new.btf', $kernel{'6.12-amd64'}{btf});
	my $result = btfcanon('sort', '--stats', '--like', $old, $new, '-o', scratch('like.btf'), {%slow});
	is($result->{status}, 0, '6.1 to 6.12') || diag($result->{err});
	note($result->{err});
	same_bytes(sort_bytes(get(scratch('like.btf'))), sort_bytes(get($new)),
		'6.1 to 6.12: the types of 6.12');
	my ($same) = $result->{err} =~ /^ids kept, same +(\d+)$/m;
	my ($changed) = $result->{err} =~ /^ids kept, changed +(\d+)$/m;
	cmp_ok($same + $changed, '>', 85_000, '6.1 to 6.12: most types keep their ids');
	like_old($old, $old);
	same_bytes(get(scratch('like.btf')), get($old), '6.1 like 6.1: byte by byte');
}

# Two members swap their names: no id moves, and modules that do not see it stay valid.
for my $name (grep { $kernel{$_} && @{ $kernel{$_}{modules} } } sort keys %kernel) {
	my $old = put('old.btf', $kernel{$name}{btf});
	my $changed = BTF->read($kernel{$name}{btf});
	my $struct = $changed->one('STRUCT', 'iphdr');
	@{ $struct->{names} }[ 0, 1 ] = @{ $struct->{names} }[ 1, 0 ];
	my $new = put('new.btf', $changed->shuffled(1));
	quiet(like_old($old, $new), "$name: two members renamed");
	is(-s scratch('like.btf'), -s $old, "$name: as long as before");
	my @modules = grep { !btfcanon('sort', '-q', '--base', $old, $_, '-o', scratch('m.btf'),
		{%slow})->{status} } @{ $kernel{$name}{modules} };
	my $result = like_old($old, $old, map { ('--verify', $_) } @modules);
	is($result->{status}, 0, "$name: its own " . @modules . ' modules are valid on itself')
		|| diag($result->{err});
	$result = like_old($old, $new, map { ('--verify', $_) } @modules);
	cmp_ok($result->{status}, '<', 2, "$name: modules are looked at");
	my $gone = () = $result->{err} =~ /not valid any more/g;
	note("$gone of " . @modules . " do not stay valid\n$result->{err}");
	is($result->{status}, $gone ? 1 : 0, "$name: exit 1 where one is not valid");
}

my %missing = RealInputs::missing();
for my $name (sort keys %missing) {
	SKIP: {
		skip "$name: $missing{$name}", 1;
	}
}

done_testing;
