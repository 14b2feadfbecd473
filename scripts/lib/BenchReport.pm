# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package BenchReport;

# Figures of scripts/bench as a page: tables, a prediction from measured phases, and two plots.

use strict;
use warnings;
use File::Path qw(make_path);

# The columns of a row, as in the CSV.
my @COLUMNS = qw(section input command types runs median_ms min_ms cpu_ms ratio peak_kib);

my @PREDICTED = (1, 2, 4, 8, 28, 64);
my $THREAD_CALL_MS = 0.008; # to give a waiting thread work and to hear of its end, seen on Linux 6.x
my $SHARINGS = 45;          # how often work is shared in one run of encode

sub rows_of
{
	my ($section, @rows) = @_;
	my @found = map { my %row; @row{@COLUMNS} = @$_; \%row } grep { $_->[0] eq $section } @rows;

	return @found;
}

sub table
{
	my ($columns, @lines) = @_;

	return '| ' . join(' | ', @$columns) . " |\n| --- |" . ' ---: |' x $#$columns . "\n" .
		join('', map { '| ' . join(' | ', @$_) . " |\n" } @lines) . "\n";
}

sub mebibytes
{
	my ($kib) = @_;

	return defined $kib && length $kib ? sprintf('%.0f', $kib / 1024) : '';
}

# One table per input, ratios to its first row.
sub measured
{
	my ($size, @rows) = @_;
	my $text = '';
	my $last = '';

	while (@rows) {
		my $input = $rows[0]{input};
		my @same;
		push @same, shift @rows while @rows && $rows[0]{input} eq $input;
		$text .= "**$input**" . (length $same[0]{types} ? " ($same[0]{types} $size)" : '') .
			", medians of $same[0]{runs}:\n\n" .
			table(['', 'ms', 'CPU ms', 'ratio', 'peak MiB'], map {
				[$_->{command}, $_->{median_ms}, $_->{cpu_ms}, sprintf('%.2f', $_->{ratio}),
				 mebibytes($_->{peak_kib})]
			} @same);
	}
	return $text;
}

# Phases: [label, serial ms, shared ms].
sub phases
{
	my (@rows) = @_;
	my (@order, %times);

	for (@rows) {
		my ($label, $kind) = $_->{command} =~ /^(.*), (serial|shared)$/ or next;
		push @order, $label if !$times{$label};
		$times{$label}{$kind} = $_->{cpu_ms};
	}
	return map { [$_, $times{$_}{serial}, $times{$_}{shared}] } @order;
}

sub predicted_ms
{
	my ($threads, $serial, $shared) = @_;

	return $serial + $shared / $threads + ($threads > 1 ? $SHARINGS * $threads * $THREAD_CALL_MS : 0);
}

sub predicted
{
	my (@rows) = @_;
	my @phases = phases(@rows) or return '';
	my ($serial, $shared) = (0, 0);

	for (@phases) {
		$serial += $_->[1];
		$shared += $_->[2];
	}
	my $one = predicted_ms(1, $serial, $shared);
	my $text = "CPU time of `encode -j1` of 6.12-amd64 by phase, medians of $rows[0]{runs}: *shared* is what threads\n" .
		"divide among them, *serial* is what one does while the others wait.\n\n" .
		table(['phase', 'serial ms', 'shared ms'], @phases,
		      ['all', sprintf('%.1f', $serial), sprintf('%.1f', $shared)]) .
		sprintf("Serial: %.1f ms, %.1f %% of the CPU time.\n\n", $serial, 100 * $serial / $one);

	$text .= "What follows from that, if each thread has a core of its own:\n\n" .
		table(['threads', 'predicted ms', 'times as fast as one', 'busy'], map {
			my $ms = predicted_ms($_, $serial, $shared);
			[$_, sprintf('%.0f', $ms), sprintf('%.1f', $one / $ms), sprintf('%.0f %%', 100 * $one / $ms / $_)]
		} @PREDICTED);
	return $text . <<"END";
Assumptions: shared work divides evenly (units are taken one at a time, and the largest is well below a
hundredth of a kernel); $THREAD_CALL_MS ms per thread that gets work, $SHARINGS times in a run; a core does as much beside
others as alone, so neither memory nor a clock that falls under load is a limit, which with more than
some ten cores will not quite hold; the input is in the page cache.

END
}

# What each further thread takes, and where memory is with two.
sub memory
{
	my ($places, $threads) = @_;
	my @places = @$places or return '';
	my @counts = map { $_->{command} =~ /^btfcanon.*-j(\d+)$/ ? [$1, $_->{peak_kib}] : () } @$threads;
	my $text = "Where the memory of `encode -j2` of 6.12-amd64 is when it has most:\n\n" .
		table(['', 'MiB'], map { [$_->{command}, mebibytes($_->{peak_kib})] } @places);

	return $text if @counts < 2;
	my ($first, $last) = @counts[0, -1];
	return $text . table(['threads', 'peak MiB'], map { [$$_[0], mebibytes($$_[1])] } @counts) .
		sprintf("That is %.1f MiB for each further thread.\n\n",
			($$last[1] - $$first[1]) / ($$last[0] - $$first[0]) / 1024);
}

