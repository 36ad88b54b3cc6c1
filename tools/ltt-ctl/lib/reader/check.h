// SPDX-License-Identifier: MIT
// Whether a session directory is as it was written.
#ifndef LTT_CTL_READER_CHECK_H
#define LTT_CTL_READER_CHECK_H

#include <string>
#include <vector>

#include "stream.h"
#include "trace.h"

namespace ltt::reader
{

struct CheckedStream {
	StreamName name;
	ctf::StreamEnd end;	   // as its packets say
	std::vector<Fault> faults; // of the bytes of the file
	// What the manifest says, if the recording came to its end.
	bool known = false;
	ctf::StreamEnd expected; // size 0 if it says nothing of this file
	bool end_is_bad = false; // more or less than that
};

struct CheckedTrace {
	TraceFiles files;
	// False if no copy of the manifest is sound: then neither are metadata and streams known.
	bool has_manifest = false;
	ctf::Manifest manifest;
	bool manifest_is_bad = false;
	bool metadata_is_bad = false;
	std::vector<CheckedStream> streams;
	std::vector<ctf::StreamEnd> missing; // that the manifest knows, and no file has
};

struct Checked {
	std::string directory;
	SessionFiles files;
	std::vector<CheckedTrace> traces;
	std::vector<Fault> faults; // all of them
	uint64_t packets = 0, events = 0, bytes = 0;
	size_t unfinished = 0; // traces whose recording did not come to its end
	size_t set_aside = 0;  // files in DIR/bad
};

Checked check_session(const std::string &directory);

} // namespace ltt::reader

#endif
