// SPDX-License-Identifier: MIT
// Event definitions as a hostile program could register them. What is accepted must give
// metadata that can be written.
#include <cstddef>
#include <cstdint>

#include "lib/ctf/metadata.h"
#include "lib/definitions.h"
#include "lib/error.h"
#include "lib/packet.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try {
		const ltt::Definitions definitions = ltt::parse_definitions(data, size);
		ltt::EventTable table;
		table.add(definitions);
		ltt::ctf::EventContext context(LTT_CONTEXTS_KNOWN);
		for (const ltt::Definition &d : definitions.contexts)
			context.add(d);
		ltt::ctf::render_metadata(
			{{}, {}, ltt::ctf::Domain::user, context.fields(), definitions.events});
	} catch (const ltt::BadData &) {
	}
	return 0;
}
