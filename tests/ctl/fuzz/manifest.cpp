// SPDX-License-Identifier: MIT
// Manifests as anyone could put them beside a trace. Of what is accepted the metadata must be
// rendered, and it must be read again as it is written.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "lib/checksum.h"
#include "lib/error.h"
#include "lib/reader/events.h"

namespace
{

// A copy whose size and checksum are right, so that what is in it is reached.
std::string with_checksum(std::string copy)
{
	constexpr size_t size_at = 8;
	uint64_t sum, size = copy.size();
	if (size < size_at + sizeof(size) + sizeof(sum))
		return copy;
	std::memcpy(&copy[size_at], &size, sizeof(size));
	sum = ltt::checksum(copy.data(), copy.size() - sizeof(sum));
	std::memcpy(&copy[copy.size() - sizeof(sum)], &sum, sizeof(sum));
	return copy;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try {
		std::string file(reinterpret_cast<const char *>(data), size), damage;
		if (size && data[size - 1] & 1)
			file = with_checksum(file.substr(0, size - 1));
		const ltt::ctf::Manifest m = ltt::ctf::parse_manifest(file, damage);
		ltt::ctf::render_metadata(m);
		ltt::reader::TraceTypes types(m);
		const std::string again = ltt::ctf::write_manifest(m);
		if (ltt::ctf::write_manifest(ltt::ctf::parse_manifest(again, damage)) != again ||
			!damage.empty())
			std::abort();
	} catch (const ltt::BadData &) {
	}
	return 0;
}
