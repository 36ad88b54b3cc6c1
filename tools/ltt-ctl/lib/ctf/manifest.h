// SPDX-License-Identifier: MIT
// The file .manifest of a trace: what ltt-ctl wrote there, for itself to read. From it the
// metadata can be rendered again, and the sizes of the streams are known. Readers of CTF skip
// files whose name begins with a dot.
//
//	copy, copy	both the same, so that one may be damaged
//
// A copy, little-endian:
//
//	"LTTM"   4 bytes: version   8 bytes: size of the copy
//	uuid of the trace   boot id   8 bytes: epoch offset   1 byte: finished   1 byte: domain
//	4 bytes: contexts   hostname "\0"   trace name "\0"   kernel release "\0"
//	kernel version "\0"
//	2 bytes: n; n fields of the context of events, as in ust/definition.h
//	4 bytes: n; n streams: the five numbers of struct StreamEnd, 8 bytes each
//	8 bytes: size; that many bytes of definitions, as in ust/definition.h, by number on disk
//	8 bytes: checksum of all before
#ifndef LTT_CTL_CTF_MANIFEST_H
#define LTT_CTL_CTF_MANIFEST_H

#include <cstdint>
#include <string>
#include <vector>

#include "metadata.h"

namespace ltt::ctf
{

constexpr const char manifest_name[] = ".manifest";

// What a stream file has, once nothing is added any more.
struct StreamEnd {
	uint64_t instance = 0;
	uint64_t size = 0;
	uint64_t sequence = 0; // that the next packet would have
	uint64_t events = 0;
	uint64_t discarded = 0;
};

struct Manifest : Description {
	// The recording came to its end, and these are its streams.
	bool finished = false;
	std::vector<StreamEnd> streams;
};

// What the file holds: both copies.
std::string write_manifest(const Manifest &manifest);

// Takes the first copy that is sound, and puts into @damage what is wrong with the file, ""
// if nothing is. Throws BadData if no copy is sound.
Manifest parse_manifest(const std::string &file, std::string &damage);

// Takes back what the file says of the ends of streams, which are about to be cut. Leaves one that
// is damaged; there need not be one.
void mark_unfinished(const std::string &path);

} // namespace ltt::ctf

#endif
