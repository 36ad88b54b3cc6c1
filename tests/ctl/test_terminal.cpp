// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

#include "lib/file.h"
#include "lib/search_path.h"
#include "lib/terminal.h"
#include "support/command.h"
#include "support/directory.h"

#include <sys/stat.h>

TEST_CASE("colour is for terminals that know it, and for who wants it")
{
	const ltt::FileDescriptor master(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
	REQUIRE(grantpt(master.get()) == 0);
	REQUIRE(unlockpt(master.get()) == 0);
	const ltt::FileDescriptor terminal(
		open(ptsname(master.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
	const ltt::FileDescriptor file(open("/dev/null", O_WRONLY | O_CLOEXEC));
	const char *type = std::getenv("TERM"), *none = std::getenv("NO_COLOR");
	const std::string old_type = type ? type : "", old_none = none ? none : "";

	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	CHECK(ltt::wants_colour(terminal.get()));
	CHECK(!ltt::wants_colour(file.get()));
	setenv("NO_COLOR", "1", 1);
	CHECK(!ltt::wants_colour(terminal.get()));
	setenv("NO_COLOR", "", 1); // as if it were not there: no-color.org
	CHECK(ltt::wants_colour(terminal.get()));
	setenv("TERM", "dumb", 1);
	CHECK(!ltt::wants_colour(terminal.get()));
	unsetenv("TERM");
	CHECK(!ltt::wants_colour(terminal.get()));

	if (type)
		setenv("TERM", old_type.c_str(), 1);
	if (none)
		setenv("NO_COLOR", old_none.c_str(), 1);
	else
		unsetenv("NO_COLOR");
}

TEST_CASE("coloured text is the text alone where no colour is wanted")
{
	CHECK(ltt::coloured("ok", ltt::Colour::green, false) == "ok");
	CHECK(ltt::coloured("ok", ltt::Colour::green, true) == "\033[32mok\033[m");
	CHECK(ltt::coloured("x", ltt::Colour::red, true) == "\033[31mx\033[m");
}

TEST_CASE("a command is found where execvp() finds it")
{
	Directory d;
	std::ofstream(d / "tool") << "x";
	std::ofstream(d / "data") << "x";
	chmod((d / "tool").c_str(), 0755);
	std::filesystem::create_directory(d / "dir");
	const std::string path = "/nowhere:" + d.path();
	CHECK(ltt::find_command("tool", path) == d / "tool");
	CHECK(ltt::find_command("data", path) == "");
	CHECK(ltt::find_command("dir", path) == "");
	CHECK(ltt::find_command("", path) == "");
	CHECK(ltt::find_command("tool", "/nowhere") == "");
	CHECK(ltt::find_command(d / "tool", "") == d / "tool");
	CHECK(ltt::find_command(d / "none", path) == "");
	// An empty part of PATH is the present directory.
	const std::string here = std::filesystem::current_path();
	REQUIRE(chdir(d.path().c_str()) == 0);
	CHECK(ltt::find_command("tool", "/nowhere:") == "./tool");
	REQUIRE(chdir(here.c_str()) == 0);
}
