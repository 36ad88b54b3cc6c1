// SPDX-License-Identifier: MIT
// What a recorder keeps beside a recording, so that another one can go on where it was killed, or
// where its disk was full.
#ifndef LTT_CTL_CHECKPOINT_H
#define LTT_CTL_CHECKPOINT_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "batch.h"
#include "journal.h"
#include "kernel.h"
#include "session.h"

namespace ltt
{

// Of each trace:
//
//	DIR/.NAME.batch		the packets that the kernel gave last
//	DIR/.NAME.state		what the session was after each batch
//
// The kernel copies packets straight into the first file, and the second says which batch is
// written; so whenever the recorder ends, what is not written is in the batch, once.
class Checkpoint
{
public:
	// @info: of the trace, when the recording began.
	Checkpoint(const std::string &directory, const std::string &trace,
		const ltt_trace_info &info, uint64_t chunk);

	Batch &batch() { return batch_; }
	// @session has taken what is in the batch, of @size bytes.
	void written(Session &session, size_t size);
	// What follows is in the chunk of this number.
	void begin_chunk(Session &session, uint64_t number);
	// All that was read is written. @gone: so is the trace; else the state stays, for another
	// recorder to count from.
	void end(Session &session, bool gone);

	// Is it one of these files?
	static bool is_own(const std::string &name);

private:
	friend class Remains;
	struct Head {
		uint64_t batch; // the last that is written
		uint64_t chunk; // number of that at hand
		ltt_trace_info info;
		char boot_id[40];
	};
	static std::string path(
		const std::string &directory, const std::string &trace, const char *what);
	std::string frame(Session &session, bool all);

	Head head_{};
	std::string batch_path_;
	Batch batch_;
	Journal journal_;
};

// What a recorder left of one trace. The steps of a new one are those below, in their order; it may
// be killed between any two of them, and another one begins again.
class Remains
{
public:
	// Throws Error(damaged) if it makes no sense.
	Remains(const std::string &directory, const std::string &trace);

	bool any() const { return !frames_.empty(); }
	// Of a trace of this boot? Then streams go on.
	bool of_this_boot() const;
	const ltt_trace_info &info() const { return head_.info; }
	std::string boot_id() const { return head_.boot_id; }
	uint64_t chunk() const { return head_.chunk; } // the one at hand

	// @session becomes the one that was.
	void restore(Session &session) const;
	// Takes back what is in @directory of packets that are in the batch, too. @files: what the
	// session had written, of the chunk at hand; that is @complete if it was moved away.
	static void cut(const std::string &directory, const std::map<std::string, uint64_t> &files,
		bool complete);
	// @session takes the batch.
	void take_again(Session &session) const;

private:
	std::string batch_path_;
	Checkpoint::Head head_{};
	std::vector<std::string> frames_; // of the session
};

} // namespace ltt

#endif
