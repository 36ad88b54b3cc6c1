// SPDX-License-Identifier: MIT
// The buffers of a trace in an image of memory, as the packets that read() would have given.
#ifndef LTT_CTL_DUMP_BUFFERS_H
#define LTT_CTL_DUMP_BUFFERS_H

#include "../session.h"
#include "traces.h"

namespace ltt::dump
{

// Hands all that the trace holds to @session. Whatever cannot be read is reported, and the
// rest goes on. Returns the number of such reports.
unsigned read_buffers(
	const Image &image, const Trace &trace, Session &session, const Report &report);

} // namespace ltt::dump

#endif
