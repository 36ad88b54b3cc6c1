// SPDX-License-Identifier: MIT
#include "trace.h"

#include <algorithm>

#include "../file.h"
#include "packet_header.h"

namespace ltt::ctf
{

Trace::Trace(std::string directory, const Environment &environment, const Uuid &uuid, Domain domain)
	: directory_(std::move(directory)), context_(environment.contexts_of(domain))
{
	manifest_.environment = environment;
	manifest_.uuid = uuid;
	manifest_.domain = domain;
}

uint32_t Trace::number(const Definition &definition)
{
	if (definition.is_context)
		return context_.add(definition);
	auto [it, is_new] = numbers_.emplace(
		definition.identity(), static_cast<uint32_t>(manifest_.events.size()));
	if (is_new)
		manifest_.events.push_back(definition);
	return it->second;
}

StreamFile *Trace::acquire(uint64_t begin)
{
	// Of the files that end early enough the one that ends last: the others stay good for
	// packets that are read late.
	auto best = free_.end();
	for (auto it = free_.begin(); it != free_.end(); ++it)
		if ((*it)->end <= begin && (best == free_.end() || (*it)->end > (*best)->end))
			best = it;
	if (best != free_.end()) {
		StreamFile *file = *best;
		free_.erase(best);
		return file;
	}

	auto file = std::make_unique<StreamFile>();
	file->instance = files_.size();
	file->path = directory_ + "/stream_" + std::to_string(file->instance);
	files_.push_back(std::move(file));
	return files_.back().get();
}

void Trace::write_metadata()
{
	if (events_on_disk_ == manifest_.events.size())
		return;
	make_directories(directory_);
	// It must know all events that the metadata has, at any time.
	write_manifest_file(false);
	const std::string text = render_metadata(manifest_);
	replace_file(directory_ + "/metadata", text.data(), text.size());
	events_on_disk_ = manifest_.events.size();
}

void Trace::write_manifest_file(bool finished)
{
	manifest_.context = context_.fields();
	manifest_.finished = finished;
	manifest_.streams.clear();
	if (finished)
		for (const auto &file : files_)
			manifest_.streams.push_back({file->instance, file->size, file->sequence,
				file->events, file->discarded});
	const std::string bytes = write_manifest(manifest_);
	replace_file(directory_ + "/" + manifest_name, bytes.data(), bytes.size());
}

void Trace::finish()
{
	if (events_on_disk_ == SIZE_MAX)
		return; // nor is there anything else
	write_metadata();
	write_manifest_file(true);
}

Place Trace::place(StreamFile &file, const Clock &clock, const PacketOut &packet)
{
	// Readers know how many were lost only from the difference to an earlier packet.
	const bool from_zero = file.size == 0 && packet.discarded;
	Place place;
	PacketInfo &info = place.info;

	info.uuid = manifest_.uuid;
	info.domain = manifest_.domain;
	info.instance = file.instance;
	if (packet.events.count) {
		info.begin = packet.events.first;
		info.end = packet.events.last;
	} else {
		// Tells of losses only. Events of the thread's next packet may be older than the
		// end of this one, so that it takes no time at all.
		info.begin = std::max(file.end, clock.to_ns(packet.header.begin));
		info.end = info.begin;
	}
	info.sequence = file.sequence + packet.gap + from_zero;
	info.discarded = file.discarded + packet.discarded;
	info.events = file.events + packet.events.count;
	info.origin = packet.header;
	place.size = packet.events.size + empty_packet_size(info.domain);
	if (from_zero) {
		PacketInfo zero = info;
		zero.end = zero.begin;
		zero.sequence = file.sequence;
		zero.discarded = file.discarded;
		zero.events = file.events;
		place.zero = zero;
		place.size += empty_packet_size(info.domain);
	}

	// First what the events mean, then the events.
	write_metadata();
	place.file = &file;
	place.offset = file.size;
	file.size += place.size;
	file.end = info.end;
	file.sequence = info.sequence + 1;
	file.events = info.events;
	file.discarded = info.discarded;
	return place;
}

void Place::put_headers(PacketWriter &writer) const
{
	writer.put_header(info);
	if (zero)
		writer.put_header(*zero);
}

void Place::write(const PacketWriter &writer) const
{
	if (offset)
		append_file(file->path, offset, writer.data(), writer.size());
	else
		replace_file(file->path, writer.data(), writer.size());
}

} // namespace ltt::ctf
