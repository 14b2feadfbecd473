# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
package RealInputs;

# What scripts/real-inputs fetched, and this machine's kernel.

use strict;
use warnings;
use Exporter 'import';
use POSIX ();
use TestUtil;

our @EXPORT = qw(real_folder kernels real_btf own_machine);

# $BTFCANON_REAL, or where scripts/real-inputs puts things by itself; undef when it is not there.
sub real_folder {
	my $folder = $ENV{BTFCANON_REAL} // ($ENV{HOME} // '') . '/.cache/btfcanon';
	return -d $folder ? $folder : undef;
}

my %reason;

# Kernels to look at: { name, btf (bytes), elf, vmlinuz, modules [paths] }, and below "reasons" why
# others are missing.
sub kernels {
	my @found;
	if (-r '/sys/kernel/btf/vmlinux') {
		push @found, { name => 'running', btf => get('/sys/kernel/btf/vmlinux'),
			modules => [] };
	} else {
		$reason{running} = 'this kernel shows no BTF';
	}
	for my $name (qw(6.1-amd64 6.12-amd64 6.12-arm64 6.1-s390x)) {
		my $folder = (real_folder() // '/nowhere') . "/$name";
		if (!-r "$folder/vmlinux") {
			$reason{$name} = 'not fetched (scripts/real-inputs)' if $name =~ /amd64/;
			next;
		}
		my $btf = real_btf("$folder/vmlinux");
		if (!defined $btf) {
			$reason{$name} = "no .BTF in it, or no objcopy" if $name =~ /amd64/;
			next;
		}
		push @found, { name => $name, btf => $btf, elf => "$folder/vmlinux",
			vmlinuz => "$folder/vmlinuz",
			modules => [ sort glob "$folder/modules/*.ko*" ] };
	}
	return @found;
}

# Kernel name => why it is not among kernels().
sub missing { return %reason }

# The .BTF of an ELF file, taken out by objcopy; undef when that cannot be.
sub real_btf {
	my ($path, $section) = @_;
	$section //= '.BTF';
	return if !have('objcopy');
	my $out = scratch('section');
	unlink $out;
	my $result = run('objcopy', '--dump-section', "$section=$out", $path, '/dev/null',
		{ memory_mb => 0, seconds => 120 });
	return $result->{status} == 0 && -s $out ? get($out) : undef;
}

# Whether a kernel's BTF is of this machine's kind, so that the running kernel may be asked.
sub own_machine {
	my ($name) = @_;
	my $machine = (POSIX::uname())[4];
	return 1 if $name eq 'running';
	return $name =~ /amd64/ && $machine eq 'x86_64' || $name =~ /arm64/ && $machine eq 'aarch64'
		|| $name =~ /$machine/;
}

1;
