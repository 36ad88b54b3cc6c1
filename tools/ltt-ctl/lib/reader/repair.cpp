// SPDX-License-Identifier: MIT
#include "repair.h"

#include <cstring>
#include <filesystem>

#include <unistd.h>

#include "../checksum.h"
#include "../error.h"
#include "../file.h"
#include "packets.h"

namespace ltt::reader
{

namespace fs = std::filesystem;

namespace
{

// A stream file once more, of its sound packets.
class Rewrite
{
public:
	Rewrite(const std::string &path, ctf::Domain domain, uint64_t instance)
		: path_(path), header_size_(ctf::header_size(domain)),
		  temporary_((fs::path(path).parent_path() /
			      ("." + fs::path(path).filename().string() + ".new"))
				     .string())
	{
		written_.instance = instance;
	}
	~Rewrite() { unlink(temporary_.c_str()); }

	void add(Packets &packets);
	// @expected: what the recording wrote, null if that is not known. Without a sound packet
	// nothing is written.
	void end(const ctf::StreamEnd *expected);

	const ctf::StreamEnd &written() const { return written_; }
	uint64_t lost() const { return lost_; }

private:
	void put(ctf::PacketHeader header, std::vector<uint8_t> &packet, uint64_t events);
	void put_empty(uint64_t ns, uint64_t sequence, uint64_t discarded);

	std::string path_;
	size_t header_size_;
	std::string temporary_;
	ctf::StreamEnd before_;	   // of the file as it was
	ctf::StreamEnd written_;   // of the new one
	ctf::PacketHeader last_{}; // of the last packet
	std::vector<uint8_t> bytes_;
	uint64_t lost_ = 0; // events in what is left out
};

void Rewrite::put(ctf::PacketHeader header, std::vector<uint8_t> &packet, uint64_t events)
{
	ctf::PacketTrailer trailer{};
	const size_t summed = packet.size() - sizeof(trailer.checksum);

	std::memcpy(packet.data(), &header, header_size_);
	trailer.events = written_.events + events;
	uint8_t *const end = packet.data() + packet.size() - sizeof(trailer);
	std::memcpy(end, &trailer, sizeof(trailer));
	trailer.checksum = checksum(packet.data(), summed);
	std::memcpy(end, &trailer, sizeof(trailer));
	append_file(temporary_, written_.size, packet.data(), packet.size());

	written_.size += packet.size();
	written_.sequence = header.sequence + 1;
	written_.events = trailer.events;
	written_.discarded = header.discarded;
	last_ = header;
}

void Rewrite::put_empty(uint64_t ns, uint64_t sequence, uint64_t discarded)
{
	ctf::PacketHeader h = last_;
	h.begin = h.end = ns;
	h.content_size = header_size_ * 8;
	h.packet_size = (header_size_ + sizeof(ctf::PacketTrailer)) * 8;
	h.sequence = sequence;
	h.discarded = discarded;
	bytes_.assign(h.packet_size / 8, 0);
	put(h, bytes_, 0);
}

void Rewrite::add(Packets &packets)
{
	ctf::PacketHeader h = packets.header();

	lost_ += packets.trailer().events - packets.events() - before_.events;
	h.discarded += lost_;
	if (!written_.size && (h.sequence || lost_)) {
		// Readers know how many are missing only from the difference to an earlier one.
		last_ = h;
		put_empty(h.begin, 0, 0);
	}
	put(h, packets.bytes(), packets.events());
	before_ = packets.end();
}

void Rewrite::end(const ctf::StreamEnd *expected)
{
	if (expected && expected->events > before_.events)
		lost_ += expected->events - before_.events;
	if (!written_.size)
		return;
	if (expected && expected->sequence > before_.sequence)
		put_empty(last_.end, expected->sequence, expected->discarded + lost_);
	rename_file(temporary_, path_);
}

class Repair
{
public:
	explicit Repair(const Checked &checked) : checked_(checked) {}
	Repaired run();

private:
	void repair_trace(const CheckedTrace &trace);
	void remove_empty_directories();
	ctf::StreamEnd repair_stream(
		const CheckedTrace &trace, const TraceTypes &types, const CheckedStream &stream);
	// Where in DIR/bad something of this trace goes.
	std::string place(const std::string &what);
	void keep(const std::string &what, const std::string &bytes);
	void move(const std::string &path, const std::string &what);

