#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Type tags: chains keep their order, different chains are different pointers.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use TestUtil;

sub tag_nodes {
	return [
		int => sub { $_[0]->int('int', 4, signed => 1) },
		a_int => sub { $_[0]->type_tag('a', $_[1]{int}) },
		b_a => sub { $_[0]->type_tag('b', $_[1]{a_int}) },
		p_b_a => sub { $_[0]->ptr($_[1]{b_a}) },
		b_int => sub { $_[0]->type_tag('b', $_[1]{int}) },
		a_b => sub { $_[0]->type_tag('a', $_[1]{b_int}) },
		p_a_b => sub { $_[0]->ptr($_[1]{a_b}) },
		p_int => sub { $_[0]->ptr($_[1]{int}) },
		attribute => sub { $_[0]->type_tag('a', $_[1]{int}, kflag => 1) },
		p_attribute => sub { $_[0]->ptr($_[1]{attribute}) },
		user => sub { $_[0]->struct('user', 32,
			[ [ 'x', $_[1]{p_b_a}, 0 ], [ 'y', $_[1]{p_a_b}, 64 ],
			[ 'z', $_[1]{p_int}, 128 ], [ 'w', $_[1]{p_attribute}, 192 ] ]) },
	];
}

sub chain {
	my ($btf, $id) = @_;
	my @names;
	for (my $type = $btf->type($id); ; $type = $btf->type($type->{refs}[0])) {
		push @names, $BTF::KINDS[ $type->{kind} ]
			. ($type->{name} ne '' ? ":$type->{name}" : '')
			. ($type->{kflag} ? '!' : '');
		return "@names" if !@{ $type->{refs} };
	}
}

in_both_orders(sub {
	my ($big, $name) = @_;
	my $btf = BTF::build(tag_nodes(), big => $big);
	my $sorted = canonical_is($btf->bytes, "$name: tags") or return;
	same_bytes(sort_bytes($btf->shuffled($_)), $sorted, "$name: shuffle $_") for 1 .. 6;
	my $result = BTF->read($sorted);
	my $user = $result->one('STRUCT', 'user');
	is(chain($result, $user->{refs}[0]), 'PTR TYPE_TAG:b TYPE_TAG:a INT:int',
		"$name: b before a stays");
	is(chain($result, $user->{refs}[1]), 'PTR TYPE_TAG:a TYPE_TAG:b INT:int',
		"$name: a before b stays");
	is(chain($result, $user->{refs}[2]), 'PTR INT:int', "$name: no tag stays");
	is(chain($result, $user->{refs}[3]), 'PTR TYPE_TAG:a! INT:int',
		"$name: an attribute (kind_flag) is no tag");
	is(scalar(() = $result->find('PTR')), 4, "$name: four pointers");

	# A tag where no compiler puts it, and a pointer to itself under a tag: odd, but no endless type.
	my $odd = BTF->new(big => $big);
	my $int = $odd->int('int', 4, signed => 1);
	$odd->const($odd->type_tag('place', $odd->const($int)));
	my $self = $odd->ptr($odd->id_end);
	$odd->type_tag('loop', $self);
	my $file = put("odd-$name.btf", $odd->bytes);
	warned(btfcanon('sort', '-o', scratch('odd.out'), $file), qr/\Q$file\E: .*loop.*type 5\b/,
		"$name: a pointer to itself is reported");
	canonical_is($odd->bytes, "$name: and sorted");
	my $dump = btfcanon('dump', $file, '-q');
	is($dump->{status}, 0, "$name: and dumped");

	# A tag on itself never becomes a type.
	my $endless = BTF->new(big => $big);
	$endless->int('int', 4);
	$endless->type_tag('loop', 2);
	my $bad = put("endless-$name.btf", $endless->bytes);
	refused(btfcanon($_, $bad), $bad, qr/type 2\b/, "$name: $_: a tag on itself")
		for qw(sort check dump);
});

for my $file (qw(type_tags.bpfel.btf type_tags.bpfeb.btf)) {
	my $bytes = get(fixture("cases/$file"));
	my $before = BTF->read($bytes);
	my $after = BTF->read(canonical_is($bytes, $file));
	same_graph($before, $after, "$file: nothing lost, nothing invented");
	my ($old, $new) = map { $_->one('STRUCT', 'tagged') } $before, $after;
	for my $i (0, 1, 2, 3, 4, 6, 7, 8) {
		my ($was, $is) = (chain_or_void($before, $old->{refs}[$i]),
			chain_or_void($after, $new->{refs}[$i]));
		is($is, $was, "$file: $old->{names}[$i]");
	}
	my $dump = btfcanon('dump', fixture("cases/$file"));
	like($dump->{out}, qr/\buser\b/, "$file: dump shows tags");
}

# As chain, down to void or something that has several references.
sub chain_or_void {
	my ($btf, $id) = @_;
	my @names;
	while ($id) {
		my $type = $btf->type($id);
		push @names, "$BTF::KINDS[$type->{kind}]:$type->{name}";
		last if @{ $type->{refs} } != 1 || $type->{kind} == BTF::STRUCT;
		$id = $type->{refs}[0];
	}
	return join ' ', @names;
}

done_testing;
