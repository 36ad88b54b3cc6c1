// SPDX-License-Identifier: MIT
// What record does once its options are read.
#ifndef LTT_CTL_RECORDING_H
#define LTT_CTL_RECORDING_H

#include <functional>
#include <string>
#include <vector>

#include "kernel.h"
#include "workers.h"

namespace ltt
{

struct RecordOptions {
	std::vector<std::string> names; // of traces
	std::string directory;
	bool until_stopped = false;
	bool drain = false;	     // take what is there, do not wait for more
	bool resume = false;	     // goes on with a recording that may be in the directory
	uint32_t contexts = 0;	     // of reader_contexts, besides those of the trace
	uint64_t rotate_size = 0;    // bytes of a chunk, roughly; 0: any
	uint32_t rotate_seconds = 0; // of a chunk; 0: any
	uint32_t keep = 0;	     // chunks; 0: all
	std::string pid_file;	     // "": none
	unsigned workers = useful_processors(); // threads, at most
	std::function<void()> ready; // called when nothing can fail any more but the recording
};

// Records until the traces are destroyed, a signal asks for the end, or as the options say. Prints
// a summary of each on stdout, advice on stderr, and returns the exit status. Several traces have
// a directory each, called as they are, below that of the recording.
int record_traces(Kernel &kernel, const RecordOptions &options);

} // namespace ltt

#endif