# ---- plots ----

# Runs gnuplot on a text; false without it.
sub plot
{
	my ($text) = @_;

	open(my $gnuplot, '|-', 'gnuplot') or return 0;
	print $gnuplot $text;
	return close($gnuplot);
}

# Points of a section by the command's beginning: "X Y" lines.
sub points
{
	my ($beginning, $x, @rows) = @_;

	return join('', map { $x->($_) . " $_->{median_ms}\n" } sort { $x->($a) <=> $x->($b) }
		grep { index($_->{command}, $beginning) == 0 } @rows);
}

sub plot_of
{
	my ($file, $settings, @series) = @_;
	my $text = "set terminal svg size 720,440 font 'sans,13'\nset output '$file'\nset key top left\nset grid\n" .
		"set ylabel 'ms'\nset logscale y\n$settings";
	my @drawn;

	for my $i (0 .. $#series) {
		my ($title, $style, $points) = @{ $series[$i] };
		next if !length $points;
		$text .= "\$data$i << END\n${points}END\n";
		push @drawn, "\$data$i using 1:2 with $style title '$title'";
	}
	return @drawn && plot($text . 'plot ' . join(', ', @drawn) . "\n");
}

sub plot_threads
{
	my ($file, @rows) = @_;
	my @measured = rows_of('threads', @rows);
	my ($serial, $shared) = (0, 0);

	for (phases(rows_of('phases', @rows))) {
		$serial += $_->[1];
		$shared += $_->[2];
	}
	my $x = sub { $_[0]{command} =~ /-j(\d+)$/ ? $1 : 0 };
	return plot_of($file, "set xlabel 'threads'\nset logscale x 2\n",
		['pahole', 'linespoints', points('pahole', $x, @measured)],
		['btfcanon', 'linespoints', points('btfcanon', $x, @measured)],
		['btfcanon, predicted from its phases', 'lines dashtype 2',
		 $shared ? join('', map { "$_ " . predicted_ms($_, $serial, $shared) . "\n" } @PREDICTED) : '']);
}

sub plot_sizes
{
	my ($file, @rows) = @_;
	my @measured = rows_of('sizes', @rows);
	my $x = sub { $_[0]{types} };

	return plot_of($file, "set xlabel 'MB of ELF file'\nset logscale x\n",
		['pahole -j1', 'points', points('pahole', $x, @measured)],
		['btfcanon encode -j1', 'points', points('btfcanon', $x, @measured)]);
}

# ---- the page ----

sub write_file
{
	my ($file, $text) = @_;

	open(my $out, '>', $file) or die "bench: $file: $!\n";
	print $out $text;
	close($out) or die "bench: $file: $!\n";
}

# HEADER: pairs of a word and a text. ROWS: lists as in @COLUMNS.
sub write_report
{
	my ($folder, $header, $rows) = @_;
	my @rows = @$rows;
	my %texts = (
		real => ['The BTF of kernels', measured('types', rows_of('real', @rows))],
		compare => ['Two kernels compared', measured('types', rows_of('compare', @rows))],
		encode => ['Encoding kernels', measured('MB', rows_of('encode', @rows))],
		modules => ['Encoding modules', measured('MB', rows_of('modules', @rows))],
		phases => ['More threads', predicted(rows_of('phases', @rows))],
		memory => ['Memory', memory([rows_of('memory', @rows)], [rows_of('threads', @rows)])],
	);
	my $text = <<'END';
# Benchmarks

Made by `scripts/bench --report docs`; `scripts/bench --help` says what each section measures. Whole
processes, in turns, so that a busy moment of the machine hits all alike. All figures are in
[benchmarks.csv](benchmarks.csv).

END
	make_path($folder);
	$text .= table(['', ''], map { [$$_[0], $$_[1]] } @$header);
	for (qw(encode phases memory modules real compare)) {
		$text .= "## $texts{$_}[0]\n\n$texts{$_}[1]" if length $texts{$_}[1];
		if ($_ eq 'phases' && plot_threads("$folder/benchmarks-threads.svg", @rows)) {
			$text .= "![Time against threads](benchmarks-threads.svg)\n\n";
		}
		if ($_ eq 'modules' && plot_sizes("$folder/benchmarks-size.svg", @rows)) {
			$text .= "![Time against the size of the input](benchmarks-size.svg)\n\n";
		}
	}
	$text =~ s/\n+\z/\n/;
	write_file("$folder/benchmarks.md", $text);
	write_file("$folder/benchmarks.csv", join(',', @COLUMNS) . "\n" .
		join('', map { join(',', map { my $word = $_ // ''; $word =~ /[,"]/ ? '"' . $word =~ s/"/""/gr . '"' : $word } @$_) . "\n" } @rows));
}

1;
