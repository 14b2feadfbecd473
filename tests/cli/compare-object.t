#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# compare --object: what programs attach to, by the names of their sections; kfuncs, variables and
# structs of operations.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use Compare;
use TestUtil;

# A kernel of functions: { name => [parameter types] }, "int" is what they return unless the first
# is "-> TYPE". More is added by a sub that gets the graph.
sub kernel {
	my ($file, $functions, $more, %o) = @_;
	my $b = BTF->new(%o);
	my %type = (int => $b->int('int', 4, signed => 1), long => $b->int('long int', 8, signed => 1));
	$type{ptr} = $b->ptr(0);
	for my $name (sort keys %$functions) {
		my @parameters = @{ $functions->{$name} };
		my $result = @parameters && $parameters[0] =~ s/^-> // ? shift @parameters : 'int';
		my $i = 0;
		$b->func($name, $b->proto($type{$result}, [ map { [ 'p' . $i++, $type{$_} ] } @parameters ]));
	}
	$more->($b, \%type) if $more;
	return put($file, $b->bytes);
}

# An object with a program in each section; its first parameter is a pointer to a struct that may
# be named: [section, struct].
sub object {
	my @programs = @_;
	my $b = BTF->new;
	my $int = $b->int('int', 4, signed => 1);
	my @list;
	for my $program (@programs) {
		my ($section, $context) = ref $program ? @$program : $program;
		my $pointed = defined $context ? $b->struct($context, 4, [ [ 'x', $int, 0 ] ]) : 0;
		my $proto = $b->proto($int, [ [ 'ctx', $b->ptr($pointed) ] ]);
		push @list, [ $section, $b->func('f' . @list, $proto) ];
	}
	return put('object.elf', bpf_object($b, programs => \@list));
}

# The attach points' verdicts, of one object on two kernels.
sub attached {
	my ($old, $new, @programs) = @_;
	return [ verdicts(judge(object(@programs), $old, $new), 'attach') ];
}

# ---- functions by name

my $old = kernel('old.btf', {
	same => ['int'], gone => ['int'], changed => ['int'], result => [ '-> int', 'int' ],
	bpf_lsm_file_open => ['ptr'], bpf_lsm_gone => ['ptr'], bpf_iter_task => ['ptr'],
});
my $new = kernel('new.btf', {
	same => ['int'], fresh => ['int'], changed => ['long'], result => [ '-> long', 'int' ],
	bpf_lsm_file_open => ['ptr'], bpf_iter_task => [ 'ptr', 'ptr' ],
});
for my $kind (qw(fentry fentry.s fexit fexit.s fmod_ret fmod_ret.s fsession fsession.s kprobe
	kprobe.multi kprobe.session)) {
	is_deeply(attached($old, $new, map { "$kind/$_" } qw(same gone fresh changed neither)),
		[ 'fine same', 'breaks gone: missing', 'fine fresh', 'breaks changed: its prototype changed',
			'unknown neither: in neither BTF' ], "$kind: functions by name");
}
for my $kind (qw(kretprobe kretprobe.multi)) {
	is_deeply(attached($old, $new, "$kind/changed", "$kind/result", "$kind/gone"),
		[ 'fine changed', 'breaks result: its prototype changed', 'breaks gone: missing' ],
		"$kind: only the result matters");
}
is_deeply(attached($old, $new, map { "lsm$_" } '/file_open', '.s/file_open', '_cgroup/file_open', '/gone'),
	[ ('fine bpf_lsm_file_open') x 3, 'breaks bpf_lsm_gone: missing' ], 'lsm hooks');
is_deeply(attached($old, $new, 'iter/task', 'iter.s/task', 'iter/none'),
	[ ('breaks bpf_iter_task: its prototype changed') x 2, 'unknown bpf_iter_none: in neither BTF' ],
	'iterators');
is_deeply(attached($old, $new, 'kprobe/same+0x10', 'kprobe/gone+4'),
	[ 'unknown same: BTF does not tell what code is there', 'breaks gone: missing' ],
	'an offset into a function');
is_deeply(attached($old, $new, '?fentry/gone', '?fentry/same', '?kprobe/neither'),
	[ 'guarded gone: not loaded unless asked for', 'fine same', 'unknown neither: in neither BTF' ],
	'what is not loaded unless asked for');

