// SPDX-License-Identifier: MIT
// The traces of a session directory, and their files.
#ifndef LTT_CTL_READER_TRACE_H
#define LTT_CTL_READER_TRACE_H

#include <memory>
#include <string>
#include <vector>

#include "events.h"

namespace ltt::reader
{

// Where a session keeps what failed a check: no traces.
constexpr const char bad_name[] = "bad";

struct StreamName {
	std::string path;
	uint64_t instance;
};

struct TraceFiles {
	std::string directory;
	std::string program; // the last part of it
	std::vector<StreamName> streams;
	std::vector<std::string> strays; // that readers would take for streams

	std::string manifest() const;
	std::string metadata() const;
};

struct SessionFiles {
	std::vector<TraceFiles> traces;
	std::vector<std::string>
		leftovers;		// half-written files of recordings that were interrupted
	std::vector<std::string> empty; // directories below with nothing in them
};

// All that is in @directory and below. Throws Error if it cannot be read.
SessionFiles find_files(const std::string &directory);

// Throws BadData if there is no sound one; @damage as in parse_manifest().
ctf::Manifest read_manifest(const TraceFiles &trace, std::string &damage);

} // namespace ltt::reader

#endif
