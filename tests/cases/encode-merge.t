#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Merging units against a model: random units that agree and disagree about tags are written as
# DWARF and, by hand, as one BTF each. The model puts these side by side, settles forward
# declarations, merges what is the same. encode must write the model's bytes, however the units are
# ordered, repeated and spread over files, whatever their strings look like, where copies of a unit
# refer to each other's types, with any number of threads and with hashes that collide.
#
# In one thing the model is only one opinion: where all bodies of a tag have one text, but mean
# different things further down, a unit that only declares the tag may mean any of these. Then all
# ways must give the same bytes, and each unit must find in them what it says.
#
# BTFCANON_SEED=N runs that seed alone; BTFCANON_ROUNDS=N so many, or N% of the usual number.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use DWARF;
use TestUtil;

sub pick { return $_[ rand @_ ] }
sub shuffled {
	my @list = @_;
	my @out;
	push @out, splice @list, rand @list, 1 while @list;
	return @out;
}

my @classes = qw(structure_type union_type enumeration_type);
my @names = qw(alpha beta box gamma delta);

# A type as a list: ['tag', class, name], ['int'], [pointer_type => T], ['array', T, n], ['typedef',
# name, T], ['proto', T, T...].
sub random_type {
	my ($tags, $depth) = @_;
	my $luck = rand;
	return [ 'tag', @{ pick(@$tags) } ] if $luck < 0.5 || ($depth > 3 && $luck < 0.9);
	return ['int'] if $luck < 0.6 || $depth > 3;
	return [ pick(qw(const_type volatile_type pointer_type)), random_type($tags, $depth + 1) ]
		if $luck < 0.75;
	return [ 'array', below_pointer($tags, $depth), int rand 4 ] if $luck < 0.82;
	return [ 'typedef', pick(qw(alias_t handle_t)), below_pointer($tags, $depth) ]
		if $luck < 0.92;
	return [ 'proto', map { below_pointer($tags, $depth + 1) } 1 .. 1 + rand 3 ];
}

# One that has a size.
sub below_pointer {
	my ($tags, $depth) = @_;
	return [ pointer_type => random_type($tags, $depth + 1) ];
}

# What units may choose from: tags, each with a few bodies.
sub random_world {
	my @tags = map { [ pick(@classes[ 0, 0, 0, 1, 2 ]), $_ ] } @names[ 0 .. 1 + rand 4 ];
	my @bodies;
	for my $tag (@tags) {
		my ($class, $name) = @$tag;
		my @variants;
		for (0 .. (rand() < 0.5 ? 0 : rand 3)) {
			if ($class eq 'enumeration_type') {
				push @variants, [ map { [ "E_$_", int rand 3 ] } 0 .. rand 3 ];
				next;
			}
			my @members = map { [ "m$_", below_pointer(\@tags, 0) ] } 0 .. rand 3;
			# Often the same text, with something else below.
			@members = map { [ $members[$_][0], $variants[0][$_] ? $variants[0][$_][1]
				: $members[$_][1] ] } 0 .. $#members if @variants && rand() < 0.4;
			push @variants, \@members;
		}
		push @bodies, \@variants;
	}
	return { tags => \@tags, bodies => \@bodies };
}

# What one unit says: for each tag nothing, a declaration, one body, or several; and some types.
sub random_unit {
	my ($world, $number) = @_;
	my $tags = $world->{tags};
	my %says;
	for my $i (0 .. $#$tags) {
		my $luck = rand;
		my @variants = 0 .. $#{ $world->{bodies}[$i] };
		my @chosen = $luck < 0.3 ? () : $luck < 0.9 ? pick(@variants)
			: (shuffled(@variants))[ 0 .. (@variants > 1 ? 1 : 0) ];
		$says{"@{ $tags->[$i] }"} = [ map { $world->{bodies}[$i][$_] } @chosen ];
	}
	return { says => \%says, luck => int rand 1e9, extra => [ map { below_pointer($tags, 0) }
		0 .. rand 3 ], declares => rand() < 0.3 };
}

