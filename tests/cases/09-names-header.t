#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Names that C keeps for itself or cannot spell, base types no compiler has, several types of one
# name, macros in the way: the header compiles, and says every name once.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BTF;
use HeaderTest;
use TestUtil;

# Keywords of C11 and C23, as every kind of name there is.
{
	my $btf = BTF->new;
	my $int = $btf->int('int', 4, signed => 1);
	my $bool = $btf->typedef('bool', $btf->int('_Bool', 1, encoding => 4));
	$btf->enum('', [ [ 'false', 0 ], [ 'true', 1 ] ]);
	my $tag = $btf->struct('int', 4, [ [ 'if', $int, 0 ] ]);
	$btf->struct('class', 16, [ [ 'for', $int, 0 ], [ 'bool', $bool, 32 ],
		[ 'nullptr', $btf->ptr($tag), 64 ] ]);
	$btf->struct('takes_that', 4, [ [ 'for___2', $int, 0 ] ]);
	$btf->enum('typeof', [ [ 'default', 2 ], [ 'constexpr', 3 ] ]);
	$btf->typedef('static_assert', $int);
	$btf->union('__attribute__', 4, [ [ '__int128', $int, 0 ] ]);
	$btf->typedef('callback', $btf->ptr($btf->proto($int,
		[ [ 'register', $int ], [ 'bool', $bool ] ])));
	my $text = laid_out($btf->bytes, 'keywords', assert => <<'END');
_Static_assert(sizeof(struct class) == 16, "");
_Static_assert(sizeof(struct int___2) == 4, "");
static inline bool not(bool b) { return b == false ? true : false; }
static inline int use(struct class *c) { return c->for___3 + c->nullptr___2->if___2 + not(c->bool___2); }
int (*used)(struct class *) = use;
END
	like($text, qr/^struct int___2 \{$/m, 'a tag');
	like($text, qr/^typedef _Bool bool;$/m, 'bool itself stays');
	like($text, qr/^struct class \{$/m, 'a keyword of C++ alone stays');
	like($text, qr/^\tconstexpr___2 = 3,$/m, 'a value');
	compiles($text, 'with <stdbool.h> before it', before => "#include <stdbool.h>\n",
		code => "bool b = true;\n", clang => 1) if (compilers(8))[0];
	warned(header_of(scratch('header.btf')), qr/names that C keeps for itself/, 'and counted');
}

# What the C compilers of some other language call things.
{
	my $btf = BTF->new;
	my $int = $btf->int('i32', 4, signed => 1);
	my @names = ('core::Option<u32>', 'core::Option[u32]', 'a::b<c>', '(i32, u8)', '&[u8]', 'a-b',
		'a+b', '0start', 'sp ace', "tab\tname", 'q"uote', '*/', "new\nline", '{impl#0}', 'x' x 300,
		"\xc3\xa9", '"; int evil; "', '...');
	my @types = map { $btf->struct($_, 4, [ [ '__0', $int, 0 ] ]) } @names;
	$btf->struct('a__b_c_', 8, [ [ 'y', $int, 0 ], [ 'z', $int, 32 ] ]);
	$btf->struct('a_b___2', 8, [ [ 'y', $int, 0 ], [ 'z', $int, 32 ] ]);
	$btf->struct('all', 4 * @types, [ map { [ "m$_", $types[$_], 32 * $_ ] } 0 .. $#types ]);
	$btf->struct('members', 8, [ [ 'a b', $int, 0 ], [ 'a-b', $int, 32 ] ]);
	$btf->enum('values', [ [ 'x y', 1 ], [ 'x-y', 2 ], [ '9', 3 ] ]);
	$btf->typedef('ty pe', $int);
	my $text = laid_out($btf->bytes, 'foreign names');
	my %tags;
	$tags{$_}++ for $text =~ /^struct (\w+) \{$/mg;
	is(scalar keys %tags, @names + 4, 'as many tags as there are structs');
	unlike($text, qr/evil; "|::|q"|\+/, 'no raw text of them');
	like($text, qr/^struct a__b_c_ \{\n\ti32 y;/m, 'who has a name in C keeps it');
	warned(header_of(scratch('header.btf')), qr/names that C cannot spell.*and \d+ more/,
		'and counted');
}

# Base types.
for my $pointer_bytes (8, 4) {
	my $btf = BTF->new;
	my @base = (
		$btf->int('long unsigned int', $pointer_bytes), $btf->int('unsigned long long', 8),
		$btf->int('char', 1), $btf->int('bool', 1, encoding => 4), $btf->int('unsigned', 4),
		$btf->int('short', 2, signed => 1), $btf->int('usize', $pointer_bytes),
		$btf->int('int', 8, signed => 1), $btf->int('__int128 unsigned', 16),
		$btf->int('u128', 16), $btf->int('three', 3), $btf->int('complex float', 8),
		$btf->int('__Poly8_t', 1), $btf->int('', 4),
		$btf->float('float', 4), $btf->float('double', 8), $btf->float('long double', 16),
		$btf->float('_Float128', 16), $btf->float('__fp16', 2), $btf->float('f64', 8),
	);
	$btf->struct('at_' . $_, 512, [ [ 'before', $base[2], 0 ], [ 'x', $base[$_], 128 ],
		[ 'p', $btf->ptr($base[$_]), 1024 ] ]) for 0 .. $#base;
	laid_out($btf->bytes, "base types, pointers of $pointer_bytes bytes",
		pointer_bytes => $pointer_bytes, wide_aligned => $pointer_bytes == 8, options => ["--pointer-size=$pointer_bytes"]);
}

# va_list: what the compiler has, unless its size is needed.
for my $by_value (0, 1) {
	my $btf = BTF->new;
	my $int = $btf->int('int', 4, signed => 1);
	my $tag = $btf->struct('__va_list_tag', 24, [ [ 'gp', $int, 0 ], [ 'fp', $int, 32 ],
		[ 'o', $btf->ptr(0), 64 ], [ 'r', $btf->ptr(0), 128 ] ]);
	my $builtin = $btf->typedef('__builtin_va_list', $btf->array($tag, $int, 1));
	my $list = $btf->typedef('va_list', $btf->typedef('__gnuc_va_list', $builtin));
	$btf->struct('format', 8, [ [ 'args', $btf->ptr($list), 0 ] ]);
	$btf->struct('holder', 32, [ [ 'n', $int, 0 ], [ 'args', $list, 64 ] ]) if $by_value;
	my $text = laid_out($btf->bytes, 'va_list' . ($by_value ? ' by value' : ''));
	compiles($text, 'with <stdarg.h> behind it', code => "#include <stdarg.h>\n") if !$by_value;
}

# Several types of one name; tags share one space in C, typedefs and enumerators another.
{
	my $btf = BTF->new;
	my $int = $btf->int('int', 4, signed => 1);
	my $long = $btf->int('long int', 8, signed => 1);
	my $small = $btf->struct('context', 4, [ [ 'a', $int, 0 ] ]);
	my $large = $btf->struct('context', 8, [ [ 'b', $long, 0 ] ]);
	my $color = $btf->enum('context', [ [ 'RED', 0 ], [ 'GREEN', 1 ] ]);
	my $wide = $btf->enum64('context', [ [ 'RED', 1 << 40 ] ]);
	my $forward = $btf->fwd('context', union => 1);
	$btf->struct('context___2', 4, [ [ 'taken', $int, 0 ] ]);
	my @typedefs = map { $btf->typedef('number', $_) } $int, $long;
	$btf->enum('', [ [ 'number', 7 ], [ 'GREEN', 2 ], [ 'RED', 3 ] ]);
	$btf->struct("user$_", 8, [ [ 'p', $btf->ptr($small), 0 ] ]) for 1 .. 3;
	$btf->struct('uses', 32, [ [ 's', $small, 0 ], [ 'e', $color, 32 ], [ 'w', $wide, 64 ],
		[ 'l', $large, 128 ], [ 'f', $btf->ptr($forward), 192 ] ]);
	$btf->struct('numbers', 16, [ [ 'a', $typedefs[0], 0 ], [ 'b', $typedefs[1], 64 ] ]);
	my $text = laid_out($btf->bytes, 'one name');
	like($text, qr/^struct context \{\n\tint a;/m, 'the one with most referrers is plain');
	like($text, qr/^struct context___3 \{\n\tlong int b;/m, 'numbers skip real names');
	like($text, qr/^enum context___4 \{/m, 'enums come after structs');
	like($text, qr/^union context___6;/m, 'a forward declaration of another class is last');
	my %values;
	$values{$_}++ for $text =~ /^\t(\w+) = \d+,$/mg;
	is_deeply([ grep { $values{$_} > 1 } keys %values ], [], 'every enumerator once');
	ok($values{'number___3'} && !$values{'number'}, 'typedefs have the name before enumerators');
	my @texts = map { header(scalar BTF::shuffled($btf, $_), '-q') } 1 .. 5;
	is_deeply([ grep { $_ ne $text } @texts ], [], 'whatever the order of ids');
}

# Two members, or parameters, of one name.
{
	my $btf = BTF->new;
	my $int = $btf->int('int', 4, signed => 1);
	my $inner = $btf->struct('', 8, [ [ 'a', $int, 0 ], [ 'b', $int, 32 ] ]);
	$btf->struct('twice', 24, [ [ 'a', $int, 0 ], [ '', $inner, 32 ], [ 'a', $int, 96 ],
		[ 'own', $inner, 128 ] ]);
	$btf->typedef('same', $btf->ptr($btf->proto($int, [ [ 'x', $int ], [ 'x', $int ] ])));
	my $u8 = $btf->typedef('u8', $btf->int('unsigned char', 1));
	$btf->typedef('hides', $btf->ptr($btf->proto(0, [ [ 'u8', $int ], [ 'y', $u8 ] ])));
	laid_out($btf->bytes, 'twice in one scope', assert => <<'END');
_Static_assert(sizeof(struct twice) == 24, "");
_Static_assert(__builtin_offsetof(struct twice, own.a) == 16, "");
END
}

# "linux" and "unix" are macros in gnu11.
{
	my $btf = BTF->new;
	my $int = $btf->int('int', 4, signed => 1);
	$btf->struct('linux', 12, [ [ 'unix', $int, 0 ], [ 'linux', $int, 32 ], [ 'i386', $int, 64 ] ]);
	laid_out($btf->bytes, 'macros', assert => "int macro = sizeof(int[sizeof(1)]);\n");
}

done_testing;