# A function of a module is looked for in the module.
{
	my $split = sub {
		my ($file, $base, @names) = @_;
		my $b = BTF->new(base => BTF->read(get($base)));
		my ($int) = $b->{base}->ids(sub { $_->{name} eq 'int' });
		$b->func($_, $b->proto($int, [])) for @names;
		return put($file, $b->bytes);
	};
	my @split = ($split->('old.ko.btf', $old, qw(mod_f mod_gone)), $split->('new.ko.btf', $new, 'mod_f'));
	my $object = object(map { "fentry/mod:$_" } qw(mod_f mod_gone same));
	is_deeply([ verdicts(judge($object, @split, '--old-base', $old, '--new-base', $new), 'attach') ],
		[ 'fine mod_f', 'breaks mod_gone: missing', 'unknown same: in neither BTF' ], 'module:function');
	is_deeply([ verdicts(judge($object, $old, $new), 'attach') ],
		[ map { "unknown $_: in neither BTF" } qw(mod_f mod_gone same) ], 'a module that is not there');
}

# ---- relocations: what is found, what is not, and what makes no sense

{
	my $graph = sub {
		my ($twins) = @_;
		my $b = BTF->new;
		my $int = $b->int('int', 4, signed => 1);
		$b->struct('s', 24, [ [ 'a', $int, 0 ], [ 'list', $b->array($int, $int, 4), 32 ] ]);
		$b->struct('twin', 8, [ [ 'x', $int, 32 * $_ ] ]) for 0 .. $twins;
		return $b->bytes;
	};
	my @files = (put('one.btf', $graph->(0)), put('two.btf', $graph->(1)));
	my $b = BTF->new;
	my $int = $b->int('int', 4, signed => 1);
	my $s = $b->struct('s', 24, [ [ 'a', $int, 0 ], [ 'list', $b->array($int, $int, 4), 32 ] ]);
	my $twin = $b->struct('twin', 4, [ [ 'x', $int, 0 ] ]);
	my $odd = $b->struct("odd\xff", 4, [ [ 'x', $int, 0 ] ]);
	my $f = $b->func('f', $b->proto($int, [ [ 'ctx', $b->ptr(0) ] ]));
	my $object = put('object.elf', bpf_object($b, programs => [ [ 'perf_event', $f ] ],
		relocations => [ map { [ 'perf_event', @$_ ] } [ $s, '0:0', 0 ], [ $s, '0:0', 0 ],
			[ $s, '0:1:2', 0 ], [ $s, '0:9', 0 ], [ $twin, '0:0', 0 ], [ $s, '0', 6 ], [ $s, '0', 7 ],
			[ $odd, '0', 8 ] ]));
	my $text = btfcanon('compare', '-v', '--object', $object, @files);
	is($text->{status}, 1, 'relocations: some break');
	my @said = map { s/ {2,}/ /gr } split /\n/, $text->{out};
	is_deeply([ grep { /perf_event/ } @said ], [
		'fine struct "odd\xff" type exists no -> no (perf_event)',
		'fine struct s local id there -> there (perf_event)',
		'fine struct s type id there -> there (perf_event)',
		'fine struct s.a offset 0 -> 0 (perf_event, 2 times)',
		'fine struct s.list[2] offset 12 -> 12 (perf_event)',
		'breaks struct s (bad access) offset ? -> ?, cannot be relocated (perf_event)',
		'breaks struct twin.x offset 0 -> ?, several types match, and disagree (perf_event)',
	], 'relocations: in words') || diag($text->{out});
	my %state = map { ($_->{wants} => "$_->{old}{state} $_->{new}{state} $_->{uses}") }
		grep { $_->{need} eq 'relocation' && $_->{asks} ne 'local id' && $_->{asks} ne 'type id' }
		@{ judge($object, @files)->{requirements} };
	is_deeply(\%state, {
		'struct "odd\xff"' => 'found found 1', 'struct s.a' => 'found found 2',
		'struct s.list[2]' => 'found found 1', 'struct s (bad access)' => 'bad bad 1',
		'struct twin.x' => 'found ambiguous 1',
	}, 'relocations: as JSON');
}

# ---- what cannot be asked

{
	my @files = ($old, $new);
	my $object = object('fentry/same');
	refused(btfcanon('compare', '--object', $old, @files), $old, qr/has no \.BTF\.ext/, 'no object');
	refused(btfcanon('compare', '--object', $object, $_, @files), '', qr/do not go with it/, "--object and $_")
		for '--stat', '--indirect', '--only=x', '--format=html';
	like(btfcanon('compare', '--stats', '--object', $object, @files)->{err}, qr/^reporting +[0-9.]+ ms$/m,
		'--object: --stats');
}

