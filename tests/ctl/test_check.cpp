// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "lib/checksum.h"
#include "lib/control.h"
#include "lib/ctf/packet_header.h"
#include "lib/file.h"
#include "lib/reader/check.h"
#include "lib/reader/repair.h"
#include "support/command.h"
#include "support/directory.h"
#include "support/sample.h"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using ltt::reader::check_session;
using ltt::reader::Checked;
using ltt::reader::repair_session;
using ltt::reader::Repaired;

namespace fs = std::filesystem;

namespace
{

// A session of its own, copied from one that is written once.
class Sample
{
public:
	Sample() { fs::copy(original(), d_.path(), fs::copy_options::recursive); }
	const std::string &path() const { return d_.path(); }
	std::string operator/(const std::string &name) const { return d_ / name; }

	void write(const std::string &name, const std::string &bytes) const
	{
		std::ofstream(d_ / name, std::ios::binary) << bytes;
	}
	void restore(const std::string &name) const
	{
		fs::copy_file(
			original() + "/" + name, d_ / name, fs::copy_options::overwrite_existing);
	}
	// As it was before something was done to this file, and that was repaired.
	void renew(const std::string &name) const
	{
		fs::remove_all(d_ / "bad");
		restore(name);
		restore((fs::path(name).parent_path() / ".manifest").string());
	}

private:
	static const std::string &original()
	{
		static const Directory d;
		static const bool written = (write_sample(d.path()), true);
		static_cast<void>(written);
		return d.path();
	}

	Directory d_;
};

std::vector<std::string> lines(const Checked &c)
{
	std::vector<std::string> all;
	for (const auto &fault : c.faults)
		all.push_back(to_string(fault));
	return all;
}

// Faults of this file, and of no other.
bool only_of(const Checked &c, const std::string &path)
{
	return !c.faults.empty() && std::all_of(c.faults.begin(), c.faults.end(),
					    [&](const auto &fault) { return fault.file == path; });
}

// Events lost, as the last packets of the streams say.
uint64_t discarded(const Checked &c)
{
	uint64_t n = 0;
	for (const auto &trace : c.traces)
		for (const auto &stream : trace.streams)
			n += stream.end.discarded;
	return n;
}

bool is_metadata(const std::string &file)
{
	return fs::path(file).filename() == "metadata";
}

// Damage is looked for at every byte of streams and manifests, and at some of metadata, which is
// compared as a whole. Repair, which writes files, is for every third of those: it meets all
// fields of three bytes and more.
size_t step_through(const std::string &file)
{
	return is_metadata(file) ? 16 : 1;
}
bool is_to_repair(const std::string &file, size_t at)
{
	return at / step_through(file) % 3 == 0;
}

std::string flipped(std::string bytes, size_t at)
{
	bytes[at] = static_cast<char>(bytes[at] ^ 0x01);
	return bytes;
}

// What the session has now, and no fault.
Checked sound(const std::string &directory)
{
	Checked c = check_session(directory);
	INFO(directory);
	REQUIRE(lines(c) == std::vector<std::string>{});
	return c;
}

// Events that babeltrace2 prints, after a check that it complains of nothing but losses.
size_t events_read(const std::string &directory)
{
	const CommandResult r = babeltrace(directory);
	INFO(r.err);
	REQUIRE(r.status == 0);
	for (size_t at = 0; at < r.err.size(); at = r.err.find('\n', at) + 1)
		REQUIRE_THAT(r.err.substr(at), StartsWith("WARNING: Tracer discarded"));
	return static_cast<size_t>(std::count(r.out.begin(), r.out.end(), '\n'));
}

} // namespace

TEST_CASE("a session as it was written is sound")
{
	Sample s;
	const Checked c = sound(s.path());
	CHECK(c.traces.size() == 2);
	CHECK(c.events == sample_events);
	CHECK(c.packets == 3 * 2 + 1);
	CHECK(c.unfinished == 0);
	CHECK(c.set_aside == 0);
	CHECK(events_read(s.path()) == sample_events);
}

TEST_CASE("each flipped byte is found, and repair leaves a sound session that counts the loss")
{
	Sample s;
	const uint64_t lost_before = discarded(sound(s.path()));
	size_t found = 0, repairs = 0;
	for (const std::string &file : files_in(s.path(), true)) {
		const std::string good = content(s / file);
		for (size_t at = 0; at < good.size(); at += step_through(file)) {
			INFO(file << ", byte " << at);
			s.write(file, flipped(good, at));
			const Checked bad = check_session(s.path());
			REQUIRE(only_of(bad, s / file));
			++found;
			if (!is_to_repair(file, at)) {
				s.restore(file);
				continue;
			}

			const Repaired repaired = repair_session(bad);
			REQUIRE(repaired.not_repaired.empty());
			const Checked rest = sound(s.path());
			REQUIRE(rest.events + repaired.lost == sample_events);
			REQUIRE(repaired.set_aside.size() == 1);
			REQUIRE(rest.set_aside == 1);
			// Where no packet is left nobody can tell of the loss.
			if (fs::exists(s / file))
				REQUIRE(discarded(rest) == lost_before + repaired.lost);
			if (repairs++ % 53 == 0)
				REQUIRE(events_read(s.path()) == rest.events);
			s.renew(file);
		}
	}
	CHECK(found > 2500);
	CHECK(repairs > 900);
}

