// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <csignal>

#include <sys/resource.h>

#include "lib/error.h"
#include "lib/file.h"
#include "support/directory.h"

using Catch::Matchers::Contains;

namespace
{

template <class F>
std::string failure(F f)
{
	try {
		f();
	} catch (const ltt::Error &e) {
		return e.what();
	}
	return "none";
}

// No file may grow beyond this, as on a full disk: the last write is a short one.
class Limit
{
public:
	explicit Limit(rlim_t bytes)
	{
		old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
		getrlimit(RLIMIT_FSIZE, &old_);
		rlimit small{bytes, old_.rlim_max};
		setrlimit(RLIMIT_FSIZE, &small);
	}
	~Limit()
	{
		setrlimit(RLIMIT_FSIZE, &old_);
		std::signal(SIGXFSZ, old_handler_);
	}

private:
	rlimit old_;
	void (*old_handler_)(int);
};

} // namespace

TEST_CASE("half a packet is taken back when the file cannot grow")
{
	Directory d;
	std::string path = d / "stream";
	std::string data(1000, 'x');
	ltt::append_file(path, 0, data.data(), data.size());
	{
		Limit limit(1500);
		std::string why =
			failure([&] { ltt::append_file(path, 1000, data.data(), data.size()); });
		CHECK_THAT(why, Contains(path));
	}
	CHECK(content(path) == data);
	ltt::append_file(path, 1000, data.data(), data.size());
	CHECK(content(path) == data + data);
}

TEST_CASE("a file that somebody removed or changed is not written to")
{
	Directory d;
	std::string path = d / "stream";
	ltt::append_file(path, 0, "12345", 5);
	std::filesystem::resize_file(path, GENERATE(4u, 6u, 0u));
	const std::string before = content(path);
	CHECK_THAT(failure([&] { ltt::append_file(path, 5, "67", 2); }),
		Contains(path) && Contains("somebody else"));
	CHECK(content(path) == before);
	std::filesystem::remove(path);
	CHECK_THAT(failure([&] { ltt::append_file(path, 5, "67", 2); }), Contains("No such file"));
	CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a file that cannot be written whole does not get its name")
{
	Directory d;
	std::string path = d / "metadata";
	std::string data(1000, 'x');
	{
		Limit limit(500);
		CHECK_THAT(failure([&] { ltt::replace_file(path, data.data(), data.size()); }),
			Contains(path));
	}
	CHECK(files_in(d.path()).empty());

	ltt::replace_file(path, "old", 3);
	{
		Limit limit(500);
		CHECK(failure([&] { ltt::replace_file(path, data.data(), data.size()); }) !=
			"none");
	}
	CHECK(content(path) == "old");
	CHECK(files_in(d.path()) == std::vector<std::string>{"metadata"});
}

TEST_CASE("a full disk is said to be one")
{
	CHECK_THAT(failure([] { ltt::append_file("/dev/full", 0, "x", 1); }),
		Contains("/dev/full") && Contains("make room"));
}

TEST_CASE("a directory that is not there is named")
{
	CHECK_THAT(failure([] { ltt::append_file("/nowhere/file", 0, "x", 1); }),
		Contains("/nowhere/file"));
	CHECK_THAT(
		failure([] { ltt::replace_file("/nowhere/file", "x", 1); }), Contains("/nowhere/"));
	CHECK_THAT(failure([] { ltt::read_file("/nowhere/file"); }), Contains("/nowhere/file"));
	CHECK_THAT(failure([] { ltt::make_directories("/dev/null/x"); }), Contains("/dev/null/x"));
}
