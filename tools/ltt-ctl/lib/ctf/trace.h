// SPDX-License-Identifier: MIT
// One CTF trace on disk: a directory with a metadata file and the stream files of one
// program.
#ifndef LTT_CTL_CTF_TRACE_H
#define LTT_CTL_CTF_TRACE_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../clock.h"
#include "encode.h"
#include "manifest.h"

namespace ltt::ctf
{

// A file that one thread at a time owns. When it ends, another may go on with it.
struct StreamFile {
	std::string path;
	uint64_t instance = 0;
	uint64_t size = 0;     // with the packets that have their place
	uint64_t written = 0;  // of it
	uint64_t end = 0;      // ns of the last event; nothing earlier may follow
	uint64_t sequence = 0; // of the next packet
	uint64_t events = 0;
	uint64_t discarded = 0; // events lost so far
};

// What a packet is to tell.
struct PacketOut {
	const Events &events;
	const ltt_packet &header;
	uint64_t discarded; // events lost since the last packet in the file
	uint64_t gap;	    // packets missing before this one
};

// Where it goes. Of the file it needs no more than the path, so that the sequence of packets is
// settled with their places, and they are written when each has its turn.
struct Place {
	StreamFile *file = nullptr; // null: it is not written
	uint64_t offset = 0;
	size_t size = 0;
	PacketInfo info{};
	std::optional<PacketInfo> zero; // an empty one in front of it

	// In front of the packet's events, which @writer has.
	void put_headers(PacketWriter &writer) const;
	// What @writer has, once the file has all that is before it.
	void write(const PacketWriter &writer) const;
	// That is done.
	void set_written() const { file->written += size; }
	bool has_turn() const { return file->written == offset; }
};

class Trace
{
public:
	// Nothing is on disk before the first packet is.
	Trace(std::string directory, const Environment &environment, const Uuid &uuid,
		Domain domain = Domain::user);

	// The number on disk of this event or context; a new one is given if need be. Contexts
	// of the program's own are numbered before the first packet.
	uint32_t number(const Definition &definition);
	bool has_context(const Definition &context) const { return context_.has(context); }
	const EventContext &context() const { return context_; }

	// A file that takes a packet which begins at @begin ns. The caller owns it until it
	// gives it back.
	StreamFile *acquire(uint64_t begin);
	void release(StreamFile *file) { free_.push_back(file); }

	// The next place in the file. What the events mean is on disk then.
	Place place(StreamFile &file, const Clock &clock, const PacketOut &packet);

	// As place() does, if need be.
	void write_metadata();
	// Nothing follows: says what there is, so that what is cut off later can be missed.
	void finish();

	size_t files() const { return files_.size(); }

private:
	void write_manifest_file(bool finished);

	std::string directory_;
	Manifest manifest_; // its context and its streams as of the last writing
	EventContext context_;
	std::map<std::string, uint32_t> numbers_; // by identity
	size_t events_on_disk_ = SIZE_MAX;	  // SIZE_MAX: there is no metadata file yet
	std::vector<std::unique_ptr<StreamFile>> files_;
	std::vector<StreamFile *> free_;
};

} // namespace ltt::ctf

#endif