TEST_CASE("a file that is cut at any length is found, and repair counts what is missing")
{
	Sample s;
	size_t found = 0, repairs = 0;
	for (const std::string &file : files_in(s.path(), true)) {
		const std::string good = content(s / file);
		for (size_t size = 0; size < good.size(); size += step_through(file)) {
			INFO(file << ", " << size << " bytes");
			s.write(file, good.substr(0, size));
			const Checked bad = check_session(s.path());
			REQUIRE(only_of(bad, s / file));
			++found;
			if (!is_to_repair(file, size)) {
				s.restore(file);
				continue;
			}

			const Repaired repaired = repair_session(bad);
			if (fs::path(file).filename() == ".manifest" && size < good.size() / 2) {
				// Neither copy is whole. All is there for other readers.
				REQUIRE(repaired.not_repaired.size() == 1);
				REQUIRE(content(s / file) == good.substr(0, size));
			} else {
				REQUIRE(repaired.not_repaired.empty());
				const Checked rest = sound(s.path());
				REQUIRE(rest.events + repaired.lost == sample_events);
			}
			if (repairs++ % 53 == 0)
				events_read(s.path());
			s.renew(file);
		}
	}
	CHECK(found > 2500);
	CHECK(repairs > 900);
}

TEST_CASE("a fault names the file, the packet, the byte and the reason")
{
	Sample s;
	const std::string file = "ust/program/stream_0";
	const std::string path = s / file, good = content(path);
	uint64_t first;
	std::memcpy(&first, &good[offsetof(ltt::ctf::PacketHeader, packet_size)], sizeof(first));
	first /= 8;
	const size_t payload = first + sizeof(ltt::ctf::PacketHeader) + 40;

	s.write(file, flipped(good, payload));
	const std::string at = std::to_string(first);
	CHECK(lines(check_session(s.path())) ==
		std::vector<std::string>{
			path + ": packet 1, byte " + at + ": does not match its checksum"});

	s.write(file, good.substr(0, first + 10));
	CHECK(lines(check_session(s.path())) ==
		std::vector<std::string>{
			path + ": packet 1, byte " + at + ": cut off: 10 bytes left"});
	s.write(file, good.substr(0, first));
	CHECK(lines(check_session(s.path())) ==
		std::vector<std::string>{path + ": byte " + at + ": cut off: has " + at +
					 " bytes of " + std::to_string(good.size())});
	s.write(file, good + "more");
	CHECK(lines(check_session(s.path())) ==
		std::vector<std::string>{path + ": packet 3, byte " + std::to_string(good.size()) +
					 ": no packet begins here"});
	s.write(file, good.substr(first));
	CHECK_THAT(lines(check_session(s.path())).at(0),
		Contains("packets before its last one are missing: has "));
	s.write(file, good + good.substr(first));
	CHECK_THAT(lines(check_session(s.path())).at(0), Contains("comes again, or too late"));
	s.write(file, content(s / "ust/program/stream_1"));
	CHECK_THAT(
		lines(check_session(s.path())).at(0), Contains("is not a packet of this stream"));
	s.restore(file);

	const std::string metadata = "ust/program/metadata";
	const std::string text = content(s / metadata);
	s.write(metadata, text + "\n");
	CHECK(lines(check_session(s.path())) ==
		std::vector<std::string>{(s / metadata) + ": byte " + std::to_string(text.size()) +
					 ": 1 byte too many"});
	s.write(metadata, flipped(text, 77));
	CHECK(lines(check_session(s.path())) ==
		std::vector<std::string>{
			(s / metadata) + ": byte 77: is not what the manifest says"});
}

TEST_CASE("what a right checksum does not show is found")
{
	using ltt::ctf::PacketHeader;
	Sample s;
	const std::string file = "ust/other/stream_0";
	const std::string good = content(s / file);
	const size_t events =
		sizeof(PacketHeader) + ltt::ctf::EventContext(ltt::reader_contexts).size();
	auto says = [&](size_t at, char value) {
		std::string bytes = good;
		bytes[at] = value;
		const uint64_t sum = ltt::checksum(bytes.data(), bytes.size() - sizeof(sum));
		std::memcpy(&bytes[bytes.size() - sizeof(sum)], &sum, sizeof(sum));
		s.write(file, bytes);
		const Checked c = check_session(s.path());
		return c.faults.empty() ? "nothing" : c.faults[0].reason;
	};
	CHECK_THAT(says(sizeof(PacketHeader), 7), Contains("number 7 is not defined"));
	CHECK_THAT(
		says(sizeof(PacketHeader) + 3, 1), Contains("its time goes back or lies outside"));
	CHECK_THAT(says(offsetof(PacketHeader, packet_size), 8), Contains("its size cannot be"));
	CHECK_THAT(says(offsetof(PacketHeader, end), 0), Contains("ends before it begins"));
	CHECK_THAT(says(good.size() - sizeof(ltt::ctf::PacketTrailer), 1),
		Contains("its counts go back"));
	CHECK(says(events - 1, 0) == "nothing"); // the last byte of a name
}

