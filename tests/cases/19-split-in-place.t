#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# A base and the modules on it, put in order in place: the modules follow their base.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use BTFModel;
use InPlace;
use TestUtil;
use TinyELF;

# Types in no order, and names that only some of them use.
sub base_of {
	my ($big) = @_;
	my $b = BTF->new(big => $big);
	my $long = $b->int('long', 8, signed => 1);
	my $ptr = $b->ptr($long);
	$b->struct('zone', 16, [ [ 'count', $long, 0 ], [ 'where', $ptr, 64 ] ]);
	my $int = $b->int('int', 4, signed => 1);
	$b->typedef('number', $int);
	$b->struct('area', 8, [ [ 'zone', $ptr, 0 ] ]);
	$b->fwd('later');
	$b->func('b_function', $b->proto($int, [ [ 'zone', $ptr ] ]), 1);
	$b->func('a_function', $b->proto($long, []), 1);
	return $b;
}

sub id_of {
	my ($b, $kind, $name) = @_;
	my ($id) = $b->ids(sub { $_->{kind} == $BTF::NUMBER{$kind} && $_->{name} eq $name });
	return $id;
}

# A module on any order of that base.
sub module_of {
	my ($base, $prefix) = @_;
	my $m = BTF->new(big => $base->{big}, base => $base);
	my $zone = id_of($base, STRUCT => 'zone');
	my $own = $m->struct("${prefix}_own", 24, [ [ 'where', $zone, 0 ],
		[ 'area', id_of($base, TYPEDEF => 'number'), 128 ] ]);
	$m->struct('later', 8, [ [ 'own', $m->ptr($own), 0 ] ]);
	$m->struct("a_$prefix", 16, [ [ 'zone', $zone, 0 ] ]);
	$m->func("${prefix}_function", $m->proto(0, [ [ 'number', $m->ptr($zone) ] ]), 1);
	return $m;
}

sub image { my ($big, $btf) = @_; return TinyELF::write(big => $big, machine => 62, type => 2,
	sections => [ [ '.text', 'code' ], [ '.BTF', $btf ], [ '.data', 'data' ] ]) }
sub module { my ($big, @sections) = @_; return TinyELF::write(big => $big, machine => 62, type => 1,
	sections => [ [ '.text', 'code' ], @sections, [ '.rest', 'rest' x 9 ] ]) }
sub btf_in { return TinyELF::section(get($_[0]), '.BTF') }

my $folder = scratch('kernel');
mkdir $folder or die;
my ($vmlinux, @modules) = map { "$folder/$_" } 'vmlinux', 'one.ko', 'two.ko';

in_both_orders(sub {
	my ($big, $order) = @_;
	my (%first, $seed);
	for $seed (0 .. 3) {
		my $name = "$order, shuffle $seed";
		my $base_bytes = $seed ? base_of($big)->shuffled($seed) : base_of($big)->bytes;
		my $base = BTF->read($base_bytes);
		my @own = map { my $m = module_of($base, $_);
			$seed ? $m->shuffled($seed + 10) : $m->bytes } 'one', 'two';
		put($vmlinux, image($big, $base_bytes));
		put($modules[$_], module($big, [ '.BTF', $own[$_] ])) for 0, 1;
		my @before = map { get($_) } $vmlinux, @modules;

		my @files = ($seed & 1 ? ($modules[1], $vmlinux, $modules[0]) : ($vmlinux, @modules));
		quiet(btfcanon('sort', '--in-place', @files), "$name: a base and its modules");
		same_elsewhere($before[0], get($vmlinux), ['.BTF'], "$name: the base");
		same_elsewhere($before[ $_ + 1 ], get($modules[$_]), ['.BTF'], "$name: module $_") for 0, 1;
		my $new_base = BTF->read(btf_in($vmlinux));
		same_bytes(btf_in($vmlinux), BTFModel::canonical($base, order => 'name')->bytes,
			"$name: the base is the model's");
		for my $i (0, 1) {
			my $after = BTF->read(btf_in($modules[$i]), $new_base);
			same_graph(BTF->read($own[$i], $base), $after, "$name: module $i means the same");
			same_bytes(btf_in($modules[$i]), BTFModel::canonical($after, order => 'name')->bytes,
				"$name: and is the model's");
			is(btfcanon('check', '--order=name', '--base', $vmlinux, $modules[$i])->{status}, 0,
				"$name: check agrees");
		}
		for my $file ($vmlinux, @modules) {
			$first{$file} //= get($file);
			same_bytes(get($file), $first{$file}, "$name: the order before does not show in $file");
		}
		is(listing($folder), 'one.ko two.ko vmlinux', "$name: nothing is beside them");

		# One module alone, on the base as it was and as it is.
		my ($old, $new) = (put('old', $before[0]), put('new', get($vmlinux)));
		my $alone = put('alone.ko', $before[1]);
		quiet(btfcanon('sort', '--in-place', '--base', $old, '--new-base', $new, $alone),
			"$name: --new-base");
		same_bytes(get($alone), get($modules[0]), "$name: --new-base: as with its base");

		# A module alone on the base as it is: only its own types are sorted.
		$alone = put('alone.ko', $before[1]);
		quiet(btfcanon('sort', '--in-place', '--base', $old, $alone), "$name: --base");
		same_bytes(btf_in($alone), BTFModel::canonical(BTF->read($own[0], $base), order => 'name')->bytes,
			"$name: --base: the model's");

		my @same = map { get($_) } $vmlinux, @modules;
		quiet(btfcanon('sort', '--in-place', @files), "$name: again");
		same_bytes(get($_), shift @same, "$name: again: $_ is the same") for $vmlinux, @modules;
	}
});

