// SPDX-License-Identifier: MIT
// Daemons, their pid files, and where their lines go.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/daemon.h"
#include "lib/error.h"
#include "lib/log.h"
#include "support/capture.h"
#include "support/child.h"
#include "support/directory.h"

using Catch::Matchers::Contains;

namespace
{

template <class F>
bool comes_true(F condition)
{
	for (int i = 0; i < 1000; ++i) {
		if (condition())
			return true;
		usleep(10000);
	}
	return false;
}

} // namespace

TEST_CASE("a daemon returns to the shell when it says so, and goes on without a terminal")
{
	Directory d;
	Capture c;
	const int status = ltt::as_daemon([&](const std::function<void()> &ready) {
		std::ofstream(d / "before") << getpid() << "\n";
		ready();
		const char *in = isatty(0) ? "terminal" : "none";
		char where[64] = "";
		const ssize_t n = readlink("/proc/self/fd/1", where, sizeof(where) - 1);
		char home[64] = "";
		std::ofstream out(d / "after.new");
		out << in << " " << std::string(where, n > 0 ? static_cast<size_t>(n) : 0) << " "
		    << (getcwd(home, sizeof(home)) ? home : "") << " " << (getsid(0) == getpid());
		out.close();
		rename((d / "after.new").c_str(), (d / "after").c_str());
		ltt::log_line(ltt::Level::info, "nobody sees this");
		return 5;
	});
	CHECK(status == 0);
	CHECK(std::stoi(content(d / "before")) != getpid());
	CHECK(comes_true([&] { return std::filesystem::exists(d / "after"); }));
	CHECK(content(d / "after") == "none /dev/null / 1");
	CHECK(c.out() == "");
	CHECK(c.err() == "");
	while (waitpid(-1, nullptr, 0) > 0)
		;
}

TEST_CASE("what keeps a daemon from its work reaches the shell, with its exit status")
{
	Capture c;
	CHECK(ltt::as_daemon([](const std::function<void()> &) -> int {
		throw ltt::Error(ltt::Exit::no_permission, "not for you");
	}) == 4);
	CHECK(ltt::as_daemon([](const std::function<void()> &) -> int {
		raise(SIGKILL);
		return 0;
	}) == 128 + SIGKILL);
	CHECK(ltt::as_daemon([](const std::function<void()> &) { return 3; }) == 3);
	CHECK(c.err() == "ltt-ctl: not for you\n");
}

TEST_CASE("a pid file holds the number of its process, and goes with it")
{
	Directory d;
	const std::string path = d / "pid";
	{
		ltt::PidFile file(path);
		CHECK(content(path) == std::to_string(getpid()) + "\n");
	}
	CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("the pid file of a living process is refused, that of a killed one is taken over")
{
	Directory d;
	const std::string path = d / "pid";
	const pid_t child = child_that_stays([&] { static ltt::PidFile file(path); });
	CHECK(content(path) == std::to_string(child) + "\n");
	CHECK_THROWS_WITH(ltt::PidFile(path),
		Contains(path) && Contains("process " + std::to_string(child) + ","));
	CHECK(content(path) == std::to_string(child) + "\n");
	kill_and_reap(child);
	CHECK(std::filesystem::exists(path));
	ltt::PidFile file(path);
	CHECK(content(path) == std::to_string(getpid()) + "\n");
}

TEST_CASE("a file that is no pid file is not written over")
{
	Directory d;
	for (const char *text :
		{"root:x:0:0\n", "12 13\n", "\n", "12", "1234567890123456789012345678901234\n"}) {
		std::ofstream(d / "file") << text;
		CHECK_THROWS_WITH(ltt::PidFile(d / "file"), Contains("is not a pid file"));
		CHECK(content(d / "file") == text);
	}
	CHECK_THROWS_WITH(ltt::PidFile("/nowhere/pid"), Contains("/nowhere/pid"));
	std::ofstream(d / "empty");
	ltt::PidFile file(d / "empty");
}

TEST_CASE("lines have their level where the journal reads them, and only there")
{
	Directory d;
	const std::string path = d / "journal";
	std::fflush(nullptr);
	const int saved = dup(2), journal = open(path.c_str(), O_RDWR | O_CREAT, 0600);
	struct stat s;
	REQUIRE(fstat(journal, &s) == 0);
	dup2(journal, 2);
	const std::string stream = std::to_string(s.st_dev) + ":" + std::to_string(s.st_ino);
	setenv("JOURNAL_STREAM", stream.c_str(), 1);
	ltt::log_line(ltt::Level::error, "bad");
	ltt::log_line(ltt::Level::info, "good");
	setenv("JOURNAL_STREAM", (stream + "1").c_str(), 1);
	ltt::log_line(ltt::Level::warning, "elsewhere");
	unsetenv("JOURNAL_STREAM");
	ltt::log_line(ltt::Level::warning, "none");
	dup2(saved, 2);
	close(saved);
	close(journal);
	CHECK(content(path) == "<3>bad\n<6>good\nltt-ctl: elsewhere\nltt-ctl: none\n");
}

TEST_CASE("the service manager is told, at a path or an abstract address")
{
	Directory d;
	const std::string name = GENERATE(std::string("path"), std::string("abstract"));
	sockaddr_un address{};
	address.sun_family = AF_UNIX;
	std::string told = name == "path" ? d / "notify" : "@" + d.path();
	REQUIRE(told.size() < sizeof(address.sun_path));
	std::copy(told.begin(), told.end(), address.sun_path);
	if (told[0] == '@')
		address.sun_path[0] = '\0';
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	REQUIRE(bind(fd, reinterpret_cast<sockaddr *>(&address),
			static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + told.size())) ==
		0);
	setenv("NOTIFY_SOCKET", told.c_str(), 1);
	ltt::notify_manager("READY=1");
	unsetenv("NOTIFY_SOCKET");
	ltt::notify_manager("nobody");
	char text[64];
	const ssize_t n = read(fd, text, sizeof(text));
	CHECK(std::string(text, n > 0 ? static_cast<size_t>(n) : 0) == "READY=1");
	CHECK(read(fd, text, sizeof(text)) < 0);
	close(fd);
}

TEST_CASE("a service manager that does not listen is one line")
{
	setenv("NOTIFY_SOCKET", "/nowhere/notify", 1);
	Capture c;
	ltt::notify_manager("READY=1");
	unsetenv("NOTIFY_SOCKET");
	CHECK_THAT(c.err(), Contains("service manager"));
}
