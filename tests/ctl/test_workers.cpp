// SPDX-License-Identifier: MIT
// Several threads record: what is on disk is what one would have written.
#include <catch2/catch.hpp>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include <csignal>
#include <sched.h>
#include <sys/resource.h>

#include "lib/error.h"
#include "lib/workers.h"
#include "support/build.h"
#include "support/directory.h"
#include "support/session.h"

using Catch::Matchers::Contains;

namespace
{

using Random = std::mt19937;

bool one_in(Random &random, unsigned n)
{
	return random() % n == 0;
}

// A trace as no kernel would give it: threads that come and go, programs that load libraries, and
// much that is damaged, missing, or comes twice.
class Chaos
{
public:
	explicit Chaos(unsigned seed) : random_(seed) {}

	Bytes batch()
	{
		Bytes all;
		const size_t packets = 1 + random_() % 60;
		for (size_t i = 0; i < packets; ++i)
			append(all, one_in(random_, 8) ? definitions() : events());
		if (one_in(random_, 10))
			all.resize(all.size() - 1 - random_() % 100);
		return all;
	}

private:
	struct Thread {
		ltt_packet header = packet_header();
	};

	Bytes definitions()
	{
		const uint64_t process = 1 + random_() % processes;
		// A few of all, so that some processes are of one program.
		const auto id = static_cast<uint16_t>(1 + random_() % 3);
		Bytes bytes = definition(id, "p", "e" + std::to_string(id + process % 2),
			{{UST_TYPE_U64, "a"}, {UST_TYPE_STRING, "b"}});
		if (one_in(random_, 15))
			bytes[4] ^= 0xff;
		return definitions_packet(process, bytes);
	}

	Bytes events()
	{
		const uint64_t number = 1 + random_() % streams;
		ltt_packet &h = threads_[number].header;
		if (h.stream != number || h.flags & LTT_PACKET_LAST) {
			h = packet_header();
			h.stream = h.tid = h.vtid = static_cast<uint32_t>(number);
			h.process = 1 + number % processes;
			h.comm[0] = static_cast<char>('a' + h.process);
			h.end = time_;
		}
		// Most begin where the one before ended; after a flush they begin earlier, and none
		// of the events should.
		const bool flushed = one_in(random_, 6);
		h.begin = flushed ? h.begin : std::max(h.begin, h.end);
		uint64_t now = flushed && one_in(random_, 3) ? h.begin : h.end;
		Bytes body;
		for (size_t i = random_() % 40; i; --i) {
			now += random_() % 10;
			Bytes p = payload(uint64_t{now});
			put_string(p, std::string(random_() % 20, 'x'));
			append(body, event(now, static_cast<uint16_t>(1 + random_() % 3), p));
			++h.events;
		}
		h.end = now + random_() % 10;
		time_ = std::max(time_, uint64_t{h.end});
		h.lost += one_in(random_, 5);
		h.sequence += one_in(random_, 20);
		h.flags = one_in(random_, 12) ? LTT_PACKET_LAST : 0;
		ltt_packet written = h;
		if (one_in(random_, 30))
			written.sequence -= 1; // it came before
		else
			++h.sequence;
		if (one_in(random_, 30))
			written.type = 77;
		if (one_in(random_, 20) && !body.empty())
			body[random_() % body.size()] ^= 0x40;
		return packet(written, body);
	}

	static constexpr uint64_t streams = 12, processes = 5;

	Random random_;
	Thread threads_[streams + 1];
	uint64_t time_ = 1000;
};

struct Outcome {
	std::vector<std::string> files, contents, reports;
	std::string state;
	ltt::Totals totals;
};

// The packets of a batch; the rest may be none.
std::vector<Bytes> packets_of(const Bytes &batch)
{
	std::vector<Bytes> all;
	for (size_t at = 0; at < batch.size(); at += all.back().size()) {
		size_t size = batch.size() - at;
		try {
			size = ltt::first_packet(&batch[at], size).raw_size;
		} catch (const ltt::BadData &) {
		}
		const auto begin = batch.begin() + static_cast<long>(at);
		all.emplace_back(begin, begin + static_cast<long>(size));
	}
	return all;
}

// By no threads at all: one packet after the other.
Outcome record(const Directory &d, const std::vector<Bytes> &batches, unsigned threads)
{
	Outcome o;
	const std::string now = d / "now", then = d / std::to_string(threads);
	std::filesystem::create_directories(then);
	TestSession s(now, ltt::reader_contexts, ltt::Session::From::reader, threads);
	for (size_t i = 0; i < batches.size(); ++i) {
		for (const Bytes &bytes :
			threads ? std::vector<Bytes>{batches[i]} : packets_of(batches[i]))
			s.take(bytes, i % 3 * 5000);
		if (i % 8 != 7)
			continue;
		s.session.end_chunk();
		std::filesystem::rename(now, then + "/" + std::to_string(i));
	}
	o.state = s.session.save(true);
	s.session.finish(true);
	std::filesystem::rename(now, then + "/last");
	o.files = files_in(then, true);
	for (const std::string &file : o.files)
		o.contents.push_back(content(then + "/" + file));
	o.reports = s.reports;
	o.totals = s.totals();
	return o;
}

Bytes large_packet(uint64_t stream, uint64_t events)
{
	ltt_packet h = packet_header();
	h.stream = stream;
	Bytes body;
	for (uint64_t i = 0; i < events; ++i)
		append(body, event(2000 + i, 1, payload(i)));
	return packet(h, body);
}

// Of many threads, 6 KB on disk each.
Bytes large_batch()
{
	Bytes all = definitions_packet(1, definition(1, "p", "e", {{UST_TYPE_U64, "n"}}));
	for (uint64_t stream = 1; stream <= 32; ++stream)
		append(all, large_packet(stream, 500));
	return all;
}

// While it is there, no file grows beyond this.
class FileLimit
{
public:
	explicit FileLimit(rlim_t size)
	{
		getrlimit(RLIMIT_FSIZE, &before_);
		signal_ = std::signal(SIGXFSZ, SIG_IGN);
		const rlimit limit{size, before_.rlim_max};
		setrlimit(RLIMIT_FSIZE, &limit);
	}
	~FileLimit()
	{
		setrlimit(RLIMIT_FSIZE, &before_);
		std::signal(SIGXFSZ, signal_);
	}

private:
	rlimit before_{};
	void (*signal_)(int);
};

} // namespace