# A loaded .BTF keeps its length, and modules go on from that.
{
	my $base = base_of(0);
	my $long = $base->shuffled(8) . "\0" x 13;
	substr($long, 20, 4) = pack 'V', 13 + unpack 'V', substr $long, 20, 4;
	my $padded = BTF->read($long);
	my $own = module_of($padded, 'one')->bytes;
	put($vmlinux, TinyELF::write(machine => 62, type => 2, segments => [ [ 1, 2 ] ], sections =>
		[ [ '.text', 'code' ], [ '.BTF', $long, { flags => 2 } ] ]));
	put($modules[0], module(0, [ '.BTF', $own ]));
	my $before = get($vmlinux);
	quiet(btfcanon('sort', '--in-place', $vmlinux, $modules[0]), 'a loaded base');
	same_elsewhere($before, get($vmlinux), ['.BTF'], 'a loaded base');
	is(length btf_in($vmlinux), length $long, 'has the length it had');
	my $new_base = BTF->read(btf_in($vmlinux));
	same_graph($padded, $new_base, 'and means the same');
	same_graph(BTF->read($own, $padded), BTF->read(btf_in($modules[0]), $new_base),
		'its module goes on from all of it');
}

# A name that the base has and no type of it uses, and one inside another: the module keeps them.
{
	my $base = base_of(0);
	my $bytes = $base->bytes . "only_the_module\0";
	substr($bytes, 20, 4) = pack 'V', 16 + unpack 'V', substr $bytes, 20, 4;
	$base = BTF->read($bytes);
	my $m = BTF->new(base => $base);
	my $at = sub { \(index $base->{strings}, $_[0]) };
	$m->typedef($at->('only_the'), 1);
	$m->typedef($at->('module'), 1);
	$m->typedef($at->('function'), 1);
	put($vmlinux, image(0, $bytes));
	put($modules[0], module(0, [ '.BTF', $m->bytes ]));
	quiet(btfcanon('sort', '--in-place', '-q', $vmlinux, $modules[0]), 'names inside names of the base');
	same_graph(BTF->read($m->bytes, $base), BTF->read(btf_in($modules[0]), BTF->read(btf_in($vmlinux))),
		'stay what they are');
}

# A module with its own base stays on that; BPF objects stand alone.
{
	my ($base, $distilled) = (base_of(0), BTF->read(base_of(0)->bytes));
	my $own = BTF->read(module_of($distilled, 'one')->bytes, $distilled);
	my $bpf = base_of(0);
	put($vmlinux, image(0, $base->bytes));
	put($modules[0], module(0, [ '.BTF', $own->bytes ], [ '.BTF.base', $distilled->bytes ]));
	put($modules[1], TinyELF::write(sections => [ [ '.BTF', $bpf->bytes ] ]));
	my $before = get($modules[0]);
	quiet(btfcanon('sort', '--in-place', $vmlinux, @modules), 'a module that brings its base');
	same_elsewhere($before, get($modules[0]), ['.BTF'], 'a module that brings its base');
	same_bytes(btf_in($modules[0]), BTFModel::canonical($own, order => 'name')->bytes,
		'is sorted on that');
	same_bytes(btf_in($modules[1]), BTFModel::canonical($bpf)->bytes, 'a BPF object stands alone');
	refused(btfcanon('sort', '--in-place', '--base', $vmlinux, $modules[0]), $modules[0],
		qr/brings its own base/, 'which takes no other');
}