TEST_CASE("what does not belong into a session is named, and repair puts it aside")
{
	Sample s;
	s.write("ust/program/.stream_7.new", "half");
	s.write("ust/program/notes", "readers take this for a stream");
	s.write("notes", "nobody minds this");
	fs::create_directories(s / "ust/third/deeper");
	const Checked bad = check_session(s.path());
	CHECK(lines(bad) ==
		std::vector<std::string>{
			(s / "ust/program/notes") +
				": byte 0: does not belong to the trace: readers take it for a "
				"stream",
			(s / "ust/program/.stream_7.new") +
				": byte 0: left over by a recording that was interrupted",
			(s / "ust/third/deeper") + ": byte 0: is an empty directory"});
	CHECK(repair_session(bad).set_aside.size() == 2);
	CHECK(sound(s.path()).set_aside == 2);
	CHECK(content(s / "bad/program-notes") == "readers take this for a stream");
	CHECK(content(s / "bad/.stream_7.new") == "half");
	CHECK(!fs::exists(s / "ust/third"));
	CHECK(fs::exists(s / "notes"));
	CHECK(events_read(s.path()) == sample_events);
}

TEST_CASE("a stream that is missing, and one that was never recorded")
{
	Sample s;
	fs::rename(s / "ust/program/stream_1", s / "kept");
	Checked bad = check_session(s.path());
	CHECK(lines(bad) ==
		std::vector<std::string>{(s / "ust/program/stream_1") + ": byte 0: is missing"});
	CHECK(repair_session(bad).lost == 6);
	CHECK(sound(s.path()).events == sample_events - 6);
	// Now it is one too many.
	fs::rename(s / "kept", s / "ust/program/stream_1");
	bad = check_session(s.path());
	CHECK(bad.faults.size() == 1);
	CHECK(repair_session(bad).lost == 0);
	sound(s.path());
	CHECK(fs::exists(s / "bad/program-stream_1"));
}

TEST_CASE("a recording that did not end is sound as far as one can tell, and repair ends it")
{
	Directory d;
	{
		TestSession s(d.path());
		s.take(definitions_packet(1, definition(1, "p", "e", {})));
		s.take(packet(packet_header(), event(2000, 1)));
	}
	CHECK(sound(d.path()).unfinished == 1);
	const std::string path = d / "ust/program/stream_0", good = content(path);
	std::ofstream(path, std::ios::binary | std::ios::app) << good.substr(0, 100);
	const Checked bad = check_session(d.path());
	CHECK(bad.faults.size() == 1);
	repair_session(bad);
	CHECK(sound(d.path()).unfinished == 0);
	CHECK(content(path) == good);
	CHECK(events_read(d.path()) == 1);
}

TEST_CASE("ltt-ctl check: exit status, lines, JSON, and nobody repairs what is being written")
{
	Sample s;
	auto check = [&](std::vector<std::string> words) {
		words.insert(words.begin(), {LTT_CTL, "check"});
		return run_command(words);
	};
	CommandResult r = check({s.path()});
	CHECK(r.status == 0);
	CHECK(r.out == "sound: 2 traces, 7 packets, 15 events in " + s.path() + "\n");

	const std::string file = "ust/program/stream_0";
	s.write(file, flipped(content(s / file), 130));
	r = check({s.path()});
	CHECK(r.status == 6);
	CHECK(std::count(r.out.begin(), r.out.end(), '\n') == 2);
	CHECK_THAT(r.out, Contains((s / file) + ": packet 0, byte 0: does not match"));
	CHECK_THAT(r.out, Contains("1 fault: "));
	r = check({"--json", s.path()});
	CHECK(r.status == 6);
	CHECK_THAT(r.out, Contains("\"reason\": \"does not match its checksum\""));
	{
		const ltt::DirectoryLock lock(s.path(), "");
		r = check({"--repair", s.path()});
		CHECK(r.status == 1);
		CHECK_THAT(r.err, Contains(" records into " + s.path() + ": end that one first"));
	}
	r = check({"--repair", s.path()});
	CHECK(r.status == 6);
	CHECK_THAT(r.out, Contains("repaired: 1 file set aside in " + s.path() + "/bad, 2 events"));
	r = check({s.path()});
	CHECK(r.status == 0);
	CHECK_THAT(r.out, Contains("1 file set aside before"));

	Directory empty;
	r = check({empty.path()});
	CHECK(r.status == 1);
	CHECK_THAT(r.err, Contains("there is no trace in "));
	r = check({empty / "none"});
	CHECK(r.status == 1);
	CHECK(r.err ==
		"ltt-ctl: cannot read " + (empty / "none") + ": No such file or directory\n");
}
