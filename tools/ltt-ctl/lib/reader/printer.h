// SPDX-License-Identifier: MIT
// Events and losses as lines: for people as babeltrace2 has them, or for scripts.
#ifndef LTT_CTL_READER_PRINTER_H
#define LTT_CTL_READER_PRINTER_H

#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "events.h"

namespace ltt::reader
{

// Whose events, and of which program.
struct Origin {
	const std::string *program; // as its directory is called
	const TraceTypes *types;
	const ctf::PacketHeader *header;
};

// What a packet says in numbers of whose events it has: @f gets the name and the number of each.
template <class F>
void each_number(const Origin &origin, F &&f)
{
	const ctf::PacketHeader &h = *origin.header;

	if (origin.types->domain() == ctf::Domain::kernel) {
		f("cpu_id", int64_t{h.cpu});
		return;
	}
	f("vpid", int64_t{h.thread.vpid});
	f("vtid", int64_t{h.thread.vtid});
	f("pid", int64_t{h.thread.pid});
	f("tid", int64_t{h.thread.tid});
	f("vuid", int64_t{h.thread.vuid});
	f("vgid", int64_t{h.thread.vgid});
}

// And as text, of a thread: its name.
inline std::string_view procname_of(const Origin &origin)
{
	const char *name = origin.header->thread.procname;
	return {name, strnlen(name, sizeof(origin.header->thread.procname))};
}

// Between two packets of a stream.
struct Loss {
	uint64_t from = 0; // ns of the trace's clock
	uint64_t to = 0;
	uint64_t events = 0;
	uint64_t packets = 0; // with events that nobody counted
};

class Printer
{
public:
	virtual ~Printer() = default;

	// Both append a line to @out.
	virtual void event(std::string &out, const Origin &origin, const Event &event) = 0;
	virtual void loss(std::string &out, const Origin &origin, const Loss &loss) = 0;
};

std::unique_ptr<Printer> text_printer(bool colour);
std::unique_ptr<Printer> json_printer();

} // namespace ltt::reader

#endif
