// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include <sys/utsname.h>

#include "lib/kernel.h"
#include "lib/machine.h"
#include "support/directory.h"

using Catch::Matchers::Contains;

namespace
{

// /proc and /sys of a machine that the test lays down.
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

private:
	Directory root_;
};

} // namespace

TEST_CASE("quotas are read in bytes, and are none where /sys is not there")
{
	FakeSystem system;
	ltt::Quotas none = ltt::look_at_machine(system.files()).quotas;
	CHECK(!none.memory);
	CHECK(!none.user_memory);
	CHECK(!none.user_traces);

	system.parameter("memory_kb", "1024\n");
	system.parameter("user_memory_kb", "64\n");
	system.parameter("user_traces", "8\n");
	ltt::Quotas quotas = ltt::look_at_machine(system.files()).quotas;
	CHECK(quotas.memory == 1024U << 10);
	CHECK(quotas.user_memory == 64U << 10);
	CHECK(quotas.user_traces == 8U);
}

TEST_CASE("the clock is the time stamp counter only if the kernel offers that")
{
	FakeSystem system;
	auto clock = [&] { return ltt::look_at_machine(system.files()).clock; };
	CHECK(clock() == "");
	system.clock_sources("kvm-clock tsc hpet acpi_pm \n");
	CHECK(clock() == "tsc");
	system.clock_sources("tsc \n");
	CHECK(clock() == "tsc");
	system.clock_sources("hpet acpi_pm \n");
	CHECK(clock() == "monotonic");
}

TEST_CASE("the machine is the one that uname tells of")
{
	utsname name;
	REQUIRE(uname(&name) == 0);
	ltt::Machine machine = ltt::look_at_machine();
	CHECK_THAT(machine.kernel, Contains(name.release) && Contains(name.machine));
	CHECK(machine.host == ltt::host_name());
	CHECK(machine.may_trace_system == ltt::may_trace_system());
}
