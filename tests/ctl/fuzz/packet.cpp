// SPDX-License-Identifier: MIT
// Packets whose events are anything at all. What passes the checks must be encoded.
#include <cstddef>
#include <cstdint>

#include "lib/ctf/encode.h"
#include "lib/error.h"
#include "support/build.h"

namespace
{

ltt::EventTable make_table()
{
	Bytes d = definition(1, "p", "none", {});
	append(d, definition(2, "p", "number", {{UST_TYPE_U32, "n"}}));
	append(d, definition(3, "p", "text",
			  {{UST_TYPE_STRING, "s"}, {UST_TYPE_U16, "n"}, {UST_TYPE_STRING, "t"}}));
	append(d, definition(4, "p", "many",
			  {{sequence_of(UST_TYPE_STRING), "s"},
				  {around(UST_TYPE_OPTIONAL, sequence_of(UST_TYPE_U16)), "o"},
				  {array_of(2,
					   struct_of({{UST_TYPE_U8, "x"}, {UST_TYPE_STRING, "y"}})),
					  "a"},
				  {enum_of<uint8_t>(UST_TYPE_U8, {{1, 1, "one"}}), "e"}}));
	append(d, definition(5, "p", "numbers", {{sequence_of(UST_TYPE_U64), "n"}}));
	append(d, context_definition(6, "p", "context", UST_TYPE_U32));
	ltt::EventTable table;
	table.add(ltt::parse_definitions(d.data(), d.size()));
	return table;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const ltt::EventTable table = make_table();
	try {
		const uint32_t contexts = size && data[0] & 2 ? LTT_CONTEXTS_KNOWN : 0;
		ltt::ctf::EventContext context(contexts);
		context.add(table.find(6)->definition);
		// Half of the inputs have a right header, so that the events are reached.
		Bytes bytes;
		if (size && data[0] & 1) {
			ltt_packet h = packet_header();
			h.end = uint64_t{1} << 47;
			bytes = packet(h, Bytes(data + 1, data + size));
		} else {
			bytes.assign(data, data + size);
		}
		ltt::Packet p = ltt::first_packet(bytes.data(), bytes.size());
		ltt::ctf::PacketWriter out;
		out.put_events(p, table, contexts, 0, ltt::Clock(), &context);
		ltt::ctf::PacketInfo info;
		info.origin = p.header;
		out.put_header(info);
	} catch (const ltt::BadData &) {
	}
	return 0;
}
