// SPDX-License-Identifier: MIT
// What snapshot and run do once their options are read.
#ifndef LTT_CTL_RUNNER_H
#define LTT_CTL_RUNNER_H

#include <string>
#include <vector>

#include "kernel.h"

namespace ltt
{

struct SnapshotOptions {
	std::string name;
	std::string directory;
	uint32_t contexts = 0; // the same
};

// Writes what the trace holds now, and takes nothing away. Prints the summary on stdout.
// Events that are not there any more do not change the exit status: it is fine or damaged.
int take_snapshot(Kernel &kernel, const SnapshotOptions &options);

struct RunOptions {
	TraceParams trace;
	std::string directory;
	std::vector<std::string> command;
};

// Runs the command with a trace of its own, which is gone afterwards. Prints the summary on
// stderr, since stdout is the command's, and returns the command's exit status; if that is 0,
// what record_traces() would.
int run_traced(Kernel &kernel, const RunOptions &options);

} // namespace ltt

#endif
