# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package Objects;

# Object files out of fixtures/encode, and what BTF says in words that can be compared.

use strict;
use warnings;
use Exporter 'import';
use Test::More ();
use BTF;
use TestUtil;

our @EXPORT = qw(no_assembler need_assembler object linked converted encoded types_of definitions says);

# Why there is no assembler for a 64-bit little-endian machine, or one of these tools is missing;
# nothing where all are there.
sub no_assembler {
	my (@tools) = @_;
	for my $tool ('as', @tools) {
		return "no $tool here (binutils)" if !have($tool);
	}
	my $result = run('as', '-o', scratch('probe.o'), put('probe.s', ".8byte probe\nprobe:\n"));
	my $head = $result->{status} == 0 ? unpack 'x4H4', get(scratch('probe.o')) : '';
	return $head eq '0201' ? undef : 'the assembler is not for a 64-bit little-endian machine';
}

# Plans to skip everything then.
sub need_assembler {
	my $why = no_assembler(@_);
	Test::More::plan(skip_all => $why) if defined $why;
	return;
}

sub _must {
	my @command = @_;
	my $result = run(@command, { memory_mb => 0 });
	die "@command: exit $result->{status}: $result->{err}" if $result->{status};
	return;
}

my %made;

# The object of fixtures/encode/NAME.s, assembled once; or of NAME.o, as it is. Another name may be
# given to a copy.
sub object {
	my ($name, $copy) = @_;
	my $fixture = fixture("encode/$name.o");
	return $made{$name} = -e $fixture ? $fixture : do {
		my $path = scratch("$name.o");
		_must('as', '-o', $path, fixture("encode/$name.s"));
		$path;
	} if !$made{$name} && !defined $copy;
	return put($copy, get(object($name))) if defined $copy;
	return $made{$name};
}

# An executable ("-r" among the options: a relocatable file) of objects.
sub linked {
	my ($name, @arguments) = @_;
	my $path = scratch($name);
	_must('ld', (grep { $_ eq '-r' } @arguments) ? () : ('-e', '0'), @arguments, '-o', $path);
	return $path;
}

# A copy of a file that objcopy made; undef where objcopy refuses.
sub converted {
	my ($name, $from, @options) = @_;
	my $path = scratch($name);
	my $result = run('objcopy', @options, $from, $path, { memory_mb => 0 });
	return $result->{status} == 0 ? $path : undef;
}

# What encode writes about these files (options among them), read; undef when it fails.
sub encoded {
	my (@arguments) = @_;
	my $result = btfcanon('encode', '-q', @arguments);
	return BTF->read($result->{out}) if $result->{status} == 0;
	Test::More::diag("encode @arguments: exit $result->{status}: $result->{err}");
	return;
}

my %is_no_type = map { ($BTF::NUMBER{$_} => 1) } qw(FUNC VAR DATASEC DECL_TAG);

# A copy without functions, variables and declaration tags, and without prototypes that only
# functions refer to.
sub types_of {
	my ($btf) = @_;
	my %used;
	for my $type ($btf->types) {
		next if $is_no_type{ $type->{kind} };
		$used{$_} = 1 for @{ $type->{refs} };
	}
	my %is_signature;
	for my $type ($btf->types) {
		$is_signature{ $type->{refs}[0] } = 1 if $type->{kind} == BTF::FUNC;
	}
	my $copy = BTF->new(big => $btf->{big});
	my %new = (0 => 0);
	for my $id (1 .. $btf->id_end - 1) {
		my $type = $btf->type($id);
		next if $is_no_type{ $type->{kind} } || ($is_signature{$id} && !$used{$id});
		push @{ $copy->{types} }, {%$type};
		$new{$id} = @{ $copy->{types} };
	}
	$_->{refs} = [ map { $new{$_} } @{ $_->{refs} } ] for $copy->types;
	return $copy;
}

# ---------------------------------------------------------------- in words

my %prefix = (PTR => '*', CONST => 'const ', VOLATILE => 'volatile ', RESTRICT => 'restrict ');

