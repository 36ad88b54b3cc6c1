// SPDX-License-Identifier: MIT

#include "tracefs.h"

#include <sys/mount.h>

namespace bench
{

namespace
{

const std::string ROOT = "/sys/kernel/tracing/";

// The number on the line "NAME: N".
std::uint64_t number_of(const std::string &text, const std::string &name)
{
	const std::size_t at = text.find(name + ": ");
	REQUIRE(at != std::string::npos);
	return std::stoull(text.substr(at + name.size() + 2));
}

} // namespace

Tracefs::Tracefs()
{
	there = access((ROOT + "trace").c_str(), F_OK) == 0 ||
		mount("tracefs", ROOT.c_str(), "tracefs", 0, nullptr) == 0;
	if (!there)
		return;
	// As large as the four sub-buffers of the others. It overwrites by itself.
	write("buffer_size_kb", "256");
	write("trace", "");
}

bool Tracefs::has(const std::string &file) const
{
	return there && access((ROOT + file).c_str(), F_OK) == 0;
}

int Tracefs::open_file(const std::string &file, int flags) const
{
	const int fd = open((ROOT + file).c_str(), flags | O_CLOEXEC);
	if (fd < 0)
		ktap::fail(__FILE__, __LINE__, "%s: %s", file.c_str(), strerror(errno));
	REQUIRE(fd >= 0);
	return fd;
}

void Tracefs::write(const std::string &file, const std::string &text) const
{
	const int fd = open_file(file, O_WRONLY | O_TRUNC);
	REQUIRE_EQ(::write(fd, text.data(), text.size()), text.size());
	close(fd);
}

void Tracefs::check_newest() const
{
	const std::string text = ktap::read_file(ROOT + "trace");
	const std::size_t a = text.rfind(" a="), b = text.find(" b=", a);
	REQUIRE(a != std::string::npos && b != std::string::npos);
	// Some print it in two bases.
	REQUIRE(text.substr(a, b - a).find(std::to_string(WRITTEN - 1)) != std::string::npos);
}

std::uint64_t Tracefs::written() const
{
	const std::string stats = ktap::read_file(ROOT + "per_cpu/cpu0/stats");
	return number_of(stats, "entries") + number_of(stats, "overrun");
}

} // namespace bench
