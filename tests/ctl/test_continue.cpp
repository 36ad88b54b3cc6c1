// SPDX-License-Identifier: MIT
// Recorders that are killed, or out of disk, and others that go on where they were.
#include <catch2/catch.hpp>

#include <csignal>
#include <random>
#include <set>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/batch.h"
#include "lib/error.h"
#include "lib/journal.h"
#include "lib/reader/check.h"
#include "lib/recording.h"
#include "support/capture.h"
#include "support/found.h"
#include "support/recorded.h"
#include "support/session.h"

using Catch::Matchers::Contains;

namespace
{

// What the kernel knows outlives its readers: the packets that it gave away.
struct Given {
	volatile uint64_t packets;
};

constexpr uint64_t events_in_packet = 50, packets_in_stream = 7, streams_at_once = 3;
constexpr uint64_t packets_in_group = packets_in_stream * streams_at_once;

// Streams of seven packets, three at a time, each of a process of its own; one event in each
// packet is lost.
Bytes packet_number(uint64_t n, std::set<uint64_t> &defined)
{
	const uint64_t group = n / packets_in_group,
		       stream = group * streams_at_once + n % streams_at_once;
	ltt_packet h = packet_header();
	h.stream = h.process = stream + 1;
	h.tid = h.pid = h.vtid = h.vpid = static_cast<uint32_t>(stream + 1);
	h.sequence = n % packets_in_group / streams_at_once;
	h.begin = group * packets_in_group * events_in_packet * 10;
	h.end = 1u << 30;
	h.events = (h.sequence + 1) * events_in_packet;
	h.lost = h.sequence + 1;
	h.flags = h.sequence + 1 == packets_in_stream ? LTT_PACKET_LAST : 0;
	Bytes body, all;
	for (uint64_t i = 0; i < events_in_packet; ++i) {
		const uint64_t number = n * events_in_packet + i;
		append(body, event(1000 + number * 10, 1, payload(number)));
	}
	if (defined.insert(h.process).second)
		all = definitions_packet(h.process, definition(1, "p", "e", {{UST_TYPE_U64, "n"}}));
	append(all, packet(h, body));
	return all;
}

class LastingTrace : public FakeTrace
{
public:
	LastingTrace(FakeState &state, Given &given, uint64_t end, uint64_t at_once,
		const std::function<void()> &before_read)
		: FakeTrace(state), state_(state), given_(given), end_(end), at_once_(at_once),
		  before_read_(before_read)
	{
	}
	Got read(uint8_t *to, size_t room, size_t &size) override
	{
		if (before_read_)
			before_read_();
		if (given_.packets == end_)
			return Got::end;
		size = 0;
		// As the kernel: first copied, then given away.
		for (uint64_t i = 0; i < at_once_ && given_.packets < end_; ++i) {
			const Bytes next = packet_number(given_.packets, defined_);
			REQUIRE(size + next.size() <= room);
			std::copy(next.begin(), next.end(), to + size);
			size += next.size();
			given_.packets = given_.packets + 1;
		}
		if (state_.on_read)
			state_.on_read();
		return Got::data;
	}

private:
	FakeState &state_;
	Given &given_;
	uint64_t end_;
	uint64_t at_once_;
	const std::function<void()> &before_read_;
	std::set<uint64_t> defined_; // for this descriptor
};

class LastingKernel : public FakeKernel
{
public:
	LastingKernel(uint64_t packets)
		: given(static_cast<Given *>(mmap(nullptr, sizeof(Given), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0))),
		  end(packets)
	{
		state.params.name = "mine";
		state.active = true;
	}
	~LastingKernel() override { munmap(given, sizeof(Given)); }
	std::unique_ptr<ltt::KernelTrace> open(const std::string &) override
	{
		return std::make_unique<LastingTrace>(state, *given, end, at_once, before_read);
	}

