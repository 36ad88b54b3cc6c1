// SPDX-License-Identifier: MIT
#include "manifest.h"

#include <algorithm>
#include <cstring>

#include <unistd.h>

#include <ust/definition.h>

#include "../checksum.h"
#include "../error.h"
#include "../file.h"
#include "../type_parser.h"
#include "../type_writer.h"

namespace ltt::ctf
{

namespace
{

constexpr uint32_t magic = 0x4d54544c; // "LTTM"
// Changes with whatever changes in the metadata or the streams for the same definitions.
constexpr uint32_t version = 2;
constexpr size_t size_at = 8; // of the size of the copy
constexpr size_t least_size = size_at + 8 + 2 * 16 + 8 + 1 + 1 + 4 + 4 + 2 + 4 + 8 + 8;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file is little-endian");

template <class T>
void put(std::string &out, const T &value)
{
	out.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

void put_text(std::string &out, const std::string &text)
{
	out.append(text.c_str()); // what is behind a NUL is none of it
	out += '\0';
}

void put_definition(std::string &out, const Definition &d)
{
	std::string strings;
	put_text(strings, d.provider);
	put_text(strings, d.name);
	strings += d.layout;
	strings.resize((strings.size() + 7) / 8 * 8);

	ust_definition head{};
	head.magic = UST_DEFINITION_MAGIC;
	head.size = static_cast<uint32_t>(sizeof(head) + strings.size());
	head.filter = d.filter;
	head.level = d.level;
	head.n_fields = static_cast<uint8_t>(d.fields.size());
	static_assert(sizeof(head) % 8 == 0, "records are aligned to 8 bytes");
	out.append(reinterpret_cast<const char *>(&head), sizeof(head));
	out += strings;
}

std::string write_copy(const Manifest &m)
{
	std::string definitions, out;

	for (const Definition &d : m.events)
		put_definition(definitions, d);
	put(out, magic);
	put(out, version);
	put(out, uint64_t{0});
	put(out, m.uuid);
	put(out, m.environment.boot_id);
	put(out, m.environment.epoch_offset);
	put(out, static_cast<uint8_t>(m.finished));
	put(out, m.domain);
	put(out, m.environment.contexts);
	put_text(out, m.environment.hostname);
	put_text(out, m.environment.trace_name);
	put_text(out, m.environment.kernel_release);
	put_text(out, m.environment.kernel_version);
	put(out, static_cast<uint16_t>(m.context.size()));
	write_fields(out, m.context);
	put(out, static_cast<uint32_t>(m.streams.size()));
	for (const StreamEnd &s : m.streams) {
		put(out, s.instance);
		put(out, s.size);
		put(out, s.sequence);
		put(out, s.events);
		put(out, s.discarded);
	}
	put(out, static_cast<uint64_t>(definitions.size()));
	out += definitions;
	const uint64_t size = out.size() + sizeof(uint64_t);
	std::memcpy(&out[size_at], &size, sizeof(size));
	put(out, checksum(out.data(), out.size()));
	return out;
}

// The size of the copy at the front. Throws BadData if there is none that is sound.
size_t sound_copy(const uint8_t *data, size_t size)
{
	uint32_t head[2];
	uint64_t own_size, sum;

	if (size < least_size)
		throw BadData("is cut off");
	std::memcpy(head, data, sizeof(head));
	std::memcpy(&own_size, data + size_at, sizeof(own_size));
	if (head[0] != magic)
		throw BadData("does not begin as a manifest");
	if (own_size < least_size || own_size > size)
		throw BadData("is cut off");
	const size_t summed = static_cast<size_t>(own_size) - sizeof(sum);
	std::memcpy(&sum, data + summed, sizeof(sum));
	if (sum != checksum(data, summed))
		throw BadData("does not match its checksum");
	if (head[1] != version)
		throw BadData("is of version " + std::to_string(head[1]) +
			      " of the format; this ltt-ctl reads " + std::to_string(version));
	return static_cast<size_t>(own_size);
}

// Of a copy whose checksum is right; but anyone can make one.
Manifest parse_copy(const uint8_t *data, size_t size)
{
	Manifest m;
	RecordReader in(data, size_at + 8, size - sizeof(uint64_t));
	auto uuid = [&] {
		const std::string bytes = in.bytes(sizeof(Uuid), "a uuid");
		Uuid u;
		std::memcpy(u.data(), bytes.data(), u.size());
		return u;
	};

	m.uuid = uuid();
	m.environment.boot_id = uuid();
	m.environment.epoch_offset = static_cast<int64_t>(in.number(8, "the clock's offset"));
	m.finished = in.number(1, "its state");
	const uint64_t domain = in.number(1, "its domain");
	if (domain > static_cast<uint64_t>(Domain::kernel))
		throw BadData("is of domain " + std::to_string(domain) + ", which is not known");
	m.domain = static_cast<Domain>(domain);
	m.environment.contexts = static_cast<uint32_t>(in.number(4, "the contexts"));
	m.environment.hostname = in.string("the host's name");
	m.environment.trace_name = in.string("the trace's name");
	m.environment.kernel_release = in.string("the kernel's release");
	m.environment.kernel_version = in.string("the kernel's version");
	const size_t fields = in.number(2, "the context of events");
	m.context = parse_fields(in, fields, "the context of events");
	for (uint64_t n = in.number(4, "the number of streams"); n; --n) {
		StreamEnd s;
		s.instance = in.number(8, "a stream");
		s.size = in.number(8, "a stream");
		s.sequence = in.number(8, "a stream");
		s.events = in.number(8, "a stream");
		s.discarded = in.number(8, "a stream");
		m.streams.push_back(s);
	}
	const uint64_t bytes = in.number(8, "the definitions");
	const std::string definitions = in.bytes(bytes, "the definitions");
	in.only_zeros();
	m.events = parse_definitions(reinterpret_cast<const uint8_t *>(definitions.data()),
		definitions.size(), m.domain == Domain::kernel)
			   .events;
	return m;
}

} // namespace

std::string write_manifest(const Manifest &manifest)
{
	const std::string copy = write_copy(manifest);
	return copy + copy;
}

Manifest parse_manifest(const std::string &file, std::string &damage)
{
	const auto *data = reinterpret_cast<const uint8_t *>(file.data());

	damage.clear();
	try {
		const size_t size = sound_copy(data, file.size());
		Manifest m = parse_copy(data, size);
		if (file.size() < 2 * size)
			damage = "its second copy is cut off";
		else if (file.size() > 2 * size)
			damage = "more follows its second copy";
		else if (std::memcmp(data, data + size, size) != 0)
			damage = "its second copy is damaged";
		return m;
	} catch (const BadData &e) {
		damage = std::string("its first copy ") + e.what();
	}
	// Where the second one begins the first cannot tell.
	try {
		const uint8_t *second = data + file.size() / 2;
		return parse_copy(second, sound_copy(second, file.size() - file.size() / 2));
	} catch (const BadData &) {
		throw BadData(damage + ", nor is the second one sound");
	}
}

void mark_unfinished(const std::string &path)
{
	if (access(path.c_str(), F_OK) != 0)
		return;
	try {
		std::string damage;
		Manifest m = parse_manifest(read_file(path), damage);
		if (!m.finished)
			return;
		m.finished = false;
		m.streams.clear();
		const std::string bytes = write_manifest(m);
		replace_file(path, bytes.data(), bytes.size());
	} catch (const BadData &) {
	}
}

} // namespace ltt::ctf
