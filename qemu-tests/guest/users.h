/* SPDX-License-Identifier: MIT */
/* Doing things as other users than root, for tests of who may do what. */
#ifndef GUEST_USERS_H
#define GUEST_USERS_H

#include "ltt.h"

#include <grp.h>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace users
{

constexpr uid_t user_a = 1001, user_b = 1002;

/* The process becomes one that this user started; its checks may fail as ever. */
inline void become(uid_t uid)
{
	REQUIRE_OK(setgroups(0, nullptr));
	REQUIRE_OK(setgid(uid));
	REQUIRE_OK(setuid(uid));
	/* setuid() alone leaves a process that its user may not look into. */
	REQUIRE_OK(prctl(PR_SET_DUMPABLE, 1));
}

/* Does this in a child, as another user; a failed check fails the test all the same. */
template <class Work>
void as_user(uid_t uid, Work work)
{
	pid_t child = fork();
	REQUIRE(child >= 0);
	if (child == 0) {
		become(uid);
		work();
		_exit(0);
	}
	int status;
	REQUIRE_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
}

/* A trace that everybody may create. */
inline ltt_trace_params own_params(const char *name)
{
	ltt_trace_params p = ltt::params(name);
	p.flags = 0;
	return p;
}

} // namespace users

#endif /* GUEST_USERS_H */