	Given *given;
	uint64_t end;
	uint64_t at_once = 4; // packets
	std::function<void()> before_read;
};

ltt::RecordOptions options(const Directory &d)
{
	ltt::RecordOptions o = record_options(d);
	o.resume = true;
	return o;
}

// Each event is there once; none is lost but those that the packets tell of.
void check_all(const std::string &directory, uint64_t packets)
{
	Found f = found(directory);
	const uint64_t events = packets * events_in_packet;
	CHECK(f.numbers.size() == events);
	std::set<uint64_t> different(f.numbers.begin(), f.numbers.end());
	CHECK(different.size() == events);
	CHECK((different.empty() || *different.rbegin() == events - 1));
	CHECK(f.lost == packets);
}

// Records in a process of its own, which is killed after so long.
bool killed_while_recording(LastingKernel &k, const ltt::RecordOptions &o, useconds_t after)
{
	const pid_t child = fork();
	if (child == 0) {
		try {
			Capture c;
			const int status = ltt::record_traces(k, o);
			_exit(status == 0 || status == 5 ? 0 : 1);
		} catch (const std::exception &e) {
			std::ofstream(o.directory + "/../why") << e.what();
			_exit(2);
		}
	}
	usleep(after);
	kill(child, SIGKILL);
	int status;
	REQUIRE(waitpid(child, &status, 0) == child);
	INFO(content(o.directory + "/../why"));
	if (WIFEXITED(status))
		CHECK(WEXITSTATUS(status) == 0);
	return WIFSIGNALED(status);
}

} // namespace

TEST_CASE("recorders are killed, again and again: each event is recorded once, each loss counted")
{
	Directory d;
	constexpr uint64_t packets = 100 * packets_in_group;
	LastingKernel k(packets);
	ltt::RecordOptions o = options(d);
	// So many that they are worth several threads, too.
	k.at_once = GENERATE(4, 64);
	o.workers = 4;
	o.rotate_size = GENERATE(uint64_t{0}, uint64_t{10000});
	std::mt19937 random(4711);
	int kills = 0;
	// Short enough for many, and on a slow machine long enough to get anywhere.
	useconds_t longest = 1000;
	for (uint64_t before = 0; killed_while_recording(k, o, random() % longest); ++kills) {
		if (k.given->packets == before)
			longest += longest / 4;
		before = k.given->packets;
	}
	CHECK(k.given->packets == packets);
	CHECK(kills >= 5);
	check_all(o.directory, packets);
}

namespace
{

// Records in a process of its own, where @prepare has it killed.
template <class F>
void killed_by_itself(LastingKernel &k, const ltt::RecordOptions &o, F prepare)
{
	const pid_t child = fork();
	if (child == 0) {
		prepare();
		Capture c;
		ltt::record_traces(k, o);
		_exit(0);
	}
	int status;
	REQUIRE(waitpid(child, &status, 0) == child);
	REQUIRE(WIFSIGNALED(status));
}

// Records four packets, and gets four more; then @at_last is done, and it is killed.
template <class F>
void killed_in_second_batch(LastingKernel &k, const ltt::RecordOptions &o, F at_last)
{
	int reads = 0;
	killed_by_itself(k, o, [&] {
		k.state.on_read = [&] {
			if (++reads < 2)
				return;
			at_last();
			raise(SIGKILL);
		};
	});
	CHECK(found(o.directory).numbers.size() == 4 * events_in_packet);
}

} // namespace

TEST_CASE("a batch whose recorder was killed before it wrote any of it is in the next chunk")
{
	Directory d;
	LastingKernel k(8);
	ltt::RecordOptions o = options(d);
	killed_in_second_batch(k, o, [] {});
	CHECK(k.given->packets == 8);
	Capture c;
	CHECK(ltt::record_traces(k, o) == 5);
	CHECK_THAT(c.out(), Contains(std::to_string(4 * events_in_packet) + " events"));
	check_all(o.directory, 8);
}

TEST_CASE("what a recorder was killed in the midst of is taken away, also where it is all there is")
{
	Directory d;
	LastingKernel k(8);
	ltt::RecordOptions o = options(d);
	const std::string half = o.directory + "/ust/later/.manifest.new";
	const std::string packet = o.directory + "/bad/packet-0";
	killed_in_second_batch(k, o, [&] {
		for (const std::string &path : {half, packet}) {
			std::filesystem::create_directories(
				std::filesystem::path(path).parent_path());
			std::ofstream(path) << "half";
		}
	});
	Capture c;
	CHECK(ltt::record_traces(k, o) == 5);
	c.out();
	for (const std::string &file : files_in(o.directory, true))
		CHECK((file.find("later") == std::string::npos &&
			file.find("packet-0") == std::string::npos));
	check_all(o.directory, 8);
}

TEST_CASE("a recorder may be killed at each step of beginning a program or what it sets aside")
{
	Directory d;
	LastingKernel k(8);
	ltt::RecordOptions o = options(d);
	const std::string program = o.directory + "/ust/later";
	const bool manifest = GENERATE(false, true);
	killed_in_second_batch(k, o, [&] {
		std::filesystem::create_directories(program);
		std::filesystem::create_directories(o.directory + "/bad");
		if (manifest)
			std::filesystem::copy_file(
				o.directory + "/ust/program/.manifest", program + "/.manifest");
	});
	Capture c;
	CHECK(ltt::record_traces(k, o) == 5);
	c.out();
	check_all(o.directory, 8);
	const ltt::reader::Checked checked = ltt::reader::check_session(o.directory);
	CHECK(checked.traces.size() == 2); // of a chunk each
	CHECK(checked.faults.empty());
}

