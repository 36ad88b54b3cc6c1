/* SPDX-License-Identifier: MIT */
/* Filters of system calls, as containers put them on programs. */
#ifndef GUEST_SECCOMP_H
#define GUEST_SECCOMP_H

#include "ktap.h"

#include <cstddef>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

namespace ktap
{

/* From now on this SECCOMP_RET_ is the answer to the calls from first to last. */
inline void filter_calls(unsigned first, unsigned last, unsigned answer)
{
	sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, first, 0, 2),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, last, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	sock_fprog filter = {sizeof(program) / sizeof(program[0]), program};
	REQUIRE_OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	REQUIRE_OK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0));
}

/* Whoever calls one of them dies. */
inline void forbid_calls(unsigned first, unsigned last)
{
	filter_calls(first, last, SECCOMP_RET_KILL_PROCESS);
}

} // namespace ktap

#endif /* GUEST_SECCOMP_H */
