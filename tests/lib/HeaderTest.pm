# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package HeaderTest;

# Headers under test: made, compiled by every compiler that is here, twice in one file, with the
# layout that BTF says asserted.

use strict;
use warnings;
use Exporter 'import';
use Test::More ();
use BTF;
use TestUtil;

our @EXPORT = qw(header header_of compilers wide_gcc compiles laid_out assertions);

# Makes a header of BTF bytes; returns its text, or undef when that fails.
sub header {
	my ($bytes, @options) = @_;
	my $result = header_of(put('header.btf', $bytes), @options);
	return $result->{out} if $result->{status} == 0;
	Test::More::diag("header: exit $result->{status}: $result->{err}");
	return;
}

sub header_of { return btfcanon('header', @_) }

# Does the compiler make pointers of this size? The machine's own may not, nor know the option for it.
my %makes;

sub makes_pointers {
	my ($pointer_bytes, @command) = @_;
	my $file = put('pointers.c', "_Static_assert(sizeof(void *) == $pointer_bytes, \"\");\nint done;\n");
	return $makes{"$pointer_bytes @command"}
		//= !run(@command, '-fsyntax-only', $file, { memory_mb => 0 })->{status};
}

# Does it align the widest integers as most do? s390x has 8 bytes for all.
sub aligns_to_16 {
	my (@command) = @_;
	my $file = put('aligned.c', "_Static_assert(_Alignof(unsigned __int128) == 16, \"\");\nint done;\n");
	return $makes{"16 @command"} //= !run(@command, '-fsyntax-only', $file, { memory_mb => 0 })->{status};
}

# gcc with what makes it give pointers eight bytes; nothing where it cannot.
sub wide_gcc {
	return if !have('gcc');
	my ($gcc) = grep { makes_pointers(8, @$_) } [ 'gcc' ], [ qw(gcc -m64) ];
	return $gcc ? @$gcc : ();
}

# Which compilers there are for this size of a pointer: name => [command]. Where 8 bytes are aligned
# to 4 (i386), others of 4 bytes cannot follow. A clang from 16 on knows
# the keywords of C23, which gcc 12 and clang 14 do not.
sub compilers {
	my ($pointer_bytes, %o) = @_;
	my %found;
	my @clangs = grep { have($_) } qw(clang clang-16 clang-17 clang-18 clang-19);
	if ($pointer_bytes == 4) {
		for my $clang (@clangs) {
			$found{"$clang i386"} = [ $clang, qw(-m32 -std=gnu11) ];
			$found{"$clang arm"} = [ $clang, qw(-target arm-linux-gnueabi -std=gnu11) ]
				if !$o{i386};
		}
		$found{'gcc -m32'} = [ qw(gcc -m32 -std=gnu11) ]
			if have('gcc') && !$o{clang} && makes_pointers(4, qw(gcc -m32));
		return %found;
	}
	for my $clang (@clangs) {
		for my $std (qw(gnu11 gnu2x)) {
			$found{"$clang $std"} = [ $clang, "-std=$std" ] if makes_pointers(8, $clang);
			$found{"$clang $std bpf"} = [ $clang, "-std=$std", qw(-target bpf) ];
		}
	}
	my @gcc = wide_gcc();
	return %found if $o{clang} || !@gcc;
	$found{"@gcc $_"} = [ @gcc, "-std=$_" ] for qw(gnu11 gnu2x);
	return %found;
}

# C that asserts size and offsets of every struct and union with a name of its own, which BASE, if
# given, has not either. Members of unnamed members count too.
sub assertions {
	my ($btf, $base) = @_;
	my %count;
	my $text = '';
	$count{ $_->{name} }++ for grep { $_->{kind} == BTF::STRUCT || $_->{kind} == BTF::UNION
		|| $_->{kind} == BTF::ENUM || $_->{kind} == BTF::ENUM64 } $btf->types, $base ? $base->types : ();
	for my $type ($btf->types) {
		next if $type->{kind} != BTF::STRUCT && $type->{kind} != BTF::UNION;
		next if $type->{name} !~ /^[A-Za-z_]\w*$/ || $count{ $type->{name} } > 1;
		next if $type->{name} =~ /^(?:int|for|char|void|if|do|bool|true|false)$/;
		my $c = ($type->{kind} == BTF::STRUCT ? 'struct ' : 'union ') . $type->{name};
		$text .= "SIZE($c, $type->{size});\n";
		for my $i (0 .. $#{ $type->{names} }) {
			my ($name, $offset) = ($type->{names}[$i], $type->{nums}[$i]);
			next if $name !~ /^[A-Za-z_]\w*$/ || $type->{kflag} && $offset >> 24;
			next if $name =~ /^(?:bool|true|false|for|if|while|restrict|default)$/;
			$text .= "OFFSET($c, $name, " . $offset / 8 . ");\n" if $offset % 8 == 0;
		}
	}
	return <<"END";
#define SIZE(type, bytes) _Static_assert(sizeof(type) == bytes, "size of " #type)
#define OFFSET(type, member, bytes) \\
	_Static_assert(__builtin_offsetof(type, member) == bytes, #type "." #member)
$text
END
}

# The header, included twice, and CODE compile with every compiler.
sub compiles {
	my ($text, $name, %o) = @_;
	my %compilers = compilers($o{pointer_bytes} // 8, %o);
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return Test::More::ok(1, "$name # SKIP no compiler here") if !%compilers;
	put('tested.h', $text);
	my $file = put('tested.c', ($o{before} // '')
		. qq(#include "tested.h"\n#include "tested.h"\n) . ($o{code} // '') . "int done;\n");
	my @wrong;
	for my $compiler (sort keys %compilers) {
		next if $o{only} && $compiler !~ $o{only};
		next if $o{wide_aligned} && !aligns_to_16(@{ $compilers{$compiler} });
		my $result = run(@{ $compilers{$compiler} }, qw(-Wall -Wextra -Werror),
			@{ $o{flags} // [] }, qw(-Wno-missing-field-initializers -fsyntax-only),
			$file, { memory_mb => 0 });
		push @wrong, "$compiler:\n" . substr $result->{err}, 0, 1500 if $result->{status};
	}
	return Test::More::ok(!@wrong, $name) || Test::More::diag(join "\n", @wrong[0 .. ($#wrong > 1 ? 1 : $#wrong)]);
}

# The header of BTF bytes compiles, and structs are laid out as BTF says. Returns its text.
sub laid_out {
	my ($bytes, $name, %o) = @_;
	my $text = header($bytes, @{ $o{options} // [] }, '-q');
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return Test::More::fail("$name: no header") && undef if !defined $text;
	compiles($text, "$name: compiles, laid out as BTF says", %o,
		code => ($o{assert} // assertions(BTF->read($bytes))) . ($o{code} // ''));
	return $text;
}

1;