TEST_CASE("a recorder that was killed when it had made a directory leaves no chunk without a trace")
{
	Directory d;
	LastingKernel k(8);
	ltt::RecordOptions o = options(d);
	killed_by_itself(k, o, [&] {
		k.before_read = [&] {
			std::filesystem::create_directories(o.directory + "/ust/program");
			raise(SIGKILL);
		};
	});
	Capture c;
	CHECK(ltt::record_traces(k, o) == 5);
	c.out();
	check_all(o.directory, 8);
	CHECK_FALSE(std::filesystem::exists(o.directory + "/chunks"));
	CHECK(ltt::reader::check_session(o.directory).faults.empty());
}

TEST_CASE("a batch that was taken again is not taken once more, though nothing was read since")
{
	Directory d;
	LastingKernel k(8);
	ltt::RecordOptions o = options(d);
	killed_in_second_batch(k, o, [] {});
	killed_by_itself(k, o, [&] { k.before_read = [] { raise(SIGKILL); }; });
	Capture c;
	// There is nothing left to record, and so nothing that was lost.
	CHECK(ltt::record_traces(k, o) == 0);
	CHECK_FALSE(std::filesystem::exists(o.directory + "/bad"));
	CHECK(c.err().find("it came before") == std::string::npos);
	check_all(o.directory, 8);
}

TEST_CASE("a packet that was copied and not given away is written once, whole or not")
{
	Directory d;
	LastingKernel k(12);
	ltt::RecordOptions o = options(d);
	const bool whole = GENERATE(true, false);
	killed_in_second_batch(k, o, [&] {
		k.given->packets = k.given->packets - 1;
		if (whole)
			return;
		ltt::Batch batch(o.directory + "/.mine.batch");
		std::memset(batch.data() + batch.packets_size() - 100, 0, 100);
	});
	CHECK(k.given->packets == 7);
	Capture c;
	CHECK(ltt::record_traces(k, o) == 5);
	CHECK_FALSE(std::filesystem::exists(o.directory + "/bad"));
	check_all(o.directory, 12);
}

TEST_CASE("a batch that was written, and not marked so, is not written again")
{
	Directory d;
	LastingKernel k(8);
	ltt::RecordOptions o = options(d);
	const std::string batch = o.directory + "/.mine.batch";
	// What the first batch was, and its number, which the state has as written.
	int reads = 0;
	killed_by_itself(k, o, [&] {
		k.state.on_read = [&] {
			if (++reads == 1)
				std::filesystem::copy_file(batch, d / "copy");
			if (reads == 2) {
				k.given->packets = 4;
				raise(SIGKILL);
			}
		};
	});
	std::filesystem::rename(d / "copy", batch);
	Capture c;
	CHECK(ltt::record_traces(k, o) == 5);
	check_all(o.directory, 8);
}

TEST_CASE("a recorder may be killed at each step of making a chunk")
{
	Directory d;
	LastingKernel k(8);
	ltt::RecordOptions o = options(d);
	killed_in_second_batch(k, o, [] {});
	const std::string chunk = o.directory + "/chunks/000001-20260101T000000Z";
	const std::string hidden = o.directory + "/chunks/.000001-20260101T000000Z";
	SECTION("before anything was moved")
	{
		std::filesystem::create_directories(hidden);
	}
	SECTION("when not all was moved")
	{
		std::filesystem::create_directories(hidden);
		std::filesystem::rename(o.directory + "/ust", hidden + "/ust");
		std::filesystem::create_directories(o.directory + "/bad");
	}
	SECTION("when all was moved, and some of the next batch written")
	{
		std::filesystem::create_directories(chunk);
		std::filesystem::copy(o.directory + "/ust", chunk + "/ust",
			std::filesystem::copy_options::recursive);
	}
	Capture c;
	CHECK(ltt::record_traces(k, o) == 5);
	CHECK(std::filesystem::exists(chunk + "/ust"));
	CHECK_FALSE(std::filesystem::exists(hidden));
	check_all(o.directory, 8);
}

