# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package BTF;

# A second opinion on BTF for the tests: a writer that may also write bad BTF, a plain reader, a
# comparison of two graphs, a shuffler. Written from the format's description, sharing no code with
# the program, and trusting nothing: the reader dies on what it does not understand.
#
# A BTF is an object with a list of types. A type is a hash:
#
#     kind kflag vlen name    as in the file, the name as a string (or \N: the offset N itself)
#     size                    of the kinds that have one
#     fixed                   the one number beside: INT's encoding word, ARRAY's element count,
#                             VAR's linkage, DECL_TAG's component
#     refs                    every type id in it, in order (FUNC_PROTO: result first)
#     names                   of members, values, parameters
#     nums                    STRUCT: offset words; ENUM: values; ENUM64: low, high, low, high, ...;
#                             DATASEC: offset, size, offset, size, ...
#     word, info, tail        for bad BTF: third word, info word, words behind

use strict;
use warnings;
no warnings qw(portable);

our @KINDS = qw(VOID INT PTR ARRAY STRUCT UNION ENUM FWD TYPEDEF VOLATILE CONST RESTRICT FUNC
	FUNC_PROTO VAR DATASEC FLOAT DECL_TAG TYPE_TAG ENUM64);
our %NUMBER = map { ($KINDS[$_] => $_) } 0 .. $#KINDS;

use constant {
	INT => 1, PTR => 2, ARRAY => 3, STRUCT => 4, UNION => 5, ENUM => 6, FWD => 7, TYPEDEF => 8,
	VOLATILE => 9, CONST => 10, RESTRICT => 11, FUNC => 12, FUNC_PROTO => 13, VAR => 14,
	DATASEC => 15, FLOAT => 16, DECL_TAG => 17, TYPE_TAG => 18, ENUM64 => 19,
};

# What the third word is: a size, a type id, or nothing.
my @has_size = map { /^(INT|STRUCT|UNION|ENUM|DATASEC|FLOAT|ENUM64)$/ ? 1 : 0 } @KINDS;
my @has_type = map { /^(PTR|TYPEDEF|VOLATILE|CONST|RESTRICT|FUNC|FUNC_PROTO|VAR|DECL_TAG|TYPE_TAG)$/
	? 1 : 0 } @KINDS;

# (bytes beside the head, bytes per element) of kinds 0 to 19, as a layout section says it.
our @LAYOUT = map { my $k = $_; $k =~ /^(INT|VAR|DECL_TAG)$/ ? [ 4, 0 ] : $k eq 'ARRAY' ? [ 12, 0 ]
	: $k =~ /^(STRUCT|UNION|DATASEC|ENUM64)$/ ? [ 0, 12 ] : $k =~ /^(ENUM|FUNC_PROTO)$/
		? [ 0, 8 ]
	: [ 0, 0 ] } @KINDS;

# ---------------------------------------------------------------- building

# BTF->new(big => 0|1, base => BTF): an empty one.
sub new {
	my ($class, %option) = @_;
	my $self = bless { big => 0, types => [], %option }, $class;
	$self->{first_id} = $self->{base} ? $self->{base}->id_end : 1;
	return $self;
}

sub id_end { return $_[0]{first_id} + @{ $_[0]{types} } }
sub types { return @{ $_[0]{types} } }

# The type with this id, through the chain of bases.
sub type {
	my ($self, $id) = @_;
	$self = $self->{base} while $id < $self->{first_id};
	return $self->{types}[ $id - $self->{first_id} ];
}

# Ids of the own types for which the code is true of $_.
sub ids {
	my ($self, $code) = @_;
	my @found;
	for my $i (0 .. $#{ $self->{types} }) {
		local $_ = $self->{types}[$i];
		push @found, $self->{first_id} + $i if $code->($_);
	}
	return @found;
}

# Own types of a kind and, if given, a name.
sub find {
	my ($self, $kind, $name) = @_;
	return map { $self->type($_) }
		$self->ids(sub { $_->{kind} == $NUMBER{$kind}
			&& (!defined $name || $_->{name} eq $name) });
}