# Both writings of a unit at once: a DIE tree and a BTF.
sub write_unit {
	my ($unit, $big, $prefix) = @_;
	srand $unit->{luck};
	my $btf = BTF->new(big => $big);
	my @dies;
	my (%known, %tag_ids);
	my $next = 0;
	my $add = sub { # a DIE; its label
		my ($tag, $attributes, @children) = @_;
		my $label = $prefix . $next++;
		push @dies, [ $tag, { %$attributes, label => $label }, @children ];
		return $label;
	};
	my $int = [ $add->(base_type => { name => 'int', byte_size => 4, encoding => 5 }),
		$btf->int('int', 4, signed => 1) ];
	my @open; # bodies whose members are to be made

	# [label, id] of the tag: of several bodies any, a declaration where there is none.
	my $tag = sub {
		my ($class, $name) = @_;
		my $bodies = $unit->{says}{"$class $name"};
		my $which = @$bodies ? int rand @$bodies : 'declared';
		my $made = $tag_ids{"$class $name $which"} //= do {
			my $type = $which eq 'declared' ? undef : $bodies->[$which];
			my $size = $class eq 'enumeration_type' ? 4 : 8 * @{ $type // [] };
			my $label = $add->($class => { name => $name,
				defined $type ? (byte_size => $size)
					: (declaration => [ flag_present => 1 ]) });
			my $die = $dies[-1];
			my $id;
			if ($class eq 'enumeration_type') {
				$id = $btf->enum($name, $type // []);
				push @$die, map { [ enumerator => { name => $_->[0],
					const_value => $_->[1] } ] } @{ $type // [] };
			} elsif (!defined $type) {
				$id = $btf->fwd($name, union => $class eq 'union_type');
			} else {
				my $make = $class eq 'union_type' ? 'union' : 'struct';
				$id = $btf->$make($name, $size, []);
				push @open, [ $class, $type, $die, $btf->type($id) ];
			}
			[ $label, $id ];
		};
		# A declaration beside the one body means that body.
		if (@$bodies == 1 && $unit->{declares} && rand() < 0.3) {
			my $label = $tag_ids{"$class $name beside"} //= $add->($class =>
				{ name => $name, declaration => [ flag_present => 1 ] });
			return [ $label, $made->[1] ];
		}
		return $made;
	};
	my $type;
	$type = sub {
		my ($what, @rest) = @{ $_[0] };
		return $int if $what eq 'int';
		return $tag->(@rest) if $what eq 'tag';
		if ($what eq 'array') {
			my $element = $type->($rest[0]);
			return [ $add->(array_type => { type => \$element->[0] },
				[ subrange_type => { count => $rest[1] } ]),
				$btf->array($element->[1], $int->[1], $rest[1]) ];
		}
		if ($what eq 'typedef') {
			my $target = $type->($rest[1]);
			return [ $add->(typedef => { name => $rest[0], type => \$target->[0] }),
				$btf->typedef($rest[0], $target->[1]) ];
		}
		if ($what eq 'proto') {
			my ($result, @parameters) = map { $type->($_) } @rest;
			return [ $add->(subroutine_type => { type => \$result->[0] },
				map { [ formal_parameter => { type => \$_->[0] } ] } @parameters),
				$btf->proto($result->[1], [ map { [ '',
					$_->[1] ] } @parameters ]) ];
		}
		my $target = $type->($rest[0]);
		my %make = (const_type => 'const', volatile_type => 'volatile',
			pointer_type => 'ptr');
		my $make = $make{$what};
		return [ $add->($what => { type => \$target->[0] }), $btf->$make($target->[1]) ];
	};

	$type->($_) for @{ $unit->{extra} };
	for my $key (sort keys %{ $unit->{says} }) { # all bodies, also those nothing refers to
		my ($class, $name) = split / /, $key;
		for (1 .. 6) { $tag->($class, $name) }
	}
	while (my $open = shift @open) {
		my ($class, $members, $die, $node) = @$open;
		for my $i (0 .. $#$members) {
			my ($name, $what) = @{ $members->[$i] };
			my $member = $type->($what);
			my $at = $class eq 'union_type' ? 0 : 8 * $i;
			push @$die, [ member => { name => $name, type => \$member->[0],
				$class eq 'union_type' ? () : (data_member_location => $at) } ];
			push @{ $node->{names} }, $name;
			push @{ $node->{refs} }, $member->[1];
			push @{ $node->{nums} }, 8 * $at;
			$node->{vlen}++;
		}
	}
	return ($btf, [ compile_unit => { language => 12 }, shuffled(@dies) ]);
}

# Some references of a DIE and of those below it become such to the same DIE of another copy of the
# unit, which is in the same file.
sub cross_over {
	my ($die, $copies) = @_;
	my ($tag, $attributes, @children) = @$die;
	my $to = $attributes->{type};
	if (ref $to && rand() < 0.3 && $$to =~ /^u(\d+)(_.*)/ && !$copies->{declares}{$1}) {
		my $label = 'u' . pick(@{ $copies->{$1} }) . $2;
		$attributes->{type} = [ ref_addr => \$label ];
	}
	cross_over($_, $copies) for @children;
	return;
}

# The units as files; REPEATS: some of them twice. CROSSED: all of them twice in one file, mingled.
sub write_files {
	my ($units, $big, $count, $luck, $repeats, $crossed) = @_;
	srand $luck;
	my @order = shuffled(@$units, $crossed ? @$units
		: $repeats ? grep { rand() < 0.5 } @$units : ());
	my (%numbers, %copies);
	push @{ $numbers{ $order[$_] } }, $_ for 0 .. $#order;
	$copies{$_} = $numbers{ $order[$_] } for 0 .. $#order;
	# With two bodies of a tag to choose from, a declaration beside them could mean either.
	$copies{declares} = { map { ($_ => $order[$_]{declares}) } 0 .. $#order };
	my @version = map { pick(2, 3, 4, 5, 5) } 1 .. $count;
	my @files = map { DWARF->new(big => $big, version => $version[$_]) } 0 .. $count - 1;
	my $prefix = 0;
	for my $unit (@order) {
		my $seed = int rand 1e9;
		my (undef, $tree) = write_unit($unit, $big, 'u' . $prefix++ . '_');
		srand $seed;
		# The unit's own order of DIEs does not matter either.
		my ($tag, $attributes, @dies) = @$tree;
		cross_over($_, \%copies) for $crossed ? @dies : ();
		my $file = pick(@files);
		$file->unit([ $tag, $attributes, shuffled(@dies) ],
			strings => pick(qw(strp strp string), $file->{version} < 5 ? ()
				: 'line_strp'),
			$file->{version} > 2 && rand() < 0.3 ? (offset_bytes => 8) : ());
	}
	my @paths;
	for my $file (grep { @{ $_->{units} } } @files) {
		push @paths, put('merge' . @paths . '.elf', $file->elf);
	}
	return @paths;
}

# Whether the output has a type for each of a unit's, declarations standing for any body.
sub is_there {
	my ($unit, $output) = @_;
	my %may; # unit id -> { output ids }
	my %by_label;
	my $tag = sub {
		my ($type) = @_;
		my $kind = $type->{kind} == BTF::FWD ? ($type->{kflag} ? BTF::UNION : BTF::STRUCT)
			: $type->{kind};
		return "$kind $type->{name}";
	};
	for my $id (1 .. $output->id_end - 1) {
		my $type = $output->type($id);
		push @{ $by_label{ BTF::label($type) } }, $id;
		push @{ $by_label{ $tag->($type) } }, $id if $type->{name} ne '';
	}
	for my $id (1 .. $unit->id_end - 1) {
		my $type = $unit->type($id);
		my $declares = $type->{kind} == BTF::FWD || ($type->{kind} == BTF::ENUM
			&& !$type->{vlen});
		$may{$id} = { map { ($_ => 1) }
			@{ $by_label{ $declares ? $tag->($type) : BTF::label($type) } // [] } };
	}
	$may{0} = { 0 => 1 };
	my $changed = 1;
	while ($changed) {
		$changed = 0;
		for my $id (1 .. $unit->id_end - 1) {
			my $refs = $unit->type($id)->{refs};
			next if !@$refs;
			for my $candidate (keys %{ $may{$id} }) {
				my $there = $output->type($candidate)->{refs};
				next if !grep { !$may{ $refs->[$_] }{ $there->[$_] } } 0 .. $#$refs;
				delete $may{$id}{$candidate};
				$changed = 1;
			}
		}
	}
	return !grep { !%{ $may{$_} } } 1 .. $unit->id_end - 1;
}

sub text { return ref $_[0] ? '(' . join(' ', map { text($_) } @{ $_[0] }) . ')' : $_[0] }

# What the units say about tags: texts of bodies, who declares them, and, of all tags, those that
# reach one of which there are several texts.
sub survey {
	my ($units) = @_;
	my (%texts, %declared);
	for my $unit (@$units) {
		for my $key (keys %{ $unit->{says} }) {
			my $bodies = $unit->{says}{$key};
			$declared{$key} = 1 if !@$bodies;
			$texts{$key}{ text($_) } = 1 for @$bodies;
		}
	}
	my %tainted = map { ($_ => 1) } grep { keys %{ $texts{$_} } > 1 } keys %texts;
	my $before = -1;
	while ($before != keys %tainted) {
		$before = keys %tainted;
		for my $key (keys %texts) {
			my @below = map { /\(tag (\w+ \w+)\)/g } keys %{ $texts{$key} };
			$tainted{$key} = 1 if grep { $tainted{$_} } @below;
		}
	}
	return { texts => \%texts, declared => \%declared, tainted => \%tainted };
}

sub key_of {
	my ($type) = @_;
	my $class = { STRUCT => 'structure_type', UNION => 'union_type', ENUM => 'enumeration_type',
		FWD => $type->{kflag} ? 'union_type'
			: 'structure_type' }->{ $BTF::KINDS[ $type->{kind} ] };
	return defined $class && $type->{name} ne '' ? "$class $type->{name}" : '';
}

sub is_declaration {
	my ($type) = @_;
	return $type->{kind} == BTF::FWD || ($type->{kind} == BTF::ENUM && !$type->{vlen});
}

# The units side by side, where declarations of what means one thing everywhere are that already.
sub joined {
	my ($survey, @btfs) = @_;
	my $all = BTFModel::joined(@btfs);
	my (%body, %instead);
	for my $id (1 .. $all->id_end - 1) {
		my $type = $all->type($id);
		$body{ key_of($type) } //= $id if !is_declaration($type);
	}
	for my $id (1 .. $all->id_end - 1) {
		my $key = key_of($all->type($id));
		$instead{$id} = $body{$key} if is_declaration($all->type($id)) && $body{$key}
			&& !$survey->{tainted}{$key};
	}
	for my $type ($all->types) {
		$type->{refs} = [ map { $instead{$_} // $_ } @{ $type->{refs} } ];
	}
	return $all;
}

# Whether some unit only declares a tag whose bodies all have one text, but several meanings.
sub is_open {
	my ($survey, $expected) = @_;
	my %variants;
	$variants{ key_of($_) }++ for $expected->types;
	return scalar grep { $survey->{tainted}{$_} && keys %{ $survey->{texts}{$_} // {} } == 1
		&& ($variants{$_} // 0) > 1 } keys %{ $survey->{declared} };
}

my $rounds = $ENV{BTFCANON_ROUNDS} // 40;
$rounds = 40 * $1 / 100 if $rounds =~ /^(\d+)%$/;
my $first = $ENV{BTFCANON_SEED};
my @seeds = defined $first ? $first : 1 .. $rounds;
my ($tries, $conflicts, $forwards, $open) = (0, 0, 0, 0);
my @failed;
SEED: for my $seed (@seeds) {
	srand $seed;
	my $big = $seed % 3 == 0;
	my $world = random_world();
	my @units = map { random_unit($world, $_) } 1 .. ($seed % 4 ? 2 + rand 4 : 9);
	my @luck = map { int rand 1e9 } 1 .. 4;
	my @btfs = map { (write_unit($_, $big, 'x'))[0] } @units;
	my $survey = survey(\@units);
	my $expected = BTFModel::canonical(joined($survey, @btfs), dedup => 1);
	my $is_open = is_open($survey, $expected);
	my $bytes = $is_open ? undef : $expected->bytes;
	$open += $is_open ? 1 : 0;
	my %bodies;
	$bodies{"$_->{kind} $_->{name}"}++ for grep { key_of($_) ne "" } $expected->types;
	$conflicts++ if grep { $_ > 1 } values %bodies;
	$forwards++ if grep { $_->{kind} == BTF::FWD } $expected->types;
	for my $variant ([ 1, 0, '-j1' ], [ 1, 1, '-j2', '--shuffle-units=' . $seed ],
		[ 3, 1, '-j3', '--hash-bits=' . pick(0, 1, 8) ], [ 1, 2, '-j4' ]) {
		my ($files, $repeats, @options) = @$variant;
		my @paths = write_files(\@units, $big, $files, shift @luck, $repeats,
			$repeats == 2);
		my $result = btfcanon('encode', '-q', @options, @paths);
		$tries++;
		# Where it is open, copies that refer to each other may decide it.
		if ($is_open && $result->{status} == 0 && (!defined $bytes || $repeats == 2)) {
			my $output = BTF->read($result->{out});
			my @lost = grep { !is_there($btfs[$_], $output) } 0 .. $#btfs;
			$bytes //= $result->{out};
			next if !@lost;
			diag("seed $seed: what units @lost say is not there");
			push @failed, $seed;
			next SEED;
		}
		next if $result->{status} == 0 && $result->{out} eq $bytes;
		push @failed, $seed;
		diag("seed $seed, @options, " . @paths
			. " files: exit $result->{status} $result->{err}");
		diag(join "\n", BTF::differences($expected, BTF->read($result->{out})))
			if !$result->{status};
		next SEED;
	}
}
is("@failed", '', scalar(@seeds) . " sets of random units, $tries ways: the model's bytes");
cmp_ok($conflicts, '>', @seeds / 3, "$conflicts of them with conflicts") if @seeds > 30;
cmp_ok($open, '<', @seeds / 3, "$open of them where the model is one opinion") if @seeds > 30;
cmp_ok($forwards, '>', 0, "$forwards with forward declarations that stay") if @seeds > 30;

done_testing;