TEST_CASE("chunks that were about to be removed are removed, and their numbers not used again")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	ltt::RecordOptions o = options(d);
	o.drain = true;
	std::filesystem::create_directories(o.directory + "/chunks/.000001-20260101T000000Z/ust");
	std::filesystem::create_directories(o.directory + "/chunks/000002-20260101T000001Z/ust");
	Capture c;
	CHECK(ltt::record_traces(k, o) == 0);
	CHECK_FALSE(std::filesystem::exists(o.directory + "/chunks/.000001-20260101T000000Z"));
	CHECK_THAT(files_in(o.directory + "/chunks").front(), Contains("000003-"));
}

TEST_CASE("a session leaves nothing of streams that have ended")
{
	Directory d;
	TestSession s(d / "a");
	s.take(definitions_packet(1, definition(1, "p", "e", {})));
	const size_t empty = s.session.save(true).size();
	ltt_packet h = packet_header();
	s.take(packet(h, event(2000, 1)));
	const std::string alive = s.session.save(false);
	h.sequence = 1;
	h.flags = LTT_PACKET_LAST;
	s.take(packet(h, event(3000, 1)));
	const std::string gone = s.session.save(false);
	CHECK(gone.size() < alive.size() / 2);
	TestSession t(d / "b");
	for (const std::string &frame : {alive, gone})
		t.session.restore(frame);
	CHECK(t.session.files().size() == 1);
	t.session.take_again(nullptr, 0);
	CHECK(t.session.save(true).size() < empty);
	// A new reader gets the definitions of all processes again.
	TestSession u(d / "c");
	u.session.restore(s.session.save(true));
	const size_t with_process = u.session.save(true).size();
	u.session.take_again(nullptr, 0);
	CHECK(u.session.save(true).size() < with_process);
}

TEST_CASE("a full disk: what is written can be read, and what is not is written later")
{
	Directory d;
	constexpr uint64_t packets = 4 * packets_in_group;
	LastingKernel k(packets);
	ltt::RecordOptions o = options(d);
	k.at_once = GENERATE(4, 64);
	o.workers = 4;
	rlimit before;
	REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
	std::string why;
	{
		ltt::RecordOptions small = o;
		small.ready = [&] {
			rlimit limit{6000, before.rlim_max};
			setrlimit(RLIMIT_FSIZE, &limit);
		};
		try {
			ltt::record_traces(k, small);
		} catch (const ltt::Error &e) {
			why = e.what();
		}
		setrlimit(RLIMIT_FSIZE, &before);
	}
	CHECK_THAT(why, Contains("File too large") && Contains("wait in the directory") &&
				Contains("--continue"));
	CHECK(k.given->packets < packets);
	CHECK(found(o.directory).numbers.size() % events_in_packet == 0);
	Capture c;
	CHECK(ltt::record_traces(k, o) == 5);
	check_all(o.directory, packets);
}

TEST_CASE("a recording that ended in order goes on, and counts no loss again")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	ltt_packet h = packet_header();
	h.lost = 5;
	k.state.ready = {definitions, packet(h, event(2000, 1))};
	k.state.in_open.clear();
	ltt::RecordOptions o = options(d);
	o.drain = true;
	Capture c;
	CHECK(ltt::record_traces(k, o) == 5);
	CHECK(std::filesystem::exists(o.directory + "/ust"));
	h.sequence = 1;
	h.lost = 7;
	k.state.ready = {definitions, packet(h, event(3000, 1))};
	CHECK(ltt::record_traces(k, o) == 5);
	Found f = found(o.directory);
	CHECK(f.events == 2);
	CHECK(f.lost == 7);
	k.state.ready.clear();
	k.state.destroyed = true;
	CHECK(ltt::record_traces(k, o) == 0);
	CHECK(found(o.directory).events == 2);
	// Of a trace that is gone nothing is to be remembered.
	for (const std::string &file : files_in(o.directory))
		CHECK(file.find("chunks/00000") == 0);
}

TEST_CASE("what ended in order is known to be whole, also when the recording goes on")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	ltt::RecordOptions o = options(d);
	o.drain = true;
	Capture c;
	CHECK(ltt::record_traces(k, o) == 0);
	k.state.ready = {definitions, one_event_packet(2)};
	CHECK(ltt::record_traces(k, o) == 0);
	const ltt::reader::Checked checked = ltt::reader::check_session(o.directory);
	CHECK(checked.traces.size() == 2); // of a chunk each
	CHECK(checked.events == 3);
	CHECK(checked.unfinished == 0);
	CHECK(checked.faults.empty());
}

