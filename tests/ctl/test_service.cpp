// SPDX-License-Identifier: MIT
// The unit of the service manager.
#include <catch2/catch.hpp>

#include <fstream>

#include "support/command.h"
#include "support/directory.h"

using Catch::Matchers::Contains;

TEST_CASE("the service manager understands the unit, and ltt-ctl its command")
{
	std::string unit = content(LTT_UNIT);
	const size_t start = unit.find("ExecStart=") + 10;
	const size_t verb = unit.find(" record ");
	REQUIRE((start < verb && verb != std::string::npos));
	std::string arguments = unit.substr(verb + 1, unit.find('\n', verb) - verb - 1);
	for (size_t at; (at = arguments.find("%i")) != std::string::npos;)
		arguments.replace(at, 2, "mine");
	// It need not be installed to be tested.
	unit.replace(start, verb - start, LTT_CTL);
	Directory d;
	const std::string path = d / "ltt-record@mine.service";
	std::ofstream(path) << unit;
	CommandResult r = run_command({"systemd-analyze", "verify", "--man=no", path});
	if (r.status != 127) {
		CHECK(r.status == 0);
		CHECK(r.err == "");
	}

	const std::string options = unit.substr(unit.find("OPTIONS=") + 8,
		unit.find('"', unit.find("OPTIONS=")) - unit.find("OPTIONS=") - 8);
	r = run_command({"/bin/sh", "-c",
		std::string("OPTIONS='") + options + "'; exec " + LTT_CTL + " " + arguments});
	// It gets as far as to the kernel, or to its traces.
	CHECK((r.status == 1 || r.status == 3));
	CHECK_THAT(r.err, Contains("no ltt") || Contains("no such trace"));
}
