# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package DumpText;

# Reads the full text form (docs/dump-format.md, its grammar and nothing else) into a BTF. Dies on
# what the grammar does not have. Split BTF is not read: its base would be needed for the names.

use strict;
use warnings;
use BTF;

my %reserved = map { $_ => 1 } qw(const volatile restrict void struct union enum type_tag type_attr
	decl_tag decl_attr char short int long signed unsigned float double __int128);
my %base_word = map { $_ => 1 } qw(char short int long signed unsigned float double __int128);
my %modifier = (const => 'CONST', volatile => 'VOLATILE', restrict => 'RESTRICT');
my %linkage = (static => 0, global => 1, extern => 2);
my %space = (INT => 'base', FLOAT => 'base', TYPEDEF => 'base', FUNC => 'func', VAR => 'var',
	DATASEC => 'section', map { $_ => 'tag' } qw(STRUCT UNION ENUM ENUM64 FWD));

# ---------------------------------------------------------------- tokens

sub tokens {
	my ($text) = @_;
	my @tokens;
	for ($text) {
		while (1) {
			/\G(?:\s|\/\/[^\n]*)+/gc;
			last if /\G\z/gc;
			if (/\G"((?:[^"\\]|\\["\\]|\\x[0-9a-f]{2})*)"(?:___([0-9]+))?/gc) {
				my ($string, $number) = ($1, $2);
				$string =~ s/\\(?:(["\\])|x(..))/$1 \/\/ chr hex $2/ge;
				push @tokens, { string => $string, number => $number };
			} elsif (/\G(\d+)(?![\w.\$])/gc || /\G([\w.\$]+|[-{}()\[\]*,;:=@])/gc) {
				push @tokens, { text => $1 };
			} else {
				die 'no token: ' . substr($text, pos // 0, 40) . "\n";
			}
		}
	}
	return \@tokens;
}

sub peek {
	my ($self, $ahead) = @_;
	my $token = $self->{tokens}[ $self->{at} + ($ahead // 0) ];
	return $token && defined $token->{text} ? $token->{text} : '';
}

sub fail {
	my ($self, $wanted) = @_;
	my @near = map { $_ ? $_->{text} // "\"$_->{string}\"" : () }
		@{ $self->{tokens} }[ $self->{at} .. $self->{at} + 8 ];
	die "$wanted expected before: @near\n";
}

sub accept {
	my ($self, @texts) = @_;
	for my $i (0 .. $#texts) {
		return 0 if $self->peek($i) ne $texts[$i];
	}
	$self->{at} += @texts;
	return 1;
}

sub expect {
	my ($self, @texts) = @_;
	$self->accept(@texts) || $self->fail("@texts");
}

sub next_token { return $_[0]{tokens}[ $_[0]{at}++ ] }

sub number {
	my ($self) = @_;
	my $sign = $self->accept('-') ? '-' : '';
	$self->peek =~ /\A\d+\z/ || $self->fail('number');
	return $sign . $self->next_token->{text};
}

sub string {
	my ($self) = @_;
	my $token = $self->next_token;
	defined $token->{string} || $self->fail('string');
	return $token->{string};
}

# ---------------------------------------------------------------- names

sub at_name {
	my ($self) = @_;
	my $token = $self->{tokens}[ $self->{at} ] or return 0;
	return defined $token->{string} || $token->{text} =~ /\A[A-Za-z_.\$]/
		&& $token->{text} =~ /[^.]/ && !$reserved{ $token->{text} };
}

# A member, parameter or value: no numbers.
sub element_name {
	my ($self) = @_;
	$self->at_name || $self->fail('name');
	my $token = $self->next_token;
	return $token->{string} // $token->{text};
}

sub split_number {
	my ($token) = @_;
	return ($token->{string}, $token->{number} // 1) if defined $token->{string};
	return ($1, $2) if $token->{text} =~ /\A(.+)___([2-9]|[1-9][0-9]+)\z/s;
	return ($token->{text}, 1);
}

sub name {
	my ($self) = @_;
	$self->at_name || $self->fail('name');
	return split_number($self->next_token);
}

sub base_name {
	my ($self) = @_;
	my @words;
	while (1) {
		my ($word, $number) = split_number({ text => $self->peek });
		last if !$base_word{$word};
		push @words, $word;
		$self->{at}++;
		return ("@words", $number) if $number > 1;
		last if !$base_word{ (split_number({ text => $self->peek }))[0] };
	}
	return @words ? ("@words", 1) : $self->name;
}

# ---------------------------------------------------------------- nodes
#
# A node is a hash as of BTF.pm, whose refs are nodes, 0, or { space, name, number } or { label }.

sub node {
	my ($self, $kind, %more) = @_;
	my $node = { kind => $BTF::NUMBER{$kind}, kflag => 0, vlen => 0, name => '', refs => [],
		names => [], nums => [], %more };
	push @{ $self->{nodes} }, $node;
	return $node;
}

sub declare {
	my ($self, $node, $number) = @_;
	my $space = $space{ $BTF::KINDS[ $node->{kind} ] };
	die "$node->{name} is declared twice\n" if $self->{declared}{$space}{ $node->{name} }{$number};
	return $self->{declared}{$space}{ $node->{name} }{$number} = $node;
}

sub set_label {
	my ($self, $label, $node) = @_;
	die "label $label is set twice\n" if $self->{labels}{$label};
	$self->{labels}{$label} = $node;
}

# Tags on a node, or on its element; the tags read.
sub tags {
	my ($self, $node, $element) = @_;
	my @tags;
	while ($self->peek =~ /\Adecl_(tag|attr)\z/) {
		my $kflag = $1 eq 'attr' ? 1 : 0;
		$self->{at}++;
		$self->expect('(');
		push @tags, $self->node('DECL_TAG', name => $self->string, kflag => $kflag,
			refs => [$node], fixed => $element // 0xffffffff);
		$self->expect(')');
	}
	return @tags;
}

# ---------------------------------------------------------------- types

# What follows a type's sign, as subs that make a type of a type: oddities of the type itself,
sub oddities {
	my ($self) = @_;
	my @makers;
	while ($self->peek eq '[' && $self->peek(1) eq '[') {
		$self->{at} += 2;
		if ($self->accept('@')) {
			my $label = $self->number;
			push @makers, sub { $self->set_label($label, $_[0]); return $_[0] };
		} else {
			$self->expect('name');
			my $name = $self->string;
			push @makers, sub { $_[0]{name} = $name; return $_[0] };
		}
		$self->expect(']', ']');
	}
	return @makers;
}

# and modifiers with theirs.
sub suffixes {
	my ($self) = @_;
	my @makers = $self->oddities;
	while (1) {
		if (my $kind = $modifier{ $self->peek }) {
			$self->{at}++;
			push @makers, sub { $self->node($kind, refs => [ $_[0] ]) };
		} elsif ($self->peek =~ /\Atype_(tag|attr)\z/) {
			my $kflag = $1 eq 'attr' ? 1 : 0;
			$self->{at}++;
			$self->expect('(');
			my $name = $self->string;
			$self->expect(')');
			push @makers, sub {
				$self->node('TYPE_TAG', name => $name, kflag => $kflag,
					refs => [ $_[0] ]);
			};
		} else {
			return @makers;
		}
		push @makers, $self->oddities;
	}
}

# Qualifiers before the base: what is written first is made last, but oddities follow theirs.
sub prefixes {
	my ($self) = @_;
	my (@groups, @makers);
	while ($modifier{ $self->peek }) {
		my $kind = $modifier{ $self->next_token->{text} };
		unshift @groups,
			[ sub { $self->node($kind, refs => [ $_[0] ]) }, $self->oddities ];
	}
	return map { @$_ } @groups;
}

sub base {
	my ($self) = @_;
	return 0 if $self->accept('void');
	return { label => $self->number } if $self->accept('@');
	if ($self->peek =~ /\A(?:struct|union|enum|enum64)\z/) {
		if ($self->peek(1) eq '@' && $self->peek(3) ne '{') {
			$self->{at} += 2;
			return { label => $self->number };
		}
		return $self->body if $self->peek(1) =~ /\A(?:[{@]|decl_tag|decl_attr)\z/;
		$self->{at}++;
		my ($name, $number) = $self->name;
		return { space => 'tag', name => $name, number => $number };
	}
	my ($name, $number) = $self->base_name;
	return { space => 'base', name => $name, number => $number };
}

sub declarator {
	my ($self, $names_types) = @_;
	my (@left, @inner, @right, $name, $number);
	while ($self->accept('*')) {
		push @left, sub { $self->node('PTR', refs => [ $_[0] ]) }, $self->suffixes;
	}
	if ($self->peek eq '(' && $self->peek(1) eq '*') {
		$self->{at}++;
		my $inner;
		($inner, $name, $number) = $self->declarator($names_types);
		@inner = @$inner;
		$self->expect(')');
	} elsif ($self->at_name) {
		($name, $number) = $names_types ? $self->name : $self->element_name;
	}
	while (my $piece = $self->piece) {
		unshift @right, $piece, $self->suffixes;
	}
	return ([ @left, @right, @inner ], $name, $number);
}

sub piece {
	my ($self) = @_;
	if ($self->peek eq '[' && $self->peek(1) ne '[') {
		$self->{at}++;
		my $count = $self->number;
		my $index = $self->accept(':') ? ($self->declaration)[0] : { usual_index => 1 };
		$self->expect(']');
		return sub { $self->node('ARRAY', refs => [ $_[0], $index ], fixed => $count) };
	}
	return if !$self->accept('(');
	my (@names, @types);
	if ($self->peek eq 'void' && $self->peek(1) eq ')') {
		$self->{at}++;
	} else {
		do {
			my ($type, $name) = (0);
			($type, $name) = $self->declaration if !$self->accept('...');
			push @names, $name // '';
			push @types, $type;
			push @{ $self->{parameter_tags} }, $self->tags(undef, $#types);
		} while ($self->accept(','));
	}
	$self->expect(')');
	return sub {
		$self->node('FUNC_PROTO', vlen => scalar @types, names => \@names,
			refs => [ $_[0], @types ]);
	};
}

# (type, name, number)
sub declaration {
	my ($self, $names_types) = @_;
	my @prefixes = $self->prefixes;
	my $type = $self->base;
	my @suffixes = $self->suffixes;
	my ($makers, $name, $number) = $self->declarator($names_types);
	$type = $_->($type) for @prefixes, @suffixes, @$makers;
	return ($type, $name, $number);
}

sub body {
	my ($self) = @_;
	my $keyword = $self->next_token->{text};
	my $node = $self->node(uc $keyword);
	if ($self->at_name) {
		($node->{name}, my $number) = $self->name;
		$self->declare($node, $number);
		if ($self->accept(';')) {
			$node->{kind} = $BTF::NUMBER{FWD};
			$node->{kflag} = $keyword eq 'union' ? 1 : 0;
			$self->{at}--;
			return $node;
		}
	}
	$self->tags($node);
	$self->set_label($self->number, $node) if $self->accept('@');
	$self->expect('{');
	$keyword =~ /enum/ ? $self->values($node) : $self->members($node);
	$self->expect('}', 'size');
	$node->{size} = $self->number;
	$node->{kflag} = 1 if $self->accept('[', '[', $keyword =~ /enum/ ? 'signed' : 'kflag', ']',
		']');
	$node->{vlen} = @{ $node->{names} };
	return $node;
}

sub members {
	my ($self, $node) = @_;
	while ($self->peek ne '}') {
		my $offset = 8 * $self->number;
		$offset += $self->number if $self->accept(':');
		my ($type, $name) = $self->declaration;
		if ($self->accept(':')) {
			$offset |= $self->number << 24;
			$node->{kflag} = 1;
		}
		push @{ $node->{names} }, $name // '';
		push @{ $node->{refs} }, $type;
		push @{ $node->{nums} }, $offset;
		$self->tags($node, $#{ $node->{names} });
		$self->expect(';');
	}
}

sub values {
	my ($self, $node) = @_;
	while ($self->peek ne '}') {
		push @{ $node->{names} }, $self->element_name;
		$self->expect('=');
		my $value = $self->number;
		$self->expect(',');
		$node->{kflag} = 1 if $value =~ /\A-/;
		$value = $value =~ /\A-/ ? -(substr($value, 1) - 1) - 1 : $value;
		push @{ $node->{nums} }, $value & 0xffffffff;
		push @{ $node->{nums} }, $value >> 32 & 0xffffffff
			if $node->{kind} == $BTF::NUMBER{ENUM64};
	}
}

# ---------------------------------------------------------------- blocks

sub integer {
	my ($self) = @_;
	my ($name, $number) = $self->base_name;
	$self->expect('size');
	my $size = $self->number;
	my $encoding = 0;
	my %bit = (signed => 1, char => 2, bool => 4, encoding8 => 8);
	$encoding |= $bit{ $self->next_token->{text} } while $bit{ $self->peek };
	my $bits = $self->accept('bits') ? $self->number : 8 * $size;
	my $offset = $self->accept('offset') ? $self->number : 0;
	$self->declare($self->node('INT', name => $name, size => $size,
		fixed => $encoding << 24 | $offset << 16 | $bits), $number);
}

sub linked {
	my ($self, $linkage) = @_;
	$self->{parameter_tags} = [];
	my ($type, $name, $number) = $self->declaration(1);
	my $is_func = ref $type && ($type->{kind} // 0) == $BTF::NUMBER{FUNC_PROTO};
	my $node = $self->node($is_func ? 'FUNC' : 'VAR', name => $name, refs => [$type],
		$is_func ? (vlen => $linkage) : (fixed => $linkage));
	# Tags of parameters were read before there was a function.
	$_->{refs}[0] = $node for @{ $self->{parameter_tags} };
	$self->declare($node, $number);
	$self->tags($node);
}

sub section {
	my ($self) = @_;
	my ($name, $number) = $self->name;
	my $node = $self->node('DATASEC', name => $name);
	$self->declare($node, $number);
	$self->expect('{');
	while (!$self->accept('}')) {
		push @{ $node->{nums} }, $self->number;
		my $space = $self->accept('var') ? 'var' : $self->accept('func') ? 'func'
			: $self->fail('var or func');
		my ($entry, $entry_number) = $self->name;
		push @{ $node->{refs} }, { space => $space, name => $entry, number => $entry_number };
		$self->expect('size');
		push @{ $node->{nums} }, $self->number;
		$self->expect(';');
		$node->{vlen}++;
	}
	$self->expect('size');
	$node->{size} = $self->number;
}

sub block {
	my ($self) = @_;
	$self->{labels} = {};
	my $first = scalar @{ $self->{nodes} };
	my $word = $self->peek;
	if ($word =~ /\A(?:struct|union|enum|enum64)\z/) {
		$self->body;
	} else {
		$self->{at}++;
		if ($word eq 'integer') {
			$self->integer;
		} elsif ($word eq 'float') {
			my ($name, $number) = $self->base_name;
			$self->expect('size');
			$self->declare($self->node('FLOAT', name => $name, size => $self->number), $number);
		} elsif ($word eq 'typedef') {
			my ($type, $name, $number) = $self->declaration(1);
			my $node = $self->node('TYPEDEF', name => $name, refs => [$type]);
			$self->declare($node, $number);
			$self->tags($node);
		} elsif (defined $linkage{$word}) {
			$self->linked($linkage{$word});
		} elsif ($word eq 'section') {
			$self->section;
		} elsif ($word eq 'type') {
			$self->declaration;
		} else {
			$self->{at}--;
			$self->fail('block');
		}
	}
	$self->expect(';');
	# Labels mean what they do in this block only.
	for my $node (@{ $self->{nodes} }[ $first .. $#{ $self->{nodes} } ]) {
		for (@{ $node->{refs} }) {
			next if !ref || !exists $_->{label};
			$_ = $self->{labels}{ $_->{label} } // die "no label $_->{label}\n";
		}
	}
}

sub resolved {
	my ($self, $ref) = @_;
	return 0 if !ref $ref;
	return $ref->{id} if $ref->{id};
	if ($ref->{usual_index}) {
		for my $name ('__ARRAY_SIZE_TYPE__', 'int') {
			return $self->{declared}{base}{$name}{1}{id} if $self->{declared}{base}{$name}{1};
		}
		die "an array without index type\n";
	}
	my $node = $self->{declared}{ $ref->{space} }{ $ref->{name} }{ $ref->{number} };
	die "no $ref->{space} $ref->{name} $ref->{number}\n" if !$node;
	return $node->{id};
}

# The BTF that the text says.
sub read {
	my ($class, $text) = @_;
	my %file;
	$text =~ s/\A#btf ([^\n]*)\n// or die "no #btf line\n";
	my $line = $1;
	$file{$1} = $2 while $line =~ /(\w+)=(\S+)/g;
	die "split BTF\n" if $file{base_types};
	my $self = bless { tokens => tokens($text), at => 0, nodes => [], declared => {} }, $class;
	$self->block while $self->{at} < @{ $self->{tokens} };

	my $btf = BTF->new(big => $file{byte_order} eq 'big' ? 1 : 0);
	$btf->{layout} = pack 'H*', $file{layout} if defined $file{layout};
	my $id = 1;
	$_->{id} = $id++ for @{ $self->{nodes} };
	for my $node (@{ $self->{nodes} }) {
		$btf->add(%$node, refs => [ map { $self->resolved($_) } @{ $node->{refs} } ]);
	}
	return $btf;
}

1;
