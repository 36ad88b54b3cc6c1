// SPDX-License-Identifier: MIT
// A session whose clock, names and uuids are the same each time.
#ifndef LTT_TESTS_CTL_SESSION_H
#define LTT_TESTS_CTL_SESSION_H

#include <string>
#include <utility>
#include <vector>

#include "lib/session.h"
#include "support/build.h"

// One tick is one nanosecond, and the clock began at 2023-11-14 22:13:20.
class TestSession
{
public:
	explicit TestSession(const std::string &directory, uint32_t contexts = 0,
		ltt::Session::From from = ltt::Session::From::reader, unsigned threads = 3)
		: workers_(threads, 1),
		  session(
			  directory, environment(contexts), clock(), [this] { return next_uuid(); },
			  [this](const std::string &line) { reports.push_back(line); }, from,
			  &workers_)
	{
	}

	// From now on as if all were read at once.
	void gather() { gathers_ = true; }
	// As read at a time when all its threads may have been alive.
	void take(const Bytes &bytes, uint64_t read_at = 0)
	{
		if (gathers_)
			append(gathered_, bytes);
		else
			take_now(bytes, read_at);
	}
	void take_gathered() { take_now(std::exchange(gathered_, {}), 0); }
	const ltt::Totals &totals()
	{
		if (gathers_)
			take_gathered();
		return session.totals();
	}

	std::vector<std::string> reports;

private:
	void take_now(const Bytes &bytes, uint64_t read_at)
	{
		Bytes copy(bytes);
		copy.shrink_to_fit(); // a sanitizer sees a read beyond it
		session.take(copy.data(), copy.size(), read_at);
	}
	static ltt::ctf::Environment environment(uint32_t contexts)
	{
		ltt::ctf::Environment e;
		e.hostname = "host";
		e.boot_id = ltt::ctf::parse_uuid("01234567-89ab-cdef-0123-456789abcdef");
		e.epoch_offset = clock().epoch_offset();
		e.trace_name = "test";
		e.contexts = contexts;
		return e;
	}
	static ltt::Clock clock()
	{
		ltt_trace_info info{};
		info.clock = LTT_CLOCK_MONOTONIC;
		info.clock_freq = 1000000000;
		info.realtime_ns = 1700000000000000000;
		return ltt::Clock(info);
	}
	ltt::ctf::Uuid next_uuid()
	{
		ltt::ctf::Uuid u{};
		u[15] = ++uuids_;
		return u;
	}

	uint8_t uuids_ = 0;
	bool gathers_ = false;
	Bytes gathered_;
	ltt::Workers workers_; // that help with anything

public:
	ltt::Session session;
};

#endif
