// SPDX-License-Identifier: MIT
// A session directory: what read() of a trace yields goes in, CTF traces come out.
//
// take() follows the sequence of packets: what processes register (session.cpp). Packets of events
// it gathers for a round, in which they are encoded and written several at a time (round.h). In
// their order again settle() says what becomes of each (session_streams.cpp): counts, losses, and
// the place in a file. It may run in any thread of the round, one at a time, while the caller is in
// the round as well; all else is the caller's thread's.
//
//	DIR/kernel/		the trace of the kernel's events, if there are any
//	DIR/ust/PROGRAM/	one trace for each program: metadata, stream_0, stream_1 …,
//				and .manifest, which says what belongs to it
//	DIR/bad/		packets that failed a check, as the kernel gave them
#ifndef LTT_CTL_SESSION_H
#define LTT_CTL_SESSION_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "clock.h"
#include "ctf/trace.h"
#include "packet.h"
#include "processes.h"
#include "round.h"

namespace ltt
{

// What there may be in DIR.
constexpr const char *session_parts[] = {"kernel", "ust", "bad"};

struct Totals {
	uint64_t events = 0;	// recorded
	uint64_t processes = 0; // that recorded events
	uint64_t threads = 0;
	uint64_t lost = 0;
	uint64_t bytes = 0;
	uint64_t packets = 0;
	uint64_t bad_packets = 0;     // set aside
	uint64_t corrupt_streams = 0; // whose control page lied
	uint64_t last_ns = 0;	      // of the last event; nanoseconds of CLOCK_MONOTONIC

	Totals &operator+=(const Totals &other);
};

class Session
{
public:
	using MakeUuid = std::function<ctf::Uuid()>;
	using Report = std::function<void(const std::string &)>;

	enum class From {
		reader,
		snapshot // which has no older events, though its packets count from 0
	};

	// @report gets a line for each thing that went wrong and does not end the recording; it may
	// be called in a thread of @workers, which help if there are any, while the caller waits.
	Session(std::string directory, ctf::Environment environment, const Clock &clock,
		MakeUuid make_uuid, Report report, From from = From::reader,
		Workers *workers = nullptr);

	// Takes whole packets, as one read() gives them. @read_at is the trace's clock before
	// that read(): a packet that ends earlier is of a thread that is gone, though more of
	// its packets may follow. (If it is wrong, there are more files than need be, or
	// fewer; nothing else.)
	void take(const uint8_t *data, size_t size, uint64_t read_at);
	// Nothing follows. @quiet: no thread writes any more (stopped or destroyed), so that
	// the counts of events are final for living threads too.
	void finish(bool quiet);

	// What was written is complete, and may be moved away: what follows goes into traces of
	// its own, though streams and counts go on. There is always a trace to read.
	void end_chunk();

	const Totals &totals() const { return totals_; }

	// What another session needs to go on where this one is: all, or what changed since the
	// last time. Files are those of the chunk, by their path below the directory, with the
	// bytes that they have. Frames are applied in their order, to a session that took nothing.
	std::string save(bool all);
	void restore(const std::string &frame);
	// Takes what was read before the other session ended, and perhaps taken already. From then
	// on packets come from a new reader, which gets all definitions again, and perhaps packets
	// that were just taken.
	void take_again(const uint8_t *data, size_t size);
	const std::map<std::string, uint64_t> &files() const { return files_; }

private:
	// What one sequence of registrations means. Processes of one program share it.
	struct Program {
		uint32_t number = 0; // in programs_
		uint32_t parent = 0; // what was registered before
		ctf::Domain domain = ctf::Domain::user;
		EventTable table;
		std::map<std::string, std::unique_ptr<Program>>
			more; // by the next registration's bytes
		ctf::Trace *trace = nullptr;
	};
	// What the next recorder needs of a stream, saved as it is in memory.
	struct StreamState {
		ltt_packet last{}; // header of the last packet
		uint64_t last_ticks = 0;
		uint64_t next_sequence = 0;
		uint64_t gap = 0;      // packets missing since the last one written
		uint64_t recorded = 0; // events
		uint64_t lost = 0;     // all kinds, as far as known
		uint64_t reported = 0; // of them, on disk
		bool met = false;
		bool from_birth = false; // all packets of the stream came here
		bool corrupt = false;
		bool spoiled = false; // a packet is missing or was set aside
		uint32_t reserved = 0;
	};
	struct Stream : StreamState {
		ctf::Trace *trace = nullptr;
		ctf::StreamFile *file = nullptr;
		uint64_t end_in_round = 0; // of its packets there; 0: it has none
		bool ends_in_round = false;
	};
	struct SavedStream;
	// A packet of the round, besides what Round needs.
	struct Gathered {
		Stream *stream;
		ctf::Trace *trace; // null: of a process that registered nothing
		ctf::Domain domain;
		uint64_t read_at;
	};

	Program &program(uint32_t number); // 0: the root
	// What follows @program when these bytes are registered. Throws BadData.
	Program &registered(Program &program, const std::string &bytes);
	bool is_whole(const Packet &packet);
	void note_file(const std::string &path, uint64_t size);
	// What changed since the last save(), of a session that is saved at all.
	template <class T>
	void note(std::set<T> &changed, const T &what)
	{
		if (saves_)
			changed.insert(what);
	}

	static void forget_traces(Program &program);
	void take_definitions(const Packet &packet);
	void gather(const Packet &packet, uint64_t read_at);
	void end_round();
	ctf::Place settle(
		const Packet &packet, const Gathered &gathered, const Round::Result &result);
	static std::string origin_of(const ltt_packet &header);
	static bool has_new_context(const Program &program);
	static void number_definitions(Program &program);
	void note_header(Stream &stream, const ltt_packet &header);
	void count_missing(Stream &stream);
	void tell_last_losses();
	ctf::Place place(Stream &stream, const ctf::Events &events);
	void release_file(Stream &stream);
	std::string key_of(const Program &program) const;
	ctf::Trace *trace_of(Program &program, const char *comm);
	Program &program_of(uint64_t process);
	// Those are numbered in their order, so that the round before has to end.
	void set_aside(
		const uint8_t *data, size_t size, const std::string &what, const std::string &why);
	void set_aside_now(
		const uint8_t *data, size_t size, const std::string &what, const std::string &why);
	std::string free_name(const char *comm);

	std::string directory_;
	ctf::Environment environment_;
	Clock clock_;
	MakeUuid make_uuid_;
	Report report_;
	From from_;
	Totals totals_;

	Program root_; // of a process that registered nothing
	Processes processes_;
	std::unordered_map<uint64_t, Stream> streams_;
	std::map<std::string, std::unique_ptr<ctf::Trace>> traces_; // by key_of()
	std::set<std::string> names_;				    // of directories

	Workers *workers_;
	std::vector<ctf::PacketWriter> writers_; // for the packets at hand
	std::vector<Round::Source> round_;
	std::vector<Gathered> gathered_; // for each of round_

	// For save() and restore().
	bool saves_ = false;
	std::vector<std::pair<Program *, std::string>> programs_; // and what was registered
	std::map<std::string, uint64_t> files_;
	std::set<std::string> changed_files_;
	std::set<uint64_t> changed_processes_, changed_streams_;
	std::set<uint64_t> saved_streams_;
	size_t saved_programs_ = 0;
	std::unordered_map<uint64_t, uint64_t> taken_again_; // next sequence, by stream
};

} // namespace ltt

#endif
