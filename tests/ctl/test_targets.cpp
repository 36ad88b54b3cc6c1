// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <fstream>
#include <thread>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/targets.h"
#include "support/directory.h"
#include "support/refusal.h"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

TEST_CASE("processes are given by their numbers, with or without children")
{
	ltt::Target t = ltt::pid_target("2147483647", false);
	CHECK(t.target.kind == LTT_TARGET_PID);
	CHECK(t.target.flags == 0);
	CHECK(t.target.id == INT32_MAX);
	CHECK(ltt::pid_target("1", true).target.flags == LTT_TARGET_FOLLOW);
	for (const char *bad :
		{"0", "-1", "+1", " 1", "1 ", "0x1", "init", "2147483648", "99999999999999999999"})
		CHECK(misuse([&] { ltt::pid_target(bad, false); }) ==
			"\"" + std::string(bad) + "\" is not the number of a process");
	t = ltt::own_children();
	CHECK(t.target.id == getpid());
	CHECK(t.target.flags == LTT_TARGET_FOLLOW);
}

TEST_CASE("users are given by number or by name")
{
	Directory d;
	const std::string passwd = d / "passwd";
	std::ofstream(passwd) << "root:x:0:0::/root:/bin/sh\nann:x:1001:1001::/:/bin/sh\n";
	CHECK(ltt::uid_target("ann", passwd).target.id == 1001);
	CHECK(ltt::uid_target("ann", passwd).target.kind == LTT_TARGET_UID);
	CHECK(ltt::uid_target("0", passwd).target.id == 0);
	CHECK(ltt::uid_target("4294967294", d / "none").target.id == 4294967294);
	CHECK_THAT(misuse([&] { ltt::uid_target("an", passwd); }),
		Contains("no user an ") && Contains("number"));
	CHECK_THAT(misuse([&] { ltt::uid_target("ann", d / "none"); }), Contains("no user ann "));
	for (const char *bad : {"4294967295", "99999999999"})
		CHECK_THAT(misuse([&] { ltt::uid_target(bad, passwd); }), Contains(bad));
}

TEST_CASE("executables are ordinary files that are there, and stay open")
{
	Directory d;
	std::ofstream(d / "program") << "x";
	ltt::Target t = ltt::exe_target(d / "program");
	CHECK(t.target.kind == LTT_TARGET_EXE);
	struct stat a, b;
	REQUIRE(fstat(static_cast<int>(t.target.id), &a) == 0);
	REQUIRE(stat((d / "program").c_str(), &b) == 0);
	CHECK(a.st_ino == b.st_ino);

	CHECK_THAT(misuse([&] { ltt::exe_target(d / "none"); }),
		Contains(d / "none") && Contains("No such file"));
	CHECK_THAT(misuse([&] { ltt::exe_target(d.path()); }), StartsWith(d.path() + " is not"));
	REQUIRE(mkfifo((d / "fifo").c_str(), 0600) == 0);
	CHECK_THAT(misuse([&] { ltt::exe_target(d / "fifo"); }), Contains("not an ordinary file"));
}

TEST_CASE("control groups are directories of cgroup2")
{
	Directory d;
	CHECK_THAT(misuse([&] { ltt::cgroup_target(d.path()); }),
		StartsWith(d.path() + " is not the directory of a control group of version 2"));
	CHECK_THAT(misuse([&] { ltt::cgroup_target(d / "none"); }), Contains("No such file"));
}

TEST_CASE("of several processes, the one that is missing is named, or is told to be a thread")
{
	const ltt::Target here = ltt::pid_target(std::to_string(getpid()), false);
	const pid_t child = fork();
	if (child == 0)
		_exit(0);
	REQUIRE(waitpid(child, nullptr, 0) == child);
	const std::string gone = std::to_string(child);
	CHECK_THAT(ltt::missing_process({here, ltt::pid_target(gone, false), here}),
		StartsWith("there is no process " + gone + ";"));

	std::thread([&] {
		const std::string tid = std::to_string(syscall(SYS_gettid));
		CHECK_THAT(ltt::missing_process({here, ltt::pid_target(tid, false)}),
			StartsWith(tid + " is a thread"));
	}).join();
	CHECK_THAT(ltt::missing_process({here}), Contains("just ended"));
}
