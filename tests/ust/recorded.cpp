// SPDX-License-Identifier: MIT
#include "recorded.h"

#include "support/command.h"
#include "support/directory.h"
#include "support/session.h"

#include <catch2/catch.hpp>
#include <map>
#include <sstream>

fake::trace_options large_trace()
{
	fake::trace_options options;
	options.subbuf_size = 1 << 18;
	options.clock = LTT_CLOCK_MONOTONIC;
	return options;
}

std::vector<std::string> recorded(unsigned trace)
{
	Directory directory;
	TestSession session(directory.path(), fake::page(trace)->contexts);

	for (const fake::registration &r : fake::registrations())
		session.take(
			definitions_packet(1, Bytes(r.definitions.begin(), r.definitions.end())));
	std::map<int, std::uint64_t> sequences;
	for (const fake::packet &p : fake::read(trace)) {
		ltt_packet header = packet_header();
		header.stream = static_cast<std::uint64_t>(p.tid);
		header.begin = p.begin;
		header.end = p.end;
		header.sequence = sequences[p.tid]++;
		header.events = p.events;
		session.take(packet(header, Bytes(p.bytes.begin(), p.bytes.end())));
	}
	for (const std::string &line : session.reports)
		FAIL(line);

	const CommandResult reader = babeltrace(directory.path());
	CHECK(reader.status == 0);
	CHECK(reader.err.empty());
	if (reader.status || !reader.err.empty())
		FAIL(reader.err);
	std::vector<std::string> result;
	std::istringstream lines(reader.out);
	for (std::string line; std::getline(lines, line);) {
		// [time] host:LEVEL (6) provider:name: { packet context }, [{ contexts }, ]{ fields
		// }
		const std::size_t level = line.find(") ");
		const std::size_t context = line.find(": { vpid", level);
		const std::size_t fields = line.find(" }, {", context);
		if (level == line.npos || context == line.npos || fields == line.npos)
			FAIL(line);
		result.push_back(line.substr(level + 2, context - level - 2) + " " +
				 line.substr(fields + 4));
	}
	return result;
}
