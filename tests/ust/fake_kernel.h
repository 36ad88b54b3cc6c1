// SPDX-License-Identifier: MIT
//
// A kernel in the test program: behaves as ltt.h (the ABI header) says, in the
// memory of the process, so that the marker's side can be tried anywhere.
#pragma once

#include <ust/ltt.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fake
{

struct trace_options {
	std::uint32_t filter = ~0u;
	std::uint32_t subbuf_size = 4096;
	std::uint32_t n_subbufs = 4;
	bool active = true;
	std::uint32_t clock = LTT_CLOCK_TSC;
	std::uint32_t mode = LTT_MODE_DISCARD; // or LTT_MODE_OVERWRITE
	std::uint32_t contexts = 0;
};

// The slot of the new trace. Registered gates learn of it at once.
unsigned create(const trace_options &options = {});
void start(unsigned trace);
void stop(unsigned trace);
void set_filter(unsigned trace, std::uint32_t filter);
void set_rules(unsigned trace, const std::string &rules);
void destroy(unsigned trace);
// The machine of the calling thread sleeps, and its counter begins anew, with so many
// ticks less.
void sleep(unsigned trace, std::uint64_t ticks);
// Destroys all traces and forgets all that was counted, but the registrations.
void reset();

// With it, each change sends the notification signal to the threads known.
void send_signals(bool on);

// What a reader gets of a trace: the committed bytes of sub-buffers that are
// closed, or of all after a stop or with flush.
struct packet {
	int tid;
	std::uint64_t begin, end;
	std::uint64_t events, lost, too_big; // of the stream, so far
	std::vector<char> bytes;
};
std::vector<packet> read(unsigned trace, bool flush = true);

// The control page of the calling thread's buffer of a trace; null if none.
ltt_control *control(unsigned trace);
ltt_trace_page *page(unsigned trace);

struct registration {
	ltt_registration argument;
	std::string definitions;
};
std::vector<registration> registrations();

// How often the calls were made since reset().
struct calls {
	unsigned update, change, enroll;
};
calls count();

// The next calls with this number fail with this errno; 0 ends it.
void fail(long number, int error);

// While true, update finds no new buffer, as for a child of vfork().
void withhold(bool on);

} // namespace fake