# What cannot be, changes nothing.
{
	my $base = base_of(0);
	my %file = ($vmlinux => image(0, $base->bytes), $modules[0] => module(0, [ '.BTF',
		module_of($base, 'one')->bytes ]), $modules[1] => module(0, [ '.BTF', 'damaged' ]));
	put($_, $file{$_}) for keys %file;
	my $other = put('other', image(0, BTF->read(base_of(0)->shuffled(5))->bytes));
	my $smaller = BTF->new;
	$smaller->int('int', 4);
	my $wrong = put('wrong', image(0, $smaller->bytes));
	for (
		[ 'a damaged module', $modules[1], qr/\S/, $vmlinux, @modules ],
		[ 'two bases', $other, qr/which one is the base/, $vmlinux, $modules[0], $other ],
		[ 'a base that is another', $modules[0], qr/type \d+|string/, $wrong, $modules[0] ],
		[ 'no base', $modules[0], qr/base|split/, $modules[0] ],
		[ 'a new base of other types', $wrong, qr/does not have the types/, '--base', $vmlinux,
			'--new-base', $wrong, $modules[0] ],
		[ '--new-base alone', '', qr/goes with one --base/, '--new-base', $vmlinux, $modules[0] ],
		[ '--like', '', qr/--like and --in-place/, '--like', $vmlinux, $modules[0] ],
		[ '-o', '', qr/-o and --in-place/, '-o', scratch('x'), $modules[0] ],
		[ 'no file', '', qr/wants ELF files/ ],
	) {
		my ($name, $at, $what, @arguments) = @$_;
		refused(btfcanon('sort', '--in-place', @arguments), $at, $what, $name);
		same_bytes(get($_), $file{$_}, "$name: $_ stays") for keys %file;
	}
	is(listing($folder), 'one.ko two.ko vmlinux', 'nothing is beside them');
}

# Interrupted between the renames: the next run does the rest, whichever it was.
{
	my $base = base_of(0);
	my @before = (image(0, $base->shuffled(4)), map { module(0, [ '.BTF',
		module_of(BTF->read($base->shuffled(4)), $_)->bytes ]) } 'one', 'two');
	my @files = ($vmlinux, @modules);
	put($files[$_], $before[$_]) for 0 .. 2;
	quiet(btfcanon('sort', '--in-place', @files), 'not interrupted');
	my @after = map { get($_) } @files;
	my @temporary = map { s{([^/]+)$}{.$1.abc123}r } @files;
	# As if that many renames had been done; a record tells the old files by inode, size and time.
	my $interrupt = sub {
		my ($done) = @_;
		my $record = '';
		for my $i (0 .. 2) {
			put($files[$i], $i < $done ? $after[$i] : $before[$i]);
			put($temporary[$i], $after[$i]) if $i >= $done;
			utime 1e9, 1e9, $files[$i];
			my ($inode, $size) = (stat $files[$i])[ 1, 7 ];
			$record .= "$temporary[$i]\0$files[$i]\0$inode $size 1000000000.000000000\0";
		}
		return put("$folder/.vmlinux.renames", $record);
	};
	for my $done (0 .. 3) {
		$interrupt->($done);
		warned(btfcanon('sort', '--in-place', @files), qr/interrupted.*finished/,
			"interrupted after $done renames");
		same_bytes(get($files[$_]), $after[$_], "after $done: $files[$_]") for 0 .. 2;
		is(listing($folder), 'one.ko two.ko vmlinux', "after $done: nothing is beside them");
	}
	# Who built one of them anew meanwhile wants that, and not what the old one became.
	for (
		[ 'its length' => sub { put($_[0], get($_[0]) . 'x'); utime 1e9, 1e9, $_[0] } ],
		[ 'its time' => sub { utime 2e9, 2e9, $_[0] } ],
		[ 'another file' => sub { put("$_[0].x", get($_[0])); utime 1e9, 1e9, "$_[0].x";
			rename "$_[0].x", $_[0] } ],
		[ 'no file' => sub { unlink $_[0] } ],
	) {
		my ($name, $change) = @$_;
		my $record = $interrupt->(1);
		$change->($files[2]);
		my @now = map { -e $_ ? get($_) : undef } @files;
		refused(btfcanon('sort', '--in-place', @files), $record,
			qr/\Q$files[2] was changed after\E .*interrupted: remove .*\Q$temporary[2]\E$/,
			"changed after it was interrupted: $name");
		is_deeply([ map { -e $_ ? get($_) : undef } @files ], \@now, "$name: none is replaced");
		unlink $record, @temporary;
	}
	my $entry = "$folder/.vmlinux.x\0$vmlinux\0" . "1 2 3.000000000\0";
	for my $record ("$folder/.vmlinux.x\0", "$folder/.vmlinux.x\0$vmlinux\0",
		"$folder/x\0$vmlinux\0x\0", "/etc/.passwd.x\0$vmlinux\0x\0",
		"$folder/.vmlinux./x\0$vmlinux\0x\0", '', $entry =~ s/\0$//r,
		$entry x (1 + (64 << 20) / length $entry)) {
		put("$folder/.vmlinux.renames", $record);
		refused(btfcanon('sort', '--in-place', @files), "$folder/.vmlinux.renames",
			qr/is no list of renames/, 'a record that none wrote');
	}
	unlink "$folder/.vmlinux.renames";
}

done_testing;