sub one {
	my ($self, $kind, $name) = @_;
	my @found = $self->find($kind, $name);
	die "not exactly one $kind $name: " . scalar(@found) . "\n" if @found != 1;
	return $found[0];
}

sub add {
	my ($self, %type) = @_;
	push @{ $self->{types} },
		{ kflag => 0, vlen => 0, name => '', refs => [], names => [], nums => [], %type };
	return $self->id_end - 1;
}

sub int {
	my ($self, $name, $size, %o) = @_;
	my $encoding = $o{encoding} // ($o{signed} ? 1 : 0);
	my $word = $encoding << 24 | ($o{offset} // 0) << 16 | ($o{bits} // $size * 8);
	return $self->add(kind => INT, name => $name, size => $size, fixed => $o{word} // $word);
}

sub float { my ($self, $name, $size) = @_; return $self->add(kind => FLOAT, name => $name,
	size => $size) }

sub _ref {
	my ($self, $kind, $name, $type, %more) = @_;
	return $self->add(kind => $kind, name => $name, refs => [$type], %more);
}
sub ptr      { my ($self, $type, %m) = @_; return $self->_ref(PTR, '', $type, %m) }
sub const    { my ($self, $type, %m) = @_; return $self->_ref(CONST, '', $type, %m) }
sub volatile { my ($self, $type, %m) = @_; return $self->_ref(VOLATILE, '', $type, %m) }
sub restrict { my ($self, $type, %m) = @_; return $self->_ref(RESTRICT, '', $type, %m) }
sub typedef  { my ($self, $name, $type, %m) = @_; return $self->_ref(TYPEDEF, $name, $type, %m) }
sub type_tag { my ($self, $name, $type, %m) = @_; return $self->_ref(TYPE_TAG, $name, $type, %m) }
sub func {
	my ($self, $name, $proto, $linkage, %m) = @_;
	return $self->_ref(FUNC, $name, $proto, vlen => $linkage // 0, %m);
}
sub var {
	my ($self, $name, $type, $linkage, %m) = @_;
	return $self->_ref(VAR, $name, $type, fixed => $linkage // 1, %m);
}
sub decl_tag {
	my ($self, $name, $type, $component, %m) = @_;
	return $self->_ref(DECL_TAG, $name, $type, fixed => ($component // -1) & 0xffffffff, %m);
}
sub fwd {
	my ($self, $name, %m) = @_;
	my $kflag = delete $m{union} ? 1 : 0;
	return $self->add(kind => FWD, name => $name, kflag => $kflag, %m);
}

sub array {
	my ($self, $element, $index, $count, %m) = @_;
	return $self->add(kind => ARRAY, refs => [ $element, $index ], fixed => $count, %m);
}

# Members: [name, type, bit offset] or, for all with kflag, [name, type, bit offset, width].
sub struct {
	my ($self, $name, $size, $members, %m) = @_;
	my $kflag = $m{kflag} // (grep { @$_ > 3 } @$members) ? 1 : 0;
	return $self->add(kind => STRUCT, name => $name, size => $size, kflag => $kflag,
		vlen => scalar @$members, names => [ map { $_->[0] } @$members ],
		refs => [ map { $_->[1] } @$members ],
		nums => [ map { $_->[2] | ($_->[3] // 0) << 24 } @$members ], %m);
}
sub union { my ($self, @rest) = @_; return $self->struct(@rest, kind => UNION) }

sub enum {
	my ($self, $name, $values, %m) = @_;
	my $size = delete $m{size} // 4;
	$m{kflag} = 1 if delete $m{signed};
	return $self->add(kind => ENUM, name => $name, size => $size, vlen => scalar @$values,
		names => [ map { $_->[0] } @$values ],
			nums => [ map { $_->[1] & 0xffffffff } @$values ], %m);
}
sub enum64 {
	my ($self, $name, $values, %m) = @_;
	my $size = delete $m{size} // 8;
	$m{kflag} = 1 if delete $m{signed};
	return $self->add(kind => ENUM64, name => $name, size => $size, vlen => scalar @$values,
		names => [ map { $_->[0] } @$values ],
		nums => [ map { ($_->[1] & 0xffffffff, $_->[1] >> 32 & 0xffffffff) } @$values ],
			%m);
}

# Parameters: [name, type]; ['', 0] last is "...".
sub proto {
	my ($self, $result, $parameters, %m) = @_;
	return $self->add(kind => FUNC_PROTO, vlen => scalar @$parameters,
		names => [ map { $_->[0] } @$parameters ],
		refs => [ $result, map { $_->[1] } @$parameters ], %m);
}

# Entries: [variable, offset, size].
sub datasec {
	my ($self, $name, $size, $entries, %m) = @_;
	return $self->add(kind => DATASEC, name => $name, size => $size, vlen => scalar @$entries,
		refs => [ map { $_->[0] } @$entries ], nums => [ map { @$_[ 1, 2 ] } @$entries ],
			%m);
}

# BTF::build([key => sub { my ($btf, $id) = @_; ... }, ...], order => [keys], big => ...): a graph
# whose types name each other by key ($id->{key}), written in any order of ids.
sub build {
	my ($nodes, %option) = @_;
	my %make = @$nodes;
	my $order = delete $option{order} // [ map { $nodes->[ 2 * $_ ] } 0 .. @$nodes / 2 - 1 ];
	my $btf = BTF->new(%option);
	my $id = {};
	$id->{ $order->[$_] } = $btf->{first_id} + $_ for 0 .. $#$order;
	for my $key (@$order) {
		my $made = $make{$key}->($btf, $id);
		die "$key made $made, not $id->{$key}\n" if $made != $id->{$key};
	}
	return $btf;
}

# ---------------------------------------------------------------- writing

# A layout section; LIST as @LAYOUT.
sub layout_bytes {
	my ($big, @list) = @_;
	return join '', map { pack 'CC' . ($big ? 'n' : 'v'), @$_, 0 } @list;
}

# The strings in order of first use, each once. Returns the section (by reference, growing) and a
# sub that gives the offset of a string.
sub _plain_strings {
	my ($self) = @_;
	my $base = $self->{base};
	my $start = $base ? $base->string_end : 0;
	my $section = $base ? '' : "\0";
	my %offset = ('' => 0);
	return (\$section, sub {
		return $offset{ $_[0] } //= do {
			my $at = $start + length $section;
			$section .= "$_[0]\0";
			$at;
		};
	});
}

# The words of one type.
sub _words {
	my ($type, $offset_of) = @_;
	my $kind = $type->{kind};
	my $name = sub { return ref $_[0] ? ${ $_[0] } : $offset_of->($_[0]) };
	my ($refs, $nums, $names) = @$type{qw(refs nums names)};
	my $third = $kind > 19 ? 0 : $has_size[$kind] ? $type->{size} : $has_type[$kind]
		? $refs->[0] : 0;
	my @words = ($name->($type->{name}),
		$type->{info} // ($type->{kflag} << 31 | $kind << 24 | $type->{vlen}),
		$type->{word} // $third);

	if ($kind == STRUCT || $kind == UNION) {
		push @words, $name->($names->[$_]), $refs->[$_], $nums->[$_] for 0 .. $#$names;
	} elsif ($kind == ENUM) {
		push @words, $name->($names->[$_]), $nums->[$_] for 0 .. $#$names;
	} elsif ($kind == ENUM64) {
		push @words, $name->($names->[$_]), @$nums[ 2 * $_, 2 * $_ + 1 ] for 0 .. $#$names;
	} elsif ($kind == FUNC_PROTO) {
		push @words, $name->($names->[$_]), $refs->[ $_ + 1 ] for 0 .. $#$names;
	} elsif ($kind == DATASEC) {
		push @words, $refs->[$_], @$nums[ 2 * $_, 2 * $_ + 1 ] for 0 .. $#$refs;
	} elsif ($kind == ARRAY) {
		push @words, @$refs, $type->{fixed};
	} elsif ($kind == INT || $kind == VAR || $kind == DECL_TAG) {
		push @words, $type->{fixed};
	}
	push @words, @{ $type->{tail} } if $type->{tail};
	return @words;
}

# The file. Options:
#   order    list of "types", "layout", "strings" as they follow the header (default: that order)
#   header   its length (default 24, 32 with a layout)
#   layout   bytes of a layout section (default: the one that was read)
#   strings  [section, sub (string) -> offset] (default: as they come)
#   gap      bytes between the sections
#   set      { magic, version, flags, header, type_off, type_len, str_off, str_len,
#            layout_off, layout_len }: what the header says instead of the truth
sub bytes {
	my ($self, %o) = @_;
	my $long = $self->{big} ? 'N' : 'V';
	my ($section, $offset_of) = $o{strings} ? (\$o{strings}[0], $o{strings}[1])
		: $self->_plain_strings;
	my @chunks;
	for my $type (@{ $self->{types} }) {
		push @chunks, pack "$long*", _words($type, $offset_of);
	}
	my $layout = exists $o{layout} ? $o{layout} : $self->{layout};
	my %part = (types => join('', @chunks), layout => $layout // '', strings => $$section);
	$self->{string_bytes} = length $$section if !defined $self->{strings};

	my %at;
	my $body = '';
	for my $name (@{ $o{order} // [qw(types layout strings)] }) {
		$body .= "\0" x (-length($body) % 4) if $name ne 'strings' && length $part{$name};
		$body .= $o{gap} if defined $o{gap} && length $body;
		$at{$name} = length $body;
		$body .= $part{$name};
	}
	$at{layout} = 0 if !length $part{layout};
	my $header = $o{header} // (length $part{layout} ? 32 : 24);
	my %head = (magic => 0xeb9f, version => 1, flags => 0, header => $header,
		type_off => $at{types}, type_len => length $part{types},
		str_off => $at{strings}, str_len => length $part{strings},
		layout_off => $at{layout} // 0, layout_len => length $part{layout},
			%{ $o{set} // {} });
	my $head = pack(($self->{big} ? 'n' : 'v') . 'CC', @head{qw(magic version flags)})
		. pack("$long*", @head{qw(header type_off type_len str_off str_len)});
	$head .= pack "$long*", @head{qw(layout_off layout_len)} if $header >= 32;
	$head .= "\0" x ($header - length $head) if $header > length $head;
	return $head . $body;
}

# One past the highest string offset, the base's counted.
sub string_end {
	my ($self) = @_;
	$self->bytes if !defined $self->{string_bytes};
	return ($self->{base} ? $self->{base}->string_end : 0) + $self->{string_bytes};
}

# Byte offset, in a file with a header of 24 bytes and types first, of the own type with this id.
sub offset_of {
	my ($self, $id) = @_;
	my $words = 0;
	$words += _words($self->{types}[$_], sub { 0 }) for 0 .. $id - $self->{first_id} - 1;
	return 24 + 4 * $words;
}

# ---------------------------------------------------------------- reading

# Reads bytes into a BTF, on a base if given. Dies on whatever is not plain good BTF.
sub read {
	my ($class, $bytes, $base) = @_;
	die "shorter than a header\n" if length $bytes < 24;
	my $big = substr($bytes, 0, 2) eq "\xeb\x9f";
	die "not BTF\n" if !$big && substr($bytes, 0, 2) ne "\x9f\xeb";
	my $long = $big ? 'N' : 'V';
	my ($version, $flags) = unpack 'x2CC', $bytes;
	my ($header, $type_off, $type_len, $str_off, $str_len) = unpack "x4${long}5", $bytes;
	die "version $version flags $flags\n" if $version != 1 || $flags;
	my $self = $class->new(big => $big, base => $base, header => $header);
	if ($header >= 32) {
		my ($layout_off, $layout_len) = unpack "x24${long}2", $bytes;
		$self->{layout} = substr $bytes, $header + $layout_off, $layout_len if $layout_len;
		$self->{layout_off} = $layout_off;
	}
	die "sections beyond the end\n"
		if $header + $type_off + $type_len > length $bytes
			|| $header + $str_off + $str_len > length $bytes;
	my $strings = substr $bytes, $header + $str_off, $str_len;
	die "strings do not end with NUL\n" if length $strings && substr($strings, -1) ne "\0";
	die "strings do not begin with NUL\n" if !$base && substr($strings, 0, 1) ne "\0";
	@$self{qw(strings string_bytes type_off type_len str_off)} =
		($strings, $str_len, $type_off, $type_len, $str_off);
	$self->{string_start} = $base ? $base->string_end : 0;

	my @w = unpack "$long*", substr $bytes, $header + $type_off, $type_len;
	die "type section of $type_len bytes\n" if $type_len % 4;
	my %cache;
	my $name = sub { return $cache{ $_[0] } //= $self->string($_[0]) };
	my $types = $self->{types};
	my $p = 0;
	while ($p < @w) {
		my ($name_off, $info, $third) = @w[ $p .. $p + 2 ];
		my ($kind, $vlen, $kflag) = ($info >> 24 & 0x7f, $info & 0xffffff, $info >> 31);
		die "kind $kind\n" if !$kind || $kind > 19;
		my $type = { kind => $kind, kflag => $kflag, vlen => $vlen,
			name => $cache{$name_off} // $name->($name_off), refs => [], names => [],
				nums => [] };
		$type->{size} = $third if $has_size[$kind];
		$type->{refs} = [$third] if $has_type[$kind];
		$p += 3;
		my $step = $LAYOUT[$kind][1] / 4;
		my $end = $p + $LAYOUT[$kind][0] / 4 + $step * $vlen;
		die "type ${\ $self->id_end} is cut\n" if $end > @w;
		if ($kind == STRUCT || $kind == UNION) {
			for (my $i = $p; $i < $end; $i += 3) {
				push @{ $type->{names} }, $cache{ $w[$i] } // $name->($w[$i]);
				push @{ $type->{refs} }, $w[ $i + 1 ];
				push @{ $type->{nums} }, $w[ $i + 2 ];
			}
		} elsif ($kind == ENUM) {
			for (my $i = $p; $i < $end; $i += 2) {
				push @{ $type->{names} }, $cache{ $w[$i] } // $name->($w[$i]);
				push @{ $type->{nums} }, $w[ $i + 1 ];
			}
		} elsif ($kind == ENUM64) {
			for (my $i = $p; $i < $end; $i += 3) {
				push @{ $type->{names} }, $cache{ $w[$i] } // $name->($w[$i]);
				push @{ $type->{nums} }, @w[ $i + 1, $i + 2 ];
			}
		} elsif ($kind == FUNC_PROTO) {
			for (my $i = $p; $i < $end; $i += 2) {
				push @{ $type->{names} }, $cache{ $w[$i] } // $name->($w[$i]);
				push @{ $type->{refs} }, $w[ $i + 1 ];
			}
		} elsif ($kind == DATASEC) {
			for (my $i = $p; $i < $end; $i += 3) {
				push @{ $type->{refs} }, $w[$i];
				push @{ $type->{nums} }, @w[ $i + 1, $i + 2 ];
			}
		} elsif ($kind == ARRAY) {
			$type->{refs} = [ @w[ $p, $p + 1 ] ];
			$type->{fixed} = $w[ $p + 2 ];
		} elsif ($end > $p) {
			$type->{fixed} = $w[$p];
		}
		$p = $end;
		push @$types, $type;
	}
	my $id_end = $self->id_end;
	for my $type (@$types) {
		for my $id (@{ $type->{refs} }) {
			die "reference to $id of $id_end\n" if $id >= $id_end;
		}
	}
	return $self;
}

sub string {
	my ($self, $offset) = @_;
	$self = $self->{base} while $self->{base} && $offset < $self->{string_start};
	my $at = $offset - ($self->{string_start} // 0);
	my $end = index $self->{strings}, "\0", $at;
	die "string offset $offset\n" if $end < 0;
	return substr $self->{strings}, $at, $end - $at;
}

# ---------------------------------------------------------------- meaning

# All that a type says itself, as one string. Comparing two such strings byte by byte gives the
# label order of the canonical form: kind, kflag, vlen, name, then the rest, numbers unsigned but
# for component indexes and the values of signed enums.
sub label {
	my ($type) = @_;
	my $kind = $type->{kind};
	my $label = pack 'CCN', @$type{qw(kind kflag vlen)};
	$label .= "$type->{name}\0";
	$label .= pack 'N', $type->{size} if $has_size[$kind];
	my ($names, $nums) = @$type{qw(names nums)};
	if ($kind == STRUCT || $kind == UNION) {
		$label .= pack('N', $nums->[$_]) . "$names->[$_]\0" for 0 .. $#$names;
	} elsif ($kind == ENUM) {
		my $bias = $type->{kflag} ? 0x80000000 : 0;
		$label .= pack('N', $nums->[$_] ^ $bias) . "$names->[$_]\0" for 0 .. $#$names;
	} elsif ($kind == ENUM64) {
		my $bias = $type->{kflag} ? 0x80000000 : 0;
		$label .= pack('NN', $nums->[ 2 * $_ + 1 ] ^ $bias, $nums->[ 2 * $_ ])
			. "$names->[$_]\0"
			for 0 .. $#$names;
	} elsif ($kind == FUNC_PROTO) {
		$label .= "$_\0" for @$names;
	} elsif ($kind == DATASEC) {
		$label .= pack 'N*', @$nums;
	} elsif ($kind == DECL_TAG) {
		$label .= pack 'N', $type->{fixed} ^ 0x80000000;
	} elsif (defined $type->{fixed}) {
		$label .= pack 'N', $type->{fixed};
	}
	return $label;
}

# What points at types and is part of what they mean: a hash from own id to one string that sorts
# as the sets do: the tags as (component, name, kflag), then the places as (section, offset, size).
sub surroundings {
	my ($self) = @_;
	my (%tags, %places);
	my $first = $self->{first_id};
	for my $type (@{ $self->{types} }) {
		if ($type->{kind} == DECL_TAG) {
			my $to = $type->{refs}[0];
			next if $to < $first;
			$tags{$to}{ pack('N', $type->{fixed} ^ 0x80000000) . "$type->{name}\0"
				. chr $type->{kflag} } = 1;
		} elsif ($type->{kind} == DATASEC) {
			for my $i (0 .. $#{ $type->{refs} }) {
				my $to = $type->{refs}[$i];
				next if $to < $first || $self->type($to)->{kind} != VAR;
				$places{$to}{ "$type->{name}\0" . pack 'NN',
					@{ $type->{nums} }[ 2 * $i, 2 * $i + 1 ] } = 1;
			}
		}
	}
	my %text;
	for my $id (keys %tags, keys %places) {
		$text{$id} //= join '', (map { "\1$_" } sort keys %{ $tags{$id} // {} }), "\0",
			(map { "\1$_" } sort keys %{ $places{$id} // {} }), "\0";
	}
	return \%text;
}

# Splits the types of all given BTFs (and their bases) into classes: two types share one exactly
# when no walk of any length, and no tag or place, tells them apart. Returns, for each BTF, an array
# from id to class number.
sub classes {
	my (@btfs) = @_;
	my (@label, @refs, %start);
	my $flatten;
	$flatten = sub {
		my ($btf) = @_;
		return $start{$btf} if $start{$btf};
		my $map = [ $btf->{base} ? @{ $flatten->($btf->{base}) } : (0) ];
		my $next = @label;
		my $types = $btf->{types};
		push @$map, $next .. $next + $#$types;
		my $around = $btf->surroundings;
		my $id = $btf->{first_id};
		for my $type (@$types) {
			push @label, label($type) . ($around->{ $id++ } // '');
			push @refs, [ @$map[ @{ $type->{refs} } ] ];
		}
		return $start{$btf} = $map;
	};
	@label = ("\0");
	@refs = ([]);
	my @maps = map { $flatten->($_) } @btfs;

	my %number;
	my @class = map { $number{$_} //= keys %number } @label;
	my $count = keys %number;
	while (1) {
		my %next;
		my @new;
		for my $i (0 .. $#class) {
			push @new, $next{ pack 'L*', $class[$i],
				@class[ @{ $refs[$i] } ] } //= keys %next;
		}
		my $grown = keys %next;
		@class = @new;
		last if $grown == $count;
		$count = $grown;
	}
	return map { [ @class[@$_] ] } @maps;
}

# A few words on a type, for messages.
sub describe {
	my ($self, $id) = @_;
	return 'void' if !$id;
	my $type = $self->type($id);
	return "[$id] $KINDS[$type->{kind}] '$type->{name}' vlen $type->{vlen}";
}

# Whether two BTFs describe the same graph, ids and merged duplicates aside. Returns what is wrong,
# an empty list when nothing is.
sub differences {
	my ($left, $right) = @_;
	my ($in_left, $in_right) = classes($left, $right);
	my (%left, %right);
	$left{ $in_left->[$_] } //= $_ for 0 .. $#$in_left;
	$right{ $in_right->[$_] } //= $_ for 0 .. $#$in_right;
	my @wrong;
	for my $class (sort { $left{$a} <=> $left{$b} } grep { !exists $right{$_} } keys %left) {
		push @wrong, 'lost: ' . $left->describe($left{$class});
		return (@wrong, '...') if @wrong == 5;
	}
	for my $class (sort { $right{$a} <=> $right{$b} } grep { !exists $left{$_} } keys %right) {
		push @wrong, 'invented: ' . $right->describe($right{$class});
		return (@wrong, '...') if @wrong == 10;
	}
	return @wrong;
}

# Own types that say the same as another own one: none in canonical BTF.
sub duplicates {
	my ($self) = @_;
	my ($class) = classes($self);
	my (%seen, @twice);
	for my $id ($self->{first_id} .. $#$class) {
		push @twice, $self->describe($id) if $seen{ $class->[$id] }++;
	}
	return @twice;
}

# ---------------------------------------------------------------- shuffling

# A copy with new ids: $new_id->[own index].
sub renumbered {
	my ($self, $new_id) = @_;
	my $first = $self->{first_id};
	my @types;
	for my $i (0 .. $#{ $self->{types} }) {
		my $type = $self->{types}[$i];
		my $refs = [ map { $_ < $first ? $_
			: $new_id->[ $_ - $first ] } @{ $type->{refs} } ];
		$types[ $new_id->[$i] - $first ] = { %$type, refs => $refs };
	}
	my ($big, $base, $layout) = @$self{qw(big base layout)};
	return bless { big => $big, base => $base, layout => $layout, first_id => $first,
		types => \@types }, ref $self;
}

sub _shuffle_list {
	my ($list) = @_;
	for (my $i = @$list; --$i > 0;) {
		my $j = CORE::int rand $i + 1;
		@$list[ $i, $j ] = @$list[ $j, $i ];
	}
	return $list;
}

# The same graph as bytes, with ids and strings in an order drawn from the seed; some strings twice
# (references take either), some that nothing uses, some found inside the tail of a longer one.
sub shuffled {
	my ($self, $seed) = @_;
	srand $seed;
	my $count = @{ $self->{types} };
	my $first = $self->{first_id};
	my $new_id = _shuffle_list([ $first .. $first + $count - 1 ]);
	my $copy = $self->renumbered($new_id);

	my %used;
	for my $type (@{ $self->{types} }) {
		$used{$_} = 1 for $type->{name}, @{ $type->{names} };
	}
	delete $used{''};
	my $list = _shuffle_list([ sort keys %used ]);
	my $start = $self->{base} ? $self->{base}->string_end : 0;
	my $section = $self->{base} ? '' : "\0";
	my %offsets;
	for my $string (@$list) {
		my $luck = rand;
		$section .= 'unused' . CORE::int(rand 1000) . "\0" if $luck < 0.01;
		$section .= 'tail_of_' if $luck > 0.99;
		push @{ $offsets{$string} }, $start + length $section;
		$section .= "$string\0";
	}
	for my $string (@$list[ 0 .. @$list / 50 ]) {
		next if !defined $string;
		push @{ $offsets{$string} }, $start + length $section;
		$section .= "$string\0";
	}
	my $offset_of = sub {
		return 0 if $_[0] eq '';
		my $at = $offsets{ $_[0] };
		return @$at == 1 ? $at->[0] : $at->[ rand @$at ];
	};
	return $copy->bytes(strings => [ $section, $offset_of ]);
}

1;
