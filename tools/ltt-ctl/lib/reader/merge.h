// SPDX-License-Identifier: MIT
// All streams of a session as one, by time. Of each stream at most one packet is in memory,
// and only from its begin to its end; one file is open at a time.
#ifndef LTT_CTL_READER_MERGE_H
#define LTT_CTL_READER_MERGE_H

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "printer.h"
#include "stream.h"

namespace ltt::reader
{

// Which of it.
struct Wanted {
	int64_t tid = 0;   // as the thread or the kernel has it; 0: all
	uint64_t from = 0; // ns since 1970
	uint64_t to = UINT64_MAX;
};

class Merge
{
public:
	explicit Merge(const Wanted &wanted) : wanted_(wanted) {}

	// Of a trace whose @program and @types outlive this.
	void add(const std::string &program, const TraceTypes &types, Stream stream);

	struct Item {
		Origin origin;
		Event event; // if it has a type
		Loss loss;   // else
	};
	// False behind the last one. What it gives is good up to the next call.
	bool next(Item &item);

private:
	struct Source {
		Source(const std::string &p, const TraceTypes &t, Stream s)
			: program(&p), types(&t), stream(std::move(s))
		{
		}
		const std::string *program;
		const TraceTypes *types;
		Stream stream;
		// Its next item.
		enum {
			LOSS,
			PACKET,
			EVENT
		} state = PACKET;
		uint64_t ns = 0;  // since 1970
		size_t order = 0; // among those of the same time
		Loss loss;
		Event event;
		std::vector<uint8_t> packet;
		EventCursor cursor;
		// Of the packets so far.
		uint64_t end = 0;
		uint64_t sequence = 0; // of the next one
		uint64_t discarded = 0;
		bool began = false;
	};
	struct Later {
		bool operator()(const Source *a, const Source *b) const
		{
			return a->ns != b->ns ? a->ns > b->ns : a->order > b->order;
		}
	};

	uint64_t since_1970(const Source &source, uint64_t ns) const;
	bool is_wanted(const Source &source) const;
	bool next_packet(Source &source);
	bool next_event(Source &source);
	void note_loss(Source &source);
	void accept(Source &source);
	bool advance(Source &source);

	Wanted wanted_;
	std::vector<std::unique_ptr<Source>> sources_;
	std::priority_queue<Source *, std::vector<Source *>, Later> queue_;
	Source *current_ = nullptr; // gave the last item
};

} // namespace ltt::reader

#endif
