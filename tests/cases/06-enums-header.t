#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Enums of every size and sign, arrays of no elements, functions: the header compiles and keeps
# sizes and values.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use HeaderTest;
use TestUtil;

laid_out(get(fixture("cases/$_.btf")), $_) for qw(enums.gcc enums.bpfel enums.gcc-no64 zeros.gcc
	zeros.bpfel zeros.bpfeb voids.gcc voids.bpfel voids.bpfeb type_tags.bpfel type_tags.bpfeb);

in_both_orders(sub {
	my ($big, $name) = @_;
	my $btf = BTF->new(big => $big);
	my $int = $btf->int('int', 4, signed => 1);
	$btf->enum('tiny', [ [ 'T0', 0 ], [ 'T1', 255 ] ], size => 1);
	$btf->enum('minus', [ [ 'M1', -1 ], [ 'M0', 0 ] ], size => 1, signed => 1);
	$btf->enum('half', [ [ 'H0', 0 ] ], size => 2);
	$btf->enum('plain', [ [ 'P0', 0 ], [ 'P1', 0xffffffff ] ]);
	$btf->enum('negative', [ [ 'N0', -2147483648 ], [ 'N1', 5 ] ], signed => 1);
	$btf->enum('wide', [ [ 'W0', 1 ] ], size => 8);
	$btf->enum64('huge', [ [ 'U0', 9223372036854775810 ], [ 'U1', 1 ] ]);
	$btf->enum64('least', [ [ 'L0', -9223372036854775807 - 1 ], [ 'L1', 4294967296 ] ], signed => 1);
	$btf->enum64('small', [ [ 'S0', -1 ], [ 'S1', 3 ] ], signed => 1);
	$btf->enum('', [ [ 'loose', 1 ] ]);
	$btf->enum('', []);
	my $inline = $btf->enum('', [ [ 'inside', 3 ] ]);
	$btf->struct('first', 8, [ [ 'e', $inline, 0 ], [ 'x', $int, 32 ] ]);
	$btf->struct('second', 4, [ [ 'e', $inline, 0 ] ]);
	my $text = laid_out($btf->bytes, "$name: enums", code => <<'END');
_Static_assert(sizeof(enum tiny) == 1, "");
_Static_assert(sizeof(enum minus) == 1, "");
_Static_assert(sizeof(enum half) == 2, "");
_Static_assert(sizeof(enum plain) == 4, "");
_Static_assert(sizeof(enum negative) == 4, "");
_Static_assert(sizeof(enum wide) == 8, "");
_Static_assert(sizeof(enum huge) == 8, "");
_Static_assert(sizeof(enum least) == 8, "");
_Static_assert(sizeof(enum small) == 8, "");
_Static_assert(T1 == 255, "");
_Static_assert(M1 == -1, "");
_Static_assert(P1 == 4294967295, "");
_Static_assert(N0 == -2147483647 - 1, "");
_Static_assert(U0 == 9223372036854775810ULL, "");
_Static_assert(L0 == -9223372036854775807 - 1, "");
_Static_assert(L1 == 4294967296, "");
_Static_assert(loose == 1, "");
_Static_assert(inside == 3, "");
END
	like($text, qr/\tinside = 3,.*\tinside___2 = 3,/s, "$name: an unnamed enum in two structs");
	like($text, qr/^enum \{\n\tloose = 1,\n\};$/m, "$name: the first enum is not lost");
	unlike($text, qr/enum \{\s*\}/, "$name: no empty enum");
});

