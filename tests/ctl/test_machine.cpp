// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <sys/utsname.h>

#include "lib/kernel.h"
#include "lib/machine.h"
#include "support/fake_system.h"

using Catch::Matchers::Contains;

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
