// SPDX-License-Identifier: MIT
// Stream files of any bytes: each is passed over, or a packet whose events can be printed. No
// byte is counted twice, and none is forgotten.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "lib/checksum.h"
#include "lib/error.h"
#include "lib/reader/packets.h"
#include "lib/reader/printer.h"
#include "support/build.h"

namespace
{

ltt::ctf::Manifest manifest()
{
	Bytes d = definition(0, "p", "none", {});
	append(d, definition(0, "p", "all",
			  {{around(UST_TYPE_BASE_16, UST_TYPE_I16), "h"}, {UST_TYPE_DOUBLE, "d"},
				  {sequence_of(UST_TYPE_CHAR), "t"},
				  {sequence_of(UST_TYPE_STRING), "s"},
				  {around(UST_TYPE_OPTIONAL, sequence_of(UST_TYPE_U16)), "o"},
				  {array_of(2,
					   struct_of({{UST_TYPE_U8, "x"}, {UST_TYPE_STRING, "y"}})),
					  "a"},
				  {enum_of<uint8_t>(UST_TYPE_U8, {{1, 9, "one"}}), "e"}}));
	ltt::ctf::Manifest m;
	m.environment.contexts = ltt::reader_contexts;
	m.context = ltt::ctf::EventContext(m.environment.contexts).fields();
	m.events = ltt::parse_definitions(d.data(), d.size()).events;
	return m;
}

// A packet around the bytes, so that the events are reached.
Bytes packet_around(const uint8_t *data, size_t size)
{
	ltt::ctf::PacketHeader h{};
	h.magic = ltt::ctf::packet_magic;
	h.end = uint64_t{1} << 40;
	h.content_size = (sizeof(h) + size) * 8;
	h.packet_size = h.content_size + sizeof(ltt::ctf::PacketTrailer) * 8;
	h.sequence = size;
	Bytes out;
	put(out, h);
	out.insert(out.end(), data, data + size);
	put(out, uint64_t{UINT32_MAX});
	put(out, ltt::checksum(out.data(), out.size()));
	return out;
}

// A file that is only in memory.
class MemoryFile
{
public:
	MemoryFile() : fd_(memfd_create("stream", MFD_CLOEXEC)) {}
	void set(const Bytes &bytes) const
	{
		if (ftruncate(fd_, 0) != 0 || pwrite(fd_, bytes.data(), bytes.size(), 0) !=
						      static_cast<ssize_t>(bytes.size()))
			std::abort();
	}
	std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

private:
	int fd_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const ltt::reader::TraceTypes types(manifest());
	static const MemoryFile file;
	static const std::string program = "program";
	static const auto text = ltt::reader::text_printer(false);
	static const auto json = ltt::reader::json_printer();

	Bytes bytes(data, data + size);
	if (size && data[0] & 1) {
		bytes = packet_around(data + 1, size - 1);
		if (data[0] & 2) // and once more, with rubbish between them
			append(bytes, Bytes(data, data + size));
		append(bytes, packet_around(data + 1, size - 1));
	}
	file.set(bytes);

	uint64_t bad = 0, good = 0;
	ltt::reader::Stream stream(
		file.path(), {}, 0, [&](const ltt::reader::Fault &fault) { bad += fault.size; });
	ltt::reader::Packets packets(stream, types);
	while (packets.next()) {
		good += packets.bytes().size();
		const ltt::reader::Origin origin = {&program, &types, &packets.header()};
		ltt::reader::EventCursor cursor(
			types, {packets.bytes().data(), packets.bytes().size()});
		ltt::reader::Event event;
		std::string out;
		while (cursor.next(event)) {
			text->event(out, origin, event);
			json->event(out, origin, event);
		}
	}
	if (good + bad != bytes.size())
		std::abort();
	return 0;
}
