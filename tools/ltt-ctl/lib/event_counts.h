// SPDX-License-Identifier: MIT
// How many events of each kind a trace holds of some process.
#ifndef LTT_CTL_EVENT_COUNTS_H
#define LTT_CTL_EVENT_COUNTS_H

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "kernel.h"

namespace ltt
{

struct EventCounts {
	std::map<std::string, uint64_t> events; // by the name that readers show
	uint64_t lost = 0;			// of all kinds
	uint64_t bad_packets = 0;		// whose events are not counted

	uint64_t of(const std::string &name) const;
};

// Reads the snapshot to its end; of the packets that @meant says. Nothing is taken away.
EventCounts count_events(
	KernelTrace &snapshot, const std::function<bool(const ltt_packet &)> &meant);

} // namespace ltt

#endif
