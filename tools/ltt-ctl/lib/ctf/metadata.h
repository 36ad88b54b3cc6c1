// SPDX-License-Identifier: MIT
// The metadata file of a CTF 1.8 trace, in TSDL.
#ifndef LTT_CTL_CTF_METADATA_H
#define LTT_CTL_CTF_METADATA_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "../definitions.h"
#include "event_context.h"

namespace ltt::ctf
{

using Uuid = std::array<uint8_t, 16>;

std::string to_string(const Uuid &uuid);
Uuid random_uuid();
// What it is made of: in a machine that was cloned the kernel's next random bytes are those of
// its twin, but it is later there, or earlier.
Uuid uuid_of(const Uuid &random, uint64_t now);
// Throws BadData if @text is none.
Uuid parse_uuid(const std::string &text);

// Whose events a trace has: those of a program's threads, or of the processors.
enum class Domain : uint8_t {
	user,
	kernel
};

// What all traces of one recording have in common.
struct Environment {
	std::string hostname;
	Uuid boot_id{};		  // names the clock: traces with the same one can be merged
	int64_t epoch_offset = 0; // nanoseconds from 1970 to the clock's zero
	std::string trace_name;	  // as ltt-ctl list shows it
	uint32_t contexts = 0;	  // LTT_CONTEXT_...: with each event of a program
	// As uname(2) has them; "" if they are not known.
	std::string kernel_release, kernel_version;

	// What the events of a trace of this domain have.
	uint32_t contexts_of(Domain domain) const
	{
		return domain == Domain::kernel ? 0 : contexts;
	}
};

constexpr uint32_t packet_magic = 0xc1fc1fc1;
constexpr uint32_t max_compact_id = 30; // 31 announces the extended header
constexpr unsigned compact_time_bits = 27;

// What the metadata of a trace is made of.
struct Description {
	Environment environment;
	Uuid uuid{};
	Domain domain = Domain::user;
	std::vector<Field> context;	// before the fields of each event
	std::vector<Definition> events; // by number on disk
};

std::string render_metadata(const Description &trace);

} // namespace ltt::ctf

#endif
