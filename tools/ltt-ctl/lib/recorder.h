// SPDX-License-Identifier: MIT
// The loop that moves packets from a trace of the kernel into a session directory.
#ifndef LTT_CTL_RECORDER_H
#define LTT_CTL_RECORDER_H

#include <functional>
#include <memory>
#include <string>

#include "batch.h"
#include "checkpoint.h"
#include "error.h"
#include "kernel.h"
#include "session.h"

namespace ltt
{

// A directory to record to, or Error.
void make_output(const std::string &directory);
// Nothing but what Control has is in it, or Error.
void require_empty(const std::string &directory);
// Both.
void require_empty_directory(const std::string &directory);

// What all events of the trace have in common, with @contexts besides its own. @boot_id: when
// @info is of.
ctf::Environment environment_of(const ltt_trace_info &info, const std::string &boot_id,
	const Clock &clock, uint32_t contexts);

// A session of a trace in such a directory.
std::unique_ptr<Session> open_session(const ltt_trace_info &info, const std::string &boot_id,
	const std::string &directory, uint32_t contexts, Session::Report report, Workers *workers,
	Session::From from = Session::From::reader);

class Recorder
{
public:
	// With a @checkpoint, what it takes and does not write is not lost.
	Recorder(KernelTrace &trace, Session &session, Checkpoint *checkpoint = nullptr);

	// Follows the trace until it is destroyed or @enough says so, which is asked a few
	// times in a second.
	void follow(const std::function<bool()> &enough);
	// Takes what can be read now, until @enough says so, which is asked after each piece.
	void read(const std::function<bool()> &enough);
	// Takes all that is there now, in open sub-buffers too, though not what busy threads go on
	// to write.
	void catch_up();
	// The same, and ends the session. @quiet: no one writes any more.
	void drain(bool quiet);

	bool at_end() const { return at_end_; }

private:
	// Hands what was read to the session.
	void take(size_t size, uint64_t read_at);
	KernelTrace &trace_;
	Session &session_;
	Checkpoint *checkpoint_;
	std::unique_ptr<Batch> own_batch_; // without a checkpoint
	Batch &batch_;
	size_t last_size_ = 0;
	bool at_end_ = false;
};

// The line that ends a recording.
std::string summary(const Totals &totals, const std::string &directory);

// Damaged goes before lost.
Exit exit_code(const Totals &totals);

// A summary with losses reads much like one without.
void advise_on_losses(const Totals &totals);

} // namespace ltt

#endif