# A reference to a type: "*const char", "[4]int", "fn(a int, ...) void", "struct x".
sub _spelled {
	my ($btf, $id) = @_;
	return 'void' if !$id;
	my $type = $btf->type($id);
	my $kind = $BTF::KINDS[ $type->{kind} ];
	my @refs = @{ $type->{refs} };
	return $prefix{$kind} . _spelled($btf, $refs[0]) if $prefix{$kind};
	return "tag($type->{name}) " . _spelled($btf, $refs[0]) if $kind eq 'TYPE_TAG';
	return "[$type->{fixed}]" . _spelled($btf, $refs[0]) if $kind eq 'ARRAY';
	if ($kind eq 'FUNC_PROTO') {
		my @parameters = map {
			my $name = $type->{names}[ $_ - 1 ];
			!$refs[$_] && $name eq '' ? '...'
				: ($name eq '' ? '' : "$name ") . _spelled($btf, $refs[$_]);
		} 1 .. $#refs;
		return 'fn(' . join(', ', @parameters) . ') ' . _spelled($btf, $refs[0]);
	}
	return $type->{name} if $kind =~ /^(INT|FLOAT|TYPEDEF)$/;
	my $word = lc $kind;
	$word = $type->{kflag} ? 'fwd union' : 'fwd struct' if $kind eq 'FWD';
	return "$word $type->{name}" if $type->{name} ne '';
	return "$word { " . _content($btf, $type) . ' }';
}

sub _content {
	my ($btf, $type) = @_;
	my $kind = $BTF::KINDS[ $type->{kind} ];
	my ($names, $nums, $refs) = @$type{qw(names nums refs)};
	if ($kind eq 'INT') {
		my %word = (0 => '', 1 => ' signed', 2 => ' char', 4 => ' bool');
		my $odd = ($type->{fixed} & 0xffffff) == $type->{size} * 8 ? ''
			: sprintf ' of %d bits at %d', $type->{fixed} & 0xff,
				$type->{fixed} >> 16 & 0xff;
		return $type->{size} . ($word{ $type->{fixed} >> 24 } // ' ?') . $odd;
	}
	return $type->{size} if $kind eq 'FLOAT';
	return _spelled($btf, $refs->[0]) if $kind eq 'TYPEDEF';
	return '' if $kind eq 'FWD';
	my $text = $type->{size} . ($type->{kflag} ? $kind =~ /ENUM/ ? ' signed' : ' bits' : '')
		. ':';
	for my $i (0 .. $#$names) {
		if ($kind =~ /^ENUM/) {
			my $value = $kind eq 'ENUM' ? $type->{kflag} ? unpack 'l', pack 'L',
				$nums->[$i]
				: $nums->[$i]
				: unpack $type->{kflag} ? 'q<' : 'Q<',
				pack 'VV', @$nums[ 2 * $i, 2 * $i + 1 ];
			$text .= " $names->[$i]=$value";
			next;
		}
		my ($bits, $at) = $type->{kflag} ? ($nums->[$i] >> 24, $nums->[$i] & 0xffffff)
			: (0, $nums->[$i]);
		$text .= ' ' . ($names->[$i] eq '' ? '' : "$names->[$i] ") . _spelled($btf,
			$refs->[$i])
			. ($bits || $at % 8 ? " \@$at" . ($bits ? "+$bits" : '') : ' @' . $at / 8)
				. ';';
	}
	return $text;
}

# Everything that has a name: "struct x" => its content. Of several of one name the contents,
# sorted, are joined by " | ". Members stand at bytes ("@4"), or at bits where they are bitfields
# ("@3+5": bit 3, five wide).
sub definitions {
	my ($btf) = @_;
	my %found;
	for my $type ($btf->types) {
		next if $type->{name} eq '' || $is_no_type{ $type->{kind} }
			|| $type->{kind} == BTF::TYPE_TAG;
		my $kind = lc $BTF::KINDS[ $type->{kind} ];
		$kind = $type->{kflag} ? 'fwd union' : 'fwd struct' if $kind eq 'fwd';
		push @{ $found{"$kind $type->{name}"} }, _content($btf, $type);
	}
	return { map { ($_ => join ' | ', sort @{ $found{$_} }) } keys %found };
}

# Checks what the BTF says about each of these names; EXPECTED is "name\n\tcontent\n..." or a hash.
sub says {
	my ($btf, $expected, $name) = @_;
	my %expected = ref $expected ? %$expected : _table($expected);
	my $found = ref $btf eq 'HASH' ? $btf : definitions($btf);
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	Test::More::is($found->{$_} // '(nothing)', $expected{$_}, "$name: $_")
		for sort keys %expected;
	return;
}

sub _table {
	my ($text) = @_;
	my (%table, $key);
	for my $line (split /\n/, $text) {
		next if $line =~ /^\s*$/;
		if ($line =~ /^\S/) {
			$key = $line;
			$table{$key} = '';
			next;
		}
		$line =~ s/^\s+//;
		$table{$key} .= ($table{$key} eq '' ? '' : ' ') . $line;
	}
	return %table;
}

1;
