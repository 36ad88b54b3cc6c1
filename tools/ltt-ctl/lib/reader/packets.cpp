// SPDX-License-Identifier: MIT
#include "packets.h"

#include "../error.h"

namespace ltt::reader
{

// What a right checksum does not show. Throws BadData.
void Packets::check()
{
	const ctf::PacketHeader &h = header();
	EventCursor cursor(types_, {bytes_.data(), bytes_.size()});
	Event event;

	if (end_.size && h.sequence < end_.sequence)
		throw BadData("comes again, or too late");
	if (h.begin < ns_)
		throw BadData("begins before the one before it ends");
	events_ = 0;
	while (cursor.next(event))
		++events_;
	if (h.discarded < end_.discarded || trailer().events < end_.events + events_)
		throw BadData("its counts go back");
}

bool Packets::next()
{
	while (stream_.next()) {
		if (!stream_.load(bytes_))
			continue;
		try {
			check();
		} catch (const BadData &e) {
			stream_.refuse(e.what());
			continue;
		}
		ns_ = header().end;
		end_.size = stream_.offset() + bytes_.size();
		end_.sequence = header().sequence + 1;
		end_.events = trailer().events;
		end_.discarded = header().discarded;
		return true;
	}
	return false;
}

} // namespace ltt::reader
