/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "compare/programs.h"

#include <string.h>

#include "graph/kinds.h"

#define HOOK(section, type, attach)                                                                \
	{                                                                                          \
		section, "BPF_PROG_TYPE_" type, attach, BC_TARGET_NONE, "", 0, false               \
	}
#define PROBE(section, attach, target)                                                             \
	{                                                                                          \
		section, "BPF_PROG_TYPE_KPROBE", attach, target, "", BC_FUNC, false                \
	}
#define RETURN_PROBE(section, attach, target)                                                      \
	{                                                                                          \
		section, "BPF_PROG_TYPE_KPROBE", attach, target, "", BC_FUNC, true                 \
	}
#define FUNCTION(section, type, attach, prefix)                                                    \
	{                                                                                          \
		section, "BPF_PROG_TYPE_" type, attach, BC_TARGET_NAME, prefix, BC_FUNC, false     \
	}
#define TRACEPOINT(section, type, attach)                                                          \
	{                                                                                          \
		section, "BPF_PROG_TYPE_" type, attach, BC_TARGET_NAME, "btf_trace_", BC_TYPEDEF,  \
			false                                                                      \
	}
#define ELSEWHERE(section, type, target)                                                           \
	{                                                                                          \
		section, "BPF_PROG_TYPE_" type, NULL, target, "", 0, false                         \
	}

