// SPDX-License-Identifier: MIT
// Packets of a trace that goes on, as the kernel gives them, to lines: each event once, though
// snapshots give it again and again.
#ifndef LTT_CTL_READER_LIVE_H
#define LTT_CTL_READER_LIVE_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "../clock.h"
#include "../ctf/encode.h"
#include "../packet.h"
#include "printer.h"

namespace ltt::reader
{

struct LiveOptions {
	std::string rules;   // of parse_rules()
	std::string program; // name of the thread, as the kernel has it; "": all
	int64_t tid = 0;     // 0: all
};

class Live
{
public:
	using Report = std::function<void(const std::string &)>;

	// @report gets a line for each packet that cannot be shown.
	Live(const Clock &clock, ctf::Environment environment, LiveOptions options,
		Printer &printer, Report report);

	// Takes whole packets, as one read() gives them.
	void take(const uint8_t *data, size_t size);
	// What was taken is all that there was at @ticks of the trace's clock: prints what is
	// not later, in the order of time, at the end of @out. UINT64_MAX: nothing follows.
	void print(std::string &out, uint64_t ticks);

private:
	// What the ids of one process mean.
	struct Process {
		ctf::Domain domain = ctf::Domain::user;
		EventTable table;
		std::set<std::string> registered; // bytes: each snapshot gives them again
		std::shared_ptr<const ctf::EventContext> context;
		std::shared_ptr<const TraceTypes> types;
	};
	struct Stream {
		uint64_t process = 0;
		ltt_packet last{};
		bool met = false;   // before this look
		uint64_t next = 0;  // position of the first byte that is not shown yet
		uint64_t shown = 0; // events
		uint64_t ns = 0;    // of the last of them
		uint64_t told = 0;  // the same at the last look
		uint64_t lost = 0;  // as told, for want of room
		// As told: replaced before they were shown, or taken by a recorder.
		uint64_t missed = 0;
		uint64_t before = 0;   // events that were gone when we came
		uint64_t reserved = 0; // events that had got room at the last look
	};
	// New events of a packet, encoded as on disk; or a loss.
	struct Piece {
		std::string program;
		std::shared_ptr<const TraceTypes> types;
		ctf::PacketHeader header;
		std::vector<uint8_t> bytes;
		EventCursor cursor;
		Event event; // the next one; without a type if this is a loss
		Loss loss;
		uint64_t ns = 0; // of what is next
		uint64_t order = 0;
	};
	struct Later {
		bool operator()(
			const std::unique_ptr<Piece> &a, const std::unique_ptr<Piece> &b) const
		{
			return a->ns != b->ns ? a->ns > b->ns : a->order > b->order;
		}
	};

	void take_definitions(const Packet &packet);
	void renew(Process &process) const;
	void take_events(const Packet &packet);
	void note_losses(Stream &stream);
	uint64_t events_before(
		const Packet &packet, const Process &process, uint64_t position) const;
	std::unique_ptr<Piece> make_piece(const ltt_packet &header, const ctf::Events &events);
	static bool next_event(Piece &piece);
	void push(std::unique_ptr<Piece> piece);
	bool is_wanted(const ltt_packet &header) const;

	Clock clock_;
	ctf::Environment environment_;
	LiveOptions options_;
	Printer &printer_;
	Report report_;

	std::unordered_map<uint64_t, Process> processes_;
	std::map<uint64_t, Stream> streams_;
	std::vector<std::unique_ptr<Piece>> pieces_; // not printed yet: a heap
	uint64_t order_ = 0;
	ctf::PacketWriter writer_; // of the packet at hand
};

} // namespace ltt::reader

#endif
