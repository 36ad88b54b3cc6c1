// SPDX-License-Identifier: MIT
// /proc and /sys of a machine that the test lays down.
#ifndef LTT_TESTS_CTL_FAKE_SYSTEM_H
#define LTT_TESTS_CTL_FAKE_SYSTEM_H

#include <filesystem>
#include <fstream>
#include <string>

#include "lib/machine.h"
#include "support/directory.h"

class FakeSystem
{
public:
	ltt::SystemFiles files() const { return {root_ / "proc", root_ / "sys"}; }
	void write(const std::string &path, const std::string &text) const
	{
		const std::filesystem::path file(root_ / path);
		std::filesystem::create_directories(file.parent_path());
		std::ofstream(file) << text;
	}
	void parameter(const std::string &name, const std::string &text) const
	{
		write("sys/module/ltt/parameters/" + name, text);
	}
	void clock_sources(const std::string &text) const
	{
		write("sys/devices/system/clocksource/clocksource0/available_clocksource", text);
	}

	void link(const std::string &path, const std::string &to) const
	{
		const std::filesystem::path file(root_ / path);
		std::filesystem::create_directories(file.parent_path());
		std::filesystem::create_symlink(to, file);
	}

private:
	Directory root_;
};

#endif
