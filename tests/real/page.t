#!/usr/bin/env perl
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The page of compare --format=html in a real browser: what it shows, searches and opens.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use JSON::PP ();
use RealInputs;
use TestUtil;

my $browser = have('chromium') // have('chromium-browser') // have('google-chrome');
plan skip_all => 'no Chromium here' if !$browser;

# Collects what goes wrong in the page; stands before its own scripts.
my $before = <<'END';
<script>
const faults = [];
addEventListener('error', event => faults.push(event.message));
</script>
END

# Uses the page as a person does, and leaves what it saw as JSON in its place.
my $after = <<'END';
<script>
const saw = {};
const rows = () => [...document.querySelectorAll('#list details')];
const names = () => rows().map(row => row.querySelector('summary').children[2].textContent);
function search(text) {
	byId('search').value = wanted.text = text;
	refresh();
	return [shown.length, rows().length];
}
function press(id, word) {
	const button = [...byId(id).children].find(one => one.textContent.includes(word));
	button.click();
	const seen = [button.getAttribute('aria-pressed'), shown.length];
	button.click();
	return seen;
}
saw.names = byId('names').textContent;
saw.total = byId('total').textContent;
saw.opened = rows().filter(row => row.open).map(row => row.querySelectorAll('td').length);
saw.none = search('no_such_name');
saw.glob = search('f_*');
saw.part = search('.flags');
saw.all = search('');
saw.structs = press('kinds', 'struct');
saw.added = press('changes', 'added');
saw.after = shown.length;
while (drawn < shown.length)
	draw();
saw.drawn = rows().length;
saw.first = names().slice(0, 3);
saw.bodies = shown.slice(0, 3000).filter(change => body(change).textContent === '').length;
saw.colours = { old: 0, new: 0, diff: 0 };
for (const change of shown.filter(one => one.change === 'changed' && one.kind === 'struct').slice(0, 200)) {
	const table = body(change);
	for (const name in saw.colours)
		saw.colours[name] += table.querySelectorAll('td.' + name).length;
}
saw.faults = faults;
document.body.replaceChildren('<<<' + btoa(unescape(encodeURIComponent(JSON.stringify(saw)))) + '>>>');
</script>
END

sub look_at {
	my ($old, $new, $hash) = @_;
	my $page = btfcanon('compare', '--format=html', $old, $new)->{out};
	my ($data) = $page =~ m{<script type="application/json" id="data">\n(.*?)</script>}s;
	$page =~ s/(<h1>)/$before$1/;
	$page =~ s{</html>\s*\z}{$after</html>\n};
	my $file = put('page.html', $page);
	my $result = run($browser, '--headless', '--no-sandbox', '--disable-gpu',
		'--user-data-dir=' . scratch('profile'), '--virtual-time-budget=20000', '--dump-dom',
		"file://$file#$hash", { memory_mb => 0, seconds => 300 });
	my ($saw) = $result->{out} =~ /(?:<|&lt;){3}([\w+\/=]+)/;
	return if !defined $saw;
	require MIME::Base64;
	return (JSON::PP->new->utf8->decode($data), JSON::PP->new->utf8->decode(MIME::Base64::decode($saw)));
}

my @pairs = ([ 'the fixtures', fixture('compare/old.btf'), fixture('compare/new.btf'), 'grow' ]);
my %named = map { ($_->{name} => $_) } kernels();
if ($named{'6.1-amd64'} && $named{'6.12-amd64'}) {
	push @pairs, [ '6.1 to 6.12', (map { put("$_.btf", $named{"$_-amd64"}{btf}) } '6.1', '6.12'), 'task_struct' ];
} else {
	SKIP: { skip 'not two kernels (scripts/real-inputs)', 1 }
}

for (@pairs) {
	my ($what, $old, $new, $struct) = @$_;
	my ($data, $saw) = look_at($old, $new, "struct:$struct");
	ok($saw, "$what: the page runs") or next;
	my @changes = @{ $data->{changes} };
	my $count = @changes;
	my $some = sub { my $n = grep { $_[0]->($_) } @changes; return [ $n, $n < 200 ? $n : 200 ] };
	is_deeply($saw->{faults}, [], "$what: without errors");
	is($saw->{names}, "$old \x{2192} $new", "$what: it says what it compares");
	(my $total = $saw->{total}) =~ s/,(?=\d{3})//g;
	is($total, join(', ', map { "$data->{summary}{$_} $_" } qw(added removed changed)), "$what: totals");
	is(scalar @{ $saw->{opened} }, 1, "$what: one struct is open");
	cmp_ok($saw->{opened}[0] // 0, '>', 8, "$what: with its layouts");
	is_deeply($saw->{none}, [ 0, 0 ], "$what: a search that finds nothing");
	my $parts = sub { map { ($_->{name}, $_->{old_name} // ()) }
		map { @{ $_ // [] } } @{ $_[0] }{qw(members values parameters)} };
	is_deeply($saw->{glob}, $some->(sub { my ($c) = @_;
		grep { /^f_.*$/i } $c->{name}, "$c->{kind} $c->{name}", $parts->($c) }), "$what: a glob");
	is_deeply($saw->{part}, $some->(sub { grep { /flags/i } $parts->($_[0]) }), "$what: a search in parts");
	is_deeply($saw->{all}, [ $count, $count < 200 ? $count : 200 ], "$what: all again");
	is_deeply($saw->{structs}, [ 'true', $some->(sub { $_[0]{kind} eq 'struct' })->[0] ], "$what: one kind");
	is_deeply($saw->{added}, [ 'true', $some->(sub { $_[0]{change} eq 'added' })->[0] ], "$what: one change");
	is("$saw->{after} $saw->{drawn}", "$count $count", "$what: and all of it again");
	is_deeply($saw->{first}, [ map { $_->{name} } @changes[ 0 .. 2 ] ], "$what: in the order of the report");
	is($saw->{bodies}, 0, "$what: each opens to something");
	cmp_ok($saw->{colours}{$_}, '>', 0, "$what: cells are marked '$_'") for $what eq 'the fixtures'
		? qw(new diff) : qw(old new diff);
}

done_testing;