TEST_CASE("what is taken back of a recording that was at its end is not said to be there")
{
	Directory d;
	LastingKernel k(8);
	ltt::RecordOptions o = options(d);
	const std::string state = o.directory + "/.mine.state",
			  batch = o.directory + "/.mine.batch";
	int reads = 0;
	Capture c;
	k.state.on_read = [&] {
		if (++reads != 2)
			return;
		std::filesystem::copy_file(state, d / "state");
		std::filesystem::copy_file(batch, d / "batch");
	};
	CHECK(ltt::record_traces(k, o) == 5);
	// As if it had been killed when the manifest was written, and its own state was not.
	std::filesystem::rename(d / "state", state);
	std::filesystem::rename(d / "batch", batch);
	k.state.on_read = nullptr;
	CHECK(ltt::record_traces(k, o) == 5);
	c.out();
	check_all(o.directory, 8);
	const ltt::reader::Checked checked = ltt::reader::check_session(o.directory);
	CHECK(checked.events == 8 * events_in_packet);
	CHECK(checked.traces.size() == 2); // of a chunk each
	CHECK(checked.unfinished == 1);	   // the first
	CHECK(checked.faults.empty());
}

TEST_CASE("continuing takes a new directory, and none that holds something else")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	ltt::RecordOptions o = options(d);
	o.drain = true;
	{
		Capture c;
		CHECK(ltt::record_traces(k, o) == 0);
	}
	CHECK(found(o.directory).events == 2);
	std::ofstream(o.directory + "/letter") << "dear";
	CHECK_THROWS_WITH(
		ltt::record_traces(k, o), Contains("something else") && Contains("letter"));
	std::filesystem::remove(o.directory + "/letter");
	k.others.push_back(kernel_with_trace().state);
	k.others[0].params.name = "other";
	o.names = {"mine", "other"};
	CHECK_THROWS_WITH(ltt::record_traces(k, o), Contains("of these traces: ust"));
	CHECK(content(o.directory + "/ust/program/metadata") != "");
}

TEST_CASE("a state of another version is refused, and nothing is touched")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	ltt::RecordOptions o = options(d);
	std::filesystem::create_directories(o.directory + "/ust/x");
	std::ofstream(o.directory + "/ust/x/metadata") << "text";
	ltt::Journal(o.directory + "/.mine.state").append("short");
	CHECK_THROWS_WITH(ltt::record_traces(k, o), Contains("another version"));
	CHECK(content(o.directory + "/ust/x/metadata") == "text");
}

TEST_CASE("a journal has whole frames, whatever is behind them")
{
	Directory d;
	ltt::Journal journal(d / "j");
	CHECK(journal.read().empty());
	journal.append("one");
	journal.append("");
	journal.append("three");
	const std::vector<std::string> all{"one", "", "three"};
	CHECK(journal.read() == all);
	const std::string bytes = content(d / "j");
	for (size_t size = 0; size < bytes.size(); ++size) {
		std::ofstream(d / "j", std::ios::trunc) << bytes.substr(0, size);
		const size_t whole = size >= 16 + 3 + 16 ? 2 : size >= 16 + 3 ? 1 : 0;
		CHECK(ltt::Journal(d / "j").read() ==
			std::vector<std::string>(
				all.begin(), all.begin() + static_cast<long>(whole)));
	}
	std::string flipped = bytes;
	flipped[16] ^= 1;
	std::ofstream(d / "j", std::ios::trunc) << flipped;
	CHECK(ltt::Journal(d / "j").read().empty());
	journal.replace("all");
	CHECK(journal.read() == std::vector<std::string>{"all"});
	journal.append("more");
	CHECK(journal.read() == std::vector<std::string>{"all", "more"});
}

TEST_CASE("a batch that is done holds no packet, nor what lies behind a shorter one")
{
	Directory d;
	const Bytes one = one_event_packet(0);
	for (int copies : {3, 1}) {
		ltt::Batch batch(d / "b");
		CHECK(batch.packets_size() == 0);
		batch.next();
		for (int i = 0; i < 3; ++i)
			std::copy(one.begin(), one.end(),
				batch.data() + static_cast<size_t>(i) * one.size());
		const size_t size = static_cast<size_t>(copies) * one.size();
		batch.filled(size);
		CHECK(batch.packets_size() == size);
		CHECK(ltt::Batch(d / "b").packets_size() == size);
		CHECK(ltt::Batch(d / "b").number() == batch.number());
		batch.done(size);
		CHECK(ltt::Batch(d / "b").packets_size() == 0);
	}
}