# ---- patterns

{
	my @files = (kernel('many.btf', { map { ($_ => ['int']) } qw(vfs_read vfs_write vfs_open tcp_ack) }),
		kernel('fewer.btf', { map { ($_ => ['int']) } qw(vfs_read vfs_readv udp_rcv) }));
	my $tree = judge(object(map { "kprobe.multi/$_" } 'vfs_*', 'tcp_*', 'udp_*', '*_r?ad', 'x*', '*'),
		@files);
	is_deeply([ map { "$_->{verdict} $_->{wants} " . ($_->{old}{value} // '-') . ' '
			. ($_->{new}{value} // '-') } grep { $_->{need} eq 'attach' } @{ $tree->{requirements} } ],
		[ 'fine vfs_* 3 2', 'breaks tcp_* 1 -', 'fine udp_* - 1', 'fine *_r?ad 1 1', 'unknown x* - -',
			'fine * 4 3' ], 'patterns: how many functions match');
	like(btfcanon('compare', '-v', '--object', object('kprobe.multi/vfs_*'), @files)->{out},
		qr/^fine +vfs_\* +attach 3 -> 2  \(kprobe\.multi/m, 'in text too');
}

# ---- system calls

{
	my @files = (kernel('x64.btf', { map { ($_ => ['ptr']) } qw(__x64_sys_openat __x64_sys_old
		__x64_sys_nanosleep) }),
		kernel('arm64.btf', { map { ($_ => ['ptr']) } qw(__arm64_sys_openat __se_sys_nanosleep) }));
	is_deeply(attached(@files, map { ("ksyscall/$_", "kretsyscall/$_", "tp/syscalls/sys_enter_$_",
			"tracepoint/syscalls/sys_exit_$_") } qw(openat old nanosleep none)),
		[ ('fine __arm64_sys_openat') x 4, ('breaks __x64_sys_old: missing') x 4,
			('fine __se_sys_nanosleep') x 4,
			map { "unknown $_: in neither BTF" } qw(ksyscall/none kretsyscall/none
				tp/syscalls/sys_enter_none tracepoint/syscalls/sys_exit_none) ],
		'system calls go by the names of each architecture');
}

# ---- tracepoints and trace events

{
	my @files;
	for my $is_new (0, 1) {
		push @files, kernel("events$is_new.btf", {}, sub {
			my ($b, $type) = @_;
			my $event = sub { my ($name, @parameters) = @_;
				$b->typedef("btf_trace_$name", $b->ptr($b->proto(0, [ map { [ '', $type->{$_} ] } 'ptr',
					@parameters ]))) };
			my $record = sub { my ($name, @members) = @_;
				my ($at, @list) = (0);
				push(@list, [ $_->[0], $type->{ $_->[1] }, $at ]), $at += 64 for @members;
				$b->struct("trace_event_raw_$name", $at / 8, [ @list,
					[ '__data', $b->array($type->{int}, $type->{int}, 0), $at ] ]) };
			$event->($_, 'int') for qw(same grown moved templated typed), $is_new ? 'fresh' : 'gone';
			$event->('proto', $is_new ? 'long' : 'int');
			$record->('same', [ 'a', 'int' ]);
			$record->('grown', [ 'a', 'int' ], $is_new ? [ 'b', 'int' ] : ());
			$record->('moved', $is_new ? [ 'b', 'int' ] : (), [ 'a', 'int' ]);
			$record->('typed', [ 'a', $is_new ? 'long' : 'int' ]);
			$record->('template', $is_new ? () : ([ 'a', 'int' ]), [ 'b', 'int' ]);
			$record->('fresh', [ 'a', 'int' ]) if $is_new;
		});
	}
	for my $kind (qw(tp_btf raw_tp raw_tracepoint raw_tp.w raw_tracepoint.w)) {
		is_deeply(attached(@files, map { "$kind/$_" } qw(same gone fresh proto none)),
			[ 'fine btf_trace_same', 'breaks btf_trace_gone: missing', 'fine btf_trace_fresh',
				'breaks btf_trace_proto: its prototype changed',
				'unknown btf_trace_none: in neither BTF' ], "$kind: tracepoints");
	}
	my $changed = 'its record changed: fixed offsets may be wrong';
	for my $kind (qw(tp tracepoint)) {
		is_deeply(attached(@files, map { "$kind/any/$_" } qw(same grown gone fresh none moved typed proto)),
			[ 'fine btf_trace_same', 'fine btf_trace_grown', 'breaks btf_trace_gone: missing',
				'fine btf_trace_fresh', 'unknown btf_trace_none: in neither BTF',
				"unknown btf_trace_moved: $changed", "unknown btf_trace_typed: $changed",
				'fine btf_trace_proto' ], "$kind: trace events and their records");
	}
	is_deeply(attached(@files, 'tp/any/templated', [ 'tp/other/templated', 'trace_event_raw_template___x' ]),
		[ 'fine btf_trace_templated', "unknown btf_trace_templated: $changed" ],
		'a record of another name is the one that the program reads');
	is_deeply(attached(@files, 'tp/same'), ['unknown tp/same: no category and name'], 'half a name');

	# Reads that are relocated are judged as relocations.
	my $b = BTF->new;
	my $int = $b->int('int', 4, signed => 1);
	my $record = $b->struct('trace_event_raw_moved', 4, [ [ 'a', $int, 0 ] ]);
	my $program = $b->func('f', $b->proto($int, [ [ 'ctx', $b->ptr($record) ] ]));
	my $relocated = judge(put('relocated.elf', bpf_object($b, programs => [ [ 'tp/any/moved', $program ] ],
		relocations => [ [ 'tp/any/moved', $record, '0:0', 0 ] ])), @files);
	is_deeply([ verdicts($relocated, 'attach'), verdicts($relocated, 'relocation') ],
		[ 'fine btf_trace_moved', 'relocates struct trace_event_raw_moved.a' ], 'a record with CO-RE');
}

# ---- what BTF cannot tell

is_deeply(attached($old, $new, 'uprobe/libc.so.6:malloc', 'uretprobe.s/x:y', 'uprobe.multi/x:y*',
		'usdt/x:y:z', 'uprobe', 'uprobe.session.s/x:y'),
	[ map { "unknown $_: not in the kernel" } 'uprobe/libc.so.6:malloc', 'uretprobe.s/x:y',
		'uprobe.multi/x:y*', 'usdt/x:y:z', 'uprobe', 'uprobe.session.s/x:y' ], 'user programs');
is_deeply(attached($old, $new, 'freplace/xdp_pass', 'freplace'),
	[ 'unknown freplace/xdp_pass: of another BPF program', 'unknown freplace: of another BPF program' ],
	'other BPF programs');
is_deeply(attached($old, $new, qw(kprobe fentry lsm tp raw_tp tp_btf iter ksyscall kprobe.multi kprobe/)),
	[ map { "unknown $_: named when it is loaded" } qw(kprobe fentry lsm tp raw_tp tp_btf iter ksyscall
		kprobe.multi kprobe/) ], 'names that are not there yet');
my $long = 'kprobe/' . 'x' x 2000;
is_deeply(attached($old, $new, 'fentryx/same', 'xdp/eth0', 'my_section', $long, 'kprobex'),
	[ map { "unknown $_: libbpf knows no such section" } 'fentryx/same', 'xdp/eth0', 'my_section', $long,
		'kprobex' ], 'sections that libbpf does not know');
is_deeply(attached($old, $new, qw(.text .text.unlikely. xdp tc sk_lookup struct_ops/f struct_ops.s/g)), [],
	'what attaches to nothing that has a name');

# ---- types of programs

my @prog_types = qw(XDP KPROBE SCHED_CLS NETFILTER TRACING);
my @attach_types = qw(TCX_INGRESS TRACE_KPROBE_MULTI TRACE_FENTRY NETFILTER);
my $types = sub {
	my ($file, $missing) = @_;
	return kernel($file, {}, sub {
		my ($b) = @_;
		my $list = sub { my $i = 0; [ map { [ $_, $i++ ] } grep { !/$missing/ } @_ ] };
		$b->enum('bpf_prog_type', $list->(map { "BPF_PROG_TYPE_$_" } @prog_types));
		$b->enum('bpf_attach_type', $list->(map { "BPF_$_" } @attach_types));
	});
};
my ($all, $fewer) = ($types->('all.btf', 'none'), $types->('fewer.btf', 'NETFILTER|MULTI|FENTRY'));
my @programs = ('xdp', 'xdp', 'netfilter', 'kprobe.multi/f', '?fentry/f', 'tcx/ingress');
is_deeply([ verdicts(judge(object(@programs), $all, $fewer), 'program type') ],
	[ 'fine BPF_PROG_TYPE_XDP', 'breaks BPF_PROG_TYPE_NETFILTER: missing', 'breaks BPF_NETFILTER: missing',
		'fine BPF_PROG_TYPE_KPROBE', 'breaks BPF_TRACE_KPROBE_MULTI: missing', 'fine BPF_PROG_TYPE_TRACING',
		'guarded BPF_TRACE_FENTRY: not loaded unless asked for', 'fine BPF_PROG_TYPE_SCHED_CLS',
		'fine BPF_TCX_INGRESS' ], 'types that NEW lacks');
is_deeply([ map { $_->{uses} } grep { $_->{wants} eq 'BPF_PROG_TYPE_XDP' }
	@{ judge(object(@programs), $all, $all)->{requirements} } ], [2], 'each is listed once');
is_deeply([ verdicts(judge(object('?fentry/f', 'fentry/g'), $all, $fewer), 'program type') ],
	[ 'fine BPF_PROG_TYPE_TRACING', 'breaks BPF_TRACE_FENTRY: missing' ],
	'one that is loaded decides, wherever it stands');
is_deeply([ verdicts(judge(object('xdp'), $fewer, $old), 'program type') ],
	['unknown BPF_PROG_TYPE_XDP: the enum that tells is missing'], 'a BTF without the enum');
is_deeply([ verdicts(judge(object('xdp'), $old, $new), 'program type') ], [], 'and two of them');

# ---- structs of operations, kfuncs, variables

# OPS, LATER: members, [name, type]; what is a pointer to a function has a list of parameters.
my $declared = sub {
	my ($file, %o) = @_;
	return kernel($file, {}, sub {
		my ($b, $type) = @_;
		my $thing = $b->ptr($b->struct('thing', 4, [ [ 'a', $type->{int}, 0 ] ]));
		my $struct = sub { my ($name, @members) = @_;
			my ($at, @list) = (0);
			for (@members) {
				my $member = ref $_->[1] ? $b->ptr($b->proto($type->{int}, [ map { [ '', $_ eq 'thing' ? $thing
					: $type->{$_} ] } @{ $_->[1] } ])) : $_->[1] eq 'name' ? $b->array($type->{int},
						$type->{int}, 4) : $type->{ $_->[1] };
				push @list, [ $_->[0], $member, $at ];
				$at += 128;
			}
			my $id = $b->struct($name, $at / 8, \@list);
			$b->struct("bpf_struct_ops_$name", $at / 8, [ [ 'data', $id, 0 ] ]) };
		$struct->('my_ops', @{ $o{ops} }) if $o{ops};
		for my $name (sort keys %{ $o{functions} // {} }) {
			my $function = $b->func($name, $b->proto($type->{int},
				[ map { [ '', $_ eq 'thing' ? $thing : $type->{$_} ] } @{ $o{functions}{$name} } ]));
			$b->decl_tag('bpf_kfunc', $function) if grep { $_ eq $name } @{ $o{tagged} // [] };
		}
		$b->var($_, $b->const($type->{ $o{variables}{$_} }), 1) for sort keys %{ $o{variables} // {} };
	});
};
my $ops = fixture('compare/ops.bpf.elf');
my @full = ([ 'start', ['thing'] ], [ 'extra', [] ], [ 'stop', ['thing'] ], [ 'rest', ['thing'] ],
	[ 'flags', 'int' ], [ 'unused', 'int' ], [ 'name', 'name' ]);
my $base = $declared->('ops.btf', ops => \@full);
my $ops_verdicts = sub { [ verdicts(judge($ops, $base, $_[0]), 'struct_ops') ] };
my $with = sub { my %o = @_; [ map { exists $o{ $_->[0] } ? ($o{ $_->[0] } // ()) : $_ } @full ] };
is_deeply($ops_verdicts->($base), [ 'fine my_ops', 'fine my_ops___later' ], 'struct_ops: all there');
is_deeply($ops_verdicts->($old), [ 'breaks my_ops: missing', 'breaks my_ops___later: missing' ],
	'struct_ops: gone');
is_deeply($ops_verdicts->($declared->('unset.btf', ops => $with->(stop => undef, unused => undef))),
	[ 'fine my_ops', 'fine my_ops___later' ], 'struct_ops: a member gone that the object does not set');
is_deeply($ops_verdicts->($declared->('set.btf', ops => $with->(flags => undef, extra => undef))),
	[ 'breaks my_ops.flags: a member that it sets is missing',
		'breaks my_ops___later.extra: a member that it sets is missing' ], 'struct_ops: one that it sets');
is_deeply($ops_verdicts->($declared->('kind.btf', ops => $with->(flags => [ 'flags', 'long' ],
		unused => [ 'unused', 'long' ]))),
	[ 'breaks my_ops.flags: a member that it sets has another type', 'fine my_ops___later' ],
	'struct_ops: another type');
is_deeply($ops_verdicts->($declared->('proto.btf', ops => $with->(start => [ 'start', [ 'thing', 'int' ] ],
		stop => [ 'stop', ['int'] ]))),
	[ map { "breaks $_.start: the type of a member that it sets changed" } qw(my_ops my_ops___later) ],
	'struct_ops: another prototype');

my %kfuncs = (k_plain => ['thing'], k_weak => ['thing'], k_gone => ['thing'], k_ways => ['thing']);
my %variables = (v_int => 'int', v_weak => 'int');
my $kfunc_verdicts = sub { my ($left, $right) = @_;
	[ map { verdicts(judge($ops, $left, $right), $_) } qw(kfunc ksym) ] };
my @names = qw(k_plain k_weak k_gone k_ways___one k_ways___two);
my $ways = 'its prototype is not the declared one';
my $plain = $declared->('plain.btf', functions => \%kfuncs, variables => \%variables);
my $tagged = $declared->('tagged.btf', functions => \%kfuncs, variables => \%variables,
	tagged => [ keys %kfuncs ]);
my $untyped = 'unknown v_untyped: without a type: found among symbols, not in BTF';
for ([ $plain, $plain ], [ $tagged, $tagged ], [ $plain, $tagged ]) {
	is_deeply($kfunc_verdicts->(@$_), [ (map { "fine $_" } @names[ 0 .. 3 ]), "guarded k_ways___two: $ways",
		'fine v_int', 'fine v_weak', $untyped ], 'kfuncs, flavours of them, and variables');
}
is_deeply([ grep { /k_plain/ } @{ $kfunc_verdicts->($tagged, $plain) } ],
	['unknown k_plain: NEW does not tell its kfuncs'], 'a BTF without tags does not tell');
is_deeply([ grep { /^breaks/ } @{ $kfunc_verdicts->($tagged, $declared->('one.btf', functions => \%kfuncs,
	variables => \%variables, tagged => [qw(k_weak k_gone k_ways)])) } ],
	['breaks k_plain: no kfunc any more'], 'one that is no kfunc any more');
is_deeply([ grep { /^breaks/ } @{ $kfunc_verdicts->($plain, $declared->('two.btf', functions => \%kfuncs,
	variables => \%variables, tagged => [qw(k_weak k_gone k_ways)])) } ],
	['breaks k_plain: no kfunc'], 'one that is none');
is_deeply([ grep { !/^fine/ } @{ $kfunc_verdicts->($plain, $declared->('three.btf',
	functions => { k_plain => ['thing'], k_weak => ['int'], k_ways => [ 'thing', 'int' ] },
	variables => { v_int => 'ptr' })) } ],
	[ "guarded k_weak: $ways", 'guarded k_gone: missing', "guarded k_ways___one: $ways",
		# k_ways___two fits now.
		'breaks v_int: its type is not the declared one', 'guarded v_weak: missing', $untyped ],
	'weak ones may be missing, or others');

# ---- what is said where all is fine, and where there is nothing to say

{
	my $fine = btfcanon('compare', '--object', object('fentry/same', 'fexit/same'), $old, $new);
	is_deeply([ @$fine{qw(status out err)} ], [ 0, "total: 2 fine\n", '' ], 'all fine: the total');
	my $nothing = btfcanon('compare', '--object', object('socket'), $old, $new);
	is_deeply([ @$nothing{qw(status out err)} ], [ 0, "total: nothing that it relies on\n", '' ],
		'an object that relies on nothing: that is said');
}

done_testing;