	const Checked &checked_;
	Repaired done_;
};

std::string Repair::place(const std::string &what)
{
	const std::string directory = checked_.directory + "/" + bad_name;
	make_directories(directory);
	std::string path = directory + "/" + what;
	for (int n = 2; fs::exists(fs::symlink_status(path)); ++n)
		path = directory + "/" + what + "-" + std::to_string(n);
	done_.set_aside.push_back(path);
	return path;
}

void Repair::keep(const std::string &what, const std::string &bytes)
{
	const std::string path = place(what);
	replace_file(path, bytes.data(), bytes.size());
}

void Repair::move(const std::string &path, const std::string &what)
{
	rename_file(path, place(what));
}

// Returns what is there of it now; size 0 if nothing is.
ctf::StreamEnd Repair::repair_stream(
	const CheckedTrace &trace, const TraceTypes &types, const CheckedStream &stream)
{
	const std::string &path = stream.name.path;
	const std::string what = trace.files.program + "-" + fs::path(path).filename().string();
	Rewrite rewrite(path, trace.manifest.domain, stream.name.instance);
	Stream file(path, trace.manifest, stream.name.instance, [](const Fault &) {});
	Packets packets(file, types);
	const bool is_extra = stream.known && !stream.expected.size;

	while (!is_extra && packets.next())
		rewrite.add(packets);
	if (!rewrite.written().size) { // none of it is sound
		move(path, what);
		rewrite.end(stream.known ? &stream.expected : nullptr);
		done_.lost += rewrite.lost();
		return {};
	}
	for (const Fault &fault : stream.faults) {
		std::string bytes(fault.size, '\0');
		bytes.resize(read_file_at(path, fault.byte, bytes.data(), bytes.size()));
		if (!bytes.empty())
			keep(what + "-" + std::to_string(fault.byte), bytes);
	}
	rewrite.end(stream.known ? &stream.expected : nullptr);
	done_.lost += rewrite.lost();
	return rewrite.written();
}

void Repair::repair_trace(const CheckedTrace &trace)
{
	const std::string &program = trace.files.program;

	if (!trace.has_manifest) {
		done_.not_repaired.push_back(
			trace.files.manifest() + ": without it this trace cannot be repaired");
		return;
	}
	for (const std::string &path : trace.files.strays)
		move(path, program + "-" + fs::path(path).filename().string());
	const TraceTypes types(trace.manifest);
	ctf::Manifest m = trace.manifest;
	bool changed = trace.manifest_is_bad;
	m.streams.clear();
	for (const CheckedStream &s : trace.streams) {
		const bool bad = !s.faults.empty() || s.end_is_bad;
		const ctf::StreamEnd end = bad ? repair_stream(trace, types, s) : s.end;
		if (end.size)
			m.streams.push_back(end);
		changed |= bad;
	}
	for (const ctf::StreamEnd &end : trace.missing) {
		done_.lost += end.events;
		changed = true;
	}
	if (trace.metadata_is_bad) {
		if (fs::exists(trace.files.metadata()))
			keep(program + "-metadata", read_file(trace.files.metadata()));
		const std::string text = ctf::render_metadata(m);
		replace_file(trace.files.metadata(), text.data(), text.size());
	}
	if (changed) {
		if (trace.manifest_is_bad)
			keep(program + "-manifest", read_file(trace.files.manifest()));
		m.finished = true;
		const std::string bytes = ctf::write_manifest(m);
		replace_file(trace.files.manifest(), bytes.data(), bytes.size());
	}
}

// One may be the only one in another.
void Repair::remove_empty_directories()
{
	for (;;) {
		const std::vector<std::string> empty = find_files(checked_.directory).empty;
		if (empty.empty())
			return;
		for (const std::string &path : empty)
			fs::remove(path);
	}
}

Repaired Repair::run()
{
	for (const std::string &path : checked_.files.leftovers)
		move(path, fs::path(path).filename().string());
	for (const CheckedTrace &trace : checked_.traces)
		repair_trace(trace);
	remove_empty_directories();
	return std::move(done_);
}

} // namespace

Repaired repair_session(const Checked &checked)
{
	return Repair(checked).run();
}

} // namespace ltt::reader
