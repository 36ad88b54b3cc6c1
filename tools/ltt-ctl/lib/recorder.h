// SPDX-License-Identifier: MIT
// The loop that moves packets from a trace of the kernel into a session directory.
#ifndef LTT_CTL_RECORDER_H
#define LTT_CTL_RECORDER_H

#include <functional>
#include <string>
#include <vector>

#include "error.h"
#include "kernel.h"
#include "session.h"

namespace ltt
{

// Makes the directory. Throws Error if it holds something.
void require_empty_directory(const std::string &directory);

// An empty session directory for @trace, or Error.
std::unique_ptr<Session> open_session(KernelTrace &trace, const std::string &directory,
	uint32_t contexts, Session::Report report, Session::From from = Session::From::reader);

class Recorder
{
public:
	Recorder(KernelTrace &trace, Session &session) : trace_(trace), session_(session) {}

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
	void take(uint64_t read_at);
	KernelTrace &trace_;
	Session &session_;
	std::vector<uint8_t> buffer_;
	bool at_end_ = false;
};

// The line that ends a recording.
std::string summary(const Totals &totals, const std::string &directory);

// Damaged goes before lost.
Exit exit_code(const Totals &totals);

// A summary with losses reads much like one without.
void advise_on_losses(const Totals &totals);

// What a session reports goes here: twenty lines at most, since the summary counts them all.
Session::Report reporter(class Progress &progress);

// Events, MB and losses so far, on a terminal only, once in half a second.
class Progress
{
public:
	Progress();
	void show(const Totals &totals);
	void clear();

private:
	bool terminal_;
	double last_ = 0;
	uint64_t last_events_ = 0;
	bool shown_ = false;
};

} // namespace ltt

#endif