# Functions, qualifiers, tags.
{
	my $btf = BTF->new;
	my $int = $btf->int('int', 4, signed => 1);
	my $char = $btf->int('char', 1);
	my $void_ptr = $btf->ptr(0);
	my $none = $btf->proto(0, []);
	my $print = $btf->proto($int, [ [ '', $btf->ptr($btf->const($char)) ], [ '', 0 ] ]);
	my $alone = $btf->proto($int, [ [ '', 0 ] ]);
	my $getter = $btf->proto($btf->ptr($btf->proto($int, [ [ '', $int ] ])), []);
	my $row = $btf->array($btf->ptr($int), $int, 4);
	$btf->typedef('none_t', $none);
	$btf->typedef('nothing', 0);
	my $lines = $btf->array($btf->array($btf->ptr($print), $int, 3), $int, 2);
	$btf->struct('functions', 152, [
		[ 'none', $btf->ptr($none), 0 ], [ 'never', $btf->ptr($btf->volatile($none)), 64 ],
		[ 'print', $btf->ptr($btf->const($print)), 128 ], [ 'alone', $btf->ptr($alone), 192 ],
		[ 'getter', $btf->ptr($getter), 256 ], [ 'row', $btf->ptr($row), 320 ],
		[ 'lines', $lines, 384 ],
		[ 'fixed', $btf->const($btf->ptr($btf->volatile($int))), 768 ],
		[ 'rows', $btf->const($btf->array($btf->const($btf->ptr($btf->const($char))), $int, 2)), 832 ],
		[ 'only', $btf->restrict($void_ptr), 960 ],
		[ 'no', $btf->restrict($int), 1024 ],
		[ 'nor', $btf->restrict($btf->ptr($none)), 1088 ],
		[ 'user', $btf->ptr($btf->type_tag('user', $int)), 1152 ],
	]);
	$btf->struct('odd', 32, [
		[ 'array', $btf->ptr($btf->proto($row, [])), 0 ],
		[ 'nothing', $btf->ptr($btf->proto(0, [ [ 'a', $btf->typedef('v', 0) ], [ 'b', $int ] ])), 64 ],
		[ 'quote', $btf->ptr($btf->type_tag('a"b', $int)), 128 ],
		[ 'attribute', $btf->ptr($btf->type_tag('address_space(1)', $int, kflag => 1)), 192 ] ]);
	my $text = laid_out($btf->bytes, 'functions', flags => ['-Wno-strict-prototypes']);
	like($text, qr/^\tvoid \(\*none\)\(void\);$/m, 'no parameters: (void)');
	like($text, qr/^\tvoid \(\*never\)\(void\);$/m, 'a function that does not return');
	like($text, qr/^\tint \(\*print\)\(const char \*, \.\.\.\);$/m, 'more parameters');
	like($text, qr/^\tint \(\*\(\*getter\)\(void\)\)\(int\);$/m, 'a function that gives one');
	like($text, qr/^\tint \*\(\*row\)\[4\];$/m, 'a pointer to an array');
	like($text, qr/^\tint \(\*lines\[2\]\[3\]\)\(const char \*, \.\.\.\);$/m, 'arrays of pointers');
	like($text, qr/^\tconst char \*const rows\[2\];$/m, 'a const array');
	like($text, qr/^\tint __btf_type_tag\("user"\) \*user;$/m, 'a tag');
	like($text, qr/^\tvoid \*array;$/m, 'a function that returns an array');
}

# Kfuncs, and what is none.
{
	my $btf = BTF->new;
	my $int = $btf->int('int', 4, signed => 1);
	my $task = $btf->struct('task', 4, [ [ 'pid', $int, 0 ] ]);
	my $proto = $btf->proto($btf->ptr($task), [ [ 'task', $btf->ptr($task) ], [ 'n', $int ] ]);
	my @names = qw(bpf_task_get bpf_fast not_one for bpf_task);
	my @funcs = map { $btf->func($_, $proto, 1) } @names;
	$btf->decl_tag('bpf_kfunc', $_) for @funcs[ 0, 1, 3, 4 ];
	$btf->decl_tag('bpf_fastcall', $funcs[1]);
	$btf->typedef('bpf_task', $int);
	my $text = laid_out($btf->bytes, 'kfuncs');
	like($text, qr/^extern struct task \*bpf_task_get\(struct task \*task, int n\) __weak __ksym;$/m,
		'a kfunc');
	like($text, qr/^extern __bpf_fastcall struct task \*bpf_fast\(/m, 'a fast one');
	unlike($text, qr/not_one|\bfor\(/, 'others are not there');
	compiles("#define BPF_NO_KFUNC_PROTOTYPES\n$text", 'without prototypes',
		code => "int bpf_task_get;\n");
	unlike(header($btf->bytes, '-q', '--no-kfuncs'), qr/bpf_task_get|__ksym/, '--no-kfuncs');
	unlike(header($btf->bytes, '-q', '--no-preserve-access-index'), qr/preserve_access_index/,
		'--no-preserve-access-index');
	like(header($btf->bytes, '-q', '--offsets'), qr/^\tint pid; \/\* 0 \*\/$/m, '--offsets');
}

# No compiler writes values without a name, but a file may have them.
{
	my $btf = BTF->new;
	$btf->enum('nameless', [ [ '', 1 ], [ 'named', 2 ], [ '', 3 ] ]);
	$btf->enum('', [ [ '', 4 ] ]);
	$btf->enum64('', [ [ '', 5 ] ]);
	my $text = header($btf->bytes, '-q');
	my @values = $text =~ /^\t(\w*) = (\d)/mg;
	is(scalar @values, 10, 'values without a name are all there');
	compiles($text, 'and compile');
	warned(header_of(put('nameless.btf', $btf->bytes)), qr/values without a name, numbered/, 'it is said');
}

done_testing;
