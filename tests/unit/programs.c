/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What sections of programs are, held against libbpf itself: it knows the same
 * names, and says the same type and attach type. It may be older than the
 * list, or newer: names that only one of them has are not held against either.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <bpf/libbpf.h>

#include "compare/programs.h"

static const char *const sections[] = {
	"socket",
	"sk_reuseport/migrate",
	"sk_reuseport",
	"kprobe/f",
	"kprobe",
	"uprobe/x:f",
	"uprobe.s/x:f",
	"kretprobe/f",
	"uretprobe/x:f",
	"uretprobe.s/x:f",
	"kprobe.multi/f*",
	"kretprobe.multi/f*",
	"ksyscall/openat",
	"kretsyscall/openat",
	"usdt/x:y:z",
	"tc",
	"classifier",
	"action",
	"tracepoint/a/b",
	"tp/a/b",
	"raw_tracepoint/e",
	"raw_tp/e",
	"raw_tracepoint.w/e",
	"raw_tp.w/e",
	"tp_btf/e",
	"fentry/f",
	"fmod_ret/f",
	"fexit/f",
	"fentry.s/f",
	"fmod_ret.s/f",
	"fexit.s/f",
	"freplace/f",
	"lsm/h",
	"lsm.s/h",
	"lsm_cgroup/h",
	"iter/i",
	"iter.s/i",
	"syscall",
	"xdp.frags/devmap",
	"xdp/devmap",
	"xdp.frags/cpumap",
	"xdp/cpumap",
	"xdp.frags",
	"xdp",
	"perf_event",
	"lwt_in",
	"lwt_out",
	"lwt_xmit",
	"lwt_seg6local",
	"sockops",
	"sk_skb/stream_parser",
	"sk_skb/stream_verdict",
	"sk_skb",
	"sk_msg",
	"lirc_mode2",
	"flow_dissector",
	"cgroup_skb/ingress",
	"cgroup_skb/egress",
	"cgroup/skb",
	"cgroup/sock_create",
	"cgroup/sock_release",
	"cgroup/sock",
	"cgroup/post_bind4",
	"cgroup/post_bind6",
	"cgroup/bind4",
	"cgroup/bind6",
	"cgroup/connect4",
	"cgroup/connect6",
	"cgroup/sendmsg4",
	"cgroup/sendmsg6",
	"cgroup/recvmsg4",
	"cgroup/recvmsg6",
	"cgroup/getpeername4",
	"cgroup/getpeername6",
	"cgroup/getsockname4",
	"cgroup/getsockname6",
	"cgroup/sysctl",
	"cgroup/getsockopt",
	"cgroup/setsockopt",
	"cgroup/dev",
	"struct_ops/f",
	"sk_lookup",
	/* Of libbpf after 1.1. */
	"kprobe.session/f*",
	"uprobe.multi/x:f*",
	"uprobe.multi.s/x:f*",
	"uretprobe.multi/x:f*",
	"uretprobe.multi.s/x:f*",
	"uprobe.session/x:f*",
	"uprobe.session.s/x:f*",
	"usdt.s/x:y:z",
	"tc/ingress",
	"tc/egress",
	"tcx/ingress",
	"tcx/egress",
	"netkit/primary",
	"netkit/peer",
	"fsession/f",
	"fsession.s/f",
	"cgroup/connect_unix",
	"cgroup/sendmsg_unix",
	"cgroup/recvmsg_unix",
	"cgroup/getpeername_unix",
	"cgroup/getsockname_unix",
	"struct_ops.s/f",
	"sk_skb/verdict",
	"netfilter",
};

/* "BPF_PROG_TYPE_XDP" is "xdp" to libbpf. */
static void assert_same_word(const char *section, const char *value, const char *prefix,
			     const char *word)
{
	assert_memory_equal(value, prefix, strlen(prefix));
	if (strcasecmp(value + strlen(prefix), word) != 0)
		fail_msg("%s: %s, to libbpf %s", section, value, word);
}

static int print_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

static void libbpf_says_the_same(void **state)
{
	uint32_t held = 0;

	(void)state;
	libbpf_set_print(print_nothing);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		const char *extras;
		const struct bc_program_kind *kind = bc_program_kind_of(sections[i], &extras);
		enum bpf_attach_type attach_type;
		enum bpf_prog_type type;

		if (!kind)
			fail_msg("%s is not known", sections[i]);
		if (libbpf_prog_type_by_name(sections[i], &type, &attach_type))
			continue;
		held++;
		assert_same_word(sections[i], kind->type, "BPF_PROG_TYPE_",
				 libbpf_bpf_prog_type_str(type));
		if (kind->attach_type)
			assert_same_word(sections[i], kind->attach_type, "BPF_",
					 libbpf_bpf_attach_type_str(attach_type));
	}
	assert_true(held >= 80);
}

static void others_are_not_known(void **state)
{
	static const char *const strange[] = {
		"",        "x",       "xdp/eth0", "kprobex",         "kprobe.f/x", "tc/",
		"socket/", "fentry.", "cgroup/",  "cgroup/connect5", "XDP",        "xdp.frag",
	};
	const char *extras;

	(void)state;
	for (size_t i = 0; i < sizeof(strange) / sizeof(strange[0]); i++) {
		enum bpf_attach_type attach_type;
		enum bpf_prog_type type;

		assert_null(bc_program_kind_of(strange[i], &extras));
		assert_true(libbpf_prog_type_by_name(strange[i], &type, &attach_type) < 0);
	}
}

static void extras_follow_the_slash(void **state)
{
	const char *extras;

	(void)state;
	assert_string_equal(bc_program_kind_of("tp/a/b", &extras)->section, "tp+");
	assert_string_equal(extras, "a/b");
	assert_string_equal(bc_program_kind_of("kprobe.multi/", &extras)->section, "kprobe.multi+");
	assert_string_equal(extras, "");
	assert_non_null(bc_program_kind_of("kprobe", &extras));
	assert_null(extras);
	assert_non_null(bc_program_kind_of("xdp/devmap", &extras));
	assert_null(extras);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libbpf_says_the_same),
		cmocka_unit_test(others_are_not_known),
		cmocka_unit_test(extras_follow_the_slash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
