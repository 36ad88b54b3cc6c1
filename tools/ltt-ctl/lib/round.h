// SPDX-License-Identifier: MIT
// Packets of events on their way to disk, several at a time.
#ifndef LTT_CTL_ROUND_H
#define LTT_CTL_ROUND_H

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "ctf/trace.h"
#include "packet.h"
#include "workers.h"

namespace ltt
{

// Each packet takes four steps, mostly in one thread, so that its bytes stay in one processor's
// cache:
//
//	1 encode	checks and re-encoding		any number at the same time
//	2 settle	what the session makes of it	one at a time, in the order of packets
//	3 checksum					any number at the same time
//	4 write		at the end of its file		one at a time in a file, in their order
//
// So the files are what one thread would write. A packet whose file is not as far yet waits with
// its PacketWriter; who writes what is before it goes on with it, and the thread that brought it
// takes another packet.
//
// Step 1 reads what nobody changes during a round (packets, tables, contexts, clock) and changes
// its PacketWriter, which one thread at a time has. Step 2 alone touches the session, with mutex_
// held. Steps 3 and 4 have their own Place and PacketWriter, and of the file its path, which never
// changes; StreamFile::written is under mutex_, too. Threads wait for packets before theirs alone,
// and for an idle PacketWriter. The first packet that is not written yet waits for nothing, and is
// some thread's: so there is always one that goes on.
class Round
{
public:
	// What step 1 needs.
	struct Source {
		Packet packet;
		const EventTable *table = nullptr;
		uint32_t contexts = 0;
		uint64_t not_before = 0;
		const ctf::EventContext *context = nullptr; // none: of no trace
	};
	struct Result {
		ctf::Events events;
		std::string bad; // why it is to be set aside; "": it is not
	};
	// Step 2 of the packet of this number: where it is to be written, if anywhere.
	using Settle = std::function<ctf::Place(size_t number, const Result &result)>;

	Round(const Clock &clock, const std::vector<Source> &packets, Settle settle)
		: clock_(clock), packets_(packets), settle_(std::move(settle))
	{
	}

	// Takes all packets, or until one fails: then those before it are written, and some of
	// those behind it may be. @writers keep their memory from round to round; more are added
	// if need be.
	void run(Workers *workers, std::vector<ctf::PacketWriter> &writers);
	// What the first packet threw that failed.
	void throw_error() const;
	// Bytes of packets that are whole on disk.
	uint64_t written() const { return written_; }

private:
	using Lock = std::unique_lock<std::mutex>;
	struct Job {
		size_t number;
		ctf::PacketWriter *writer;
		ctf::Place place;
	};

	unsigned threads(const Workers &workers) const;
	void work();
	void take(Job &job, Lock &lock);
	Result encode(const Source &source, ctf::PacketWriter &writer) const;
	void write(Job &job, Lock &lock);
	void release(Job &job);

	const Clock &clock_;
	const std::vector<Source> &packets_;
	const Settle settle_;

	std::mutex mutex_; // all below
	std::condition_variable changed_;
	std::vector<ctf::PacketWriter *> idle_;
	std::vector<Job> waiting_; // with step 4, for what is before them in their files
	size_t begun_ = 0;
	size_t settled_ = 0;
	size_t failed_ = SIZE_MAX; // the first one that did
	std::exception_ptr error_;
	uint64_t written_ = 0;
};

} // namespace ltt

#endif
