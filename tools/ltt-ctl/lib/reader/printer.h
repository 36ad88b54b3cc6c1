// SPDX-License-Identifier: MIT
// Events and losses as lines: for people as babeltrace2 has them, or for scripts.
#ifndef LTT_CTL_READER_PRINTER_H
#define LTT_CTL_READER_PRINTER_H

#include <memory>
#include <string>

#include "events.h"

namespace ltt::reader
{

// Whose events, and of which program.
struct Origin {
	const std::string *program; // as its directory is called
	const TraceTypes *types;
	const ctf::PacketHeader *header;
};

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