TEST_CASE("whatever comes: any number of threads writes what comes of one packet after the other")
{
	const auto seed = GENERATE(range(0U, 3U));
	Chaos chaos(seed);
	std::vector<Bytes> batches;
	for (int i = 0; i < 30; ++i)
		batches.push_back(chaos.batch());
	Directory d;
	const Outcome one = record(d, batches, 0);
	INFO("seed " << seed);
	CHECK(one.totals.events > 1000);
	CHECK(one.totals.bad_packets > 10);
	CHECK(one.totals.lost > 10);
	for (unsigned threads : {1U, 2U, 3U, 8U}) {
		INFO(threads << " threads");
		const Outcome more = record(d, batches, threads);
		CHECK(more.reports == one.reports);
		CHECK(more.state == one.state);
		CHECK(more.totals.events == one.totals.events);
		CHECK(more.totals.lost == one.totals.lost);
		CHECK(more.totals.bytes == one.totals.bytes);
		REQUIRE(more.files == one.files);
		for (size_t i = 0; i < one.files.size(); ++i) {
			INFO(one.files[i]);
			CHECK(more.contents[i] == one.contents[i]);
		}
	}
}

TEST_CASE("a round whose files cannot be written ends with one error, that of the first")
{
	const auto threads = GENERATE(1U, 3U);
	const Bytes batch = large_batch();
	// Who fails first is a matter of luck.
	for (int i = 0; i < 100; ++i) {
		Directory d;
		TestSession s(d.path(), 0, ltt::Session::From::reader, threads);
		const FileLimit limit(5500);
		CHECK_THROWS_WITH(
			s.take(batch), Contains("cannot write " + d / "ust/program/stream_0:") &&
					       Contains("File too large"));
		// What is not whole is not there.
		CHECK(s.totals().bytes == 0);
		for (const std::string &file : files_in(d.path(), true))
			CHECK(file.find("stream_") == std::string::npos);
	}
}

TEST_CASE("what is written before an error is counted, and whole")
{
	const auto threads = GENERATE(1U, 3U);
	Directory d;
	TestSession s(d.path(), 0, ltt::Session::From::reader, threads);
	Bytes batch = large_batch();
	append(batch, large_packet(4711, 1000));
	const FileLimit limit(9000);
	CHECK_THROWS_WITH(s.take(batch), Contains("File too large"));
	uint64_t size = 0, files = 0;
	for (const std::string &file : files_in(d / "ust/program"))
		if (file.find("stream_") == 0) {
			size += content(d / "ust/program/" + file).size();
			++files;
		}
	CHECK(files == 32);
	CHECK(s.totals().bytes == size);
}

TEST_CASE("workers: as many as are wanted, at the same time, and no signal for any")
{
	ltt::Workers workers(3);
	for (unsigned wanted : {1U, 2U, 3U, 7U, 2U}) {
		std::mutex mutex;
		std::condition_variable changed;
		std::set<unsigned> numbers;
		std::set<std::thread::id> ids;
		const unsigned expected = std::min(wanted, 3U);
		workers.run(wanted, [&](unsigned number) {
			sigset_t blocked;
			pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
			std::unique_lock lock(mutex);
			numbers.insert(number);
			ids.insert(std::this_thread::get_id());
			if (number)
				CHECK((sigismember(&blocked, SIGINT) == 1 &&
					sigismember(&blocked, SIGCHLD) == 1));
			// All of them are here at once, or this does not end.
			changed.notify_all();
			changed.wait(lock, [&] { return numbers.size() == expected; });
		});
		CHECK(ids.size() == expected);
		CHECK(*numbers.rbegin() == expected - 1);
	}
	sigset_t blocked;
	pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
	CHECK(sigismember(&blocked, SIGINT) == 0);
}

TEST_CASE("workers are no more than processors, and none for little")
{
	CHECK(ltt::Workers(8, 1000).worthwhile(999) == 1);
	CHECK(ltt::Workers(8, 1000).worthwhile(2999) == 3);
	CHECK(ltt::Workers(8, 1000).worthwhile(1000000) == 8);
	CHECK(ltt::Workers(0, 1000).worthwhile(1000000) == 1);
	cpu_set_t before, one;
	REQUIRE(sched_getaffinity(0, sizeof(before), &before) == 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	REQUIRE(sched_setaffinity(0, sizeof(one), &one) == 0);
	CHECK(ltt::useful_processors() == 1);
	REQUIRE(sched_setaffinity(0, sizeof(before), &before) == 0);
	CHECK(ltt::useful_processors() >= 1);
}