/* As libbpf's section_defs, up to 1.6. */
static const struct bc_program_kind kinds[] = {
	HOOK("socket", "SOCKET_FILTER", NULL),
	HOOK("sk_reuseport/migrate", "SK_REUSEPORT", "BPF_SK_REUSEPORT_SELECT_OR_MIGRATE"),
	HOOK("sk_reuseport", "SK_REUSEPORT", NULL),
	PROBE("kprobe+", NULL, BC_TARGET_NAME),
	RETURN_PROBE("kretprobe+", NULL, BC_TARGET_NAME),
	PROBE("kprobe.multi+", "BPF_TRACE_KPROBE_MULTI", BC_TARGET_PATTERN),
	RETURN_PROBE("kretprobe.multi+", "BPF_TRACE_KPROBE_MULTI", BC_TARGET_PATTERN),
	PROBE("kprobe.session+", "BPF_TRACE_KPROBE_SESSION", BC_TARGET_PATTERN),
	PROBE("uprobe+", NULL, BC_TARGET_USER),
	PROBE("uprobe.s+", NULL, BC_TARGET_USER),
	PROBE("uretprobe+", NULL, BC_TARGET_USER),
	PROBE("uretprobe.s+", NULL, BC_TARGET_USER),
	PROBE("uprobe.multi+", "BPF_TRACE_UPROBE_MULTI", BC_TARGET_USER),
	PROBE("uprobe.multi.s+", "BPF_TRACE_UPROBE_MULTI", BC_TARGET_USER),
	PROBE("uretprobe.multi+", "BPF_TRACE_UPROBE_MULTI", BC_TARGET_USER),
	PROBE("uretprobe.multi.s+", "BPF_TRACE_UPROBE_MULTI", BC_TARGET_USER),
	PROBE("uprobe.session+", "BPF_TRACE_UPROBE_SESSION", BC_TARGET_USER),
	PROBE("uprobe.session.s+", "BPF_TRACE_UPROBE_SESSION", BC_TARGET_USER),
	PROBE("usdt+", NULL, BC_TARGET_USER),
	PROBE("usdt.s+", NULL, BC_TARGET_USER),
	PROBE("ksyscall+", NULL, BC_TARGET_SYSCALL),
	PROBE("kretsyscall+", NULL, BC_TARGET_SYSCALL),
	/* tc/ programs may be attached the old way, without an attach type. */
	HOOK("tc/ingress", "SCHED_CLS", NULL),
	HOOK("tc/egress", "SCHED_CLS", NULL),
	HOOK("tcx/ingress", "SCHED_CLS", "BPF_TCX_INGRESS"),
	HOOK("tcx/egress", "SCHED_CLS", "BPF_TCX_EGRESS"),
	HOOK("tc", "SCHED_CLS", NULL),
	HOOK("classifier", "SCHED_CLS", NULL),
	HOOK("action", "SCHED_ACT", NULL),
	HOOK("netkit/primary", "SCHED_CLS", "BPF_NETKIT_PRIMARY"),
	HOOK("netkit/peer", "SCHED_CLS", "BPF_NETKIT_PEER"),
	ELSEWHERE("tracepoint+", "TRACEPOINT", BC_TARGET_EVENT),
	ELSEWHERE("tp+", "TRACEPOINT", BC_TARGET_EVENT),
	TRACEPOINT("raw_tracepoint+", "RAW_TRACEPOINT", NULL),
	TRACEPOINT("raw_tp+", "RAW_TRACEPOINT", NULL),
	TRACEPOINT("raw_tracepoint.w+", "RAW_TRACEPOINT_WRITABLE", NULL),
	TRACEPOINT("raw_tp.w+", "RAW_TRACEPOINT_WRITABLE", NULL),
	TRACEPOINT("tp_btf+", "TRACING", "BPF_TRACE_RAW_TP"),
	FUNCTION("fentry+", "TRACING", "BPF_TRACE_FENTRY", ""),
	FUNCTION("fentry.s+", "TRACING", "BPF_TRACE_FENTRY", ""),
	FUNCTION("fmod_ret+", "TRACING", "BPF_MODIFY_RETURN", ""),
	FUNCTION("fmod_ret.s+", "TRACING", "BPF_MODIFY_RETURN", ""),
	FUNCTION("fexit+", "TRACING", "BPF_TRACE_FEXIT", ""),
	FUNCTION("fexit.s+", "TRACING", "BPF_TRACE_FEXIT", ""),
	FUNCTION("fsession+", "TRACING", NULL, ""),
	FUNCTION("fsession.s+", "TRACING", NULL, ""),
	ELSEWHERE("freplace+", "EXT", BC_TARGET_PROGRAM),
	FUNCTION("lsm+", "LSM", "BPF_LSM_MAC", "bpf_lsm_"),
	FUNCTION("lsm.s+", "LSM", "BPF_LSM_MAC", "bpf_lsm_"),
	FUNCTION("lsm_cgroup+", "LSM", "BPF_LSM_CGROUP", "bpf_lsm_"),
	FUNCTION("iter+", "TRACING", "BPF_TRACE_ITER", "bpf_iter_"),
	FUNCTION("iter.s+", "TRACING", "BPF_TRACE_ITER", "bpf_iter_"),
	HOOK("syscall", "SYSCALL", NULL),
	HOOK("xdp.frags/devmap", "XDP", "BPF_XDP_DEVMAP"),
	HOOK("xdp/devmap", "XDP", "BPF_XDP_DEVMAP"),
	HOOK("xdp.frags/cpumap", "XDP", "BPF_XDP_CPUMAP"),
	HOOK("xdp/cpumap", "XDP", "BPF_XDP_CPUMAP"),
	HOOK("xdp.frags", "XDP", NULL),
	HOOK("xdp", "XDP", NULL),
	HOOK("perf_event", "PERF_EVENT", NULL),
	HOOK("lwt_in", "LWT_IN", NULL),
	HOOK("lwt_out", "LWT_OUT", NULL),
	HOOK("lwt_xmit", "LWT_XMIT", NULL),
	HOOK("lwt_seg6local", "LWT_SEG6LOCAL", NULL),
	HOOK("sockops", "SOCK_OPS", "BPF_CGROUP_SOCK_OPS"),
	HOOK("sk_skb/stream_parser", "SK_SKB", "BPF_SK_SKB_STREAM_PARSER"),
	HOOK("sk_skb/stream_verdict", "SK_SKB", "BPF_SK_SKB_STREAM_VERDICT"),
	HOOK("sk_skb/verdict", "SK_SKB", "BPF_SK_SKB_VERDICT"),
	HOOK("sk_skb", "SK_SKB", NULL),
	HOOK("sk_msg", "SK_MSG", "BPF_SK_MSG_VERDICT"),
	HOOK("lirc_mode2", "LIRC_MODE2", "BPF_LIRC_MODE2"),
	HOOK("flow_dissector", "FLOW_DISSECTOR", "BPF_FLOW_DISSECTOR"),
	HOOK("cgroup_skb/ingress", "CGROUP_SKB", "BPF_CGROUP_INET_INGRESS"),
	HOOK("cgroup_skb/egress", "CGROUP_SKB", "BPF_CGROUP_INET_EGRESS"),
	HOOK("cgroup/skb", "CGROUP_SKB", NULL),
	HOOK("cgroup/sock_create", "CGROUP_SOCK", "BPF_CGROUP_INET_SOCK_CREATE"),
	HOOK("cgroup/sock_release", "CGROUP_SOCK", "BPF_CGROUP_INET_SOCK_RELEASE"),
	HOOK("cgroup/sock", "CGROUP_SOCK", "BPF_CGROUP_INET_SOCK_CREATE"),
	HOOK("cgroup/post_bind4", "CGROUP_SOCK", "BPF_CGROUP_INET4_POST_BIND"),
	HOOK("cgroup/post_bind6", "CGROUP_SOCK", "BPF_CGROUP_INET6_POST_BIND"),
	HOOK("cgroup/bind4", "CGROUP_SOCK_ADDR", "BPF_CGROUP_INET4_BIND"),
	HOOK("cgroup/bind6", "CGROUP_SOCK_ADDR", "BPF_CGROUP_INET6_BIND"),
	HOOK("cgroup/connect4", "CGROUP_SOCK_ADDR", "BPF_CGROUP_INET4_CONNECT"),
	HOOK("cgroup/connect6", "CGROUP_SOCK_ADDR", "BPF_CGROUP_INET6_CONNECT"),
	HOOK("cgroup/connect_unix", "CGROUP_SOCK_ADDR", "BPF_CGROUP_UNIX_CONNECT"),
	HOOK("cgroup/sendmsg4", "CGROUP_SOCK_ADDR", "BPF_CGROUP_UDP4_SENDMSG"),
	HOOK("cgroup/sendmsg6", "CGROUP_SOCK_ADDR", "BPF_CGROUP_UDP6_SENDMSG"),
	HOOK("cgroup/sendmsg_unix", "CGROUP_SOCK_ADDR", "BPF_CGROUP_UNIX_SENDMSG"),
	HOOK("cgroup/recvmsg4", "CGROUP_SOCK_ADDR", "BPF_CGROUP_UDP4_RECVMSG"),
	HOOK("cgroup/recvmsg6", "CGROUP_SOCK_ADDR", "BPF_CGROUP_UDP6_RECVMSG"),
	HOOK("cgroup/recvmsg_unix", "CGROUP_SOCK_ADDR", "BPF_CGROUP_UNIX_RECVMSG"),
	HOOK("cgroup/getpeername4", "CGROUP_SOCK_ADDR", "BPF_CGROUP_INET4_GETPEERNAME"),
	HOOK("cgroup/getpeername6", "CGROUP_SOCK_ADDR", "BPF_CGROUP_INET6_GETPEERNAME"),
	HOOK("cgroup/getpeername_unix", "CGROUP_SOCK_ADDR", "BPF_CGROUP_UNIX_GETPEERNAME"),
	HOOK("cgroup/getsockname4", "CGROUP_SOCK_ADDR", "BPF_CGROUP_INET4_GETSOCKNAME"),
	HOOK("cgroup/getsockname6", "CGROUP_SOCK_ADDR", "BPF_CGROUP_INET6_GETSOCKNAME"),
	HOOK("cgroup/getsockname_unix", "CGROUP_SOCK_ADDR", "BPF_CGROUP_UNIX_GETSOCKNAME"),
	HOOK("cgroup/sysctl", "CGROUP_SYSCTL", "BPF_CGROUP_SYSCTL"),
	HOOK("cgroup/getsockopt", "CGROUP_SOCKOPT", "BPF_CGROUP_GETSOCKOPT"),
	HOOK("cgroup/setsockopt", "CGROUP_SOCKOPT", "BPF_CGROUP_SETSOCKOPT"),
	HOOK("cgroup/dev", "CGROUP_DEVICE", "BPF_CGROUP_DEVICE"),
	/* The maps in .struct_ops tell what these implement. */
	HOOK("struct_ops+", "STRUCT_OPS", NULL),
	HOOK("struct_ops.s+", "STRUCT_OPS", NULL),
	HOOK("sk_lookup", "SK_LOOKUP", "BPF_SK_LOOKUP"),
	HOOK("netfilter", "NETFILTER", "BPF_NETFILTER"),
};

const struct bc_program_kind *bc_program_kind_of(const char *section, const char **extras)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *known = kinds[i].section;
		size_t length = strcspn(known, "+");

		if (strncmp(section, known, length))
			continue;
		*extras = known[length] && section[length] == '/' ? section + length + 1 : NULL;
		if (!section[length] || *extras)
			return &kinds[i];
	}
	return NULL;
}
